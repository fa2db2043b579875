"""The method of K. Levenberg and D. Marquardt with bounds: damped Gauss-Newton steps of the variables that no bound
holds, cut at the bounds (C. Kanzow, N. Yamashita, M. Fukushima, J. Comput. Appl. Math. 172 (2004) 375), damping after
H. Nielsen (IMM-REP-1999-05)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import Traced, dtype, shape
from scisim.ops.elementary import atan, log1p
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import where
from scisim.ops.shape import reshape
from scisim.optimize._limited import clip, held, projected
from scisim.optimize._smooth import Smooth
from scisim.optimize._steps import damped_step_p
from scisim.optimize._systems import columns
from scisim.optimize._values import all_finite, biggest, count, finite, length, loop, no, pick, scalar

GOING, MAXITER, GTOL, FTOL, XTOL, NOT_FINITE, STUCK, STOPPED = -1, 0, 1, 2, 3, 5, 6, -2


# --- losses ----------------------------------------------------------------------------------------------------------
class Loss(NamedTuple):
    """rho(z) of squared residuals z, and its first two derivatives; the scale of residuals."""

    rho: Callable
    scale: float


def _linear(z: Any) -> tuple:
    return z, 1 + 0 * z, 0 * z


def _soft_l1(z: Any) -> tuple:
    t = 1 + z
    root = t**0.5
    return 2 * (root - 1), 1 / root, -0.5 / (t * root)


def _huber(z: Any) -> tuple:
    near = z <= 1
    safe = where(near, 1 + 0 * z, z)
    root = safe**0.5
    return where(near, z, 2 * root - 1), where(near, 1 + 0 * z, 1 / root), where(near, 0 * z, -0.5 / (safe * root))


def _cauchy(z: Any) -> tuple:
    t = 1 / (1 + z)
    return log1p(z), t, -t * t


def _arctan(z: Any) -> tuple:
    t = 1 / (1 + z * z)
    return atan(z), t, -2 * z * t * t


LOSSES: dict[str, Callable] = {
    "linear": _linear, "soft_l1": _soft_l1, "huber": _huber, "cauchy": _cauchy, "arctan": _arctan,
}  # fmt: skip


def cost_of(f: Any, loss: Loss | None) -> Any:
    """Half the sum of rho."""
    if loss is None:
        return 0.5 * (f @ f)
    c = loss.scale
    return 0.5 * c * c * sum_of(loss.rho((f / c) * (f / c))[0], 0)


def _model(f: Any, j: Any, loss: Loss | None) -> tuple[Any, Any, Any]:
    """Residuals and Jacobian of the least squares problem that is like the robust one near a point (B. Triggs and
    others, 2000), and the gradient of the cost."""
    if loss is None:
        return f, j, f @ j
    z = (f / loss.scale) * (f / loss.scale)
    _, first, second = loss.rho(z)
    curve = first + 2 * second * z
    eps = np.finfo(dtype(f)).eps
    root = where(curve > eps, curve, eps + 0 * curve) ** 0.5
    return f * first / root, j * _column(root), (first * f) @ j


def _column(v: Any) -> Any:
    return reshape(v, (shape(v)[0], 1)) if isinstance(v, Traced) else v[:, None]


# --- the method ------------------------------------------------------------------------------------------------------
class Fit(NamedTuple):
    """Point, residuals, Jacobian, cost, gradient; damping, the factor of its next rise, scales of the variables; why it
    ended, and its counts."""

    x: Any
    f: Any
    j: Any
    cost: Any
    g: Any
    damping: Any
    rise: Any
    d: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any


def damped(
    fun: Smooth, x: Any, low: Any, high: Any, ftol: float, xtol: float, gtol: float, maxiter: int,
    loss: Loss | None = None, x_scale: Any = None, each: Callable | None = None,
) -> Fit:  # fmt: skip
    """The least cost; ``x_scale`` None takes the lengths of the Jacobian's columns as scales."""
    eps = np.finfo(dtype(x)).eps
    x = clip(x, low, high)

    def body(s: Fit) -> Fit:
        fm, jm, _ = _model(s.f, s.j, loss)
        free = (1 + 0 * s.x) > 0 if low is None else _free(s, low, high)
        p = damped_step_p(jm, fm, s.d, free, s.damping)
        new = clip(s.x + p, low, high)
        step = new - s.x
        f = fun.value(new)
        cost = cost_of(f, loss)
        js, noise = jm @ step, 4 * eps * s.cost + eps * _doubt(fm, jm, s.x)
        predicted = -(s.g @ step + 0.5 * (js @ js))
        ratio = (s.cost - cost + noise) / (predicted + noise)
        good = finite(cost) & (ratio > 1e-3)
        j = fun.jacobian(pick(good, new, s.x)) if isinstance(cost, Traced) or good else s.j
        x1, f1, c1 = pick(good, new, s.x), pick(good, f, s.f), pick(good, cost, s.cost)
        g = _model(f1, j, loss)[2]
        damping, rise = _redamped(s, ratio, good)
        status = _ended(s, c1, noise, ratio, step, good, biggest(projected(x1, g, low, high)), (ftol, xtol, gtol))
        status = pick((status < 0) & (s.nit + 1 >= maxiter), count(MAXITER), status)
        d = s.d if x_scale is not None else _larger(columns(j), s.d)
        njev = s.njev + pick(good, count(1), count(0))
        return Fit(x1, f1, j, c1, g, damping, rise, d, status, s.nit + 1, s.nfev + 1, njev)

    return loop(lambda s: s.status < 0, body, _begun(fun, x, low, high, gtol, loss, x_scale), each)


