"""Where the stored elements of a sparse matrix are: the part of a matrix that never carries a derivative."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError

_NARROW = np.iinfo(np.int32).max


class Pattern:
    """Row pointers and column indices of compressed sparse rows, sorted and without duplicates.

    It is hashable and compares by content, so that a compiled function serves every matrix of one pattern.

    Parameters
    ----------
    indices, indptr : ndarray of int
        Row i holds the columns ``indices[indptr[i]:indptr[i + 1]]``, in increasing order.
    shape : tuple of int
    """

    def __init__(self, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> None:
        kind = np.int32 if max(*shape, len(indices)) <= _NARROW else np.int64
        self.indices, self.indptr = _fixed(indices, kind), _fixed(indptr, kind)
        self.shape = shape

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return len(self.indices)

    @functools.cached_property
    def rows(self) -> np.ndarray:
        """The row of each stored element."""
        return _fixed(np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices.dtype)

    @functools.cached_property
    def transposed(self) -> tuple[Pattern, np.ndarray]:
        """The pattern of the transposed matrix, and where each of its elements is stored in this one."""
        order = np.lexsort((self.rows, self.indices))
        n, m = self.shape
        return Pattern(self.rows[order], pointers(self.indices, m), (m, n)), order

    def positions(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Where elements are stored, -1 for those that are not."""
        have, want = self._keys, rows.astype(np.int64) * self.shape[1] + columns
        at = np.searchsorted(have, want)
        inside = np.minimum(at, max(len(have) - 1, 0))
        return np.where(have[inside] == want, at, -1) if len(have) else np.full(len(want), -1)

    def union(self, other: Pattern) -> Pattern:
        """The pattern of a sum."""
        keys = np.union1d(self._keys, other._keys)
        rows, columns = np.divmod(keys, max(self.shape[1], 1))
        return Pattern(columns, pointers(rows, self.shape[0]), self.shape)

    @functools.cached_property
    def _keys(self) -> np.ndarray:
        return self.rows.astype(np.int64) * self.shape[1] + self.indices

    @functools.cached_property
    def _hash(self) -> int:
        return hash((self.shape, self.indices.tobytes(), self.indptr.tobytes()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: Any) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Pattern)
            and self.shape == other.shape
            and self.nnz == other.nnz
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def __repr__(self) -> str:
        return f"Pattern({self.nnz} of {self.shape[0]} x {self.shape[1]})"


def _fixed(x: Any, kind: Any) -> np.ndarray:
    x = np.array(x, dtype=kind)
    x.flags.writeable = False
    return x


def pointers(rows: np.ndarray, count: int) -> np.ndarray:
    """Where each row starts, of the rows of all elements in any order."""
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])


def sorted_pattern(who: str, rows: Any, columns: Any, shape: tuple[int, int]) -> tuple[Pattern, np.ndarray, np.ndarray]:
    """The pattern of elements given in any order, the order, and where each new element starts in it.

    Equal places become one element; the starts tell which ones to sum.
    """
    rows, columns = _indices(who, "row", rows, shape[0]), _indices(who, "column", columns, shape[1])
    if rows.shape != columns.shape:
        raise ShapeError(f"{who}: {len(rows)} row indices for {len(columns)} column indices; give one of each")
    order = np.lexsort((columns, rows))
    r, c = rows[order], columns[order]
    new = np.ones(len(r), bool)
    new[1:] = (r[1:] != r[:-1]) | (c[1:] != c[:-1])
    starts = np.flatnonzero(new)
    return Pattern(c[starts], pointers(r[starts], shape[0]), shape), order, starts


def _indices(who: str, what: str, x: Any, count: int) -> np.ndarray:
    x = np.asarray(x)
    if x.ndim != 1 or (x.size and x.dtype.kind not in "iu"):
        raise ArgumentError(f"{who}: {what} indices are a vector of integers, got shape {x.shape}, dtype {x.dtype}")
    if x.size and not (x.min() >= 0 and x.max() < count):
        raise ArgumentError(f"{who}: {what} index {x.min()} to {x.max()} for {count} {what}s; they count from 0")
    return x.astype(np.int64)


def checked_pattern(who: str, indices: Any, indptr: Any, shape: tuple[int, int]) -> tuple[Pattern, Any]:
    """The pattern of a user's arrays, and the order that sorts the elements of every row (None if they are)."""
    columns, starts = _indices(who, "column", indices, shape[1]), np.asarray(indptr)
    sane = starts.shape == (shape[0] + 1,) and starts.dtype.kind in "iu"
    if not sane or starts[0] != 0 or starts[-1] != len(columns) or np.any(np.diff(starts) < 0):
        raise ArgumentError(
            f"{who}: indptr must hold {shape[0] + 1} integers that grow from 0 to {len(columns)}, the number of "
            f"column indices; got {starts!r:.60}"
        )
    rows = np.repeat(np.arange(shape[0]), np.diff(starts))
    after = (rows[1:] == rows[:-1]) & (columns[1:] <= columns[:-1])
    if not after.any():
        return Pattern(columns, starts, shape), None
    pattern, order, kept = sorted_pattern(who, rows, columns, shape)
    if len(kept) < len(order):
        raise ArgumentError(f"{who}: a place occurs twice in a row; build the matrix with sparse.coo, which sums them")
    return pattern, order
