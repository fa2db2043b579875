"""Arithmetic: sums, products, quotients, powers, roots and moduli, with their provenance.

Rules are written with ordinary operators on raw values: on arrays they are NumPy's own, on a traced value they come
back to the functions of this module.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.values import Traced, is_complex, is_inexact, ones_like, root_of, same, shape
from scisim.ops import complex_quotients, complex_values
from scisim.ops.complex_parts import of_complex
from scisim.ops.directions import cosines, direction, length


def _zmul(a: Any, b: Any) -> Any:
    """a * b where an exact zero wins over infinity and nan."""
    r = np.multiply(a, b)
    if cmath.isfinite(np.vdot(r, r)):  # one cheap pass; only singular points go on
        return r
    return np.where((np.equal(a, 0) | np.equal(b, 0)) & ~np.isfinite(r), r.dtype.type(0), r)


def _zmul_scalar(s: Any, a: Any, b: Any) -> Any:
    """A zero that is a product as it is keeps its sign."""
    y = s.mul(a, b)
    return s.select(s.both(s.either(s.eq(a, 0), s.eq(b, 0)), s.logical_not(s.isfinite(y))), 0, y)


_factors = [lambda y, a, b: b, lambda y, a, b: a]
zmul = Primitive(
    "zmul",
    _zmul,
    axes=ELEMENTWISE,
    bilinear=(0, 1),
    partials=_factors,
    scalar=lambda s, a, b: _zmul_scalar(s, a, b),
    singular="an exact zero wins over infinity and nan",
)
mul_p = Primitive(
    "mul",
    np.multiply,
    axes=ELEMENTWISE,
    bilinear=(0, 1),
    partials=_factors,
    exact=zmul,
    scalar=lambda s, a, b: s.mul(a, b),
    array_api="multiply",
)
zmul.exact = zmul
square_p = Primitive(
    "square",
    complex_quotients.square,
    axes=ELEMENTWISE,
    partials=[lambda y, x: x + x],
    taylor=lambda t, a, y: t.convolve(mul_p, a[0], a[0]),
    scalar=lambda s, x: s.square(x),
    array_api="square",
)
# The value of the second operand to the bit, with the derivative of the first.
pin = Primitive(
    "pin",
    lambda q, v: v if shape(q) == shape(v) else np.broadcast_to(v, np.broadcast_shapes(shape(q), shape(v))),
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: ct,
    taylor=lambda t, a, y: lambda k: t.coefficient(a[0], k),
    scalar=lambda s, q, v: v,
)
add = Primitive(
    "add",
    np.add,
    axes=ELEMENTWISE,
    linear=(0, 1),
    transpose=lambda i, ct, args, p: ct,
    scalar=lambda s, a, b: s.add(a, b),
    array_api="add",
)
sub = Primitive(
    "sub",
    np.subtract,
    axes=ELEMENTWISE,
    linear=(0, 1),
    transpose=lambda i, ct, args, p: -ct if i else ct,
    scalar=lambda s, a, b: s.sub(a, b),
    array_api="subtract",
)
neg = Primitive(
    "neg",
    np.negative,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: -ct,
    scalar=lambda s, x: s.neg(x),
    array_api="negative",
)
div = Primitive(
    "div",
    complex_quotients.divide,
    axes=ELEMENTWISE,
    linear=(0,),
    transpose=lambda i, ct, args, p: zmul(ct, reciprocal(args[1])),
    partials=[None, lambda y, a, b: -y / b],
    taylor=lambda t, a, y: t.quotient(*a, y),
    scalar=lambda s, a, b: s.div(a, b),
    singular="infinite at a zero of the denominator",
    regular=lambda args: _divides(args[1]),
    array_api="divide",
)


def _divides(x: Any) -> bool:
    """Whether a divisor is a number so far from 0 that its reciprocal overflows in no dtype."""
    return isinstance(x, (int, float, complex, np.generic)) and 2.0**-14 <= abs(x) < math.inf  # type: ignore[arg-type]


def reciprocal(x: Any) -> Any:
    """1 / x; that of a Python number is one too, so that it leaves dtypes alone, and infinite at 0."""
    if hasattr(x, "dtype"):
        return div(1.0, x)
    return 1.0 / x if x else math.inf


sqrt_p = Primitive(
    "sqrt",
    np.sqrt,
    axes=ELEMENTWISE,
    partials=[lambda y, x: 0.5 / y],
    taylor=lambda t, a, y: t.root(*a, y),
    scalar=lambda s, x: s.sqrt(x),
    singular="infinite at 0, unless the series starts at an even order",
    array_api="sqrt",
)
sign_p = Primitive("sign", np.sign, axes=ELEMENTWISE, scalar=lambda s, x: s.sign(x), array_api="sign")
abs_p = Primitive(
    "abs",
    np.abs,
    axes=ELEMENTWISE,
    partials=[lambda y, x: sign_p(x)],
    taylor=lambda t, a, y: t.modulus(*a),
    scalar=lambda s, x: s.abs(x),
    convention="abs'(0) = 0; one-sided series from order 2",
    array_api="abs",
)
modulus_p = Primitive("modulus", np.abs, axes=ELEMENTWISE, scalar=lambda s, z: s.abs(z))
hypot_p = Primitive(
    "hypot",
    np.hypot,
    axes=ELEMENTWISE,
    partials=cosines,
    taylor=lambda t, a, y: t.length(*a, y),
    scalar=lambda s, a, b: s.hypot(a, b),
    convention="both derivatives are 0 at the origin",
    array_api="hypot",
)


_power_slopes = [lambda y, x, p: zmul(p, power(x, p - 1)), lambda y, x, p: zmul(y, _log(x))]
power_p = Primitive(
    "power",
    complex_values.power,
    axes=ELEMENTWISE,
    partials=_power_slopes,
    taylor=lambda t, a, y: t.power(*a, y),
    scalar=lambda s, x, p: s.pow(x, p),
    singular="at x = 0 for an exponent below the order of the derivative",
    array_api="pow",
)
# The same without the recurrence that divides by x, for series that start at 0.
general_power = Primitive(
    "general_power",
    complex_values.power,
    axes=ELEMENTWISE,
    partials=[lambda y, x, p: zmul(p, _general(x, p - 1)), _power_slopes[1]],
    scalar=lambda s, x, p: s.pow(x, p),
    singular="at x = 0 for an exponent below the order of the derivative",
)


def _general(x: Any, p: Any) -> Any:
    return power(x, p) if type(p) in (int, float) and float(p).is_integer() else general_power(x, p)


# An integer power keeps np.power's value; its derivative is that of a chain of products, right at 0 and O(K^2).
ipow_p = Primitive(
    "ipow",
    lambda x, n: complex_values.power(x, n),
    axes=ELEMENTWISE,
    partials=[lambda y, x, n: n * power(x, n - 1)],
    taylor=lambda t, a, y, n: _ipow_rule(t, a[0], y, n),
    scalar=lambda s, x, n: s.ipow(x, n),
)


def _log(x: Any) -> Any:
    from scisim.ops.elementary import log

    return log(x)


def _ipow_rule(trace: Any, x: Any, y: Any, n: int) -> Any:
    """Coefficients of x^n by repeated squaring."""
    chain = trace.lazily(lambda: _chain(x, n))
    return lambda k: trace.coefficient(chain, k)


def _chain(x: Any, n: int) -> Any:
    if n == 1:
        return x
    half = _chain(x, n // 2)
    y = square_p(half)
    return mul_p(y, x) if n % 2 else y


def square(x: Any) -> Any:
    """sqrt(q)^2 and abs(x)^2 have the derivative of q and x*x: smooth at 0, where sqrt and abs are not."""
    if isinstance(x, Traced) and x.root is not None:
        return pin(root_of(x), square_p(x))
    return square_p(x)


def mul(a: Any, b: Any) -> Any:
    if a is b:
        return square(a)
    if (
        isinstance(a, Traced)
        and isinstance(b, Traced)
        and a.root is not None
        and b.root is not None
        and same(root_of(a), root_of(b))
    ):
        return pin(root_of(a), mul_p(a, b))
    return mul_p(a, b)


def sqrt(q: Any) -> Any:
    y = sqrt_p(q)
    if isinstance(y, Traced):
        y.root = q
    return y


def absolute(x: Any) -> Any:
    if not isinstance(x, Traced):
        return np.abs(x)
    if is_complex(x):
        from scisim.ops.complexes import imag, real

        a, b = real(x), imag(x)
        return rooted(length(a, b, modulus_p(x)), lambda: a * a + b * b)
    return rooted(abs_p(x), lambda: square(x))


def hypot(a: Any, b: Any) -> Any:
    return rooted(hypot_p(a, b), lambda: a * a + b * b)  # of Python numbers too, which leave dtypes alone


def rooted(y: Any, root: Callable[[], Any]) -> Any:
    """A root that remembers what it is the root of; that is computed when a square asks for it."""
    if isinstance(y, Traced):
        y.root = root
    return y


# z / abs(z) of a complex number, without a derivative of its own.
unit_p = Primitive("unit", of_complex(complex_quotients.sign, np.sign), axes=ELEMENTWISE, scalar=lambda s, z: s.sign(z))


def sign(x: Any) -> Any:
    """Sign; of a complex number z / abs(z), 0 at 0, and the direction of an infinite one."""
    if not is_complex(x):
        return sign_p(x)
    if not isinstance(x, Traced):
        return unit_p(x)
    from scisim.ops.complexes import imag, real
    from scisim.ops.select import eq, where

    zero = eq(x, 0)
    z = where(zero, 1.0, x)
    a, b, size = real(z), imag(z), absolute(z)
    return pin(where(zero, 0.0, direction(a, b, size) + 1j * direction(b, a, size)), unit_p(x))


def power(x: Any, p: Any) -> Any:
    if type(p) is float and p.is_integer() and abs(p) < 2**31 and is_inexact(x):
        p = int(p)
    if type(p) is float and p == 0.5:
        return sqrt(x)
    if type(p) is not int or (isinstance(x, Traced) and not is_inexact(x)):
        return power_p(x, p)
    if p == 0 and isinstance(x, Traced):
        return ones_like(x)
    if p == 1 and isinstance(x, Traced):
        return x
    if p == 2:
        return square(x)
    if not isinstance(x, Traced):
        return power_p(x, p)
    if p < 0:
        return pin(power(div(1.0, x), -p), ipow_p(stop(x), n=p))  # whose derivative is no smaller than its own
    return ipow_p(x, n=p)


# The identity whose derivative is zero.
stop = Primitive("stop_gradient", lambda x: x, axes=ELEMENTWISE, scalar=lambda s, x: x)
