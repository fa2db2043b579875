"""LU factors by partial pivoting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack, matrix, real_dtype, square_matrix, stacks
from scisim.ops._linalg.guards import adjoint, lower, times_triangular_inverse, upper
from scisim.ops._linalg.solving import solve_p
from scisim.ops._linalg.structured import lapack_function
from scisim.ops.complexes import conj
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.shape import broadcast, concat, matrix_transpose, reshape


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


def _parts(lu: Any) -> tuple[Any, Any]:
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
    dl, du = _tangents(*_parts(both), matmul(matrix_transpose(p), da))
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


def _solve(both: np.ndarray, piv: np.ndarray, b: np.ndarray, trans: int) -> np.ndarray:
    if not both.diagonal(0, -2, -1).all():
        raise SingularMatrixError(
            f"lu_solve: a matrix of shape {both.shape[-2:]} is singular: its equations have no solution or many"
        )
    kind = np.result_type(both, b)
    getrs = lapack_function("getrs", kind)
    if both.ndim == 2 and b.size:
        return getrs(both, piv, b, trans=trans)[0]
    x = np.empty(b.shape, kind)
    for at in np.ndindex(*b.shape[:-2]) if b.size else ():
        x[at] = getrs(both[at], piv[at], b[at], trans=trans)[0]
    return x


def _solve_jvp(x: Any, args: list, tangents: list, trans: int) -> Any:
    """dx = a^-1 (db - da x), of a = p l u or its transpose or adjoint."""
    (both, piv, _), (dboth, _, db) = args, tangents
    if dboth is None:
        return None if db is None else lu_solve_p(both, piv, db, trans=trans)
    p = permutation_p(piv, rows=shape(both)[-1], dtype=dtype_of(both).name)
    (low, up), dlow, dup = _parts(both), lower(dboth, -1), upper(dboth)
    if trans == 0:
        moved = matmul(p, matmul(dlow, matmul(up, x)) + matmul(low, matmul(dup, x)))
    else:
        turn = matrix_transpose if trans == 1 else adjoint
        y = matmul(matrix_transpose(p), x)
        moved = matmul(turn(dup), matmul(turn(low), y)) + matmul(turn(up), matmul(turn(dlow), y))
    return lu_solve_p(both, piv, -moved if db is None else db - moved, trans=trans)


def _solve_transpose(i: int, ct: Any, args: tuple, params: dict) -> Any:
    both, piv, _ = args
    if params["trans"] == 2:
        return lu_solve_p(conj(both), piv, ct, trans=0)
    return lu_solve_p(both, piv, ct, trans=1 - params["trans"])


lu_solve_p = Primitive(
    "lu_solve",
    _solve,
    axes=stacks((2, 1, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[2].shape, np.result_type(avals[0].dtype, avals[2].dtype)),
    linear=(2,),
    transpose=_solve_transpose,
    jvp=_solve_jvp,
)


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0) -> Any:
    """Solution x of a x = b from the factors of a.

    Parameters
    ----------
    lu_and_piv : LUFactors
        As `lu_factor` gives them, of shapes (..., n, n) and (..., n).
    b : array_like
        A vector of shape (n,), or matrices of shape (..., n, k).
    trans : {0, 1, 2}
        Which equations: a x = b, or those of the transpose (1) or the adjoint (2) of a.

    Returns
    -------
    Tensor
        Of shape (..., n) for a vector, else (..., n, k).

    Raises
    ------
    ShapeError
        When shapes do not fit.
    ArgumentError
        For another ``trans``.
    SingularMatrixError
        When an element of the diagonal of u is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.lu_solve(ss.linalg.lu_factor([[1.0, 2.0], [2.0, 2.0]]), [3.0, 4.0])
    Tensor([1., 1.])
    """
    if trans not in (0, 1, 2):
        raise ArgumentError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}")
    both, piv = lu_and_piv
    both, b = square_matrix("lu_solve", "lu", both), lapack("lu_solve", "b", as_argument(b))
    n, s = shape(both)[-1], shape(b)
    vector = len(s) == 1
    if not s or s[0 if vector else -2] != n:
        raise ShapeError(
            f"lu_solve: b of shape {s} does not fit factors of shape {shape(both)}: it must be a vector of length {n} "
            f"or have {n} rows; write stacked vectors as b[..., None]"
        )
    if type(both) is np.ndarray is type(b) and both.ndim == 2 and b.ndim < 3 and b.size:
        return _solve(both, np.asarray(piv), b, trans)
    if (shape(both)[:-2] != shape(b)[:-2] and not vector) or len(shape(both)) > 2:
        lead = broadcast_shapes("lu_solve", shape(both)[:-2], shape(b)[: -1 if vector else -2])
        both, b = broadcast(both, (*lead, n, n)), broadcast(b, (*lead, *shape(b)[-1 if vector else -2 :]))
        piv = broadcast(as_argument(piv), (*lead, n))
    x = lu_solve_p(both, as_argument(piv), reshape(b, (*shape(b), 1)) if vector else b, trans=trans)
    return reshape(x, shape(x)[:-1]) if vector else x
