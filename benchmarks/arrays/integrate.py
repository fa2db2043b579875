"""Integration beside SciPy's, which is given the same functions of NumPy arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate as peer

import scisim as ss
from scisim import integrate

LORENZ = np.array([1.0, 1.0, 1.0])
FIELD = np.sin(np.linspace(0.0, 3.0, 200))
SWING = np.array([1.0, 0.0])
REACTION = np.array([1.0, 0.0, 0.0])
GRID = np.linspace(0.0, 3.0, 1025)
TIGHT = {"rtol": 1e-6, "atol": 1e-9}


def swing(t: Any, y: Any) -> list:
    return [y[1], -y[0]]


def lorenz(t: Any, y: Any) -> list:
    return [10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]]


def reaction(t: Any, y: Any) -> list:
    slow, fast, cubic = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return [fast - slow, slow - fast - cubic, cubic]


def waves(np_like: Any) -> Callable:
    """A field of numbers that swing on their own, by array functions."""
    return lambda t, y: np_like.cos(y) * y - 0.5 * np_like.exp(-y * y) + t


def ivp(f: Callable, g: Callable, span: tuple, method: str, **more: Any) -> tuple[Callable, Callable]:
    setting = {"method": method, **TIGHT, **more}
    ours = lambda y0: integrate.solve_ivp(f, span, y0, **setting).y
    return ours, lambda y0: peer.solve_ivp(g, span, y0, **setting).y


def case(name: str, pair: tuple[Callable, Callable | None], *arrays: Any) -> tuple:
    return (f"integrate.{name}", *pair, arrays)


def equations() -> list[tuple]:
    times = np.linspace(0.0, 5.0, 200)
    explicit = [
        case(f"solve_ivp {method} {name}", ivp(f, g, span, method, t_eval=[span[1]]), y0)
        for method in ("RK45", "RK23", "DOP853")
        for name, f, g, span, y0 in (
            ("lorenz", lorenz, lorenz, (0.0, 5.0), LORENZ),
            ("swing", swing, swing, (0.0, 10.0), SWING),
            ("field", waves(ss), waves(np), (0.0, 2.0), FIELD),
        )
    ]
    stiff = [
        case(f"solve_ivp {method} reaction", ivp(reaction, reaction, (0.0, 100.0), method), REACTION)
        for method in ("Radau", "BDF")
    ]
    dense = case("solve_ivp RK45 t_eval", ivp(swing, swing, (0.0, 5.0), "RK45", t_eval=times), SWING)
    return [*explicit, *stiff, dense]


def quads() -> list[tuple]:
    def one(name: str, make: Callable, a: float, b: float) -> tuple:
        f, g = make(ss), make(np)
        pair = (lambda: integrate.quad(f, a, b)[0], lambda: peer.quad(g, a, b)[0])
        return case(f"quad {name}", pair)

    bell = lambda x: lambda t: x.exp(-t * t) * x.sin(3.0 * t) / (1.0 + t * t)
    return [
        one("smooth", bell, 0.0, 1.0),
        one("infinite", bell, 0.0, np.inf),
        one("root", lambda x: lambda t: x.sqrt(t) * x.exp(-t), 0.0, 1.0),
        one("oscillating", lambda x: lambda t: x.cos(40.0 * t + t * t), 0.0, 3.0),
        case(
            "quad_vec",
            (
                lambda n: integrate.quad_vec(lambda t: ss.cos(n * t), 0.0, 1.0)[0],
                lambda n: peer.quad_vec(lambda t: np.cos(n * t), 0.0, 1.0)[0],
            ),
            np.arange(50.0),
        ),
        case(
            "dblquad",
            (
                lambda: integrate.dblquad(lambda y, x: ss.exp(-x * y), 0.0, 1.0, 0.0, lambda x: x)[0],
                lambda: peer.dblquad(lambda y, x: np.exp(-x * y), 0.0, 1.0, 0.0, lambda x: x)[0],
            ),
        ),
        case(
            "fixed_quad",
            (
                lambda: integrate.fixed_quad(ss.sin, 0.0, 1.0, n=8)[0],
                lambda: peer.fixed_quad(np.sin, 0.0, 1.0, n=8)[0],
            ),
        ),
    ]


def samples() -> list[tuple]:
    y = np.sin(GRID)
    return [
        case("simpson", (lambda y, x: integrate.simpson(y, x=x), lambda y, x: peer.simpson(y, x=x)), y, GRID),
        case(
            "cumulative_simpson",
            (
                lambda y, x: integrate.cumulative_simpson(y, x=x),
                lambda y, x: peer.cumulative_simpson(y, x=x),
            ),
            y,
            GRID,
        ),
        case("romb", (lambda y: integrate.romb(y, dx=0.1), lambda y: peer.romb(y, dx=0.1)), y),
    ]


CASES = [*equations(), *quads(), *samples()]
