"""Sums of waves from points to points (type 3): the primitive, its derivatives, and how it is computed.

Strengths are spread over a grid that covers the sources; from the grid to the targets it is a transform of type 2,
with the kernel undone at each target (J.-Y. Lee, L. Greengard, "The type 3 nonuniform FFT and its applications",
J. Comput. Phys. 206 (2005), 1-5).  ``turned`` is the transpose, step by step: from the points t back to x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import whole
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.values import shape
from scisim.fft._nonuniform import Index, complex_of, coordinate, joined, split, turn, units
from scisim.ops.shape import concat, moveaxis, reshape, sum_p

_MOST = 1 << 31  # cells of a grid
_RATIO = 2.0


# --- evaluation ------------------------------------------------------------------------------------------------------
class _Box:
    """The grid between sources x and targets t, each (d, number): centres, spacings and the plan to spread with."""

    def __init__(self, x: np.ndarray, t: np.ndarray, eps: float) -> None:
        from scisim.fft._nonuniform_plan import WIDEST, best_kernel, fast_length, layout

        (self.x0, reach), (self.t0, band) = _extent(x), _extent(t)
        reach = np.where(reach == 0, np.where(band == 0, 1.0, 1 / np.where(band == 0, 1.0, band)), reach)
        band = np.where(band == 0, 1 / reach, band)
        share = eps / (2 * math.sqrt(len(x)))
        kernels = (best_kernel(w, _RATIO) for w in range(2, WIDEST))
        self.kernel = next((k for k in kernels if k.error <= share), best_kernel(WIDEST, _RATIO))
        self.step = math.pi / (_RATIO * band)
        cells = [2 * math.ceil(r / h) + 2 * self.kernel.width for r, h in zip(reach, self.step, strict=True)]
        if math.prod(cells) > _MOST:
            raise ArgumentError(
                f"nufft3: points up to {reach} and {band} from their centres need a grid of {cells}; the work grows "
                f"with the product of both. Split one set of points into parts near each other"
            )
        self.grid = tuple(map(fast_length, cells))
        self.plan = layout(self.grid, self.grid, self.kernel, x.dtype)
        self.eps = max(eps / (2 * self.kernel.growth), 1e-14)

    def sources(self, x: np.ndarray) -> np.ndarray:
        """Sources as points of the grid, whose ends meet after 2 pi."""
        scale = 2 * math.pi / (self.step * np.array(self.grid))
        return ((x - self.x0[:, None]) * scale[:, None]).astype(x.dtype)

    def targets(self, t: np.ndarray) -> np.ndarray:
        """Targets in radians a cell."""
        return ((t - self.t0[:, None]) * self.step[:, None]).astype(t.dtype)

    def before(self, x: np.ndarray, sign: int) -> np.ndarray:
        """The wave that moves the targets to their centre."""
        return np.exp(1j * sign * (self.t0 @ (x - self.x0[:, None])))

    def after(self, t: np.ndarray, sign: int) -> np.ndarray:
        """The wave that moves the sources to their centre, and what undoes the kernel."""
        waves = np.exp(1j * sign * (self.x0 @ t))
        return waves / np.prod(self.kernel.transform(self.targets(t) / (2 * math.pi)), 0)


def _extent(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.min(x, 1).astype(float), np.max(x, 1).astype(float)
    if not np.all(np.isfinite(high - low)):
        raise ArgumentError("nufft3: points must be finite numbers; leave others out, or look for what made them")
    return (low + high) / 2, (high - low) / 2


def _evaluate(x: np.ndarray, c: np.ndarray, t: np.ndarray, sign: int, eps: float, turned: bool) -> np.ndarray:
    kind = complex_of(x.dtype)
    out = np.zeros((*c.shape[:-1], (x if turned else t).shape[-1]), kind)
    if not (x.shape[-1] and t.shape[-1]):
        return out
    for at in np.ndindex(x.shape[:-2]):
        if c[at].any():
            box = _Box(x[at], t[at], eps)
            run = _back if turned else _forth
            out[at] = run(box, x[at], c[at], t[at], sign)
    return out


def _forth(box: _Box, x: np.ndarray, c: np.ndarray, t: np.ndarray, sign: int) -> np.ndarray:
    from scisim.fft._nonuniform_run import sorted_points, spread, type2

    points, before = sorted_points("nufft3", box.sources(x), box.plan), box.before(x, sign)
    grids = np.zeros((len(c), *box.grid), box.plan.complex)
    for row, grid in zip(c, grids, strict=True):
        if row.any():
            grid[...] = spread(points, (row * before).astype(grid.dtype), box.plan)
    return type2(box.targets(t), grids, box.grid, sign, box.eps, False) * box.after(t, sign)


def _back(box: _Box, x: np.ndarray, c: np.ndarray, t: np.ndarray, sign: int) -> np.ndarray:
    from scisim.fft._nonuniform_run import interpolate, sorted_points, type1

    rows = (c * box.after(t, sign)).astype(box.plan.complex)
    grids = type1(box.targets(t), rows, box.grid, sign, box.eps, False)
    points = sorted_points("nufft3", box.sources(x), box.plan)
    return np.stack([interpolate(points, g, box.plan) for g in grids]) * box.before(x, sign)


# --- rules -----------------------------------------------------------------------------------------------------------
def _infer(avals: tuple, p: dict) -> ShapeDtype:
    x, c, t = avals
    return ShapeDtype((*c.shape[:-1], (x if p["turned"] else t).shape[-1]), complex_of(x.dtype))


def _batch(trace: Any, prim: Primitive, vals: list, mapped: list[bool], p: dict) -> Any:
    """Mapped points are further sets of points; strengths alone are further rows between the same points."""
    if mapped[0] or mapped[2]:
        return prim(*(v if m else trace.spread(v) for v, m in zip(vals, mapped, strict=True)), **p)
    x, rows, t = vals
    at = len(shape(x)) - 2
    y = prim(x, joined(moveaxis(rows, 0, at), at), t, **p)
    s = shape(y)
    return moveaxis(reshape(y, (*s[:at], trace.n, s[at] // trace.n if trace.n else 0, *s[at + 1 :])), at, 0)


def _sum(x: Any, t: Any, terms: list[tuple[Any, Any]], p: dict) -> Any:
    """Sum of transforms of rows, each multiplied by a factor at the targets: one transform of all."""
    at = len(shape(x)) - 2
    rows, factors = zip(*terms, strict=True)
    y = split(linear3_p(x, concat(rows, at), t, **p), at, len(rows))
    return sum_p(y * split(concat(factors, at), at, len(rows)), axes=(at,))


def _jvp(y: Any, args: Sequence[Any], tangents: Sequence[Any], **p: Any) -> Any:
    (x, c, t), (dx, dc, dt) = args, tangents
    source, target, d_source, d_target = (t, x, dt, dx) if p["turned"] else (x, t, dx, dt)
    turned = c * turn(p["sign"], 1)
    dims = shape(x)[-2]
    moved = [] if d_source is None else [(turned * coordinate(d_source, a), coordinate(target, a)) for a in range(dims)]
    total = _sum(x, t, moved, p) if moved else None
    if d_target is not None:  # apart from those whose rows have tangents, so that each sum is linear in them
        terms = [(turned * coordinate(source, a), coordinate(d_target, a)) for a in range(dims)]
        total = _sum(x, t, terms, p) if total is None else total + _sum(x, t, terms, p)
    if dc is not None:
        of_strengths = linear3_p(x, dc, t, **p)
        total = of_strengths if total is None else total + of_strengths
    return total


def _indices(dims: int, order: int) -> list[Index]:
    found, last = [(0,) * dims], [(0,) * dims]
    for _ in range(order):
        last = sorted({tuple(map(sum, zip(i, u, strict=True))) for i in last for u in units(dims)}, reverse=True)
        found += last
    return found


def _power(points: Any, index: Index) -> Any:
    """A product of coordinates divided by factorials; None for that of order 0."""
    out = None
    for a, n in enumerate(index):
        for k in range(1, n + 1):
            v = coordinate(points, a)
            v = v if k == 1 else v * (1.0 / k)
            out = v if out is None else out * v
    return out


def _product(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a * b


def _series(trace: Any, args: Sequence[Any], p: dict) -> Any:
    """Powers of x - x_0 times those of t, and of x_0 times those of t - t_0, at once."""
    x, c, t = args
    if (not trace.mine(x) and not trace.mine(t)) or trace.slots.order < 2:
        return None
    x0, t0 = (v.cs[0] if trace.mine(v) else v for v in (x, t))
    source, target, s0, t1 = (t, x, t0, x0) if p["turned"] else (x, t, x0, t0)
    order, dims = trace.slots.order, shape(x0)[-2]
    terms = []
    for i in _indices(dims, order if trace.mine(source) else 0):
        for j in _indices(dims, order - sum(i) if trace.mine(target) else 0):
            if sum(i) + sum(j):
                own = _product(_power(source - s0, i) if sum(i) else None, _scaled(s0, j))
                far = _product(_power(target - t1, j) if sum(j) else None, _scaled(target, i))
                terms.append((c * turn(p["sign"], sum(i) + sum(j)) * own, far))
    return linear3_p(x0, c, t0, **p) + _sum(x0, t0, terms, p)


def _scaled(points: Any, index: Index) -> Any:
    """A product of coordinates, without factorials."""
    out = _power(points, index)
    return out if out is None else out * float(math.prod(map(math.factorial, index)))


linear3_p = Primitive(
    "nufft3_linear",
    _evaluate,
    axes=whole(),
    infer=_infer,
    linear=(1,),
    transpose=lambda i, ct, args, p: linear3_p(args[0], ct, args[2], **{**p, "turned": not p["turned"]}),
    jvp=_jvp,
    series=_series,
    batch=_batch,
)
