"""Small dense problems that solvers pose at each step, by LAPACK: primitives without derivatives.

Solvers are never differentiated, so these need none; their operands' leading axes are batch axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive


def _axes(cores: tuple[int, ...], outs: tuple[int, ...]) -> Axes:
    """Leading axes are batch axes; each operand and output has so many trailing axes of its own."""

    def labels(shapes: tuple, params: dict) -> tuple[list, Any]:
        ins = [tuple(range(len(s) - c)) + (None,) * c for s, c in zip(shapes, cores, strict=True)]
        lead = tuple(range(len(shapes[0]) - cores[0]))
        return ins, [lead + (None,) * c for c in outs] if len(outs) > 1 else lead + (None,) * outs[0]

    return Axes(labels)


def _stacked(one: Callable, cores: tuple[int, ...]) -> Callable:
    """A function of single problems for stacks of them."""

    def evaluate(*args: Any, **params: Any) -> Any:
        arrays = [np.ascontiguousarray(a) if np.ndim(a) else np.asarray(a) for a in args]
        lead = arrays[0].shape[: arrays[0].ndim - cores[0]]
        if not lead:
            return one(*arrays, **params)
        results = [one(*(a[at] for a in arrays), **params) for at in np.ndindex(lead)]
        if not isinstance(results[0], tuple):
            return np.stack(results).reshape(*lead, *results[0].shape)
        return tuple(np.stack(r).reshape(*lead, *r[0].shape) for r in zip(*results, strict=True))

    return evaluate


def _like(k: int, *more: Callable) -> Callable:
    """The outputs' shapes: that of operand k, and others."""

    def infer(avals: tuple, params: dict) -> Any:
        first = ShapeDtype(tuple(avals[k].shape), avals[k].dtype)
        return (first, *(m(avals, params) for m in more)) if more else first

    return infer


# --- trust regions for Hessians --------------------------------------------------------------------------------------
def _trust_step(h: Any, g: Any, radius: Any) -> np.ndarray:
    """The minimum of g.p + p.h.p / 2 over abs(p) <= radius, from the eigenvectors of h (J. More, D. Sorensen, SIAM J.
    Sci. Stat. Comput. 4 (1983) 553); in the hard case with a step along the lowest one."""
    if not (np.isfinite(h).all() and np.isfinite(g).all()):
        return np.full_like(g, np.nan)
    w, q = np.linalg.eigh(0.5 * (h + h.T))
    b = -(q.T @ g)
    if w[0] > 0:
        p = b / w
        if p @ p <= radius * radius:
            return q @ p
    small = np.finfo(h.dtype).eps * max(abs(w[0]), abs(w[-1]), np.finfo(h.dtype).tiny)
    low = max(0.0, -w[0])
    edge = w + low > 8 * small
    p = np.where(edge, b / np.where(edge, w + low, 1), 0)
    if p @ p < radius * radius and np.all(np.abs(b[~edge]) <= small * np.linalg.norm(b)):
        p[0] += np.sqrt(radius * radius - p @ p)
        return q @ p
    return q @ (b / (w + _shift(w, b, radius, low))).astype(h.dtype)


def _shift(w: np.ndarray, b: np.ndarray, radius: float, low: float) -> float:
    """The shift with which the step is as long as the radius, by Newton's method on 1/radius - 1/length, kept within
    its bracket."""
    size = np.linalg.norm(b)
    high = low + size / radius
    shift = max(low + 1e-3 * (high - low), size / radius - w[-1])
    for _ in range(60):
        d = w + shift
        p = b / d
        norm = np.sqrt(p @ p)
        if abs(norm - radius) <= 1e-10 * radius:
            break
        low, high = (shift, high) if norm > radius else (low, shift)
        shift += (norm - radius) / radius * (norm * norm) / (p @ (p / d))
        if not low < shift < high:
            shift = 0.5 * (low + high)
    return shift


trust_step_p = Primitive(
    "optimize.trust_step",
    _stacked(_trust_step, (2, 1, 0)),
    axes=_axes((2, 1, 0), (1,)),
    infer=_like(1),
)


# --- equations -------------------------------------------------------------------------------------------------------
def _dogleg_step(j: Any, f: Any, d: Any, radius: Any) -> np.ndarray:
    """Powell's dogleg for abs(f + j p) with abs(d p) <= radius: towards the least gradient point, then Newton's."""
    if not (np.isfinite(j).all() and np.isfinite(f).all()):
        return np.full_like(f, np.nan)
    js = j / d
    newton = _newton(js, f)
    if newton is not None and newton @ newton <= radius * radius:
        return newton / d
    g = js.T @ f
    jg = js @ g
    size = np.sqrt(g @ g)
    if size == 0:
        return np.zeros_like(f) if newton is None else newton * (radius / np.linalg.norm(newton)) / d
    cauchy = -g * min((g @ g) / (jg @ jg), radius / size) if jg.any() else -g * (radius / size)
    if newton is None or cauchy @ cauchy >= radius * radius * (1 - 1e-12):
        return cauchy / d
    s = newton - cauchy
    a, b, c = s @ s, cauchy @ s, cauchy @ cauchy - radius * radius
    return (cauchy + s * (-c / (b + np.sqrt(max(b * b - a * c, 0.0))))) / d


def _newton(j: np.ndarray, f: np.ndarray) -> np.ndarray | None:
    """Newton's step; of least length where the matrix is singular."""
    try:
        p = np.linalg.solve(j, -f)
        if np.isfinite(p).all():
            return p
        return np.linalg.lstsq(j, -f, rcond=None)[0]
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(j, -f, rcond=None)[0]


dogleg_step_p = Primitive(
    "optimize.dogleg_step",
    _stacked(_dogleg_step, (2, 1, 1, 0)),
    axes=_axes((2, 1, 1, 0), (1,)),
    infer=_like(1),
)


# --- least squares ---------------------------------------------------------------------------------------------------
def _damped_step(j: Any, f: Any, d: Any, free: Any, damping: Any) -> np.ndarray:
    """The p, zero unless free, of least abs(f + j p)^2 + damping abs(d p)^2, by orthogonal factors."""
    n = j.shape[1]
    if not (np.isfinite(j).all() and np.isfinite(f).all()):
        return np.full(n, np.nan, j.dtype)
    a = np.empty((len(j) + n, n), j.dtype)
    a[: len(j)] = j * free
    a[len(j) :] = 0
    a[range(len(j), len(j) + n), range(n)] = np.where(free, np.sqrt(damping) * d, 1)
    q, r = np.linalg.qr(a)
    right = -(q[: len(j)].T @ f)
    diagonal = np.abs(np.diagonal(r))
    if diagonal.min() > np.finfo(j.dtype).eps * diagonal.max() * n:
        return np.linalg.solve(r, right)
    return np.linalg.lstsq(r, right, rcond=None)[0]


damped_step_p = Primitive(
    "optimize.damped_step",
    _stacked(_damped_step, (2, 1, 1, 1, 0)),
    axes=_axes((2, 1, 1, 1, 0), (1,)),
    infer=_like(2),
)


def _least(a: Any, b: Any) -> np.ndarray:
    """The x of least abs(a x - b)."""
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.full(a.shape[1], np.nan, a.dtype)
    return np.linalg.lstsq(a, b, rcond=None)[0]


least_p = Primitive(
    "optimize.least",
    _stacked(_least, (2, 1)),
    axes=_axes((2, 1), (1,)),
    infer=lambda avals, params: ShapeDtype((*avals[0].shape[:-2], avals[0].shape[-1]), avals[0].dtype),
)
