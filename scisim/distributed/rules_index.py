"""Rules for indexing: slices of a cut axis exchange intervals, integers leave their owner's part.

``read`` and ``put`` take slices and integers; ``gather`` and ``scatter`` take integer arrays over the leading
axes.  A rank that does not own what an integer names has zeros, so that the result is a partial sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.primitive import Primitive
from scisim.distributed import moves
from scisim.distributed.mesh import Mesh, Plan
from scisim.distributed.placements import (
    REPLICATE,
    SUM,
    Partial,
    Placement,
    Placements,
    Shape,
    Shard,
    part,
)
from scisim.distributed.rules import Spec, moves_and_cuts, passing_operands
from scisim.ops.index import gather_p, put_p, read_p, scatter_p


# --- slices and integers ---
class _Axis:
    """What an index does to one axis: takes it whole, a range of it, or one position (``out`` is then -1)."""

    __slots__ = ("count", "kind", "out", "start", "step")

    def __init__(self, item: Any, n: int, out: int) -> None:
        self.out = out
        if isinstance(item, tuple):
            picked = range(n)[slice(*item[1:])]
            self.start, self.step, self.count = picked.start, picked.step, len(picked)
            self.kind = "all" if picked == range(n) else "slice"
        else:
            self.kind, self.start, self.step, self.count = "int", item % n, 1, 1

    def positions(self, lo: int, hi: int) -> tuple[int, int]:
        """The positions in the result that are read from [lo, hi)."""
        first, last = (lo, hi - 1) if self.step > 0 else (hi - 1, lo)
        a = -((self.start - first) // self.step)
        b = (last - self.start) // self.step + 1
        a = min(max(a, 0), self.count)
        return (a, a) if hi <= lo else (a, max(a, min(b, self.count)))

    def local(self, lo: int, hi: int) -> Any:
        """The index into the block [lo, hi), or None where an integer is not in it."""
        if self.kind == "all":
            return slice(None)
        if self.kind == "int":
            return self.start - lo if lo <= self.start < hi else None
        a, b = self.positions(lo, hi)
        if a == b:
            return slice(0, 0)
        stop = self.start + self.step * b - lo
        return slice(self.start + self.step * a - lo, None if stop < 0 else stop, self.step)


class _Basic:
    """A basic index on an array of shape ``s``: its axes, the result's shape, and the new axes."""

    def __init__(self, s: Shape, at: tuple) -> None:
        self.s, self.at = s, at
        self.axes: list[_Axis] = []
        out: list[int] = []
        for item in at:
            if item is None:
                out.append(1)
                continue
            axis = _Axis(item, s[len(self.axes)], len(out) if isinstance(item, tuple) else -1)
            self.axes.append(axis)
            if axis.out >= 0:
                out.append(axis.count)
        self.out = tuple(out)
        self.source = {a.out: d for d, a in enumerate(self.axes) if a.out >= 0}

    def local(self, mesh: Mesh, places: Placements) -> tuple | None:
        """The index of this rank's block; None where it owns nothing of an integer."""
        index: list[Any] = []
        axes = enumerate(self.axes)
        for item in self.at:
            if item is None:
                index.append(None)
                continue
            d, axis = next(axes)
            i = axis.local(*mesh.bounds(self.s[d], d, places))
            if i is None:
                return None
            index.append(i)
        return tuple(index)

    def shape_here(self, mesh: Mesh, places: Placements) -> Shape:
        """The shape of what this rank reads."""
        shape = list(self.out)
        for d, axis in enumerate(self.axes):
            if axis.out >= 0:
                a, b = axis.positions(*mesh.bounds(self.s[d], d, places))
                shape[axis.out] = b - a
        return tuple(shape)

    def parts(self, mesh: Mesh, d: int, places: Placements, m: int) -> list[tuple[int, int]]:
        """The positions in the result that each rank along mesh axis m reads."""
        bounds = [mesh.bounds(self.s[d], d, places, m, k) for k in range(mesh.shape[m])]
        return [self.axes[d].positions(*b) for b in bounds]


