"""Calls of kernels: what each argument is, and how loops become kernels with as few axes as possible."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scisim.compiler.cpu.access import Operand
from scisim.compiler.cpu.loops import Loop, Store, rounds
from scisim.compiler.cpu.pieces import Piece, Pieces
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.operands import Address, Extent, Operands
from scisim.compiler.lower.pieces import Number, Pieced, kind, middle, placed
from scisim.compiler.lower.scope import Access, Scope
from scisim.compiler.scalar.ir import Node, live
from scisim.core.lines import Lines


class Held(NamedTuple):
    """What a call needs of a library: its `Lines`, and the handles that live as long as the program."""

    lines: Lines
    handles: tuple


@dataclass
class Call:
    """One call of a kernel.

    Attributes
    ----------
    kernel : object
        With ``name`` and ``emit``.
    args : list of Address or Extent
    note : str
        For people: which equations it computes.
    origin : tuple, optional
        The equations whose results it stores, and the `Roots` that tell what is computed on the way.
    held : Held, optional
        Where arguments are addresses in a library.
    work : Extent, optional
        An estimate of arithmetic operations where the kernel does not tell.
    """

    kernel: Any
    args: list[Address | Extent]
    note: str = ""
    origin: Any = None
    held: Held | None = None
    work: Extent | None = None

    def buffers(self) -> list[Any]:
        return [a.view.buffer for a in self.args if isinstance(a, Address)]


MANY = 5  # loads along rows from which on they are neighbours


@dataclass
class Axis:
    """A loop axis: its extent, and whether it is the one that tiles cut."""

    extent: int
    tiled: bool = False


class Target(NamedTuple):
    """Where a value of a loop goes: the access, how it joins what is there, and whether others join it too."""

    values: tuple[Node, ...]
    access: Access
    combine: str | None = None
    partial: bool = False


@dataclass
class Nest:
    """A loop nest being made into a kernel call."""

    axes: list[Axis]
    scope: Scope
    numbers: Callable[[Any, Any, int], View]  # an array of so many equal numbers
    targets: list[Target] = field(default_factory=list)
    note: str = ""
    window: tuple[int, int, int] | None = None  # an axis, and the range of it that a call is for

    def call(self, bits: int) -> Call:
        """The kernel call, for vectors of so many bits."""
        nodes = live(n for t in self.targets for n in t.values)
        order = self.order()
        groups = self._groups(order, nodes)
        used = sorted({n.attr[0] for n in nodes if n.op == "load"})
        operands = Operands(groups)
        loads = tuple(self._operand(self.scope.accesses[k], groups, operands) for k in used)
        place = {k: q for q, k in enumerate(used)}
        number = {n.index: q for q, n in enumerate(nodes)}
        axis_number = {axis: g for g, group in enumerate(groups) for axis in group}
        body = tuple(
            (n.op, tuple(number[a.index] for a in n.args), n.dtype, self._attr(n, place, axis_number)) for n in nodes
        )
        stores = tuple(self._store(t, order[-1], number, operands) for t in self.targets)
        inner = [self.axes[k] for k in groups[-1]]
        tail = any(a.tiled for a in inner) or 0 in groups[-1] or math.prod(a.extent for a in inner) % _unit(nodes, bits)
        aligned = self._neighbours(loads, stores) and not rounds(stores, body)
        kernel = Loop(len(groups), loads, body, stores, bool(tail) or aligned, aligned)
        args = [*map(self._extent, groups), *self._rows(groups, kernel.edged), *operands.arguments()]
        return Call(kernel, args, self.note)

    def _operand(self, access: Access | Pieced, groups: list[list[int]], operands: Operands) -> Operand | Pieces:
        """A load, as the kernel's spec has it."""
        inner, place = groups[-1][-1], {axis: g for g, group in enumerate(groups) for axis in group}
        if not isinstance(access, Pieced):
            return operands.add(self._begun(access), kind(access, inner))

        def bound(axis: int, at: int) -> int:
            return operands.bound(self._index(axis, at))

        def number(leaf: Number, along: int | None) -> Access:
            return self._number(leaf, [] if along is None else groups[-1])

        pieces = placed(access, inner, place, self.scope.extents, self._middle(inner), number, bound)
        return Pieces(
            tuple(Piece(operands.add(self._begun(p.access), p.kind), p.outer, p.inner, p.main) for p in pieces)
        )

    def _begun(self, access: Access) -> Access:
        """An access from the beginning of the window on."""
        if self.window is None:
            return access
        axis, low, _ = self.window
        return access._replace(offset=access.offset + low * access.strides[axis])

    def _number(self, leaf: Number, axes: list[int]) -> Access:
        """A number, or a row of them along axes that one loop walks."""
        extents = [min(n, self.scope.tile) if k == self.scope.cut else n for k, n in enumerate(self.scope.extents)]
        strides, count = [0] * len(self.axes), 1
        for k in reversed(axes):
            strides[k], count = count, count * extents[k]
        return Access(self.numbers(leaf.value, leaf.dtype, count), 0, tuple(strides), 0)

    def _middle(self, inner: int) -> range:
        found = [a for a in self.scope.accesses if isinstance(a, Pieced)]
        return range(*middle(found, inner, self.scope.extents[inner]))

    def _rows(self, groups: list[list[int]], edged: bool) -> list[Extent]:
        """The middle of rows, where operands are in pieces."""
        inner = groups[-1][-1]
        rows = self._middle(inner)
        return [self._index(inner, rows.start), self._index(inner, rows.stop)] if edged else []

    def _neighbours(self, loads: tuple, stores: tuple[Store, ...]) -> bool:
        """Whether elements are made of many beside them, of which vectors should not begin just anywhere."""
        rows = [o for o in loads if o.inner == 1]
        return len(self.axes) > 1 and len(rows) >= MANY and stores[0].to.inner == 1 and stores[0].combine is None

    @staticmethod
    def _attr(n: Node, place: dict, axis_number: dict) -> Any:
        if n.op == "load":
            return (place[n.attr[0]], n.attr[1])
        return axis_number[n.attr] if n.op == "index" else n.attr

    def joins(self, t: Target) -> bool:
        """Whether a reduction adds to its place in memory more than once, so that this must be set first."""
        outer = self.order()[:-1]
        return t.partial or any(t.access.strides[k] == 0 and self.axes[k].extent > 1 for k in outer)

    def _store(self, t: Target, inner: int, number: dict, operands: Operands) -> Store:
        to = operands.add(self._begun(t.access), kind(t.access, inner))
        across = t.combine is not None and t.access.strides[inner] == 0
        joins = t.combine is not None and self.joins(t)
        combine = t.combine if across or joins else None
        return Store(tuple(number[n.index] for n in t.values), to, combine, across, joins)

    def _all(self) -> list[Access]:
        loads = [b for a in self.scope.accesses for b in (a.accesses() if isinstance(a, Pieced) else [a])]
        return [*loads, *(t.access for t in self.targets)]

    def order(self) -> list[int]:
        """Axes with the one along which most elements are neighbours last."""
        axes = list(range(len(self.axes)))

        def score(axis: int) -> tuple[int, int]:
            strides = [a.strides[axis] for a in self._all()]
            return sum(s == 1 for s in strides) - sum(s not in (0, 1) for s in strides), axis

        best = max((k for k in axes if self.axes[k].extent > 1 or len(axes) == 1), key=score, default=axes[-1])
        return [k for k in axes if k != best] + [best]

    def _groups(self, order: list[int], nodes: list[Node]) -> list[list[int]]:
        """Neighbouring axes that one loop can walk."""
        indexed = {n.attr for n in nodes if n.op == "index"}
        indexed |= {self.window[0]} if self.window else set()
        indexed |= {k for a in self.scope.accesses if isinstance(a, Pieced) for k in a.limited(self.scope.extents)}
        groups: list[list[int]] = [[order[0]]]
        for k in order[1:]:
            if self._joins(groups[-1][-1], k) and not indexed & {groups[-1][-1], k}:
                groups[-1].append(k)
            else:
                groups.append([k])
        return groups

    def _joins(self, outer: int, inner: int) -> bool:
        if self.axes[inner].tiled:
            return False
        n = self.axes[inner].extent
        return all(a.strides[outer] == a.strides[inner] * n for a in self._all())

    def _index(self, axis: int, at: int) -> Extent:
        """A position along an axis, counted from the start of the tile."""
        if self.window is not None and axis == self.window[0]:
            at -= self.window[1]
        return Extent(at, 0, -1 if self.axes[axis].tiled else 0)

    def _extent(self, group: list[int]) -> Extent:
        if self.window is not None and self.window[0] in group:
            return Extent(self.window[2] - self.window[1])
        product = math.prod(self.axes[k].extent for k in group if not self.axes[k].tiled)
        return Extent(0, product) if any(self.axes[k].tiled for k in group) else Extent(product)


def _unit(nodes: list[Node], bits: int) -> int:
    """Elements that certainly fill whole vectors."""
    found = [n for n in nodes if n.dtype != "bool" or n.op == "load"]
    narrow = [8 if n.dtype == "bool" else int(n.dtype.lstrip("uintfloa")) for n in found]
    return bits // min(narrow, default=8)


def address(view: View, per_start: bool = True) -> Address:
    """The first element of a view."""
    moves = 0 if view.tiled is None or not per_start else view.strides[view.tiled]
    return Address(view, view.offset, moves)
