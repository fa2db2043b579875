"""Least squares and fits: known values, bounds, losses, derivatives, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import scisim as ss
from scisim import autodiff as ad
from scisim import optimize
from scisim.core.errors import ArgumentError, ArgumentTypeError, ConvergenceError, ShapeError
from tests.optimize.problems import PROBLEMS

T = np.linspace(0.0, 1.0, 20)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.02 * np.sin(40 * T)
TIGHT = {"ftol": None, "gtol": None, "xtol": 1e-14, "max_nfev": 500}


def decay(p, y):
    return p[0] * ss.exp(-p[1] * T) + p[2] - y


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_known_minima(problem):
    r = optimize.least_squares(problem.residuals, problem.start, max_nfev=2000, ftol=1e-12, xtol=1e-12, gtol=1e-12)
    assert r.success
    assert 2 * r.cost.item() == pytest.approx(problem.minimum, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_losses_agree_with_scipy(loss):
    r = optimize.least_squares(decay, [2.0, 1.0, 0.2], args=(Y,), loss=loss, f_scale=0.02, **TIGHT)
    plain = lambda p: p[0] * np.exp(-p[1] * T) + p[2] - Y
    want = scipy.optimize.least_squares(plain, r.x.numpy(), loss=loss, f_scale=0.02, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    np.testing.assert_allclose(r.x, want.x, rtol=1e-5)
    assert r.cost.item() <= want.cost * (1 + 1e-10)


@pytest.mark.parametrize("more", [{}, {"loss": "soft_l1", "f_scale": 0.05}, {"bounds": ([0.0, 0.0, 0.52], 5.0)}])
def test_derivatives_in_the_data(more):
    fit = lambda y: optimize.least_squares(decay, [2.0, 1.0, 0.6], args=(y,), **TIGHT, **more).x
    got = np.asarray(ad.jacobian(fit)(Y))
    h = 1e-4
    for k in (0, 7, 19):
        step = h * np.eye(20)[k]
        np.testing.assert_allclose(
            got[:, k], (np.asarray(fit(Y + step)) - np.asarray(fit(Y - step))) / (2 * h), rtol=1e-5, atol=1e-7
        )
    np.testing.assert_allclose(ad.jacobian(ss.jit(fit))(Y), got, rtol=1e-8, atol=1e-10)


def test_linear_problems_are_the_normal_equations():
    a = np.random.default_rng(1).standard_normal((6, 3))
    solve = lambda b: optimize.least_squares(lambda x: ss.matmul(a, x) - b, np.zeros(3), **TIGHT).x
    b = np.arange(6.0)
    np.testing.assert_allclose(solve(b), np.linalg.lstsq(a, b)[0], rtol=1e-12)
    np.testing.assert_allclose(ad.jacobian(solve)(b), np.linalg.pinv(a), rtol=1e-11, atol=1e-13)
    many = np.stack([b, b[::-1]])
    np.testing.assert_allclose(ss.vmap(solve)(many), [np.linalg.lstsq(a, c)[0] for c in many], rtol=1e-11)


def test_complex_unknowns():
    r = optimize.least_squares(lambda z: z * z - 2j, 1.0 + 0.5j, **TIGHT)
    assert abs(complex(r.x) - (1 + 1j)) < 1e-12


def test_results_tell_what_bounds_do():
    r = optimize.least_squares(lambda x: x - np.asarray([1.0, 5.0]), [0.5, 0.5], bounds=(0.0, 2.0))
    np.testing.assert_allclose(r.x, [1.0, 2.0])
    assert r.active_mask.tolist() == [0, 1]
    assert r.optimality.item() < 1e-6
    assert r.jac.shape == (2, 2)


def test_curves_agree_with_scipy():
    model, plain = (lambda t, a, b, c: a * ss.exp(-b * t) + c), (lambda t, a, b, c: a * np.exp(-b * t) + c)
    for sigma, absolute in ((None, False), (0.1 + T, False), (0.1 + T, True), (np.diag(0.1 + T), True)):
        popt, pcov = optimize.curve_fit(model, T, Y, sigma=sigma, absolute_sigma=absolute, ftol=1e-14, xtol=1e-14)
        want = scipy.optimize.curve_fit(plain, T, Y, sigma=sigma, absolute_sigma=absolute, ftol=1e-14, xtol=1e-14)
        np.testing.assert_allclose(popt, want[0], rtol=1e-6)
        np.testing.assert_allclose(pcov, want[1], rtol=1e-4)


def test_covariances_of_curves_differentiate():
    # a line through the origin: variance of the slope is s^2 / sum(t^2)
    spread = lambda s: optimize.curve_fit(lambda t, a: a * t, T, 2.0 * T, [1.0], s * ss.ones(20), True)[1][0, 0]
    s2 = np.sum(T * T)
    assert spread(0.3).item() == pytest.approx(0.09 / s2, rel=1e-10)
    assert ad.grad(spread)(0.3).item() == pytest.approx(0.6 / s2, rel=1e-10)


def test_what_data_do_not_determine():
    _, pcov = optimize.curve_fit(lambda t, a, b: (a + b) * t, T, T, [0.2, 0.3])
    assert np.isinf(np.asarray(pcov)).all()


FIT = lambda x: x - 1.0
ERRORS = [
    (lambda: optimize.least_squares(1.0, [1.0]), ArgumentTypeError, "fun must be a function"),
    (lambda: optimize.least_squares(lambda x: ss.log(x), [-1.0]), ArgumentError, "not finite at x0"),
    (lambda: optimize.least_squares(FIT, [1.0], bounds=(2.0, 1.0)), ArgumentError, "bounds of variable 0"),
    (lambda: optimize.least_squares(FIT, [1.0], bounds=(0.0, [1.0, 2.0])), ShapeError, "does not broadcast"),
    (lambda: optimize.least_squares(FIT, [1.0], bounds=3.0), ArgumentTypeError, "expected a pair"),
    (lambda: optimize.least_squares(FIT, [1.0], loss="l2"), ArgumentError, "'l2' is not known"),
    (lambda: optimize.least_squares(FIT, [1.0], f_scale=0.0), ArgumentError, "f_scale is 0.0"),
    (lambda: optimize.least_squares(FIT, [1.0], method="lm", bounds=(0.0, 1.0)), ArgumentError, "takes no bounds"),
    (lambda: optimize.least_squares(FIT, [1.0], jac="3-point"), ArgumentError, "jac is '3-point'"),
    (lambda: optimize.curve_fit(lambda t, a: a * t[:3], T, Y), ShapeError, "they must agree"),
    (lambda: optimize.curve_fit(lambda t, *p: p[0] * t, T, Y), ArgumentError, "give p0"),
    (lambda: optimize.curve_fit(lambda t, a: a * t, T, Y * np.nan), ArgumentError, "ydata holds nan"),
    (lambda: optimize.curve_fit(lambda t, a: a * t, T, Y, sigma=T[:3]), ShapeError, "sigma has shape"),
    (lambda: optimize.curve_fit(lambda t, a: ss.exp(a * t), T, Y, [9.0], max_nfev=1), ConvergenceError, "better p0"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text for _, _, text in ERRORS])
def test_errors_say_what_is_wrong(call, kind, text):
    with pytest.raises(kind, match=text) as caught:
        call()
    assert "optimize." in str(caught.value)
