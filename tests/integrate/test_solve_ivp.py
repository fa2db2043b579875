"""solve_ivp on arrays: against SciPy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate

import scisim as ss
from scisim import integrate

EXPLICIT = ("RK23", "RK45", "DOP853")
STIFF = ("Radau", "BDF")
METHODS = (*EXPLICIT, *STIFF, "Rodas")
TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def swing(t, y):
    return [y[1], -y[0]]


def predators(t, y):
    return [y[0] * (1.5 - y[1]), y[1] * (y[0] - 3.0) + 0.1 * t]


def reaction(t, y):
    """Robertson's."""
    slow, fast, cubic = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return [fast - slow, slow - fast - cubic, cubic]


def spin(t, z):
    return [1j * z[0] * t, -z[1] + z[0]]


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize(
    ("f", "span", "y0"),
    [(swing, (0.0, 10.0), [1.0, 0.0]), (predators, (0.0, 8.0), [10.0, 5.0]), (spin, (2.0, -1.0), [1.0 + 0j, 0.5j])],
)
def test_explicit_steps_are_those_of_scipy(method, f, span, y0):
    want = scipy.integrate.solve_ivp(f, span, y0, method=method, **TIGHT)
    got = integrate.solve_ivp(f, span, y0, method=method, **TIGHT)
    assert (got.nfev, got.status, got.t.shape) == (want.nfev, want.status, want.t.shape)
    np.testing.assert_allclose(got.t, want.t, rtol=1e-6, atol=1e-8)  # sizes hang on differences of stages
    np.testing.assert_allclose(got.y, want.y, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", STIFF)
def test_implicit_steps_are_as_many_as_those_of_scipy(method):
    setting = {"method": method, "rtol": 1e-6, "atol": 1e-9}
    want = scipy.integrate.solve_ivp(reaction, (0.0, 1e4), [1.0, 0.0, 0.0], **setting)
    got = integrate.solve_ivp(reaction, (0.0, 1e4), [1.0, 0.0, 0.0], **setting)
    assert got.success
    assert abs(got.nfev - want.nfev) <= 0.05 * want.nfev
    assert got.t.shape == want.t.shape
    assert got.njev <= want.njev + 2
    assert got.nlu <= 1.1 * want.nlu
    np.testing.assert_allclose(got.y[:, -1], want.y[:, -1], rtol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_end_state_is_that_of_the_closed_form(method):
    s = integrate.solve_ivp(lambda t, y: -y + ss.sin(t), (0.0, 2.0), [1.0], method=method, **TIGHT)
    exact = 1.5 * np.exp(-2.0) + (np.sin(2.0) - np.cos(2.0)) / 2
    assert abs(float(s.y[0, -1]) - exact) < 1e-6
    assert s.message == "the solver reached the end of t_span"


@pytest.mark.parametrize("method", METHODS)
def test_output_times_and_dense_output_follow_the_solution(method):
    times = np.linspace(0.0, 3.0, 13)
    s = integrate.solve_ivp(swing, (0.0, 3.0), [1.0, 0.0], method=method, t_eval=times, dense_output=True, **TIGHT)
    np.testing.assert_array_equal(s.t, times)
    np.testing.assert_allclose(s.y, [np.cos(times), -np.sin(times)], atol=2e-6)
    np.testing.assert_array_equal(s.sol(times), s.y)
    np.testing.assert_allclose(s.sol(1.7), [np.cos(1.7), -np.sin(1.7)], atol=2e-6)
    assert s.sol(1.7).shape == (2,)
    assert (float(s.sol.t_min), float(s.sol.t_max)) == (0.0, 3.0)


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF"])
def test_dense_output_is_that_of_scipy(method):
    want = scipy.integrate.solve_ivp(predators, (0.0, 5.0), [10.0, 5.0], method=method, dense_output=True, **TIGHT)
    got = integrate.solve_ivp(predators, (0.0, 5.0), [10.0, 5.0], method=method, dense_output=True, **TIGHT)
    times = np.linspace(0.0, 5.0, 31)
    np.testing.assert_allclose(got.sol(times), want.sol(times), rtol=2e-6)


def height(t, y):
    return y[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("terminal", "direction"), [(False, 0), (True, 0), (2, -1), (False, 1)])
def test_events_are_those_of_scipy(method, terminal, direction):
    def event(t, y):
        return height(t, y)

    event.terminal, event.direction = terminal, direction
    if method == "Rodas":
        want = np.pi / 2 + np.arange(3) * np.pi
        want = want[:1] if terminal is True else want[:3:2] if direction < 0 else want[1:2] if direction > 0 else want
        got = integrate.solve_ivp(swing, (0.0, 9.0), [1.0, 0.0], method=method, events=event, **TIGHT)
        np.testing.assert_allclose(got.t_events[0], want, rtol=1e-6)
        return
    want = scipy.integrate.solve_ivp(swing, (0.0, 9.0), [1.0, 0.0], method=method, events=event, **TIGHT)
    got = integrate.solve_ivp(swing, (0.0, 9.0), [1.0, 0.0], method=method, events=event, **TIGHT)
    assert got.status == want.status
    np.testing.assert_allclose(got.t_events[0], want.t_events[0], rtol=1e-7)
    np.testing.assert_allclose(got.y_events[0], want.y_events[0], atol=1e-7)
    np.testing.assert_allclose(got.y[:, -1], want.y[:, -1], atol=1e-7)


def test_output_ends_with_a_terminal_event():
    def event(t, y):
        return y[0]

    event.terminal = True
    s = integrate.solve_ivp(swing, (0.0, 9.0), [1.0, 0.0], t_eval=[0.5, 1.5, 2.5], events=[event], **TIGHT)
    np.testing.assert_array_equal(s.t, [0.5, 1.5])
    assert s.message == "a terminal event ended it"
    assert s.success


def test_states_may_be_arrays_of_any_shape():
    y0 = np.arange(1.0, 7.0).reshape(2, 3)
    s = integrate.solve_ivp(lambda t, y: -y.mT.mT, (0.0, 1.0), y0, t_eval=[0.0, 1.0], **TIGHT)
    assert s.y.shape == (2, 3, 2)
    np.testing.assert_allclose(s.y[..., 1], y0 * np.exp(-1.0), rtol=1e-7)


def test_states_may_be_containers():
    def f(t, y):
        return {"x": y["v"], "v": -y["x"]}

    s = integrate.solve_ivp(
        f, (0.0, 1.0), {"x": ss.ones(2), "v": ss.zeros(2)}, dense_output=True, events=lambda t, y: ss.sum(y["v"])
    )
    assert s.y["x"].shape[0] == 2
    assert s.y["v"].shape == (2, *s.t.shape)
    assert s.sol(0.5)["x"].shape == (2,)


def test_states_of_one_number_may_return_a_number():
    s = integrate.solve_ivp(lambda t, y: 2.0 * t, (0.0, 1.0), [0.0])
    assert abs(float(s.y[0, -1]) - 1.0) < 1e-12


def test_functions_may_return_numpy_arrays_and_lists():
    matrix = np.array([[0.0, 1.0], [-1.0, 0.0]])
    forms = [
        lambda t, y: matrix @ np.asarray(y),
        lambda t, y: (y[1], -y[0]),
        lambda t, y: ss.stack([y[1], -y[0]]),
        lambda t, y: [float(y[1]), -float(y[0])],
    ]
    ends = [integrate.solve_ivp(f, (0.0, 3.0), [1.0, 0.0], method="RK45").y for f in forms]
    for y in ends[1:]:
        np.testing.assert_allclose(y, ends[0], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_implicit_methods_take_functions_that_compute_with_numpy_alone(method):
    f = lambda t, y: np.array([float(y[1]), -50.0 * float(y[0]) - 51.0 * float(y[1])])
    s = integrate.solve_ivp(f, (0.0, 2.0), [1.0, 0.0], method=method, **TIGHT)
    exact = (50 * np.exp(-2.0) - np.exp(-100.0)) / 49
    assert abs(float(s.y[0, -1]) - exact) < 1e-6


@pytest.mark.parametrize("method", ["Radau", "BDF", "Rodas"])
@pytest.mark.parametrize("jac", [lambda t, y: [[0.0, 1.0], [-1.0, 0.0]], np.array([[0.0, 1.0], [-1.0, 0.0]])])
def test_jacobians_may_be_given(method, jac):
    s = integrate.solve_ivp(swing, (0.0, 1.0), [1.0, 0.0], method=method, jac=jac, **TIGHT)
    np.testing.assert_allclose(s.y[:, -1], [np.cos(1.0), -np.sin(1.0)], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_single_precision_stays(method):
    s = integrate.solve_ivp(swing, (0.0, 1.0), np.array([1.0, 0.0], np.float32), method=method, dense_output=True)
    assert s.t.dtype == s.y.dtype == s.sol(0.5).dtype == np.float32
    np.testing.assert_allclose(s.y[:, -1], [np.cos(1.0), -np.sin(1.0)], atol=5e-3)


@pytest.mark.parametrize("method", ["Radau", "BDF", "Rodas"])
def test_implicit_methods_take_complex_states(method):
    s = integrate.solve_ivp(lambda t, z: (2j - 1.0) * z, (0.0, 1.0), [1.0 + 0j, 1j], method=method, **TIGHT)
    np.testing.assert_allclose(s.y[:, -1], np.exp(2j - 1.0) * np.array([1, 1j]), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_backward_in_time(method):
    s = integrate.solve_ivp(lambda t, y: -y, (1.0, 0.0), [1.0], method=method, t_eval=[0.75, 0.25], **TIGHT)
    np.testing.assert_allclose(s.y[0], np.exp([0.25, 0.75]), rtol=1e-6)


def test_a_span_of_no_length_gives_the_start():
    s = integrate.solve_ivp(swing, (1.0, 1.0), [1.0, 2.0], dense_output=True)
    np.testing.assert_array_equal(s.y, [[1.0], [2.0]])
    assert s.success


def test_an_empty_state_integrates_to_an_empty_one():
    s = integrate.solve_ivp(lambda t, y: y, (0.0, 1.0), np.zeros(0))
    assert s.y.shape[0] == 0
    assert s.success


def test_settings_of_steps_are_kept():
    s = integrate.solve_ivp(swing, (0.0, 1.0), [1.0, 0.0], first_step=0.01, max_step=0.05)
    widths = np.diff(s.t)
    assert abs(widths[0] - 0.01) < 1e-15
    assert np.max(widths) <= 0.05 + 1e-15
    short = integrate.solve_ivp(swing, (0.0, 100.0), [1.0, 0.0], max_steps=5)
    assert (short.status, short.t.shape, short.success) == (-1, (6,), False)
    assert "max_steps=5" in short.message


def test_absolute_tolerances_may_differ():
    f = lambda t, y: ss.stack([-y[0], -100.0 * y[1]])
    want = scipy.integrate.solve_ivp(lambda t, y: [-y[0], -100 * y[1]], (0.0, 1.0), [1.0, 1.0], atol=[1e-3, 1e-9])
    got = integrate.solve_ivp(f, (0.0, 1.0), [1.0, 1.0], atol=[1e-3, 1e-9])
    assert got.nfev == want.nfev


def test_a_solution_that_grows_without_bound_fails_with_advice():
    s = integrate.solve_ivp(lambda t, y: y * y, (0.0, 2.0), [1.0])
    assert s.status == -1
    assert "at t = 0.9999" in s.message
    assert "Radau" in s.message


def test_nan_is_told_with_its_time():
    with np.errstate(invalid="ignore"):
        s = integrate.solve_ivp(lambda t, y: ss.sqrt(1.0 - t) * y, (0.0, 2.0), [1.0])
    assert s.status == -1
    assert "nan or infinity near t = 1" in s.message


def test_the_result_reads_as_scipys():
    s = integrate.solve_ivp(swing, (0.0, 1.0), [1.0, 0.0])
    assert s["y"] is s.y
    assert set(scipy.integrate.solve_ivp(swing, (0.0, 1.0), [1.0, 0.0]).keys()) == set(s.keys())
