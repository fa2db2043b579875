"""Arrays as sets: their different elements, how often and where they occur, and membership."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, number_or_value, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops.index import gather_p, scatter_p, slice_axis
from scisim.ops.logic import any_p
from scisim.ops.reduce import cumulative_sum_p
from scisim.ops.select import eq, logical_not, ne, where
from scisim.ops.shape import astype, concat_p, reshape
from scisim.ops.sorting import argsort_p, sorted_values
from scisim.ops.unknown_sizes import check_size, positions


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Any
    inverse_indices: Any


# --- different elements -------------------------------------------------------------------------------------
class _Sorted:
    """A flattened array in order, and where elements begin that differ from the one before."""

    def __init__(self, name: str, x: Any, size: Any, fill_value: Any, places: bool = False) -> None:
        self.x, self.n = reshape(x, (-1,)), int(np.prod(shape(x), dtype=np.int64))
        self.size = check_size(name, x, size)
        self.fill = fill_value
        if type(self.x) is np.ndarray and self.x.dtype.kind in "fciub" and not places:
            self.values = sorted_values(self.x, 0)
        else:
            self.order = argsort_p(self.x, axis=0, descending=False)
            self.values = gather_p(self.x, self.order)
        self.first = self._begins()
        self.at, self.there = positions(self.first, self.size)

    def _begins(self) -> Any:
        if self.n < 2:
            return np.ones(self.n, bool)
        changes = ne(slice_axis(self.values, 0, 1, None), slice_axis(self.values, 0, None, -1))
        return concat_p(np.ones(1, bool), changes, axis=0)

    def filled(self, x: Any, filling: Any) -> Any:
        """The elements that there are, then what fills up."""
        return x if self.size is None else where(self.there, x, filling)

    def distinct(self) -> Any:
        y = self._taken(self.values, self.at)
        return self.filled(y, self._filling(y))

    def _taken(self, x: Any, at: Any) -> Any:
        return gather_p(x, at) if self.n else np.zeros(shape(at), dtype_of(x))

    def _filling(self, y: Any) -> Any:
        if self.fill is None:  # the least element, as it is there anyway
            return slice_axis(y, 0, 0, 1) if self.size else y
        return astype(as_argument(self.fill), dtype_of(y))

    def indices(self) -> Any:
        i = self._taken(self.order, self.at)
        return self.filled(i, slice_axis(i, 0, 0, 1) if self.size else i)

    def counts(self) -> Any:
        """The distances of the beginnings, up to the one behind the last that is given."""
        if self.size is None:
            begins = np.append(self.at, self.n)
        else:
            at, there = positions(self.first, self.size + 1)
            begins = where(there, at, self.n)
        return slice_axis(begins, 0, 1, None) - slice_axis(begins, 0, None, -1)

    def inverse(self, to: tuple[int, ...]) -> Any:
        group = cumulative_sum_p(astype(self.first, np.int64), axis=0) - 1
        return reshape(scatter_p(np.zeros(self.n, np.int64), group, self.order, how="set"), to)


def unique_all(x: Any, /, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements of an array, where they are, and how often they occur.

    Parameters
    ----------
    x : array_like
    size : int, optional
        Number of elements of the result, needed where the values of ``x`` are not known: in captured and mapped
        functions. Fewer are filled up, more are cut off.
    fill_value : number, optional
        What fills up the values; by default the least one.

    Returns
    -------
    UniqueAll
        values, in ascending order, each nan by itself; indices of their first occurrence in the flattened array;
        inverse_indices of the shape of ``x``, with values[inverse_indices] equal to x; counts, 0 for what fills up.
        Derivatives follow the values.

    Raises
    ------
    TraceError
        Without ``size`` where the values of ``x`` are not known.

    Examples
    --------
    >>> import scisim as ss
    >>> values, indices, inverse, counts = ss.unique_all([2.0, 1.0, 2.0])
    >>> values, counts
    (Tensor([1., 2.]), Tensor([1, 2]))
    """
    s = _Sorted("unique_all", as_argument(x), size, fill_value, places=True)
    return UniqueAll(s.distinct(), s.indices(), s.inverse(shape(x)), s.counts())


