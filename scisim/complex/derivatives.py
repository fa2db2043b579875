"""Derivatives of functions that act elementwise: Wirtinger's pair, and the one of a holomorphic function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.autodiff._holomorphy import HolomorphicCall
from scisim.autodiff.calls import lowered
from scisim.autodiff.forward import coefficients
from scisim.autodiff.jacobians import first_orders, tree_of_blocks
from scisim.autodiff.slots import Slots, univariate
from scisim.autodiff.taylor import Taylor
from scisim.complex._calls import call_of, checked, complex_of
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.values import check_function, dtype, inexact, name_of, shape
from scisim.ops.shape import as_integer, astype, several


def series(call: HolomorphicCall, slots: Slots, directions: Sequence[dict | None]) -> list[list]:
    """Coefficients of each result, the directions of each variable given by slot."""
    with Taylor(call.f, slots) as trace, np.errstate(all="ignore"):
        ins = [v if d is None else trace.variable(v, d) for v, d in zip(call.values, directions, strict=True)]
        outs = call(*ins)
        call.aux = lowered(trace, call.aux)
        return [coefficients(trace, o) for o in outs]


def _along(call: HolomorphicCall, slots: Slots, units: Sequence[complex]) -> list[list[list]]:
    """For each variable the coefficients of each result, along the units times ones."""
    made = []
    for k, v in enumerate(call.values):
        directions: list[dict | None] = [None] * len(call.values)
        directions[k] = {n: np.broadcast_to(np.asarray(u, dtype(v)), shape(v)) for n, u in enumerate(units, 1)}
        columns = series(call, slots, directions)
        for cs in columns:
            _elementwise(call, v, cs[0])
        made.append(columns)
    return made


def _elementwise(call: HolomorphicCall, z: Any, y: Any) -> None:
    if not inexact(dtype(y)):
        raise DTypeError(
            f"{call.who}: {name_of(call.f)} returns dtype {dtype(y)}, which has no derivative; return it as "
            f"auxiliary, with has_aux=True"
        )
    if shape(z) and shape(y) != shape(z):
        raise ShapeError(
            f"{call.who}: {name_of(call.f)} must act elementwise, but takes shape {shape(z)} to {shape(y)}; "
            f"use complex.{call.who}_jacobian for functions of whole arrays, autodiff.grad for real sums"
        )


def wirtinger(f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """Both Wirtinger derivatives of a function that acts elementwise on complex numbers.

    Parameters
    ----------
    f : callable
        Its results have the shape of the argument; those of one number may have any shape.
    argnums : int or sequence of int
        Positional arguments that are complex variables; a sequence gives tuples.
    has_aux : bool
        ``f`` returns (value, auxiliary), and the result is ((df/dz, df/dz*), auxiliary).

    Returns
    -------
    callable
        ``g(z, ...) -> (df/dz, df/dz*)``: with z = x + i y, (f_x - i f_y) / 2 and (f_x + i f_y) / 2, each of the
        structure of f's output, and in the place of each of its leaves the structure of the argument.  Real
        arguments and integers are points on the real axis.

    Raises
    ------
    ShapeError
        When f changes the shape, and so does not act elementwise: see `wirtinger_jacobian`.
    DTypeError
        For arguments or results that are neither real nor complex numbers.

    Notes
    -----
    The differential is df = df/dz dz + df/dz* dz*.  The second is 0 where f is holomorphic; for a real f it is the
    conjugate of the first, and the steepest ascent is along twice the second, as autodiff.grad has it.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import complex as sc
    >>> sc.wirtinger(lambda z: z * ss.conj(z))(1.0 + 2.0j)
    (Tensor(1.-2.j), Tensor(1.+2.j))
    """
    check_function("wirtinger", f)
    single = several(argnums) is None

    def derivatives(*args: Any, **kwargs: Any) -> Any:
        call = call_of("wirtinger", f, args, kwargs, argnums, has_aux, False)
        columns = _along(call, first_orders(2), (1.0, 1j))
        pairs = [[halves(*column[k][1:]) for column in columns] for k in range(len(columns[0]))]
        pair = tuple(tree_of_blocks(call, [[p[k] for p in row] for row in pairs], single) for k in (0, 1))
        return (pair, call.aux) if has_aux else pair

    derivatives.__name__ = f"wirtinger_{name_of(f)}"
    return derivatives


def halves(fx: Any, fy: Any) -> tuple[Any, Any]:
    """df/dz and df/dz* from df/dx and df/dy."""
    turned = 1j * fy
    return (fx - turned) * 0.5, (fx + turned) * 0.5


def as_complex(c: Any) -> Any:
    """A derivative as complex numbers: that of a real constant too."""
    return astype(c, complex_of(dtype(c)))


def holomorphic(
    f: Callable,
    n: int = 1,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    check: bool | str = True,
) -> Callable:
    """The n-th complex derivative of a holomorphic function that acts elementwise, by one Taylor series.

    Parameters
    ----------
    f : callable
        Its results have the shape of the argument; those of one number may have any shape.
    n : int
        Order, from 0 to 170.
    argnums : int or sequence of int
        Positional arguments that are complex variables; a sequence gives a tuple of derivatives, one in each.
    has_aux : bool
        ``f`` returns (value, auxiliary), and the result is (derivative, auxiliary).
    check : bool or "strict"
        True refuses operations that are not holomorphic.  "strict" refuses branches on the argument as well, so that
        one formula holds everywhere.  False trusts the function, and gives its derivative along the real axis.

    Returns
    -------
    callable
        ``g(z, ...)``, of the structure and shape of the result of ``f``, and in the place of each of its leaves the
        structure of the argument.  Real arguments and integers are points on the real axis.

    Raises
    ------
    DerivativeError
        When an operation on values that depend on z is not holomorphic (conj, real, imag, abs, angle, ...); it is
        named, with the line it stands on.
    ShapeError
        When f changes the shape, and so does not act elementwise: see `holomorphic_jacobian`.

    Notes
    -----
    What does not depend on z may be conjugated and measured.  Comparisons may look at anything: a function in pieces,
    such as ``where(abs(z) < 1, series(z), formula(z))``, has the derivative of the piece that a point lies in.  Rules
    given with custom_jvp or custom_vjp are held to the same: they must be complex linear.

    Examples
    --------
    >>> from scisim import complex as sc
    >>> sc.holomorphic(lambda z: z**2)(1.0 + 1.0j)
    Tensor(2.+2.j)
    >>> sc.holomorphic(lambda z: z**4, 3)(1.0j)
    Tensor(0.+24.j)
    """
    check_function("holomorphic", f)
    n, check, single = _order(n), checked("holomorphic", check), several(argnums) is None

    def derivative(*args: Any, **kwargs: Any) -> Any:
        call = call_of("holomorphic", f, args, kwargs, argnums, has_aux, check)
        columns = _along(call, univariate(max(n, 1)), (1.0,))
        factor = float(math.factorial(n))
        rows = [[as_complex(c[k][n] if n < 2 else c[k][n] * factor) for c in columns] for k in range(len(columns[0]))]
        tree = tree_of_blocks(call, rows, single)
        return (tree, call.aux) if has_aux else tree

    derivative.__name__ = f"holomorphic_{name_of(f)}"
    return derivative


def _order(n: Any) -> int:
    n = as_integer("holomorphic", "n", n)
    if not 0 <= n <= 170:
        raise ArgumentError(
            f"holomorphic: the order is {n!r}; expected an integer from 0 to 170, beyond which n! leaves float64 "
            f"(complex.taylor gives the coefficient itself)"
        )
    return n
