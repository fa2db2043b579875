"""Least squares, and rank."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import check_finite, lapack, matrix, real_dtype, stacks
from scisim.ops._linalg.guards import adjoint
from scisim.ops._linalg.pseudoinverse import default_rtol, pinv_p, rank_kept_p
from scisim.ops._linalg.singular import svdvals_jvp, svdvals_p
from scisim.ops.arithmetic import square, stop
from scisim.ops.complexes import imag, real
from scisim.ops.extrema import max as max_of
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import gt
from scisim.ops.shape import astype, broadcast, reshape


class LstsqResult(NamedTuple):
    """The solution, sums of squared residuals, the rank, and the singular values of the matrix."""

    x: Any
    residuals: Any
    rank: Any
    s: Any


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
    if type(a) is np.ndarray and a.size and not np.ndim(rtol):
        s = svdvals_p(a)
        return np.add.reduce(s > s[..., :1] * (default_rtol(a) if rtol is None else rtol), -1)
    s = svdvals_p(stop(a))
    if shape(s)[-1] == 0:
        return astype(sum_of(s, -1), np.int64)
    share = reshape(rtol, (*shape(rtol), 1)) if np.ndim(rtol) else default_rtol(a) if rtol is None else rtol
    limit = max_of(s, -1, True) * share
    return sum_of(gt(s, limit), -1)
