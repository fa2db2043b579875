"""Rules for reshape and concat: which axes stay cut when axes merge, split, or are joined."""

from __future__ import annotations

import functools
from math import gcd, prod
from typing import Any

import numpy as np

from scisim.core.primitive import Primitive
from scisim.distributed import moves
from scisim.distributed.mesh import Mesh
from scisim.distributed.placements import REPLICATE, SUM, Placement, Shape, Shard, overlap, part
from scisim.distributed.plan import Plan
from scisim.distributed.rules import Spec, moves_and_cuts, passing_operands, whole_plan
from scisim.ops.shape import concat_p, reshape_groups, reshape_p


# --- reshape: of a group of axes, only the first can stay cut ---
def _leaders(s: Shape, t: Shape) -> dict[int, tuple[int, int, int, int]]:
    """For each input axis: the axis of its group that can be cut, and the output axis, with their units."""
    found = {}
    for a, b in reshape_groups(s, t) if prod(s) else ():
        d = next((k for k in a if s[k] != 1), None)
        e = next((k for k in b if t[k] != 1), None)
        if d is not None and e is not None:
            below, above = prod(s[d + 1 : a.stop]), prod(t[e + 1 : b.stop])
            common = gcd(below, above)
            found.update(dict.fromkeys(a, (d, above // common, e, below // common)))
    return found


def _reshape(mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict) -> Plan:
    ((s, src),), t = specs, params["shape"]
    leaders = _leaders(s, t)
    target: list[Placement] = []
    result: list[Placement] = []
    used: set[int] = set()
    for p in src:
        if not isinstance(p, Shard):
            target.append(p)
            result.append(p)
        elif p.dim in leaders and leaders[p.dim][0] not in used:
            d, unit, e, out_unit = leaders[p.dim]
            used.add(d)
            kept = p.dim == d and p.unit % unit == 0 and s[d] % p.unit == 0
            times = p.unit // unit if kept else 1
            target.append(Shard(d, unit * times))
            result.append(Shard(e, out_unit * times))
        else:
            target.append(REPLICATE)
            result.append(REPLICATE)
    placements = tuple(result)
    evaluate = functools.partial(prim.evaluate, shape=mesh.block_shape(t, placements))
    return Plan(evaluate, [placements], [t], *moves_and_cuts(mesh, args, specs, [target]))


# --- concat: along a cut axis, the ranks exchange intervals ---
def _concat(mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict) -> Plan:
    axis = params["axis"]
    ends = np.cumsum([s[axis] for s, _ in specs]).tolist()
    first = specs[0][0]
    shape = (*first[:axis], ends[-1], *first[axis + 1 :])
    targets: list[list[Placement]] = [[] for _ in specs]
    result: list[Placement] = []
    joined = None  # the mesh axis that cuts the axis of joining
    for m in range(len(mesh.shape)):
        largest = max(range(len(specs)), key=lambda i: (isinstance(specs[i][1][m], Shard), prod(specs[i][0])))
        p = specs[largest][1][m]
        if isinstance(p, Shard) and p.dim == axis and joined is None:
            joined = m
            p = Shard(axis)
            for t, (_, places) in zip(targets, specs, strict=True):
                t.append(p if isinstance(places[m], Shard) else REPLICATE)
        elif isinstance(p, Shard) and p.dim != axis:
            for t in targets:
                t.append(p)
        else:
            p = SUM if passing_operands(prim, specs, m) else REPLICATE
            for t in targets:
                t.append(p)
        result.append(p)
    placements = tuple(result)
    if joined is not None and any(isinstance(p, Shard) and p.dim == axis for p in _others(placements, joined)):
        return whole_plan(mesh, prim, specs, params)

    def evaluate(*xs: Any) -> Any:
        if joined is None:
            return np.concatenate(xs, axis)
        pieces = [
            _piece(mesh, x, axis, joined, end - s[axis], s[axis], ends[-1], target)
            for x, end, (s, _), target in zip(xs, ends, specs, targets, strict=True)
        ]
        return np.concatenate(pieces, axis)

    return Plan(evaluate, [placements], [shape], *moves_and_cuts(mesh, args, specs, targets))


def _others(placements: tuple, m: int) -> list[Placement]:
    return [p for k, p in enumerate(placements) if k != m]


def _piece(mesh: Mesh, x: Any, axis: int, m: int, start: int, n: int, total: int, target: list) -> Any:
    """What this rank's block of the result takes from one operand, which lies at [start, start + n)."""
    place = (*(REPLICATE,) * m, Shard(axis), *(REPLICATE,) * (len(mesh.shape) - m - 1))
    wanted = []
    for k in range(mesh.shape[m]):
        lo, hi = overlap(mesh.bounds(total, axis, place, m, k), (start, start + n))
        wanted.append((lo - start, hi - start))
    if not isinstance(target[m], Shard):
        return part(x, axis, *wanted[mesh.coordinates[m]])
    have = [mesh.bounds(n, axis, place, m, k) for k in range(mesh.shape[m])]
    return moves.exchange(mesh, x, axis, m, have, wanted)


RULES = {reshape_p: _reshape, concat_p: _concat}
