"""The kernel that calls a function of a C library on lines of arrays."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target


@dataclass(frozen=True)
class LinesCall:
    """``function(handle, operand, result)`` for each index of some loops.

    Slots are the length of the tile, that of a whole one, the function, its handles for a whole tile and for the last
    one, where to note what it returns if that is not 0, operand, result; then for each loop its extent, and the bytes
    that operand and result move.  C's rules for functions with any number of arguments are kept to, as libraries
    declare such.

    Attributes
    ----------
    loops : int
    """

    loops: int

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"lines_{self.loops}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr %args"])
        length, whole = f.argument(0), f.argument(1)
        function, first, last, noted, x, y = (f.argument(k, "ptr") for k in range(2, 8))
        ragged = f.op("icmp ne", "i64", length, whole)
        handle = f.value(f"select i1 {ragged}, ptr {last}, ptr {first}")
        with ExitStack() as nest:
            for k in range(8, 8 + 3 * self.loops, 3):
                i, _, _ = nest.enter_context(f.loop(0, f.argument(k)))
                x, y = (f.at("i8", p, f.mul(i, f.argument(q))) for p, q in ((x, k + 1), (y, k + 2)))
            text = f"call i64 (ptr, ...) {function}(ptr {handle}, ptr {x}, ptr {y})"
            status = f.value(text, pure=False)
            with f.when(f.op("icmp ne", "i64", status, 0)):
                f.store("i64", status, noted, 8)
        f.done()
