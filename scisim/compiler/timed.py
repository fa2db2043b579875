"""Programs that note the time of each of their kernels."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scisim.compiler.cpu.executor import executor
from scisim.compiler.cpu.pool import pool
from scisim.compiler.cpu.stamps import Stamp, Stamped
from scisim.compiler.lowered import Lowered, Region
from scisim.compiler.lowered_text import short
from scisim.compiler.native import NativeProgram

_OUTSIDE = "call: arguments and results"


@dataclass
class Entry:
    """What took a part of the time.

    Attributes
    ----------
    seconds : float
        Of wall time, in all calls.
    what : str
    rate : str
        Arithmetic and memory a second, estimated.
    sources : list of Source
        Lines of the user.
    weights : list of float
        Their shares.
    parts : list of Entry
        The kernels of a region.
    """

    seconds: float
    what: str
    rate: str = ""
    sources: list[Any] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    parts: list[Entry] = field(default_factory=list)


class _Timed:
    """A program that notes how long each of its kernels takes; it shares all memory with the one that it is made of."""

    def __init__(self, program: NativeProgram) -> None:
        program = program.built()
        self.stamped = Stamped(program.assembly.image, pool().threads)
        self.program = copy.copy(program)
        self.program.close_bare()
        kernels = [*program.kernels.values(), Stamp()]
        self.program.bound = executor().bind(self.stamped.image, kernels, program.hosts)
        self.program.frame = self.program.bound.frame()
        self.program.frame[: len(program.frame)] = program.frame
        self.noted, self._held = self.stamped.memory()
        for slot, array in self._held.items():
            self.program.frame[slot] = array.ctypes.data

    def __call__(self, *args: Any) -> list[Any]:
        """Run on arrays."""
        return self.program(*args)


class ProgramProfile:
    """The time of one program.

    Attributes
    ----------
    name : str
    calls : int
    seconds : float
        Of wall time, in all calls.
    """

    def __init__(self, program: Any) -> None:
        self.name, self.calls, self.seconds = program.graph.name, 0, 0.0
        self._program = program
        self._run = _Timed(program.run) if isinstance(program.run, NativeProgram) else program.run

    def run(self, vals: list) -> list:
        """Run the program, and note the time."""
        start = time.perf_counter()
        outs = self._run(*vals)
        self.seconds += time.perf_counter() - start
        self.calls += 1
        return outs

    @cached_property
    def _regions(self) -> list[Region]:
        return Lowered(self._program).regions

    def entries(self) -> list[Entry]:
        """Regions and steps in Python in order, and what the calls take besides; all their times are the whole."""
        if not isinstance(self._run, _Timed):
            where = getattr(self._run, "device", "")
            return [Entry(self.seconds, f"on {where}" if where else "operation by operation")]
        found = self._measured(self._run)
        found.append(Entry(max(self.seconds - sum(e.seconds for e in found), 0.0), _OUTSIDE))
        return found

    def _measured(self, run: _Timed) -> list[Entry]:
        """An entry for each region, from the times of its calls."""
        times, calls, hosts, tiled = run.noted[..., 0] * 1e-9, [], [], []
        for spot, own in zip(run.stamped.spots, times, strict=True):
            if spot.kind == "call":
                calls.append(own)
            elif spot.kind == "host":
                hosts.append(own[0])
            elif spot.kind in ("start", "end"):
                tiled.append(own[0])
        out = []
        for region in self._regions:
            if not region.kernels:
                known = [region.source] if region.source else []
                out.append(Entry(hosts.pop(0), region.title(), "", known, [1.0] * len(known)))
                continue
            own = [calls.pop(0) for _ in region.kernels]
            around = tiled.pop(0) + tiled.pop(0) if region.extent else 0.0
            out.append(self._region(region, own, around))
        return out

    def _region(self, region: Region, own: list[Any], around: float) -> Entry:
        """Kernels share the wall time of a region as they share that of its threads; the rest is waiting."""
        total = around + sum(t[0] for t in own)
        parts = []
        for k, t in zip(region.kernels, own, strict=True):
            seconds = float(t.sum()) / region.threads
            parts.append(Entry(seconds, k.computes, self._rate(k.flops, k.bytes, seconds), k.lines, k.weights))
        rest = total - sum(p.seconds for p in parts)
        if region.extent:
            parts.append(Entry(max(rest, 0.0), "waiting for threads" if region.parallel else "tiles"))
        return Entry(float(total), region.title().rpartition(",")[0], parts=parts)

    def _rate(self, flops: float, nbytes: float, seconds: float) -> str:
        if seconds <= 0:
            return ""
        return f"{short(flops * self.calls / seconds)}flop/s {short(nbytes * self.calls / seconds)}B/s"

    def lines(self) -> dict[str, tuple[float, str]]:
        """Seconds and text of each line of the user; a kernel's time is spread over its operations."""
        out: dict[str, tuple[float, str]] = {}
        for e in self.entries():
            for part in e.parts or [e]:
                for source, weight in zip(part.sources, part.weights, strict=True):
                    before = out.get(str(source), (0.0, ""))[0]
                    out[str(source)] = before + part.seconds * weight, source.text
        return out
