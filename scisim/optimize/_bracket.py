"""Roots of functions of one variable, elementwise: by brackets, and by slopes.

Each method is one step, from state to state; elements that have ended are held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import Traced, dtype
from scisim.ops.select import logical_and, logical_not, where
from scisim.optimize._values import anywhere, count, is_false, is_true, loop


class Tolerances(NamedTuple):
    xtol: float
    rtol: float
    maxiter: int


def either(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; elementwise."""
    if type(condition) in (bool, np.bool_):
        return a if condition else b
    return where(condition, a, b)


def chosen(condition: Any, a: tuple, b: tuple) -> tuple:
    """The same for several values."""
    if type(condition) in (bool, np.bool_):
        return a if condition else b
    return tuple(where(condition, x, y) for x, y in zip(a, b, strict=True))


def negate(condition: Any) -> Any:
    return not condition if type(condition) in (bool, np.bool_) else logical_not(condition)


def _both(a: Any, b: Any) -> Any:
    if isinstance(a, Traced) or isinstance(b, Traced):
        return logical_and(a, b)
    return a & b


class Bracket(NamedTuple):
    """The best point and the other end of the bracket, the point before, the last two steps; whether it has ended."""

    x: Any
    f: Any
    other: Any
    f_other: Any
    before: Any
    f_before: Any
    step: Any
    last: Any
    done: Any
    iterations: Any
    calls: Any


def _run(step: Callable, start: Any, maxiter: int, each: Callable | None = None) -> Any:
    if not isinstance(start.x, Traced) and np.ndim(start.x) == 0:
        return loop(lambda s: not s.done and s.iterations < maxiter, step, start, each)

    def body(s: Any) -> Any:
        new = step(s)
        kept = [either(s.done, a, b) for a, b in zip(s[:-2], new[:-2], strict=True)]
        return type(s)(*kept, new.iterations, new.calls)

    def test(s: Any) -> Any:
        return anywhere(logical_not(s.done)) & (s.iterations < maxiter)

    return loop(test, body, start, each)


def begun(f: Callable, a: Any, b: Any) -> Bracket:
    """The state at the ends of a bracket; where f has the same sign at both, it has ended, and says nan."""
    fa, fb = f(a), f(b)
    zero_a, zero_b = abs(fa) <= 0, abs(fb) <= 0
    crosses = (fa < 0) ^ (fb < 0)
    bad = negate(_both(crosses | zero_a | zero_b, _both(abs(fa) < np.inf, abs(fb) < np.inf)))
    nan = dtype(b).type(np.nan)
    x, fx = either(zero_a, a, either(bad, nan + 0 * b, b)), either(zero_a, fa, fb)
    done = zero_a | zero_b | bad
    return Bracket(x, fx, a, fa, a, fa, b - a, b - a, done, count(0), count(2))


def brent(f: Callable, a: Any, b: Any, t: Tolerances, hyperbolic: bool = False) -> Bracket:
    """Inverse quadratic (or hyperbolic) interpolation, or the middle where that does not shrink the bracket well (R.
    Brent, Algorithms for Minimization Without Derivatives, 1973, chapter 4)."""

    def step(s: Bracket) -> Bracket:
        x, fx, other, fo, before, fb, now, last = s[:8]
        crossed = (fb < 0) ^ (fx < 0)
        other, fo, now, last = chosen(crossed, (before, fb, x - before, x - before), (other, fo, now, last))
        swap = abs(fo) < abs(fx)
        x, fx, other, fo, before, fb = chosen(swap, (other, fo, x, fx, x, fx), (x, fx, other, fo, before, fb))
        delta = 0.5 * (t.xtol + t.rtol * abs(x))
        half = 0.5 * (other - x)
        done = (abs(half) < delta) | (abs(fx) <= 0)
        if is_true(done):
            return s._replace(x=x, f=fx, done=done, iterations=s.iterations + 1)
        useful = (abs(last) > delta) & (abs(fx) < abs(fb))
        try:
            guess = half if is_false(useful) else _interpolated(x, fx, other, fo, before, fb, hyperbolic)
        except ZeroDivisionError:  # of Python's numbers; arrays give nan or infinity, which is not short either
            guess = np.nan
        short = (2 * abs(guess) < abs(last)) & (2 * abs(guess) < 3 * abs(half) - delta)
        last, now = chosen(useful & short, (now, guess), (half, half))
        new = either(done, x, x + either(abs(now) > delta, now, either(half > 0, delta, -delta)))
        return Bracket(
            new, f(new), other, fo, either(done, before, x), either(done, fb, fx), now, last, done, s.iterations + 1,
            s.calls + 1,
        )  # fmt: skip

    return _run(step, begun(f, a, b), t.maxiter)


def _interpolated(x: Any, fx: Any, other: Any, fo: Any, before: Any, fb: Any, hyperbolic: bool) -> Any:
    """The step to where a line through two points, or a curve through three, is zero."""
    line = -fx * (x - before) / (fx - fb)
    two = abs(before - other) <= 0
    if is_true(two):
        return line
    d1, d2 = (fb - fx) / (before - x), (fo - fx) / (other - x)
    if hyperbolic:
        curve = -fx * (fo - fb) / (fo * d1 - fb * d2)
    else:
        curve = -fx * (fo * d2 - fb * d1) / (d2 * d1 * (fo - fb))
    return either(two, line, curve)


