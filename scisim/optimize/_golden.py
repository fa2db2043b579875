"""Minima of functions of one variable without derivatives (R. Brent, Algorithms for Minimization Without Derivatives,
1973, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import dtype
from scisim.optimize._bracket import chosen
from scisim.optimize._values import branch, count, finite, loop, no, pick

RATIO = 0.5 * (5.0**0.5 - 1.0)
SMALL = 1.0 - RATIO


class Triple(NamedTuple):
    """Three points, the middle one lowest in the end; whether it is found."""

    a: Any
    b: Any
    c: Any
    fa: Any
    fb: Any
    fc: Any
    calls: Any


def bracket(f: Callable, a: Any, b: Any, limit: int = 60) -> Triple:
    """Downhill from two points, in steps that grow by the golden ratio, until the function rises."""
    fa, fb = f(a), f(b)
    a, b, fa, fb = chosen(fa < fb, (b, a, fb, fa), (a, b, fa, fb))
    c = b + (b - a) / RATIO

    def body(t: Triple) -> Triple:
        c = t.c + (t.c - t.b) / RATIO
        return Triple(t.b, t.c, c, t.fb, t.fc, f(c), t.calls + 1)

    def falling(t: Triple) -> Any:
        return (t.fc < t.fb) & (t.calls < limit)

    start = Triple(a + 0 * fa, b + 0 * fa, c + 0 * fa, fa, fb, f(c), count(3))
    return loop(falling, body, start)


class Interval(NamedTuple):
    """Ends; the lowest point, the next and the one before it, with values; the last two steps; how it stands."""

    a: Any
    b: Any
    x: Any
    w: Any
    v: Any
    fx: Any
    fw: Any
    fv: Any
    step: Any
    last: Any
    done: Any
    nit: Any
    calls: Any


def brent(
    f: Callable, a: Any, x: Any, b: Any, fx: Any, xatol: float, rtol: float, maxiter: int, golden: bool
) -> Interval:
    """Steps to the minimum of the parabola through three points, or of the golden section where they are too long."""

    def body(s: Interval) -> Interval:
        tol = rtol * abs(s.x) + xatol / 3
        middle = 0.5 * (s.a + s.b)
        done = abs(s.x - middle) <= 2 * tol - 0.5 * (s.b - s.a)
        section = pick(s.x < middle, s.b - s.x, s.a - s.x)
        p, q = _parabola(s)
        good = (abs(p) < abs(0.5 * q * s.last)) & (p > q * (s.a - s.x)) & (p < q * (s.b - s.x)) & (abs(s.last) > tol)
        good = good & (q > 0) if not golden else good & (q < 0)
        step = pick(good, p / pick(q > 0, q, 1 + 0 * q), SMALL * section)
        at = s.x + step
        near_end = (at - s.a < 2 * tol) | (s.b - at < 2 * tol)
        step = pick(good & near_end, pick(s.x < middle, tol, -tol), step)
        last = pick(good, s.step, section)
        u = s.x + pick(abs(step) >= tol, step, pick(step > 0, tol, -tol))
        fu = branch(done, lambda v: (s.fx + 0 * v,), lambda v: (f(v),), u)[0]
        new = _placed(s, u, fu)
        kept = chosen(done, s[:8], new)
        a, b, x, w, v, fx, fw, fv = kept
        return Interval(a, b, x, w, v, fx, fw, fv, step, last, done, s.nit + 1, s.calls + 1)

    zero = 0 * fx
    start = Interval(
        a + zero, b + zero, x + zero, x + zero, x + zero, fx, fx, fx, zero, zero, no(finite(fx)), count(0), count(0)
    )
    return loop(lambda s: no(s.done) & (s.nit < maxiter), body, start)


def _parabola(s: Interval) -> tuple[Any, Any]:
    """The step as p / q, q >= 0."""
    r, q = (s.x - s.w) * (s.fx - s.fv), (s.x - s.v) * (s.fx - s.fw)
    p, q = (s.x - s.v) * q - (s.x - s.w) * r, 2 * (q - r)
    return pick(q > 0, -p, p), abs(q)


def _placed(s: Interval, u: Any, fu: Any) -> tuple:
    """The interval and the three lowest points, with a new one."""
    lower = fu <= s.fx
    right = u >= s.x
    a = pick(lower, pick(right, s.x, s.a), pick(right, s.a, u))
    b = pick(lower, pick(right, s.b, s.x), pick(right, u, s.b))
    second = (fu <= s.fw) | (abs(s.w - s.x) <= 0)
    third = (fu <= s.fv) | (abs(s.v - s.x) <= 0) | (abs(s.v - s.w) <= 0)
    below = chosen(second, (u, s.w, fu, s.fw), chosen(third, (s.w, u, s.fw, fu), (s.w, s.v, s.fw, s.fv)))
    w, v, fw, fv = chosen(lower, (s.x, s.w, s.fx, s.fw), below)
    x, fx = chosen(lower, (u, fu), (s.x, s.fx))
    return a, b, x, w, v, fx, fw, fv


class Polished(NamedTuple):
    x: Any
    size: Any
    k: Any


def polished(slopes: Callable, x: Any, low: Any, high: Any, steps: int = 4) -> Any:
    """Newton's steps for a zero slope, as long as they shrink and stay between the ends: values of a function tell its
    minimum only to half the digits."""

    def body(s: Polished) -> Polished:
        first, second = slopes(s.x)
        step = -first / second
        new = s.x + step
        good = (second > 0) & (abs(step) < s.size) & (new >= low) & (new <= high)
        return Polished(pick(good, new, s.x), pick(good, 0.5 * abs(step), 0 * s.size), s.k + 1)

    width = 1e-3 * (high - low)
    room = pick(finite(width) & (width < 1e-3 * (1 + abs(x))), width, 1e-3 * (1 + abs(x)))
    start = Polished(x, room, count(0))
    eps = np.finfo(dtype(x)).eps
    return loop(lambda s: (s.k < steps) & (s.size > eps * abs(s.x)), body, start).x
