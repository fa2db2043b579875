"""Linear equations and inverses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes, broadcast_labels, leading
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import shape
from scisim.ops._linalg.checks import SingularMatrixError, lapack, square_matrix
from scisim.ops.products import matmul
from scisim.ops.shape import matrix_transpose, reshape


def _solve(a: Any, b: Any) -> np.ndarray:
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise _singular(a) from None


def _singular(a: Any) -> SingularMatrixError:
    return SingularMatrixError(
        f"solve: a matrix of shape {a.shape[-2:]} is singular: its equations have no solution or many. "
        f"Remove dependent rows, or regularise with a + eps * eye(n)"
    )


@lru_cache(maxsize=64)
def _solve_dtype(a: np.dtype, b: np.dtype) -> np.dtype:
    return np.linalg.solve(np.ones((1, 1), a), np.ones((1, 1), b)).dtype


def _solve_infer(avals: tuple, p: dict) -> ShapeDtype:
    a, b = avals
    lead = broadcast_shapes("solve", a.shape[:-2], b.shape[:-2])
    return ShapeDtype((*lead, *b.shape[-2:]), _solve_dtype(a.dtype, b.dtype))


def _solve_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    (a, b), lead = broadcast_labels(shapes, core=2)
    return [(*a, None, None), (*b, None, "k")], (*lead, None, "k")


def _solve_jvp(x: Any, args: list, tangents: list) -> Any:
    """a x = b gives a dx = db - da x."""
    (a, _), (da, db) = args, tangents
    if da is None:
        return None if db is None else solve_p(a, db)
    right = -matmul(da, x)
    return solve_p(a, right if db is None else right + db)


def _solve_taylor(trace: Any, args: tuple, y: Any) -> Any:
    """The coefficients of a x = b, each solved for the last one of x."""
    a, b = args

    def term(j: int, i: int, w: float = 1.0) -> Any:
        m, x = trace.coefficient(a, j), y.coef(i)
        return None if m is None or x is None else matmul(m, x) * -w

    def rule(k: int) -> Any:
        rest = [term(*p) for p in trace.slots.rest[k]] if trace.mine(a) else []
        t = trace.total(k, [trace.coefficient(b, k), term(k, 0) if trace.mine(a) else None], rest)
        return None if t is None else solve_p(trace.coefficient(a, 0), t)

    return rule


solve_p = Primitive(
    "solve",
    _solve,
    axes=Axes(_solve_labels, broadcasts=True, core=2),
    infer=_solve_infer,
    linear=(1,),
    transpose=lambda i, ct, args, p: solve_p(matrix_transpose(args[0]), ct),
    jvp=_solve_jvp,
    taylor=_solve_taylor,
    array_api="linalg.solve",
)


def solve(a: Any, b: Any) -> Any:
    """Solution x of a x = b.

    Parameters
    ----------
    a : array_like
        Square matrices, of shape (..., n, n).
    b : array_like
        A vector of shape (n,), or matrices of shape (..., n, k); leading axes broadcast against those of
        ``a``.

    Returns
    -------
    Tensor
        Of shape (..., n) for a vector, else (..., n, k).

    Raises
    ------
    ShapeError
        When ``a`` is not square or ``b`` does not fit it.
    SingularMatrixError
        When a matrix has no inverse.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    Tensor([1. , 0.5])
    """
    a, b = square_matrix("solve", "a", a), lapack("solve", "b", as_argument(b))
    n, s = shape(a)[-1], shape(b)
    vector = len(s) == 1
    if not s or s[0 if vector else -2] != n:
        raise ShapeError(
            f"solve: b of shape {s} does not fit matrices of shape {shape(a)}: it must be a vector of "
            f"length {n} or have {n} rows; write stacked vectors as b[..., None]"
        )
    if type(a) is np.ndarray is type(b):
        return _solve(a, b)
    x = solve_p(a, reshape(b, (n, 1)) if vector else b)
    return reshape(x, shape(x)[:-1]) if vector else x


def _inv(a: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        raise _singular(a) from None


def _inv_jvp(y: Any, args: list, tangents: list) -> Any:
    """a y = 1 gives dy = -y da y."""
    (da,) = tangents
    return None if da is None else -matmul(matmul(y, da), y)


inv_p = Primitive(
    "inv",
    _inv,
    axes=leading(2),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, avals[0].dtype),
    jvp=_inv_jvp,
    array_api="linalg.inv",
)


def _inv_or_infinite(a: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        if a.ndim == 2:
            return np.full(a.shape, np.inf, a.dtype)
        return np.stack([_inv_or_infinite(x) for x in a])


inv_or_infinite_p = Primitive(
    "inv_or_infinite",
    _inv_or_infinite,
    axes=leading(2),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, avals[0].dtype),
    jvp=_inv_jvp,
)


def inv(a: Any) -> Any:
    """Inverse of matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When ``a`` is not square.
    SingularMatrixError
        When a matrix has no inverse.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    Tensor([[0.5 , 0.  ],
            [0.  , 0.25]])
    """
    return inv_p(square_matrix("inv", "a", a))
