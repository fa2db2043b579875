"""NumPy's own functions called on a Tensor: ours of the same name, or an error that says what to do."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentTypeError, MutationError
from scisim.core.values import Traced, zeros

# Functions that operators, methods and NumPy's dispatch call, by name; `ops` and `fft` fill it.
functions: dict[str, Any] = {}
# Forms of these with NumPy's arguments, where more than names differ; `ops` fills it.
numpy_forms: dict[str, Any] = {}

# NumPy's names of functions that are named otherwise here, as the Array API does.
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
    "asanyarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "concatenate": "concat",
    "conjugate": "conj",
    "degrees": "rad2deg",
    "fix": "trunc",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "radians": "deg2rad",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "row_stack": "vstack",
    "true_divide": "divide",
}
# Functions of NumPy's main namespace that belong to a package here.
_IN_PACKAGES = {"i0": "special.i0"}
# What writes into its argument, and what to write instead.
_IN_PLACE = {
    "copyto": "x = ss.where(mask, y, x)",
    "fill_diagonal": "x = ss.fill_diagonal(x, v)",
    "place": "x = ss.where(mask, v, x)",
    "put": "x = ss.index_set(x, at, v)",
    "put_along_axis": "x = ss.put_along_axis(x, indices, v, axis)",
    "putmask": "x = ss.where(mask, v, x)",
}
# What asks for shapes and dtypes only, of values of a transformation too.
_ABOUT = {"can_cast", "common_type", "iscomplexobj", "isrealobj", "min_scalar_type", "result_type", "size"}
# NumPy's names of parameters, and ours.
_PARAMETERS = {"a": "x", "a_max": "max", "a_min": "min", "arr": "x", "ddof": "correction", "reps": "repetitions"}
# Arguments that say how to store or to sort, which no value depends on.
_NO_MATTER = {"casting", "copy", "device", "kind", "like", "overwrite_input", "stable", "subok"}
_REDUCE = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all"}
_REDUCE |= {"logical_or": "any", "logaddexp": "logsumexp", "fmax": "nanmax", "fmin": "nanmin"}
_ACCUMULATE = {"add": "cumulative_sum", "multiply": "cumulative_prod", "maximum": "cummax", "minimum": "cummin"}
_INSTEAD = "inside a transformation use scisim's own functions, or autodiff.stop_gradient(x) where none is wanted"


def numpy_name(name: str) -> str:
    """The name here of a function that NumPy calls otherwise."""
    if name in _IN_PACKAGES:
        _load(_IN_PACKAGES[name].partition(".")[0])
        return _IN_PACKAGES[name]
    return _NAMES.get(name, name)


def _load(package: str) -> None:
    getattr(sys.modules["scisim"], package)


# --- universal functions ------------------------------------------------------------------------------------
def call_ufunc(ours: type, ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """``Tensor.__array_ufunc__``."""
    if method == "__call__":
        f = functions.get(_NAMES.get(ufunc.__name__, ufunc.__name__)) or _of_package(ufunc)
        if f is not None and not kwargs:
            return f(*inputs)
    known = (ours, np.ndarray, np.generic)
    if any(hasattr(type(x), "__array_ufunc__") and not isinstance(x, known) for x in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented  # another class of arrays wants to say
    name = f"numpy.{ufunc.__name__}"
    if "out" in kwargs or method == "at":
        raise ArgumentTypeError(
            f"{name}: out= or at, or an operator such as a += x on a NumPy array a, would write a Tensor's values "
            f"where derivatives do not follow; write a = a + x, or a += np.asarray(x)"
        )
    made = _ufunc_form(ufunc, method, inputs, kwargs)
    if made is not NotImplemented:
        return made
    return _on_arrays(
        ours, name if method == "__call__" else f"{name}.{method}", getattr(ufunc, method), inputs, kwargs
    )


def _of_package(ufunc: Any) -> Any:
    """Ours of a universal function that is SciPy's."""
    if getattr(np, ufunc.__name__, None) is ufunc or "scipy.special" not in sys.modules:
        return None
    _load("special")
    return functions.get(f"special.{ufunc.__name__}")


