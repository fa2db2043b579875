"""Operands of a loop that are in pieces: elements come from one of several arrays, depending on where the loop is.

Along the outer axes a row reads what holds there: its address is chosen once a row.  Along the last axis most of a row
is one piece, read like any operand; the vectors at its edges are put together of masked ones.
"""

from __future__ import annotations

from typing import NamedTuple

from scisim.compiler.cpu.access import Operand, Pointer
from scisim.compiler.cpu.emit import Function, vector
from scisim.compiler.cpu.printer import scalar_type


class Limit(NamedTuple):
    """Where along an axis a piece begins and ends, as numbers of the kernel's bounds; None where the axis does."""

    axis: int
    low: int | None
    high: int | None


class Piece(NamedTuple):
    """One array of several.

    Parameters
    ----------
    operand : Operand
    outer : tuple of Limit
        Along outer axes.
    inner : Limit or None
        Along the last one.
    main : bool
        Whether it has all of the middle of a row, where its outer limits hold.
    """

    operand: Operand
    outer: tuple[Limit, ...]
    inner: Limit | None
    main: bool

    @property
    def limits(self) -> tuple[Limit, ...]:
        return (*self.outer, *([self.inner] if self.inner else []))


class Pieces(NamedTuple):
    """An operand in pieces, of which a later one holds where several do.

    Each piece has the arguments of an operand.
    """

    pieces: tuple[Piece, ...]

    @property
    def dtype(self) -> str:
        return self.pieces[0].operand.dtype

    @property
    def complex(self) -> bool:
        return self.pieces[0].operand.complex

    @property
    def inner(self) -> int | None:
        return next(p.operand.inner for p in self.pieces if p.main) or 1

    @property
    def edged(self) -> bool:
        """Whether not all of a row is one piece."""
        return any(p.inner for p in self.pieces)


class At:
    """A piece in the row that is being worked on.

    Parameters
    ----------
    f : Function
    piece : Piece
    pointer : Pointer
    bounds : list of str
        Those of the kernel.
    active : str or None
        Whether it holds as far as outer positions are known; None where it always does.
    """

    def __init__(
        self, f: Function, piece: Piece, pointer: Pointer, bounds: list[str], active: str | None = None
    ) -> None:
        self.f, self.piece, self.pointer, self.bounds, self.active = f, piece, pointer, bounds, active

    def _tests(self, axis: int) -> list[tuple[str, str]]:
        """Comparisons of a position along an axis."""
        ends = [end for m in self.piece.limits if m.axis == axis for end in (("sge", m.low), ("slt", m.high))]
        return [(test, self.bounds[k]) for test, k in ends if k is not None]

    def moved(self, axis: int, i: str) -> At:
        active = self.active
        for test, bound in self._tests(axis):
            active = _both(self.f, active, self.f.value(f"icmp {test} i64 {i}, {bound}"))
        return At(self.f, self.piece, self.pointer.moved(axis, i), self.bounds, active)

    def here(self, i: str, lanes: int, axis: int) -> str | None:
        """The lanes from position ``i`` of the last axis on that it has; None for all."""
        f, mask, tests = self.f, None, self._tests(axis)
        if lanes == 1:
            for test, bound in tests:
                mask = _both(f, mask, f.value(f"icmp {test} i64 {i}, {bound}"))
            return _both(f, mask, self.active)
        type_ = f"i{lanes}"
        for test, bound in tests:
            lower = lanes_before(f, f.op("sub", "i64", bound, i), lanes)
            mask = _both(f, mask, lower if test == "slt" else f.op("xor", type_, lower, -1), type_)
        if self.active is not None:
            mask = _both(f, mask, f.convert("sext", "i1", self.active, type_), type_)
        return None if mask is None else f.convert("bitcast", type_, mask, vector("i1", lanes))


