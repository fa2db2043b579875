"""The transpose of a matrix, in square blocks that turn inside registers."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function, opaque, vector
from scisim.compiler.cpu.products_block import number

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target


@dataclass(frozen=True)
class Transpose:
    """dst[c, r] = src[r, c]; slots rows, columns, src, ld_src, dst, ld_dst (distances of rows in elements).

    Attributes
    ----------
    dtype : str
    down : bool
        Squares follow each other down the rows of the source: along those of the result.
    loops : int
        Of matrices; each has three slots more, its extent and the bytes by which source and result move.
    """

    dtype: str
    down: bool = False
    loops: int = 0

    @property
    def name(self) -> str:
        """One for each size of an element."""
        return f"transpose_{self._bytes}{'_down' if self.down else ''}{f'_{self.loops}' if self.loops else ''}"

    @property
    def _bytes(self) -> int:
        return 1 if self.dtype == "bool" else number(self.dtype).bytes * number(self.dtype).parts

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr %args"])
        kinds = ("i64", "i64", "ptr", "i64", "ptr", "i64")
        slots = [f.argument(k, kind) for k, kind in enumerate(kinds)]
        side = min(8, target.vector_bits // (8 * self._bytes)) if self._bytes <= 8 else 4
        with ExitStack() as nest:
            for k in range(6, 6 + 3 * self.loops, 3):
                i, _, _ = nest.enter_context(f.loop(0, f.argument(k)))
                for slot, by in ((2, k + 1), (4, k + 2)):
                    slots[slot] = f.at("i8", slots[slot], f.mul(i, f.argument(by)))
            _Writer(f, self._bytes, side, self.down, *slots).write()
        f.done()


@dataclass
class _Writer:
    f: Function
    bytes: int
    side: int
    down: bool
    rows: str
    columns: str
    src: str
    ld_src: str
    dst: str
    ld_dst: str

    @property
    def element(self) -> str:
        return "<2 x i64>" if self.bytes == 16 else f"i{8 * self.bytes}"

    def write(self) -> None:
        """Whole squares, then what is right of them, then what is below."""
        f = self.f
        height, width = (f.op("and", "i64", n, -self.side) for n in (self.rows, self.columns))
        outer, inner = (width, height) if self.down else (height, width)
        with f.loop(0, outer, self.side) as (p, _, _), f.loop(0, inner, self.side) as (q, _, _):
            square = self._square if self.bytes < 16 else self._moves
            i, j = (opaque(f, k) for k in ((q, p) if self.down else (p, q)))
            square(self._from(i, j), self._to(i, j))
        self._singly("0", height, width, self.columns)
        self._singly(height, self.rows, "0", self.columns)

    def _singly(self, low: str, high: str, left: str, right: str) -> None:
        f = self.f
        with f.loop(low, high) as (i, _, _), f.loop(left, right) as (j, _, _):
            x = f.load(self.element, self._from(i, j), min(self.bytes, 8))
            f.store(self.element, x, self._to(i, j), min(self.bytes, 8))

    def _from(self, i: str, j: str) -> str:
        return self.f.at(self.element, self.src, self.f.add(self.f.mul(i, self.ld_src), j))

    def _to(self, i: str, j: str) -> str:
        return self.f.at(self.element, self.dst, self.f.add(self.f.mul(j, self.ld_dst), i))

    def _moves(self, source: str, sink: str) -> None:
        """A square of elements as wide as a register."""
        f, n, align = self.f, self.side, min(self.bytes, 8)
        rows = [f.at(self.element, source, f.mul(r, self.ld_src)) for r in range(n)]
        for c in range(n):
            row = f.at(self.element, sink, f.mul(c, self.ld_dst))
            for r in range(n):
                x = f.load(self.element, f.at(self.element, rows[r], c), align)
                f.store(self.element, x, f.at(self.element, row, r), align)

    def _square(self, source: str, sink: str) -> None:
        """Exchange halves of the square across its diagonal, then quarters of the halves, and so on."""
        f, n = self.f, self.side
        type_ = vector(self.element, n)
        rows = [f.load(type_, f.at(self.element, source, f.mul(r, self.ld_src)), self.bytes) for r in range(n)]
        half = n // 2
        while half:
            low = [k if not k & half else n + k - half for k in range(n)]
            high = [k + half if not k & half else n + k for k in range(n)]
            for r in range(n):
                if not r & half:
                    a, b = rows[r], rows[r + half]
                    rows[r], rows[r + half] = self._pick(type_, a, b, low), self._pick(type_, a, b, high)
            half //= 2
        for r, row in enumerate(rows):
            f.store(type_, row, f.at(self.element, sink, f.mul(r, self.ld_dst)), self.bytes)

    def _pick(self, type_: str, a: str, b: str, lanes: list[int]) -> str:
        places = ", ".join(f"i32 {k}" for k in lanes)
        return self.f.value(f"shufflevector {type_} {a}, {type_} {b}, <{self.side} x i32> <{places}>")
