"""Classical orthogonal polynomials and their continuations to real degree; Legendre functions, spherical harmonics.

Derivatives are of the same kind with a lower degree and a higher parameter (DLMF 18.9.15 to 18.9.26): chains without
a division, right at the ends of the interval too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.ops._special.declare import DERIVATIVES, declare, describe, in_double, refusal, whole
from scisim.ops.arithmetic import power, sqrt

_DEGREE = "the degree is an integer, or without a closed form"
_SHAPE = "there is no closed form in a parameter of the polynomials"


def _of_degree(evaluate: Callable) -> Callable:
    """Degrees below 0, which derivatives come to, give 0."""

    def f(n: Any, *args: Any) -> Any:
        if type(n) is int:
            return evaluate(max(n, 0), *args) * 0.0 if n < 0 else evaluate(n, *args)
        low = np.equal(n, np.floor(n)) & np.less(n, 0)
        return np.where(low, 0, evaluate(np.where(low, 0, n), *args)) if np.any(low) else evaluate(n, *args)

    return f


_DEGREES = {"n": "Degree, an integer or real."}
_ARGUMENT = {"x": "Argument, real."}
eval_jacobi = declare(
    "eval_jacobi",
    _of_degree(sp.eval_jacobi),
    [
        _DEGREE,
        _SHAPE,
        _SHAPE,
        lambda y, n, a, b, x: 0.5 * (n + a + b + 1.0) * eval_jacobi(n - 1, a + 1.0, b + 1.0, x),
    ],
    "Jacobi polynomial",
    {**_DEGREES, "alpha": "Parameter, real.", "beta": "Parameter, real.", **_ARGUMENT},
    ("2, 0.5, 1.5, 0.3", "-0.6625"),
)
eval_gegenbauer = declare(
    "eval_gegenbauer",
    _of_degree(sp.eval_gegenbauer),
    [_DEGREE, _SHAPE, lambda y, n, a, x: 2.0 * a * eval_gegenbauer(n - 1, a + 1.0, x)],
    "Gegenbauer polynomial",
    {**_DEGREES, "alpha": "Parameter, real.", **_ARGUMENT},
    ("2, 0.5, 0.3", "-0.365"),
)
eval_genlaguerre = declare(
    "eval_genlaguerre",
    _of_degree(sp.eval_genlaguerre),
    [_DEGREE, _SHAPE, lambda y, n, a, x: -eval_genlaguerre(n - 1, a + 1.0, x)],
    "Generalized Laguerre polynomial",
    {**_DEGREES, "alpha": "Parameter, real.", **_ARGUMENT},
    ("2, 0.5, 0.3", "1.17"),
)


def _polynomial(name: str, f: Callable, slope: Callable, text: str, at: str, shifted: bool = False) -> Any:
    """``slope(n, u)`` is the derivative at u, which is 2x - 1 for a polynomial shifted to [0, 1].

    ``at`` is what is printed of the polynomial of degree 2 at 0.3.
    """

    def partial(y: Any, n: Any, x: Any) -> Any:
        return 2.0 * slope(n, 2.0 * x - 1.0) if shifted else slope(n, x)

    return declare(name, f, [_DEGREE, partial], text, {**_DEGREES, **_ARGUMENT}, ("2, 0.3", at))


def _u_slope(n: Any, x: Any) -> Any:
    return 2.0 * eval_gegenbauer(n - 1, 2.0, x)


eval_legendre = _polynomial(
    "eval_legendre", sp.eval_legendre, lambda n, x: eval_gegenbauer(n - 1, 1.5, x), "Legendre polynomial", "-0.365"
)
eval_chebyt = _polynomial(
    "eval_chebyt",
    sp.eval_chebyt,
    lambda n, x: n * eval_gegenbauer(n - 1, 1.0, x),
    "Chebyshev polynomial of the first kind",
    "-0.82",
)
eval_chebyu = _polynomial("eval_chebyu", sp.eval_chebyu, _u_slope, "Chebyshev polynomial of the second kind", "-0.64")
eval_chebyc = _polynomial(
    "eval_chebyc",
    sp.eval_chebyc,
    lambda n, x: n * eval_gegenbauer(n - 1, 1.0, 0.5 * x),
    "Chebyshev polynomial of the first kind on [-2, 2]",
    "-1.91",
)
eval_chebys = _polynomial(
    "eval_chebys",
    sp.eval_chebys,
    lambda n, x: 0.5 * _u_slope(n, 0.5 * x),
    "Chebyshev polynomial of the second kind on [-2, 2]",
    "-0.91",
)
eval_laguerre = _polynomial(
    "eval_laguerre", sp.eval_laguerre, lambda n, x: -eval_genlaguerre(n - 1, 1.0, x), "Laguerre polynomial", "0.445"
)
eval_sh_legendre = _polynomial(
    "eval_sh_legendre",
    sp.eval_sh_legendre,
    lambda n, u: eval_gegenbauer(n - 1, 1.5, u),
    "Legendre polynomial shifted to [0, 1]",
    "-0.26",
    shifted=True,
)
eval_sh_chebyt = _polynomial(
    "eval_sh_chebyt",
    sp.eval_sh_chebyt,
    lambda n, u: n * eval_gegenbauer(n - 1, 1.0, u),
    "Chebyshev polynomial of the first kind shifted to [0, 1]",
    "-0.68",
    shifted=True,
)
eval_sh_chebyu = _polynomial(
    "eval_sh_chebyu",
    sp.eval_sh_chebyu,
    _u_slope,
    "Chebyshev polynomial of the second kind shifted to [0, 1]",
    "-0.36",
    shifted=True,
)


def _whole_degree(evaluate: Callable) -> Callable:
    """Of polynomials that SciPy has for integer degrees alone."""
    g = _of_degree(evaluate)
    return lambda n, x: g(n if type(n) is int else np.asarray(n).astype(np.int64), x)


eval_hermite = declare(
    "eval_hermite",
    _whole_degree(sp.eval_hermite),
    [_DEGREE, lambda y, n, x: 2.0 * n * eval_hermite(n - 1, x)],
    "Hermite polynomial of the physicists",
    {"n": "Degree, an integer.", **_ARGUMENT},
    ("2, 0.3", "-1.64"),
)
eval_hermitenorm = declare(
    "eval_hermitenorm",
    _whole_degree(sp.eval_hermitenorm),
    [_DEGREE, lambda y, n, x: n * eval_hermitenorm(n - 1, x)],
    "Hermite polynomial of the probabilists",
    {"n": "Degree, an integer.", **_ARGUMENT},
    ("2, 0.3", "-0.91"),
)


# --- Legendre functions --------------------------------------------------------------------------------------------
def legendre_p(n: Any, x: Any) -> Any:
    """The Legendre polynomial of degree n."""
    return eval_legendre(n, x)


def _factor(m: int) -> float:
    """(2m - 1)!!, by which the m-th derivative of a Legendre polynomial is a Gegenbauer polynomial."""
    return float(np.prod(np.arange(1.0, 2.0 * m, 2.0)))


def assoc_legendre_p(n: Any, m: Any, x: Any) -> Any:
    """The associated Legendre function of integer degree and order, with the phase of Condon and Shortley."""
    n, m = whole("assoc_legendre_p", "n", n), _order("assoc_legendre_p", n, m)
    size = abs(m)
    if size > n:
        return 0.0 * x
    scale = (-1.0) ** size * _factor(size)
    if m < 0:
        scale *= (-1.0) ** size / float(sp.poch(n - size + 1.0, 2.0 * size))
    square = (1.0 - x) * (1.0 + x)
    root = power(square, size // 2) if size % 2 == 0 else power(square, size // 2) * sqrt(square)
    y = eval_gegenbauer(n - size, size + 0.5, x)
    return scale * (root * y if size else y)


def _order(function: str, n: Any, m: Any) -> int:
    if isinstance(m, (int, np.integer)) and not isinstance(m, bool):
        return int(m)
    raise ArgumentError(f"special.{function}: m is an integer; got {m!r}")


def lpmv(m: Any, v: Any, x: Any) -> Any:
    """The associated Legendre function of integer order and degree in the order of SciPy's arguments."""
    if isinstance(v, float) and v.is_integer():
        v = int(v)
    return assoc_legendre_p(v, int(m) if isinstance(m, float) and m.is_integer() else m, x)


