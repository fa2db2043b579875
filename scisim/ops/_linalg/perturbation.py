"""Eigenvalues of matrices along curves, on arrays.

Along an analytic curve of Hermitian matrices eigenvalues and eigenvectors are analytic too, also where eigenvalues
meet, if each eigenspace takes the basis that the curve chooses (Rellich, Math. Ann. 113, 1937).  That basis is found
order by order: the part of the curve inside an eigenspace, less the eigenvalue and divided by t, is a curve again
(the reduction process: Kato, Perturbation Theory for Linear Operators, II.2.3).

Eigenvalues of other matrices behave so too, where the vectors of the parts span the eigenspaces.

A curve is a list of Taylor coefficients.  Eigenvalues count as equal when they differ by less than rounding errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Curve = list[np.ndarray]


def roundoff(dtype: Any, n: int) -> float:
    """How far computed eigenvalues that are equal may lie apart, relative to the size of the matrix."""
    return 8.0 * (2.0 + math.sqrt(n)) * float(np.finfo(dtype).eps)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def largest(x: np.ndarray, axes: Any = (-2, -1)) -> np.ndarray:
    return np.max(np.abs(x), axis=axes, initial=0.0)


def product(a: Sequence[Any], b: Sequence[Any], times: Any = np.matmul) -> list:
    """Coefficients of the product of two series."""
    return [sum(times(a[i], b[k - i]) for i in range(k + 1)) for k in range(min(len(a), len(b)))]


def close(w: np.ndarray, tolerance: Any) -> np.ndarray:
    """Which pairs of eigenvalues are equal, or linked by others that are; a matrix of truth values."""
    tolerance = np.asarray(tolerance)[..., None]
    if w.dtype.kind == "c":
        near = np.abs(w[..., None, :] - w[..., :, None]) <= tolerance[..., None]
        return linked(near)
    apart = np.abs(np.diff(w, axis=-1)) > tolerance  # real ones are sorted
    labels = np.concatenate([np.zeros((*w.shape[:-1], min(w.shape[-1], 1)), int), np.cumsum(apart, axis=-1)], axis=-1)
    return labels[..., :, None] == labels[..., None, :]


def linked(near: np.ndarray) -> np.ndarray:
    """The transitive closure of a relation."""
    n = near.shape[-1]
    if not np.any(near & ~np.eye(n, dtype=bool)):
        return near
    for _ in range(max(n, 2).bit_length()):
        near = near @ near
    return near


# --- along a curve -----------------------------------------------------------------------------------------------
def blockreal_diagonal(a: Curve, basis: tuple, same: np.ndarray) -> tuple[Curve, Curve, Curve]:
    """Curves b, u and the inverse y of u, with a u = u b, and b zero between eigenvalues that are not the ``same``.

    The basis is (d, u0, y0): a starts at u0 diag(d) y0.  u' = u x where x is zero inside the blocks, so that no vector
    turns within its own eigenspace.
    """
    d, u0, y0 = basis
    inverse = np.where(same, 0.0, 1.0 / (d[..., None, :] - d[..., :, None])).astype(d.dtype)
    b, u, y = [np.eye(d.shape[-1], dtype=u0.dtype) * d[..., None, :]], [u0], [y0]
    x: Curve = []
    speed = [(k + 1) * c for k, c in enumerate(a[1:])]
    moved: Curve = []
    for k in range(len(speed)):
        moved.append(convolved(speed, u, k))
        m = convolved(y, moved, k)
        rest = m + sum(b[j] @ x[k - j] - x[k - j] @ b[j] for j in range(1, k + 1))
        b.append(np.where(same, m, 0.0) / (k + 1))
        x.append(rest * inverse)
        u.append(convolved(u, x, k) / (k + 1))
        y.append(-convolved(x, y, k) / (k + 1))
    return b, u, y


def diagonal_of(m: np.ndarray, dtype: Any) -> np.ndarray:
    """The diagonal, real for real eigenvalues."""
    d = np.diagonal(m, axis1=-2, axis2=-1)
    return np.array(d if np.dtype(dtype).kind == "c" else d.real, dtype)


def convolved(a: Curve, b: Curve, k: int) -> np.ndarray:
    """Coefficient k of a product."""
    return sum(a[j] @ b[k - j] for j in range(k + 1))  # type: ignore[return-value]


def decomposed(a: np.ndarray, hermitian: bool) -> tuple:
    """Eigenvalues, eigenvectors, and the inverse of their matrix."""
    if hermitian:
        d, u = np.linalg.eigh(a)
        return d, u, adjoint(u)
    if a.ndim == 2 and not np.isfinite(a).all():  # what a defective matrix left open
        nothing = np.full_like(a, np.nan, np.result_type(a, np.complex64))
        return nothing[0], nothing, nothing
    d, u = complex_eig(a)
    return d, u, inverse_or_nan(u)


def complex_eig(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors, complex also where all of them are real."""
    kind = np.result_type(a, np.complex64)
    d, u = np.linalg.eig(a)
    return d.astype(kind, copy=False), u.astype(kind, copy=False)


def inverse_or_nan(u: np.ndarray) -> np.ndarray:
    """The inverse of eigenvectors, nan where they do not span the space: the matrix is defective."""
    if u.size == 0:
        return u
    s = np.linalg.svd(u, compute_uv=False)
    bad = ~(s[..., -1] > roundoff(u.dtype, u.shape[-1]) * s[..., 0])[..., None, None]
    return np.where(bad, np.nan, np.linalg.inv(np.where(bad, np.eye(u.shape[-1]), u))).astype(u.dtype)


