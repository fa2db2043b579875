"""Arrays in parts along an axis, and the shape to which shapes broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core import avals
from scisim.core.public import as_argument, public
from scisim.core.tensor import functions
from scisim.core.values import shape
from scisim.ops.index import slice_axis
from scisim.ops.shape import lengths, normalize_axis, reshape


def unstack(x: Any, /, axis: int = 0) -> Any:
    """The parts of an array along an axis, which they lack.

    Parameters
    ----------
    x : array_like
    axis : int

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ArgumentError
        For an axis out of range, as any is of an array without axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.unstack([[1.0, 2.0], [3.0, 4.0]])
    (Tensor([1., 2.]), Tensor([3., 4.]))
    """
    x = as_argument(x)
    s = shape(x)
    k = normalize_axis("unstack", axis, len(s))
    if type(x) is np.ndarray:
        return tuple(np.moveaxis(x, k, 0))
    rest = (*s[:k], *s[k + 1 :])
    return tuple(reshape(slice_axis(x, k, i, i + 1), rest) for i in range(s[k]))


def broadcast_shapes(*shapes: int | tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which arrays of some shapes broadcast together.

    Parameters
    ----------
    *shapes : tuple of int

    Returns
    -------
    tuple of int

    Raises
    ------
    ShapeError
        When they do not.
    ArgumentError
        For a negative length.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return avals.broadcast_shapes("broadcast_shapes", *(lengths("broadcast_shapes", s) for s in shapes))


public("unstack", unstack)
broadcast_shapes.__module__ = "scisim"
functions["broadcast_shapes"] = broadcast_shapes
