"""Values whose elements are those of finished arrays, moved: they are not stored, loops find the elements there.

Slices, rolls and pads of a stencil are such values.  Each group of equations that uses one gets an equation of its own
for it (with a variable of class `Moved`), so that it is part of those loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from scisim.compiler.lower import maps
from scisim.core.graph import Equation, Var

INDEXED = {"broadcast", "reshape", "transpose", "read"}  # elements are found elsewhere, nothing is computed
PARTS = {"concat", "put"}  # elements are found in one of several arrays
MOST_PIECES = 8  # beyond these an array put together is stored
LEAST_PART = 16  # elements along the last axis of the longest part that loops run over


class Moved(Var):
    """A value that no kernel stores."""

    __slots__ = ()


class Moves:
    """The values that are only moved elements, and what they are made of.

    Parameters
    ----------
    equations : mapping
        The equation of each value made so far.

    Attributes
    ----------
    made : dict
        The equation of each of them.
    leaves : dict
        The stored variables whose elements it has.
    """

    def __init__(self, equations: Mapping[Var, Equation]) -> None:
        self._equations = equations
        self.made: dict[Var, Equation] = {}
        self.leaves: dict[Var, frozenset[Var]] = {}
        self._pieces: dict[Var, int] = {}  # 0 for what an affine map finds
        self._copies: dict[tuple, Moved] = {}

    def add(self, eq: Equation, finished: Callable[[Var], bool], cut: bool) -> bool:
        """Take in an equation if it only moves elements of finished arrays; whether it does.

        Parameters
        ----------
        eq : Equation
        finished : callable
            ``finished(v)``: whether all of ``v`` exists wherever the result may be used.
        cut : bool
            The equation can be part of a region.
        """
        name = eq.prim.name
        if name not in INDEXED | PARTS:
            return False
        operands = [a for a in eq.args if isinstance(a, Var)]
        if not all(a in self.made or finished(a) for a in operands):
            return False
        if cut and name not in PARTS | {"read"} and not any(a in self.made for a in operands):
            return False
        pieces = self._count(eq)
        if pieces is None or pieces > MOST_PIECES:
            return False
        v = eq.outs[0]
        self.made[v], self._pieces[v] = eq, pieces
        self.leaves[v] = frozenset().union(*(self.leaves.get(a, {a}) for a in operands))
        return True

    def needed_whole(self, keys: Mapping[int, Any]) -> set[Var]:
        """The values made in regions whose elements others have moved."""
        found = frozenset().union(*self.leaves.values())
        return {v for v in found if v in self._equations and keys[id(self._equations[v])].cls is not None}

    def _count(self, eq: Equation) -> int | None:
        """How many pieces the result has, 0 if it has not several; None if loops cannot find them."""
        inner = [self._pieces.get(a, 0) if isinstance(a, Var) else 0 for a in eq.args]
        if eq.prim.name in PARTS:
            fits = _joinable(eq) if eq.prim.name == "concat" else _placeable(eq)
            return sum(max(n, 1) for n in inner) if fits else None
        if eq.prim.name == "reshape":
            x, new = eq.args[0], eq.outs[0].shape
            moved = maps.reshape(maps.identity(len(new)), np.shape(x) if not isinstance(x, Var) else x.shape, new)
            alone = moved is not None and all(len(i.terms) <= 1 for i in moved)
            if not alone and (inner[0] or (moved is None and x in self.made)):
                return None
        return inner[0]

    def rewritten(self, equations: list[Equation], keys: dict[int, Any], kept: Iterable[Any], copied: Callable) -> list:
        """The equations with a copy of those that move for each key that uses them.

        Parameters
        ----------
        equations : list of Equation
        keys : dict
            By the id of equations; copies are added.
        kept : iterable
            What must be stored in any case.
        copied : callable
            ``copied(new, old)`` is told of each new variable.
        """
        stored = {v for v in kept if isinstance(v, Var)}
        for eq in reversed(equations):
            moved = bool(eq.outs) and eq.outs[0] in self.made
            if not moved and not inlines(eq):
                stored.update(a for a in eq.args if isinstance(a, Var))
        out: list[Equation] = []
        for eq in equations:
            v = eq.outs[0] if eq.outs else None
            if v in self.made and v not in stored:
                continue
            if (v in self.made or inlines(eq)) and any(a in self.made for a in eq.args if isinstance(a, Var)):
                key = keys[id(eq)]
                args = tuple(self._copy(a, key, keys, out, copied) for a in eq.args)
                eq = eq._replace(args=args)
                keys[id(eq)] = key
            out.append(eq)
        return out

    def _copy(self, a: Any, key: Any, keys: dict, out: list, copied: Callable) -> Any:
        if not isinstance(a, Var) or a not in self.made:
            return a
        if (a, key) not in self._copies:
            eq = self.made[a]
            args = tuple(self._copy(b, key, keys, out, copied) for b in eq.args)
            self._copies[a, key] = v = Moved(None, a.shape, a.dtype)
            eq = eq._replace(args=args, outs=(v,))
            keys[id(eq)] = key
            out.append(eq)
            copied(v, a)
        return self._copies[a, key]


def inlines(eq: Equation) -> bool:
    """Whether the operands of an equation may be computed within its loops."""
    from scisim.compiler.lower.roots import REDUCTIONS

    return eq.prim.scalar is not None or eq.prim.name in REDUCTIONS or eq.prim.name in PARTS | {"read"}


def _joinable(eq: Equation) -> bool:
    v, axis = eq.outs[0], eq.params["axis"]
    lengths = [np.shape(a)[axis] if not isinstance(a, Var) else a.shape[axis] for a in eq.args]
    alike = all(a.dtype == v.dtype and (isinstance(a, Var) or a.size == 1) for a in eq.args)
    return alike and (axis != len(v.shape) - 1 or max(lengths) >= LEAST_PART)


def _placeable(eq: Equation) -> bool:
    v, (x, u) = eq.outs[0], eq.args
    alike = all(a.dtype == v.dtype and (isinstance(a, Var) or np.size(a) == 1) for a in (x, u) if hasattr(a, "dtype"))
    return alike and all(hasattr(a, "dtype") for a in (x, u)) and all(unit_step(i) for i in eq.params["at"])


def unit_step(item: Any) -> bool:
    """Whether an item of a basic index takes neighbours, or one element."""
    return item is not None and (not isinstance(item, tuple) or item[3] in (None, 1))
