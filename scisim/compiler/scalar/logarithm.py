"""Logarithms without division: x = 2**k (1 + r) with r in [-1/4, 1/2), and a polynomial for log(1 + r)."""

from __future__ import annotations

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import at_most, bits, copysign, fma, from_bits, polynomial, select
from scisim.compiler.scalar.exponential import LN2_PARTS
from scisim.compiler.scalar.ir import FLOATS, Node

# Constants in two parts, the first rounded down: positive parts leave infinite k as they are.
LOG2_E_PARTS = {
    "float32": (1.4426950216293335, 1.925963033500011e-08),
    "float64": (1.4426950408889634, 2.0355273740931033e-17),
}
LOG10_E_PARTS = {
    "float32": (0.4342944622039795, 1.9699271547324315e-08),
    "float64": (0.4342944819032518, 1.098319650216765e-17),
}
LOG10_2_PARTS = {
    "float32": (0.301025390625, 4.605039066518657e-06),
    "float64": (0.30102999566395283, 2.8363394551044964e-14),
}


def log(x: Node) -> Node:
    k, r = parts(x)
    return _log_of_parts(k, r)


def log2(x: Node) -> Node:
    k, r = parts(x)
    high, low = LOG2_E_PARTS[x.dtype]
    return k + fma(r, high, fma(_beyond_first(r), high, r * low))


def log10(x: Node) -> Node:
    k, r = parts(x)
    high, low = LOG10_E_PARTS[x.dtype]
    k_high, k_low = LOG10_2_PARTS[x.dtype]
    small = fma(_beyond_first(r), high, fma(k, k_low, r * low))
    return fma(k, k_high, fma(r, high, small))


def log1p(x: Node, rest: Node | None = None) -> Node:
    """log(1 + x + rest): that of u = 1 + x, with the rounding error of u and a small rest added to r."""
    u = x + 1.0
    error = x - (u - 1.0)
    error = error if rest is None else error + rest
    k, m = x.builder.op("exponent", u), x.builder.op("mantissa", u)
    # 2**-k, from the bits that u and its mantissa do not share; where u is large the error is zero.
    ratio = from_bits(bits(m) - bits(at_most(u, 2.0**100)) + _bits_of_one(x.dtype))
    y = _log_of_parts(k, fma(error, ratio, m - 1.0))
    return select(x < float("inf"), copysign(y, x), x)


def parts(x: Node) -> tuple[Node, Node]:
    """k and r with x = 2**k (1 + r)."""
    return x.builder.op("exponent", x), x.builder.op("mantissa", x) - 1.0


def _log_of_parts(k: Node, r: Node) -> Node:
    """log(2**k (1 + r))."""
    high, low = LN2_PARTS[r.dtype]
    return fma(k, high, r + fma(k, low, _beyond_first(r)))


def _beyond_first(r: Node) -> Node:
    """log(1 + r) - r."""
    return r * r * fma(polynomial(r, table.LOG[r.dtype]), r, -0.5)


def _bits_of_one(dtype: str) -> int:
    return 127 << 23 if FLOATS[dtype] == 32 else 1023 << 52