def unique_counts(x: Any, /, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements of an array, and how often they occur.

    Parameters
    ----------
    x : array_like
    size : int, optional
        Number of elements of the result, needed where the values of ``x`` are not known.
    fill_value : number, optional
        What fills up the values; by default the least one.

    Returns
    -------
    UniqueCounts
        values, in ascending order, each nan by itself; counts, 0 for what fills up.

    Raises
    ------
    TraceError
        Without ``size`` where the values of ``x`` are not known.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.unique_counts([2.0, 1.0, 2.0], size=3, fill_value=0.0).values
    Tensor([1., 2., 0.])
    """
    s = _Sorted("unique_counts", as_argument(x), size, fill_value)
    return UniqueCounts(s.distinct(), s.counts())


def unique_inverse(x: Any, /, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements of an array, and which of them each element is.

    Parameters
    ----------
    x : array_like
    size : int, optional
        Number of elements of the result, needed where the values of ``x`` are not known.
    fill_value : number, optional
        What fills up the values; by default the least one.

    Returns
    -------
    UniqueInverse
        values, in ascending order, each nan by itself; inverse_indices of the shape of ``x``.

    Raises
    ------
    TraceError
        Without ``size`` where the values of ``x`` are not known.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.unique_inverse([2.0, 1.0, 2.0]).inverse_indices
    Tensor([1, 0, 1])
    """
    s = _Sorted("unique_inverse", as_argument(x), size, fill_value, places=True)
    return UniqueInverse(s.distinct(), s.inverse(shape(x)))


def unique_values(x: Any, /, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements of an array.

    Parameters
    ----------
    x : array_like
    size : int, optional
        Number of elements of the result, needed where the values of ``x`` are not known.
    fill_value : number, optional
        What fills up the values; by default the least one.

    Returns
    -------
    Tensor
        In ascending order, each nan by itself. Derivatives follow the values.

    Raises
    ------
    TraceError
        Without ``size`` where the values of ``x`` are not known.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.unique_values([2.0, 1.0, 2.0])
    Tensor([1., 2.])
    """
    return _Sorted("unique_values", as_argument(x), size, fill_value).distinct()


# --- membership -----------------------------------------------------------------------------------------------
def _isin_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(range(len(shapes[0])))
    return [labels, (None,) * len(shapes[1])], labels


def _isin_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    x, elements = vals
    if not mapped[1]:
        return prim(x, elements)
    x = x if mapped[0] else trace.spread(x)
    rank = len(shape(x))
    among = reshape(elements, (trace.n, *(1,) * (rank - 1), -1))
    return any_p(eq(reshape(x, (*shape(x), 1)), among), axes=(rank,))


isin_p = Primitive(
    "isin",
    lambda x, elements: np.isin(x, elements),
    axes=Axes(_isin_labels),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.dtype(bool)),
    batch=_isin_batch,
    array_api="isin",
)


def isin(x1: Any, x2: Any, /, invert: bool = False) -> Any:
    """Whether each element is among others.

    Parameters
    ----------
    x1 : array_like
        The elements that are looked for.
    x2 : array_like
        Those among which they may be; nan is never among them.
    invert : bool
        Whether they are not.

    Returns
    -------
    Tensor
        Of booleans, of the shape of ``x1``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.isin([1, 2, 3], [3, 1])
    Tensor([ True, False,  True])
    """
    a, b = number_or_value(x1), number_or_value(x2)
    common = np.result_type(*(v if type(v) in (bool, int, float, complex) else dtype_of(v) for v in (a, b)))
    found = isin_p(*(astype(as_argument(v), common) for v in (a, b)))
    return logical_not(found) if invert else found


for _f in (unique_all, unique_counts, unique_inverse, unique_values):
    public(_f.__name__, _f)
public("isin", isin, isin_p)
