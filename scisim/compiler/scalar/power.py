"""Powers and roots."""

from __future__ import annotations

from typing import Any

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import (
    at_least,
    at_most,
    cast,
    copysign,
    equal,
    fast_two_sum,
    fma,
    is_nan,
    magnitude,
    polynomial,
    scale,
    select,
    sqrt,
    two_product,
)
from scisim.compiler.scalar.ir import FLOATS, Node
from scisim.compiler.scalar.logarithm import LOG2_E_PARTS, parts

INFINITY = float("inf")
LN2 = 0.6931471805599453
# Squares of numbers outside overflow or lose digits; by this factor they are brought inside.
SQUARE_RANGE = {"float32": (2.0**-50, 2.0**60, 2.0**100), "float64": (2.0**-450, 2.0**500, 2.0**600)}
# 2 / log 2 and 1/3, in two parts
TWO_LOG2_E = 2.8853900817779268, 4.0710547481862066e-17
THIRD = 0.3333333333333333, 1.850371707708594e-17


def pow(x: Node, y: Node) -> Node:
    """2**(y log2 x), with C's and NumPy's special cases."""
    size = (_pow_float32 if x.dtype == "float32" else _pow_float64)(magnitude(x), y)
    whole = equal(x.builder.op("trunc", y), y)
    half = y * 0.5
    odd = whole & x.builder.op("ne", x.builder.op("trunc", half), half)
    result = select(odd, copysign(size, x), size)
    result = select((x < 0.0) & ~whole & x.builder.op("gt", x, -INFINITY), float("nan"), result)
    result = select(is_nan(x) | is_nan(y), float("nan"), result)
    unit = equal(magnitude(x), 1.0) & equal(magnitude(y), INFINITY)
    return select(equal(x, 1.0) | equal(y, 0.0) | unit, 1.0, result)


def _pow_float32(x: Node, y: Node) -> Node:
    """With the digits of float64, which leave no error to speak of."""
    k, r = parts(cast(x, "float64"))
    beyond = r * r * fma(polynomial(r, table.LOG_MIDDLE["float64"]), r, -0.5)
    exponent = cast(y, "float64") * fma(r + beyond, LOG2_E_PARTS["float64"][0], k)
    exponent = at_most(at_least(exponent, -1000.0), 1000.0)
    n = x.builder.op("rint", exponent)
    r = exponent - n
    power = fma(polynomial(r, (LN2, *table.EXP2["float32"])), r, 1.0)
    return cast(scale(power, n), "float32")


def _pow_float64(x: Node, y: Node) -> Node:
    high, low = _log2_in_two_parts(x)
    exponent, error = two_product(y, high)
    error = select(magnitude(exponent) < 2000.0, fma(y, low, error), 0.0)
    exponent = at_most(at_least(exponent, -1080.0), 1080.0)
    n = x.builder.op("rint", exponent)
    r = (exponent - n) + error
    return scale(fma(polynomial(r, (LN2, *table.EXP2["float64"])), r, 1.0), n)


def _log2_in_two_parts(x: Node) -> tuple[Node, Node]:
    """log2 x with about 65 bits: k + 2 / log 2 * atanh(s), s = (m - 1) / (m + 1).

    atanh(s) = s + s**3 (1/3 + s**2 (...)); all but the last bracket in two parts.
    """
    k, f = parts(x)
    below = f + 2.0
    below_error = f - (below - 2.0)
    s = f / below
    # The rest of the division, over the denominator 2 / (1 - s).
    s_error = fma(-s, below_error, fma(-s, below, f)) * (0.5 - 0.5 * s)
    z, z_error = two_product(s, s)
    z_error = fma(s + s, s_error, z_error)
    w, w_error = fast_two_sum(x.builder.const(THIRD[0], x.dtype), z * polynomial(z, table.ATANH[x.dtype]))
    t, t_error = two_product(z, w)
    t_error = t_error + fma(z, w_error + THIRD[1], z_error * w)
    u, u_error = two_product(s, t)
    u_error = u_error + fma(s, t_error, s_error * t)
    total, error = fast_two_sum(s, u)
    error = error + (s_error + u_error)
    high, low = two_product(total, x.builder.const(TWO_LOG2_E[0], x.dtype))
    low = fma(total, TWO_LOG2_E[1], fma(error, TWO_LOG2_E[0], low))
    high, rest = fast_two_sum(k, high)
    return high, rest + low


