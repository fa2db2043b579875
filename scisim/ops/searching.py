"""Where elements are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ShapeError
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops.select import ne, where
from scisim.ops.shape import astype, reshape
from scisim.ops.unknown_sizes import check_size, concrete, positions


def nonzero(x: Any, /, size: int | None = None, fill_value: int = 0) -> Any:
    """Where elements are not zero.

    Parameters
    ----------
    x : array_like
    size : int, optional
        Number of positions of the result, needed where the values of ``x`` are not known: in captured and mapped
        functions. Fewer are filled up, more are cut off.
    fill_value : int
        What fills up the positions.

    Returns
    -------
    tuple of Tensor
        Integers, an array for each axis, in the order of the elements in memory; without a derivative.

    Raises
    ------
    ShapeError
        For an array without axes.
    TraceError
        Without ``size`` where the values of ``x`` are not known.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nonzero([0.0, 3.0, 0.0, 5.0])
    (Tensor([1, 3]),)
    """
    x = as_argument(x)
    s = shape(x)
    if not s:
        raise ShapeError("nonzero: an array without axes has no positions; reshape it to (1,), or use where")
    n = check_size("nonzero", x, size)
    if n is None:
        return tuple(np.nonzero(concrete(x)))
    at, there = positions(reshape(x if dtype_of(x).kind == "b" else ne(x, 0), (-1,)), n)
    steps = [max(1, math.prod(s[k + 1 :])) for k in range(len(s))]
    places = [at // step % max(1, m) for step, m in zip(steps, s, strict=True)]
    return tuple(where(there, astype(p, np.int64), fill_value) for p in places)


public("nonzero", nonzero)
