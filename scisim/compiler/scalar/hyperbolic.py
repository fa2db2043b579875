"""Hyperbolic functions, with relative accuracy near zero."""

from __future__ import annotations

from scisim.compiler.scalar.arithmetic import at_most, copysign, fma, magnitude, power_of_two_counted
from scisim.compiler.scalar.exponential import exp_less_one
from scisim.compiler.scalar.ir import Node

TANH_ONE = {"float32": 9.1, "float64": 19.1}  # from here on tanh is 1


def tanh(x: Node) -> Node:
    """e / (e + 2) of e = exp(2x) - 1."""
    a = at_most(magnitude(x), TANH_ONE[x.dtype])
    p, counted = exp_less_one(a + a)
    power = power_of_two_counted(counted)
    e = fma(p, power, power - 1.0)
    return copysign(e / (e + 2.0), x)
