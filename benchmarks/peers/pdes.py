"""Nine equations for physics-informed networks, for any array library.

A residual is written in derivatives: d(0, "xx") is the second x-derivative of output 0, and d(0, "") its value.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

NU = 0.01 / math.pi
WIDTH, LAYERS = 64, 4

Derivative = Callable[[int, str], Any]


def burgers(d: Derivative) -> list:
    return [d(0, "t") + d(0, "") * d(0, "x") - NU * d(0, "xx")]


def poisson(d: Derivative) -> list:
    return [d(0, "xx") + d(0, "yy") - 1.0]


def heat(d: Derivative) -> list:
    return [d(0, "t") - 0.1 * (d(0, "xx") + d(0, "yy"))]


def wave(d: Derivative) -> list:
    return [d(0, "tt") - 1.5 * (d(0, "xx") + d(0, "yy"))]


def allen_cahn(d: Derivative) -> list:
    u = d(0, "")
    return [d(0, "t") - 1e-4 * d(0, "xx") + 5.0 * u * (u * u - 1.0)]


def navier_stokes(d: Derivative) -> list:
    u, v = d(0, ""), d(1, "")
    return [
        d(0, "x") + d(1, "y"),
        u * d(0, "x") + v * d(0, "y") + d(2, "x") - 0.01 * (d(0, "xx") + d(0, "yy")),
        u * d(1, "x") + v * d(1, "y") + d(2, "y") - 0.01 * (d(1, "xx") + d(1, "yy")),
    ]


def helmholtz(d: Derivative) -> list:
    return [d(0, "xx") + d(0, "yy") + d(0, "zz") + 4.0 * d(0, "") - 1.0]


def kuramoto_sivashinsky(d: Derivative) -> list:
    return [d(0, "t") + d(0, "") * d(0, "x") + 0.5 * d(0, "xx") + 0.01 * d(0, "xxxx")]


def biharmonic(d: Derivative) -> list:
    return [d(0, "xxxx") + 2.0 * d(0, "xxyy") + d(0, "yyyy") - 1.0]


class Equation(NamedTuple):
    """An equation and what it needs.

    Attributes
    ----------
    coords : str
        One letter a coordinate.
    outputs : int
    orders : dict of str to int
        The highest pure derivative in each coordinate.
    mixed : tuple of str
    residual : callable
    channels : int
        The fewest Taylor channels that carry all the derivatives, sums of the highest ones collapsed.
    """

    coords: str
    outputs: int
    orders: dict[str, int]
    mixed: tuple[str, ...]
    residual: Callable[[Derivative], list]
    channels: int

    def derivatives(self, output: int) -> list[str]:
        """What of an output is to be computed; a pressure has no second derivatives in any equation here."""
        most = 1 if output == 2 else 9
        return [c * k for c, order in self.orders.items() for k in range(1, min(order, most) + 1)] + list(self.mixed)


EQUATIONS = {
    "burgers1d": Equation("tx", 1, {"t": 1, "x": 2}, (), burgers, 4),
    "poisson2d": Equation("xy", 1, {"x": 2, "y": 2}, (), poisson, 4),
    "heat2d": Equation("txy", 1, {"t": 1, "x": 2, "y": 2}, (), heat, 5),
    "wave2d": Equation("txy", 1, {"t": 2, "x": 2, "y": 2}, (), wave, 5),
    "allen_cahn": Equation("tx", 1, {"t": 1, "x": 2}, (), allen_cahn, 4),
    "navier_stokes2d": Equation("xy", 3, {"x": 2, "y": 2}, (), navier_stokes, 4),
    "helmholtz3d": Equation("xyz", 1, {"x": 2, "y": 2, "z": 2}, (), helmholtz, 5),
    "kuramoto_sivashinsky": Equation("tx", 1, {"t": 1, "x": 4}, (), kuramoto_sivashinsky, 6),
    "plate_biharmonic2d": Equation("xy", 1, {"x": 4, "y": 4}, ("xxyy",), biharmonic, 14),
}


def setup(name: str, points: int, rounded: str, dtype: str, width: int = WIDTH, layers: int = LAYERS) -> tuple:
    """Weights and points, the same for every library; rounded to one dtype and given in another."""
    import numpy as np

    equation, rng = EQUATIONS[name], np.random.default_rng(0)
    sizes = [len(equation.coords)] + [width] * layers + [equation.outputs]
    params = [(rng.normal(size=(a, b)) / np.sqrt(a), 0.1 * rng.normal(size=b)) for a, b in pairwise(sizes)]
    given = lambda a: a.astype(rounded).astype(dtype)
    x = rng.uniform(-1, 1, (points, len(equation.coords)))
    return [(given(w), given(b)) for w, b in params], given(x)


def gflop(name: str, points: int, width: int = WIDTH, layers: int = LAYERS) -> float:
    """Operations of a step's products, in collapsed Taylor mode: forward, and twice that for the gradient."""
    equation = EQUATIONS[name]
    ends = width * (len(equation.coords) + equation.outputs)
    return 6e-9 * points * equation.channels * ((layers - 1) * width * width + ends)
