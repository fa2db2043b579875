"""Special functions of mpmath, and the points at which ours are held to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

HALF = mp.mpf(1) / 2
LOW, HIGH = mp.mpf(3) / 10, mp.mpf(3) / 2

REAL = (-7.3, -1.3, 0.2, 1.7, 20.0)
POSITIVE = (0.01, 0.5, 3.7, 40.0)
UNIT = (0.02, 0.5, 0.93)
COMPLEX = (0.3 + 0.4j, -2.3 + 1.1j)


def _spherical(f: Callable) -> Callable:
    return lambda n, x: mp.sqrt(mp.pi / (2 * x)) * f(n + HALF, x)


def _below(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


# name: (function of mpmath numbers, points)
ONE: dict[str, tuple[Callable, tuple]] = {
    "erf": (mp.erf, (*REAL[:4], *COMPLEX)),
    "erfc": (mp.erfc, (-1.3, 0.2, 1.7, 6.0, *COMPLEX)),
    "erfi": (mp.erfi, (-1.3, 0.2, 4.0, *COMPLEX)),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (-3.0, 0.0, 0.5, 3.0, 30.0, 1e4, *COMPLEX)),
    "wofz": (lambda z: mp.exp(-z * z) * mp.erfc(-1j * z), (0.3, 3.0, 50.0, *COMPLEX, 2 - 3j)),
    "dawsn": (lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), (-0.5, 3.0, -7.0, 50.0, *COMPLEX)),
    "erfinv": (mp.erfinv, (-0.9, 0.1, 0.6)),
    "erfcinv": (lambda x: mp.erfinv(1 - x), (0.1, 0.7, 1.4)),
    "ndtr": (lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, (-8.0, -1.0, 0.5, 3.0)),
    "log_ndtr": (lambda x: mp.log(mp.ncdf(x)), (-40.0, -10.0, -1.0, 0.5, 6.0)),
    "ndtri": (lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (0.1, 0.4, 0.9)),
    "ndtri_exp": (lambda x: mp.sqrt(2) * mp.erfinv(2 * mp.exp(x) - 1), (-1.0, -5.0, -0.1)),
    "gamma": (mp.gamma, (*REAL, *COMPLEX)),
    "gammaln": (lambda x: mp.re(mp.loggamma(x)), (*REAL, 1e5)),
    "loggamma": (mp.loggamma, (0.2, 20.0, *COMPLEX)),
    "rgamma": (mp.rgamma, (*REAL, 0.0, -1.0, -5.0, *COMPLEX)),
    "digamma": (mp.digamma, (*REAL, 1.46, *COMPLEX, -80.3 + 2j)),
    "expi": (mp.ei, (-1.3, 0.2, 20.0, *COMPLEX)),
    "exp1": (mp.e1, (0.2, 1.7, 20.0, 0.3 + 0.4j)),
    "exprel": (lambda x: mp.expm1(x) / x, (-1e3, -30.0, -1.0, 1e-8, 0.5, 9.0, 20.0, 700.0)),
    "cosm1": (lambda x: -2 * mp.sin(x / 2) ** 2, (1e-8, 0.5, 3.0)),
    "exp10": (lambda x: mp.mpf(10) ** x, REAL),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), (-40.0, 0.3, 40.0)),
    "log_expit": (lambda x: -mp.log1p(mp.exp(-x)), (-40.0, 0.3, 30.0)),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), (-40.0, 0.3, 40.0)),
    "logit": (lambda x: mp.log(x / (1 - x)), UNIT),
    "entr": (lambda x: -x * mp.log(x), POSITIVE),
    "lambertw": (mp.lambertw, (0.0, 0.5, 10.0, -0.2, 1 + 1j)),
    "wrightomega": (lambda z: mp.lambertw(mp.exp(z)), (-3.0, 0.5, 10.0)),
    "j0": (lambda x: mp.besselj(0, x), POSITIVE),
    "j1": (lambda x: mp.besselj(1, x), POSITIVE),
    "y0": (lambda x: mp.bessely(0, x), (0.5, 3.7)),
    "i0": (lambda x: mp.besseli(0, x), POSITIVE),
    "i1": (lambda x: mp.besseli(1, x), POSITIVE),
    "k0": (lambda x: mp.besselk(0, x), (3.7,)),
    "i0e": (lambda x: mp.exp(-x) * mp.besseli(0, x), (0.5, 3.7, 20.0, 40.0, 1e3)),
    "ellipk": (mp.ellipk, (0.0, 0.3, 0.9, -5.0)),
    "ellipe": (mp.ellipe, (0.0, 0.3, 0.9, -5.0)),
    "ellipkm1": (lambda p: mp.ellipk(1 - p), (1e-3, 0.3, 0.9)),
    "spence": (lambda z: mp.polylog(2, 1 - z), (0.2, 1.0, 1.7)),
    "zeta": (mp.zeta, (1.1, 2.0, 20.0)),
    "factorial": (lambda x: mp.gamma(x + 1), (0.0, 3.5)),
}

# (name, arguments before, mpmath function of the argument, points)
WITH_PARAMETERS: list[tuple[str, tuple, Callable, tuple]] = [
    ("jv", (0,), lambda x: mp.besselj(0, x), (0.5, 3.7, 40.0, *COMPLEX)),
    ("jv", (1.5,), lambda x: mp.besselj(1.5, x), POSITIVE),
    ("yv", (1.5,), lambda x: mp.bessely(1.5, x), POSITIVE),
    ("iv", (2,), lambda x: mp.besseli(2, x), (0.5, 3.7, *COMPLEX)),
    ("kv", (1.5,), lambda x: mp.besselk(1.5, x), POSITIVE),
    ("ive", (1.5,), lambda x: mp.exp(-x) * mp.besseli(1.5, x), (0.5, 3.7, 10.0, 29.0, 40.0, 1e3)),
    ("ive", (2,), lambda x: mp.exp(-x) * mp.besseli(2, x), (0.5, 3.7, 10.0, 20.0, 29.0, 40.0)),
    ("kve", (1.5,), lambda x: mp.exp(x) * mp.besselk(1.5, x), (0.5, 1.1, 3.7, 20.0, 40.0, 1e3, 10 - 30j)),
    ("hankel1", (1.5,), lambda x: mp.hankel1(1.5, x), (0.5, 40.0, 0.3 + 0.4j)),
    ("hankel1e", (1.5,), lambda x: mp.exp(-1j * x) * mp.hankel1(1.5, x), (0.5, 40.0, 0.3 + 0.4j)),
    ("spherical_jn", (2,), lambda x: _spherical(mp.besselj)(2, x), (0.5, 3.7, 40.0)),
    ("spherical_yn", (2,), lambda x: _spherical(mp.bessely)(2, x), (0.5, 3.7)),
    ("spherical_in", (2,), lambda x: _spherical(mp.besseli)(2, x), (0.5, 3.7)),
    ("spherical_kn", (2,), lambda x: _spherical(mp.besselk)(2, x), (0.5, 3.7)),
    ("expn", (3,), lambda x: mp.expint(3, x), (0.5, 3.7)),
    ("polygamma", (1,), lambda x: mp.psi(1, x), (*REAL, *COMPLEX)),
    ("polygamma", (3,), lambda x: mp.psi(3, x), (0.2, 20.0, -3 + 5j)),
    ("gammainc", (2.0,), lambda x: mp.gammainc(2, 0, x, regularized=True), (0.1, 2.0, 20.0)),
    ("gammaincc", (30.0,), lambda x: mp.gammainc(30, x, regularized=True), (10.0, 28.0, 45.0)),
    ("betainc", (2.0, 3.0), lambda x: _below(2, 3, x), UNIT),
    ("betainc", (30.0, 50.0), lambda x: _below(30, 50, x), (0.2, 0.375, 0.6)),
    ("eval_legendre", (5,), lambda x: mp.legendre(5, x), (0.3, 1.0, -1.0)),
    ("eval_chebyt", (5,), lambda x: mp.chebyt(5, x), (0.3, 1.0)),
    ("eval_chebyu", (5,), lambda x: mp.chebyu(5, x), (0.3, 1.0)),
    ("eval_chebyc", (5,), lambda x: 2 * mp.chebyt(5, x / 2), (0.3,)),
    ("eval_chebys", (5,), lambda x: mp.chebyu(5, x / 2), (0.3,)),
    ("eval_hermite", (5,), lambda x: mp.hermite(5, x), (0.3, 2.0)),
    ("eval_hermitenorm", (5,), lambda x: 2 ** (-mp.mpf(5) / 2) * mp.hermite(5, x / mp.sqrt(2)), (0.3, 2.0)),
    ("eval_laguerre", (5,), lambda x: mp.laguerre(5, 0, x), (0.3, 2.0)),
    ("eval_genlaguerre", (5, 0.5), lambda x: mp.laguerre(5, HALF, x), (0.3, 2.0)),
    ("eval_gegenbauer", (5, 0.5), lambda x: mp.gegenbauer(5, HALF, x), (0.3, 1.0)),
    ("eval_jacobi", (4, 0.5, 1.5), lambda x: mp.jacobi(4, HALF, 3 * HALF, x), (0.3, 1.0)),
    ("eval_sh_legendre", (5,), lambda x: mp.legendre(5, 2 * x - 1), (0.3, 1.0)),
    ("eval_sh_chebyt", (5,), lambda x: mp.chebyt(5, 2 * x - 1), (0.3, 1.0)),
    ("eval_sh_chebyu", (5,), lambda x: mp.chebyu(5, 2 * x - 1), (0.3, 1.0)),
    ("assoc_legendre_p", (3, 2), lambda x: 15 * x * (1 - x * x), (0.3, -0.6)),
    ("assoc_legendre_p", (4, -1), lambda x: (7 * x**3 - 3 * x) * mp.sqrt(1 - x * x) / 8, (0.3, -0.6)),
    ("hyp0f1", (1.5,), lambda x: mp.hyp0f1(1.5, x), (0.7, -3.0, 1 + 1j)),
    ("hyp1f1", (0.5, 1.5), lambda x: mp.hyp1f1(HALF, 3 * HALF, x), (0.7, -3.0, 1 + 1j)),
    ("hyperu", (0.5, 1.5), lambda x: mp.hyperu(HALF, 3 * HALF, x), (0.7, 3.0)),
    ("hyp2f1", (0.5, 1.0, 1.5), lambda x: mp.hyp2f1(HALF, 1, 3 * HALF, x), (0.3, -3.0)),
    ("elliprf", (1.0, 2.0), lambda x: mp.elliprf(1, 2, x), (0.5, 3.0)),
    ("elliprd", (1.0, 2.0), lambda x: mp.elliprd(1, 2, x), (0.5, 3.0)),
    ("elliprj", (1.0, 2.0, 3.0), lambda x: mp.elliprj(1, 2, 3, x), (4.0,)),
    ("elliprg", (1.0, 2.0), lambda x: mp.elliprg(1, 2, x), (0.5, 3.0)),
    ("elliprc", (1.0,), lambda x: mp.elliprc(1, x), (0.5, 3.0)),
    ("ellipkinc", (0.7,), lambda m: mp.ellipf(mp.mpf(0.7), m), (0.0, 0.3, 0.9, -5.0)),
    ("ellipeinc", (0.7,), lambda m: mp.ellipe(mp.mpf(0.7), m), (0.0, 0.3, 0.9, -5.0)),
    ("binom", (2.0,), lambda k: 2 * mp.rgamma(k + 1) * mp.rgamma(3 - k), (0.5, 2.0, 3.0, -1.0)),
    ("struve", (0.5,), lambda x: mp.struveh(HALF, x), (0.5, 3.7)),
    ("modstruve", (0.5,), lambda x: mp.struvel(HALF, x), (0.5, 3.7)),
    ("powm1", (1.5,), lambda y: mp.expm1(y * mp.log(1.5)), (1e-9, 0.5)),
    ("boxcox", (1.5,), lambda p: mp.expm1(p * mp.log(1.5)) / p, (1e-9, 0.5)),
    ("inv_boxcox", (0.8,), lambda p: mp.exp(mp.log1p(p * mp.mpf(0.8)) / p), (1e-9, 0.5)),
    ("beta", (2.5,), lambda b: mp.beta(2.5, b), (0.5, 3.7)),
    ("betaln", (2.5,), lambda b: mp.log(mp.beta(2.5, b)), (0.5, 3.7)),
    ("poch", (1.5,), lambda m: mp.rf(1.5, m), (0.5, 3.7)),
    ("zeta", (2.5,), lambda q: mp.zeta(2.5, q), (0.5, 20.0)),
]

# name: (functions of mpmath for the results, points)
SEVERAL: dict[str, tuple[tuple, tuple]] = {
    "airye": (
        (
            lambda x: mp.exp(2 * x * mp.sqrt(x) / 3) * mp.airyai(x),
            lambda x: mp.exp(2 * x * mp.sqrt(x) / 3) * mp.airyai(x, derivative=1),
            lambda x: mp.exp(-2 * x * mp.sqrt(x) / 3) * mp.airybi(x),
            lambda x: mp.exp(-2 * x * mp.sqrt(x) / 3) * mp.airybi(x, derivative=1),
        ),
        (0.5, 3.0),
    ),
    "sici": ((mp.si, mp.ci), (0.5, 20.0, 0.3 + 0.4j)),
    "shichi": ((mp.shi, mp.chi), (0.5, 5.0)),
    "fresnel": ((mp.fresnels, mp.fresnelc), (0.5, 3.0, 0.3 + 0.4j)),
    "airy": (
        (mp.airyai, lambda x: mp.airyai(x, derivative=1), mp.airybi, lambda x: mp.airybi(x, derivative=1)),
        (0.0, 0.5, -4.0, 5.0, 1 + 2j),
    ),
}