def _ufunc_form(ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """Reductions, accumulations, outer products, and calls with a dtype or an axis."""
    name = ufunc.__name__
    given = {k: v for k, v in kwargs.items() if k not in _NO_MATTER and not (k == "order" and v in "KCA")}
    if method == "reduce" and name in _REDUCE and not set(given) - {"axis", "keepdims", "dtype"}:
        x, given = inputs[0], {"axis": 0, **given}
        return functions[_REDUCE[name]](*_of_dtype((x,), given.pop("dtype", None)), **given)
    if method == "accumulate" and name in _ACCUMULATE and not set(given) - {"axis", "dtype"}:
        x, axis = inputs[0], given.get("axis", 0)
        return functions[_ACCUMULATE[name]](*_of_dtype((x,), given.get("dtype")), axis=axis)
    f = functions.get(_NAMES.get(name, name))
    if f is None:
        return NotImplemented
    if method == "outer" and not given:
        a, b = (functions["asarray"](x) for x in inputs)
        return f(functions["reshape"](a, (*a.shape, *(1,) * b.ndim)), b)
    if method == "__call__" and not set(given) - {"dtype"}:
        return f(*_of_dtype(inputs, given.get("dtype")))
    if method == "__call__" and not set(given) - {"axis"} and "axis" in inspect.signature(f).parameters:
        return f(*inputs, **given)
    return NotImplemented


def _of_dtype(inputs: tuple, dtype: Any) -> tuple:
    return inputs if dtype is None else tuple(functions["astype"](x, dtype) for x in inputs)


# --- other functions ----------------------------------------------------------------------------------------
def call_function(ours: type, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    """``Tensor.__array_function__``."""
    if not all(issubclass(t, (ours, np.ndarray)) for t in types):
        return NotImplemented
    name = func.__name__
    if name in ("shape", "ndim", "size") and len(args) == 1 and type(args[0]) is ours:
        return getattr(args[0], name)
    if name in _ABOUT:
        return func(*(_about(ours, x) for x in args), **{k: _about(ours, v) for k, v in kwargs.items()})
    if name in _IN_PLACE and args and type(args[0]) is ours:
        raise MutationError(
            f"numpy.{name} writes into its argument, and the values of a Tensor never change; write {_IN_PLACE[name]}"
        )
    f = _counterpart(func)
    given = None if f is None else _translated(func, f, args, kwargs)
    if given is None:
        return _on_arrays(ours, f"{func.__module__}.{name}", func, args, kwargs)
    return f(*given[0], **given[1])


def _about(ours: Any, x: Any) -> Any:
    """An array of the shape and dtype of a Tensor, without memory."""
    return zeros(x._v.shape, x._v.dtype) if type(x) is ours else x


def _on_arrays(ours: type, name: str, func: Any, args: tuple, kwargs: dict) -> Any:
    """NumPy's own function, of the numbers; those of a transformation would lose their derivative."""

    def numbers(x: Any) -> Any:
        if type(x) is ours:
            if isinstance(x._v, Traced):  # type: ignore[attr-defined]
                raise ArgumentTypeError(f"{name} with these arguments has no counterpart for a Tensor; {_INSTEAD}")
            return np.asarray(x)
        return type(x)(map(numbers, x)) if type(x) in (list, tuple) else x

    return func(*map(numbers, args), **{k: numbers(v) for k, v in kwargs.items()})


def _counterpart(func: Any) -> Any:
    package = func.__module__.removeprefix("numpy").lstrip(".")
    name = _NAMES.get(func.__name__, func.__name__)
    if package in ("fft", "linalg"):
        _load(package)
        return functions.get(f"{package}.{name}") or (functions.get(name) if package == "linalg" else None)
    if package:
        return None
    return numpy_forms.get(func.__name__) or functions.get(name) or functions.get(numpy_name(name))


# --- arguments ----------------------------------------------------------------------------------------------
def _translated(func: Any, f: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    """NumPy's arguments as ours; None where one has no counterpart."""
    if not kwargs and len(args) == 1:
        return args, kwargs
    theirs, mine = _signature(func), _signature(f)
    if theirs is None or mine is None or f in numpy_forms.values():
        return args, kwargs
    given = theirs.bind(*args, **kwargs).arguments
    named: dict[str, Any] = {}
    rest: tuple = ()
    for name, value in given.items():
        parameter = theirs.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = value
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        else:
            to = _parameter(name, theirs, mine)
            if to is not None:
                named[to] = value
            elif not _ignored(parameter, value):
                return None
    return _arranged(mine, named, rest)


def _parameter(name: str, theirs: inspect.Signature, mine: inspect.Signature) -> str | None:
    """Our parameter for one of NumPy's: of the same name, a known other one, or the one in its place at the start."""
    own = list(mine.parameters)
    for candidate in (name, _PARAMETERS.get(name)):
        if candidate in own:
            return candidate
    place = list(theirs.parameters).index(name)
    if place < 2 and place < len(own) and own[place] not in theirs.parameters:
        required = theirs.parameters[name].default is inspect.Parameter.empty
        return own[place] if required and mine.parameters[own[place]].kind.value <= 1 else None
    return None


def _ignored(parameter: inspect.Parameter, value: Any) -> bool:
    if parameter.name in _NO_MATTER or value is parameter.default:
        return True
    return value is None or (parameter.name == "order" and value in ("C", "A", "K"))


def _arranged(mine: inspect.Signature, named: dict[str, Any], rest: tuple) -> tuple[tuple, dict]:
    """Positional arguments and keywords for our function."""
    positional = []
    for name, parameter in mine.parameters.items():
        if name not in named or parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            break
        positional.append(named.pop(name))
    return (*positional, *rest), named


@lru_cache(maxsize=1024)
def _signature(f: Callable) -> inspect.Signature | None:
    try:
        return inspect.signature(f)
    except (ValueError, TypeError):
        return None  # of a function in C that does not tell
