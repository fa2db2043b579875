"""Line search for the strong Wolfe conditions: bracketing, then zooming with cubic interpolation
(J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., algorithms 3.5 and 3.6), one trial a step of one loop.

Near a minimum, where values differ by roundings only, the slope decides (the approximate conditions of W. Hager,
H. Zhang, SIAM J. Optim. 16 (2005) 170).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import dtype
from scisim.optimize._values import count, finite, is_false, is_true, loop, no, pick, scalar

GOING, FOUND, FAILED = 0, 1, 2


class Line(NamedTuple):
    """A search: the next step; the best point so far (step, value, slope, gradient) and the other end of the bracket
    (an infinite step where there is none yet); how it stands."""

    step: Any
    t: Any
    f: Any
    d: Any
    g: Any
    high: Any
    high_f: Any
    high_d: Any
    status: Any
    used: Any
    slow: Any


class Rules(NamedTuple):
    """The constants of a search."""

    c1: float = 1e-4
    c2: float = 0.9
    trials: int = 25
    longest: Any = np.inf


STRONG = Rules()


def wolfe(both: Callable, x: Any, p: Any, f: Any, g: Any, first: Any, rules: Rules = STRONG) -> Line:
    """A step t along p with f(x + t p) <= f + c1 t g.p and abs(g(x + t p).p) <= c2 abs(g.p).

    Parameters
    ----------
    both : callable
        From a vector to value and gradient.
    x, p, f, g : value
        Point, direction of descent, and value and gradient there.
    first : value
        The first step.

    Returns
    -------
    Line
        Its point is the one accepted, or the best one of sufficient decrease (the start if there is none).
    """
    slope, tiny = g @ p, 8 * np.finfo(dtype(x)).eps * abs(f)
    inf = scalar(np.inf, x)

    def body(s: Line) -> Line:
        value, gradient = both(x + s.step * p)
        d = gradient @ p
        good = finite(value) & finite(d)
        value = pick(good, value, inf)
        return _next(s, value, d, gradient, f, slope, tiny, rules)

    start = scalar(0.0, x)
    line = Line(first + 0 * f, start + 0 * f, f, slope, g, inf + 0 * slope, f, slope, count(GOING), count(0), count(0))
    # a direction that does not descend, or a start that is not finite, ends at once
    line = line._replace(status=pick((slope < 0) & finite(f), line.status, count(FAILED)))
    return loop(lambda s: s.status < FOUND, body, line)


def _next(s: Line, f: Any, d: Any, g: Any, f0: Any, slope: Any, tiny: Any, rules: Rules) -> Line:
    level = abs(f - f0) <= tiny  # where only the slope tells
    rising = no(d <= (2 * rules.c1 - 1) * slope)
    above = no(f <= f0 + rules.c1 * s.step * slope) | ((f >= s.f) & (s.used > 0))
    high = (level & rising) | (no(level) & above)
    found = no(high) & (abs(d) <= -rules.c2 * slope)
    width = s.high - s.t
    if is_true(found):  # nothing is needed of the next step
        return s._replace(t=s.step, f=f, d=d, g=g, status=count(FOUND), used=s.used + 1)
    turn = no(high) & (d * width >= 0)  # the minimum lies back towards the best point so far
    low = pick_low(high, s, s.step, f, d, g)
    h = [pick(high, a, pick(turn, b, c)) for a, b, c in ((s.step, s.t, s.high), (f, s.f, s.high_f), (d, s.d, s.high_d))]
    used = s.used + 1
    new_width = h[0] - low[0]
    bracketed = h[0] < np.inf
    slow = pick(bracketed & (abs(new_width) > 0.66 * abs(width)) & (abs(width) < np.inf), s.slow + 1, count(0))
    inside = 0.0 if is_false(bracketed) else _inside(low, h, new_width, slow)
    beyond = 0.0 if is_true(bracketed) else _beyond(s, low, rules.longest)
    step = pick(bracketed, inside, beyond)
    narrow = bracketed & (abs(new_width) <= 4e-16 * abs(low[0]))
    at_end = no(bracketed) & no(found) & (s.step >= rules.longest)
    over = (used >= rules.trials) | narrow | at_end
    status = pick(found, count(FOUND), pick(over, count(FAILED), count(GOING)))
    return Line(step, low[0], low[1], low[2], low[3], h[0], h[1], h[2], status, used, slow)


def pick_low(high: Any, s: Line, t: Any, f: Any, d: Any, g: Any) -> list:
    return [pick(high, old, new) for old, new in ((s.t, t), (s.f, f), (s.d, d), (s.g, g))]


def _inside(low: list, high: list, width: Any, slow: Any) -> Any:
    """The minimum of the cubic well inside the bracket; its middle where there is none or progress is slow."""
    share = (cubic_minimum(low, high) - low[0]) / width
    share = pick(finite(share) & (slow < 2), share, 0.5 + 0 * width)
    return low[0] + pick(share < 0.1, 0.1 + 0 * share, pick(share > 0.9, 0.9 + 0 * share, share)) * width


def _beyond(s: Line, now: list, longest: float) -> Any:
    """A longer step, by the cubic where it has a minimum ahead."""
    width = now[0] - s.t
    guess = cubic_minimum([s.t, s.f, s.d], now)
    near, far = now[0] + width, now[0] + 9 * width
    step = pick(finite(guess), pick(guess < near, near, pick(guess > far, far, guess)), now[0] + 4 * width)
    return pick(step > longest, longest + 0 * step, step)


def cubic_minimum(a: Any, b: Any) -> Any:
    """The minimum of the cubic through two values and slopes (formula 3.59); nan where it has none."""
    h = b[0] - a[0]
    d = a[2] + b[2] - 3 * (b[1] - a[1]) / h
    root = (d * d - a[2] * b[2]) ** 0.5
    root = pick(h < 0, -root, root)
    return b[0] - h * (b[2] + root - d) / (b[2] - a[2] + 2 * root)
