"""Where values live: buffers of memory, and views of them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from scisim.compiler.lower import maps

_numbers = itertools.count()


class Place(Enum):
    """A kind of memory."""

    FRAME = "an array named by a slot of the frame: inputs, constants, outputs, what host steps make"
    ARENA = "a whole array that lives from one region to a later one"
    TILE = "a tile's array, one for each thread"


@dataclass(eq=False)
class Buffer:
    """A contiguous array.

    Attributes
    ----------
    place : Place
    dtype : numpy.dtype
    shape : tuple of int
        Along a tiled axis, the length of a tile.
    slot : int
        Of the frame, for `Place.FRAME`.
    offset : int
        Bytes from the start of the memory of its kind; planned after lowering.
    first, last : int
        Steps between which its contents are needed.
    behind : set of Buffer
        Arrays that the slot of a `Place.FRAME` may point to, if it is not that of one array.
    """

    place: Place
    dtype: np.dtype
    shape: tuple[int, ...]
    slot: int = -1
    offset: int = 0
    first: int = 1 << 60
    last: int = -1
    number: int = field(default_factory=lambda: next(_numbers))
    behind: set[Buffer] = field(default_factory=set)

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def used(self, step: int) -> None:
        """Its contents are needed at a step."""
        self.first, self.last = min(self.first, step), max(self.last, step)

    def view(self, tiled: int | None = None) -> View:
        """The whole array."""
        return View(self, 0, maps.strides_of(self.shape), tiled)


@dataclass(frozen=True, eq=False)
class View:
    """Elements of a buffer as an array: ``offset + sum(index[k] * strides[k])``.

    Attributes
    ----------
    tiled : int or None
        The axis along which a tile's first position counts from the whole array's start.
    per_thread : int
        Bytes from one thread's elements to the next one's.
    per_length : int
        Elements before the first one, for each position of the tile.
    """

    buffer: Buffer
    offset: int
    strides: tuple[int, ...]
    tiled: int | None = None
    per_thread: int = 0
    per_length: int = 0

    def key(self) -> tuple:
        return (self.buffer.number, self.offset, self.strides, self.tiled, self.per_thread, self.per_length)

    def transposed(self, perm: tuple[int, ...]) -> View:
        tiled = None if self.tiled is None else perm.index(self.tiled)
        return replace(self, strides=tuple(self.strides[k] for k in perm), tiled=tiled)

    def contiguous(self, shape: tuple[int, ...]) -> bool:
        """Whether elements of the given shape lie one after the other."""
        return all(n == 1 or s == t for n, s, t in zip(shape, self.strides, maps.strides_of(shape), strict=True))

    def along(self, index: maps.IndexMap, rank: int, cut: int | None) -> tuple[int, tuple[int, ...], int]:
        """Offset and strides over loop axes of the elements that a map finds, and the stride of the axis that is cut.

        A tile's own arrays are numbered from its start, whole ones from their own.
        """
        offset, strides = self.offset, [0] * rank
        for lin, s in zip(index, self.strides, strict=True):
            offset += lin.const * s
            for axis, coef in lin.terms:
                strides[axis] += coef * s
        return offset, tuple(strides), 0 if cut is None or self.buffer.place is Place.TILE else strides[cut]


def plan(buffers: list[Buffer], align: int = 64) -> int:
    """Give each buffer an offset so that those needed at the same time do not overlap; the bytes needed."""
    placed: list[Buffer] = []
    total = 0
    for b in sorted(buffers, key=lambda b: (-b.nbytes, b.first)):
        taken = sorted((p.offset, p.offset + p.nbytes) for p in placed if p.first <= b.last and b.first <= p.last)
        offset = 0
        for low, high in taken:
            if offset + b.nbytes <= low:
                break
            offset = max(offset, -(-high // align) * align)
        b.offset = offset
        placed.append(b)
        total = max(total, offset + b.nbytes)
    return -(-total // align) * align