describe("legendre_p", legendre_p, "Legendre polynomial", {**_DEGREES, **_ARGUMENT}, ("2, 0.3", "-0.365"))
describe(
    "assoc_legendre_p",
    assoc_legendre_p,
    "Associated Legendre function, with the phase (-1)^m of Condon and Shortley",
    {"n": "Degree, a nonnegative integer.", "m": "Order, an integer.", "x": "Argument in [-1, 1]."},
    ("2, 1, 0.3", "-0.85854528"),
    notes="For odd m the derivative at -1 and 1 is infinite.",
)
describe(
    "lpmv",
    lpmv,
    "Associated Legendre function of order m and degree v, with the phase (-1)^m of Condon and Shortley",
    {"m": "Order, an integer.", "v": "Degree, a nonnegative integer.", "x": "Argument in [-1, 1]."},
    ("1, 2, 0.3", "-0.85854528"),
    notes="For odd m the derivative at -1 and 1 is infinite.",
)


# --- spherical harmonics -------------------------------------------------------------------------------------------
def _harmonic(n: Any, m: Any, theta: Any, phi: Any, k: int) -> Any:
    """The k-th derivative in theta, by steps of the order up and down, which have no pole at the poles."""
    n, m = np.asarray(n), np.asarray(m)
    weights: dict[int, Any] = {0: np.ones(np.broadcast(n, m).shape)}
    for _ in range(k):
        new: dict[int, Any] = {}
        for d, w in weights.items():
            j = m + d
            up = 0.5 * np.sqrt(np.maximum((n - j) * (n + j + 1.0), 0.0))
            down = -0.5 * np.sqrt(np.maximum((n + j) * (n - j + 1.0), 0.0))
            new[d + 1] = new.get(d + 1, 0.0) + w * up
            new[d - 1] = new.get(d - 1, 0.0) + w * down
        weights = new
    total: Any = 0.0
    for d, w in weights.items():
        inside = np.abs(m + d) <= n
        total = total + w * np.where(inside, sp.sph_harm_y(n, np.where(inside, m + d, 0), theta, 0.0).real, 0.0)
    # Beyond [0, pi] the values are those of the angle mirrored into it.
    return np.where(np.sin(theta) < 0, (-1.0) ** k, 1.0) * total * np.exp(1j * m * phi)


