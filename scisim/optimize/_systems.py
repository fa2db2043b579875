"""Roots of systems of equations: Powell's hybrid method, Broyden's, and Newton's with Krylov subspaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import Traced, dtype, shape
from scisim.ops.select import where
from scisim.optimize._krylov import gmres
from scisim.optimize._smooth import Smooth
from scisim.optimize._steps import dogleg_step_p
from scisim.optimize._values import all_finite, biggest, branch, count, dyad, finite, length, loop, no, pick, scalar

GOING, FOUND, MAXFEV, STUCK, NOT_FINITE, STOPPED = -1, 1, 2, 4, 3, 99


class System(NamedTuple):
    """Where a solver stands: point, equations, Jacobian (or nothing), trust radius and scale (or nothing); failures
    and successes in a row; why it ended; its counts."""

    x: Any
    f: Any
    j: Any
    radius: Any
    scale: Any
    failures: Any
    successes: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any


def going(s: Any) -> Any:
    return s.status < 0


def columns(j: Any) -> Any:
    """The lengths of the columns of a matrix, 1 for those that are 0."""
    squares = sum_rows(j * j)
    size = squares**0.5
    return where(size > 0, size, 1 + 0 * size)


def sum_rows(a: Any) -> Any:
    from scisim.ops.reduce import sum as sum_of

    return sum_of(a, 0) if isinstance(a, Traced) else a.sum(0)


def begun(fun: Smooth, x: Any, factor: float) -> System:
    f, j = fun.value(x), fun.jacobian(x)
    zero = 0 * f[0] if shape(f)[0] else scalar(0.0, x)
    scale = columns(j) + zero
    size = length(scale * x)
    radius = factor * pick(size > 0, size, 1 + 0 * size)
    good = all_finite(f)
    status = pick(good, pick(biggest(f) <= 0, count(FOUND), count(GOING)), count(NOT_FINITE))
    none = count(0)
    return System(x + zero, f, j + zero, radius, scale, none, none, status, none, count(1), count(1))


def hybrid(fun: Smooth, x: Any, xtol: float, maxfev: int, factor: float, each: Callable | None = None) -> System:
    """Powell's hybrid method: dogleg steps with a Jacobian that is updated by Broyden's formula, and computed anew
    after two failures in a row (J. More, B. Garbow, K. Hillstrom, User Guide for MINPACK-1, ANL-80-74, 1980)."""
    eps = np.finfo(dtype(x)).eps

    def body(s: System) -> System:
        p = dogleg_step_p(s.j, s.f, s.scale, s.radius)
        f = fun.value(s.x + p)
        size, now, new = length(s.scale * p), length(s.f), length(f)
        linear = s.f + s.j @ p
        predicted = 1 - (length(linear) / now) ** 2
        actual = pick(new < now, 1 - (new / now) ** 2, -1 + 0 * now)
        ratio = pick(predicted > 0, actual / predicted, 0 * actual)
        good = finite(new) & (ratio >= 1e-4)
        failures, successes, radius = _judged(s, ratio, size)
        noise = rounding(s.j, s.x, eps)
        at_root = (biggest(f / noise) <= 1) | (biggest(s.f / noise) <= 1)
        tight = (radius <= xtol * length(s.scale * pick(good, s.x + p, s.x))) & (failures < 1)
        fresh = failures >= 2
        x_new, f_new = pick(good, s.x + p, s.x), pick(good, f, s.f)
        finite_f = finite(new)
        j = branch(
            fresh,
            lambda x, j, y, p: (fun.jacobian(x),),
            lambda x, j, y, p: (j + dyad(y, p / (p @ p)),),
            x_new, s.j, where(finite_f, f - linear, 0 * f), p,
        )[0]  # fmt: skip
        done = at_root | tight
        lost = (radius <= 4 * eps * length(s.scale * s.x)) & no(done) | no(all_finite(p))
        status = pick(s.nfev + 1 >= maxfev, count(MAXFEV), count(GOING))
        status = pick(lost & fresh, count(STUCK), status)
        status = pick(done, count(FOUND), status)
        size_now = columns(j)
        scale = where(size_now > s.scale, size_now, s.scale)
        one, none = count(1), count(0)
        return System(
            x_new, f_new, j, radius, scale, pick(fresh, none, failures), successes, status, s.nit + 1, s.nfev + 1,
            s.njev + pick(fresh, one, none),
        )  # fmt: skip

    return loop(going, body, begun(fun, x, factor), each)


def _judged(s: System, ratio: Any, size: Any) -> tuple[Any, Any, Any]:
    """Failures and successes in a row, and the new radius."""
    bad = ratio < 0.1
    failures = pick(bad, s.failures + 1, count(0))
    successes = pick(bad, count(0), s.successes + 1)
    larger = pick(s.radius > 2 * size, s.radius, 2 * size)
    grown = pick((ratio >= 0.5) | (successes > 1), larger, s.radius)
    grown = pick(abs(ratio - 1) <= 0.1, 2 * size, grown)
    return failures, successes, pick(bad, 0.5 * pick(size < s.radius, size, s.radius), grown)


def rounding(j: Any, x: Any, eps: Any) -> Any:
    """What the roundings of x make of the equations: smaller values cannot be told from zero."""
    noise = 2 * eps * (abs(j) @ abs(x))
    tiny = np.finfo(dtype(x)).tiny
    return where(noise > tiny, noise, tiny + 0 * noise)


# --- along lines -----------------------------------------------------------------------------------------------------
class Trial(NamedTuple):
    t: Any
    x: Any
    f: Any
    good: Any
    used: Any


def shorter_steps(fun: Smooth, x: Any, f: Any, p: Any, trials: int = 20) -> Trial:
    """The whole step, or a shorter one with which abs(f) decreases."""
    now = f @ f

    def body(k: Trial) -> Trial:
        new_x = x + k.t * p
        new = fun.value(new_x)
        value = new @ new
        good = (value <= (1 - 2e-4 * k.t) * now) & finite(value)
        ratio = k.t * now / (value + (2 * k.t - 1) * now)
        ratio = pick(finite(ratio) & (ratio > 0.1), pick(ratio < 0.5, ratio, 0.5 + 0 * ratio), 0.1 + 0 * k.t)
        return Trial(pick(good, k.t, k.t * ratio), new_x, new, good, k.used + 1)

    start = Trial(scalar(1.0, x) + 0 * now, x, f, now < 0, count(0))
    return loop(lambda k: no(k.good) & (k.used < trials), body, start)


def _line_status(fatol: float, maxiter: int, s: System, f: Any, good: Any, step: Any, x: Any) -> Any:
    eps = np.finfo(dtype(x)).eps
    status = pick(s.nit + 1 >= maxiter, count(MAXFEV), count(GOING))
    status = pick(no(good), count(STUCK), status)
    still = good & (biggest(step) <= 2 * eps * biggest(x)) & (biggest(f) <= eps**0.5)
    return pick((biggest(f) <= fatol) | still, count(FOUND), status)


def broyden(fun: Smooth, x: Any, fatol: float, maxiter: int, each: Callable | None = None) -> System:
    """Broyden's first method from the exact Jacobian, with shorter steps where abs(f) does not decrease; the Jacobian
    is computed anew where no step along its direction does."""

    def body(s: System) -> System:
        p = dogleg_step_p(s.j, s.f, 1 + 0 * s.x, np.inf + 0 * s.radius)
        line = shorter_steps(fun, s.x, s.f, p)
        step = pick(line.good, line.t * p, p)
        rest = where(line.good, line.f - s.f - s.j @ step, 0 * line.f)
        again = no(line.good) & (s.failures < 1)
        j = branch(
            again,
            lambda x, j, y, p: (fun.jacobian(x),),
            lambda x, j, y, p: (j + dyad(y, p / (p @ p)),),
            s.x, s.j, rest, step,
        )[0]  # fmt: skip
        x_new, f_new = pick(line.good, line.x, s.x), pick(line.good, line.f, s.f)
        status = _line_status(fatol, maxiter, s, f_new, line.good, step, x_new)
        floor = biggest(f_new / rounding(s.j, x_new, np.finfo(dtype(x)).eps)) <= 1
        status = pick(floor, count(FOUND), pick(again, count(GOING), status))
        failures = pick(again, count(1), count(0))
        njev = s.njev + pick(again, count(1), count(0))
        nfev = s.nfev + line.used
        return System(x_new, f_new, j, s.radius, s.scale, failures, s.successes, status, s.nit + 1, nfev, njev)

    start = begun(fun, x, 1.0)
    return loop(going, body, start._replace(status=_at_start(start, fatol)), each)


def _at_start(s: System, fatol: float) -> Any:
    return pick((s.status < 0) & (biggest(s.f) <= fatol), count(FOUND), s.status)


def newton_krylov(fun: Smooth, x: Any, fatol: float, maxiter: int, inner: int, each: Callable | None = None) -> System:
    """Newton's method with products of the Jacobian and vectors only, solved for loosely far from the root (S.
    Eisenstat, H. Walker, SIAM J. Sci. Comput. 17 (1996) 16)."""

    def body(s: System) -> System:
        p = gmres(fun.pusher(s.x), -s.f, s.radius, inner, 10)
        line = shorter_steps(fun, s.x, s.f, p)
        x_new, f_new = pick(line.good, line.x, s.x), pick(line.good, line.f, s.f)
        now = length(s.f)
        forcing = 0.9 * (length(f_new) / now) ** 2
        forcing = pick(forcing < 0.5, forcing, 0.5 + 0 * now)
        forcing = pick(forcing > 1e-4, forcing, 1e-4 + 0 * now)
        status = _line_status(fatol, maxiter, s, f_new, line.good, line.t * p, x_new)
        nfev = s.nfev + line.used
        return System(x_new, f_new, s.j, forcing, s.scale, s.failures, s.successes, status, s.nit + 1, nfev, s.njev)

    f = fun.value(x)
    none, tenth = count(0), 0.1 + 0 * length(f)
    status = pick(all_finite(f), count(GOING), count(NOT_FINITE))
    start = System(x + 0 * tenth, f, 0 * tenth, tenth, 0 * tenth, none, none, status, none, count(1), none)
    return loop(going, body, start._replace(status=_at_start(start, fatol)), each)


class Spectral(NamedTuple):
    x: Any
    f: Any
    j: Any
    sigma: Any
    recent: Any
    best: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any


def df_sane(fun: Smooth, x: Any, fatol: float, maxiter: int, each: Callable | None = None) -> Spectral:
    """The spectral residual method, without derivatives (W. La Cruz, J. Martinez, M. Raydan, Math. Comput. 75 (2006)
    1429); values may rise above the last ten by little."""
    f0 = fun.value(x)
    first = f0 @ f0

    def body(s: Spectral) -> Spectral:
        d = -s.sigma * s.f
        allowed = max_of_values(s.recent) + first / (1 + s.nit) ** 2
        line = _both_ways(fun, s.x, s.f, d, allowed)
        step, change = line.x - s.x, line.f - s.f
        sigma = (step @ step) / (step @ change)
        size = length(line.f)
        safe = pick(size > 1, 1 + 0 * size, pick(size < 1e-5, 1e5 + 0 * size, 1 / size))
        good = finite(sigma) & (abs(sigma) >= 1e-10) & (abs(sigma) <= 1e10)
        status = pick(s.nit + 1 >= maxiter, count(MAXFEV), count(GOING))
        status = pick(no(line.good), count(STUCK), status)
        status = pick(biggest(line.f) <= fatol, count(FOUND), status)
        recent = _pushed(s.recent, line.f @ line.f)
        nfev = s.nfev + line.used
        return Spectral(line.x, line.f, s.j, pick(good, sigma, safe), recent, s.best, status, s.nit + 1, nfev, s.njev)

    status = pick(biggest(f0) <= fatol, count(FOUND), count(GOING))
    status = pick(all_finite(f0), status, count(NOT_FINITE))
    one, none = 1 + 0 * first, count(0)
    start = Spectral(
        x + 0 * first,
        f0,
        0 * first,
        one,
        np.full(10, -1.0, dtype(x)) + (first + one) * _UNIT.astype(dtype(x)),
        first,
        status,
        none,
        count(1),
        none,
    )
    return loop(going, body, start, each)


_UNIT = np.eye(10)[-1]


def max_of_values(v: Any) -> Any:
    return biggest(where(v > 0, v, 0 * v))


def _pushed(v: Any, new: Any) -> Any:
    from scisim.ops.shape import concat, reshape

    return concat([v[1:], reshape(new, (1,))])


def _both_ways(fun: Smooth, x: Any, f: Any, d: Any, allowed: Any) -> Trial:
    """Steps t d and -t d in turn, ever shorter."""
    now = f @ f

    def body(k: Trial) -> Trial:
        new_x = x + k.t * d
        new = fun.value(new_x)
        value = new @ new
        good = (value <= allowed - 1e-4 * k.t * k.t * now) & finite(value)
        next_t = pick(k.used % 2 < 1, -k.t, -0.3 * k.t)
        return Trial(pick(good, k.t, next_t), new_x, new, good, k.used + 1)

    start = Trial(scalar(1.0, x) + 0 * now, x, f, now < 0, count(0))
    return loop(lambda k: no(k.good) & (k.used < 60), body, start)
