"""The error function, its complement, and the logistic function."""

from __future__ import annotations

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import at_most, copysign, fma, magnitude, polynomial, select
from scisim.compiler.scalar.exponential import exp
from scisim.compiler.scalar.ir import Node

ERFC_ZERO = {"float32": 10.1, "float64": 27.3}  # from here on erfc is 0


def erf(x: Node) -> Node:
    """A polynomial up to 1, 1 - erfc beyond."""
    a = magnitude(x)
    return copysign(select(x.builder.op("gt", a, 1.0), 1.0 - _upper_tail(a), _near(a)), x)


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
    e = exp(-square)
    e = fma(e, -fma(a, a, -square), e)
    return polynomial(t, table.ERFCX[a.dtype]) * (inverse * 4.0) * e


def sigmoid(x: Node) -> Node:
    """1 / (1 + exp(-x)), by exp(-abs(x)), which cannot overflow."""
    e = exp(-magnitude(x))
    return select(x < 0.0, e, 1.0) / (e + 1.0)
