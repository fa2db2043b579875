"""Rules for reading and writing slices and integers.

Slices of a cut axis exchange intervals; a rank that does not own what an integer names reads zeros, so that the result
is a partial sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.primitive import Primitive
from scisim.distributed import moves
from scisim.distributed.mesh import Mesh
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
from scisim.distributed.plan import Plan
from scisim.distributed.rules import Spec, moves_and_cuts, passing_operands
from scisim.ops.index import put_p, read_p


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
        if axis.kind == "int" or e < 0 or su[e] != index.out[e + lead]:
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


RULES = {read_p: _read, put_p: _put}
