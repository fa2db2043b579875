"""Derivatives in a complex variable: Wirtinger's pair, and the one of a holomorphic function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.forward import jvp
from scisim.complex._holomorphy import Holomorphy
from scisim.core import pytree
from scisim.core.errors import DTypeError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import check_function, dtype, inexact, name_of, shape
from scisim.ops.creation import asarray
from scisim.ops.shape import astype


def _point(who: str, z: Any) -> Tensor:
    """The argument as complex numbers."""
    v = asarray(z, copy=False)._v
    if not inexact(dtype(v)) and dtype(v).kind not in "iu":
        raise DTypeError(f"{who}: z has dtype {dtype(v)}; pass complex numbers")
    return wrap(astype(v, np.result_type(dtype(v), np.complex64)))


def _direction(z: Tensor, unit: complex) -> Tensor:
    return wrap(np.broadcast_to(np.asarray(unit, z.dtype), z.shape))


def _elementwise(who: str, f: Callable, z: Tensor, tree: Any) -> None:
    for y in pytree.tree_leaves(tree):
        if shape(y) != z.shape:
            raise ShapeError(
                f"{who}: {name_of(f)} must act elementwise, but takes shape {z.shape} to {shape(y)}; "
                f"use autodiff.grad for sums, autodiff.jacobian for other functions"
            )


def wirtinger(f: Callable) -> Callable:
    """Both Wirtinger derivatives of a function that acts elementwise on complex numbers.

    Parameters
    ----------
    f : callable
        ``f(z, *args)`` with results of the shape of z.

    Returns
    -------
    callable
        ``g(z, *args) -> (df/dz, df/dz*)``: with z = x + i y, (f_x - i f_y) / 2 and (f_x + i f_y) / 2.  The second is 0
        where f is holomorphic; for a real f the steepest ascent is along twice the second, as autodiff.grad
        has it.

    Raises
    ------
    ShapeError
        When f changes the shape, and so does not act elementwise.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> sc.wirtinger(lambda z: z * ss.conj(z))(1.0 + 2.0j)
    (Tensor(1.-2.j), Tensor(1.+2.j))
    """

    check_function("wirtinger", f)

    def derivatives(z: Any, *args: Any) -> tuple[Any, Any]:
        point = _point("wirtinger", z)

        def along(unit: complex) -> Any:
            y, dy = jvp(lambda w: f(w, *args), (point,), (_direction(point, unit),))
            _elementwise("wirtinger", f, point, y)
            return dy

        fx, fy = along(1.0), along(1.0j)
        return (
            pytree.tree_map(lambda a, b: (a - 1j * b) * 0.5, fx, fy),
            pytree.tree_map(lambda a, b: (a + 1j * b) * 0.5, fx, fy),
        )

    derivatives.__name__ = f"wirtinger_{name_of(f)}"
    return derivatives


def holomorphic(f: Callable) -> Callable:
    """The complex derivative f'(z) of a holomorphic function that acts elementwise.

    Parameters
    ----------
    f : callable
        ``f(z, *args)`` with results of the shape of z.

    Returns
    -------
    callable
        ``g(z, *args)``, of the structure and shape of the result of ``f``.

    Raises
    ------
    DerivativeError
        When an operation on values that depend on z is not holomorphic (conj, real, imag, abs, angle, ...);
        it is named. Rules given with custom_jvp or custom_vjp are trusted.
    ShapeError
        When f changes the shape, and so does not act elementwise.

    Examples
    --------
    >>> from scisim import complex as sc
    >>> sc.holomorphic(lambda z: z**2)(1.0 + 1.0j)
    Tensor(2.+2.j)
    """

    check_function("holomorphic", f)

    def derivative(z: Any, *args: Any) -> Any:
        point = _point("holomorphic", z)

        def checked(w: Tensor) -> Any:
            with Holomorphy(f) as trace:
                out = f(wrap(trace.wrap(w._v)), *args)
                return pytree.tree_map(lambda y: wrap(trace.result(asarray(y, copy=False)._v)), out)

        y, dy = jvp(checked, (point,), (_direction(point, 1.0),))
        _elementwise("holomorphic", f, point, y)
        return dy

    derivative.__name__ = f"holomorphic_{name_of(f)}"
    return derivative
