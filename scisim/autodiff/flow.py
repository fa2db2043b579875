"""Series of a primitive that is given by one jvp: y solves y' = J(x, y) x' along each variable of the series.

The jvp is a function linear in its tangents; evaluated on lazy series, with the velocity x' as tangent, it gives the
coefficients of y' one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scisim.core.primitive import Primitive
from scisim.core.values import zeros_like

ASK = object()  # a coefficient not computed yet


class Flow:
    """The rules of all outputs of one application of a primitive.

    Parameters
    ----------
    trace : Taylor
    prim : Primitive
    args, vals : sequence
        Operands, and their values of lower level.
    ys : list of Series
        The outputs, whose coefficients the rules compute.
    """

    def __init__(self, trace: Any, prim: Primitive, args: tuple, vals: list, params: dict, ys: list) -> None:
        self.trace, self.prim, self.args, self.vals, self.params, self.ys = trace, prim, args, vals, params, ys
        self.curves: dict[int, Any] = {}
        self.tops: dict[int, Any] = {}

    def rule(self, n: int) -> Callable[[int], Any]:
        """Coefficients of output n."""
        trace, slots = self.trace, self.trace.slots

        def rule(k: int) -> Any:
            index = slots.indices[k]
            if index is not None and sum(index) == 1:
                return self._direct(k, n)
            collapsed = index is None or (trace.collapse is not None and k == trace.last)
            rest = []
            for v, j, w in slots.derivative_terms(k):
                c = trace.coefficient(self._part(self._curve(v), n), j)
                rest.append(None if c is None else c * w)
            return trace.total(k, [self._direct(k, n) if collapsed else None], rest)

        return rule

    def _part(self, t: Any, n: int) -> Any:
        return t[n] if self.prim.multiple and t is not None else t

    def _jvp(self, ys: Sequence[Any], args: Sequence[Any], tangents: list) -> Any:
        assert self.prim.jvp is not None
        return self.prim.jvp(tuple(ys) if self.prim.multiple else ys[0], args, tangents, **self.params)

    def _direct(self, k: int, n: int) -> Any:
        """The terms with the coefficient k of an operand: the jvp at the value."""
        if k not in self.tops:
            tops = [a.coef(k) if self.trace.mine(a) else None for a in self.args]
            live = any(t is not None for t in tops)
            self.tops[k] = self._jvp([y.cs[0] for y in self.ys], self.vals, tops) if live else None
        return self._part(self.tops[k], n)

    def _curve(self, v: int) -> Any:
        """The derivative of the outputs along variable v, as lazy series."""
        if v not in self.curves:
            speeds = [self._velocity(a, v) for a in self.args]
            self.curves[v] = self.trace.lazily(lambda: self._jvp(self.ys, self.args, speeds))
        return self.curves[v]

    def _velocity(self, a: Any, v: int) -> Any:
        """The derivative of an operand along variable v."""
        trace = self.trace
        if not trace.mine(a):
            return None

        def rule(j: int) -> Any:
            up = trace.slots.up(j, v)
            if up is None or (trace.collapse and up[0] == trace.last):
                return None
            c = a.coef(up[0])
            return None if c is None else c if up[1] == 1 else c * up[1]

        first = rule(0)
        s = trace.series([ASK] * trace.slots.count, rule)
        s.cs[0] = zeros_like(a) if first is None else first
        return s
