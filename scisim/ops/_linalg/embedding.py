"""Singular values and vectors.

Those of a square matrix a are eigenvalues and eigenvectors of the Hermitian matrix [[0, a], [a^H, 0]], whose
eigenvalues are the singular values and their negatives: what holds where eigenvalues are equal holds for singular
values, and 0 is the place where a singular value meets its own negative.  Other shapes become square by qr.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape, zeros
from scisim.ops._linalg.checks import real_dtype, stacks
from scisim.ops._linalg.guards import adjoint
from scisim.ops._linalg.hermitian import eigh_rules
from scisim.ops._linalg.perturbation import close, embedded_eigh, roundoff
from scisim.ops.index import flip, index
from scisim.ops.shape import concat

HALF = math.sqrt(0.5)


def embedded(a: Any) -> Any:
    """[[0, a], [a^H, 0]]."""
    *lead, m, n = shape(a)
    top = concat([zeros((*lead, m, m), dtype_of(a)), a], -1)
    return concat([top, concat([adjoint(a), zeros((*lead, n, n), dtype_of(a))], -1)], -2)


def greatest(w: Any, k: int) -> Any:
    """The last k, the greatest first."""
    return flip(index(w, (..., slice(shape(w)[-1] - k, None))), -1)


# --- square matrices ---------------------------------------------------------------------------------------------
def _embedded_infer(avals: tuple, p: dict) -> tuple:
    *lead, n, _ = avals[0].shape
    dt = avals[0].dtype
    return ShapeDtype((*lead, 2 * n), real_dtype(dt)), ShapeDtype((*lead, 2 * n, 2 * n), dt)


embedded_jvp, _series = eigh_rules(embedded, "embedded")
embedded_eigh_p = Primitive(
    "embedded_eigh",
    embedded_eigh,
    axes=stacks((2,), [1, 2]),
    infer=_embedded_infer,
    jvp=embedded_jvp,
    series=_series,
    multiple=True,
)


def _settled(new: np.ndarray, old: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Singular vectors as LAPACK gave them, but for equal or zero singular values those of the derivative's basis."""
    n = s.shape[-1]
    if n == 0:
        return old
    tolerance = roundoff(s.dtype, 2 * n) * np.max(s, axis=-1)
    equal = np.any(close(s, tolerance) & ~np.eye(n, dtype=bool), axis=(-2, -1))
    regular = ~equal & (s[..., -1] > tolerance)
    return np.where(regular[..., None, None], old, new)


settle_p = Primitive(
    "settled_vectors",
    _settled,
    axes=stacks((2, 2, 1), 2),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, avals[0].dtype),
)
