"""Quadrature: against SciPy, closed forms and mpmath; derivatives in limits and parameters."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.integrate

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError

INF = np.inf
INTEGRALS = [
    (lambda x: ss.sin(x), 0.0, 1.0, 1 - np.cos(1.0)),
    (lambda x: ss.exp(-x * x), -INF, INF, np.sqrt(np.pi)),
    (lambda x: 1.0 / (1.0 + x * x), 0.0, INF, np.pi / 2),
    (lambda x: ss.exp(x), -INF, 1.0, np.e),
    (lambda x: ss.exp(-x), INF, 0.0, -1.0),
    (lambda x: ss.exp(-ss.abs(x)), INF, -INF, -2.0),
    (lambda x: ss.sqrt(x), 0.0, 1.0, 2 / 3),
    (lambda x: ss.log(x), 0.0, 1.0, -1.0),
    (lambda x: x**-0.8, 0.0, 1.0, 5.0),
    (lambda x: ss.cos(50.0 * x), 0.0, 3.0, np.sin(150.0) / 50),
    (lambda x: x * x, 2.0, -1.0, -3.0),
    (lambda x: 3.0, 0.0, 2.0, 6.0),
    (lambda x: x, 1.0, 1.0, 0.0),
]


@pytest.mark.parametrize("case", INTEGRALS, ids=range(len(INTEGRALS)))
def test_integrals_of_closed_form(case):
    f, a, b, want = case
    value, error = integrate.quad(f, a, b)
    assert abs(float(value) - want) <= max(error, 4e-15 * abs(want))
    assert error <= 1.49e-8 * max(1.0, abs(want))


def test_kinks_are_found_and_given_points_are_used():
    f = lambda x: ss.abs(x - 0.3)
    value, error = integrate.quad(f, 0.0, 1.0)
    assert abs(float(value) - 0.29) <= error
    exact, small = integrate.quad(f, 0.0, 1.0, points=[0.3])
    assert abs(float(exact) - 0.29) < 1e-15
    assert small < 1e-14


def test_functions_may_branch_and_give_python_numbers():
    step = lambda x: 1.0 if x > 0.5 else 0.0
    assert abs(float(integrate.quad(step, 0.0, 1.0, points=[0.5])[0]) - 0.5) < 1e-15


def test_functions_that_mix_the_points_are_called_for_each():
    weights = ss.ones(21)
    f = lambda x: ss.sum(x * weights) / 21.0
    assert abs(float(integrate.quad(f, 0.0, 1.0)[0]) - 0.5) < 1e-15


def test_complex_integrands():
    value, _ = integrate.quad(lambda x: ss.exp(1j * x), 0.0, 1.0, complex_func=True)
    assert abs(complex(value) - (np.exp(1j) - 1) / 1j) < 1e-15


def test_what_does_not_converge_warns():
    with pytest.warns(integrate.IntegrationWarning, match="raise limit"):
        integrate.quad(lambda x: ss.sin(1.0 / x), 0.0, 1.0, limit=3)


def F(k, a, b):
    return integrate.quad(lambda x: ss.sin(k * x) * ss.exp(-x), a, b)[0]


def exact(k, a, b):
    return mpmath.quad(lambda x: mpmath.sin(k * x) * mpmath.exp(-x), [a, b])


POINT = (1.3, 0.2, 2.0)


def test_derivatives_to_order_four_in_limits_and_parameters():
    got = ad.taylor(lambda s: F(*(p * s for p in POINT)), 1.0, 1.0, 4)
    want = mpmath.taylor(lambda s: exact(*(p * s for p in POINT)), 1, 4)
    np.testing.assert_allclose(got, [float(w) for w in want], rtol=1e-9)
    gradient = ad.grad(F, (0, 1, 2))(*POINT)
    unit = lambda k: tuple(int(k == j) for j in range(3))
    np.testing.assert_allclose(gradient, [float(mpmath.diff(exact, POINT, unit(k))) for k in range(3)], rtol=1e-10)
    np.testing.assert_array_equal(ad.vjp(F, *map(ss.asarray, POINT))[0], F(*POINT))


@pytest.mark.parametrize("way", ["jit", "vmap", "both"])
def test_programs_and_batches_give_the_plain_values_and_gradients(way):
    f = {"jit": ss.jit, "vmap": lambda f: f, "both": ss.jit}[way]
    args = tuple(map(ss.asarray, POINT))
    if way == "jit":
        np.testing.assert_allclose(f(F)(*args), F(*args), rtol=1e-13)
        got = f(ad.grad(F, (0, 1, 2)))(*args)
        np.testing.assert_allclose(ad.grad(f(F), 2)(*args), got[2], rtol=1e-13)
    else:
        batch = tuple(ss.stack([x, x * 1.1]) for x in args)
        np.testing.assert_allclose(f(ss.vmap(F))(*batch)[0], F(*args), rtol=1e-13)
        got = tuple(g[0] for g in f(ss.vmap(ad.grad(F, (0, 1, 2))))(*batch))
    np.testing.assert_allclose(got, ad.grad(F, (0, 1, 2))(*args), rtol=1e-12)


def test_infinite_ranges_differentiate():
    f = lambda a: integrate.quad(lambda x: ss.exp(-a * x * x), a, ss.inf)[0]
    g = lambda a: mpmath.quad(lambda x: mpmath.exp(-a * x * x), [a, mpmath.inf])
    for order in (1, 2, 3):
        want = float(mpmath.diff(g, 1.0, order))
        assert abs(float(ad.derivative(f, order)(1.0)) - want) < 1e-7
        assert abs(float(ss.jit(ad.derivative(f, order))(1.0)) - want) < 1e-7


def test_a_limit_where_the_integrand_is_infinite_has_no_finite_derivative():
    f = lambda a: integrate.quad(lambda x: 1.0 / ss.sqrt(x), a, 1.0)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        assert not np.isfinite(float(ad.grad(f)(0.0)))
    assert abs(float(ad.grad(f)(0.25)) + 2.0) < 1e-12


def test_arrays_of_integrals():
    f = lambda x, n: ss.cos(n * x)
    n = ss.asarray([[1.0, 2.0], [3.0, 4.0]])
    value, error = integrate.quad_vec(f, 0.0, 1.0, args=(n,))
    np.testing.assert_allclose(value, np.sin(np.asarray(n)) / np.asarray(n), rtol=1e-14)
    assert error < 1e-10
    largest, _ = integrate.quad_vec(f, 0.0, 1.0, norm="max", args=(n,))
    np.testing.assert_allclose(largest, value, rtol=1e-14)
    got = ad.grad(lambda n: ss.sum(integrate.quad_vec(f, 0.0, 1.0, args=(n,))[0]))(n)
    np.testing.assert_allclose(got, (np.cos(n) * n - np.sin(n)) / np.asarray(n) ** 2, rtol=1e-12)
    np.testing.assert_allclose(ss.jit(lambda n: integrate.quad_vec(f, 0.0, 1.0, args=(n,))[0])(n), value, rtol=1e-13)


def test_several_variables():
    f = lambda y, x: ss.exp(-x * y)
    want, _ = scipy.integrate.dblquad(lambda y, x: np.exp(-x * y), 0.0, 1.0, 0.0, lambda x: x)
    got, _ = integrate.dblquad(f, 0.0, 1.0, 0.0, lambda x: x)
    assert abs(float(got) - want) < 1e-14
    triple, _ = integrate.tplquad(lambda z, y, x: x * y * z, 0.0, 1.0, 0.0, lambda x: x, 0.0, lambda x, y: x + y)
    assert abs(float(triple) - 17 / 144) < 1e-14
    general, _ = integrate.nquad(lambda x, y, c: c * (x + y), [[0.0, 1.0], [0.0, 2.0]], args=(2.0,))
    assert abs(float(general) - 6.0) < 1e-13


def test_several_variables_differentiate():
    f = lambda c: integrate.dblquad(lambda y, x: ss.exp(-c * x * y), 0.0, c, 0.0, lambda x: c * x)[0]
    g = lambda c: mpmath.quad(lambda x: mpmath.quad(lambda y: mpmath.exp(-c * x * y), [0, c * x]), [0, c])
    want = float(mpmath.diff(g, 1.1))
    assert abs(float(ad.grad(f)(1.1)) - want) < 1e-8


@pytest.mark.slow
def test_several_variables_in_programs():
    f = lambda c: integrate.dblquad(lambda y, x: ss.exp(-c * x * y), 0.0, c, 0.0, lambda x: c * x)[0]
    assert abs(float(ss.jit(f)(1.1)) - float(f(1.1))) < 1e-12


def test_gauss_rules():
    value, nothing = integrate.fixed_quad(lambda x, p: x**p, 0.0, 2.0, args=(9,), n=5)
    assert abs(float(value) - 102.4) < 1e-12
    assert nothing is None
    nodes, weights = integrate.leggauss(7)
    assert abs(float(ss.sum(weights * nodes**12)) - 2 / 13) < 1e-15
    got = ad.grad(lambda b: integrate.fixed_quad(lambda x: ss.sin(b * x), 0.0, b, n=12)[0])(1.0)
    assert abs(float(got) - (2 * np.sin(1.0) - (1 - np.cos(1.0)))) < 1e-13


def test_single_precision_stays():
    one, two = ss.asarray(1.0, dtype="float32"), ss.asarray(2.0, dtype="float32")
    value, _ = integrate.quad(lambda x: x * x, one, two)
    assert value.dtype == np.float32
    assert abs(float(value) - 7 / 3) < 1e-5


MISUSE = [
    (lambda: integrate.quad(3.0, 0.0, 1.0), ArgumentTypeError, "expected a function"),
    (lambda: integrate.quad(ss.sin, 0.0, np.nan), ArgumentError, "b is nan"),
    (lambda: integrate.quad(ss.sin, [0.0, 1.0], 1.0), ArgumentError, "one real number"),
    (lambda: integrate.quad(ss.sin, 0.0, 1.0, epsabs=-1.0, points=[0.5]), ArgumentError, "epsabs=-1.0"),
    (lambda: integrate.quad(ss.sin, 0.0, 1.0, limit=0, points=[0.5]), ArgumentError, "limit is 0"),
    (lambda: integrate.quad(ss.sin, 0.0, 1.0, points=[2.0]), ArgumentError, "points holds 2"),
    (lambda: integrate.quad(ss.sin, 0.0, np.inf, points=[2.0]), ArgumentError, "split the integral"),
    (lambda: integrate.quad(lambda x: ss.stack([x, x]), 0.0, 1.0), ShapeError, "use quad_vec"),
    (lambda: integrate.quad_vec(ss.sin, 0.0, 1.0, norm="1"), ArgumentError, "expected '2' or 'max'"),
    (lambda: integrate.fixed_quad(ss.sin, 0.0, np.inf), ArgumentError, "a limit is infinite"),
    (lambda: integrate.fixed_quad(ss.sin, 0.0, 1.0, n=0), ArgumentError, "n is 0"),
    (lambda: integrate.fixed_quad(lambda x: 1.0, 0.0, 1.0), ArgumentError, "along the last axis"),
    (lambda: integrate.nquad(ss.sin, [[0.0, 1.0]], opts={"tol": 1.0}), ArgumentError, "opts holds 'tol'"),
    (lambda: integrate.nquad(ss.sin, [[0.0, 1.0]], opts=[{}, {}]), ArgumentTypeError, "opts has 2 entries"),
    (lambda: integrate.leggauss(0), ArgumentError, "n is 0"),
]


@pytest.mark.parametrize("case", MISUSE, ids=[text for _, _, text in MISUSE])
def test_message_says_what_is_wrong(case):
    call, kind, text = case
    with pytest.raises(kind) as caught:
        call()
    assert "integrate." in str(caught.value)
    assert text in str(caught.value)
