"""What the functions of `random` are given: keys, shapes, dtypes and parameters, checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import broadcast_shapes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import Traced, as_dtype, is_inexact
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape as shape_of
from scisim.ops.shape import astype, broadcast, lengths

KEY = np.dtype(np.uint32)
DOUBLE, SINGLE, COUNT = np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int64)

# What a parameter must be: words for the message, and the test of numbers.
POSITIVE = ("positive", lambda v: v > 0)
NOT_NEGATIVE = ("not negative", lambda v: v >= 0)
PROBABILITY = ("a probability from 0 to 1", lambda v: (v >= 0) & (v <= 1))
ANY: tuple[str, Callable] | None = None


@lru_cache(maxsize=512)
def _lengths(name: str, shape: Any) -> tuple[int, ...]:
    return lengths(f"random.{name}", shape)


def shape_tuple(name: str, shape: Any) -> tuple[int, ...]:
    """The shape that is asked for; those of plain integers are kept."""
    kind = type(shape)
    if kind is int or (kind is tuple and all(type(n) is int for n in shape)):
        return _lengths(name, shape)
    return lengths(f"random.{name}", shape)


def check_key(name: str, key: Any) -> Any:
    """The key, or an error that says how keys are made."""
    k = key if type(key) is np.ndarray else as_argument(key)
    if type(k) is np.ndarray and k.dtype is KEY and k.shape == (2,):
        return k
    if dtype_of(k) != KEY:
        got = repr(key) if np.ndim(key) == 0 else f"an array of {dtype_of(k)}"
        raise ArgumentTypeError(
            f"random.{name}: key must be made with random.key(seed), got {got}; there is no global seed"
        )
    if shape_of(k) != (2,):
        raise ShapeError(f"random.{name}: takes one key, of shape (2,), got shape {shape_of(k)}; use one row, or vmap")
    return k


def float_dtype(name: str, dtype: Any, real: bool = True) -> np.dtype:
    """The dtype of the result: a floating-point one, float64 by default."""
    if dtype is None or dtype is DOUBLE:
        return DOUBLE
    dt = as_dtype(f"random.{name}", dtype)
    if dt.kind not in "fc" and dt.name != "bfloat16":
        raise DTypeError(f"random.{name}: dtype must be a floating-point one, got {dt}; see random.integers")
    if real and dt.kind == "c":
        raise DTypeError(f"random.{name}: dtype must be real, got {dt}; draw both parts and add them")
    return dt


def integer_dtype(name: str, dtype: Any) -> np.dtype:
    """The dtype of counts, int64 by default."""
    if dtype is None:
        return COUNT
    dt = as_dtype(f"random.{name}", dtype)
    if dt.kind not in "iu":
        raise DTypeError(f"random.{name}: dtype must be an integer one, got {dt}; convert counts with astype")
    return dt


def parameter(name: str, argument: str, v: Any, rule: tuple[str, Callable] | None) -> Any:
    """A real parameter as a value; Python numbers stay weak. Traced ones are not looked at."""
    if type(v) not in (int, float):
        v = as_argument(v)
        if dtype_of(v).kind not in "biuf" and dtype_of(v).name != "bfloat16":
            raise DTypeError(f"random.{name}: {argument} must be real, got dtype {dtype_of(v)}")
    if rule is not None and not isinstance(v, Traced) and not np.all(rule[1](v)):
        raise ArgumentError(f"random.{name}: {argument} must be {rule[0]}, got {v!r:.60}")
    return v


class Request:
    """What a distribution is asked for but for the key: the drawn shape, the dtype, and the parameters."""

    __slots__ = ("bare", "drawn", "dtype", "name", "params", "plain", "shape", "whole")

    def __init__(self, name: str, rules: dict[str, Any], shape: Any, dtype: Any, params: tuple) -> None:
        self.name = name
        self.params = [parameter(name, k, v, rules[k]) for k, v in zip(rules, params, strict=True)]
        self.plain = all(type(v) in (int, float) for v in self.params)
        self.bare = self.plain and self.params == [0] * (len(params) - 1) + [1]  # location 0, scale 1
        self.shape = self._shape(shape)
        self.dtype = self._dtype(dtype)
        # The dtype in which kernels leave numbers, and parameters as they take them: numbers, or of the drawn shape.
        self.drawn = DOUBLE if self.dtype == DOUBLE else SINGLE
        self.bare = self.bare and self.drawn == self.dtype
        self.whole = [v if type(v) in (int, float) or v.shape == () else broadcast(v, self.shape) for v in self.params]

    def _shape(self, shape: Any) -> tuple[int, ...]:
        sizes = [v.shape for v in self.params if type(v) not in (int, float)]
        if shape is None:
            return broadcast_shapes(f"random.{self.name}", *sizes) if sizes else ()
        s = shape_tuple(self.name, shape)
        for size in sizes:
            if size and broadcast_shapes(f"random.{self.name}", size, s) != s:
                raise ShapeError(
                    f"random.{self.name}: parameters of shape {size} do not fit the shape {s} that is drawn; they must "
                    f"broadcast to it"
                )
        return s

    def _dtype(self, dtype: Any) -> np.dtype:
        if dtype is not None:
            return float_dtype(self.name, dtype)
        given = [v.dtype for v in self.params if type(v) not in (int, float) and is_inexact(v)]
        return np.result_type(*given) if given else DOUBLE

    def cast(self, x: Any) -> Any:
        """The result in the dtype that was asked for."""
        return x if x.dtype == self.dtype else astype(x, self.dtype)


_ROOM = 512


class Form:
    """The parameters of a distribution by name, each with what it must be; requests of plain numbers are kept."""

    def __init__(self, name: str, **rules: Any) -> None:
        self.name, self.rules = name, rules
        self.kept: dict[Any, Request] = {}

    def __call__(self, key: Any, shape: Any, dtype: Any, *params: Any) -> tuple[Any, Request]:
        """The key, checked, and what is asked for."""
        if type(key) is not np.ndarray or key.dtype is not KEY or key.shape != (2,):
            key = check_key(self.name, key)
        for v in params:
            if type(v) is not float and type(v) is not int:
                return key, Request(self.name, self.rules, shape, dtype, params)
        if type(shape) not in _PLAIN_SHAPES:
            return key, Request(self.name, self.rules, shape, dtype, params)
        asked = (shape, dtype, params)
        request = self.kept.get(asked)
        if request is None:
            if len(self.kept) >= _ROOM:
                self.kept.clear()
            request = self.kept[asked] = Request(self.name, self.rules, shape, dtype, params)
        return key, request


_PLAIN_SHAPES = (int, tuple, type(None))


def is_number(v: Any, number: float) -> bool:
    """Whether a parameter is this plain number, so that nothing need be done with it."""
    return type(v) in (int, float) and v == number
