"""Where the values of a program live outside tiles, and the slots of its frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.compiler.lower import maps
from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.core.graph import Equation, Graph, Var

# The frame's first slots: nothing, the number of threads, the arena, the workspace of all threads.
ARENA_SLOT, TILE_SLOT, FIRST_SLOT = 2, 3, 4


class Values:
    """Views of a program's values; slots are numbered as they are asked for.

    Parameters
    ----------
    threads : int
    native : callable
        ``native(eq)``: whether kernels can be made for an equation.

    Attributes
    ----------
    arena : list of Buffer
        Arrays that the program needs for itself.
    constants : list of (slot, array)
    inputs : list of int
        The slot of each input.
    results : dict
        The slot of each variable that is a result.
    hosted : set of Var
        Those whose arrays Python makes.
    status : ndarray
        What a library's function returned, if that was not 0.
    changing : set of Var
        The values that one array takes as a loop replaces parts of it.
    """

    def __init__(self, threads: int, native: Callable[[Equation], bool]) -> None:
        self.threads, self.native = threads, native
        self.status = np.zeros(1, np.int64)
        self.slots = FIRST_SLOT
        self.views: dict[Var, View] = {}
        self.arena: list[Buffer] = []
        self.constants: list[tuple[int, np.ndarray]] = []
        self.inputs: list[int] = []
        self.results: dict[Var, int] = {}
        self.hosted: set[Var] = set()
        self.changing: set[Var] = set()
        self._constants: dict[Any, tuple[Any, Var]] = {}

    def interface(self, graph: Graph) -> None:
        """Give inputs and results of the whole program their slots."""
        self.inputs = [self.named(v) for v in graph.inputs]
        own = {v for eq in graph.equations for v in eq.outs}
        for v in graph.outputs:
            if isinstance(v, Var) and v in own and v not in self.results:
                self.results[v] = self.named(v)

    def slot(self) -> int:
        """A new slot."""
        self.slots += 1
        return self.slots - 1

    def named(self, v: Var) -> int:
        """Give a variable's array a slot of its own."""
        return self.point(v, self.slot())

    def point(self, v: Var, slot: int) -> int:
        """A variable's array is where a slot points to."""
        self.views[v] = Buffer(Place.FRAME, v.dtype, tuple(v.shape), slot).view()
        return slot

    def pointer(self, shape: tuple[int, ...], dtype: Any) -> Var:
        """A new variable, which is wherever its slot points to."""
        v = Var(None, shape, dtype)
        self.named(v)
        return v

    def slot_of(self, v: Var) -> int:
        """The slot that holds the address of a variable."""
        return self.views[v].buffer.slot

    def constant(self, array: Any, dtype: Any = None) -> Var:
        """The variable of an array that does not change."""
        dtype = np.dtype(dtype or array.dtype)
        key = (id(array), dtype)
        if key not in self._constants:
            v = Var(None, np.shape(array), dtype)
            self._constants[key] = array, v  # as long as the array is held, its id is its own
            self.constants.append((self.named(v), np.asarray(array, dtype, order="C")))
        return self._constants[key][1]

    def known(self, v: Var) -> np.ndarray | None:
        """The array of a variable that does not change."""
        return next((np.asarray(array) for array, made in self._constants.values() if made is v), None)

    def numbers(self, value: Any, dtype: Any, count: int) -> View:
        """An array of equal numbers."""
        key = ("numbers", repr(value), np.dtype(dtype), count)
        if key not in self._constants:
            array = np.full(count, value, dtype)
            self._constants[key] = array, self.constant(array)
        return self.views[self._constants[key][1]]

    def view(self, v: Any) -> View | None:
        """Where a variable lives, if it has a place."""
        return self.views.get(v)

    def whole(self, v: Var) -> View:
        """A place for a variable of a region or a later one."""
        if v not in self.views:
            self.views[v] = self.array(v).view()
        return self.views[v]

    def stored(self, x: Any, dtype: Any) -> View:
        """Where a variable that has a place or a constant is."""
        return self.views[x if isinstance(x, Var) else self.constant(x, dtype)]

    def array(self, like: Var) -> Buffer:
        """A new array of the arena, of a variable's shape and dtype."""
        self.arena.append(Buffer(Place.ARENA, like.dtype, tuple(like.shape)))
        return self.arena[-1]

    def sums(self, v: Var) -> View:
        """A place for each thread's part of a sum."""
        buffer = Buffer(Place.ARENA, v.dtype, (self.threads, *v.shape))
        self.arena.append(buffer)
        return View(buffer, 0, maps.strides_of(tuple(v.shape)), per_thread=buffer.nbytes // self.threads)
