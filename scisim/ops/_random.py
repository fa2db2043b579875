"""Keyed random numbers on values: primitives around the counter-based stream, and the distributions.

Element i of an array of any shape is element i of the key's stream, so any rank computes any part of it.  Bits become
numbers one by one.  Nothing here has a derivative but what is computed from the numbers: bounds that scale them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import Traced
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape as shape_of
from scisim.ops import _philox
from scisim.ops.arithmetic import add, mul, stop
from scisim.ops.elementary import log
from scisim.ops.index import index, slice_axis
from scisim.ops.reduce import cumulative_sum
from scisim.ops.select import eq, lt, where
from scisim.ops.shape import astype, lengths, normalize_axis, reshape
from scisim.ops.sorting import argsort, searchsorted, take

_KEY = np.dtype(np.uint32)


# --- primitives of keys ------------------------------------------------------------------------------------
def _each(f: Callable, tail: tuple[int, ...], dt: Any, *args: Any) -> np.ndarray:
    """f of each key of a stack (and of the number that goes with it)."""
    lead = args[0].shape[:-1]
    if not lead:
        return f(*args).reshape(tail)
    out = np.empty((*lead, *tail), dt)
    for i in np.ndindex(lead):
        out[i] = f(*(a[i] for a in args)).reshape(tail)
    return out


def _key_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[0]) - 1))
    return [(*lead, None), *[lead] * (len(shapes) - 1)], (*lead, *(None,) * len(p.get("shape", (0,))))


def _width(width: int) -> np.dtype:
    return np.dtype(np.uint32 if width == 32 else np.uint64)


random_bits_p = Primitive(
    "random_bits",
    lambda key, shape, width: _each(
        lambda k: _philox.random_bits(k, 0, math.prod(shape), width), shape, _width(width), key
    ),
    axes=Axes(_key_labels),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), _width(p["width"])),
)
split_p = Primitive(
    "random_split",
    lambda key, shape: _each(lambda k: _philox.split_key(k, shape[0]), shape, _KEY, key),
    axes=Axes(_key_labels),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), _KEY),
)
fold_p = Primitive(
    "random_fold_in",
    lambda key, data: _each(lambda k, d: _philox.fold_in(k, int(d)), (2,), _KEY, key, data),
    axes=Axes(_key_labels),
    infer=lambda avals, p: avals[0],
)
permutation_p = Primitive(
    "random_permutation",
    lambda key, shape: _each(lambda k: _philox.permutation(k, shape[0]), shape, np.int64, key),
    axes=Axes(_key_labels),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), np.dtype(np.int64)),
)


def _from_bits(name: str, evaluate: Callable, kind: Callable) -> Primitive:
    """Numbers from words, one by one; a kernel of its own rather than a scalar expression."""
    return Primitive(
        name,
        lambda bits, **p: evaluate(bits, **p)[()],
        axes=Axes(_same_labels),
        infer=lambda avals, p: ShapeDtype(avals[0].shape, kind(p)),
    )


def _same_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(range(len(shapes[0])))
    return [labels], labels


uniform_p = _from_bits("uniform_from_bits", _philox.uniform_from_bits, lambda p: p["dtype"])
normal_p = _from_bits("normal_from_bits", _philox.normal_from_bits, lambda p: p["dtype"])
integers_p = _from_bits("integers_from_bits", _philox.integers_from_bits, lambda p: np.dtype(np.int64))


# --- keys --------------------------------------------------------------------------------------------------
def check_key(name: str, key: Any) -> Any:
    """The key, or an error that says how keys are made."""
    k = as_argument(key)
    if dtype_of(k) != _KEY:
        got = repr(key) if np.ndim(key) == 0 else f"an array of {dtype_of(k)}"
        raise ArgumentTypeError(
            f"random.{name}: key must be made with random.key(seed), got {got}; there is no global seed"
        )
    if shape_of(k) != (2,):
        raise ShapeError(f"random.{name}: takes one key, of shape (2,), got shape {shape_of(k)}; use one row, or vmap")
    return k


def key(seed: int) -> Any:
    """A key from a seed: the start of all randomness.

    Parameters
    ----------
    seed : int
        From 0 to 2**64 - 1; different seeds give different keys.

    Returns
    -------
    Tensor
        Of shape (2,) and dtype uint32.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        When the seed is not an integer, or out of range.

    Notes
    -----
    A key gives the same numbers whenever it is used: split it, and use each of its children once.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.key(7)
    Tensor([7, 0], dtype=uint32)
    """
    return _philox.seed_key(_philox.index_argument("random.key", "seed", seed, 2**64 - 1))


def split(key: Any, n: int = 2) -> Any:
    """Independent keys from one.

    Parameters
    ----------
    key : Tensor
        From `key`.
    n : int
        How many; the first m of them do not depend on n.

    Returns
    -------
    Tensor
        Of shape (n, 2), to be unpacked into its rows.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.

    Examples
    --------
    >>> import scisim as ss
    >>> k1, k2 = ss.random.split(ss.random.key(0))
    >>> k1.shape
    (2,)
    """
    count = _philox.index_argument("random.split", "n", n, 2**32)
    return split_p(check_key("split", key), shape=(count, 2))


def fold_in(key: Any, data: Any) -> Any:
    """The key that belongs to a number, such as a step or a layer's position.

    Parameters
    ----------
    key : Tensor
        From `key`.
    data : int
        From 0 to 2**64 - 1; may be a counter inside jit or a loop.

    Returns
    -------
    Tensor
        A key.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key, or ``data`` no integer.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.fold_in(ss.random.key(0), 3).shape
    (2,)
    """
    k, d = check_key("fold_in", key), as_argument(data)
    if dtype_of(d).kind not in "iu" or shape_of(d) != ():
        raise ArgumentTypeError(f"random.fold_in: data must be one integer, got {data!r}")
    return fold_p(k, d)


# --- distributions -----------------------------------------------------------------------------------------
def _bits(name: str, key: Any, shape: Any, width: int) -> Any:
    return random_bits_p(check_key(name, key), shape=lengths(f"random.{name}", shape), width=width)


def _float(name: str, dtype: Any) -> np.dtype:
    dt = np.dtype(np.float64 if dtype is None else dtype)
    if dt.kind not in "fc" and dt.name != "bfloat16":
        raise DTypeError(f"random.{name}: dtype must be a floating-point one, got {dt}; see random.integers")
    return dt


def bits(key: Any, shape: Any = (), width: int = 32) -> Any:
    """Random words.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    width : {32, 64}
        Bits an element.

    Returns
    -------
    Tensor
        Of uint32 or uint64.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ArgumentError
        For another width.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.bits(ss.random.key(0), (2, 3)).shape
    (2, 3)
    """
    if width not in (32, 64):
        raise ArgumentError(f"random.bits: width must be 32 or 64, got {width!r}")
    return _bits("bits", key, shape, width)


def uniform(key: Any, shape: Any = (), dtype: Any = None, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Numbers that are uniform between bounds.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    dtype : dtype, optional
        A real floating-point one; float64 by default.
    low, high : array_like
        The bounds, which may be differentiated and broadcast against the shape. The upper one is reached by
        rounding alone, and never where it is 1 and the lower one 0.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    DTypeError
        For another dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.random.uniform(ss.random.key(0), (1000,), low=-1.0)
    >>> bool(ss.all((x >= -1.0) & (x < 1.0)))
    True
    """
    dt = _float("uniform", dtype)
    if dt.kind == "c":
        raise DTypeError(f"random.uniform: dtype must be real, got {dt}; draw both parts and add them")
    single = dt != np.float64
    b = _bits("uniform", key, shape, 32 if single else 64)
    u = uniform_p(b, dtype=np.dtype(np.float32 if single else np.float64))
    u = u if dt in (np.float32, np.float64) else astype(u, dt)
    if type(low) in (int, float) and type(high) in (int, float) and (low, high) == (0, 1):
        return u
    low, high = (v if isinstance(v, (int, float)) else as_argument(v) for v in (low, high))
    return add(mul(u, high - low), low)


