"""Integration where values are not known, inside jit or vmap: a loop of bounded length over steps.

The steps are found by a while loop without derivatives, which gives the values.  Derivatives see a scan over as many
steps as there may be, in which those that were accepted are repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff._pinned import pinned_call
from scisim.core.avals import ShapeDtype
from scisim.core.capture import capture, close
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced
from scisim.integrate._control import LEAST, MOST, SAFETY, Control
from scisim.integrate._explicit import norm
from scisim.integrate._methods import Method
from scisim.integrate._result import interpolated, polynomial, segments
from scisim.ops.arithmetic import absolute, pin, power, stop
from scisim.ops.flow import cond, scan, while_loop
from scisim.ops.index import index
from scisim.ops.select import eq, maximum, minimum, where
from scisim.ops.shape import astype, concat, reshape

REACHED, RUNNING, FAILED, STOPPED = 0, 2, -1, 1
DEFAULT_STEPS = 4096


ALL = ("states", "coefficients", "records")


class Found(NamedTuple):
    """Steps that were accepted; buffers hold the last one again behind them."""

    nodes: Any
    states: Any
    coefficients: Any
    records: tuple
    count: Any
    status: Any
    calls: Any
    rows: Any = None


def opened(f: Callable, state: Any, number: bool = False) -> tuple[Callable, list]:
    """A function of time and state with the values that it closes over as further arguments, and these."""
    avals = [ShapeDtype((), np.dtype(float) if number else state.real), ShapeDtype((state.n,), state.dtype)]
    graph, held = close(capture(lambda t, y: [f(t, y)], avals))
    return (lambda values: lambda t, y: graph(astype(t, avals[0].dtype), y, *values)[0]), held


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
    def search(
        self,
        f: Callable,
        start: Any,
        end: Any,
        y: Any,
        watch: Any = None,
        keep: Sequence[str] = ALL,
        ts: Any = None,
    ) -> tuple[Found, Any]:
        """The accepted steps.

        Parameters
        ----------
        watch : Watch, optional
            Counts events, and may end it.
        keep : sequence of str
            What is kept of each step, besides its end.
        ts : value, optional
            Times of output.
        """
        carry = self.method.begin(f, start, y)
        h = self.first(f, start, end, y, carry[1] if len(carry) > 1 else f(start, y))
        buffers = self._buffers(keep, start, y)
        rows = () if ts is None else (np.zeros((ts.shape[0], self.state.n), y.dtype) + y, np.asarray(0))
        status = where(eq(start, end), REACHED, RUNNING)
        seen = () if watch is None else watch.begin(start, y)
        init = (start, h, np.asarray(False), np.asarray(0), status, carry, buffers, seen, rows)
        done = _loop(lambda s: eq(s[4], RUNNING), lambda s: self._body(f, start, end, watch, ts, s), init)
        count, status, buffers, seen, rows = done[3], done[4], done[6], done[7], done[8]
        at = minimum(np.arange(self.most + 1), count)
        kept = {name: index(b, at) for name, b in buffers.items()}
        records = tuple(v[1:] for name, v in kept.items() if name.startswith("record"))
        cs = kept["coefficients"][1:] if "coefficients" in kept else None
        calls = 2 + self.method.cost * count
        return Found(kept["nodes"], kept.get("states"), cs, records, count, status, calls, rows and rows[0]), seen

    def _buffers(self, keep: Sequence[str], start: Any, y: Any) -> dict[str, Any]:
        n, dt = self.state.n, self.state.dtype
        empty = lambda s, d: np.zeros((self.most + 1, *s), d)
        out: dict[str, Any] = {"nodes": _written(empty((), np.float64), 0, start)}
        if "states" in keep:
            out["states"] = _written(empty((n,), dt), 0, y)
        if "coefficients" in keep and self.dense:
            out["coefficients"] = empty((self.method.terms, n), dt)
        if "records" in keep:
            out |= {f"record {k}": empty(s, d) for k, (s, d) in enumerate(self.method.blank(n, dt))}
        return out

    def _body(self, f: Callable, start: Any, end: Any, watch: Any, ts: Any, state: tuple) -> tuple:
        t, h, rejected, count, _, carry, buffers, seen, rows = state
        c, way = self.control, self.way(start, end)
        least = 10 * EPS * maximum(absolute(t), TINY)
        size = minimum(where(rejected, h, maximum(h, least)), c.largest)
        last = way * (t + size * way - end) >= 0
        new = where(last, end, t + size * way)
        size = absolute(new - t)
        tried = self.method.attempt(f, carry, t, new, c, self.dense)
        good, h = self._next(tried.error, size, rejected)
        row = {"nodes": new, "states": tried.carry[0], "coefficients": tried.coefficients}
        row |= {f"record {k}": v for k, v in enumerate(tried.record)}
        buffers = {name: _written(b, count + 1, row[name]) for name, b in buffers.items()}
        if rows:
            rows = self._rows(rows, good, ts, way, t, new, carry[0], tried.coefficients)
        count = count + astype(good, np.int64)
        status = where(good & last, REACHED, where(h < least, FAILED, RUNNING))
        status = where(eq(status, RUNNING) & (count >= self.most), FAILED, status)
        if watch is not None:
            seen, ended = watch.look(seen, good, count, new, tried.carry[0])
            status = where(ended, STOPPED, status)
        carry = tuple(where(good, a, b) for a, b in zip(tried.carry, carry, strict=True))
        return where(good, new, t), h, ~good, count, status, carry, buffers, seen, rows

    def _rows(self, rows: tuple, good: Any, ts: Any, way: Any, t: Any, new: Any, y: Any, cs: Any) -> tuple:
        """Output at the times within a step that is good."""
        last, terms = ts.shape[0] - 1, [cs[j] for j in range(cs.shape[0])]
        if last < 0:
            return rows
        at = lambda seen: index(ts, minimum(seen, last))

        def more(state: tuple) -> Any:
            return good & (state[1] <= last) & (way * (at(state[1]) - new) <= 0)

        def write(state: tuple) -> tuple:
            out, seen = state
            theta = astype((at(seen) - t) / (new - t), self.state.real)
            return _written(out, minimum(seen, last), polynomial(y, terms, theta)), seen + 1

        return _loop(more, write, rows)

    def _next(self, error: Any, size: Any, rejected: Any) -> tuple[Any, Any]:
        """Whether a step is good, and the size of the next one."""
        good = error < 1
        # An error below that leads to the greatest step anyway; nan compares as no number.
        factor = SAFETY * power(maximum(error, 1e-12), -1 / (self.method.order + 1))
        grown = minimum(factor, MOST)
        grown = where(rejected, minimum(grown, 1.0), grown)
        shrunk = where(error < np.inf, maximum(factor, LEAST), LEAST)
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
            active = k < wrap(found.count)
            # A batch computes idle steps too: they are the first one, since a step of no length may be singular.
            t, new = wrap(where(active._v, t._v, nodes[0])), wrap(where(active._v, new._v, nodes[1]))

            def forward(*now: Any) -> Any:
                after, cs = self.method.repeat(
                    f, tuple(map(unwrap, now)), unwrap(t), unwrap(new), tuple(map(unwrap, record)), self.dense
                )
                return tuple(map(wrap, (*after, *([cs] if self.dense else []))))

            def stay(*now: Any) -> Any:
                flat = np.zeros((self.method.terms, self.state.n), self.state.dtype)
                return (*now, *([wrap(flat)] if self.dense else []))

            out = cond(active, forward, stay, *carry)
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


class BoundedRun:
    """A whole run as one computation with derivatives.

    Parameters
    ----------
    method, control, state
    system : callable
    events : list of callable
    watch : callable
        From event functions to their `Watch`.
    dense : bool
        Give the polynomials too.
    """

    def __init__(
        self, method: Method, control: Control, state: Any, functions: list, watch: Callable, dense: bool
    ) -> None:
        self.state, self.functions, self.watch, self.dense = state, functions, watch, dense
        self.method, self.control = method, control

    def __call__(self, y: Any, start: Any, end: Any, ts: Any) -> dict[str, Any]:
        """Values by name: see `_outputs`."""
        pairs = [opened(f, self.state, number=k > 0) for k, f in enumerate(self.functions)]
        sizes = np.cumsum([0, *(len(held) for _, held in pairs)])
        opens = [f for f, _ in pairs]
        events = len(opens) > 1
        closed_over = [v for _, held in pairs for v in held]
        if self.control.steps is None and not any(map(_variable, (y, start, end, ts, *closed_over))):
            self._count(opens[0](list(map(stop, pairs[0][1]))), stop(y), stop(start), stop(end))
        run = Bounded(self.method, self.control, self.state, self.dense or ts is not None or events)
        names: list[str] = []

        def functions(values: Any) -> list:
            return [f(values[a:b]) for f, a, b in zip(opens, sizes[:-1], sizes[1:], strict=True)]

        def finished(found: Found, seen: Any, watch: Any, parts: tuple, times: Any) -> tuple:
            out = self._outputs(run, found, seen, watch, parts, times)
            names[:] = list(out)
            return tuple(out.values())

        given = () if ts is None else (ts,)

        def value(y: Any, start: Any, end: Any, *more: Any) -> tuple:
            f, *es = functions(more[len(given) :])
            watch = self.watch(es) if es else None
            keep = ALL[:2] if self.dense or es else ALL[:1] if ts is None else ()
            found, seen = run.search(f, start, end, y, watch, keep, ts=more[0] if given else None)
            times = watch.zeros(seen, found.nodes, found.states, found.coefficients) if watch else []
            return finished(found, seen, watch, (found.nodes, found.states, found.coefficients, times), more)

        def derivative(y: Any, start: Any, end: Any, *more: Any) -> tuple:
            f, *es = functions(list(map(stop, more[len(given) :])))
            watch = self.watch(es) if es else None
            keep = ALL if es else ALL[2:]
            found, seen = run.search(f, stop(start), stop(end), stop(y), watch, keep)
            times = watch.zeros(seen, found.nodes, found.states, found.coefficients) if watch else []
            g, *live = functions(more[len(given) :])
            watch = self.watch(live) if live else None
            return finished(found, seen, watch, (*run.repeat(g, found, start, end, y), times), more)

        self.given = len(given)
        outs = pinned_call(value, derivative, y, start, end, *given, *closed_over)
        return dict(zip(names, outs, strict=True))

    def _count(self, f: Callable, y: Any, start: Any, end: Any) -> None:
        """Bound the steps by the number that a first run takes, where values are known."""
        found, _ = Bounded(self.method, self.control, self.state, False).search(f, start, end, y, keep=())
        count = found.count
        while isinstance(count, Traced):
            count = count.lower
        self.control = replace(self.control, steps=max(1, int(np.max(count))))

    def _outputs(self, run: Bounded, found: Found, seen: Any, watch: Any, parts: tuple, more: Any) -> dict[str, Any]:
        """Nodes and states, rows at the output times, polynomials, events, how it ended."""
        nodes, states, cs, times = parts
        out: dict[str, Any] = {}
        way, last = run.way(found.nodes[0], found.nodes[-1]), nodes[-1]
        if watch is not None:
            times, found_states = watch.followed(times, seen, nodes, states, cs)
            last = where(eq(found.status, STOPPED), watch.end(times, seen, way, last), last)
            for k, (t, y) in enumerate(zip(times, found_states, strict=True)):
                late = way * (stop(t) - stop(last)) > 0
                out[f"time {k}"] = where(late, np.nan, t)
                out[f"state {k}"] = where(reshape(late, (t.shape[0], 1)), np.nan, y)
        if self.given:
            beyond = way * (stop(more[0]) - stop(last)) > 0
            rows = found.rows
            if not isinstance(rows, Traced):
                rows = interpolated(nodes, states, cs, more[0], segments(found.nodes, more[0]))
            out["rows"] = where(reshape(beyond, (more[0].shape[0], 1)), np.nan, rows)
        if self.dense:
            out |= {"nodes": nodes, "states": states, "coefficients": cs}
        if not self.given:
            out |= self._points(found, watch, nodes, states, cs, last)
        return {**out, "status": found.status, "calls": found.calls}

    def _points(self, found: Found, watch: Any, nodes: Any, states: Any, cs: Any, last: Any) -> dict[str, Any]:
        """All steps; behind the last one the end again, or what is not a number if it failed."""
        if watch is not None:
            at = reshape(maximum(found.count - 1, 0), (1,))
            end = interpolated(nodes, states, cs, reshape(last, (1,)), at)
            behind = (np.arange(nodes.shape[0]) >= found.count) & eq(found.status, STOPPED)
            nodes = where(behind, last, nodes)
            states = where(reshape(behind, (nodes.shape[0], 1)), end, states)
        nodes, states = _with_nans(found, nodes, states)
        return {"times": nodes, "points": states}


def _with_nans(found: Found, nodes: Any, states: Any) -> tuple[Any, Any]:
    """What comes behind the last step of a run that failed is not a number."""
    at = np.arange(nodes.shape[0])
    lost = ((at > found.count) | (at == nodes.shape[0] - 1)) & eq(found.status, FAILED)
    return where(lost, np.nan, nodes), where(reshape(lost, (nodes.shape[0], 1)), np.nan, states)


def _variable(x: Any) -> bool:
    """Whether a value is one of a program, which nobody knows."""
    while isinstance(x, Traced):
        if x.lower is None:
            return True
        x = x.lower
    return False
