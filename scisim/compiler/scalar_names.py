"""What scalar functions call, in terms of arrays: Python's builtins, math, cmath and NumPy by scisim's functions."""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.dispatch import numpy_name
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, functions

_MODULES = ("math", "cmath", "numpy")


def is_array(x: Any) -> bool:
    """Whether a value is one for each element, which Python cannot branch on."""
    return isinstance(x, Tensor)


def _each(name: str) -> Callable:
    return lambda *args: OPERATIONS[name].function(*args)


def _fold(name: str) -> Callable:
    def call(*args: Any) -> Any:
        items = args[0] if len(args) == 1 else args
        return functools.reduce(OPERATIONS[name].function, items)

    return call


def _log(x: Any, base: Any = None) -> Any:
    return functions["log"](x) if base is None else functions["log"](x) / functions["log"](base)


def _copysign(x: Any, y: Any) -> Any:
    size = functions["abs"](x)
    return functions["where"](functions["signbit"](y), -size, size)


def _fmod(x: Any, y: Any) -> Any:
    """The remainder with the sign of the dividend; exact."""
    left = functions["remainder"](functions["abs"](x), functions["abs"](y))
    return functions["where"](x < 0, -left, left)


def _cast(dtype: Any, x: Any) -> Any:
    return functions["astype"](functions["trunc"](x) if np.dtype(dtype).kind in "iu" else x, dtype)


def _float(x: Any) -> Any:
    return x if x.dtype.kind == "f" else functions["astype"](x, np.float64)


_BUILTINS: dict[Any, Callable] = {
    abs: _each("abs"),
    min: _fold("minimum"),
    max: _fold("maximum"),
    pow: _each("pow"),
    round: _each("round"),
    float: _float,
    int: lambda x: _cast(np.int64, x),
    bool: lambda x: x != 0,
    complex: lambda x, y=0.0: x + 1j * y,
    math.log: _log,
    cmath.log: _log,
    math.fabs: _each("abs"),
    math.copysign: _copysign,
    np.copysign: _copysign,
    math.fmod: _fmod,
    np.fmod: _fmod,
    math.degrees: lambda x: x * (180.0 / math.pi),
    math.radians: lambda x: x * (math.pi / 180.0),
    np.fabs: _each("abs"),
    np.power: _each("pow"),
}


def counterpart(f: Any) -> Callable | None:
    """Our function in the place of a builtin, or one of math, cmath or NumPy; None where there is none."""
    if isinstance(f, type) and issubclass(f, np.generic):
        return functools.partial(_cast, f)
    try:
        known = _BUILTINS.get(f)
    except TypeError:  # an object without a hash
        return None
    if known is not None:
        return known
    ours = OPERATIONS.get(numpy_name(getattr(f, "__name__", "")))
    return ours.function if ours is not None and is_foreign(f) else None


def is_foreign(f: Any) -> bool:
    """Whether a function is one of numbers that the standard library or NumPy defines."""
    return isinstance(f, np.ufunc) or (getattr(f, "__module__", None) or "").split(".")[0] in _MODULES
