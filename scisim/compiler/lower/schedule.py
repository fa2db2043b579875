"""Which equations run together: tiled regions, what comes between them, and host steps.

Axes that must be walked together form a class (`AxisClasses`, from the axis rule of each primitive).  A region is made
of equations that carry one class, on which no sum over it is needed in between; it can run tile by tile.
Times order the work: even ones for what carries no class, odd ones for regions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from scisim.compiler.lower.lines import beside
from scisim.compiler.lower.moves import PARTS, Moves, inlines
from scisim.core.graph import Equation, Var, has_effect
from scisim.core.values import shape

# Regions are made of axes at least this long; shorter ones gain nothing from tiles, unless there is much at each index.
LEAST_EXTENT = 256
SHORT_EXTENT, MUCH = 32, 1024
# An outer axis is cut rather than one so many times as long, whose tiles would be strips of every row.
OUTER_FACTOR = 12
_NOTHING: Mapping[int, tuple[Var, ...]] = {}


class AxisClasses:
    """Classes of the axes of variables that must be walked together, each named by a number."""

    def __init__(self, equations: Iterable[Equation]) -> None:
        self._first: dict[Var, int] = {}  # the number of a variable's first axis; the others follow
        self._parent: list[int] = []
        self._uses: dict[int, list[tuple]] = {}
        self.chosen: Mapping[int, int] = {}  # by the id of an equation
        for eq in equations:
            self._join(eq)
        self._of = {v: tuple(map(self._find, range(k, k + len(v.shape)))) for v, k in self._first.items()}

    def _find(self, k: int) -> int:
        parent = self._parent
        while parent[k] != k:
            parent[k] = k = parent[parent[k]]
        return k

    def _axis(self, v: Var, axis: int) -> int:
        first = self._first.get(v)
        if first is None:
            first = self._first[v] = len(self._parent)
            self._parent.extend(range(first, first + len(v.shape)))
        return first + axis

    def _join(self, eq: Equation) -> None:
        """Axes of one label are of one class; what the classes of the equation are is asked later."""
        ins, outs = labels_of(eq)
        first: dict[Any, int] = {}
        uses = []
        for v, labels in [*zip(eq.args, ins, strict=True), *zip(eq.outs, outs, strict=True)]:
            if isinstance(v, Var):
                for k, label in enumerate(labels):
                    axis = self._axis(v, k)
                    n = v.shape[k]
                    if n >= SHORT_EXTENT and not (label is None and eq.prim.name == "gather" and v is eq.args[0]):
                        uses.append((axis, label, n, k, n >= LEAST_EXTENT or size(v) >= n * MUCH))
                    if label is not None:
                        a, b = self._find(first.setdefault(label, axis)), self._find(axis)
                        self._parent[b] = a
        self._uses[id(eq)] = uses

    def position(self, v: Any, cls: int) -> int | None:
        """The axis of ``v`` that is of the class."""
        of = self._of.get(v, ())
        return of.index(cls) if cls in of else None

    def alike(self, new: Var, old: Var) -> None:
        """A new variable has the axes of another."""
        if old in self._of:
            self._of[new] = self._of[old]

    def like(self, new: Var, old: Var) -> None:
        """A further variable with the classes of another."""
        self._of[new] = self._of[old]

    def candidate(self, eq: Equation) -> int | None:
        """The class along which an equation is best cut: that of lines beside it, or of the outermost long axis."""
        if id(eq) in self.chosen:
            return self.chosen[id(eq)]
        best = self._legal(eq)
        longest = max((n for n, _ in best.values()), default=0)
        long = [cls for cls, (n, _) in best.items() if n * OUTER_FACTOR >= longest]
        return min(long, key=lambda cls: (best[cls][1], -best[cls][0]), default=None)

    def legal(self, eq: Equation, cls: int) -> bool:
        """Whether an equation can be cut along a class."""
        return cls in self._legal(eq)

    def _legal(self, eq: Equation) -> dict[int, tuple[int, int]]:
        """The classes along which an equation can be cut, with length and place of an axis."""
        labels: dict[int, set] = {}
        best: dict[int, tuple[int, int]] = {}
        for axis, label, n, k, worth in self._uses[id(eq)]:
            cls = self._find(axis)
            labels.setdefault(cls, set()).add(label)
            if worth:
                best.setdefault(cls, (n, k))
        return {c: found for c, found in best.items() if len(labels[c]) == 1 and None not in labels[c]}


def labels_of(eq: Equation) -> tuple[list, list]:
    """Labels of the axes of operands and results; None where an axis must be whole."""
    shapes = tuple(tuple(shape(a)) for a in eq.args)
    none = [(None,) * len(s) for s in shapes], [(None,) * len(v.shape) for v in eq.outs]
    if eq.prim.multiple:
        return none
    ins, out = eq.prim.axes.labels(shapes, eq.params)
    if out is None or any(len(t) != len(s) for t, s in zip(ins, shapes, strict=True)):
        return none
    if len(out) != len(eq.outs[0].shape):
        return none
    if eq.prim.name == "put":  # what is written may be cut wherever it begins
        ins = [ins[0], tuple(("written", k) if label is None else label for k, label in enumerate(ins[1]))]
    return ins, [out]


class Key(NamedTuple):
    """When and along which class an equation runs."""

    time: int
    cls: int | None
    host: bool = False


def schedule(
    equations: list[Equation], native: Any, outputs: Iterable[Any] = (), after: Mapping[int, tuple[Var, ...]] = _NOTHING
) -> tuple[list[Equation], dict[int, Key], AxisClasses]:
    """The equations, with those that move elements as part of what uses them, and the key of each (by its id).

    Parameters
    ----------
    equations : list of Equation
    native : callable
        ``native(eq)``: whether kernels can be made for it; else it is a host step, alone.
    outputs : iterable
        What is needed afterwards.
    after : mapping
        By the id of an equation, what else it waits for.
    """
    classes = AxisClasses(equations)
    classes.chosen = beside(equations, classes, native)
    keys, moves = _keys(equations, native, after, classes, set())
    whole = moves.needed_whole(keys)
    if whole and any(eq.prim.name in PARTS and eq.outs[0] not in moves.made for eq in equations):
        keys, moves = _keys(equations, native, after, classes, whole)
    return moves.rewritten(equations, keys, outputs, classes.alike), keys, classes


def _keys(
    equations: list[Equation], native: Any, after: Mapping[int, tuple[Var, ...]], classes: AxisClasses, whole: set[Var]
) -> tuple[dict[int, Key], Moves]:
    """The keys of equations and those that only move elements, where some values are made whole in any case."""
    keys: dict[int, Key] = {}
    made: dict[Var, Equation] = {}
    moves = Moves(made)
    effect = 0  # when the last equation runs that does something beside giving values; they stay in order
    for eq in equations:
        cls, host = None, not native(eq)
        if not host:
            cls = classes.candidate(eq)

            def finished(a: Var, eq: Equation = eq) -> bool:
                return a not in made or a in whole or _finished(keys[id(made[a])], eq, classes)

            moves.add(eq, finished, cls is not None)
        seen = inlines(eq) and not host
        times = [0 if cls is None else 1]
        for a in (*eq.args, *after.get(id(eq), ())):
            if seen and isinstance(a, Var) and a in moves.leaves:
                times += [_after_whole(keys[id(made[b])], cls) for b in moves.leaves[a] if b in made]
            elif isinstance(a, Var) and a in made and eq.prim.name == "gather" and a is eq.args[0]:
                times.append(_after_looked_up(keys[id(made[a])], eq, made[a], cls, host, classes))
            elif isinstance(a, Var) and a in made:
                times.append(_after(keys[id(made[a])], made[a], cls, host, classes))
        if has_effect(eq):
            times.append(effect)
            effect = max(times)
        keys[id(eq)] = Key(max(times), cls, host)
        made.update(dict.fromkeys(eq.outs, eq))
    return keys, moves


def _finished(key: Key, eq: Equation, classes: AxisClasses) -> bool:
    """Whether a value made at ``key`` is whole wherever what an equation makes of it may be used."""
    return key.host or (key.cls is not None and not classes.legal(eq, key.cls))


def _after_whole(key: Key, cls: int | None) -> int:
    """The earliest time of an equation that uses all of a value."""
    if cls is None:
        return key.time + 1 if key.cls is not None else key.time + 2
    return key.time + 1 + key.time % 2


def _after_looked_up(
    key: Key, eq: Equation, producer: Equation, cls: int | None, host: bool, classes: AxisClasses
) -> int:
    """The earliest time of a lookup in what ``producer`` gives: after all of it, if a looked-up axis is cut."""
    at = None if cls is None or host else classes.position(eq.args[0], cls)
    looked_up = at is not None and at < len(eq.args) - 1
    return _after_whole(key, cls) if looked_up else _after(key, producer, cls, host, classes)


def _after(key: Key, producer: Equation, cls: int | None, host: bool, classes: AxisClasses) -> int:
    """The earliest time of an equation that uses what ``producer`` gives."""
    if cls is None:
        if key.cls is not None:
            return key.time + 1
        return key.time + 2 if key.host or host else key.time
    if key.cls == cls and all(classes.position(v, cls) is not None for v in producer.outs):
        return key.time
    return key.time + 1 + key.time % 2


def size(v: Any) -> int:
    return math.prod(shape(v))
