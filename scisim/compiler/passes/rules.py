"""Tables of rules, and what tells equations apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import Primitive
from scisim.core.values import Traced
from scisim.ops.arithmetic import add, mul_p, zmul
from scisim.ops.select import maximum_p, minimum_p

Rule = Callable[[Any, Equation], Any]
Table = Mapping[Primitive, Iterable[Rule]]
COMMUTE = {add, mul_p, zmul, maximum_p, minimum_p}


class Rules(NamedTuple):
    """Rules by the primitive of the equation, and for elementwise ones by what made an operand."""

    table: dict[Primitive, tuple[Rule, ...]]
    operands: Mapping[Primitive, Rule]
    numbers: Rule | None = None  # for elementwise ones with a constant among the operands
    shrink: bool = True  # constants that repeat themselves enter as broadcasts


NO_RULES = Rules({}, {}, shrink=False)


def join(tables: Iterable[Table], operands: Mapping[Primitive, Rule], numbers: Rule) -> Rules:
    """Tables as one; the rules of earlier tables come first."""
    joined: dict[Primitive, tuple[Rule, ...]] = {}
    for table in tables:
        for prim, own in table.items():
            joined[prim] = joined.get(prim, ()) + tuple(own)
    return Rules(joined, operands, numbers)


def users_of(graph: Graph) -> dict[Any, list]:
    """The equations that use each variable, None for an output of the graph."""
    users: dict[Any, list] = {}
    for eq in graph.equations:
        for a in eq.args:
            if type(a) is Var:
                users.setdefault(a, []).append(eq)
    for a in graph.outputs:
        if type(a) is Var:
            users.setdefault(a, []).append(None)
    return users


def key_of(eq: Equation) -> Any:
    """What tells equations apart that do not compute the same."""
    ins = tuple([id(a) if type(a) is Var else _operand(a) for a in eq.args])
    if len(ins) == 2 and eq.prim in COMMUTE and hash(ins[0]) > hash(ins[1]):
        ins = ins[::-1]
    if not eq.params:
        return (eq.prim, ins)
    return (eq.prim, ins, tuple(sorted((k, _hashable(v)) for k, v in eq.params.items())))


def _operand(a: Any) -> Any:
    if isinstance(a, Traced):
        return id(a)
    if isinstance(a, (np.ndarray, np.generic)):
        a = np.asarray(a)
        return (a.dtype.str, a.shape, a.tobytes()) if a.size <= 64 else ("array", id(a))
    return (type(a), repr(a))  # repr tells 0.0 from -0.0


def _hashable(p: Any) -> Any:
    if isinstance(p, (str, tuple, Graph)) or p is None:
        return p
    return (type(p).__name__, p) if isinstance(p, (int, float)) else repr(p)