def clusters(same: np.ndarray) -> list[np.ndarray]:
    """Places of eigenvalues that are equal, for one matrix."""
    first = np.argmax(same, axis=1)
    return [np.flatnonzero(first == k) for k in np.unique(first)]


def _reduced(a: Curve, sizes: list, basis: tuple) -> tuple[Curve, Curve, np.ndarray]:
    """Eigenvalues and eigenvectors of one curve, and the order to which each vector is determined."""
    d, u0, _ = basis
    n, last = len(d), len(a) - 1
    if not np.isfinite(d).all():
        return [np.full_like(d, np.nan)] * len(a), [np.full_like(u0, np.nan)] * len(a), np.zeros(n, int)
    same = close(d, roundoff(d.dtype, n) * max(sizes[0], largest(d, -1)))
    if last == 0:
        return [d], [u0], np.zeros(n, int)
    b, u, y = blockreal_diagonal(a, basis, same)
    w = [d, *(diagonal_of(c, d.dtype) for c in b[1:])]
    inner = [np.eye(n, dtype=u0.dtype), *(np.zeros_like(u0) for _ in range(last))]
    known = np.full(n, last)
    sizes = product(product(list(map(largest, u)), sizes, np.multiply), list(map(largest, y)), np.multiply)
    for at in clusters(same):
        if len(at) > 1:
            block = np.ix_(at, at)
            curve = [c[block] for c in b[1:]]
            ws, us, known[at] = _reduced(curve, sizes[1:], decomposed(curve[0], d.dtype.kind != "c"))
            for k in range(last):
                w[k + 1][at], inner[k][block] = ws[k], us[k]
            if d.dtype.kind != "c" and last > 1:  # the next one turns nothing further, but stays unitary
                lost = sum(adjoint(us[k]) @ us[last - k] for k in range(1, last))
                inner[last][block] = -0.5 * us[0] @ lost
    return w, product(u, inner), known


def embedded_eigh(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of [[0, a], [a^H, 0]], by the singular value decomposition of a square a."""
    u, s, vh = np.linalg.svd(a)
    v = adjoint(vh)
    left = np.concatenate([u, u[..., ::-1]], axis=-1)
    right = np.concatenate([-v, v[..., ::-1]], axis=-1)
    both = np.concatenate([left, right], axis=-2) * s.dtype.type(np.sqrt(0.5))
    return np.concatenate([-s, s[..., ::-1]], axis=-1), both


def eigen_curve(a: np.ndarray, kind: str, known: bool) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of curves of shape (..., K + 1, n, n).

    Of ``kind`` "L" or "U" (Hermitian, by that triangle), "embedded" (start with those of `embedded_eigh`), "general".
    Where the curve does not determine how vectors of equal eigenvalues turn they are nan, or those that do not turn
    (``known``).
    """
    curve = [a[..., k, :, :] for k in range(a.shape[-3])]
    half = a.shape[-1] // 2
    if kind == "general":
        basis = decomposed(curve[0], False)
    else:
        d, u = embedded_eigh(curve[0][..., :half, half:]) if kind == "embedded" else np.linalg.eigh(curve[0], kind)  # type: ignore[call-overload]
        basis = d, u, adjoint(u)
    with np.errstate(all="ignore"):  # what is infinite here is replaced below
        w, v = _curves(curve, basis, known)
        if kind == "general":
            v = _normalized(v)
    return np.stack(w, axis=-2), np.stack(v, axis=-3)


def _curves(curve: Curve, basis: tuple, known: bool) -> tuple[Curve, Curve]:
    d = basis[0]
    n = d.shape[-1]
    alone = np.eye(n, dtype=bool)
    b, v, _ = blockreal_diagonal(curve, basis, np.broadcast_to(alone, (*d.shape, n)))
    w = [d, *(diagonal_of(c, d.dtype) for c in b[1:])]
    v = [np.array(c) for c in v]
    same = close(d, roundoff(d.dtype, n) * largest(d, -1))
    for at in np.argwhere(np.any(same & ~alone, axis=(-2, -1))):
        i = tuple(at)
        mine = [c[i] for c in curve]
        ws, us, orders = _reduced(mine, list(map(largest, mine)), tuple(x[i] for x in basis))
        for k in range(len(w)):
            w[k][i], v[k][i] = ws[k], np.where(k > (len(w) if known else orders), np.nan, us[k])
    return w, v


def _normalized(v: Curve) -> Curve:
    """Columns scaled along curves so that v^H v' = 0: of length one, if they start so."""
    dot = lambda p, q: np.sum(np.conj(p) * q, axis=-2)
    speed = [(k + 1) * c for k, c in enumerate(v[1:])]
    size, turn = product(v, v, dot), product(v, speed, dot)
    rate: Curve = []
    g = [np.ones_like(size[0])]
    for k in range(len(speed)):
        rate.append((turn[k] - sum(size[j] * rate[k - j] for j in range(1, k + 1))) / size[0])
        g.append(-sum(g[j] * rate[k - j] for j in range(k + 1)) / (k + 1))
    return product(v, [c[..., None, :] for c in g], np.multiply)
