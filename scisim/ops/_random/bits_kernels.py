"""Compiled loops: Philox blocks, and the numbers that come from one 64-bit word each.

All arithmetic is IEEE basic operations and square roots in a fixed order, never contracted, so that the numbers are the
same bits on every machine, and the same as those of `scisim.ops._philox` and `_normal`, which compute them in NumPy.
"""

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from scisim.ops import _normal

compiled = njit(cache=True, nogil=True, error_model="numpy")  # a division that could raise would stop vector code
_U = np.uint64
_M0, _M1 = _U(0xD2511F53), _U(0xCD9E8D57)
_W0, _W1 = _U(0x9E3779B9), _U(0xBB67AE85)
LOW, S32, ZERO, ONE = _U(0xFFFFFFFF), _U(32), _U(0), _U(1)
SAMPLE = _U(3)  # the domain of blocks for samplers that need more than one word an element
_S11, _S52 = _U(11), _U(52)
_MAGNITUDE = _U(2**63 - 1)
_FRACTION, _HALF = _U(2**52 - 1), _U(1022 << 52)
PIECE = 512  # elements at a time: the words of a piece stay in the first-level cache
_C0, _C1, _C2, _C3, _C4, _C5, _C6, _C7 = _normal._CENTRE[0]
_D0, _D1, _D2, _D3, _D4, _D5, _D6, _D7 = _normal._CENTRE[1]
_E0, _E1, _E2, _E3, _E4, _E5, _E6, _E7 = _normal._NEAR[0]
_F0, _F1, _F2, _F3, _F4, _F5, _F6, _F7 = _normal._NEAR[1]
_FAR, _FAR_BELOW = _normal._FAR
_A = _normal._ATANH
_LN2 = _normal._LN2


@intrinsic
def _bits_of(context: Any, x: Any) -> Any:
    return types.uint64(types.float64), lambda c, b, s, args: b.bitcast(args[0], c.get_value_type(types.uint64))


@intrinsic
def _float_of(context: Any, x: Any) -> Any:
    return types.float64(types.uint64), lambda c, b, s, args: b.bitcast(args[0], c.get_value_type(types.float64))


@njit(inline="always")
def block(low, high, third, domain, k0, k1):
    """The two 64-bit words of one Philox4x32-10 block; all operands are uint64 below 2**32."""
    a, b, c, d = low, high, third, domain
    for _ in range(10):
        p = a * _M0
        q = c * _M1
        a, b, c, d = (q >> S32) ^ b ^ k0, q & LOW, (p >> S32) ^ d ^ k1, p & LOW
        k0 = (k0 + _W0) & LOW
        k1 = (k1 + _W1) & LOW
    return a | (b << S32), c | (d << S32)


