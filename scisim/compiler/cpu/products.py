"""Kernels of matrix products: one for all sizes, blocks of C kept in registers.

Columns of C are cut in panels of a few vectors. The panel of B, at most ``DEPTH`` rows of it at a time, is copied
to consecutive memory where enough rows of C use it: rows of B that lie a power of two apart would evict each
other from the first cache. Rows beyond the last are the last row again, so odd extents need no code of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function
from scisim.compiler.cpu.products_block import Block, Lanes, Strided, vectors_of

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

PACKED_BYTES = 32768  # of B: with the rows of A and C beside it, what the first cache holds
PACKING_ROWS = 24  # rows of C from which on copying B pays


def smaller(f: Function, a: str, b: str) -> str:
    """The smaller of two i64."""
    return f.call("i64", "llvm.smin.i64", ("i64", a), ("i64", b))


def larger(f: Function, a: str, b: str) -> str:
    """The larger of two i64."""
    return f.call("i64", "llvm.smax.i64", ("i64", a), ("i64", b))


@dataclass(frozen=True)
class Product:
    """C[M, N] = op(A) @ B[K, N]; slots M, N, K, A, lda, B, ldb, C, ldc (strides in elements).

    Attributes
    ----------
    dtype : str
        A real, complex or integer dtype's name.
    a_transposed : bool
        A is stored (K, M), else (M, K).
    accumulate : bool
        The product is added to C.
    """

    dtype: str
    a_transposed: bool
    accumulate: bool

    @property
    def name(self) -> str:
        return f"product_{self.dtype}_{'t' if self.a_transposed else 'n'}n{'_add' if self.accumulate else ''}"

    def emit(self, module: Module, target: Target) -> None:
        """Write the kernel into a module."""
        f = Function(module, self.name, ["ptr %args"])
        kinds = ("i64", "i64", "i64", "ptr", "i64", "ptr", "i64", "ptr", "i64")
        slots = [f.argument(k, kind) for k, kind in enumerate(kinds)]
        _Writer(f, self, vectors_of(self.dtype, target), target, *slots).write()
        f.done()


@dataclass
class _Writer:
    """The loops of one product; names as in C[M, N] = op(A)[M, K] @ B[K, N], extents in components of numbers."""

    f: Function
    spec: Product
    lanes: Lanes
    target: Target
    M: str
    N: str
    K: str
    A: str
    lda: str
    B: str
    ldb: str
    C: str
    ldc: str

    def __post_init__(self) -> None:
        parts = self.lanes.of.parts
        self.rows = 6 // parts
        self.vectors = 4 if self.target.vector_bits != 256 else 2
        self.width = self.vectors * self.lanes.lanes
        self.depth = PACKED_BYTES // (self.width * self.lanes.of.bytes)
        self.N, self.lda, self.ldb, self.ldc = (self.f.mul(v, parts) for v in (self.N, self.lda, self.ldb, self.ldc))

    def write(self) -> None:
        f = self.f
        buffer = f.value(f"alloca [{PACKED_BYTES} x i8], align 64", pure=False)
        packs = f.op("icmp sge", "i64", self.M, PACKING_ROWS)
        last = f.op("sub", "i64", self.M, 1)
        with f.loop(0, larger(f, self.K, "1"), self.depth) as (k, _, _):
            depth = smaller(f, f.op("sub", "i64", self.K, k), str(self.depth))
            keep = "true" if self.spec.accumulate else f.op("icmp sgt", "i64", k, 0)
            with f.loop(0, self.N, self.width) as (j, _, _):
                self._panel(k, depth, j, keep, buffer, packs, last)

    def _panel(self, k: str, depth: str, j: str, keep: str, buffer: str, packs: str, last: str) -> None:
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        rest = smaller(f, f.op("sub", "i64", self.N, j), str(self.width))
        count = f.op("sdiv", "i64", f.add(rest, lanes.lanes - 1), lanes.lanes)
        filled = f.op("sub", "i64", rest, f.mul(f.op("sub", "i64", count, 1), lanes.lanes))
        mask = lanes.first(f, filled)
        b = Strided(f.at(scalar, self.B, f.add(f.mul(k, self.ldb), j)), self.ldb)
        step = self.lda if self.spec.a_transposed else str(lanes.of.parts)
        a, c = f.at(scalar, self.A, f.mul(k, step)), f.at(scalar, self.C, j)
        for vectors in range(self.vectors, 0, -1):
            with f.when(f.op("icmp eq", "i64", count, vectors)):
                block = Block(lanes, self.rows, vectors, mask)
                used = self._pack(block, b, depth, buffer, packs)
                self._row_loop(block, a, step, used, c, depth, keep, last)

    def _pack(self, block: Block, b: Strided, depth: str, buffer: str, packs: str) -> Strided:
        """Copy the panel of B where that pays; gives the panel to use."""
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        width = block.vectors * lanes.lanes
        with f.when(packs), f.loop(0, depth) as (k, _, _):
            source, sink = f.at(scalar, b.pointer, f.mul(k, b.stride)), f.at(scalar, buffer, f.mul(k, width))
            for v in range(block.vectors):
                mask = block.mask if v == block.vectors - 1 else None
                value = lanes.load(f, f.at(scalar, source, v * lanes.lanes), mask)
                lanes.store(f, value, f.at(scalar, sink, v * lanes.lanes), None)
        pointer = f.value(f"select i1 {packs}, ptr {buffer}, ptr {b.pointer}")
        return Strided(pointer, f.value(f"select i1 {packs}, i64 {width}, i64 {b.stride}"))

    def _row_loop(self, block: Block, a: str, step: str, b: Strided, c: str, depth: str, keep: str, last: str) -> None:
        f, scalar = self.f, self.lanes.of.scalar
        between = str(self.lanes.of.parts) if self.spec.a_transposed else self.lda
        with f.loop(0, self.M, block.rows) as (i, _, _):
            rows = [smaller(f, f.add(i, r), last) for r in range(block.rows)]
            left = [f.at(scalar, a, f.mul(r, between)) for r in rows]
            out = [f.at(scalar, c, f.mul(r, self.ldc)) for r in rows]
            block.emit(f, left, step, b, out, depth, keep)