def bisect(f: Callable, a: Any, b: Any, t: Tolerances) -> Bracket:
    """The middle of the bracket, again and again."""

    def step(s: Bracket) -> Bracket:
        middle = s.other + 0.5 * (s.before - s.other)
        value = f(middle)
        left = (value < 0) ^ (s.f_before < 0)  # the root lies between the middle and `before`
        zero = abs(value) <= 0
        other, fo = either(left, middle, s.other), either(left, value, s.f_other)
        before, fb = either(left, s.before, middle), either(left, s.f_before, value)
        done = zero | (abs(before - other) < t.xtol + t.rtol * abs(middle))
        return Bracket(middle, value, other, fo, before, fb, s.step, s.last, done, s.iterations + 1, s.calls + 1)

    start = begun(f, a, b)
    return _run(step, start._replace(before=b, f_before=start.f_before if b is a else _value_at_b(start)), t.maxiter)


def _value_at_b(s: Bracket) -> Any:
    """The value at the end b of the bracket, the best point of `begun` unless a is a root."""
    return s.f


def ridder(f: Callable, a: Any, b: Any, t: Tolerances) -> Bracket:
    """False position after an exponential factor has made three points lie on a line (C. Ridders, IEEE Trans.
    Circuits Syst. 26 (1979) 979)."""

    def step(s: Bracket) -> Bracket:
        lo, flo, hi, fhi = s.other, s.f_other, s.before, s.f_before
        middle = lo + 0.5 * (hi - lo)
        fm = f(middle)
        size = (fm * fm - flo * fhi) ** 0.5
        shift = (middle - lo) * fm / either(size > 0, size, 1 + 0 * size)
        new = middle + either(flo < fhi, -shift, shift)
        value = f(new)
        # the two points around the sign change, out of lo, middle, new, hi
        m_n = (fm < 0) ^ (value < 0)
        l_n = (flo < 0) ^ (value < 0)
        lo2, flo2 = either(m_n, middle, either(l_n, lo, new)), either(m_n, fm, either(l_n, flo, value))
        hi2, fhi2 = either(m_n, new, either(l_n, new, hi)), either(m_n, value, either(l_n, value, fhi))
        exact, exact_m = abs(value) <= 0, abs(fm) <= 0
        x, fx = either(exact_m, middle, new), either(exact_m, fm, value)
        done = exact | exact_m | (abs(hi2 - lo2) < t.xtol + t.rtol * abs(new))
        done = done | (abs(new - s.x) <= t.xtol + t.rtol * abs(new)) & (s.iterations > 0)
        return Bracket(x, fx, lo2, flo2, hi2, fhi2, s.step, s.last, done, s.iterations + 1, s.calls + 2)

    start = begun(f, a, b)
    return _run(step, start._replace(before=b, f_before=_value_at_b(start)), t.maxiter)


# --- by slopes -------------------------------------------------------------------------------------------------------
class Iterate(NamedTuple):
    """The point; the one before and its value, for the secant method; whether it has ended."""

    x: Any
    f: Any
    before: Any
    f_before: Any
    done: Any
    iterations: Any
    calls: Any


def _ended(new: Any, step: Any, t: Tolerances) -> Any:
    return abs(step) <= t.xtol + t.rtol * abs(new)


def newton(both: Callable, x: Any, t: Tolerances) -> Iterate:
    """Newton's method; ``both`` gives value and slope, and perhaps curvature, with which it is Halley's."""

    def step(s: Iterate) -> Iterate:
        f, *slopes = both(s.x)
        move = f / slopes[0]
        if len(slopes) > 1:
            bend = 1 - 0.5 * move * slopes[1] / slopes[0]
            close = abs(bend - 1) < 1  # elsewhere Newton's own step is the safer one
            move = move / either(close, bend, 1 + 0 * bend)
        zero = abs(f) <= 0
        move = either(zero, 0 * f, move)
        new = s.x - move
        done = zero | _ended(new, move, t)
        return Iterate(new, f, s.x, s.f, done, s.iterations + 1, s.calls + 1)

    first = 0 * both(x)[0]
    start = Iterate(x + first, first, x + first, first, abs(first) > 0, count(0), count(0))
    return _run(step, start, t.maxiter)


def secant(f: Callable, x0: Any, x1: Any, t: Tolerances) -> Iterate:
    """The root of the line through the last two points."""

    def step(s: Iterate) -> Iterate:
        slope = (s.f - s.f_before) / (s.x - s.before)
        move = s.f / slope
        zero = abs(s.f) <= 0
        move = either(zero, 0 * move, move)
        new = s.x - move
        done = zero | _ended(new, move, t)
        value = s.f if is_true(done) else f(new)
        return Iterate(new, value, s.x, s.f, done, s.iterations + 1, s.calls + 1)

    f0, f1 = f(x0), f(x1)
    start = Iterate(x1 + 0 * f1, f1, x0 + 0 * f0, f0, abs(0 * f1) > 0, count(0), count(2))
    return _run(step, start, t.maxiter)
