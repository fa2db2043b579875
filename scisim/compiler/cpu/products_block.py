"""A block of a matrix product that stays in registers.

A block is ``rows`` rows of C by up to ``vectors`` vectors. Every step over the inner extent loads one row of B,
and multiplies it with one number of A a row. Complex numbers lie interleaved; such a product sums Re(a) * b and
Im(a) * b apart, b untouched, and swaps parts once after the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function, opaque, splat, vector

if TYPE_CHECKING:
    from scisim.compiler.cpu.target import Target


@dataclass(frozen=True)
class Number:
    """How a dtype is held: LLVM's type of one component, its bytes, and the components of one number."""

    scalar: str
    bytes: int
    parts: int

    @property
    def floating(self) -> bool:
        return self.scalar in ("float", "double")


def number(dtype: str) -> Number:
    """The number type of a dtype's name."""
    bits = int("".join(c for c in dtype if c.isdigit()))
    if dtype.startswith("complex"):
        return Number({64: "float", 128: "double"}[bits], bits // 16, 2)
    if dtype.startswith("float"):
        return Number({32: "float", 64: "double"}[bits], bits // 8, 1)
    return Number(f"i{bits}", bits // 8, 1)


def storage(dtype: str) -> str:
    """LLVM's type of a number in memory."""
    n = number(dtype)
    return n.scalar if n.parts == 1 else f"[{n.parts} x {n.scalar}]"


@dataclass(frozen=True)
class Lanes:
    """Vectors of one number type, whole or with their first lanes only."""

    of: Number
    lanes: int

    @property
    def type(self) -> str:
        return vector(self.of.scalar, self.lanes)

    @property
    def suffix(self) -> str:
        kind = f"f{8 * self.of.bytes}" if self.of.floating else self.of.scalar
        return f"v{self.lanes}{kind}"

    def zero(self) -> str:
        return splat(0, self.of.scalar, self.lanes)

    def spread(self, f: Function, x: str, scalar: str = "") -> str:
        """A number in all lanes."""
        scalar = scalar or self.of.scalar
        type_ = vector(scalar, self.lanes)
        first = f.value(f"insertelement {type_} poison, {scalar} {x}, i64 0")
        return f.value(f"shufflevector {type_} {first}, {type_} poison, <{self.lanes} x i32> zeroinitializer")

    def compare(self, f: Function, relation: str, count: str, place: int = 0) -> str:
        """A mask of lanes: ``place`` and the numbers after it, compared with a count."""
        word = f"i{8 * self.of.bytes}"
        if word == "i8":  # a byte holds no more than the lanes of one vector
            count = f.call("i64", "llvm.smax.i64", ("i64", f.op("sub", "i64", count, place)), ("i64", 0))
            count, place = f.call("i64", "llvm.smin.i64", ("i64", count), ("i64", self.lanes)), 0
        count = count if word == "i64" else f.convert("trunc", "i64", count, word)
        places = ", ".join(f"{word} {place + k}" for k in range(self.lanes))
        return f.op(f"icmp {relation}", vector(word, self.lanes), f"<{places}>", self.spread(f, count, word))

    def load(self, f: Function, pointer: str, mask: str | None) -> str:
        """A vector; lanes outside of the mask are not read and hold zero."""
        if mask is None:
            return f.load(self.type, pointer, self.of.bytes)
        masked = (f"<{self.lanes} x i1>", mask)
        name = f"llvm.masked.load.{self.suffix}.p0"
        args = (("ptr", pointer), ("i32", self.of.bytes), masked, (self.type, self.zero()))
        return f.call(self.type, name, *args, pure=False)

    def store(self, f: Function, value: str, pointer: str, mask: str | None) -> None:
        """Write a vector; lanes outside of the mask are left alone."""
        if mask is None:
            return f.store(self.type, value, pointer, self.of.bytes)
        args = ((self.type, value), ("ptr", pointer), ("i32", self.of.bytes), (f"<{self.lanes} x i1>", mask))
        f.call("void", f"llvm.masked.store.{self.suffix}.p0", *args)
        return None

    def multiply_add(self, f: Function, a: str, b: str, c: str) -> str:
        """a * b + c, rounded once where the target has an instruction for it."""
        if not self.of.floating:
            return f.op("add", self.type, f.op("mul", self.type, a, b), c)
        return f.call(self.type, f"llvm.fmuladd.{self.suffix}", (self.type, a), (self.type, b), (self.type, c))


def has_32_registers(target: Target) -> bool:
    """Whether there are 32 vector registers, else 16."""
    return target.vector_bits == 512 or not target.triple.startswith(("x86", "i686"))


def vectors_of(dtype: str, target: Target) -> Lanes:
    """The vectors in which a target holds a dtype."""
    n = number(dtype)
    return Lanes(n, target.vector_bits // (8 * n.bytes))


@dataclass(frozen=True)
class Rows:
    """The rows of B that a block goes through: the first one, and the distance of rows in bytes."""

    pointer: str
    stride: str


@dataclass(frozen=True)
class Block:
    """The code of a block of ``rows`` by as many vectors as there are ``places``.

    ``places`` say where the vectors start in a row of B and of C; ``masks`` which of their lanes may be touched in
    C (all, if None). All lanes are read from B.
    """

    lanes: Lanes
    rows: int
    places: Sequence[str | int]
    masks: Sequence[str | None]

    @property
    def vectors(self) -> int:
        return len(self.places)

    def emit(
        self,
        f: Function,
        left: Sequence[str],
        step: str,
        b: Rows,
        start: Sequence[str],
        out: Sequence[str],
        depth: str,
    ) -> None:
        """Add up ``depth`` steps, and then what there was: sums of a few hundred terms lose less than long ones.

        ``left`` are the addresses of the rows' numbers of A, ``step`` the distance to the next ones, ``start`` the
        addresses of what is added to, and ``out`` of the rows of C.
        """
        n = self.rows * self.vectors
        first = [self.lanes.zero()] * (n * self.lanes.of.parts)
        carry = [("i64", "0"), ("ptr", b.pointer), *((self.lanes.type, s) for s in first)]
        with f.loop(0, depth, 1, carry) as (_, (offset, row, *sums), following):
            offset, row = opaque(f, offset), opaque(f, row, "ptr")
            following += [f.add(offset, step), f.at("i8", row, b.stride)]
            right = [self.lanes.load(f, p, None) for p, _ in self._vectors(f, [row])]
            new = {}
            for r, p, a in self._numbers(f, left, offset):
                for v in range(self.vectors):
                    k = p * n + r * self.vectors + v
                    new[k] = self.lanes.multiply_add(f, a, right[v], sums[k])
            following += [new[k] for k in range(len(sums))]
        self._finish(f, start, out, sums)

    def _numbers(self, f: Function, left: Sequence[str], offset: str) -> Iterator[tuple[int, int, str]]:
        """(row, part, the number of A in all lanes), loaded as they are asked for: registers are few."""
        for r, pointer in enumerate(left):
            place = f.at(self.lanes.of.scalar, pointer, offset)
            for p in range(self.lanes.of.parts):
                x = f.load(self.lanes.of.scalar, f.at(self.lanes.of.scalar, place, p), self.lanes.of.bytes)
                yield r, p, self.lanes.spread(f, x)

    def _vectors(self, f: Function, rows: Sequence[str]) -> list[tuple[str, str | None]]:
        """Address and mask of every vector of some rows."""
        return [
            (f.at(self.lanes.of.scalar, row, place), mask)
            for row in rows
            for place, mask in zip(self.places, self.masks, strict=True)
        ]

    def _finish(self, f: Function, start: Sequence[str], out: Sequence[str], sums: Sequence[str]) -> None:
        n = self.rows * self.vectors
        values = list(sums[:n])
        if self.lanes.of.parts == 2:
            values = [self._joined(f, re, im) for re, im in zip(values, sums[n:], strict=True)]
        add = "fadd" if self.lanes.of.floating else "add"
        before = (self.lanes.load(f, p, m) for p, m in self._vectors(f, start))  # all are read before any is written
        values = [f.op(add, self.lanes.type, v, old) for v, old in zip(values, before, strict=True)]
        for value, (pointer, mask) in zip(values, self._vectors(f, out), strict=True):
            self.lanes.store(f, value, pointer, mask)

    def _joined(self, f: Function, re: str, im: str) -> str:
        """(a.re b.re - a.im b.im, a.re b.im + a.im b.re) from the sums of a.re * b and of a.im * b."""
        type_, n = self.lanes.type, self.lanes.lanes
        swap = ", ".join(f"i32 {k ^ 1}" for k in range(n))
        other = f.value(f"shufflevector {type_} {im}, {type_} poison, <{n} x i32> <{swap}>")
        pick = ", ".join(f"i32 {k if k % 2 == 0 else n + k}" for k in range(n))
        low, high = f.op("fsub", type_, re, other), f.op("fadd", type_, re, other)
        return f.value(f"shufflevector {type_} {low}, {type_} {high}, <{n} x i32> <{pick}>")
