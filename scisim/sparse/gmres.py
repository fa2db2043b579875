"""The generalised minimal residual method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, wrap
from scisim.ops.flow import iterate
from scisim.ops.shape import as_integer
from scisim.sparse._iteration import (
    Function,
    Record,
    Setting,
    SolveInfo,
    _abs,
    _conj,
    _where,
    norm,
    safe,
    solved,
    start,
)
from scisim.sparse.krylov import setting

_take = OPERATIONS["take"].function


def gmres(
    a: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    check: bool = True,
) -> tuple[Tensor, SolveInfo]:
    """Solution of A x = b by generalised minimal residuals, for any regular A.

    Parameters
    ----------
    a, b, x0, rtol, atol, M, check
        As of `cg`; A and M need not be hermitian. M is applied from the right, so residuals are those of A x = b.
    restart : int
        How many directions are kept before the method starts again from where it is.
    maxiter : int, optional
        The most iterations, over all restarts; ten times the number of unknowns by default.

    Returns
    -------
    x : Tensor
    info : SolveInfo

    Raises
    ------
    ConvergenceError
        When the tolerance is not reached.
    ShapeError, ArgumentError, ArgumentTypeError
        For operands that do not fit.

    Notes
    -----
    Derivatives as of `cg`; the transposed equation takes the transposed M. Directions are made orthogonal twice, so
    that they are so to rounding. Source: Saad and Schultz (1986).

    Examples
    --------
    >>> from scisim import sparse
    >>> x, info = sparse.gmres([[2.0, 1.0], [0.0, 4.0]], [3.0, 4.0], rtol=1e-12)
    >>> x
    Tensor([1., 1.])
    """
    count = min(max(as_integer("sparse.gmres", "restart", restart), 1), max(Tensor(b).size, 1))

    def method(matvec: Function, b: Any, x0: Any, m: Function, limits: Setting) -> tuple[Any, SolveInfo]:
        return _gmres(matvec, b, x0, m, limits, count)

    return solved("sparse.gmres", method, a, b, x0, M, setting(b, rtol, atol, maxiter), False, check)


class _Outer(NamedTuple):
    record: Record
    x: Any
    r: Any


class _Inner(NamedTuple):
    record: Record
    j: Any
    basis: Any  # (m + 1, n), orthonormal rows, 0 from row j + 1 on
    turn: Any  # (m + 1, m + 1), the product of all rotations
    upper: Any  # (m, m), the rotated columns


def _gmres(matvec: Function, b: Any, x0: Any, precondition: Function, limits: Setting, m: int) -> tuple[Any, SolveInfo]:
    def cycle(s: _Outer) -> _Outer:
        beta = norm(s.r)
        inner = _Inner(s.record, wrap(np.asarray(0)), *_empty(s.r, beta, m))
        inner = iterate(
            lambda q: q.record.going(limits.maxiter) & (q.j < m),
            lambda q: _extend(q, matvec, precondition, beta, b.shape),
            inner,
        )
        used = np.arange(m) < inner.j
        right = _where(used, beta * inner.turn[:m, 0], 0.0).astype(b.dtype)
        y = _back_substitution(inner.upper, right, m)
        x = s.x + precondition((y @ inner.basis[:m]).reshape(b.shape))
        r = b - matvec(x)
        return _Outer(inner.record._replace(residual=norm(r)), x, r)

    r = b - matvec(x0)
    state = iterate(lambda s: s.record.going(limits.maxiter), cycle, _Outer(start(b, r, limits), x0, r))
    return state.x, state.record.info()


def _empty(r: Any, beta: Any, m: int) -> tuple[Any, Any, Any]:
    first = (np.arange(m + 1) == 0)[:, None]
    unit = (r / safe(beta)).reshape(1, -1)
    eye = wrap(np.eye(m + 1, dtype=r.dtype))
    return _where(first, unit, 0.0).astype(r.dtype), eye, wrap(np.zeros((m, m), r.dtype))


def _extend(q: _Inner, matvec: Function, precondition: Function, beta: Any, shape: tuple[int, ...]) -> _Inner:
    """One more direction, and the rotation that makes its column upper triangular."""
    m = q.upper.shape[0]
    w = matvec(precondition(_take(q.basis, q.j, axis=0).reshape(shape))).reshape(-1)
    h = _conj(q.basis) @ w
    w = w - h @ q.basis
    again = _conj(q.basis) @ w
    w = w - again @ q.basis
    size = norm(w)
    rows = np.arange(m + 1)
    column = q.turn @ _where(rows == q.j + 1, size, h + again).astype(w.dtype)
    turn = _rotation(column, q.j, rows, w.dtype) @ q.turn
    top = _where(rows == q.j, _top(column, q.j), _where(rows < q.j, column, 0.0))
    upper = _where(np.arange(m) == q.j, top[:m, None], q.upper).astype(w.dtype)
    basis = _where((rows == q.j + 1)[:, None], w / safe(size), q.basis).astype(w.dtype)
    residual = _abs(beta * _take(turn[:, 0], q.j + 1))
    return _Inner(q.record.noted(residual), q.j + 1, basis, turn, upper)


def _top(column: Any, j: Any) -> Any:
    a, b = _take(column, j), _take(column, j + 1)
    return norm(_pair(a, b))


def _pair(a: Any, b: Any) -> Any:
    return OPERATIONS["stack"].function([a, b])


def _rotation(column: Any, j: Any, rows: np.ndarray, dtype: Any) -> Any:
    """The unitary matrix that turns entries j and j + 1 into (length, 0)."""
    a, b = _take(column, j), _take(column, j + 1)
    size = norm(_pair(a, b))
    c, s = _where(size == 0, 1.0, a / safe(size)), b / safe(size)
    here, below = rows == j, rows == j + 1
    first = _where(here, _conj(c), _where(below, _conj(s), 0.0))
    second = _where(here, -s, _where(below, c, 0.0))
    eye = np.eye(len(rows), dtype=dtype)
    return _where(here[:, None], first, _where(below[:, None], second, eye)).astype(dtype)


def _back_substitution(upper: Any, right: Any, m: int) -> Any:
    """Directions that were not made, and those of length 0, get the weight 0."""
    diagonal = OPERATIONS["linalg.diagonal" if "linalg.diagonal" in OPERATIONS else "diagonal"].function(upper)
    regular = upper + wrap(np.eye(m, dtype=upper.dtype)) * (diagonal == 0)
    right = _where(diagonal == 0, 0.0, right).astype(upper.dtype)
    from scisim.ops._linalg.solving import solve_p

    return wrap(solve_p(regular._v, right.reshape(-1, 1)._v)).reshape(-1)
