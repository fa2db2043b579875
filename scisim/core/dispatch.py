"""NumPy's own functions called on a Tensor: ours of the same name, or an error that says what to do."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentTypeError
from scisim.core.values import Traced

# Functions that operators, methods and NumPy's dispatch call, by name; `ops` and `fft` fill it.
functions: dict[str, Any] = {}

# NumPy's names of functions that the Array API names otherwise.
_NAMES = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "array": "asarray",
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
_INSTEAD = "inside a transformation use scisim's own functions, or autodiff.stop_gradient(x) where none is wanted"


def numpy_name(name: str) -> str:
    """The Array API's name of a function that NumPy calls otherwise."""
    return _NAMES.get(name, name)


def call_ufunc(ours: type, ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """``Tensor.__array_ufunc__``."""
    f = functions.get(_NAMES.get(ufunc.__name__, ufunc.__name__))
    if f is not None and method == "__call__" and not kwargs:
        return f(*inputs)
    known = (ours, np.ndarray, np.generic)
    if any(hasattr(type(x), "__array_ufunc__") and not isinstance(x, known) for x in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented  # another class of arrays wants to say
    name = f"numpy.{ufunc.__name__}"
    if "out" in kwargs:
        raise ArgumentTypeError(
            f"{name}: out=, or an operator such as a += x on a NumPy array a, would write a Tensor's values where "
            f"derivatives do not follow; write a = a + x, or a += np.asarray(x)"
        )
    return _on_arrays(
        ours, name if method == "__call__" else f"{name}.{method}", getattr(ufunc, method), inputs, kwargs
    )


def call_function(ours: type, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    """``Tensor.__array_function__``."""
    if not all(issubclass(t, (ours, np.ndarray)) for t in types):
        return NotImplemented
    if func.__name__ in ("shape", "ndim", "size") and len(args) == 1 and type(args[0]) is ours:
        return getattr(args[0], func.__name__)
    f = _counterpart(func)
    return f(*args, **kwargs) if f else _on_arrays(ours, f"{func.__module__}.{func.__name__}", func, args, kwargs)


def _on_arrays(ours: type, name: str, func: Any, args: tuple, kwargs: dict) -> Any:
    """NumPy's own function, of the numbers; those of a transformation would lose their derivative."""

    def numbers(x: Any) -> Any:
        if type(x) is ours:
            if isinstance(x._v, Traced):  # type: ignore[attr-defined]
                raise ArgumentTypeError(f"{name} has no counterpart for a Tensor; {_INSTEAD}")
            return np.asarray(x)
        return type(x)(map(numbers, x)) if type(x) in (list, tuple) else x

    return func(*map(numbers, args), **{k: numbers(v) for k, v in kwargs.items()})


def _counterpart(func: Any) -> Any:
    package = func.__module__.removeprefix("numpy").lstrip(".")
    name = _NAMES.get(func.__name__, func.__name__)
    if package in ("fft", "linalg"):
        getattr(sys.modules["scisim"], package)  # loads it
        return functions.get(f"{package}.{name}")
    if name == "transpose":
        return lambda a, axes=None: a.transpose() if axes is None else a.transpose(axes)
    return functions.get(name) if not package else None
