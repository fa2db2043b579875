"""Sparse matrices in compressed rows: a container of which the stored elements carry derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.tensor import Tensor, concrete_array, wrap
from scisim.core.values import Traced, dtype, own, shape
from scisim.ops.arithmetic import mul
from scisim.ops.complexes import conj
from scisim.ops.index import index, index_set
from scisim.ops.shape import astype, broadcast, concat, matrix_transpose, reshape
from scisim.sparse._pattern import Pattern, checked_pattern, sorted_pattern
from scisim.sparse._products import csr_product, csr_transposed, times, vector_product

_KINDS = "biufc"


class CSR:
    """A sparse matrix in compressed rows, or a stack of them with one pattern.

    It is a container (pytree) with one leaf, the stored elements; where they are is static. So it may be an argument
    or a result of every transformation: `autodiff.grad` gives a CSR of derivatives, `jit` compiles once a pattern,
    `vmap` maps the elements.

    Parameters
    ----------
    data : array_like
        Stored elements, of shape (..., nnz), row by row.
    indices : array_like of int
        The column of each, of shape (nnz,), sorted within a row or not, none twice.
    indptr : array_like of int
        Where each row starts, and the end, of shape (n + 1,).
    shape : tuple of int
        (n, m).

    Attributes
    ----------
    data : Tensor
    indices, indptr : ndarray
    pattern : Pattern
        Hashable; equal for matrices with elements stored at the same places.
    shape : tuple of int
        That of the matrix, (..., n, m).

    Raises
    ------
    ShapeError, ArgumentError, DTypeError
        When the arrays do not describe a matrix.

    Notes
    -----
    Elements that are not stored are 0, with derivative 0. Products `A @ x` and `x @ A` take vectors (m,), matrices
    (m, k) and stacks of matrices (..., m, k).

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, sparse
    >>> a = sparse.CSR([1.0, 2.0, 3.0], [0, 2, 1], [0, 2, 3], (2, 3))
    >>> a @ ss.asarray([1.0, 1.0, 1.0])
    Tensor([3., 3.])
    >>> ad.grad(lambda a: ss.sum((a @ ss.ones(3)) ** 2))(a).data
    Tensor([6., 6., 6.])
    """

    __slots__ = ("data", "pattern")
    __array_ufunc__ = None  # so that ndarray @ CSR comes to CSR.__rmatmul__
    data: Tensor
    pattern: Pattern

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> None:
        where = checked_shape("sparse.CSR", shape)
        pattern, order = checked_pattern(
            "sparse.CSR", concrete_array(indices, "sparse.CSR"), concrete_array(indptr, "sparse.CSR"), where
        )
        values = stored("sparse.CSR", data, len(np.asarray(indices)))
        self.data = wrap(values if order is None else index(values, (..., order)))
        self.pattern = pattern

    # --- what it is ----------------------------------------------------------------------------------------------
    @property
    def indices(self) -> np.ndarray:
        """The column of each stored element."""
        return self.pattern.indices

    @property
    def indptr(self) -> np.ndarray:
        """Where each row starts among the stored elements, and their number."""
        return self.pattern.indptr

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, m), with the leading axes of a stack in front."""
        return (*self.data.shape[:-1], *self.pattern.shape)

    @property
    def dtype(self) -> np.dtype:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return self.data.ndim + 1

    @property
    def nnz(self) -> int:
        """How many elements of a matrix are stored."""
        return self.pattern.nnz

    def __repr__(self) -> str:
        return f"CSR({self.nnz} elements of {self.shape}, dtype={self.dtype})"

    def replace(self, data: Any) -> CSR:
        """The matrix with other elements at the same places."""
        return made(self.pattern, stored("CSR.replace", data, self.nnz))

    # --- products ------------------------------------------------------------------------------------------------
    def __matmul__(self, other: Any) -> Any:
        if type(other) is Tensor and type(other._v) is np.ndarray and other._v.ndim == 1:
            data, p = self.data._v, self.pattern
            if type(data) is np.ndarray and data.ndim == 1 and len(other._v) == p.shape[1]:
                return wrap(vector_product(data, other._v, p.indices, p.indptr, p.shape[1]))
        if isinstance(other, CSR):
            return product(self, other)
        x = self._operand(other)
        return NotImplemented if x is None else self._product("A @ x", csr_product, x, 1)

    def __rmatmul__(self, other: Any) -> Any:
        x = self._operand(other)
        if x is None:
            return NotImplemented
        if len(shape(x)) < 2:
            return self._product("x @ A", csr_transposed, x, 0)
        return wrap(matrix_transpose(self._product("x @ A", csr_transposed, matrix_transpose(x), 0)._v))

    def matvec(self, x: Any) -> Tensor:
        """A x for a vector or a matrix, as of SciPy's LinearOperator."""
        return self @ x

    def rmatvec(self, x: Any) -> Tensor:
        """A^H x for a vector or a matrix, as of SciPy's LinearOperator."""
        return self.conj()._product("rmatvec", csr_transposed, Tensor(x)._v, 0)

    matmat, rmatmat = matvec, rmatvec

    def _operand(self, x: Any) -> Any:
        if type(x) is Tensor:
            return x._v
        if not isinstance(x, (np.ndarray, list, tuple, Traced)):
            return None
        x = as_argument(x)
        return own(x) if isinstance(self.data._v, Traced) else x

    def _product(self, who: str, prim: Any, x: Any, axis: int) -> Tensor:
        s, n = shape(x), self.pattern.shape[axis]
        vector = len(s) == 1
        if not s or s[-1 if vector else -2] != n:
            raise ShapeError(
                f"{who}: x of shape {s} does not fit a sparse matrix of shape {self.shape}; it needs {n} rows"
            )
        data = self.data._v
        if len(shape(data)) > 1:
            data, x = _together(data, x, 1 if vector else 2)
        return wrap(times(prim, data, x, self.pattern, vector))

    # --- arithmetic ----------------------------------------------------------------------------------------------
    def __neg__(self) -> CSR:
        return made(self.pattern, -self.data._v)

    def __add__(self, other: Any) -> Any:
        return total(self, other) if isinstance(other, CSR) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return total(self, -other) if isinstance(other, CSR) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        """The matrix times a number; for elementwise products see `multiply`."""
        if isinstance(other, CSR) or np.ndim(getattr(other, "_v", other)):
            raise ArgumentTypeError("CSR * x: x must be a number; write A @ x for products, A.multiply(x) by elements")
        return made(self.pattern, (self.data * other)._v)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> CSR:
        if isinstance(other, CSR) or np.ndim(getattr(other, "_v", other)):
            raise ArgumentTypeError("CSR / x: x must be a number")
        return made(self.pattern, (self.data / other)._v)

    def multiply(self, x: Any) -> CSR:
        """Products with the elements of an array of shape (..., n, m), or one that broadcasts, at the stored places."""
        x = broadcast_to_matrix(Tensor(x)._v, self.pattern.shape)
        return made(self.pattern, mul(self.data._v, index(x, (..., self.pattern.rows, self.indices))))

    # --- other matrices ------------------------------------------------------------------------------------------
    @property
    def T(self) -> CSR:
        """The transposed matrix; its elements in their new order. For products alone write x @ A."""
        pattern, order = self.pattern.transposed
        return made(pattern, index(self.data._v, (..., order)))

    @property
    def H(self) -> CSR:
        """The conjugate transposed matrix."""
        return self.T.conj()

    def transpose(self) -> CSR:
        """The transposed matrix."""
        return self.T

    def conj(self) -> CSR:
        """The conjugate matrix."""
        return made(self.pattern, conj(self.data._v)) if self.dtype.kind == "c" else self

    def astype(self, dtype: Any) -> CSR:
        """The matrix in another dtype."""
        return made(self.pattern, self.data.astype(dtype)._v)

    def diagonal(self, k: int = 0) -> Tensor:
        """Elements of the k-th diagonal, of shape (..., length)."""
        n, m = self.pattern.shape
        i = np.arange(max(0, -k), max(0, -k) + max(0, min(n + min(k, 0), m - max(k, 0))))
        return wrap(picked(self.data._v, self.pattern.positions(i, i + k)))

    def sum(self, axis: int | None = None) -> Tensor:
        """Sum of all elements, or over the rows (0) or columns (1) of the matrix."""
        if axis is None:
            return self.data.sum(axis=-1)
        if axis not in (0, 1, -1, -2):
            raise ArgumentError(f"CSR.sum: axis {axis} of a matrix; give 0 (over rows), 1 (over columns) or None")
        n, m = self.pattern.shape
        return np.ones(n, self.dtype) @ self if axis in (0, -2) else self @ np.ones(m, self.dtype)

    # --- dense and SciPy -----------------------------------------------------------------------------------------
    def to_dense(self) -> Tensor:
        """The matrix with its zeros, of shape (..., n, m)."""
        data = self.data._v
        zero = np.zeros((*shape(data)[:-1], *self.pattern.shape), dtype(data))
        return wrap(index_set(zero, (..., self.pattern.rows, self.indices), data))

    def to_scipy(self) -> Any:
        """SciPy's `csr_array` of the same elements; none that belong to a transformation."""
        from scipy.sparse import csr_array

        data = concrete_array(self.data, "CSR.to_scipy")
        if data.ndim > 1:
            raise ShapeError(f"CSR.to_scipy: a stack of shape {self.shape}; SciPy's matrices are single: take one")
        return csr_array((data.copy(), self.indices.copy(), self.indptr.copy()), shape=self.pattern.shape)


