"""The generalised minimal residual method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.tensor import Tensor
from scisim.core.values import Traced, dtype, shape
from scisim.ops._linalg.solving import solve_p
from scisim.ops.arithmetic import absolute
from scisim.ops.arrange import diagonal
from scisim.ops.complexes import conj, real
from scisim.ops.index import index
from scisim.ops.products import matmul
from scisim.ops.select import eq, where
from scisim.ops.shape import as_integer, astype, matrix_transpose, reshape
from scisim.sparse._iteration import Function, Record, Setting, SolveInfo, norm, repeat, root, safe, solved, start
from scisim.sparse.krylov import setting


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

    def method(matvec: Function, b: Any, x0: Any, m: Function, limits: Setting) -> tuple[Any, Record]:
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
    upper: Any  # (m, m), the rotated columns as rows


def _gmres(matvec: Function, b: Any, x0: Any, precondition: Function, limits: Setting, m: int) -> tuple[Any, Record]:
    kind, s = dtype(b), shape(b)

    def cycle(outer: _Outer) -> _Outer:
        beta = norm(outer.r)
        inner = repeat(
            lambda q: q.record.going(limits.maxiter) & (q.j < m),
            lambda q: _extend(q, lambda v: _flat(matvec(precondition(reshape(v, s)))), beta),
            _Inner(outer.record, np.asarray(0), *_first(outer.r, beta, m)),
        )
        y = _weights(inner, beta, m)
        x = outer.x + precondition(reshape(matmul(y, inner.basis[:m]), s))
        r = b - matvec(x)
        return _Outer(inner.record.measured(norm(r)), astype(x, kind), r)

    r = b - matvec(x0)
    end = repeat(lambda q: q.record.going(limits.maxiter), cycle, _Outer(start(b, r, limits), x0, r))
    return end.x, end.record


def _flat(x: Any) -> Any:
    return reshape(x, (-1,))


def _first(r: Any, beta: Any, m: int) -> tuple[Any, Any, Any]:
    """One direction, no rotation, no column."""
    kind = dtype(r)
    unit = reshape(r / safe(beta), (1, -1))
    basis = np.eye(m + 1, 1, dtype=kind) * unit
    return basis, np.eye(m + 1, dtype=kind), np.zeros((m, m), kind)


def _extend(q: _Inner, product: Function, beta: Any) -> _Inner:
    """One more direction, and the rotation that makes its column upper triangular."""
    kind = dtype(q.upper)
    w = product(_row(q.basis, q.j))
    h, adjoint = 0.0, conj(q.basis) if kind.kind == "c" else q.basis
    for _ in range(2):
        more = matmul(adjoint, w)
        w, h = w - matmul(more, q.basis), h + more
    size = norm(w)
    column = matmul(q.turn, _put(h, q.j + 1, size))
    turn, top = _rotated(q.turn, column, q.j)
    column = _put(_put(column, q.j + 1, 0.0), q.j, top)
    upper = _put(q.upper, q.j, column[:-1])
    basis = _put(q.basis, q.j + 1, w / safe(size))
    residual = absolute(beta * reshape(_row(_row(turn, q.j + 1), 0), ()))
    return _Inner(q.record.noted(residual), q.j + 1, basis, turn, upper)


def _row(x: Any, k: Any) -> Any:
    """A row of a matrix; of a vector an array of one element, with which NumPy computes as with longer ones."""
    if type(x) is np.ndarray and not isinstance(k, Traced):
        return x[k] if x.ndim > 1 else x[k : k + 1]
    return index(x, k if len(shape(x)) > 1 else reshape(k, (1,)) if isinstance(k, Traced) else slice(k, k + 1))


def _put(x: Any, k: Any, row: Any) -> Any:
    """x with a row in place k; plain arrays are those of the loop, so they are written into."""
    if type(x) is np.ndarray and not isinstance(row, Traced):
        x[k : k + 1] = row
        return x
    here = reshape(eq(np.arange(shape(x)[0]), k), (-1,) + (1,) * (len(shape(x)) - 1))
    return astype(where(here, row, x), dtype(x))


def _rotated(turn: Any, column: Any, j: Any) -> tuple[Any, Any]:
    """All rotations with one more, which turns entries j and j + 1 of the column into (length, 0); the length."""
    a, b = _row(column, j), _row(column, j + 1)
    size = root(real(conj(a) * a + conj(b) * b))
    c, s = where(eq(size, 0), np.ones((), dtype(turn)), a / safe(size)), b / safe(size)
    first, second = _row(turn, j), _row(turn, j + 1)
    upper, lower = conj(c) * first + conj(s) * second, c * second - s * first
    return _put(_put(turn, j, upper), j + 1, lower), size


def _weights(q: _Inner, beta: Any, m: int) -> Any:
    """What minimises the residual; directions that were not made, and those of length 0, get the weight 0."""
    columns, d = matrix_transpose(q.upper), diagonal(q.upper)
    none = eq(d, 0)
    right = where(none, np.zeros((), dtype(d)), beta * q.turn[:m, 0])
    regular = columns + np.eye(m, dtype=dtype(d)) * astype(none, dtype(d))
    return reshape(solve_p(regular, reshape(astype(right, dtype(d)), (m, 1))), (m,))
