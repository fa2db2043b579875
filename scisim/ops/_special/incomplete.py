"""Incomplete gamma and beta functions, their inverses, and zeta functions.

In the argument the derivative is the integrand.  That of gammainc in its parameter is an integral too, by quadrature;
those of betainc in its parameters have no closed form, and asking for them is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.ops._special.declare import declare
from scisim.ops._special.gamma import betaln, gammaln
from scisim.ops.arithmetic import div, zmul
from scisim.ops.elementary import exp, log, log1p, xlogy
from scisim.ops.select import eq, where

_PARAMETER = "the derivative in a parameter has no closed form"


def _gamma_density(a: Any, x: Any) -> Any:
    """x^(a-1) exp(-x) / gamma(a), as one exponential."""
    return exp(xlogy(a - 1.0, x) - x - gammaln(a))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    """x^(a-1) (1-x)^(b-1) / beta(a, b)."""
    return exp(xlogy(a - 1.0, x) + xlogy(b - 1.0, 1.0 - x) - betaln(a, b))


_OPERANDS = {"a": "Parameter, positive.", "x": "Argument, nonnegative."}
_SHARE = {"a": "Parameter, positive.", "p": "Share, between 0 and 1."}
gammainc = declare(
    "gammainc",
    sp.gammainc,
    [_PARAMETER, lambda y, a, x: _gamma_density(a, x)],
    "Regularised lower incomplete gamma function",
    _OPERANDS,
    ("1.0, 1.0", "0.63212056"),
    singular="infinite at x = 0 for a < 1",
)
gammaincc = declare(
    "gammaincc",
    sp.gammaincc,
    [_PARAMETER, lambda y, a, x: -_gamma_density(a, x)],
    "Regularised upper incomplete gamma function",
    _OPERANDS,
    ("1.0, 1.0", "0.36787944"),
    singular="infinite at x = 0 for a < 1",
)
gammaincinv = declare(
    "gammaincinv",
    sp.gammaincinv,
    [_PARAMETER, lambda y, a, p: div(1.0, _gamma_density(a, y))],
    "Inverse of gammainc in its argument",
    _SHARE,
    ("1.0, 0.5", "0.69314718"),
    singular="infinite at shares 0 and 1",
)
gammainccinv = declare(
    "gammainccinv",
    sp.gammainccinv,
    [_PARAMETER, lambda y, a, p: div(-1.0, _gamma_density(a, y))],
    "Inverse of gammaincc in its argument",
    _SHARE,
    ("1.0, 0.5", "0.69314718"),
    singular="infinite at shares 0 and 1",
)

_BETA = {"a": "Parameter, positive.", "b": "Parameter, positive.", "x": "Argument, between 0 and 1."}
_BETA_SHARE = {"a": "Parameter, positive.", "b": "Parameter, positive.", "p": "Share, between 0 and 1."}


def _beta(name: str, f: Callable, sign: float, text: str, example: tuple[str, str]) -> Any:
    return declare(
        name,
        f,
        [_PARAMETER, _PARAMETER, lambda y, a, b, x: sign * _beta_density(a, b, x)],
        text,
        _BETA,
        example,
        singular="infinite at x = 0 for a < 1 and at x = 1 for b < 1",
    )


def _beta_inverse(name: str, f: Callable, sign: float, text: str, example: tuple[str, str]) -> Any:
    return declare(
        name,
        f,
        [_PARAMETER, _PARAMETER, lambda y, a, b, p: div(sign, _beta_density(a, b, y))],
        text,
        _BETA_SHARE,
        example,
        singular="infinite at shares 0 and 1",
    )


betainc = _beta("betainc", sp.betainc, 1.0, "Regularised incomplete beta function", ("1.0, 1.0, 0.3", "0.3"))
betaincc = _beta("betaincc", sp.betaincc, -1.0, "Complement of betainc", ("1.0, 1.0, 0.3", "0.7"))
betaincinv = _beta_inverse(
    "betaincinv", sp.betaincinv, 1.0, "Inverse of betainc in its argument", ("1.0, 1.0, 0.3", "0.3")
)
betainccinv = _beta_inverse(
    "betainccinv", sp.betainccinv, -1.0, "Inverse of betaincc in its argument", ("1.0, 1.0, 0.3", "0.7")
)

# --- zeta --------------------------------------------------------------------------------------------------------
_EXPONENT = "zeta has no closed form for its derivative in the exponent"


def _zeta(s: Any, q: Any) -> Any:
    with np.errstate(all="ignore"):
        return sp.zeta(s, q)


hurwitz = declare(
    "zeta",
    _zeta,
    [_EXPONENT, lambda y, s, q: -s * hurwitz(s + 1.0, q)],
    "Hurwitz zeta function, the sum of 1 / (k + q)^s; Riemann's for q = 1",
    {"s": "Exponent, greater than 1.", "q": "First term, real; not 0, -1, -2, ..."},
    ("2.0, 1.0", "1.64493407"),
    singular="poles at q = 0, -1, -2, ...",
)


# --- entropies ---------------------------------------------------------------------------------------------------
def _xlog1py(x: Any, y: Any) -> Any:
    return sp.xlog1py(x, y)


xlog1py = declare(
    "xlog1py",
    _xlog1py,
    [lambda z, x, y: log1p(y), lambda z, x, y: zmul(x, div(1.0, 1.0 + y))],
    "x log(1 + y), 0 where x is 0",
    "x y",
    ("2.0, 0.0", "0."),
    singular="infinite at y = -1 unless x is 0",
)
entr = declare(
    "entr",
    sp.entr,
    [lambda y, x: -log(x) - 1.0],
    "Term of an entropy, -x log(x); 0 at 0, -inf below",
    "x",
    ("1.0", "-0."),
    singular="infinite at 0",
)
rel_entr = declare(
    "rel_entr",
    sp.rel_entr,
    [lambda z, x, y: log(div(x, y)) + 1.0, lambda z, x, y: -zmul(x, div(1.0, y))],
    "Term of a relative entropy, x log(x / y)",
    "x y",
    ("2.0, 2.0", "0."),
    singular="infinite at x = 0; at y = 0 unless x is 0",
)
kl_div = declare(
    "kl_div",
    sp.kl_div,
    [lambda z, x, y: log(div(x, y)), lambda z, x, y: 1.0 - zmul(x, div(1.0, y))],
    "Term of a Kullback-Leibler divergence, x log(x / y) - x + y",
    "x y",
    ("2.0, 2.0", "0."),
    singular="infinite at x = 0; at y = 0 unless x is 0",
)
boxcox = None


def _huber_inside(delta: Any, r: Any) -> Any:
    return where(eq(delta, r), True, False)


_LOG_ROOT = 0.5 * math.log(2 * math.pi)
