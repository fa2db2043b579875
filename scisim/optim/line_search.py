"""Line search for the strong Wolfe conditions: bracketing, then zooming with cubic interpolation
(J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., algorithms 3.5 and 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from scisim.optim.status import FAILED, FOUND, NOT_DESCENT, NOT_FINITE


class Trial(NamedTuple):
    """A point on the line: step, value, slope, and whatever else the function gives (its gradient)."""

    step: float
    value: float
    slope: float
    extra: Any = None


class Found(NamedTuple):
    """The end of a search: the accepted trial (or the best one of a search that failed), how many trials it took, and
    a status: 0 found, 1 no point met the conditions, 2 not a direction of descent, 3 the start is not finite."""

    trial: Trial
    evaluations: int
    status: int


def strong_wolfe(
    phi: Callable[[float], Trial],
    start: Trial,
    first: float = 1.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    max_evaluations: int = 25,
) -> Found:
    """A step t with phi(t) <= phi(0) + c1 t phi'(0) and abs(phi'(t)) <= c2 abs(phi'(0)).

    Parameters
    ----------
    phi : callable
        From a step to a `Trial`; a value that is not finite counts as too high.
    start : Trial
        At step 0, with negative slope.
    first : float
        The first step tried.
    c1, c2 : float
        0 < c1 < c2 < 1.
    max_evaluations : int

    Returns
    -------
    Found
        With status 1 the best trial of sufficient decrease, which is ``start`` if there was none.

    Examples
    --------
    >>> from scisim.optim.line_search import Trial, strong_wolfe
    >>> phi = lambda t: Trial(t, (t - 3.0) ** 2, 2.0 * (t - 3.0))
    >>> strong_wolfe(phi, phi(0.0), c2=0.1).trial.step
    3.0
    """
    if not (math.isfinite(start.value) and math.isfinite(start.slope)):
        return Found(start, 0, NOT_FINITE)
    if start.slope >= 0:
        return Found(start, 0, NOT_DESCENT)
    return _Search(phi, start, c1, c2, max_evaluations).run(first)


class _Search:
    """One search; counts its trials."""

    def __init__(self, phi: Callable, start: Trial, c1: float, c2: float, budget: int) -> None:
        self.phi, self.start, self.c1, self.c2, self.budget = phi, start, c1, c2, budget
        self.used = 0

    def run(self, step: float) -> Found:
        """Longer steps until a bracket or an acceptable point is found."""
        before = self.start
        while self.used < self.budget:
            now = self._try(step)
            if self._too_high(now) or (self.used > 1 and now.value >= before.value):
                return self._zoom(before, now)
            if self._flat(now):
                return Found(now, self.used, FOUND)
            if now.slope >= 0:
                return self._zoom(now, before)
            guess, width = cubic_minimum(before, now), now.step - before.step
            step = min(max(guess, now.step + width), now.step + 9 * width) if guess else now.step + 4 * width
            before = now
        return Found(before, self.used, FAILED)

    def _zoom(self, low: Trial, high: Trial) -> Found:
        """Between ``low``, the best point so far, and ``high`` lies an acceptable one."""
        slow = 0
        while self.used < self.budget:
            width = high.step - low.step
            if abs(width) <= 1e-15 * max(abs(low.step), abs(high.step)):
                break
            step = self._inside(low, high, width) if slow < 2 else low.step + 0.5 * width
            now = self._try(step)
            if self._too_high(now) or now.value >= low.value:
                high = now
            elif self._flat(now):
                return Found(now, self.used, FOUND)
            else:
                low, high = now, (low if now.slope * width >= 0 else high)
            # three trials that shrink the bracket by less than a third are followed by a bisection
            slow = slow + 1 if abs(high.step - low.step) > 0.66 * abs(width) else 0
        return Found(low, self.used, FAILED)

    def _inside(self, low: Trial, high: Trial, width: float) -> float:
        guess = cubic_minimum(low, high)
        share = 0.5 if guess is None else (guess - low.step) / width
        return low.step + min(max(share, 0.1), 0.9) * width if math.isfinite(share) else low.step + 0.5 * width

    def _try(self, step: float) -> Trial:
        self.used += 1
        t = self.phi(step)
        finite = math.isfinite(t.value) and math.isfinite(t.slope)
        return t if finite else Trial(step, math.inf, math.nan)

    def _too_high(self, t: Trial) -> bool:
        return not t.value <= self.start.value + self.c1 * t.step * self.start.slope

    def _flat(self, t: Trial) -> bool:
        return abs(t.slope) <= -self.c2 * self.start.slope


def cubic_minimum(a: Trial, b: Trial) -> float | None:
    """The minimum of the cubic through two values and slopes; None where it has none (formula 3.59)."""
    h = b.step - a.step
    if h == 0 or not (math.isfinite(b.value) and math.isfinite(b.slope)):
        return None
    d = a.slope + b.slope - 3 * (b.value - a.value) / h
    under = d * d - a.slope * b.slope
    if not under >= 0:
        return None
    root = math.copysign(math.sqrt(under), h)
    below = b.slope - a.slope + 2 * root
    return None if below == 0 else b.step - h * (b.slope + root - d) / below
