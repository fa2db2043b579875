"""Pseudoinverses, least squares, and rank."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import KNOWN, check_finite, lapack, matrix, real_dtype, stacks
from scisim.ops._linalg.guards import adjoint
from scisim.ops._linalg.perturbation import largest, roundoff
from scisim.ops._linalg.singular import svdvals_jvp, svdvals_p
from scisim.ops.arithmetic import square, stop
from scisim.ops.complexes import imag, real
from scisim.ops.extrema import max as max_of
from scisim.ops.index import slice_axis
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import gt
from scisim.ops.shape import astype, broadcast, reshape, stack, stretch


class LstsqResult(NamedTuple):
    """The solution, sums of squared residuals, the rank, and the singular values of the matrix."""

    x: Any
    residuals: Any
    rank: Any
    s: Any


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


# --- least squares -------------------------------------------------------------------------------------------
def _lstsq(a: np.ndarray, b: np.ndarray, rtol: float) -> tuple:
    *lead, m, n = a.shape
    x = np.empty((*lead, n, b.shape[-1]), np.result_type(a, b))
    rank, s = np.empty(lead, np.int64), np.empty((*lead, min(m, n)), real_dtype(x.dtype))
    if not lead:
        return _lstsq_of_one(a, b, rtol)
    for at in np.ndindex(*lead):
        x[at], rank[at], s[at] = _lstsq_of_one(a[at], b[at], rtol)
    return x, rank, s


def _lstsq_of_one(a: np.ndarray, b: np.ndarray, rtol: float) -> tuple:
    try:
        x, _, rank, s = np.linalg.lstsq(a, b, rtol)
    except np.linalg.LinAlgError:
        check_finite("lstsq", a)
        raise
    return x, np.int64(rank), s


def _lstsq_jvp(y: tuple, args: list, tangents: list, rtol: float) -> tuple:
    (x, _, s), (a, b), (da, db) = y, args, tangents
    p = pinv_p(a, rtol=rtol)
    dx = None if db is None else matmul(p, db)
    if da is None:
        return dx, None, None
    ph, dah = adjoint(p), adjoint(da)
    moved = matmul(p, matmul(ph, matmul(dah, b - matmul(a, x))) - matmul(da, x))
    turned = matmul(dah, matmul(ph, x))
    turned = turned - matmul(p, matmul(a, turned)) + matmul(rank_kept_p(da, stop(a), stop(p)), b)
    dx = moved + turned if dx is None else dx + moved + turned
    return dx, None, svdvals_jvp(s, [a], [da])


def _lstsq_infer(avals: tuple, p: dict) -> tuple:
    a, b = avals
    *lead, m, n = a.shape
    dt = np.result_type(a.dtype, b.dtype)
    return (
        ShapeDtype((*lead, n, b.shape[-1]), dt),
        ShapeDtype(tuple(lead), np.dtype(np.int64)),
        ShapeDtype((*lead, min(m, n)), real_dtype(a.dtype)),
    )


lstsq_p = Primitive(
    "lstsq",
    _lstsq,
    axes=stacks((2, 2), [2, 0, 1]),
    infer=_lstsq_infer,
    jvp=_lstsq_jvp,
    multiple=True,
)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> LstsqResult:
    """The x of least norm among those for which the norm of a x - b is least.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    b : array_like
        A vector of shape (m,), or matrices of shape (..., m, k).
    rcond : float, optional
        Singular values up to ``rcond`` times the greatest count as 0; max(m, n) * eps by default.

    Returns
    -------
    x : Tensor
        Of shape (..., n), or (..., n, k).
    residuals : Tensor
        Sums of squares of a x - b, of shape (...) or (..., k), whatever the rank.
    rank : Tensor
        Of shape (...), integers.
    s : Tensor
        Singular values, of shape (..., min(m, n)).

    Raises
    ------
    ShapeError
        When ``b`` does not fit ``a``.
    ArgumentError
        When ``a`` holds nan or infinity.

    Notes
    -----
    Where ``a`` has less than full rank, derivatives in it are as told at `pinv`; those in ``b`` always exist.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.lstsq([[1.0], [1.0]], [1.0, 3.0]).x
    Tensor([2.])
    """
    a, b = matrix("lstsq", "a", a), lapack("lstsq", "b", as_argument(b))
    if type(a) is np.ndarray is type(b) and a.ndim == 2 and 0 < b.ndim < 3 and len(a) == len(b) and a.dtype == b.dtype:
        x, rank, values = _lstsq_of_one(a, b, default_rtol(a) if rcond is None else float(rcond))
        left = np.matmul(a, x) - b
        size = np.square(left) if a.dtype.kind == "f" else np.square(left.real) + np.square(left.imag)
        return LstsqResult(x, np.add.reduce(size, 0), rank, values)
    m, s = shape(a)[-2], shape(b)
    vector = len(s) == 1
    if not s or s[0 if vector else -2] != m:
        raise ShapeError(
            f"lstsq: b of shape {s} does not fit matrices of shape {shape(a)}: it must be a vector of length {m} or "
            f"have {m} rows; write stacked vectors as b[..., None]"
        )
    b = reshape(b, (m, 1)) if vector else b
    if shape(a)[:-2] != shape(b)[:-2]:
        lead = broadcast_shapes("lstsq", shape(a)[:-2], shape(b)[:-2])
        a, b = broadcast(a, (*lead, *shape(a)[-2:])), broadcast(b, (*lead, *shape(b)[-2:]))
    both = dtype_of(a)
    if both != dtype_of(b):
        both = np.result_type(both, dtype_of(b))
        a, b = astype(a, both), astype(b, both)
    x, rank, values = lstsq_p(a, b, rtol=default_rtol(a) if rcond is None else float(rcond))
    left = matmul(a, x) - b
    residuals = sum_of(square(real(left)) + square(imag(left)) if both.kind == "c" else square(left), -2)
    if vector:
        x, residuals = reshape(x, shape(x)[:-1]), reshape(residuals, shape(residuals)[:-1])
    return LstsqResult(x, residuals, rank, values)


def matrix_rank(a: Any, /, rtol: Any = None) -> Any:
    """How many singular values are not 0.

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
        Of shape (...), integers, without a derivative.

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        When ``a`` holds nan or infinity.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]])
    Tensor(1)
    """
    a = matrix("matrix_rank", "a", a)
    if type(a) is np.ndarray and a.size:
        s = svdvals_p(a)
        return np.add.reduce(s > s[..., :1] * (default_rtol(a) if rtol is None else rtol), -1)
    s = svdvals_p(stop(a))
    if shape(s)[-1] == 0:
        return astype(sum_of(s, -1), np.int64)
    share = reshape(rtol, (*shape(rtol), 1)) if np.ndim(rtol) else default_rtol(a) if rtol is None else rtol
    limit = max_of(s, -1, True) * share
    return sum_of(gt(s, limit), -1)
