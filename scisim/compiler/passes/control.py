"""Bodies: calls are part of the program that calls, choices with a known condition are made, the others simplified."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.passes.hoist import hoisted
from scisim.core.graph import Equation, Graph
from scisim.ops.control import call_p, cond_p, scan_p, while_p


def _inline(r: Any, graph: Graph, args: tuple) -> tuple:
    return tuple(r.replay(graph, dict(zip(graph.inputs, args, strict=True))))


def call(r: Any, eq: Equation) -> Any:
    """The body in the place of a call, unless derivatives are to compute it anew."""
    if not eq.params.get("remat"):
        return _inline(r, eq.params["graph"], eq.args)
    return _with_bodies(r, eq)


def cond(r: Any, eq: Equation) -> Any:
    pred, *args = eq.args
    known = r.constant(pred)
    if known is not None and np.size(known) == 1:
        return _inline(r, eq.params["branches"][0 if known else 1], tuple(args))
    return _with_bodies(r, eq)


def loop(r: Any, eq: Equation) -> Any:
    """Bodies simplified, and what each step would compute alike computed once before."""
    simpler = _simplified(r, eq.params)
    moved = hoisted(r, eq.prim, eq.args, simpler or eq.params)
    if moved is not None:
        return r.apply(eq.prim, *moved[0], **moved[1])
    return None if simpler is None else r.apply(eq.prim, *eq.args, **simpler)


def _with_bodies(r: Any, eq: Equation) -> Any:
    simpler = _simplified(r, eq.params)
    return None if simpler is None else r.apply(eq.prim, *eq.args, **simpler)


def _simplified(r: Any, params: dict) -> dict | None:
    """The parameters with simplified bodies; None if they are that already."""
    if r.inner is None:
        return None

    def simpler(p: Any) -> Any:
        if isinstance(p, tuple):
            return tuple(map(simpler, p))
        return r.inner(p) if isinstance(p, Graph) else p

    new = {k: simpler(p) for k, p in params.items()}
    return None if all(_same(new[k], p) for k, p in params.items()) else new


def _same(a: Any, b: Any) -> bool:
    return all(map(_same, a, b)) if isinstance(a, tuple) and a and isinstance(a[0], Graph) else a is b or a == b


TABLE = {call_p: (call,), cond_p: (cond,), while_p: (loop,), scan_p: (loop,)}
