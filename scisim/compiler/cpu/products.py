"""Kernels of matrix products: one for all sizes, blocks of C kept in registers.

Columns of C are cut in panels of a few vectors. The panel of B, at most ``DEPTH`` rows of it at a time, is copied
to consecutive memory where enough rows of C use it: rows of B that lie a power of two apart would evict each
other from the first cache. Rows beyond the last are the last row again, so odd extents need no code of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function
from scisim.compiler.cpu.products_block import Block, Lanes, Rows, opaque, vectors_of

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

PACKED_BYTES = 32768  # of B: with the rows of A and C beside it, what the first cache holds
PACKING_ROWS = 256  # rows of C from which on copying B pays
DEPTH = 256  # steps over K at a time where B is not copied


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
        self.N, self.lda, self.ldb, self.ldc = (self.f.mul(v, parts) for v in (self.N, self.lda, self.ldb, self.ldc))

    def write(self) -> None:
        f, lanes = self.f, self.lanes
        buffer = f.value(f"alloca [{PACKED_BYTES} x i8], align 64", pure=False)
        zeros = f.value(f"alloca [{self.vectors} x {lanes.type}], align 64", pure=False)
        for v in range(self.vectors):
            f.store(lanes.type, lanes.zero(), f.at(lanes.type, zeros, v), 64)
        few = f.op("icmp slt", "i64", self.N, lanes.lanes)
        packs = f.op("or", "i1", few, f.op("icmp sge", "i64", self.M, PACKING_ROWS))
        most = PACKED_BYTES // (self.width * lanes.of.bytes) - 1
        most = f.value(f"select i1 {packs}, i64 {most}, i64 {DEPTH}")
        with f.loop(0, larger(f, self.K, "1"), most) as (k, _, _):
            k = opaque(f, k)
            depth = smaller(f, f.op("sub", "i64", self.K, k), most)
            keep = "true" if self.spec.accumulate else f.op("icmp sgt", "i64", k, 0)
            with f.loop(0, self.N, self.width) as (j, _, _):
                self._panel(k, depth, opaque(f, j), keep, buffer, zeros, packs)

    def _panel(self, k: str, depth: str, j: str, keep: str, buffer: str, zeros: str, packs: str) -> None:
        f, lanes, scalar = self.f, self.lanes, self.lanes.of.scalar
        rest = smaller(f, f.op("sub", "i64", self.N, j), str(self.width))
        count = f.op("lshr", "i64", f.add(rest, lanes.lanes - 1), lanes.lanes.bit_length() - 1)
        last = f.op("sub", "i64", rest, lanes.lanes)
        mask = lanes.compare(f, "uge", f.op("sub", "i64", f.mul(count, lanes.lanes), rest))
        b = self._rows_of_b(f.at(scalar, self.B, f.add(f.mul(k, self.ldb), j)), depth, rest, buffer, packs)
        step = self.lda if self.spec.a_transposed else str(lanes.of.parts)
        between = str(lanes.of.parts) if self.spec.a_transposed else self.lda
        a, c = f.at(scalar, self.A, f.mul(k, step)), f.at(scalar, self.C, j)
        end = f.op("sub", "i64", self.M, 1)
        with f.loop(0, self.M, self.rows) as (i, _, _):
            i = opaque(f, i)
            rows = [smaller(f, f.add(i, r), end) for r in range(self.rows)]
            left = [f.at(scalar, a, f.mul(r, between)) for r in rows]
            out = [f.at(scalar, c, f.mul(r, self.ldc)) for r in rows]
            start = out if keep == "true" else [f.value(f"select i1 {keep}, ptr {o}, ptr {zeros}") for o in out]
            for vectors in range(self.vectors, 0, -1):
                with f.when(f.op("icmp eq", "i64", count, vectors)):
                    Block(lanes, self.rows, vectors, last, mask).emit(f, left, step, b, start, out, depth)

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
        return Rows(pointer, f.value(f"select i1 {packs}, i64 {self.width}, i64 {self.ldb}"))
