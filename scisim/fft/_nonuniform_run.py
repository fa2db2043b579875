"""The non-uniform transforms of arrays: points sorted once, then each row of strengths or modes by itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.machine import threads
from scisim.fft._nonuniform_plan import Plan, factors, plan_for
from scisim.fft.engines.plans import PLANS
from scisim.fft.transforms import fft, ifft

_CACHED = 1000  # points that take longer to sort than to look up
_FEW = 20_000  # points that one thread sorts and spreads sooner than several


# --- threads ---------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "scisim-nonuniform")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive


def _run(calls: Sequence[Callable[[], Any]]) -> list:
    """The results of independent calls."""
    count = threads() if len(calls) > 1 else 1
    return [f() for f in calls] if count == 1 else list(_pool(count).map(lambda f: f(), calls))


# --- points ----------------------------------------------------------------------------------------------------------
class Points(NamedTuple):
    """Points sorted by tile: tile t has those from start[t] to start[t + 1]."""

    start: np.ndarray
    order: np.ndarray
    cell: np.ndarray
    beyond: np.ndarray


def sorted_points(name: str, x: np.ndarray, plan: Plan) -> Points:
    """Points sorted by tile, from the cache of plans if they were seen before, as those of most transforms were."""
    from scisim.fft import _nonuniform_sorting as kernels

    if x.shape[1] < _CACHED:
        return sort_points(name, x, plan)
    marks = tuple(kernels.mark(v.view(np.uint64 if v.itemsize == 8 else np.uint32)) for v in np.ascontiguousarray(x))
    key = ("nufft", plan.grid, plan.kernel.width, x.dtype, x.shape[1], marks)

    def make() -> tuple[Points, int]:
        points = sort_points(name, x, plan)
        return points, sum(v.nbytes for v in points)

    return PLANS.get(key, make)


def plain(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The array as compiled code knows it: another order, or one that must not be written, would be compiled again."""
    return x if x.dtype == dtype and x.flags.c_contiguous and x.flags.writeable else np.array(x, dtype, order="C")


def sort_points(name: str, x: np.ndarray, plan: Plan) -> Points:
    """Sort points of shape (d, m); the order does not depend on the number of threads."""
    from scisim.fft import _nonuniform_sorting as kernels

    x = plain(x, plan.dtype)
    d, m = x.shape
    tile, parts = np.empty(m, np.int32), _parts(m)
    counts = np.zeros((len(parts), int(plan.count.prod())), np.int64)
    how = (np.array(plan.grid), plan.kernel.width)
    count = lambda p: kernels.count_points(x, *parts[p], *how, plan.bits, plan.count, tile, counts[p])
    if not all(_run([partial(count, p) for p in range(len(parts))])):
        raise _not_finite(name, x)
    points = Points(
        np.empty(counts.shape[1] + 1, np.int64),
        np.empty(m, np.int32),
        np.empty((m, d), np.int32),
        np.empty((m, d), plan.dtype),
    )
    kernels.places(counts, points.start)
    sort = lambda p: kernels.sort_points(x, *parts[p], *how, tile, counts[p], *points[1:])
    _run([partial(sort, p) for p in range(len(parts))])
    return points


