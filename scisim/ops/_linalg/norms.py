"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.values import Traced, is_complex, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops._linalg.checks import KNOWN, inexact_argument, lapack, matrix, square_matrix
from scisim.ops._linalg.determinants import slogdet_p
from scisim.ops._linalg.scaling import is_outside, of_values, scaled
from scisim.ops._linalg.singular import svdvals_p
from scisim.ops._linalg.solving import inv_or_infinite_p, solve_p
from scisim.ops.arithmetic import absolute, pin, power, rooted, sqrt, square, stop
from scisim.ops.complexes import imag, real
from scisim.ops.creation import eye
from scisim.ops.extrema import max as max_of
from scisim.ops.extrema import min as min_of
from scisim.ops.index import index
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import eq, le, ne, where
from scisim.ops.shape import astype, moveaxis, normalize_axes, reshape


def _squares(x: Any, divisor: Any = None) -> Any:
    parts = (real(x), imag(x)) if is_complex(x) else (x,)
    squares = [square(v if divisor is None else v / divisor) for v in parts]
    return squares[0] + squares[1] if is_complex(x) else squares[0]


_total: Any = np.add.reduce


def _plain_norm(x: np.ndarray, p: Any, axes: Any, keepdims: bool) -> Any:
    """The commonest norms of plain arrays, by the same operations without what surrounds them."""
    if p == 2:
        squares = np.square(x) if x.dtype.kind == "f" else np.square(x.real) + np.square(x.imag)
        y = np.sqrt(_total(squares, axes, keepdims=keepdims))
        least, greatest = _RANGES[y.dtype.char]
        if least <= y <= greatest if y.ndim == 0 else not is_outside(y, least, greatest):
            return y
        return _length(x, tuple(range(x.ndim)) if axes is None else axes, keepdims)
    size = np.abs(x)
    if p == 1:
        return _total(size, axes, keepdims=keepdims)
    choice: Any = np.maximum if p > 0 else np.minimum
    return choice.reduce(size, axes, keepdims=keepdims)


def _length(x: Any, axes: Any, keepdims: bool) -> Any:
    """The root of the sum of squares; it remembers these, so that the square of a norm is smooth at 0."""
    y = scaled(lambda v, divisor: sqrt(sum_of(_squares(v, divisor), axes, keepdims)), x, axes, keepdims)
    return rooted(y, lambda: sum_of(_squares(x), axes, keepdims))


