"""Reading parts of arrays where they come from, and joining neighbouring ones.

Parts are read with slices only, new and dropped axes as reshapes beside them, so that they compose.
"""

from __future__ import annotations

from typing import Any

from scisim.compiler.passes.boxes import (
    Box,
    Span,
    box_of,
    compose,
    disjoint,
    index_of,
    lengths,
    whole,
    within,
)
from scisim.core.graph import Equation, Var
from scisim.ops.index import put_p, read_p
from scisim.ops.shape import broadcast_p, concat_p, reshape_p, transpose_p

FAR = 32  # a part is looked for through so many assignments


def take(r: Any, x: Any, box: Box) -> Any:
    """A part of a value."""
    return x if box == whole(x.shape) else r.apply(read_p, x, at=index_of(box, x.shape))


def read(r: Any, eq: Equation) -> Any:
    """Parts are read with slices, and where they come from."""
    (x,), at = eq.args, eq.params["at"]
    box = box_of(at, x.shape)
    if at != index_of(box, x.shape) or box == whole(x.shape):
        return r.reshape(take(r, x, box), eq.outs[0].shape)
    source = r.makers.get(x) if type(x) is Var else None
    if source is None or 0 in lengths(box):
        return None
    find = _SOURCES.get(source.prim)
    return None if find is None else find(r, source, x, box)


# --- where a part comes from -------------------------------------------------------------------------------------
def _of_read(r: Any, eq: Equation, x: Any, box: Box) -> Any:
    source = eq.args[0]
    return take(r, source, compose(box_of(eq.params["at"], source.shape), box))


def _of_broadcast(r: Any, eq: Equation, x: Any, box: Box) -> Any:
    small = r.small(x)
    own = tuple(Span(0, 1, 1) if m == 1 else s for m, s in zip(small.shape, box, strict=True))
    return r.broadcast(take(r, small, own), lengths(box))


def _of_transpose(r: Any, eq: Equation, x: Any, box: Box) -> Any:
    perm = eq.params["perm"]
    inner = tuple(box[perm.index(k)] for k in range(len(perm)))
    return r.apply(transpose_p, take(r, eq.args[0], inner), perm=perm)


def _of_reshape(r: Any, eq: Equation, x: Any, box: Box) -> Any:
    """A reshape that only adds or drops axes of length one."""
    source = eq.args[0]
    if [n for n in source.shape if n != 1] != [n for n in x.shape if n != 1]:
        return None
    spans = iter([s for s, n in zip(box, x.shape, strict=True) if n != 1])
    inner = tuple(Span(0, 1, 1) if n == 1 else next(spans) for n in source.shape)
    return r.reshape(take(r, source, inner), lengths(box))


def _of_concat(r: Any, eq: Equation, x: Any, box: Box) -> Any:
    """The operands that the part touches."""
    k, found, start = eq.params["axis"], [], 0
    s = box[k]
    if any(a.dtype != x.dtype for a in eq.args):
        return None
    for a in eq.args:
        n = a.shape[k]
        if s.low < start + n and start < s.stop:
            found.append((a, start, n))
        start += n
    if len(found) > 1 and s.step != 1:
        return None
    if len(found) == len(eq.args) and len(found) > 1:
        return None
    return joined(r, [_touched(r, a, box, k, begin, n) for a, begin, n in found], k)


def _touched(r: Any, a: Any, box: Box, k: int, begin: int, n: int) -> Any:
    """The part of one operand, which begins at ``begin`` of the axis."""
    s = box[k]
    if s.step == 1:
        low, high = max(s.start, begin), min(s.stop, begin + n)
        s = Span(low, 1, high - low)
    return take(r, a, (*box[:k], s._replace(start=s.start - begin), *box[k + 1 :]))


def _of_put(r: Any, eq: Equation | None, x: Any, box: Box) -> Any:
    """What was put there, or what was there before."""
    for _ in range(FAR):
        if eq is None:
            return take(r, x, box)
        base, u = eq.args
        written = box_of(eq.params["at"], x.shape)
        if base.dtype != x.dtype or u.dtype != x.dtype:
            return None
        if not disjoint(box, written):
            inner = within(box, written)
            return None if inner is None else take(r, r.broadcast(u, lengths(written)), inner)
        x, eq = base, r.made_by(base, put_p)
    return None


_SOURCES = {
    read_p: _of_read,
    broadcast_p: _of_broadcast,
    transpose_p: _of_transpose,
    reshape_p: _of_reshape,
    concat_p: _of_concat,
    put_p: _of_put,
}


# --- joining -----------------------------------------------------------------------------------------------------
def concat(r: Any, eq: Equation) -> Any:
    """Neighbouring parts of one array are one part."""
    axis, (out,) = eq.params["axis"], eq.outs
    if any(a.dtype != out.dtype for a in eq.args):
        return None
    parts: list[Any] = []
    for a in eq.args:
        both = _together(r, parts[-1], a, axis) if parts else None
        if both is None:
            parts.append(a)
        else:
            parts[-1] = both
    return joined(r, parts, axis) if len(parts) < len(eq.args) else None


def _together(r: Any, a: Any, b: Any, axis: int) -> Any:
    """Two neighbouring parts as one, None where they are not."""
    p, q = r.made_by(a, read_p), r.made_by(b, read_p)
    if p is None or q is None or p.args[0] is not q.args[0]:
        return None
    source = p.args[0]
    left, right = (box_of(e.params["at"], source.shape) for e in (p, q))
    s, t = left[axis], right[axis]
    rest = left[:axis] + left[axis + 1 :] == right[:axis] + right[axis + 1 :]
    if not rest or not s.step == t.step == 1 or s.stop != t.start:
        return None
    return take(r, source, (*left[:axis], Span(s.start, 1, s.length + t.length), *left[axis + 1 :]))


def joined(r: Any, parts: list, axis: int) -> Any:
    return parts[0] if len(parts) == 1 else r.apply(concat_p, *parts, axis=axis)


TABLE = {read_p: (read,), concat_p: (concat,)}
