"""Where a row of an array is whose index is known only when the program runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.access import STORED
from scisim.compiler.cpu.emit import Function

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target


@dataclass(frozen=True)
class Locate:
    """The address of x[i, j, ...].

    Slots: where the address goes, where a byte goes that is 1 if an index is out of range, and the address of x; for
    each index its address, the length of its axis, and the bytes from one index to the next.  Negative indices count
    from the end.

    Attributes
    ----------
    dtypes : tuple of str
        Of the indices.
    """

    dtypes: tuple[str, ...]

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"locate_{'_'.join(self.dtypes)}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr %args"])
        first = total = f.argument(2)
        inside = "true"
        for k, dtype in enumerate(self.dtypes):
            index, length, step = f.argument(3 + 3 * k, "ptr"), f.argument(4 + 3 * k), f.argument(5 + 3 * k)
            at = wrapped(f, index, length, dtype)
            inside = f.op("and", "i1", inside, f.op("icmp ult", "i64", at, length))
            total = f.add(total, f.mul(at, step))
        f.store("i64", f.value(f"select i1 {inside}, i64 {total}, i64 {first}"), f.argument(0, "ptr"), 8)
        outside = f.op("xor", "i1", inside, "true")
        f.store("i8", f.convert("zext", "i1", outside, "i8"), f.argument(1, "ptr"), 1)
        f.done()


def wrapped(f: Function, index: str, length: str, dtype: str) -> str:
    """An index as i64, from the start."""
    type_, size = STORED[dtype]
    found = f.load(type_, index, size)
    signed = not dtype.startswith("u")
    if size < 8:
        found = f.convert("sext" if signed else "zext", type_, found, "i64")
    if not signed:
        return found
    below = f.op("icmp slt", "i64", found, 0)
    return f.add(found, f.value(f"select i1 {below}, i64 {length}, i64 0"))
