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
from scisim.ops.shape import concat


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
