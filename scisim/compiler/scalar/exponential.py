"""Exponential functions: x = n log 2 + r with a small r, and a polynomial for exp(r)."""

from __future__ import annotations

from scisim.compiler.scalar import coefficients as table
from scisim.compiler.scalar.arithmetic import (
    at_least,
    at_most,
    copysign,
    fma,
    nearest_multiple,
    polynomial,
    power_of_two_counted,
    scale,
)
from scisim.compiler.scalar.ir import Node

# log 2 in two parts: n times the first is exact for every n that occurs.
LN2_PARTS = {
    "float32": (0.693145751953125, 1.428606765330187e-06),
    "float64": (0.6931471805598903, 5.497923018708371e-14),
}
LOG2_E = 1.4426950408889634
# Beyond these arguments the result is 0 or infinite, and n stays small.
EXP_RANGE = {"float32": (-104.0, 89.0), "float64": (-746.0, 710.0)}
EXP2_RANGE = {"float32": (-151.0, 129.0), "float64": (-1076.0, 1025.0)}
EXPM1_LEAST = {"float32": -18.0, "float64": -38.0}  # from here down it is -1


def exp(x: Node) -> Node:
    low, high = EXP_RANGE[x.dtype]
    x = at_most(at_least(x, low), high)
    n, r, _, _ = reduced(x)
    return scale(polynomial(r, (1.0, 1.0, *table.EXP[x.dtype])), n)


def exp2(x: Node) -> Node:
    low, high = EXP2_RANGE[x.dtype]
    x = at_most(at_least(x, low), high)
    n, _ = nearest_multiple(x, 1.0)
    r = x - n
    return scale(fma(polynomial(r, (0.6931471805599453, *table.EXP2[x.dtype])), r, 1.0), n)


def expm1(x: Node) -> Node:
    """2 * ((1 + p) * 2**(n-1) - 1/2): the half keeps the power finite."""
    x = at_most(at_least(x, EXPM1_LEAST[x.dtype]), EXP_RANGE[x.dtype][1])
    p, counted = exp_less_one(x)
    half = power_of_two_counted(counted - 1.0)
    y = fma(p, half, half - 0.5)
    return copysign(y + y, x)


def exp_of_sum(x: Node, rest: Node) -> Node:
    """exp(x + rest) for a small rest and -745 < x < 0, more exactly than `exp`."""
    n, r, error, _ = reduced(x)
    beyond, r2 = polynomial(r, table.EXPM1[x.dtype]), r * r
    error = error + fma(rest, fma(beyond, r2, r), rest)
    return scale((r + fma(beyond, r2, error)) + 1.0, n)


def reduced(x: Node) -> tuple[Node, Node, Node, Node]:
    """n, r and the rounding error of r with x = n log 2 + r + error; n also as counted bits."""
    high, low = LN2_PARTS[x.dtype]
    n, counted = nearest_multiple(x, LOG2_E)
    exact = fma(n, -high, x)
    r = fma(n, -low, exact)
    return n, r, fma(n, -low, exact - r), counted


def exp_less_one(x: Node) -> tuple[Node, Node]:
    """p and counted n with exp(x) = (1 + p) * 2**n; p is relatively exact."""
    _, r, error, counted = reduced(x)
    return r + fma(polynomial(r, table.EXPM1[x.dtype]), r * r, error), counted
