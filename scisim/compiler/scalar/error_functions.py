"""The error function, its complement, and the logistic function."""

from __future__ import annotations

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import at_most, copysign, fast_two_sum, fma, magnitude, polynomial, select
from scisim.compiler.scalar.exponential import EXP_RANGE, exp, exp_of_sum
from scisim.compiler.scalar.ir import Node

ERF_ONE = {"float32": 4.0, "float64": 6.0}  # from here on erf is 1
ERFC_ZERO = {"float32": 10.1, "float64": 27.3}  # from here on erfc is 0


def erf(x: Node) -> Node:
    """A polynomial up to 1, 1 - exp(a polynomial) beyond, where that need not be exact."""
    a = at_most(magnitude(x), ERF_ONE[x.dtype])
    tail = exp(polynomial(a - 1.0, table.LOG_ERFC[x.dtype]))
    return copysign(select(x.builder.op("gt", a, 1.0), 1.0 - tail, _near(a)), x)


def erfc(x: Node) -> Node:
    """1 - erf up to 1/2, a scaled function of slow variation beyond."""
    a = magnitude(x)
    tail = select(a < 0.5, 1.0 - _near(a), _upper_tail(a))
    return select(x < 0.0, 2.0 - tail, tail)


def _near(a: Node) -> Node:
    """erf of 0 <= a <= 1."""
    z = at_most(a * a, 1.0)
    return fma(polynomial(z, table.ERF[a.dtype]), a, a)


def _upper_tail(a: Node) -> Node:
    """erfc of a >= 0: exp(-a*a) * 4 / (a + 4) times a polynomial in t = (a - 4) / (a + 4)."""
    a = at_most(a, ERFC_ZERO[a.dtype])
    inverse = 1.0 / (a + 4.0)
    t = (a - 4.0) * inverse
    t = fma(inverse, fma(-t, a, fma(t + 1.0, -4.0, a)), t)  # the rest of the division
    square = a * a
    e = exp_of_sum(-square, fma(-a, a, square))
    return polynomial(t, table.ERFCX[a.dtype]) * (inverse * 4.0) * e


def sigmoid(x: Node) -> Node:
    """1 / (1 + exp(-x)), by exp(-abs(x)), which cannot overflow."""
    a = at_most(magnitude(x), -EXP_RANGE[x.dtype][0])
    e = exp_of_sum(-a, x.builder.const(0.0, x.dtype))
    below, error = fast_two_sum(x.builder.const(1.0, x.dtype), e)
    y = select(x < 0.0, e, 1.0) / below
    return fma(-y, error * fma(e, -0.5, 1.0), y)  # the last bracket is near 1 / below