def _read(mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict) -> Plan:
    ((s, src),) = specs
    index = _Basic(s, params["at"])
    target: list[Placement] = []
    result: list[Placement] = []
    crossing: list[tuple[int, int]] = []  # mesh axes and dimensions whose results change hands
    used: set[int] = set()
    for m, p in enumerate(src):
        axis = index.axes[p.dim] if isinstance(p, Shard) else None
        if axis is None or not isinstance(p, Shard):
            keep = REPLICATE if isinstance(p, Partial) and p is not SUM else p
            target.append(keep)
            result.append(keep)
        elif axis.kind == "all":
            target.append(p)
            result.append(Shard(axis.out, p.unit))
        elif p.dim in used:
            target.append(REPLICATE)
            result.append(REPLICATE)
        else:
            used.add(p.dim)
            target.append(p)
            result.append(SUM if axis.kind == "int" else Shard(axis.out))
            if axis.kind == "slice":
                crossing.append((m, p.dim))
    here, placements = tuple(target), tuple(result)
    local = index.local(mesh, here)

    def evaluate(x: Any) -> Any:
        y = np.zeros(index.shape_here(mesh, here), x.dtype) if local is None else np.asarray(x[local])
        for m, d in crossing:
            e = index.axes[d].out
            wanted = [mesh.bounds(index.out[e], e, placements, m, k) for k in range(mesh.shape[m])]
            y = moves.exchange(mesh, y, e, m, index.parts(mesh, d, here, m), wanted)
        return y

    return Plan(evaluate, [placements], [index.out], *moves_and_cuts(mesh, args, specs, [target]))


def _put(mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict) -> Plan:
    (s, px), (su, pu) = specs
    index = _Basic(s, params["at"])
    lead = len(index.out) - len(su)  # axes that the update lacks
    targets: list[list[Placement]] = [[], []]
    crossing: list[tuple[int, int, int]] = []
    whole: list[tuple[int, int]] = []  # updates that every rank has, of which it takes its part
    used: set[int] = set()
    for m in range(len(mesh.shape)):
        d, unit = _put_axis(index, px[m], pu[m], su, lead)
        if d is None or d in used:
            both = SUM if passing_operands(prim, specs, m) else REPLICATE
            targets[0].append(both)
            targets[1].append(both)
            continue
        used.add(d)
        targets[0].append(Shard(d, unit))
        axis = index.axes[d]
        e = -1 if axis.out < 0 else axis.out - lead
        if e < 0 or su[e] != index.out[e + lead] or axis.kind == "int":
            targets[1].append(REPLICATE)
        elif axis.kind == "all":
            targets[1].append(Shard(e, unit))
        elif isinstance(pu[m], Shard):
            targets[1].append(Shard(e))
            crossing.append((m, d, e))
        else:
            targets[1].append(REPLICATE)
            whole.append((d, e))
    here, there = tuple(targets[0]), tuple(targets[1])
    local = index.local(mesh, here)

    def evaluate(x: Any, u: Any) -> Any:
        y, u = np.array(x, dtype=np.result_type(x, u)), np.asarray(u)
        for d, e in whole:
            u = part(u, e, *index.axes[d].positions(*mesh.bounds(s[d], d, here)))
        for m, d, e in crossing:
            have = [mesh.bounds(su[e], e, there, m, k) for k in range(mesh.shape[m])]
            u = moves.exchange(mesh, u, e, m, have, index.parts(mesh, d, here, m))
        if local is not None:
            y[local] = u
        return y

    return Plan(evaluate, [here], [s], *moves_and_cuts(mesh, args, specs, targets))


def _put_axis(index: _Basic, px: Placement, pu: Placement, su: Shape, lead: int) -> tuple[int | None, int]:
    """The dimension of the array that a mesh axis cuts, and its unit: as it is cut, or as its update is."""
    if isinstance(px, Shard):
        return px.dim, px.unit
    if isinstance(pu, Shard) and su[pu.dim] == index.out[pu.dim + lead]:
        d = index.source.get(pu.dim + lead)
        if d is not None:
            return d, pu.unit if index.axes[d].kind == "all" else 1
    return None, 1


