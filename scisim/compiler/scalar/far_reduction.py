"""Large numbers less multiples of pi, by integer arithmetic on the digits of 1/pi (Payne and Hanek).

x = m * 2**e with an integer m.  In m * 2**e / pi the binary digits of 1/pi before place e give multiples of 2 m, which
change neither sine nor cosine; those after the next few words are below the rounding error.  The words between times m
are x / pi modulo 2, in fixed point.  It is slow, and exact enough for the numbers closest to multiples of pi.
"""

from __future__ import annotations

from itertools import pairwise

from scisim.compiler.scalar.arithmetic import BIAS, MANTISSA, bits, cast, fma, magnitude, select, two_sum
from scisim.compiler.scalar.ir import FLOATS, Node

FAR = {"float32": 2.0**18, "float64": 2.0**46}  # from here on the plain reduction is wrong
# Words of 32 bits that are multiplied by m: twice the bits of m, and those that a number next to a multiple loses.
WINDOW = {"float32": 3, "float64": 6}
LOW = 2**32 - 1
PI, PI_LOW = 3.141592653589793, 1.2246467991473532e-16
# The first 1216 binary digits of 1/pi.
INVERSE_PI = int(
    "517cc1b727220a94fe13abe8fa9a6ee06db14acc9e21c820ff28b1d5ef5de2b0db92371d2126e9700324977504e8c90e"
    "7f0ef58e5894d39f74411afa975da24274ce38135a2fbf209cc8eb1cc1a99cfa4e422fc5defc941d8ffc4bffef02cc07"
    "f79788c5ad05368fb69b3f6793e584dba7a31fb34f2ff516ba93dd63f5f2f8bd9e839cfbc529497535fdafd88fc6ae84"
    "2b0198237e3db5d5",
    16,
)


def far_multiple_of_pi(x: Node, quarters: int = 0, per: int = 1) -> tuple[Node, Node, Node]:
    """Whether n is odd, r and the error of r with abs(x) * per / pi + quarters / 2 = n + (r + error) * per / pi.

    n is the nearest integer, odd where the lowest bit of the first result is 1; ``per`` is 1 or 2.
    """
    words = _times_inverse_pi(x, per)
    # Half a unit more makes rounding down the rounding to nearest; the top bit has weight 1.
    top = (words[0] + ((1 + quarters) << 30)) & LOW
    odd = _shifted_right(top, 31)
    parts = [(top & (LOW >> 1)) - 2**30, *words[1:]]
    high = low = x.builder.const(0.0, "float64")
    for k, part in enumerate(parts):
        high, error = two_sum(high, cast(part, "float64") * 2.0 ** (-31 - 32 * k))
        low = low + error
    rest = fma(high, PI_LOW, low * PI)
    r = fma(high, PI, rest)
    error = fma(high, PI, -r) + rest
    near = cast(r, x.dtype)
    error = cast((r - cast(near, "float64")) + error, x.dtype)
    near = select(magnitude(x) < float("inf"), near, float("nan"))
    return cast(odd, f"int{FLOATS[x.dtype]}"), near * (1 / per), error * (1 / per)


def _times_inverse_pi(x: Node, per: int) -> list[Node]:
    """abs(x) * per / pi modulo 2 in fixed point: words from the top one down."""
    mantissa = MANTISSA[x.dtype]
    pattern = cast(bits(magnitude(x)), "int64")
    m = (pattern & (1 << mantissa) - 1) | (1 << mantissa)
    # The window starts at digit e, e >= -31 (digit 1 is the first one).
    place = _shifted_right(pattern, mantissa) - (BIAS[x.dtype] + mantissa) + (31 + per - 1)
    window = _digits(place, WINDOW[x.dtype], 32 if x.dtype == "float64" else 8)
    return _product(window, m & LOW, _shifted_right(m, 32))


def _digits(place: Node, count: int, words: int) -> list[Node]:
    """``count`` words of the digits of 1/pi, from a place below 32 * ``words`` on; 32 zeros come before the digits."""
    table = (0, *(INVERSE_PI >> (1216 - 32 * k) & LOW for k in range(1, words + count)))
    first = _shifted_right(place, 5) & (words - 1)  # inside the table whatever the number
    found = [place.builder.lookup(first + k, table) for k in range(count + 1)]
    shift, op = place & 31, place.builder.op
    return [(op("shl", a, shift) | op("lshr", b, 32 - shift)) & LOW for a, b in pairwise(found)]


def _product(window: list[Node], low: Node, high: Node) -> list[Node]:
    """Words of (high * 2**32 + low) * window, modulo the top word; from the top one down."""
    result: list[Node] = []
    carry = before = low.builder.const(0, "int64")
    for word in reversed(window):
        products = word * low, before * high
        total = carry + (products[0] & LOW) + (products[1] & LOW)
        result.append(total & LOW)
        carry = _shifted_right(total, 32) + _shifted_right(products[0], 32) + _shifted_right(products[1], 32)
        before = word
    return result[::-1]


def _shifted_right(n: Node, count: int) -> Node:
    return n.builder.op("lshr", n, count)
