"""Histograms; they differentiate in the weights, and where edges enter a density in these too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, operand, public
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, is_complex, is_inexact, own, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops.arithmetic import stop
from scisim.ops.choices import on_tensors
from scisim.ops.creation import linspace
from scisim.ops.extrema import max_p, min_p
from scisim.ops.index import slice_axis
from scisim.ops.one_step import as_step
from scisim.ops.quantiles import _floating
from scisim.ops.segments import segment_sum_p
from scisim.ops.select import eq, logical_or, where
from scisim.ops.shape import astype, reshape, several, sum_p
from scisim.ops.sorting import searchsorted_p
from scisim.ops.unknown_sizes import known

_count = range  # which parameters hide


# --- the number of a bin ------------------------------------------------------------------------------------
def _bins(x: Any, edges: Any) -> np.ndarray:
    """Which bin each number lies in: half open, but for the last one; as many as there are bins where in none."""
    if edges.ndim > 1:
        rows = [_bins(x[i], edges[i]) for i in np.ndindex(edges.shape[:-1])]
        return np.reshape(np.asarray(rows, np.intp), x.shape)
    n = len(edges) - 1
    at = _even(x, edges) if n > 8 else None
    if at is None:
        at = np.searchsorted(edges, x, "right") - 1
    at[x == edges[-1]] = n - 1
    at[(at < 0) | (at >= n) | np.isnan(x)] = n
    return at


def _even(x: np.ndarray, edges: np.ndarray) -> np.ndarray | None:
    """The same by division, where the edges are evenly spaced, mended by one where rounding was unlucky."""
    n, first, last = len(edges) - 1, edges[0], edges[-1]
    width = (last - first) / n
    if not np.isfinite(width) or width <= 0 or edges.dtype.kind != "f":
        return None
    if np.any(np.abs(np.diff(edges) - width) > 1e-3 * width):
        return None
    inside = (x >= first) & (x <= last)
    at = np.where(inside, (x - first) / width, 0.0).astype(np.intp)
    np.minimum(at, n - 1, out=at)
    at -= x < edges[at]
    at += (x >= edges[at + 1]) & (at < n - 1)
    at[~inside] = n
    return at


def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[1]) - 1))
    return [(*lead, "x"), (*lead, None)], (*lead, "x")


bins_p = Primitive(
    "bins",
    _bins,
    axes=Axes(_labels),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.dtype(np.intp)),
)


# --- edges --------------------------------------------------------------------------------------------------
def _real_vector(name: str, x: Any) -> Any:
    x = reshape(as_argument(x), (-1,))
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; take abs(z), real(z) or imag(z) instead")
    return _floating(x)


def _edges(name: str, x: Any, bins: Any, span: Any) -> Any:
    """The edges of bins; those of a number of bins between the least and the greatest element, or the given ends."""
    if isinstance(bins, str):
        numbers = known(x)
        if numbers is None:
            raise ArgumentError(f"{name}: bins={bins!r} chooses their number by values not known here; give a number")
        bins = len(np.histogram_bin_edges(numbers, bins, span)) - 1
    if not np.ndim(bins) and not isinstance(bins, (list, tuple)):
        n = int(bins)
        if n < 1:
            raise ArgumentError(f"{name}: bins must be at least 1, got {bins!r}")
        return _even_edges(name, x, n, span)
    e = _floating(as_argument(bins))
    numbers = known(e)
    if len(shape(e)) != 1 or shape(e)[0] < 2:
        raise ShapeError(f"{name}: edges of bins are a vector with at least two elements, got shape {shape(e)}")
    if numbers is not None and np.any(numbers[1:] < numbers[:-1]):
        raise ArgumentError(f"{name}: edges of bins must increase")
    return e


def _even_edges(name: str, x: Any, n: int, span: Any) -> Any:
    if span is not None:
        low, high = (as_argument(v) for v in span)
        ends = known(low), known(high)
        if None not in ends and not (np.isfinite(ends).all() and float(ends[0]) <= float(ends[1])):  # type: ignore
            raise ArgumentError(f"{name}: range must be two finite numbers in order, got {span!r}")
    elif shape(x)[0]:
        low, high = min_p(x, axes=(0,)), max_p(x, axes=(0,))
    else:
        low, high = np.zeros((), dtype_of(x)), np.ones((), dtype_of(x))
    flat = eq(low, high)
    low, high = where(flat, low - 0.5, low), where(flat, high + 0.5, high)
    return astype(linspace(low, high, n + 1), dtype_of(x))


def histogram_bin_edges(x: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of the bins that `histogram` uses.

    Parameters
    ----------
    x : array_like
        Real.
    bins : int, array_like or str
        Number of bins, their edges, or the name of a rule of NumPy's for their number (of known values).
    range : pair of float, optional
        Where the bins begin and end; at the least and the greatest element by default.
    weights : array_like, optional
        Not used, as in NumPy.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.histogram_bin_edges([0.0, 4.0], 2)
    Tensor([0., 2., 4.])
    """
    return _edges("histogram_bin_edges", _real_vector("histogram_bin_edges", x), bins, range)


