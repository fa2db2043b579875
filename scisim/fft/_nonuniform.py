"""The primitives of the non-uniform transforms: two sums whose derivatives are each other, with modes or strengths
multiplied.

With s the sign, type 1 sums strengths, f_k = sum_j c_j exp(i s k x_j), and type 2 sums modes,
c_j = sum_k f_k exp(i s k x_j).  They are linear in c and f, where each is the other's transpose; and d/dx_a of type 1
is i s k_a times type 1 of c dx_a, of type 2 it is dx_a times type 2 of i s k_a f.  Of a series x_0 + p the powers of p
are multiplied in the same way, so that a series of any order is one transform of many rows at the points x_0.

Operands are points (..., d, m) with strengths (..., b, m) or modes (..., b, *modes): transforms at the same points are
rows of one operand, and share the sorted points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive
from scisim.core.values import dtype, shape
from scisim.ops.index import slice_axis
from scisim.ops.shape import concat, moveaxis, reshape, sum_p

Index = tuple[int, ...]


# --- evaluation ------------------------------------------------------------------------------------------------------
def _type1(x: np.ndarray, c: np.ndarray, **p: Any) -> np.ndarray:
    from scisim.fft._nonuniform_run import type1

    return type1(x, c, **p)


def _type2(x: np.ndarray, f: np.ndarray, **p: Any) -> np.ndarray:
    from scisim.fft._nonuniform_run import type2

    return type2(x, f, **p)


def complex_of(real: np.dtype) -> np.dtype:
    return np.result_type(real, np.complex64)


def _infer1(avals: tuple, p: dict) -> ShapeDtype:
    return ShapeDtype((*avals[1].shape[:-1], *p["modes"]), complex_of(avals[0].dtype))


def _infer2(avals: tuple, p: dict) -> ShapeDtype:
    lead = avals[0].ndim - 1
    return ShapeDtype((*avals[1].shape[:lead], avals[0].shape[-1]), complex_of(avals[0].dtype))


# --- axes ------------------------------------------------------------------------------------------------------------
def _labels1(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[0]) - 2))
    return [(*lead, None, "m"), (*lead, "b", "m")], (*lead, "b", *(None for _ in p["modes"]))


def _labels2(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[0]) - 2))
    return [(*lead, None, "m"), (*lead, "b", *(None for _ in p["modes"]))], (*lead, "b", "m")


def _batch(trace: Any, prim: Primitive, vals: list, mapped: list[bool], p: dict) -> Any:
    """Mapped points are further sets of points; strengths or modes alone are further rows at the same points."""
    if mapped[0]:
        return prim(*(v if m else trace.spread(v) for v, m in zip(vals, mapped, strict=True)), **p)
    x, rows = vals
    at = len(shape(x)) - 2
    y = prim(x, joined(moveaxis(rows, 0, at), at), **p)
    s = shape(y)
    return moveaxis(reshape(y, (*s[:at], trace.n, s[at] // trace.n if trace.n else 0, *s[at + 1 :])), at, 0)


def joined(x: Any, at: int) -> Any:
    """An axis joined with the next one."""
    s = shape(x)
    return reshape(x, (*s[:at], s[at] * s[at + 1], *s[at + 2 :]))


def split(x: Any, at: int, n: int) -> Any:
    """An axis as n parts."""
    s = shape(x)
    return reshape(x, (*s[:at], n, s[at] // n, *s[at + 1 :]))


# --- derivatives -----------------------------------------------------------------------------------------------------
def mode_numbers(n: int, centred: bool) -> np.ndarray:
    """The integers k of n modes, ascending from -(n // 2), or from 0 on with the negative ones last."""
    k = np.arange(n) - n // 2
    return k if centred else np.fft.ifftshift(k)


def _monomials(indices: Sequence[Index], p: dict, real: np.dtype) -> np.ndarray:
    """Powers of the modes divided by factorials, of shape (indices, 1, *modes)."""
    out = np.ones((len(indices), 1, *p["modes"]), real)
    for a, n in enumerate(p["modes"]):
        k = mode_numbers(n, p["centred"]).astype(real).reshape(-1, *(1 for _ in p["modes"][a + 1 :]))
        for row, index in zip(out, indices, strict=True):
            row *= k ** index[a] / math.factorial(index[a])
    return out


def turn(sign: int, order: int) -> complex:
    """(i s)^order, exactly."""
    return (1, 1j * sign, -1, -1j * sign)[order % 4]


def units(dims: int) -> list[Index]:
    return [tuple(int(a == b) for b in range(dims)) for a in range(dims)]


def _sum1(x: Any, rows: list, indices: Sequence[Index], p: dict) -> Any:
    """Sum of type 1 of rows, each multiplied by its monomial of the modes: one transform of all."""
    at = len(shape(x)) - 2
    f = split(linear1_p(x, concat(rows, at), **p), at, len(rows))
    return sum_p(f * _monomials(indices, p, dtype(x)), axes=(at,))


def _sum2(x: Any, f: Any, factors: list, indices: Sequence[Index], p: dict) -> Any:
    """Sum of factors times type 2 of the modes f, each multiplied by its monomial: one transform of all."""
    at = len(shape(x)) - 2
    turns = np.array([turn(p["sign"], sum(i)) for i in indices], complex_of(dtype(x)))
    monomials = _monomials(indices, p, dtype(x)) * turns.reshape(-1, 1, *(1 for _ in p["modes"]))
    s = shape(f)
    rows = joined(reshape(f, (*s[:at], 1, *s[at:])) * monomials, at)
    y = split(linear2_p(x, rows, **p), at, len(indices))
    return sum_p(y * split(concat(factors, at), at, len(factors)), axes=(at,))


def coordinate(x: Any, a: int) -> Any:
    """Coordinate a of points, as one row."""
    return slice_axis(x, len(shape(x)) - 2, a, a + 1)


def _jvp1(y: Any, args: Sequence[Any], tangents: Sequence[Any], **p: Any) -> Any:
    (x, c), (dx, dc) = args, tangents
    dims = len(p["modes"])
    rows, indices = ([], []) if dc is None else ([dc], [(0,) * dims])
    if dx is not None:
        turned = c * turn(p["sign"], 1)
        rows += [turned * coordinate(dx, a) for a in range(dims)]
        indices += units(dims)
    return _sum1(x, rows, indices, p) if rows else None


def _jvp2(y: Any, args: Sequence[Any], tangents: Sequence[Any], **p: Any) -> Any:
    (x, f), (dx, df) = args, tangents
    of_modes = None if df is None else linear2_p(x, df, **p)
    if dx is None:
        return of_modes
    dims = len(p["modes"])
    of_points = _sum2(x, f, [coordinate(dx, a) for a in range(dims)], units(dims), p)
    return of_points if of_modes is None else of_modes + of_points


def _powers(trace: Any, x: Any, dims: int) -> dict[Index, Any]:
    """Products of the coordinates of x - x_0, to the order of the series; without that of order 0."""
    p = x - x.cs[0]
    made: dict[Index, Any] = {}
    for order in range(1, trace.slots.order + 1):
        for axes in combinations_with_replacement(range(dims), order):
            index = tuple(axes.count(a) for a in range(dims))
            less = tuple(n - (a == axes[-1]) for a, n in enumerate(index))
            q = coordinate(p, axes[-1])
            made[index] = q if order == 1 else made[less] * q
    return made


def _series(linear: Callable[[], Primitive], rest: Callable, is_linear: bool = False) -> Callable:
    """The rule of a series: all powers of x - x_0 at once.  Along one direction the first derivative says it all."""

    def series(trace: Any, args: Sequence[Any], p: dict) -> Any:
        x, rows = args
        if not trace.mine(x):
            return None if is_linear else linear()(x, rows, **p)
        if trace.slots.order < 2:
            return None
        at = x.cs[0]
        return linear()(at, rows, **p) + rest(at, rows, _powers(trace, x, len(p["modes"])), p)

    return series


def _rest1(x: Any, c: Any, powers: dict[Index, Any], p: dict) -> Any:
    rows = [c * turn(p["sign"], sum(i)) * q for i, q in powers.items()]
    return _sum1(x, rows, list(powers), p)


def _rest2(x: Any, f: Any, powers: dict[Index, Any], p: dict) -> Any:
    return _sum2(x, f, list(powers.values()), list(powers), p)


# --- declarations ----------------------------------------------------------------------------------------------------
# The pair that users call has one derivative with respect to both operands, so that its transpose too is one transform
# of all rows; the linear pair, of which that derivative is made, has a transpose by itself.
nufft1_p = Primitive(
    "nufft1",
    _type1,
    axes=Axes(_labels1),
    infer=_infer1,
    jvp=_jvp1,
    series=_series(lambda: linear1_p, _rest1),
    batch=_batch,
)
nufft2_p = Primitive(
    "nufft2",
    _type2,
    axes=Axes(_labels2),
    infer=_infer2,
    jvp=_jvp2,
    series=_series(lambda: linear2_p, _rest2),
    batch=_batch,
)
linear1_p = Primitive(
    "nufft1_linear",
    _type1,
    axes=Axes(_labels1),
    infer=_infer1,
    linear=(1,),
    transpose=lambda i, ct, args, p: nufft2_p(args[0], ct, **p),
    jvp=_jvp1,
    series=_series(lambda: linear1_p, _rest1, True),
    batch=_batch,
)
linear2_p = Primitive(
    "nufft2_linear",
    _type2,
    axes=Axes(_labels2),
    infer=_infer2,
    linear=(1,),
    transpose=lambda i, ct, args, p: nufft1_p(args[0], ct, **p),
    jvp=_jvp2,
    series=_series(lambda: linear2_p, _rest2, True),
    batch=_batch,
)
