"""Solvers beside SciPy's, which are given the same functions and the derivatives that ours use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

import scisim as ss
from scisim import autodiff as ad
from scisim import optimize
from scisim.core.tensor import wrap

T = np.linspace(0.0, 1.0, 100)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.01 * np.sin(40 * T)


def rosenbrock(x: Any) -> Any:
    return ss.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def decay(p: Any) -> Any:
    return p[0] * ss.exp(-p[1] * T) + p[2] - Y


def tridiagonal(x: Any) -> Any:
    wide = ss.concat([ss.zeros(1), x, ss.zeros(1)])
    return (3.0 - 2.0 * x) * x - wide[:-2] - 2.0 * wide[2:] + 1.0


def kepler(x: Any) -> Any:
    return x - 0.5 * ss.sin(x) - 1.0


def numbers(f: Callable) -> Callable:
    """A function of tensors for SciPy."""
    return lambda x: np.asarray(f(wrap(np.asarray(x))))


def minimum(method: str, **more: Any) -> tuple[Callable, Callable]:
    both = ad.value_and_grad(rosenbrock)

    def for_scipy(x: Any) -> tuple:
        y, g = both(wrap(x))
        return y.item(), g.numpy()

    return (
        lambda x: optimize.minimize(rosenbrock, x, method=method, **more).x,
        lambda x: scipy.optimize.minimize(for_scipy, x, jac=True, method=method, **more).x,
    )


def start(n: int) -> np.ndarray:
    return np.tile([-1.2, 1.0], n)[:n]


BOUNDS = [(-2.0, 0.8)] * 5
CASES = [
    *((f"optimize.minimize BFGS {n}", *minimum("BFGS"), (start(n),)) for n in (2, 10)),
    ("optimize.minimize CG", *minimum("CG"), (start(5),)),
    ("optimize.minimize L-BFGS-B", *minimum("L-BFGS-B"), (start(10),)),
    ("optimize.minimize L-BFGS-B bounded", *minimum("L-BFGS-B", bounds=BOUNDS), (start(5),)),
    ("optimize.minimize SLSQP", *minimum("SLSQP"), (start(5),)),
    (
        "optimize.minimize Nelder-Mead",
        lambda x: optimize.minimize(rosenbrock, x, method="Nelder-Mead").x,
        lambda x: scipy.optimize.minimize(numbers(rosenbrock), x, method="Nelder-Mead").x,
        (start(2),),
    ),
    (
        "optimize.minimize trust-exact",
        lambda x: optimize.minimize(rosenbrock, x, method="trust-exact").x,
        lambda x: (
            scipy.optimize.minimize(
                numbers(rosenbrock),
                x,
                jac=numbers(ad.grad(rosenbrock)),
                hess=numbers(ad.hessian(rosenbrock)),
                method="trust-exact",
            ).x
        ),
        (start(5),),
    ),
    (
        "optimize.least_squares",
        lambda p: optimize.least_squares(decay, p).x,
        lambda p: scipy.optimize.least_squares(numbers(decay), p, jac=numbers(ad.jacobian(decay))).x,
        (np.ones(3),),
    ),
    (
        "optimize.least_squares soft loss",
        lambda p: optimize.least_squares(decay, p, loss="soft_l1", f_scale=0.1).x,
        lambda p: (
            scipy.optimize.least_squares(
                numbers(decay), p, jac=numbers(ad.jacobian(decay)), loss="soft_l1", f_scale=0.1
            ).x
        ),
        (np.ones(3),),
    ),
    (
        "optimize.root hybr",
        lambda x: optimize.root(tridiagonal, x).x,
        lambda x: scipy.optimize.root(numbers(tridiagonal), x, jac=numbers(ad.jacobian(tridiagonal))).x,
        (-np.ones(8),),
    ),
    (
        "optimize.root krylov",
        lambda x: optimize.root(tridiagonal, x, method="krylov").x,
        lambda x: scipy.optimize.root(numbers(tridiagonal), x, method="krylov").x,
        (-np.ones(50),),
    ),
    (
        "optimize.root_scalar brentq",
        lambda a: optimize.root_scalar(kepler, bracket=(a, a + 3.0)).root,
        lambda a: scipy.optimize.root_scalar(numbers(kepler), bracket=(a, a + 3.0)).root,
        (np.asarray(0.0),),
    ),
    (
        "optimize.root_scalar of 1,000 numbers",
        lambda a: optimize.root_scalar(lambda x: x - 0.5 * ss.sin(x) - a, bracket=(0.0, 4.0)).root,
        lambda a: [scipy.optimize.brentq(lambda x, k: x - 0.5 * np.sin(x) - k, 0.0, 4.0, (k,)) for k in a],
        (np.linspace(0.1, 3.0, 1000),),
    ),
    (
        "optimize.minimize_scalar",
        lambda a: optimize.minimize_scalar(lambda x: ss.exp(x) - a * x).x,
        lambda a: scipy.optimize.minimize_scalar(numbers(lambda x: ss.exp(x) - a * x)).x,
        (np.asarray(2.0),),
    ),
    (
        "optimize.fixed_point",
        lambda x: optimize.fixed_point(ss.cos, x),
        lambda x: scipy.optimize.fixed_point(numbers(ss.cos), x),
        (np.full(3, 0.5),),
    ),
]
