"""Factors of which one is orthogonal: qr, and the polar decomposition."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import matrix, stacks
from scisim.ops._linalg.guards import adjoint, lower, times_triangular_inverse, undetermined_p, upper
from scisim.ops.complexes import imag
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.shape import broadcast, concat, matrix_transpose


class QRResult(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    Q: Any
    R: Any


def _qr_infer(avals: tuple, p: dict) -> tuple:
    (a,) = avals
    *lead, m, n = a.shape
    k = m if p["mode"] == "complete" else min(m, n)
    return ShapeDtype((*lead, m, k), a.dtype), ShapeDtype((*lead, k, n), a.dtype)


def qr_tangents(q: Any, r: Any, da: Any) -> tuple[Any, Any]:
    """Those of factors of full rank: q^H dq is antihermitian, and dr triangular with a real diagonal, as r is."""
    k = shape(q)[-1]
    z = times_triangular_inverse(index(da, (..., slice(0, k))), index(r, (..., slice(0, k))))
    x = matmul(adjoint(q), z)
    below = lower(x, -1)
    turn = below - adjoint(below)
    if dtype_of(x).kind == "c":
        turn = turn + imag(x) * (1j * np.eye(k)).astype(dtype_of(x))
    dq = z - matmul(q, x - turn)
    return dq, matmul(adjoint(q), da - matmul(dq, r))


def _qr_jvp(y: tuple, args: list, tangents: list, mode: str) -> tuple:
    (da,), (q, r) = tangents, y
    if da is None:
        return None, None
    m, n = shape(da)[-2:]
    if mode != "complete" or m <= n:
        dq, dr = qr_tangents(q, r, da)
        return dq, upper(dr)
    dq, dr = qr_tangents(index(q, (..., slice(0, n))), index(r, (..., slice(0, n), slice(None))), da)
    none = np.zeros((*shape(dr)[:-2], m - n, n), dtype_of(dr))
    return concat([dq, undetermined_p(da, rows=m, columns=m - n)], -1), concat([upper(dr), none], -2)


qr_p = Primitive(
    "qr",
    lambda a, mode: tuple(np.linalg.qr(a, mode)),
    axes=stacks((2,), [2, 2]),
    infer=_qr_infer,
    jvp=_qr_jvp,
    multiple=True,
    array_api="linalg.qr",
)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Factors q with orthonormal columns and r upper triangular, a = q r.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    mode : {"reduced", "complete", "r"}
        With k = min(m, n): "reduced" gives q with k columns, "complete" a square q, "r" the reduced r alone.

    Returns
    -------
    Q : Tensor
        Of shape (..., m, k) or (..., m, m).
    R : Tensor
        Of shape (..., k, n) or (..., m, n).

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        For another ``mode``.

    Notes
    -----
    Signs are LAPACK's; derivatives hold them. Where the first k columns are linearly dependent there is no
    derivative: nan. So are the last m - n columns of a complete q, which any rotation of them could replace.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.qr([[3.0, 1.0], [4.0, 2.0]]).R
    Tensor([[-5. , -2.2],
            [ 0. ,  0.4]])
    """
    if mode not in ("reduced", "complete", "r"):
        raise ArgumentError(f"qr: mode must be 'reduced', 'complete' or 'r', got {mode!r}")
    q, r = qr_p(matrix("qr", "a", a), mode="reduced" if mode == "r" else mode)
    return r if mode == "r" else QRResult(q, r)


# --- polar decomposition -----------------------------------------------------------------------------------------
class PolarResult(NamedTuple):
    """A matrix with orthonormal columns or rows, and a Hermitian positive semidefinite one."""

    U: Any
    P: Any


def _polar(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return u @ vh, (np.conj(np.swapaxes(vh, -1, -2)) * s[..., None, :]) @ vh


def _halved(p: np.ndarray, m: np.ndarray) -> np.ndarray:
    """The x with p x + x p = m for Hermitian positive definite p; nan where p is singular."""
    d, v = np.linalg.eigh(p)
    vh = np.conj(np.swapaxes(v, -1, -2))
    singular = d[..., :1] <= max(d.shape[-1], 1) * np.finfo(d.dtype).eps * d[..., -1:]
    d = np.where(singular, np.nan, d)
    return v @ ((vh @ m @ v) / (d[..., :, None] + d[..., None, :])) @ vh


def _halved_jvp(x: Any, args: list, tangents: list) -> Any:
    (p, _), (dp, dm) = args, tangents
    if dp is None:
        return None if dm is None else halved_p(p, dm)
    moved = -(matmul(dp, x) + matmul(x, dp))
    return halved_p(p, moved if dm is None else moved + dm)


halved_p = Primitive(
    "lyapunov_positive",
    _halved,
    axes=stacks((2, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, np.result_type(*(a.dtype for a in avals))),
    linear=(1,),
    transpose=lambda i, ct, args, p: halved_p(matrix_transpose(args[0]), ct),
    jvp=_halved_jvp,
)


def _polar_jvp(y: tuple, args: list, tangents: list) -> tuple:
    """With w = u^H du: w p + p w = u^H da - da^H u inside the range of u, and da beside it is du p."""
    (u, p), (da,) = y, tangents
    if da is None:
        return None, None
    m, n = shape(da)[-2:]
    inside = matmul(adjoint(u), da)
    w = halved_p(p, inside - adjoint(inside))
    du = matmul(u, w)
    if m > n:
        inverse = 2.0 * halved_p(p, broadcast(np.eye(n, dtype=dtype_of(p)), shape(p)))
        du = du + matmul(da - matmul(u, inside), inverse)
    return du, inside - matmul(w, p)


polar_p = Primitive(
    "polar",
    _polar,
    axes=stacks((2,), [2, 2]),
    infer=lambda avals, p: (
        ShapeDtype(avals[0].shape, avals[0].dtype),
        ShapeDtype((*avals[0].shape[:-2], avals[0].shape[-1], avals[0].shape[-1]), avals[0].dtype),
    ),
    jvp=_polar_jvp,
    multiple=True,
)


def polar(a: Any, side: str = "right") -> PolarResult:
    """Polar decomposition a = U P, or a = P U.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    side : {"right", "left"}
        On which side of U the factor P stands.

    Returns
    -------
    U : Tensor
        Of shape (..., m, n), with orthonormal columns, or rows where m < n.
    P : Tensor
        Hermitian and positive semidefinite, of shape (..., n, n), or (..., m, m) on the left.

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        For another ``side``.

    Notes
    -----
    Derivatives hold at equal singular values too. They are nan where P is singular, as it is for matrices with more
    columns than rows; take the other side for these.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.polar([[0.0, 2.0], [2.0, 0.0]]).P
    Tensor([[2., 0.],
            [0., 2.]])
    """
    if side not in ("right", "left"):
        raise ArgumentError(f"polar: side must be 'right' or 'left', got {side!r}")
    a = matrix("polar", "a", a)
    if side == "right":
        return PolarResult(*polar_p(a))
    u, p = polar_p(adjoint(a))
    return PolarResult(adjoint(u), p)