def _parts(m: int) -> list[tuple[int, int]]:
    count = 1 if m < _FEW else threads()
    ends = [m * k // count for k in range(count + 1)]
    return list(pairwise(ends))


def _not_finite(name: str, x: np.ndarray) -> ArgumentError:
    axis, j = np.argwhere(~np.isfinite(x))[0]
    return ArgumentError(
        f"{name}: point {j} has the coordinate {x[axis, j]} along axis {axis}; points must be finite. Leave such "
        f"points out, or look for what made them"
    )


# --- grids -----------------------------------------------------------------------------------------------------------
def _shares(points: Points, plan: Plan, slabs: np.ndarray) -> list[np.ndarray]:
    """The tiles of some slabs in shares of about as many points, some for each thread."""
    each = int(plan.count.prod()) // plan.slabs
    many = points.start[(slabs + 1) * each] - points.start[slabs * each]
    shares = 1 if points.order.size < _FEW else 4 * threads()
    at = np.cumsum(many) * shares // max(int(many.sum()), 1)
    groups = np.split(slabs, np.flatnonzero(np.diff(at)) + 1)
    return [(g[:, None] * each + np.arange(each)).ravel() for g in groups]


def _colours(count: int) -> list[np.ndarray]:
    """Slabs in groups within which none reaches into another; the ends of the grid meet."""
    alone = [np.array([count - 1])] if count % 2 else []
    return [g for g in (np.arange(0, count - count % 2, 2), np.arange(1, count, 2), *alone) if g.size]


def spread(points: Points, c: np.ndarray, plan: Plan) -> np.ndarray:
    """Strengths spread over the grid, in an order that does not depend on the number of threads."""
    from scisim.fft import _nonuniform_kernels as kernels

    taps, degree = plan.kernel.taps(plan.dtype)
    shape = np.array((1,) * (3 - plan.dims) + plan.grid)
    grid = np.zeros(shape, plan.complex)
    more = (taps, degree, plan.kernel.width, plan.bits, plan.count, shape, plan.rows, grid)

    def share(tiles: np.ndarray) -> None:
        kernels.spread(plan.kernel.vectors, tiles, *points, c, *more)

    for slabs in _colours(plan.slabs):
        _run([partial(share, t) for t in _shares(points, plan, slabs)])
    return grid.reshape(plan.grid)


def interpolate(points: Points, grid: np.ndarray, plan: Plan) -> np.ndarray:
    """Values of the grid at the points."""
    from scisim.fft import _nonuniform_kernels as kernels

    taps, degree = plan.kernel.taps(plan.dtype)
    grid = grid.reshape((1,) * (3 - plan.dims) + plan.grid)
    out = np.empty(points.order.size, plan.complex)
    more = (taps, degree, plan.kernel.width, plan.bits, plan.count, np.array(grid.shape), plan.rows, grid)

    def share(tiles: np.ndarray) -> None:
        kernels.interpolate(plan.kernel.vectors, tiles, *points, out, *more)

    _run([partial(share, t) for t in _shares(points, plan, np.arange(plan.slabs))])
    return out


# --- modes -----------------------------------------------------------------------------------------------------------
def _halves(n: int, cells: int, centred: bool) -> Iterable[tuple[slice, slice, slice]]:
    """Where modes of either sign are among the modes, on the grid, and (by size) among the factors."""
    negative, positive = n // 2, n - n // 2
    start = negative if centred else 0
    yield slice(start, start + positive), slice(0, positive), slice(0, positive)
    if negative:
        at = 0 if centred else positive
        yield slice(at, at + negative), slice(cells - negative, cells), slice(negative, 0, -1)


def _scaled(source: np.ndarray, target: np.ndarray, axis: int, n: int, cells: int, plan: Plan, **how: bool) -> None:
    """Copy modes between arrays of modes and of the grid along one axis, without the kernel's share."""
    scale = factors(n, cells, plan.kernel).astype(plan.dtype)
    lead, tail = (slice(None),) * axis, (None,) * (plan.dims - 1 - axis)
    for modes, grid, size in _halves(n, cells, how["centred"]):
        a, b = (modes, grid) if how["pad"] else (grid, modes)
        np.multiply(source[(*lead, a)], scale[(size, *tail)], out=target[(*lead, b)])


def _transform(x: np.ndarray, axis: int, sign: int) -> np.ndarray:
    return ifft(x, axis=axis, norm="forward") if sign > 0 else fft(x, axis=axis)


def to_modes(grid: np.ndarray, plan: Plan, sign: int, centred: bool) -> np.ndarray:
    """Modes of a spread grid: an axis is cropped before the next one is transformed."""
    for axis in reversed(range(plan.dims)):
        n, cells = plan.modes[axis], plan.grid[axis]
        spectrum = _transform(grid, axis, sign)
        grid = np.empty((*spectrum.shape[:axis], n, *spectrum.shape[axis + 1 :]), plan.complex)
        _scaled(spectrum, grid, axis, n, cells, plan, centred=centred, pad=False)
    return grid


def from_modes(f: np.ndarray, plan: Plan, sign: int, centred: bool) -> np.ndarray:
    """The grid from which values at points come."""
    for axis in range(plan.dims):
        n, cells = plan.modes[axis], plan.grid[axis]
        padded = np.zeros((*f.shape[:axis], cells, *f.shape[axis + 1 :]), plan.complex)
        _scaled(f, padded, axis, n, cells, plan, centred=centred, pad=True)
        f = _transform(padded, axis, sign)
    return np.ascontiguousarray(f)


# --- transforms ------------------------------------------------------------------------------------------------------
def _plan(modes: tuple[int, ...], eps: float, x: np.ndarray) -> Plan:
    return plan_for(modes, eps, x.dtype, 1 << x.shape[-1].bit_length())


def type1(x: np.ndarray, c: np.ndarray, modes: tuple[int, ...], sign: int, eps: float, centred: bool) -> np.ndarray:
    """Modes of points (..., d, m) with strengths (..., b, m): (..., b, *modes)."""
    plan = _plan(modes, eps, x)
    out = np.zeros((*c.shape[:-1], *modes), plan.complex)
    for at in np.ndindex(x.shape[:-2]):
        points = None
        for b in range(c.shape[-2]) if c.shape[-1] else ():
            row = c[(*at, b)]
            if row.any():  # rows of zeros are common beside derivatives
                points = sorted_points("nufft1", x[at], plan) if points is None else points
                out[(*at, b)] = to_modes(spread(points, plain(row, plan.complex), plan), plan, sign, centred)
    return out


def type2(x: np.ndarray, f: np.ndarray, modes: tuple[int, ...], sign: int, eps: float, centred: bool) -> np.ndarray:
    """Values at points (..., d, m) of modes (..., b, *modes): (..., b, m)."""
    plan = _plan(modes, eps, x)
    lead = f.shape[: f.ndim - len(modes)]
    out = np.zeros((*lead, x.shape[-1]), plan.complex)
    for at in np.ndindex(x.shape[:-2]):
        points = None
        for b in range(lead[-1]) if x.shape[-1] else ():
            row = f[(*at, b)]
            if row.any():
                points = sorted_points("nufft2", x[at], plan) if points is None else points
                out[(*at, b)] = interpolate(points, from_modes(row, plan, sign, centred), plan)
    return out
