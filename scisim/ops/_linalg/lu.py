"""LU factors by partial pivoting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import matrix, real_dtype, stacks
from scisim.ops._linalg.guards import lower, times_triangular_inverse, upper
from scisim.ops._linalg.solving import solve_p
from scisim.ops._linalg.structured import lapack_function
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.shape import concat, matrix_transpose


class LUResult(NamedTuple):
    """A permutation matrix, and a unit lower and an upper triangular one."""

    P: Any
    L: Any
    U: Any


class LUFactors(NamedTuple):
    """Both triangles in one matrix, and the row that each row was exchanged with."""

    lu: Any
    piv: Any


def _factor(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    *lead, m, n = a.shape
    k = min(m, n)
    lu, piv = np.empty(a.shape, a.dtype), np.empty((*lead, k), np.int64)
    if a.size:
        getrf = lapack_function("getrf", a.dtype)
        for at in np.ndindex(*lead):
            lu[at], piv[at], _ = getrf(a[at])
    return lu, piv


def _orders(piv: np.ndarray, rows: int) -> np.ndarray:
    """The rows of the matrix in the order of the factors, from the exchanges."""
    out = np.empty((*piv.shape[:-1], rows), np.intp)
    for at in np.ndindex(*piv.shape[:-1]):
        order = list(range(rows))
        for i, j in enumerate(piv[at].tolist()):
            order[i], order[j] = order[j], order[i]
        out[at] = order
    return out


def _permutation(piv: np.ndarray, rows: int, dtype: str) -> np.ndarray:
    """The matrix p of 0 and 1 with a = p l u."""
    return np.swapaxes(np.eye(rows, dtype=dtype)[_orders(piv, rows)], -1, -2).copy()


permutation_p = Primitive(
    "permutation",
    _permutation,
    axes=stacks((1,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], p["rows"], p["rows"]), np.dtype(p["dtype"])),
)


def factor_parts(lu: Any) -> tuple[Any, Any]:
    """l with ones on the diagonal, of k = min(m, n) columns, and u of k rows."""
    m, n = shape(lu)[-2:]
    k = min(m, n)
    below = lower(index(lu, (..., slice(0, k))), -1)
    return below + np.eye(m, k, dtype=dtype_of(lu)), upper(index(lu, (..., slice(0, k), slice(None))))


def _tangents(left: Any, right: Any, da: Any) -> tuple[Any, Any]:
    """Of the factors, from that of their product: with x = l^-1 da u^-1 they are l tril(x, -1) and triu(x) u."""
    m, n = shape(da)[-2:]
    k = min(m, n)
    head, tail = (..., slice(0, k), slice(None)), (..., slice(k, None), slice(None))
    l1, u1 = index(left, head), index(right, (..., slice(0, k)))
    x = times_triangular_inverse(solve_p(l1, index(index(da, head), (..., slice(0, k)))), u1)
    dl, du = lower(matmul(l1, lower(x, -1)), -1), upper(matmul(upper(x), u1))
    if m > n:  # the rows below: da = dl u + l du
        rest = index(da, tail) - matmul(index(left, tail), du)
        return concat([dl, times_triangular_inverse(rest, u1)], -2), du
    if m < n:
        rest = index(da, (..., slice(k, None))) - matmul(dl, index(right, (..., slice(k, None))))
        return dl, concat([du, solve_p(l1, rest)], -1)
    return dl, du


def _factor_jvp(y: tuple, args: list, tangents: list) -> tuple:
    (both, piv), (da,) = y, tangents
    if da is None:
        return None, None
    m, n = shape(da)[-2:]
    p = permutation_p(piv, rows=m, dtype=dtype_of(both).name)
    dl, du = _tangents(*factor_parts(both), matmul(matrix_transpose(p), da))
    k = min(m, n)
    if m > n:
        head, tail = (..., slice(0, k), slice(None)), (..., slice(k, None), slice(None))
        return concat([index(dl, head) + du, index(dl, tail)], -2), None
    if m < n:
        return concat([dl + index(du, (..., slice(0, k))), index(du, (..., slice(k, None)))], -1), None
    return dl + du, None


def _lu_jvp(y: tuple, args: list, tangents: list) -> tuple:
    (p, left, right), (da,) = y, tangents
    return (None, None, None) if da is None else (None, *_tangents(left, right, matmul(matrix_transpose(p), da)))


def _lu(a: np.ndarray) -> tuple:
    from scipy.linalg import lu as factors

    if a.size:
        return tuple(factors(a, check_finite=False))
    p, low, up = (np.zeros(v.shape, v.dtype) for v in _lu_infer((a,), {}))
    p[...] = np.eye(p.shape[-1])
    return p, low, up


def _lu_infer(avals: tuple, p: dict) -> tuple:
    *lead, m, n = avals[0].shape
    dt, k = avals[0].dtype, min(m, n)
    return ShapeDtype((*lead, m, m), real_dtype(dt)), ShapeDtype((*lead, m, k), dt), ShapeDtype((*lead, k, n), dt)


lu_p = Primitive("lu", _lu, axes=stacks((2,), [2, 2, 2]), infer=_lu_infer, jvp=_lu_jvp, multiple=True)
lu_factor_p = Primitive(
    "lu_factor",
    _factor,
    axes=stacks((2,), [2, 1]),
    infer=lambda avals, p: (
        ShapeDtype(avals[0].shape, avals[0].dtype),
        ShapeDtype((*avals[0].shape[:-2], min(avals[0].shape[-2:])), np.dtype(np.int64)),
    ),
    jvp=_factor_jvp,
    multiple=True,
)


def lu_factor(a: Any) -> LUFactors:
    """LU factors in one matrix, for `lu_solve`.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).

    Returns
    -------
    lu : Tensor
        Of the shape of ``a``: u, and below its diagonal l without its ones.
    piv : Tensor
        Of shape (..., min(m, n)): row i was exchanged with row piv[i]; integers, without a derivative.

    Raises
    ------
    ShapeError
        For less than two axes.

    Notes
    -----
    Derivatives hold the order of the rows. They are nan where u is singular.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.lu_factor([[1.0, 2.0], [2.0, 2.0]])
    LUFactors(lu=Tensor([[2. , 2. ],
            [0.5, 1. ]]), piv=Tensor([1, 1]))
    """
    return LUFactors(*lu_factor_p(matrix("lu_factor", "a", a)))


def lu(a: Any) -> LUResult:
    """Factors a = p l u: a permutation, a unit lower and an upper triangular matrix.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).

    Returns
    -------
    P : Tensor
        Of shape (..., m, m), of zeros and ones, real, without a derivative.
    L : Tensor
        Of shape (..., m, k), k = min(m, n), with ones on the diagonal.
    U : Tensor
        Of shape (..., k, n).

    Raises
    ------
    ShapeError
        For less than two axes.

    Notes
    -----
    Derivatives hold the order of the rows. They are nan where U is singular.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.lu([[1.0, 2.0], [2.0, 2.0]]).U
    Tensor([[2., 2.],
            [0., 1.]])
    """
    return LUResult(*lu_p(matrix("lu", "a", a)))
