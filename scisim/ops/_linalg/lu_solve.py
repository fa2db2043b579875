"""Solving with LU factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack, square_matrix, stacks
from scisim.ops._linalg.guards import adjoint, lower, upper
from scisim.ops._linalg.lu import factor_parts, permutation_p
from scisim.ops._linalg.structured import lapack_function
from scisim.ops.complexes import conj
from scisim.ops.products import matmul
from scisim.ops.shape import broadcast, matrix_transpose, reshape


def _solve(both: np.ndarray, piv: np.ndarray, b: np.ndarray, trans: int) -> np.ndarray:
    if not both.diagonal(0, -2, -1).all():
        raise SingularMatrixError(
            f"lu_solve: a matrix of shape {both.shape[-2:]} is singular: its equations have no solution or many"
        )
    kind = np.result_type(both, b)
    getrs = lapack_function("getrs", kind)
    if both.ndim == 2 and b.size:
        return getrs(both, piv, b, trans=trans)[0]
    x = np.empty(b.shape, kind)
    for at in np.ndindex(*b.shape[:-2]) if b.size else ():
        x[at] = getrs(both[at], piv[at], b[at], trans=trans)[0]
    return x


def _solve_jvp(x: Any, args: list, tangents: list, trans: int) -> Any:
    """dx = a^-1 (db - da x), of a = p l u or its transpose or adjoint."""
    (both, piv, _), (dboth, _, db) = args, tangents
    if dboth is None:
        return None if db is None else lu_solve_p(both, piv, db, trans=trans)
    p = permutation_p(piv, rows=shape(both)[-1], dtype=dtype_of(both).name)
    (low, up), dlow, dup = factor_parts(both), lower(dboth, -1), upper(dboth)
    if trans == 0:
        moved = matmul(p, matmul(dlow, matmul(up, x)) + matmul(low, matmul(dup, x)))
    else:
        turn = matrix_transpose if trans == 1 else adjoint
        y = matmul(matrix_transpose(p), x)
        moved = matmul(turn(dup), matmul(turn(low), y)) + matmul(turn(up), matmul(turn(dlow), y))
    return lu_solve_p(both, piv, -moved if db is None else db - moved, trans=trans)


def _solve_transpose(i: int, ct: Any, args: tuple, params: dict) -> Any:
    both, piv, _ = args
    if params["trans"] == 2:
        return lu_solve_p(conj(both), piv, ct, trans=0)
    return lu_solve_p(both, piv, ct, trans=1 - params["trans"])


lu_solve_p = Primitive(
    "lu_solve",
    _solve,
    axes=stacks((2, 1, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[2].shape, np.result_type(avals[0].dtype, avals[2].dtype)),
    linear=(2,),
    transpose=_solve_transpose,
    jvp=_solve_jvp,
)


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0) -> Any:
    """Solution x of a x = b from the factors of a.

    Parameters
    ----------
    lu_and_piv : LUFactors
        As `lu_factor` gives them, of shapes (..., n, n) and (..., n).
    b : array_like
        A vector of shape (n,), or matrices of shape (..., n, k).
    trans : {0, 1, 2}
        Which equations: a x = b, or those of the transpose (1) or the adjoint (2) of a.

    Returns
    -------
    Tensor
        Of shape (..., n) for a vector, else (..., n, k).

    Raises
    ------
    ShapeError
        When shapes do not fit.
    ArgumentError
        For another ``trans``.
    SingularMatrixError
        When an element of the diagonal of u is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.lu_solve(ss.linalg.lu_factor([[1.0, 2.0], [2.0, 2.0]]), [3.0, 4.0])
    Tensor([1., 1.])
    """
    if trans not in (0, 1, 2):
        raise ArgumentError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}")
    both, piv = lu_and_piv
    both, b = square_matrix("lu_solve", "lu", both), lapack("lu_solve", "b", as_argument(b))
    n, s = shape(both)[-1], shape(b)
    vector = len(s) == 1
    if not s or s[0 if vector else -2] != n:
        raise ShapeError(
            f"lu_solve: b of shape {s} does not fit factors of shape {shape(both)}: it must be a vector of length {n} "
            f"or have {n} rows; write stacked vectors as b[..., None]"
        )
    if type(both) is np.ndarray is type(b) and both.ndim == 2 and b.ndim < 3 and b.size:
        return _solve(both, np.asarray(piv), b, trans)
    if (shape(both)[:-2] != shape(b)[:-2] and not vector) or len(shape(both)) > 2:
        lead = broadcast_shapes("lu_solve", shape(both)[:-2], shape(b)[: -1 if vector else -2])
        both, b = broadcast(both, (*lead, n, n)), broadcast(b, (*lead, *shape(b)[-1 if vector else -2 :]))
        piv = broadcast(as_argument(piv), (*lead, n))
    x = lu_solve_p(both, as_argument(piv), reshape(b, (*shape(b), 1)) if vector else b, trans=trans)
    return reshape(x, shape(x)[:-1]) if vector else x