# --- integer arrays over the leading axes ---
class _Arrays:
    """Integer arrays that index the leading axes of an array of shape ``s``."""

    def __init__(self, s: Shape, shapes: Sequence[Shape]) -> None:
        self.s, self.shapes, self.k = s, shapes, len(shapes)
        self.lead = np.broadcast_shapes(*shapes)
        self.full = (*self.lead, *s[self.k :])

    def cut(self, axis: int, unit: int) -> list[Placement]:
        """Placements of the arrays when axis ``axis`` of what they index together is cut."""
        out: list[Placement] = []
        for shape in self.shapes:
            j = axis - len(self.lead) + len(shape)
            out.append(Shard(j, unit) if j >= 0 and shape[j] == self.lead[axis] else REPLICATE)
        return out

    def lead_axis(self, places: Sequence[Placement]) -> tuple[int, int] | None:
        """The leading axis that one of the arrays is cut along, and the unit."""
        for shape, p in zip(self.shapes, places, strict=True):
            if isinstance(p, Shard):
                axis = p.dim + len(self.lead) - len(shape)
                if shape[p.dim] == self.lead[axis]:
                    return axis, p.unit
        return None

    def owned(self, mesh: Mesh, places: Placements, idx: Sequence[Any]) -> tuple[tuple, Any]:
        """Indices into this rank's block, and which of them lie in it (None where all do)."""
        mask: Any = None
        local: list[Any] = []
        for d, i in enumerate(idx):
            lo, hi = mesh.bounds(self.s[d], d, places)
            i = np.where(i < 0, i + self.s[d], i)
            if (lo, hi) != (0, self.s[d]):
                here = (i >= lo) & (i < hi)
                mask = here if mask is None else mask & here
                i = np.where(here, i - lo, 0)
            local.append(i)
        lead = np.broadcast_shapes(*map(np.shape, local))
        return tuple(np.broadcast_to(i, lead) for i in local), None if mask is None else np.broadcast_to(mask, lead)


def _gather(mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict) -> Plan:
    (s, px), *of_index = specs
    arrays = _Arrays(s, [shape for shape, _ in of_index])
    n, k = len(arrays.lead), arrays.k
    targets: list[list[Placement]] = [[] for _ in specs]
    result: list[Placement] = []
    for m, p in enumerate(px):
        cut: list[Placement] = [REPLICATE] * k
        if isinstance(p, Shard):
            result.append(SUM if p.dim < k else Shard(p.dim - k + n, p.unit))
        elif p is SUM:
            result.append(SUM)
        else:
            p, axis = REPLICATE, arrays.lead_axis([places[m] for _, places in of_index])
            cut = arrays.cut(*axis) if axis else cut
            result.append(Shard(*axis) if axis else REPLICATE)
        for t, q in zip(targets, [p, *cut], strict=True):
            t.append(q)
    here = tuple(targets[0])

    def evaluate(x: Any, *idx: Any) -> Any:
        local, mask = arrays.owned(mesh, here, idx)
        if mask is None:
            return x[local]
        y = np.zeros((*mask.shape, *x.shape[k:]), x.dtype)
        y[mask] = x[tuple(i[mask] for i in local)]
        return y

    return Plan(evaluate, [tuple(result)], [arrays.full], *moves_and_cuts(mesh, args, specs, targets))


def _scatter(mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict) -> Plan:
    (s, _), _, *of_index = specs
    arrays = _Arrays(s, [shape for shape, _ in of_index])
    targets: list[list[Placement]] = [[] for _ in specs]
    for m in range(len(mesh.shape)):
        chosen = _scatter_axis(arrays, prim, specs, params["how"], m)
        for t, q in zip(targets, chosen, strict=True):
            t.append(q)
    here = tuple(targets[0])

    def evaluate(x: Any, u: Any, *idx: Any) -> Any:
        local, mask = arrays.owned(mesh, here, idx)
        if mask is None:
            return prim.evaluate(x, u, *local, **params)
        keep = np.nonzero(mask)
        block = (*mask.shape, *np.shape(x)[arrays.k :])
        return prim.evaluate(x, np.broadcast_to(u, block)[keep], *(i[keep] for i in local), **params)

    return Plan(evaluate, [here], [s], *moves_and_cuts(mesh, args, specs, targets))


def _scatter_axis(arrays: _Arrays, prim: Primitive, specs: Sequence[Spec], how: str, m: int) -> list[Placement]:
    """Placements along one mesh axis: of the array, the updates, and the index arrays."""
    (s, px), (su, pu), *_ = specs
    n, k = len(arrays.lead), arrays.k
    missing = len(arrays.full) - len(su)
    still: list[Placement] = [REPLICATE] * k
    p, q = px[m], pu[m]
    if not isinstance(p, Shard) and isinstance(q, Shard) and su[q.dim] == arrays.full[q.dim + missing]:
        axis = q.dim + missing
        if axis >= n:
            p = Shard(axis - n + k, q.unit)
        elif how == "add":  # every rank adds its own updates
            return [SUM, q, *arrays.cut(axis, q.unit)]
    if isinstance(p, Shard):
        e = p.dim - k + n - missing
        follows = p.dim >= k and e >= 0 and su[e] == s[p.dim]
        return [p, Shard(e, p.unit) if follows else REPLICATE, *still]
    both = SUM if passing_operands(prim, specs, m) else REPLICATE
    return [both, both, *still]


RULES = {read_p: _read, put_p: _put, gather_p: _gather, scatter_p: _scatter}
