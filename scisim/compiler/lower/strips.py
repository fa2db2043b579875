"""Loops over neighbours in space, cut into strips that stay in the cache from one outer index to the next."""

from __future__ import annotations

import math
from collections import defaultdict

from scisim.compiler.lower.calls import Call, Nest
from scisim.compiler.lower.layout import Place
from scisim.compiler.lower.pieces import Pieced
from scisim.compiler.lower.scope import Access
from scisim.compiler.scalar.ir import live

CACHE = 1 << 20  # bytes that may stay: half of a second-level cache
LONGEST = 1 << 26  # elements of a tile


def in_strips(nest: Nest, bits: int) -> list[Call]:
    """The calls of a nest: one, or one for each strip of its second axis."""
    order = nest.order()
    length = _length(nest, order)
    if length is None:
        return [nest.call(bits)]
    axis, calls = order[1], []
    n = nest.axes[axis].extent
    for low in range(0, n, length):
        nest.window = (axis, low, min(low + length, n))
        calls.append(nest.call(bits))
    nest.window = None
    return calls


def _length(nest: Nest, order: list[int]) -> int | None:
    """How long strips are along the second axis; None if none are needed."""
    if len(order) < 3 or nest.scope.cut != order[0] or any(t.combine for t in nest.targets):
        return None
    if any(n.op == "index" for n in live(n for t in nest.targets for n in t.values)):
        return None
    found: dict[tuple, set[int]] = defaultdict(set)
    for a in map(_largest, nest.scope.accesses):
        if a is not None and a.strides[order[0]]:
            found[a.view.buffer.number, a.strides, a.view.buffer.dtype.itemsize].add(a.offset // a.strides[order[0]])
    if max(map(len, found.values()), default=0) < 2:
        return None
    planes = sum(len(offsets) * item for (_, _, item), offsets in found.items())
    row = planes * math.prod(nest.axes[k].extent for k in order[2:])
    n = nest.axes[order[1]].extent
    if row * n <= CACHE:
        return None
    count = -(-n // max(CACHE // row, 8))
    return -(-n // count)


def _largest(access: Access | Pieced) -> Access | None:
    """An access, or the one of those in pieces that has most elements."""
    if isinstance(access, Access):
        return access
    arrays = [(box, leaf) for box, leaf in access.leaves if isinstance(leaf, Access)]
    return max(arrays, key=lambda a: math.prod(high - low for low, high in a[0]), default=(None, None))[1]


def tile(calls: list[Call], tile: int, extent: int, threads: int, size: int) -> int:
    """The length of tiles of a region with strips: each thread has one, as each that begins must fill the cache.

    ``size`` is the number of elements at each index.
    """
    if any(b.place is Place.TILE for call in calls for b in call.buffers()):
        return tile
    return max(min(-(-extent // threads), LONGEST // max(size, 1)), tile)
