"""Products of a sparse matrix as primitives, each bilinear in the stored elements and the dense operand.

The three make a closed family: y = A x, y = A^T x, and the elements of u v^T at the stored places; each is the
transpose of another.  SciPy's compiled kernels evaluate them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.sparse import _sparsetools as kernels

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive
from scisim.core.values import shape
from scisim.ops.shape import moveaxis, reshape


def _each(f: Any, tail: tuple[int, ...], dtype: Any, *stacks: Any) -> np.ndarray:
    """f of each member of stacks with one leading shape; f writes into its last argument."""
    lead = stacks[0][0].shape[: stacks[0][0].ndim - stacks[0][1]]
    y = np.zeros((*lead, *tail), dtype)
    if not lead:
        f(*(np.ascontiguousarray(x) for x, _ in stacks), y)  # as the kernels read arrays
    else:
        for at in np.ndindex(lead):
            f(*(np.ascontiguousarray(x[at]) for x, _ in stacks), y[at])
    return y


def _product(data: Any, x: Any, indices: Any, indptr: Any, columns: int, vector: bool) -> np.ndarray:
    if vector and data.ndim == 1:
        return vector_product(data, x, indices, indptr, columns)
    n, k = len(indptr) - 1, 1 if vector else x.shape[-1]

    def times(data: Any, x: Any, y: Any) -> None:
        if k == 1:
            kernels.csr_matvec(n, columns, indptr, indices, data, x.ravel(), y.reshape(-1))
        else:
            kernels.csr_matvecs(n, columns, k, indptr, indices, data, x.ravel(), y.reshape(-1))

    return _each(times, (n,) if vector else (n, k), np.result_type(data, x), (data, 1), (x, 2 - vector))


def vector_product(data: np.ndarray, x: np.ndarray, indices: Any, indptr: Any, columns: int) -> np.ndarray:
    """A x of plain arrays, without a dispatch."""
    n, kind = len(indptr) - 1, data.dtype
    y = np.zeros(n, kind if kind == x.dtype else np.result_type(data, x))
    kernels.csr_matvec(n, columns, indptr, indices, np.ascontiguousarray(data), np.ascontiguousarray(x), y)
    return y


def _transposed_product(data: Any, x: Any, indices: Any, indptr: Any, columns: int, vector: bool) -> np.ndarray:
    n, k = len(indptr) - 1, 1 if vector else x.shape[-1]

    def times(data: Any, x: Any, y: Any) -> None:  # compressed rows are the compressed columns of the transpose
        if k == 1:
            kernels.csc_matvec(columns, n, indptr, indices, data, x.ravel(), y.reshape(-1))
        else:
            kernels.csc_matvecs(columns, n, k, indptr, indices, data, x.ravel(), y.reshape(-1))

    return _each(times, (columns,) if vector else (columns, k), np.result_type(data, x), (data, 1), (x, 2 - vector))


def _sampled(u: Any, v: Any, indices: Any, indptr: Any) -> np.ndarray:
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    left, right = np.take(u, rows, axis=-2), np.take(v, indices, axis=-2)
    if u.shape[-1] == 1:
        return np.multiply(left[..., 0], right[..., 0])
    return np.einsum("...k,...k->...", left, right)


def _product_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead, tail = tuple(range(len(shapes[0]) - 1)), () if p["vector"] else ("k",)
    return [(*lead, None), (*lead, None, *tail), (None,), (None,)], (*lead, None, *tail)


def _sampled_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[0]) - 2))
    return [(*lead, None, "k"), (*lead, None, "k"), (None,), (None,)], (*lead, None)


def _product_infer(avals: tuple, p: dict) -> ShapeDtype:
    data, x, _, indptr = avals
    return _result(data, x, indptr.shape[0] - 1, p["vector"])


def _transposed_infer(avals: tuple, p: dict) -> ShapeDtype:
    return _result(avals[0], avals[1], p["columns"], p["vector"])


def _result(data: Any, x: Any, n: int, vector: bool) -> ShapeDtype:
    tail = (n,) if vector else (n, x.shape[-1])
    return ShapeDtype((*data.shape[:-1], *tail), np.result_type(data.dtype, x.dtype))


def _sampled_infer(avals: tuple, p: dict) -> ShapeDtype:
    u, v, indices, _ = avals
    return ShapeDtype((*u.shape[:-2], *indices.shape), np.result_type(u.dtype, v.dtype))


def _product_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    """One matrix takes mapped vectors as columns; mapped matrices go one by one."""
    data, x, *pattern = vals
    if mapped[0]:
        return prim(data, x if mapped[1] else trace.spread(x), *pattern, **p)
    wide = {**p, "vector": False}
    y = side_by_side(lambda columns: prim(data, columns, *pattern, **wide), _column(x) if p["vector"] else x)
    return reshape(y, shape(y)[:-1]) if p["vector"] else y


def _column(x: Any) -> Any:
    return reshape(x, (*shape(x), 1))


def side_by_side(f: Any, x: Any) -> Any:
    """f of matrices (b, ..., m, k) as one of (..., m, b k), and back."""
    b, k = shape(x)[0], shape(x)[-1]
    moved = moveaxis(x, 0, -2)
    y = f(reshape(moved, (*shape(moved)[:-2], b * k)))
    return moveaxis(reshape(y, (*shape(y)[:-1], b, k)), -2, 0)


def _sampled_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    u, v = (x if m else trace.spread(x) for x, m in zip(vals[:2], mapped[:2], strict=True))
    return prim(u, v, *vals[2:], **p)


csr_product = Primitive(
    "csr_product",
    _product,
    axes=Axes(_product_labels),
    infer=_product_infer,
    bilinear=(0, 1),
    transpose=lambda i, ct, args, p: csr_transposed(args[0], ct, *args[2:], **p) if i else _at(ct, args[1], args, p),
    batch=_product_batch,
)
csr_transposed = Primitive(
    "csr_transposed",
    _transposed_product,
    axes=Axes(_product_labels),
    infer=_transposed_infer,
    bilinear=(0, 1),
    transpose=lambda i, ct, args, p: csr_product(args[0], ct, *args[2:], **p) if i else _at(args[1], ct, args, p),
    batch=_product_batch,
)
csr_sampled = Primitive(
    "csr_sampled",
    _sampled,
    axes=Axes(_sampled_labels),
    infer=_sampled_infer,
    bilinear=(0, 1),
    transpose=lambda i, ct, args, p: (csr_transposed if i else csr_product)(
        ct, args[1 - i], *args[2:], columns=shape(args[1])[-2], vector=False
    ),
    batch=_sampled_batch,
)


def _at(u: Any, v: Any, args: tuple, p: dict) -> Any:
    """The cotangent of the stored elements."""
    return csr_sampled(*(map(_column, (u, v)) if p["vector"] else (u, v)), *args[2:])


def times(prim: Primitive, data: Any, x: Any, pattern: Any, vector: bool = False) -> Any:
    """A product with vectors (..., m), or matrices (..., m, k), side by side where there is one sparse matrix."""
    where, options = (pattern.indices, pattern.indptr), {"columns": pattern.shape[1], "vector": vector}
    lead = shape(x)[:-2]
    if not vector and len(shape(data)) == 1 and lead:
        rows = reshape(x, (math.prod(lead), *shape(x)[-2:]))
        y = side_by_side(lambda columns: prim(data, columns, *where, **options), rows)
        return reshape(y, (*lead, *shape(y)[-2:]))
    return prim(data, x, *where, **options)
