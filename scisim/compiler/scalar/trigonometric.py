"""Sine, cosine and tangent: x less the nearest multiple of pi, and a polynomial for what is left."""

from __future__ import annotations

import math

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import (
    at_least,
    at_most,
    bits,
    counter,
    equal,
    fast_two_sum,
    flip_sign,
    fma,
    less_multiple,
    magnitude,
    nearest_multiple,
    odd_polynomial,
    polynomial,
    select,
    times_sign,
    two_product,
)
from scisim.compiler.scalar.far_reduction import FAR, far_multiple_of_pi
from scisim.compiler.scalar.ir import Node, rare

# pi in three parts, each what is left rounded down: positive, so that a zero keeps its sign.
PI_PARTS = {
    "float32": (3.141592502593994, 1.5099578831723193e-07, 1.078060505991553e-14),
    "float64": (3.141592653589793, 1.224646799147353e-16, 2.1657133478438278e-32),
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
    a = magnitude(x)
    n, counted = nearest_multiple(a, 2 / math.pi)
    first, second, third = (part / 2 for part in PI_PARTS[x.dtype])
    exact = fma(n, -first, a)
    part, part_error = two_product(n, n.builder.const(second, n.dtype))
    r = exact - part
    error = fma(n, -third, ((exact - r) - part) - part_error)
    usual = _tan_of_quarter(r, error, bits(counted))
    return times_sign(x.builder.rarely(a > FAR[x.dtype], usual, tan_far, a), x)


def sinc(x: Node) -> Node:
    """sin(pi x) / (pi x)."""
    angle = x * math.pi
    return select(equal(x, 0.0), 1.0, sin(angle) / angle)


@rare
def sin_far(x: Node) -> Node:
    odd, r, _ = far_multiple_of_pi(x)
    y = _sin_near_zero(r)
    return flip_sign(select(x < 0.0, -y, y), odd)


@rare
def cos_far(x: Node) -> Node:
    odd, r, _ = far_multiple_of_pi(x, quarters=1)
    return flip_sign(_sin_near_zero(r), odd)


@rare
def tan_far(a: Node) -> Node:
    odd, r, error = far_multiple_of_pi(a, per=2)
    return _tan_of_quarter(r, error, odd)


def _sin_near_zero(r: Node) -> Node:
    """Kept from passing 1 by a rounding error."""
    return at_least(at_most(odd_polynomial(r, r * r, table.SIN), 1.0), -1.0)


def _tan_of_quarter(r: Node, error: Node, odd: Node) -> Node:
    """tan(r + error + n pi/2): tan r, or -1 / tan r for odd n."""
    z = r * r
    beyond = fma(polynomial(z, table.TAN[r.dtype]) * z, r, fma(error, z, error))
    t, rest = fast_two_sum(r, beyond)
    inverse = -1.0 / t
    inverse = fma(inverse * inverse, rest, inverse)
    return select(equal(odd & 1, 1), inverse, t)
