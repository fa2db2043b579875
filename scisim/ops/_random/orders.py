"""Orders and choices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import shape as shape_of
from scisim.ops import _philox
from scisim.ops._random.arguments import check_key
from scisim.ops._random.continuous import uniform
from scisim.ops._random.engine import KEYED, compiled_bits, each, numpy_is_enough, rows_of
from scisim.ops._random.integers import integers
from scisim.ops.arithmetic import stop
from scisim.ops.elementary import log
from scisim.ops.index import index, slice_axis
from scisim.ops.reduce import cumulative_sum
from scisim.ops.select import eq, where
from scisim.ops.shape import lengths, normalize_axis, reshape
from scisim.ops.sorting import argsort, searchsorted, take


def _permutation(key: Any, shape: tuple[int]) -> Any:
    """Words with the place in their low bits, sorted: operation for operation `scisim.ops._philox.permutation`."""
    n = shape[0]
    if numpy_is_enough(n):
        return each(lambda k: _philox.permutation(k, n), shape, np.int64, key)
    words = np.empty((key.size // 2, n), np.uint64)
    compiled_bits().bits(rows_of(key), words)
    mask = np.uint64((1 << max(n - 1, 0).bit_length()) - 1)
    words &= ~mask
    words |= np.arange(n, dtype=np.uint64)
    words.sort()
    words &= mask
    return words.view(np.int64).reshape(key.shape[:-1] + shape)


permutation_p = Primitive(
    "random_permutation",
    _permutation,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), np.dtype(np.int64)),
)


def permutation(key: Any, x: Any, axis: int = 0) -> Any:
    """A random order: of 0, ..., n - 1, or of an array along an axis.

    Parameters
    ----------
    key : Tensor
        From `key`.
    x : int or array_like
        The number n, or the array.
    axis : int

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ArgumentError
        For an axis out of range or a negative number.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.sort(ss.random.permutation(ss.random.key(0), 4))
    Tensor([0, 1, 2, 3])
    """
    k = check_key("permutation", key)
    if isinstance(x, (int, np.integer)):
        return permutation_p(k, shape=(_philox.index_argument("random.permutation", "x", x, 2**32),))
    x = as_argument(x)
    a = normalize_axis("random.permutation", axis, len(shape_of(x)))
    return take(x, permutation_p(k, shape=(shape_of(x)[a],)), a)


def shuffle(key: Any, x: Any, axis: int = 0) -> Any:
    """An array in a random order along an axis, as a new array.

    Parameters
    ----------
    key : Tensor
        From `key`.
    x : array_like
    axis : int

    Returns
    -------
    Tensor
        What `permutation` gives for an array; nothing is changed in place.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ArgumentError
        For an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.sort(ss.random.shuffle(ss.random.key(0), [3.0, 1.0, 2.0]))
    Tensor([1., 2., 3.])
    """
    x = as_argument(x)
    a = normalize_axis("random.shuffle", axis, len(shape_of(x)))
    return take(x, permutation_p(check_key("shuffle", key), shape=(shape_of(x)[a],)), a)


def choice(key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0) -> Any:
    """Random elements of an array, or random numbers of 0, ..., n - 1.

    Parameters
    ----------
    key : Tensor
        From `key`.
    a : int or array_like
        The number n, or the array.
    shape : int or tuple of int
        How many are chosen.
    replace : bool
        Whether an element may be chosen again.
    p : array_like, optional
        Probability of each element, or a weight proportional to it; equal by default.
    axis : int
        Axis of ``a`` along which elements are chosen.

    Returns
    -------
    Tensor
        The chosen axis is replaced by ``shape``.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ArgumentError
        When there are too few elements.
    ShapeError
        When ``p`` is not one weight an element.

    Notes
    -----
    Without replacement, weighted: the keys of Efraimidis and Spirakis, Information Processing Letters 97
    (2006) 181.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.sort(ss.random.choice(ss.random.key(0), 3, (3,), replace=False))
    Tensor([0, 1, 2])
    """
    whole = isinstance(a, (int, np.integer))
    array = None if whole else as_argument(a)
    k = 0 if whole else normalize_axis("random.choice", axis, len(shape_of(array)))
    n = int(a) if whole else shape_of(array)[k]
    s = lengths("random.choice", shape)
    count = math.prod(s)
    if count and (n < 1 or (not replace and count > n)):
        raise ArgumentError(f"random.choice: cannot choose {count} of {n} elements with replace={replace}")
    chosen = _chosen(check_key("choice", key), n, count, replace, p)
    return reshape(chosen, s) if whole else take(array, reshape(chosen, s), k)


def _chosen(key: Any, n: int, count: int, replace: bool, p: Any) -> Any:
    if p is None:
        if replace:
            return integers(key, (count,), 0, max(n, 1))
        return slice_axis(permutation_p(key, shape=(n,)), 0, 0, count)
    w = stop(as_argument(p))
    if shape_of(w) != (n,):
        raise ShapeError(f"random.choice: p must be {n} weights, got shape {shape_of(w)}")
    if not replace:
        never = eq(w, 0)
        u = 1.0 - uniform(key, (n,))  # in (0, 1], so that its logarithm is finite
        rank = where(never, -math.inf, log(u) / where(never, 1.0, w))
        return slice_axis(argsort(rank, descending=True), 0, 0, count)
    total = cumulative_sum(w)
    return searchsorted(slice_axis(total, 0, 0, -1), uniform(key, (count,)) * index(total, -1), side="right")
