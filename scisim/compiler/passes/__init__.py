"""Simplification of graphs: constants folded, equal equations merged, dead ones removed.  Passes are pure."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.passes.sums import join_outer_products
from scisim.core.capture import live
from scisim.core.graph import Equation, Graph, Var
from scisim.core.values import Traced

# A folded constant larger than this (bytes) would cost more to carry than to compute.
FOLD_LIMIT = 1 << 20


def _substitute(graph: Graph, replace: Any) -> Graph:
    """Rebuild a graph equation by equation; ``replace(eq)`` gives values for its outputs, or None to keep it."""
    new: dict[Var, Any] = {}
    kept: list[Equation] = []

    def read(v: Any) -> Any:
        return new.get(v, v) if isinstance(v, Var) else v

    for eq in graph.equations:
        eq = eq._replace(args=tuple(map(read, eq.args)))
        values = replace(eq)
        if values is None:
            kept.append(eq)
        else:
            new.update(zip(eq.outs, values, strict=True))
    return Graph(graph.inputs, kept, [read(v) for v in graph.outputs], graph.name)


def fold_constants(graph: Graph) -> Graph:
    """Equations whose operands are all arrays are computed now."""

    def replace(eq: Equation) -> Any:
        if not eq.args or any(isinstance(a, Traced) for a in eq.args):
            return None
        if sum(v.size * v.dtype.itemsize for v in eq.outs) > FOLD_LIMIT:
            return None
        with np.errstate(all="ignore"):
            out = eq.prim.evaluate(*eq.args, **eq.params)
        return out if eq.prim.multiple else (out,)

    return _substitute(graph, replace)


def merge_equal(graph: Graph) -> Graph:
    """Common subexpressions are computed once."""
    seen: dict[Any, tuple[Var, ...]] = {}

    def replace(eq: Equation) -> Any:
        key = _key(eq)
        if key in seen:
            return seen[key]
        seen[key] = eq.outs
        return None

    return _substitute(graph, replace)


def _key(eq: Equation) -> Any:
    return (eq.prim, tuple(map(_operand, eq.args)), tuple(sorted((k, _hashable(v)) for k, v in eq.params.items())))


def _operand(a: Any) -> Any:
    if isinstance(a, Traced):
        return a
    if isinstance(a, (np.ndarray, np.generic)):
        a = np.asarray(a)
        return (a.dtype.str, a.shape, a.tobytes()) if a.size <= 64 else id(a)
    return (type(a), repr(a))  # repr tells 0.0 from -0.0


def _hashable(p: Any) -> Any:
    return p if isinstance(p, (int, float, str, tuple, Graph)) or p is None else repr(p)


def remove_dead(graph: Graph) -> Graph:
    """Equations that no output needs are dropped."""
    return Graph(graph.inputs, live(graph.equations, graph.outputs), graph.outputs, graph.name)


PASSES = (fold_constants, merge_equal, join_outer_products, remove_dead)


def simplify(graph: Graph) -> Graph:
    """All passes, in order."""
    for step in PASSES:
        graph = step(graph)
    return graph
