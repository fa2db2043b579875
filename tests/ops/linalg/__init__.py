"""Linear algebra: what its tests share."""

from __future__ import annotations

from typing import Any

import numpy as np


def orthogonal(rng: np.random.Generator, n: int, kind: str = "f", columns: int | None = None) -> np.ndarray:
    """A matrix with orthonormal columns; unitary for kind "c"."""
    x = rng.normal(size=(n, columns or n)) + 1j * rng.normal(size=(n, columns or n)) * (kind == "c")
    q = np.linalg.qr(x)[0]
    return q if kind == "c" else q.real


def symmetric(rng: np.random.Generator, w: Any, kind: str = "f") -> np.ndarray:
    """A Hermitian matrix with these eigenvalues."""
    q = orthogonal(rng, len(w), kind)
    a = (q * np.asarray(w, float)) @ q.conj().T
    return 0.5 * (a + a.conj().T)
