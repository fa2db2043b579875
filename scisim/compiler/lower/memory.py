"""The places of a program's arrays: those that are not needed at the same time share memory.

Steps are numbered in the order in which they stand.  What a loop finds made before it, it may read in every iteration,
so that is needed until the loop ends; what an iteration makes for itself is needed within it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from scisim.compiler.lower.calls import Address
from scisim.compiler.lower.layout import Buffer, Place, View, plan
from scisim.compiler.lower.steps import Cond, For, Host, Load, Lowered, Point, Region, Step, While, bodies
from scisim.compiler.lower.values import Values


def place(program: Lowered) -> None:
    """Give every buffer its place."""
    walk = _Walk(program.values)
    walk.steps(program.steps)
    _let_go(program, walk.hosts)
    program.tile_bytes = walk.tile_bytes
    program.arena_bytes = plan([b for b in program.values.arena if b.last >= 0])


def _let_go(program: Lowered, hosts: list[tuple[int, Host]]) -> None:
    """Arrays that Python made are let go at the first host step after their last use."""
    values = program.values
    made = [values.views[v].buffer for v in values.hosted if v not in values.results]
    for buffer in made:
        later = (h for time, h in hosts if time > buffer.last)
        for h in itertools.islice(later, 1):
            h.drops.append(buffer.slot)


class _Walk:
    def __init__(self, values: Values) -> None:
        self.values = values
        self.time = 0
        self.hosts: list[tuple[int, Host]] = []
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
        used = {b for v in self._views(s) for b in behind(v.buffer)}
        for b in used:
            b.used(first)
        for body in bodies(s):
            used |= self.steps(body)
        if isinstance(s, Region):
            self._tiles(s)
        elif isinstance(s, Host):
            self.hosts.append((first, s))
        self.time += 1
        again = isinstance(s, (For, While))
        for b in used:
            if not bodies(s) or (again and b.first <= first):
                b.used(self.time)
        return used

    def _views(self, s: Step) -> Iterable[View]:
        """What a step itself reads or writes."""
        if isinstance(s, Region):
            return (a.view for c in s.calls for a in c.args if isinstance(a, Address))
        if isinstance(s, Host):
            return (v for v in (*s.args, *map(self.values.view, s.equation.outs)) if v is not None)
        if isinstance(s, (Point, Load)):
            return (s.view,)
        return (s.predicate,) if isinstance(s, (While, Cond)) else ()

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


def behind(buffer: Buffer) -> set[Buffer]:
    """The whole arrays that one stands for."""
    return set() if buffer.place is Place.TILE else buffer.behind or {buffer}
