"""Rows for interpolation: each class made and called in one function of knots, data and queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim import interpolate as ip
from tests.rules.cases import Case, array, primitive

X = np.array([0.0, 0.7, 1.5, 2.6, 3.1])
Y = array(5)
Q = np.array([0.4, 1.0, 2.9])
P = np.array([[0.1, 0.2], [0.9, 0.15], [0.85, 1.0], [0.2, 0.8], [0.5, 0.45]])
INSIDE = np.array([[0.4, 0.6], [0.72, 0.36]])


def up(x: Any) -> Any:
    """Knots in ascending order, whichever way they come."""
    return ss.sort(x)


def ends(x: Any) -> list:
    """Knots of a spline with those at the ends repeated."""
    return [ss.repeat(x[:1], 3), x, ss.repeat(x[-1:], 3)]


CALLS: dict[str, Callable] = {
    "CubicSpline": lambda x, y, q: ip.CubicSpline(up(x), y)(q),
    "CubicHermiteSpline": lambda x, y, q: ip.CubicHermiteSpline(up(x), y, 0.5 * y)(q),
    "PchipInterpolator": lambda x, y, q: ip.PchipInterpolator(up(x), y)(q),
    "Akima1DInterpolator": lambda x, y, q: ip.Akima1DInterpolator(up(x), y)(q),
    "PPoly": lambda x, y, q: ip.PPoly(ss.stack([y[:-1], y[1:], y[:-1]]), up(x)).antiderivative()(q),
    "BSpline": lambda x, y, q: ip.BSpline(ss.concat(ends(up(x))), ss.concat([y, y[:2]]), 3).derivative()(q),
    "make_interp_spline": lambda x, y, q: ip.make_interp_spline(up(x), y)(q),
    "BarycentricInterpolator": lambda x, y, q: ip.BarycentricInterpolator(x, y)(q),
    "KroghInterpolator": lambda x, y, q: ip.KroghInterpolator(x, y)(q),
    "lagrange": lambda x, y, q: ip.lagrange(x, y)(q),
    "interp1d": lambda x, y, q: ip.interp1d(up(x), y, "cubic", assume_sorted=True)(q),
    "RegularGridInterpolator": lambda x, y, q: ip.RegularGridInterpolator((up(x), up(x)), y[:, None] * y, "cubic")(
        ss.stack([q, q], -1)
    ),
}
PLAIN: dict[str, Callable] = {  # a simpler form of the costly ones
    "RegularGridInterpolator": lambda x, y, q: ip.RegularGridInterpolator((up(x), up(x)), y[:, None] * y)(
        ss.stack([q, q], -1)
    ),
}
REAL = ("PchipInterpolator", "Akima1DInterpolator")
MORE: dict[str, tuple[str, Callable]] = {
    "natural": ("CubicSpline", lambda x, y, q: ip.CubicSpline(up(x), y, bc_type="natural")(q, 1)),
    "with slopes": ("CubicSpline", lambda x, y, q: ip.CubicSpline(up(x), y, bc_type=((1, y[0]), (2, 0.3)))(q)),
    "periodic": ("CubicSpline", lambda x, y, q: ip.CubicSpline(up(x), ss.concat([y, y[:1]])[1:], bc_type="clamped")(q)),
    "integrated": ("CubicSpline", lambda x, y, q: ip.CubicSpline(up(x), y).integrate(q[0], q)),
    "modified": ("Akima1DInterpolator", lambda x, y, q: ip.Akima1DInterpolator(up(x), y, method="makima")(q)),
    "of degree 2": ("make_interp_spline", lambda x, y, q: ip.make_interp_spline(up(x), y, 2)(q)),
    "natural spline": ("make_interp_spline", lambda x, y, q: ip.make_interp_spline(up(x), y, bc_type="natural")(q)),
    "linear": ("interp1d", lambda x, y, q: ip.interp1d(up(x), y, assume_sorted=True)(q)),
    "nearest": ("interp1d", lambda x, y, q: ip.interp1d(up(x), y, "nearest", assume_sorted=True)(q)),
    "linear grid": ("RegularGridInterpolator", PLAIN["RegularGridInterpolator"]),
}


LOOPS = {  # by which they are evaluated
    "PPoly": ("prim:piecewise_polynomial",),
    "BSpline": ("prim:spline",),
    "BarycentricInterpolator": ("prim:lagrange_sums",),
}


def row(name: str, call: Callable, *operands: Any, tag: str = "", order: int = 4, **more: Any) -> Case:
    label = f"interpolate.{name}"
    return Case(
        f"{label}{tag and ' ' + tag}", (f"fn:{label}", *LOOPS.get(name, ())), call, operands, order=order, **more
    )


def edges(call: Callable) -> Callable:
    """At no query and at one without an axis."""
    return lambda x, y, none, one: (call(x, y, none), call(x, y, one))


def lines() -> list[Case]:
    rows = []
    for name, call in CALLS.items():
        values = Y if name in REAL else array(5, kind="c")
        rows += [
            row(name, call, X, Y, Q),
            row(
                name,
                edges(PLAIN.get(name, call)),
                X,
                values,
                np.zeros((0,)),
                np.float64(1.2),
                tag="at nothing and at one",
            ),
        ]
    rows += [row(name, call, X, Y, Q, tag=tag) for tag, (name, call) in MORE.items()]
    around = lambda x, y, q: ip.CubicSpline(up(x), ss.concat([y, y[:1]]), bc_type="periodic")(q + 3.0)
    return [*rows, row("CubicSpline", around, X, array(4), Q, tag="all round")]


# --- scattered points ------------------------------------------------------------------------------------------------
def rbf(**more: Any) -> Callable:
    return lambda p, v, q: ip.RBFInterpolator(p, v, **more)(q)


SCATTERED: dict[str, Callable] = {
    "RBFInterpolator": rbf(kernel="gaussian", epsilon=1.5, degree=0),
    "LinearNDInterpolator": lambda p, v, q: ip.LinearNDInterpolator(p, v, 0.0)(q),
    "NearestNDInterpolator": lambda p, v, q: ip.NearestNDInterpolator(p, v)(q),
    "griddata": lambda p, v, q: ip.griddata(p, v, q, fill_value=0.0),
}


def scattered() -> list[Case]:
    rows = []
    for name, call in SCATTERED.items():
        both = lambda p, v, q, none, call=call: (call(p, v, q), call(p, v, none))
        rows += [
            row(name, call, P, Y, INSIDE),
            row(name, both, P, array(5, kind="c"), INSIDE, np.zeros((0, 2)), tag="and at nothing"),
        ]
    plates = rbf(kernel="thin_plate_spline", smoothing=0.1)
    near = rbf(kernel="cubic", neighbors=4)
    # No bound of rounding holds through logarithms and roots of distances that are 0.
    return [
        *rows,
        row("RBFInterpolator", plates, P, Y, INSIDE, tag="of plates", concrete=True),
        row("RBFInterpolator", near, P, Y, INSIDE, tag="of neighbours", concrete=True),
        primitive("simplex_corners", P, INSIDE),
        primitive("nearest_points", P, INSIDE, params={"count": 2}),
    ]


ROWS = [*lines(), *scattered()]
EXEMPT = {
    **{f"fn:interpolate.{name}": {"complex": "compares signs or sizes of slopes"} for name in REAL},
    **{f"fn:interpolate.{name}": {"0-d": "queries have an axis of coordinates"} for name in SCATTERED},
}
