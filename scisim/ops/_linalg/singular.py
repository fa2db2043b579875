"""Singular values and vectors, of square matrices by an `embedding`, of others by qr."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.control import choose
from scisim.core.primitive import Primitive
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import check_finite, matrix, real_dtype, stacks
from scisim.ops._linalg.eigenbasis import along_a_line, diagonal_in
from scisim.ops._linalg.embedding import HALF, embedded, embedded_eigh_p, embedded_jvp, greatest, settle_p
from scisim.ops._linalg.guards import adjoint, deficient_p, undetermined_p
from scisim.ops._linalg.hermitian import eigh_p
from scisim.ops._linalg.orthogonal import qr_p, qr_tangents
from scisim.ops.arithmetic import pin, stop
from scisim.ops.complexes import conj
from scisim.ops.index import flip, index
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.shape import concat, matrix_transpose, reshape


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values, and right singular vectors as conjugated rows."""

    U: Any
    S: Any
    Vh: Any


def _square_series(a: Any) -> tuple[Any, Any, Any]:
    n = shape(a)[-1]
    w, v = embedded_eigh_p(a)
    top = flip(index(v, (..., slice(n, None))), -1) * (1.0 / HALF)
    u, s, vh = svd_p(stop(a), full=False)
    left, right = index(top, (..., slice(0, n), slice(None))), adjoint(index(top, (..., slice(n, None), slice(None))))
    left, right = pin(left, settle_p(stop(left), u, s)), pin(right, settle_p(stop(right), vh, s))
    return left, pin(greatest(w, n), s), right


def _square_jvp(y: tuple, a: Any, da: Any) -> tuple[Any, Any, Any]:
    u, s, vh = y
    n, v = shape(a)[-1], adjoint(vh)
    w = concat([-s, flip(s, -1)], -1)
    basis = concat([concat([u, flip(u, -1)], -1), concat([-v, flip(v, -1)], -1)], -2) * HALF
    dw, dv = embedded_jvp((w, basis), [a], [da])
    top = flip(index(dv, (..., slice(n, None))), -1) * (1.0 / HALF)
    left, right = index(top, (..., slice(0, n), slice(None))), index(top, (..., slice(n, None), slice(None)))
    return left, greatest(dw, n), adjoint(right)


# --- all shapes --------------------------------------------------------------------------------------------------
def _svd(a: np.ndarray, full: bool) -> tuple:
    try:
        return tuple(np.linalg.svd(a, full_matrices=full))
    except np.linalg.LinAlgError:
        check_finite("svd", a)
        raise


def _svd_infer(avals: tuple, p: dict) -> tuple:
    *lead, m, n = avals[0].shape
    k, dt = min(m, n), avals[0].dtype
    rows, columns = (m, n) if p["full"] else (k, k)
    return (
        ShapeDtype((*lead, m, rows), dt),
        ShapeDtype((*lead, k), real_dtype(dt)),
        ShapeDtype((*lead, columns, n), dt),
    )


def _thin_jvp(y: tuple, a: Any, da: Any) -> tuple[Any, Any, Any]:
    """a = q r for tall matrices: the singular vectors of r, turned by q."""
    u, s, vh = y
    m, n = shape(a)[-2:]
    if m == n:
        return _square_jvp(y, a, da)
    if m < n:
        dv, ds, duh = _thin_jvp((adjoint(vh), s, adjoint(u)), adjoint(a), adjoint(da))
        return adjoint(duh), ds, adjoint(dv)
    q, r = qr_p(a, mode="reduced")
    dq, dr = qr_tangents(q, r, da)
    ur = matmul(adjoint(q), u)
    du, ds, dvh = _square_jvp((ur, s, vh), r, dr)
    return _held_phase(u, vh, matmul(dq, ur) + matmul(q, du), dvh, ds)


def _held_phase(u: Any, vh: Any, du: Any, dvh: Any, ds: Any) -> tuple[Any, Any, Any]:
    """Less what turns the common phase of a pair: u^H du + v^H dv = 0."""
    if dtype_of(u).kind == "c":
        turn = 0.5 * (sum_of(conj(u) * du, -2) + sum_of(matrix_transpose(vh) * conj(matrix_transpose(dvh)), -2))
        s = shape(turn)
        du, dvh = du - u * reshape(turn, (*s[:-1], 1, s[-1])), dvh + vh * reshape(turn, (*s, 1))
    return du, ds, dvh


def _svd_jvp(y: tuple, args: list, tangents: list, full: bool) -> tuple:
    (a,), (da,), (u, s, vh) = args, tangents, y
    if da is None:
        return None, None, None
    m, n = shape(a)[-2:]
    k = min(m, n)
    thin = (index(u, (..., slice(0, k))), s, index(vh, (..., slice(0, k), slice(None)))) if full and m != n else y
    du, ds, dvh = _thin_jvp(thin, a, da)
    if m != n:
        ds = svdvals_jvp(s, args, tangents)  # which holds where rank is lost, too
    if full and m > n:
        du = concat([du, undetermined_p(da, rows=m, columns=m - n)], -1)
    if full and m < n:
        dvh = concat([dvh, undetermined_p(da, rows=n - m, columns=n)], -2)
    return du, ds, dvh


