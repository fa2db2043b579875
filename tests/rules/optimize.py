"""Rows for minima, roots, least squares and fixed points: solutions as functions of what their equations depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim import optimize
from tests.rules.cases import Case, array, primitive


def of(
    name: str, call: Callable, *operands: Any, tag: str = "", order: int = 4, shows: tuple[str, ...] = (), **more: Any
) -> Case:
    """A row of a function; ``shows`` names the classes that it uses besides."""
    arrays = tuple(np.asarray(x) for x in operands)
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    return Case(
        f"optimize.{name}{tag and ' ' + tag}{kind}",
        tuple(f"fn:optimize.{n}" for n in (name, *shows)),
        call,
        arrays,
        order=order,
        **more,
    )


# --- roots -----------------------------------------------------------------------------------------------------------
def system(x: Any, a: Any, b: Any) -> Any:
    """Coupled equations with one root."""
    return 2.0 * x + 0.1 * x * x * x + 0.3 * ss.roll(x, 1) - a - b


def root_of(method: str) -> Callable:
    def solve(a: Any, b: Any) -> Any:
        return optimize.root(system, ss.zeros_like(a), args=(a, b), method=method, tol=1e-15).x

    return solve


def roots() -> list[Case]:
    a, b = array(3), np.asarray(0.3)
    return [
        of("root", root_of("hybr"), a, b, tag="hybr"),
        of("root", root_of("hybr"), array(2, kind="c"), array(2, seed=1, kind="c"), tag="hybr"),
        of(
            "root",
            lambda a: optimize.root(lambda x: x * x + a * x - 2.0, ss.ones_like(a), tol=1e-15).x,
            0.7,
            tag="of a number",
        ),
    ]


def kepler(method: str) -> Callable:
    def solve(m: Any, e: Any) -> Any:
        where = {"bracket": (ss.zeros_like(m) - 1.0, ss.zeros_like(m) + 4.0)}
        return optimize.root_scalar(lambda x: x - e * ss.sin(x) - m, method=method, xtol=1e-15, **where).root

    return solve


def scalar_roots() -> list[Case]:
    m, e = array(3, kind="p"), np.asarray(0.3)
    rows = [of("root_scalar", kepler("brentq"), m, e, tag="brentq")]
    square = lambda a: optimize.root_scalar(lambda z: z * z - a, x0=ss.ones_like(a), xtol=1e-15).root
    return [
        *rows,
        of("root_scalar", square, array(2, kind="c")),
        of("root_scalar", square, np.zeros((0,)), tag="of none"),
        of("root_scalar", kepler("brentq"), 0.8, e, tag="of a number", shows=("RootResults",)),
    ]


def fixed_points() -> list[Case]:
    def solve(method: str) -> Callable:
        f = lambda x, a: 0.3 * a * ss.cos(x) + 0.1 * ss.sum(x)
        return lambda a, b: optimize.fixed_point(f, ss.zeros_like(a) + 0.5, (a + b,), xtol=1e-15, method=method)

    a, b = array(3), np.asarray(0.3)
    one = lambda a: optimize.fixed_point(
        lambda x: 0.5 * ss.cos(x) + a, 0.5 * ss.ones_like(a), xtol=1e-15, method="iteration"
    )
    return [
        *(of("fixed_point", solve(k), a, b, tag=k) for k in ("del2", "anderson")),
        of("fixed_point", one, 0.4, tag="of a number"),
        of("fixed_point", solve("iteration"), array(2, kind="c"), b, tag="iteration"),
    ]


# --- minima ----------------------------------------------------------------------------------------------------------
def valley(x: Any, a: Any, b: Any) -> Any:
    """Strictly convex, coupled."""
    d = x - a
    return ss.sum(ss.real(d * ss.conj(d))) + 0.1 * ss.real(ss.sum(x)) ** 4 + b * ss.sum(ss.real(x))


def minimum(method: str, **options: Any) -> Callable:
    def solve(a: Any, b: Any) -> Any:
        return optimize.minimize(valley, ss.zeros_like(a), args=(a, b), method=method, options=options).x

    return solve


def joined(f: Callable) -> Callable:
    """A function of two operands as one of a vector: programs of long loops take a while to make."""
    return lambda v: f(v[:-1], v[-1])


LIMITS = ("LinearConstraint", "NonlinearConstraint")


def minima() -> list[Case]:
    a, b = array(3), np.asarray(0.3)
    ab = np.append(a, b)

    def bounded(a: Any, b: Any) -> Any:
        bounds = optimize.Bounds(ss.stack([-2.0, b, -2.0]), 2.0)
        tight = {"gtol": 1e-14, "ftol": 0.0, "maxcor": 2}
        return optimize.minimize(valley, ss.zeros_like(a), (a, b), bounds=bounds, options=tight).x

    def constrained(a: Any, b: Any) -> Any:
        limits = [
            optimize.LinearConstraint([[1.0, 2.0, 0.0]], 0.3, 0.3),
            optimize.NonlinearConstraint(lambda x: 1.0 + b - ss.sum(x * x), 0.0),
        ]
        r = optimize.minimize(lambda x: ss.sum((x - 2.0 * a) ** 2), ss.zeros_like(a), constraints=limits, tol=1e-15)
        return r.x

    return [
        of("minimize", joined(minimum("BFGS", gtol=1e-14)), ab, tag="BFGS"),
        of("minimize", bounded, a, b, tag="L-BFGS-B", shows=("Bounds", "OptimizeResult")),
        of("minimize", joined(constrained), np.append(array(3, kind="p", seed=3), 0.3), tag="SLSQP", shows=LIMITS),
        of("minimize", minimum("trust-exact", gtol=1e-14), array(2, kind="c"), b, tag="trust-exact"),
    ]


def scalar_minima() -> list[Case]:
    def solve(ends: str) -> Callable:
        def lowest(a: Any, b: Any) -> Any:
            where = {ends: (ss.zeros_like(b) - 1.0, ss.zeros_like(b) + 3.0)}
            return optimize.minimize_scalar(lambda x: b * ss.exp(x) - ss.sum(a) * x, tol=1e-14, **where).x

        return lowest

    a, b = array(2, kind="p"), np.asarray(0.7)
    return [
        of("minimize_scalar", solve("bounds"), a, b, tag="bounded"),
    ]


def searches() -> list[Case]:
    def search(x: Any, a: Any) -> Any:
        found = optimize.line_search(lambda x: ss.sum(a * x * x), None, x, -0.5 * ss.sign(x))
        return found[0], found[3], found[5]

    return [of("line_search", search, array(3), 0.7)]


# --- fits ------------------------------------------------------------------------------------------------------------
T = np.linspace(0.0, 2.0, 7)
Y = 1.7 * np.exp(-0.9 * T) + 0.05 * np.sin(9 * T)


def decay(p: Any, y: Any, c: Any) -> Any:
    return p[0] * ss.exp(-p[1] * ss.asarray(T, dtype=y.dtype)) + c - y


def fits() -> list[Case]:
    def fit(**more: Any) -> Callable:
        def solve(y: Any, c: Any) -> Any:
            tight = {"ftol": None, "xtol": 1e-15, "gtol": None, "max_nfev": 400}
            return optimize.least_squares(decay, ss.ones(2, dtype=y.dtype), args=(y, c), **tight, **more).x

        return solve

    def curve(y: Any, s: Any) -> Any:
        model = lambda t, a, b: a * ss.exp(-b * t)
        t = ss.asarray(T, dtype=y.dtype)
        return optimize.curve_fit(model, t, y, ss.ones(2, dtype=y.dtype), s, True, ftol=None, xtol=1e-15, gtol=None)

    c = np.asarray(0.1)
    return [
        of("least_squares", joined(fit(loss="soft_l1", f_scale=0.1)), np.append(Y, c), tag="soft loss"),
        of("least_squares", fit(bounds=(0.0, [5.0, 0.8])), Y, c, tag="at a bound"),
        of("curve_fit", curve, Y, 0.9),
    ]


# --- the small problems of single steps -------------------------------------------------------------------------------
def steps() -> list[Case]:
    m, v = array(3, 3) + 3 * np.eye(3), array(3, seed=1)
    free = np.asarray([True, False, True])
    qp = (m @ m.T, v, array(2, 3, seed=2), array(2, seed=3), np.full(3, -5.0), np.full(3, 5.0))
    return [
        primitive("optimize.trust_step", m, v, np.asarray(0.1)),
        primitive("optimize.dogleg_step", m, v, np.ones(3), np.asarray(0.1)),
        primitive("optimize.damped_step", array(4, 3), array(4), np.ones(3), free, np.asarray(0.1)),
        primitive("optimize.least", array(4, 3), array(4)),
        primitive("optimize.qp_step", *qp, params={"equalities": 1}),
    ]


ROWS = [
    *roots(), *scalar_roots(), *fixed_points(), *minima(), *scalar_minima(), *searches(), *fits(), *steps(),
]  # fmt: skip

KINDS = ("complex", "empty", "0-d", "broadcast")
_REAL = "real by definition"
_NONE = "a problem has at least one unknown"
EXEMPT: dict[str, dict[str, str]] = {
    "fn:optimize.root": {"empty": _NONE},
    "fn:optimize.fixed_point": {"empty": _NONE},
    "fn:optimize.minimize": {"empty": _NONE},
    "fn:optimize.minimize_scalar": {"empty": _NONE, "complex": _REAL},
    "fn:optimize.line_search": {"empty": _NONE, "complex": _REAL},
    "fn:optimize.least_squares": {"empty": _NONE, "complex": "residuals are real; complex unknowns are tested apart"},
    "fn:optimize.curve_fit": {"empty": _NONE, "complex": _REAL},
    **{f"fn:optimize.{n}": dict.fromkeys(KINDS, "see minimize") for n in ("Bounds", "OptimizeResult", *LIMITS)},
    "fn:optimize.RootResults": dict.fromkeys(KINDS, "see root_scalar"),
}
