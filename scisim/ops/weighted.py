"""Sums of operands with constant weights: the arithmetic of Runge-Kutta steps and of divided differences."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes, broadcast_labels
from scisim.core.primitive import Primitive
from scisim.ops.shape import _Every


@cache
def weights_of(weights: tuple[float, ...], dtype: np.dtype) -> np.ndarray:
    """The weights in the precision of what they multiply."""
    return np.array(weights, np.zeros((), dtype).real.dtype).astype(dtype)


def _weighted(*xs: Any, weights: tuple[float, ...]) -> np.ndarray:
    table = np.array(xs) if len({np.shape(x) for x in xs}) == 1 else np.stack(np.broadcast_arrays(*xs))
    flat = table.reshape(len(xs), -1)
    return np.dot(weights_of(weights, flat.dtype), flat).reshape(table.shape[1:])


def _infer(avals: tuple, p: dict) -> ShapeDtype:
    return ShapeDtype(
        broadcast_shapes("weighted_sum", *(a.shape for a in avals)), np.result_type(*(a.dtype for a in avals))
    )


# One product with a vector on arrays; programs that run have it as products and sums.
weighted_p = Primitive(
    "weighted_sum",
    _weighted,
    axes=Axes(lambda shapes, p: broadcast_labels(shapes), broadcasts=True),
    infer=_infer,
    linear=(0,),
    transpose=lambda i, ct, args, p: ct * p["weights"][i],
)
weighted_p.linear = _Every()  # type: ignore[assignment]