# --- counts -------------------------------------------------------------------------------------------------
def _weights(name: str, weights: Any, n: int) -> Any:
    if weights is None:
        return np.ones(n, np.int64)
    w = reshape(as_argument(weights), (-1,))
    if shape(w)[0] != n:
        raise ShapeError(f"{name}: {shape(w)[0]} weights for {n} samples; give one for each")
    return w


def _counted(w: Any, at: Any, n: int) -> Any:
    """Sums of weights by number; the last number is for what is in no bin."""
    return slice_axis(segment_sum_p(w, at, n=n + 1), 0, 0, n)


def histogram(x: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> Any:
    """Counts of numbers in bins, or sums of their weights.

    Parameters
    ----------
    x : array_like
        Real.
    bins : int, array_like or str
        Number of bins of equal width, or their edges; NumPy's rules by name for known values.
    range : pair of float, optional
        Where the bins begin and end; at the least and the greatest element by default.
    density : bool
        Whether to divide by the sum and the widths, so that the integral is 1.
    weights : array_like, optional
        One for each number; they differentiate.

    Returns
    -------
    counts, edges : Tensor
        Bins are half open, but for the last one, which has both its ends.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        For another number of weights than of numbers, or edges that are no vector.
    ArgumentError
        For edges that do not increase, or no bins.

    Notes
    -----
    Counts are constant in the numbers, which jump from bin to bin; edges move with the extreme elements.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.histogram([0.0, 1.0, 1.5, 4.0], bins=2)
    (Tensor([3, 1]), Tensor([0., 2., 4.]))
    """
    x = _real_vector("histogram", x)
    edges = _edges("histogram", x, bins, range)
    n = shape(edges)[0] - 1
    w = _weights("histogram", weights, shape(x)[0])
    counts = _counted(w, bins_p(x, stop(edges)), n)
    if not density:
        return counts, edges
    widths = slice_axis(edges, 0, 1, None) - slice_axis(edges, 0, None, -1)
    return counts / widths / sum_p(counts, axes=(0,)), edges


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> Any:
    """Counts of points in boxes, or sums of their weights.

    Parameters
    ----------
    sample : array_like, or sequence of array_like
        Points of shape (n, d), or a vector for each of d coordinates.
    bins : int, or sequence of int or array_like
        Number of bins or edges, for all coordinates or for each.
    range : sequence of pairs of float, optional
        Where the bins of each coordinate begin and end.
    density : bool
        Whether to divide by the sum and the volumes, so that the integral is 1.
    weights : array_like, optional
        One for each point; they differentiate.

    Returns
    -------
    counts : Tensor
        Of shape (bins of the first coordinate, bins of the second, ...), in floating point.
    edges : tuple of Tensor
        One vector for each coordinate.

    Raises
    ------
    ShapeError
        For points that are no matrix, or another number of weights.
    ArgumentError
        When there is another number of bins or ranges than of coordinates.

    Examples
    --------
    >>> import scisim as ss
    >>> counts, edges = ss.histogramdd([[0.0, 0.0], [1.0, 1.0], [1.0, 0.9]], bins=2)
    >>> counts
    Tensor([[1., 0.],
            [0., 2.]])
    """
    v = sample._v if type(sample) is Tensor else None
    usual = type(bins) is int and range is None and weights is None and not density
    if usual and type(v) is np.ndarray and v.ndim == 2 and v.size and v.dtype == np.float64 and np.isfinite(v.sum()):
        counts, edges = np.histogramdd(v, bins)  # the same at once
        return wrap(counts), tuple(map(wrap, edges))
    sample, bins, range, weights = (own(operand(v)) for v in (sample, bins, range, weights))
    counts, edges = _histogramdd("histogramdd", _columns(sample), bins, range, density, weights)
    return wrap(counts), tuple(map(wrap, edges))


def _columns(sample: Any) -> list:
    apart = isinstance(sample, tuple) or (isinstance(sample, list) and any(isinstance(c, Traced) for c in sample))
    if apart and sample and all(len(shape(as_argument(c))) == 1 for c in sample):
        return [_real_vector("histogramdd", c) for c in sample]
    points = _floating(as_argument(sample))
    if len(shape(points)) != 2:
        raise ShapeError(f"histogramdd: points have shape (n, d), got {shape(points)}")
    return [reshape(slice_axis(points, 1, k, k + 1), (-1,)) for k in _count(shape(points)[1])]


def _histogramdd(name: str, xs: list, bins: Any, span: Any, density: bool, weights: Any) -> tuple:
    d, n = len(xs), shape(xs[0])[0]
    given = several(bins)
    each = [bins] * d if given is None else list(given)
    spans = [None] * d if span is None else list(span)
    if len(each) != d or len(spans) != d:
        raise ArgumentError(f"{name}: {len(each)} bins and {len(spans)} ranges for {d} coordinates; give one for each")
    edges = [_edges(name, x, b, s) for x, b, s in zip(xs, each, spans, strict=True)]
    sizes = [shape(e)[0] - 1 for e in edges]
    total = math.prod(sizes)
    at: Any = 0
    outside: Any = False
    for x, e, m in zip(xs, edges, sizes, strict=True):
        k = bins_p(x, stop(e))
        outside = logical_or(outside, eq(k, m))
        at = at * m + k
    w = _weights(name, weights, n)
    counts = _counted(w if is_inexact(w) else astype(w, np.float64), where(outside, total, at), total)
    counts = reshape(counts, tuple(sizes))
    if density:
        counts = counts / sum_p(counts, axes=tuple(_count(d)))
        for k, e in enumerate(edges):
            widths = slice_axis(e, 0, 1, None) - slice_axis(e, 0, None, -1)
            counts = counts / reshape(widths, tuple(-1 if j == k else 1 for j in _count(d)))
    return counts, tuple(edges)


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> Any:
    """Counts of points of the plane in rectangles, or sums of their weights.

    Parameters
    ----------
    x, y : array_like
        Vectors of coordinates.
    bins : int, vector, or pair of them
        Number of bins or edges, for both coordinates or for each.
    range : pair of pairs of float, optional
        Where the bins of each coordinate begin and end.
    density : bool
        Whether to divide by the sum and the areas, so that the integral is 1.
    weights : array_like, optional
        One for each point; they differentiate.

    Returns
    -------
    counts, x_edges, y_edges : Tensor

    Raises
    ------
    ShapeError
        When the coordinates are not as many.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.histogram2d([0.0, 1.0, 1.0], [0.0, 1.0, 0.9], bins=2)[0]
    Tensor([[1., 0.],
            [0., 2.]])
    """
    xs = [_real_vector("histogram2d", v) for v in (x, y)]
    if shape(xs[0]) != shape(xs[1]):
        raise ShapeError(f"histogram2d: {shape(xs[0])[0]} and {shape(xs[1])[0]} coordinates; give as many")
    one = not isinstance(bins, (list, tuple)) or len(bins) not in (1, 2)
    each = (bins, bins) if one else tuple(bins) * (3 - len(bins))
    counts, edges = _histogramdd("histogram2d", xs, each, range, density, weights)
    return counts, *edges


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Numbers of the bins that elements lie in: i where bins[i - 1] <= x < bins[i].

    Parameters
    ----------
    x : array_like
        Real, of any shape.
    bins : array_like
        A vector of edges, increasing or decreasing.
    right : bool
        Whether bins have their right ends instead of their left ones.

    Returns
    -------
    Tensor
        Of integers, without a derivative; 0 before the first edge, the number of edges behind the last.

    Raises
    ------
    ShapeError
        When ``bins`` is not a vector.
    ArgumentError
        For edges that are not in order.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.digitize([0.5, 1.0, 9.0], [0.0, 1.0, 2.0])
    Tensor([1, 2, 3])
    """
    x, edges = as_argument(x), as_argument(bins)
    if len(shape(edges)) != 1:
        raise ShapeError(f"digitize: edges of bins are a vector, got shape {shape(edges)}")
    if is_complex(x) or is_complex(edges):
        raise DTypeError("digitize: complex numbers have no order; take abs(z), real(z) or imag(z) instead")
    numbers = known(edges)
    step = np.diff(numbers) if numbers is not None and numbers.size else np.zeros(0)
    falling = bool(np.any(step < 0))
    if falling and np.any(step > 0):
        raise ArgumentError("digitize: edges of bins must increase or decrease throughout")
    side = "left" if right else "right"
    flat = reshape(x, (-1,))
    if not falling:
        return reshape(searchsorted_p(edges, flat, side=side), shape(x))
    back = slice_axis(edges, 0, None, None, -1)
    return reshape(shape(edges)[0] - searchsorted_p(back, flat, side=side), shape(x))


for _f in (histogram_bin_edges, histogram, histogram2d, digitize):
    public(_f.__name__, as_step(_f))
on_tensors(histogramdd)
