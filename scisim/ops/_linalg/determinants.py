"""Determinants, whose derivatives hold for singular matrices."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import leading
from scisim.core.control import choose
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import real_dtype, square_matrix, stacks
from scisim.ops._linalg.solving import solve_p
from scisim.ops.arrange import trace as trace_of
from scisim.ops.complexes import imag, real
from scisim.ops.creation import eye
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import eq, isinf, where
from scisim.ops.shape import broadcast, matrix_transpose, reshape

_SMALL = 4  # up to here derivatives come from cofactors, which cost n! by their order, and need no inverse


def _polynomial_adjugate(a: Any) -> Any:
    """The transposed cofactors by the recursion of Faddeev and LeVerrier, safe where a determinant is 0."""
    n = shape(a)[-1]
    one = eye(n, dtype=dtype_of(a))
    m = broadcast(one, shape(a))
    for k in range(1, n):
        am = matmul(a, m)
        m = am - reshape(trace_of(am), (*shape(a)[:-2], 1, 1)) / k * one
    return m if n % 2 else -m


def _cofactors(a: Any) -> Any:
    """Signed determinants of what is left without row i and column j: polynomials, safe for every rank."""
    n = shape(a)[-1]
    if n == 1:
        return broadcast(np.ones((), dtype_of(a)), shape(a))
    left = np.array([[k for k in range(n) if k != i] for i in range(n)])
    b = index(a, (..., left[:, None, :, None], left[:, None, :]))
    sign = (-1) ** np.add.outer(np.arange(n), np.arange(n))
    kept = tuple(range(n - 1))
    return _expanded(b, kept, kept) * sign.astype(dtype_of(a))


def _expanded(b: Any, rows: tuple, columns: tuple) -> Any:
    """The determinant of these rows and columns, expanded by the first row."""
    if len(rows) == 1:
        return index(b, (..., rows[0], columns[0]))
    total = None
    for k, c in enumerate(columns):
        term = index(b, (..., rows[0], c)) * _expanded(b, rows[1:], columns[:k] + columns[k + 1 :])
        total = term if total is None else total - term if k % 2 else total + term
    return total


def _adjugate(a: Any, det: Any) -> Any:
    """det(a) inv(a), which exists for singular matrices too."""
    if shape(a)[-1] <= _SMALL:
        return matrix_transpose(_cofactors(a))
    column = reshape(det, (*shape(det), 1, 1))
    one = eye(shape(a)[-1], dtype=dtype_of(a))

    def singular(a: Any, column: Any) -> tuple:
        zero = eq(column, 0)
        regular = solve_p(where(zero, one, a), one)
        return (where(zero, _polynomial_adjugate(a), column * regular),)

    return choose(eq(column, 0), singular, lambda a, column: (column * solve_p(a, one),), a, column)[0]


def _det_jvp(y: Any, args: list, tangents: list) -> Any:
    """Jacobi's formula: trace(adj(a) da)."""
    (a,), (da,) = args, tangents
    if da is None:
        return None
    n = shape(a)[-1]
    return sum_of(_adjugate(a, y) * matrix_transpose(da), (-2, -1)) if n else None


det_p = Primitive(
    "det",
    np.linalg.det,
    axes=leading(2, lambda core: 0),
    infer=lambda avals, p: ShapeDtype(avals[0].shape[:-2], avals[0].dtype),
    jvp=_det_jvp,
    array_api="linalg.det",
)


def det(a: Any) -> Any:
    """Determinant of matrices; its derivatives hold for singular ones too.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).

    Returns
    -------
    Tensor
        Of shape (...).

    Raises
    ------
    ShapeError
        When ``a`` is not square.

    Notes
    -----
    Up to 4 x 4, derivatives are the polynomials that they are, as exact as the determinant for matrices near
    singular ones too. Larger matrices are inverted, so that the order k loses the digits of the condition
    number k - 1 times; where the determinant is exactly 0, the cofactors come from the recursion of Faddeev
    and LeVerrier, which loses digits as the size grows.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.det([[2.0, 0.0], [0.0, 4.0]])
    Tensor(8.)
    """
    return det_p(square_matrix("det", "a", a))


class SlogdetResult(NamedTuple):
    """Sign of a determinant, and logarithm of its modulus."""

    sign: Any
    logabsdet: Any


def _slogdet_infer(avals: tuple, p: dict) -> tuple:
    a = avals[0]
    return ShapeDtype(a.shape[:-2], a.dtype), ShapeDtype(a.shape[:-2], real_dtype(a.dtype))


def _slogdet_jvp(y: tuple, args: list, tangents: list) -> tuple:
    """d log det = trace(a^-1 da): its real part moves the modulus, its imaginary part the phase."""
    (sign, size), (a,), (da,) = y, args, tangents
    if da is None:
        return None, None
    singular = reshape(isinf(size), (*shape(size), 1, 1))
    rate = trace_of(solve_p(where(singular, math.nan, a), da))
    if dtype_of(a).kind != "c":
        return None, rate
    return sign * imag(rate) * 1j, real(rate)


slogdet_p = Primitive(
    "slogdet",
    lambda a: tuple(np.linalg.slogdet(a)),
    axes=stacks((2,), [0, 0]),
    infer=_slogdet_infer,
    jvp=_slogdet_jvp,
    multiple=True,
    array_api="linalg.slogdet",
)


def slogdet(a: Any) -> SlogdetResult:
    """Sign and logarithm of the modulus of determinants, which themselves could overflow.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).

    Returns
    -------
    sign : Tensor
        Of shape (...): 1, -1 or 0; for complex matrices a number of modulus 1, or 0.
    logabsdet : Tensor
        Of shape (...), real; -inf where the determinant is 0.

    Raises
    ------
    ShapeError
        When ``a`` is not square.

    Notes
    -----
    For singular matrices there is no derivative: nan.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    SlogdetResult(sign=Tensor(-1.), logabsdet=Tensor(0.))
    """
    return SlogdetResult(*slogdet_p(square_matrix("slogdet", "a", a)))
