"""The quadratic program of one step of `_sqp`, a primitive without derivatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.optimize._steps import _axes, _stacked


class _Inequalities(NamedTuple):
    """g d >= h, and which constraints and bounds the rows stand for."""

    g: np.ndarray
    h: np.ndarray


def _qp_step(
    b: Any, g: Any, a: Any, c: Any, low: Any, high: Any, equalities: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The d of least g.d + d.b.d / 2 with a d + c = 0 in the first rows, >= 0 in the others, low <= d <= high.

    Returns the step, the multipliers of the rows of ``a``, and how much of the constraints was given up (0 to 1) where
    they contradict each other.
    """
    n, kind = len(g), g.dtype
    if not all(np.isfinite(v).all() for v in (b, g, a, c)):
        return np.full(n, np.nan, kind), np.zeros(len(c), kind), np.ones((), kind)
    b, g, a, c, low, high = (np.asarray(v, np.float64) for v in (b, g, a, c, low, high))
    found = _solve(b, g, a, c, low, high, equalities)
    relaxed = 0.0
    if found is None:  # a further unknown, in [0, 1], lifts the constraints, at a price
        price = 1e4 * max(1.0, np.abs(b).max(initial=0), np.abs(g).max(initial=0))
        wide = np.zeros((n + 1, n + 1))
        wide[:n, :n], wide[n, n] = b, price
        off = np.where(np.arange(len(c)) < equalities, c, np.minimum(c, 0))
        found = _solve(
            wide,
            np.append(g, 0.0),
            np.column_stack([a, -off]),
            c,
            np.append(low, 0.0),
            np.append(high, 1.0),
            equalities,
        )
        if found is None:
            return np.full(n, np.nan, kind), np.zeros(len(c), kind), np.ones((), kind)
        relaxed = min(max(float(found[0][n]), 0.0), 1.0)
    d, multipliers = found
    return d[:n].astype(kind), multipliers.astype(kind), np.asarray(relaxed if relaxed > 1e-9 else 0.0, kind)


def _solve(
    b: np.ndarray, g: np.ndarray, a: np.ndarray, c: np.ndarray, low: np.ndarray, high: np.ndarray, m: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Equalities leave a null space, in which the rest is a problem of least distance."""
    n = len(g)
    lows, highs = np.isfinite(low), np.isfinite(high)
    if m == 0 and not a.any() and np.all(c >= 0) and not lows.any() and not highs.any():
        return _descended(b, g), np.zeros(len(c))
    eye = np.eye(n)
    rows = np.vstack([a[m:], eye[lows], -eye[highs]])
    bounds = np.concatenate([-c[m:], low[lows], -high[highs]])
    if m > n:
        return None
    if m == 0:
        found = _least_distance(b, g, rows, bounds)
        return None if found is None else (found[0], found[1][: len(c)])
    q, r = np.linalg.qr(a[:m].T, mode="complete")
    r, fixed, free = r[:m], q[:, :m], q[:, m:]
    if np.abs(np.diagonal(r)).min() <= 1e-12 * np.abs(r).max():
        return None
    start = fixed @ np.linalg.solve(r.T, -c[:m])
    inner = free.T @ b @ free
    found = _least_distance(inner, free.T @ (g + b @ start), rows @ free, bounds - rows @ start)
    if found is None:
        return None
    z, u = found
    d = start + free @ z
    left = g + b @ d - rows.T @ u
    return d, np.concatenate([np.linalg.solve(r, fixed.T @ left), u[: len(c) - m]])


def _descended(b: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The least of g.d + d.b.d / 2."""
    factor = _cholesky(b)
    return -np.linalg.solve(factor.T, np.linalg.solve(factor, g))


def _least_distance(b: np.ndarray, g: np.ndarray, rows: np.ndarray, h: np.ndarray) -> Any:
    """The z of least g.z + z.b.z / 2 with rows z >= h and its multipliers, by non-negative least squares (C. Lawson, R.
    Hanson, Solving Least Squares Problems, chapter 23); None where nothing meets the constraints."""
    from scipy.optimize import nnls

    n = len(g)
    if n == 0:
        return (np.zeros(0), np.zeros(len(h))) if np.all(h <= 1e-9) else None
    up = np.linalg.inv(_cholesky(b))  # for a handful of variables cheaper than solving again and again
    down = up @ g
    free = -(up.T @ down)
    if not len(h) or np.all(rows @ free >= h):
        return free, np.zeros(len(h))
    scaled = rows @ up.T
    target = h + scaled @ down
    size = np.maximum(np.sqrt((scaled * scaled).sum(1) + target * target), np.finfo(float).tiny)
    try:
        u = nnls(np.vstack([(scaled / size[:, None]).T, target / size]), np.append(np.zeros(n), 1.0))[0]
    except RuntimeError:  # it did not end
        return None
    u = u / size
    left = 1.0 - target @ u
    if left <= 1e-13:
        return None
    y = scaled.T @ u / left
    return up.T @ (y - down), u / left


def _cholesky(b: np.ndarray) -> np.ndarray:
    """The factor, of the matrix lifted until it is positive definite."""
    lift = 0.0
    size = max(float(np.abs(np.diagonal(b)).max()), 1e-8)
    for _ in range(20):
        try:
            return np.linalg.cholesky(b + lift * np.eye(len(b)))
        except np.linalg.LinAlgError:
            lift = max(10 * lift, 1e-12 * size)
    return np.sqrt(size) * np.eye(len(b))


def _infer(avals: tuple, params: dict) -> tuple:
    g, c = avals[1], avals[3]
    lead = tuple(g.shape[:-1])
    return (
        ShapeDtype(tuple(g.shape), g.dtype),
        ShapeDtype(tuple(c.shape), g.dtype),
        ShapeDtype(lead, g.dtype),
    )


qp_step_p = Primitive(
    "optimize.qp_step",
    _stacked(_qp_step, (2, 1, 2, 1, 1, 1)),
    axes=_axes((2, 1, 2, 1, 1, 1), (1, 1, 0)),
    infer=_infer,
    multiple=True,
)
