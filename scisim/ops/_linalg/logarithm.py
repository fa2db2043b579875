"""The principal logarithm of a matrix."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from scisim.core.errors import DTypeError
from scisim.ops._linalg.checks import SingularMatrixError, check_finite, square_matrix
from scisim.ops._linalg.frechet import Parts, inner_products, matrix_function
from scisim.ops._linalg.structured import lapack_function

_NODES = 8  # of the quadrature that is the [8/8] approximant of log(1 + x)
_NEAR = 0.1  # distance from the identity within which it is exact to rounding, with room for four derivatives


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(_NODES)
    return (x + 1) / 2, w / 2


def _evaluate(a: Any) -> np.ndarray:
    if not a.size:
        return a
    check_finite("logm", a)
    return _parts([a])[0]


def _parts(x: Parts) -> Parts:
    lead = x[0].shape[:-2]
    out: list = [None] * len(x)
    for at in np.ndindex(lead):
        for s, y in enumerate(_one([None if p is None else p[at] for p in x])):
            if y is not None:
                if out[s] is None:
                    out[s] = np.zeros(x[0].shape, x[0].dtype)
                out[s][at] = y
    return out


def _one(x: Parts) -> Parts:
    """By square roots of a Schur form until it is near the identity (Al-Mohy, Higham and Relton, 2013)."""
    from scipy.linalg import rsf2csf, schur

    kind = x[0].dtype
    if len(x) == 1 and np.array_equal(x[0], x[0].conj().T):
        return [_of_hermitian(x[0])]
    t, q = schur(x[0], "complex" if kind.kind == "c" else "real", check_finite=False)
    t, q = (t, q) if kind.kind == "c" else rsf2csf(t, q, check_finite=False)
    check_spectrum("logm", np.diagonal(t), kind)
    qh = q.conj().T
    y: Parts = [t, *(None if p is None else qh @ p @ q for p in x[1:])]
    y = _near_identity(y)
    back = [None if p is None else q @ p @ qh for p in y]
    return [None if p is None else p if kind.kind == "c" else p.real for p in back]


def _of_hermitian(a: np.ndarray) -> np.ndarray:
    w, v = np.linalg.eigh(a)
    check_spectrum("logm", w, a.dtype)
    w = np.log(w) if np.all(w > 0) else np.log(w.astype(np.result_type(w, np.complex64)))
    return (v * w) @ v.conj().T


def check_spectrum(name: str, w: np.ndarray, kind: np.dtype) -> None:
    """Refuse eigenvalues at which the function is not defined."""
    if np.any(w == 0):
        raise SingularMatrixError(
            f"{name}: a matrix of shape {(len(w),) * 2} is singular: the logarithm of the eigenvalue 0 is infinite"
        )
    if kind.kind != "c" and np.any((np.imag(w) == 0) & (np.real(w) < 0)):
        raise DTypeError(
            f"{name}: a real matrix of shape {(len(w),) * 2} has a negative eigenvalue, so the result is complex: "
            f"convert it with astype(complex)"
        )


def _near_identity(y: Parts) -> Parts:
    """The logarithm of an upper triangular matrix with infinitesimal parts."""
    eigenvalues = np.log(np.diagonal(y[0]))
    times = 0
    while np.linalg.norm(y[0] - np.eye(len(y[0])), 1) > _NEAR and times < 100:
        y, times = _root(y), times + 1
        np.fill_diagonal(y[0], np.exp(eigenvalues * 0.5**times))
    y[0] = y[0].copy()
    np.fill_diagonal(y[0], np.expm1(eigenvalues * 0.5**times))  # without the digits that y - 1 would lose
    out = _integral(y)
    np.fill_diagonal(out[0], eigenvalues * 0.5**times)
    return [None if p is None else p * 2.0**times for p in out]


def _root(y: Parts) -> Parts:
    from scipy.linalg import sqrtm

    r: Parts = [np.triu(sqrtm(y[0]).astype(y[0].dtype, copy=False))] + [None] * (len(y) - 1)
    trsyl = lapack_function("trsyl", y[0].dtype)
    for s in range(1, len(y)):
        right, inner = y[s], inner_products(r, r, s)
        if inner is not None:
            right = -inner if right is None else right - inner
        if right is not None:
            z, scale, _ = trsyl(r[0], r[0], right)
            r[s] = scale * z
    return r


def _integral(x: Parts) -> Parts:
    """log(1 + x), the integral of x / (1 + t x) over t from 0 to 1."""
    out: Parts = [None] * len(x)
    one = np.eye(len(x[0]), dtype=x[0].dtype)
    for t, w in zip(*_rule(), strict=True):
        inverse = _triangular_inverse(one + t * x[0])
        part: Parts = [x[0] @ inverse] + [None] * (len(x) - 1)
        for s in range(1, len(x)):  # (1 + t x)^-1 x, of which part s is solved for
            right, inner = x[s], inner_products(x, part, s)
            if x[s] is not None:
                own = t * (x[s] @ part[0])
                right = right - own
            if inner is not None:
                right = -t * inner if right is None else right - t * inner
            part[s] = None if right is None else inverse @ right
        for s, p in enumerate(part):
            if p is not None:
                out[s] = w * p if out[s] is None else out[s] + w * p
    return out


def _triangular_inverse(a: np.ndarray) -> np.ndarray:
    return lapack_function("trtri", a.dtype)(a)[0]


logm_p = matrix_function("logm", _evaluate, _parts)


def logm(a: Any) -> Any:
    """Principal logarithm of matrices: the one whose eigenvalues have imaginary parts in (-pi, pi].

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), real or complex.

    Returns
    -------
    Tensor
        Of the same shape and dtype.

    Raises
    ------
    ShapeError
        When a is not square.
    SingularMatrixError
        When an eigenvalue is 0.
    DTypeError
        When a real matrix has a negative eigenvalue, so that its logarithm is complex.
    ArgumentError
        When a holds nan or infinity.

    Notes
    -----
    Smooth where no eigenvalue is 0 or negative; repeated eigenvalues are ordinary points. At a negative eigenvalue of
    a complex matrix the value is the limit from above the axis, and so are the derivatives.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.logm([[1.0, 1.0], [0.0, 1.0]])
    Tensor([[0., 1.],
            [0., 0.]])
    """
    return logm_p(square_matrix("logm", "a", a))
