"""Coefficients of explicit Runge-Kutta pairs with continuous extensions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Row = tuple[float, ...]


@dataclass(frozen=True)
class Tableau:
    """An explicit pair.

    Attributes
    ----------
    a : tuple of rows
        Weights of earlier stages in each later stage, from the second on; those beyond ``stages`` serve the continuous
        extension alone.  The stage after the last one is the slope at the end of the step.
    b, c : weights of the step and times of the stages, of those beyond too
    errors : tuple of rows
        Weights of the estimates of the local error, by all stages and the slope at the end.
    dense : array
        Coefficient j of the interpolating polynomial in theta has weights ``dense[j]``.
    order : int
        That of the error estimate, which sets the exponent of the control.
    """

    name: str
    a: tuple[Row, ...]
    b: Row
    c: Row
    errors: tuple[Row, ...]
    dense: np.ndarray
    order: int

    @property
    def stages(self) -> int:
        return len(self.b)


def _unit(k: int, n: int) -> np.ndarray:
    return np.eye(n)[k]


@cache
def bogacki_shampine() -> Tableau:
    """Bogacki and Shampine, "A 3(2) pair of Runge-Kutta formulas", Appl. Math. Lett. 2 (1989).

    Between the ends of a step the cubic Hermite polynomial.
    """
    b = (2 / 9, 1 / 3, 4 / 9)
    step, first, last = np.array([*b, 0.0]), _unit(0, 4), _unit(3, 4)
    dense = np.stack([first, 3 * step - 2 * first - last, first + last - 2 * step])
    return Tableau(
        "RK23",
        ((1 / 2,), (0.0, 3 / 4)),
        b,
        (0.0, 1 / 2, 3 / 4),
        ((5 / 72, -1 / 12, -1 / 9, 1 / 8),),
        dense,
        2,
    )


@cache
def dormand_prince() -> Tableau:
    """Dormand and Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6 (1980).

    The continuous extension of order 4 is that of Hairer, Norsett and Wanner, "Solving ODEs I", II.6.
    """
    b = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
    bump = np.array([
        -12715105075 / 11282082432,
        0.0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ])  # fmt: skip
    step, first, last = np.array([*b, 0.0]), _unit(0, 7), _unit(6, 7)
    second = first - step
    third = step - last - second
    return Tableau(
        "RK45",
        (
            (1 / 5,),
            (3 / 40, 9 / 40),
            (44 / 45, -56 / 15, 32 / 9),
            (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
            (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        ),
        b,
        (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
        ((-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),),
        np.stack([first, -second + third + bump, -third - 2 * bump, bump]),
        4,
    )


@cache
def dop853() -> Tableau:
    """The pair of order 8 with estimates of orders 5 and 3, and a continuous extension of order 7.

    Hairer, Norsett and Wanner, "Solving ODEs I", 2nd ed. (1993), II.5 and their code DOP853; the numbers are those that
    SciPy carries.
    """
    from scipy.integrate import DOP853 as numbers

    def rows(table: Any, first: int) -> list[Row]:
        return [tuple(float(w) for w in row[: first + k]) for k, row in enumerate(table)]

    n, extra = numbers.n_stages, len(numbers.C_EXTRA)
    a = [*rows(numbers.A[1:], 1), *rows(numbers.A_EXTRA, n + 1)]
    c = (*map(float, numbers.C[:n]), *map(float, numbers.C_EXTRA))
    step = np.concatenate([numbers.B, np.zeros(1 + extra)])
    first, last = _unit(0, n + 1 + extra), _unit(n, n + 1 + extra)
    nested = [step, first - step, 2 * step - last - first, *numbers.D]
    errors = (tuple(map(float, numbers.E5)), tuple(map(float, numbers.E3)))
    return Tableau("DOP853", tuple(a), tuple(map(float, numbers.B)), c, errors, _monomials(nested), 7)


def _monomials(nested: list) -> np.ndarray:
    """Coefficients by powers of x, from 1 on, of x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + ...))))."""
    out, factor = np.zeros((len(nested), len(nested[0]))), np.array([0.0, 1.0])
    for k, weights in enumerate(nested):
        for power, value in enumerate(factor[1:]):
            out[power] += value * np.asarray(weights)
        factor = np.convolve(factor, [0.0, 1.0] if k % 2 else [1.0, -1.0])
    return out


TABLEAUX = {"RK23": bogacki_shampine, "RK45": dormand_prince, "DOP853": dop853}
