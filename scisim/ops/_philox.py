"""Counter-based random bits (Philox4x32-10) and the numbers made from them, on plain NumPy.

Philox is a keyed bijection of 128-bit counters (Salmon, Moraes, Dror and Shaw, "Parallel random numbers:
as easy as 1, 2, 3", SC'11). Element i of a stream depends on the key and on i alone, so any rank computes any
slice of a global draw and no generator state exists.

The counter's words are (low, high, 0, domain). The domain says what the block is for, so a key that is both
drawn from and split never gives the same block twice:

======  =======================================  ==========================
domain  use                                      low, high
======  =======================================  ==========================
0       `random_bits`: four 32-bit words a block  index of the block
1       `split_key`: words 0 and 1 are the child  index of the child
2       `fold_in`: words 0 and 1 are the child    the data
3       samplers, which put the number of their   index of the element
        attempt in the place of 0
======  =======================================  ==========================

Children are 64-bit keys without visible structure: two of n children coincide with probability n^2 / 2^65.
"""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.ops._normal import normal_from_words

UInt32Array = npt.NDArray[np.uint32]
UInt64Array = npt.NDArray[np.uint64]

_DRAW, _SPLIT, _FOLD = 0, 1, 2
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_LOW = 0xFFFFFFFF
_FEW = 8  # so many blocks are faster in Python integers than in NumPy calls
_CHUNK = 8192  # blocks at a time: the dozen temporaries of a round stay in the second-level cache


def _rounds(counter: tuple[Any, ...], key: tuple[int, int]) -> tuple[Any, ...]:
    """The ten rounds, on 32-bit words held in Python integers or in uint64 arrays."""
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        p, q = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b, c, d = (q >> 32) ^ (b ^ k0), q & _LOW, (p >> 32) ^ (d ^ k1), p & _LOW
        k0, k1 = (k0 + _WEYL[0]) & _LOW, (k1 + _WEYL[1]) & _LOW
    return a, b, c, d


