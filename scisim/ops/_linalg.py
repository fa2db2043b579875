"""Linear algebra on values: solving, inverses, determinants, norms."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes, broadcast_labels, leading
from scisim.core.control import choose
from scisim.core.errors import ArgumentError, DTypeError, ScisimError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, is_inexact, shape
from scisim.ops.arithmetic import absolute, power, sqrt, square
from scisim.ops.arrange import trace as trace_of
from scisim.ops.complexes import imag, real
from scisim.ops.creation import eye
from scisim.ops.extrema import max as max_of
from scisim.ops.extrema import min as min_of
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import eq, ne, where
from scisim.ops.shape import astype, broadcast, matrix_transpose, normalize_axes, reshape


class SingularMatrixError(ScisimError, np.linalg.LinAlgError):
    """A matrix that must be inverted is singular."""


# --- checking ----------------------------------------------------------------------------------------------
def _matrix(name: str, argument: str, a: Any) -> Any:
    """A stack of square matrices of a dtype that LAPACK knows."""
    a = as_argument(a)
    s = shape(a)
    if len(s) < 2 or s[-1] != s[-2]:
        raise ShapeError(f"{name}: {argument} must be a square matrix or a stack of them, got shape {s}")
    return _lapack(name, argument, a)


def _lapack(name: str, argument: str, a: Any) -> Any:
    if is_inexact(a) and dtype_of(a).name not in ("float32", "float64", "complex64", "complex128"):
        raise DTypeError(f"{name}: {argument} has dtype {dtype_of(a)}; convert it to float32 or float64")
    return a if is_inexact(a) else astype(a, np.float64)


# --- solve -------------------------------------------------------------------------------------------------
def _solve(a: Any, b: Any) -> np.ndarray:
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise SingularMatrixError(
            f"solve: a matrix of shape {a.shape[-2:]} is singular: its equations have no solution or many. "
            f"Remove dependent rows, or regularise with a + eps * eye(n)"
        ) from None


@lru_cache(maxsize=64)
def _solve_dtype(a: np.dtype, b: np.dtype) -> np.dtype:
    return np.linalg.solve(np.ones((1, 1), a), np.ones((1, 1), b)).dtype


def _solve_infer(avals: tuple, p: dict) -> ShapeDtype:
    a, b = avals
    lead = broadcast_shapes("solve", a.shape[:-2], b.shape[:-2])
    return ShapeDtype((*lead, *b.shape[-2:]), _solve_dtype(a.dtype, b.dtype))


def _solve_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    (a, b), lead = broadcast_labels(shapes, core=2)
    return [(*a, None, None), (*b, None, "k")], (*lead, None, "k")


def _solve_jvp(x: Any, args: list, tangents: list) -> Any:
    """a x = b gives a dx = db - da x."""
    (a, _), (da, db) = args, tangents
    if da is None:
        return None if db is None else solve_p(a, db)
    right = -matmul(da, x)
    return solve_p(a, right if db is None else right + db)


def _solve_taylor(trace: Any, args: tuple, y: Any) -> Any:
    """The coefficients of a x = b, each solved for the last one of x."""
    a, b = args

    def term(j: int, i: int, w: float = 1.0) -> Any:
        m, x = trace.coefficient(a, j), y.coef(i)
        return None if m is None or x is None else matmul(m, x) * -w

    def rule(k: int) -> Any:
        rest = [term(*p) for p in trace.slots.rest[k]] if trace.mine(a) else []
        t = trace.total(k, [trace.coefficient(b, k), term(k, 0) if trace.mine(a) else None], rest)
        return None if t is None else solve_p(trace.coefficient(a, 0), t)

    return rule


solve_p = Primitive(
    "solve",
    _solve,
    axes=Axes(_solve_labels, broadcasts=True, core=2),
    infer=_solve_infer,
    linear=(1,),
    transpose=lambda i, ct, args, p: solve_p(matrix_transpose(args[0]), ct),
    jvp=_solve_jvp,
    taylor=_solve_taylor,
    array_api="linalg.solve",
)


def solve(a: Any, b: Any) -> Any:
    """Solution x of a x = b.

    Parameters
    ----------
    a : array_like
        Square matrices, of shape (..., n, n).
    b : array_like
        A vector of shape (n,), or matrices of shape (..., n, k); leading axes broadcast against those of
        ``a``.

    Returns
    -------
    Tensor
        Of shape (..., n) for a vector, else (..., n, k).

    Raises
    ------
    ShapeError
        When ``a`` is not square or ``b`` does not fit it.
    SingularMatrixError
        When a matrix has no inverse.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    Tensor([1. , 0.5])
    """
    a, b = _matrix("solve", "a", a), _lapack("solve", "b", as_argument(b))
    n, s = shape(a)[-1], shape(b)
    vector = len(s) == 1
    if not s or s[0 if vector else -2] != n:
        raise ShapeError(
            f"solve: b of shape {s} does not fit matrices of shape {shape(a)}: it must be a vector of "
            f"length {n} or have {n} rows; write stacked vectors as b[..., None]"
        )
    x = solve_p(a, reshape(b, (n, 1)) if vector else b)
    return reshape(x, shape(x)[:-1]) if vector else x


def inv(a: Any) -> Any:
    """Inverse of matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    SingularMatrixError
        When a matrix has no inverse.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    Tensor([[0.5 , 0.  ],
            [0.  , 0.25]])
    """
    a = _matrix("inv", "a", a)
    return solve_p(a, eye(shape(a)[-1], dtype=dtype_of(a)))


# --- determinant -------------------------------------------------------------------------------------------
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
    return det_p(_matrix("det", "a", a))


# --- norms -------------------------------------------------------------------------------------------------
def _squares(x: Any) -> Any:
    return square(real(x)) + square(imag(x)) if is_complex(x) else square(x)


def _inexact(x: Any) -> Any:
    x = as_argument(x)
    return x if is_inexact(x) else astype(x, np.float64)


def _vector_norm(name: str, x: Any, p: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if p == 2:  # the root remembers its argument, so that the square of a norm is smooth at 0
        return sqrt(sum_of(_squares(x), axes, keepdims))
    size = absolute(x)
    if p == math.inf:
        return max_of(size, axes, keepdims)
    if p == -math.inf:
        return min_of(size, axes, keepdims)
    if p == 1:
        return sum_of(size, axes, keepdims)
    if p == 0:
        return astype(sum_of(ne(x, 0), axes, keepdims), dtype_of(size))
    if isinstance(p, (int, float)):
        # Even powers are those of squares, smooth where an element is 0.
        powers = power(_squares(x), int(p) // 2) if p % 2 == 0 else power(size, p)
        return power(sum_of(powers, axes, keepdims), 1.0 / p)
    raise ArgumentError(f"{name}: ord must be a number, inf or -inf for vectors, got {p!r}")


def vector_norm(x: Any, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norm of vectors: (sum of abs(x)^ord)^(1/ord).

    Parameters
    ----------
    x : array_like
        Real or complex.
    axis : int or tuple of int, optional
        Axes along which the vectors run; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.
    ord : float
        2, 1, inf (the greatest modulus), -inf (the least), 0 (how many are not 0), or another number.

    Returns
    -------
    Tensor
        Real.

    Raises
    ------
    ArgumentError
        For an axis out of range or an unknown ``ord``.

    Notes
    -----
    Convention: the gradient at the zero vector is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.vector_norm([3.0, 4.0])
    Tensor(5.)
    """
    x = _inexact(x)
    return _vector_norm("vector_norm", x, ord, normalize_axes("vector_norm", axis, len(shape(x))), keepdims)


