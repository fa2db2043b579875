"""Loops and conditions as steps, whose bodies are lowered as parts of the program that they are in.

Slices of what a scan reads and stacks are slots that advance; `carries` tells of what loops carry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.compiler.lower import indices
from scisim.compiler.lower.carries import Carries
from scisim.compiler.lower.elements import gather, scatter
from scisim.compiler.lower.flat import Flat
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.memory import behind
from scisim.compiler.lower.steps import Advance, Cond, For, Point, Step, While
from scisim.compiler.lower.values import Values
from scisim.core.graph import Equation, Var


def scan(low: Any, eq: Equation) -> list[Step]:
    """A loop over slices."""
    p, values = eq.params, low.values
    c, n, length = p["consts"], p["carries"], p["length"]
    carries = Carries(low, eq.args[c : c + n], eq.outs[:n], length)
    read = [values.pointer(x.shape[1:], x.dtype) for x in eq.args[c + n :]]
    flat = Flat(values)
    outs = flat.replay(p["body"], [*eq.args[:c], *carries.now, *read])
    made = flat.separate(outs[n:], p["body"].outputs[n:])
    for v in made:
        values.named(v)
    wholes = [*(values.stored(x, x.dtype) for x in eq.args[c + n :]), *map(values.whole, eq.outs[n:])]
    start, advance = _slices(values, [*read, *made], wholes, length, p.get("backwards", False))
    carries.place(flat, outs[:n])
    body = low.body(flat, [*made, *outs[:n]])
    loop = For(length, [*body, *carries.moves(), *advance])
    return [*start, *carries.before(), loop, *carries.after()]


def _slices(
    values: Values, parts: list[Var], wholes: list[View], length: int, backwards: bool
) -> tuple[list[Step], list[Step]]:
    """Where slices are in the first iteration, and how they get to the next ones."""
    start: list[Step] = []
    advance: list[Step] = []
    for part, whole in zip(parts, wholes, strict=True):
        row = math.prod(part.shape) * part.dtype.itemsize
        values.views[part].buffer.behind |= behind(whole.buffer)
        start.append(Point(values.slot_of(part), whole, (length - 1) * row if backwards else 0))
        advance.append(Advance(values.slot_of(part), -row if backwards else row))
    return start, advance


def while_(low: Any, eq: Equation) -> list[Step]:
    """A loop with a test."""
    p, values, c = eq.params, low.values, eq.params["consts"]
    carries = Carries(low, eq.args[c:], eq.outs, None)
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


CONTROL: dict[str, Callable[[Any, Equation], list[Step] | None]] = {
    "scan": scan, "while": while_, "cond": cond, "gather": gather,
    "scatter": lambda low, eq: scatter(low, eq) or indices.scatter(low, eq),
    "outside": indices.refused,
}  # fmt: skip
