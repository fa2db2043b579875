"""The places of a program's arrays: those that are not needed at the same time share memory.

Steps are numbered in the order in which they stand.  What a loop finds made before it, it may read in every iteration,
so that is needed until the loop ends; what an iteration makes for itself is needed within it.
"""

from __future__ import annotations

from collections.abc import Iterable

from scisim.compiler.lower.calls import Address
from scisim.compiler.lower.layout import Buffer, Place, View, plan
from scisim.compiler.lower.steps import Cond, For, Host, Lowered, Point, Region, Step, While, bodies


def place(program: Lowered) -> None:
    """Give every buffer its place."""
    walk = _Walk()
    walk.steps(program.steps)
    program.tile_bytes = walk.tile_bytes
    program.arena_bytes = plan([b for b in program.values.arena if b.last >= 0])


class _Walk:
    def __init__(self) -> None:
        self.time = 0
        self.tile_bytes = 0

    def steps(self, steps: list[Step]) -> set[Buffer]:
        """Mark what steps use, and return it."""
        used: set[Buffer] = set()
        for s in steps:
            used |= self._step(s)
        return used

    def _step(self, s: Step) -> set[Buffer]:
        first = self.time
        self.time += 1
        used = {b for v in _views(s) for b in behind(v.buffer)}
        for b in used:
            b.used(first)
        for body in bodies(s):
            used |= self.steps(body)
        if isinstance(s, Region):
            self._tiles(s)
        self.time += 1
        again = isinstance(s, (For, While))
        for b in used:
            if not bodies(s) or (again and b.first <= first):
                b.used(self.time)
        return used

    def _tiles(self, region: Region) -> None:
        """Give the arrays of a tile their places, call by call."""
        tiles: set[Buffer] = set()
        for call in region.calls:
            self.time += 1
            for b in call.buffers():
                if b.place is Place.TILE:
                    b.used(self.time)
                    tiles.add(b)
        self.tile_bytes = max(self.tile_bytes, plan(sorted(tiles, key=lambda b: b.number)))


def _views(s: Step) -> Iterable[View]:
    if isinstance(s, Region):
        return (a.view for c in s.calls for a in c.args if isinstance(a, Address))
    if isinstance(s, Host):
        return (v for v in (*s.args, *s.into) if v is not None)
    if isinstance(s, Point):
        return (s.view,)
    return (s.predicate,) if isinstance(s, (While, Cond)) else ()


def behind(buffer: Buffer) -> set[Buffer]:
    """The arrays of the arena that one stands for."""
    return {buffer} if buffer.place is Place.ARENA else buffer.behind
