"""Sparse matrices from triples, blocks, diagonals, dense arrays and SciPy's matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError, TraceError
from scisim.core.tensor import Tensor, concrete_array, wrap
from scisim.core.values import Traced, dtype, shape
from scisim.ops.index import index
from scisim.ops.shape import as_integer, concat, reshape
from scisim.sparse._pattern import Pattern, pointers, sorted_pattern
from scisim.sparse.csr import CSR, checked_shape, made, stored, summed


def csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> CSR:
    """A sparse matrix of compressed rows; see `CSR`.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.csr([1.0, 2.0], [1, 0], [0, 1, 2], (2, 2)).to_dense()
    Tensor([[0., 1.],
            [2., 0.]])
    """
    return CSR(data, indices, indptr, shape)


def coo(data: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> CSR:
    """A sparse matrix of elements with their places, in any order; those at one place are summed.

    Parameters
    ----------
    data : array_like
        Of shape (..., count); a single number stands for all.
    rows, columns : array_like of int
        Of shape (count,).
    shape : tuple of int
        (n, m).

    Returns
    -------
    CSR

    Raises
    ------
    ShapeError, ArgumentError
        When the arrays do not fit each other or the shape.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.coo([1.0, 2.0, 3.0], [1, 0, 1], [0, 1, 0], (2, 2)).to_dense()
    Tensor([[0., 2.],
            [4., 0.]])
    """
    return _coo("sparse.coo", data, concrete_array(rows, "sparse.coo"), concrete_array(columns, "sparse.coo"), shape)


def _coo(who: str, data: Any, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> CSR:
    pattern, order, starts = sorted_pattern(who, rows, columns, checked_shape(who, shape))
    values = Tensor(data)
    if not values.shape:
        values = values * np.ones(len(order), values.dtype)
    return made(pattern, summed(stored(who, values, len(order)), order, starts))


def bsr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> CSR:
    """A sparse matrix of dense blocks in compressed rows of blocks, as CSR.

    Parameters
    ----------
    data : array_like
        Blocks, of shape (count, p, q).
    indices : array_like of int
        The column of each block, counted in blocks.
    indptr : array_like of int
        Where each row of blocks starts, and the end.
    shape : tuple of int
        (n, m), multiples of (p, q).

    Returns
    -------
    CSR

    Raises
    ------
    ShapeError, ArgumentError
        When the arrays do not fit each other or the shape.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.bsr([[[1.0, 2.0], [3.0, 4.0]]], [1], [0, 1], (2, 4)).to_dense()
    Tensor([[0., 0., 1., 2.],
            [0., 0., 3., 4.]])
    """
    blocks, (n, m) = Tensor(data), checked_shape("sparse.bsr", shape)
    if blocks.ndim != 3 or 0 in blocks.shape[1:] or n % blocks.shape[1] or m % blocks.shape[2]:
        raise ShapeError(f"sparse.bsr: blocks of shape {blocks.shape} for a matrix {(n, m)}; give (count, p, q)")
    count, p, q = blocks.shape
    frame = CSR(np.arange(count), indices, indptr, (n // p, m // q))
    order = np.asarray(frame.data)
    rows = frame.pattern.rows[:, None, None] * p + np.arange(p)[:, None] + np.zeros((1, q), int)
    columns = frame.indices[:, None, None].astype(int) * q + np.zeros((p, 1), int) + np.arange(q)
    return _coo("sparse.bsr", reshape(index(blocks._v, order), (-1,)), rows.ravel(), columns.ravel(), (n, m))


def dia(data: Any, offsets: Any, shape: tuple[int, int]) -> CSR:
    """A sparse matrix of stored diagonals: row k of the data holds, at column j, the element (j - offsets[k], j).

    Parameters
    ----------
    data : array_like
        Of shape (count, length); what lies outside of the matrix is not read.
    offsets : array_like of int
        Of shape (count,): 0 the main diagonal, positive above it.
    shape : tuple of int
        (n, m).

    Returns
    -------
    CSR

    Raises
    ------
    ShapeError
        When there are not as many offsets as rows.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.dia([[1.0, 2.0], [3.0, 4.0]], [0, 1], (2, 2)).to_dense()
    Tensor([[1., 4.],
            [0., 2.]])
    """
    values, (n, m) = Tensor(data), checked_shape("sparse.dia", shape)
    at = np.atleast_1d(concrete_array(offsets, "sparse.dia"))
    if values.ndim != 2 or values.shape[0] != len(at):
        raise ShapeError(f"sparse.dia: data of shape {values.shape} for {len(at)} offsets; give a row for each")
    k, j = np.meshgrid(np.arange(len(at)), np.arange(min(m, values.shape[1])), indexing="ij")
    i = j - at[:, None]
    inside = (i >= 0) & (i < n)
    return _coo("sparse.dia", index(values._v, (k[inside], j[inside])), i[inside], j[inside], (n, m))


def diags(diagonals: Any, offsets: Any = 0, shape: tuple[int, int] | None = None) -> CSR:
    """A sparse matrix of diagonals.

    Parameters
    ----------
    diagonals : array_like, or sequence of them
        Elements along each diagonal; a single number fills one.
    offsets : int or sequence of int
        Which diagonal each is: 0 the main one, positive above it.
    shape : tuple of int, optional
        (n, m); by default the square matrix that the first diagonal fits.

    Returns
    -------
    CSR

    Raises
    ------
    ShapeError
        For a diagonal of another length than its place has.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], (3, 3)).to_dense()
    Tensor([[-2.,  1.,  0.],
            [ 1., -2.,  1.],
            [ 0.,  1., -2.]])
    """
    single = np.ndim(offsets) == 0
    parts = [Tensor(d) for d in ([diagonals] if single else diagonals)]
    at = [as_integer("sparse.diags", "offsets", k) for k in ([offsets] if single else offsets)]
    if len(parts) != len(at):
        raise ShapeError(f"sparse.diags: {len(parts)} diagonals for {len(at)} offsets; give one offset for each")
    if shape is None:
        if not parts or not parts[0].shape:
            raise ShapeError("sparse.diags: numbers fill a diagonal of any length; give shape=(n, m)")
        shape = (parts[0].shape[-1] + abs(at[0]),) * 2
    n, m = checked_shape("sparse.diags", shape)
    values, rows = [], []
    for d, k in zip(parts, at, strict=True):
        count = max(0, min(n + min(k, 0), m - max(k, 0)))
        values.append(_along(d, k, count))
        rows.append(np.arange(count) + max(0, -k))
    columns = [r + k for r, k in zip(rows, at, strict=True)]
    return _coo("sparse.diags", concat(values), np.concatenate(rows), np.concatenate(columns), (n, m))


def _along(d: Tensor, k: int, count: int) -> Any:
    """The elements of a diagonal."""
    if d.shape in ((), (1,)):
        return reshape((d * np.ones(count, d.dtype))._v, (count,))
    if d.shape != (count,):
        raise ShapeError(f"sparse.diags: diagonal {k} has {count} elements, got an array of shape {d.shape}")
    return d._v


def eye(n: int, m: int | None = None, k: int = 0, dtype: Any = np.float64) -> CSR:
    """Ones on a diagonal.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.eye(2).to_dense()
    Tensor([[1., 0.],
            [0., 1.]])
    """
    return diags(np.ones((), dtype), k, (n, n if m is None else m))


def kron(a: Any, b: Any) -> CSR:
    """Kronecker product of two matrices, of which at least one is sparse.

    Parameters
    ----------
    a, b : CSR or array_like
        Matrices; all elements of a dense one are stored.

    Returns
    -------
    CSR
        Of shape (n p, m q) for matrices (n, m) and (p, q).

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.kron(sparse.eye(2), [[1.0, 2.0]]).to_dense()
    Tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    a, b = _full("sparse.kron", a), _full("sparse.kron", b)
    (n, m), (p, q) = a.pattern.shape, b.pattern.shape
    rows = (a.pattern.rows[:, None].astype(int) * p + b.pattern.rows).ravel()
    columns = (a.indices[:, None].astype(int) * q + b.indices).ravel()
    values = reshape(a.data._v, (a.nnz, 1)) * reshape(b.data._v, (1, b.nnz))
    return _coo("sparse.kron", reshape(values, (-1,)), rows, columns, (n * p, m * q))


