"""What NumPy makes at once of plain numbers and shapes: short ways past the functions of `creation`.

A captured program makes such arrays itself, and a large array of one number is a view of it: both are left to those.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.public import PLAIN
from scisim.core.values import ambient

_MANY = 4096  # elements of one number, above which a view costs less
_KNOWN = frozenset(map(np.dtype, ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")))
_EXACT = 2**53  # up to here an integer is a float
_range: Any = np.arange  # of which the types know no plain numbers


def _small(shape: Any, dtype: Any, device: Any) -> bool:
    n = shape if type(shape) is int else math.prod(shape) if type(shape) is tuple else _MANY + 1
    known = device is None and (dtype is None or (isinstance(dtype, np.dtype) and dtype in _KNOWN))
    return known and n <= _MANY and ambient.get() is None


def _of_shape(make: Callable) -> Callable:
    def made(shape: Any, dtype: Any = None, device: Any = None) -> Any:
        return make(shape, np.float64 if dtype is None else dtype) if _small(shape, dtype, device) else NotImplemented

    return made


def _of_array(make: Callable) -> Callable:
    def made(x: Any, dtype: Any = None, device: Any = None) -> Any:
        if type(x) is not np.ndarray or not _small(x.shape, dtype, device):
            return NotImplemented
        return make(x.shape, x.dtype if dtype is None else dtype)

    return made


def full(shape: Any, fill_value: Any, dtype: Any = None, device: Any = None) -> Any:
    whole = type(fill_value) is int and dtype is None and abs(fill_value) < _EXACT
    real = type(fill_value) is float and (dtype is None or (isinstance(dtype, np.dtype) and dtype.kind == "f"))
    return np.full(shape, fill_value, dtype) if (whole or real) and _small(shape, dtype, device) else NotImplemented


def full_like(x: Any, fill_value: Any, dtype: Any = None, device: Any = None) -> Any:
    if type(x) is not np.ndarray or x.dtype.kind != "f" or dtype is not None:
        return NotImplemented
    return full(x.shape, fill_value, x.dtype, device) if type(fill_value) is float else NotImplemented


def eye(n_rows: Any, n_cols: Any = None, k: Any = 0, dtype: Any = None, device: Any = None) -> Any:
    m = n_rows if n_cols is None else n_cols
    if not type(n_rows) is type(m) is type(k) is int or not _small((n_rows, m), dtype, device):
        return NotImplemented
    return np.eye(n_rows, m, k, np.float64 if dtype is None else dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, device: Any = None) -> Any:
    if not _numbers(start, 0 if stop is None else stop, step) or dtype is not None or device is not None:
        return NotImplemented
    if not step or ambient.get() is not None:
        return NotImplemented
    return _range(0, start, step) if stop is None else _range(start, stop, step)


def linspace(start: Any, stop: Any, num: Any = 50, dtype: Any = None, endpoint: Any = True, device: Any = None) -> Any:
    known = _numbers(start, stop) and type(num) is int and type(endpoint) is bool and dtype is None and device is None
    if not known or num < 2 or ambient.get() is not None:
        return NotImplemented
    y = _range(0, num, 1, np.float64)
    y *= (stop * 1.0 - start * 1.0) / (num - 1 if endpoint else num)
    y += start * 1.0
    if endpoint:
        y[-1] = stop
    return y


def _numbers(*xs: Any) -> bool:
    return all((type(x) is float and math.isfinite(x)) or (type(x) is int and -_EXACT < x < _EXACT) for x in xs)


PLAIN.update(
    zeros=_of_shape(np.zeros),
    empty=_of_shape(np.zeros),
    ones=_of_shape(np.ones),
    zeros_like=_of_array(np.zeros),
    empty_like=_of_array(np.zeros),
    ones_like=_of_array(np.ones),
    full=full,
    full_like=full_like,
    eye=eye,
    arange=arange,
    linspace=linspace,
)
