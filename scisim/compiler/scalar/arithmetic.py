"""Words for writing formulas over nodes: operations by name, polynomials, rounding, sums and products with errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scisim.compiler.scalar.ir import FLOATS, Node

MANTISSA, BIAS = {"float32": 23, "float64": 52}, {"float32": 127, "float64": 1023}
LARGEST = {"float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}
Table = Mapping[str, Any]


def fma(a: Node, b: Any, c: Any) -> Node:
    """a * b + c, rounded once."""
    return a.builder.op("fma", a, b, c)


def sqrt(x: Node) -> Node:
    return x.builder.op("sqrt", x)


def magnitude(x: Node) -> Node:
    """The absolute value."""
    return x.builder.op("abs", x)


def copysign(x: Node, sign: Node) -> Node:
    return x.builder.op("copysign", x, sign)


def scale(x: Node, n: Any) -> Node:
    """x * 2**n for an integer n given as a float."""
    return x.builder.op("scale", x, n)


def power_of_two(n: Node) -> Node:
    """2**n for an integer n given as a float, a normal number."""
    return power_of_two_counted(n + counter(n.dtype))


def equal(a: Node, b: Any) -> Node:
    return a.builder.op("eq", a, b)


def is_zero(x: Node) -> bool:
    """Whether a node is the constant 0."""
    return x.op == "const" and x.attr == 0


def is_nan(x: Node) -> Node:
    return x.builder.op("ne", x, x)


def select(condition: Node, a: Any, b: Any, dtype: str | None = None) -> Node:
    """a where the condition holds, else b; one of them may be a number, or both with a dtype."""
    return condition.builder.op("select", condition, a, b, dtype=dtype)


def at_most(x: Node, bound: Any) -> Node:
    """The smaller of both; nan stays nan."""
    return select(x.builder.op("gt", x, bound), bound, x)


def at_least(x: Node, bound: Any) -> Node:
    """The larger of both; nan stays nan."""
    return select(x < bound, bound, x)


def bits(x: Node) -> Node:
    """The bits of a float as a signed integer."""
    return x.builder.op("bitcast", x, dtype=f"int{FLOATS[x.dtype]}")


def from_bits(n: Node) -> Node:
    """The float of the bits."""
    return n.builder.op("bitcast", n, dtype=n.dtype.replace("int", "float"))


def cast(x: Node, dtype: str) -> Node:
    return x.builder.op("cast", x, dtype=dtype)


def flip_sign(x: Node, odd: Node) -> Node:
    """-x where the lowest bit of an integer is 1."""
    return from_bits(bits(x) ^ (odd << (FLOATS[x.dtype] - 1)))


def times_sign(y: Node, x: Node) -> Node:
    """-y where x is negative or -0."""
    return from_bits(bits(y) ^ (bits(x) & (-1 << (FLOATS[x.dtype] - 1))))


def polynomial(x: Node, coefficients: Sequence[float]) -> Node:
    """By Horner's scheme, the constant term first; long ones as two chains, of even and of odd powers."""
    if len(coefficients) < 16:
        return _horner(x, coefficients)
    z = x * x
    return fma(_horner(z, coefficients[1::2]), x, _horner(z, coefficients[::2]))


def _horner(x: Node, coefficients: Sequence[float]) -> Node:
    total: Any = x.builder.lift(coefficients[-1], x.dtype)
    for c in coefficients[-2::-1]:
        total = fma(total, x, c)
    return total


def odd_polynomial(r: Node, z: Node, table: Table) -> Node:
    """r + r * z * (polynomial in z), z = r*r; of a zero with its sign."""
    # Adding a positive zero makes the factor's zero positive, which leaves that of r alone.
    return fma(fma(_horner(z, table[r.dtype]), z, 0.0), r, r)


def counter(dtype: str) -> float:
    """A number whose unit in the last place is 1, with room on both sides: adding it rounds to an integer."""
    return 1.5 * 2.0 ** MANTISSA[dtype]


def nearest_multiple(x: Node, per: float) -> tuple[Node, Node]:
    """The integer next to x * per, as a float and as the last bits of a float's mantissa."""
    shift = counter(x.dtype)
    counted = fma(x, per, shift)
    return counted - shift, counted


def power_of_two_counted(counted: Node) -> Node:
    """2**n, n in the last bits of a float's mantissa as `nearest_multiple` leaves it."""
    mantissa, bias = MANTISSA[counted.dtype], BIAS[counted.dtype]
    return from_bits((bits(counted) << mantissa) + (bias << mantissa))


def less_multiple(x: Node, n: Node, parts: Sequence[float]) -> Node:
    """x - n * (sum of parts), one after the other: exact as long as the first parts cancel x."""
    for part in parts:
        x = fma(n, -part, x)
    return x


def two_sum(a: Node, b: Node) -> tuple[Node, Node]:
    """a + b and its error (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def fast_two_sum(a: Node, b: Node) -> tuple[Node, Node]:
    """a + b and its error, for abs(a) >= abs(b) (Dekker)."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Node, b: Node) -> tuple[Node, Node]:
    """a * b and its error."""
    p = a * b
    return p, fma(a, b, -p)
