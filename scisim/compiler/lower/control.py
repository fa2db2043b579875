"""Loops and conditions as steps, whose bodies are lowered as parts of the program that they are in.

The carried values of a loop are wherever slots of the frame point to.  An iteration reads them there and writes what it
makes to other arrays; then the slots are pointed there, so that nothing is copied and nothing allocated.  A value made
in one iteration may be needed for several more, as in ``(u_before, u) -> (u, u_next)``: so many arrays, and one more,
take turns (`_Ring`).  Slices of what a scan reads and stacks are slots that advance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.compiler.lower.flat import Flat
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.memory import behind
from scisim.compiler.lower.steps import Advance, Cond, For, Point, Step, Swap, While
from scisim.compiler.lower.values import Values
from scisim.core.graph import Equation, Var


@dataclass
class _Ring:
    """Arrays that take turns to hold what iterations make of one variable; the first slot's is written next."""

    slots: list[int]
    places: list[View | None]

    def turn(self) -> list[Step]:
        return [Swap(a, b) for a, b in zip(self.slots, self.slots[1:], strict=False)]


class _Carries:
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

    def place(self, flat: Flat, outs: Sequence[Any]) -> None:
        """Decide where an iteration writes each next value; what has a place already stays there."""
        self.outs = list(outs)
        own = flat.own().difference(self.values.views)
        for v in dict.fromkeys(o for o in outs if isinstance(o, Var) and o in own):
            turns = 1 + max(self._lasts(k) for k, o in enumerate(outs) if o is v)
            turns = turns if self.length is None else min(turns, self.length)
            ring = self.rings[v] = _Ring([self.values.slot() for _ in range(turns)], [None] * turns)
            self.values.point(v, ring.slots[0])
        for k, v in enumerate(self.results):
            self._deliver(k, v)
        for v, ring in self.rings.items():
            ring.places = [p or self.values.array(v).view() for p in ring.places]
            self.values.views[v].buffer.behind.update(*(behind(p.buffer) for p in ring.places if p))
        self._behind()

    def _lasts(self, k: int) -> int:
        """The number of iterations for which a value that one makes as carry ``k`` is needed."""
        return 1 + max((self._lasts(j) for j, o in enumerate(self.outs) if o is self.now[k]), default=0)

    def _deliver(self, k: int, v: Var) -> None:
        """See to it that a result gets where it belongs, or is read where it is."""
        if v not in self.values.views:
            self.values.views[v] = self.values.views[self.now[k]]
            return
        ring, at = self._final(k)
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
                for x in (self.init[k], self.outs[k]):
                    self.values.views[v].buffer.behind |= behind(self._source(x, k).buffer)

    def before(self) -> list[Step]:
        """Where the slots point at first."""
        steps: list[Step] = [
            Point(self.values.slot_of(v), self._source(self.init[k], k)) for k, v in enumerate(self.now)
        ]
        for ring in self.rings.values():
            steps += [Point(s, p) for s, p in zip(ring.slots, ring.places, strict=True) if p]
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
        flat = Flat(self.values)
        for k in self.copied:
            made, v = flat.copy(self.now[k], self.now[k]), self.results[k]
            self.values.views[made] = self.values.views[v]
        return self.low.body(flat, [v for eq in flat.equations for v in eq.outs])


def scan(low: Any, eq: Equation) -> list[Step]:
    """A loop over slices."""
    p, values = eq.params, low.values
    c, n, length = p["consts"], p["carries"], p["length"]
    carries = _Carries(low, eq.args[c : c + n], eq.outs[:n], length)
    read = [values.pointer(x.shape[1:], x.dtype) for x in eq.args[c + n :]]
    flat = Flat(values)
    outs = flat.replay(p["body"], [*eq.args[:c], *carries.now, *read])
    made = flat.separate(outs[n:], p["body"].outputs[n:])
    for v in made:
        values.named(v)
    wholes = [*(values.stored(x, x.dtype) for x in eq.args[c + n :]), *map(values.whole, eq.outs[n:])]
    start: list[Step] = []
    advance: list[Step] = []
    for part, whole in zip([*read, *made], wholes, strict=True):
        row = math.prod(part.shape) * part.dtype.itemsize
        values.views[part].buffer.behind |= behind(whole.buffer)
        start.append(Point(values.slot_of(part), whole, (length - 1) * row if p.get("backwards") else 0))
        advance.append(Advance(values.slot_of(part), -row if p.get("backwards") else row))
    carries.place(flat, outs[:n])
    body = low.body(flat, [*made, *outs[:n]])
    loop = For(length, [*body, *carries.moves(), *advance])
    return [*start, *carries.before(), loop, *carries.after()]


def while_(low: Any, eq: Equation) -> list[Step]:
    """A loop with a test."""
    p, values, c = eq.params, low.values, eq.params["consts"]
    carries = _Carries(low, eq.args[c:], eq.outs, None)
    flat, test = Flat(values), Flat(values)
    outs = flat.replay(p["body"], [*eq.args[:c], *carries.now])
    holds = test.boolean(test.replay(p["test"], [*eq.args[:c], *carries.now])[0])
    carries.place(flat, outs)
    before = low.body(test, [holds])
    body = low.body(flat, outs)
    loop = While(values.stored(holds, np.dtype(bool)), before, [*body, *carries.moves()])
    return [*carries.before(), loop, *carries.after()]


def cond(low: Any, eq: Equation) -> list[Step]:
    """One of two bodies, which write results to the same places, or point to what exists."""
    pred, *args = eq.args
    sides = _Sides(low.values, eq.outs)
    first, second = (sides.steps(low, graph, args) for graph in eq.params["branches"])
    return [Cond(low.values.stored(pred, np.dtype(bool)), first, second)]


class _Sides:
    """The results of a condition: those that have a place are written there, the others are slots that point."""

    def __init__(self, values: Values, results: Sequence[Var]) -> None:
        self.values = values
        self.placed = [v for v in results if v in values.views]
        self.free = [v for v in results if v not in values.views]
        self.number = {v: k for k, v in enumerate(results)}
        self.arrays: dict[Var, View] = {}
        for v in self.free:
            values.named(v)

    def steps(self, low: Any, graph: Any, args: Sequence[Any]) -> list[Step]:
        """One body."""
        flat, values = Flat(self.values), self.values
        outs = flat.replay(graph, args)
        placed = flat.separate([outs[self.number[v]] for v in self.placed], self.placed)
        for o, v in zip(placed, self.placed, strict=True):
            values.views[o] = values.views[v]
        own = flat.own()
        points: list[Step] = []
        for v in self.free:
            o = outs[self.number[v]]
            if isinstance(o, Var) and o in own and o not in values.views:
                values.views[o] = self._array(v)
            source = values.stored(o, v.dtype)
            values.views[v].buffer.behind |= behind(source.buffer)
            points.append(Point(values.slot_of(v), source))
        return [*low.body(flat, [*placed, *outs]), *points]

    def _array(self, v: Var) -> View:
        """Where either body writes a result."""
        if v not in self.arrays:
            self.arrays[v] = self.values.array(v).view()
        return self.arrays[v]


CONTROL: dict[str, Callable[[Any, Equation], list[Step]]] = {"scan": scan, "while": while_, "cond": cond}
