"""The loop around a solver on arrays: output times, events, the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.integrate._control import TOO_SMALL, Control
from scisim.integrate._result import polynomial

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Event:
    """An event function of plain values, and what it asks for: ``times`` is how often it may be zero before the end."""

    value: Callable[[float, np.ndarray], float]
    direction: float
    times: float


@dataclass
class Run:
    """What one integration found.

    Attributes
    ----------
    nodes, states : list
        At the ends of steps, the start included.
    coefficients : list
        Of the polynomial on each step, None where nobody asked.
    records : list
        What is needed to repeat each step.
    rows : list
        States at the output times.
    hits : list of lists
        For each event (step, time, state).
    cut : time and state at which a terminal event ended it, or None
    """

    nodes: list = field(default_factory=list)
    states: list = field(default_factory=list)
    coefficients: list = field(default_factory=list)
    records: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    hits: list = field(default_factory=list)
    cut: tuple | None = None
    status: int = 0
    message: str = ""


class Drive:
    """One integration.

    Parameters
    ----------
    solver : object
        With ``t``, ``y``, ``before``, ``step()``, ``coefficients()`` and ``record``.
    t_eval : array, optional
    dense : bool
        Keep the polynomial of each step.
    events : list of Event
    """

    def __init__(self, who: str, solver: Any, control: Control, t_eval: Any, dense: bool, events: list[Event]) -> None:
        self.who, self.solver, self.control, self.t_eval, self.dense = who, solver, control, t_eval, dense
        self.events, self.run, self.seen = events, Run([solver.t], [solver.y]), 0
        self.run.hits = [[] for _ in events]
        if not np.all(np.isfinite(solver.f)):
            raise ArgumentError(
                f"{who}: the function gives nan or infinity at the start, t = {solver.t:.6g}; begin where it is defined"
            )
        self.keep = t_eval is None or dense
        self.values = [e.value(solver.t, solver.y) for e in events]

    def __call__(self) -> Run:
        solver, run, end, most = self.solver, self.run, self.control.end, self.control.steps
        plain = self.t_eval is None and not self.dense and not self.events
        if self.t_eval is not None:
            self._start_rows()
        while solver.t != end:
            if most is not None and len(run.records) >= most:
                return self._failed(f"the end was not reached in max_steps={most} steps; at t = {solver.t:.6g}", None)
            failure = solver.step()
            if failure:
                return self._failed(failure, solver.failed_at)
            run.nodes.append(solver.t)
            if self.keep:
                run.states.append(solver.y)
            run.records.append(solver.record)
            if not plain and self._between():
                return run
        run.message = "the solver reached the end of t_span"
        return run

    def _failed(self, failure: str, nan_at: float | None) -> Run:
        self.run.status = -1
        t = self.solver.t
        if failure is TOO_SMALL:
            why = (
                f"the function gives nan or infinity near t = {nan_at:.6g}"
                if nan_at is not None
                else "the solution grows without bound there, or the problem is stiff; try method='Radau' or 'BDF'"
            )
            failure = f"at t = {t:.6g} {TOO_SMALL}: {why}"
        self.run.message = failure
        return self.run

    def _start_rows(self) -> None:
        """Output at the very start."""
        while self.seen < len(self.t_eval) and self.t_eval[self.seen] == self.control.start:
            self.run.rows.append(self.solver.y)
            self.seen += 1

    def _between(self) -> bool:
        """Output and events of the last step; whether it was the last."""
        run, solver = self.run, self.solver
        (start, y), end = solver.before, solver.t
        made: list = []

        def coefficients() -> Any:
            if not made:
                made.append(solver.coefficients())
            return made[0]

        def at(t: float) -> np.ndarray:
            cs = coefficients()
            return polynomial(y, list(cs), y.real.dtype.type((t - start) / (end - start)))

        cut = self._events(at, start, end) if self.events else None
        if self.t_eval is not None:
            self._rows(coefficients, start, y, end, end if cut is None else cut)
        run.coefficients.append(coefficients() if self.dense else None)
        if cut is None:
            return False
        run.cut, run.status = (cut, at(cut)), 1
        run.message = "a terminal event ended it"
        return True

    def _rows(self, coefficients: Callable, start: float, y: np.ndarray, end: float, stop: float) -> None:
        """Output at the times up to ``stop`` of a step that ends at ``end``."""
        first, way = self.seen, self.control.direction
        while self.seen < len(self.t_eval) and way * (self.t_eval[self.seen] - stop) <= 0:
            self.seen += 1
        if self.seen > first:
            theta = ((self.t_eval[first : self.seen] - start) / (end - start)).astype(y.real.dtype)[:, None]
            self.run.rows.extend(polynomial(y, list(coefficients()), theta))

    def _events(self, at: Callable, start: float, end: float) -> float | None:
        """Zeros of events within a step; the time at which it ends, if one is terminal."""
        found = []
        for k, e in enumerate(self.events):
            old, new = self.values[k], e.value(end, self.solver.y)
            self.values[k] = new
            up, down = old <= 0 <= new, old >= 0 >= new
            if (up and e.direction >= 0) or (down and e.direction <= 0):
                found.append((self._zero(e, at, start, end, old, new), k))
        found.sort(key=lambda pair: self.control.direction * pair[0])
        for t, k in found:
            self.run.hits[k].append((len(self.run.records) - 1, t, at(t)))
            if len(self.run.hits[k]) >= self.events[k].times:
                return t
        return None

    def _zero(self, e: Event, at: Callable, start: float, end: float, old: float, new: float) -> float:
        from scipy.optimize import brentq

        f = lambda t: e.value(t, at(t))
        if f(start) * f(end) > 0:  # the polynomial is not the state to the last bit
            return start if abs(old) <= abs(new) else end
        return float(brentq(f, start, end, xtol=4 * EPS, rtol=4 * EPS))


def check_times(who: str, t_eval: Any, start: float, end: float) -> Any:
    """Output times that are in order and within the span."""
    if t_eval.ndim != 1:
        raise ArgumentError(f"{who}: t_eval has shape {t_eval.shape}; expected a vector of times")
    low, high = min(start, end), max(start, end)
    outside = t_eval[(t_eval < low) | (t_eval > high) | (t_eval != t_eval)]
    if outside.size:
        raise ArgumentError(f"{who}: t_eval holds {outside[0]:g}, outside of t_span, which is {start:g} to {end:g}")
    if np.any(np.diff(t_eval) * (1 if end >= start else -1) <= 0):
        way = "ascending" if end >= start else "descending"
        raise ArgumentError(f"{who}: t_eval is not {way}; give the times in the order in which t_span goes")
    return t_eval