def made(pattern: Pattern, data: Any) -> CSR:
    """A matrix of parts that are known to fit."""
    a = object.__new__(CSR)
    a.pattern, a.data = pattern, wrap(data)
    return a


def _unflatten(pattern: Pattern, children: Any) -> CSR:
    a = object.__new__(CSR)
    a.pattern, (a.data,) = pattern, children
    return a


pytree.register(CSR, lambda a: ((a.data,), a.pattern, ("data",)), _unflatten)


# --- helpers -----------------------------------------------------------------------------------------------------
def checked_shape(who: str, s: Any) -> tuple[int, int]:
    """The shape of one matrix."""
    if (
        not isinstance(s, (tuple, list))
        or len(s) != 2
        or not all(isinstance(n, (int, np.integer)) and n >= 0 for n in s)
    ):
        raise ShapeError(f"{who}: shape {s!r}; a matrix has two lengths, as in (n, m)")
    return int(s[0]), int(s[1])


def stored(who: str, data: Any, count: int) -> Any:
    """Values of stored elements, of a dtype that the kernels know."""
    values = Tensor(data)._v
    if not shape(values) or shape(values)[-1] != count:
        raise ShapeError(f"{who}: data of shape {shape(values)} for {count} places; give (..., {count})")
    if dtype(values).kind not in _KINDS or dtype(values).name == "float16":
        raise DTypeError(f"{who}: data of dtype {dtype(values)}; convert them to float32 or float64")
    return values


