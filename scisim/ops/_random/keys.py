"""Keys, and what comes from them without a distribution: words, orders and choices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape as shape_of
from scisim.ops import _philox
from scisim.ops._random.arguments import KEY, check_key
from scisim.ops._random.engine import KEYED, compiled_bits, each, numpy_is_enough, rows_of
from scisim.ops.shape import lengths


def _width(width: int) -> np.dtype:
    return np.dtype(np.uint32 if width == 32 else np.uint64)


def _bits(key: Any, shape: tuple[int, ...], width: int) -> Any:
    n, rows = math.prod(shape), key.size // 2
    if numpy_is_enough(n * rows):
        return each(lambda k: _philox.random_bits(k, 0, n, width), shape, _width(width), key)[()]
    words = np.empty((rows, n if width == 64 else (n + 1) // 2), np.uint64)
    compiled_bits().bits(rows_of(key), words)
    out = words if width == 64 else words.view(np.uint32)[:, :n]
    return out.reshape(key.shape[:-1] + shape)[()]


random_bits_p = Primitive(
    "random_bits",
    _bits,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), _width(p["width"])),
)
split_p = Primitive(
    "random_split",
    lambda key, shape: each(lambda k: _philox.split_key(k, shape[0]), shape, KEY, key),
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), KEY),
)
fold_p = Primitive(
    "random_fold_in",
    lambda key, data: each(lambda k, d: _philox.fold_in(k, int(d)), (2,), KEY, key, data),
    axes=KEYED,
    infer=lambda avals, p: avals[0],
)


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
    return random_bits_p(check_key("bits", key), shape=lengths("random.bits", shape), width=width)
