"""Primitives that draw: which kernel fills which array, and how axes and derivatives follow."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive
from scisim.core.values import shape as shape_of
from scisim.ops import _philox
from scisim.ops.shape import reshape

_REPLACED_BY_NUMPY = 1 << 15  # numbers, and as many calls over 512, that NumPy draws before Numba is worth its loading
_drawn = 0
DOUBLE = np.dtype(np.float64)


_modules: dict[str, Any] = {}


def _compiled(name: str) -> Any:
    """Compiled loops; loading them costs about 0.3 s, and once on a machine some seconds to compile."""
    module = _modules.get(name)
    if module is None:
        module = _modules[name] = importlib.import_module(f"scisim.ops._random.{name}")
    return module


def compiled_bits() -> Any:
    """Those that make a number of a word."""
    return _compiled("bits_kernels")


def compiled_samplers() -> Any:
    """Those that reject or search."""
    return _compiled("sample_kernels")


def numpy_is_enough(count: int) -> bool:
    """Whether few numbers have been asked for as yet, so that NumPy draws them (the same) before Numba is loaded."""
    global _drawn
    if _modules and sys.byteorder == "little":
        return False
    _drawn += count + 512
    return _drawn < _REPLACED_BY_NUMPY or sys.byteorder != "little"


def plain(x: Any) -> np.ndarray:
    """An array of the one kind that a kernel is compiled for: in C order and writable."""
    return x if x.flags.carray else np.array(x, order="C")


def rows_of(key: np.ndarray) -> np.ndarray:
    """The keys of a stack, one a row."""
    return plain(key.reshape(-1, 2))


def shaped(out: np.ndarray, key: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Rows of numbers as the result for stacked keys."""
    out = out.reshape(shape if key.ndim == 1 else key.shape[:-1] + shape)
    if out.dtype is not dtype:
        out = out.astype(dtype, copy=False)
    return out if out.ndim else out[()]


def each(f: Callable, tail: tuple[int, ...], dt: Any, *args: Any) -> np.ndarray:
    """f of each key of a stack (and of the number that goes with it)."""
    lead = args[0].shape[:-1]
    if not lead:
        return f(*args).reshape(tail)
    out = np.empty((*lead, *tail), dt)
    for i in np.ndindex(lead):
        out[i] = f(*(a[i] for a in args)).reshape(tail)
    return out


