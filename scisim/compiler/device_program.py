"""Programs on the hardware of any backend: the image of a program, stepped through from Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from scisim.compiler.cpu import records
from scisim.compiler.cpu.image import Arg
from scisim.compiler.lower.assemble import Assembly
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.program import lower
from scisim.compiler.lower.steps import Host, Region
from scisim.compiler.lower.values import ARENA_SLOT, TILE_SLOT
from scisim.core.devices import BACKENDS
from scisim.core.graph import Graph, Var


class DeviceProgram:
    """A graph made ready to run on a device of a `KernelBackend`.

    Parameters
    ----------
    graph : Graph
    device : str
    """

    def __init__(self, graph: Graph, device: str) -> None:
        self.graph, self.device = graph, device
        self.backend = BACKENDS[device.partition(":")[0]]
        self.lowered = lower(graph, self.backend.vector_bits(device), 1)
        calls = (c for s in self.lowered.every() if isinstance(s, Region) for c in s.calls)
        self.kernels = {c.kernel.name: c.kernel for c in calls}
        self.functions = self.backend.compile(device, list(self.kernels.values()))
        self.assembly = Assembly(self.lowered)
        self.constants = [(slot, np.ascontiguousarray(a)) for slot, a in self.lowered.values.constants]

    def __call__(self, *args: Any) -> list[Any]:
        """Run on arrays of the host."""
        with _Memory(self.backend, self.device).open() as memory:
            return _Run(self, memory, args).results()


class _Memory:
    """What a run has allocated, given back at its end."""

    def __init__(self, backend: Any, device: str) -> None:
        self.backend, self.device = backend, device
        self.held: list[int] = []

    @contextmanager
    def open(self) -> Iterator[_Memory]:
        try:
            yield self
        finally:
            for address in self.held:
                self.backend.free(self.device, address)

    def new(self, nbytes: int) -> int:
        """The address of so many bytes."""
        self.held.append(self.backend.allocate(self.device, max(nbytes, 64)))
        return self.held[-1]

    def put(self, array: np.ndarray) -> int:
        """The address of a copy of an array."""
        address = self.new(array.nbytes)
        self.write(address, array)
        return address

    def write(self, address: int, array: np.ndarray) -> None:
        if array.nbytes:
            self.backend.copy_in(self.device, address, array)

    def read(self, address: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """A copy of an array for the host."""
        out = np.empty(shape, dtype)
        if out.nbytes:
            self.backend.copy_out(self.device, address, out)
        return out


class _Run:
    """One run of a program: its frame, and the instruction that each kind of record is."""

    def __init__(self, program: DeviceProgram, memory: _Memory, args: Sequence[Any]) -> None:
        self.program, self.memory, self.image, self.args = program, memory, program.assembly.image, args
        low = program.lowered
        self.frame = [0] * self.image.slots
        self.frame[1] = 1  # threads
        self.frame[ARENA_SLOT], self.frame[TILE_SLOT] = memory.new(low.arena_bytes), memory.new(low.tile_bytes)
        self.cells: dict[int, int] = {}  # addresses of what host steps made
        self.tile = (0, 1)  # first index, and how many
        for slot, v, a in zip(low.values.inputs, program.graph.inputs, args, strict=True):
            self.frame[slot] = memory.put(np.ascontiguousarray(a, v.dtype))
        for slot, a in program.constants:
            self.frame[slot] = memory.put(a)
        for v, slot in low.values.results.items():
            self.frame[slot] = memory.new(math.prod(v.shape) * v.dtype.itemsize)
        self._run(0, len(self.image.code))

    def results(self) -> list[Any]:
        """The outputs, on the host."""
        return [self._result(v) for v in self.program.lowered.graph.outputs]

    def _result(self, v: Any) -> Any:
        if not isinstance(v, Var):
            return v
        slot = self.program.lowered.values.results.get(v)
        if slot is None:
            return self.args[next(k for k, i in enumerate(self.program.graph.inputs) if i is v)]
        return self.memory.read(self.frame[slot], tuple(v.shape), v.dtype)

    # --- instructions --------------------------------------------------------------------------------------------
    def _value(self, k: int) -> int:
        return self._at(self.image.arguments[k])

    def _at(self, a: Arg) -> int:
        start, length = self.tile
        return self.frame[a.slot] + a.offset + start * a.by_start + length * a.by_length

    def _holds(self, k: int) -> bool:
        return bool(self.memory.read(self._value(k), (1,), np.uint8)[0])

    def _run(self, at: int, end: int) -> None:
        steps: dict[int, Callable[[int, list[int]], int | None]] = {
            records.CALL: self._call,
            records.HOST: self._host,
            records.REGION: self._region,
            records.FOR: self._for,
            records.WHILE: self._while,
            records.COND: self._cond,
            records.SWAP: self._swap,
            records.ADVANCE: self._advance,
            records.SET: self._set,
            records.LOAD: self._load,
        }
        while at < end:
            record = self.image.code[at]
            at = steps[record[0]](at, record) or at + 1

    def _call(self, at: int, record: list[int]) -> None:
        _, kernel, first, count, *_ = record
        function = self.program.functions[self.image.kernels[kernel]]
        slots = [self._value(k) for k in range(first, first + count)]
        self.program.backend.launch(self.program.device, function, slots)

    def _region(self, at: int, record: list[int]) -> int:
        _, extent, tile, end, begin, *_ = record
        n, step = self._value(extent), self._value(tile)
        self._run(at + 1, begin)
        for start in range(0, n, step):
            self.tile = (start, min(step, n - start))
            self._run(begin, end)
        self.tile = (0, 1)
        return end

    def _for(self, at: int, record: list[int]) -> int:
        for _ in range(self._value(record[1])):
            self._run(at + 1, record[2])
        return record[2]

    def _while(self, at: int, record: list[int]) -> int:
        _, predicate, end, middle, *_ = record
        self._run(at + 1, middle)
        while self._holds(predicate):
            self._run(middle, end)
            self._run(at + 1, middle)
        return end

    def _cond(self, at: int, record: list[int]) -> int:
        _, predicate, end, middle, *_ = record
        first, last = (at + 1, middle) if self._holds(predicate) else (middle, end)
        self._run(first, last)
        return end

    def _swap(self, at: int, record: list[int]) -> None:
        _, a, b, *_ = record
        self.frame[a], self.frame[b] = self.frame[b], self.frame[a]

    def _advance(self, at: int, record: list[int]) -> None:
        self.frame[record[1]] += self._value(record[2])

    def _set(self, at: int, record: list[int]) -> None:
        self.frame[record[1]] = self._value(record[2])

    def _load(self, at: int, record: list[int]) -> None:
        self.frame[record[1]] = self.cells[self.image.arguments[record[2]].offset // 8]

    # --- operations without kernels ------------------------------------------------------------------------------
    def _host(self, at: int, record: list[int]) -> None:
        """Run an operation on the host, with copies of its operands."""
        _, number, first, count, *_ = record
        step, cell = self.program.assembly.hosts[number]
        addresses = iter([self._value(k) for k in range(first, first + count)])
        eq = step.equation
        args = [
            a if view is None else self._gathered(next(addresses), view, a)
            for a, view in zip(eq.args, step.args, strict=True)
        ]
        with np.errstate(all="ignore"):
            made = eq.prim.evaluate(*args, **eq.params)
        self._deliver(step, cell, made if eq.prim.multiple else (made,), addresses)

    def _deliver(self, step: Host, cell: int, made: Sequence[Any], addresses: Iterator[int]) -> None:
        for k, (r, v) in enumerate(zip(made, step.equation.outs, strict=True)):
            into = step.into[k]
            array = np.ascontiguousarray(np.asarray(r, v.dtype)).reshape(v.shape)
            if into is not None:
                self._scatter(next(addresses), into, array)
            elif step.slots[k] is not None:
                self.cells[cell + k] = self.memory.put(array)

    def _gathered(self, address: int, view: View, like: Any) -> np.ndarray:
        """A copy of a strided array on the device."""
        return np.array(_strided(self._span(address, view, like), view, like))

    def _span(self, address: int, view: View, like: Any) -> np.ndarray:
        size = sum((n - 1) * s for n, s in zip(like.shape, view.strides, strict=True)) + 1
        return self.memory.read(address, (size if math.prod(like.shape) else 0,), like.dtype)

    def _scatter(self, address: int, view: View, array: np.ndarray) -> None:
        span = self._span(address, view, array)
        _strided(span, view, array)[...] = array
        self.memory.write(address, span)


def _strided(span: np.ndarray, view: View, like: Any) -> np.ndarray:
    if not span.size:
        return np.empty(like.shape, like.dtype)
    strides = tuple(s * span.itemsize for s in view.strides)
    return np.lib.stride_tricks.as_strided(span, like.shape, strides)
