"""Hyperbolic functions and their inverses, with relative accuracy near zero."""

from __future__ import annotations

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import (
    at_least,
    at_most,
    copysign,
    fast_two_sum,
    fma,
    magnitude,
    polynomial,
    power_of_two,
    power_of_two_counted,
    select,
    sqrt,
)
from scisim.compiler.scalar.exponential import exp_less_one, reduced
from scisim.compiler.scalar.ir import Node
from scisim.compiler.scalar.logarithm import log1p

TANH_ONE = {"float32": 9.1, "float64": 19.1}  # from here on tanh is 1
OVERFLOW = {"float32": 89.5, "float64": 710.6}  # from here on sinh and cosh are infinite
BIG = {"float32": 2.0**25, "float64": 2.0**54}  # from here on 1 is nothing beside it
LN2 = 0.6931471805599453


def tanh(x: Node) -> Node:
    """(1 - w) / (1 + w) of w = exp(-2 abs(x)), with 1 - w relatively exact."""
    a = at_most(magnitude(x), TANH_ONE[x.dtype])
    p, counted = exp_less_one(a * -2.0)
    power = power_of_two_counted(counted)
    denominator = fma(p, power, power + 1.0)
    return copysign(fma(p, power, power - 1.0) / denominator, x)


def sinh(x: Node) -> Node:
    r, z, s, c = _quarters(x)
    # The sum of the large terms with its rounding error, then the small ones.
    large = fma(c, r, s)
    odd = polynomial(z, table.SINH[x.dtype]) * z * r
    small = fma(c, odd, fma(s * z, polynomial(z, table.COSH[x.dtype]), fma(c, r, s - large)))
    y = large + small
    return copysign(y + y, x)


def cosh(x: Node) -> Node:
    r, z, s, c = _quarters(x)
    odd = fma(polynomial(z, table.SINH[x.dtype]) * z, r, r)
    y = c + fma(c * z, polynomial(z, table.COSH[x.dtype]), s * odd)
    return y + y


def _quarters(x: Node) -> tuple[Node, Node, Node, Node]:
    """r, r*r, sinh(n log 2) / 2 and cosh(n log 2) / 2, with abs(x) = n log 2 + r: halves, which do not overflow.

    sinh(a + r) = sinh(a) cosh(r) + cosh(a) sinh(r), and likewise for cosh.
    """
    n, r, _, counted = reduced(at_most(magnitude(x), OVERFLOW[x.dtype]))
    up = power_of_two_counted(counted - 2.0)
    down = power_of_two(-2.0 - at_most(n, 100.0))  # less than the rounding error from there on
    return r, r * r, up - down, up + down


def asinh(x: Node) -> Node:
    """log(a + sqrt(a*a + 1)), as log1p(a + a*a / (1 + sqrt(a*a + 1)))."""
    a = magnitude(x)
    big = a > BIG[x.dtype]
    b = select(big, 1.0, a)
    b2 = b * b
    u = b + b2 / (sqrt(b2 + 1.0) + 1.0)
    y = log1p(select(big, a, u))
    return copysign(select(big, y + LN2, y), x)


def acosh(x: Node) -> Node:
    """log(x + sqrt(x*x - 1)), as log1p(t + sqrt(t*t + 2t)) of t = x - 1."""
    big = x > BIG[x.dtype]
    t = select(big, 1.0, x - 1.0)
    q = fma(t, t, t + t)
    root = sqrt(q)
    u, rest = fast_two_sum(root, t)
    root_error = (fma(-root, root, q) + fma(t, t, (t + t) - q)) * 0.5 / at_least(root, 1e-30)
    rest = rest + root_error
    y = log1p(select(big, x, u), select(big, 0.0, rest))
    return select(x >= 1.0, select(big, y + LN2, y), float("nan"))


def atanh(x: Node) -> Node:
    """log((1 + a) / (1 - a)) / 2, as log1p(u) / 2 of u = 2a / (1 - a)."""
    a = magnitude(x)
    below = 1.0 - a
    u = (a + a) / below
    error = (1.0 - below) - a
    rest = fma(-u, error, fma(-u, below, a + a)) * fma(u, 0.5, 1.0)  # the last bracket is 1 / (1 - a)
    return copysign(log1p(u, rest) * 0.5, x)
