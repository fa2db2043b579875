"""One block of a schedule, a region or what lies between regions, as calls of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.compiler.lower import maps, written
from scisim.compiler.lower.calls import Axis, Call, Nest, Target
from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.compiler.lower.lines import lines, turn
from scisim.compiler.lower.products import product
from scisim.compiler.lower.roots import REDUCTIONS, Roots
from scisim.compiler.lower.schedule import AxisClasses, Key
from scisim.compiler.lower.scope import Access, Scope
from scisim.compiler.lower.stacks import Stacks
from scisim.compiler.lower.strips import in_strips
from scisim.compiler.scalar.ir import Node
from scisim.core.graph import Equation, Var
from scisim.core.values import inexact


class Block:
    """Lowers the equations of one key of the schedule.

    Parameters
    ----------
    values : Values
        Where values of the program live; those of the block are added.
    key : Key
    found : Roots
        The equations, and what of them is stored.
    classes : AxisClasses
    aliases : dict
        Sums of partial sums, and what each is one with.
    tile : int
        Length of a tile, 0 outside regions.
    bits : int
        Of a vector.
    parallel : bool
        Several threads share the tiles.
    """

    def __init__(
        self,
        values: Any,
        key: Key,
        found: Roots,
        classes: AxisClasses,
        aliases: dict[Var, Var],
        tile: int,
        bits: int,
        parallel: bool,
    ) -> None:
        self.values, self.key, self.classes, self.tile, self.bits = values, key, classes, tile, bits
        self.aliases, self.parallel = aliases, parallel
        self.roots, self.outside = found, found.outside
        self.local: dict[Var, View] = {}
        self.sums: dict[Var, View] = {}  # partial sums, by what they are a part of
        self.apart: list[written.Apart] = []
        self.calls: list[Call] = []
        self.strips = False
        self.stacks = Stacks(found, self.position, tile, found.outside, self.whole)
        for eq in found.equations:
            if eq.outs[0] in self.roots.stored:
                self._place(eq)
        for _, kind, eqs in self.roots.steps():
            first, apart = len(self.calls), len(self.apart)
            {"loop": self._loop, "product": self._products, "part": self._part}[kind](eqs)
            for call in [*self.calls[first:], *(a.call for a in self.apart[apart:])]:
                call.origin = eqs, self.roots

    # --- where values live

    def position(self, v: Any) -> int | None:
        """The tiled axis of a value."""
        return None if self.key.cls is None else self.classes.position(v, self.key.cls)

    def view(self, v: Any) -> View | None:
        """Where a value is in memory, if it is."""
        if v in self.local:
            return self.local[v]
        view = self.values.view(v)
        if view is None:
            return None
        at = self.position(v)
        return View(view.buffer, view.offset, view.strides, at)

    def _place(self, eq: Equation) -> None:
        v = eq.outs[0]
        at = self.position(v)
        if self.key.cls is not None and at is None and eq.prim.name != "put":
            whole = self.whole(v)
            if whole not in self.sums:
                self.sums[whole] = self.values.sums(whole) if self.parallel else self.values.whole(whole)
            self.local[v] = self.sums[whole]
        elif at is None or v in self.outside:
            view = self.values.whole(v)
            self.local[v] = View(view.buffer, view.offset, view.strides, at)
        elif v in self.stacks.slots:
            self.local[v] = self.stacks.view(v)
        else:
            shape = tuple(self.tile if k == at else n for k, n in enumerate(v.shape))
            self.local[v] = Buffer(Place.TILE, v.dtype, shape).view()

    def whole(self, v: Var) -> Var:
        """The sum that a partial sum is part of."""
        while v in self.aliases:
            v = self.aliases[v]
        return v

    # --- loops

    def _nest(self, v: Any, note: str) -> tuple[Nest, maps.IndexMap]:
        """A loop nest over the elements of a value, and its map; axes of length one need no loop."""
        return self.nest_over(tuple(v.shape), self.position(v), note)

    def nest_over(self, shape: tuple[int, ...], cut: int | None, note: str) -> tuple[Nest, maps.IndexMap]:
        """A loop nest over elements in this shape, of which tiles cut an axis."""
        loops = [k for k, n in enumerate(shape) if n != 1]
        axes = [Axis(shape[k], k == cut) for k in loops] or [Axis(1)]
        tiled = loops.index(cut) if cut in loops else None
        extents, numbers = tuple(a.extent for a in axes), self.values.numbers
        scope = Scope(extents, self.roots.made, self.view, self.position, self.tile, tiled, numbers)
        return Nest(axes, scope, numbers, note=note), maps.over(shape)

    def run(self, nest: Nest) -> None:
        """Add the calls of a nest."""
        calls = in_strips(nest, self.bits)
        self.strips |= len(calls) > 1
        self.calls += calls

    def store(self, nest: Nest, x: Any, at: maps.IndexMap, to: View, index: maps.IndexMap, dtype: Any) -> None:
        """Let a nest put the elements of ``x`` that a map finds, as a dtype, where another finds places of a view."""
        value = nest.scope._as(nest.scope.value(x, at), _dtype(x), dtype)
        nest.targets.append(Target(parts(value), self._access(nest, to, index)))

    def _loop(self, equations: list[Equation]) -> None:
        """A kernel that stores the results of all these equations."""
        over = self.roots.over(equations[0])
        nest, _ = self._nest(over, ", ".join(eq.prim.name for eq in equations))
        nest.scope.own = {eq.outs[0] for eq in equations if self.roots.over(eq) is eq.outs[0]}
        for eq in equations:
            (self._reduction if eq.prim.name in REDUCTIONS else self._stored)(nest, eq)
        for eq, t in zip(equations, nest.targets, strict=True):
            if t.combine is not None and not t.partial and nest.joins(t):
                self.calls.append(self.filled(self.local[eq.outs[0]], t.combine, eq.outs[0]))
        self.run(nest)

    def _index(self, v: Any) -> maps.IndexMap:
        return maps.over(tuple(v.shape))

    def _access(self, nest: Nest, view: View, index: maps.IndexMap) -> Access:
        access = nest.scope.access(view, index)
        if len(nest.axes) == 1 and nest.axes[0].extent == 1:  # a single element: let it look like a row
            access = access._replace(strides=(1,))
        return access

    def _stored(self, nest: Nest, eq: Equation) -> None:
        v = eq.outs[0]
        x, index, to = self._spread(v, own=True)
        value = nest.scope.value(x, index)
        nest.targets.append(Target(parts(value), self._access(nest, self.local[v], to)))

    def _spread(self, v: Any, own: bool = False) -> tuple[Any, maps.IndexMap, maps.IndexMap]:
        """What a loop goes over to give the elements of a value, the map of its elements, and that of their places."""
        if v not in self.roots.spread or (not own and self.view(v) is not None):
            index = self._index(v)
            return v, index, index
        x = self.roots.made[v].args[0]
        index = self._index(x)
        to = maps.reshape(index, v.shape, x.shape)
        assert to is not None
        return x, index, to

    def _reduction(self, nest: Nest, eq: Equation) -> None:
        x, v = eq.args[0], eq.outs[0]
        index = self._index(x)
        op = REDUCTIONS[eq.prim.name]
        value = nest.scope._as(nest.scope.value(x, index), x.dtype, v.dtype)
        kept = tuple(i for k, i in enumerate(index) if k not in eq.params["axes"])
        access = nest.scope.access(self.local[v], kept)
        nest.targets.append(Target(parts(value), access, op, self.whole(v) in self.sums))

    def filled(self, view: View, op: str, v: Any) -> Call:
        """A kernel that sets what sums start from."""
        nest, index = self._nest(v, f"start of {op}")
        one: Any = {"add": 0, "mul": 1, "and": True, "or": False}.get(op)
        if one is None:
            low, high = (-np.inf, np.inf) if inexact(v.dtype) else _range(v.dtype)
            one = low if op == "maximum" else high
        value = nest.scope._constant(np.asarray(one, v.dtype), v.dtype)
        nest.targets.append(Target(parts(value), self._access(nest, view, index)))
        return nest.call(self.bits)

    def copied(self, x: Any, to: View, v: Any, note: str = "copy") -> Call:
        """A kernel that stores a value of the shape of ``x``, as the dtype of ``v``, to a view."""
        x, index, places = self._spread(x)
        nest, _ = self._nest(x, note)
        self.store(nest, x, index, to, places, v.dtype)
        return nest.call(self.bits)

    # --- what is written part by part

    def _part(self, equations: list[Equation]) -> None:
        (eq,) = equations
        {"put": written.put, "concat": written.concat, "turn": turn}[eq.prim.name](self, eq)

    # --- products

    def _products(self, equations: list[Equation]) -> None:
        for eq in equations:
            if eq.prim.lines is not None:
                lines(self, eq)
            elif id(eq) not in self.stacks.absorbed:
                product(self, eq, self.stacks.merged.get(id(eq), 1))


def _dtype(x: Any) -> Any:
    return x.dtype if isinstance(x, Var) else np.asarray(x).dtype


def parts(value: Any) -> tuple[Node, ...]:
    """The nodes of a value: one, or real and imaginary part."""
    return (value,) if isinstance(value, Node) else (value.re, value.im)


def _range(dtype: Any) -> tuple[Any, Any]:
    if dtype.kind == "b":
        return False, True
    info = np.iinfo(dtype)
    return info.min, info.max
