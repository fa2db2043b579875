"""Elementwise programs over arrays of one shape, as programs over their elements in a row.

Such arrays are in one piece and in one order, so that one long loop does for the loops over their axes, of which short
ones cost more than their elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from scisim.core.axes import ELEMENTWISE
from scisim.core.graph import Equation, Graph, Var
from scisim.core.values import shape


def in_a_row(graph: Graph, native: Callable[[Equation], bool]) -> Graph | None:
    """The graph with one axis in the place of all, if it is elementwise over one shape of several; else None."""
    shapes = {v.shape for v in _variables(graph)} - {()}
    if len(shapes) != 1 or not _elementwise(graph, native):
        return None
    (whole,) = shapes
    length = math.prod(whole)
    if len(whole) < 2 or not length:
        return None
    new = {v: Var(None, (length,) if v.shape else (), v.dtype) for v in _variables(graph)}
    equations = []
    for eq in graph.equations:
        args = tuple(new[a] if isinstance(a, Var) else a for a in eq.args)
        outs = tuple(new[v] for v in eq.outs)
        equations.append(eq._replace(args=args, outs=outs))
        for v in outs:
            v.definition = equations[-1]
    outputs: list[Any] = [new[v] if isinstance(v, Var) else v for v in graph.outputs]
    return Graph([new[v] for v in graph.inputs], equations, outputs, graph.name)


def _variables(graph: Graph) -> list[Var]:
    return [*graph.inputs, *(v for eq in graph.equations for v in eq.outs)]


def _elementwise(graph: Graph, native: Callable[[Equation], bool]) -> bool:
    def plain(eq: Equation) -> bool:
        known = all(isinstance(a, Var) or shape(a) == () for a in eq.args)
        return eq.prim.axes is ELEMENTWISE and eq.prim.scalar is not None and native(eq) and known

    return bool(graph.equations) and all(map(plain, graph.equations))
