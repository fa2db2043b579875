"""Boxes: the parts of an array that slices give, by start, step and length of each axis."""

from __future__ import annotations

from typing import Any, NamedTuple

Shape = tuple[int, ...]
_WHOLE = ("slice", None, None, None)


class Span(NamedTuple):
    """What is taken of one axis."""

    start: int
    step: int
    length: int

    def inside(self, other: Span) -> Span | None:
        """The same elements counted within another span; None where it does not hold them all."""
        first, gap = self.start - other.start, other.step
        if first % gap or (self.length > 1 and self.step % gap):
            return None
        k, step = first // gap, self.step // gap
        last = k + (self.length - 1) * step
        ok = 0 <= k < other.length and 0 <= last < other.length
        return Span(k, step if self.length > 1 else 1, self.length) if ok else None

    def apart(self, other: Span) -> bool:
        """Whether the two lie on different sides of some point."""
        return self.stop <= other.low or other.stop <= self.low

    @property
    def low(self) -> int:
        return min(self.start, self.start + (self.length - 1) * self.step)

    @property
    def stop(self) -> int:
        return max(self.start, self.start + (self.length - 1) * self.step) + 1


Box = tuple[Span, ...]


def span(i: Any, n: int) -> Span:
    """An integer or an encoded slice over an axis of length n."""
    if not isinstance(i, tuple):
        return Span(i % n, 1, 1)
    start, stop, step = slice(*i[1:]).indices(n)
    length = len(range(start, stop, step))
    return Span(start, step if length > 1 else 1, length) if length else Span(0, 1, 0)


def full(at: tuple, rank: int) -> tuple:
    """A basic index with an item for each axis."""
    return (*at, *(_WHOLE,) * (rank - sum(i is not None for i in at)))


def box_of(at: tuple, shape: Shape) -> Box:
    """The box of a basic index."""
    taken = [i for i in full(at, len(shape)) if i is not None]
    return tuple(span(i, n) for i, n in zip(taken, shape, strict=True))


def index_of(box: Box, shape: Shape) -> tuple:
    """The basic index of a box, in the one way it is written: whole axes are ``:``."""
    return tuple(_written(s, n) for s, n in zip(box, shape, strict=True))


def _written(s: Span, n: int) -> tuple:
    if s == (0, 1, n):
        return _WHOLE
    end = s.start + (s.length - 1) * s.step + (1 if s.step > 0 else -1) if s.length else s.start
    return ("slice", s.start, end if end >= 0 else None, s.step)


def lengths(box: Box) -> Shape:
    return tuple(s.length for s in box)


def whole(shape: Shape) -> Box:
    return tuple(Span(0, 1, n) for n in shape)


def compose(outer: Box, inner: Box) -> Box:
    """The box of the array that is the ``inner`` part of its ``outer`` part."""
    return tuple(
        Span(a.start + a.step * b.start, a.step * b.step if b.length > 1 else 1, b.length)
        for a, b in zip(outer, inner, strict=True)
    )


def within(part: Box, box: Box) -> Box | None:
    """A part counted within a box that holds it; None where one does not."""
    found = [a.inside(b) for a, b in zip(part, box, strict=True)]
    return None if any(s is None for s in found) else tuple(s for s in found if s is not None)


def disjoint(a: Box, b: Box) -> bool:
    return any(s.apart(t) for s, t in zip(a, b, strict=True))
