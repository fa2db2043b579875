"""Newton's method in trust regions, and along lines by conjugate gradients (J. Nocedal, S. Wright, Numerical
Optimization, 2nd ed., chapters 4 and 7; A. Conn, N. Gould, P. Toint, Trust-Region Methods, SIAM, 2000)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.values import dtype
from scisim.optimize._quasi_newton import Limits, Minimum, begun, ended, going
from scisim.optimize._smooth import Smooth
from scisim.optimize._steps import trust_step_p
from scisim.optimize._values import biggest, count, finite, length, loop, no, pick, scalar
from scisim.optimize._wolfe import FOUND, wolfe


class Region(NamedTuple):
    """Radius at the start, its greatest value, and the least ratio of decreases with which a step is taken."""

    initial: float = 1.0
    greatest: float = 1000.0
    eta: float = 0.15


def trust_exact(fun: Smooth, x: Any, limits: Limits, region: Region, each: Callable | None = None) -> Minimum:
    """With the Hessian, and its eigenvectors for the step; the radius is in memory."""

    def step(s: Minimum) -> tuple[Any, Any]:
        h = fun.hessian(s.x)
        p = trust_step_p(h, s.g, s.memory)
        return p, h @ p

    return _in_region(fun, x, limits, region, step, each)


def trust_ncg(fun: Smooth, x: Any, limits: Limits, region: Region, each: Callable | None = None) -> Minimum:
    """With products of the Hessian with vectors only, and conjugate gradients for the step (Steihaug)."""
    return _in_region(fun, x, limits, region, lambda s: _steihaug(fun, s), each)


def _in_region(fun: Smooth, x: Any, limits: Limits, region: Region, step: Callable, each: Callable | None) -> Minimum:
    eps = np.finfo(dtype(x)).eps

    def body(s: Minimum) -> Minimum:
        p, hp = step(s)
        f, g = fun.both(s.x + p)
        noise = 10 * eps * (1 * abs(s.f))  # both decreases are known up to this
        predicted = -(s.g @ p + 0.5 * (p @ hp)) + noise
        ratio = (s.f - f + noise) / predicted
        ratio = pick(finite(ratio), ratio, -1 + 0 * s.f)
        taken = (ratio > region.eta) & finite(f)
        size = length(p)
        wider = pick((ratio > 0.75) & (size >= 0.99 * s.memory), 2 * s.memory, s.memory)
        wider = pick(wider > region.greatest, region.greatest + 0 * s.f, wider)
        radius = pick(ratio < 0.25, 0.25 * pick(finite(size), size, s.memory), wider)
        new = [pick(taken, a, b) for a, b in ((s.x + p, s.x), (f, s.f), (g, s.g))]
        failed = radius <= eps * eps * (1 + biggest(s.x))
        status = ended(s, new[1], biggest(p), biggest(new[2]), failed, limits)
        return Minimum(new[0], new[1], new[2], radius, s.f, status, s.nit + 1, s.nfev + 1)

    start = begun(fun, x, limits, x)
    return loop(going, body, start._replace(memory=region.initial + 0 * start.f), each)


class _Inner(NamedTuple):
    """Conjugate gradients for H p = -g: the step, H p, the residual, the direction; whether they have ended."""

    p: Any
    hp: Any
    r: Any
    d: Any
    done: Any
    k: Any


def _steihaug(fun: Smooth, s: Minimum) -> tuple[Any, Any]:
    """Up to the edge of the region, or along a direction of negative curvature to it."""
    size = length(s.g)
    goal = pick(size < 0.25, size, 0.25 + 0 * size) ** 1.0 * size
    n = s.g.shape[0]

    def body(c: _Inner) -> _Inner:
        hd = fun.product(s.x, c.d)
        curve, rr = c.d @ hd, c.r @ c.r
        alpha = rr / curve
        p = c.p + alpha * c.d
        out = (curve <= 0) | (p @ p >= s.memory * s.memory)
        tau = pick(out, _to_edge(c.p, c.d, s.memory), alpha)
        r = c.r + tau * hd
        beta = (r @ r) / rr
        done = out | (length(r) <= goal)
        return _Inner(c.p + tau * c.d, c.hp + tau * hd, r, beta * c.d - r, done, c.k + 1)

    start = _Inner(0 * s.g, 0 * s.g, s.g, -s.g, size <= 0, count(0))
    end = loop(lambda c: no(c.done) & (c.k < 2 * n + 5), body, start)
    return end.p, end.hp


def _to_edge(p: Any, d: Any, radius: Any) -> Any:
    """The t > 0 with abs(p + t d) = radius."""
    a, b, c = d @ d, p @ d, p @ p - radius * radius
    under = b * b - a * c
    return (pick(under > 0, under, 0 * under) ** 0.5 - b) / a


def newton_cg(fun: Smooth, x: Any, limits: Limits, each: Callable | None = None) -> Minimum:
    """Conjugate gradients for Newton's step, stopped early far from the minimum, and a search along it."""

    def body(s: Minimum) -> Minimum:
        p = _truncated(fun, s)
        p = pick(s.g @ p < 0, p, -s.g)
        line = wolfe(fun.both, s.x, p, s.f, s.g, scalar(1.0, x))
        step = line.t * p
        failed = line.status > FOUND
        status = ended(s, line.f, biggest(step), biggest(line.g), failed, limits)
        return Minimum(s.x + step, line.f, line.g, s.memory, s.f, status, s.nit + 1, s.nfev + line.used)

    start = begun(fun, x, limits, x)
    return loop(going, body, start._replace(memory=0 * start.f), each)


def _truncated(fun: Smooth, s: Minimum) -> Any:
    size = length(s.g)
    root = size**0.5
    goal = pick(root < 0.5, root, 0.5 + 0 * root) * size
    n, eps = s.g.shape[0], np.finfo(dtype(s.g)).eps

    def body(c: _Inner) -> _Inner:
        hd = fun.product(s.x, c.d)
        curve, rr = c.d @ hd, c.r @ c.r
        flat = curve <= 3 * eps * (c.d @ c.d)
        first = flat & (c.k < 1)
        alpha = pick(flat, pick(first, rr / pick(curve < 0, -curve, 1 + 0 * curve), 0 * rr), rr / curve)
        alpha = pick(finite(alpha), alpha, 0 * alpha)
        r = c.r + alpha * hd
        done = flat | (length(r) <= goal)
        return _Inner(c.p + alpha * c.d, c.hp, r, ((r @ r) / rr) * c.d - r, done, c.k + 1)

    start = _Inner(0 * s.g, 0 * s.f, s.g, -s.g, size <= 0, count(0))
    return loop(lambda c: no(c.done) & (c.k < 20 * n), body, start).p
