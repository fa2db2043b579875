"""Simplification of graphs.  Passes are pure: from graph to graph.

`simplify` keeps what derivatives of the graph need, since programs are differentiated in their simplified form;
`prepare` makes a simplified graph ready to run, where nothing but values matters.
"""

from __future__ import annotations

from collections.abc import Callable

from scisim.compiler.passes import (
    algebra,
    broadcasts,
    constants,
    control,
    moves,
    parts,
    products,
    running,
    writing,
    zeros,
)
from scisim.compiler.passes.apart import along_axes
from scisim.compiler.passes.collapse import collapse
from scisim.compiler.passes.dead import remove_dead
from scisim.compiler.passes.guarded import Guarded, guarded
from scisim.compiler.passes.rewriter import Rewriter
from scisim.compiler.passes.rules import NO_RULES, join
from scisim.compiler.passes.sums import join_outer_products
from scisim.core.graph import Graph

__all__ = [
    "PASSES",
    "Guarded",
    "collapse",
    "RUNNING_PASSES",
    "fold_constants",
    "guarded",
    "join_outer_products",
    "merge_equal",
    "prepare",
    "remove_dead",
    "rewrite",
    "simplify",
    "specialize",
]

_TABLES = (zeros.TABLE, parts.TABLE, writing.TABLE, moves.TABLE, algebra.TABLE, broadcasts.TABLE, control.TABLE)
_OPERANDS = {**broadcasts.OPERANDS, **moves.OPERANDS}
RULES = join(_TABLES, _OPERANDS, constants.weak_numbers)
RUNNING_RULES = join((running.TABLE, *_TABLES, products.TABLE), _OPERANDS, constants.weak_numbers)
_FOR_RUNNING = {*running.TABLE, *products.TABLE, *control.TABLE}


def fold_constants(graph: Graph) -> Graph:
    """Equations whose operands are all arrays are computed now."""
    return Rewriter(NO_RULES, merge=False).run(graph)


def merge_equal(graph: Graph) -> Graph:
    """Common subexpressions are computed once."""
    return Rewriter(NO_RULES, fold=False).run(graph)


def rewrite(graph: Graph) -> Graph:
    """Every equation through the rules; constants folded and equal equations merged on the way."""
    return Rewriter(RULES, simplify).run(graph)


def specialize(graph: Graph) -> Graph:
    """A simplified graph through the rules for values alone."""
    return Rewriter(RUNNING_RULES, prepare, changed=_FOR_RUNNING).run(graph)


PASSES = (rewrite, join_outer_products, remove_dead)
RUNNING_PASSES = (specialize, along_axes, remove_dead)


def simplify(graph: Graph) -> Graph:
    """The graph that transformations see: less to do, with the same values and derivatives."""
    return _once(graph, "simplified", PASSES)


def prepare(graph: Graph) -> Graph:
    """The graph that runs: the same values, simplified first."""
    return graph if graph.derived.get("prepared") is graph else _once(simplify(graph), "prepared", RUNNING_PASSES)


def _once(graph: Graph, key: str, passes: tuple[Callable[[Graph], Graph], ...]) -> Graph:
    """Passes in order; bodies that several equations share stay shared."""
    if key not in graph.derived:
        new = graph
        for step in passes:
            new = step(new)
        new.derived[key] = new
        graph.derived[key] = new
    return graph.derived[key]
