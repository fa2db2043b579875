"""Series of holomorphic functions: Taylor in complex time, Laurent and residues by sums over circles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff._holomorphy import HolomorphicCall
from scisim.autodiff.forward import _directions
from scisim.autodiff.slots import univariate
from scisim.complex._calls import checked, complex_tree, listed
from scisim.complex.derivatives import series
from scisim.core import pytree
from scisim.core.checks import is_finite, is_integer
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import wrap
from scisim.core.values import check_function, name_of, shape
from scisim.fft.common import check_size
from scisim.fft.transforms import fft
from scisim.ops.creation import asarray
from scisim.ops.shape import as_integer, moveaxis, reshape


def taylor(f: Callable, z: Any, v: Any, order: int, check: bool | str = True) -> list:
    """Taylor coefficients of ``t -> f(z + t v)`` at t = 0 for complex t, of a holomorphic function.

    Parameters
    ----------
    f : callable
        From tensors, or containers of them, to tensors or containers of them.
    z, v : array_like, or tuples of them
        Point and direction, taken as complex numbers; tuples for several arguments; a direction of None is zero.
    order : int
        The highest order, at least 0.
    check : bool or "strict"
        As in `holomorphic`.

    Returns
    -------
    list
        ``[c_0, ..., c_order]``: true coefficients (the k-th derivative is k! c_k), each as ``f`` returns.

    Raises
    ------
    DerivativeError
        When f is not holomorphic: the operation is named, with the line it stands on.

    Notes
    -----
    The sum of c_k t^k converges to f(z + t v) for complex t up to the nearest singular point on the plane of t.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> sc.taylor(ss.log, 1.0j, 1.0, 2)
    [Tensor(0.+1.57079633j), Tensor(0.-1.j), Tensor(0.5+0.j)]
    """
    check_function("taylor", f)
    order, check = as_integer("taylor", "order", order), checked("taylor", check)
    if order < 0:
        raise ArgumentError(f"taylor: order is {order!r}; expected an integer of at least 0")
    if not isinstance(z, tuple):
        z, v = (z,), (v,)
    if not isinstance(v, tuple) or len(v) != len(z):
        got = f"{len(v)} directions" if isinstance(v, tuple) else type(v).__name__
        raise ArgumentError(f"taylor: {len(z)} arguments need a tuple of as many directions, got {got}")
    points = tuple(complex_tree("taylor", x, f"argument {k}") for k, x in enumerate(z))
    call = HolomorphicCall("taylor", f, points, tuple(range(len(points))), False, check=check)
    along = tuple(listed("taylor", d, f"direction {k}") for k, d in enumerate(v))
    directions = _directions("taylor", points, along, call.values)
    columns = series(call, univariate(max(order, 1)), [None if d is None else {1: d} for d in directions])
    return [pytree.tree_of(call.out_spec, [c[k] for c in columns]) for k in range(order + 1)]


def laurent(f: Callable, center: Any, lowest: int, highest: int, *, radius: float = 1.0, points: int = 256) -> list:
    """Laurent coefficients of a function that is holomorphic in a ring, by its values on one circle in it.

    Parameters
    ----------
    f : callable
        Acts elementwise on arrays of complex numbers.
    center : array_like
        Centre of the ring; several of them give as many series.
    lowest, highest : int
        The first and the last power of (z - center).
    radius : float
        Of the circle, within the ring.
    points : int
        On the circle; more than ``highest - lowest``.

    Returns
    -------
    list
        ``[c_lowest, ..., c_highest]``, each a complex tensor of the shape of ``center``.

    Raises
    ------
    ShapeError
        When f does not act elementwise.

    Notes
    -----
    c_k is the mean of f(center + r w) (r w)^-k over the roots of unity w: the trapezoidal rule, whose error falls as
    q^points, where q < 1 is the ratio of the radius to that of the farther singular point (or of the nearer to the
    radius); rounding adds eps max|f| r^-k (L. N. Trefethen, J. A. C. Weideman, SIAM Review 56, 385, 2014).  It
    differentiates in whatever f depends on.  For regular points `taylor` is exact to rounding.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> [round(complex(c).real, 12) for c in sc.laurent(lambda z: ss.exp(z) / z**2, 0.0, -2, 1)]
    [1.0, 1.0, 0.5, 0.166666666667]
    """
    return _laurent("laurent", f, center, lowest, highest, radius, points)


def _laurent(who: str, f: Callable, center: Any, lowest: Any, highest: Any, radius: Any, points: Any) -> list:
    check_function(who, f)
    lowest, highest = as_integer(who, "lowest", lowest), as_integer(who, "highest", highest)
    if not is_integer(points, 1):
        raise ArgumentTypeError(f"{who}: points is {points!r}; expected an integer of at least 1")
    check_size(who, (int(points),))
    if not lowest <= highest < lowest + points:
        raise ArgumentError(
            f"{who}: {points!r} points determine as many powers, and {lowest} to {highest} were asked for; give "
            f"lowest <= highest and more points"
        )
    if not (is_finite(radius) and radius > 0):
        raise ArgumentError(f"{who}: radius is {radius!r}; expected a positive number of Python")
    factors = [_power(who, float(radius), -k) / points for k in range(lowest, highest + 1)]
    values = _on_circle(who, f, center, radius, points)
    spectrum = moveaxis(fft(values), -1, 0)
    return [wrap(spectrum[k % points] * c) for k, c in enumerate(factors, lowest)]


def _power(who: str, radius: float, k: int) -> float:
    try:
        power = radius**k
    except OverflowError:
        power = 0.0
    if power == 0.0:
        raise ArgumentError(
            f"{who}: {radius!r} ** {k}, by which a coefficient is multiplied, leaves float64; take a radius nearer to "
            f"1, or scale the variable"
        )
    return power


def residue(f: Callable, center: Any, *, radius: float = 1.0, points: int = 256) -> Any:
    """The residue of a function at an isolated singular point: c_-1 of `laurent`.

    Parameters
    ----------
    f : callable
        Acts elementwise on arrays of complex numbers.
    center : array_like
        The singular point, or several.
    radius : float
        Of a circle about it that holds no other singular point; without that, the sum of residues within it.
    points : int
        On the circle.

    Returns
    -------
    Tensor
        Complex, of the shape of ``center``.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> abs(complex(sc.residue(lambda z: 1 / ss.sin(z), 0.0)) - 1.0) < 1e-14
    True
    """
    return _laurent("residue", f, center, -1, -1, radius, points)[0]


def _on_circle(who: str, f: Callable, center: Any, radius: float, points: int) -> Any:
    """Values on circles about centres, along a new last axis."""
    try:
        z = complex_tree(who, asarray(center), "center")._v
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{who}: center: {str(error).removeprefix('Tensor: ')}") from None
    circle = radius * np.exp(2j * np.pi * np.arange(points) / points)
    at = reshape(z, (*shape(z), 1)) + circle.astype(z.dtype)
    found, _ = pytree.values(f(wrap(at)), who)
    if len(found) != 1:
        raise ArgumentTypeError(f"{who}: {name_of(f)} must return one array, but returns {len(found)}")
    values = found[0]
    if shape(values) != shape(at):
        raise ShapeError(f"{who}: {name_of(f)} must act elementwise, but takes shape {shape(at)} to {shape(values)}")
    return values
