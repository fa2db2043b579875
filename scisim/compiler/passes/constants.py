"""Constants: equations of them computed, those that repeat themselves kept small, single ones as Python numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.graph import Equation
from scisim.core.values import Traced
from scisim.ops.arithmetic import pin
from scisim.ops.shape import broadcast_p

# A folded constant larger than this (bytes) would cost more to carry than to compute.
FOLD_LIMIT = 1 << 20
MISSING: Any = object()
_NUMBERS = {np.dtype(c) for c in "bBhHiIlLqQefdFD"}


def computed(eq: Equation) -> Any:
    """The outputs of an equation of constants, `MISSING` where they are better computed by the program.

    A broadcast stays: it costs no arithmetic, and other rules look through it.
    """
    if not eq.args or eq.prim is broadcast_p:
        return MISSING
    if sum(v.size * v.dtype.itemsize for v in eq.outs) > FOLD_LIMIT:
        return MISSING
    with np.errstate(all="ignore"):
        out = eq.prim.evaluate(*eq.args, **eq.params)
    return tuple(out) if eq.prim.multiple else (out,)


def shrunk(a: np.ndarray) -> Any:
    """The smallest constant that gives this one by broadcasting, itself if there is none."""
    if not a.size or not (a.dtype in _NUMBERS or a.dtype == bool):
        return a
    drops = [n == 1 or _repeats(a, k) for k, n in enumerate(a.shape)]
    lead = drops.index(False) if False in drops else len(drops)  # axes dropped; later ones keep length one
    part = a[(0,) * lead + tuple(slice(0, 1) if d else slice(None) for d in drops[lead:])]
    return part[()].copy() if part.size < a.size or a.size == 1 else a


def _repeats(a: np.ndarray, axis: int) -> bool:
    """Whether all parts along an axis are the same bits; the second is compared first, since most differ there."""
    if a.strides[axis] == 0:
        return True
    first = a.take([0], axis)
    return _same_bits(first, a.take([1], axis)) and _same_bits(first, a)


def _same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype.itemsize > 8:
        return _same_bits(a.real, b.real) and _same_bits(a.imag, b.imag)
    bits = f"u{a.dtype.itemsize}"
    return bool((a.view(bits) == b.view(bits)).all())


def number(a: Any) -> Any:
    """A constant without axes as a Python number, None for other values."""
    if type(a) in (float, int, complex, bool):
        return a
    if isinstance(a, Traced) or np.ndim(a):
        return None
    return a.item() if np.asarray(a).dtype in _NUMBERS else None


def weak_numbers(r: Any, eq: Equation) -> Any:
    """A constant without axes is a Python number where another operand has its dtype, so that none changes."""
    args = eq.args
    if len(args) < 2 or eq.prim.scalar is None or eq.prim is pin:
        return None
    for k, a in enumerate(args):
        if isinstance(a, Traced) or type(a) in (float, int, complex, bool):
            continue
        if np.ndim(a) == 0 and a.dtype in _NUMBERS and any(_has(b, a.dtype) for b in args):
            return r.instead(eq, (*args[:k], a.item(), *args[k + 1 :]))
    return None


def _has(b: Any, dtype: Any) -> bool:
    return isinstance(b, Traced) and b.dtype == dtype
