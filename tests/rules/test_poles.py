"""Points where a derivative is infinite: an exact zero wins there in every mode, and what is not determined is nan.

Every primitive that is declared singular has a row, so that a mark cannot be lost.
"""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.primitive import PRIMITIVES
from tests.rules.table import modules

# primitive: (function of one number, a point where its derivative is infinite, or where it masks one that is)
POLES = {
    "log": (ss.log, 0.0),
    "log2": (ss.log2, 0.0),
    "log10": (ss.log10, 0.0),
    "log1p": (ss.log1p, -1.0),
    "asin": (ss.asin, 1.0),
    "acos": (ss.acos, 1.0),
    "acosh": (ss.acosh, 1.0),
    "atanh": (ss.atanh, 1.0),
    "cbrt": (ss.cbrt, 0.0),
    "sqrt": (ss.sqrt, 0.0),
    "div": (lambda x: 1.0 / x, 0.0),
    "power": (lambda x: x ** ss.asarray(0.7), 0.0),
    "exp": (ss.exp, 1000.0),
    "exp2": (ss.exp2, 2000.0),
    "expm1": (ss.expm1, 1000.0),
    "sinh": (ss.sinh, 1000.0),
    "cosh": (ss.cosh, 1000.0),
}
# Singular for complex numbers only, or in a way that the other tests of this folder try.
ELSEWHERE = {
    *(
        "atan",
        "asinh",
        "atan2",
        "direction",
        "near_angle",
        "angle_slope",
        "sec_asin",
        "acosh_slope",
        "norm",
        "logaddexp",
        "xlogy",
        "general_power",
        "zmul",
        "zmatmul",
        "where",
    ),
    *("read", "put", "gather", "scatter", "max", "min"),
    *("cummax", "cummin", "interp", "logaddexp2", "ranked", "roots", "segment_max", "segment_min"),  # of everyday work
}
for _module in modules():  # of functions whose rows are in a module of their own
    POLES |= getattr(_module, "POLES", {})
    ELSEWHERE |= getattr(_module, "SINGULAR_ELSEWHERE", set())


def test_every_singular_primitive_has_a_row():
    # a function that is one step of a program is as its parts are
    singular = {name for name, prim in PRIMITIVES.items() if prim.singular and not name.endswith(".step")}
    assert singular - ELSEWHERE == set(POLES)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", POLES)
def test_a_zero_cotangent_wins_over_an_infinite_slope(name):
    f, x = POLES[name]

    def dropped(x):
        return ss.sum(0.0 * (f(x) - 1.0)[:0]) + x

    def weighted(w):
        return lambda x: ss.sum(w * f(x))

    zero = ss.zeros(1)
    x = ss.asarray([x])
    assert ad.vjp(f, x)[1](zero)[0].tolist() == [0.0]
    assert ss.jit(lambda x: ad.vjp(f, x)[1](zero)[0])(x).tolist() == [0.0]
    assert ad.grad(lambda x: ss.sum(dropped(x)))(x).tolist() == [1.0]
    assert not np.isfinite(ad.grad(weighted(1.0))(x)).any()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
# A root of zeros as far as they are carried is a root of what comes later: unknown, and nan from order 2.
@pytest.mark.parametrize(("name", "order"), [(n, k) for n in POLES for k in (1, 3) if (n, k) != ("sqrt", 3)])
def test_a_zero_tangent_wins_over_an_infinite_slope(name, order):
    f, x = POLES[name]
    x, v = ss.asarray([x, x]), ss.asarray([0.0, 1.0])
    for g in (f, ss.jit(f)):
        c = ad.taylor(g, x, v, order)
        assert [float(t[0]) for t in c[1:]] == [0.0] * order
        assert not np.isfinite(c[1][1])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "f",
    [
        lambda x: ss.acos(1.0 - x * x),  # sqrt(2) abs(x)
        lambda x: ss.acosh(1.0 + x * x),
        lambda x: ss.asin(1.0 - x * x),
        lambda x: ss.cbrt(x * x),
        lambda x: ss.log(x * x),
        lambda x: ss.log1p(x * x - 1.0),
        lambda x: ss.atanh(1.0 - x * x),
    ],
)
def test_a_series_that_stands_still_at_a_pole_is_nan_and_not_zero(f):
    assert np.isnan(ad.derivative(f, 2)(0.0))
    assert np.isnan(ad.derivative(lambda x: f(x) ** 2, 2)(0.0))
    assert np.isnan(ss.jit(ad.derivative(f, 2))(0.0))
    away = ad.derivative(f, 2)(ss.asarray([0.0, 0.3]))
    assert np.isnan(away[0])
    assert np.isclose(away[1], ad.derivative(f, 2)(0.3), rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("divisor", [2, 3.0, -0.5, 2j, np.float32(7.0)])
def test_division_by_a_number_is_not_singular(divisor):
    grad = ss.jit(ad.grad(lambda x: ss.real(ss.sum(ss.tanh(x) * ss.sin(x) / divisor)))).lower(np.ones(3))
    assert grad.graph.count("zmul") <= 1  # the quotient's own


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("divisor", [0, 0.0, -0.0, 1e-320, np.inf, np.nan])
def test_division_by_a_number_that_gives_infinite_slopes_is(divisor):
    zero = ss.zeros(1)
    got = ad.vjp(lambda x: (x * 2.0) / divisor, zero)[1](zero)[0]
    assert got.tolist() == [0.0]
