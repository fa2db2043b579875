"""The memory that a program uses: its arrays, when they are needed, where they lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scisim.compiler.lowered_text import amount, rows

if TYPE_CHECKING:
    from scisim.compiler.native import NativeProgram


@dataclass(frozen=True)
class Array:
    """An array of a program.

    Attributes
    ----------
    place : str
        "input", "result", "constant"; "arena", which lives from one region to a later one; "workspace", of one tile.
    offset : int
        Bytes from the start of the arena or workspace; those that are not needed at the same time may overlap.
    first, last : int
        The kernels, counted through the program, between which it is needed; -1 for what stays.
    """

    place: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    offset: int = 0
    first: int = -1
    last: int = -1

    def cells(self) -> list[str]:
        """What a table shows of it."""
        lives = f"at {self.offset}, kernels {self.first} to {self.last}" if self.last >= 0 else ""
        return [self.place, f"{self.dtype}{list(self.shape)}", amount(self.nbytes), lives]


class Memory:
    """What a program needs in memory.

    Attributes
    ----------
    arena : int
        Bytes that are kept for values between regions; reused by values that are not needed at the same time.
    workspace : int
        Bytes for a tile of one thread.
    threads : int
    arrays : list of Array
        Inputs, results, constants, and what lies in arena and workspace.
    """

    def __init__(self, native: NativeProgram | None) -> None:
        self.arena = self.workspace = 0
        self.threads = 1
        self.arrays: list[Array] = []
        if native is not None:
            low = native.lowered
            self.arena, self.workspace, self.threads = low.arena_bytes, low.tile_bytes, low.values.threads
            self.arrays = _arrays(native)

    def total(self, place: str) -> int:
        """Bytes of the arrays of a place, as if none shared its bytes."""
        return sum(a.nbytes for a in self.arrays if a.place == place)

    def __repr__(self) -> str:
        own = f"arena {amount(self.arena)} for {amount(self.total('arena'))} of arrays"
        tiles = f"workspace {self.threads} x {amount(self.workspace)}"
        rest = ", ".join(f"{p}s {amount(self.total(p))}" for p in ("input", "result", "constant"))
        lines = rows([a.cells() for a in self.arrays[:40]])
        more = [f"... {len(self.arrays) - 40} more"] if len(self.arrays) > 40 else []
        return "\n".join([f"{own}; {tiles}; {rest}", *(f"  {line}" for line in (*lines, *more))])


def _arrays(native: NativeProgram) -> list[Array]:
    from scisim.compiler.lower.layout import Place
    from scisim.compiler.lower.steps import Region

    low = native.lowered
    found = [_plain("input", v) for v in native.graph.inputs]
    found += [_plain("result", v) for v in low.values.results]
    found += [_plain("constant", array) for _, array in low.values.constants]
    buffers = {b.number: b for b in low.values.arena if b.last >= 0}
    for step in low.every():
        for call in step.calls if isinstance(step, Region) else []:
            buffers |= {b.number: b for b in call.buffers() if b.place is Place.TILE}
    for b in sorted(buffers.values(), key=lambda b: (b.place is Place.TILE, b.first)):
        place = "workspace" if b.place is Place.TILE else "arena"
        found.append(Array(place, b.dtype.name, b.shape, b.nbytes, b.offset, b.first, b.last))
    return found


def _plain(place: str, v: Any) -> Array:
    return Array(place, v.dtype.name, tuple(v.shape), math.prod(v.shape) * v.dtype.itemsize)
