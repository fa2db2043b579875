"""Signs, remainders and quotients of floats."""

from __future__ import annotations

from scisim.compiler.scalar.arithmetic import cast, copysign, equal, fma, is_nan, magnitude, select
from scisim.compiler.scalar.ir import FLOATS, Node, rare

# So far the quotient's integer part is exact.
QUOTIENT = {"float32": 2.0**23, "float64": 2.0**52}
INFINITY = float("inf")


def sign(x: Node) -> Node:
    """-1, 0 or 1; nan of nan."""
    if x.dtype in FLOATS:
        unit = select(x > 0.0, 1.0, select(x < 0.0, -1.0, 0.0, x.dtype))
        return select(is_nan(x), x, unit)
    positive = cast(x.builder.op("ne", x, 0), x.dtype)
    return select(x < 0, -1, positive) if x.dtype.startswith("int") else positive


def truncated_remainder(x: Node, y: Node) -> Node:
    """x less the multiple of y next to it towards zero, exactly: C's fmod."""
    a, b = magnitude(x), magnitude(y)
    quotient = x.builder.op("trunc", a / b)
    # The quotient may have been rounded up to the next integer; the remainder is exact all the same.
    rest = fma(quotient, -b, a)
    rest = select(rest < 0.0, rest + b, rest)
    far = (quotient >= QUOTIENT[x.dtype]) & (a < INFINITY) & (b > 0.0)
    rest = x.builder.rarely(far, rest, far_remainder, a, b)
    rest = select(a < b, a, rest)  # an infinite divisor too
    return copysign(rest, x)


@rare
def far_remainder(a: Node, b: Node) -> Node:
    """The remainder of positive numbers of very different size, by long division."""
    mantissa, largest = (23, 254) if a.dtype == "float32" else (52, 2046)
    divisors = [b]  # up to infinity, all exact
    for _ in range((largest + mantissa) // mantissa):
        divisors.append(divisors[-1] * 2.0**mantissa)
    for divisor in divisors[::-1]:
        rest = fma(a.builder.op("trunc", a / divisor), -divisor, a)
        rest = select(rest < 0.0, rest + divisor, rest)
        a = select(divisor < INFINITY, rest, a)
    return a


def remainder(x: Node, y: Node) -> Node:
    """With the sign of the divisor, also where it is zero."""
    rest = truncated_remainder(x, y)
    differs = ((rest < 0.0) ^ (y < 0.0)) & x.builder.op("ne", rest, 0.0)
    return select(equal(rest, 0.0), copysign(rest, y), select(differs, rest + y, rest))


def floor_divide(x: Node, y: Node) -> Node:
    """The quotient rounded down, consistent with the remainder; x / y for a zero divisor."""
    rest = truncated_remainder(x, y)
    quotient = (x - rest) / y
    differs = ((rest < 0.0) ^ (y < 0.0)) & x.builder.op("ne", rest, 0.0)
    quotient = select(differs, quotient - 1.0, quotient)
    whole = x.builder.op("floor", quotient)
    whole = select(quotient - whole > 0.5, whole + 1.0, whole)
    whole = select(equal(quotient, 0.0), copysign(whole, x / y), whole)
    return select(equal(y, 0.0), x / y, whole)
