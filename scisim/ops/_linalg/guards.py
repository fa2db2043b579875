"""What rules of factorisations share: triangles, solving with factors that may be singular, what is undetermined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import stacks
from scisim.ops._linalg.solving import solve_p
from scisim.ops.arithmetic import zmul
from scisim.ops.complexes import conj
from scisim.ops.select import where
from scisim.ops.shape import matrix_transpose


def adjoint(x: Any) -> Any:
    return conj(matrix_transpose(x))


def lower(x: Any, k: int = 0) -> Any:
    """The lower triangle."""
    return zmul(x, np.tri(shape(x)[-2], shape(x)[-1], k).astype(dtype_of(x)))


def upper(x: Any, k: int = 0) -> Any:
    """The upper triangle."""
    return zmul(x, (1.0 - np.tri(shape(x)[-2], shape(x)[-1], k - 1)).astype(dtype_of(x)))


def _singular(t: np.ndarray) -> np.ndarray:
    """Of triangular matrices: whether an element of the diagonal is 0 to rounding."""
    d = np.abs(np.diagonal(t, axis1=-2, axis2=-1))
    eps = float(np.finfo(t.dtype).eps)
    least, most = np.min(d, axis=-1, initial=math.inf), np.max(np.abs(t), axis=(-2, -1), initial=0.0)
    return (least <= max(t.shape[-1], 1) * eps * most)[..., None, None]


singular_p = Primitive(
    "singular_factor",
    _singular,
    axes=stacks((2,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-2], 1, 1), np.dtype(bool)),
)


def triangular_inverse_times(t: Any, b: Any) -> Any:
    """t^-1 b for triangular matrices, nan where t is singular: there the derivative that asks does not exist."""
    return solve_p(where(singular_p(t), math.nan, t), b)


def times_triangular_inverse(b: Any, t: Any) -> Any:
    """b t^-1, nan where t is singular."""
    return matrix_transpose(triangular_inverse_times(matrix_transpose(t), matrix_transpose(b)))


def _undetermined(x: np.ndarray, columns: int, rows: int) -> np.ndarray:
    none = ~np.any(x, axis=(-2, -1))[..., None, None]
    return np.broadcast_to(np.where(none, 0.0, np.nan), (*x.shape[:-2], rows, columns)).astype(x.dtype)


# A linear map whose values nobody knows: 0 of 0, else nan; so is its transpose.
undetermined_p = Primitive(
    "undetermined",
    _undetermined,
    axes=stacks((2,), 2),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-2], p["rows"], p["columns"]), avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: undetermined_p(ct, rows=shape(args[0])[-2], columns=shape(args[0])[-1]),
)


def _deficient(a: np.ndarray) -> np.ndarray:
    s = np.linalg.svd(a, compute_uv=False) if a.size else np.ones((*a.shape[:-2], 1), a.dtype)
    return s[..., -1] <= max(a.shape[-2:]) * float(np.finfo(s.dtype).eps) * s[..., 0]


deficient_p = Primitive(
    "deficient",
    _deficient,
    axes=stacks((2,), 0),
    infer=lambda avals, p: ShapeDtype(avals[0].shape[:-2], np.dtype(bool)),
)
