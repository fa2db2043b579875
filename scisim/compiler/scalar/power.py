"""Powers and roots."""

from __future__ import annotations

from scisim.compiler.scalar.arithmetic import at_most, equal, fma, is_nan, magnitude, select, sqrt
from scisim.compiler.scalar.ir import Node

# Squares of numbers outside overflow or lose digits; by this factor they are brought inside.
SQUARE_RANGE = {"float32": (2.0**-50, 2.0**60, 2.0**70), "float64": (2.0**-450, 2.0**500, 2.0**600)}


def hypot(x: Node, y: Node) -> Node:
    """sqrt(x*x + y*y); infinite if one operand is, even beside nan."""
    x, y = magnitude(x), magnitude(y)
    larger, smaller = select(x < y, y, x), select(x < y, x, y)
    least, most, factor = SQUARE_RANGE[x.dtype]
    up = select(larger < least, factor, select(larger > most, 1 / factor, 1.0, x.dtype))
    down = select(larger < least, 1 / factor, select(larger > most, factor, 1.0, x.dtype))
    larger, smaller = larger * up, smaller * up
    y2 = sqrt(fma(larger, larger, smaller * smaller)) * down
    infinite = equal(x, float("inf")) | equal(y, float("inf"))
    return select(infinite, float("inf"), y2)


def integer_power(x, n: int):
    """x to the power of a Python integer, by squaring."""
    if n < 0:
        return 1.0 / integer_power(x, -n)
    result = None
    while n:
        if n & 1:
            result = x if result is None else result * x
        n >>= 1
        x = x * x if n else x
    return result
