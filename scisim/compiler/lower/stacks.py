"""Products that are one product: with a common second operand, or summed into one result.

The coefficients of a series that a layer of a network multiplies by the same weights are stored one after the other,
for each length of a tile, so that all their rows are one first operand; and so are the sensitivities that meet them in
the gradient of the weights, in the same order, so that one product sums over all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.compiler.lower.roots import PRODUCTS, Roots
from scisim.core.graph import Equation, Var


class Slot(NamedTuple):
    """A place in a stack."""

    stack: Buffer
    number: int
    among: int


class Stacks:
    """The stacks of a block.

    Parameters
    ----------
    roots : Roots
    position : callable
        The tiled axis of a value.
    tile : int
        Length of a tile.
    outside : set of Var
        Values with a place of their own.
    whole : callable
        What a partial sum is part of.

    Attributes
    ----------
    slots : dict
        The place of each variable that is in a stack.
    merged : dict
        By the id of the equation that stands for them: how many equations are one product.
    absorbed : set of int
        The ids of the others.
    """

    def __init__(
        self, roots: Roots, position: Callable, tile: int, outside: set[Var], whole: Callable[[Var], Var]
    ) -> None:
        self.roots, self.position, self.tile, self.outside, self.whole = roots, position, tile, outside, whole
        self.slots: dict[Var, Slot] = {}
        self.merged: dict[int, int] = {}
        self.absorbed: set[int] = set()
        products = [eq for eq in roots.equations if eq.prim.name in PRODUCTS]
        sums = self._grouped(products, self._sum_key)
        self.partner = {eq.args[1]: self._under(eq) for group in sums for eq in group}
        for group in self._grouped(products, self._rows_key):
            self._rows(group)
        for group in sums:
            self._sums(group)

    def _grouped(self, products: list[Equation], key: Callable) -> list[list[Equation]]:
        groups: dict[tuple, list[Equation]] = defaultdict(list)
        for eq in products:
            k = key(eq)
            if k is not None:
                groups[k].append(eq)
        return [g for g in groups.values() if len(g) > 1]

    def _free(self, v: Any) -> bool:
        """Whether a value is stored in tiles, rows first."""
        stored = isinstance(v, Var) and v in self.roots.stored and v not in self.outside
        return stored and len(v.shape) == 2 and self.position(v) == 0

    def _rows_key(self, eq: Equation) -> tuple | None:
        a, b = eq.args
        v = eq.outs[0]
        if not (self._free(a) and self._free(v) and self.position(b) is None):
            return None
        return self.roots.level[v], id(b), a.shape, a.dtype, v.dtype, eq.prim

    def _sum_key(self, eq: Equation) -> tuple | None:
        y, b, v = self._under(eq), eq.args[1], eq.outs[0]
        if y is None or not (self._free(y) and self._free(b)) or self.position(v) is not None:
            return None
        return self.roots.level[v], self.whole(v), y.shape, b.shape, eq.prim

    def _under(self, eq: Equation) -> Any:
        """What the first operand is the transpose of."""
        maker = self.roots.made.get(eq.args[0])
        return maker.args[0] if maker is not None and maker.prim.name == "transpose" else None

    def _rows(self, group: list[Equation]) -> None:
        """Stack first operands and results of products with the same second operand."""

        def order(eq: Equation) -> int:
            y = self.partner.get(eq.args[0])
            return self.slots[y].number if y in self.slots else group.index(eq)

        group = sorted(group, key=order)
        if self._stack([eq.args[0] for eq in group]) and self._stack([eq.outs[0] for eq in group]):
            self._merge(group)

    def _sums(self, group: list[Equation]) -> None:
        """Products summed into one result, whose operands are stacked in one order."""
        ys = [self._under(eq) for eq in group]
        if all(y in self.slots for y in ys):
            group = sorted(group, key=lambda eq: self.slots[self._under(eq)].number)
        if self._stack([self._under(eq) for eq in group]) and self._stack([eq.args[1] for eq in group]):
            self._merge(group)

    def _stack(self, vs: list[Any]) -> bool:
        """Put values into a stack in this order; whether they are in one then."""
        found = [self.slots.get(v) for v in vs]
        if any(found):
            first = found[0]
            return all(
                s is not None and first is not None and s.stack is first.stack and s.number == k and s.among == len(vs)
                for k, s in enumerate(found)
            )
        if len(set(vs)) < len(vs):
            return False
        v = vs[0]
        stack = Buffer(Place.TILE, v.dtype, (len(vs), self.tile, v.shape[1]))
        self.slots.update({v: Slot(stack, k, len(vs)) for k, v in enumerate(vs)})
        return True

    def _merge(self, group: list[Equation]) -> None:
        self.merged[id(group[0])] = len(group)
        self.absorbed |= {id(eq) for eq in group[1:]}

    def view(self, v: Var) -> View:
        """Where a variable that is in a stack lives: after those before it, at each length of the tile."""
        slot, width = self.slots[v], v.shape[1]
        return View(slot.stack, 0, (width, 1), per_length=slot.number * width)
