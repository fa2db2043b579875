"""Points where special functions have poles, branch points or removable singularities, and gaps that are errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, DerivativeError, DTypeError
from scisim.core.primitive import PRIMITIVES
from scisim.ops._special.declare import FUNCTIONS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
sp = getattr(ss, "special")  # noqa: B009 - loads the declarations
INF, NAN = math.inf, math.nan
WAYS = {
    "forward": lambda f: lambda x: ad.jvp(f, x, 1.0)[1],
    "reverse": ad.grad,
    "Taylor": lambda f: lambda x: ad.taylor(f, x, 1.0, 4)[1],
    "compiled": lambda f: ss.jit(ad.grad(f)),
    "compiled Taylor": lambda f: ss.jit(lambda x: ad.taylor(f, x, 1.0, 2)[1]),
}
ways = pytest.mark.parametrize("way", WAYS)


# --- values beside derivatives -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "x"),
    [("expm1", 1e-12), ("log1p", 1e-12), ("erfc", 6.0), ("erfcx", 30.0), ("log_ndtr", -40.0), ("j1", 1e-9)],
)
def test_values_beside_a_derivative_are_those_of_the_plain_call(name, x):
    f = getattr(sp, name)
    plain = float(f(x))
    assert float(ad.taylor(f, x, 1.0, 4)[0]) == plain
    assert float(ad.jvp(f, x, 1.0)[0]) == plain
    assert float(ad.value_and_grad(f)(x)[0]) == plain


# --- infinite derivatives, and those that are 0 --------------------------------------------------------------------
@ways
@pytest.mark.parametrize(
    ("f", "x", "want"),
    [
        (lambda x: sp.xlogy(x, x), 0.0, -INF),
        (lambda y: sp.xlogy(0.0, y), 0.0, 0.0),
        (lambda y: sp.xlog1py(0.0, y), -1.0, 0.0),
        (lambda y: sp.rel_entr(0.0, y), 0.0, 0.0),
        (lambda x: sp.rel_entr(x, 1.0), 0.0, -INF),
        (lambda x: sp.kl_div(x, 1.0), 0.0, -INF),
        (sp.entr, 0.0, INF),
        (sp.erfinv, 1.0, INF),
        (sp.erfcinv, 0.0, -INF),
        (sp.ndtri, 0.0, INF),
        (sp.logit, 1.0, INF),
        (sp.ellipk, 1.0, INF),
        (sp.ellipe, 1.0, -INF),
        (sp.ellipkm1, 0.0, -INF),
        (sp.log_ndtr, 40.0, 0.0),
        (sp.expit, 800.0, 0.0),
        (sp.exp1, INF, 0.0),
        (lambda p: sp.gammaincinv(2.0, p), 0.0, INF),
        (lambda p: sp.gammaincinv(1.0, p), 0.0, 1.0),
    ],
)
def test_derivatives_at_ends(f, x, want, way):
    got = float(WAYS[way](f)(x))
    assert got == want or abs(got - want) < 4e-16


@ways
@pytest.mark.parametrize("f", [sp.gamma, sp.digamma, sp.gammaln, sp.loggamma], ids=["gamma", "psi", "gammaln", "log"])
def test_at_poles_there_is_no_derivative(f, way):
    assert not np.isfinite(float(WAYS[way](f)(-2.0)))


# --- removable singularities ---------------------------------------------------------------------------------------
REMOVABLE = {
    "j1": (sp.j1, [0, 1 / 2, 0, -1 / 16, 0]),
    "jv(2)": (lambda x: sp.jv(2, x), [0, 0, 1 / 8, 0, -1 / 96]),
    "iv(1)": (lambda x: sp.iv(1, x), [0, 1 / 2, 0, 1 / 16, 0]),
    "spherical_jn(0)": (lambda x: sp.spherical_jn(0, x), [1, 0, -1 / 6, 0, 1 / 120]),
    "spherical_jn(2)": (lambda x: sp.spherical_jn(2, x), [0, 0, 1 / 15, 0, -1 / 210]),
    "spherical_in(1)": (lambda x: sp.spherical_in(1, x), [0, 1 / 3, 0, 1 / 30, 0]),
    "exprel": (sp.exprel, [1, 1 / 2, 1 / 6, 1 / 24, 1 / 120]),
    "sine integral": (lambda x: sp.sici(x)[0], [0, 1, 0, -1 / 18, 0]),
    "shi": (lambda x: sp.shichi(x)[0], [0, 1, 0, 1 / 18, 0]),
    "rgamma": (sp.rgamma, [0, 1, np.euler_gamma]),
    "lambertw": (lambda x: ss.real(sp.lambertw(x)), [0, 1, -1, 3 / 2, -8 / 3]),
    "ellipk": (sp.ellipk, [math.pi / 2 * c for c in (1, 1 / 4, 9 / 64, 25 / 256, 1225 / 16384)]),
    "ellipe": (sp.ellipe, [math.pi / 2 * c for c in (1, -1 / 4, -3 / 64, -5 / 256, -175 / 16384)]),
    "boxcox": (lambda p: sp.boxcox(math.e, p), [1, 1 / 2, 1 / 6, 1 / 24, 1 / 120]),
    "gammainc(1)": (lambda x: sp.gammainc(1.0, x), [0, 1, -1 / 2, 1 / 6, -1 / 24]),
    "gammainc(3)": (lambda x: sp.gammainc(3.0, x), [0, 0, 0, 1 / 6, -1 / 8]),
}


@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: ss.jit(f)], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", REMOVABLE)
def test_removable_singularities(name, wrap):
    f, want = REMOVABLE[name]
    series = wrap(lambda x: ss.stack(ad.taylor(f, x, ss.ones_like(x), 4)))(ss.asarray(0.0))
    np.testing.assert_allclose(np.asarray(series)[: len(want)], want, rtol=1e-14, atol=1e-15)


def test_spherical_harmonics_are_smooth_at_the_poles():
    got = ss.stack(ad.taylor(lambda t: ss.real(sp.sph_harm_y(2, 2, t, 0.0)), 0.0, 1.0, 4))
    factor = math.sqrt(15 / (32 * math.pi))
    np.testing.assert_allclose(got, [0, 0, factor, 0, -factor / 3], atol=1e-15)


def test_the_kink_of_a_scaled_function_has_no_second_derivative():
    first, second = ad.taylor(sp.i0e, 0.0, 1.0, 2)[1:]
    assert float(first) == 0.0
    assert np.isnan(float(second))
    assert not np.isfinite(float(ad.grad(lambda x: sp.ive(0.5, x))(0.0)))


# --- tails ---------------------------------------------------------------------------------------------------------
def test_slopes_in_tails():
    assert float(ad.grad(sp.expit)(40.0)) == pytest.approx(math.exp(-40.0), rel=1e-15)
    assert float(ad.grad(sp.log_ndtr)(-40.0)) == pytest.approx(40.0249688472072, rel=1e-14)
    assert float(ad.grad(sp.erfc)(20.0)) == pytest.approx(-2 / math.sqrt(math.pi) * math.exp(-400.0), rel=1e-15)
    assert float(ad.grad(lambda x: sp.gammaincc(2.0, x))(300.0)) == pytest.approx(-300 * math.exp(-300.0), rel=1e-13)


# --- gaps are errors -----------------------------------------------------------------------------------------------
GAPS = [(name, k) for name, f in FUNCTIONS.items() for k in f.gaps if name not in ("lambertw", "sph_harm_y")]


@pytest.mark.parametrize(("name", "operand"), GAPS)
def test_a_derivative_that_does_not_exist_is_an_error(name, operand):
    names = [k for k in FUNCTIONS[name].operands if not (name.endswith("vp") and k == "n")]
    k = names.index(operand)

    def f(x):
        args = [1.0 if i == k else 0.4 for i in range(len(names))]
        args[k] = x
        return ss.real(getattr(sp, name)(*args))

    for way in (ad.grad(f), lambda x: ad.jvp(f, x, 1.0), ss.jit(ad.grad(f)), lambda x: ad.taylor(f, x, 1.0, 2)):
        with pytest.raises(DerivativeError, match=r"no derivative with respect to .*stop_gradient"):
            way(1.0)


def test_second_derivatives_in_the_parameter_of_incomplete_functions_are_errors():
    for f in (lambda a: sp.gammainc(a, 0.7), lambda a: sp.betainc(a, 2.0, 0.3), lambda b: sp.betainc(2.0, b, 0.3)):
        assert np.isfinite(float(ad.grad(f)(1.5)))
        with pytest.raises(DerivativeError, match="only the first derivative"):
            ad.grad(ad.grad(f))(1.5)


def test_arguments_that_must_be_integers():
    with pytest.raises(ArgumentError, match="assoc_legendre_p: n is an integer"):
        sp.assoc_legendre_p(2.5, 1, 0.3)
    with pytest.raises(ArgumentError, match="multigammaln: d is the dimension"):
        sp.multigammaln(3.0, 2.5)


def counted(prims, run):
    """How often these primitives are evaluated."""
    calls = []

    def watch(evaluate):
        return lambda *args, **params: calls.append(1) or evaluate(*args, **params)

    before = [p.evaluate for p in prims]
    try:
        for p in prims:
            p.evaluate = watch(p.evaluate)
        run()
    finally:
        for p, evaluate in zip(prims, before, strict=True):
            p.evaluate = evaluate
    return len(calls)


@pytest.mark.parametrize(
    ("names", "f"),
    [
        (("jv", "jv_derivative"), lambda x: sp.jv(0.5, x)),
        (("eval_gegenbauer",), lambda x: sp.eval_gegenbauer(20, 0.5, x)),
        (("hyp2f1",), lambda x: sp.hyp2f1(0.5, 1.0, 1.5, x)),
        (("gamma_density", "gammainc"), lambda x: sp.gammainc(20.5, x)),
        (("ive", "ive_derivative"), lambda x: sp.ive(0.5, x)),
    ],
)
def test_evaluations_grow_with_the_order_of_a_series_and_no_faster(names, f):
    prims = [PRIMITIVES[f"special.{n}"] for n in names]
    assert counted(prims, lambda: ad.taylor(f, 0.7, 1.0, 12)) <= 14


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
@pytest.mark.parametrize("name", ["erf", "gamma", "wofz", "exp1", "fresnel", "j0", "gammaln"])
def test_low_precision_stays(name, dtype):
    if dtype == "complex64" and not FUNCTIONS[name].complex:
        with pytest.raises(DTypeError, match=name):
            getattr(sp, name)(np.ones(2, dtype))
        return
    out = getattr(sp, name)(ss.asarray(np.full(2, 0.5, dtype)))
    for y in out if isinstance(out, tuple) else (out,):
        assert y.dtype == ("complex64" if name == "wofz" else dtype)


def test_the_factorial_of_nan_is_nan():
    assert np.isnan(ss.special.factorial(np.nan).item())
    assert ss.special.factorial([-1, 0, 3]).tolist() == [0.0, 1.0, 6.0]