def lanes_before(f: Function, count: str, lanes: int) -> str:
    """The first so many bits of an integer with a bit for each lane; none for a negative count, and at most all."""
    few = f.call("i64", "llvm.smin.i64", ("i64", count), ("i64", str(lanes)))
    bits = f.op("lshr", "i64", -1, f.op("and", "i64", f.op("sub", "i64", 64, few), 63))
    some = f.value(f"icmp sgt i64 {few}, 0")
    found = f.value(f"select i1 {some}, i64 {bits}, i64 0")
    return found if lanes == 64 else f.convert("trunc", "i64", found, f"i{lanes}")


class PiecesPointer:
    """Where the pieces of an operand are in the row that is being worked on.

    The address of the middle of rows is chosen as soon as the outer positions that decide about it are known.
    """

    def __init__(self, f: Function, spec: Pieces, parts: list[At], axis: int) -> None:
        self.f, self.spec, self.parts, self.axis = f, spec, parts, axis
        self.middle: Pointer | None = None
        self._choose(-1)

    def moved(self, axis: int, i: str) -> PiecesPointer:
        """The pointer at position ``i`` of an outer axis."""
        new = object.__new__(PiecesPointer)
        new.f, new.spec, new.axis = self.f, self.spec, self.axis
        new.parts = [p.moved(axis, i) for p in self.parts]
        new.middle = None if self.middle is None else self.middle.moved(axis, i)
        new._choose(axis)
        return new

    def _choose(self, axis: int) -> None:
        """Choose the middle's address if all that decides about it is known and one offset is right for all."""
        main = [p for p in self.parts if p.piece.main]
        alike = len({p.piece.operand.strides for p in main}) == 1
        if self.middle is None and alike and max((m.axis for p in main for m in p.piece.outer), default=-1) <= axis:
            first = main[0].pointer
            address = self._chosen([(p, p.pointer.address) for p in main], "ptr")
            self.middle = Pointer(self.f, first.operand, address, first.strides, first.offset)

    def _chosen(self, values: list[tuple[At, str]], type_: str) -> str:
        chosen = values[0][1]
        for p, v in values[1:]:
            chosen = v if p.active is None else self.f.value(f"select i1 {p.active}, {type_} {v}, {type_} {chosen}")
        return chosen

    def row(self) -> PiecesPointer:
        """The pointer in a row, all of whose outer positions are known."""
        if self.middle is None:
            main = [p for p in self.parts if p.piece.main]
            address = self._chosen([(p, p.pointer.begin()) for p in main], "ptr")
            last = self._chosen([(p, p.pointer.strides[-1]) for p in main], "i64")
            self.middle = Pointer(self.f, main[0].pointer.operand, address, [last])
        return self

    def read(self, i: str, lanes: int, mask: str | None, dtypes: list[str]) -> list[str]:
        """Elements of the middle of the row."""
        assert self.middle is not None
        return self.middle.read(i, lanes, mask, dtypes)

    def read_edge(self, i: str, lanes: int, mask: str | None, dtypes: list[str]) -> list[str]:
        """Elements of any part of the row."""
        f = self.f
        if not self.spec.edged:
            return self.read(i, lanes, mask, dtypes)
        if lanes == 1:
            return self._read_one(i, dtypes)
        values: list[str] = []
        for p in self.parts:
            here = _both(f, p.here(i, lanes, self.axis), mask, vector("i1", lanes))
            found = p.pointer.read_where(i, lanes, here, dtypes)
            if values and here is not None:
                types = [vector(scalar_type(d), lanes) for d in dtypes]
                found = [
                    f.value(f"select {vector('i1', lanes)} {here}, {t} {new}, {t} {old}")
                    for t, new, old in zip(types, found, values, strict=True)
                ]
            values = found
        return values

    def _read_one(self, i: str, dtypes: list[str]) -> list[str]:
        """One element: the address is chosen first."""
        f, where = self.f, "%args"
        for p in self.parts:
            here = p.here(i, 1, self.axis)
            at = p.pointer.element(i)
            where = at if here is None else f.value(f"select i1 {here}, ptr {at}, ptr {where}")
        return self.parts[0].pointer.read_at(where, dtypes)


def _both(f: Function, a: str | None, b: str | None, type_: str = "i1") -> str | None:
    if a is None or b is None:
        return b if a is None else a
    return f.op("and", type_, a, b)