def labels_of_keys(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """Axes of stacked keys, which operands of the same stack follow; what is drawn for one key stays whole."""
    lead = tuple(range(len(shapes[0]) - 1))
    rest = [(*lead, *(None,) * (len(s) - len(lead))) for s in shapes[1:]]
    return [(*lead, None), *rest], (*lead, *(None,) * len(p.get("shape", (0,))))


KEYED = Axes(labels_of_keys)


# --- one number from one word ------------------------------------------------------------------------------------
def _numpy_uniform(key: Any, n: int, dtype: np.dtype) -> np.ndarray:
    width = 64 if dtype == np.float64 else 32
    return _philox.uniform_from_bits(_philox.random_bits(key, 0, n, width), dtype)


def _numpy_normal(key: Any, n: int, dtype: np.dtype) -> np.ndarray:
    return _philox.normal_from_bits(_philox.random_bits(key, 0, n, 64), dtype)


_NUMPY = {"UNIFORM": _numpy_uniform, "NORMAL": _numpy_normal}


KINDS = {"UNIFORM": 0, "NORMAL": 1, "EXPONENTIAL": 2, "LAPLACE": 3, "LOGISTIC": 4}


def _draw(kind: str) -> Callable:
    number, by_numpy = KINDS[kind], _NUMPY.get(kind)

    def evaluate(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        n = math.prod(shape)
        if by_numpy is not None and not _modules and numpy_is_enough(n * (key.size // 2)):
            return each(lambda k: by_numpy(k, n, dtype), shape, dtype, key)[()]
        if number == 0 and dtype is not DOUBLE and dtype != DOUBLE:
            out: Any = np.empty((key.size // 2, n), np.float32)
            compiled_bits().uniform_single(rows_of(key), out)
            return shaped(out, key, shape, dtype)
        loops = _modules.get("bits_kernels") or compiled_bits()
        if key.ndim == 1:
            out = np.empty(shape)
            loops.draw_one(plain(key), number, out if out.ndim == 1 else out.reshape(-1))
            if dtype is not DOUBLE:
                out = out.astype(dtype, copy=False)
            return out if shape else out[()]
        out = np.empty((key.size // 2, n))
        loops.draw(rows_of(key), number, out)
        return shaped(out, key, shape, dtype)

    return evaluate


def drawing(kind: str) -> Primitive:
    """The primitive whose element i is made of word i of the key's stream."""
    return Primitive(
        f"random_{kind.lower()}",
        _draw(kind),
        axes=KEYED,
        infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), p["dtype"]),
    )


uniform_p = drawing("UNIFORM")
normal_p = drawing("NORMAL")
exponential_p = drawing("EXPONENTIAL")
laplace_p = drawing("LAPLACE")
logistic_p = drawing("LOGISTIC")


def drawn(prim: Primitive, key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """The primitive of a key alone; of an array, without asking who traces it."""
    if type(key) is np.ndarray:
        return prim.evaluate(key, shape, dtype)
    return prim(key, shape=shape, dtype=dtype)


def sample(prim: Primitive, key: Any, request: Any, *params: Any, **more: Any) -> Any:
    """The primitive on a key and parameters; where all of them are plain, without asking who traces them."""
    if request.plain and type(key) is np.ndarray:
        return prim.evaluate(key, *params, shape=request.shape, dtype=request.drawn, **more)
    return prim(key, *params, shape=request.shape, dtype=request.drawn, **more)


# --- samplers with parameters ------------------------------------------------------------------------------------
@lru_cache(maxsize=256)
def _number(p: float) -> np.ndarray:
    return np.array([[p]], np.float64)


def table(p: Any, rows: int) -> np.ndarray:
    """A parameter as numbers for each key, one or as many as are drawn; nobody writes into it."""
    if type(p) in (int, float) and rows == 1:
        return _number(p)
    a = np.asarray(p, np.float64)
    return plain(a.reshape(rows, a.size // rows if rows else 1))


def _sample(kernel: str, settings: Sequence[str]) -> Callable:
    def evaluate(key: Any, *params: Any, shape: tuple[int, ...], dtype: np.dtype, **more: Any) -> Any:
        keys = rows_of(key)
        rows = len(keys)
        out = np.empty((rows, math.prod(shape)), np.int64 if dtype.kind == "i" else np.float64)
        if out.size:
            run = getattr(compiled_samplers(), kernel)
            run(keys, *[table(p, rows) for p in params], *[more[s] for s in settings], out)
        return shaped(out, key, shape, dtype)

    return evaluate


def _beside(p: Any, lead: int, y: Any) -> Any:
    """A parameter that is one number for each of the stacked keys, with axes to broadcast against what is drawn."""
    s = shape_of(p)
    return reshape(p, s + (1,) * (len(shape_of(y)) - lead)) if lead and len(s) == lead else p


def sampler(
    name: str, kernel: str, slopes: Sequence[Callable] | None = None, settings: Sequence[str] = ()
) -> Primitive:
    """The primitive of a compiled sampler.

    Operands are the key and the parameters, each one number or an array of the drawn shape. ``slopes`` are the
    derivatives of a drawn number y in the parameters, ``slope(y, *params)``; counts have none.
    """

    def jvp(y: Any, args: Sequence[Any], tangents: Sequence[Any], **p: Any) -> Any:
        total, lead = None, len(shape_of(args[0])) - 1
        params = [_beside(a, lead, y) for a in args[1:]]
        for slope, t in zip(slopes or (), tangents[1:], strict=True):
            if t is not None:
                term = slope(y, *params) * _beside(t, lead, y)
                total = term if total is None else total + term
        return total

    return Primitive(
        f"random_{name}",
        _sample(kernel, settings),
        axes=KEYED,
        infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), p["dtype"]),
        jvp=jvp if slopes else None,
    )
