"""Tridiagonal systems."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from scisim.core.errors import ShapeError
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape
from scisim.ops._linalg.checks import lapack
from scisim.ops._linalg.structured import lapack_function, run, singular, structured
from scisim.ops.shape import concat, reshape

_MANY = 8  # stacks from this length on are worth a kernel of their own


def _solve(theta: Any, b: Any) -> np.ndarray:
    lower, diagonal, upper = theta
    kind = np.result_type(lower, diagonal, upper, b)
    if len(diagonal) == 1:
        if diagonal[0] == 0:
            raise singular("solve_tridiagonal", 1)
        return (b / diagonal[0]).astype(kind, copy=False)
    _, _, _, x, info = lapack_function("gtsv", kind)(lower, diagonal, upper, b)
    if info > 0:
        raise singular("solve_tridiagonal", len(diagonal))
    return x


def _solve_stack(theta: Any, b: Any) -> np.ndarray:
    if len(b) < _MANY:
        return np.stack([_solve(one[:-1], one[-1]) for one in zip(*theta, b, strict=True)])
    kind = np.result_type(*theta, b)
    n = b.shape[1]
    x = np.array(b, kind, order="C")
    work = [np.ascontiguousarray(t, kind) for t in theta]
    if not _kernel()(*work, x):
        raise singular("solve_tridiagonal", n)
    return x


@cache
def _kernel() -> Any:
    """Elimination with exchange of neighbouring rows, as LAPACK's gtsv, one system after the other."""
    import numba

    @numba.njit(cache=True)
    def eliminate(lower: Any, diagonal: Any, upper: Any, x: Any) -> bool:
        count, n = diagonal.shape
        d, u, second = np.empty(n, x.dtype), np.empty(n, x.dtype), np.zeros(n, x.dtype)
        for s in range(count):
            d[:] = diagonal[s]
            u[: n - 1] = upper[s]
            for i in range(n - 1):
                below, rows = lower[s, i], x[s]
                if abs(d[i]) >= abs(below):
                    if d[i] == 0:
                        return False
                    f = below / d[i]
                    d[i + 1] -= f * u[i]
                    for k in range(x.shape[2]):
                        rows[i + 1, k] -= f * rows[i, k]
                    second[i] = 0
                else:
                    f = d[i] / below
                    d[i] = below
                    old = d[i + 1]
                    d[i + 1] = u[i] - f * old
                    u[i] = old
                    if i < n - 2:
                        second[i] = u[i + 1]
                        u[i + 1] = -f * u[i + 1]
                    for k in range(x.shape[2]):
                        top = rows[i, k]
                        rows[i, k] = rows[i + 1, k]
                        rows[i + 1, k] = top - f * rows[i, k]
            if d[n - 1] == 0:
                return False
            for k in range(x.shape[2]):
                x[s, n - 1, k] /= d[n - 1]
                if n > 1:
                    x[s, n - 2, k] = (x[s, n - 2, k] - u[n - 2] * x[s, n - 1, k]) / d[n - 2]
                for i in range(n - 3, -1, -1):
                    x[s, i, k] = (x[s, i, k] - u[i] * x[s, i + 1, k] - second[i] * x[s, i + 2, k]) / d[i]
        return True

    return eliminate


def _column(x: Any) -> Any:
    return reshape(x, (*shape(x), 1))


def _apply(theta: list, x: Any) -> Any:
    lower, diagonal, upper = theta
    zero = np.zeros((*shape(x)[:-2], 1, shape(x)[-1]), dtype(x))
    parts = []
    if diagonal is not None:
        parts.append(_column(diagonal) * x)
    if lower is not None:
        parts.append(concat([zero, _column(lower) * x[..., :-1, :]], -2))
    if upper is not None:
        parts.append(concat([_column(upper) * x[..., 1:, :], zero], -2))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


solve_tridiagonal_p = structured(
    "solve_tridiagonal", _solve, _apply, lambda theta, p: (list(theta)[::-1], p), (1, 1, 1), _solve_stack
)


def solve_tridiagonal(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    """Solution x of a x = b for tridiagonal matrices, with pivoting.

    Parameters
    ----------
    lower, upper : array_like
        The diagonals below and above the main one, of shape (..., n - 1).
    diagonal : array_like
        Of shape (..., n).
    b : array_like
        A vector (n,), or matrices (..., n, k); leading axes broadcast.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the operands do not fit each other.
    SingularMatrixError
        When a matrix has no inverse.

    Notes
    -----
    The cost is that of O(n) operations for a system. Stacks of systems are solved by one compiled kernel.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_tridiagonal([-1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0], [1.0, 0.0, 1.0])
    Tensor([1., 1., 1.])
    """
    name = "solve_tridiagonal"
    theta = tuple(
        lapack(name, a, as_argument(x)) for a, x in zip(("lower", "diagonal", "upper"), (lower, diagonal, upper))
    )
    sizes = [shape(t)[-1:] for t in theta]
    n = (sizes[1] or (0,))[0]
    if sizes[1] == () or sizes[0] != sizes[2] or sizes[0] != (max(n - 1, 0),):
        shapes = " and ".join(str(shape(t)) for t in theta)
        raise ShapeError(f"{name}: diagonals of shapes {shapes}; expected (..., n - 1), (..., n) and (..., n - 1)")
    return run(name, solve_tridiagonal_p, theta, b, n, (1, 1, 1))
