"""Operands of a loop that are in pieces: elements come from one of several arrays, depending on where the loop is.

Along the outer axes a row reads what holds there: its address is chosen once a row.  Along the last axis most of a row
is one piece, read like any operand; the vectors at its edges are put together of masked ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scisim.compiler.cpu.access import Operand, Pointer
from scisim.compiler.cpu.emit import Function, vector
from scisim.compiler.cpu.printer import scalar_type


class Limit(NamedTuple):
    """Along an axis, a piece has a first index (``low``), or a last one (``high``), or both; they are arguments."""

    axis: int
    low: bool
    high: bool


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

    def arguments(self, rank: int) -> int:
        limits = [*self.outer, *([self.inner] if self.inner else [])]
        return 1 + rank + sum(m.low + m.high for m in limits)


class Pieces(NamedTuple):
    """An operand in pieces, of which a later one holds where several do.

    Its arguments are those of each piece: the pointer, strides, limits along the outer axes and along the last one.
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

    def arguments(self, rank: int) -> int:
        return sum(p.arguments(rank) for p in self.pieces)


class _At:
    """A piece in the row that is being worked on."""

    def __init__(self, f: Function, piece: Piece, place: int, rank: int) -> None:
        self.f, self.piece = f, piece
        self.pointer = Pointer(f, piece.operand, place, rank)
        place += 1 + rank
        self.limits: dict[int, list[tuple[str, str]]] = {}
        for limit in (*piece.outer, *([piece.inner] if piece.inner else [])):
            found = self.limits[limit.axis] = []
            for has, test in ((limit.low, "sge"), (limit.high, "slt")):
                if has:
                    found.append((test, f.argument(place)))
                    place += 1
        self.active: str | None = None  # an i1, None where it always holds

    def moved(self, axis: int, i: str) -> _At:
        new = object.__new__(_At)
        new.f, new.piece, new.limits = self.f, self.piece, self.limits
        new.pointer, new.active = self.pointer.moved(axis, i), self.active
        for test, bound in self.limits.get(axis, ()):
            new.active = _both(self.f, new.active, self.f.value(f"icmp {test} i64 {i}, {bound}"))
        return new

    def here(self, i: str, lanes: int, axis: int) -> str | None:
        """The lanes from position ``i`` of the last axis on that it has; None for all."""
        f, type_, mask = self.f, vector("i64", lanes), None
        if self.limits.get(axis):
            at = _splat(f, "i64", i, lanes)
            if lanes > 1:
                at = f.op("add", type_, at, "<" + ", ".join(f"i64 {k}" for k in range(lanes)) + ">")
            for test, bound in self.limits[axis]:
                mask = _both(f, mask, f.value(f"icmp {test} {type_} {at}, {_splat(f, 'i64', bound, lanes)}"), lanes)
        return _both(f, mask, None if self.active is None else _splat(f, "i1", self.active, lanes), lanes)


class PiecesPointer:
    """Where the pieces of an operand are in the row that is being worked on."""

    def __init__(self, f: Function, pieces: Pieces, place: int, rank: int) -> None:
        self.f, self.spec, self.axis = f, pieces, rank - 1
        self.parts: list[_At] = []
        for piece in pieces.pieces:
            self.parts.append(_At(f, piece, place, rank))
            place += piece.arguments(rank)
        self.middle: Pointer | None = None

    def moved(self, axis: int, i: str) -> PiecesPointer:
        """The pointer at position ``i`` of an outer axis."""
        new = object.__new__(PiecesPointer)
        new.f, new.spec, new.axis, new.middle = self.f, self.spec, self.axis, None
        new.parts = [p.moved(axis, i) for p in self.parts]
        return new

    def row(self) -> PiecesPointer:
        """The pointer with the address of the middle of the row, now that the outer positions are known."""
        f = self.f
        first, *others = [p for p in self.parts if p.piece.main]
        self.middle = chosen = first.pointer.copy()
        for p in others:
            assert p.active is not None
            chosen.address = f.value(f"select i1 {p.active}, ptr {p.pointer.address}, ptr {chosen.address}")
            if chosen.operand.inner is None:
                last = f.value(f"select i1 {p.active}, i64 {p.pointer.strides[-1]}, i64 {chosen.strides[-1]}")
                chosen.strides = [*chosen.strides[:-1], last]
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
            here = _both(f, p.here(i, lanes, self.axis), mask, lanes)
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


def _both(f: Function, a: str | None, b: str | None, lanes: int = 1) -> str | None:
    if a is None or b is None:
        return b if a is None else a
    return f.op("and", vector("i1", lanes), a, b)


def _splat(f: Function, single: str, x: str, lanes: int) -> str:
    if lanes == 1:
        return x
    type_ = vector(single, lanes)
    a = f.value(f"insertelement {type_} poison, {single} {x}, i64 0")
    return f.value(f"shufflevector {type_} {a}, {type_} poison, <{lanes} x i32> zeroinitializer")


def pointer(f: Function, operand: Any, place: int, rank: int) -> Any:
    """The pointer of an operand of either kind."""
    return (PiecesPointer if isinstance(operand, Pieces) else Pointer)(f, operand, place, rank)


def arguments(operand: Any, rank: int) -> int:
    """How many arguments an operand has."""
    return operand.arguments(rank) if isinstance(operand, Pieces) else 1 + rank
