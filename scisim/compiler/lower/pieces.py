"""Operands in pieces: of which arrays a moved value's elements are, depending on where a loop nest is."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu.pieces import Limit
from scisim.compiler.lower import maps
from scisim.compiler.lower.boxes import Box, Part, within
from scisim.core.graph import Equation, Var


class Number(NamedTuple):
    """A piece all of whose elements are one number."""

    value: Any
    dtype: Any


class Pieced(NamedTuple):
    """Where the elements of a moved value are: leaves, each in a box of the loop axes; later ones hold first.

    A leaf is an access or a `Number`.
    """

    leaves: tuple[tuple[Box, Any], ...]

    def key(self) -> tuple:
        return tuple((box, leaf.key() if hasattr(leaf, "key") else repr(leaf)) for box, leaf in self.leaves)

    def accesses(self) -> list[Any]:
        return [leaf for _, leaf in self.leaves if not isinstance(leaf, Number)]

    def limited(self, extents: tuple[int, ...]) -> set[int]:
        """The axes along which pieces end."""
        return {k for box, _ in self.leaves for k, n in enumerate(extents) if box[k] != (0, n)}


def find(
    v: Any, index: maps.IndexMap, box: Box, moved: Callable[[Any], Equation | None], leaf: Callable, step: Callable
) -> list[tuple[Box, Any]]:
    """The leaves of a value in a box of the loop axes.

    Parameters
    ----------
    v : Var or number
    index : IndexMap
        Of its elements.
    box : Box
    moved : callable
        ``moved(v)``: the equation of a value that is not stored, else None.
    leaf : callable
        ``leaf(v, index)`` for one that is.
    step : callable
        ``step(eq, index)``: operand and map of an operation that has one operand, or None.
    """
    eq = moved(v)
    if eq is None:
        return [(box, leaf(v, index))]
    inner: tuple[Any, Any, Any] = (moved, leaf, step)
    if eq.prim.name == "concat":
        return _joined(eq, index, box, inner)
    if eq.prim.name == "put":
        return _replaced(eq, index, box, inner)
    found = step(eq, index)
    return [(box, leaf(v, index))] if found is None else find(found[0], found[1], box, *inner)


def _joined(eq: Equation, index: maps.IndexMap, box: Box, inner: tuple) -> list[tuple[Box, Any]]:
    axis, start, out = eq.params["axis"], 0, []
    for a in eq.args:
        n = np.shape(a)[axis] if not isinstance(a, Var) else a.shape[axis]
        here = within(box, index[axis], start, start + n)
        if here is not None:
            at = tuple(i.plus(maps.Lin(-start)) if k == axis else i for k, i in enumerate(index))
            out += find(a, at, here, *inner)
        start += n
    return out


def _replaced(eq: Equation, index: maps.IndexMap, box: Box, inner: tuple) -> list[tuple[Box, Any]]:
    x, u = eq.args
    part = Part(eq.outs[0].shape, eq.params["at"])
    here: Box | None = box
    for i, (low, high) in zip(index, part.box, strict=True):
        here = here and within(here, i, low, high)
    out = [] if here == box else find(x, maps.broadcast(index, _shape(x)), box, *inner)
    if here is not None:
        at = tuple(index[k].plus(maps.Lin(-part.box[k][0])) for k in part.axes)
        out += find(u, maps.broadcast(at, _shape(u)), here, *inner)
    return out


def _shape(x: Any) -> tuple[int, ...]:
    return x.shape if isinstance(x, Var) else np.shape(x)


def middle(operands: list[Pieced], axis: int, extent: int) -> tuple[int, int]:
    """The longest range along an axis in which no piece of any operand begins or ends."""
    cuts = sorted({0, extent, *(end for p in operands for box, _ in p.leaves for end in box[axis])})
    return max(itertools.pairwise(cuts), key=lambda r: r[1] - r[0])


class Placed(NamedTuple):
    """A piece of a kernel's operand.

    Attributes
    ----------
    access : Access
    kind : int or None
        How it moves along the last axis.
    outer, inner, main
        As in `Piece`.
    """

    access: Any
    kind: int | None
    outer: tuple[Limit, ...]
    inner: Limit | None
    main: bool


def placed(
    p: Pieced,
    inner: int,
    place: dict[int, int],
    extents: tuple[int, ...],
    rows: range,
    number: Callable,
    bound: Callable[[int, int], int],
) -> list[Placed]:
    """The pieces for a loop.

    Parameters
    ----------
    p : Pieced
    inner : int
        The last axis.
    place : dict
        The kernel's axis of each axis.
    extents : tuple of int
    rows : range
        The middle of the last axis.
    number : callable
        ``number(leaf, along)``: the access of a `Number`, or of a row of them along an axis.
    bound : callable
        ``bound(axis, index)``: the number of a bound.
    """
    limits = [[k for k in place if box[k] != (0, extents[k])] for box, _ in p.leaves]
    main = [box[inner][0] <= rows.start and rows.stop <= box[inner][1] for box, _ in p.leaves]
    for k, found in enumerate(limits):
        if main[k] and set(found) <= {inner}:  # it holds wherever earlier ones do
            main[:k] = [False] * k
    kinds = {(kind(leaf, inner), isinstance(leaf, Number)) for (_, leaf), m in zip(p.leaves, main, strict=True) if m}
    row = kinds == {(0, True), (1, False)}
    out = []
    for (box, leaf), found, m in zip(p.leaves, limits, main, strict=True):
        access = number(leaf, inner if row and m else None) if isinstance(leaf, Number) else leaf
        moves = None if m and len(kinds) > 1 and not row else kind(access, inner)
        at = {k: _limit(k, box[k], place, extents, bound) for k in found}
        outer = tuple(at[k] for k in found if k != inner)
        out.append(Placed(access, moves, outer, at.get(inner), m))
    return out


def _limit(axis: int, ends: tuple[int, int], place: dict[int, int], extents: tuple[int, ...], bound: Callable) -> Limit:
    low, high = ends
    return Limit(
        place[axis], bound(axis, low) if low > 0 else None, bound(axis, high) if high < extents[axis] else None
    )


def kind(leaf: Any, axis: int) -> int | None:
    """How a leaf moves along an axis: not at all, by one element, or (None) in another way."""
    if isinstance(leaf, Number):
        return 0
    stride = leaf.strides[axis]
    return stride if stride in (0, 1) else None
