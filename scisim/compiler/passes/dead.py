"""Equations that nothing needs, outputs of control flow that nothing uses, and operands that then nothing reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scisim.core.capture import live
from scisim.core.graph import Equation, Graph, Var
from scisim.ops.control import call_p, cond_p, scan_p, while_p


def remove_dead(graph: Graph) -> Graph:
    """Equations that no output needs are dropped, also inside choices, loops and checkpoints."""
    equations = live(graph.equations, graph.outputs)
    if any(eq.prim in _NARROW for eq in equations):
        equations = live(_narrowed(equations, graph.outputs), graph.outputs)
    return Graph(graph.inputs, equations, graph.outputs, graph.name)


def _narrowed(equations: list[Equation], outputs: Sequence[Any]) -> list[Equation]:
    """Control flow without the outputs that no later equation uses."""
    needed = {v for v in outputs if isinstance(v, Var)}
    kept = []
    for eq in reversed(equations):
        if eq.prim in _NARROW:
            eq = _NARROW[eq.prim](eq, [v in needed for v in eq.outs])
        kept.append(eq)
        needed.update(a for a in eq.args if isinstance(a, Var))
    return kept[::-1]


def _call(eq: Equation, wanted: list[bool]) -> Equation:
    (graph,), used = _bodies([eq.params["graph"]], wanted)
    return _smaller(eq, wanted, used, {"graph": graph})


def _cond(eq: Equation, wanted: list[bool]) -> Equation:
    branches, used = _bodies(eq.params["branches"], wanted)
    return _smaller(eq, wanted, [True, *used], {"branches": tuple(branches)})


def _scan(eq: Equation, wanted: list[bool]) -> Equation:
    """The carry stays whole: a step may need all of it."""
    consts, carries = eq.params["consts"], eq.params["carries"]
    wanted = [True] * carries + wanted[carries:]
    stay = range(consts, consts + carries)
    (body,), used = _bodies([eq.params["body"]], wanted, stay)
    return _smaller(eq, wanted, used, {"body": body, "consts": sum(used[:consts])})


def _while(eq: Equation, wanted: list[bool]) -> Equation:
    consts, wanted = eq.params["consts"], [True] * len(eq.outs)
    test, body = eq.params["test"], eq.params["body"]
    used = _used([test, body], range(consts, len(eq.args)))
    new = {"test": _with_inputs(test, used), "body": _with_inputs(body, used), "consts": sum(used[:consts])}
    return _smaller(eq, wanted, used, new)


_NARROW = {call_p: _call, cond_p: _cond, scan_p: _scan, while_p: _while}


# --- bodies ------------------------------------------------------------------------------------------------------
def _bodies(graphs: Sequence[Graph], wanted: list[bool], stay: range = range(0)) -> tuple[list[Graph], list[bool]]:
    """Bodies with the wanted outputs only, and which inputs they still use or must keep."""
    graphs = [_with_outputs(g, wanted) for g in graphs]
    used = _used(graphs, stay)
    return [_with_inputs(g, used) for g in graphs], used


def _with_outputs(graph: Graph, wanted: list[bool]) -> Graph:
    if all(wanted):
        return graph
    key = ("outputs", tuple(wanted))
    if key not in graph.derived:
        outputs = _chosen(graph.outputs, wanted)
        graph.derived[key] = Graph(graph.inputs, live(graph.equations, outputs), outputs, graph.name)
    return graph.derived[key]


def _used(graphs: Sequence[Graph], stay: range) -> list[bool]:
    read = {v for g in graphs for eq in g.equations for v in eq.args if isinstance(v, Var)}
    read.update(v for g in graphs for v in g.outputs if isinstance(v, Var))
    return [k in stay or any(g.inputs[k] in read for g in graphs) for k in range(len(graphs[0].inputs))]


def _with_inputs(graph: Graph, used: list[bool]) -> Graph:
    if all(used):
        return graph
    key = ("inputs", tuple(used))
    if key not in graph.derived:
        graph.derived[key] = Graph(_chosen(graph.inputs, used), graph.equations, graph.outputs, graph.name)
    return graph.derived[key]


def _smaller(eq: Equation, wanted: list[bool], used: list[bool], bodies: dict) -> Equation:
    """An equation with some of its outputs and operands; the same one if that is all."""
    if all(wanted) and all(used):
        return eq
    args, outs = tuple(_chosen(eq.args, used)), tuple(_chosen(eq.outs, wanted))
    return eq._replace(args=args, params={**eq.params, **bodies}, outs=outs)


def _chosen(items: Sequence[Any], which: list[bool]) -> list[Any]:
    return [v for v, keep in zip(items, which, strict=True) if keep]
