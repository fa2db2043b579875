"""Reading, writing and joining parts of arrays.

`read` and `put` are written with slices only, new and dropped axes as reshapes beside them, so that parts compose.
What is exact but for the sign of a zero: parts written into zeros and added up are put, or joined, beside each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.passes.boxes import (
    Box,
    Span,
    box_of,
    compose,
    disjoint,
    full,
    index_of,
    lengths,
    whole,
    within,
)
from scisim.core.graph import Equation, Var
from scisim.ops.arithmetic import add
from scisim.ops.index import put_p, read_p
from scisim.ops.shape import broadcast_p, concat_p, reshape_p, transpose_p


def take(r: Any, x: Any, box: Box) -> Any:
    """A part of a value."""
    return x if box == whole(x.shape) else r.apply(read_p, x, at=index_of(box, x.shape))


def read(r: Any, eq: Equation) -> Any:
    """Parts are read with slices, and where they come from."""
    (x,), at = eq.args, eq.params["at"]
    box = box_of(at, x.shape)
    if at != index_of(box, x.shape) or box == whole(x.shape):
        return r.reshape(take(r, x, box), eq.outs[0].shape)
    source = r.makers.get(x)
    find = _SOURCES.get(source.prim) if source is not None and 0 not in lengths(box) else None
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
    return _joined(r, [_touched(r, a, box, k, begin, n) for a, begin, n in found], k)


def _touched(r: Any, a: Any, box: Box, k: int, begin: int, n: int) -> Any:
    """The part of one operand, which begins at ``begin`` of the axis."""
    s = box[k]
    if s.step == 1:
        low, high = max(s.start, begin), min(s.stop, begin + n)
        s = Span(low, 1, high - low)
    return take(r, a, (*box[:k], s._replace(start=s.start - begin), *box[k + 1 :]))


def _of_put(r: Any, eq: Equation, x: Any, box: Box) -> Any:
    """What was put there, or what was there before."""
    base, u = eq.args
    written = box_of(eq.params["at"], x.shape)
    if base.dtype != x.dtype or u.dtype != x.dtype:
        return None
    if disjoint(box, written):
        return take(r, base, box)
    inner = within(box, written)
    return None if inner is None else take(r, r.broadcast(u, lengths(written)), inner)


_SOURCES = {
    read_p: _of_read,
    broadcast_p: _of_broadcast,
    transpose_p: _of_transpose,
    reshape_p: _of_reshape,
    concat_p: _of_concat,
    put_p: _of_put,
}


# --- writing -----------------------------------------------------------------------------------------------------
def put(r: Any, eq: Equation) -> Any:
    """Parts are put with slices; one that covers all is the value, several that do are joined."""
    (x, u), at, (out,) = eq.args, eq.params["at"], eq.outs
    if x.dtype != out.dtype or u.dtype != out.dtype:
        return None
    box = box_of(at, x.shape)
    written = index_of(box, x.shape)
    if at != written:
        return r.apply(put_p, x, _full_rank(r, u, full(at, len(box))), at=written)
    if 0 in lengths(box):
        return x
    if box == whole(x.shape):
        return _spread(r, box, u)
    below = r.made_by(x, put_p)
    if below is not None and within(box_of(below.params["at"], x.shape), box) is not None:
        return r.apply(put_p, below.args[0], u, at=at)
    before = pieces(r, x)
    return None if before is None else _tiled(r, [*before, (box, u)], out.shape)


def _aligned(u: Any, rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(u.shape)) + tuple(u.shape)


def _full_rank(r: Any, u: Any, at: tuple) -> Any:
    """An update with one axis for each of the array: of length one for integers, without new axes."""
    axes = iter(_aligned(u, sum(i is None or isinstance(i, tuple) for i in at)))
    full = []
    for i in at:
        n = next(axes) if i is None or isinstance(i, tuple) else 1
        if i is not None:
            full.append(n)
    return r.reshape(u, tuple(full))


Pieces = list[tuple[Box, Any]]


def pieces(r: Any, v: Any) -> Pieces | None:
    """A value as parts, which do not overlap, put into zeros; None for others."""
    found: Pieces = []
    while (eq := r.made_by(v, put_p)) is not None:
        found.append((box_of(eq.params["at"], v.shape), eq.args[1]))
        if eq.args[0].dtype != v.dtype or eq.args[1].dtype != v.dtype:
            return None
        v = eq.args[0]
    joined = r.made_by(v, concat_p)
    if joined is not None:
        found += _operands(r, joined)
    elif not _is_zero(r, v):
        return None
    apart = all(disjoint(a, b) for k, (a, _) in enumerate(found) for b, _ in found[:k])
    return found[::-1] if apart else None


def _operands(r: Any, eq: Equation) -> Pieces:
    """The operands of a concatenation that are not zero."""
    axis, (out,), start = eq.params["axis"], eq.outs, 0
    found = []
    for a in eq.args:
        span = Span(start, 1, a.shape[axis])
        if not _is_zero(r, a):
            found.append(((*whole(out.shape)[:axis], span, *whole(out.shape)[axis + 1 :]), a))
        start += span.length
    return found


def _is_zero(r: Any, v: Any) -> bool:
    c = r.constant(v)
    return c is not None and not np.any(c)


def _tiled(r: Any, parts: Pieces, shape: tuple[int, ...]) -> Any:
    """Parts that follow each other along one axis and cover it, joined; None for others."""
    for axis, n in enumerate(shape):
        spans = sorted((box[axis], k) for k, (box, _) in enumerate(parts))
        ends = [0, *(s.stop for s, _ in spans)]
        follow = all(s.step == 1 and s.start == e for (s, _), e in zip(spans, ends, strict=False))
        if follow and ends[-1] == n and all(_spans(box, axis, shape) for box, _ in parts):
            return _joined(r, [_spread(r, *parts[k]) for _, k in spans], axis)
    return None


def _spread(r: Any, box: Box, u: Any) -> Any:
    """An update in the shape of its box."""
    return r.broadcast(r.reshape(u, _aligned(u, len(box))), lengths(box))


def _spans(box: Box, axis: int, shape: tuple[int, ...]) -> bool:
    """Whether a box is whole along all axes but one."""
    return all(k == axis or s == (0, 1, n) for k, (s, n) in enumerate(zip(box, shape, strict=True)))


def addition(r: Any, eq: Equation) -> Any:
    """Parts of zeros added up: those at one place are, the others lie beside each other."""
    (a, b), (out,) = eq.args, eq.outs
    for v in (a, b):
        made = r.makers.get(v) if type(v) is Var else None
        if made is None or made.prim not in (put_p, concat_p):
            return None
    if any(v.shape != out.shape or v.dtype != out.dtype for v in (a, b)):
        return None
    first, second = pieces(r, a), pieces(r, b)
    if not first or not second:
        return None
    at = dict(first)
    for box, u in second:
        if box in at:
            at[box] = _spread(r, box, r.apply(add, at[box], u))
        elif all(disjoint(box, other) for other in at):
            at[box] = u
        else:
            return None
    total = r.full(0, out)
    for box, u in at.items():
        total = r.apply(put_p, total, u, at=index_of(box, out.shape))
    return total


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
    return _joined(r, parts, axis) if len(parts) < len(eq.args) else None


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


def _joined(r: Any, parts: list, axis: int) -> Any:
    return parts[0] if len(parts) == 1 else r.apply(concat_p, *parts, axis=axis)


TABLE = {read_p: (read,), put_p: (put,), concat_p: (concat,), add: (addition,)}