def philox(counter: Any, key: Any) -> tuple[UInt32Array, UInt32Array, UInt32Array, UInt32Array]:
    """Encrypt counters with Philox4x32-10.

    Parameters
    ----------
    counter : uint32 array of shape (n, 4), or four uint32 arrays of one shape
        The 128-bit counters, least significant word first.
    key : uint32 array of shape (2,)

    Returns
    -------
    four uint32 arrays, of shape (n,) or of the counters' shape

    Raises
    ------
    ShapeError
        If `counter` has not four words or `key` has not two.

    Examples
    --------
    >>> zeros = np.zeros((1, 4), np.uint32)
    >>> [hex(word[0]) for word in philox(zeros, np.zeros(2, np.uint32))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    words = tuple(np.atleast_2d(counter).T) if isinstance(counter, np.ndarray) else tuple(counter)
    if len(words) != 4:
        raise ShapeError(f"philox: counter has {len(words)} words; pass an (n, 4) array or four arrays of one shape.")
    wide = tuple(np.asarray(word, dtype=np.uint32).astype(np.uint64) for word in words)
    a, b, c, d = (np.asarray(word).astype(np.uint32) for word in _rounds(wide, _key_words("philox", key)))
    return a, b, c, d


def seed_key(seed: int) -> UInt32Array:
    """Make a key from an integer seed; different seeds give different keys.

    Parameters
    ----------
    seed : int
        From 0 to 2**64 - 1.

    Returns
    -------
    uint32 array of shape (2,): the seed's low and high words

    Raises
    ------
    ArgumentTypeError, ArgumentError
        If `seed` is not an integer, or lies outside of the range.

    Examples
    --------
    >>> seed_key(7)
    array([7, 0], dtype=uint32)
    """
    return np.array(_halves("seed_key", "seed", seed), dtype=np.uint32)


def split_key(key: Any, n: int = 2) -> UInt32Array:
    """Derive `n` independent keys from one; the first m of them do not depend on n.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    n : int
        How many keys to make, at least 0.

    Returns
    -------
    uint32 array of shape (n, 2)

    Examples
    --------
    >>> split_key(seed_key(0), 3).shape
    (3, 2)
    """
    words = _key_words("split_key", key)
    count = index_argument("split_key", "n", n, 2**32)
    children = [_rounds((child, 0, 0, _SPLIT), words)[:2] for child in range(count)]
    return np.array(children, dtype=np.uint32).reshape(count, 2)


def fold_in(key: Any, data: int) -> UInt32Array:
    """Derive the key that belongs to `data` (a step, an epoch, a layer's number).

    Parameters
    ----------
    key : uint32 array of shape (2,)
    data : int
        From 0 to 2**64 - 1.

    Returns
    -------
    uint32 array of shape (2,)

    Examples
    --------
    >>> bool((fold_in(seed_key(0), 1) == fold_in(seed_key(0), 2)).all())
    False
    """
    low, high = _halves("fold_in", "data", data)
    return np.array(_rounds((low, high, 0, _FOLD), _key_words("fold_in", key))[:2], dtype=np.uint32)


def random_bits(key: Any, start: int, count: int, width: int = 32) -> UInt32Array | UInt64Array:
    """Elements start, ..., start + count - 1 of the stream of random words that belongs to `key`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    start : int
        Index of the first element in the whole stream, at least 0.
    count : int
        Number of elements, at least 0; start + count is at most 2**64.
    width : {32, 64}
        Bits an element. Element i of width 64 is made of elements 2i (low half) and 2i + 1 of width 32.

    Returns
    -------
    uint32 or uint64 array of shape (count,)

    Raises
    ------
    ArgumentError
        If `start`, `count` or `width` is out of range.

    Examples
    --------
    >>> key = seed_key(0)
    >>> bool((random_bits(key, 0, 10)[6:] == random_bits(key, 6, 4)).all())
    True
    """
    if width not in (32, 64):
        raise ArgumentError(f"random_bits: width is {width!r}; it has to be 32 or 64.")
    first = index_argument("random_bits", "start", start, 2**64)
    total = index_argument("random_bits", "count", count, 2**64 - first)
    words = _key_words("random_bits", key)
    per_block = 128 // width
    begin, end = first // per_block, -(-(first + total) // per_block)
    out = np.empty(((end - begin), per_block), dtype=np.uint32 if width == 32 else np.uint64)
    for rows, block in _blocks(begin, end, words):
        lanes = block if width == 32 else (block[0] | block[1] << 32, block[2] | block[3] << 32)
        for lane, values in enumerate(lanes):
            out[rows, lane] = values
    skip = first - begin * per_block
    return out.reshape(-1)[skip : skip + total]


def permutation(key: Any, n: int) -> npt.NDArray[np.int64]:
    """A random order of 0, ..., n - 1.

    Random words are sorted whose low bits hold the index, so no two are equal and the order is the same
    everywhere.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    n : int
        From 0 to 2**32.

    Returns
    -------
    int64 array of shape (n,)

    Examples
    --------
    >>> sorted(permutation(seed_key(0), 4).tolist())
    [0, 1, 2, 3]
    """
    count = index_argument("permutation", "n", n, 2**32)
    mask = np.uint64((1 << max(count - 1, 0).bit_length()) - 1)
    words = random_bits(key, 0, count, 64) & ~mask | np.arange(count, dtype=np.uint64)
    words.sort()
    return (words & mask).astype(np.int64)


def uniform_from_bits(bits: Any, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    """Uniform numbers in [0, 1) from random words: multiples of 2**-53 (float64) or 2**-24 (float32).

    Parameters
    ----------
    bits : uint64 array, or uint32 array (float32 only)
        One word a number; its most significant bits are used.
    dtype : float64 or float32

    Returns
    -------
    array of the shape of `bits` and of `dtype`

    Raises
    ------
    DTypeError
        If `dtype` is another one, or `bits` has too few bits or another dtype.

    Examples
    --------
    >>> float(uniform_from_bits(np.array([2**63], np.uint64))[0])
    0.5
    """
    target = _float_dtype("uniform_from_bits", dtype)
    words = np.asarray(bits)
    digits = 53 if target == np.float64 else 24
    if words.dtype not in (np.uint32, np.uint64) or words.dtype.itemsize * 8 < digits:
        wanted = "uint64" if digits == 53 else "uint64 or uint32"
        raise DTypeError(
            f"uniform_from_bits: bits has dtype {words.dtype}, and {target} needs {wanted}; "
            "draw them with random_bits(width=...)."
        )
    return (words >> (words.dtype.itemsize * 8 - digits)).astype(target) * target.type(2.0**-digits)


def normal_from_bits(bits: Any, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    """Standard normal numbers, one from each 64-bit random word, by the inverse distribution function.

    Words that differ in the top bit alone give z and -z. All are finite: |z| is less than 9.2. The float64
    results are the same bits on every machine (see `scisim.ops._normal`); float32 is their rounding.

    Parameters
    ----------
    bits : uint64 array
    dtype : float64 or float32

    Returns
    -------
    array of the shape of `bits` and of `dtype`

    Raises
    ------
    DTypeError
        If `bits` is not uint64, or `dtype` is another one.

    Examples
    --------
    >>> round(float(normal_from_bits(np.array([2**62], np.uint64))[0]), 12)
    0.674489750196
    """
    target = _float_dtype("normal_from_bits", dtype)
    return normal_from_words(_words64("normal_from_bits", bits)).astype(target, copy=False)


def _blocks(begin: int, end: int, key: tuple[int, int]) -> Iterator[tuple[slice, tuple[Any, ...]]]:
    """The drawn blocks begin, ..., end - 1 in pieces: (rows of the result, four words a block)."""
    count = end - begin
    if count <= _FEW:
        for row in range(count):
            index = begin + row
            yield slice(row, row + 1), _rounds((index & _LOW, index >> 32, 0, _DRAW), key)
        return
    for row in range(0, count, _CHUNK):
        indices = np.arange(min(_CHUNK, count - row), dtype=np.uint64) + np.uint64(begin + row)
        yield slice(row, row + len(indices)), _rounds((indices & _LOW, indices >> 32, 0, _DRAW), key)


def _key_words(function: str, key: Any) -> tuple[int, int]:
    words = np.asarray(key)
    if words.shape != (2,) or words.dtype != np.uint32:
        raise ShapeError(
            f"{function}: key has shape {words.shape} and dtype {words.dtype}; a key has shape (2,) "
            "and dtype uint32. Make one with random.key(seed), or take one row of random.split(key, n)."
        )
    return int(words[0]), int(words[1])


def index_argument(function: str, argument: str, value: Any, limit: int) -> int:
    """`value` as an integer from 0 to `limit`, or an error that names the function and the argument."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{function}: {argument} is {value!r}, and has to be an integer.") from None
    if not 0 <= number <= limit:
        raise ArgumentError(f"{function}: {argument} is {number}; it has to be from 0 to {limit}.")
    return number


def _halves(function: str, argument: str, value: Any) -> tuple[int, int]:
    number = index_argument(function, argument, value, 2**64 - 1)
    return number & _LOW, number >> 32


def _float_dtype(function: str, dtype: Any) -> np.dtype[Any]:
    target = np.dtype(dtype)
    if target not in (np.float64, np.float32):
        raise DTypeError(f"{function}: dtype is {target}; it has to be float64 or float32 (cast it for others).")
    return target


def _words64(function: str, bits: Any) -> UInt64Array:
    words = np.asarray(bits)
    if words.dtype != np.uint64:
        raise DTypeError(f"{function}: bits has dtype {words.dtype}, not uint64; draw with width=64.")
    return words
