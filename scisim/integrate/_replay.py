"""Derivatives through an integration: its accepted steps, found without derivatives, are repeated with them.

The sizes of the steps are constants, so this is the exact derivative of what was computed (the discrete adjoint), of
any order; reverse mode keeps one state a step and computes the inside of steps anew.  Where the ends of the span carry
derivatives, the steps stretch with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff.implicit import implicit_root
from scisim.core.avals import ShapeDtype
from scisim.core.capture import capture, close
from scisim.core.errors import TraceError
from scisim.core.tensor import unwrap, wrap
from scisim.core.values import Traced
from scisim.integrate._drive import Drive, Event, Run
from scisim.integrate._methods import Method
from scisim.integrate._result import interpolated, segments
from scisim.integrate._system import System
from scisim.ops.arithmetic import pin
from scisim.ops.flow import scan
from scisim.ops.index import index
from scisim.ops.shape import concat, reshape, stack


def base(x: Any) -> Any:
    """The array inside a value."""
    while isinstance(x, Traced):
        x = x.lower
    return x


def frozen(f: Callable, state: Any) -> Callable:
    """A function of time and state without derivatives of what it closes over.

    It runs as a graph where it can be captured, which leaves nothing behind on outer tapes.
    """
    avals = [ShapeDtype((), state.real), ShapeDtype((state.n,), state.dtype)]
    try:
        graph, held = close(capture(lambda t, y: [f(t, y)], avals))
    except TraceError:
        return lambda t, y: np.asarray(base(f(t, y)))
    arrays, time = [base(v) for v in held], state.real.type
    return lambda t, y: np.asarray(graph(time(t), y, *arrays)[0])


def nodes_of(run: Run, start: Any, end: Any) -> Any:
    """Ends of the steps, which move with the ends of the span."""
    nodes = np.asarray(run.nodes, float)
    if not isinstance(start, Traced) and not isinstance(end, Traced):
        return nodes
    if run.status == 1:
        end = base(end)  # an event ended it
    span = nodes[-1] - nodes[0]
    part = (nodes - nodes[0]) / (span if span else 1.0)
    last = end if run.status == 0 else nodes[-1]
    return pin(start + (last - start) * part, nodes)


class Replay:
    """The steps of a run once more, on values that carry derivatives.

    Attributes
    ----------
    nodes, states, coefficients : values
        Times and states at the ends of all steps; polynomials between, where wanted.
    """

    def __init__(self, method: Method, system: System, run: Run, y: Any, start: Any, end: Any, dense: bool) -> None:
        self.method, self.system, self.dense = method, system, dense
        self.nodes = nodes_of(run, start, end)
        carry = method.begin(system, self.nodes[0], y)
        count = len(run.nodes) - 1
        if count == 0:
            self.states: Any = reshape(y, (1, *y.shape))
            self.coefficients: Any = np.zeros((0, method.terms, *y.shape), y.dtype)
            return
        xs = (self.nodes[:-1], self.nodes[1:], *method.records(run))
        made = self._repeated(carry, xs, count)
        self.states = concat([reshape(y, (1, *y.shape)), made[0]], 0)
        self.coefficients = made[1] if dense else None

    def _step(self, carry: tuple, x: tuple) -> tuple[tuple, tuple]:
        t, end, *record = x
        carry, cs = self.method.repeat(self.system, carry, t, end, tuple(record), self.dense)
        return carry, (carry[0], cs) if self.dense else (carry[0],)

    def _repeated(self, carry: tuple, xs: tuple, count: int) -> Sequence[Any]:
        def step(c: tuple, x: tuple) -> tuple:
            c, out = self._step(tuple(map(unwrap, c)), tuple(map(unwrap, x)))
            return tuple(map(wrap, c)), tuple(map(wrap, out))

        try:
            _, outs = scan(step, tuple(map(wrap, carry)), tuple(map(wrap, xs)), count)
        except TraceError:  # the function branches in Python: step by step, as it is
            rows = []
            for k in range(count):
                carry, out = self._step(carry, tuple(index(x, k) for x in xs))
                rows.append(out)
            return [stack(column) for column in zip(*rows, strict=True)]
        return tuple(map(unwrap, outs))

    def rows(self, ts: Any) -> Any:
        """States by row at times within the span."""
        at = segments(base(self.nodes), base(ts)) if len(self.nodes.shape) else None
        if self.states.shape[0] == 1:
            return index(self.states, np.zeros(ts.shape[0], int))
        return interpolated(self.nodes, self.states, self.coefficients, ts, at)

    def zeros(self, event: Callable, step: int, time: float) -> tuple[Any, Any]:
        """Time and state of an event that was found in a step; the time follows what it depends on."""

        def at(t: Any) -> Any:
            return self._within(step, t)

        def residual(t: Any) -> Any:
            v = unwrap(t)
            return wrap(event(v, at(v)))

        t = unwrap(implicit_root(residual, lambda f, t: t, "elementwise")(wrap(np.float64(time))))
        return t, at(t)

    def _within(self, step: int, t: Any) -> Any:
        at = np.asarray([step])
        return interpolated(self.nodes, self.states, self.coefficients, reshape(t, (1,)), at)[0]


def repeated_run(
    who: str, method: Method, system: System, control: Any, y: Any, t_eval: Any, dense: bool, events: list[tuple]
) -> tuple[Run, Any]:
    """The run on bare arrays of values that are known; and the solver."""
    f = frozen(system, system.state)
    plain_events = [Event(_number(frozen(g, system.state)), direction, times) for g, direction, times in events]
    solver = method.solver(f, control, np.asarray(base(y)))
    return Drive(who, solver, control, t_eval, dense, plain_events)(), solver


def _number(g: Callable) -> Callable:
    return lambda t, y: float(g(float(t), y))