def normal(key: Any, shape: Any = (), dtype: Any = None, mean: Any = 0.0, std: Any = 1.0) -> Any:
    """Normally distributed numbers.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    dtype : dtype, optional
        A floating-point one; float64 by default. Complex numbers have independent parts of variance 1/2 each.
    mean, std : array_like
        Mean and standard deviation, which may be differentiated and broadcast against the shape.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    DTypeError
        For another dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.normal(ss.random.key(0), (2, 3)).shape
    (2, 3)
    """
    dt = _float("normal", dtype)
    part = np.zeros((), dt).real.dtype if dt.kind == "c" else dt
    drawn = part if part in (np.float32, np.float64) else np.dtype(np.float32)
    s = lengths("random.normal", shape)
    z = normal_p(_bits("normal", key, (*s, 2) if dt.kind == "c" else s, 64), dtype=drawn)
    z = z if drawn == part else astype(z, part)
    if dt.kind == "c":
        re, im = (reshape(slice_axis(z, len(s), k, k + 1), s) for k in (0, 1))
        z = (re + im * 1j) * math.sqrt(0.5)
    plain = all(type(v) in (int, float) for v in (mean, std)) and (mean, std) == (0, 1)
    mean, std = (v if isinstance(v, (int, float)) else as_argument(v) for v in (mean, std))
    return z if plain else add(mul(z, std), mean)


def integers(key: Any, shape: Any, low: int, high: int, dtype: Any = None) -> Any:
    """Integers that are uniform from ``low`` up to but without ``high``.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    low, high : int
    dtype : dtype, optional
        int64 by default.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key, or a bound no integer.
    ArgumentError
        When the range is empty or exceeds int64.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.random.integers(ss.random.key(0), (100,), 1, 7)
    >>> int(ss.min(x)), int(ss.max(x))
    (1, 6)
    """
    for name, v in (("low", low), ("high", high)):
        if isinstance(v, Traced) or np.ndim(v) or np.asarray(v).dtype.kind not in "iu":
            raise ArgumentTypeError(f"random.integers: {name} must be an integer, got {v!r}")
    low, high = int(low), int(high)
    if not -(2**63) <= low < high <= 2**63:
        raise ArgumentError(f"random.integers: needs low < high within int64, got low={low}, high={high}")
    x = integers_p(_bits("integers", key, shape, 64), low=low, high=high)
    return x if dtype is None else astype(x, dtype)


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Booleans that are true with a given probability.

    Parameters
    ----------
    key : Tensor
        From `key`.
    p : array_like
        Probability of true.
    shape : int or tuple of int, optional
        By default that of ``p``.

    Returns
    -------
    Tensor
        Of booleans, without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.bernoulli(ss.random.key(0), 1.0, (2,))
    Tensor([ True,  True])
    """
    probability = as_argument(p)
    if not isinstance(probability, Traced) and not np.all((probability >= 0) & (probability <= 1)):
        raise ArgumentError(f"random.bernoulli: p must be a probability from 0 to 1, got {p!r:.60}")
    s = shape_of(probability) if shape is None else lengths("random.bernoulli", shape)
    return lt(uniform_p(_bits("bernoulli", key, s, 64), dtype=np.dtype(np.float64)), stop(probability))


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
