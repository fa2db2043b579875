"""Eigenvalues of Hermitian matrices along curves, on arrays.

Along an analytic curve of Hermitian matrices eigenvalues and eigenvectors are analytic too, also where eigenvalues
meet, if each eigenspace takes the basis that the curve chooses (Rellich, Math. Ann. 113, 1937).  That basis is found
order by order: the part of the curve inside an eigenspace, less the eigenvalue and divided by t, is a curve again
(the reduction process: Kato, Perturbation Theory for Linear Operators, II.2.3).

A curve is a list of Taylor coefficients.  Eigenvalues count as equal when they differ by less than rounding errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Curve = list[np.ndarray]


def roundoff(dtype: Any, n: int) -> float:
    """How far computed eigenvalues that are equal may lie apart, relative to the size of the matrix."""
    return 16.0 * max(n, 1) * float(np.finfo(dtype).eps)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def largest(x: np.ndarray, axes: Any = (-2, -1)) -> np.ndarray:
    return np.max(np.abs(x), axis=axes, initial=0.0)


def product(a: Sequence[Any], b: Sequence[Any], times: Any = np.matmul) -> list:
    """Coefficients of the product of two series."""
    return [sum(times(a[i], b[k - i]) for i in range(k + 1)) for k in range(min(len(a), len(b)))]


def labels_of(w: np.ndarray, tolerance: Any) -> np.ndarray:
    """Numbers that are equal for equal eigenvalues; these are sorted."""
    apart = np.diff(w, axis=-1) > np.asarray(tolerance)[..., None]
    return np.concatenate([np.zeros((*w.shape[:-1], min(w.shape[-1], 1)), int), np.cumsum(apart, axis=-1)], axis=-1)


def alike(labels: np.ndarray) -> np.ndarray:
    return labels[..., :, None] == labels[..., None, :]


# --- along a curve -----------------------------------------------------------------------------------------------
def block_diagonal(a: Curve, u0: np.ndarray, d: np.ndarray, same: np.ndarray) -> tuple[Curve, Curve]:
    """Curves b and u, u unitary, with a u = u b and b zero between eigenvalues that are not the ``same``.

    u' = u x where x is zero inside the blocks, so that no vector turns within its own eigenspace.
    """
    with np.errstate(all="ignore"):
        inverse = np.where(same, 0.0, 1.0 / (d[..., None, :] - d[..., :, None])).astype(d.dtype)
    b, u, x = [np.eye(d.shape[-1], dtype=u0.dtype) * d[..., None, :]], [u0], []
    speed = [(k + 1) * c for k, c in enumerate(a[1:])]
    moved: Curve = []
    for k in range(len(speed)):
        moved.append(sum(speed[j] @ u[k - j] for j in range(k + 1)))  # type: ignore[arg-type]
        m = sum(adjoint(u[j]) @ moved[k - j] for j in range(k + 1))
        rest = m + sum(b[j] @ x[k - j] - x[k - j] @ b[j] for j in range(1, k + 1))
        b.append(np.where(same, m, 0.0) / (k + 1))
        x.append(rest * inverse)
        u.append(sum(u[j] @ x[k - j] for j in range(k + 1)) / (k + 1))
    return b, u


def _reduced(a: Curve, sizes: list, start: tuple | None = None) -> tuple[Curve, Curve, np.ndarray]:
    """Eigenvalues and eigenvectors of one curve, and the order to which each vector is determined."""
    d, u0 = start or np.linalg.eigh(a[0])
    n, last = len(d), len(a) - 1
    labels = labels_of(d, roundoff(d.dtype, n) * max(sizes[0], largest(d, -1)))
    if last == 0:
        return [d], [u0], np.zeros(n, int)
    b, u = block_diagonal(a, u0, d, alike(labels))
    w = [d, *(np.diagonal(c).real.copy() for c in b[1:])]
    inner = [np.eye(n, dtype=u0.dtype), *(np.zeros_like(u0) for _ in range(last))]
    known = np.full(n, last)
    bounds = [largest(c) for c in u]
    sizes = product(product(bounds, sizes, np.multiply), bounds, np.multiply)
    for label in range(labels[-1] + 1):
        at = np.flatnonzero(labels == label)
        if len(at) > 1:
            block = np.ix_(at, at)
            ws, us, known[at] = _reduced([c[block] for c in b[1:]], sizes[1:])
            for k in range(last):
                w[k + 1][at], inner[k][block] = ws[k], us[k]
    return w, product(u, inner), known


def embedded_eigh(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of [[0, a], [a^H, 0]], by the singular value decomposition of a square a."""
    u, s, vh = np.linalg.svd(a)
    v = adjoint(vh)
    left = np.concatenate([u, u[..., ::-1]], axis=-1)
    right = np.concatenate([-v, v[..., ::-1]], axis=-1)
    both = np.concatenate([left, right], axis=-2) * s.dtype.type(np.sqrt(0.5))
    return np.concatenate([-s, s[..., ::-1]], axis=-1), both


