"""Functions with NumPy's arguments, where these say more than ours: masks, initial values, orders of axes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.dispatch import numpy_forms
from scisim.core.errors import ArgumentTypeError
from scisim.core.tensor import Tensor, functions

_NONE = np._NoValue if hasattr(np, "_NoValue") else None


@lru_cache(maxsize=64)
def _signature(func: Callable) -> inspect.Signature:
    return inspect.signature(func)


def _form(func: Callable) -> Callable:
    """Enters a form: it takes what the user gave by NumPy's names, and defaults for the rest."""

    def enter(f: Callable) -> Callable:
        def form(*args: Any, **kwargs: Any) -> Any:
            bound = _signature(func).bind(*args, **kwargs)
            bound.apply_defaults()
            given = {k: None if v is _NONE else v for k, v in bound.arguments.items()}
            if given.pop("out", None) is not None:
                raise ArgumentTypeError(f"numpy.{func.__name__}: out= would write a Tensor's values; leave it out")
            return f(**given)

        numpy_forms[func.__name__] = form
        return f

    return enter


# --- reductions ---------------------------------------------------------------------------------------------
def _masked(a: Any, where: Any, neutral: float) -> Tensor:
    a = functions["asarray"](a)
    return a if where is None else functions["where"](where, a, np.asarray(neutral).astype(a.dtype))


def _cast(a: Any, dtype: Any) -> Any:
    return a if dtype is None else functions["astype"](functions["asarray"](a), dtype)


def _reduction(name: str, neutral: float, combine: str) -> None:
    @_form(getattr(np, name))
    def reduction(
        a: Any, axis: Any, keepdims: Any, dtype: Any = None, initial: Any = None, where: Any = None
    ) -> Tensor:
        empty = neutral
        if name in ("max", "min"):
            kind = functions["asarray"](a).dtype
            empty = neutral if kind.kind == "f" else (np.iinfo(kind).min if neutral < 0 else np.iinfo(kind).max)
        x = _masked(_cast(a, dtype), where, empty)
        if initial is not None and name in ("max", "min") and not x.size:
            return functions["full"](np.empty(x.shape).sum(axis, keepdims=bool(keepdims)).shape, initial)
        y = functions[name](x, axis=axis, keepdims=bool(keepdims))
        return y if initial is None else functions[combine](y, initial)


for _name, _neutral, _combine in (
    ("sum", 0, "add"),
    ("prod", 1, "multiply"),
    ("max", -math.inf, "maximum"),
    ("min", math.inf, "minimum"),
    ("any", 0, "logical_or"),
    ("all", 1, "logical_and"),
):
    _reduction(_name, _neutral, _combine)
numpy_forms.update(amax=numpy_forms["max"], amin=numpy_forms["min"])


@_form(np.mean)
def _mean(a: Any, axis: Any, dtype: Any, keepdims: Any, where: Any) -> Tensor:
    x, keep = _cast(a, dtype), bool(keepdims)
    if where is None:
        return functions["mean"](x, axis=axis, keepdims=keep)
    mask = functions["broadcast_to"](where, functions["asarray"](x).shape)
    total = functions["sum"](_masked(x, where, 0), axis=axis, keepdims=keep)
    return total / functions["sum"](mask, axis=axis, keepdims=keep)


def _spread(name: str) -> None:
    @_form(getattr(np, name))
    def spread(
        a: Any,
        axis: Any,
        dtype: Any,
        ddof: Any,
        keepdims: Any,
        where: Any,
        mean: Any = None,
        correction: Any = None,
        **more: Any,
    ) -> Tensor:
        x = _cast(a, dtype)
        if where is not None:
            x = functions["where"](where, x, math.nan)
        f = functions[name if where is None else f"nan{name.removeprefix('nan')}"]
        return f(x, axis=axis, correction=ddof if correction is None else correction, keepdims=bool(keepdims))


