"""Which equations run together: tiled regions, what comes between them, and host steps.

Axes that must be walked together form a class (`AxisClasses`, from the axis rule of each primitive).  A region is made
of equations that carry one class, on which no sum over it is needed in between; it can run tile by tile.
Times order the work: even ones for what carries no class, odd ones for regions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from scisim.core.graph import Equation, Var
from scisim.core.values import shape

# Regions are made of axes at least this long; shorter ones gain nothing from tiles.
LEAST_EXTENT = 256

Axis = tuple[Var, int]


class AxisClasses:
    """Union-find over the axes of variables."""

    def __init__(self, equations: Iterable[Equation]) -> None:
        self.parent: dict[Axis, Axis] = {}
        self.labels: dict[int, tuple[list, list]] = {}
        for eq in equations:
            self._join(eq)

    def find(self, axis: Axis) -> Axis:
        root = axis
        while self.parent.get(root, root) != root:
            root = self.parent[root]
        while axis != root:
            self.parent[axis], axis = root, self.parent.get(axis, root)
        return root

    def _join(self, eq: Equation) -> None:
        ins, outs = labels_of(eq)
        self.labels[id(eq)] = ins, outs
        first: dict[Any, Axis] = {}
        for v, labels in [*zip(eq.args, ins, strict=True), *zip(eq.outs, outs, strict=True)]:
            if isinstance(v, Var):
                for k, label in enumerate(labels):
                    if label is not None:
                        a, b = self.find(first.setdefault(label, (v, k))), self.find((v, k))
                        if a != b:
                            self.parent[b] = a

    def position(self, v: Any, cls: Axis) -> int | None:
        """The axis of ``v`` that is of the class."""
        if not isinstance(v, Var):
            return None
        return next((k for k in range(len(v.shape)) if self.find((v, k)) == cls), None)

    def candidates(self, eq: Equation) -> list[Axis]:
        """Classes along which an equation can be cut, longest first."""
        ins, outs = self.labels[id(eq)]
        seen: dict[Axis, set] = {}
        extents: dict[Axis, tuple[int, int]] = {}
        for v, labels in [*zip(eq.args, ins, strict=True), *zip(eq.outs, outs, strict=True)]:
            if isinstance(v, Var):
                for k, label in enumerate(labels):
                    root = self.find((v, k))
                    seen.setdefault(root, set()).add(label)
                    extents.setdefault(root, (v.shape[k], -k))
        legal = [c for c, labels in seen.items() if len(labels) == 1 and None not in labels]
        return sorted((c for c in legal if extents[c][0] >= LEAST_EXTENT), key=lambda c: extents[c], reverse=True)


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
    return ins, [out]


class Key(NamedTuple):
    """When and along which class an equation runs."""

    time: int
    cls: Axis | None
    host: bool = False


def schedule(equations: list[Equation], native: Any) -> tuple[dict[int, Key], AxisClasses]:
    """The key of each equation (by its id).

    Parameters
    ----------
    equations : list of Equation
    native : callable
        ``native(eq)``: whether kernels can be made for it; else it is a host step, alone.
    """
    classes = AxisClasses(equations)
    keys: dict[int, Key] = {}
    made: dict[Var, Equation] = {}
    for eq in equations:
        cls, host = None, not native(eq)
        if not host:
            cls = next(iter(classes.candidates(eq)), None)
        times = [_after(keys[id(made[a])], made[a], cls, host, classes) for a in eq.args if isinstance(a, Var) and a in made]
        keys[id(eq)] = Key(max(times, default=1 if cls else 0), cls, host)
        made.update(dict.fromkeys(eq.outs, eq))
    return keys, classes


def _after(key: Key, producer: Equation, cls: Axis | None, host: bool, classes: AxisClasses) -> int:
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
