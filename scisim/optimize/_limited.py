"""L-BFGS between bounds (J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., chapters 7 and 16)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import dtype, shape
from scisim.ops.extrema import max as max_of
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import where
from scisim.ops.shape import concat
from scisim.optimize._quasi_newton import GRADIENT, Limits, again, begun, ended, first_step, going
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import (
    biggest,
    branch,
    count,
    finite,
    is_false,
    is_true,
    loop,
    no,
    pick,
    scalar,
)
from scisim.optimize._wolfe import FOUND, Rules, wolfe


class Bounded(NamedTuple):
    """The state of L-BFGS: as `Minimum`, with the last steps and changes of gradient as rows, the newest last."""

    x: Any
    f: Any
    g: Any
    s: Any
    y: Any
    status: Any
    nit: Any
    nfev: Any


def projected(x: Any, g: Any, low: Any, high: Any) -> Any:
    """The step of steepest descent of length 1, cut at the bounds: zero at a minimum."""
    if low is None:
        return -g
    return clip(x - g, low, high) - x


def clip(x: Any, low: Any, high: Any) -> Any:
    """Between bounds, exactly at them outside."""
    if low is None:
        return x
    return where(x < low, low, where(x > high, high, x))


def lbfgsb(
    fun: Smooth, x: Any, low: Any, high: Any, limits: Limits, size: int = 10, each: Callable | None = None
) -> Bounded:
    """L-BFGS on the variables that are not held by a bound, with steps projected on the bounds (D. Bertsekas, SIAM J.
    Control Optim. 20 (1982) 221)."""
    n, bounded = shape(x)[0], low is not None
    x = clip(x, low, high)

    def body(s: Bounded) -> Bounded:
        free = ~held(s.x, s.g, low, high) if bounded else None
        p = _direction(s, free, min(int(s.nit), size) if isinstance(s.nit, np.integer) else size)
        p = pick(s.g @ p < 0, p, -s.g if free is None else where(free, -s.g, 0 * s.g))
        first = pick(s.nit < 1, first_step(s.g), scalar(1.0, x))
        if bounded:
            new, f, g, used, failed = _between(fun, s, p, first, low, high)
        else:
            line = wolfe(fun.both, s.x, p, s.f, s.g, first)
            new, f, g, used, failed = s.x + line.t * p, line.f, line.g, line.used, line.status > FOUND
        step, change = new - s.x, g - s.g
        good = change @ step > np.finfo(dtype(x)).eps * (change @ change)
        pairs = [pick(good, concat([a[1:], b[None]]), a) for a, b in ((s.s, step), (s.y, change))]
        # a search that fails with pairs in memory is tried once more without any
        retry = failed & (biggest(s.s[-1]) > 0)
        pairs = [pick(retry, 0 * a, a) for a in pairs]
        size_now = biggest(projected(new, g, low, high))
        status = ended(s, f, biggest(step), size_now, failed, limits)  # type: ignore[arg-type]
        status = again(status, retry, s.nit, limits)
        return Bounded(new, f, g, pairs[0], pairs[1], status, s.nit + 1, s.nfev + used)

    m = begun(fun, x, limits, x)
    small = biggest(projected(x, m.g, low, high)) <= limits.gtol
    status = pick((m.status < 0) & small, count(GRADIENT), m.status)
    none = np.zeros((size, n), dtype(x)) + 0 * m.f
    return loop(going, body, Bounded(x, m.f, m.g, none, none, status, count(0), count(1)), each)


def held(x: Any, g: Any, low: Any, high: Any) -> Any:
    """Which variables are at a bound that the function would have them pass."""
    return ((x <= low) & (g > 0)) | ((x >= high) & (g < 0))


def _direction(s: Bounded, free: Any, pairs: int) -> Any:
    """The two-loop recursion; pairs that are still empty, or not curved among free variables, count nothing."""
    q, steps, changes = s.g, s.s, s.y
    if free is not None:
        q, steps, changes = (where(free, v, 0 * v) for v in (q, steps, changes))
    ab, bb = _row_products(steps, changes), _row_products(changes, changes)
    good = ab > np.finfo(dtype(q)).eps * bb
    safe = where(good, ab, 1 + 0 * ab)
    rho = where(good, 1 / safe, 0 * ab)
    scale = where(good, safe / where(good, bb, 1 + 0 * bb), 1 + 0 * ab)[-1]
    alphas = []
    for k in range(1, pairs + 1):
        alpha = rho[-k] * (steps[-k] @ q)
        q = q - alpha * changes[-k]
        alphas.append(alpha)
    q = scale * q
    for k in range(pairs, 0, -1):
        q = q + (alphas[k - 1] - rho[-k] * (changes[-k] @ q)) * steps[-k]
    return -q


def _row_products(a: Any, b: Any) -> Any:
    return np.einsum("ij,ij->i", a, b) if isinstance(a, np.ndarray) else sum_of(a * b, 1)


def _between(fun: Smooth, s: Any, p: Any, first: Any, low: Any, high: Any) -> tuple:
    """A search up to the first bound; along the projected path where the first step meets one."""
    room = where(p > 0, (high - s.x) / p, where(p < 0, (low - s.x) / p, np.inf + 0 * p))
    longest = -max_of(-room)

    def inside(x: Any, f: Any, g: Any, p: Any, first: Any, longest: Any) -> tuple:
        line = wolfe(fun.both, x, p, f, g, first, Rules(longest=longest))
        return clip(x + line.t * p, low, high), line.f, line.g, line.used, line.t <= 0

    def across(x: Any, f: Any, g: Any, p: Any, first: Any, longest: Any) -> tuple:
        return _backtrack(fun, s._replace(x=x, f=f, g=g), p, first, low, high)

    return branch(longest > first, inside, across, s.x, s.f, s.g, p, first, longest)


class _Trial(NamedTuple):
    t: Any
    x: Any
    f: Any
    g: Any
    good: Any
    used: Any


def _backtrack(fun: Smooth, s: Any, p: Any, first: Any, low: Any, high: Any) -> tuple:
    """Shorter steps along the projected path until the value decreases enough."""
    tiny = 8 * np.finfo(dtype(s.x)).eps * abs(s.f)

    def body(k: _Trial) -> _Trial:
        new = clip(s.x + k.t * p, low, high)
        f, g = fun.both(new)
        expected = s.g @ (new - s.x)
        good = f <= s.f + 1e-4 * expected
        level = no(good) & (abs(f - s.f) <= tiny)
        if not is_false(level):  # values differ by roundings only: the gradient tells
            good = good | level & (biggest(projected(new, g, low, high)) <= biggest(projected(s.x, s.g, low, high)))
        if is_true(good):
            return _Trial(k.t, new, f, g, good, k.used + 1)
        shorter = -0.5 * expected / (f - s.f - expected)
        shorter = pick(
            finite(shorter),
            pick(shorter < 0.1, 0.1 + 0 * shorter, pick(shorter > 0.5, 0.5 + 0 * shorter, shorter)),
            0.1 + 0 * k.t,
        )
        return _Trial(pick(good, k.t, k.t * shorter), new, f, g, good, k.used + 1)

    start = _Trial(first + 0 * s.f, s.x, s.f, s.g, s.f < s.f, count(0))
    end = loop(lambda k: no(k.good) & (k.used < 30), body, start)
    at = [pick(end.good, a, b) for a, b in ((end.x, s.x), (end.f, s.f), (end.g, s.g))]
    return (*at, end.used, no(end.good))
