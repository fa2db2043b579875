"""Piecewise linear interpolation; it differentiates in the points, the positions and the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, number_or_value, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, is_inexact, shape
from scisim.ops.index import gather_p, slice_axis
from scisim.ops.select import eq, gt, logical_and, lt, maximum, minimum, remainder, where
from scisim.ops.shape import astype, concat_p, reshape
from scisim.ops.sorting import argsort, searchsorted_p, take_along_axis


def _interp(x: Any, xp: Any, fp: Any) -> np.ndarray:
    to = np.result_type(x, fp) if fp.dtype.kind != "c" else np.result_type(fp, x)
    lead = xp.shape[:-1]
    if not lead:
        return np.interp(x, xp, fp).astype(to, copy=False)
    rows = [np.interp(x[i], xp[i], fp[i]) for i in np.ndindex(lead)]
    return np.reshape(rows, x.shape).astype(to, copy=False)


def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[1]) - 1))
    return [(*lead, "x"), (*lead, None), (*lead, None)], (*lead, "x")


def _batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    x, xp, fp = vals
    if not (mapped[1] or mapped[2]) and len(shape(xp)) == 1:  # one table for all
        return reshape(prim(reshape(x, (-1,)), xp, fp), shape(x))
    return prim(*(v if m else trace.spread(v) for v, m in zip(vals, mapped, strict=True)))


def _tangent(side: str, args: list, tangents: list) -> Any:
    """The derivative with the interval to the left or to the right of a point that is a knot."""
    x, xp, fp = args
    dx, dxp, dfp = tangents
    n = shape(xp)[-1]
    at = searchsorted_p(xp, x, side=side)
    below, above = lt(at, 1), logical_and(gt(at, n - 1), eq(x, x))  # a nan stays one
    left, right = maximum(at - 1, 0), minimum(at, n - 1)
    pick = lambda v, i: take_along_axis(v, i, -1)
    outside = where(below, True, above)
    h = where(outside, 1.0, pick(xp, right) - pick(xp, left))
    u = where(outside, 0.0, (x - pick(xp, left)) / h)
    total = None
    if dfp is not None:
        total = pick(dfp, left) + (pick(dfp, right) - pick(dfp, left)) * u
    speed = dx
    if dxp is not None:
        knots = pick(dxp, left) + (pick(dxp, right) - pick(dxp, left)) * u
        speed = -knots if dx is None else dx - knots
    if speed is not None:
        slope = where(outside, 0.0, (pick(fp, right) - pick(fp, left)) / h)
        total = slope * speed if total is None else total + slope * speed
    return total


def _jvp(y: Any, args: list, tangents: list) -> Any:
    if all(t is None for t in tangents):
        return None
    return 0.5 * (_tangent("left", args, tangents) + _tangent("right", args, tangents))


def _infer(avals: tuple, p: dict) -> ShapeDtype:
    return ShapeDtype(avals[0].shape, np.result_type(avals[0].dtype, avals[2].dtype))


# Points (..., m) in tables (..., n), constant beyond the ends.
interp_p = Primitive(
    "interp",
    _interp,
    axes=Axes(_labels),
    infer=_infer,
    jvp=_jvp,
    batch=_batch,
    convention="at a knot the mean of the slopes on both sides",
    singular="only the values around a point get through",
)


def _checked(x: Any, xp: Any, fp: Any) -> tuple[Any, Any, Any]:
    x, xp, fp = as_argument(x), as_argument(xp), as_argument(fp)
    if len(shape(xp)) != 1 or shape(fp) != shape(xp) or not shape(xp)[0]:
        raise ShapeError(
            f"interp: xp and fp have shapes {shape(xp)} and {shape(fp)}; expected two vectors of one length, not empty"
        )
    if is_complex(x) or is_complex(xp):
        raise DTypeError("interp: points are real; complex ones have no order. Values fp may be complex")
    x, xp, fp = (v if is_inexact(v) else astype(v, np.float64) for v in (x, xp, fp))
    to = np.result_type(dtype_of(x), dtype_of(xp), real_of(dtype_of(fp)))
    return x, xp, astype(fp, np.result_type(to, np.complex64) if is_complex(fp) else to)


def real_of(dt: np.dtype) -> np.dtype:
    """The dtype of the parts of numbers."""
    return np.zeros((), dt).real.dtype


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Piecewise linear interpolation of values known at points.

    Parameters
    ----------
    x : array_like
        Where the function is wanted; real, of any shape.
    xp : array_like
        A vector of points in ascending order (in any order with ``period``).
    fp : array_like
        The values at these points, real or complex.
    left, right : array_like, optional
        Values below the first and above the last point; by default those at the first and last point.
    period : float, optional
        Of the function: points are taken modulo it, and ``left`` and ``right`` are ignored.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        When the points and values are no vectors of one length, or empty.
    DTypeError
        For complex points.
    ArgumentError
        For a period of 0.

    Notes
    -----
    Convention: at a knot the derivative in ``x`` is the mean of the slopes on both sides, 0 being that beyond the
    ends; so ``interp(x, [0, 1], [0, 1])`` differentiates as ``clip(x, 0, 1)``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.interp([0.5, 3.0], [0.0, 1.0, 2.0], [0.0, 10.0, 40.0])
    Tensor([ 5., 40.])
    """
    x, xp, fp = _checked(x, xp, fp)
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    y = reshape(interp_p(reshape(x, (-1,)), xp, fp), shape(x))
    if left is not None:
        y = where(lt(x, xp[0]), number_or_value(left), y)
    return y if right is None else where(gt(x, xp[shape(xp)[0] - 1]), number_or_value(right), y)


def _periodic(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    if isinstance(period, (int, float)) and not period:
        raise ArgumentError("interp: the period is 0; give a positive one, or None")
    x, xp = remainder(x, period), remainder(xp, period)
    order = argsort(xp)
    xp, fp = gather_p(xp, order), gather_p(fp, order)
    n = shape(xp)[0]
    xp = concat_p(slice_axis(xp, 0, n - 1, n) - period, xp, slice_axis(xp, 0, 0, 1) + period, axis=0)
    return x, xp, concat_p(slice_axis(fp, 0, n - 1, n), fp, slice_axis(fp, 0, 0, 1), axis=0)


public("interp", interp)
