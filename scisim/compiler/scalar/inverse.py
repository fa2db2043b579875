"""Inverse trigonometric functions."""

from __future__ import annotations

import math

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import (
    bits,
    copysign,
    equal,
    fast_two_sum,
    magnitude,
    odd_polynomial,
    polynomial,
    select,
    sqrt,
)
from scisim.compiler.scalar.ir import Node

# pi/2 in two parts
HALF_PI = {
    "float32": (1.5707963705062866, -4.371139000186241e-08),
    "float64": (1.5707963267948966, 6.123233995736766e-17),
}


def atan(x: Node) -> Node:
    """pi/2 - atan(1 / x) beyond 1."""
    a = magnitude(x)
    turned = x.builder.op("gt", a, 1.0)
    angle = _atan_below_one(select(turned, 1.0, a) / select(turned, a, 1.0))
    high, low = HALF_PI[x.dtype]
    return copysign(select(turned, high - (angle - low), angle), x)


def atan2(y: Node, x: Node) -> Node:
    """The angle of the point (x, y): that below pi/4, mirrored to its octant."""
    a, b = magnitude(x), magnitude(y)
    turned = a < b
    larger, smaller = select(turned, b, a), select(turned, a, b)
    diagonal = select(equal(larger, 0.0), 0.0, math.pi / 4, x.dtype)  # that of infinite numbers too
    angle = select(equal(larger, smaller), diagonal, _atan_below_one(smaller / larger))
    left = bits(x) < 0
    angle = select(turned ^ left, -angle, angle)
    high, low = HALF_PI[x.dtype]
    quarters = select(turned, 1.0, select(left, 2.0, 0.0, x.dtype))
    return copysign((angle + quarters * low) + quarters * high, y)


def _atan_below_one(t: Node) -> Node:
    return odd_polynomial(t, t * t, table.ATAN)


def asin(x: Node) -> Node:
    """pi/2 - 2 asin(sqrt((1 - x) / 2)) beyond 1/2."""
    s, beyond, far = _asin_part(magnitude(x))
    high, low = HALF_PI[x.dtype]
    turned, error = fast_two_sum(s.builder.const(high, x.dtype), s * -2.0)
    turned = turned - (beyond + beyond - (error + low))
    return copysign(select(far, turned, s + beyond), x)


def acos(x: Node) -> Node:
    """pi/2 - asin(x); beyond 1/2 twice asin(sqrt((1 - x) / 2)), on the left that from pi."""
    s, beyond, far = _asin_part(magnitude(x))
    high, low = HALF_PI[x.dtype]
    angle = s + beyond
    near = high - (copysign(angle, x) - low)
    twice = angle + angle
    return select(far, select(x < 0.0, 2.0 * high - (twice - 2.0 * low), twice), near)


def _asin_part(a: Node) -> tuple[Node, Node, Node]:
    """s = a, or sqrt((1 - a) / 2) where a is beyond 1/2; asin(s) - s; and where a is beyond 1/2."""
    far = a.builder.op("gt", a, 0.5)
    half = 0.5 - 0.5 * a
    z = select(far, half, a * a)
    s = select(far, sqrt(half), a)
    return s, polynomial(z, table.ASIN[a.dtype]) * z * s, far
