"""Transforms in compiled programs: one axis after the other, by functions that native code calls on lines.

What an engine does for real transforms along one axis is the forward one of real numbers and the backward one to real
numbers, all elements counting once: conjugates and weights around them make the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, infer
from scisim.core.lines import Lines
from scisim.core.values import dtype, shape
from scisim.fft.engines.edges import edges
from scisim.fft.engines.registry import by_lines
from scisim.ops.arithmetic import mul_p
from scisim.ops.complexes import conj_p
from scisim.ops.shape import cast_p
from scisim.ops.turned import turned

_FEW, _LARGE = 32, 1 << 15  # so few lines of an array so large are better shared by an engine's own threads
_SMALL, _LONG = 1 << 12, 256  # elements up to which calls cost most, and from which on tiles of two axes gain
Apply = Callable[..., Any]


def lines(length: int, x: ShapeDtype, y: ShapeDtype, p: dict) -> Lines | None:
    """How native code computes a transform of so many points along the last axis."""
    engine = by_lines()
    if engine is None or p["axes"] != (-1,) or not _many(length, x, y):
        return None
    return engine.lines(x.dtype, y.dtype, length, p["inverse"], p["scale"], _usable)


def _usable() -> bool:
    return by_lines() is not None


def _many(length: int, x: ShapeDtype, y: ShapeDtype) -> bool:
    size = max(math.prod(a.shape) for a in (x, y))
    return size > 0 and (size < _LARGE or size // length >= _FEW)


def fft_lines(avals: tuple, p: dict) -> Lines | None:
    """For a transform of complex numbers."""
    (x,) = avals
    if x.dtype.char not in "FD" or not x.dtype.isnative:
        return None
    return lines(x.shape[p["axes"][-1]], x, x, p)


def rfft_lines(prim: Any, avals: tuple, p: dict) -> Lines | None:
    """For a transform of real numbers."""
    (x,) = avals
    if x.dtype.char not in "fd" or not x.dtype.isnative or p["inverse"] or p["twice"]:
        return None
    return lines(x.shape[p["axes"][-1]], x, infer(prim, avals, p), p)


def irfft_lines(prim: Any, avals: tuple, p: dict) -> Lines | None:
    """For a transform to real numbers."""
    (x,) = avals
    if x.dtype.char not in "FD" or not x.dtype.isnative or not (p["inverse"] and p["twice"]):
        return None
    return lines(p["n"], x, infer(prim, avals, p), p)


# --- one axis after the other: the axis that the operand is turned by first, if the order is free ------------------
def fft_apart(prim: Any, apply: Apply, args: tuple, p: dict, turn: int | None) -> Any:
    """A complex transform; the scale comes with the last axis."""
    x = args[0]
    if (p["axes"] == (-1,) and dtype(x).kind == "c") or not _known(x, p):
        return None
    return _complex(prim, apply, x, p["axes"], p["inverse"], p["scale"], turn)


def rfft_apart(prim: Any, fft: Any, apply: Apply, args: tuple, p: dict, turn: int | None) -> Any:
    """A real transform: the axis with half a spectrum first."""
    x, axes = args[0], p["axes"]
    direct = axes == (-1,) and not p["inverse"] and not p["twice"]
    if dtype(x).char not in "fd" or not _known(x, p) or direct:
        return None
    n, inverse, rest = shape(x)[axes[-1]], p["inverse"], axes[:-1]
    scale = 2.0 * p["scale"] if p["twice"] else p["scale"]
    own = {"axes": (-1,), "inverse": False, "scale": 1.0 if rest else scale, "twice": False}
    y = turned(apply, apply(prim, turned(apply, x, axes[-1]), **own), axes[-1])
    y = _complex(fft, apply, y, rest, False, scale, None)
    y = apply(conj_p, y) if inverse else y
    return apply(mul_p, y, _weights(y, axes[-1], n, 0.5)) if p["twice"] else y


def irfft_apart(prim: Any, fft: Any, apply: Apply, args: tuple, p: dict, turn: int | None) -> Any:
    """A transform to real numbers: the axis with half a spectrum last."""
    x, axes = args[0], p["axes"]
    direct = axes == (-1,) and p["inverse"] and p["twice"] and dtype(x).kind == "c"
    if not _known(x, p) or direct:
        return None
    x = _as_complex(apply, x)
    x = x if p["twice"] else apply(mul_p, x, _weights(x, axes[-1], p["n"], 2.0))
    x = x if p["inverse"] else apply(conj_p, x)
    y = _complex(fft, apply, x, axes[:-1], True, 1.0, turn)
    scale = p["scale"] if p["twice"] else 0.5 * p["scale"]
    y = apply(prim, turned(apply, y, axes[-1]), n=p["n"], axes=(-1,), inverse=True, scale=scale, twice=True)
    return turned(apply, y, axes[-1])


def _complex(fft: Any, apply: Apply, x: Any, axes: tuple, inverse: bool, scale: float, turn: int | None) -> Any:
    x = _as_complex(apply, x)
    order = [a for a in axes if a == turn] + [a for a in reversed(axes) if a != turn]
    for axis in order:
        own = {"axes": (-1,), "inverse": inverse, "scale": scale if axis == order[-1] else 1.0}
        x = turned(apply, apply(fft, turned(apply, x, axis), **own), axis)
    return x


def _as_complex(apply: Apply, x: Any) -> Any:
    to = {"f": np.dtype(np.complex64), "d": np.dtype(np.complex128)}.get(dtype(x).char)
    return x if to is None else apply(cast_p, x, to=to)


def _aval(x: Any) -> ShapeDtype:
    return ShapeDtype(tuple(shape(x)), np.dtype(dtype(x)))


def _known(x: Any, p: dict) -> bool:
    """Whether native code can do it along every axis, and gains."""
    dt, s = np.dtype(dtype(x)), shape(x)
    known = dt.char in "fdFD" and dt.isnative and by_lines() is not None
    return known and all(_many(s[a], _aval(x), _aval(x)) for a in p["axes"]) and _gains(s, p["axes"])


def _gains(s: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    """Whether going over several axes one by one is worth what turning arrays costs."""
    size, lengths = math.prod(s), [s[a] for a in axes]
    if len(axes) == 1 or size <= _SMALL:
        return True
    return len(axes) == 2 and (min(lengths) >= _LONG or size // math.prod(lengths) >= _FEW)


def _weights(x: Any, axis: int, n: int, edge: float) -> np.ndarray:
    """1 along the axis with half a spectrum, something else at its edges."""
    s = [1] * len(shape(x))
    s[axis] = shape(x)[axis]
    w = np.ones(s, np.zeros((), dtype(x)).real.dtype)
    w[edges(len(s), axis, n)] = edge
    return w