def _matrix_norm(name: str, x: Any, p: Any, rows: int, columns: int, keepdims: bool) -> Any:
    if p in (None, "fro"):
        return _vector_norm(name, x, 2, (rows, columns), keepdims)
    if p in (1, -1, math.inf, -math.inf):
        along, over = (rows, columns) if abs(p) == 1 else (columns, rows)
        choose_from = max_of if p > 0 else min_of
        y = choose_from(sum_of(absolute(x), along, True), over, True)
        left = tuple(n for k, n in enumerate(shape(x)) if k not in (rows, columns))
        return y if keepdims else reshape(y, left)
    raise ArgumentError(
        f"{name}: ord must be 'fro', 1, -1, inf or -inf for matrices, got {p!r}; vector_norm takes any number"
    )


def matrix_norm(x: Any, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of matrices.

    Parameters
    ----------
    x : array_like
        Of shape (..., n, m), real or complex.
    keepdims : bool
        Whether the last two axes stay, with length one.
    ord : {"fro", 1, -1, inf, -inf}
        Root of the sum of squares; the greatest or least sum of moduli of a column (1) or a row (inf).

    Returns
    -------
    Tensor
        Real, of shape (...).

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        For an unknown ``ord``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.matrix_norm([[1.0, 2.0], [3.0, 4.0]], ord=1)
    Tensor(6.)
    """
    x = _inexact(x)
    rank = len(shape(x))
    if rank < 2:
        raise ShapeError(f"matrix_norm: needs at least two axes, got shape {shape(x)}")
    return _matrix_norm("matrix_norm", x, ord, rank - 2, rank - 1, keepdims)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of vectors or matrices.

    Parameters
    ----------
    x : array_like
        Real or complex.
    ord : float or {"fro"}, optional
        By default 2 for vectors and "fro" for matrices; see `vector_norm` and `matrix_norm`.
    axis : int or pair of int, optional
        One axis for vectors, two for matrices. By default a matrix is meant by two axes and given ``ord``,
        and otherwise all elements are one vector.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Real.

    Raises
    ------
    ArgumentError
        For axes out of range, or an unknown ``ord``.

    Notes
    -----
    Convention: the gradient at zero is 0; that of the square of the norm is smooth there.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.norm([[3.0, 4.0], [6.0, 8.0]], axis=1)
    Tensor([ 5., 10.])
    """
    x = _inexact(x)
    rank = len(shape(x))
    axes = normalize_axes("norm", axis, rank)
    if len(axes) == 1 or (axis is None and ord is None):
        return _vector_norm("norm", x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) != 2:
        raise ArgumentError(
            f"norm: {len(axes)} axes of shape {shape(x)}; a norm with ord={ord!r} takes one axis (vectors) "
            f"or two (matrices): say which with axis="
        )
    rows, columns = axes if axis is None else (a % rank for a in axis)
    return _matrix_norm("norm", x, ord, rows, columns, keepdims)
