"""The Gram matrix of the columns of a matrix: half of the products of A^T A, the other half by symmetry.

Some rows of A at a time are copied to panels of a few columns, where blocks of C find both of their operands. Only
blocks that meet the upper triangle are computed. Threads take panels in turn, which gives each about as much to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function, opaque
from scisim.compiler.cpu.products_block import Block, Lanes, Rows, has_32_registers, number, vectors_of
from scisim.compiler.cpu.products_strided import smaller

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

VECTORS = 3  # in a panel; as many columns as a multiple of the rows of a block
DEPTH = 128  # rows of A at a time: a panel of them and a block's part of another fill the first cache
_WIDEST = 64  # bytes of the widest vector


@dataclass(frozen=True)
class Syrk:
    """C[N, N] = A[K, N]^T @ A; slots N, K, A, lda, C, ldc, memory of `memory` bytes, share, shares.

    Strides are in elements. Calls with shares 0, 1, ... of so many ``shares`` make the whole of C, each with memory of
    its own.

    Attributes
    ----------
    dtype : str
        float64 or float32.
    """

    dtype: str

    @property
    def name(self) -> str:
        """One for each dtype."""
        return f"syrk_{self.dtype}"

    def memory(self, columns: int) -> int:
        """Bytes that the kernel needs to work with ``columns`` columns."""
        width = VECTORS * _WIDEST
        return (-(-columns * number(self.dtype).bytes // width) + 1) * width * DEPTH

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr %args"])
        kinds = ("i64", "i64", "ptr", "i64", "ptr", "i64", "ptr", "i64", "i64")
        slots = [f.argument(k, kind) for k, kind in enumerate(kinds)]
        _Writer(f, vectors_of(self.dtype, target), 8 if has_32_registers(target) else 4, *slots).write()
        f.done()


@dataclass
class _Writer:
    f: Function
    lanes: Lanes
    rows: int
    N: str
    K: str
    A: str
    lda: str
    C: str
    ldc: str
    memory: str
    share: str
    shares: str

    def __post_init__(self) -> None:
        self.width = VECTORS * self.lanes.lanes
        self.first, self.step = self.f.mul(self.share, self.width), self.f.mul(self.shares, self.width)

    def write(self) -> None:
        f, lanes = self.f, self.lanes
        zeros, spare = (f.value(f"alloca [{VECTORS} x {lanes.type}], align 64", pure=False) for _ in range(2))
        for v in range(VECTORS):
            f.store(lanes.type, lanes.zero(), f.at(lanes.type, zeros, v), 64)
            f.store(lanes.type, lanes.zero(), f.at(lanes.type, spare, v), 64)
        most = f.call("i64", "llvm.smax.i64", ("i64", self.K), ("i64", "1"))
        with f.loop(0, most, DEPTH) as (k, _, _):
            k = opaque(f, k)
            depth = smaller(f, f.op("sub", "i64", self.K, k), str(DEPTH))
            later = f.op("icmp sgt", "i64", k, 0)
            with f.loop(self.first, self.N, self.width) as (j, _, _):
                self._copy(k, opaque(f, j), depth)
            with f.loop(self.first, self.N, self.step) as (p, _, _), f.loop(p, self.N, self.width) as (j, _, _):
                self._square(opaque(f, p), opaque(f, j), depth, later, zeros, spare)
        self._mirror()

    def _panel(self, column: str) -> str:
        """Where the panel lies that starts at a column."""
        return self.f.at(self.lanes.of.scalar, self.memory, self.f.mul(column, DEPTH))

    def _masks(self, j: str) -> list[str]:
        """Which lanes of a panel are columns of the matrix."""
        rest = self.f.op("sub", "i64", self.N, j)
        return [self.lanes.compare(self.f, "slt", rest, v * self.lanes.lanes) for v in range(VECTORS)]

    def _square(self, p: str, j: str, depth: str, later: str, zeros: str, spare: str) -> None:
        """Products of the panel at ``p`` with that at ``j``."""
        f, scalar = self.f, self.lanes.of.scalar
        block = Block(self.lanes, self.rows, range(0, self.width, self.lanes.lanes), self._masks(j))
        columns, left = Rows(self._panel(j), str(self.width * self.lanes.of.bytes)), self._panel(p)
        with f.loop(0, self.width, self.rows) as (i, _, _):
            i = opaque(f, i)
            first = f.at(scalar, left, i)
            out = [self._row(f.add(f.add(p, i), r), j, spare) for r in range(self.rows)]
            self._prefetch(out)
            start = [f.value(f"select i1 {later}, ptr {o}, ptr {zeros}") for o in out]
            rows = [f.at(scalar, first, r) for r in range(self.rows)]
            block.emit(f, rows, str(self.width), columns, start, out, depth)

    def _prefetch(self, rows: list[str]) -> None:
        """Ask for the part of C that comes next, which has left the caches since the rows of A before."""
        f = self.f
        for row in rows:
            for v in range(VECTORS):
                place = f.at(self.lanes.of.scalar, row, self.width + v * self.lanes.lanes)
                f.call("void", "llvm.prefetch.p0", ("ptr", place), ("i32", 1), ("i32", 3), ("i32", 1))

    def _row(self, i: str, j: str, spare: str) -> str:
        """Where the block's part of row ``i`` of C is; rows past the last go to spare memory."""
        f = self.f
        place = f.at(self.lanes.of.scalar, self.C, f.add(f.mul(i, self.ldc), j))
        return f.value(f"select i1 {f.op('icmp slt', 'i64', i, self.N)}, ptr {place}, ptr {spare}")

    def _copy(self, k: str, j: str, depth: str) -> None:
        """Copy rows from ``k`` on of the panel at ``j``."""
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        source, masks = f.at(scalar, self.A, f.add(f.mul(k, self.lda), j)), self._masks(j)
        with f.loop(0, depth, 1, [("ptr", source), ("ptr", self._panel(j))]) as (_, (row, sink), following):
            row, sink = opaque(f, row, "ptr"), opaque(f, sink, "ptr")
            for v, mask in enumerate(masks):
                value = lanes.load(f, f.at(scalar, row, v * lanes.lanes), mask)
                lanes.store(f, value, f.at(scalar, sink, v * lanes.lanes), None)
            following += [f.at(scalar, row, self.lda), f.at(scalar, sink, self.width)]

    def _mirror(self) -> None:
        """Columns of the lower triangle from rows of the upper one, in blocks that stay in the first cache."""
        f, scalar, size, side = self.f, self.lanes.of.scalar, self.lanes.of.bytes, 16
        with f.loop(self.first, self.N, self.step) as (p, _, _), f.loop(p, self.N, side) as (q, _, _):
            right = f.add(p, self.width)
            with f.loop(q, smaller(f, f.add(q, side), self.N)) as (i, _, _):
                row = f.at(scalar, self.C, f.mul(i, self.ldc))
                with f.loop(p, smaller(f, right, i)) as (j, _, _):
                    upper = f.at(scalar, self.C, f.add(f.mul(j, self.ldc), i))
                    f.store(scalar, f.load(scalar, upper, size), f.at(scalar, row, j), size)