def _full(who: str, x: Any) -> CSR:
    """A matrix as sparse, every element of a dense one stored."""
    if isinstance(x, CSR):
        return x
    x = Tensor(x)._v
    if len(shape(x)) != 2:
        raise ShapeError(f"{who}: expected a matrix, got an array of shape {shape(x)}")
    n, m = shape(x)
    pattern = Pattern(np.tile(np.arange(m), n), np.arange(n + 1) * m, (n, m))
    return made(pattern, reshape(x, (-1,)))


def from_dense(x: Any, pattern: Pattern | CSR | None = None) -> CSR:
    """The elements of a dense matrix that are not 0, or those at the places of a pattern.

    Parameters
    ----------
    x : array_like
        Of shape (n, m).
    pattern : Pattern or CSR, optional
        Which elements to store. Inside of a transformation it must be given, since elements that happen to be 0
        would lose their derivative.

    Returns
    -------
    CSR

    Raises
    ------
    TraceError
        For a value of a transformation without `pattern`.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])
    CSR(2 elements of (2, 2), dtype=float64)
    """
    v = Tensor(x)._v
    if isinstance(pattern, CSR):
        pattern = pattern.pattern
    if len(shape(v)) < 2 or (pattern is None and len(shape(v)) > 2) or (pattern and shape(v)[-2:] != pattern.shape):
        raise ShapeError(f"sparse.from_dense: x of shape {shape(v)}; expected {pattern.shape if pattern else '(n, m)'}")
    if pattern is None:
        if isinstance(v, Traced):
            raise TraceError(
                "sparse.from_dense: which elements of a value of a transformation are 0 is not for it to depend on; "
                "give pattern=, such as the pattern of a matrix built outside"
            )
        rows, columns = np.nonzero(v)
        n, m = shape(v)
        pattern = Pattern(columns, pointers(rows, n), (n, m))
    return made(pattern, stored("sparse.from_dense", wrap(index(v, (..., pattern.rows, pattern.indices))), pattern.nnz))


