"""Identities of arithmetic that keep every bit.

`x * 0` is not 0 and `x + 0.0` is not x (for x = -0.0).  Factors of plus or minus a power of two are exact: they move
out of products and quotients, where they meet and merge, and signs end in sums.  Moved or merged, the result differs
from the written one only where that leaves the range of normal numbers on the way; signs of zero stay, but where an
exact zero has won.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from scisim.compiler.passes.constants import number
from scisim.core.graph import Equation, Var
from scisim.core.values import Traced
from scisim.ops.arithmetic import abs_p, add, div, mul_p, neg, square_p, sub, zmul
from scisim.ops.shape import reshape_p

FLOATS = {np.dtype(c) for c in "efd"}
_LIMITS = {dt: (float(np.finfo(dt).tiny), float(np.finfo(dt).max)) for dt in FLOATS}
FAR = 2.0**8  # factors up to this one move: an intermediate result hardly leaves the range of the dtype by it


def is_power_of_two(c: Any) -> bool:
    return math.isfinite(c) and abs(math.frexp(c)[0]) == 0.5


def _moves(s: float) -> bool:
    return 1.0 / FAR <= abs(s) <= FAR


def _fits(c: float, dtype: Any) -> bool:
    """Whether a number is a normal one of a dtype."""
    tiny, largest = _LIMITS[dtype]
    return tiny <= abs(c) <= largest


# --- factors -----------------------------------------------------------------------------------------------------
def factor(r: Any, v: Any) -> tuple[Any, float] | None:
    """A real value as another one times a number, None for others."""
    eq = r.made_by(v, mul_p)
    if eq is None or v.dtype not in FLOATS or not isinstance(eq.args[0], Traced) or eq.args[0].dtype != v.dtype:
        return None
    c = number(eq.args[1])
    return None if c is None else (eq.args[0], float(c))


def scaled(r: Any, v: Any) -> tuple[Any, float]:
    """A value as another one times plus or minus a power of two, which is 1.0 where there is none."""
    x = negated(r, v)
    if x is not None:
        return x, -1.0
    found = factor(r, v)
    return found if found is not None and is_power_of_two(found[1]) and _moves(found[1]) else (v, 1.0)


def scale(r: Any, v: Any, s: float) -> Any:
    return v if s == 1.0 else r.alike(v, neg, v) if s == -1.0 else r.alike(v, mul_p, v, s)


def negated(r: Any, v: Any) -> Any:
    """The value of which this one is the negative."""
    eq = r.made_by(v, neg)
    return None if eq is None else eq.args[0]


# --- products ----------------------------------------------------------------------------------------------------
def product(r: Any, eq: Equation) -> Any:
    a, b = eq.args
    if not isinstance(a, Traced):
        return r.instead(eq, (b, a)) if isinstance(b, Traced) else None  # constants stand behind
    if a.dtype.kind not in "fiu" or a.dtype != eq.outs[0].dtype:
        return None
    c = number(b)
    if c is not None:
        return _by_number(r, eq, a, c) if eq.prim is mul_p else None
    return r.instead(eq, (a,), square_p) if a is b else _out_of(r, eq, operator.mul)


def _by_number(r: Any, eq: Equation, a: Any, c: Any) -> Any:
    """x * 1, x * -1, and products of a product with a number."""
    if c == 1:
        return a
    if c == -1:
        return r.instead(eq, (a,), neg)
    if a.dtype not in FLOATS:
        return None
    x = negated(r, a)
    if x is not None:
        return r.instead(eq, (x, -c))
    found = factor(r, a)
    if found is not None:
        x, d = found
        exact = is_power_of_two(c) or is_power_of_two(d)
        return r.instead(eq, (x, c * d)) if exact and all(_fits(v, a.dtype) for v in (c, d, c * d)) else None
    return r.instead(eq, (a, float(c))) if type(c) is int and abs(c) <= 1 << 24 else None


def _has_factor(eq: Equation | None) -> bool:
    return eq is not None and (eq.prim is neg or (eq.prim is mul_p and type(eq.args[1]) is not Var))


def _out_of(r: Any, eq: Equation, together: Any) -> Any:
    """Factors of the two operands of a product or quotient as one factor of the result."""
    if not any(_has_factor(r.makers.get(v)) for v in eq.args if type(v) is Var):
        return None  # most often
    (x, s), (y, t) = (scaled(r, v) for v in eq.args)
    if s == t == 1.0 or any(isinstance(v, Traced) and v.dtype != eq.outs[0].dtype for v in (x, y)):
        return None
    both = together(s, t)
    if not _moves(both) or not _pays(r, both, eq):
        return None
    return scale(r, r.alike(eq.outs[0], eq.prim, x, y), both)


def _pays(r: Any, s: float, eq: Equation) -> bool:
    """Whether a factor may move out of operands: a sign does, another one if that makes its first place empty or if it
    meets a number at the next one."""
    if abs(s) == 1.0 or any(r.made_by(v, mul_p) is not None and r.uses(v) <= 1 for v in eq.args):
        return True
    user = r.only_user(eq.outs[0])
    while user is not None and user.prim in (neg, reshape_p):
        user = r.only_user(user.outs[0])
    return user is not None and user.prim in (mul_p, zmul, div) and any(number(a) is not None for a in user.args)


def quotient(r: Any, eq: Equation) -> Any:
    a, b = eq.args
    (out,) = eq.outs
    if out.dtype not in FLOATS:
        return None
    c = number(b)
    if c is None:
        return _out_of(r, eq, operator.truediv)
    if not isinstance(a, Traced) or a.dtype != out.dtype:
        return None
    if is_power_of_two(c) and _fits(c, out.dtype) and _fits(1.0 / c, out.dtype):
        return r.instead(eq, (a, 1.0 / c), mul_p)
    x = negated(r, a)
    return None if x is None else r.instead(eq, (x, -c))


def square(r: Any, eq: Equation) -> Any:
    x, s = scaled(r, eq.args[0])
    if s == 1.0 or not _moves(s * s) or eq.outs[0].dtype.kind == "c" or not _pays(r, s * s, eq):
        return None
    return scale(r, r.alike(x, square_p, x), s * s)


def modulus(r: Any, eq: Equation) -> Any:
    x = negated(r, eq.args[0]) if eq.outs[0].dtype in FLOATS else None
    return None if x is None else r.instead(eq, (x,))


def negative(r: Any, eq: Equation) -> Any:
    """-(-x), and the sign of a product with a number."""
    (v,) = eq.args
    x = negated(r, v)
    if x is not None:
        return x
    found = factor(r, v)
    return None if found is None else r.instead(eq, (found[0], -found[1]), mul_p)


def moved_factor(r: Any, eq: Equation) -> Any:
    """A factor moves out of a new shape, to meet others."""
    x, s = scaled(r, eq.args[0])
    return None if s == 1.0 or not _pays(r, s, eq) else scale(r, r.apply(eq.prim, x, **eq.params), s)


# --- sums --------------------------------------------------------------------------------------------------------
def addition(r: Any, eq: Equation) -> Any:
    a, b = eq.args
    if not isinstance(a, Traced):
        return r.instead(eq, (b, a)) if isinstance(b, Traced) else None
    if a.dtype == eq.outs[0].dtype and _is_zero(b, -1.0, a.dtype):
        return a
    if (x := negated(r, b)) is not None:
        return r.instead(eq, (a, x), sub)
    if (x := negated(r, a)) is not None:
        return r.instead(eq, (b, x), sub)
    if a is b and a.dtype in FLOATS:
        return r.instead(eq, (a, 2.0), mul_p)
    return None


def difference(r: Any, eq: Equation) -> Any:
    a, b = eq.args
    if isinstance(a, Traced) and a.dtype == eq.outs[0].dtype and _is_zero(b, 1.0, a.dtype):
        return a
    y = negated(r, b)
    if y is None:
        return None
    x = negated(r, a)
    return r.instead(eq, (a, y), add) if x is None else r.instead(eq, (y, x))


def _is_zero(c: Any, which: float, dtype: Any) -> bool:
    """Whether a constant is the zero that changes nothing; integers have one zero only."""
    c = number(c)
    if c is None or c != 0 or type(c) is complex:
        return False
    return dtype.kind in "iu" or (dtype.kind == "f" and math.copysign(1.0, c) == which)


TABLE = {
    mul_p: (product,),
    zmul: (product,),
    div: (quotient,),
    square_p: (square,),
    abs_p: (modulus,),
    neg: (negative,),
    add: (addition,),
    sub: (difference,),
    reshape_p: (moved_factor,),
}
