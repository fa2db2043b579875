"""An initial value problem as values, and the ways to solve it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, check_function, dtype, is_complex, name_of, shape
from scisim.integrate._adjoint import adjoint_rows
from scisim.integrate._bounded import BoundedRun
from scisim.integrate._control import Control
from scisim.integrate._drive import Drive, Event, Run, check_times
from scisim.integrate._methods import Method, method_of
from scisim.integrate._replay import Replay, base, repeated_run
from scisim.integrate._result import OdeResult, OdeSolution
from scisim.integrate._system import MeetsTraced, State, System, plain
from scisim.integrate._watch import Watch
from scisim.ops.shape import astype, concat, reshape, stack

WHO = "integrate.solve_ivp"


class Problem:
    """The arguments, checked, as values."""

    def __init__(
        self,
        fun: Callable,
        t_span: Any,
        y0: Any,
        method: Any,
        t_eval: Any,
        dense: bool,
        events: Any,
        args: Any,
        jac: Any,
    ) -> None:
        if args is not None and not isinstance(args, (tuple, list)):
            raise ArgumentTypeError(f"{WHO}: args is {args!r:.60}; expected a tuple, such as args=(a,)")
        self.state = State(WHO, y0)
        self.system = System(WHO, fun, self.state, tuple(args or ()))
        self.method: Method = method_of(WHO, method, self.system, jac)
        self.start, self.end = _times(t_span)
        self.known = not any(map(_unknown, (self.start, self.end)))
        self.span = (float(base(self.start)), float(base(self.end))) if self.known else (-np.inf, np.inf)
        self.t_eval = None if t_eval is None else _vector(t_eval)
        self.dense, self.max_events = dense, 16
        single = events is None or callable(events)
        if not single and not isinstance(events, (list, tuple)):
            raise ArgumentTypeError(f"{WHO}: events is {events!r:.60}; expected a function, or a list of them")
        self.events = [] if events is None else [events] if single else list(events)
        self.wants = [_asked(e) for e in self.events]
        if self.t_eval is not None and self.known and not _unknown(self.t_eval):
            check_times(WHO, np.asarray(base(self.t_eval)), *self.span)

    def traced(self) -> bool:
        """Whether values of a transformation are among the arguments."""
        leaves = pytree.tree_leaves(self.system.args) if self.system.args else []
        values = [x._v if type(x) is Tensor else x for x in leaves]
        return any(isinstance(v, Traced) for v in (self.state.value, self.start, self.end, self.t_eval, *values))

    def unknown(self) -> bool:
        """Whether values are not known, or those of many problems at once; closures show in what functions return."""
        leaves = pytree.tree_leaves(self.system.args)
        values = [self.state.value, self.start, self.end, self.t_eval]
        values += [x._v if type(x) is Tensor else x for x in leaves]
        values.append(self.system(self.start, self.state.value))
        values += [self._event(e)(self.start, self.state.value) for e in self.events]
        return any(map(_unknown, values))

    # --- on arrays ---------------------------------------------------------------------------------------------------
    def plainly(self, c: Control) -> OdeResult:
        f = plain(self.system)
        events = [Event(self._plain_event(e), *w) for e, w in zip(self.events, self.wants, strict=True)]
        solver = self.method.solver(f, c, self.state.value)
        run = Drive(WHO, solver, c, self.t_eval, self.dense, events)()
        ts, ys = self._points(run)
        sol = None
        if self.dense:
            cs = np.stack(run.coefficients) if run.coefficients else np.zeros((0, self.method.terms, self.state.n))
            sol = self._solution(np.asarray(run.nodes, float), np.stack(run.states), cs)
        hits = [([t for _, t, _ in h], [y for _, _, y in h]) for h in run.hits]
        return self._result(run, solver, ts, ys, sol, [(self._as_times(t), self._as_rows(y)) for t, y in hits])

    def _plain_event(self, event: Callable) -> Callable:
        def value(t: float, y: np.ndarray) -> float:
            v = self._event(event)(np.float64(t), y)
            if isinstance(v, Traced):
                raise MeetsTraced
            return float(v)

        return value

    def _event(self, event: Callable) -> Callable:
        """An event function from values to one real number."""

        def value(t: Any, y: Any) -> Any:
            out = event(wrap(astype(t, self.state.real)), self.state.tree(y), *self.system.args)
            v = out._v if type(out) is Tensor else as_value(out)
            if v.size != 1 or is_complex(v):
                raise ShapeError(
                    f"{WHO}: the event {name_of(event)} returns {dtype(v)}{list(shape(v))}; expected one real number, "
                    f"of which zeros are found"
                )
            return reshape(v, ()) if shape(v) else v

        return value

    def _points(self, run: Run) -> tuple[np.ndarray, np.ndarray]:
        if self.t_eval is not None:
            return self.t_eval[: len(run.rows)], self._as_rows(run.rows)
        nodes, states = list(run.nodes), list(run.states)
        if run.cut is not None:
            nodes[-1], states[-1] = run.cut
        return np.asarray(nodes, float), self._as_rows(states)

    def _as_rows(self, ys: list) -> np.ndarray:
        return np.stack(ys) if ys else np.zeros((0, self.state.n), self.state.dtype)

    def _as_times(self, ts: list) -> np.ndarray:
        return np.asarray(ts, float)

    def _solution(self, nodes: Any, states: Any, coefficients: Any) -> OdeSolution:
        return OdeSolution(self.state, nodes, states, coefficients)

    # --- on values that carry derivatives ----------------------------------------------------------------------------
    def again(self, c: Control) -> OdeResult:
        """The steps of a run on arrays, repeated."""
        events = [(self._event(e), *w) for e, w in zip(self.events, self.wants, strict=True)]
        bare = None if self.t_eval is None else np.asarray(base(self.t_eval))
        run, solver = repeated_run(WHO, self.method, self.system, c, self.state.value, bare, False, events)
        dense = self.dense or self.t_eval is not None or bool(events)
        replay = Replay(self.method, self.system, run, self.state.value, self.start, self.end, dense)
        found = [[replay.zeros(e[0], k, t) for k, t, _ in h] for e, h in zip(events, run.hits, strict=True)]
        ts, ys = self._replayed_points(run, replay, found)
        pairs = [tuple(zip(*h, strict=True)) or ((), ()) for h in found]
        hits = [(self._stacked(t, ()), self._stacked(y, (self.state.n,))) for t, y in pairs]
        sol = self._solution(replay.nodes, replay.states, replay.coefficients) if self.dense else None
        return self._result(run, solver, ts, ys, sol, hits)

    def _stacked(self, vs: tuple, s: tuple) -> Any:
        return stack(vs) if vs else np.zeros((0, *s), self.state.dtype if s else float)

    def _replayed_points(self, run: Run, replay: Replay, found: list) -> tuple[Any, Any]:
        if self.t_eval is not None:
            ts = self.t_eval[: len(run.rows)]
            return ts, replay.rows(astype(ts, np.float64))
        if run.cut is None:
            return replay.nodes, replay.states
        t, y = max((h[-1] for h in found if h), key=lambda pair: abs(base(pair[0]) - self.span[0]))
        return concat([replay.nodes[:-1], reshape(t, (1,))], 0), concat([replay.states[:-1], reshape(y, (1, -1))], 0)

    def by_adjoint(self, solve: Callable) -> OdeResult:
        """States at the output times, differentiated by the continuous adjoint."""
        if self.t_eval is None or self.dense or self.events:
            raise ArgumentError(
                f"{WHO}: adjoint='continuous' gives states at output times; pass t_eval, and leave out dense_output "
                f"and events, or use adjoint='discrete'"
            )

        rows = adjoint_rows(self.system, self.state, solve, self.state.value, self.start, self.t_eval)
        return OdeResult(
            t=wrap(astype(self.t_eval, self.state.real)),
            y=self.state.table(rows),
            sol=None,
            t_events=None,
            y_events=None,
            nfev=0,
            njev=0,
            nlu=0,
            status=0,
            message="the adjoint keeps the states alone",
            success=True,
        )

    # --- inside jit and vmap -----------------------------------------------------------------------------------------
    def within(self, c: Control) -> OdeResult:
        """In a loop of bounded length."""
        for e, (_, times) in zip(self.events, self.wants, strict=True):
            if times < np.inf and times > self.max_events:
                raise ArgumentError(
                    f"{WHO}: {name_of(e)} is terminal after {times:g} zeros, but max_events={self.max_events} are kept "
                    f"inside jit and vmap; raise max_events"
                )
        functions = [self.system, *map(self._event, self.events)]
        run = BoundedRun(
            self.method, c, self.state, functions, lambda es: Watch(es, self.wants, self.max_events), self.dense
        )
        out = run(self.state.value, self.start, self.end, self.t_eval)
        given = self.t_eval is not None
        ts, ys = (self.t_eval, out["rows"]) if given else (out["times"], out["points"])
        sol = self._solution(out["nodes"], out["states"], out["coefficients"]) if self.dense else None
        count, real = len(self.events), self.state.real
        return OdeResult(
            t=wrap(astype(ts, real)),
            y=self.state.table(ys),
            sol=sol,
            t_events=[wrap(astype(out[f"time {k}"], real)) for k in range(count)] if count else None,
            y_events=[wrap(out[f"state {k}"]) for k in range(count)] if count else None,
            nfev=wrap(out["calls"]),
            njev=0,
            nlu=0,
            status=wrap(out["status"]),
            message="status says how it ended",
            success=wrap(out["status"] >= 0),
        )

    # --- the result --------------------------------------------------------------------------------------------------
    def _result(self, run: Run, solver: Any, ts: Any, ys: Any, sol: Any, hits: list) -> OdeResult:
        times = self.state.real
        return OdeResult(
            t=wrap(astype(ts, times)),
            y=self.state.table(ys),
            sol=sol,
            t_events=[wrap(astype(t, times)) for t, _ in hits] if self.events else None,
            y_events=[wrap(y) for _, y in hits] if self.events else None,
            nfev=solver.nfev,
            njev=solver.njev,
            nlu=solver.nlu,
            status=run.status,
            message=run.message,
            success=run.status >= 0,
        )


def _unknown(x: Any) -> bool:
    """Whether a value is a variable of a program, or a batch of values."""
    while isinstance(x, Traced):
        if isinstance(x.trace, Batch) or x.lower is None:
            return True
        x = x.lower
    return False


def _times(t_span: Any) -> tuple[Any, Any]:
    """Start and end, values of float64."""
    parts = list(t_span) if isinstance(t_span, (list, tuple)) else None
    if parts is None:
        v = t_span._v if type(t_span) is Tensor else as_value(t_span)
        parts = [v[k] for k in range(v.shape[0])] if len(shape(v)) == 1 else []
    if len(parts) != 2:
        raise ArgumentError(f"{WHO}: t_span is {t_span!r:.60}; expected two times, such as (0.0, 1.0)")
    vals = [p._v if type(p) is Tensor else as_value(p) for p in parts]
    for v in vals:
        if shape(v) != () or is_complex(v) or not (_unknown(v) or np.isfinite(base(v))):
            raise ArgumentError(f"{WHO}: t_span is {t_span!r:.60}; expected two finite real times")
    return astype(vals[0], np.float64), astype(vals[1], np.float64)


def _vector(t_eval: Any) -> Any:
    v = Tensor(t_eval)._v
    return astype(v, np.float64)


def _asked(event: Any) -> tuple[float, float]:
    """Direction of an event, and how often it may happen."""
    check_function(WHO, event)
    terminal = getattr(event, "terminal", False)
    times = np.inf if terminal is None or terminal is False else 1 if terminal is True else terminal
    if times != np.inf and (int(times) != times or times < 0):
        raise ArgumentError(f"{WHO}: event.terminal is {terminal!r}; expected a boolean or a positive number of times")
    return float(getattr(event, "direction", 0)), float(times) or np.inf
