"""Programs that only say where elements are to be found: of large arrays NumPy's views cost less than a copy."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.graph import Equation, Graph, Var
from scisim.core.values import shape
from scisim.ops.index import gather_p

_FEW = 8  # steps in Python that cost less than a copy
_MANY = 2048  # elements whose copy costs more than such a step
_ROW = 64  # elements from which on NumPy copies rows as fast as a loop does
_VIEWS: dict[str, Callable[[dict], Callable]] = {
    "broadcast": lambda p: functools.partial(np.broadcast_to, shape=p["shape"]),
    "read": lambda p: operator.itemgetter(tuple(slice(*i[1:]) if isinstance(i, tuple) else i for i in p["at"])),
    "reshape": lambda p: operator.methodcaller("reshape", p["shape"]),
    "transpose": lambda p: operator.methodcaller("transpose", p["perm"]),
}


def only_moves(graph: Graph) -> bool:
    """Whether a program is a few moves of many elements."""
    few = 0 < len(graph.equations) <= _FEW and sum(math.prod(shape(v)) for v in graph.outputs) >= _MANY
    return few and all(isinstance(v, Var) for v in graph.outputs) and all(map(_moves, graph.equations))


def _moves(eq: Equation) -> bool:
    """Whether it is a view, or takes whole rows by indices that are known."""
    if not eq.args or not isinstance(eq.args[0], Var):
        return False
    if eq.prim.name in _VIEWS:
        return True
    known = eq.prim is gather_p and len(eq.args) == 2 and not isinstance(eq.args[1], Var)
    return known and math.prod(eq.args[0].shape[1:]) >= _ROW


class Moves:
    """A graph of moves, made ready to run on arrays."""

    def __init__(self, graph: Graph) -> None:
        places: dict[Var, int] = {v: k for k, v in enumerate(graph.inputs)}
        self.steps = []
        for eq in graph.equations:
            self.steps.append((_step(eq), places[eq.args[0]]))
            places[eq.outs[0]] = len(places)
        self.outputs = [places[v] for v in graph.outputs]

    def __call__(self, *args: Any) -> list:
        """Run on arrays."""
        values = list(args)
        for step, k in self.steps:
            values.append(step(values[k]))
        return [values[k] for k in self.outputs]


def _step(eq: Equation) -> Callable:
    return operator.itemgetter(eq.args[1]) if eq.prim is gather_p else _VIEWS[eq.prim.name](eq.params)
