"""Cholesky factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ScisimError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import SingularMatrixError, check_finite, lapack, square_matrix, stacks
from scisim.ops._linalg.guards import adjoint
from scisim.ops._linalg.hermitian import hermitian_part
from scisim.ops._linalg.solving import solve_p
from scisim.ops._linalg.structured import lapack_function
from scisim.ops.arithmetic import mul_p
from scisim.ops.arrange import tril, triu
from scisim.ops.complexes import conj
from scisim.ops.products import matmul
from scisim.ops.shape import broadcast, reshape


class NotPositiveDefiniteError(ScisimError, np.linalg.LinAlgError):
    """A matrix that must be positive definite is not."""


def _cholesky(a: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        check_finite("cholesky", a)
        raise NotPositiveDefiniteError(
            f"cholesky: a matrix of shape {a.shape[-2:]} is not positive definite: an eigenvalue is 0 or negative, to "
            f"rounding. Add a small multiple of eye(n), or use eigh"
        ) from None


def _jvp(y: Any, args: list, tangents: list) -> Any:
    """dl = l phi(l^-1 da l^-H), phi the lower triangle with half of the diagonal."""
    (da,) = tangents
    if da is None:
        return None
    m = adjoint(solve_p(y, adjoint(solve_p(y, da))))
    n = shape(m)[-1]
    return matmul(y, mul_p(m, (np.tri(n) - 0.5 * np.eye(n)).astype(dtype_of(m))))


cholesky_p = Primitive(
    "cholesky",
    _cholesky,
    axes=stacks((2,), 2),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, avals[0].dtype),
    jvp=_jvp,
    array_api="linalg.cholesky",
)


def cholesky(a: Any, upper: bool = False) -> Any:
    """Triangular factor l of Hermitian positive definite matrices, a = l l^H.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n); the lower triangle is read.
    upper : bool
        Whether to give the upper factor u = l^H, with a = u^H u.

    Returns
    -------
    Tensor
        Of the shape of ``a``, with a real positive diagonal.

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    NotPositiveDefiniteError
        When a matrix is not positive definite; singular ones are not.

    Notes
    -----
    Derivatives are those of a function of Hermitian matrices: tangents count by their Hermitian part, and gradients
    are Hermitian.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    Tensor([[2., 0.],
            [1., 2.]])
    """
    y = cholesky_p(hermitian_part(square_matrix("cholesky", "a", a)))
    return adjoint(y) if upper else y


def _solve(c: np.ndarray, b: np.ndarray, lower: bool) -> np.ndarray:
    if not c.diagonal(0, -2, -1).all():
        raise SingularMatrixError(
            f"cho_solve: a factor of shape {c.shape[-2:]} has a 0 on its diagonal; cholesky gives none such"
        )
    kind = np.result_type(c, b)
    potrs = lapack_function("potrs", kind)
    if c.ndim == 2 and b.size:
        return potrs(c, b, lower=lower)[0]
    x = np.empty(b.shape, kind)
    for at in np.ndindex(*b.shape[:-2]) if b.size else ():
        x[at] = potrs(c[at], b[at], lower=lower)[0]
    return x


def _solve_jvp(x: Any, args: list, tangents: list, lower: bool) -> Any:
    """With a = c c^H: dx = a^-1 (db - (dc c^H + c dc^H) x), of the triangle that is read."""
    (c, _), (dc, db) = args, tangents
    if dc is None:
        return None if db is None else cho_solve_p(c, db, lower=lower)
    part = tril if lower else triu
    c, dc = (part(v) if lower else adjoint(part(v)) for v in (c, dc))
    moved = matmul(dc, matmul(adjoint(c), x)) + matmul(c, matmul(adjoint(dc), x))
    return cho_solve_p(args[0], -moved if db is None else db - moved, lower=lower)


cho_solve_p = Primitive(
    "cho_solve",
    _solve,
    axes=stacks((2, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, np.result_type(*(a.dtype for a in avals))),
    linear=(1,),
    transpose=lambda i, ct, args, p: cho_solve_p(conj(args[0]), ct, **p),
    jvp=_solve_jvp,
)


def cho_solve(c: Any, b: Any, lower: bool = True) -> Any:
    """Solution x of a x = b from the Cholesky factor of a.

    Parameters
    ----------
    c : array_like
        The factor, of shape (..., n, n), as `cholesky` gives it.
    b : array_like
        A vector of shape (n,), or matrices of shape (..., n, k).
    lower : bool
        Whether ``c`` is the lower factor (a = c c^H) or the upper one (a = c^H c).

    Returns
    -------
    Tensor
        Of shape (..., n) for a vector, else (..., n, k).

    Raises
    ------
    ShapeError
        When ``c`` is not square or ``b`` does not fit it.
    SingularMatrixError
        When an element of the diagonal of ``c`` is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.cho_solve(ss.linalg.cholesky([[4.0, 0.0], [0.0, 2.0]]), [4.0, 2.0])
    Tensor([1., 1.])
    """
    c, b = square_matrix("cho_solve", "c", c), lapack("cho_solve", "b", as_argument(b))
    n, s = shape(c)[-1], shape(b)
    vector = len(s) == 1
    if not s or s[0 if vector else -2] != n:
        raise ShapeError(
            f"cho_solve: b of shape {s} does not fit factors of shape {shape(c)}: it must be a vector of length {n} "
            f"or have {n} rows; write stacked vectors as b[..., None]"
        )
    b = reshape(b, (n, 1)) if vector else b
    if shape(c)[:-2] != shape(b)[:-2]:
        lead = broadcast_shapes("cho_solve", shape(c)[:-2], shape(b)[:-2])
        c, b = broadcast(c, (*lead, n, n)), broadcast(b, (*lead, *shape(b)[-2:]))
    x = cho_solve_p(c, b, lower=bool(lower))
    return reshape(x, shape(x)[:-1]) if vector else x
