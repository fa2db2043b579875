"""A program ready to run on arrays: its image with addresses, its memory, and calls of it."""

from __future__ import annotations

import ctypes
import functools
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu.blocks import POOL, aligned
from scisim.compiler.cpu.entry import Entry, Fixed, Given, Passed, Taken, make_entry
from scisim.compiler.cpu.executor import Bound, executor
from scisim.compiler.cpu.library import Kernel
from scisim.compiler.cpu.pool import pool
from scisim.compiler.lower.assemble import Assembly
from scisim.compiler.lower.calls import Held
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.program import lower, native
from scisim.compiler.lower.rows import in_a_row
from scisim.compiler.lower.steps import Host, Lowered, Region
from scisim.compiler.lower.values import ARENA_SLOT, TILE_SLOT
from scisim.compiler.passes.apart import joined
from scisim.compiler.plan import Array, Plan, plan_of, shaped
from scisim.compiler.program import SILENT, Program
from scisim.core.errors import ScisimError
from scisim.core.graph import Graph, Var
from scisim.core.source import note

# Seconds to wait for a run to end: it never does where it is the caller that was interrupted, by a signal's handler.
_PATIENCE = 0.5
_SILENT: AbstractContextManager = nullcontext()


class Parts(NamedTuple):
    """What a program was made of, to look at."""

    graph: Graph
    lowered: Lowered
    assembly: Assembly
    kernels: dict[str, Kernel]


class _Frame(np.ndarray):
    """A frame that keeps alive what its slots point to: an entry into a program may outlive it."""

    held: tuple


