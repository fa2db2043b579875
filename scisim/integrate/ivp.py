"""Initial value problems of ordinary differential equations, with SciPy's signature and derivatives of any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.batch import Batch
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, check_function, dtype, is_complex, name_of, shape
from scisim.integrate._bounded import bounded_run
from scisim.integrate._control import Control, control
from scisim.integrate._drive import Drive, Event, Run, check_times
from scisim.integrate._methods import Method, method_of
from scisim.integrate._replay import Replay, base, repeated_run
from scisim.integrate._result import OdeResult, OdeSolution
from scisim.integrate._system import MeetsTraced, State, System, plain
from scisim.ops.shape import astype, concat, reshape, stack

WHO = "integrate.solve_ivp"


def solve_ivp(
    fun: Callable,
    t_span: Any,
    y0: Any,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: tuple | None = None,
    *,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    first_step: float | None = None,
    max_step: float = np.inf,
    max_steps: int | None = None,
    jac: Any = None,
) -> OdeResult:
    """Solve dy/dt = fun(t, y), y(t0) = y0."""
    check_function(WHO, fun)
    problem = _Problem(fun, t_span, y0, method, t_eval, dense_output, events, args, jac)
    c = control(WHO, problem.state, *problem.span, rtol, atol, first_step, max_step, max_steps)
    if not problem.traced():
        try:
            return problem.plainly(c)
        except MeetsTraced:
            pass
    return problem.within(c) if problem.unknown() else problem.again(c)


class _Problem:
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
        self.dense = dense
        single = events is None or callable(events)
        self.events = [] if events is None else [events] if single else list(events)
        self.wants = [_asked(e) for e in self.events]
        if self.t_eval is not None and self.known and not _unknown(self.t_eval):
            check_times(WHO, np.asarray(base(self.t_eval)), *self.span)

    def traced(self) -> bool:
        """Whether values of a transformation are among the arguments."""
        leaves = pytree.tree_leaves(self.system.args)
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

    # --- inside jit and vmap -----------------------------------------------------------------------------------------
    def within(self, c: Control) -> OdeResult:
        """In a loop of bounded length."""
        vals = [self.state.value, self.start, self.end, *([] if self.t_eval is None else [self.t_eval])]
        outs = bounded_run(self.method, c, self.state, self.system, vals, self.dense)
        ts, ys, nodes, states, cs, status, calls = outs
        sol = self._solution(nodes, states, cs) if self.dense else None
        return OdeResult(
            t=wrap(astype(ts, self.state.real)),
            y=self.state.table(ys),
            sol=sol,
            t_events=None,
            y_events=None,
            nfev=wrap(calls),
            njev=0,
            nlu=0,
            status=wrap(status),
            message="status says how it ended",
            success=wrap(status >= 0),
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
