"""Logarithms without division: x = 2**k (1 + r) with r in [-1/4, 1/2), and a polynomial for log(1 + r)."""

from __future__ import annotations

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import fma, polynomial, scale, select
from scisim.compiler.scalar.exponential import LN2_PARTS
from scisim.compiler.scalar.ir import Node


def log(x: Node) -> Node:
    k, m = x.builder.op("exponent", x), x.builder.op("mantissa", x)
    return log_of_parts(k, m - 1.0)


def log_of_parts(k: Node, r: Node) -> Node:
    """log(2**k (1 + r))."""
    high, low = LN2_PARTS[r.dtype]
    # Infinite k come out right because both parts of log 2 are positive.
    rest = r * r * fma(polynomial(r, table.LOG[r.dtype]), r, -0.5)
    return fma(k, high, r + fma(k, low, rest))
