"""Interpolants beside SciPy's: making them, and calling them with few and many queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate as theirs

from scisim import interpolate as ours

RNG = np.random.default_rng(0)
X = np.linspace(0.0, 10.0, 200)
Y = np.sin(X)
P, V = RNG.uniform(0.0, 1.0, (200, 2)), RNG.normal(size=200)
GRID = (np.linspace(0.0, 1.0, 40), np.linspace(0.0, 1.0, 50))
PLANE = RNG.normal(size=(40, 50))
LINES = ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "make_interp_spline", "interp1d")


def queries(n: int) -> np.ndarray:
    return RNG.uniform(0.1, 9.9, n)


def making() -> list[tuple[str, Callable, Callable, tuple]]:
    cases = []
    for name in LINES:
        f, g = getattr(ours, name), getattr(theirs, name)
        cases.append((f"interpolate.{name}, made", lambda x, y, f=f: f(x, y), lambda x, y, g=g: g(x, y), (X, Y)))
    cases.append(("interpolate.RBFInterpolator, made", ours.RBFInterpolator, theirs.RBFInterpolator, (P, V)))
    return [(name, _parts(f), g, arrays) for name, f, g, arrays in cases]


def _parts(f: Callable) -> Callable:
    """What a program can give: the arrays of the interpolant."""
    return lambda *arrays: _array(f(*arrays))


def _array(made: Any) -> Any:
    for name in ("c", "y", "_weights"):
        if hasattr(made, name):
            return getattr(made, name)
    raise AttributeError(f"{type(made).__name__} has no array that is known")


def calling() -> list[tuple[str, Callable, Callable, tuple]]:
    cases: list[tuple[str, Callable, Callable, tuple]] = []
    for name in LINES:
        f, g = getattr(ours, name)(X, Y), getattr(theirs, name)(X, Y)
        for n in (10, 1_000, 100_000):
            cases.append((f"interpolate.{name}, {n}", lambda q, f=f: f(q), g, (queries(n),)))
    for method in ("linear", "nearest", "cubic"):
        f, g = ours.RegularGridInterpolator(GRID, PLANE, method), theirs.RegularGridInterpolator(GRID, PLANE, method)
        for n in (10, 10_000):
            q = RNG.uniform(0.1, 0.9, (n, 2))
            cases.append((f"interpolate.RegularGridInterpolator {method}, {n}", lambda q, f=f: f(q), g, (q,)))
    nodes = np.cos(np.pi * (np.arange(20) + 0.5) / 20)
    b, c = ours.BarycentricInterpolator(nodes, nodes**3), theirs.BarycentricInterpolator(nodes, nodes**3)
    cases.append(("interpolate.BarycentricInterpolator, 1000", lambda q: b(q), c, (RNG.uniform(-1, 1, 1000),)))
    r, s = ours.RBFInterpolator(P, V), theirs.RBFInterpolator(P, V)
    cases.append(("interpolate.RBFInterpolator, 1000", lambda q: r(q), s, (RNG.uniform(0, 1, (1000, 2)),)))
    t, u = ours.LinearNDInterpolator(P, V), theirs.LinearNDInterpolator(P, V)
    cases.append(("interpolate.LinearNDInterpolator, 1000", lambda q: t(q), u, (RNG.uniform(0.2, 0.8, (1000, 2)),)))
    return cases


CASES = [*making(), *calling()]
