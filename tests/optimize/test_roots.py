"""Roots of systems and of numbers, fixed points: known values, every mode of derivatives, clear errors."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import optimize
from scisim.core.errors import ArgumentError, ConvergenceError, DerivativeError, DTypeError, ShapeError
from scisim.ops._linalg.checks import SingularMatrixError
from tests.optimize.problems import SYSTEMS

METHODS = ["hybr", "lm", "broyden1", "krylov", "df-sane"]
BRACKETED = ["brentq", "brenth", "bisect", "ridder"]


@pytest.mark.parametrize("problem", SYSTEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("method", ["hybr", "lm"])
def test_known_systems(problem, method):
    r = optimize.root(problem.residuals, problem.start, method=method, tol=1e-12)
    if problem.name == "trigonometric" and not r.success:
        assert "not converged" in r.message  # a minimum of the squares that is no root, as published
        return
    assert r.success
    assert np.abs(np.asarray(r.fun)).max() < 1e-9


def coupled(x, a):
    return ss.stack([x[0] ** 2 + x[1] - a, x[0] - ss.sin(x[1]) + 0.3 * a])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_in_every_mode(method):
    root = lambda a: optimize.root(coupled, [0.5, 0.8], args=(a,), method=method, tol=1e-12).x
    x = np.asarray(root(0.6))
    assert np.abs(np.asarray(coupled(ss.asarray(x), 0.6))).max() < 1e-10
    want = -np.linalg.solve([[2 * x[0], 1.0], [1.0, -math.cos(x[1])]], [-1.0, 0.3])
    np.testing.assert_allclose(ad.jacobian(root)(0.6), want, rtol=1e-9)
    np.testing.assert_allclose(ad.jvp(root, (0.6,), (1.0,))[1], want, rtol=1e-9)
    np.testing.assert_allclose(ad.jacobian(ss.jit(root))(0.6), want, rtol=1e-9)
    np.testing.assert_allclose(ss.vmap(root)(ss.asarray([0.6, 0.5]))[0], x, rtol=1e-9)


def test_many_unknowns_without_a_matrix():
    n = 300

    def heat(u, a):
        wide = ss.concat([ss.zeros(1), u, ss.zeros(1)])
        return wide[2:] - 2.0 * u + wide[:-2] + a / n**2 * ss.exp(u)

    def middle(a):
        r = optimize.root(heat, np.zeros(n), args=(a,), method="krylov", tol=1e-13, options={"inner_maxiter": 60})
        return r.x[n // 2]

    h, a = 1e-4, 1.0
    got = ad.grad(middle)(a).item()
    assert got == pytest.approx((middle(a + h).item() - middle(a - h).item()) / (2 * h), rel=1e-5)


def test_own_jacobian_and_containers():
    f = lambda x: ss.stack([x[0] ** 2 - 4.0, x[0] * x[1] - 2.0])
    jac = lambda x: ss.stack([ss.stack([2.0 * x[0], ss.zeros_like(x[0])]), ss.stack([x[1], x[0]])])
    np.testing.assert_allclose(optimize.root(f, [1.0, 1.0], jac=jac).x, [2.0, 1.0], rtol=1e-10)
    np.testing.assert_allclose(optimize.root(lambda x: (f(x), jac(x)), [1.0, 1.0], jac=True).x, [2.0, 1.0], rtol=1e-10)
    tree = lambda p: {"u": p["u"] ** 2 - 4.0, "v": p["u"] * p["v"] - 2.0}
    r = optimize.root(tree, {"u": ss.asarray([1.0]), "v": ss.asarray([1.0])})
    np.testing.assert_allclose(r.x["v"], [1.0], rtol=1e-10)


def test_a_start_without_a_root_near_it():
    r = optimize.root(lambda x: x * x + 1.0, [3.0])
    assert not r.success
    with pytest.raises(ConvergenceError, match=r"optimize\.root: a derivative"):
        ad.jacobian(lambda a: optimize.root(lambda x: x * x + a, [3.0]).x)(1.0)


def test_a_singular_jacobian_has_no_derivative():
    with pytest.raises(SingularMatrixError):
        ad.jacobian(
            lambda a: optimize.root(lambda x: ss.stack([x[0] + x[1] - a, 2.0 * (x[0] + x[1] - a)]), [1.0, 0.5]).x
        )(1.0)


# --- numbers ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", [*BRACKETED, "newton", "halley", "secant"])
def test_square_roots_to_order_six(method):
    where = {"bracket": (0.0, 3.0)} if method in BRACKETED else {"x0": 1.0}
    root = lambda a: optimize.root_scalar(lambda x: x * x - a, method=method, xtol=1e-15, **where).root
    coefficients = ad.taylor(root, 2.0, 1.0, 6)
    with mpmath.workdps(40):
        want = [float(c) for c in mpmath.taylor(mpmath.sqrt, 2, 6)]
    np.testing.assert_allclose([c.item() for c in coefficients], want, rtol=1e-13)
    assert ss.jit(root)(2.0).item() == pytest.approx(math.sqrt(2.0), rel=1e-14)


def test_keplers_equation_of_many_bodies():
    e, m = np.linspace(0.0, 0.9, 7), np.linspace(0.1, 3.0, 7)
    anomaly = lambda m, e: optimize.root_scalar(lambda x: x - e * ss.sin(x) - m, bracket=(0.0, 4.0), xtol=1e-14).root
    x = np.asarray(anomaly(m, e))
    np.testing.assert_allclose(x - e * np.sin(x), m, rtol=1e-13)
    _, slope = ad.jvp(anomaly, (m, e), (np.ones(7), None))
    np.testing.assert_allclose(slope, 1 / (1 - e * np.cos(x)), rtol=1e-12)
    mapped = ss.vmap(anomaly)(m, e)
    np.testing.assert_allclose(mapped, x, rtol=1e-13)
    np.testing.assert_allclose(
        ad.derivative(lambda m: anomaly(m, e), 2)(m), -e * np.sin(x) / (1 - e * np.cos(x)) ** 3, rtol=1e-10, atol=1e-14
    )


def test_a_complex_root():
    r = optimize.root_scalar(lambda z: z * z + 1.0, x0=0.5 + 0.5j)
    assert abs(complex(r.root) - 1j) < 1e-12
    assert (r.converged, r.flag, r.method) == (True, "converged", "newton")


def test_multiple_roots_have_no_derivative():
    root = lambda a: optimize.root_scalar(lambda x: x**3 - a, bracket=(-1.0, 1.0), method="bisect").root
    assert root(0.0).item() == 0.0
    with pytest.raises(DerivativeError, match="slope is 0"):
        ad.grad(root)(0.0)
    assert math.isnan(ss.jit(ad.grad(root))(0.0).item())


def test_a_bracket_without_a_change_of_sign():
    with pytest.raises(ArgumentError, match=r"optimize\.root_scalar: f does not change its sign.*f\(0.0\) = 1.0"):
        optimize.root_scalar(lambda x: x * x + 1.0, bracket=(0.0, 1.0))
    assert math.isnan(ss.jit(lambda a: optimize.root_scalar(lambda x: x * x + a, bracket=(0.0, 1.0)).root)(1.0).item())


ERRORS = [
    (lambda: optimize.root(lambda x: x[:1], [1.0, 2.0]), ShapeError, "as many numbers as x has, 2"),
    (lambda: optimize.root(lambda x: ss.log(x), [-1.0]), ArgumentError, "not finite at x0"),
    (lambda: optimize.root(lambda x: x, [1.0], method="broyden2"), ArgumentError, "use 'broyden1'"),
    (lambda: optimize.root(lambda x: x, [1.0], jac=[[1.0]]), TypeError, "jac is list"),
    (lambda: optimize.root_scalar(lambda x: x), ArgumentError, "neither bracket"),
    (lambda: optimize.root_scalar(lambda x: x, bracket=(1j, 2.0)), DTypeError, "complex numbers have no order"),
    (lambda: optimize.root_scalar(lambda x: x, method="toms748"), ArgumentError, "'brentq'"),
    (lambda: optimize.root_scalar(lambda x: x[0], bracket=([-1.0, 0.0], 2.0)), ShapeError, "one number for each x"),
    (
        lambda: optimize.fixed_point(lambda x: 2.0 * x + 1.0, 1.0, method="iteration"),
        ConvergenceError,
        "500 iterations",
    ),
    (lambda: optimize.fixed_point(lambda x: x, 1.0, maxiter=0), ArgumentError, "maxiter is 0"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text for _, _, text in ERRORS])
def test_errors_say_what_is_wrong(call, kind, text):
    with pytest.raises(kind, match=text) as caught:
        call()
    assert "optimize." in str(caught.value)


# --- fixed points ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["del2", "iteration", "anderson"])
def test_fixed_points_in_every_mode(method):
    point = lambda a: optimize.fixed_point(lambda x: ss.cos(a * x), [0.5], xtol=1e-14, method=method)[0]
    x = 0.7390851332151607
    slope = -math.sin(x) * x / (1 + math.sin(x))
    assert point(1.0).item() == pytest.approx(x, rel=1e-13)
    assert ad.grad(point)(1.0).item() == pytest.approx(slope, rel=1e-12)
    assert ad.grad(ss.jit(point))(1.0).item() == pytest.approx(slope, rel=1e-12)
    assert ss.vmap(point)(ss.asarray([1.0, 0.5]))[0].item() == pytest.approx(x, rel=1e-13)


def test_mixing_saves_iterations():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((30, 30))
    a *= 0.95 / np.abs(np.linalg.eigvals(a)).max()
    calls = []

    def f(x):
        calls.append(1)
        return ss.matmul(a, x) + 1.0

    want = np.linalg.solve(np.eye(30) - a, np.ones(30))
    np.testing.assert_allclose(optimize.fixed_point(f, np.zeros(30), method="anderson", xtol=1e-10), want, rtol=1e-7)
    assert len(calls) < 150
