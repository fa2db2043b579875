"""The libraries that compute transforms, behind one interface; what the primitives call.

The fastest that is installed is chosen by the size of a transform.  Each is tried before its first use.
"""

from __future__ import annotations

import functools
import itertools
import os
from typing import Any

import numpy as np

from scisim.core.machine import threads as _count
from scisim.fft.engines.interface import COMPLEX, REAL, Axes, Engine, result
from scisim.fft.engines.registry import (
    cache_info,
    chosen,
    clear_cache,
    device_engine,
    engine,
    list_engines,
    register_engine,
    set_cache_limit,
)

__all__ = [
    "Engine",
    "c2c",
    "c2r",
    "cache_info",
    "clear_cache",
    "engine",
    "list_engines",
    "r2c",
    "register_engine",
    "set_cache_limit",
]

_SHARED = 1 << 15  # elements from which on several threads pay
_SHARED_LINE = 1 << 18  # of a single transform along one axis


def c2c(x: Any, axes: Axes, inverse: bool, scale: float, out: Any = None) -> Any:
    """A complex transform of real or complex numbers along negative ``axes``."""
    x = _floating(x)
    if not x.size:
        return result(x, out, axes[-1], x.shape[axes[-1]], COMPLEX.get(x.dtype.char, x.dtype))
    if x.dtype.kind == "f" and type(x) is np.ndarray:
        return _whole(x, axes, inverse, scale, out)
    return _engine(x, False).c2c(x, axes, inverse, scale, out, _threads(x, axes))


def r2c(x: Any, axes: Axes, inverse: bool, scale: float, out: Any = None) -> Any:
    """Half the transform of real numbers: n // 2 + 1 elements along the last of ``axes``."""
    x = _floating(x)
    if not x.size:
        return result(x, out, axes[-1], x.shape[axes[-1]] // 2 + 1, COMPLEX[x.dtype.char])
    return _engine(x, True).r2c(x, axes, inverse, scale, out, _threads(x, axes))


def c2r(x: Any, n: int, axes: Axes, inverse: bool, scale: float, out: Any = None) -> Any:
    """A real transform of n points along the last of ``axes`` from half a spectrum."""
    x = _floating(x)
    if x.dtype.kind == "f":
        x = x.astype(COMPLEX[x.dtype.char])
    if not x.size:
        return result(x, out, axes[-1], n, REAL[x.dtype.char])
    return _engine(x, True).c2r(x, n, axes, inverse, scale, out, _threads(x, axes))


def _floating(x: Any) -> Any:
    """The operand in one of the four dtypes of engines; half precision is computed in single."""
    if x.dtype.char in "fdFD" and x.dtype.isnative:
        return x
    if x.dtype.kind == "c":
        return x.astype(np.complex64 if x.dtype.itemsize == 8 else np.complex128)
    return x.astype(np.float32 if x.dtype.kind not in "biu" and x.dtype.itemsize <= 4 else np.float64)


def _engine(x: Any, real: bool) -> Engine:
    return chosen(real, x.size) if isinstance(x, np.ndarray) else device_engine(x)


@functools.cache
def _budget(setting: str | None) -> int:
    return _count()


def _threads(x: Any, axes: Axes) -> int:
    """How many threads a transform may use: one where it is over before another has begun."""
    if x.size < _SHARED or (len(axes) == 1 and x.size < _SHARED_LINE and x.shape[axes[0]] == x.size):
        return 1
    return _budget(os.environ.get("SCISIM_NUM_THREADS"))


def _whole(x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: Any) -> np.ndarray:
    """The transform of real numbers, its second half the conjugate of its first."""
    y = np.empty(x.shape, COMPLEX[x.dtype.char]) if out is None else out
    half, last = r2c(x, axes, inverse, scale), axes[-1]
    n = x.shape[last]
    y[_cut(x.ndim, {last: slice(0, n // 2 + 1)})] = half
    # The element at -k is the conjugate of that at k: along other axes 0 stays, and the rest is turned round.
    turned = (slice(None, 0, -1), slice(1, None))
    for ends in itertools.product(((slice(0, 1), slice(0, 1)), turned), repeat=len(axes) - 1):
        source = {a: s for a, (s, _) in zip(axes, ends)} | {last: slice((n - 1) // 2, 0, -1)}
        target = {a: t for a, (_, t) in zip(axes, ends)} | {last: slice(n // 2 + 1, None)}
        np.conjugate(half[_cut(x.ndim, source)], out=y[_cut(x.ndim, target)])
    return y


def _cut(rank: int, slices: dict[int, slice]) -> tuple[slice, ...]:
    at: list[slice] = [slice(None)] * rank
    for a, s in slices.items():
        at[a] = s
    return tuple(at)