sph_harm_y_derivative = Primitive(
    "special.sph_harm_y_derivative",
    in_double(_harmonic),
    axes=ELEMENTWISE,
    partials=[
        refusal("sph_harm_y", "n", _DEGREE),
        refusal("sph_harm_y", "m", _DEGREE),
        lambda y, n, m, theta, phi, k: sph_harm_y_derivative(n, m, theta, phi, k=k + 1),
        lambda y, n, m, theta, phi, k: 1j * m * y,
    ],
)
DERIVATIVES["sph_harm_y"] = sph_harm_y_derivative


def _sph_harm_y(n: Any, m: Any, theta: Any, phi: Any) -> Any:
    y = sp.sph_harm_y(n, m, theta, phi)
    return y.astype(np.result_type(theta, phi, np.complex64)) if hasattr(theta, "dtype") else y


sph_harm_y = declare(
    "sph_harm_y",
    _sph_harm_y,
    [
        _DEGREE,
        _DEGREE,
        lambda y, n, m, theta, phi: sph_harm_y_derivative(n, m, theta, phi, k=1),
        lambda y, n, m, theta, phi: 1j * m * y,
    ],
    "Spherical harmonic of polar angle theta and azimuth phi; its result is complex",
    {
        "n": "Degree, a nonnegative integer.",
        "m": "Order, an integer.",
        "theta": "Polar angle in [0, pi].",
        "phi": "Azimuth, real.",
    },
    ("2, 1, 0.5, 0.3", "-0.31052117-0.09605545j"),
    complex=False,
)
