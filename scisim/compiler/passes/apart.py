"""Operations over several axes as one for each axis, where compiled programs join those with what is around them.

A line whose elements are neighbours is read and written fastest, so an operation along another axis is between two
turns, which exchange that axis and the last.  Turns go towards the outputs past elementwise functions, which work on
turned arrays then, until they meet the next one: most of them vanish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.passes.rewriter import Rewriter
from scisim.compiler.passes.rules import Rule, Rules
from scisim.core.axes import ELEMENTWISE
from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import Primitive
from scisim.core.values import Traced, shape
from scisim.ops.turned import turn_p, turned


def along_axes(graph: Graph) -> Graph:
    """The graph with such operations apart; one without loops to join them with is left."""
    prims = {eq.prim for eq in graph.equations if eq.prim.apart is not None}
    if not prims or not joined(graph):
        return graph
    turns = _Turns()
    rules: dict[Primitive, tuple[Rule, ...]] = {**dict.fromkeys(prims, (_apart,)), turn_p: (_back, turns.before)}
    return Rewriter(Rules(rules, {turn_p: turns.past}, shrink=False), changed=prims).run(graph)


def joined(graph: Graph) -> bool:
    """Whether there is something to join: loops over elements."""
    return any(eq.prim.scalar is not None for g in (graph, *graph.bodies()) for eq in g.equations)


def _apart(r: Any, eq: Equation) -> Any:
    assert eq.prim.apart is not None
    made = r.made_by(eq.args[0], turn_p)
    return eq.prim.apart(r.apply, eq.args, eq.params, None if made is None else made.params["axis"])


def _back(r: Any, eq: Equation) -> Any:
    """A turn and its like are nothing."""
    inner = r.made_by(eq.args[0], turn_p)
    return inner.args[0] if inner is not None and inner.params == eq.params else None


class _Turns:
    """How turns move: those of what operations make towards the outputs, those of what they take to the inputs."""

    def __init__(self) -> None:
        self._inner: set[Any] = set()  # values whose turns are on their way to the outputs
        self._operands: set[Any] = set()  # turned for the sake of another operand
        self._constants: dict[tuple, tuple[Any, Any]] = {}

    def past(self, r: Any, eq: Equation) -> Any:
        """An elementwise function of what is turned: other operands are turned, constants once for all their uses."""
        rank = len(eq.outs[0].shape)
        made = next((m for a in eq.args if (m := self._turn(r, a)) is not None), None)
        if made is None or len(made.outs[0].shape) != rank:
            return None
        inner = self._of_turned(r, eq, made.params["axis"], rank)
        self._inner.add(inner)
        return turned(r.apply, inner, made.params["axis"])

    def before(self, r: Any, eq: Equation) -> Any:
        """The turn of an elementwise function that nothing else uses: its operands are turned."""
        (x,), axis = eq.args, eq.params["axis"]
        made = r.makers.get(x) if isinstance(x, Var) else None  # constants have no maker
        if made is None or made.prim.axes is not ELEMENTWISE or r.uses(x) > 1 or x in self._inner:
            return None
        return self._of_turned(r, made, axis, len(x.shape))

    def _of_turned(self, r: Any, eq: Equation, axis: int, rank: int) -> Any:
        return r.apply(eq.prim, *(self._operand(r, a, axis, rank) for a in eq.args), **eq.params)

    def _turn(self, r: Any, a: Any) -> Equation | None:
        """The equation of a turn that is on its way to the outputs."""
        made = None if not isinstance(a, Var) or a in self._operands else r.made_by(a, turn_p)
        if made is None or not isinstance(made.args[0], Var):
            return None
        inner = r.makers.get(made.args[0])
        lines = inner is not None and inner.prim.lines is not None
        return made if lines or made.args[0] in self._inner else None

    def _operand(self, r: Any, a: Any, axis: int, rank: int) -> Any:
        s = shape(a)
        if not s:
            return a
        full = (1,) * (rank - len(s)) + tuple(s)
        if not isinstance(a, Traced):
            return self._constant(a, full, axis)
        if self._turn(r, a) is not None:
            return turned(r.apply, a, axis)
        new = turned(r.apply, r.reshape(a, full), axis)
        self._operands.add(new)
        return new

    def _constant(self, a: Any, full: tuple[int, ...], axis: int) -> Any:
        if (id(a), axis) not in self._constants:  # the array is held, so that its id stays its own
            self._constants[id(a), axis] = a, np.ascontiguousarray(np.swapaxes(np.reshape(a, full), axis, -1))
        return self._constants[id(a), axis][1]
