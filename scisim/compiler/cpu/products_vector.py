"""Products of a matrix and a vector: one column of C, sums along or across the rows of A."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function, literal, opaque
from scisim.compiler.cpu.products_block import Lanes, vectors_of
from scisim.compiler.cpu.products_strided import larger, smaller

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

HELD = 1024  # numbers of the vector at a time, copied beside each other
ROWS = 8  # sums along rows at a time
VECTORS = 4  # sums across rows at a time


@dataclass(frozen=True)
class MatrixVector:
    """C[M, 1] = op(A) @ B[K, 1] for real numbers; slots and fields as those of `Product`, whose N must be 1."""

    dtype: str
    a_transposed: bool
    accumulate: bool

    @property
    def name(self) -> str:
        """One for each spec."""
        return f"matvec_{self.dtype}_{'t' if self.a_transposed else 'n'}{'_add' if self.accumulate else ''}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr %args"])
        kinds = ("i64", "i64", "i64", "ptr", "i64", "ptr", "i64", "ptr", "i64")
        m, _, k, a, lda, b, ldb, c, ldc = (f.argument(p, kind) for p, kind in enumerate(kinds))
        writer = _Writer(f, vectors_of(self.dtype, target), m, k, a, lda, b, ldb, c, ldc, self.accumulate)
        writer.write(writer.across if self.a_transposed else writer.along)
        f.done()


@dataclass
class _Writer:
    f: Function
    lanes: Lanes
    M: str
    K: str
    A: str
    lda: str
    B: str
    ldb: str
    C: str
    ldc: str
    accumulate: bool

    def write(self, part: Callable[[str, str, str, str, str], None]) -> None:
        """Go through parts of the vector; each part is copied, with zeros after it."""
        f, lanes, scalar, size = self.f, self.lanes, self.lanes.of.scalar, self.lanes.of.bytes
        held = f.value(f"alloca [{HELD + lanes.lanes} x {scalar}], align 64", pure=False)
        sums = f.value(f"alloca [{max(ROWS, VECTORS * lanes.lanes)} x {scalar}], align 64", pure=False)
        with f.loop(0, larger(f, self.K, "1"), HELD) as (k, _, _):
            k = opaque(f, k)
            depth = smaller(f, f.op("sub", "i64", self.K, k), str(HELD))
            with f.loop(0, depth) as (p, _, _):
                x = f.load(scalar, f.at(scalar, self.B, f.mul(f.add(k, p), self.ldb)), size)
                f.store(scalar, x, f.at(scalar, held, p), size)
            f.store(lanes.type, lanes.zero(), f.at(scalar, held, depth), size)
            keep = "true" if self.accumulate else f.op("icmp sgt", "i64", k, 0)
            part(k, depth, held, sums, keep)

    def _put(self, i: str, value: str, keep: str) -> None:
        """Write one number of C, or add it to what is there."""
        f, scalar, size = self.f, self.lanes.of.scalar, self.lanes.of.bytes
        place = f.at(scalar, self.C, f.mul(i, self.ldc))
        there = f.load(scalar, place, size)
        there = f.value(f"select i1 {keep}, {scalar} {there}, {scalar} {literal(0, scalar)}")
        f.store(scalar, f.op("fadd" if self.lanes.of.floating else "add", scalar, value, there), place, size)

    def along(self, k: str, depth: str, held: str, sums: str, keep: str) -> None:
        """Rows of A against the vector, some at a time; rows beyond the last are the last again."""
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        whole = f.op("and", "i64", depth, -lanes.lanes)
        mask = lanes.compare(f, "ult", f.op("sub", "i64", depth, whole))
        end, first = f.op("sub", "i64", self.M, 1), f.at(scalar, self.A, k)
        with f.loop(0, self.M, ROWS) as (i, _, _):
            i = opaque(f, i)
            rows = [f.at(scalar, first, f.mul(smaller(f, f.add(i, r), end), self.lda)) for r in range(ROWS)]
            carry = [(lanes.type, lanes.zero())] * ROWS
            with f.loop(0, whole, lanes.lanes, carry) as (p, now, following):
                p = opaque(f, p)
                following += self._step(rows, p, held, now, None)
            totals = self._step(rows, whole, held, now, mask)
            for r, total in enumerate(totals):
                f.store(scalar, self._sum(total), f.at(scalar, sums, r), lanes.of.bytes)
            with f.loop(0, smaller(f, f.op("sub", "i64", self.M, i), str(ROWS))) as (s, _, _):
                self._put(f.add(i, s), f.load(scalar, f.at(scalar, sums, s), lanes.of.bytes), keep)

    def _step(self, rows: list[str], p: str, held: str, sums: list[str], mask: str | None) -> list[str]:
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        x = lanes.load(f, f.at(scalar, held, p), None)
        values = [lanes.load(f, f.at(scalar, row, p), mask) for row in rows]
        return [lanes.multiply_add(f, a, x, s) for a, s in zip(values, sums, strict=True)]

    def _sum(self, x: str) -> str:
        f, lanes = self.f, self.lanes
        if not lanes.of.floating:
            return f.call(lanes.of.scalar, f"llvm.vector.reduce.add.{lanes.suffix}", (lanes.type, x))
        name = f"llvm.vector.reduce.fadd.{lanes.suffix}"
        f.module.declare(lanes.of.scalar, name, [lanes.of.scalar, lanes.type])
        start = literal(-0.0, lanes.of.scalar)
        return f.value(f"call reassoc {lanes.of.scalar} @{name}({lanes.of.scalar} {start}, {lanes.type} {x})")

    def across(self, k: str, depth: str, held: str, sums: str, keep: str) -> None:
        """Columns of the stored A, a few vectors of them and then one by one, the last masked."""
        f, lanes = self.f, self.lanes
        width = VECTORS * lanes.lanes
        wide = f.op("and", "i64", self.M, -width)
        first = f.at(lanes.of.scalar, self.A, f.mul(k, self.lda))
        with f.loop(0, wide, width) as (i, _, _):
            self._columns(first, opaque(f, i), [None] * VECTORS, depth, held, sums, str(width), keep)
        with f.loop(wide, self.M, lanes.lanes) as (i, _, _):
            i = opaque(f, i)
            rest = f.op("sub", "i64", self.M, i)
            count = smaller(f, rest, str(lanes.lanes))
            self._columns(first, i, [lanes.compare(f, "ult", count)], depth, held, sums, count, keep)

    def _columns(
        self, first: str, i: str, masks: Sequence[str | None], depth: str, held: str, sums: str, count: str, keep: str
    ) -> None:
        f, lanes, scalar, size = self.f, self.lanes, self.lanes.of.scalar, self.lanes.of.bytes
        carry = [("ptr", f.at(scalar, first, i)), *[(lanes.type, lanes.zero())] * len(masks)]
        with f.loop(0, depth, 1, carry) as (p, (row, *now), following):
            row = opaque(f, row, "ptr")
            x = lanes.spread(f, f.load(scalar, f.at(scalar, held, p), size))
            following.append(f.at(scalar, row, self.lda))
            for v, (mask, s) in enumerate(zip(masks, now, strict=True)):
                a = lanes.load(f, f.at(scalar, row, v * lanes.lanes), mask)
                following.append(lanes.multiply_add(f, a, x, s))
        for v, s in enumerate(now):
            f.store(lanes.type, s, f.at(scalar, sums, v * lanes.lanes), 64)
        with f.loop(0, count) as (c, _, _):
            self._put(f.add(i, c), f.load(scalar, f.at(scalar, sums, c), size), keep)