class NativeProgram:
    """A graph made ready to run on arrays.

    Parameters
    ----------
    graph : Graph
    donated : sequence of int
        Positions of arguments whose memory results may take.
    answering : tuple of int, optional
        For a guarded graph, from `passes.guarded`.
    lines : bool
        Whether functions of libraries may be called on lines.
    """

    direct: Program | None = None  # what runs a graph of which every step is in Python: nothing is called natively
    held: tuple[Held, ...] = ()  # what addresses in the program are of
    status = np.zeros(1, np.int64)  # what a library's function returned, if that was not 0
    usable: tuple[Callable[[], bool], ...] = ()  # whether the libraries that it calls are to be used now

    def __init__(
        self,
        graph: Graph,
        donated: Sequence[int] = (),
        answering: tuple[int, ...] | None = None,
        lines: bool = True,
    ) -> None:
        runner = executor()
        bits, row = runner.library.target.vector_bits, in_a_row(graph, native)
        lowered = lower(row or graph, bits, pool().threads, here=lines and joined(graph))
        calls = [c for s in lowered.every() if isinstance(s, Region) for c in s.calls]
        self._parts: Parts | None = Parts(graph, lowered, Assembly(lowered), {c.kernel.name: c.kernel for c in calls})
        self.held = tuple(c.held for c in calls if c.held is not None)
        self.usable = tuple({h.lines.usable for h in self.held})
        self.status = lowered.values.status
        self._again: Callable[[], NativeProgram] | None = None
        self.made: dict[int, np.ndarray] = {}  # what host steps made, by slot
        self.hosts = [_HostStep(step, first, self.made) for step, first in self.assembly.hosts]
        bound = runner.bind(self.assembly.image, list(self.kernels.values()), self.hosts)
        if self.hosts and all(isinstance(s, Host) for s in lowered.every()):
            self.direct = Program(graph, told=True)
        self._begin(shaped(plan_of(self.assembly, donated, answering), graph), bound)

    @classmethod
    def of(cls, plan: Plan, bound: Bound, again: Callable[[], NativeProgram]) -> NativeProgram:
        """A program from the disk; ``again`` makes it from the graph, to look at."""
        self = object.__new__(cls)
        self._parts, self._again, self.made, self.hosts = None, again, {}, []
        self._begin(plan, bound)
        return self

    def _begin(self, plan: Plan, bound: Bound) -> None:
        self.plan, self.bound, self._run = plan, bound, executor().run
        self.lock = threading.Lock()
        self.entry: Entry | None = None
        self._bare: Entry | None = None  # the way in for arrays one by one
        self._called = False
        arena, tiles, cells, count = plan.sizes
        self.arena, self.tiles = aligned(arena), aligned(tiles * pool().threads)
        self.cell_array = np.zeros(max(1, count), np.int64)
        for h in self.hosts:
            h.cells = self.cell_array
        own = ((ARENA_SLOT, self.arena), (TILE_SLOT, self.tiles), (cells, self.cell_array))
        frame = bound.frame().view(_Frame)
        for slot, array in (*own, *plan.constants):
            frame[slot] = array.ctypes.data
        frame.held = (*own, *plan.constants, *self.held, self.status)
        self.frame: np.ndarray = frame
        self.allocated = [a for a in plan.results if not a.hosted]

    # --- to look at

    def built(self) -> NativeProgram:
        """The program as it is made from the graph; itself unless it came from the disk."""
        return self if self._again is None else self._again()

    @property
    def parts(self) -> Parts:
        """What it is made of."""
        if self._parts is None:
            self._parts = self.built().parts
        return self._parts

    @property
    def graph(self) -> Graph:
        return self.parts.graph

    @property
    def lowered(self) -> Lowered:
        return self.parts.lowered

    @property
    def assembly(self) -> Assembly:
        return self.parts.assembly

    @property
    def kernels(self) -> dict[str, Kernel]:
        """By name."""
        return self.parts.kernels

    # --- calls

    def gives(self) -> list[Any] | None:
        """How the fast entry gives the outputs; None where it does not, as something is to be looked at first."""
        return None if self.usable else self._gives()

    def _gives(self) -> list[Any] | None:
        found = [self._given(v) for v in self.plan.outputs]
        slots = [g.slot for g in found if isinstance(g, Given)]
        once = len(set(slots)) == len(slots)  # it would make two arrays for one that is two results
        return found if once and None not in found else None

    def _given(self, v: Any) -> Any:
        if isinstance(v, int):
            return Passed(v)
        if not isinstance(v, Array):
            return Fixed(v)
        return None if v.hosted or v.slot in self.plan.donated else Given(v.slot, v.shape, v.dtype)

    def open(self, takes: Sequence[Taken], gives: Sequence[Any], container: type | None) -> Entry:
        """The fast entry for these arguments and results, in the place of one that there was."""
        if not self.lock.acquire(timeout=_PATIENCE):
            return Entry(None)
        try:
            if self.entry is not None:
                if not _claimed(self.entry):  # a call in it uses the frame that both share
                    return Entry(None)
                self.entry.close()
            self.entry = make_entry(self.bound, self.frame, takes, gives, container)
            return self.entry
        finally:
            self.lock.release()

    def __call__(self, *args: Any) -> list[Any]:
        """Run on arrays."""
        if self.direct is not None:
            return self.direct(*args)
        if not all(usable() for usable in self.usable):
            return self._without_lines(*args)
        if not self.lock.acquire(timeout=_PATIENCE):
            return self._second()(*args)
        try:
            entry = self.entry
            if entry is not None and not _claimed(entry):
                return self._second()(*args)
            try:
                outs = self._results(args)
            finally:
                if entry is not None:
                    entry.release()
            if self.held and self.status[0]:
                self._refused()
            return outs
        finally:
            self.lock.release()

    def _refused(self) -> None:
        """Tell what a library's function returned."""
        status, self.status[0] = int(self.status[0]), 0
        raise ScisimError(f"{self.graph.name}: {self.held[0].lines.explain(status)}")

    @functools.cached_property
    def _without_lines(self) -> NativeProgram:
        """The program with steps in Python, for the time that others compute them."""
        return NativeProgram(self.graph, (), self.plan.answering, lines=False)

    def _second(self) -> NativeProgram:
        """The same program with memory of its own, while this one is busy for long, maybe in this very thread."""
        if self.hosts or self.held:  # whose results, or what libraries return, belong to one run
            return NativeProgram(self.graph, (), self.plan.answering)
        return NativeProgram.of(self.plan, self.bound, lambda: self)

    def _results(self, args: Sequence[Any]) -> list[Any]:
        """Run natively if the arguments are what that takes; a program that is called once is not made ready for it."""
        if self._bare is None and self._called:
            gives = None if self.hosts else self._gives()
            takes = [Taken(a.slot, a.shape, a.dtype) for a in self.plan.inputs]
            self._bare = Entry(None) if gives is None else make_entry(self.bound, self.frame, takes, gives, list, True)
        self._called = True
        found = NotImplemented if self._bare is None else self._bare.call(*args)
        return self._general(args) if found is NotImplemented else found

    def close_bare(self) -> None:
        """Have the way in for arrays made anew, as the program that it runs is another one now."""
        self._bare = None

    def _general(self, args: Sequence[Any]) -> list[Any]:
        frame, plan = self.frame, self.plan
        held = [np.ascontiguousarray(a, like.dtype) for a, like in zip(args, plan.inputs, strict=True)]
        given = {like.slot: a for like, a in zip(plan.inputs, held, strict=True)}
        outs: dict[int, np.ndarray] = {}
        for slot, shape, dtype, _ in self.allocated:
            taken = given[plan.donated[slot]] if slot in plan.donated else None
            outs[slot] = taken if taken is not None and _alone(taken, held) else POOL.empty(shape, dtype)
        for slot, a in (*given.items(), *outs.items()):
            frame[slot] = a.ctypes.data
        try:
            self._run(self.bound, frame)
            outs.update(self.made)
        finally:
            self.made.clear()
        return [outs[v.slot] if isinstance(v, Array) else args[v] if isinstance(v, int) else v for v in plan.outputs]


