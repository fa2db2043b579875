"""Arrays with elements added at their edges, in all the ways that NumPy has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_inexact, shape
from scisim.ops.extrema import max_p, min_p
from scisim.ops.index import gather_p, put_p, slice_axis
from scisim.ops.quantiles import median
from scisim.ops.select import floor, round_p
from scisim.ops.shape import astype, broadcast, concat_p, moveaxis, reshape, sum_p

Pair = tuple[Any, Any]


def _pairs(argument: str, given: Any, rank: int) -> list[Pair]:
    """A number, a pair, or a pair for each axis, as pairs of integers."""
    w = np.asarray(given)
    if isinstance(given, dict):
        w = np.zeros((rank, 2), int)
        for axis, pair in given.items():
            w[axis] = pair
    if w.dtype.kind not in "iu" or w.shape not in ((), (1,), (2,), (1, 2), (rank, 1), (rank, 2)) or np.any(w < 0):
        raise ArgumentError(
            f"pad: {argument} must be a number, a pair, or a pair for each of {rank} axes, none negative; got {given!r}"
        )
    return [(int(a), int(b)) for a, b in np.broadcast_to(w, (rank, 2))]


def _values(given: Any, rank: int, to: np.dtype) -> list[Pair]:
    """The same of values, which may be differentiated."""
    v = astype(as_argument(given), to)
    if shape(v) not in ((), (1,), (2,), (1, 2), (rank, 1), (rank, 2)):
        raise ArgumentError(
            f"pad: values must be one number, a pair, or a pair for each of {rank} axes; got shape {shape(v)}"
        )
    v = broadcast(v, (rank, 2))
    return [(v[k, 0], v[k, 1]) for k in range(rank)]


def _constant(x: Any, widths: list, values: Any) -> Any:
    v = as_argument(values)
    if not shape(v):
        out = tuple(a + n + b for n, (a, b) in zip(shape(x), widths, strict=True))
        border = broadcast(astype(v, dtype_of(x)), out)
        at = tuple(("slice", a, a + n, None) for n, (a, _) in zip(shape(x), widths, strict=True))
        return put_p(border, x, at=at) if at else x
    pairs = _values(v, len(shape(x)), dtype_of(x))
    return _each_axis(x, widths, lambda x, k, a, b: tuple(_filled(x, k, n, c) for n, c in zip((a, b), pairs[k])))


def _each_axis(x: Any, widths: list, edges: Callable) -> Any:
    """Axis by axis, so that corners follow from edges."""
    for k, (a, b) in enumerate(widths):
        if a or b:
            before, after = edges(x, k, a, b)
            x = concat_p(before, x, after, axis=k)
    return x


def _filled(x: Any, k: int, n: int, value: Any) -> Any:
    s = shape(x)
    return broadcast(value, (*s[:k], n, *s[k + 1 :]))


def _taken(x: Any, k: int, at: np.ndarray) -> Any:
    return moveaxis(gather_p(moveaxis(x, k, 0), at), 0, k)


# --- modes that repeat elements -----------------------------------------------------------------------------
def _places(mode: str, n: int, a: int, b: int) -> np.ndarray:
    """Which element stands at each place of the padded axis."""
    at = np.arange(-a, n + b)
    if mode == "edge":
        return np.clip(at, 0, n - 1)
    if mode == "wrap":
        return at % n
    if mode == "symmetric":
        at = at % (2 * n)
        return np.where(at < n, at, 2 * n - 1 - at)
    if n == 1:  # nothing to reflect at but the element itself
        return np.zeros_like(at)
    at = at % (2 * n - 2)
    return np.where(at < n, at, 2 * n - 2 - at)


def _odd(x: Any, k: int, a: int, b: int, mode: str) -> tuple[Any, Any]:
    """Point reflections at both edges: over two lengths of the axis the values rise by twice the rise within it."""
    n = shape(x)[k]
    length = n if mode == "symmetric" else n - 1
    at = np.concatenate([np.arange(-a, 0), np.arange(n, n + b)])
    if not length:
        y = _taken(x, k, np.zeros_like(at))
    else:
        turns, r = np.divmod(at, 2 * length)
        back = r >= n
        place = np.where(back, 2 * length - r - (mode == "symmetric"), r)
        column = (1,) * k + (-1,) + (1,) * (len(shape(x)) - k - 1)
        kind = np.zeros((), dtype_of(x)).real.dtype
        sign, of_last, of_first = (
            w.astype(kind).reshape(column) for w in (np.where(back, -1, 1), 2 * (back + turns), -2 * turns)
        )
        first, last = slice_axis(x, k, 0, 1), slice_axis(x, k, n - 1, n)
        y = _taken(x, k, place) * sign + last * of_last + first * of_first
    return slice_axis(y, k, 0, a), slice_axis(y, k, a, a + b)


# --- modes that compute elements ----------------------------------------------------------------------------
def _ramp(x: Any, k: int, a: int, b: int, ends: Pair) -> tuple[Any, Any]:
    """Straight lines from the values at the edges to the end values."""
    n = shape(x)[k]
    column = (1,) * k + (-1,) + (1,) * (len(shape(x)) - k - 1)
    out = []
    for m, end, edge, falling in ((a, ends[0], (0, 1), True), (b, ends[1], (n - 1, n), False)):
        t = np.arange(m, 0, -1) / m if falling and m else np.arange(1, m + 1) / max(m, 1)
        line = slice_axis(x, k, *edge)
        line = line + (end - line) * t.astype(np.result_type(dtype_of(x), np.float16)).reshape(column)
        out.append(astype(line if is_inexact(x) else floor(line), dtype_of(x)))
    return out[0], out[1]


def _mean(part: Any, k: int) -> Any:
    return sum_p(part, axes=(k,)) / shape(part)[k]


_STATISTICS: dict[str, Callable] = {
    "maximum": lambda part, k: max_p(part, axes=(k,)),
    "minimum": lambda part, k: min_p(part, axes=(k,)),
    "mean": _mean,
    "median": lambda part, k: median(part, k),
}


def _statistic(mode: str, x: Any, k: int, a: int, b: int, lengths: Any) -> tuple[Any, Any]:
    """A statistic of so many elements next to each edge, or of all."""
    n = shape(x)[k]
    out = []
    for m, edge, count in ((a, 0, lengths[0]), (b, 1, lengths[1])):
        count = n if count is None else min(count, n)
        if not count:
            raise ArgumentError(f"pad: stat_length of 0 leaves nothing to compute mode={mode!r} of")
        y = _STATISTICS[mode](slice_axis(x, k, n - count, n) if edge else slice_axis(x, k, 0, count), k)
        y = astype(y if is_inexact(x) or not is_inexact(y) else round_p(y), dtype_of(x))
        out.append(_filled(x, k, m, reshape(y, (*shape(y)[:k], 1, *shape(y)[k:]))))
    return out[0], out[1]


_REPEATING = ("edge", "wrap", "reflect", "symmetric")
MODES = ("constant", *_REPEATING, "linear_ramp", *_STATISTICS, "empty")


def pad(
    x: Any,
    /,
    pad_width: Any,
    mode: str = "constant",
    *,
    constant_values: Any = 0,
    end_values: Any = 0,
    stat_length: Any = None,
    reflect_type: str = "even",
) -> Any:
    """An array with elements added at its edges.

    Parameters
    ----------
    x : array_like
    pad_width : int, pair of int, sequence of pairs of int, or dict
        Elements before and after; one number or pair for all axes, a pair for each axis, or {axis: pair}.
    mode : str
        "constant": given values; "edge": those at the edges; "linear_ramp": straight lines to ``end_values``;
        "maximum", "mean", "median", "minimum": a statistic along the axis; "reflect": mirrored at the elements
        at the edges; "symmetric": mirrored behind them; "wrap": periodic; "empty": zeros.
    constant_values, end_values : array_like
        One value, or values before and after, or a pair of them for each axis; they may be differentiated.
    stat_length : int or sequence of pairs of int, optional
        Elements next to the edge of which the statistic is; all by default.
    reflect_type : {"even", "odd"}
        Whether mirrored values are those of the elements, or twice the value at the edge less these.

    Returns
    -------
    Tensor
        Of the dtype of ``x``.

    Raises
    ------
    ArgumentError
        For another mode, or a width that is negative or not one of the forms above.
    ShapeError
        Where an axis without elements is to be continued.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.pad([1.0, 2.0], (1, 2))
    Tensor([0., 1., 2., 0., 0.])
    >>> ss.pad([1.0, 2.0, 4.0], 2, mode="reflect")
    Tensor([4., 2., 1., 2., 4., 2., 1.])
    """
    x = as_argument(x)
    widths = _pairs("pad_width", pad_width, len(shape(x)))
    if mode in ("constant", "empty"):
        return _constant(x, widths, constant_values if mode == "constant" else 0)
    _check(x, widths, mode, reflect_type)
    if mode == "linear_ramp":
        ends = _values(end_values, len(shape(x)), np.result_type(dtype_of(x), dtype_of(as_argument(end_values))))
        return _each_axis(x, widths, lambda x, k, a, b: _ramp(x, k, a, b, ends[k]))
    if mode in _STATISTICS:
        counts: Any = [(None, None)] * len(shape(x))
        if stat_length is not None:
            counts = _pairs("stat_length", stat_length, len(shape(x)))
        return _each_axis(x, widths, lambda x, k, a, b: _statistic(mode, x, k, a, b, counts[k]))
    if reflect_type == "odd" and mode in ("reflect", "symmetric"):
        return _each_axis(x, widths, lambda x, k, a, b: _odd(x, k, a, b, mode))
    for k, (a, b) in enumerate(widths):
        if a or b:
            x = _taken(x, k, _places(mode, shape(x)[k], a, b))
    return x


def _check(x: Any, widths: list, mode: str, reflect_type: str) -> None:
    if mode not in MODES:
        raise ArgumentError(f"pad: mode must be one of {', '.join(MODES)}; got {mode!r}")
    if reflect_type not in ("even", "odd"):
        raise ArgumentError(f"pad: reflect_type must be 'even' or 'odd', got {reflect_type!r}")
    if any(n == 0 and (a or b) for n, (a, b) in zip(shape(x), widths, strict=True)):
        raise ShapeError(f"pad: shape {shape(x)} has an axis without elements, which mode={mode!r} cannot continue")


public("pad", pad)
