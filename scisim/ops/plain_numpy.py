"""The short ways of plain arrays for functions by NumPy's names: its own, or the few operations that make them up.

As those of `plain`, each gives the bits of the raw function, and leaves to it whatever is not usual.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from scisim.core.public import PLAIN
from scisim.ops.convolution import _transforms_pay

_array = np.ndarray


def _real(x: Any) -> bool:
    return x.dtype.kind in "fiub"


def _arrays(*xs: Any) -> bool:
    return all(type(x) is _array for x in xs)


def _floats(*xs: Any) -> bool:
    return all(type(x) is _array and x.dtype.kind == "f" and x.dtype.itemsize >= 4 for x in xs)


# --- elementwise --------------------------------------------------------------------------------------------
def divmod(a: Any, b: Any) -> Any:
    return np.divmod(a, b) if _floats(a, b) else NotImplemented


def modf(x: Any) -> Any:
    return np.modf(x) if x.dtype.kind == "f" else NotImplemented


def frexp(x: Any) -> Any:
    return np.frexp(x) if x.dtype.kind == "f" else NotImplemented


def deg2rad(x: Any) -> Any:
    return np.multiply(x, math.pi / 180.0) if x.dtype.kind == "f" else NotImplemented


def rad2deg(x: Any) -> Any:
    return np.multiply(x, 180.0 / math.pi) if x.dtype.kind == "f" else NotImplemented


def isposinf(x: Any) -> Any:
    return np.equal(x, math.inf) if x.dtype.kind == "f" else NotImplemented


def isneginf(x: Any) -> Any:
    return np.equal(x, -math.inf) if x.dtype.kind == "f" else NotImplemented


def float_power(x: Any, p: Any) -> Any:
    return np.power(x, p) if _floats(x, p) and x.dtype == p.dtype == np.float64 else NotImplemented


# --- rearrangements -----------------------------------------------------------------------------------------
def ravel(x: Any) -> Any:
    return x.reshape(-1)


def transpose(x: Any, axes: Any = None) -> Any:
    return x.transpose(axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    return x.swapaxes(axis1, axis2)


def flipud(x: Any) -> Any:
    return x[::-1] if _arrays(x) and x.ndim else NotImplemented


def fliplr(x: Any) -> Any:
    return x[:, ::-1]


def atleast_2d(*xs: Any) -> Any:
    return NotImplemented if len(xs) != 1 else xs[0] if xs[0].ndim > 1 else xs[0].reshape(1, -1)


def atleast_1d(*xs: Any) -> Any:
    return xs[0] if len(xs) == 1 and xs[0].ndim else NotImplemented


def _joined(f: Callable) -> Callable:
    return lambda arrays, dtype=None: f(arrays) if dtype is None and type(arrays) is list else NotImplemented


def append(x: Any, values: Any, axis: Any = None) -> Any:
    if type(values) in (int, float):
        values = np.asarray(values)
    return np.append(x, values, axis)


def insert(x: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    return np.insert(x, obj, values, axis) if type(obj) is int else NotImplemented


def delete(x: Any, obj: Any, axis: Any = None) -> Any:
    return np.delete(x, obj, axis) if type(obj) is int else NotImplemented


def pad(x: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0, reflect_type: str = "even") -> Any:
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "maximum", "minimum") or not x.size:
        return NotImplemented
    if reflect_type != "even":
        once = type(pad_width) is int and pad_width < min(x.shape) and mode in ("reflect", "symmetric")
        return np.pad(x, pad_width, mode, reflect_type="odd") if once and _floats(x) else NotImplemented
    if mode in ("mean", "maximum", "minimum"):
        return np.pad(x, pad_width, mode) if _floats(x) and type(pad_width) is int else NotImplemented
    if mode == "constant":
        return _bordered(x, pad_width, constant_values)
    return np.pad(x, pad_width, mode)


def _bordered(x: Any, width: Any, value: Any) -> Any:
    if type(width) is int and width >= 0:
        before, after = (width,) * x.ndim, (width,) * x.ndim
    elif type(width) is tuple and len(width) == 2 and all(type(n) is int and n >= 0 for n in width):
        before, after = (width[0],) * x.ndim, (width[1],) * x.ndim
    else:
        return NotImplemented
    if type(value) not in (int, float):
        return NotImplemented
    shape = tuple(a + n + b for a, n, b in zip(before, x.shape, after, strict=True))
    y = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    y[tuple(slice(a, a + n) for a, n in zip(before, x.shape, strict=True))] = x
    return y


def array_split(x: Any, parts: Any, axis: int = 0) -> Any:
    if type(parts) is not int or parts < 1 or not 0 <= axis < x.ndim:
        return NotImplemented
    n, lead = x.shape[axis], (slice(None),) * axis
    longer, length = n % parts, n // parts
    cuts = [k * length + min(k, longer) for k in range(parts + 1)]
    return tuple(x[(*lead, slice(a, b))] for a, b in pairwise(cuts))


def split(x: Any, parts: Any, axis: int = 0) -> Any:
    return NotImplemented if type(parts) is not int or x.shape[axis] % parts else array_split(x, parts, axis)


def put_along_axis(x: Any, indices: Any, values: Any, axis: Any = -1, mode: str = "set") -> Any:
    if mode != "set" or type(indices) is not _array or type(values) not in (int, float) or x.dtype.kind != "f":
        return NotImplemented
    y = x.copy()
    if x.ndim == indices.ndim == 2 and axis in (1, -1) and len(indices) == len(x):
        y[np.arange(len(x))[:, None], indices] = values
    else:
        np.put_along_axis(y, indices, values, axis)
    return y


def diagflat(x: Any, k: int = 0) -> Any:
    return np.diagflat(x, k)


def resize(x: Any, new_shape: Any) -> Any:
    size = math.prod(new_shape) if type(new_shape) is tuple else new_shape
    if not x.size or size < 0:
        return NotImplemented
    flat = x.reshape(-1)
    if size > flat.size:
        flat = np.concatenate((flat,) * -(-size // flat.size))
    return flat[:size].reshape(new_shape)


# --- positions and choices ----------------------------------------------------------------------------------
def flatnonzero(x: Any) -> Any:
    return x.reshape(-1).nonzero()[0]


def argwhere(x: Any) -> Any:
    return np.argwhere(x)


def array_equal(a: Any, b: Any) -> Any:
    return (a == b).all() if _arrays(a, b) and a.shape == b.shape else NotImplemented


def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    return np.digitize(x, bins, right) if _real(x) and not isinstance(bins, float) else NotImplemented


def partition(x: Any, kth: Any, axis: Any = -1) -> Any:
    return np.partition(x, kth, axis) if _real(x) and type(kth) is int and axis is not None else NotImplemented


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    if not _floats(x) or not 0 <= k <= x.shape[axis]:
        return NotImplemented
    from scisim.ops.quantiles import _top

    at = _top(x, axis % x.ndim, k, largest)
    return (x[at] if x.ndim == 1 else np.take_along_axis(x, at, axis)), at


# --- reductions ---------------------------------------------------------------------------------------------
def _axes(x: Any, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else axis


def ptp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not _floats(x) or not x.size:
        return NotImplemented
    axes = _axes(x, axis)
    return np.maximum.reduce(x, axes, keepdims=keepdims) - np.minimum.reduce(x, axes, keepdims=keepdims)


def median(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.median(x, axis, keepdims=keepdims) if _floats(x) and x.size else NotImplemented


def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: Any = False) -> Any:
    qs = q if type(q) is list else [q]
    if not _floats(x) or not x.size or not all(type(f) is float and 0.0 <= f <= 1.0 for f in qs):
        return NotImplemented
    if method != "linear" or keepdims or not (axis is None or type(axis) is int):
        return NotImplemented
    y = _quantiles(x.reshape(-1) if axis is None else x, -1 if axis is None else axis, qs)
    return np.array(y) if type(q) is list else y[0]


def _quantiles(rows: np.ndarray, k: int, qs: list) -> list:
    n = rows.shape[k]
    places = [q * (n - 1) for q in qs]
    lows = [min(math.floor(v), n - 1) for v in places]
    y = np.partition(rows, sorted({n - 1, *lows, *(min(low + 1, n - 1) for low in lows)}), k)
    last = y.take(n - 1, k)
    bad = np.isnan(last)
    half = all(v - low == 0.5 for v, low in zip(places, lows, strict=True))
    out = []
    for v, low in zip(places, lows, strict=True):
        a, w = y.take(low, k), rows.dtype.type(v - low)
        if w:
            b = y.take(min(low + 1, n - 1), k)
            d = b - a
            a = 0.5 * (a + b) if half else a + d * w if w < 0.5 else b - d * (1.0 - w)
        out.append(np.where(bad, last, a)[()] if np.any(bad) else a)
    return out


def percentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: Any = False) -> Any:
    qs = [f / 100.0 for f in q] if type(q) is list else q / 100.0
    return quantile(x, qs, axis, method, keepdims)


def nanquantile(x: Any, q: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not _floats(x) or type(q) is not float or keepdims:
        return NotImplemented
    gone = np.isnan(x)
    if np.any(gone):
        x = x[~gone] if axis is None else x[:0]  # rows with numbers of nan differ
    if not x.size or not 0.0 <= q <= 1.0 or not (axis is None or type(axis) is int):
        return NotImplemented
    rows, k = (x.reshape(-1), -1) if axis is None else (x, axis)
    return _quantiles(rows, k, [q])[0]


def nanmedian(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return nanquantile(x, 0.5, axis, keepdims)


def nanpercentile(x: Any, q: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return nanquantile(x, q / 100.0, axis, keepdims)


def nansum(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not _floats(x):
        return NotImplemented
    return np.add.reduce(np.where(np.isnan(x), 0.0, x), _axes(x, axis), keepdims=keepdims)


def nancumsum(x: Any, axis: Any = None) -> Any:
    if not _floats(x):
        return NotImplemented
    y = np.where(np.isnan(x), 0.0, x)
    return y.reshape(-1).cumsum() if axis is None else y.cumsum(axis)


def _nan_mean(x: Any, axes: Any) -> tuple[Any, Any, Any]:
    gone = np.isnan(x)
    n = np.add.reduce(~gone, axes, keepdims=True).astype(x.dtype)
    total = np.add.reduce(np.where(gone, 0.0, x), axes, keepdims=True)
    return total / np.where(n == 0, np.nan, n), n, gone


def nanmean(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not _floats(x):
        return NotImplemented
    axes = _axes(x, axis)
    m = _nan_mean(x, axes)[0].astype(x.dtype, copy=False)
    return m if keepdims else m.squeeze(axes)[()]


def nanvar(x: Any, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Any:
    if not _floats(x) or type(correction) not in (int, float):
        return NotImplemented
    axes = _axes(x, axis)
    m, n, gone = _nan_mean(x, axes)
    d = np.where(gone, 0.0, x - m.astype(x.dtype, copy=False))
    np.square(d, out=d)
    degrees = n - correction
    y = np.add.reduce(d, axes, keepdims=True) / np.where(degrees > 0, degrees, np.nan)
    y = y.astype(x.dtype, copy=False)
    return y if keepdims else y.squeeze(axes)[()]


def nanstd(x: Any, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Any:
    y = nanvar(x, axis, correction, keepdims)
    return y if y is NotImplemented else np.sqrt(y)


def nanmax(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.fmax.reduce(x, _axes(x, axis), keepdims=keepdims) if _floats(x) and x.size else NotImplemented


def nanmin(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.fmin.reduce(x, _axes(x, axis), keepdims=keepdims) if _floats(x) and x.size else NotImplemented


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is not None or not _floats(x):
        return NotImplemented
    axes = _axes(x, axis)
    n = x.size if axis is None else x.shape[axis] if type(axis) is int else 0
    return np.add.reduce(x, axes) / n if n else NotImplemented


# --- sums and differences -----------------------------------------------------------------------------------
def cumsum(x: Any, axis: Any = None) -> Any:
    return np.cumsum(x, axis)


def cumprod(x: Any, axis: Any = None) -> Any:
    return np.cumprod(x, axis)


def cummax(x: Any, axis: int = -1) -> Any:
    return np.maximum.accumulate(x, axis) if _real(x) else NotImplemented


def cummin(x: Any, axis: int = -1) -> Any:
    return np.minimum.accumulate(x, axis) if _real(x) else NotImplemented


def ediff1d(x: Any) -> Any:
    flat = x.reshape(-1)
    return flat[1:] - flat[:-1] if x.dtype.kind in "fci" else NotImplemented


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if not _floats(y) or not y.ndim or type(dx) not in (int, float) or not -y.ndim <= axis < y.ndim:
        return NotImplemented
    lead = (slice(None),) * (axis % y.ndim)
    both = y[(*lead, slice(1, None))] + y[(*lead, slice(None, -1))]
    if x is None:
        return np.add.reduce(both * (0.5 * dx), axis)
    if not _floats(x) or x.shape != y.shape or y.ndim > 1:
        return NotImplemented
    return np.add.reduce(both * (0.5 * (x[1:] - x[:-1])), axis)


def gradient(f: Any, *h: Any, axis: Any = None) -> Any:
    if not _floats(f) or len(h) > 1 or (h and type(h[0]) is not float) or min(f.shape, default=0) < 2:
        return NotImplemented
    axes = range(f.ndim) if axis is None else (axis,) if type(axis) is int else ()
    out = tuple(_slopes(f, k, h[0] if h else 1.0) for k in axes)
    return NotImplemented if not out else out[0] if len(out) == 1 else out


def _slopes(f: np.ndarray, k: int, h: float) -> np.ndarray:
    lead = (slice(None),) * (k % f.ndim)
    part = lambda start, stop: f[(*lead, slice(start, stop))]
    y = np.empty_like(f)
    np.subtract(part(2, None), part(None, -2), out=y[(*lead, slice(1, -1))])
    y[(*lead, slice(1, -1))] /= 2.0 * h
    y[(*lead, slice(0, 1))] = (part(1, 2) - part(0, 1)) / h
    y[(*lead, slice(-1, None))] = (part(-1, None) - part(-2, -1)) / h
    return y


def unwrap(p: Any) -> Any:
    return np.unwrap(p) if _floats(p) and p.ndim else NotImplemented


# --- tables -------------------------------------------------------------------------------------------------
def interp(x: Any, xp: Any, fp: Any) -> Any:
    good = _floats(x, xp, fp) and x.dtype == xp.dtype == fp.dtype == np.float64 and x.ndim == xp.ndim == fp.ndim == 1
    return np.interp(x, xp, fp) if good else NotImplemented


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    if not len(x):
        return NotImplemented
    if weights is not None and (type(weights) is not _array or weights.dtype != np.float64):
        return NotImplemented
    return np.bincount(x, weights, minlength)


def segment_sum(data: Any, ids: Any, num_segments: Any = None) -> Any:
    if not _arrays(data, ids) or data.ndim != 1 or data.dtype != np.float64 or type(num_segments) is not int:
        return NotImplemented
    y = np.bincount(ids, data, num_segments) if data.size else np.zeros(num_segments)
    return y if y.size == num_segments else NotImplemented


def histogram(x: Any, bins: Any = 10, range: Any = None) -> Any:
    good = _floats(x) and x.dtype == np.float64 and x.size and type(bins) is int
    return np.histogram(x, bins, range) if good and np.isfinite(x.sum()) else NotImplemented


def histogram2d(x: Any, y: Any, bins: Any = 10) -> Any:
    good = _floats(x, y) and x.dtype == y.dtype == np.float64 and x.shape == y.shape and x.size and type(bins) is int
    return np.histogram2d(x, y, bins) if good and np.isfinite(x.sum() + y.sum()) else NotImplemented


# --- products -----------------------------------------------------------------------------------------------
def dot(a: Any, b: Any) -> Any:
    flat = _arrays(a, b) and 0 < a.ndim < 3 and 0 < b.ndim < 3 and a.shape[-1] != 1  # outer products as the primitive
    return np.matmul(a, b) if flat else NotImplemented


def inner(a: Any, b: Any) -> Any:
    return np.matmul(a, b) if _arrays(a, b) and a.ndim == b.ndim == 1 and a.size != 1 else NotImplemented


def vdot(a: Any, b: Any) -> Any:
    return np.vdot(a, b) if _floats(a, b) and a.size == b.size else NotImplemented


def corrcoef(x: Any, y: Any = None) -> Any:
    if y is not None or not _floats(x) or x.ndim != 2:
        return NotImplemented
    c = cov(x)
    deviation = np.sqrt(c.diagonal())
    c /= deviation[:, None]
    c /= deviation
    return np.clip(c, -1.0, 1.0, out=c)


def cov(x: Any) -> Any:
    n = x.shape[-1]
    if not _floats(x) or x.ndim != 2 or len(x) < 2 or n < 2:
        return NotImplemented
    d = x - np.add.reduce(x, 1)[:, None] / n
    c = np.matmul(d, d.T)
    c /= n - 1
    return c


def polyfit(x: Any, y: Any, deg: int) -> Any:
    if not _floats(x, y) or not x.dtype == y.dtype == np.float64 or not x.ndim == y.ndim == 1 or not x.size > deg >= 0:
        return NotImplemented
    a = np.vander(x, deg + 1)
    scale = np.sqrt(np.add.reduce(np.square(a), 0))
    q, r = np.linalg.qr(a / scale)
    return np.linalg.solve(r, np.matmul(q.T, y)) / scale


def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    if not _floats(a, v) or not a.ndim == v.ndim == 1 or not a.size >= v.size > 0:
        return NotImplemented
    long = v.size > 64 and _transforms_pay(a.shape, v.shape)
    return NotImplemented if long else np.convolve(a, v, mode)


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    if not _floats(a, v) or not a.ndim == v.ndim == 1 or not a.size >= v.size > 0:
        return NotImplemented
    long = v.size > 64 and _transforms_pay(a.shape, v.shape)
    return NotImplemented if long else np.correlate(a, v, mode)


def polyadd(a: Any, b: Any) -> Any:
    return a + b if _arrays(a, b) and a.ndim == b.ndim == 1 and a.size == b.size else NotImplemented


def polyval(p: Any, x: Any) -> Any:
    if not _floats(p, x) or p.ndim != 1 or not p.size or not x.ndim or p.dtype != x.dtype:
        return NotImplemented
    y = np.full(x.shape, p[0])
    for c in p[1:]:
        y *= x
        y += c
    return y


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    return np.vander(x, N, increasing) if _floats(x) and x.dtype == np.float64 and x.ndim == 1 else NotImplemented


# --- updates and choices ------------------------------------------------------------------------------------
def fill_diagonal(x: Any, value: Any, wrap: Any = False) -> Any:
    if x.ndim != 2 or type(value) not in (int, float) or x.dtype.kind != "f" or wrap:
        return NotImplemented
    y = x.copy()
    y.reshape(-1)[: y.shape[1] ** 2 : y.shape[1] + 1] = value
    return y


def index_add(x: Any, at: Any, values: Any) -> Any:
    if not _array_of_integers(at) or not (type(values) is float or _floats(values)) or not _floats(x):
        return NotImplemented
    if type(values) is not float and values.dtype != x.dtype:
        return NotImplemented
    y = x.copy()
    np.add.at(y, at, values)
    return y


def index_set(x: Any, at: Any, values: Any) -> Any:
    if not _array_of_integers(at) or type(values) is not float or not _floats(x):
        return NotImplemented
    y = x.copy()
    y[at] = values
    return y


def _array_of_integers(at: Any) -> bool:
    return type(at) is _array and at.dtype.kind in "iu"


def compress(condition: Any, x: Any, axis: Any = None) -> Any:
    if not _arrays(condition, x) or condition.dtype.kind != "b" or condition.ndim != 1:
        return NotImplemented
    if axis is None:
        return x.reshape(-1).compress(condition) if condition.size == x.size else NotImplemented
    return NotImplemented


def extract(condition: Any, x: Any) -> Any:
    if not _arrays(condition, x) or condition.dtype.kind != "b" or condition.shape != x.shape:
        return NotImplemented
    return x.reshape(-1).compress(condition.reshape(-1))


def choose(a: Any, choices: Any) -> Any:
    if not _arrays(a) or a.dtype.kind not in "bi" or type(choices) is not list or len(choices) > 32:
        return NotImplemented
    return np.choose(a, choices)


def lexsort(keys: Any) -> Any:
    good = type(keys) is list and all(_floats(k) and k.ndim == 1 for k in keys)
    return np.lexsort(keys) if good else NotImplemented


def unravel_index(indices: Any, shape: Any) -> Any:
    return np.unravel_index(indices, shape) if type(indices) is int else NotImplemented


def ldexp(x: Any, n: Any) -> Any:
    return np.ldexp(x, n) if _floats(x) and type(n) is int else NotImplemented


def nan_to_num(x: Any) -> Any:
    return x if x.dtype.kind == "f" and np.isfinite(x).all() else NotImplemented


def block(arrays: Any) -> Any:
    return np.block(arrays) if type(arrays) is list else NotImplemented


# --- arrays of no arrays ------------------------------------------------------------------------------------
def _counts(*ns: Any) -> bool:
    return all(type(n) is int and n >= 0 for n in ns)


def identity(n: int) -> Any:
    return np.eye(n) if _counts(n) else NotImplemented


def tri(N: int, M: Any = None, k: int = 0) -> Any:
    return np.tri(N, M, k) if _counts(N, N if M is None else M) and type(k) is int else NotImplemented


def indices(dimensions: Any) -> Any:
    return np.indices(dimensions) if type(dimensions) is tuple and _counts(*dimensions) else NotImplemented


def logspace(start: Any, stop: Any, num: int = 50) -> Any:
    if type(start) is not float or type(stop) is not float or not _counts(num):
        return NotImplemented
    return np.power(10.0, np.linspace(start, stop, num))


def geomspace(start: Any, stop: Any, num: int = 50) -> Any:
    if type(start) is not float or type(stop) is not float or start * stop <= 0 or not _counts(num) or num < 2:
        return NotImplemented
    y = start * np.exp(np.log(np.float64(stop) / start) * (np.arange(num) / (num - 1)))
    y[0], y[-1] = start, stop
    return y


PLAIN.update(
    {
        f.__name__: f
        for f in (
            *(deg2rad, rad2deg, isposinf, isneginf),
            *(divmod, modf, frexp, float_power, ravel, transpose, swapaxes, flipud, fliplr, atleast_1d, atleast_2d),
            *(append, insert, delete, pad, array_split, split, put_along_axis, diagflat, resize),
            *(flatnonzero, argwhere, array_equal, digitize, partition, topk, ptp, median, quantile),
            *(percentile, nanquantile, nanmedian, nanpercentile),
            *(nansum, nancumsum, nanmean, nanvar, nanstd, nanmax, nanmin, average),
            *(cumsum, cumprod, cummax, cummin, ediff1d, trapezoid, gradient, unwrap),
            *(interp, bincount, segment_sum, histogram, histogram2d),
            *(dot, inner, vdot, convolve, correlate, polyadd, polyval, vander, polyfit, cov, corrcoef),
            *(fill_diagonal, index_add, index_set, compress, extract, choose, lexsort, unravel_index, ldexp),
            *(nan_to_num, block, identity, tri, indices, logspace, geomspace),
        )
    },
    hstack=_joined(np.hstack),
    vstack=_joined(np.vstack),
    dstack=_joined(np.dstack),
    column_stack=lambda arrays: np.column_stack(arrays) if type(arrays) is list else NotImplemented,
    rot90=lambda x, k=1, axes=(0, 1): np.rot90(x, k, axes),
    rollaxis=lambda x, axis, start=0: np.rollaxis(x, axis, start),
)
