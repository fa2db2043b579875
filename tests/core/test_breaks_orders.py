"""Derivatives to order 20, and mixed partials in three variables, against mpmath."""

import mpmath
import pytest

import scisim as ss
from scisim import autodiff as ad

mpmath.mp.dps = 50
FUNCTIONS = {
    "tanh": (ss.tanh, mpmath.tanh),
    "exp(sin(x))": (lambda x: ss.exp(ss.sin(x)), lambda x: mpmath.exp(mpmath.sin(x))),
    "1 / (1 + x^2)": (lambda x: 1 / (1 + x * x), lambda x: 1 / (1 + x * x)),
    "log": (ss.log, mpmath.log),
    "sqrt": (ss.sqrt, mpmath.sqrt),
    "x^2.5": (lambda x: x**2.5, lambda x: x ** mpmath.mpf(2.5)),
    "x^-3": (lambda x: x**-3, lambda x: x**-3),
    "x^x": (lambda x: x**x, lambda x: x**x),
    "2^x": (lambda x: 2.0**x, lambda x: mpmath.mpf(2) ** x),
    "atan": (ss.atan, mpmath.atan),
    "asinh": (ss.asinh, mpmath.asinh),
    "sigmoid": (ss.sigmoid, lambda x: 1 / (1 + mpmath.exp(-x))),
    "sinc": (ss.sinc, lambda x: mpmath.sin(mpmath.pi * x) / (mpmath.pi * x)),
    "hypot": (lambda x: ss.hypot(x, 1.0), lambda x: mpmath.sqrt(x * x + 1)),
    "logaddexp": (lambda x: ss.logaddexp(x, 2 * x), lambda x: mpmath.log(mpmath.exp(x) + mpmath.exp(2 * x))),
    "cbrt": (ss.cbrt, lambda x: mpmath.root(x, 3)),
    "abs": (lambda x: ss.abs(ss.sin(x)), mpmath.sin),
}
AT = 0.7


@pytest.mark.parametrize(("f", "reference"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_every_order_to_twenty(f, reference):
    want = mpmath.taylor(reference, mpmath.mpf(AT), 20)
    for k, c in enumerate(ad.taylor(f, AT, 1.0, 20)):
        # The rounding errors of the recurrences grow as the coefficients of the nearest singularity do.
        assert abs(float(c) - want[k]) <= 1e-11 * max(1, *(abs(w) for w in want[: k + 1]))
    assert float(ad.derivative(f, 1)(AT)) == pytest.approx(float(want[1]), rel=1e-12)


def u(x, y, z):
    return ss.exp(x * y) * ss.sin(y + z * x) / (1 + z * z)


def u_reference(x, y, z):
    return mpmath.exp(x * y) * mpmath.sin(y + z * x) / (1 + z * z)


@pytest.mark.parametrize("wanted", ["xyz", "xxyyzz", "xxxz", "zzzzz", "yxzyx", "xxxyyz", "xxxyyyzzz"])
def test_mixed_partials_in_three_variables(wanted):
    point = (0.3, 0.7, 0.2)
    orders = tuple(wanted.count(n) for n in "xyz")
    want = mpmath.diff(u_reference, tuple(map(mpmath.mpf, point)), orders)
    assert float(ad.partial(u, wanted)(*point)) == pytest.approx(float(want), rel=1e-11)
