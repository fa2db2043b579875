"""Arrays that are written part by part: those put together of several, and those of which a part is replaced."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.lower import maps
from scisim.compiler.lower.boxes import Box, Part, around
from scisim.compiler.lower.calls import Call
from scisim.core.graph import Equation, Var

LARGE = 1 << 19  # bytes of a copy from which on threads share it
STRIP = 1 << 16  # bytes of their tiles


class Apart(NamedTuple):
    """A call that comes before the tiles of its region, with an axis of its own to cut; an extent of 0 is none."""

    call: Call
    extent: int = 0
    tile: int = 0


def concat(block: Any, eq: Equation) -> None:
    """Each operand is computed where it belongs."""
    v, axis, start = eq.outs[0], eq.params["axis"], 0
    view = block.local[v]
    for a in eq.args:
        to = replace(view, offset=view.offset + start * view.strides[axis])
        block.calls.append(block.copied(a, to, v, "concat"))
        start += a.shape[axis]


def put(block: Any, eq: Equation) -> None:
    """The new part is computed where it belongs; what is around it is copied."""
    x, u = eq.args
    v = eq.outs[0]
    view, part = block.local[v], Part(v.shape, eq.params["at"])
    shape = u.shape if isinstance(u, Var) else np.shape(u)
    at = block.position(v)
    cut = at if at is not None else part.axis(block.position(u), len(shape))
    everything = tuple((0, n) for n in v.shape)
    for box in [everything] if part.strided else around(v.shape, part.box, cut):
        if at is None and cut is not None and (part.strided or box[cut] != part.box[cut]):
            block.apart.append(_shared(block, x, v, box))
        else:
            block.calls.append(_copy(block, x, v, box, cut))
    nest, loops = block.nest_over(part.counts, cut, "put")
    index = tuple(i.scaled(s).plus(maps.Lin(low)) for i, s, (low, _) in zip(loops, part.steps, part.box, strict=True))
    inner = maps.broadcast(tuple(loops[k] for k in part.axes), shape)
    block.store(nest, u, inner, view, index, v.dtype)
    block.run(nest)


def _copy(block: Any, x: Any, v: Var, box: Box, cut: int | None) -> Call:
    """What a box of ``x`` has goes to the same place of the result."""
    nest, loops = block.nest_over(tuple(high - low for low, high in box), cut, "around put")
    index = tuple(i.plus(maps.Lin(low)) for i, (low, _) in zip(loops, box, strict=True))
    shape = x.shape if isinstance(x, Var) else np.shape(x)
    block.store(nest, x, maps.broadcast(index, shape), block.local[v], index, v.dtype)
    return nest.call(block.bits)


def _shared(block: Any, x: Any, v: Var, box: Box) -> Apart:
    """A copy apart from the tiles of the region, cut along its longest axis if it is large."""
    lengths = [high - low for low, high in box]
    nbytes = math.prod(lengths) * v.dtype.itemsize
    if nbytes < LARGE:
        return Apart(_copy(block, x, v, box, None))
    longest = max(range(len(box)), key=lambda k: (lengths[k], -k))
    tile = max(STRIP * lengths[longest] // nbytes, 1)
    return Apart(_copy(block, x, v, box, longest), lengths[longest], tile)
