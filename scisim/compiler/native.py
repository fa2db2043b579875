"""A graph as one native program: its image, its memory, and calls of it."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.cpu.blocks import POOL, SMALLEST
from scisim.compiler.cpu.entry import Entry, Fixed, Given, Passed, Taken, make_entry
from scisim.compiler.cpu.executor import executor
from scisim.compiler.cpu.pool import pool
from scisim.compiler.lower.assemble import Assembly
from scisim.compiler.lower.donation import donations
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.program import lower
from scisim.compiler.lower.steps import Host, Region
from scisim.compiler.lower.values import ARENA_SLOT, TILE_SLOT
from scisim.core.errors import ScisimError
from scisim.core.graph import Graph, Var
from scisim.core.source import note

ALIGNMENT = 64


class NativeProgram:
    """A graph made ready to run on arrays.

    Parameters
    ----------
    graph : Graph
    donated : sequence of int
        Positions of arguments whose memory results may take.
    """

    def __init__(self, graph: Graph, donated: Sequence[int] = ()) -> None:
        runner = executor()
        self.graph = graph
        self.lowered = lower(graph, runner.library.target.vector_bits, pool().threads)
        calls = (c for s in self.lowered.every() if isinstance(s, Region) for c in s.calls)
        self.kernels = {c.kernel.name: c.kernel for c in calls}
        self.assembly = Assembly(self.lowered)
        self.image = self.assembly.image
        self.made: dict[int, np.ndarray] = {}  # what host steps made, by slot
        self.hosts = [_HostStep(step, first, self.made) for step, first in self.assembly.hosts]
        self.bound = runner.bind(self.image, list(self.kernels.values()), self.hosts)
        self._run = runner.run
        self.donated = donations(self.lowered, [self.lowered.values.inputs[k] for k in donated]) if donated else {}
        self.lock = threading.Lock()
        self.entry: Entry | None = None
        self._memory()

    def _memory(self) -> None:
        low, values = self.lowered, self.lowered.values
        self.frame = self.bound.frame()
        self.arena = aligned(low.arena_bytes)
        self.tiles = aligned(low.tile_bytes * pool().threads)
        self.cell_array = np.zeros(max(1, self.assembly.count), np.int64)
        for h in self.hosts:
            h.cells = self.cell_array
        fixed = {
            ARENA_SLOT: self.arena,
            TILE_SLOT: self.tiles,
            self.assembly.cells: self.cell_array,
            **dict(values.constants),
        }
        for slot, array in fixed.items():
            self.frame[slot] = array.ctypes.data
        self.allocated = [
            (slot, tuple(v.shape), v.dtype) for v, slot in values.results.items() if v not in values.hosted
        ]

    def given(self, v: Any) -> Any:
        """How the fast entry gives an output; None where it does not."""
        if not isinstance(v, Var):
            return Fixed(np.asarray(v))
        slot = self.lowered.values.results.get(v)
        if slot is None:
            return Passed(next(k for k, i in enumerate(self.graph.inputs) if i is v))
        small = math.prod(v.shape) * v.dtype.itemsize < SMALLEST and slot not in self.donated
        return Given(slot, tuple(v.shape), v.dtype) if small and v not in self.lowered.values.hosted else None

    def open(self, takes: Sequence[Taken], gives: Sequence[Any], container: type | None) -> Entry:
        """The fast entry for these arguments and results, in the place of one that there was."""
        with self.lock:
            if self.entry is not None:
                self.entry.close()
            self.entry = make_entry(self.bound, self.frame, takes, gives, container)
            return self.entry

    def __call__(self, *args: Any) -> list[Any]:
        """Run on arrays."""
        with self.lock:
            entry = self.entry
            while entry is not None and not entry.claim():
                time.sleep(1e-5)  # another thread's fast call is about to end
            try:
                return self._general(args)
            finally:
                if entry is not None:
                    entry.release()

    def _general(self, args: Sequence[Any]) -> list[Any]:
        frame, values = self.frame, self.lowered.values
        held = [np.ascontiguousarray(a, v.dtype) for a, v in zip(args, self.graph.inputs, strict=True)]
        for slot, a in zip(values.inputs, held, strict=True):
            frame[slot] = a.ctypes.data
        outs: dict[int, np.ndarray] = {}
        given = dict(zip(values.inputs, held, strict=True))
        for slot, shape, dtype in self.allocated:
            taken = given[self.donated[slot]] if slot in self.donated else None
            outs[slot] = taken if taken is not None and _alone(taken, held) else POOL.empty(shape, dtype)
            frame[slot] = outs[slot].ctypes.data
        try:
            self._run(self.bound, frame)
            outs.update(self.made)
        finally:
            self.made.clear()
        return [self._result(v, args, outs) for v in self.lowered.graph.outputs]

    def _result(self, v: Any, args: Sequence[Any], outs: dict[int, np.ndarray]) -> Any:
        if not isinstance(v, Var):
            return v
        slot = self.lowered.values.results.get(v)
        if slot is None:
            return args[next(k for k, i in enumerate(self.graph.inputs) if i is v)]
        return outs[slot]


class _HostStep:
    """A Python function that native code calls with the addresses of its operands."""

    def __init__(self, step: Host, first: int, made: dict[int, np.ndarray]) -> None:
        self.step, self.first, self.made = step, first, made
        self.cells: Any = None

    def __call__(self, addresses: int) -> None:
        eq = self.step.equation
        for old in self.step.drops:
            self.made.pop(old, None)
        count = sum(v is not None for v in (*self.step.args, *self.step.into))
        found = (ctypes.c_int64 * count).from_address(addresses)
        left, args = iter(found), []
        for a, view in zip(eq.args, self.step.args, strict=True):
            args.append(a if view is None else array_at(next(left), view, a.shape, a.dtype))
        try:
            with np.errstate(all="ignore"):
                made = eq.prim.evaluate(*args, **eq.params)
        except ScisimError as error:
            note(error, f"in {eq.prim.name}", eq.source, recorded=True)
            raise
        for k, (r, v) in enumerate(zip(made if eq.prim.multiple else (made,), eq.outs, strict=True)):
            slot, into = self.step.slots[k], self.step.into[k]
            if into is not None:
                np.copyto(array_at(next(left), into, v.shape, v.dtype), r, casting="unsafe")
            elif slot is not None:
                self.made[slot] = r = _owned(r, v)
                self.cells[self.first + k] = r.ctypes.data


def _alone(taken: np.ndarray, arrays: Sequence[np.ndarray]) -> bool:
    """Whether an argument may be written over: no other argument lies in its memory."""
    return taken.flags.writeable and sum(np.may_share_memory(taken, a) for a in arrays) == 1


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


def aligned(nbytes: int) -> np.ndarray:
    """Bytes that start on a line of the cache."""
    raw = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + nbytes]
