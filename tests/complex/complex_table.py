"""Complex functions with what their values are to be: mpmath's at finite numbers, those of C's Annex G at others.

Where the Array API standard has another sign of a zero it is followed: expm1 and sign of 0, tanh at infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import mp

import scisim as ss
from tests.complex import annex_g
from tests.complex.annex_g import Part

INF, NAN = math.inf, math.nan
Value = tuple[Part, Part]


def as_accurate(z: complex) -> float:
    """Units in the last place by which a value may differ."""
    return 4.0


@dataclass(frozen=True)
class Function:
    """A function of one complex number.

    ``special`` gives values at infinities, nan and poles (None where there is only the mathematical one); ``units``
    what a value may differ by at a number, in units of the last place, of each part where ``parts`` and else of the
    modulus; ``signs`` says that the sign of a zero part of the result has a meaning.
    """

    call: Callable
    exact: Callable
    special: Callable[[complex], Value | None] = lambda z: None
    units: Callable[[complex], float] = as_accurate
    parts: bool = False
    signs: bool = True


def standard(name: str) -> Callable[[complex], Value | None]:
    return lambda z: annex_g.value(name, z.real, z.imag)


def turned(name: str) -> Callable[[complex], Value | None]:
    """Of -i f(iz), as the standard has sin, tan, asin and atan."""

    def special(z: complex) -> Value | None:
        found = annex_g.value(name, -z.imag, z.real)
        return None if found is None else (found[1], -found[0])

    return special


def scaled(factor: float) -> Callable[[complex], Value | None]:
    """The standard's logarithm times a factor."""

    def special(z: complex) -> Value | None:
        found = annex_g.value("log", z.real, z.imag)
        return None if found is None else (found[0], found[1] * factor)

    return special


def log1p(z: complex) -> Value | None:
    pole = z == -1 or not (math.isfinite(z.real) and math.isfinite(z.imag))
    return annex_g.value("log", z.real + 1.0, z.imag) if pole else None


def tanh(z: Any) -> Any:
    """By real functions, since mpmath's loses what is small beside 1."""
    x, y = 2 * mp.re(z), 2 * mp.im(z)
    below = mp.cosh(x) + mp.cos(y)
    return mp.mpc(mp.sinh(x) / below, mp.sin(y) / below)


def tan(z: Any) -> Any:
    w = tanh(mp.mpc(-mp.im(z), mp.re(z)))
    return mp.mpc(mp.im(w), -mp.re(w))


def softplus(z: Any) -> Any:
    if mp.re(z) > 5000:
        return mp.mpc(mp.re(z), mp.atan2(mp.sin(mp.im(z)), mp.cos(mp.im(z))))
    return mp.exp(z) if mp.re(z) < -5000 else mp.log(1 + mp.exp(z))


def quotient(a: complex, b: complex) -> Value | None:
    """At zeros and infinities: the algorithm of the standard's example in G.5.1."""
    box = [math.copysign(float(math.isinf(p)), p) for p in (a.real, a.imag, b.real, b.imag)]
    if b == 0:
        pole = math.copysign(INF, b.real)
        return pole * a.real, pole * a.imag
    if infinite(a) and finite(b):
        x, y, factor = box[0], box[1], INF
        c, d = b.real, b.imag
    elif infinite(b) and finite(a):
        less = 0.25 if abs(a.real) + abs(a.imag) > 1e300 else 1.0  # so that sums do not overflow
        x, y, factor = a.real * less, a.imag * less, 0.0
        c, d = box[2], box[3]
    else:
        return None if finite(a) and finite(b) else (NAN, NAN)
    return factor * (x * c + y * d), factor * (y * c - x * d)


def product(a: complex, b: complex) -> Value | None:
    """The textbook's formula, also where it gives nan for infinity."""
    re, im = a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real
    return None if finite(a) and finite(b) else (re, im)


def by_real(z: complex, x: float) -> Value | None:
    return None if finite(z) else (z.real / x, z.imag / x)


def finite(z: complex) -> bool:
    return math.isfinite(z.real) and math.isfinite(z.imag)


def infinite(z: complex) -> bool:
    return math.isinf(z.real) or math.isinf(z.imag)


def at_zero(value: complex, infinities: Callable[[complex], Value | None] = lambda z: None) -> Callable:
    """Of a function whose value at 0 is no limit from all sides."""
    return lambda z: (value.real, value.imag) if z == 0 else infinities(z)


def through_exponential(exponent: Callable[[complex], complex]) -> Callable[[complex], float]:
    """exp makes an absolute error of its operand a relative one: units for each unit of the operand's size."""

    def units(z: complex) -> float:
        w = exponent(z)
        size = max(abs(w.real), abs(w.imag))
        return 4.0 + 4.0 * size if size < 1e6 else INF

    return units


def _log(z: complex) -> complex:
    return complex(0.5 * math.log(max(z.real**2 + z.imag**2, 1e-300)) if abs(z.real) + abs(z.imag) < 1e150 else 700, 4)


def _tanh(z: complex) -> Value | None:
    """At infinity the sign of a zero is that of the Array API standard, which has the imaginary part's for C's."""
    if math.isinf(z.real) and math.isfinite(z.imag):
        return math.copysign(1.0, z.real), math.copysign(0.0, z.imag)
    return annex_g.value("tanh", z.real, z.imag)


def _tan(z: complex) -> Value | None:
    found = _tanh(complex(-z.imag, z.real))
    return None if found is None else (found[1], -found[0])


def _xlogy(z: complex) -> Value | None:
    return product(A, complex(-INF, math.atan2(z.imag, z.real))) if z == 0 else None


def _logit(z: complex) -> Value | None:
    return (INF, z.imag) if z == 1 else annex_g.value("log", z.real, z.imag) if z == 0 else None


