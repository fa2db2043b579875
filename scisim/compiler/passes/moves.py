"""Operations that only move or convert elements: composed, dropped, or moved to where they cost nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.graph import Equation
from scisim.core.values import Traced
from scisim.ops.shape import cast_p, concat_p, reshape_p, sum_p, transpose_p

MANY = 32  # operands of a concatenation that another one takes over


def reshape(r: Any, eq: Equation) -> Any:
    (x,), to = eq.args, eq.params["shape"]
    if x.shape == to:
        return x
    inner = r.made_by(x, reshape_p)
    return None if inner is None else r.reshape(inner.args[0], to)


def transpose(r: Any, eq: Equation) -> Any:
    """Transposes compose; one that keeps the order of the axes longer than one is a reshape."""
    (x,), perm = eq.args, eq.params["perm"]
    inner = r.made_by(x, transpose_p)
    if inner is not None:
        return r.apply(transpose_p, inner.args[0], perm=tuple(inner.params["perm"][k] for k in perm))
    long = [k for k in perm if x.shape[k] != 1]
    return r.reshape(x, eq.outs[0].shape) if long == sorted(long) else None


def transposed_operands(r: Any, eq: Equation) -> Any:
    """A function of transposed operands is transposed itself, so that products of matrices see the transpose."""
    made = [r.made_by(a, transpose_p) for a in eq.args]
    perms = {m.params["perm"] for m in made if m is not None}
    if len(perms) != 1:
        return None
    (perm,) = perms
    alone = all(
        m is not None or (not isinstance(a, Traced) and not np.ndim(a)) for a, m in zip(eq.args, made, strict=True)
    )
    if not alone or len(perm) != len(eq.outs[0].shape):
        return None
    args = (a if m is None else m.args[0] for a, m in zip(eq.args, made, strict=True))
    return r.apply(transpose_p, r.apply(eq.prim, *args, **eq.params), perm=perm)


def cast(r: Any, eq: Equation) -> Any:
    """A cast to the dtype that a value has, or had before a wider one."""
    (x,), to = eq.args, np.dtype(eq.params["to"])
    if x.dtype == to:
        return x
    inner = r.made_by(x, cast_p)
    if inner is None or inner.args[0].dtype != to or not np.can_cast(to, x.dtype, "safe"):
        return None
    return inner.args[0]


def total(r: Any, eq: Equation) -> Any:
    """A sum of single elements is another shape."""
    (x,), (out,), axes = eq.args, eq.outs, eq.params["axes"]
    if x.dtype != out.dtype:
        return None
    long = tuple(k for k in axes if x.shape[k] != 1)
    if len(long) == len(axes):
        return x if not axes else None
    if not long:
        return r.reshape(x, out.shape)
    short = [k for k in axes if k not in long]
    kept = tuple(n for k, n in enumerate(x.shape) if k not in short)
    renamed = tuple(k - sum(j < k for j in short) for k in long)
    return r.apply(sum_p, r.reshape(x, kept), axes=renamed)


def concat(r: Any, eq: Equation) -> Any:
    """Empty operands are left out, and those that are joined themselves along the axis are taken apart."""
    axis, (out,) = eq.params["axis"], eq.outs
    if any(x.dtype != out.dtype for x in eq.args):
        return None
    parts: list[Any] = []
    for x in eq.args:
        inner = r.made_by(x, concat_p)
        opens = inner is not None and inner.params["axis"] == axis and len(inner.args) <= MANY
        parts += inner.args if inner is not None and opens else (x,)
    if any(p.dtype != out.dtype for p in parts):
        return None
    parts = [p for p in parts if p.shape[axis]] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    same = len(parts) == len(eq.args) and all(p is x for p, x in zip(parts, eq.args, strict=True))
    return None if same else r.instead(eq, tuple(parts))


TABLE = {
    reshape_p: (reshape,),
    transpose_p: (transpose,),
    cast_p: (cast,),
    sum_p: (total,),
    concat_p: (concat,),
}
OPERANDS = {transpose_p: transposed_operands}