def _by_powers(x: Any, p: float, axes: Any, keepdims: bool) -> Any:
    if dtype_of(x).kind == "V":  # bfloat16 only stores
        x = astype(x, np.dtype(np.float32))
    if p % 2 == 0:  # even powers are those of squares, smooth where an element is 0

        def f(v: Any, divisor: Any) -> Any:
            return power(sum_of(power(_squares(v, divisor), int(p) // 2), axes, keepdims), 1.0 / p)

        return f(x, None) if p < 0 else scaled(f, x, axes, keepdims, p)

    def g(size: Any, divisor: Any) -> Any:
        return power(sum_of(power(size if divisor is None else size / divisor, p), axes, keepdims), 1.0 / p)

    return g(absolute(x), None) if p < 0 else scaled(g, absolute(x), axes, keepdims, p)


_RANGES = {c: of_values(np.dtype(c), 2.0) for c in "efd"}


def _is_plain(x: Any, p: Any) -> bool:
    return type(x) is np.ndarray and x.dtype.char in KNOWN and x.size > 0 and type(p) in (int, float) and p in _PLAIN


_PLAIN = (2, 1, math.inf, -math.inf)  # -1 is one of matrices alone


def _vector_norm(name: str, x: Any, p: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if _is_plain(x, p):
        return _plain_norm(x, p, axes, keepdims)
    if p == 2:
        return _length(x, axes, keepdims)
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
        return _by_powers(x, p, axes, keepdims)
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
    Convention: the gradient at the zero vector is 0. Where powers of elements leave the range of the dtype, they are
    divided by the greatest modulus first.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.vector_norm([3.0, 4.0])
    Tensor(5.)
    """
    if axis is None and _is_plain(x, ord):
        return _plain_norm(x, ord, None, keepdims)
    x = inexact_argument(x)
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
    if p in (2, -2, "nuc"):
        last = (rows, columns) == (len(shape(x)) - 2, len(shape(x)) - 1)
        y = _spectral_norm(x if last else moveaxis(x, (rows, columns), (-2, -1)), p)
        return reshape(y, tuple(1 if k in (rows, columns) else n for k, n in enumerate(shape(x)))) if keepdims else y
    raise ArgumentError(
        f"{name}: ord must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf for matrices, got {p!r}; vector_norm takes any "
        f"number"
    )


def _spectral_norm(x: Any, p: Any) -> Any:
    """Of singular values: the sum, the greatest or the least; at those that are 0 the convention of abs holds."""
    if 0 in shape(x)[-2:] and p != "nuc":
        raise ShapeError(f"norm: ord={p} of a matrix without elements, of shape {shape(x)}: it has no singular values")
    s = svdvals_p(lapack("norm", "x", x))
    if isinstance(s, Traced):
        limit = max(*shape(x)[-2:], 1) * float(np.finfo(dtype_of(s)).eps)
        size = stop(s)
        none = le(size, limit * max_of(size, -1, True)) if shape(s)[-1] else False
        s = absolute(pin(s, where(none, 0.0, size)))
    return sum_of(s, -1) if p == "nuc" else index(s, (..., 0 if p == 2 else -1))


def matrix_norm(x: Any, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of matrices.

    Parameters
    ----------
    x : array_like
        Of shape (..., n, m), real or complex.
    keepdims : bool
        Whether the last two axes stay, with length one.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        Root of the sum of squares; the sum of singular values; the greatest or least sum of moduli of a column (1) or
        a row (inf); the greatest or least singular value (2).

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

    Notes
    -----
    Convention: the gradient at 0 is 0, so that of "nuc" leaves out singular values that are 0. That of 2 or -2 is nan
    where several singular values are the greatest or the least together.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.matrix_norm([[1.0, 2.0], [3.0, 4.0]], ord=1)
    Tensor(6.)
    """
    x = inexact_argument(x)
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
    ord : float or {"fro", "nuc"}, optional
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
    if axis is None and ord is None and _is_plain(x, 2):
        return _plain_norm(x, 2, None, keepdims)
    if axis is None and not keepdims and _is_plain(x, ord) and x.ndim == 2 and abs(ord) != 2:
        sums = np.add.reduce(np.abs(x), int(abs(ord) == math.inf))
        return (np.maximum if ord > 0 else np.minimum).reduce(sums)
    x = inexact_argument(x)
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


def _norm_of_last(x: Any, p: Any) -> Any:
    rank = len(shape(x))
    return _matrix_norm("cond", x, p, rank - 2, rank - 1, False)


def cond(x: Any, p: Any = None) -> Any:
    """Condition number of matrices: norm(x) norm(inv(x)).

    Parameters
    ----------
    x : array_like
        Of shape (..., n, n); also (..., m, n) for the default, 2 and -2.
    p : {None, 2, -2, 1, -1, inf, -inf, "fro", "nuc"}, optional
        The norm; 2 by default, which is the greatest singular value over the least, and -2 its inverse.

    Returns
    -------
    Tensor
        Real, of shape (...); infinite for singular matrices.

    Raises
    ------
    ShapeError
        For less than two axes, or when ``x`` is not square but must be.
    ArgumentError
        For an unknown ``p``.

    Notes
    -----
    For singular matrices there is no derivative: it is nan, or infinite as the value.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.cond([[4.0, 0.0], [0.0, 0.5]])
    Tensor(8.)
    """
    if p in (None, 2, -2):
        x = matrix("cond", "x", x)
        if 0 in shape(x)[-2:]:
            raise ArgumentError(
                f"cond: a matrix of shape {shape(x)} has no singular values; give one that has elements"
            )
        s = svdvals_p(x)
        first, last = index(s, (..., 0)), index(s, (..., -1))
        with np.errstate(divide="ignore", invalid="ignore"):  # singular matrices are no surprise here
            return last / first if p == -2 else first / last
    x = square_matrix("cond", "x", x)
    if type(x) is np.ndarray and p in (1, -1, math.inf, -math.inf, "fro"):
        return np.linalg.cond(x, p)
    if p != "nuc":
        return _norm_of_last(x, p) * _norm_of_last(inv_or_infinite_p(x), p)
    one = eye(shape(x)[-1], dtype=dtype_of(x))
    singular = eq(slogdet_p(stop(x))[0], 0)
    inverse = solve_p(where(reshape(singular, (*shape(singular), 1, 1)), one, x), one)
    norms = [_spectral_norm(a, p) for a in (x, inverse)]
    return norms[0] * (norms[1] * astype(where(singular, math.inf, 1.0), dtype_of(norms[1])))
