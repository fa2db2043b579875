"""What `lower` shows of a captured program: graph, regions and their kernels, memory, generated code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scisim.compiler.lowered_memory import Memory
from scisim.compiler.lowered_text import amount, rows, sentence

if TYPE_CHECKING:
    from scisim.compiler.lower.steps import Step
    from scisim.compiler.lowered_kernels import Kernel
    from scisim.compiler.native import NativeProgram
    from scisim.core.graph import Graph


class Region:
    """Kernels that run one after the other, for each tile of an axis or once; or a step in Python.

    Attributes
    ----------
    extent, tile : int
        The length of the axis, and of its tiles; 0 where there is none.
    threads : int
        That share the tiles.
    parallel : bool
    kernels : list of Kernel
        Empty for a step in Python.
    computes : str
    inside : str
        The loop or condition that it stands in.
    source : Source, optional
        Of a step in Python, the line of the user that it comes from.
    share : float
        Of the estimated work of the program.
    """

    def __init__(self, extent: int, tile: int, threads: int, kernels: list[Kernel], computes: str, inside: str) -> None:
        self.extent, self.tile, self.threads, self.kernels = extent, tile, threads, kernels
        self.parallel, self.computes, self.inside, self.share = threads > 1, computes, inside, 0.0
        self.source: Any = None

    def title(self) -> str:
        """One line."""
        where = f" {self.inside}" if self.inside else ""
        if not self.kernels:
            return f"Python{where}: {self.computes}{f' ({self.source})' if self.source else ''}"
        many = f"{len(self.kernels)} kernel{'s' * (len(self.kernels) > 1)}"
        if not self.extent:
            return f"once{where}: {many}, {self.share:.0%} of the work"
        threads = f" on {self.threads} threads" if self.parallel else ""
        return f"{self.extent} points by {self.tile}{threads}{where}: {many}, {self.share:.0%} of the work"

    def __repr__(self) -> str:
        return "\n".join([self.title(), *(f"  {line}" for line in rows([k.cells() for k in self.kernels]))])


class Regions(list[Region]):
    """The regions of a program, in order."""

    def __repr__(self) -> str:
        parts = (f"{k}: {r!r}".replace("\n", "\n   ") for k, r in enumerate(self))
        return "\n".join(parts) or "no regions: nothing is computed, or operation by operation"


class Lowered:
    """What a captured program looks like.

    Attributes
    ----------
    graph : Graph
        Readable when printed; ``graph.count()`` is the number of operations.
    regions : list of Region
        What runs, in order, with the kernels of each: what they compute, loads, stores, operations and bytes.
    memory : Memory
        Arrays that the program needs, and when.
    code : str
        LLVM IR of its kernels, where they run on the CPU.
    """

    def __init__(self, program: Any) -> None:
        self.graph: Graph = program.graph
        self._program = program

    @cached_property
    def _native(self) -> Any:
        """The program as calls of kernels; None for one that runs operation by operation."""
        run = self._program.run
        return run if hasattr(run, "lowered") else None

    @cached_property
    def regions(self) -> Regions:
        if self._native is None:
            return Regions()
        low = self._native.lowered
        found = Regions(_regions(low.steps, low.values.threads, "", 1))
        total = sum(k.weight for r in found for k in r.kernels)
        for r in found:
            for k in r.kernels:
                k.share = k.weight / total if total else 0.0
            r.share = sum(k.share for k in r.kernels)
        return found

    @cached_property
    def memory(self) -> Memory:
        return Memory(self._native)

    @property
    def code(self) -> str:
        from scisim.compiler.native import NativeProgram

        return _code(self._native) if isinstance(self._native, NativeProgram) else ""

    def assembly(self) -> str:
        """The machine's instructions, as text."""
        from scisim.compiler.cpu.target import assembly, host

        return assembly(self.code, host()) if self.code else ""

    def __repr__(self) -> str:
        kernels = {k.name for r in self.regions for k in r.kernels}
        count = sentence(self.graph.count(), "operation")
        lines = [f"program {self.graph.name}: {count}, {sentence(len(kernels), 'kernel')}"]
        lines.append(f"takes {', '.join(map(_typed, self.graph.inputs)) or 'nothing'}")
        lines.append(f"gives {', '.join(map(_typed, self.graph.outputs)) or 'nothing'}")
        titles = [f"{k}: {r.title()}" for k, r in enumerate(self.regions)]
        lines += titles[:12] + ([f"... {len(titles) - 12} more"] if len(titles) > 12 else [])
        if self._native is None:
            lines.append("runs operation by operation")
        else:
            total = amount(self.memory.arena + self.memory.workspace * self.memory.threads)
            lines.append(f"memory {total} besides arguments and results")
        return "\n".join([*map(_short, lines), "see .graph, .regions, .memory, .code"])


def _short(line: str) -> str:
    """A line of at most 120 characters; one that is cut says so."""
    return line if len(line) <= 120 else line[:116] + " ..."


def _typed(v: Any) -> str:
    return f"{v.dtype}{list(v.shape)}" if hasattr(v, "shape") else repr(v)


def _regions(steps: list[Step], threads: int, inside: str, times: int) -> Iterator[Region]:
    from scisim.compiler.lower import steps as s
    from scisim.compiler.lowered_kernels import Kernel

    for step in steps:
        if isinstance(step, s.Region):
            kernels = [Kernel(call, step.extent, step.tile, times) for call in step.calls]
            yield Region(step.extent, step.tile, threads if step.parallel else 1, kernels, "", inside)
        elif isinstance(step, s.Host):
            host = Region(0, 0, 1, [], step.equation.prim.name, inside)
            host.source = step.equation.source
            yield host
        elif isinstance(step, s.For):
            yield from _regions(step.body, threads, f"in a loop of {step.count}", times * step.count)
        elif isinstance(step, s.While):
            yield from _regions([*step.test, *step.body], threads, "in a loop", times)
        elif isinstance(step, s.Cond):
            yield from _regions(step.first, threads, "where a condition holds", times)
            yield from _regions(step.second, threads, "where a condition does not hold", times)


def _code(native: NativeProgram) -> str:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import host

    module = Module()
    for kernel in native.kernels.values():
        kernel.emit(module, host())
    return module.text(host().attributes)
