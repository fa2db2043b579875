"""Rows put, or added, where arrays of indices tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.access import PARTS, STORED
from scisim.compiler.cpu.emit import Function, vector
from scisim.compiler.cpu.locate import wrapped

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target


@dataclass(frozen=True)
class Scatter:
    """``y[i, j, ...] = u`` or ``+= u``, one row after the other.

    Slots: the number of rows, numbers in a row (two for each complex one), the addresses of y and u, where a byte goes
    that is 1 if an index was out of range; for each index array its address, the length of its axis, and the numbers
    from one index to the next.  Negative indices count from the end; what is out of range is left out.

    Attributes
    ----------
    dtype : str
        Of y and u.
    adds : bool
    indices : tuple of str
        Dtypes of the indices.
    """

    dtype: str
    adds: bool
    indices: tuple[str, ...]

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"scatter_{self.dtype}_{'add' if self.adds else 'set'}_{'_'.join(self.indices)}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr noalias %args"])
        type_, size = STORED[PARTS.get(self.dtype, self.dtype)]
        rows, width = f.argument(0), f.argument(1)
        y, u, flag = (f.argument(k, "ptr") for k in (2, 3, 4))
        places = range(5, 5 + 3 * len(self.indices), 3)
        arrays = [(f.argument(k, "ptr"), f.argument(k + 1), f.argument(k + 2)) for k in places]
        f.store("i8", "0", flag, 1)
        with f.loop(0, rows) as (p, _, _):
            place, inside = "0", "true"
            for dtype, (index, length, step) in zip(self.indices, arrays, strict=True):
                stored, _ = STORED[dtype]
                at = wrapped(f, f.at(stored, index, p), length, dtype)
                inside = f.op("and", "i1", inside, f.op("icmp ult", "i64", at, length))
                place = f.add(place, f.mul(at, step))
            with f.when(f.op("xor", "i1", inside, "true")):
                f.store("i8", "1", flag, 1)
            with f.when(inside):
                to, given = f.at(type_, y, place), f.at(type_, u, f.mul(p, width))
                self._row(f, to, given, width, target.vector_bits // (8 * size))
        f.done()

    def _row(self, f: Function, to: str, given: str, width: str, lanes: int) -> None:
        type_, size = STORED[PARTS.get(self.dtype, self.dtype)]
        full = f.op("and", "i64", width, -lanes)
        for low, high, count in (("0", full, lanes), (full, width, 1)):
            kind = vector(type_, count)
            with f.loop(low, high, count) as (r, _, _):
                at = f.at(type_, to, r)
                value = f.load(kind, f.at(type_, given, r), size)
                if self.adds:
                    name = "fadd" if type_ in ("float", "double") else "add"
                    value = f.op(name, kind, f.load(kind, at, size), value)
                f.store(kind, value, at, size)


def adds(dtype: str) -> bool:
    """Whether rows of a dtype can be added."""
    return dtype in PARTS or dtype in ("float32", "float64") or "int" in dtype
