"""Values within 8 ulp of mpmath, or as near as SciPy's; derivatives to order 4 from the Taylor series at each point."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

import scisim as ss
from scisim import autodiff as ad
from tests.ops.special.references import ONE, SEVERAL, WITH_PARAMETERS

EPS = np.finfo(float).eps
CASES = [
    *((name, (), f, x) for name, (f, xs) in ONE.items() for x in xs),
    *((name, before, f, x) for name, before, f, xs in WITH_PARAMETERS for x in xs),
]
LABELS = [f"{name}{before or ''} at {x}" for name, before, _, x in CASES]
SCIPY: dict[str, Any] = {
    "assoc_legendre_p": lambda n, m, x: scipy.special.lpmv(m, n, x),
    "polygamma": lambda n, x: None if isinstance(x, complex) else scipy.special.polygamma(n, x),
}
LOST = 1e4  # units of rounding that derivatives may lose where the terms of their formula cancel


def number(x: Any) -> Any:
    x = np.asarray(x)[()]
    return mpmath.mpmathify(complex(x) if np.iscomplexobj(x) else float(x))


def hold(coefficients: list, wanted: list, theirs: Any) -> None:
    """The value, and the coefficients of the series beside it."""
    value = wanted[0]
    error = abs(number(coefficients[0]) - value)
    bar = 0.0 if theirs is None else abs(number(theirs) - value)
    assert error <= max(8 * EPS * abs(value), bar), (coefficients[0], value)
    size = max(map(abs, wanted))
    for k, (got, want) in enumerate(zip(coefficients, wanted, strict=True)):
        assert abs(number(got) - want) <= EPS * (LOST * abs(want) + 64 * size), (k, got, want)


@pytest.mark.parametrize(("name", "before", "exact", "x"), CASES, ids=LABELS)
def test_series_equal_those_of_mpmath(name, before, exact, x):
    f = getattr(ss.special, name)
    theirs = SCIPY.get(name) or getattr(scipy.special, name)
    with mpmath.workdps(30):
        wanted = mpmath.taylor(exact, number(x), 4)
        hold(ad.taylor(lambda x: f(*before, x), x, 1.0, 4), wanted, theirs(*before, x))


@pytest.mark.parametrize(("name", "x"), [(n, x) for n, (_, xs) in SEVERAL.items() for x in xs])
def test_functions_of_several_results(name, x):
    series = ad.taylor(getattr(ss.special, name), x, 1.0, 4)
    theirs = getattr(scipy.special, name)(x)
    for k, exact in enumerate(SEVERAL[name][0]):
        with mpmath.workdps(30):
            hold([c[k] for c in series], mpmath.taylor(exact, number(x), 4), theirs[k])


@pytest.mark.parametrize("k", range(3))
@pytest.mark.parametrize(("u", "m"), [(0.7, 0.01), (0.7, 0.3), (1.5, 0.9)])
def test_jacobi_functions_in_both_operands(k, u, m):
    name, sp = ("sn", "cn", "dn")[k], ss.special
    with mpmath.workdps(30):
        for f, exact, x in (
            (lambda x: sp.ellipj(x, m)[k], lambda x: mpmath.ellipfun(name, x, m=mpmath.mpf(m)), u),
            (lambda x: sp.ellipj(u, x)[k], lambda x: mpmath.ellipfun(name, mpmath.mpf(u), m=x), m),
        ):
            hold(ad.taylor(f, x, 1.0, 4), mpmath.taylor(exact, number(x), 4), scipy.special.ellipj(u, m)[k])


@pytest.mark.parametrize(("n", "m"), [(3, 2), (3, 1), (4, -2), (5, 0)])
def test_spherical_harmonics(n, m):
    phi = 0.3
    for theta in (0.3, 2.0):
        with mpmath.workdps(30):
            exact = lambda t: mpmath.spherharm(n, m, t, mpmath.mpf(phi))
            series = ad.taylor(lambda t: ss.special.sph_harm_y(n, m, t, phi), theta, 1.0, 4)
            hold(series, mpmath.taylor(exact, number(theta), 4), scipy.special.sph_harm_y(n, m, theta, phi))


@pytest.mark.parametrize(("n", "m"), [(3, 2), (3, 1), (2, 0)])
@pytest.mark.parametrize("mirror", [lambda t: -t, lambda t: 2 * np.pi - t])
def test_spherical_harmonics_of_mirrored_angles(n, m, mirror):
    """Outside [0, pi] the value is that of the mirrored angle, and derivatives of odd order change their sign."""
    f = lambda t: ss.special.sph_harm_y(n, m, t, 0.3)
    want = ad.taylor(f, 0.7, 1.0, 4)
    for k, got in enumerate(ad.taylor(f, mirror(0.7), 1.0, 4)):
        np.testing.assert_allclose(got, (-1) ** k * np.asarray(want[k]), rtol=1e-12)


def slope(f: Any, x: float) -> Any:
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -20
        return (f(mpmath.mpf(x) + h) - f(mpmath.mpf(x) - h)) / (2 * h)


@pytest.mark.parametrize("x", [0.1, 2.0, 20.0, 45.0])
@pytest.mark.parametrize("a", [0.003, 0.3, 2.0, 30.0])
def test_incomplete_gamma_in_its_parameter(a, x):
    ends = (0, mpmath.mpf(x)) if x < a else (mpmath.mpf(x), mpmath.inf)
    want = (1 if x < a else -1) * slope(lambda a: mpmath.gammainc(a, *ends, regularized=True), a)
    for f, sign in ((ss.special.gammainc, 1), (ss.special.gammaincc, -1)):
        got = number(ad.grad(lambda a, f=f: f(a, x))(a))
        assert abs(got - sign * want) <= 1e3 * EPS * abs(want)


@pytest.mark.parametrize("x", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("a", [0.03, 2.0, 30.0])
def test_incomplete_beta_in_its_parameters(a, x):
    exact = lambda a, b: mpmath.betainc(a, b, 0, mpmath.mpf(x), regularized=True)
    for f, want in (
        (lambda a: ss.special.betainc(a, 3.0, x), slope(lambda a: exact(a, 3), a)),
        (lambda b: ss.special.betainc(3.0, b, x), slope(lambda b: exact(3, b), a)),
    ):
        assert abs(number(ad.grad(f)(a)) - want) <= 1e3 * EPS * abs(want)


@pytest.mark.parametrize("s", [0.5, 1.5, 4.0])
def test_zeta_in_its_exponent(s):
    for q in (0.3, 2.5):
        with mpmath.workdps(30):
            want = [mpmath.zeta(s, mpmath.mpf(q), k) / mpmath.factorial(k) for k in range(1, 4)]
        series = ad.taylor(lambda s, q=q: ss.special.zeta(s, q), s, 1.0, 3)[1:]
        for got, w in zip(series, want, strict=True):
            assert abs(number(got) - w) <= 1e3 * EPS * abs(w)


@pytest.mark.parametrize("name", ["erf", "erfc", "expit"])
def test_compiled_expressions(name):
    """Where a compiled program has an expression of its own."""
    x = np.concatenate([np.linspace(-6, 6, 41), [1e-9, 0.5, 9.0, 20.0, 26.0]])
    exact = {"erf": mpmath.erf, "erfc": mpmath.erfc, "expit": lambda x: 1 / (1 + mpmath.exp(-x))}[name]
    got = np.asarray(ss.jit(getattr(ss.special, name))(x))
    with mpmath.workdps(40):
        want = [exact(mpmath.mpf(float(v))) for v in x]
        assert all(abs(number(g) - w) <= 4 * EPS * abs(w) for g, w in zip(got, want, strict=True))
