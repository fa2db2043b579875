"""Operands of Python's steps that are stored arrays seen otherwise: transposed or reshaped, without a copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scisim.compiler.lower import maps
from scisim.compiler.lower.layout import Buffer, Place, View
from scisim.core.graph import Equation, Var


def base(v: Any, made: Mapping[Var, Equation]) -> tuple[Any, list[Equation]]:
    """The value that must be stored, and the equations through which ``v`` is seen in it.

    Parameters
    ----------
    v : Var or constant
    made : mapping
        The equation of each variable that may be seen in another.
    """
    found: tuple[Any, list[Equation]] = v, []
    steps: list[Equation] = []
    while isinstance(v, Var) and v in made and made[v].prim.name in ("transpose", "reshape"):
        steps.insert(0, made[v])
        v = steps[0].args[0]
        if isinstance(v, Var) and through(Buffer(Place.FRAME, v.dtype, v.shape).view(), steps) is not None:
            found = v, list(steps)
    return found


def through(view: View, steps: list[Equation]) -> View | None:
    """What equations make of a view; None where that takes a copy."""
    for eq in steps:
        if eq.prim.name == "transpose":
            view = view.transposed(eq.params["perm"])
        elif view.contiguous(eq.args[0].shape):
            view = View(view.buffer, view.offset, maps.strides_of(eq.outs[0].shape))
        else:
            return None
    return view
