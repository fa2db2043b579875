"""Arrays that are written part by part: those put together of several, and those of which a part is replaced."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.lower import maps
from scisim.compiler.lower.calls import Call
from scisim.compiler.lower.layout import View
from scisim.core.graph import Equation, Var

Box = tuple[tuple[int, int], ...]  # first and one past the last index along each axis

LARGE = 1 << 19  # bytes of a copy from which on threads share it
STRIP = 1 << 16  # bytes of their tiles


class Apart(NamedTuple):
    """A call that comes before the tiles of its region, with an axis of its own to cut; an extent of 0 is none."""

    call: Call
    extent: int = 0
    tile: int = 0


class Part:
    """The part of an array that `put` writes.

    Attributes
    ----------
    box : tuple of (int, int)
        Along each axis of the array.
    steps : tuple of int
    axes : tuple of int
        The array's axis of each axis of the part.
    """

    def __init__(self, shape: tuple[int, ...], at: tuple) -> None:
        box, steps, axes = [], [], []
        for k, (n, item) in enumerate(zip(shape, at, strict=True)):
            single = not isinstance(item, tuple)
            start, stop, step = (int(item) % n, int(item) % n + 1, 1) if single else slice(*item[1:]).indices(n)
            count = len(range(start, stop, step))
            box.append((start, start + (count - 1) * step + 1))
            steps.append(step)
            axes += [] if single else [k]
        self.box, self.steps, self.axes = tuple(box), tuple(steps), tuple(axes)
        self.counts = tuple((high - low - 1) // s + 1 for (low, high), s in zip(box, steps, strict=True))
        self.strided = any(s != 1 for s in steps)

    def axis(self, k: int | None, rank: int) -> int | None:
        """The array's axis of axis ``k`` of what is written, which has so many axes."""
        return None if k is None else self.axes[len(self.axes) - rank + k]


def concat(block: Any, eq: Equation) -> None:
    """Each operand is computed where it belongs."""
    v, axis, start = eq.outs[0], eq.params["axis"], 0
    view = block.local[v]
    for a in eq.args:
        to = View(view.buffer, view.offset + start * view.strides[axis], view.strides, view.tiled)
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
    block.calls.append(nest.call(block.bits))


def around(shape: tuple[int, ...], box: Box, first: int | None) -> Iterator[Box]:
    """Boxes that cover what a box leaves of an array; those beyond it along axis ``first`` are whole slabs."""
    left = [(0, n) for n in shape]
    for k in sorted(range(len(shape)), key=lambda k: (k != first, k)):
        low, high = box[k]
        for side in ((0, low), (high, shape[k])):
            if side[0] < side[1]:
                yield tuple(side if j == k else b for j, b in enumerate(left))
        left[k] = box[k]


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
