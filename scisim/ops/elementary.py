"""Elementary functions: each declared once, its derivative an expression that may use the output.

A derivative that mentions the output (tanh' = 1 - y*y) or a partner (sin' = cos) becomes a recurrence of O(K^2)
products for a Taylor series of order K.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.values import is_complex
from scisim.ops import complex_values
from scisim.ops.arithmetic import div, square, zmul
from scisim.ops.complex_parts import of_complex
from scisim.ops.complexes import times_i
from scisim.ops.directions import length, radius, turn

_LN2, _LN10 = math.log(2.0), math.log(10.0)


def _unary(name: str, evaluate: Any, partial: Any, api: bool = True, **more: Any) -> Primitive:
    more.setdefault("scalar", lambda s, x: getattr(s, name)(x))
    return Primitive(name, evaluate, axes=ELEMENTWISE, partials=[partial], array_api=name if api else None, **more)


exp = _unary("exp", np.exp, lambda y, x: y, singular="overflow: a zero tangent wins over an infinite value")
exp2 = _unary("exp2", of_complex(complex_values.exp2, np.exp2), lambda y, x: y * _LN2, api=False, singular="overflow")
expm1 = _unary("expm1", of_complex(complex_values.expm1, np.expm1), lambda y, x: y + 1.0, singular="overflow")
log = _unary("log", np.log, lambda y, x: 1.0 / x, singular="infinite at 0", pole=True)
log2 = _unary("log2", np.log2, lambda y, x: (1.0 / _LN2) / x, singular="infinite at 0", pole=True)
log10 = _unary("log10", np.log10, lambda y, x: (1.0 / _LN10) / x, singular="infinite at 0", pole=True)
log1p = _unary(
    "log1p",
    of_complex(complex_values.log1p, np.log1p),
    lambda y, x: 1.0 / (1.0 + x),
    singular="infinite at -1",
    pole=True,
)


# --- derivatives that square no operand, and of which nothing cancels near 0 and 1 -----------------------------------
def _sec_asin(x: Any) -> Any:
    if np.asarray(x).dtype.kind != "c":
        return 1.0 / np.sqrt((1.0 - x) * (1.0 + x))
    # differences, which keep the sign of a zero imaginary part: it says on which side of a branch cut x is
    return 1.0 / np.sqrt(-(x - 1.0)) / np.sqrt(x - -1.0)


def _sec_asin_scalar(s: Any, x: Any) -> Any:
    one = 1.0 if s.real(x) is x else complex(1.0, -0.0)  # less which a zero imaginary part has the other sign
    return s.div(s.div(1.0, s.sqrt(s.sub(one, x))), s.sqrt(s.sub(x, -1.0)))


# 1 / sqrt(1 - x^2), on the branch of asin for complex numbers.
sec_asin = Primitive(
    "sec_asin",
    _sec_asin,
    axes=ELEMENTWISE,
    partials=[lambda y, x: x * y * y * y],
    scalar=_sec_asin_scalar,
    singular="infinite at -1 and 1",
    pole=True,
)


# 1 / sqrt(x^2 - 1), on the branch of acosh.
acosh_slope = Primitive(
    "acosh_slope",
    lambda x: 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x - -1.0)),
    axes=ELEMENTWISE,
    partials=[lambda y, x: -(x * y) * y * y],
    scalar=lambda s, x: s.div(1.0, s.mul(s.sqrt(s.sub(x, 1.0)), s.sqrt(s.sub(x, -1.0)))),
    singular="infinite at -1 and 1",
    pole=True,
)


def _floating(x: Any) -> Any:
    """Integers in double precision and bfloat16 in single, so that squares neither wrap round nor lose digits."""
    kind = np.asarray(x).dtype.kind
    return x if kind == "f" else np.asarray(x, np.float32 if kind == "V" else np.float64)


def _cos_atan(x: Any) -> Any:
    x = _floating(x)
    q = 1.0 + np.square(x)
    if np.size(q) and not np.max(q) <= np.finfo(q.dtype).max:
        return 1.0 / np.hypot(1.0, x)
    return 1.0 / np.sqrt(q)


# 1 / sqrt(1 + x^2) of real numbers.
_cos_atan_p = Primitive(
    "cos_atan",
    _cos_atan,
    axes=ELEMENTWISE,
    partials=[lambda y, x: -(x * y) * y * y],
    scalar=lambda s, x: s.div(1.0, s.select(s.lt(s.abs(x), 2.0**60), s.sqrt(s.add(s.mul(x, x), 1.0)), s.abs(x))),
)


def _atan_slope(x: Any) -> Any:
    x = _floating(x)
    q = 1.0 + np.square(x)
    if not np.size(q) or np.max(q) <= np.finfo(q.dtype).max:
        return 1.0 / q
    far = np.isinf(q)
    r = 1.0 / np.where(far, x, q)
    return np.where(far, r * r, r)[()]


def _atan_slope_scalar(s: Any, x: Any) -> Any:
    near = s.le(s.abs(x), 2.0**60)  # beyond it the 1 is lost in every dtype, and up to it the square overflows in none
    r = s.div(1.0, s.select(near, s.add(s.mul(x, x), 1.0), x))
    return s.select(near, r, s.mul(r, r))


# 1 / (1 + x^2) of real numbers.
_atan_slope_p = Primitive(
    "atan_slope",
    _atan_slope,
    axes=ELEMENTWISE,
    partials=[lambda y, x: -2.0 * (x * y) * y],
    scalar=_atan_slope_scalar,
)


def cos_atan(x: Any) -> Any:
    """1 / sqrt(1 + x^2)."""
    return sec_asin(times_i(x)) if is_complex(x) else _cos_atan_p(x)


def atan_slope(x: Any) -> Any:
    """1 / (1 + x^2)."""
    return square(sec_asin(times_i(x))) if is_complex(x) else _atan_slope_p(x)


sin = _unary("sin", np.sin, lambda y, x: cos(x))
cos = _unary("cos", np.cos, lambda y, x: -sin(x))
tan = _unary("tan", of_complex(complex_values.tan, np.tan), lambda y, x: 1.0 + y * y)
asin = _unary("asin", np.arcsin, lambda y, x: sec_asin(x), singular="infinite at -1 and 1", pole=True)
acos = _unary("acos", np.arccos, lambda y, x: -sec_asin(x), singular="infinite at -1 and 1", pole=True)
atan = _unary("atan", np.arctan, lambda y, x: atan_slope(x), singular="poles at +-i for complex numbers")
sinh = _unary("sinh", np.sinh, lambda y, x: cosh(x), singular="overflow")
cosh = _unary("cosh", np.cosh, lambda y, x: sinh(x), singular="overflow")
tanh = _unary("tanh", of_complex(complex_values.tanh, np.tanh), lambda y, x: 1.0 - y * y)
asinh = _unary("asinh", np.arcsinh, lambda y, x: cos_atan(x), singular="at +-i for complex numbers")
acosh = _unary("acosh", np.arccosh, lambda y, x: acosh_slope(x), singular="infinite at -1 and 1", pole=True)
atanh = _unary("atanh", np.arctanh, lambda y, x: square(sec_asin(x)), singular="infinite at -1 and 1", pole=True)
cbrt = _unary(
    "cbrt",
    of_complex(complex_values.cbrt, np.cbrt),
    lambda y, x: 1.0 / (3.0 * y * y),
    api=False,
    singular="infinite at 0",
    pole=True,
)


def _sigmoid(x: Any) -> Any:
    # exp(-abs(x)) cannot overflow
    if np.asarray(x).dtype.kind in "ub":
        x = np.asarray(x, np.exp(np.zeros((), np.asarray(x).dtype)).dtype)
    e = np.exp(-np.abs(x))
    return np.where(np.greater_equal(x, 0), 1, e)[()] / (1 + e)


sigmoid = _unary(
    "sigmoid",
    of_complex(complex_values.sigmoid, _sigmoid),
    lambda y, x: y * (1.0 - y),
    api=False,
    scalar=lambda s, x: s.sigmoid(x),
)


def _over(a: Any, q: Any) -> Any:
    """a / q where a zero of a wins."""
    return zmul(a, div(1.0, q))


def _turn(a: Any, b: Any) -> Any:
    return turn(a, b, length(a, b, radius(a, b)))


# The angle of a point whose distance from the origin is about 1, of which squares are in range.
near_angle = Primitive(
    "near_angle",
    np.arctan2,
    axes=ELEMENTWISE,
    partials=[lambda z, y, x: _over(x, x * x + y * y), lambda z, y, x: _over(-y, x * x + y * y)],
    scalar=lambda s, y, x: s.atan2(y, x),
    singular="both derivatives are 0 at the origin",
)
atan2 = Primitive(
    "atan2",
    np.arctan2,
    axes=ELEMENTWISE,
    partials=[lambda z, y, x: _turn(x, y), lambda z, y, x: -_turn(y, x)],
    taylor=lambda t, a, z: t.angle(*a, z),
    scalar=lambda s, y, x: s.atan2(y, x),
    convention="both derivatives are 0 at the origin",
    array_api="atan2",
)


def _logaddexp_apart(s: Any, a: Any, b: Any) -> Any:
    """The expression for operands that are not equal, as infinities may be."""
    return s.add(s.max(a, b), s.log1p(s.exp(s.neg(s.abs(s.sub(a, b))))))


def _logaddexp_slope(x: Any, y: Any) -> Any:
    from scisim.ops.select import eq, where

    empty = eq(y, -math.inf)
    return where(empty, 0.0, exp(x - where(empty, 0.0, y)))


logaddexp = Primitive(
    "logaddexp",
    np.logaddexp,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: _logaddexp_slope(a, y), lambda y, a, b: _logaddexp_slope(b, y)],
    scalar=lambda s, a, b: s.select(s.eq(a, b), s.add(a, math.log(2.0)), _logaddexp_apart(s, a, b)),
    singular="both derivatives are 0 where both operands are -inf",
    array_api="logaddexp",
)


def _xlogy(x: Any, y: Any) -> Any:
    if type(y) in (int, float):  # a Python number leaves the dtype of the other operand alone
        y = np.asarray(y, np.result_type(x, y))
    zero = np.equal(x, 0) & ~np.isnan(y)
    return np.where(zero, 0.0, np.multiply(x, np.log(np.where(zero, 1.0, y))))[()]


xlogy = Primitive(
    "xlogy",
    _xlogy,
    axes=ELEMENTWISE,
    partials=[lambda z, x, y: log(y), lambda z, x, y: _over(x, y)],
    scalar=lambda s, x, y: s.select(s.both(s.eq(x, 0), s.logical_not(s.isnan(y))), 0, s.mul(x, s.log(y))),
    singular="0 where x is 0; d/dx infinite at y = 0",
)


def _moment(w: Any, n: int) -> Any:
    """The integral of t^n exp(i w t) over [0, 1], by parts."""
    integral = (np.exp(1j * w) - 1.0) / (1j * w)
    for m in range(1, n + 1):
        integral = (np.exp(1j * w) - m * integral) / (1j * w)
    return integral


def _sinc_derivative(x: Any, n: int) -> Any:
    """n-th derivative of sin(pi x) / (pi x): pi^n Re(i^n I_n), I_n the integral of t^n exp(i pi x t) over [0, 1].

    By parts I_n = (e^{iz} - n I_{n-1}) / (iz), stable for abs(z) > n; by Gauss-Legendre quadrature below.
    """
    x = np.asarray(x)
    z = np.pi * x.astype(np.result_type(x.dtype, np.float64), copy=False)
    big = np.abs(z) > n + 2.0
    w = np.where(big, z, 1.0)
    large = 1j**n * _moment(w, n)
    large = 0.5 * (large + (-1j) ** n * _moment(-w, n)) if z.dtype.kind == "c" else large.real
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = 0.5 * (nodes + 1.0)
    phase = np.where(big, 0.0, z)[..., None] * t
    turned = (np.cos(phase), -np.sin(phase), -np.cos(phase), np.sin(phase))[n % 4]  # n quarter turns on
    small = np.sum(0.5 * weights * t**n * turned, axis=-1)
    y = np.pi**n * np.where(big, large, small)
    return y.astype(x.dtype if x.dtype.kind in "fc" else np.float64)[()]


sinc = Primitive(
    "sinc",
    of_complex(complex_values.sinc, np.sinc),
    axes=ELEMENTWISE,
    partials=[lambda y, x: sinc_derivative(x, n=1)],
    scalar=lambda s, x: s.sinc(x),
)
sinc_derivative = Primitive(
    "sinc_derivative",
    _sinc_derivative,
    axes=ELEMENTWISE,
    partials=[lambda y, x, n: sinc_derivative(x, n=n + 1)],
)
