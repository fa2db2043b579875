"""Preconditioners: cheap approximations of an inverse, without derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff import stop_gradient
from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, concrete_array, unwrap, wrap
from scisim.ops._linalg.checks import SingularMatrixError
from scisim.sparse.build import as_csr
from scisim.sparse.csr import CSR

_where = OPERATIONS["where"].function


def jacobi(a: Any) -> Callable[[Any], Tensor]:
    """Division by the diagonal, as a preconditioner.

    Parameters
    ----------
    a : CSR, array_like, or matrix of scipy.sparse
        Square.

    Returns
    -------
    callable
        ``r -> r / diag(A)``; where the diagonal is 0, r itself. It has no derivative in A.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import sparse
    >>> sparse.jacobi([[2.0, 1.0], [1.0, 4.0]])(ss.asarray([2.0, 2.0]))
    Tensor([1. , 0.5])
    """
    dense = isinstance(a, (Tensor, np.ndarray, list, tuple))
    diagonal = OPERATIONS["diagonal"].function(a) if dense else as_csr("sparse.jacobi", a).diagonal()
    diagonal = stop_gradient(diagonal)
    inverse = 1.0 / _where(diagonal == 0, 1.0, diagonal)
    return lambda r: _like(r, inverse * r)


class _Factors:
    """An incomplete factorisation, held by identity."""

    def __init__(self, lu: Any, kind: np.dtype) -> None:
        self.lu, self.kind = lu, kind

    def solve(self, b: np.ndarray, transposed: bool) -> np.ndarray:
        if b.dtype.kind == "c" and self.kind.kind != "c":
            return self.solve(b.real, transposed) + 1j * self.solve(b.imag, transposed)
        columns = np.asarray(b, self.kind, order="F")
        return self.lu.solve(columns, "T" if transposed else "N")


def _apply(x: Any, factors: _Factors, transposed: bool) -> np.ndarray:
    flat = x.reshape(-1, x.shape[-1]).T
    return np.ascontiguousarray(factors.solve(flat, transposed).T).reshape(x.shape)


ilu_p = Primitive(
    "ilu_solve",
    _apply,
    axes=Axes(lambda shapes, p: ([(*range(len(shapes[0]) - 1), None)], (*range(len(shapes[0]) - 1), None))),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.result_type(avals[0].dtype, p["factors"].kind)),
    linear=(0,),
    transpose=lambda i, ct, args, p: ilu_p(ct, factors=p["factors"], transposed=not p["transposed"]),
)


def ilu(a: Any, *, drop_tol: float = 1e-4, fill_factor: float = 10.0) -> Callable[[Any], Tensor]:
    """An incomplete LU factorisation by SuperLU, as a preconditioner.

    Parameters
    ----------
    a : CSR, or matrix of scipy.sparse
        Square, of known numbers: inside of a transformation, build it outside.
    drop_tol : float
        Elements of the factors that are smaller, relative to their column, are dropped.
    fill_factor : float
        How many times the elements of A the factors may hold.

    Returns
    -------
    callable
        ``r -> x`` with A x near r. It has no derivative in A; its transpose is that of the factors.

    Raises
    ------
    TraceError
        When the elements of A belong to a transformation.
    ArgumentError
        When A is not square.
    SingularMatrixError
        When a factor is singular.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import sparse
    >>> a = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (3, 3))
    >>> sparse.ilu(a)(ss.asarray([1.0, 0.0, 1.0]))
    Tensor([1., 1., 1.])
    """
    from scipy.sparse.linalg import spilu

    a = as_csr("sparse.ilu", a)
    if a.shape[0] != a.shape[-1] or a.ndim != 2:
        raise ArgumentError(f"sparse.ilu: a matrix of shape {a.shape}; it must be square")
    data = concrete_array(a.data, "sparse.ilu")
    kind = data.dtype if data.dtype.kind in "fc" else np.dtype(np.float64)
    columns = CSR(data.astype(kind), a.indices, a.indptr, a.pattern.shape).to_scipy().tocsc()
    try:
        factors = _Factors(spilu(columns, drop_tol=drop_tol, fill_factor=fill_factor), kind)
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        raise SingularMatrixError(
            f"sparse.ilu: the matrix {a.shape} has a singular factor; try sparse.jacobi"
        ) from None
    return lambda r: _like(r, wrap(ilu_p(unwrap(r), factors=factors, transposed=False)))


def _like(r: Any, x: Tensor) -> Tensor:
    """The result in the precision of the vector."""
    return x.astype(r.dtype) if r.dtype.kind == x.dtype.kind and r.dtype != x.dtype else x
