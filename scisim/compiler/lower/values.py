"""Where the values of a program live outside tiles, and the slots of its frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.lower import maps
from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.core.graph import Graph, Var

# The frame's first slots: nothing, the number of threads, the arena, the workspace of all threads.
ARENA_SLOT, TILE_SLOT, FIRST_SLOT = 2, 3, 4


class Values:
    """Views of a program's values; slots are numbered as they are asked for.

    Attributes
    ----------
    arena : list of Buffer
        Arrays that the program needs for itself.
    constants : list of (slot, array)
    results : dict
        The slot of each variable that is a result.
    """

    def __init__(self, graph: Graph, threads: int) -> None:
        self.threads = threads
        self.slots = FIRST_SLOT
        self.views: dict[Var, View] = {}
        self.arena: list[Buffer] = []
        self.constants: list[tuple[int, np.ndarray]] = []
        self.inputs = [self.named(v) for v in graph.inputs]
        own = {v for eq in graph.equations for v in eq.outs}
        self.results: dict[Var, int] = {}
        for v in graph.outputs:
            if isinstance(v, Var) and v in own and v not in self.results:
                self.results[v] = self.named(v)

    def slot(self) -> int:
        """A new slot."""
        self.slots += 1
        return self.slots - 1

    def named(self, v: Var) -> int:
        """Give a variable's array a slot of its own."""
        slot = self.slot()
        self.views[v] = Buffer(Place.FRAME, v.dtype, tuple(v.shape), slot).view()
        return slot

    def constant(self, v: Var, array: np.ndarray) -> None:
        """Give a variable the place of an array that does not change."""
        self.constants.append((self.named(v), np.ascontiguousarray(array)))

    def view(self, v: Any) -> View | None:
        """Where a variable lives, if it has a place."""
        return self.views.get(v)

    def whole(self, v: Var) -> View:
        """A place for a variable of a region or a later one."""
        if v not in self.views:
            buffer = Buffer(Place.ARENA, v.dtype, tuple(v.shape))
            self.arena.append(buffer)
            self.views[v] = buffer.view()
        return self.views[v]

    def sums(self, v: Var) -> View:
        """A place for each thread's part of a sum."""
        buffer = Buffer(Place.ARENA, v.dtype, (self.threads, *v.shape))
        self.arena.append(buffer)
        return View(buffer, 0, maps.strides_of(tuple(v.shape)), per_thread=buffer.nbytes // self.threads)
