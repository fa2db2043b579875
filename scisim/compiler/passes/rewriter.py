"""The rewriter: a graph rebuilt equation by equation, each simplified by rules as it is recorded.

A rule is a function ``rule(r, eq)`` that gives what to use in the place of the equation's output, or None to leave it.
What it builds goes through the rewriter ``r`` too, so one sweep over the equations simplifies as far as the rules go.
Equal equations are recorded once, and those of constants are computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.compiler.passes.constants import MISSING, computed, shrunk
from scisim.compiler.passes.rules import Rules, key_of, users_of
from scisim.core.avals import infer
from scisim.core.axes import ELEMENTWISE
from scisim.core.graph import Equation, Graph, Var, has_effect
from scisim.core.primitive import Primitive
from scisim.core.values import Traced
from scisim.ops.shape import broadcast_p, reshape_p

SMALL = 256  # constants up to this size are computed before rules are asked
_WEAK = (float, int, complex, bool)


class Rewriter:
    """One sweep.

    Parameters
    ----------
    known : Rules
    inner : callable, optional
        What simplifies the bodies of control flow.
    fold, merge : bool
        Whether equations of constants are computed, and equal ones recorded once.
    changed : set of Primitive, optional
        For a graph that an earlier sweep has left: the primitives for which there are other rules now.  Equations of
        the others are looked at only if their operands change.
    """

    def __init__(
        self,
        known: Rules,
        inner: Callable[[Graph], Graph] | None = None,
        fold: bool = True,
        merge: bool = True,
        changed: set[Primitive] | None = None,
    ) -> None:
        self.known, self.inner, self.fold, self.merge, self.changed = known, inner, fold, merge, changed
        self.equations: list[Equation] = []
        self.makers: dict[Any, Equation] = {}  # by variable
        self._uses: dict[Any, int] = {}
        self._users: dict[Any, list] = {}
        self._seen: dict[Any, tuple[Var, ...]] = {}
        self._shrunk: dict[int, tuple[Any, Any]] = {}
        self._trace: Any = None
        self._source: Any = None  # of the equation that is being simplified

    # --- graphs --------------------------------------------------------------------------------------------------
    def run(self, graph: Graph) -> Graph:
        """The graph rebuilt."""
        outputs = self.replay(graph, {}, again=False)
        return Graph(graph.inputs, self.equations, outputs, graph.name)

    def replay(self, graph: Graph, values: dict[Any, Any], again: bool = True) -> list:
        """Record the equations of a graph; its outputs.

        Parameters
        ----------
        values : dict
            What variables stand for, inputs first.
        again : bool
            Whether the graph may be recorded more than once, so that its equations need new variables.
        """
        users = users_of(graph)
        if not again:
            self._users = users
        for eq in graph.equations:
            if eq.outs:
                self._trace = eq.outs[0].trace
            self._source = eq.source
            args = tuple([values.get(a, a) if type(a) is Var else a for a in eq.args])
            if again:
                outs = tuple(self.var(v.shape, v.dtype) for v in eq.outs)
                made = self._record(Equation(eq.prim, args, eq.params, outs, eq.source))
            elif any(map(operator.is_not, args, eq.args)):
                made = self._record(eq._replace(args=args))
            else:
                made = self._record(eq) if self.changed is None or eq.prim in self.changed else self._keep(eq)
            for old, new in zip(eq.outs, made, strict=True):
                if new is not old:
                    values[old] = new
                    if type(new) is Var:
                        self._uses[new] = self.uses(new) + len(users.get(old, ()))
        return [values.get(v, v) if type(v) is Var else v for v in graph.outputs]

    def var(self, shape: tuple[int, ...], dtype: Any) -> Var:
        """A new variable."""
        return Var(self._trace, shape, dtype)

    # --- equations -----------------------------------------------------------------------------------------------
    def apply(self, prim: Primitive, *args: Any, **params: Any) -> Any:
        """The value of ``prim(*args, **params)``: a variable or a constant, several for several outputs."""
        like = infer(prim, args, params)
        outs = tuple(self.var(*a) for a in (like if prim.multiple else (like,)))
        made = self._record(Equation(prim, args, params, outs, self._source))
        return made if prim.multiple else made[0]

    def instead(self, eq: Equation, args: tuple, prim: Primitive | None = None) -> Any:
        """The value of another equation of the same shape and dtype; the last thing that a rule does."""
        return self._record(eq._replace(prim=prim or eq.prim, args=args, params=eq.params if prim is None else {}))[0]

    def alike(self, v: Any, prim: Primitive, *args: Any) -> Any:
        """The value of an operation without parameters that is known to have the shape and dtype of another one."""
        return self._record(Equation(prim, args, {}, (self.var(v.shape, v.dtype),), self._source))[0]

    def _record(self, eq: Equation) -> tuple:
        prim, args = eq.prim, eq.args
        constants = [a for a in args if type(a) is not Var]
        folds = constants and self.fold and not any(isinstance(a, Traced) for a in args) and not has_effect(eq)
        if constants:
            if folds and (eq.outs[0].size <= SMALL or not self.known.shrink):
                value = computed(eq)
                if value is not MISSING:
                    return value
            if any(type(a) is np.ndarray and a.ndim for a in constants) and prim is not broadcast_p:
                eq = eq._replace(args=tuple(map(self._shrink, args)))
        value = self._by_operands(eq) if prim.axes is ELEMENTWISE else None
        if value is not None:
            return (value,)
        for rule in self.known.table.get(prim, ()):
            value = rule(self, eq)
            if value is not None:
                return value if prim.multiple else (value,)
        if folds:  # large constants, for which no rule had a better way
            value = computed(eq._replace(args=args))
            if value is not MISSING:
                return value
        return self._keep(eq)

    def _by_operands(self, eq: Equation) -> Any:
        """What the rules for elementwise functions of such operands give."""
        makers, rules = self.makers, self.known.operands
        for a in eq.args:
            rule = None
            if type(a) is Var:
                made = makers.get(a)
                rule = rules.get(made.prim) if made is not None else None
            elif type(a) not in _WEAK:
                rule = self.known.numbers
            value = rule(self, eq) if rule is not None else None
            if value is not None:
                return value
        return None

    def _keep(self, eq: Equation) -> tuple[Var, ...]:
        if self.merge and not has_effect(eq):
            key = key_of(eq)
            seen = self._seen.get(key)
            if seen is not None:
                return seen
            self._seen[key] = eq.outs
        self.equations.append(eq)
        for v in eq.outs:
            self.makers[v] = eq
        return eq.outs

    def _shrink(self, a: Any) -> Any:
        """A constant that repeats itself as the broadcast of a smaller one."""
        if type(a) is not np.ndarray or not a.ndim or not self.known.shrink:
            return a
        if id(a) not in self._shrunk:
            small = shrunk(a)
            self._shrunk[id(a)] = (a, a if small is a else self.broadcast(small, a.shape))
        return self._shrunk[id(a)][1]

    # --- what rules ask and build --------------------------------------------------------------------------------
    def made_by(self, v: Any, prim: Primitive) -> Equation | None:
        """The equation that made a value, if it is of the primitive."""
        eq = self.makers.get(v) if type(v) is Var else None
        return eq if eq is not None and eq.prim is prim else None

    def uses(self, v: Any) -> int:
        """How many equations use a value, as far as is known."""
        known = self._uses.get(v)
        return len(self._users.get(v, ())) if known is None else known

    def only_user(self, v: Any) -> Equation | None:
        """The equation, as it was before the sweep, that alone uses a value; None if there are others."""
        users = self._users.get(v, ())
        return users[0] if len(users) == 1 else None

    def constant(self, v: Any) -> Any:
        """The constant that a value is, or is the broadcast of; None for others."""
        if not isinstance(v, Traced):
            return v
        eq = self.made_by(v, broadcast_p)
        return eq.args[0] if eq is not None and not isinstance(eq.args[0], Traced) else None

    def small(self, v: Any) -> Any:
        """A value before it was broadcast, with axes of length one in the place of the stretched ones."""
        eq = self.made_by(v, broadcast_p)
        if eq is None:
            return v
        s = np.shape(eq.args[0]) if not isinstance(eq.args[0], Traced) else eq.args[0].shape
        return self.reshape(eq.args[0], (1,) * (len(v.shape) - len(s)) + tuple(s))

    def reshape(self, v: Any, to: tuple[int, ...]) -> Any:
        return v if v.shape == to else self.apply(reshape_p, v, shape=to)

    def broadcast(self, v: Any, to: tuple[int, ...]) -> Any:
        return v if v.shape == to else self.apply(broadcast_p, v, shape=to)

    def full(self, number: Any, like: Var) -> Any:
        """A number in every element of an array of the shape and dtype of a variable."""
        return self.broadcast(np.asarray(number, like.dtype)[()], like.shape)
