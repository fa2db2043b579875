"""Whether a value may be written where an operand of it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scisim.compiler.lower.boxes import Part
from scisim.core.graph import Equation, Var


def written_over(equations: Sequence[Equation], x: Var, v: Var, outs: Sequence[Any]) -> bool:
    """Whether ``v`` may take the place of ``x``: each element of x is used for that element of v, and for nothing else.

    Parameters
    ----------
    equations : sequence of Equation
        In order; those that make v of x are among them.
    x, v : Var
    outs : sequence
        What else is needed afterwards.
    """
    if x.shape != v.shape or x.dtype != v.dtype or any(o is x for o in outs):
        return False
    places: dict[Var, tuple] = {x: ()}  # of what depends on x, the part of x that it has: all, or what an index names
    for eq in equations:
        if any(a in places for a in eq.args if isinstance(a, Var)):
            if v in places:
                return False
            place = _place(eq, places)
            if place is None:
                return False
            places[eq.outs[0]] = place
    return places.get(v) == () and _lead_to(equations, places, v)


def _place(eq: Equation, places: dict[Var, tuple]) -> tuple | None:
    """The part that a result has; None if elements change places."""
    out = eq.outs[0].shape
    found = {places[a] for a in eq.args if isinstance(a, Var) and a in places}
    if eq.prim.name == "put":
        y, u = eq.args
        whole = not isinstance(y, Var) or places.get(y, ()) == ()
        part = not (isinstance(u, Var) and u in places) or (places[u] == eq.params["at"] and _fits(u, out, places[u]))
        return () if whole and part else None
    if eq.prim.name == "read":
        return eq.params["at"] if found == {()} else None
    alike = all(a.shape == out for a in eq.args if isinstance(a, Var) and a in places)
    return found.pop() if eq.prim.scalar is not None and len(found) == 1 and alike else None


def _fits(u: Var, shape: tuple[int, ...], at: tuple) -> bool:
    """Whether a value has all axes of the part, and no new ones."""
    if any(item is None for item in at):
        return False
    part = Part(shape, at)
    return u.shape == tuple(part.counts[k] for k in part.axes)


def _lead_to(equations: Sequence[Equation], places: dict[Var, tuple], v: Var) -> bool:
    """Whether all that depends on an array is needed for ``v`` alone."""
    needed = {v}
    for eq in reversed(equations):
        if any(o in needed for o in eq.outs):
            needed.update(a for a in eq.args if isinstance(a, Var))
    return all(p in needed for p in places)