def constant_integer(y: Any) -> int | None:
    """The constant as an integer of moderate size, if it is one."""
    if isinstance(y, Node) and y.op == "const" and abs(y.attr) <= 1024 and y.attr == int(y.attr):
        return int(y.attr)
    return None


def integer_power(x: Any, n: int) -> Any:
    """x to the power of a Python integer, by squaring; floats beyond the fourth power with their rounding errors."""
    if n < 0 and isinstance(x, Node) and x.dtype in FLOATS:
        inverse = 1.0 / x
        error = inverse * fma(-x, inverse, 1.0)
        return inverse if n == -1 else _power_in_two_parts(inverse, error, -n)
    if isinstance(x, Node) and x.dtype in FLOATS and n > 4:
        return _power_in_two_parts(x, x.builder.const(0.0, x.dtype), n)
    # Powers of 1 / x overflow only where the result does.
    return _by_squaring(x if n > 0 else 1.0 / x, abs(n), lambda a, b: a * b)


def _by_squaring(x: Any, n: int, product: Any) -> Any:
    result = None
    while n:
        if n & 1:
            result = x if result is None else product(result, x)
        n >>= 1
        x = product(x, x) if n else x
    return result


def _power_in_two_parts(x: Node, error: Node, n: int) -> Node:
    def product(a: tuple[Node, Node], b: tuple[Node, Node]) -> tuple[Node, Node]:
        high, low = two_product(a[0], b[0])
        return high, fma(a[0], b[1], fma(a[1], b[0], low))

    high, low = _by_squaring((x, error), n, product)
    total = copysign(high + low, high)  # of -0 too
    return select(magnitude(high) < INFINITY, select(magnitude(low) < INFINITY, total, high), high)


def cbrt(x: Node) -> Node:
    """x = 8**q m with m in [3/4, 12): from an approximate 1 / cbrt(m), one step of Halley and one of Newton."""
    a = magnitude(x)
    k, m = a.builder.op("exponent", a), a.builder.op("mantissa", a)
    q = a.builder.op("floor", k * (1 / 3) + 1e-3)
    rest = fma(q, -3.0, k)  # 0, 1 or 2
    root = polynomial(m, table.CBRT[x.dtype])  # of 1/m
    factor = select(equal(rest, 0.0), 1.0, select(equal(rest, 1.0), 2.0 ** (-1 / 3), 2.0 ** (-2 / 3), x.dtype))
    root = root * factor
    m = m * select(equal(rest, 0.0), 1.0, select(equal(rest, 1.0), 2.0, 4.0, x.dtype))
    h = fma(-(m * root), root * root, 1.0)
    root = fma(root * h, fma(h, 2 / 9, 1 / 3), root)
    y = m * root * root
    square, error = two_product(y, y)
    excess = fma(square, y, -m) + error * y
    y = fma(excess, root * root * (-1 / 3), y)
    y = scale(y, q)
    return select((a > 0.0) & (a < INFINITY), copysign(y, x), x)


def hypot(x: Node, y: Node) -> Node:
    """sqrt(x*x + y*y); infinite if one operand is, even beside nan."""
    x, y = magnitude(x), magnitude(y)
    larger, smaller = select(x < y, y, x), select(x < y, x, y)
    least, most, factor = SQUARE_RANGE[x.dtype]
    up = select(larger < least, factor, select(larger > most, 1 / factor, 1.0, x.dtype))
    down = select(larger < least, 1 / factor, select(larger > most, factor, 1.0, x.dtype))
    larger, smaller = larger * up, smaller * up
    length = sqrt(fma(larger, larger, smaller * smaller)) * down
    return select(equal(x, INFINITY) | equal(y, INFINITY), INFINITY, length)
