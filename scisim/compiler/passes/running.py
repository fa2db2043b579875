"""What only matters to derivatives leaves a program that runs: roots are their solvers, powers are products."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.autodiff._pinned import pinned_call_p
from scisim.autodiff._problems import root_p, solving
from scisim.compiler.passes.algebra import FLOATS
from scisim.compiler.passes.constants import number
from scisim.core.graph import Equation
from scisim.core.values import Traced
from scisim.ops._linalg.scaling import norm_p
from scisim.ops.arithmetic import add, div, general_power, ipow_p, mul_p, pin, power_p, square_p, stop
from scisim.ops.directions import length
from scisim.ops.weighted import weighted_p


def pinned(r: Any, eq: Equation) -> Any:
    """The value of the last operand, to which the others gave its derivative."""
    v, (out,) = eq.args[-1], eq.outs
    return r.broadcast(v, out.shape) if isinstance(v, Traced) and v.dtype == out.dtype else None


def stopped(r: Any, eq: Equation) -> Any:
    return eq.args[0]


def solver(r: Any, eq: Equation) -> Any:
    graph = solving(eq.params["problem"], eq.args)
    return tuple(r.replay(graph, dict(zip(graph.inputs, eq.args, strict=True))))


def value_alone(r: Any, eq: Equation) -> Any:
    """The graph that gives the values."""
    graph = eq.params["graph"]
    return tuple(r.replay(graph, dict(zip(graph.inputs, eq.args, strict=True))))


def weighted_sum(r: Any, eq: Equation) -> Any:
    """Products and sums, which join the loops around them."""
    dtype, total = np.zeros((), eq.outs[0].dtype).real.dtype.type, None
    for x, w in zip(eq.args, eq.params["weights"], strict=True):
        if w:
            term = r.apply(mul_p, x, dtype(w))
            total = term if total is None else r.apply(add, total, term)
    return None if total is None else r.broadcast(total, eq.outs[0].shape)


def integer_power(r: Any, eq: Equation) -> Any:
    """A power of 2 to 4 as products: within 2 rounding errors of NumPy's."""
    (x,), n = eq.args, eq.params["n"]
    return _products(r, x, n) if eq.outs[0].dtype == x.dtype else None


def power(r: Any, eq: Equation) -> Any:
    """A power by a number.  That by 0.5 stays: the root of -inf is nan, the power inf."""
    x, p = eq.args
    c = number(p)
    if c is None or type(c) is complex or not isinstance(x, Traced) or x.dtype != eq.outs[0].dtype:
        return None
    if c == -1 and x.dtype in FLOATS:
        return r.apply(div, 1.0, x)
    return _products(r, x, c) if c in (1, 2, 3, 4) else None


def _products(r: Any, x: Any, n: int) -> Any:
    if n == 1:
        return x
    if n not in (2, 3, 4) or (n > 2 and x.dtype.kind == "c"):  # products of infinite complex numbers are nan
        return None
    s = r.apply(square_p, x)
    return s if n == 2 else r.apply(mul_p, s, x) if n == 3 else r.apply(square_p, s)


TABLE = {
    pin: (pinned,),
    length: (pinned,),
    norm_p: (pinned,),
    stop: (stopped,),
    root_p: (solver,),
    pinned_call_p: (value_alone,),
    weighted_p: (weighted_sum,),
    ipow_p: (integer_power,),
    power_p: (power,),
    general_power: (power,),
}