def broadcast_to_matrix(x: Any, s: tuple[int, int]) -> Any:
    """An array with full last two axes."""
    lead = shape(x)[:-2]
    return broadcast(x, (*lead, *s))


def _together(data: Any, x: Any, core: int) -> tuple[Any, Any]:
    """A stack of elements and one of operands with the same leading axes."""
    lead = np.broadcast_shapes(shape(data)[:-1], shape(x)[:-core])
    return broadcast(data, (*lead, shape(data)[-1])), broadcast(x, (*lead, *shape(x)[-core:]))


def picked(data: Any, positions: np.ndarray) -> Any:
    """Elements at positions, 0 where a position is -1."""
    if len(positions) and positions.min() < 0:
        data = concat([data, np.zeros((*shape(data)[:-1], 1), dtype(data))], -1)
        positions = np.where(positions < 0, shape(data)[-1] - 1, positions)
    return index(data, (..., positions))


def total(a: CSR, b: CSR) -> CSR:
    """The sum of two matrices."""
    if a.pattern.shape != b.pattern.shape:
        raise ShapeError(f"A + B: sparse matrices of shapes {a.shape} and {b.shape} do not fit; they must be equal")
    if a.pattern == b.pattern:
        return made(a.pattern, a.data._v + b.data._v)
    both = a.pattern.union(b.pattern)
    rows, columns = both.rows, both.indices
    parts = [picked(m.data._v, m.pattern.positions(rows, columns)) for m in (a, b)]
    return made(both, parts[0] + parts[1])


def summed(data: Any, order: np.ndarray, starts: np.ndarray) -> Any:
    """Elements in another order, those from one start to the next summed."""
    data = index(data, (..., order))
    if len(starts) == len(order):
        return data
    group = Pattern(np.arange(len(order)), np.append(starts, len(order)), (len(starts), len(order)))
    column = times(csr_product, np.ones(len(order), dtype(data)), reshape(data, (*shape(data), 1)), group)
    return astype(reshape(column, shape(column)[:-1]), dtype(data))


def product(a: CSR, b: CSR) -> CSR:
    """The product of two sparse matrices: sums of products, one for each pair that meets."""
    (n, m), (rows, k) = a.pattern.shape, b.pattern.shape
    if m != rows or a.ndim > 2 or b.ndim > 2:
        raise ShapeError(f"A @ B: sparse matrices of shapes {a.shape} and {b.shape}; the inner lengths must be equal")
    counts = np.diff(b.indptr)[a.indices]
    left = np.repeat(np.arange(a.nnz), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    right = np.arange(len(left)) - first + b.indptr[a.indices][left]
    pattern, order, starts = sorted_pattern("A @ B", a.pattern.rows[left], b.indices[right], (n, k))
    ends = np.append(starts, len(order))
    group = Pattern(right[order], ends, (len(starts), b.nnz))
    return made(pattern, times(csr_product, index(a.data._v, left[order]), b.data._v, group, vector=True))