def eigen_curve(a: np.ndarray, uplo: str, embedded: bool) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of curves of shape (..., K + 1, n, n); nan where a vector is not determined.

    They start with those of `eigh`, or of `embedded_eigh` for such matrices.
    """
    curve = [a[..., k, :, :] for k in range(a.shape[-3])]
    half = a.shape[-1] // 2
    d, u0 = embedded_eigh(curve[0][..., :half, half:]) if embedded else np.linalg.eigh(curve[0], uplo)
    n = d.shape[-1]
    labels = labels_of(d, roundoff(d.dtype, n) * largest(d, -1))
    same = np.broadcast_to(np.eye(n, dtype=bool), (*d.shape, n))
    with np.errstate(all="ignore"):  # what is infinite here is replaced below
        b, u = block_diagonal(curve, u0, d, same)
    w = np.stack([d, *(np.diagonal(c, axis1=-2, axis2=-1).real for c in b[1:])], axis=-2)
    v = np.stack(u, axis=-3)
    for at in np.argwhere(labels[..., -1] < n - 1) if n else ():
        i = tuple(at)
        mine = [c[i] for c in curve]
        ws, us, known = _reduced(mine, [largest(c) for c in mine], (d[i], u0[i]))
        w[i] = ws
        late = np.arange(len(us))[:, None, None] > known
        v[i] = np.where(late, np.nan, np.stack(us))
    return w, v


# --- what is determined in a basis -------------------------------------------------------------------------------
def known_part(v: np.ndarray) -> Curve:
    """Coefficients of vectors, 0 where they are not determined."""
    return [v[..., 0, :, :], *(np.nan_to_num(v[..., k, :, :], nan=0.0) for k in range(1, v.shape[-3]))]


def unresolved(a: np.ndarray, w: np.ndarray, v: Curve) -> list[np.ndarray] | None:
    """For each order, which pairs of eigenvalues are equal up to it; None where no two are."""
    n = w.shape[-1]
    unit = roundoff(w.dtype, n)
    labels = labels_of(w[..., 0, :], unit * largest(w[..., 0, :], -1))
    if n == 0 or np.all(labels[..., -1] == n - 1):
        return None
    bounds = [largest(c) for c in v]
    sizes = product(
        product(bounds, [largest(a[..., k, :, :]) for k in range(len(v))], np.multiply), bounds, np.multiply
    )
    out = [alike(labels)]
    for k in range(1, len(v)):
        apart = (np.diff(w[..., k, :]) > unit * sizes[k][..., None]) | (np.diff(labels) > 0)
        first = np.zeros((*labels.shape[:-1], 1), int)
        labels = np.concatenate([first, np.cumsum(apart, axis=-1)], axis=-1)
        out.append(alike(labels))
    return out


def compose(a: np.ndarray, w: np.ndarray, v: np.ndarray, c: np.ndarray) -> np.ndarray:
    """v diag(c) v^H along curves: nan where numbers c for equal eigenvalues differ, so that it depends on the basis."""
    vs = known_part(v)
    scaled = product(vs, [c[..., k, None, :] for k in range(len(vs))], np.multiply)
    y = np.stack(product(scaled, [adjoint(x) for x in vs]), axis=-3)
    pairs = unresolved(a, w, vs)
    if pairs is not None:
        size = largest(c)[..., None, None]
        eps = float(np.finfo(w.dtype).eps)
        tolerance = np.maximum(np.sqrt(eps) * size, 1e4 * c.shape[-1] * eps)
        bad = np.zeros(y.shape[:-3], bool)
        for k, same in enumerate(pairs):
            apart = np.abs(c[..., k, :, None] - c[..., k, None, :])
            bad |= np.any(same & (apart > tolerance), axis=(-2, -1))
        y[bad] = np.nan
    return y


def project(a: np.ndarray, w: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
    """diag(v^H h v) along curves: nan where h mixes vectors of equal eigenvalues, so that it depends on the basis."""
    vs = known_part(v)
    right = product([h[..., k, :, :] for k in range(len(vs))], vs)
    if len(vs) == 1:
        y = np.sum(np.conj(vs[0]) * right[0], axis=-2).real[..., None, :]
    else:
        inner = product([adjoint(x) for x in vs], right)
        y = np.stack([np.diagonal(m, axis1=-2, axis2=-1).real for m in inner], axis=-2)
    pairs = unresolved(a, w, vs)
    if pairs is not None:
        y = np.array(y)
        inner = product([adjoint(x) for x in vs], right)
        tolerance = 64.0 * roundoff(w.dtype, w.shape[-1]) * np.max(largest(h), axis=-1)[..., None, None]
        for m, same in zip(inner, pairs, strict=True):
            mixed = same & ~np.eye(m.shape[-1], dtype=bool) & (np.abs(m + adjoint(m)) > 2.0 * tolerance)
            np.putmask(y, np.broadcast_to(np.any(mixed, axis=-1)[..., None, :], y.shape), np.nan)
    return y


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
    return alike(labels_of(w, roundoff(w.dtype, n) * largest(w, -1))) & ~np.eye(n, dtype=bool)


def inverse_gaps(w: np.ndarray, fill: float) -> np.ndarray:
    """1 / (w_j - w_i), 0 on the diagonal, and ``fill`` where two eigenvalues are equal."""
    n = w.shape[-1]
    gap = w[..., None, :] - w[..., :, None]
    none = equal_pairs(w)
    f = 1.0 / np.where(none | np.eye(n, dtype=bool), 1.0, gap)
    f = np.where(none, fill, f).astype(w.dtype)
    f[..., np.arange(n), np.arange(n)] = 0.0
    return f
