"""Triangular systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.values import shape
from scisim.ops._linalg.checks import square_matrix
from scisim.ops._linalg.structured import lapack_function, run, singular, structured
from scisim.ops.arrange import tril, triu
from scisim.ops.complexes import conj
from scisim.ops.products import matmul
from scisim.ops.shape import matrix_transpose


def _solve(theta: Any, b: Any, lower: bool, unit: bool) -> np.ndarray:
    (a,) = theta
    kind = np.result_type(a, b)
    trtrs = lapack_function("trtrs", kind)
    a, b = a.astype(kind, copy=False), b.astype(kind, copy=False)
    if a.flags.f_contiguous:
        x, info = trtrs(a, b, lower=lower, unitdiag=unit)
    else:  # the transposed view is contiguous as LAPACK counts
        x, info = trtrs(a.T, b, lower=not lower, trans=1, unitdiag=unit)
    if info > 0:
        raise singular("solve_triangular", len(a))
    return x


def _apply(theta: list, x: Any, lower: bool, unit: bool) -> Any:
    (a,) = theta
    part = tril(a, -int(unit)) if lower else triu(a, int(unit))
    return matmul(part, x)


solve_triangular_p = structured(
    "solve_triangular",
    _solve,
    _apply,
    lambda theta, p: ([matrix_transpose(theta[0])], {"lower": not p["lower"], "unit": p["unit"]}),
    (2,),
)

_TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def solve_triangular(a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """Solution x of a x = b for a triangular matrix a.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n); only the triangle that is meant is read, and has derivatives.
    b : array_like
        A vector (n,), or matrices (..., n, k); leading axes broadcast.
    trans : {0, 1, 2, "N", "T", "C"}
        Whether the matrix is a, its transpose, or its conjugate transpose.
    lower : bool
        Whether a is its lower triangle; the upper one by default.
    unit_diagonal : bool
        Whether the diagonal is taken to be 1, whatever it holds.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When a is not square or b does not fit.
    SingularMatrixError
        When the diagonal holds 0.
    ArgumentError
        For another `trans`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linalg.solve_triangular([[2.0, 9.0], [1.0, 4.0]], [2.0, 5.0], lower=True)
    Tensor([1., 1.])
    """
    a = square_matrix("solve_triangular", "a", a)
    if trans not in _TRANS:
        raise ArgumentError(f"solve_triangular: trans={trans!r}; expected 0 or 'N', 1 or 'T', 2 or 'C'")
    how, lower = _TRANS[trans], bool(lower)
    if how:
        a, lower = matrix_transpose(conj(a) if how == 2 else a), not lower
    n = shape(a)[-1]
    return run("solve_triangular", solve_triangular_p, (a,), b, n, (2,), lower=lower, unit=bool(unit_diagonal))
