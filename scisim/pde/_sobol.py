"""The Sobol sequence by index: plain, or scrambled by a key."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from scisim.core.errors import ArgumentError
from scisim.ops._philox import index_argument, random_bits, seed_key

FloatArray = npt.NDArray[np.float64]
UInt64Array = npt.NDArray[np.uint64]

_BITS = 53  # digits of a Sobol coordinate: all that a float64 below one holds
_ONE = np.uint64(1)

# Degree s, inner coefficients a and initial numbers m of the primitive polynomials for dimensions 2, 3, ...:
# the first rows of new-joe-kuo-6.21201 (S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
# two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635-2654).
_JOE_KUO: tuple[tuple[int, int, tuple[int, ...]], ...] = (
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
    (5, 11, (1, 1, 5, 1, 1)),
    (5, 13, (1, 1, 1, 3, 11)),
    (5, 14, (1, 3, 5, 5, 31)),
    (6, 1, (1, 3, 3, 9, 7, 49)),
    (6, 13, (1, 1, 1, 15, 21, 21)),
    (6, 16, (1, 3, 1, 13, 27, 49)),
    (6, 19, (1, 1, 1, 15, 7, 5)),
    (6, 22, (1, 3, 1, 15, 13, 25)),
    (6, 25, (1, 1, 5, 5, 19, 61)),
    (7, 1, (1, 3, 7, 11, 23, 15, 103)),
    (7, 4, (1, 3, 7, 13, 13, 15, 69)),
)
MAX_SOBOL_DIM = len(_JOE_KUO) + 1


def sobol(start: int, count: int, dim: int, seed: Any = None) -> FloatArray:
    """Points start, ..., start + count - 1 of the Sobol sequence, in Gray-code order.

    Every 2**m points whose first index is a multiple of 2**m are spread evenly (they form a digital net), so
    powers of two serve best. With a seed, each coordinate's digits are multiplied by a random lower
    triangular binary matrix and shifted by a random word (J. Matousek, "On the L2-discrepancy for anchored
    boxes", J. Complexity 14 (1998) 527-556), which keeps the nets and makes each point uniformly distributed.

    Parameters
    ----------
    start, count : int
        The slice of the sequence; start + count is at most 2**53.
    dim : int
        Coordinates of a point, from 1 to 21.
    seed : int or key (uint32 array of shape (2,)), optional
        Chooses the scrambling; without it the points are the sequence itself, whose first is the origin.

    Returns
    -------
    float64 array of shape (count, dim), in [0, 1)

    Raises
    ------
    ArgumentError
        If `dim` is out of range, or the slice is.

    Examples
    --------
    >>> sobol(0, 4, 2).tolist()
    [[0.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    first = index_argument("sobol", "start", start, 2**_BITS)
    number = index_argument("sobol", "count", count, 2**_BITS - first)
    d = index_argument("sobol", "dim", dim, 2**31)
    if not 1 <= d <= MAX_SOBOL_DIM:
        raise ArgumentError(
            f"sobol: dim is {d}; there are direction numbers for 1 to {MAX_SOBOL_DIM}. "
            "Use uniform_points or latin_hypercube for more."
        )
    directions, shift = _directions(d), np.zeros(d, np.uint64)
    if seed is not None:
        directions, shift = _scrambled(directions, seed if isinstance(seed, np.ndarray) else seed_key(seed))
    index = np.arange(number, dtype=np.uint64) + np.uint64(first)
    gray = index ^ index >> _ONE
    digits = np.tile(shift[:, None], (1, number))
    for bit in range(max(first + number - 1, 0).bit_length()):
        chosen = np.uint64(0) - (gray >> np.uint64(bit) & _ONE)  # all ones where the bit is set
        digits ^= directions[:, bit, None] & chosen
    return np.ascontiguousarray(digits.T).astype(np.float64) * np.float64(2.0**-_BITS)


@cache
def _directions(dim: int) -> UInt64Array:
    """Direction numbers, (dim, _BITS): column b belongs to bit b of the Gray code; digits fill _BITS bits."""
    rows = [[1] * _BITS, *(_column(*row) for row in _JOE_KUO[: dim - 1])]
    directions = np.array(rows, dtype=np.uint64) << np.arange(_BITS - 1, -1, -1).astype(np.uint64)
    directions.flags.writeable = False  # shared by all calls
    return directions


def _column(degree: int, inner: int, initial: tuple[int, ...]) -> list[int]:
    """The recurrence m_b = m_{b-s} ^ 2^s m_{b-s} ^ (xor over j = 1, ..., s - 1 of 2^j a_j m_{b-j})."""
    m = list(initial)
    for b in range(degree, _BITS):
        value = m[b - degree] ^ m[b - degree] << degree
        for j in range(1, degree):
            if inner >> (degree - 1 - j) & 1:
                value ^= m[b - j] << j
        m.append(value)
    return m


def _scrambled(directions: UInt64Array, key: Any) -> tuple[UInt64Array, UInt64Array]:
    """Directions times a random lower triangular matrix a dimension, and a random shift."""
    dim = len(directions)
    words = random_bits(key, 0, dim * (_BITS + 1), 64).reshape(dim, _BITS + 1) >> np.uint64(64 - _BITS)
    out = np.zeros_like(directions)
    for digit in range(_BITS):  # the most significant digit first
        unit = _ONE << np.uint64(_BITS - 1 - digit)
        above = np.uint64(2**_BITS - 1) & ~(unit | unit - _ONE)
        row = words[:, digit] & above | unit  # a digit is mixed with those above it only
        parity = np.bitwise_count(directions & row[:, None]).astype(np.uint64) & _ONE
        out |= parity * unit
    return out, words[:, _BITS]
