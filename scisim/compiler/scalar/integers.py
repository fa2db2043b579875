"""Arithmetic of integers and bools where NumPy's meaning differs from the machine's."""

from __future__ import annotations

from scisim.compiler.scalar.arithmetic import cast, equal, select
from scisim.compiler.scalar.ir import INTEGERS, Node


def signed(x: Node) -> bool:
    return x.dtype.startswith("int")


def negative(x: Node) -> Node:
    return x < 0 if signed(x) else x.builder.const(False, "bool")


def compare_bools(op: str, x: Node, y: Node) -> Node:
    """False is less than True."""
    table = {"eq": ~(x ^ y), "ne": x ^ y, "lt": ~x & y, "le": ~x | y, "gt": x & ~y, "ge": x | ~y}
    return table[op]


def _quotient(x: Node, y: Node) -> tuple[Node, Node, Node]:
    """Quotient and remainder towards zero, and whether those towards minus infinity differ."""
    quotient, rest = x.builder.op("div", x, y), x.builder.op("rem", x, y)
    if not signed(x):
        return quotient, rest, x.builder.const(False, "bool")
    return quotient, rest, x.builder.op("ne", rest, 0) & ((rest ^ y) < 0)


def floor_divide(x: Node, y: Node) -> Node:
    """The quotient rounded down; 0 for a zero divisor."""
    quotient, _, lower = _quotient(x, y)
    return select(lower, quotient - 1, quotient)


def remainder(x: Node, y: Node) -> Node:
    """What is left, with the sign of the divisor; 0 for a zero divisor."""
    _, rest, lower = _quotient(x, y)
    return select(lower, rest + y, rest)


def left_shift(x: Node, count: Node) -> Node:
    """Shifts by the width or more leave nothing, nor do negative ones."""
    inside = _unsigned(count) < INTEGERS[x.dtype]
    return select(inside, x.builder.op("shl", x, select(inside, count, 0)), 0)


def right_shift(x: Node, count: Node) -> Node:
    """Shifts by the width or more, and negative ones, leave the sign: nothing of an unsigned number."""
    last = INTEGERS[x.dtype] - 1
    inside = _unsigned(count) <= last
    shifted = x.builder.op("ashr" if signed(x) else "lshr", x, select(inside, count, last))
    return shifted if signed(x) else select(inside, shifted, 0)


def _unsigned(x: Node) -> Node:
    return cast(x, x.dtype.removeprefix("u").replace("int", "uint"))


def pow(x: Node, n: Node) -> Node:
    """By squaring; where n is negative, 0 unless x is 1 or -1."""
    result, square = x.builder.const(1, x.dtype), x
    for bit in range(min(INTEGERS[n.dtype], 64) - signed(n)):
        factor = select(equal(n & (1 << bit), 0), 1, square)
        result, square = result * factor, square * square
    if not signed(n):
        return result
    unit = select(equal(x, 1), 1, select(equal(x, -1), select(equal(n & 1, 0), 1, -1, x.dtype), 0))
    return select(n < 0, unit, result)
