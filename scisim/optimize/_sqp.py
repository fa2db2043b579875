"""Sequential quadratic programming, for constraints (J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., chapter
18; D. Kraft, DFVLR-FB 88-28, 1988): a damped BFGS model of the Lagrangian and a merit function that counts violations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import dtype, shape
from scisim.ops.select import where
from scisim.optimize._limited import clip
from scisim.optimize._qp import qp_step_p
from scisim.optimize._quasi_newton import GOING, MAXITER, NOT_FINITE, STEP, STUCK, VALUE, going
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import all_finite, biggest, count, dyad, finite, length, loop, no, pick, raveled, scalar

INFEASIBLE = 6


class Program(NamedTuple):
    """Point, value and gradient of the function; values and Jacobian of the constraints, and their multipliers; the
    model of the Lagrangian's Hessian, the weights of violations; how it stands."""

    x: Any
    f: Any
    g: Any
    c: Any
    a: Any
    multipliers: Any
    b: Any
    weights: Any
    status: Any
    nit: Any
    nfev: Any


class NoConstraints:
    """In the place of constraints that are not there: 1 >= 0, since programs are quicker with one than with none."""

    def value(self, x: Any) -> Any:
        return np.ones(1, dtype(x))

    def jacobian(self, x: Any) -> Any:
        return np.zeros((1, shape(x)[0]), dtype(x))


class _Trial(NamedTuple):
    t: Any
    x: Any
    f: Any
    c: Any
    good: Any
    used: Any


def sqp(
    fun: Smooth, constraints: Smooth, equalities: int, x: Any, low: Any, high: Any, ftol: float, maxiter: int,
    each: Callable | None = None,
) -> Program:  # fmt: skip
    """The minimum where the first constraints are 0 and the others not negative."""
    n = shape(x)[0]
    x = clip(x, low, high)
    wide = np.full(n, np.inf, dtype(x))
    low, high = (-wide, wide) if low is None else (low, high)
    eps = np.finfo(dtype(x)).eps
    eye = np.eye(n, dtype=dtype(x))

    def violation(c: Any) -> Any:
        return where(np.arange(shape(c)[0]) < equalities, abs(c), where(c < 0, -c, 0 * c))

    def body(s: Program) -> Program:
        d, multipliers, relaxed = qp_step_p(s.b, s.g, s.a, s.c, low - s.x, high - s.x, equalities=equalities)
        size = abs(multipliers)
        weights = where(size > s.weights, size, 0.5 * (s.weights + size))
        slope = s.g @ d - (1 - relaxed) * (weights @ violation(s.c))
        merit = s.f + weights @ violation(s.c)
        line = _search(fun, constraints, s, d, low, high, lambda f, c: f + weights @ violation(c), merit, slope)
        g, a = fun.gradient(line.x), constraints.jacobian(line.x)
        step = line.x - s.x
        change = (g - a.T @ multipliers if isinstance(a, np.ndarray) else g - multipliers @ a) - (
            s.g - multipliers @ s.a
        )
        b = pick(line.good, _damped(s.b, step, change), eye)
        gap = abs(s.g @ d) + size @ abs(s.c)
        off = biggest(violation(line.c))
        stuck = no(line.good) & (s.nit > 0) & (biggest(raveled(s.b - eye)) <= 0)
        near = (gap <= ftol) & (biggest(violation(s.c)) <= max(ftol, 8 * eps)) & (relaxed <= 0)
        still = (
            line.good & (biggest(step) <= 4 * eps * biggest(line.x)) & (off <= max(ftol, 64 * eps * 1)) & (relaxed <= 0)
        )
        status = pick(s.nit + 1 >= maxiter, count(MAXITER), count(GOING))
        status = pick(stuck, pick(off > ftol**0.5, count(INFEASIBLE), count(STUCK)), status)
        status = pick(still, count(STEP), pick(near, count(VALUE), status))
        status = pick(all_finite(d), status, count(NOT_FINITE))
        return Program(line.x, line.f, g, line.c, a, multipliers, b, weights, status, s.nit + 1, s.nfev + line.used)

    (f, g), c, a = fun.both(x), constraints.value(x), constraints.jacobian(x)
    zero = 0 * f
    status = pick(finite(f) & all_finite(g) & all_finite(c), count(GOING), count(NOT_FINITE))
    start = Program(x + zero, f, g, c, a, 0 * c + zero, eye + zero, 0 * c + zero, status, count(0), count(1))
    return loop(going, body, start, each)


def _search(
    fun: Smooth, constraints: Smooth, s: Program, d: Any, low: Any, high: Any, merit: Callable, now: Any, slope: Any
) -> _Trial:
    """A step that lowers the merit function enough, the whole one first."""
    noise = 8 * np.finfo(dtype(s.x)).eps * (abs(s.f) + abs(now))

    def body(k: _Trial) -> _Trial:
        x = clip(s.x + k.t * d, low, high)
        f, c = fun.value(x), constraints.value(x)
        new = merit(f, c)
        good = (new <= now + 0.1 * k.t * slope + noise) & finite(new)
        shorter = -0.5 * k.t * slope / ((new - now) / k.t - slope) / k.t
        shorter = pick(
            finite(shorter) & (shorter > 0.1), pick(shorter < 0.5, shorter, 0.5 + 0 * shorter), 0.1 + 0 * k.t
        )
        return _Trial(pick(good, k.t, k.t * shorter), x, f, c, good, k.used + 1)

    false = length(d) < 0
    start = _Trial(scalar(1.0, s.x) + 0 * now, s.x, s.f, s.c, false, count(0))
    end = loop(lambda k: no(k.good) & (k.used < 25), body, start)
    at = [pick(end.good, a, b) for a, b in ((end.x, s.x), (end.f, s.f), (end.c, s.c))]
    return _Trial(end.t, at[0], at[1], at[2], end.good, end.used)


def _damped(b: Any, s: Any, y: Any) -> Any:
    """Powell's damped update, which keeps the model positive definite."""
    bs = b @ s
    sbs, ys = s @ bs, y @ s
    weak = ys < 0.2 * sbs
    theta = pick(weak, 0.8 * sbs / (sbs - ys), 1 + 0 * ys)
    r = theta * y + (1 - theta) * bs
    rs = r @ s
    new = b - dyad(bs, bs / sbs) + dyad(r, r / rs)
    moved = (sbs > 0) & (rs > 0) & finite(1 / sbs) & finite(1 / rs)
    return pick(moved, new, b)
