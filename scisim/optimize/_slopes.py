"""Derivatives that users give, as functions of a vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.values import name_of, shape
from scisim.ops.shape import reshape
from scisim.optimize._layout import Layout, vector_function, with_args

_OURS = "leave it out: autodiff gives it exactly"


def _refuse(who: str, name: str, given: Any) -> Exception:
    if isinstance(given, str):
        return ArgumentError(f"{who}: {name} is {given!r}; there are no differences here, {_OURS}, or give a function")
    return ArgumentTypeError(f"{who}: {name} is {type(given).__name__} {given!r:.40}; {_OURS}, or give a function")


def slope_function(who: str, fun: Callable, jac: Any, args: Any, layout: Layout) -> Callable | None:
    """The gradient that a user gives, or None."""
    if jac is None or jac is False:
        return None
    if jac is True:

        def second(x: Any) -> Any:
            return fun(x)[1]

        second.__name__ = f"the gradient of {name_of(fun)}"
        return vector_function(who, second, layout, "the gradient", layout.size)
    if not callable(jac):
        raise _refuse(who, "jac", jac)
    return vector_function(who, with_args(who, "jac", jac, args), layout, "jac", layout.size)


def matrix_function(who: str, name: str, f: Any, args: Any, layout: Layout, rows: int | None) -> Callable | None:
    """A Jacobian or Hessian that a user gives as an array of shape output + input, as a function to a matrix."""
    if f is None:
        return None
    if not callable(f):
        raise _refuse(who, name, f)
    if len(layout.shapes) > 1 or layout.dtypes[0].kind == "c":
        raise ArgumentError(f"{who}: {name} is for one real array x; for containers and complex numbers {_OURS}")
    flat = vector_function(who, with_args(who, name, f, args), layout, name)

    def value(v: Any) -> Any:
        y = flat(v)
        n, total = layout.size, shape(y)[0]
        m = rows if rows is not None else total // n
        if m * n != total:
            raise ShapeError(
                f"{who}: {name} of {name_of(f)} gives {total} numbers for {n} variables"
                + (f"; expected a matrix of {rows} x {n}" if rows else f"; expected rows of {n}")
            )
        return reshape(y, (m, n))

    value.__name__ = name_of(f)
    return value


def hessian_function(who: str, hess: Any, args: Any, layout: Layout) -> Callable | None:
    return matrix_function(who, "hess", hess, args, layout, layout.size)


def product_function(who: str, hessp: Any, args: Any, layout: Layout) -> Callable | None:
    """From x and a direction as one vector to the product of Hessian and direction."""
    if hessp is None:
        return None
    if not callable(hessp):
        raise _refuse(who, "hessp", hessp)
    n, rest = layout.size, args if isinstance(args, tuple) else (args,)

    def value(both: Any) -> Any:
        p = layout.tree(both[n:])
        flat = vector_function(who, lambda x: hessp(x, p, *rest), layout, "hessp", n)
        return flat(both[:n])

    value.at = ShapeDtype((2 * n,), layout.dtype)  # type: ignore[attr-defined]
    value.__name__ = name_of(hessp)
    return value
