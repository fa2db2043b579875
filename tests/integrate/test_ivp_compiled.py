"""solve_ivp inside jit and vmap: bounded loops, with the same derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate

METHODS = ("RK45", "Radau", pytest.param("Rodas", marks=pytest.mark.slow))
TIGHT = {"rtol": 1e-8, "atol": 1e-10, "max_steps": 200}
TIMES = np.array([0.7, 1.9])


def swing(t, y, k):
    return [y[1], -k * y[0]]


def states(k, method="RK45"):
    return integrate.solve_ivp(swing, (0.0, 2.0), [1.0, 0.0], t_eval=TIMES, args=(k,), method=method, **TIGHT).y


@pytest.mark.parametrize("method", METHODS)
def test_programs_and_batches_give_the_plain_values(method):
    ks = ss.asarray([0.9, 1.3, 4.0])
    want = ss.stack([states(k, method) for k in ks])
    f = lambda k: states(k, method)
    np.testing.assert_allclose(ss.stack([ss.jit(f)(k) for k in ks]), want, atol=5e-8)
    np.testing.assert_allclose(ss.vmap(f)(ks), want, atol=5e-8)
    np.testing.assert_allclose(ss.jit(ss.vmap(f))(ks), want, atol=5e-8)


@pytest.mark.parametrize("method", METHODS)
def test_gradients_in_programs_and_batches(method):
    loss = lambda k: ss.sum(states(k, method))
    k = ss.asarray(1.3)
    want = ad.grad(loss)(k)
    got = [
        ss.jit(ad.grad(loss))(k),
        ad.grad(ss.jit(loss))(k),
        ss.vmap(ad.grad(loss))(ss.stack([k, 2.0 * k]))[0],
        ad.grad(lambda ks: ss.sum(ss.vmap(loss)(ks)))(ss.stack([k, 2.0 * k]))[0],
        ss.jit(lambda k: ad.jvp(loss, (k,), (1.0,))[1])(k),
    ]
    np.testing.assert_allclose(got, np.full(5, float(want)), atol=1e-7)


def test_second_derivatives_in_programs():
    loss = lambda k: ss.sum(states(k))
    k = ss.asarray(1.3)
    want = ad.derivative(loss, 2)(k)
    for got in (ss.jit(ad.grad(ad.grad(loss))), ss.jit(ad.derivative(loss, 2)), ad.derivative(ss.jit(loss), 2)):
        np.testing.assert_allclose(got(k), want, rtol=1e-9)


def test_all_steps_are_padded_with_the_last_one():
    f = lambda y: integrate.solve_ivp(swing, (0.0, 2.0), y, args=(1.3,), dense_output=True, **TIGHT)
    want, got = f(ss.asarray([1.0, 0.0])), ss.jit(f)(ss.asarray([1.0, 0.0]))
    count = want.t.shape[0]
    assert got.t.shape == (TIGHT["max_steps"] + 1,)
    np.testing.assert_allclose(got.t[:count], want.t, rtol=1e-6)
    np.testing.assert_array_equal(got.t[count:], np.full(TIGHT["max_steps"] + 1 - count, 2.0))
    np.testing.assert_allclose(got.y[:, -1], want.y[:, -1], rtol=1e-10)
    np.testing.assert_allclose(got.sol(ss.asarray([0.3, 1.1])), want.sol([0.3, 1.1]), atol=1e-8)
    assert (int(got.status), bool(got.success)) == (0, True)


def test_each_problem_of_a_batch_has_its_own_steps():
    f = lambda k: integrate.solve_ivp(swing, (0.0, 3.0), [1.0, 0.0], args=(k,), **{**TIGHT, "max_steps": 600})
    ks = ss.asarray([1.0, 100.0])
    got = ss.vmap(f)(ks)
    for n, k in enumerate(ks):
        want = f(k)
        np.testing.assert_allclose(got.y[n, :, : want.t.shape[0]], want.y, rtol=1e-6, atol=1e-8)
    assert int(got.nfev[1]) > 3 * int(got.nfev[0])


def test_too_few_steps_give_nan_and_no_success():
    f = lambda y: integrate.solve_ivp(swing, (0.0, 50.0), y, args=(1.0,), max_steps=10, t_eval=[0.1, 49.0])
    s = ss.jit(f)(ss.asarray([1.0, 0.0]))
    assert (int(s.status), bool(s.success)) == (-1, False)
    np.testing.assert_array_equal(np.isnan(s.y), [[False, True]] * 2)
    g = lambda y: integrate.solve_ivp(swing, (0.0, 50.0), y, args=(1.0,), max_steps=10)
    assert np.all(np.isnan(ss.jit(g)(ss.asarray([1.0, 0.0])).y[:, -1]))


def test_spans_and_output_times_may_be_variables():
    def f(start, end, times):
        return integrate.solve_ivp(swing, (start, end), [1.0, 0.0], args=(1.0,), t_eval=times, **TIGHT).y[0]

    args = (ss.asarray(0.1), ss.asarray(1.5), ss.asarray([0.5, 1.2]))
    np.testing.assert_allclose(ss.jit(f)(*args), np.cos(np.array([0.4, 1.1])), atol=1e-7)
    backward = (ss.asarray(1.5), ss.asarray(0.1), ss.asarray([1.2, 0.5]))
    np.testing.assert_allclose(ss.jit(f)(*backward), np.cos(np.array([0.3, 1.0])), atol=1e-7)
    got = ss.jit(ad.grad(lambda e: integrate.solve_ivp(swing, (0.0, e), [1.0, 0.0], args=(1.0,), **TIGHT).y[0, -1]))(
        1.5
    )
    assert abs(float(got) + np.sin(1.5)) < 1e-7


def turns(k):
    zero = lambda t, y, k: y[0]
    zero.terminal = 2
    rising = lambda t, y, k: y[1]
    rising.direction = 1
    return integrate.solve_ivp(swing, (0.0, 9.0), [1.0, 0.0], events=[zero, rising], args=(k,), max_events=3, **TIGHT)


def test_events_in_programs():
    want, got = turns(1.3), ss.jit(turns)(1.3)
    assert (want.status, int(got.status)) == (1, 1)
    for w, g in zip(want.t_events, got.t_events, strict=True):
        count = w.shape[0]
        assert g.shape == (3,)
        np.testing.assert_allclose(g[:count], w, rtol=1e-8)
        assert np.all(np.isnan(g[count:]))
    np.testing.assert_allclose(got.y[:, -1], want.y[:, -1], atol=1e-8)
    assert abs(float(got.t[-1]) - float(want.t[-1])) < 1e-8


def test_events_in_programs_and_batches_differentiate():
    f = lambda k: turns(k).t_events[0][1]
    want = -0.75 * np.pi * 1.3**-1.5
    for g in (ss.jit(ad.grad(f)), ad.grad(ss.jit(f)), ss.jit(lambda k: ad.jvp(f, (k,), (1.0,))[1])):
        assert abs(float(g(ss.asarray(1.3))) - want) < 1e-6
    np.testing.assert_allclose(ss.vmap(ad.grad(f))(ss.asarray([1.3, 1.3])), [want, want], atol=1e-6)


def test_output_after_a_terminal_event_is_nan():
    zero = lambda t, y: y[0]
    zero.terminal = True
    f = lambda y: integrate.solve_ivp(
        lambda t, y: [y[1], -y[0]], (0.0, 9.0), y, t_eval=[1.0, 2.0], events=zero, **TIGHT
    ).y[0]
    np.testing.assert_allclose(ss.jit(f)(ss.asarray([1.0, 0.0])), [np.cos(1.0), np.nan], atol=1e-7)


def test_single_precision_stays_in_programs():
    f = lambda y: integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), y, t_eval=[1.0], max_steps=20)
    s = ss.jit(f)(ss.ones(2, dtype="float32"))
    assert s.y.dtype == np.float32
    np.testing.assert_allclose(s.y[:, 0], np.full(2, np.exp(-1.0)), rtol=2e-3)


def test_the_continuous_adjoint_in_programs():
    def f(k):
        s = integrate.solve_ivp(swing, (0.0, 2.0), [1.0, 0.0], t_eval=TIMES, args=(k,), adjoint="continuous", **TIGHT)
        return ss.sum(s.y)

    np.testing.assert_allclose(ss.jit(ad.grad(f))(1.3), ad.grad(lambda k: ss.sum(states(k)))(1.3), atol=1e-6)
