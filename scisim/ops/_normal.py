"""The inverse of the normal distribution function, from IEEE basic operations and square roots alone.

Algorithm AS 241, routine PPND16: M. J. Wichura, "The percentage points of the normal distribution",
Applied Statistics 37 (1988) 477-484; its rational approximations err by about one part in 10**16. The
logarithm in the tails is computed here too, because those of C libraries and NumPy builds differ in the
last bit: every machine gets the same normals from the same bits.
"""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

# Numerators and denominators, constant term first, of the centre, the near tail and the far tail.
_CENTRE = (
    (
        3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
        1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
        3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2,
        5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
        2.8729085735721942674e4, 5.2264952788528545610e3,
    ),
)  # fmt: skip
_NEAR = (
    (
        1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
        3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
        6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
        5.47593808499534494600e-4, 1.05075007164441684324e-9,
    ),
)  # fmt: skip
_FAR = (
    (
        6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
        2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
        1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
        1.42151175831644588870e-7, 2.04426310338993978564e-15,
    ),
)  # fmt: skip
_LN2 = 0.6931471805599453
_ATANH = tuple(2.0 / (2 * k + 1) for k in range(11))  # 2 atanh(s) / s in s*s; |s| <= 0.172 leaves 2e-18
_CHUNK = 8192


def lower_tail_point(probability: FloatArray) -> FloatArray:
    """The z >= 0 whose lower tail below -z has the given probability, in (0, 0.5]."""
    q = 0.5 - probability
    z = q * _ratio(_CENTRE, 0.180625 - q * q)
    tail = np.flatnonzero(q > 0.425)
    r = np.sqrt(-log(probability[tail]))
    in_tail = _ratio(_NEAR, r - 1.6)
    far = r > 5.0
    in_tail[far] = _ratio(_FAR, r[far] - 5.0)
    z[tail] = in_tail
    return z


def normal_from_words(words: npt.NDArray[np.uint64]) -> FloatArray:
    """One normal from each 64-bit word: the top bit is the sign, the others choose the tail's probability.

    The probability is (m + 1/2) / 2**64 for the 63-bit integer m, so the smallest is 2**-65 and |z| < 9.2.
    """
    flat = words.reshape(-1)
    out = np.empty(flat.shape, dtype=np.float64)
    for first in range(0, flat.size, _CHUNK):  # the temporaries of a piece stay in cache
        piece = flat[first : first + _CHUNK]
        magnitude = (piece & np.uint64(2**63 - 1)).astype(np.float64)
        z = lower_tail_point((magnitude + 0.5) * 2.0**-64)
        out[first : first + _CHUNK] = np.copysign(z, piece.view(np.int64).astype(np.float64))
    return out.reshape(words.shape)


def log(x: FloatArray) -> FloatArray:
    """Natural logarithm of positive normal numbers, the same bits on every machine."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < 0.7071067811865476
    mantissa = np.where(small, 2.0 * mantissa, mantissa)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    return (exponent - small) * _LN2 + s * _polynomial(_ATANH, s * s)


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: FloatArray) -> FloatArray:
    return _polynomial(coefficients[0], x) / _polynomial(coefficients[1], x)


def _polynomial(coefficients: tuple[float, ...], x: FloatArray) -> FloatArray:
    """Horner's scheme, in place; no fused multiply-add, whose use would differ between machines."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total