def _begun(fun: Smooth, x: Any, low: Any, high: Any, gtol: float, loss: Loss | None, x_scale: Any) -> Fit:
    f, j = fun.value(x), fun.jacobian(x)
    cost, (_, jm, g) = cost_of(f, loss), _model(f, j, loss)
    size = columns(jm)
    d = size if x_scale is None else 1 / x_scale + 0 * size
    damping = 1e-3 * biggest((size / d) * (size / d)) + 0 * cost
    good = finite(cost) & all_finite(g)
    small = biggest(projected(x, g, low, high)) <= gtol
    status = pick(good, pick(small, count(GTOL), count(GOING)), count(NOT_FINITE))
    two = scalar(2.0, x) + 0 * cost
    return Fit(x + 0 * cost, f, j, cost, g, damping, two, d, status, count(0), count(1), count(1))


def _doubt(f: Any, j: Any, x: Any) -> Any:
    """What roundings of x, as great as x, would make of the cost."""
    return abs(f) @ (abs(j) @ abs(x))


def _free(s: Fit, low: Any, high: Any) -> Any:
    from scisim.ops.select import logical_not

    return logical_not(held(s.x, s.g, low, high))


def _larger(a: Any, b: Any) -> Any:
    return where(a > b, a, b)


def _redamped(s: Fit, ratio: Any, good: Any) -> tuple[Any, Any]:
    gain = 1 - (2 * ratio - 1) ** 3
    least = pick(abs(ratio - 1) < 0.1, 0.01 + 0 * gain, 0.2 + 0 * gain)  # the model holds: on to Gauss and Newton
    gain = pick(gain > least, gain, least)
    gain = pick(gain < 2, gain, 2 + 0 * gain)
    return s.damping * pick(good, gain, s.rise), pick(good, 2 + 0 * s.rise, 2 * s.rise)


def _ended(
    s: Fit, cost: Any, noise: Any, ratio: Any, step: Any, good: Any, slope: Any, tols: tuple[float, float, float]
) -> Any:
    ftol, xtol, gtol = tols
    eps = np.finfo(dtype(s.x)).eps
    moved, far = length(step), length(s.x)
    out = pick(good & (moved <= xtol * (xtol + far)) & (xtol > 0), count(XTOL), count(GOING))
    out = pick(good & (ratio > 0.25) & (s.cost - cost <= ftol * s.cost) & (ftol > 0), count(FTOL), out)
    # a step that roundings swallow: a minimum as exact as it gets (residuals orthogonal to each column), or a dead end
    angle = biggest(s.g / s.d) / length(s.f)
    exact = (angle <= eps**0.5) | (s.cost <= noise)
    out = pick(moved <= 2 * eps * far, pick(exact, count(XTOL), count(STUCK)), out)
    out = pick(no(finite(moved)), count(STUCK), out)
    return pick(slope <= gtol, pick(gtol > 0, count(GTOL), pick(slope <= 0, count(GTOL), out)), out)
