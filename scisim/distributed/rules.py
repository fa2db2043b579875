"""Where the result of a primitive lies, from the primitive's one axis rule.

Labels say which output axis follows which input axis: a cut axis whose label the output keeps leaves a cut
output; a label that the output lacks is contracted, and leaves a partial sum; an axis without a label must be
whole.  Linearity, which the primitive declares anyway, says where a partial sum may pass.  Operations that
labels cannot describe have a rule of their own (`own_rules`), and what no rule fits runs on whole operands:
right, and slow.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.avals import aval, infer
from scisim.core.primitive import Primitive
from scisim.distributed.mesh import Mesh, Sharded
from scisim.distributed.placements import REPLICATE, SUM, Partial, Placement, Placements, Shape, Shard
from scisim.distributed.plan import Plan
from scisim.ops._linalg.scaling import norm_p
from scisim.ops.arithmetic import pin, stop
from scisim.ops.control import scan_p
from scisim.ops.shape import broadcast_p, reduce_labels, stack

Spec = tuple[Shape, Placements]
OwnRule = Callable[[Mesh, Primitive, tuple, list[Spec], dict], Plan]
own_rules: dict[Primitive, OwnRule] = {}

# Reductions that a mesh can finish: the blocks' results are combined by this operation.
_COMBINED = {"max": "max", "min": "min", "prod": "prod", "any": "max", "all": "min"}


def plan(mesh: Mesh, prim: Primitive, args: tuple, params: dict) -> Plan:
    """How a primitive runs on operands of these shapes and placements."""
    if prim.through is not None:  # bodies of control flow run on sharded values
        run = _scan if prim is scan_p else prim.evaluate
        return Plan(direct=functools.partial(run, **params))
    specs = [(tuple(np.shape(a)), a.placements if type(a) is Sharded else mesh.whole) for a in args]
    if prim in own_rules:
        return own_rules[prim](mesh, prim, args, specs, params)
    labels = reduce_labels if prim.name in _COMBINED else prim.axes.labels
    ins, outs = labels(tuple(s for s, _ in specs), params)
    if outs is None or len(ins) != len(specs):
        return whole_plan(mesh, prim, specs, params)
    kept: list = list(outs) if prim.multiple else [outs]
    return _label_plan(mesh, prim, args, specs, params, _fitting(specs, ins), kept)


def whole_plan(mesh: Mesh, prim: Primitive, specs: list[Spec], params: dict) -> Plan:
    """The plan for everything: every rank computes the whole result from whole operands."""

    def evaluate(*vals: Any) -> Any:
        out = prim.evaluate(*vals, **params)
        if not prim.multiple:
            return mesh.make(out, mesh.whole, np.shape(out))
        return tuple(mesh.make(np.asarray(y), mesh.whole, np.shape(y)) for y in out)

    def direct(*args: Any) -> Any:
        mesh.count("whole")
        return evaluate(*(mesh.local_at(a, mesh.whole) for a in args))

    return Plan(direct=direct)


# --- labels ---
def _fitting(specs: Sequence[Spec], ins: Sequence[tuple]) -> list[tuple]:
    """The labels, without those that stand for axes of different lengths."""
    lengths: dict[Any, set] = {}
    for (s, _), labels in zip(specs, ins, strict=True):
        for n, label in zip(s, labels, strict=True):
            lengths.setdefault(label, set()).add(n)
    return [tuple(label if len(lengths[label]) == 1 else None for label in labels) for labels in ins]


def _label_plan(
    mesh: Mesh, prim: Primitive, args: tuple, specs: list[Spec], params: dict, ins: list, outs: list
) -> Plan:
    targets: list[list[Placement]] = [[] for _ in specs]
    results: list[list[Placement]] = [[] for _ in outs]
    taken: set = set()
    for m in range(len(mesh.shape)):
        label, unit = _choose(mesh, prim, specs, ins, outs, m, taken)
        passing = set() if label is not None else passing_operands(prim, specs, m)
        taken.add(label)
        for i, labels in enumerate(ins):
            targets[i].append(_at(label, unit, labels) or (SUM if i in passing else REPLICATE))
        partial = SUM if passing else REPLICATE
        if label is not None:
            partial = Partial(_COMBINED.get(prim.name, "sum"))
        for k, labels in enumerate(outs):
            results[k].append(_at(label, unit, labels) or partial)
    avals = infer(prim, tuple(aval(a) for a in args), params)
    shapes = [a.shape for a in (avals if prim.multiple else [avals])]
    placements = [tuple(r) for r in results]
    if prim is broadcast_p:  # its parameter is the shape of a block
        params = {"shape": mesh.block_shape(shapes[0], placements[0])}
    moves, cuts = moves_and_cuts(mesh, args, specs, targets)
    evaluate = functools.partial(prim.evaluate, **params) if params else prim.evaluate
    return Plan(evaluate, placements, shapes, moves, cuts, prim.multiple)


def _at(label: Any, unit: int, labels: tuple) -> Placement | None:
    return Shard(labels.index(label), unit) if label is not None and label in labels else None


def _choose(
    mesh: Mesh, prim: Primitive, specs: list[Spec], ins: list, outs: list, m: int, taken: set
) -> tuple[Any, int]:
    """The label that mesh axis m cuts: that of the largest operand, so that the smaller ones move."""
    best, size = (None, 1), -1
    for (s, places), labels in zip(specs, ins, strict=True):
        p = places[m]
        if not isinstance(p, Shard) or math.prod(s) <= size:
            continue
        label, unit = labels[p.dim], p.unit
        if label is None or not _may_be_cut(mesh, prim, ins, outs, label, unit, s[p.dim], m):
            label, unit = _another(s, places, labels, outs, taken), 1
        if label is not None:
            best, size = (label, unit), math.prod(s)
    return best


def _another(s: Shape, places: Placements, labels: tuple, outs: list, taken: set) -> Any:
    """The longest axis that may be cut instead of one that must be whole: moving the cut beats a gather."""
    busy = {p.dim for p in places if isinstance(p, Shard)}
    free = [
        (n, label)
        for k, (n, label) in enumerate(zip(s, labels, strict=True))
        if n > 1 and k not in busy and label is not None and label not in taken and all(label in o for o in outs)
    ]
    return max(free, key=lambda f: f[0])[1] if free else None


def _may_be_cut(mesh: Mesh, prim: Primitive, ins: list, outs: list, label: Any, unit: int, n: int, m: int) -> bool:
    """Kept labels may; contracted ones where the operation is a sum, or one whose parts can be combined."""
    if all(label in o for o in outs):
        return True
    if prim.name in _COMBINED:
        return prim.name not in ("max", "min") or n >= unit * mesh.size  # an empty block has no greatest element
    return all(i in prim.linear or i in prim.bilinear for i, labels in enumerate(ins) if label in labels)


# --- partial sums ---
def passing_operands(prim: Primitive, specs: Sequence[Spec], m: int) -> set[int]:
    """The operands that are to be partial along mesh axis m, if the primitive is linear in those that are."""
    partial = {i for i, (_, places) in enumerate(specs) if isinstance(places[m], Partial)}
    if not partial or any(specs[i][1][m] is not SUM for i in partial):
        return set()
    if all(i in prim.linear for i in partial):
        return {i for i in range(len(specs)) if i in prim.linear}
    # An exact zero of a sum is not one of its terms: products in which a zero wins need the sum.
    product = prim.bilinear and prim.exact is not prim
    return partial if product and len(partial) == 1 and partial <= set(prim.bilinear) else set()


def moves_and_cuts(mesh: Mesh, args: tuple, specs: Sequence[Spec], targets: Sequence) -> tuple[list, list]:
    """How operands come to their targets: plain arrays that are only cut need no move."""
    moves, cuts = [], []
    for i, ((s, src), target) in enumerate(zip(specs, targets, strict=True)):
        dst = tuple(target)
        if src == dst:
            continue
        if type(args[i]) is not Sharded and not any(isinstance(p, Partial) for p in dst):
            cuts.append((i, mesh.cut(s, dst)))
        else:
            moves.append((i, dst))
    return moves, cuts


# --- operations that pass values on ---
def _direct(f: Callable) -> OwnRule:
    return lambda mesh, prim, args, specs, params: Plan(direct=f)


own_rules[stop] = _direct(lambda x: x)
own_rules[pin] = _direct(lambda q, v: v)
own_rules[norm_p] = _direct(lambda x, n, **_: n)


def _scan(*args: Any, body: Any, length: int, consts: int, carries: int, backwards: bool = False) -> tuple:
    """A loop over sharded values; its results are joined by primitives."""
    fixed, carry, xs = args[:consts], args[consts : consts + carries], args[consts + carries :]
    rows: list[tuple] = []
    for k in reversed(range(length)) if backwards else range(length):
        out = body(*fixed, *carry, *(x[k] for x in xs))
        carry = out[:carries]
        rows.append(out[carries:])
    if not rows:
        return scan_p.evaluate(*args, body=body, length=length, consts=consts, carries=carries, backwards=backwards)
    rows = rows[::-1] if backwards else rows
    return (*carry, *(stack(column) for column in zip(*rows, strict=True)))
