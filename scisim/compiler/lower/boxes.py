"""Boxes of indices: parts of arrays, what is around them, and where they are along the axes of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from scisim.compiler.lower import maps

Box = tuple[tuple[int, int], ...]  # first and one past the last index along each axis


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


def around(shape: tuple[int, ...], box: Box, first: int | None) -> Iterator[Box]:
    """Boxes that cover what a box leaves of an array; those beyond it along axis ``first`` are whole slabs."""
    left = [(0, n) for n in shape]
    for k in sorted(range(len(shape)), key=lambda k: (k != first, k)):
        low, high = box[k]
        for side in ((0, low), (high, shape[k])):
            if side[0] < side[1]:
                yield tuple(side if j == k else b for j, b in enumerate(left))
        left[k] = box[k]


def within(box: Box, i: maps.Lin, start: int, stop: int) -> Box | None:
    """The part of a box in which an index is in a range; None if that is nothing."""
    if not i.terms:
        return box if start <= i.const < stop else None
    ((axis, by),) = i.terms
    if by > 0:
        low, high = -((i.const - start) // by), -((i.const - stop) // by)
    else:
        low, high = (i.const - stop) // -by + 1, (i.const - start) // -by + 1
    low, high = max(low, box[axis][0]), min(high, box[axis][1])
    if low >= high:
        return None
    return tuple((low, high) if k == axis else b for k, b in enumerate(box))