def _claimed(entry: Entry) -> bool:
    """Whether the fast call that another thread may be in has ended in time."""
    last = time.monotonic() + _PATIENCE
    while not entry.claim():
        if time.monotonic() > last:
            return False
        time.sleep(1e-5)
    return True


class _HostStep:
    """A Python function that native code calls with the addresses of its operands."""

    def __init__(self, step: Host, first: int, made: dict[int, np.ndarray]) -> None:
        self.step, self.first, self.made = step, first, made
        self.cells: Any = None
        eq = step.equation
        self.args = [a if v is None else _Place(v, a.shape, a.dtype) for a, v in zip(eq.args, step.args, strict=True)]
        self.into = [
            None if v is None else _Place(v, r.shape, r.dtype) for v, r in zip(step.into, eq.outs, strict=True)
        ]
        self.addresses: Any = ctypes.c_int64 * sum(type(a) is _Place for a in (*self.args, *self.into))
        placed = all(v is not None and v.contiguous(r.shape) for v, r in zip(step.into, eq.outs, strict=True))
        self.fill = eq.prim.into if placed else None

    def __call__(self, addresses: int) -> None:
        eq = self.step.equation
        for old in self.step.drops:
            self.made.pop(old, None)
        left = iter(self.addresses.from_address(addresses))
        args = [a.at(next(left)) if type(a) is _Place else a for a in self.args]
        try:
            with _SILENT if eq.prim.name in SILENT else np.errstate(all="ignore"):
                if self.fill is not None:
                    outs = [p.at(next(left)) for p in self.into if p is not None]
                    self.fill(outs if eq.prim.multiple else outs[0], *args, **eq.params)
                    return
                made = eq.prim.evaluate(*args, **eq.params)
        except ScisimError as error:
            note(error, f"in {eq.prim.name}", eq.source, recorded=True)
            raise
        self._deliver(made if eq.prim.multiple else (made,), left)

    def _deliver(self, made: Sequence[Any], left: Iterator[int]) -> None:
        """Copy results to their places, or keep them and tell where they are."""
        for k, (r, v) in enumerate(zip(made, self.step.equation.outs, strict=True)):
            slot, into = self.step.slots[k], self.into[k]
            if into is not None:
                np.copyto(into.at(next(left)), r, casting="unsafe")
            elif slot is not None:
                self.made[slot] = r = _owned(r, v)
                self.cells[self.first + k] = r.__array_interface__["data"][0]


class _Place:
    """Where arrays of a step in Python are: looked at anew only when the address is another than at the last run."""

    def __init__(self, view: View, shape: tuple[int, ...], dtype: Any) -> None:
        self.view, self.shape, self.dtype = view, shape, dtype
        self.last: tuple[int, Any] = (-1, None)

    def at(self, address: int) -> np.ndarray:
        """The array whose first element is at an address."""
        last = self.last
        if last[0] != address:
            last = self.last = (address, array_at(address, self.view, self.shape, self.dtype))
        return last[1]


_probed: dict[int, int] = {}


@functools.cache
def _references() -> int:
    """How many references to an argument a call holds by itself, which depends on the version of Python."""
    from scisim.compiler.jit import jit
    from scisim.core.tensor import Tensor

    given = Tensor(np.zeros(8))
    key = id(given._v)
    _probed[key] = 0
    try:
        jit(lambda x: x + 1.0, donate_argnums=0)(given)
    finally:
        count = _probed.pop(key)
    return count


def _alone(taken: np.ndarray, arrays: Sequence[np.ndarray]) -> bool:
    """Whether an argument may be written over: its memory is its own, and nothing else lies in it.

    Parts of tensors are views: a part that is given up leaves the whole alone, and a whole its living parts.
    """
    count = sys.getrefcount(taken)
    if id(taken) in _probed:
        _probed[id(taken)] = count
        return True
    owned = taken.base is None and taken.flags.writeable and count <= _references()
    return owned and sum(np.may_share_memory(taken, a) for a in arrays) == 1


def _owned(r: Any, v: Var) -> np.ndarray:
    """A result as an array in one piece, whose memory is NumPy's: operands are borrowed."""
    r = np.asarray(r, v.dtype)
    root = r
    while isinstance(root.base, np.ndarray):
        root = root.base
    kept = root.flags.owndata and r.flags.c_contiguous and r.shape == v.shape
    return r if kept else np.array(r, order="C").reshape(v.shape)


def array_at(where: int, view: View, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """The array whose first element is at an address."""
    strides = tuple(s * dtype.itemsize for s in view.strides)
    if math.prod(shape) == 0:
        return np.empty(shape, dtype)
    span = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize
    return np.ndarray(shape, dtype, (ctypes.c_char * span).from_address(where), 0, strides)
