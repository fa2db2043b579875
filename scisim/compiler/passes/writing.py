"""Writing parts of arrays: what is written over is not written, and parts that cover an array are joined.

Parts are put with slices only, as they are read.  Parts put into zeros and added up lie beside each other; that is
exact but for the sign of a zero, which the sum with zero would have made positive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.passes.boxes import Box, Span, box_of, disjoint, full, index_of, lengths, whole, within
from scisim.compiler.passes.parts import FAR, joined
from scisim.core.graph import Equation, Var
from scisim.ops.arithmetic import add
from scisim.ops.index import put_p
from scisim.ops.shape import concat_p

Pieces = list[tuple[Box, Any]]


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
        return r.apply(put_p, below.args[0], u, at=at)  # written over
    before, _ = _chain(r, x)
    return _tiled(r, [*before, (box, u)], out.shape) if _apart([*before, (box, u)]) else None


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


def _chain(r: Any, v: Any) -> tuple[Pieces, Any]:
    """The parts that were put into a value, last ones first, and what they were put into."""
    found: Pieces = []
    while len(found) < FAR and (eq := r.made_by(v, put_p)) is not None and all(a.dtype == v.dtype for a in eq.args):
        found.append((box_of(eq.params["at"], v.shape), eq.args[1]))
        v = eq.args[0]
    return found, v


def _apart(parts: Pieces) -> bool:
    return all(disjoint(a, b) for k, (a, _) in enumerate(parts) for b, _ in parts[:k])


def pieces(r: Any, v: Any) -> Pieces | None:
    """A value as parts, which do not overlap, put into zeros; None for others."""
    found, base = _chain(r, v)
    put_together = r.made_by(base, concat_p)
    if put_together is not None:
        found += _operands(r, put_together)
    elif not _is_zero(r, base):
        return None
    return found[::-1] if _apart(found) else None


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
            return joined(r, [_spread(r, *parts[k]) for _, k in spans], axis)
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


TABLE = {put_p: (put,), add: (addition,)}
