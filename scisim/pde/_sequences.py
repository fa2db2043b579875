"""Points of the unit cube of which any rank computes any slice: uniform, Sobol, Latin hypercube, adaptive.

Point i of a sequence depends on i and on the key or seed alone, so the points of a step are one global set,
whatever the number of ranks that share them. Callers scale the cube to their domain.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from scisim.core.errors import ArgumentError, ShapeError
from scisim.ops._normal import log
from scisim.ops._philox import fold_in, index_argument, permutation, random_bits, uniform_from_bits
from scisim.pde._sobol import sobol

__all__ = ["latin_hypercube", "residual_adaptive", "sobol", "uniform_points"]

FloatArray = npt.NDArray[np.float64]


def uniform_points(key: Any, start: int, count: int, dim: int) -> FloatArray:
    """Points start, ..., start + count - 1 of the uniform sequence that belongs to `key`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    start, count : int
        The slice of the sequence.
    dim : int
        Coordinates of a point, at least 1.

    Returns
    -------
    float64 array of shape (count, dim), in [0, 1)

    Examples
    --------
    >>> from scisim.ops._philox import seed_key
    >>> uniform_points(seed_key(0), 5, 3, 2).shape
    (3, 2)
    """
    first, number, d = _slice("uniform_points", start, count, 2**63, dim)
    return uniform_from_bits(random_bits(key, first * d, number * d, 64)).reshape(number, d)


def latin_hypercube(start: int, count: int, total: int, dim: int, key: Any) -> FloatArray:
    """Points start, ..., start + count - 1 of a Latin hypercube design of `total` points.

    Each of the `total` equal intervals of each coordinate holds one point of the whole design. Time and
    memory grow with `total`, whatever the slice: each coordinate's order is computed whole.

    Parameters
    ----------
    start, count : int
        The slice, within the design.
    total : int
        Points of the design, from 1 to 2**26.
    dim : int
        Coordinates of a point, at least 1.
    key : uint32 array of shape (2,)

    Returns
    -------
    float64 array of shape (count, dim), in [0, 1)

    Raises
    ------
    ArgumentError
        If the slice is not within the design, or the design too large.

    Examples
    --------
    >>> from scisim.ops._philox import seed_key
    >>> x = latin_hypercube(0, 4, 4, 1, seed_key(0))
    >>> sorted((x[:, 0] * 4).astype(int).tolist())
    [0, 1, 2, 3]
    """
    whole = index_argument("latin_hypercube", "total", total, 2**26)
    first, number, d = _slice("latin_hypercube", start, count, whole, dim)
    # Offsets of 24 bits: interval + offset is then exact, and no point leaves its interval by rounding.
    bits = random_bits(fold_in(key, 0), first * d, number * d)
    points = uniform_from_bits(bits, np.float32).astype(np.float64).reshape(number, d)
    for axis in range(d):
        points[:, axis] += permutation(fold_in(key, axis + 1), whole)[first : first + number]
    return points / whole


def residual_adaptive(
    key: Any, candidates: Any, residual: Any, count: int, k: float = 1.0, c: float = 1.0
) -> npt.NDArray[Any]:
    """Choose points with probability proportional to |r|**k / mean(|r|**k) + c, none of them twice.

    The method RAD of C. Wu, M. Zhu, Q. Tan, Y. Kartha and L. Lu, "A comprehensive study of non-adaptive and
    residual-based adaptive sampling for physics-informed neural networks", Comput. Methods Appl. Mech. Engrg.
    403 (2023) 115671. Each candidate draws an exponential time with its weight as rate and the earliest are
    taken (P. Efraimidis and P. Spirakis, Inf. Process. Lett. 97 (2006) 181-185): the choice depends on the
    arguments alone, so ranks that hold the same candidates and residuals make the same one.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    candidates : array of shape (m, d)
    residual : real or complex array of shape (m,)
    count : int
        Points to choose, from 0 to m.
    k : float
        How strongly large residuals are preferred, at least 0.
    c : float
        Share given to all candidates alike, at least 0. With 0, candidates without residual come last.

    Returns
    -------
    array of shape (count, d): the chosen candidates, in the order of their times

    Raises
    ------
    ShapeError, ArgumentError
        If shapes do not fit, a residual is not finite, or `count`, `k` or `c` is out of range.

    Examples
    --------
    >>> from scisim.ops._philox import seed_key
    >>> x = uniform_points(seed_key(0), 0, 100, 2)
    >>> residual_adaptive(seed_key(1), x, x[:, 0] ** 4, 10).shape
    (10, 2)
    """
    points, size = np.asarray(candidates), np.abs(np.asarray(residual)).astype(np.float64)
    number = _check_adaptive(points, size, count, k, c)
    largest = size.max(initial=0.0)
    if largest > 0:
        size = (size / largest) ** k  # only ratios matter: no overflow for a large k
        weights = size / size.mean() + c
    else:
        weights = np.ones(len(points))
    uniform = uniform_from_bits(random_bits(key, 0, len(points), 64))
    with np.errstate(divide="ignore", invalid="ignore"):  # a weight of zero comes last
        times = -log(1.0 - uniform) / weights
    return points[np.argsort(times, kind="stable")[:number]]


def _slice(function: str, start: Any, count: Any, total: int, dim: Any) -> tuple[int, int, int]:
    """The slice's start and length, within `total`, and the dimension."""
    d = index_argument(function, "dim", dim, 2**20)
    if d < 1:
        raise ArgumentError(f"{function}: dim is {d}; a point has at least one coordinate.")
    first = index_argument(function, "start", start, total)
    return first, index_argument(function, "count", count, total - first), d


def _check_adaptive(points: np.ndarray[Any, Any], size: FloatArray, count: Any, k: float, c: float) -> int:
    """The number of points to choose, once the arguments have been found good."""
    name = "residual_adaptive"
    if points.ndim != 2 or size.shape != (len(points),):
        raise ShapeError(f"{name}: candidates has shape {points.shape} and residual {size.shape}, not (m, d) and (m,).")
    if not (np.isfinite([k, c]).all() and k >= 0 and c >= 0):
        raise ArgumentError(f"{name}: k is {k} and c is {c}; both have to be finite and at least 0.")
    bad = np.flatnonzero(~np.isfinite(size))
    if bad.size:
        raise ArgumentError(
            f"{name}: residual is not finite at {bad.size} candidates, first at index {bad[0]}: the model "
            "has diverged, or the equation is singular there. Leave those candidates out, or go back to a "
            "checkpoint."
        )
    return index_argument(name, "count", count, len(points))
