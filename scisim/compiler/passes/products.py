"""Products of matrices that are cheaper as elementwise ones: thin ones become sums of products of columns and rows.

For running only: they read single columns, which derivatives would take for masks.  Sums may be in another order.
"""

from __future__ import annotations

from typing import Any

from scisim.compiler.passes.boxes import Span, whole
from scisim.compiler.passes.parts import take
from scisim.core.graph import Equation
from scisim.ops.arithmetic import add, mul_p, zmul
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.shape import sum_p, transpose_p

THIN = 4  # inner axes up to this length are written out
SMALL = 16  # stacks of matrices are written out where a matrix of the result is no larger: others write memory once
SHORT = 256  # products with a vector are sums where the other side of the matrix is no longer: else they are BLAS's

_TIMES = {matmul_p: mul_p, zmatmul: zmul}


def product(r: Any, eq: Equation) -> Any:
    """One of the forms below, None where a matrix product is best."""
    (a, b), (out,) = eq.args, eq.outs
    if out.dtype.kind not in "fc" or any(v.dtype != out.dtype for v in (a, b)):
        return None
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    times = _TIMES[eq.prim]
    if 0 in (m, k, n):
        return None
    stacked = len(a.shape) > 2 and len(b.shape) > 2
    if k <= THIN and (not stacked or m * n <= SMALL):
        return _outer_products(r, a, b, times)
    if stacked or min(m * n, max(m, n)) == 0:
        return None
    if n == 1 and min(m, k) <= SHORT:
        return _by_column(r, a, b, times)
    if m == 1 and min(n, k) <= SHORT:
        return _by_row(r, a, b, times)
    return None


def _outer_products(r: Any, a: Any, b: Any, times: Any) -> Any:
    """The sum over k of column k times row k."""
    total = None
    for k in range(a.shape[-1]):
        one = Span(k, 1, 1)
        column = take(r, a, (*whole(a.shape)[:-1], one))
        row = take(r, b, (*whole(b.shape)[:-2], one, whole(b.shape)[-1]))
        p = r.apply(times, column, row)
        total = p if total is None else r.apply(add, total, p)
    return total


def _by_column(r: Any, a: Any, b: Any, times: Any) -> Any:
    """A matrix times one column: rows of products summed, without transposing a transposed matrix first."""
    rank = len(a.shape)
    turned = r.made_by(a, transpose_p)
    if turned is not None and len(b.shape) == 2 and turned.params["perm"] == (*range(rank - 2), rank - 1, rank - 2):
        p, axis = r.apply(times, turned.args[0], b), rank - 2
    else:
        p, axis = r.apply(times, a, _row_of(r, b)), max(rank, len(b.shape)) - 1
    total = r.apply(sum_p, p, axes=(axis,))
    return r.reshape(total, (*total.shape, 1))


def _row_of(r: Any, b: Any) -> Any:
    """A column as a row."""
    return r.reshape(b, (*b.shape[:-2], 1, b.shape[-2]))


def _by_row(r: Any, a: Any, b: Any, times: Any) -> Any:
    """One row times a matrix: columns of products summed, without transposing a transposed matrix first."""
    rank = len(b.shape)
    turned = r.made_by(b, transpose_p)
    if turned is not None and len(a.shape) == 2 and turned.params["perm"] == (*range(rank - 2), rank - 1, rank - 2):
        p, axis = r.apply(times, turned.args[0], a), rank - 1
    else:
        column = r.reshape(a, (*a.shape[:-2], a.shape[-1], 1))
        p, axis = r.apply(times, b, column), max(rank, len(a.shape)) - 2
    total = r.apply(sum_p, p, axes=(axis,))
    return r.reshape(total, (*total.shape[:-1], 1, total.shape[-1]))


TABLE = {matmul_p: (product,), zmatmul: (product,)}