@compiled
def words(buffer, first, count, k0, k1):
    """Words first, ..., first + count - 1 of the drawn stream; ``first`` is even, and there is room for one more."""
    begin = _U(first // 2)
    for j in range((count + 1) // 2):
        i = begin + _U(j)
        x, y = block(i & LOW, i >> S32, ZERO, ZERO, k0, k1)
        buffer[2 * j] = x
        buffer[2 * j + 1] = y


@compiled
def pairs(x, y, first, count, third, k0, k1):
    """One block of two words for each of the elements first, ..., first + count - 1 of a sampler."""
    begin = _U(first)
    for j in range(count):
        i = begin + _U(j)
        x[j], y[j] = block(i & LOW, i >> S32, third, SAMPLE, k0, k1)


@compiled
def log(x):
    """Natural logarithm of a positive normal number, operation for operation that of `scisim.ops._normal.log`."""
    bits = _bits_of(x)
    exponent = np.int64(bits >> _S52) - 1022
    mantissa = _float_of((bits & _FRACTION) | _HALF)
    small = mantissa < 0.7071067811865476
    mantissa = 2.0 * mantissa if small else mantissa
    exponent = exponent - 1 if small else exponent
    s = (mantissa - 1.0) / (mantissa + 1.0)
    t = s * s
    p = _A[10]
    p = p * t + _A[9]
    p = p * t + _A[8]
    p = p * t + _A[7]
    p = p * t + _A[6]
    p = p * t + _A[5]
    p = p * t + _A[4]
    p = p * t + _A[3]
    p = p * t + _A[2]
    p = p * t + _A[1]
    p = p * t + _A[0]
    return np.float64(exponent) * _LN2 + s * p


@compiled
def exp(x):
    """Exponential function of a number that is at most 700: 2^k times a Taylor polynomial within log(2) / 2 of 0."""
    x = x if x > -800.0 else -800.0
    k = np.floor(x * 1.4426950408889634 + 0.5)
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10  # log(2), its head of 32 bits first
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    half = np.int64(k) >> 1  # in two steps, so that subnormal numbers are reached
    return p * _power(half) * _power(np.int64(k) - half)


@compiled
def _power(k):
    return _float_of(_U(k + 1023) << _S52)


@compiled
def unit(word):
    """A number inside of (0, 1): the middle of one of 2**53 equal parts."""
    return (np.float64(word >> _S11) + 0.5) * 2.0**-53


@compiled
def _below(word):
    """The tail's probability, in (0, 1/2], that the 63 low bits choose."""
    return (np.float64(np.int64(word & _MAGNITUDE)) + 0.5) * 2.0**-64


@compiled
def _signed(size, word):
    return _float_of(_bits_of(size) | (word & ~_MAGNITUDE))


@compiled
def _central(q):
    x = 0.180625 - q * q
    above = ((((((_C7 * x + _C6) * x + _C5) * x + _C4) * x + _C3) * x + _C2) * x + _C1) * x + _C0
    below = ((((((_D7 * x + _D6) * x + _D5) * x + _D4) * x + _D3) * x + _D2) * x + _D1) * x + _D0
    return q * (above / below)


@compiled
def _near(x):
    above = ((((((_E7 * x + _E6) * x + _E5) * x + _E4) * x + _E3) * x + _E2) * x + _E1) * x + _E0
    below = ((((((_F7 * x + _F6) * x + _F5) * x + _F4) * x + _F3) * x + _F2) * x + _F1) * x + _F0
    return above / below


@compiled
def _far(x):
    above, below = _FAR[7], _FAR_BELOW[7]
    for k in range(6, -1, -1):
        above = above * x + _FAR[k]
        below = below * x + _FAR_BELOW[k]
    return above / below


@compiled
def _tail(p):
    r = np.sqrt(-log(p))
    return _far(r - 5.0) if r > 5.0 else _near(r - 1.6)


@compiled
def normal_of(word):
    """The normal number of one word."""
    p = _below(word)
    q = 0.5 - p
    return _signed(_tail(p) if q > 0.425 else _central(q), word)


@compiled
def normals(word, out):
    """The normal numbers of many words: the centre without branches, then the tails."""
    for j in range(out.size):
        out[j] = _signed(_central(0.5 - _below(word[j])), word[j])
    for j in range(out.size):
        p = _below(word[j])
        if 0.5 - p > 0.425:
            out[j] = _signed(_tail(p), word[j])


@compiled
def _uniforms(word, out):
    for j in range(out.size):
        out[j] = np.float64(np.int64(word[j] >> _S11)) * 2.0**-53


@compiled
def _exponentials(word, out):
    for j in range(out.size):
        out[j] = -log((np.float64(word[j]) + 0.5) * 2.0**-64)


@compiled
def _laplaces(word, out):
    for j in range(out.size):
        out[j] = _signed(-log(2.0 * _below(word[j])), word[j])


@compiled
def _logistics(word, out):
    for j in range(out.size):
        p = _below(word[j])
        out[j] = _signed(log((1.0 - p) / p), word[j])


# --- whole draws: keys of shape (m, 2), results of shape (m, n) ---------------------------------------------------
@compiled
def bits(keys, out):
    """Words; those of 32 bits are the halves of these in order."""
    room = np.empty(2, np.uint64)
    n = out.shape[1]
    for k in range(out.shape[0]):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        words(out[k], 0, n - n % 2, k0, k1)
        if n % 2:
            words(room, n - 1, 1, k0, k1)
            out[k, n - 1] = room[0]


UNIFORM, NORMAL, EXPONENTIAL, LAPLACE, LOGISTIC = range(5)


@compiled
def draw_part(k0, k1, kind, first, out):
    """Numbers first, ... of the stream of one key, at most `PIECE`; ``first`` is even."""
    word = np.empty(PIECE, np.uint64)
    words(word, first, out.size, k0, k1)
    if kind == UNIFORM:
        _uniforms(word, out)
    elif kind == NORMAL:
        normals(word, out)
    elif kind == EXPONENTIAL:
        _exponentials(word, out)
    elif kind == LAPLACE:
        _laplaces(word, out)
    else:
        _logistics(word, out)


@compiled
def draw(keys, kind, out):
    """One number from each word: uniform in [0, 1), standard normal, of density exp(-x), or exp(-abs(x)) / 2, or with
    the distribution function 1 / (1 + exp(-x)); the top bit of the word is the sign of those that have one."""
    n = out.shape[1]
    for k in range(out.shape[0]):
        for first in range(0, n, PIECE):
            draw_part(_U(keys[k, 0]), _U(keys[k, 1]), kind, first, out[k, first : min(first + PIECE, n)])


@compiled
def draw_one(key, kind, out):
    """The same for one key and a vector, which saves a call its reshaping."""
    draw(key.reshape(1, 2), kind, out.reshape(1, out.size))


@compiled
def uniform_single(keys, out):
    """Multiples of 2**-24 in [0, 1), one from each 32-bit word."""
    word = np.empty(PIECE, np.uint64)
    halves = word.view(np.uint32)
    n = out.shape[1]
    for k in range(out.shape[0]):
        for first in range(0, n, 2 * PIECE):
            part = out[k, first : min(first + 2 * PIECE, n)]
            words(word, first // 2, (part.size + 1) // 2, _U(keys[k, 0]), _U(keys[k, 1]))
            for j in range(part.size):
                part[j] = np.float32(np.int32(halves[j] >> np.uint32(8))) * np.float32(2.0**-24)


@compiled
def integers(keys, low, span, out):
    """low + floor(word * span / 2**64), unless the product falls where some integers would get more words than others
    (Lemire, ACM Trans. Model. Comput. Simul. 29 (2019) 3); a span of 0 stands for 2**64."""
    word = np.empty(PIECE, np.uint64)
    n = out.shape[1]
    for k in range(out.shape[0]):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        for first in range(0, n, PIECE):
            count = min(PIECE, n - first)
            words(word, first, count, k0, k1)
            if span.shape[1] == 1:
                _spread(word, low[k, 0], span[k, 0], out[k, first : first + count], first, k0, k1)
            else:
                for j in range(count):
                    at = first + j
                    out[k, at] = low[k, at] + _within(word[j], span[k, at], _surplus(span[k, at]), at, k0, k1)


@compiled
def _spread(word, low, span, out, first, k0, k1):
    surplus, again = _surplus(span), 0
    for j in range(out.size):
        high, rest = _product(word[j], span)
        out[j] = low + (high if span != ZERO else word[j])
        again += rest < surplus
    if again:
        for j in range(out.size):
            out[j] = low + _within(word[j], span, surplus, first + j, k0, k1)


@compiled
def _surplus(span):
    return ZERO if span == ZERO else (ZERO - span) % span


@compiled
def _product(a, b):
    """The high and the low half of a 64 x 64 bit product, from four of 32 x 32 bits; no sum exceeds 64 bits."""
    p, q = (a & LOW) * (b & LOW), (a >> S32) * (b & LOW)
    middle = q + (p >> S32)
    other = (a & LOW) * (b >> S32) + (middle & LOW)
    return (a >> S32) * (b >> S32) + (middle >> S32) + (other >> S32), a * b


@compiled
def _within(word, span, surplus, at, k0, k1):
    """An integer in [0, span) from a word, or from those of up to 63 blocks of the element's own."""
    if span == ZERO:
        return word
    high, rest = _product(word, span)
    attempt = 1
    while rest < surplus and attempt < 64:
        i = _U(at)
        again, _ = block(i & LOW, i >> S32, _U(attempt), SAMPLE, k0, k1)
        high, rest = _product(again, span)
        attempt += 1
    return high
