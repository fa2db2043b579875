"""NumPy's own functions called on a Tensor: ours of the same name, or an error that says what to do."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentTypeError

# Functions that operators, methods and NumPy's dispatch call, by name; `ops` and `fft` fill it.
functions: dict[str, Any] = {}

# NumPy's names of functions that the Array API names otherwise.
_NAMES = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "around": "round",
    "concatenate": "concat",
    "conjugate": "conj",
    "cumsum": "cumulative_sum",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "true_divide": "divide",
}
# Functions that look at numbers and give none that could have a derivative.
_LOOKS = {
    "array2string",
    "array_equal",
    "array_equiv",
    "array_repr",
    "array_str",
    "iscomplexobj",
    "isrealobj",
    "may_share_memory",
    "save",
    "savetxt",
    "shares_memory",
}
_INSTEAD = "use scisim's own functions, or pass np.asarray(x) where no derivative is wanted"


def call_ufunc(ours: type, ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """``Tensor.__array_ufunc__``."""
    f = functions.get(_NAMES.get(ufunc.__name__, ufunc.__name__))
    if f is not None and method == "__call__" and not kwargs:
        return f(*inputs)
    known = (ours, np.ndarray, np.generic)
    if any(hasattr(type(x), "__array_ufunc__") and not isinstance(x, known) for x in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented  # another class of arrays wants to say
    name = f"numpy.{ufunc.__name__}"
    if method != "__call__":
        raise ArgumentTypeError(f"{name}.{method} does not take a Tensor; {_INSTEAD}")
    if "out" in kwargs:
        raise ArgumentTypeError(
            f"{name}: out=, or an operator such as a += x on a NumPy array a, would write a Tensor's values where "
            f"derivatives do not follow; write a = a + x, or a += np.asarray(x)"
        )
    if kwargs:
        raise ArgumentTypeError(f"{name}: {', '.join(kwargs)} cannot be given with a Tensor; use where and astype")
    raise ArgumentTypeError(f"{name} has no counterpart for a Tensor; {_INSTEAD}")


def call_function(ours: type, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    """``Tensor.__array_function__``."""
    if not all(issubclass(t, (ours, np.ndarray)) for t in types):
        return NotImplemented
    if func.__name__ in ("shape", "ndim", "size") and len(args) == 1 and type(args[0]) is ours:
        return getattr(args[0], func.__name__)
    if func.__name__ in _LOOKS:
        return func(*(np.asarray(a) if type(a) is ours else a for a in args), **kwargs)
    f = _counterpart(func)
    if f is None:
        raise ArgumentTypeError(f"{func.__module__}.{func.__name__} has no counterpart for a Tensor; {_INSTEAD}")
    return f(*args, **kwargs)


def _counterpart(func: Any) -> Any:
    package = func.__module__.removeprefix("numpy").lstrip(".")
    name = _NAMES.get(func.__name__, func.__name__)
    if package in ("fft", "linalg"):
        getattr(sys.modules["scisim"], package)  # loads it
        return functions.get(f"{package}.{name}")
    if name == "transpose":
        return lambda a, axes=None: a.transpose() if axes is None else a.transpose(axes)
    return functions.get(name) if not package else None