def from_scipy(a: Any) -> CSR:
    """A sparse matrix or array of SciPy, of any format, as CSR; duplicates are summed.

    Raises
    ------
    ArgumentTypeError
        For anything else.

    Examples
    --------
    >>> import scipy.sparse
    >>> from scisim import sparse
    >>> sparse.from_scipy(scipy.sparse.eye_array(3))
    CSR(3 elements of (3, 3), dtype=float64)
    """
    from scipy.sparse import issparse

    if not issparse(a) or a.ndim != 2:
        raise ArgumentTypeError(f"sparse.from_scipy: got {type(a).__name__}; expected a matrix of scipy.sparse")
    c = a.tocsr(copy=True)
    c.sum_duplicates()
    return made(Pattern(c.indices, c.indptr, checked_shape("sparse.from_scipy", c.shape)), stored("x", c.data, c.nnz))


def as_csr(who: str, a: Any) -> CSR:
    """A sparse matrix of ours or of SciPy."""
    if isinstance(a, CSR):
        return a
    if hasattr(a, "tocsr"):
        return from_scipy(a)
    raise ArgumentTypeError(
        f"{who}: expected a sparse matrix, got {type(a).__name__}; build one with sparse.from_dense"
    )


def block(blocks: Sequence[Sequence[Any]]) -> CSR:
    """A sparse matrix of sparse blocks; None stands for zeros.

    Parameters
    ----------
    blocks : nested sequence of CSR or None
        Rows of blocks; each row and column must hold one that tells its size.

    Returns
    -------
    CSR

    Raises
    ------
    ShapeError
        For blocks that do not fit.

    Examples
    --------
    >>> from scisim import sparse
    >>> sparse.block([[sparse.eye(1), None], [None, 2.0 * sparse.eye(2)]]).diagonal()
    Tensor([1., 2., 2.])
    """
    heights = [_common([b.pattern.shape[0] for b in row if b is not None], "row", i) for i, row in enumerate(blocks)]
    widths = [
        _common([row[j].pattern.shape[1] for row in blocks if row[j] is not None], "column", j)
        for j in range(len(blocks[0]) if blocks else 0)
    ]
    top, left = np.cumsum([0, *heights]), np.cumsum([0, *widths])
    held = [(b, top[i], left[j]) for i, row in enumerate(blocks) for j, b in enumerate(row) if b is not None]
    if not held:
        raise ArgumentError("sparse.block: no block is given; expected at least one CSR")
    values = concat([b.data._v for b, _, _ in held])
    rows = np.concatenate([b.pattern.rows + i for b, i, _ in held])
    columns = np.concatenate([b.indices + j for b, _, j in held])
    return _coo("sparse.block", values, rows, columns, (int(top[-1]), int(left[-1])))


def _common(sizes: list[int], what: str, k: int) -> int:
    if len(set(sizes)) != 1:
        raise ShapeError(f"sparse.block: {what} {k} holds blocks of sizes {sizes}; they must agree, and be known")
    return sizes[0]


def promoted(a: CSR, x: Any) -> np.dtype:
    """The inexact dtype of a matrix together with a value."""
    return np.result_type(a.dtype, dtype(x), np.float32 if a.dtype.itemsize < 8 else np.float64)
