"""Logistic functions, entropies, and products with logarithms that are 0 where a factor is 0."""

from __future__ import annotations

from typing import Any

from scipy import special as sp

from scisim.ops._special import complex_logistic
from scisim.ops._special.declare import declare, describe
from scisim.ops._special.exponential_integrals import exprel
from scisim.ops.arithmetic import div, power, zmul
from scisim.ops.complex_parts import of_complex
from scisim.ops.complex_values import sigmoid as sigmoid_of_complex
from scisim.ops.elementary import exp, log, log1p
from scisim.ops.select import gt, where

expit = declare(
    "expit",
    of_complex(sigmoid_of_complex, sp.expit),
    [lambda y, x: y * expit(-x)],
    "Logistic function 1 / (1 + exp(-x)), with a derivative that is exact in both tails",
    {"x": "Argument, real or complex."},
    ("0.0", "0.5"),
    scalar=lambda s, x: s.sigmoid(x),
)
log_expit = declare(
    "log_expit",
    of_complex(complex_logistic.log_expit, sp.log_expit),
    [lambda y, x: expit(-x)],
    "Logarithm of the logistic function",
    {"x": "Argument, real or complex."},
    ("-800.0", "-800."),
)
logit = declare(
    "logit",
    of_complex(complex_logistic.logit, sp.logit),
    [lambda y, x: 1.0 / (x * (1.0 - x))],
    "Inverse of the logistic function, log(x / (1 - x))",
    {"x": "Argument in [0, 1], or complex; there the cuts are the real axis below 0 and above 1."},
    ("0.5", "0."),
    singular="infinite at 0 and 1",
    pole=True,
)
softplus = declare(
    "softplus",
    of_complex(complex_logistic.softplus, sp.softplus),
    [lambda y, x: expit(x)],
    "log(1 + exp(x)) without overflow",
    {"x": "Argument, real or complex."},
    ("800.0", "800."),
)
entr = declare(
    "entr",
    sp.entr,
    [lambda y, x: -log(x) - 1.0],
    "Entropy -x log(x), 0 at 0 and -inf below",
    "x",
    ("1.0", "-0."),
    singular="infinite at 0",
    pole=True,
)


def _log_ratio(x: Any, y: Any) -> Any:
    """log(x / y), exact where the two are near."""
    near = gt(x, 0.5 * y)
    return where(near, log1p(div(where(near, x, y) - y, y)), log(div(x, y)))


rel_entr = declare(
    "rel_entr",
    sp.rel_entr,
    [lambda z, x, y: _log_ratio(x, y) + 1.0, lambda z, x, y: -zmul(x, div(1.0, y))],
    "Relative entropy x log(x / y), 0 where x is 0",
    {"x": "Argument, not negative.", "y": "Second argument, positive."},
    ("1.0, 2.0", "-0.69314718"),
    singular="infinite where x is 0; where x is 0 that in y is 0",
)
kl_div = declare(
    "kl_div",
    sp.kl_div,
    [lambda z, x, y: _log_ratio(x, y), lambda z, x, y: div(y - x, y)],
    "Kullback-Leibler divergence x log(x / y) - x + y",
    {"x": "Argument, not negative.", "y": "Second argument, positive."},
    ("1.0, 2.0", "0.30685282"),
    singular="infinite where x is 0",
)
xlog1py = declare(
    "xlog1py",
    sp.xlog1py,
    [lambda z, x, y: log1p(y), lambda z, x, y: zmul(x, div(1.0, 1.0 + y))],
    "x log(1 + y), 0 where x is 0",
    {"x": "Factor, real or complex.", "y": "Argument, real or complex."},
    ("0.0, -1.0", "0."),
    singular="infinite where y is -1; where x is 0 that in y is 0",
)


def boxcox(x: Any, lmbda: Any) -> Any:
    """(x^lmbda - 1) / lmbda."""
    u = log(x)
    return u * exprel(lmbda * u)


def boxcox1p(x: Any, lmbda: Any) -> Any:
    """((1 + x)^lmbda - 1) / lmbda."""
    u = log1p(x)
    return u * exprel(lmbda * u)


_LAMBDA = "Exponent, real; 0 is the logarithm, and as smooth as others."
describe(
    "boxcox",
    boxcox,
    "Transformation of Box and Cox, (x^lmbda - 1) / lmbda",
    {"x": "Argument, positive.", "lmbda": _LAMBDA},
    ("2.0, 0.0", "0.69314718"),
)
describe(
    "boxcox1p",
    boxcox1p,
    "Transformation of Box and Cox of 1 + x",
    {"x": "Argument, greater than -1.", "lmbda": _LAMBDA},
    ("1.0, 0.0", "0.69314718"),
)
lambertw_p = declare(
    "lambertw",
    lambda z, k: sp.lambertw(z, k),
    [lambda w, z, k: exp(-w) / (1.0 + w), "the branch is an integer"],
    "Lambert's W, the solution w of w exp(w) = z; its result is complex",
    {"z": "Argument, real or complex.", "k": "Branch, an integer; 0 by default."},
    ("1.0", "0.56714329+0.j"),
    singular="infinite at the branch point -1/e",
)


def lambertw(z: Any, k: Any = 0) -> Any:
    """The solution w of w exp(w) = z on branch k."""
    return lambertw_p(z, k)


describe(
    "lambertw",
    lambertw,
    "Lambert's W, the solution w of w exp(w) = z; its result is complex",
    {"z": "Argument, real or complex.", "k": "Branch, an integer; 0 by default."},
    ("1.0", "0.56714329+0.j"),
    notes="The derivative at the branch point -1/e is infinite.",
    gaps={"k": "the branch is an integer"},
)
wrightomega = declare(
    "wrightomega",
    sp.wrightomega,
    [lambda w, z: w / (1.0 + w)],
    "Wright's omega, the solution w of w + log(w) = z",
    "z",
    ("1.0", "1."),
)
powm1 = declare(
    "powm1",
    sp.powm1,
    [lambda z, x, y: y * power(x, y - 1.0), lambda z, x, y: (z + 1.0) * log(x)],
    "x^y - 1, exact where x^y is near 1",
    {"x": "Base, positive.", "y": "Exponent, real."},
    ("2.0, 1e-20", "6.93147181e-21"),
)
