"""Derivatives through solve_ivp: of any order, in states, times, parameters and closures.

The values beside them are those of the plain call, to the bit.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate

SLOW = lambda name: pytest.param(name, marks=pytest.mark.slow)
METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "Rodas")
TIGHT = {"rtol": 1e-9, "atol": 1e-11}
TIMES = np.array([0.7, 1.9])


def swing(t, y, k):
    return [y[1], -k * y[0]]


def states(k, method="RK45", y0=(1.0, 0.0), t_eval=TIMES, **more):
    setting = {**TIGHT, "method": method, **more}
    return integrate.solve_ivp(swing, (0.0, 2.0), list(y0), t_eval=t_eval, args=(k,), **setting).y


def exact(k):
    return ss.stack([ss.cos(TIMES * ss.sqrt(k)), -ss.sqrt(k) * ss.sin(TIMES * ss.sqrt(k))])


def tolerance(method):
    return {"RK23": 1e-6, "BDF": 1e-5}.get(method, 1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_values_beside_derivatives_are_those_of_the_plain_call(method):
    k = ss.asarray(1.3)
    want = states(k, method)
    for got in (
        ad.vjp(lambda k: states(k, method), k)[0],
        ad.jvp(lambda k: states(k, method), (k,), (1.0,))[0],
        ad.taylor(lambda k: states(k, method), k, 1.0, 3)[0],
    ):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("method", METHODS)
def test_first_derivatives_in_a_parameter(method):
    k = ss.asarray(1.3)
    want = ad.jacfwd(exact)(k)
    forward, reverse = (way(lambda k: states(k, method))(k) for way in (ad.jacfwd, ad.jacrev))
    np.testing.assert_allclose(forward, want, atol=tolerance(method))
    np.testing.assert_allclose(reverse, forward, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("method", ["RK45", "Radau", SLOW("DOP853"), SLOW("Rodas")])
def test_derivatives_to_order_four(method):
    k = ss.asarray(1.3)
    for order in (2, 3, 4):
        got = ad.derivative(lambda k: states(k, method), order)(k)
        np.testing.assert_allclose(got, ad.derivative(exact, order)(k), atol=2e-6)
    nested = ad.grad(ad.grad(ad.grad(lambda k: ss.sum(states(k, method)))))(k)
    np.testing.assert_allclose(nested, ad.derivative(lambda k: ss.sum(states(k, method)), 3)(k), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_derivative_is_that_of_the_computed_solution(method):
    """With steps held by max_step the computed solution is smooth, so that differences find its derivative."""
    setting = {"rtol": 1e-2, "atol": 1e-2, "first_step": 0.2, "max_step": 0.2}
    if method in ("Radau", "BDF"):
        setting |= {"rtol": 1e-9, "atol": 1e-9, "max_step": 0.01, "first_step": 0.01}
    f = lambda k: float(states(k, method, **setting)[0, 1])
    h = 1e-3
    want = (8 * (f(1.3 + h) - f(1.3 - h)) - (f(1.3 + 2 * h) - f(1.3 - 2 * h))) / (12 * h)
    got = ad.grad(lambda k: states(k, method, **setting)[0, 1])(1.3)
    assert abs(float(got) - want) < (1e-6 if method in ("Radau", "BDF") else 1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_in_initial_state_and_times(method):
    def f(y0, t0, times):
        s = integrate.solve_ivp(swing, (t0, 2.0), y0, method=method, t_eval=times, args=(1.0,), **TIGHT)
        return s.y[0, 1]

    y0, t0, times = ss.asarray([0.3, 0.8]), ss.asarray(0.2), ss.asarray([0.7, 1.9])
    dy, dt0, dt = ad.grad(f, (0, 1, 2))(y0, t0, times)
    angle, near = 1.7, tolerance(method)
    slope = -0.3 * np.sin(angle) + 0.8 * np.cos(angle)
    np.testing.assert_allclose(dy, [np.cos(angle), np.sin(angle)], atol=near)
    assert abs(float(dt0) + slope) < 10 * near
    np.testing.assert_allclose(dt, [0.0, slope], atol=10 * near)


def test_derivatives_in_the_end_of_the_span():
    f = lambda end: integrate.solve_ivp(swing, (0.0, end), [1.0, 0.0], args=(1.0,), **TIGHT).y[0, -1]
    for order, want in ((1, -np.sin(2.0)), (2, -np.cos(2.0)), (3, np.sin(2.0))):
        assert abs(float(ad.derivative(f, order)(2.0)) - want) < 1e-6


def test_derivatives_reach_what_the_function_closes_over():
    def f(k, shift):
        g = lambda t, y: ss.stack([y[1], -k * y[0] + shift])
        return integrate.solve_ivp(g, (0.0, 2.0), [1.0, 0.0], t_eval=TIMES, **TIGHT).y[0, 1]

    dk, dshift = ad.grad(f, (0, 1))(1.3, 0.0)
    np.testing.assert_allclose(dk, ad.grad(lambda k: exact(k)[0, 1])(1.3), atol=1e-7)
    np.testing.assert_allclose(dshift, (1 - np.cos(1.9 * np.sqrt(1.3))) / 1.3, atol=1e-7)


def test_functions_may_branch_in_python():
    def f(k):
        g = lambda t, y: -k * y if t < 1.0 else -2.0 * k * y
        return integrate.solve_ivp(g, (0.0, 2.0), [1.0], max_step=0.05, **TIGHT).y[0, -1]

    assert abs(float(ad.grad(f)(0.5)) + 3 * np.exp(-1.5)) < 1e-6
    assert abs(float(ad.derivative(f, 2)(0.5)) - 9 * np.exp(-1.5)) < 1e-5


def test_complex_states_differentiate():
    def f(a):
        s = integrate.solve_ivp(lambda t, z: a * z, (0.0, 1.0), [1.0 + 0j], t_eval=[1.0], **TIGHT)
        return ss.real(s.y[0, 0])

    a = 0.3 + 0.7j
    assert abs(complex(ad.grad(f)(a)) - np.conj(np.exp(a))) < 1e-7


def test_containers_differentiate():
    def f(y0):
        s = integrate.solve_ivp(lambda t, y: {"x": y["v"], "v": -y["x"]}, (0.0, 1.0), y0, t_eval=[1.0], **TIGHT)
        return ss.sum(s.y["x"])

    g = ad.grad(f)({"x": ss.ones((2, 2)), "v": ss.zeros((2, 2))})
    np.testing.assert_allclose(g["x"], np.full((2, 2), np.cos(1.0)), atol=1e-7)
    np.testing.assert_allclose(g["v"], np.full((2, 2), np.sin(1.0)), atol=1e-7)


def test_dense_output_differentiates():
    def f(k):
        s = integrate.solve_ivp(swing, (0.0, 2.0), [1.0, 0.0], dense_output=True, args=(k,), **TIGHT)
        return s.sol(1.9)[0]

    np.testing.assert_allclose(ad.grad(f)(1.3), ad.grad(lambda k: exact(k)[0, 1])(1.3), atol=1e-7)


@pytest.mark.parametrize("method", ["RK45", "Radau", *map(SLOW, ("RK23", "DOP853", "BDF", "Rodas"))])
def test_times_of_events_differentiate(method):
    def f(k):
        event = lambda t, y, k: y[0]
        event.terminal = True
        s = integrate.solve_ivp(swing, (0.0, 9.0), [1.0, 0.0], method=method, events=event, args=(k,), **TIGHT)
        return ss.stack([s.t_events[0][0], s.t[-1], s.y[1, -1], s.y_events[0][0, 1]])

    time = lambda k: np.pi / 2 / ss.sqrt(k)
    want = lambda k: ss.stack([time(k), time(k), -ss.sqrt(k), -ss.sqrt(k)])
    near = {"RK23": 2e-5, "BDF": 1e-4, "Radau": 1e-5, "Rodas": 1e-5}.get(method, 2e-6)
    for way in (ad.jacfwd, ad.jacrev):
        np.testing.assert_allclose(way(f)(1.3), ad.jacfwd(want)(1.3), atol=near)
    np.testing.assert_allclose(ad.jacfwd(ad.jacrev(f))(1.3), ad.derivative(want, 2)(1.3), atol=50 * near)


def test_a_bouncing_ball_differentiates_through_its_events():
    def landing(gravity):
        ground = lambda t, y: y[0]
        ground.terminal, ground.direction = True, -1
        fall = lambda t, y: ss.stack([y[1], -gravity])
        first = integrate.solve_ivp(fall, (0.0, 10.0), [1.0, 0.0], events=ground, **TIGHT)
        start = ss.stack([first.y[0, -1] * 0.0, -0.5 * first.y[1, -1]])
        second = integrate.solve_ivp(fall, (first.t[-1], 20.0), start, events=ground, first_step=0.01, **TIGHT)
        return second.t_events[0][-1]

    # sqrt(2 / g) to the ground, and as long in the air again, with half the speed
    exact = lambda g: 2 * mpmath.sqrt(2 / g)
    assert abs(float(landing(9.81)) - float(exact(9.81))) < 1e-8
    assert abs(float(ad.grad(landing)(9.81)) - float(mpmath.diff(exact, 9.81))) < 1e-7


def test_the_continuous_adjoint_agrees_with_the_discrete_one():
    def f(k, y0, start, times, adjoint):
        s = integrate.solve_ivp(swing, (start, 2.0), y0, t_eval=times, args=(k,), adjoint=adjoint, **TIGHT)
        return ss.sum(s.y * s.y[::-1])

    args = (ss.asarray(1.3), ss.asarray([1.0, 0.5]), ss.asarray(0.1), ss.asarray(TIMES))
    want = ad.grad(f, (0, 1, 2, 3))(*args, "discrete")
    for g, w in zip(ad.grad(f, (0, 1, 2, 3))(*args, "continuous"), want, strict=True):
        np.testing.assert_allclose(g, w, atol=1e-6)
    second = [ad.grad(ad.grad(lambda k, a=a: f(k, *args[1:], a)))(args[0]) for a in ("discrete", "continuous")]
    np.testing.assert_allclose(second[1], second[0], atol=1e-5)


def test_the_continuous_adjoint_of_complex_states_and_stiff_methods():
    def f(a, adjoint, method):
        s = integrate.solve_ivp(
            lambda t, z: a * z, (0.0, 1.0), [1.0 + 0j], method, t_eval=[0.5, 1.0], adjoint=adjoint, **TIGHT
        )
        return ss.real(ss.sum(s.y))

    a = 0.3 + 0.7j
    want = np.conj(np.exp(a) + 0.5 * np.exp(a / 2))
    for method in ("RK45", "Radau"):
        assert abs(complex(ad.grad(f)(a, "continuous", method)) - want) < 1e-6


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_stiff_problems_differentiate(method):
    """Robertson's reaction in its fast rate, against finite differences of a tighter solution."""

    def f(rate):
        def g(t, y):
            slow, fast, cubic = 0.04 * y[0], rate * y[1] * y[2], 3e7 * y[1] * y[1]
            return [fast - slow, slow - fast - cubic, cubic]

        return integrate.solve_ivp(g, (0.0, 40.0), [1.0, 0.0, 0.0], method=method, rtol=1e-7, atol=1e-10).y[0, -1]

    h = 100.0
    want = (float(f(1e4 + h)) - float(f(1e4 - h))) / (2 * h)
    assert abs(float(ad.grad(f)(1e4)) / want - 1) < 2e-3
    assert abs(float(ad.jvp(f, (1e4,), (1.0,))[1]) / float(ad.grad(f)(1e4)) - 1) < 1e-8
