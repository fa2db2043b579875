"""Integrals of functions known at points only; they differentiate in the values and in the points."""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.ops.creation import asarray
from scisim.ops.reduce import cumulative_sum


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """Integral of sampled values by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Values at the points, which run along `axis`; real or complex.
    x : array_like, optional
        The points: a vector as long as `y` along `axis`, or an array of the shape of `y`.
    dx : float or array_like
        Distance between neighbouring points where `x` is not given.
    axis : int
        The axis to integrate over.

    Returns
    -------
    Tensor
        The integral, of the shape of `y` without `axis`; 0 for a single point.

    Raises
    ------
    ShapeError
        `y` has no axis, or `x` does not fit it.
    ArgumentError
        `y` has no such axis.

    Notes
    -----
    Exact for functions that are linear between the points; the error is O(h^2) for smooth ones.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.trapezoid([0.0, 1.0, 4.0], x=[0.0, 1.0, 2.0])
    Tensor(3.)
    >>> integrate.trapezoid([[1.0, 1.0], [3.0, 3.0]], dx=0.5, axis=0)
    Tensor([1., 1.])
    """
    panels, axis = _panels("integrate.trapezoid", y, x, dx, axis)
    return panels.sum(axis=axis)


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """Running integral of sampled values by the trapezoidal rule, from the first point to each later one.

    Parameters
    ----------
    y : array_like
        Values at the points, which run along `axis`; real or complex.
    x : array_like, optional
        The points: a vector as long as `y` along `axis`, or an array of the shape of `y`.
    dx : float or array_like
        Distance between neighbouring points where `x` is not given.
    axis : int
        The axis to integrate over.

    Returns
    -------
    Tensor
        The integrals; along `axis` one fewer than `y` has values.

    Raises
    ------
    ShapeError, ArgumentError
        As for `trapezoid`.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.cumulative_trapezoid([0.0, 1.0, 4.0])
    Tensor([0.5, 3. ])
    """
    panels, axis = _panels("integrate.cumulative_trapezoid", y, x, dx, axis)
    return wrap(cumulative_sum(unwrap(panels), axis=axis))


def _panels(function: str, y: Any, x: Any, dx: Any, axis: int) -> tuple[Tensor, int]:
    """The area between each two neighbouring points, and the axis counted from the front."""
    y = asarray(y)
    if y.ndim == 0:
        raise ShapeError(f"{function}: y is a single number; give values at points, along an axis")
    if not -y.ndim <= axis < y.ndim:
        raise ArgumentError(
            f"{function}: axis={axis}, but y has shape {y.shape}; give one from {-y.ndim} to {y.ndim - 1}"
        )
    axis %= y.ndim
    widths = dx if x is None else _widths(function, asarray(x), y.shape, axis)
    return _part(y, axis, 1, None) * (0.5 * widths) + _part(y, axis, 0, -1) * (0.5 * widths), axis


def _widths(function: str, x: Tensor, shape: tuple[int, ...], axis: int) -> Tensor:
    if x.shape == (shape[axis],):
        return (x[1:] - x[:-1]).reshape((-1,) + (1,) * (len(shape) - axis - 1))
    if x.shape == shape:
        return _part(x, axis, 1, None) - _part(x, axis, 0, -1)
    raise ShapeError(
        f"{function}: x has shape {x.shape}; for y of shape {shape} along axis {axis} it should be "
        f"{(shape[axis],)}, or the shape of y"
    )


def _part(a: Tensor, axis: int, start: int, stop: int | None) -> Tensor:
    return a[(slice(None),) * axis + (slice(start, stop),)]
