"""A matrix product of any size and strides as one native function, blocks of C kept in registers.

Columns of C are cut in panels of a few vectors. Rows of B that lie a power of two apart evict each other from the
first cache, so a panel of B is copied to consecutive memory where enough rows of C use it. Rows of C beyond the
last are the last row again, so odd extents need no code of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function, opaque
from scisim.compiler.cpu.products_block import Block, Lanes, Rows, has_32_registers, vectors_of

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

PACKED_BYTES = 32768  # of B: with the rows of A and C beside it, what the first cache holds
PACKING_ROWS = 256  # rows of C from which on copying B pays
ROWS = 384  # of A and C at a time: with some steps over K, what the second cache holds
DEPTH = 256  # steps over K at a time where B is not copied

PARAMETERS = (
    *("i64 %M", "i64 %N", "i64 %K", "ptr %A", "i64 %row", "i64 %step"),
    *("ptr %B", "i64 %ldb", "ptr %C", "i64 %ldc", "i1 %add"),
)


def smaller(f: Function, a: str, b: str) -> str:
    """The smaller of two i64."""
    return f.call("i64", "llvm.smin.i64", ("i64", a), ("i64", b))


def larger(f: Function, a: str, b: str) -> str:
    """The larger of two i64."""
    return f.call("i64", "llvm.smax.i64", ("i64", a), ("i64", b))


def strided_product(module: Module, dtype: str, target: Target) -> str:
    """The name of the product of a dtype, which is written into the module where it is not there yet.

    Its parameters are ``PARAMETERS``: A has the stride ``row`` from row to row and ``step`` from column to column,
    rows of B and C are contiguous, ``add`` keeps what C holds.
    """
    name = f"product_{dtype}"
    if not any(f" @{name}(" in text for text in module.functions):
        f = Function(module, name, PARAMETERS, ret="internal void")
        slots = [p.split()[1] for p in PARAMETERS]
        _Writer(f, vectors_of(dtype, target), target, *slots).write()
        f.done()
    return name


@dataclass
class _Writer:
    """The loops of one product; extents and strides in components of numbers where they count columns."""

    f: Function
    lanes: Lanes
    target: Target
    M: str
    N: str
    K: str
    A: str
    row: str
    step: str
    B: str
    ldb: str
    C: str
    ldc: str
    add: str

    def __post_init__(self) -> None:
        parts = self.lanes.of.parts
        self.rows = 6 // parts
        self.vectors = 4 if has_32_registers(self.target) else 2
        self.width = self.vectors * self.lanes.lanes
        self.N, self.row, self.step, self.ldb, self.ldc = (
            self.f.mul(v, parts) for v in (self.N, self.row, self.step, self.ldb, self.ldc)
        )

    def write(self) -> None:
        f, lanes = self.f, self.lanes
        buffer = f.value(f"alloca [{PACKED_BYTES + 64} x i8], align 64", pure=False)
        zeros = f.value(f"alloca [{self.vectors} x {lanes.type}], align 64", pure=False)
        for v in range(self.vectors):
            f.store(lanes.type, lanes.zero(), f.at(lanes.type, zeros, v), 64)
        few = f.op("icmp slt", "i64", self.N, lanes.lanes)
        packs = f.op("or", "i1", few, f.op("icmp sge", "i64", self.M, PACKING_ROWS))
        held = PACKED_BYTES // (self.width * lanes.of.bytes)
        most = f.value(f"select i1 {packs}, i64 {held}, i64 {DEPTH}")
        whole = self.M
        with f.loop(0, whole, ROWS) as (i, _, _), f.loop(0, larger(f, self.K, "1"), most) as (k, _, _):
            i, k = opaque(f, i), opaque(f, k)
            self.M = smaller(f, f.op("sub", "i64", whole, i), str(ROWS))
            a = f.at(lanes.of.scalar, self.A, f.add(f.mul(i, self.row), f.mul(k, self.step)))
            c = f.at(lanes.of.scalar, self.C, f.mul(i, self.ldc))
            depth = smaller(f, f.op("sub", "i64", self.K, k), most)
            keep = f.op("or", "i1", self.add, f.op("icmp sgt", "i64", k, 0))
            with f.loop(0, self.N, self.width) as (j, _, _):
                self._panel(a, c, k, depth, opaque(f, j), keep, buffer, zeros, packs)

    def _panel(
        self, a: str, c: str, k: str, depth: str, j: str, keep: str, buffer: str, zeros: str, packs: str
    ) -> None:
        """Columns from j on. The last vector ends where they end, so it shares lanes with the one before it."""
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        rest = smaller(f, f.op("sub", "i64", self.N, j), str(self.width))
        count = f.op("lshr", "i64", f.add(rest, lanes.lanes - 1), lanes.lanes.bit_length() - 1)
        last = f.op("sub", "i64", rest, lanes.lanes)
        mask = lanes.compare(f, "uge", f.op("sub", "i64", f.mul(count, lanes.lanes), rest))
        b = self._rows_of_b(f.at(scalar, self.B, f.add(f.mul(k, self.ldb), j)), depth, rest, buffer, packs)
        c = f.at(scalar, c, j)
        end = f.op("sub", "i64", self.M, 1)
        with f.loop(0, self.M, self.rows) as (i, _, _):
            i = opaque(f, i)
            rows = [smaller(f, f.add(i, r), end) for r in range(self.rows)]
            left = [f.at(scalar, a, f.mul(r, self.row)) for r in rows]
            out = [f.at(scalar, c, f.mul(r, self.ldc)) for r in rows]
            start = [f.value(f"select i1 {keep}, ptr {o}, ptr {zeros}") for o in out]
            for vectors in range(self.vectors, 0, -1):
                with f.when(f.op("icmp eq", "i64", count, vectors)):
                    places = [*range(0, (vectors - 1) * lanes.lanes, lanes.lanes), last]
                    masks = [*[None] * (vectors - 1), mask]
                    Block(lanes, self.rows, places, masks).emit(f, left, self.step, b, start, out, depth)

    def _rows_of_b(self, b: str, depth: str, rest: str, buffer: str, packs: str) -> Rows:
        """The panel of B, or its copy where ``packs`` holds: whole vectors, zeros beyond ``rest`` and before."""
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        masks = [lanes.compare(f, "ult", rest, v * lanes.lanes) for v in range(self.vectors)]
        first = f.at(scalar, buffer, lanes.lanes)
        with f.when(packs):
            lanes.store(f, lanes.zero(), buffer, None)
            with f.loop(0, depth, 1, [("ptr", b), ("ptr", first)]) as (_, (row, sink), following):
                row, sink = opaque(f, row, "ptr"), opaque(f, sink, "ptr")
                for v, mask in enumerate(masks):
                    value = lanes.load(f, f.at(scalar, row, v * lanes.lanes), mask)
                    lanes.store(f, value, f.at(scalar, sink, v * lanes.lanes), None)
                following += [f.at(scalar, row, self.ldb), f.at(scalar, sink, self.width)]
        pointer = f.value(f"select i1 {packs}, ptr {first}, ptr {b}")
        stride = f.value(f"select i1 {packs}, i64 {self.width}, i64 {self.ldb}")
        return Rows(pointer, f.mul(stride, lanes.of.bytes))
