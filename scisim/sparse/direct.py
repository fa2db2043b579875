"""Direct solution of sparse systems."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import dtype, shape
from scisim.ops._linalg.checks import SingularMatrixError
from scisim.ops.shape import astype, broadcast, reshape
from scisim.sparse._pattern import Pattern
from scisim.sparse._products import csr_product, csr_transposed, side_by_side
from scisim.sparse.build import as_csr
from scisim.sparse.csr import CSR


class _Recent(threading.local):
    """The factors of the last matrices: derivatives solve with the matrix of the value again."""

    def __init__(self) -> None:
        self.held: list[tuple] = []

    def factors(self, data: Any, indices: Any, indptr: Any) -> Any:
        for k, (key, lu) in enumerate(self.held):
            if all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(key, (data, indices, indptr))):
                self.held.insert(0, self.held.pop(k))
                return lu
        lu = _factors(data, indices, indptr)
        self.held = [((data.copy(), indices, indptr), lu), *self.held[:1]]
        return lu


_recent = _Recent()


def _factors(data: Any, indices: Any, indptr: Any) -> Any:
    """SuperLU's factors of the transposed matrix, whose compressed columns are the rows."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    n = len(indptr) - 1
    try:
        return splu(csc_array((data, indices, indptr), shape=(n, n)))
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        raise SingularMatrixError(
            f"sparse.spsolve: the matrix of shape {(n, n)} is singular: its equations have no solution or many. "
            f"Remove dependent rows, or regularise with A + eps * sparse.eye({n})"
        ) from None


def _solve(data: Any, b: Any, indices: Any, indptr: Any, transposed: bool) -> np.ndarray:
    kind = np.result_type(data, b)
    lead = b.shape[:-2]
    x = np.empty(b.shape, kind)
    for at in np.ndindex(lead):
        x[at] = _solve_one(data[at], b[at], indices, indptr, transposed)
    return x


def _solve_one(data: Any, b: Any, indices: Any, indptr: Any, transposed: bool) -> np.ndarray:
    if b.size == 0:
        return b
    if b.dtype.kind == "c" and data.dtype.kind != "c":
        parts = (_solve_one(data, p, indices, indptr, transposed) for p in (b.real, b.imag))
        return next(parts) + 1j * next(parts)
    kind = np.result_type(data, b)
    lu = _recent.factors(np.ascontiguousarray(data, kind), indices, indptr)
    return lu.solve(np.asarray(b, kind, order="F"), "N" if transposed else "T")


def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[0]) - 1))
    return [(*lead, None), (*lead, None, "k"), (None,), (None,)], (*lead, None, "k")


def _apply(data: Any, x: Any, args: list, transposed: bool) -> Any:
    prim = csr_transposed if transposed else csr_product
    return prim(data, x, *args[2:], columns=shape(x)[-2], vector=False)


def _jvp(x: Any, args: list, tangents: list, transposed: bool) -> Any:
    """A x = b gives A dx = db - dA x."""
    d_data, db = tangents[:2]
    if d_data is None:
        return None if db is None else solve_p(args[0], db, *args[2:], transposed=transposed)
    right = -_apply(d_data, x, args, transposed)
    return solve_p(args[0], right if db is None else right + db, *args[2:], transposed=transposed)


def _taylor(trace: Any, args: tuple, y: Any, transposed: bool) -> Any:
    """The coefficients of A x = b, each solved for the last one of x."""
    data, b, *where = args

    def term(j: int, i: int, w: float = 1.0) -> Any:
        m, x = trace.coefficient(data, j), y.coef(i)
        return None if m is None or x is None else _apply(m, x, [None, None, *where], transposed) * -w

    def rule(k: int) -> Any:
        rest = [term(*p) for p in trace.slots.rest[k]] if trace.mine(data) else []
        t = trace.total(k, [trace.coefficient(b, k), term(k, 0) if trace.mine(data) else None], rest)
        return None if t is None else solve_p(trace.coefficient(data, 0), t, *where, transposed=transposed)

    return rule


def _batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    data, b, *where = vals
    if mapped[0]:
        return prim(data, b if mapped[1] else trace.spread(b), *where, **p)
    return side_by_side(lambda columns: prim(data, columns, *where, **p), b)


solve_p = Primitive(
    "csr_solve",
    _solve,
    axes=Axes(_labels),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, np.result_type(avals[0].dtype, avals[1].dtype)),
    linear=(1,),
    transpose=lambda i, ct, args, p: solve_p(args[0], ct, *args[2:], transposed=not p["transposed"]),
    jvp=_jvp,
    taylor=_taylor,
    batch=_batch,
)


def spsolve(a: Any, b: Any) -> Tensor:
    """Solution x of A x = b for a sparse matrix, by SuperLU.

    Parameters
    ----------
    a : CSR, or a matrix of scipy.sparse
        Square, or a stack of square matrices with one pattern.
    b : array_like
        A vector (n,), or matrices (..., n, k).

    Returns
    -------
    Tensor
        Of the shape of b; float32 and complex64 stay.

    Raises
    ------
    ShapeError
        When the matrix is not square or b does not fit it.
    SingularMatrixError
        When a matrix is singular, in structure or in numbers.

    Notes
    -----
    Derivatives of every order in the elements and in b follow from the equation. The factors of the last two
    matrices are kept, so a derivative factors nothing again. Many right-hand sides of one matrix, those of `vmap`
    too, are solved together.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import sparse
    >>> a = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (3, 3))
    >>> sparse.spsolve(a, [1.0, 0.0, 1.0])
    Tensor([1., 1., 1.])
    """
    a, b = as_csr("sparse.spsolve", a), Tensor(b)._v
    n, m = a.pattern.shape
    vector = len(shape(b)) == 1
    if n != m or not shape(b) or shape(b)[-1 if vector else -2] != n:
        raise ShapeError(
            f"sparse.spsolve: a matrix {a.shape} and b of shape {shape(b)}; it takes a square matrix, b (n,)"
        )
    data, b = _inexact(a), astype(b, np.result_type(dtype(b), np.float32)) if dtype(b).kind in "biu" else b
    columns = reshape(b, (n, 1)) if vector else b
    x = _spread_solve(data, columns, a.pattern)
    return wrap(reshape(x, shape(x)[:-1]) if vector else x)


def _inexact(a: CSR) -> Any:
    data = a.data._v
    return data if a.dtype.kind in "fc" else astype(data, np.float64)


def _spread_solve(data: Any, b: Any, pattern: Pattern) -> Any:
    """Stacks of matrices with stacks of right-hand sides; a single matrix takes all of them at once."""
    where = (pattern.indices, pattern.indptr)
    lead = np.broadcast_shapes(shape(data)[:-1], shape(b)[:-2])
    if len(shape(data)) == 1 and lead:
        rows = reshape(b, (int(np.prod(lead)), *shape(b)[-2:]))
        y = side_by_side(lambda columns: solve_p(data, columns, *where, transposed=False), rows)
        return reshape(y, (*lead, *shape(y)[-2:]))
    data, b = broadcast(data, (*lead, shape(data)[-1])), broadcast(b, (*lead, *shape(b)[-2:]))
    return solve_p(data, b, *where, transposed=False)
