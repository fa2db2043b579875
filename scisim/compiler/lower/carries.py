"""What loops carry from one iteration to the next.

The carried values of a loop are wherever slots of the frame point to.  An iteration reads them there and writes what it
makes to other arrays; then the slots are pointed there, so that nothing is copied and nothing allocated.  A value made
in one iteration may be needed for several more, as in ``(u_before, u) -> (u, u_next)``: so many arrays, and one more,
take turns (`_Ring`).  An array of which an iteration only replaces parts is copied once and stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scisim.compiler.lower.elements import in_place
from scisim.compiler.lower.flat import Flat
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.memory import behind
from scisim.compiler.lower.over import written_over
from scisim.compiler.lower.steps import Point, Step, Swap
from scisim.core.graph import Var


@dataclass
class _Ring:
    """Arrays that take turns to hold what iterations make of one variable; the first slot's is written next."""

    slots: list[int]
    places: list[View | None]

    def turn(self) -> list[Step]:
        return [Swap(a, b) for a, b in zip(self.slots, self.slots[1:], strict=False)]


class Carries:
    """The carried values of a loop.

    Parameters
    ----------
    low : Lowering
        Of the program that the loop is in.
    init : sequence
        What they are at first.
    results : sequence of Var
        What they are at last.
    length : int or None
        The number of iterations, if it is known.
    """

    def __init__(self, low: Any, init: Sequence[Any], results: Sequence[Var], length: int | None) -> None:
        self.low, self.values = low, low.values
        self.init, self.results, self.length = init, results, length
        self.now = [self.values.pointer(v.shape, v.dtype) for v in results]
        self.number = {v: k for k, v in enumerate(self.now)}
        self.rings: dict[Var, _Ring] = {}
        self.outs: list[Any] = []
        self.copied: list[int] = []
        self.chains: dict[int, list[Var]] = {}  # what the array of a carry is in turn, where it stays the same array

    def place(self, flat: Flat, outs: Sequence[Any]) -> None:
        """Decide where an iteration writes each next value; what has a place already stays there."""
        self.outs = list(outs)
        own = flat.own().difference(self.values.views)
        for v in dict.fromkeys(o for o in outs if isinstance(o, Var) and o in own):
            turns = 1 if self._stays(flat, v) else self._turns(flat, v)
            turns = turns if self.length is None else min(turns, self.length)
            ring = self.rings[v] = _Ring([self.values.slot() for _ in range(turns)], [None] * turns)
            self.values.point(v, ring.slots[0])
        for k, chain in self.chains.items():
            self.values.changing.update([self.now[k], *chain])
            for x in chain:
                self.values.point(x, self.rings[self.outs[k]].slots[0])
        for k, v in enumerate(self.results):
            self._deliver(k, v)
        for v, ring in self.rings.items():
            ring.places = [p or self.values.array(v).view() for p in ring.places]
            self.values.views[v].buffer.behind.update(*(behind(p.buffer) for p in ring.places if p))
        self._behind()

    def _stays(self, flat: Flat, v: Var) -> bool:
        """Whether a carry keeps its array, parts of which are replaced."""
        k = next(k for k, o in enumerate(self.outs) if o is v)
        chain = in_place(flat, self.now[k], self.outs)
        if chain and chain[-1] is v:
            self.chains[k] = chain
        return k in self.chains

    def _turns(self, flat: Flat, v: Var) -> int:
        """How many arrays a value needs: for as many iterations as it lasts, and one more if none is written over."""
        lasts, holders = max((self._lasts(k), k) for k, o in enumerate(self.outs) if o is v), []
        k: int | None = lasts[1]
        while k is not None:
            holders.append(k)
            k = next((j for j, o in enumerate(self.outs) if o is self.now[k]), None)
        single = sum(o is v or any(o is self.now[k] for k in holders) for o in self.outs) == len(holders)
        oldest = self.now[holders[-1]]
        return lasts[0] + (0 if single and written_over(flat.equations, oldest, v, self.outs) else 1)

    def _lasts(self, k: int) -> int:
        """The number of iterations for which a value that one makes as carry ``k`` is needed."""
        return 1 + max((self._lasts(j) for j, o in enumerate(self.outs) if o is self.now[k]), default=0)

    def _deliver(self, k: int, v: Var) -> None:
        """See to it that a result gets where it belongs, or is read where it is."""
        if v not in self.values.views:
            self.values.views[v] = self.values.views[self.now[k]]
            return
        ring, at = (self.rings[self.outs[k]], 0) if k in self.chains else self._final(k)
        if ring is not None and ring.places[at] is None:
            ring.places[at] = self.values.views[v]
        else:
            self.copied.append(k)

    def _final(self, k: int) -> tuple[_Ring | None, int]:
        """The ring, and the place in it, in which a carry is at last, if that is known."""
        left = self.length or 0
        for _ in self.outs:
            o, left = self.outs[k], left - 1
            if left < 0 or not isinstance(o, Var):
                break
            if o in self.rings:
                return self.rings[o], left % len(self.rings[o].slots)
            if o not in self.number:
                break
            k = self.number[o]
        return None, 0

    def _source(self, x: Any, k: int) -> View:
        return self.values.stored(x, self.now[k].dtype)

    def _behind(self) -> None:
        """Which arrays the slots may point to; values that change places pass theirs on."""
        found = -1
        while found != (found := sum(len(self.values.views[v].buffer.behind) for v in self.now)):
            for k, v in enumerate(self.now):
                for x in (self.outs[k],) if k in self.chains else (self.init[k], self.outs[k]):
                    self.values.views[v].buffer.behind |= behind(self._source(x, k).buffer)

    def before(self) -> list[Step]:
        """Where the slots point at first."""
        steps: list[Step] = []
        for ring in self.rings.values():
            steps += [Point(s, p) for s, p in zip(ring.slots, ring.places, strict=True) if p]
        steps += self._copied({k: self.outs[k] for k in self.chains}, self.init)
        for k, v in enumerate(self.now):
            first = self.outs[k] if k in self.chains else self.init[k]
            steps.append(Point(self.values.slot_of(v), self._source(first, k)))
        return steps

    def moves(self) -> list[Step]:
        """From one iteration to the next."""
        first: list[Step] = []
        then: list[Step] = []
        for k, (v, o) in enumerate(zip(self.now, self.outs, strict=True)):
            source = self._source(o, k)
            if o is v:
                continue
            if isinstance(o, Var) and o in self.number:  # read it before it changes
                held = self.values.pointer(v.shape, v.dtype)
                first.append(Point(self.values.slot_of(held), source))
                source = self.values.views[held]
            then.append(Point(self.values.slot_of(v), source))
        return [*first, *then, *(s for ring in self.rings.values() for s in ring.turn())]

    def after(self) -> list[Step]:
        """Copies of results that are not where they belong."""
        return self._copied({k: self.results[k] for k in self.copied}, self.now)

    def _copied(self, to: dict[int, Var], given: Sequence[Any]) -> list[Step]:
        """Copies of some of the carries to the places of variables."""
        flat = Flat(self.values)
        for k, v in to.items():
            made = flat.copy(given[k], self.now[k])
            self.values.views[made] = self.values.views[v]
        return self.low.body(flat, [v for eq in flat.equations for v in eq.outs])
