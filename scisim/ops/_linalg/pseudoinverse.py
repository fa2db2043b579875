"""Pseudoinverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import KNOWN, check_finite, matrix, stacks
from scisim.ops._linalg.guards import adjoint
from scisim.ops._linalg.perturbation import largest, roundoff
from scisim.ops.arithmetic import stop
from scisim.ops.index import slice_axis
from scisim.ops.products import matmul
from scisim.ops.shape import reshape, stack, stretch

_EPS = {c: float(np.finfo(c).eps) for c in KNOWN}


def default_rtol(a: Any) -> float:
    """Singular values up to this, relative to the greatest, count as 0."""
    return max(*shape(a)[-2:], 1) * _EPS[dtype_of(a).char]


# --- rank that a tangent changes -----------------------------------------------------------------------------
def _rank_kept(da: np.ndarray, a: np.ndarray, p: np.ndarray) -> np.ndarray:
    """0 for tangents that leave the rank of a alone, else nan; p is the pseudoinverse of a."""
    out = np.zeros(p.shape, np.result_type(da, p))
    lost = _lost(a, p)
    if np.any(lost):
        m, n = a.shape[-2:]
        outside = (np.eye(m) - a @ p) @ da @ (np.eye(n) - p @ a)
        out[lost & (largest(outside) > 64.0 * roundoff(p.dtype, max(m, n)) * largest(da))] = np.nan
    return out


def _rank_kept_back(ct: np.ndarray, a: np.ndarray, p: np.ndarray) -> np.ndarray:
    out = np.zeros(a.shape, np.result_type(ct, a))
    out[_lost(a, p) & np.any(ct, axis=(-2, -1))] = np.nan
    return out


def _lost(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Whether p a, whose trace is the rank, has less than full rank."""
    rank = np.sum(np.swapaxes(p, -1, -2) * a, axis=(-2, -1)).real
    return rank < min(a.shape[-2:]) - 0.5


def _alike(avals: tuple, p: dict) -> ShapeDtype:
    s = avals[1].shape
    return ShapeDtype((*s[:-2], s[-1], s[-2]), avals[0].dtype)


rank_kept_p = Primitive(
    "rank_kept",
    _rank_kept,
    axes=stacks((2, 2, 2), 2),
    infer=_alike,
    linear=(0,),
    transpose=lambda i, ct, args, p: rank_kept_back_p(ct, *map(stop, args[1:])),
)
rank_kept_back_p = Primitive(
    "rank_kept_back",
    _rank_kept_back,
    axes=stacks((2, 2, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: rank_kept_p(ct, *map(stop, args[1:])),
)


# --- pseudoinverse -------------------------------------------------------------------------------------------
def _pinv(a: np.ndarray, rtol: float) -> np.ndarray:
    try:
        return np.linalg.pinv(a, rtol=rtol)
    except np.linalg.LinAlgError:
        check_finite("pinv", a)
        raise


def _pinv_jvp(p: Any, args: list, tangents: list, rtol: float) -> Any:
    """The derivative at constant rank (Golub and Pereyra, SIAM J. Numer. Anal. 10, 1973)."""
    (a,), (da,) = args, tangents
    if da is None:
        return None
    m, n = shape(a)[-2:]
    ph, dah = adjoint(p), adjoint(da)
    left = matmul(matmul(p, ph), matmul(dah, np.eye(m) - matmul(a, p)))
    right = matmul(matmul(np.eye(n) - matmul(p, a), dah), matmul(ph, p))
    return left + right - matmul(matmul(p, da), p) + rank_kept_p(da, stop(a), stop(p))


pinv_p = Primitive(
    "pinv",
    _pinv,
    axes=stacks((2,), 2),
    infer=lambda avals, p: _alike((avals[0], avals[0]), p),
    jvp=_pinv_jvp,
    array_api="linalg.pinv",
)


def pinv(a: Any, /, rtol: Any = None) -> Any:
    """Pseudoinverse of Moore and Penrose.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    rtol : float or array_like, optional
        Singular values up to ``rtol`` times the greatest count as 0; max(m, n) * eps by default. An array gives each
        matrix of a stack its own.

    Returns
    -------
    Tensor
        Of shape (..., n, m).

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        When ``a`` holds nan or infinity.

    Notes
    -----
    It jumps where the rank changes. For matrices of less than full rank the derivative is that at constant rank
    along tangents that keep it; along others, and in gradients, it is nan.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.pinv([[2.0, 0.0], [0.0, 0.0]])
    Tensor([[0.5, 0. ],
            [0. , 0. ]])
    """
    a = matrix("pinv", "a", a)
    if np.ndim(rtol):
        return _pinv_of_each(a, rtol)
    return pinv_p(a, rtol=default_rtol(a) if rtol is None else float(rtol))


def _pinv_of_each(a: Any, rtol: Any) -> Any:
    """Every matrix of a stack with a limit of its own."""
    *lead, m, n = shape(a)
    limits = stretch("pinv", np.asarray(rtol, float), tuple(lead)).ravel()
    rows = reshape(a, (limits.size, m, n))
    parts = [pinv_p(reshape(slice_axis(rows, 0, i, i + 1), (m, n)), rtol=float(v)) for i, v in enumerate(limits)]
    return reshape(stack(parts) if parts else np.zeros((0, n, m), dtype_of(a)), (*lead, n, m))
