"""An axis exchanged with the last one, in memory: compiled programs put it around what works on the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive


def _exchanged(items: tuple, axis: int) -> tuple:
    out = list(items)
    out[axis], out[-1] = out[-1], out[axis]
    return tuple(out)


def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    own = tuple(range(len(shapes[0])))
    return [own], _exchanged(own, p["axis"])


# Unlike a transpose it makes an array, in the order of its own axes.  No function of the library records it.
turn_p = Primitive(
    "turn",
    lambda x, axis: np.ascontiguousarray(np.swapaxes(x, axis, -1)),
    axes=Axes(_labels),
    infer=lambda avals, p: ShapeDtype(_exchanged(avals[0].shape, p["axis"]), avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: turn_p(ct, **p),
    register=False,
)


def turned(apply: Any, x: Any, axis: int) -> Any:
    """A value turned by ``apply(primitive, *args, **params)``; ``axis`` is negative."""
    return x if axis == -1 else apply(turn_p, x, axis=axis)
