"""What functions share whose result has as many elements as the data say: ``size=`` where the data are not known."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, TraceError
from scisim.core.values import Traced, shape
from scisim.ops.select import logical_not
from scisim.ops.shape import as_integer, astype, sum_p


def known(x: Any) -> np.ndarray | None:
    """The numbers of a value, those of lower level included; None where nobody knows them here."""
    while isinstance(x, Traced):
        if x.lower is None or x.trace.kind == "vmap":
            return None
        x = x.lower
    return np.asarray(x)


def concrete(x: Any) -> np.ndarray:
    """The numbers of a value that `check_size` found to be known."""
    numbers = known(x)
    assert numbers is not None
    return numbers


def check_size(name: str, x: Any, size: Any) -> int | None:
    """The number of elements that a result is to have; it may be left out where the data are known."""
    if size is None:
        if known(x) is None:
            raise TraceError(
                f"{name}: the shape of the result depends on the values of {x!r}, which are not known here; give "
                f"size=, the number of elements: fewer are filled up, more are cut off"
            )
        return None
    n = as_integer(name, "size", size)
    if n < 0:
        raise ArgumentError(f"{name}: size must not be negative, got {size}")
    return n


def positions(mask: Any, size: int | None) -> tuple[Any, Any]:
    """Where a vector of booleans holds, in order: positions, and which of these there are.

    With a size, positions of elements that do not hold fill up.
    """
    from scisim.ops.creation import iota
    from scisim.ops.shape import concat_p
    from scisim.ops.sorting import argsort_p

    if size is None:
        at = np.flatnonzero(concrete(mask))
        return at, np.ones(at.shape, bool)
    order = argsort_p(astype(logical_not(mask), np.int8), axis=0, descending=False)
    n = shape(mask)[0]
    if size > n:
        order = concat_p(order, np.zeros(size - n, np.intp), axis=0)
    count = sum_p(astype(mask, np.int64), axes=(0,))
    return order[:size], iota(size) < count
