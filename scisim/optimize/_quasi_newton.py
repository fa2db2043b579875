"""BFGS and nonlinear conjugate gradients (J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., chapters 5 and 6);
how minimisers end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import dtype, shape
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import (
    all_finite,
    biggest,
    count,
    dyad,
    equal,
    finite,
    is_true,
    loop,
    no,
    pick,
    scalar,
    transposed,
)
from scisim.optimize._wolfe import FOUND, Rules, wolfe

GOING, GRADIENT, MAXITER, STUCK, NOT_FINITE, VALUE, STEP, STOPPED = -1, 0, 1, 2, 3, 4, 5, 99


class Minimum(NamedTuple):
    """Where a minimiser stands: point, value, gradient, what it has learnt (memory), why it ended, its counts."""

    x: Any
    f: Any
    g: Any
    memory: Any
    before: Any  # the value, or the size of the step, one iteration ago
    status: Any
    nit: Any
    nfev: Any


def going(s: Any) -> Any:
    return s.status < 0


class Limits(NamedTuple):
    """When a minimiser ends."""

    gtol: float
    ftol: float
    xtol: float
    maxiter: int


def begun(fun: Smooth, x: Any, limits: Limits, memory: Any, size: Callable = biggest) -> Minimum:
    """The state before the first iteration."""
    f, g = fun.both(x)
    status = pick(size(g) <= limits.gtol, count(GRADIENT), count(GOING))
    status = pick(finite(f) & all_finite(g), status, count(NOT_FINITE))
    return Minimum(x, f, g, memory, f + 0 * f, status, count(0), count(1))


def ended(s: Minimum, f: Any, step: Any, size: Any, failed: Any, limits: Limits) -> Any:
    """The status after an iteration that gave the value ``f``, moved by ``step``, and left a gradient of ``size``.

    A step that cannot be made, or not be seen in x, ends a success where the gradient is as small as roundings allow.
    """
    if is_true(size <= limits.gtol):
        return count(GRADIENT)
    eps, old = np.finfo(dtype(s.x)).eps, s.f
    one = 1 + 0 * f
    scale = pick(abs(f) > abs(old), abs(f), abs(old))
    flat = (old - f <= limits.ftol * pick(scale > 1, scale, one)) & (limits.ftol > 0)
    small = (step <= limits.xtol * pick(biggest(s.x) > 1, biggest(s.x), one)) & (limits.xtol > 0)
    still = failed | (step <= 4 * eps * biggest(s.x))
    far = biggest(s.x) + step
    rounded = size * pick(far > 1, far, one) <= eps**0.5 * pick(scale > 1, scale, one)
    out = pick(s.nit + 1 >= limits.maxiter, count(MAXITER), count(GOING))
    out = pick((flat | small) & no(failed), count(VALUE), out)
    out = pick(still, pick(rounded, count(STEP), count(STUCK)), out)
    return pick(size <= limits.gtol, count(GRADIENT), out)


def again(status: Any, retry: Any, nit: Any, limits: Limits) -> Any:
    """The status, where a failed search is tried once more in another direction."""
    return pick(retry & equal(status, STUCK) & (nit + 1 < limits.maxiter), count(GOING), status)


def bfgs(fun: Smooth, x: Any, limits: Limits, each: Callable | None = None) -> Minimum:
    """BFGS with the inverse Hessian H in memory."""
    n = shape(x)[0]
    eye = np.eye(n, dtype=dtype(x))

    def body(s: Minimum) -> Minimum:
        p = -(s.memory @ s.g)
        fresh = s.nit < 1
        p = pick(s.g @ p < 0, p, -s.g)
        first = pick(fresh, first_step(s.g), scalar(1.0, x))
        line = wolfe(fun.both, s.x, p, s.f, s.g, first)
        step = line.t * p
        memory = _updated(s.memory, step, line.g - s.g, fresh, eye)
        # a search that fails along a direction of old pairs is tried once more along the gradient
        failed = line.status > FOUND
        retry = failed & no(fresh) & (s.before > 0)
        memory = pick(retry, eye, memory)
        status = ended(s, line.f, biggest(step), biggest(line.g), failed, limits)
        status = again(status, retry, s.nit, limits)
        new = s.x + step
        mark = pick(retry, -abs(s.before), abs(s.before) + 1)
        return Minimum(new, line.f, line.g, memory, mark, status, s.nit + 1, s.nfev + line.used)

    start = begun(fun, x, limits, eye)
    return loop(going, body, start._replace(memory=eye + 0 * start.f, before=1 + 0 * start.f), each)


def first_step(g: Any) -> Any:
    """The first step, along the gradient: of length 1 at most."""
    size = (g @ g) ** 0.5
    return 1 / pick(size > 1, size, 1 + 0 * size)


def _updated(h: Any, s: Any, y: Any, fresh: Any, eye: Any) -> Any:
    """The BFGS update of the inverse Hessian; without one where the curvature along the step is not positive."""
    ys, yy = y @ s, y @ y
    curved = ys > np.finfo(dtype(s)).eps * (yy * (s @ s)) ** 0.5
    safe = pick(curved, ys, 1 + 0 * ys)
    h0 = pick(fresh & curved, eye * (ys / pick(yy > 0, yy, 1 + 0 * yy)), h)
    hy = h0 @ y
    cross = dyad(s, hy / safe)
    new = h0 + dyad(s, s * ((1 + (y @ hy) / safe) / safe)) - (cross + transposed(cross))
    return pick(curved, new, h)


def conjugate_gradients(fun: Smooth, x: Any, limits: Limits, each: Callable | None = None) -> Minimum:
    """Nonlinear conjugate gradients of Polak and Ribiere, restarted where their factor is negative; the direction is
    kept in memory."""

    def body(s: Minimum) -> Minimum:
        p = pick(s.g @ s.memory < 0, s.memory, -s.g)
        slope = s.g @ p
        guess = pick(s.nit < 1, first_step(s.g), s.before / slope)  # the same decrease to first order as before
        guess = pick(finite(guess) & (guess > 0), guess, first_step(s.g))
        line = wolfe(fun.both, s.x, p, s.f, s.g, guess, Rules(c2=0.4))
        failed = line.status > FOUND
        beta = line.g @ (line.g - s.g) / (s.g @ s.g)
        beta = pick(finite(beta) & (beta > 0), beta, 0 * beta)
        retry = failed & (slope > -(s.g @ s.g))
        direction = pick(retry, -line.g, beta * p - line.g)
        status = ended(s, line.f, biggest(line.t * p), biggest(line.g), failed, limits)
        status = again(status, retry, s.nit, limits)
        before = line.t * slope
        return Minimum(s.x + line.t * p, line.f, line.g, direction, before, status, s.nit + 1, s.nfev + line.used)

    start = begun(fun, x, limits, x)
    return loop(going, body, start._replace(memory=-start.g), each)
