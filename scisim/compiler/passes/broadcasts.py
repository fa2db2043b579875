"""Broadcasts move towards the outputs, so that operations work on the small arrays, and end where another operand has
the shape anyway.

Values are the same to the bit, but for sums over a stretched axis, which become products with its length, and products
of matrices, which NumPy may add up in another order for another number of rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import broadcast_shapes
from scisim.core.graph import Equation
from scisim.core.values import Traced, shape
from scisim.ops.arithmetic import mul_p, zmul
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.shape import broadcast_p, concat_p, reshape_groups, reshape_p, sum_p, transpose_p


def elementwise(r: Any, eq: Equation) -> Any:
    """An elementwise function of broadcast operands is that of the small ones."""
    made = [r.made_by(a, broadcast_p) for a in eq.args]
    args = tuple([a if m is None else m.args[0] for a, m in zip(eq.args, made, strict=True)])
    to = eq.outs[0].shape
    if broadcast_shapes(eq.prim.name, *map(shape, args)) == to:
        return r.instead(eq, args)
    return r.broadcast(r.apply(eq.prim, *args, **eq.params), to)


def of_broadcast(r: Any, eq: Equation) -> Any:
    """A broadcast of a broadcast is one, and axes of length one in front need not be there first."""
    (x,), to = eq.args, eq.params["shape"]
    if x.shape == to:
        return x
    if math.prod(x.shape) == math.prod(to) and (isinstance(x, Traced) or x.ndim):
        return r.reshape(x, to)
    inner = r.made_by(x, broadcast_p)
    if inner is None:
        inner = r.made_by(x, reshape_p)
        if inner is None or inner.args[0].shape != _without_front_ones(x.shape, len(inner.args[0].shape)):
            return None
    return r.broadcast(inner.args[0], to)


def _without_front_ones(s: tuple[int, ...], rank: int) -> tuple[int, ...] | None:
    lead = len(s) - rank
    return s[lead:] if lead >= 0 and s[:lead] == (1,) * lead else None


# --- operations that move axes -----------------------------------------------------------------------------------
def reshape(r: Any, eq: Equation) -> Any:
    """Each group of axes that merge or split is either stretched as a whole or not at all."""
    (x,), to = eq.args, eq.params["shape"]
    if r.made_by(x, broadcast_p) is None:
        return None
    small = r.small(x)
    new: list[int] = []
    for a, b in reshape_groups(x.shape, to):
        own = small.shape[a.start : a.stop]
        if own == x.shape[a.start : a.stop]:
            new += to[b.start : b.stop]
        elif set(own) == {1}:
            new += [1] * len(b)
        else:
            return None
    return r.broadcast(r.reshape(small, tuple(new)), to)


def transpose(r: Any, eq: Equation) -> Any:
    (x,) = eq.args
    if r.made_by(x, broadcast_p) is None:
        return None
    return r.broadcast(r.apply(transpose_p, r.small(x), **eq.params), eq.outs[0].shape)


def concat(r: Any, eq: Equation) -> Any:
    """Operands that are all stretched along another axis are joined before."""
    if any(r.made_by(x, broadcast_p) is None for x in eq.args):
        return None
    axis, smalls = eq.params["axis"], [r.small(x) for x in eq.args]
    to = eq.outs[0].shape
    common = [k for k, n in enumerate(to) if k != axis and n > 1 and all(s.shape[k] == 1 for s in smalls)]
    if not common:
        return None

    def part(s: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(1 if k in common else n for k, n in enumerate(s))

    parts = [r.broadcast(s, part(x.shape)) for s, x in zip(smalls, eq.args, strict=True)]
    return r.broadcast(r.apply(eq.prim, *parts, axis=axis), to)


def total(r: Any, eq: Equation) -> Any:
    """The sum over a stretched axis is a product with its length."""
    (x,), (out,) = eq.args, eq.outs
    axes, wide = eq.params["axes"], out.dtype.itemsize >= 4
    if r.made_by(x, broadcast_p) is None or out.dtype != x.dtype or out.dtype.kind not in "fiu" or not wide:
        return None
    small = r.small(x)
    times = math.prod(x.shape[k] for k in axes if small.shape[k] == 1)
    if times == 0 or small.shape == x.shape:
        return None
    y = r.apply(sum_p, small, axes=axes)
    return r.broadcast(r.apply(mul_p, y, times if out.dtype.kind in "iu" else float(times)), out.shape)


# --- products of matrices ----------------------------------------------------------------------------------------
def product(r: Any, eq: Equation) -> Any:
    """Rows and columns that are all the same are multiplied once."""
    if all(r.made_by(v, broadcast_p) is None for v in eq.args):
        return None
    a, b = map(r.small, eq.args)
    if all(v.shape == w.shape for v, w in zip((a, b), eq.args, strict=True)):
        return None  # of axes of length one
    inner = eq.args[0].shape[-1]
    if inner == 0:
        return None  # zeros, whatever is repeated
    if inner > 1 and 1 in (a.shape[-1], b.shape[-2]):
        return _constant_along(r, eq, a, b)
    out = eq.outs[0].shape
    fits = (*broadcast_shapes("matmul", a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    return r.instead(eq, (a, b)) if fits == out else r.broadcast(r.apply(eq.prim, a, b), out)


def _constant_along(r: Any, eq: Equation, a: Any, b: Any) -> Any:
    """sum_k a_mk b_kn where a or b does not depend on k: an outer product with the sum of the other."""
    (out,), first = eq.outs, a.shape[-1] == 1
    same, other = (a, eq.args[1]) if first else (b, eq.args[0])
    known = not isinstance(same, Traced) and bool(np.all(np.isfinite(same)))
    if out.dtype.kind not in "fc" or any(v.dtype != out.dtype for v in eq.args):
        return None
    if eq.prim is zmatmul and not known:
        return None  # an infinite factor would meet a sum that cancels to 0
    axis = len(other.shape) - (2 if first else 1)
    summed = r.apply(sum_p, other, axes=(axis,))
    summed = r.reshape(summed, (*other.shape[:axis], 1, *other.shape[axis + 1 :]))
    factors = (same, summed) if first else (summed, same)
    return r.broadcast(r.apply(mul_p if eq.prim is matmul_p else zmul, *factors), out.shape)


TABLE = {
    broadcast_p: (of_broadcast,),
    reshape_p: (reshape,),
    transpose_p: (transpose,),
    concat_p: (concat,),
    sum_p: (total,),
    matmul_p: (product,),
    zmatmul: (product,),
}
OPERANDS = {broadcast_p: elementwise}
