"""Minima: known values, bounds and constraints, every mode of derivatives, and clear errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import optimize
from scisim.core.errors import ArgumentError, ArgumentTypeError, ConvergenceError, DTypeError, ShapeError
from scisim.ops._linalg.checks import SingularMatrixError
from tests.optimize.problems import PROBLEMS, rosenbrock

# the Hessian of the one left out has a condition of 1e18 at its minimum
WELL_SCALED = [p for p in PROBLEMS if p.name != "powell_badly_scaled"]
METHODS = ["BFGS", "CG", "L-BFGS-B", "Newton-CG", "trust-ncg", "trust-exact", "Nelder-Mead", "SLSQP"]


def squares(residuals):
    return lambda x: ss.sum(residuals(x) ** 2)


@pytest.mark.parametrize("problem", WELL_SCALED, ids=lambda p: p.name)
@pytest.mark.parametrize("method", ["BFGS", "trust-exact"])
def test_known_minima(problem, method):
    options = {"gtol": 1e-7, "maxiter": 3000}
    r = optimize.minimize(squares(problem.residuals), problem.start, method=method, options=options)
    assert r.fun.item() == pytest.approx(problem.minimum, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_in_every_mode(method):
    def lowest(a):
        f = lambda x: (x[0] - a) ** 2 + (x[1] - a * x[0]) ** 2 + 0.1 * x[0] ** 4
        return optimize.minimize(f, ss.asarray([0.5, 0.2]), tol=1e-11, method=method).x

    # x0 solves 2 (x - a) + 0.4 x^3 = 0, x1 = a x0
    a, x = 3.0, float(np.roots([0.4, 0.0, 2.0, -6.0])[-1].real)
    slope = 2.0 / (2.0 + 1.2 * x * x)
    want = [[x, a * x], [slope, x + a * slope]]
    rough = 1e-5 if method == "Nelder-Mead" else 1e-8
    np.testing.assert_allclose(lowest(a), want[0], rtol=rough)
    np.testing.assert_allclose(ad.jacobian(lowest)(a), want[1], rtol=rough)
    np.testing.assert_allclose(ad.jvp(lowest, (a,), (1.0,))[1], want[1], rtol=rough)
    np.testing.assert_allclose(ss.jit(lowest)(a), want[0], rtol=rough)
    np.testing.assert_allclose(ss.vmap(lowest)(ss.asarray([a, 1.0]))[0], want[0], rtol=rough)


def test_derivatives_of_a_minimum_to_order_six():
    # exp(x) - a x has its minimum at log(a)
    lowest = lambda a: optimize.minimize(lambda x: ss.exp(x[0]) - a * x[0], [0.5], tol=1e-15, method="trust-exact").x[0]
    coefficients = ad.taylor(lowest, 2.0, 1.0, 6)
    want = [math.log(2.0), *((-1) ** (k + 1) / (k * 2.0**k) for k in range(1, 7))]
    np.testing.assert_allclose([c.item() for c in coefficients], want, rtol=1e-13)


def test_value_at_the_minimum_follows_the_envelope():
    value = lambda a: optimize.minimize(lambda x: ss.sum((x - a) ** 4 + a * x), [1.0, 2.0], tol=1e-12).fun
    # d/da of the function at fixed x, and its values: x = a - (a/4)^(1/3)
    a = 1.5
    np.testing.assert_allclose(ad.grad(value)(a), 2 * (2 * a - (a / 4) ** (1 / 3)), rtol=1e-8)


def test_containers_and_complex_numbers():
    def f(p):
        return ss.sum((p["a"] - 1.0) ** 2) + ss.abs(p["z"] - (2.0 + 1.0j)) ** 2

    r = optimize.minimize(f, {"a": np.zeros((2, 2)), "z": np.asarray(0j)}, tol=1e-10)
    np.testing.assert_allclose(r.x["a"], np.ones((2, 2)), atol=1e-9)
    np.testing.assert_allclose(r.x["z"], 2 + 1j, atol=1e-9)
    assert r.jac["a"].shape == (2, 2)


def test_single_precision_stays():
    r = optimize.minimize(lambda x: ss.sum((x - 1.0) ** 2), np.zeros(3, np.float32))
    assert r.x.dtype == np.float32
    assert r.success


def test_bounds_are_kept_and_have_derivatives():
    def lowest(a, low):
        f = lambda x: ss.sum((x - a) ** 2) + x[0] * x[1]
        bounds = optimize.Bounds(ss.stack([low, low - 5.0]), 10.0)
        return optimize.minimize(f, [3.0, 3.0], bounds=bounds, options={"gtol": 1e-13, "ftol": 0.0}).x

    # x0 is held at low = 2; x1 = a - low / 2
    np.testing.assert_allclose(lowest(2.0, 2.0), [2.0, 1.0], rtol=1e-12)
    np.testing.assert_allclose(ad.jacobian(lowest, (0, 1))(2.0, 2.0), [[0.0, 1.0], [1.0, -0.5]], atol=1e-12)
    free = optimize.minimize(lambda x: (x[0] - 1.0) ** 2, [3.0], bounds=[(None, 5.0)]).x
    np.testing.assert_allclose(free, [1.0], rtol=1e-6)


def test_a_bound_that_is_only_touched_has_no_derivative():
    lowest = lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [2.0], bounds=[(1.0, 3.0)], tol=1e-12).x[0]
    assert math.isnan(ad.grad(lowest)(1.0).item())
    assert ad.grad(lowest)(1.5).item() == pytest.approx(1.0)
    assert ad.grad(lowest)(0.5).item() == 0.0


def test_constraints_from_the_literature():
    # Hock and Schittkowski 71
    f = lambda x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
    limits = [
        {"type": "ineq", "fun": lambda x: x[0] * x[1] * x[2] * x[3] - 25.0},
        {"type": "eq", "fun": lambda x: ss.sum(x * x) - 40.0},
    ]
    r = optimize.minimize(f, [1.0, 5.0, 5.0, 1.0], bounds=[(1, 5)] * 4, constraints=limits, tol=1e-10)
    assert r.success
    np.testing.assert_allclose(r.x, [1.0, 4.7429994, 3.8211503, 1.3794082], rtol=1e-6)
    assert r.fun.item() == pytest.approx(17.0140173, rel=1e-8)


@pytest.mark.parametrize("form", ["dict", "object", "linear"])
def test_forms_of_constraints(form):
    f = lambda x: ss.sum((x - np.asarray([1.0, 2.5])) ** 2)
    rows, at_least = np.array([[1.0, -2.0], [-1.0, -2.0], [-1.0, 2.0]]), np.array([-2.0, -6.0, -2.0])
    limit = {
        "dict": {"type": "ineq", "fun": lambda x: rows @ x - at_least},
        "object": optimize.NonlinearConstraint(lambda x: ss.matmul(rows, x), at_least, np.inf),
        "linear": optimize.LinearConstraint(rows, at_least),
    }[form]
    if form == "dict":
        limit["fun"] = lambda x: ss.matmul(rows, x) - at_least
    r = optimize.minimize(f, [2.0, 0.0], bounds=[(0, None), (0, None)], constraints=limit)
    np.testing.assert_allclose(r.x, [1.4, 1.7], rtol=1e-8)


def test_derivatives_under_constraints():
    # the point of a circle of radius r closest to (a, 1): r (a, 1) / sqrt(a^2 + 1)
    def closest(a, r):
        f = lambda x: (x[0] - a) ** 2 + (x[1] - 1.0) ** 2
        circle = {"type": "eq", "fun": lambda x: x[0] ** 2 + x[1] ** 2 - r * r}
        return optimize.minimize(f, [0.5, 0.5], constraints=circle, tol=1e-15).x

    want = lambda a, r: ss.stack([a, ss.ones_like(a)]) * r / ss.sqrt(a * a + 1.0)
    for got, right in zip(ad.jacobian(closest, (0, 1))(2.0, 0.8), ad.jacobian(want, (0, 1))(2.0, 0.8), strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-8, atol=1e-9)
    second = ad.jacfwd(ad.jacrev(closest))(2.0, 0.8)
    np.testing.assert_allclose(second, ad.jacfwd(ad.jacfwd(want))(2.0, 0.8), rtol=1e-6, atol=1e-8)


def test_contradicting_constraints_do_not_converge():
    limits = [{"type": "eq", "fun": lambda x: x[0]}, {"type": "eq", "fun": lambda x: x[0] - 1.0}]
    r = optimize.minimize(lambda x: x[0] ** 2 + x[1] ** 2, [1.0, 1.0], constraints=limits)
    assert not r.success
    assert "converged" in r.message


def test_own_derivatives_are_used():
    calls = []

    def gradient(x, c):
        calls.append(1)
        return 2.0 * (x - c)

    f = lambda x, c: ss.sum((x - c) ** 2)
    r = optimize.minimize(f, [0.0, 0.0], args=(3.0,), jac=gradient)
    np.testing.assert_allclose(r.x, [3.0, 3.0], rtol=1e-8)
    assert calls
    both = lambda x, c: (f(x, c), 2.0 * (x - c))
    np.testing.assert_allclose(optimize.minimize(both, [0.0, 0.0], (3.0,), jac=True).x, [3.0, 3.0], rtol=1e-8)
    solve = lambda c: optimize.minimize(f, [0.0, 0.0], (c,), jac=lambda x, c: 2.0 * (x - c)).x
    np.testing.assert_allclose(ad.jacobian(solve)(3.0), [1.0, 1.0], rtol=1e-12)
    hess = lambda x, c: 2.0 * ss.eye(2)
    np.testing.assert_allclose(optimize.minimize(f, [0.0, 0.0], (3.0,), "trust-exact", hess=hess).x, 3.0, rtol=1e-8)
    hessp = lambda x, p, c: 2.0 * p
    np.testing.assert_allclose(optimize.minimize(f, [0.0, 0.0], (3.0,), "trust-ncg", hessp=hessp).x, 3.0, rtol=1e-8)


def test_functions_may_branch_where_nothing_is_traced():
    def f(x):
        return (x[0] - 1.0) ** 2 if x[0] > 0 else 1.0 - 2.0 * x[0]

    assert optimize.minimize(f, [-1.0]).x[0].item() == pytest.approx(1.0, rel=1e-6)


def test_results_are_containers():
    solve = ss.jit(lambda a: optimize.minimize(lambda x: ss.sum((x - a) ** 2), ss.zeros(2)))
    r = solve(2.0)
    assert bool(r.success)
    assert "converged" in r.message
    np.testing.assert_allclose(r["x"], [2.0, 2.0], rtol=1e-8)
    assert "message" in repr(r)


def test_callbacks():
    seen = []
    r = optimize.minimize(squares(rosenbrock), [-1.2, 1.0], callback=lambda x: seen.append(x.tolist()))
    assert len(seen) == r.nit

    def stop(intermediate_result):
        seen.append(intermediate_result.fun)
        raise StopIteration

    r = optimize.minimize(squares(rosenbrock), [-1.2, 1.0], callback=stop)
    assert (r.nit, r.success, r.status) == (1, False, 99)


def test_derivatives_of_what_has_not_converged_are_refused():
    lowest = lambda a: optimize.minimize(lambda x: ss.sum((x - a) ** 4), [9.0, 3.0], options={"maxiter": 1}).x
    with pytest.raises(ConvergenceError, match="has not converged"):
        ad.jacobian(lowest)(1.0)
    assert np.isnan(np.asarray(ad.jacobian(ss.jit(lowest))(1.0))).all()
    assert np.isfinite(np.asarray(ss.jit(lowest)(1.0))).all()


def test_a_singular_hessian_has_no_derivative():
    lowest = lambda a: optimize.minimize(lambda x: (x[0] + x[1] - a) ** 2, [1.0, 0.0], tol=1e-8).x
    with pytest.raises(SingularMatrixError):
        ad.jacobian(lowest)(3.0)


F = lambda x: ss.sum(x * x)
ERRORS = [
    (lambda: optimize.minimize(3.0, [1.0]), ArgumentTypeError, "fun must be a function"),
    (lambda: optimize.minimize(lambda x: x * x, [1.0, 2.0]), ShapeError, "fun must return one real number"),
    (lambda: optimize.minimize(lambda x: x[0] * 1j, [1.0]), DTypeError, "dtype complex128"),
    (lambda: optimize.minimize(lambda x: "low", [1.0]), ArgumentTypeError, "returns str"),
    (lambda: optimize.minimize(lambda x: ss.log(x[0]), [-1.0]), ArgumentError, "nan at x0"),
    (lambda: optimize.minimize(F, [1.0], method="newton"), ArgumentError, "method 'newton' is not known"),
    (lambda: optimize.minimize(F, [1.0], method="powell"), ArgumentError, "use 'Nelder-Mead'"),
    (lambda: optimize.minimize(F, [1.0], bounds=[(2.0, 1.0)]), ArgumentError, r"\(2.0, 1.0\)"),
    (lambda: optimize.minimize(F, [1.0, 2.0], bounds=[(0.0, 1.0)]), ShapeError, "1 pairs of bounds for 2 variables"),
    (lambda: optimize.minimize(F, [1.0], bounds=[(0, 1)], method="BFGS"), ArgumentError, "takes no bounds"),
    (lambda: optimize.minimize(F, [1.0], options={"gtoll": 1}), ArgumentError, "did you mean 'gtol'"),
    (lambda: optimize.minimize(F, [1.0], tol=-1.0), ArgumentError, "tol is -1.0"),
    (lambda: optimize.minimize(F, [1.0], jac="2-point"), ArgumentError, "jac is '2-point'"),
    (lambda: optimize.minimize(F, [1.0], constraints={"type": "le"}), ArgumentError, "type 'le'"),
    (lambda: optimize.minimize(F, np.zeros(2, np.float16)), DTypeError, "float16"),
    (lambda: optimize.minimize(F, {}), ArgumentError, "x0 holds no arrays"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text for _, _, text in ERRORS])
def test_errors_say_what_is_wrong(call, kind, text):
    with pytest.raises(kind, match=text) as caught:
        call()
    assert "optimize.minimize" in str(caught.value)


@pytest.mark.parametrize("method", METHODS)
def test_a_function_without_a_minimum_does_not_converge(method):
    r = optimize.minimize(lambda x: -ss.sum(x * x), [1.0, -2.0], method=method)
    assert not r.success


def test_least_squares_in_single_precision():
    r = optimize.least_squares(lambda x: x * x - np.float32(2.0), np.ones(1, np.float32))
    assert r.success
    assert r.x.dtype == np.float32
