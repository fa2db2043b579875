"""Sums over eigenvectors, on arrays: nan where they depend on the basis in which equal eigenvalues have theirs."""

from __future__ import annotations

import numpy as np

from scisim.ops._linalg.perturbation import (
    Curve,
    adjoint,
    close,
    diagonal_of,
    inverse_or_nan,
    largest,
    linked,
    product,
    roundoff,
)


def inverse_curve(v: Curve, kind: str) -> Curve:
    """The inverse of the matrices of vectors."""
    if kind != "general":
        return list(map(adjoint, v))
    y = [inverse_or_nan(v[0])]
    for k in range(1, len(v)):
        y.append(-y[0] @ sum(v[j] @ y[k - j] for j in range(1, k + 1)))
    return y


def unresolved(a: np.ndarray, w: np.ndarray, v: Curve, y: Curve) -> list[np.ndarray] | None:
    """For each order, which pairs of eigenvalues are equal up to it; None where no two are."""
    n = w.shape[-1]
    unit, alone = roundoff(w.dtype, n), np.eye(n, dtype=bool)
    same = close(w[..., 0, :], unit * largest(w[..., 0, :], -1))
    if not np.any(same & ~alone):
        return None
    sizes = [largest(a[..., k, :, :]) for k in range(len(v))]
    sizes = product(product(list(map(largest, y)), sizes, np.multiply), list(map(largest, v)), np.multiply)
    out = [same]
    for k in range(1, len(v)):
        near = np.abs(w[..., k, None, :] - w[..., k, :, None]) <= unit * sizes[k][..., None, None]
        out.append(linked(out[-1] & near))
    return out


def compose(a: np.ndarray, w: np.ndarray, v: np.ndarray, c: np.ndarray, kind: str) -> np.ndarray:
    """v diag(c) v^-1 along curves: nan where numbers c of equal eigenvalues differ, so that it depends on the basis."""
    vs = [v[..., k, :, :] for k in range(v.shape[-3])]
    ys = inverse_curve(vs, kind)
    scaled = product(vs, [c[..., k, None, :] for k in range(len(vs))], np.multiply)
    out = np.stack(product(scaled, ys), axis=-3)
    pairs = unresolved(a, w, vs, ys)
    if pairs is not None:
        size = largest(c)[..., None, None]
        eps = float(np.finfo(w.dtype).eps)
        moved = 1e4 * eps * np.maximum(largest(w), 1.0)[..., None, None]  # by the rounding of w, in a smooth function
        tolerance = np.maximum(np.sqrt(eps) * size, moved)
        bad = np.zeros(out.shape[:-3], bool)
        for k, same in enumerate(pairs):
            apart = np.abs(c[..., k, :, None] - c[..., k, None, :])
            bad |= np.any(same & (apart > tolerance), axis=(-2, -1))
        out[bad] = np.nan
    return out


def project(a: np.ndarray, w: np.ndarray, v: np.ndarray, h: np.ndarray, kind: str) -> np.ndarray:
    """diag(v^-1 h v) along curves: nan where h mixes vectors of equal eigenvalues, so that it depends on the basis.

    Of Hermitian matrices, only the Hermitian part of h counts.
    """
    vs = [v[..., k, :, :] for k in range(v.shape[-3])]
    ys = inverse_curve(vs, kind)
    inner = product(ys, product([h[..., k, :, :] for k in range(len(vs))], vs))
    if kind != "general":
        inner = [0.5 * (m + adjoint(m)) for m in inner]
    out = np.stack([diagonal_of(m, w.dtype) for m in inner], axis=-2)
    pairs = unresolved(a, w, vs, ys)
    if pairs is not None:
        tolerance = 64.0 * roundoff(w.dtype, w.shape[-1]) * np.max(largest(h), axis=-1)[..., None, None]
        for m, same in zip(inner, pairs, strict=True):
            mixed = same & ~np.eye(m.shape[-1], dtype=bool) & (np.abs(m) > tolerance)
            mixed |= np.swapaxes(mixed, -1, -2)
            out[np.broadcast_to(np.any(mixed, axis=-1)[..., None, :], out.shape)] = np.nan
    return out


def across(same: np.ndarray, m: np.ndarray) -> np.ndarray:
    """The part of m between different eigenvalues; nan where a part between equal ones is not 0."""
    tolerance = 64.0 * roundoff(m.dtype, m.shape[-1]) * largest(m)[..., None, None]
    inside = np.where(np.abs(m) <= tolerance, 0.0, np.nan)
    y = np.where(same, inside, m).astype(m.dtype)
    n = m.shape[-1]
    y[..., np.arange(n), np.arange(n)] = 0.0
    return y


def equal_pairs(w: np.ndarray) -> np.ndarray:
    """Which pairs of different places hold equal eigenvalues."""
    n = w.shape[-1]
    return close(w, roundoff(w.dtype, n) * largest(w, -1)) & ~np.eye(n, dtype=bool)


def inverse_gaps(w: np.ndarray, fill: float) -> np.ndarray:
    """1 / (w_j - w_i), 0 on the diagonal, and ``fill`` where two eigenvalues are equal."""
    n = w.shape[-1]
    gap = w[..., None, :] - w[..., :, None]
    none = equal_pairs(w)
    f = 1.0 / np.where(none | np.eye(n, dtype=bool), 1.0, gap)
    f = np.where(none, fill, f).astype(w.dtype)
    f[..., np.arange(n), np.arange(n)] = 0.0
    return f
