"""Integration where values are not known, inside jit or vmap: a loop of bounded length over steps.

The steps are found by a while loop without derivatives, which gives the values.  Derivatives see a scan over as many
steps as there may be, in which those that were accepted are repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff._pinned import pinned_call
from scisim.core.avals import ShapeDtype
from scisim.core.capture import capture, close
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.integrate._control import LEAST, MOST, SAFETY, Control
from scisim.integrate._explicit import norm
from scisim.integrate._methods import Method
from scisim.integrate._result import interpolated, segments
from scisim.ops.arithmetic import absolute, pin, power, stop
from scisim.ops.flow import cond, scan, while_loop
from scisim.ops.index import index
from scisim.ops.select import eq, maximum, minimum, where
from scisim.ops.shape import astype, concat, reshape

REACHED, RUNNING, FAILED, STOPPED = 0, 2, -1, 1
DEFAULT_STEPS = 4096


class Found(NamedTuple):
    """Steps that were accepted; buffers hold the last one again behind them."""

    nodes: Any
    states: Any
    coefficients: Any
    records: tuple
    count: Any
    status: Any
    calls: Any


def opened(f: Callable, state: Any) -> tuple[Callable, list]:
    """A function of time and state with the values that it closes over as further arguments, and these."""
    avals = [ShapeDtype((), state.real), ShapeDtype((state.n,), state.dtype)]
    graph, held = close(capture(lambda t, y: [f(t, y)], avals))
    return (lambda values: lambda t, y: graph(astype(t, state.real), y, *values)[0]), held


class Bounded:
    """An integration of at most ``control.steps`` steps."""

    def __init__(self, method: Method, control: Control, state: Any, dense: bool) -> None:
        self.method, self.control, self.state, self.dense = method, control, state, dense
        self.most = control.steps or DEFAULT_STEPS

    def way(self, start: Any, end: Any) -> Any:
        return where(end >= start, 1.0, -1.0)

    # --- the first step ----------------------------------------------------------------------------------------------
    def first(self, f: Callable, start: Any, end: Any, y: Any, slope: Any) -> Any:
        """As `_control.first_step`, on values."""
        c, span = self.control, absolute(end - start)
        if c.first is not None:
            return minimum(span, c.first)
        way, scale = self.way(start, end), c.scale(absolute(y))
        d0, d1 = norm(y / scale), norm(slope / scale)
        small = (d0 < 1e-5) | (d1 < 1e-5)
        h0 = minimum(where(small, 1e-6, 0.01 * d0 / where(small, 1.0, d1)), span)
        width = astype(h0 * way, self.state.real)
        f1 = f(start + h0 * way, y + slope * width)
        d2 = norm((f1 - slope) / scale) / where(h0 > 0, h0, 1.0)
        most = maximum(d1, d2)
        flat = most <= 1e-15
        h1 = where(flat, maximum(h0 * 1e-3, 1e-6), power(0.01 / where(flat, 1.0, most), 1 / (self.method.order + 1)))
        return minimum(minimum(100 * h0, h1), minimum(span, c.largest))

    # --- by trial ----------------------------------------------------------------------------------------------------
    def search(self, f: Callable, start: Any, end: Any, y: Any, watch: Any = None) -> tuple[Found, Any]:
        """The accepted steps; ``watch`` counts events, and may end it."""
        carry = self.method.begin(f, start, y)
        h = self.first(f, start, end, y, carry[1] if len(carry) > 1 else f(start, y))
        n, dt, most = self.state.n, self.state.dtype, self.most
        empty = lambda s, d: np.zeros((most + 1, *s), d)
        buffers = [empty((), np.float64), empty((n,), dt)]
        buffers += [empty((self.method.terms, n), dt)] if self.dense else []
        buffers += [empty(s, d) for s, d in self.method.blank(n, dt)]
        buffers[0], buffers[1] = _written(buffers[0], 0, start), _written(buffers[1], 0, y)
        status = where(eq(start, end), REACHED, RUNNING)
        seen = () if watch is None else watch.begin(start, y)
        init = (start, h, np.asarray(False), np.asarray(0), status, carry, tuple(buffers), seen)
        done = _loop(lambda s: eq(s[4], RUNNING), lambda s: self._body(f, start, end, watch, s), init)
        count, status, buffers, seen = done[3], done[4], done[6], done[7]
        at = minimum(np.arange(most + 1), count)
        nodes, states, *rest = (index(b, at) for b in buffers)
        cs = rest.pop(0)[1:] if self.dense else None
        calls = 2 + self.method.cost * count
        return Found(nodes, states, cs, tuple(r[1:] for r in rest), count, status, calls), seen

    def _body(self, f: Callable, start: Any, end: Any, watch: Any, state: tuple) -> tuple:
        t, h, rejected, count, _, carry, buffers, seen = state
        c, way = self.control, self.way(start, end)
        least = 10 * EPS * maximum(absolute(t), TINY)
        size = minimum(where(rejected, h, maximum(h, least)), c.largest)
        last = way * (t + size * way - end) >= 0
        new = where(last, end, t + size * way)
        size = absolute(new - t)
        tried = self.method.attempt(f, carry, t, new, c, self.dense)
        good, h = self._next(tried.error, size, rejected)
        row = [new, tried.carry[0], *([tried.coefficients] if self.dense else []), *tried.record]
        buffers = tuple(_written(b, count + 1, v) for b, v in zip(buffers, row, strict=True))
        count = count + astype(good, np.int64)
        status = where(good & last, REACHED, where(h < least, FAILED, RUNNING))
        status = where(eq(status, RUNNING) & (count >= self.most), FAILED, status)
        if watch is not None:
            seen, ended = watch.look(seen, good, count, t, carry[0], new, tried.carry[0])
            status = where(ended, STOPPED, status)
        carry = tuple(where(good, a, b) for a, b in zip(tried.carry, carry, strict=True))
        return where(good, new, t), h, ~good, count, status, carry, buffers, seen

    def _next(self, error: Any, size: Any, rejected: Any) -> tuple[Any, Any]:
        """Whether a step is good, and the size of the next one."""
        good = error < 1
        known = (error > 0) & (error < np.inf)
        factor = SAFETY * power(where(known, error, 1.0), -1 / (self.method.order + 1))
        grown = where(eq(error, 0), MOST, minimum(factor, MOST))
        grown = where(rejected, minimum(grown, 1.0), grown)
        shrunk = where(known, maximum(factor, LEAST), LEAST)
        return good, size * where(good, grown, shrunk)

    # --- again -------------------------------------------------------------------------------------------------------
    def repeat(self, f: Callable, found: Found, start: Any, end: Any, y: Any) -> tuple[Any, Any, Any]:
        """Nodes, states and polynomials with derivatives."""
        nodes = found.nodes
        last = nodes[-1]
        span = last - nodes[0]
        part = (nodes - nodes[0]) / where(eq(span, 0), 1.0, span)
        goal = where(eq(found.status, REACHED), end, last)
        nodes = pin(start + (goal - start) * part, nodes)
        steps = np.arange(self.most)

        def step(carry: tuple, x: tuple) -> tuple:
            k, t, new, *record = x

            def forward(*now: Any) -> Any:
                after, cs = self.method.repeat(
                    f, tuple(map(unwrap, now)), unwrap(t), unwrap(new), tuple(map(unwrap, record)), self.dense
                )
                return tuple(map(wrap, (*after, *([cs] if self.dense else []))))

            def stay(*now: Any) -> Any:
                flat = np.zeros((self.method.terms, self.state.n), self.state.dtype)
                return (*now, *([wrap(flat)] if self.dense else []))

            out = cond(k < wrap(found.count), forward, stay, *carry)
            carry = out[: len(carry)]
            return carry, (carry[0], *out[len(carry) :])

        carry = self.method.begin(f, nodes[0], y)
        xs = (steps, nodes[:-1], nodes[1:], *found.records)
        _, outs = scan(step, tuple(map(wrap, carry)), tuple(map(wrap, xs)), self.most)
        states, *cs = map(unwrap, outs)
        states = concat([reshape(y, (1, *y.shape)), states], 0)
        return nodes, states, cs[0] if cs else None


EPS, TINY = float(np.finfo(float).eps), 1e-300


def _written(buffer: Any, at: Any, row: Any) -> Any:
    b = Tensor(buffer)
    b[at] = wrap(row)
    return b._v


def _loop(test: Callable, body: Callable, init: Any) -> Any:
    """`while_loop` on values."""
    from scisim.core import pytree

    up = lambda s: pytree.tree_map(wrap, s)
    down = lambda s: pytree.tree_map(unwrap, s)
    return down(while_loop(lambda s: wrap(test(down(s))), lambda s: up(body(down(s))), up(init)))


def bounded_run(method: Method, control: Control, state: Any, system: Callable, vals: list, dense: bool) -> tuple:
    """Times, states, nodes, their states and polynomials, status and number of calls."""
    given, count = len(vals) > 3, len(vals)
    right_side, held = opened(system, state)
    run = Bounded(method, control, state, dense or given)

    def outputs(found: Found, nodes: Any, states: Any, cs: Any, ts: Any) -> tuple:
        nodes, states = _with_nans(found, nodes, states)
        if not ts:
            return nodes, states, *((cs,) if dense else ()), found.status, found.calls
        at = segments(found.nodes, ts[0])
        rows = interpolated(nodes, states, cs, ts[0], at)
        way = run.way(found.nodes[0], found.nodes[-1])
        beyond = way * (stop(ts[0]) - found.nodes[-1]) > 0
        rows = where(reshape(beyond & eq(found.status, FAILED), (ts[0].shape[0], 1)), np.nan, rows)
        return rows, *((nodes, states, cs) if dense else ()), found.status, found.calls

    def value(y: Any, start: Any, end: Any, *more: Any) -> tuple:
        found, _ = run.search(right_side(more[count - 3 :]), start, end, y)
        return outputs(found, found.nodes, found.states, found.coefficients, more[: count - 3])

    def derivative(y: Any, start: Any, end: Any, *more: Any) -> tuple:
        ts, values = more[: count - 3], more[count - 3 :]
        found, _ = run.search(right_side(list(map(stop, values))), stop(start), stop(end), stop(y))
        return outputs(found, *run.repeat(right_side(values), found, start, end, y), ts)

    outs = list(pinned_call(value, derivative, *vals, *held))
    calls, status = outs.pop(), outs.pop()
    if given:
        rows, *rest = outs
        return vals[3], rows, *(rest or (None, None, None)), status, calls
    nodes, states, *rest = outs
    return nodes, states, nodes, states, rest[0] if rest else None, status, calls


def _with_nans(found: Found, nodes: Any, states: Any) -> tuple[Any, Any]:
    """What comes behind the last step of a run that failed is not a number."""
    lost = (np.arange(nodes.shape[0]) > found.count) & eq(found.status, FAILED)
    return where(lost, np.nan, nodes), where(reshape(lost, (nodes.shape[0], 1)), np.nan, states)