def _svd_series(trace: Any, args: tuple, p: dict) -> Any:
    (a,) = args
    m, n = shape(a)[-2:]
    return _square_series(a) if m == n and along_a_line(trace) else None


svd_p = Primitive(
    "svd",
    _svd,
    axes=stacks((2,), [2, 1, 2]),
    infer=_svd_infer,
    jvp=_svd_jvp,
    series=_svd_series,
    multiple=True,
    array_api="linalg.svd",
)


# --- values alone ------------------------------------------------------------------------------------------------
def _through_qr(a: Any, rare: Any, usual: Any, *more: Any) -> Any:
    """A tall matrix of full rank by its factor r, one that lost rank by the embedding of all of it."""
    return choose(deficient_p(stop(a)), lambda *v: (rare(*v),), lambda *v: (usual(*v),), a, *more)[0]


def _tall(a: Any) -> Any:
    return adjoint(a) if shape(a)[-2] < shape(a)[-1] else a


def svdvals_jvp(s: Any, args: list, tangents: list) -> Any:
    (a,), (da,) = args, tangents
    if da is None:
        return None
    a, da = _tall(a), _tall(da)
    m, n = shape(a)[-2:]

    def square(a: Any, da: Any) -> Any:
        return greatest(diagonal_in(embedded(a), embedded_eigh_p(a), embedded(da), "embedded"), n)

    def whole(a: Any, da: Any) -> Any:
        e = embedded(a)
        return greatest(diagonal_in(e, eigh_p(e, kind="L"), embedded(da), "L"), n)

    def reduced(a: Any, da: Any) -> Any:
        q, r = qr_p(a, mode="reduced")
        return square(r, qr_tangents(q, r, da)[1])

    return square(a, da) if m == n else _through_qr(a, whole, reduced, da)


def _values_series(trace: Any, args: tuple, p: dict) -> Any:
    if not along_a_line(trace):
        return None
    a = _tall(args[0])
    m, n = shape(a)[-2:]

    def square(a: Any) -> Any:
        return greatest(embedded_eigh_p(a)[0], n)

    def whole(a: Any) -> Any:
        return greatest(eigh_p(embedded(a), kind="L")[0], n)

    y = square(a) if m == n else _through_qr(a, whole, lambda a: square(qr_p(a, mode="reduced")[1]))
    return pin(y, svdvals_p(stop(args[0])))


def _svdvals(a: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.svd(a, compute_uv=False)
    except np.linalg.LinAlgError:
        check_finite("svdvals", a)
        raise


svdvals_p = Primitive(
    "svdvals",
    _svdvals,
    axes=stacks((2,), 1),
    infer=lambda avals, p: _svd_infer(avals, {"full": False})[1],
    jvp=svdvals_jvp,
    series=_values_series,
    array_api="linalg.svdvals",
)


def svd(a: Any, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition a = U diag(S) Vh.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    full_matrices : bool
        Whether U and Vh are square; else they have k = min(m, n) columns and rows.

    Returns
    -------
    U : Tensor
        Of shape (..., m, m) or (..., m, k), with orthonormal columns.
    S : Tensor
        Of shape (..., k), descending.
    Vh : Tensor
        Of shape (..., n, n) or (..., k, n), with orthonormal rows.

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        When ``a`` holds nan or infinity.

    Notes
    -----
    The common phase of a pair of singular vectors is arbitrary; derivatives hold it so that u^H du + v^H dv = 0.
    Singular values that are equal, or 0, are as equal eigenvalues of `eigh`: along a line each follows its
    branch, the one that grows where it leaves 0, and gradients are nan where the function has none: for vectors of
    equal or zero singular values, and for a singular value at 0. Derivatives of vectors of a matrix that is not
    square are nan where it has not full rank, and so are the columns or rows that ``full_matrices`` adds.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.svd([[3.0, 0.0], [0.0, 4.0]]).S
    Tensor([4., 3.])
    """
    return SVDResult(*svd_p(matrix("svd", "a", a), full=bool(full_matrices)))


def svdvals(a: Any) -> Any:
    """Singular values.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).

    Returns
    -------
    Tensor
        Of shape (..., min(m, n)), descending.

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        When ``a`` holds nan or infinity.

    Notes
    -----
    Derivatives at equal singular values, and at 0, are as told at `svd`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.svdvals([[3.0, 0.0], [0.0, 4.0]])
    Tensor([4., 3.])
    """
    return svdvals_p(matrix("svdvals", "a", a))
