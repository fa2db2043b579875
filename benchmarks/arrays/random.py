"""Samplers beside NumPy's generator on its own Philox, from single calls to large arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scisim as ss

KEY = np.array([7, 1], np.uint32)
G = np.random.Generator(np.random.Philox(7))
r = ss.random
WEIGHTS = [0.1, 0.2, 0.3, 0.4]
SAMPLERS: dict[str, tuple[Callable, Callable]] = {
    "uniform": (lambda k, n: r.uniform(k, n), lambda n: G.random(n)),
    "uniform single": (lambda k, n: r.uniform(k, n, "float32"), lambda n: G.random(n, np.float32)),
    "normal": (lambda k, n: r.normal(k, n), lambda n: G.standard_normal(n)),
    "normal single": (lambda k, n: r.normal(k, n, "float32"), lambda n: G.standard_normal(n, np.float32)),
    "integers": (lambda k, n: r.integers(k, n, 0, 100), lambda n: G.integers(0, 100, n)),
    "exponential": (lambda k, n: r.exponential(k, shape=n), lambda n: G.standard_exponential(n)),
    "laplace": (lambda k, n: r.laplace(k, shape=n), lambda n: G.laplace(size=n)),
    "logistic": (lambda k, n: r.logistic(k, shape=n), lambda n: G.logistic(size=n)),
    "gumbel": (lambda k, n: r.gumbel(k, shape=n), lambda n: G.gumbel(size=n)),
    "cauchy": (lambda k, n: r.cauchy(k, shape=n), lambda n: G.standard_cauchy(n)),
    "lognormal": (lambda k, n: r.lognormal(k, shape=n), lambda n: G.lognormal(size=n)),
    "rayleigh": (lambda k, n: r.rayleigh(k, shape=n), lambda n: G.rayleigh(size=n)),
    "weibull": (lambda k, n: r.weibull(k, 2.0, n), lambda n: G.weibull(2.0, n)),
    "pareto": (lambda k, n: r.pareto(k, 3.0, n), lambda n: G.pareto(3.0, n)),
    "triangular": (lambda k, n: r.triangular(k, 0.0, 0.3, 1.0, n), lambda n: G.triangular(0.0, 0.3, 1.0, n)),
    "gamma": (lambda k, n: r.gamma(k, 2.5, shape=n), lambda n: G.standard_gamma(2.5, n)),
    "gamma below 1": (lambda k, n: r.gamma(k, 0.5, shape=n), lambda n: G.standard_gamma(0.5, n)),
    "beta": (lambda k, n: r.beta(k, 2.0, 3.0, n), lambda n: G.beta(2.0, 3.0, n)),
    "chisquare": (lambda k, n: r.chisquare(k, 3.0, n), lambda n: G.chisquare(3.0, n)),
    "f": (lambda k, n: r.f(k, 3.0, 8.0, n), lambda n: G.f(3.0, 8.0, n)),
    "t": (lambda k, n: r.t(k, 3.0, n), lambda n: G.standard_t(3.0, n)),
    "dirichlet": (lambda k, n: r.dirichlet(k, [1.0, 2.0, 3.0], n), lambda n: G.dirichlet([1.0, 2.0, 3.0], n)),
    "vonmises": (lambda k, n: r.vonmises(k, 0.0, 2.0, n), lambda n: G.vonmises(0.0, 2.0, n)),
    "wald": (lambda k, n: r.wald(k, 1.0, 2.0, n), lambda n: G.wald(1.0, 2.0, n)),
    "poisson": (lambda k, n: r.poisson(k, 3.0, n), lambda n: G.poisson(3.0, n)),
    "poisson of many": (lambda k, n: r.poisson(k, 50.0, n), lambda n: G.poisson(50.0, n)),
    "binomial": (lambda k, n: r.binomial(k, 20, 0.3, n), lambda n: G.binomial(20, 0.3, n)),
    "binomial of many": (lambda k, n: r.binomial(k, 200, 0.3, n), lambda n: G.binomial(200, 0.3, n)),
    "geometric": (lambda k, n: r.geometric(k, 0.3, n), lambda n: G.geometric(0.3, n)),
    "negative_binomial": (lambda k, n: r.negative_binomial(k, 5, 0.3, n), lambda n: G.negative_binomial(5, 0.3, n)),
    "zipf": (lambda k, n: r.zipf(k, 2.5, n), lambda n: G.zipf(2.5, n)),
    "hypergeometric": (
        lambda k, n: r.hypergeometric(k, 20, 30, 10, n),
        lambda n: G.hypergeometric(20, 30, 10, n),
    ),
    "multinomial": (lambda k, n: r.multinomial(k, 20, WEIGHTS, n), lambda n: G.multinomial(20, WEIGHTS, n)),
    "permutation": (lambda k, n: r.permutation(k, n), lambda n: G.permutation(n)),
    "choice": (lambda k, n: r.choice(k, 100, n), lambda n: G.choice(100, n)),
    "choice with weights": (lambda k, n: r.choice(k, 4, n, p=WEIGHTS), lambda n: G.choice(4, n, p=WEIGHTS)),
}


def case(name: str, n: int) -> tuple[str, Callable, Callable, tuple]:
    ours, theirs = SAMPLERS[name]
    return f"random.{name}, {n}", lambda k: ours(k, n), lambda k: theirs(n), (KEY,)


CASES = [case(name, n) for name in SAMPLERS for n in (10, 1_000, 100_000)]
CASES += [case(name, 1_000_000) for name in ("uniform", "normal", "exponential", "gamma")]
