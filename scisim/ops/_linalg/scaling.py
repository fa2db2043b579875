"""Norms of numbers whose powers overflow or underflow.

A norm is homogeneous: it is that of the numbers over the greatest modulus among them, times that.  Its derivative is
the sum of c dx, where c = (x / n)^(p-1) has no modulus above 1.  Arrays take the ordinary way by powers first, and look
at what it gives; in a captured program the divisor is 1 in the ordinary range.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.control import choose, holds
from scisim.core.primitive import Primitive
from scisim.core.values import Traced, is_complex, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops.arithmetic import absolute, pin, power, square, stop
from scisim.ops.complexes import imag, real
from scisim.ops.extrema import max as max_of
from scisim.ops.reduce import sum as sum_of
from scisim.ops.reduce import whole_labels
from scisim.ops.select import eq, ge, gt, le, logical_and, logical_not, logical_or, lt, where
from scisim.ops.shape import reshape, shift_axes


# --- the derivative of a norm whose value is known ----------------------------------------------------------------
def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    ((labels,), _), rank = whole_labels(shapes[:1], p), len(shapes[0])
    kept = tuple(None if k in p["axes"] else k for k in range(rank))
    return [labels, kept], kept


def _infer(avals: tuple, p: dict) -> ShapeDtype:
    return avals[1]


def _slope(y: Any, args: Sequence[Any], tangents: Sequence[Any], p: float, axes: tuple[int, ...]) -> Any:
    """The sum of (x / y)^(p-1) dx; for complex numbers, of the parts of x times the modulus to the power of p - 2."""
    x, dx = args[0], tangents[0]
    if dx is None:
        return None
    parts = [(real(x), real(dx)), (imag(x), imag(dx))] if is_complex(x) else [(x, dx)]
    zero = eq(y, 0)
    # At 0 the convention, with a derivative that nobody knows.
    ratios = [pin(a / where(zero, math.nan, y), where(zero, 0.0, a / where(zero, 1.0, y))) for a, _ in parts]
    if is_complex(x):
        size = square(ratios[0]) + square(ratios[1])
        slopes = ratios if p == 2 else [r * power(size, int(p) // 2 - 1) for r in ratios]
    else:
        slopes = [ratios[0] if p == 2 else power(ratios[0], int(p) - 1 if p % 1 == 0 else p - 1.0)]
    terms = [s * d for s, (_, d) in zip(slopes, parts, strict=True)]
    return sum_of(terms[0] if len(terms) == 1 else terms[0] + terms[1], axes, True)


# The second operand, a norm of order p of the first along axes that it keeps with length one; with the derivative of
# the norm.  The first is real, and not negative unless p is an even number, or complex and p an even number.
norm_p = Primitive(
    "norm",
    lambda x, n, p, axes: n,
    axes=Axes(_labels, shift_axes),
    infer=_infer,
    jvp=_slope,
    taylor=lambda t, a, y, p, axes: t.norm(a[0], y, p, axes),
    singular="0 at the origin, where the second derivative is nan",
)


def powers(x: Any, p: float, axes: tuple[int, ...]) -> Any:
    """The norm of which `norm_p` has the derivative, by powers."""
    if p % 2 == 0:
        total = square(real(x)) + square(imag(x)) if is_complex(x) else square(x)
        total = total if p == 2 else power(total, int(p) // 2)
    else:
        total = power(x, p)
    return power(sum_of(total, axes, True), 1.0 / p)


# --- norms ---------------------------------------------------------------------------------------------------------
def scaled(f: Callable, x: Any, axes: tuple[int, ...], keepdims: bool, p: float = 2.0, factor: float = 1.0) -> Any:
    """A multiple of a norm of order p, right for numbers of every size.

    Parameters
    ----------
    f : callable
        ``f(x, divisor)``: that of ``x / divisor`` along ``axes``, by powers; that of ``x`` where it is None.
    x : value
        As `norm_p` takes it.
    axes, keepdims
        What is reduced.
    p, factor : float
        The result is ``factor`` times the norm of order p.
    """
    y = f(x, None)
    below = stop(x) if isinstance(x, Traced) else x
    derived = isinstance(x, Traced) and not (isinstance(below, Traced) and below.trace is x.trace)
    if 0 in shape(x) or not is_outside(y, *(_of_derivatives if derived else of_values)(dtype_of(y), p)):
        return y
    if derived:
        v = scaled(f, below, axes, keepdims, p, factor)
        n = reshape(v if factor == 1.0 else v / factor, _kept(x, axes))
        out = reshape(norm_p(x, n, p=p, axes=axes), shape(y))
        return out if factor == 1.0 else pin(out * factor, v)

    def of_ratios(x: Any, y: Any) -> tuple:
        greatest = max_of(absolute(x), axes, True)
        divisor = where(_is_far(greatest, *_of_derivatives(dtype_of(y), p)), greatest, 1.0)
        return (f(x, divisor) * (divisor if keepdims else reshape(divisor, shape(y))),)

    return choose(_outside(y, *of_values(dtype_of(y), p)), of_ratios, lambda x, y: (y,), below, y)[0]


def _kept(x: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(1 if k in axes else n for k, n in enumerate(shape(x)))


@functools.cache
def of_values(dtype: Any, p: float) -> tuple[float, float]:
    """The least and the greatest norm whose powers are normal numbers, also those of elements that count beside it."""
    info = np.finfo(dtype)
    tiny, huge = float(info.smallest_normal) / float(info.eps) ** 2, float(info.max)
    return (tiny ** (1.0 / p), huge) if p > 0 else (huge ** (1.0 / p), huge)


@functools.cache
def _of_derivatives(dtype: Any, p: float) -> tuple[float, float]:
    """A narrower range, in which derivatives up to the fourth order do not overflow on their way either."""
    far = float(np.finfo(dtype).max) ** (0.25 / max(abs(p), 1.0))
    return 1.0 / far, far


def is_outside(y: Any, least: float, greatest: float) -> bool:
    """Whether a norm is outside of a range, or nobody knows."""
    v = y
    while isinstance(v, Traced) and v.lower is not None:
        v = v.lower
    if isinstance(v, Traced):
        return holds(_outside(v, least, greatest)) is not False
    if v.ndim == 0:
        return not least <= v <= greatest
    if v.ndim == 1 and 0 < v.size <= 24:  # Python is quicker; nan stays what it is
        numbers = v.tolist()
        return not (least <= min(numbers) and max(numbers) <= greatest)
    return v.size > 0 and not (np.minimum.reduce(v, None) >= least and np.maximum.reduce(v, None) <= greatest)


def outside(y: Any, p: float) -> Any:
    """Where a norm of order p is so large or small that derivatives by its powers may leave the range."""
    return _outside(y, *_of_derivatives(dtype_of(y), p))


def _outside(y: Any, least: float, greatest: float) -> Any:
    return logical_not(logical_and(ge(y, least), le(y, greatest)))


def _is_far(m: Any, least: float, greatest: float) -> Any:
    """Where a modulus is outside of a range, but neither 0 nor infinite."""
    return logical_or(logical_and(gt(m, 0.0), lt(m, least)), logical_and(gt(m, greatest), lt(m, math.inf)))
