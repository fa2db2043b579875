"""What every step of a loop computes alike is computed once, before it, and passed in.

A loop may run no step at all, so only operations are moved that cannot fail.
"""

from __future__ import annotations

from typing import Any

from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import Primitive
from scisim.ops.control import while_p
from scisim.ops.index import read_p
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.shape import broadcast_p, concat_p, reshape_p, sum_p, transpose_p

_MOVES = {broadcast_p, reshape_p, transpose_p, read_p, concat_p}
_SAFE = _MOVES | {matmul_p, zmatmul, sum_p}


def hoisted(r: Any, prim: Primitive, args: tuple, params: dict) -> tuple[tuple, dict] | None:
    """Operands and parameters of a loop without what does not change in it; None if there is no such thing."""
    names = ("test", "body") if prim is while_p else ("body",)
    count = params["consts"]
    given, rest = list(args[:count]), args[count:]
    moved = {name: _invariant(params[name], count) for name in names}
    if not any(moved.values()):
        return None
    place: dict[Any, int] = {}  # of each value among the constants of the loop
    for name in names:
        graph, wanted = params[name], _wanted(params[name], moved[name])
        place.update(zip(wanted, range(len(given), len(given) + len(wanted)), strict=True))
        values = dict(zip(graph.inputs, given[:count], strict=False))
        given += r.replay(Graph(graph.inputs, moved[name], wanted, graph.name), values)
    bodies = {name: _shorter(r, params[name], moved[name], count, place, given) for name in names}
    used = {v for g in bodies.values() for v in _operands(g)}
    kept = [k for k in range(len(given)) if any(g.inputs[k] in used for g in bodies.values())]
    new = {name: _choose(g, kept, len(given)) for name, g in bodies.items()}
    return (*(given[k] for k in kept), *rest), {**params, **new, "consts": len(kept)}


def _operands(graph: Graph) -> list[Var]:
    return [v for v in (*(a for eq in graph.equations for a in eq.args), *graph.outputs) if isinstance(v, Var)]


def _choose(graph: Graph, kept: list[int], count: int) -> Graph:
    """A body that takes only some of its constants."""
    inputs = [*(graph.inputs[k] for k in kept), *graph.inputs[count:]]
    return Graph(inputs, graph.equations, graph.outputs, graph.name)


def _invariant(graph: Graph, count: int) -> list[Equation]:
    """The equations that depend on constants of the loop only and are worth moving."""
    known = set(graph.inputs[:count])
    able: list[Equation] = []
    for eq in graph.equations:
        safe = eq.prim in _SAFE or eq.prim.scalar is not None
        if safe and eq.args and all(a in known for a in eq.args if isinstance(a, Var)):
            able.append(eq)
            known.update(eq.outs)
    needed: set[Any] = set()
    kept = []
    for eq in reversed(able):
        if eq.prim not in _MOVES or any(v in needed for v in eq.outs):
            needed.update(a for a in eq.args if isinstance(a, Var))
            kept.append(eq)
    return kept[::-1]


def _wanted(graph: Graph, moved: list[Equation]) -> list[Var]:
    """What the rest of a body needs of the equations that leave it."""
    gone = set(map(id, moved))
    used = {a for eq in graph.equations if id(eq) not in gone for a in eq.args if isinstance(a, Var)}
    used.update(v for v in graph.outputs if isinstance(v, Var))
    return [v for eq in moved for v in eq.outs if v in used]


def _shorter(r: Any, graph: Graph, moved: list[Equation], count: int, place: dict, given: list) -> Graph:
    """A body without the equations that leave it, with all constants of the loop as inputs."""
    gone = set(map(id, moved))
    own = {place[v]: v for eq in moved for v in eq.outs if v in place}
    extra = [own[k] if k in own else r.var(given[k].shape, given[k].dtype) for k in range(count, len(given))]
    equations = [eq for eq in graph.equations if id(eq) not in gone]
    return Graph([*graph.inputs[:count], *extra, *graph.inputs[count:]], equations, graph.outputs, graph.name)