A = 0.3 - 2.0j
W = 0.5 + 0.3j
EXPONENTIALS = {
    "exp": Function(ss.exp, mp.exp, standard("exp"), parts=True),
    "exp2": Function(ss.exp2, lambda z: mp.exp(z * mp.ln2), units=through_exponential(lambda z: z.imag * 1j)),
    "expm1": Function(ss.expm1, lambda z: mp.exp(z) - 1, lambda z: None if z else (0.0, z.imag)),
    "sinh": Function(ss.sinh, mp.sinh, standard("sinh"), parts=True),
    "cosh": Function(ss.cosh, mp.cosh, standard("cosh"), parts=True),
    "tanh": Function(ss.tanh, tanh, _tanh, parts=True),
    "sin": Function(ss.sin, mp.sin, turned("sinh"), parts=True),
    "cos": Function(ss.cos, mp.cos, lambda z: annex_g.value("cosh", -z.imag, z.real), parts=True),
    "tan": Function(ss.tan, tan, _tan, parts=True),
    "sinc": Function(ss.sinc, mp.sincpi, units=through_exponential(lambda z: z.imag * 1j), signs=False),
    "sigmoid": Function(ss.sigmoid, lambda z: 1 / (1 + mp.exp(-z))),
}
LOGARITHMS = {
    "log": Function(ss.log, mp.log, standard("log"), parts=True),
    "log2": Function(ss.log2, lambda z: mp.log(z) / mp.ln2, scaled(1 / math.log(2))),
    "log10": Function(ss.log10, lambda z: mp.log(z) / mp.ln10, scaled(1 / math.log(10))),
    "log1p": Function(ss.log1p, lambda z: mp.log(1 + z), log1p),
    "asin": Function(ss.asin, mp.asin, turned("asinh"), parts=True),
    "acos": Function(ss.acos, mp.acos, standard("acos"), parts=True),
    "atan": Function(ss.atan, mp.atan, turned("atanh")),
    "asinh": Function(ss.asinh, mp.asinh, standard("asinh"), parts=True),
    "acosh": Function(ss.acosh, mp.acosh, standard("acosh"), parts=True),
    "atanh": Function(ss.atanh, mp.atanh, standard("atanh")),
    "xlogy": Function(lambda z: ss.xlogy(A, z), lambda z: mp.mpc(A) * mp.log(z), _xlogy, signs=False),
    "logit": Function(ss.special.logit, lambda z: mp.log(z) - mp.log(1 - z), _logit, signs=False),
    "softplus": Function(ss.special.softplus, softplus, signs=False),
    "log_expit": Function(ss.special.log_expit, lambda z: -softplus(-z), signs=False),
}
POWERS = {
    "sqrt": Function(ss.sqrt, mp.sqrt, standard("sqrt"), parts=True),
    "cbrt": Function(ss.cbrt, lambda z: mp.exp(mp.log(z) / 3), parts=True),
    "square": Function(ss.square, lambda z: z * z),
    "cube": Function(lambda z: z**3, lambda z: z**3, units=lambda z: 8.0, signs=False),
    "z**2.5": Function(
        lambda z: z**2.5, lambda z: mp.exp(2.5 * mp.log(z)), units=through_exponential(_log), signs=False
    ),
    "z**-2": Function(lambda z: z**-2, lambda z: z**-2, at_zero(complex(INF, NAN)), units=lambda z: 8.0, signs=False),
    "z**w": Function(
        lambda z: z**W,
        lambda z: mp.exp(mp.mpc(W) * mp.log(z)),
        units=through_exponential(_log),
        signs=False,
    ),
    "w**z": Function(
        lambda z: W**z,
        lambda z: mp.exp(z * mp.log(mp.mpc(W))),
        units=through_exponential(lambda z: z),
        signs=False,
    ),
    "2**z": Function(
        lambda z: 2.0**z, lambda z: mp.exp(z * mp.ln2), units=through_exponential(lambda z: z), signs=False
    ),
}
ARITHMETIC = {
    "reciprocal": Function(ss.reciprocal, lambda z: 1 / z, lambda z: quotient(complex(1.0, -0.0), z), parts=True),
    "2/z": Function(lambda z: 2.0 / z, lambda z: 2 / z, lambda z: quotient(complex(2.0, -0.0), z), parts=True),
    "z/2": Function(lambda z: z / 2.0, lambda z: z / 2, lambda z: by_real(z, 2.0), parts=True),
    "a/z": Function(lambda z: A / z, lambda z: mp.mpc(A) / z, lambda z: quotient(A, z), signs=False),
    "z/a": Function(lambda z: z / A, lambda z: z / mp.mpc(A), lambda z: quotient(z, A), signs=False),
    "a*z": Function(lambda z: A * z, lambda z: mp.mpc(A) * z, lambda z: product(A, z), signs=False),
    "a+z": Function(lambda z: A + z, lambda z: mp.mpc(A) + z, lambda z: (A.real + z.real, A.imag + z.imag)),
    "abs": Function(ss.abs, abs, lambda z: (math.hypot(z.real, z.imag), 0.0), parts=True),
    "angle": Function(ss.angle, mp.arg, lambda z: (math.atan2(z.imag, z.real), 0.0), parts=True),
    "sign": Function(ss.sign, lambda z: z / abs(z), at_zero(0j), parts=True),
    "conj": Function(ss.conj, mp.conj, lambda z: (z.real, -z.imag), parts=True),
    "-z": Function(lambda z: -z, lambda z: -z, lambda z: (-z.real, -z.imag), parts=True),
}
TABLE = {**EXPONENTIALS, **LOGARITHMS, **POWERS, **ARITHMETIC}
