"""A graph as one native program: its image, its memory, and calls of it."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.cpu.executor import executor
from scisim.compiler.cpu.image import Arg, Image, number
from scisim.compiler.cpu.pool import pool
from scisim.compiler.lower.calls import Address, Extent
from scisim.compiler.lower.layout import Place, View
from scisim.compiler.lower.program import Host, Lowered, Region, lower
from scisim.compiler.lower.values import ARENA_SLOT, TILE_SLOT
from scisim.core.graph import Graph, Var

ALIGNMENT = 64


class NativeProgram:
    """A graph made ready to run on arrays.

    Parameters
    ----------
    graph : Graph
    """

    def __init__(self, graph: Graph) -> None:
        runner = executor()
        self.graph = graph
        self.lowered = lower(graph, runner.library.target.vector_bits, pool().threads)
        self.kernels = {c.kernel.name: c.kernel for s in self.lowered.steps if isinstance(s, Region) for c in s.calls}
        self.hosts: list[_HostStep] = []
        self.image = self._image()
        self.bound = runner.bind(self.image, list(self.kernels.values()), self.hosts)
        self._run = runner.run
        self.lock = threading.Lock()
        self._memory()

    def _image(self) -> Image:
        values = self.lowered.values
        image = Image(slots=values.slots)
        self.cells = image.slot()
        for step in self.lowered.steps:
            if isinstance(step, Host):
                self._host(image, step)
            elif step.extent:
                with image.region(step.extent, step.tile, step.parallel):
                    self._calls(image, step)
            else:
                self._calls(image, step)
        return image

    def _calls(self, image: Image, region: Region) -> None:
        for call in region.calls:
            image.call(call.kernel.name, [self._arg(a) for a in call.args])

    def _arg(self, a: Address | Extent) -> Arg:
        if isinstance(a, Extent):
            return Arg(offset=a.const, by_length=a.per_length)
        return address(a.view, a.offset, a.per_start, self.lowered.tile_bytes)

    def _host(self, image: Image, step: Host) -> None:
        first = sum(len(h.step.slots) for h in self.hosts)
        host = _HostStep(step, first)
        args = [address(v, v.offset, 0, 0) for v in step.args if v is not None]
        image.host(len(self.hosts), args)
        self.hosts.append(host)
        for k, slot in enumerate(step.slots):
            image.load(slot, Arg(self.cells, 8 * (first + k)))

    def _memory(self) -> None:
        low, values = self.lowered, self.lowered.values
        self.frame = self.bound.frame()
        self.arena = aligned(low.arena_bytes)
        self.tiles = aligned(low.tile_bytes * pool().threads)
        self.cell_array = np.zeros(max(1, sum(len(h.step.slots) for h in self.hosts)), np.int64)
        for h in self.hosts:
            h.cells = self.cell_array
        fixed = {ARENA_SLOT: self.arena, TILE_SLOT: self.tiles, self.cells: self.cell_array, **dict(values.constants)}
        for slot, array in fixed.items():
            self.frame[slot] = array.ctypes.data
        made = {v for s in low.steps if isinstance(s, Host) for v in s.equation.outs}
        self.allocated = [(slot, tuple(v.shape), v.dtype) for v, slot in values.results.items() if v not in made]

    def __call__(self, *args: Any) -> list[Any]:
        """Run on arrays."""
        with self.lock:
            frame, values = self.frame, self.lowered.values
            held = [np.ascontiguousarray(a, v.dtype) for a, v in zip(args, self.graph.inputs, strict=True)]
            for slot, a in zip(values.inputs, held, strict=True):
                frame[slot] = a.ctypes.data
            outs: dict[int, np.ndarray] = {}
            for slot, shape, dtype in self.allocated:
                outs[slot] = np.empty(shape, dtype)
                frame[slot] = outs[slot].ctypes.data
            self._run(self.bound, frame)
            return [self._result(v, args, outs) for v in self.graph.outputs]

    def _result(self, v: Any, args: Sequence[Any], outs: dict[int, np.ndarray]) -> Any:
        if not isinstance(v, Var):
            return v
        slot = self.lowered.values.results.get(v)
        if slot is None:
            return args[self.graph.inputs.index(v)]
        if slot in outs:
            return outs[slot]
        return next(h.results[slot] for h in self.hosts if slot in h.results)


class _HostStep:
    """A Python function that native code calls with the addresses of its operands."""

    def __init__(self, step: Host, first: int) -> None:
        self.step, self.first = step, first
        self.cells: Any = None
        self.results: dict[int, np.ndarray] = {}

    def __call__(self, addresses: int) -> None:
        eq = self.step.equation
        found = (ctypes.c_int64 * len(self.step.args)).from_address(addresses)
        left, args = iter(found), []
        for a, view in zip(eq.args, self.step.args, strict=True):
            args.append(a if view is None else array_at(next(left), view, a.shape, a.dtype))
        with np.errstate(all="ignore"):
            result = eq.prim.evaluate(*args, **eq.params)
        for k, (slot, r, v) in enumerate(zip(self.step.slots, result if eq.prim.multiple else (result,), eq.outs,
                                             strict=True)):  # fmt: skip
            r = np.ascontiguousarray(np.array(r, v.dtype, copy=None)).reshape(v.shape)
            r = r if r.base is None else r.copy()
            self.results[slot] = r
            self.cells[self.first + k] = r.ctypes.data


def address(view: View, offset: int, per_start: int, tile_bytes: int) -> Arg:
    """The argument for an element of a view."""
    buffer, item = view.buffer, view.buffer.dtype.itemsize
    moves = (per_start * item, view.per_length * item)
    if buffer.place is Place.FRAME:
        return Arg(buffer.slot, offset * item, *moves)
    if buffer.place is Place.ARENA:
        return Arg(ARENA_SLOT, buffer.offset + offset * item, *moves, view.per_thread)
    return Arg(TILE_SLOT, buffer.offset + offset * item, *moves, tile_bytes)


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


__all__ = ["Lowered", "NativeProgram", "number"]
