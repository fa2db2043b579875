"""Products of many matrices: powers, and chains in the cheapest order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.solving import inv
from scisim.ops.creation import eye
from scisim.ops.products import matmul
from scisim.ops.shape import as_integer, broadcast


def matrix_power(a: Any, n: int) -> Any:
    """A matrix to an integer power, by repeated squaring.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, m).
    n : int
        Negative powers are those of the inverse.

    Returns
    -------
    Tensor
        Of the shape of ``a``.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    ArgumentTypeError
        When ``n`` is not an integer.
    SingularMatrixError
        For a negative power of a singular matrix.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.matrix_power([[1.0, 1.0], [0.0, 1.0]], 5)
    Tensor([[1., 5.],
            [0., 1.]])
    """
    a = as_argument(a)
    s, n = shape(a), as_integer("matrix_power", "n", n)
    if len(s) < 2 or s[-1] != s[-2]:
        raise ShapeError(f"matrix_power: a must be a square matrix or a stack of them, got shape {s}")
    if n == 0:
        return broadcast(eye(s[-1], dtype=dtype_of(a)), s)
    return _power(inv(a) if n < 0 else a, abs(n))


def _power(a: Any, n: int) -> Any:
    if n == 1:
        return a
    half = _power(a, n // 2)
    y = matmul(half, half)
    return matmul(y, a) if n % 2 else y


@lru_cache(maxsize=256)
def _split(sizes: tuple[int, ...]) -> tuple[int, int]:
    """Operations of the cheapest order, and where its last product divides the chain."""
    if len(sizes) == 2:
        return 0, 0
    outer = sizes[0] * sizes[-1]
    ways = ((_split(sizes[: k + 1])[0] + _split(sizes[k:])[0] + outer * sizes[k], k) for k in range(1, len(sizes) - 1))
    return min(ways)


def _chain(xs: list, sizes: tuple[int, ...]) -> Any:
    if len(xs) == 1:
        return xs[0]
    k = _split(sizes)[1]
    return matmul(_chain(xs[:k], sizes[: k + 1]), _chain(xs[k:], sizes[k:]))


def multi_dot(arrays: Sequence[Any]) -> Any:
    """Product of a chain of matrices, in the order that takes the fewest operations.

    Parameters
    ----------
    arrays : sequence of array_like
        At least two; matrices, of which the first may be a row and the last a column, given as vectors.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For less than two arrays.
    ShapeError
        When shapes do not fit.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.multi_dot([[1.0, 2.0], [[1.0, 0.0], [0.0, 2.0]], [1.0, 1.0]])
    Tensor(5.)
    """
    xs = [as_argument(x) for x in arrays]
    if len(xs) < 2:
        raise ArgumentError(f"multi_dot: needs at least two arrays, got {len(xs)}")
    shapes = [shape(x) for x in xs]
    good = all(len(s) == 2 for s in shapes[1:-1]) and all(len(s) in (1, 2) for s in (shapes[0], shapes[-1]))
    if not good or any(s[-1] != t[0] for s, t in pairwise(shapes)):
        raise ShapeError(
            f"multi_dot: shapes {', '.join(map(str, shapes))} make no chain of matrices; the last axis of each must "
            f"be as long as the first of the next, and only the first and the last may be vectors"
        )
    sizes = (1 if len(shapes[0]) == 1 else shapes[0][0], *(s[0] for s in shapes[1:]))
    return _chain(xs, (*sizes, 1 if len(shapes[-1]) == 1 else shapes[-1][1]))
