"""Sums, averages and differences of plain arrays at once: short ways past the functions of `reduce` and `sorting`."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.public import PLAIN

_sum: Any = np.add.reduce


def mean(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    n = x.size if axis is None else x.shape[axis] if type(axis) is int else 0
    if x.dtype.char not in "fd" or not n or type(keepdims) is not bool:
        return NotImplemented
    return _sum(x, axis, keepdims=keepdims) / n


def cumulative_sum(x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    known = dtype is None and include_initial is False and x.dtype.kind in "iufc"
    if not known or not (type(axis) is int or (axis is None and x.ndim == 1)):
        return NotImplemented
    return x.cumsum(0 if axis is None else axis)


def diff(x: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    last = type(axis) is int and (axis == -1 or axis == x.ndim - 1) and x.ndim
    if not last or type(n) is not int or n != 1 or prepend is not None or append is not None:
        return NotImplemented
    return x[..., 1:] - x[..., :-1] if x.dtype.kind in "iufc" else NotImplemented


PLAIN.update(cumulative_sum=cumulative_sum, diff=diff, mean=mean)
