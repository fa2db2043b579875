"""The action of a matrix exponential on vectors, without the exponential."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError, TraceError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, inexact
from scisim.ops.flow import scan
from scisim.sparse._iteration import operator
from scisim.sparse.csr import CSR

# Norms up to which the Taylor polynomial of a degree is exact to rounding in float64: Al-Mohy and Higham (2011),
# "Computing the action of the matrix exponential", table 3.1.
_NORMS = {10: 0.14, 15: 0.64, 20: 1.4, 25: 2.4, 30: 3.5, 35: 4.7, 40: 6.0, 45: 7.2, 50: 8.5, 55: 9.9}


def expm_multiply(a: Any, b: Any, *, bound: float | None = None) -> Tensor:
    """exp(A) b for a matrix that is only multiplied with vectors.

    Parameters
    ----------
    a : CSR, array_like, matrix of scipy.sparse, or callable
        A matrix (n, n), or a linear function ``x -> A x`` on arrays of the shape of b.
    b : array_like
        Of shape (n,), or (n, k); of any shape for a function.
    bound : float, optional
        An upper bound of the norm of A, by which the number of products is chosen. It is computed from the elements
        where it can be; a function, and a matrix whose numbers are not known (inside jit or vmap), need it.

    Returns
    -------
    Tensor
        Of the shape of b.

    Raises
    ------
    ShapeError, ArgumentTypeError
        For operands that do not fit.
    ArgumentError, TraceError
        Without a bound where one is needed.

    Notes
    -----
    By Taylor polynomials of exp(A / s), s times. The products are differentiable operations, so derivatives of every
    order in A and b follow; they are exact to rounding as long as directions are not large beside A.
    Source: Al-Mohy and Higham (2011).

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.expm_multiply(sparse.diags([0.0, 1.0]), [1.0, 1.0])
    Tensor([1.        , 2.71828183])
    """
    who = "sparse.expm_multiply"
    b = Tensor(b)
    kind = np.result_type(b.dtype if inexact(b.dtype) else np.float64, getattr(a, "dtype", b.dtype))
    b = b.astype(kind)
    product = _columns(who, a, b) if getattr(a, "shape", None) is not None else operator(who, a, b)
    size = _bound(who, a, bound)
    degree, steps = min(((m, max(1, math.ceil(size / n))) for m, n in _NORMS.items()), key=lambda t: t[0] * t[1])
    return _polynomials(product, b, degree, steps)


def _columns(who: str, a: Any, b: Tensor) -> Callable:
    """The product of a matrix with a vector or with columns."""
    n = b.shape[0] if b.ndim else 0
    if len(a.shape) != 2 or a.shape != (n, n) or b.ndim > 2:
        raise ShapeError(f"{who}: a matrix of shape {a.shape} and b of shape {b.shape}; give (n, n), b (n,) or (n, k)")
    return operator(who, a, wrap(np.empty((n,))))


def _bound(who: str, a: Any, bound: float | None) -> float:
    if bound is not None:
        if not (isinstance(bound, (int, float, np.number)) and 0 <= bound < math.inf):
            raise ArgumentError(f"{who}: bound={bound!r}; expected a number of at least 0")
        return float(bound)
    if not hasattr(a, "shape") and callable(a):
        raise ArgumentError(f"{who}: the norm of a function is not known; give bound=")
    return _norm(who, a)


def _norm(who: str, a: Any) -> float:
    """The greatest sum of moduli of a column, of the numbers themselves."""
    data = unwrap(a.data) if isinstance(a, CSR) else a.tocsr() if hasattr(a, "tocsr") else unwrap(a)
    while isinstance(data, Traced):
        if data.lower is None or data.trace.kind == "vmap":
            raise TraceError(f"{who}: inside of jit and vmap the norm of A is not known; give bound=")
        data = data.lower
    if not isinstance(a, CSR):
        return float(
            abs(data).sum(axis=0).max(initial=0.0) if isinstance(data, np.ndarray) else abs(data).sum(axis=0).max()
        )
    if data.ndim > 1:
        raise ArgumentTypeError(f"{who}: a stack of matrices {a.shape}; map over them with vmap")
    return float(np.bincount(a.indices, np.abs(data), a.shape[-1]).max(initial=0.0))


def _polynomials(product: Callable, b: Tensor, degree: int, steps: int) -> Tensor:
    divisors = np.arange(1.0, degree + 1) * steps

    def term(state: tuple, d: Any) -> tuple:
        total, last = state
        last = product(last) / d.astype(last.real.dtype)
        return (total + last, last), None

    def step(y: Any, _: Any) -> tuple:
        return scan(term, (y, y), divisors)[0][0], None

    return scan(step, b, length=steps)[0]
