"""Sine, cosine and tangent: x less the nearest multiple of pi, and a polynomial for what is left."""

from __future__ import annotations

import math

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import (
    bits,
    counter,
    equal,
    flip_sign,
    fma,
    less_multiple,
    magnitude,
    nearest_multiple,
    odd_polynomial,
    select,
)
from scisim.compiler.scalar.far_reduction import FAR, far_multiple_of_pi
from scisim.compiler.scalar.ir import Node, rare

# pi in three parts, each the nearest number to what is left.
PI_PARTS = {
    "float32": (3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15),
    "float64": (3.141592653589793, 1.2246467991473532e-16, -2.9947698097183397e-33),
}


def sin(x: Node) -> Node:
    n, counted = nearest_multiple(x, 1 / math.pi)
    # With n pi next to x the first step is exact, and the second nearly so.
    r = less_multiple(x, n, PI_PARTS[x.dtype])
    usual = flip_sign(_sin_near_zero(r), bits(counted))
    return x.builder.rarely(magnitude(x) > FAR[x.dtype], usual, sin_far, x)


def cos(x: Node) -> Node:
    """sin(x + pi/2): less odd multiples of pi/2."""
    a, shift = magnitude(x), counter(x.dtype)
    counted = fma(a, 1 / math.pi, -0.5) + shift
    r = less_multiple(a, (counted - shift) + 0.5, PI_PARTS[x.dtype])
    usual = flip_sign(_sin_near_zero(-r), bits(counted))
    return x.builder.rarely(a > FAR[x.dtype], usual, cos_far, x)


def tan(x: Node) -> Node:
    n, counted = nearest_multiple(x, 2 / math.pi)
    r = less_multiple(x, n, [part / 2 for part in PI_PARTS[x.dtype]])
    usual = _tan_of_quarter(r, bits(counted))
    return x.builder.rarely(magnitude(x) > FAR[x.dtype], usual, tan_far, x)


@rare
def sin_far(x: Node) -> Node:
    odd, r = far_multiple_of_pi(x)
    y = _sin_near_zero(r)
    return flip_sign(select(x < 0.0, -y, y), odd)


@rare
def cos_far(x: Node) -> Node:
    odd, r = far_multiple_of_pi(x, quarters=1)
    return flip_sign(_sin_near_zero(r), odd)


@rare
def tan_far(x: Node) -> Node:
    odd, r = far_multiple_of_pi(x, per=2)
    return _tan_of_quarter(select(x < 0.0, -r, r), odd)


def _sin_near_zero(r: Node) -> Node:
    return odd_polynomial(r, r * r, table.SIN)


def _tan_of_quarter(r: Node, odd: Node) -> Node:
    """tan(r + n pi/2): tan r, or -1 / tan r for odd n."""
    t = odd_polynomial(r, r * r, table.TAN)
    turned = equal(odd & 1, 1)
    return select(turned, -1.0, t) / select(turned, t, 1.0)
