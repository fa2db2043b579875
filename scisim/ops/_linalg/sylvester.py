"""Linear matrix equations: Sylvester's and Lyapunov's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ConvergenceError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack, square_matrix, stacks
from scisim.ops._linalg.solving import solve_p
from scisim.ops._linalg.structured import lapack_function
from scisim.ops.complexes import conj
from scisim.ops.creation import eye
from scisim.ops.products import matmul
from scisim.ops.shape import broadcast, matrix_transpose


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return conj(matrix_transpose(x))


def _sylvester(a: Any, b: Any, q: Any, strict: bool) -> np.ndarray:
    kind = np.result_type(a, b, q)
    if q.ndim == 2:
        return _one(a.astype(kind, copy=False), b.astype(kind, copy=False), q.astype(kind, copy=False), strict)
    out = np.empty(q.shape, kind)
    for at in np.ndindex(q.shape[:-2]):
        out[at] = _one(a[at].astype(kind), b[at].astype(kind), q[at].astype(kind), strict)
    return out


def _one(a: np.ndarray, b: np.ndarray, q: np.ndarray, strict: bool) -> np.ndarray:
    """By Schur forms (Bartels and Stewart, 1972)."""
    if not q.size:
        return q
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.full(q.shape, np.nan, q.dtype)
    r, u = _schur(a)
    if a.shape == b.shape and np.array_equal(a, b):
        s, v, how = r, u, "N"
    elif a.shape == b.shape and np.array_equal(a.conj().T, b):
        s, v, how = r, u, "C"
    else:
        s, v = _schur(b.conj().T)
        how = "C"
    trsyl = lapack_function("trsyl", q.dtype)
    y, scale, info = trsyl(r, s, u.conj().T @ q @ v, tranb=how)
    if info == 1:  # the sum of two eigenvalues is 0 to rounding
        return _no_solution(a, b, strict)
    return scale * (u @ y @ v.conj().T)


def _schur(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Form and vectors, real for a real matrix."""
    *_, vectors, _, info = out = lapack_function("gees", a.dtype)(_no_order, a, lwork=_room(len(a), a.dtype))
    if info:
        raise ConvergenceError(f"solve_sylvester: the Schur form of a matrix of shape {a.shape} was not found")
    return out[0], vectors


def _no_order(*eigenvalue: Any) -> None:
    """Leaves the eigenvalues as they come."""


@lru_cache(maxsize=256)
def _room(n: int, kind: np.dtype) -> int:
    """The workspace that LAPACK asks for."""
    work = lapack_function("gees", kind)(_no_order, np.eye(n, dtype=kind), lwork=-1)[-2]
    return int(work[0].real)


def _no_solution(a: np.ndarray, b: np.ndarray, strict: bool) -> np.ndarray:
    if not strict:
        return np.full((len(a), len(b)), np.nan, a.dtype)
    raise SingularMatrixError(
        f"solve_sylvester: a of shape {a.shape} has an eigenvalue that is the negative of one of b of shape {b.shape}, "
        f"so a x + x b = q has no solution or many"
    )


def _sylvester_jvp(x: Any, args: list, tangents: list, strict: bool) -> Any:
    """a dx + dx b = dq - da x - x db."""
    da, db, right = tangents
    for product in (None if da is None else matmul(da, x), None if db is None else matmul(x, db)):
        if product is not None:
            right = -product if right is None else right - product
    return None if right is None else sylvester_p(args[0], args[1], right, strict=strict)


def _sylvester_taylor(trace: Any, args: tuple, y: Any, strict: bool) -> Any:
    a, b, q = args

    def term(j: int, i: int, w: float = 1.0) -> Any:
        m, n, x = trace.coefficient(a, j), trace.coefficient(b, j), y.coef(i)
        if x is None or (m is None and n is None):
            return None
        left = None if m is None else matmul(m, x)
        right = None if n is None else matmul(x, n)
        both: Any = left if right is None else right if left is None else left + right
        return both * -w

    def rule(k: int) -> Any:
        moving = trace.mine(a) or trace.mine(b)
        rest = [term(*p) for p in trace.slots.rest[k]] if moving else []
        t = trace.total(k, [trace.coefficient(q, k), term(k, 0) if moving else None], rest)
        return None if t is None else sylvester_p(*(trace.coefficient(m, 0) for m in (a, b)), t, strict=strict)

    return rule


sylvester_p = Primitive(
    "solve_sylvester",
    _sylvester,
    axes=stacks((2, 2, 2), 2),
    infer=lambda avals, p: ShapeDtype(avals[2].shape, np.result_type(*(a.dtype for a in avals))),
    linear=(2,),
    transpose=lambda i, ct, args, p: sylvester_p(matrix_transpose(args[0]), matrix_transpose(args[1]), ct, **p),
    jvp=_sylvester_jvp,
    taylor=_sylvester_taylor,
)


def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """Solution x of Sylvester's equation a x + x b = q.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, m).
    b : array_like
        Of shape (..., n, n).
    q : array_like
        Of shape (..., m, n).

    Returns
    -------
    Tensor
        Of shape (..., m, n).

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When an eigenvalue of a is the negative of one of b.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_sylvester([[1.0, 0.0], [0.0, 2.0]], [[1.0]], [[2.0], [3.0]])
    Tensor([[1.],
            [1.]])
    """
    name = "solve_sylvester"
    a, b = square_matrix(name, "a", a), square_matrix(name, "b", b)
    q = lapack(name, "q", as_argument(q))
    if len(shape(q)) < 2 or shape(q)[-2:] != (shape(a)[-1], shape(b)[-1]):
        raise ShapeError(f"{name}: q of shape {shape(q)}; a {shape(a)} and b {shape(b)} need (..., m, n)")
    lead = broadcast_shapes(name, *(shape(x)[:-2] for x in (a, b, q)))
    return sylvester_p(*(broadcast(x, (*lead, *shape(x)[-2:])) for x in (a, b, q)), strict=True)


def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """Solution x of the continuous Lyapunov equation a x + x a^H = q.

    Parameters
    ----------
    a, q : array_like
        Of shape (..., n, n).

    Returns
    -------
    Tensor
        Of shape (..., n, n).

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When the sum of an eigenvalue and the conjugate of another is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_continuous_lyapunov([[-1.0]], [[4.0]])
    Tensor([[-2.]])
    """
    a = square_matrix("solve_continuous_lyapunov", "a", a)
    q = square_matrix("solve_continuous_lyapunov", "q", q)
    return solve_sylvester(a, adjoint(a), q)


def solve_discrete_lyapunov(a: Any, q: Any) -> Any:
    """Solution x of the discrete Lyapunov equation a x a^H - x + q = 0.

    Parameters
    ----------
    a, q : array_like
        Of shape (..., n, n).

    Returns
    -------
    Tensor
        Of shape (..., n, n).

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When the product of an eigenvalue and the conjugate of another is 1.

    Notes
    -----
    By the bilinear transformation to a continuous equation, as in Gajic and Qureshi (1995).

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_discrete_lyapunov([[0.5]], [[3.0]])
    Tensor([[4.]])
    """
    a = square_matrix("solve_discrete_lyapunov", "a", a)
    q = square_matrix("solve_discrete_lyapunov", "q", q)
    one = eye(shape(a)[-1], dtype=dtype(a))
    right = adjoint(solve_p(adjoint(adjoint(a) + one), adjoint(adjoint(a) - one)))  # (a^H - 1) (a^H + 1)^-1
    inverse = solve_p(a + one, one)
    c = matmul(matmul(inverse, q), adjoint(inverse)) * -2.0
    return solve_sylvester(adjoint(right), right, c)