for _name in ("std", "var", "nanstd", "nanvar"):
    _spread(_name)


# --- axes and orders ----------------------------------------------------------------------------------------
@_form(np.reshape)
def _reshape(a: Any, shape: Any, order: str, copy: Any) -> Tensor:
    if order != "F":
        return functions["reshape"](a, shape)
    size, to = functions["asarray"](a).size, (shape,) if isinstance(shape, int) else tuple(shape)
    known = math.prod(n for n in to if n != -1)
    to = tuple(size // max(known, 1) if n == -1 else n for n in to)
    return functions["transpose"](functions["reshape"](functions["transpose"](a), to[::-1]))


@_form(np.ravel)
def _ravel(a: Any, order: str) -> Tensor:
    return functions["ravel"](functions["transpose"](a) if order == "F" else a)


def _last(a: Any, axis1: int, axis2: int) -> Tensor:
    return functions["moveaxis"](a, (axis1, axis2), (-2, -1))


@_form(np.diagonal)
def _diagonal(a: Any, offset: int, axis1: int, axis2: int) -> Tensor:
    return functions["diagonal"](_last(a, axis1, axis2), offset)


@_form(np.trace)
def _trace(a: Any, offset: int, axis1: int, axis2: int, dtype: Any) -> Tensor:
    return functions["trace"](_last(_cast(a, dtype), axis1, axis2), offset)


@_form(np.round)
def _round(a: Any, decimals: int) -> Tensor:
    return functions["around"](a, decimals)


numpy_forms["around"] = numpy_forms["round"]


# --- results of several kinds -------------------------------------------------------------------------------
@_form(np.concatenate)
def _concatenate(arrays: Any, axis: Any, dtype: Any, casting: str) -> Tensor:
    return _cast(functions["concat"](arrays, axis), dtype)


@_form(np.stack)
def _stack(arrays: Any, axis: Any, dtype: Any, casting: str) -> Tensor:
    return _cast(functions["stack"](arrays, axis), dtype)


@_form(np.where)
def _where(condition: Any, x: Any, y: Any) -> Any:
    return functions["nonzero"](condition) if x is None and y is None else functions["where"](condition, x, y)


@_form(np.copy)
def _copy(a: Any, order: str, subok: bool) -> Tensor:
    return functions["asarray"](a).copy()


@_form(np.linspace)
def _linspace(
    start: Any, stop: Any, num: int, endpoint: bool, retstep: bool, dtype: Any, axis: int, **more: Any
) -> Any:
    a, b = functions["asarray"](start), functions["asarray"](stop)
    step = (b - a) / max(num - 1 if endpoint else num, 1)
    if a.ndim or b.ndim:
        points = functions["asarray"](np.arange(num, dtype=float).reshape(-1, *(1,) * max(a.ndim, b.ndim)))
        y = functions["moveaxis"](a + step * points, 0, axis)
    else:
        y = functions["linspace"](a, b, num, endpoint=endpoint)
    return (_cast(y, dtype), step) if retstep else _cast(y, dtype)


@_form(np.unique)
def _unique(
    ar: Any, return_index: bool, return_inverse: bool, return_counts: bool, axis: Any, equal_nan: bool, **more: Any
) -> Any:
    if axis is not None:
        raise ArgumentTypeError("numpy.unique: axis= has no counterpart for a Tensor; compare rows by themselves")
    found = functions["unique_all"](ar)
    parts = [found[0]]
    for wanted, k in ((return_index, 1), (return_inverse, 2), (return_counts, 3)):
        parts += [found[k]] if wanted else []
    return parts[0] if len(parts) == 1 else tuple(parts)


@_form(np.allclose)
def _allclose(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> bool:
    return bool(functions["all"](functions["isclose"](a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def _einsum(*operands: Any, optimize: Any = None, order: str = "K", casting: str = "safe") -> Tensor:
    return functions["einsum"](*operands)


numpy_forms["einsum"] = _einsum
