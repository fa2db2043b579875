"""Rules for reading and writing by integer arrays over the leading axes.

A rank takes the positions that lie in its block and has zeros for the others, so that the result is a partial sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.primitive import Primitive
from scisim.distributed.mesh import Mesh
from scisim.distributed.placements import (
    REPLICATE,
    SUM,
    Placement,
    Placements,
    Shape,
    Shard,
)
from scisim.distributed.plan import Plan
from scisim.distributed.rules import Spec, moves_and_cuts, passing_operands
from scisim.ops.index import gather_p, scatter_p


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


RULES = {gather_p: _gather, scatter_p: _scatter}
