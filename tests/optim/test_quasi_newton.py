"""Line search and quasi-Newton methods on problems with known answers."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, optim
from scisim.core import pytree
from scisim.optim import quasi_newton
from scisim.optim.bfgs import broyden_update
from scisim.optim.line_search import FAILED, FOUND, NOT_DESCENT, NOT_FINITE, Trial, cubic_minimum, strong_wolfe

METHODS = [optim.LBFGS, optim.BFGS, optim.SSBFGS, optim.SSBroyden]


def rosenbrock(x):
    return ss.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def along(f, df):
    calls = []

    def phi(t):
        calls.append(t)
        return Trial(t, f(t), df(t))

    return phi, calls


LINES = {
    # convex, far and near minima, and functions 1 and 2 of J. More, D. Thuente, ACM TOMS 20 (1994) 286
    "parabola": (lambda t: (t - 7.0) ** 2, lambda t: 2 * (t - 7.0)),
    "narrow": (lambda t: (t - 1e-3) ** 2, lambda t: 2 * (t - 1e-3)),
    "far": (lambda t: (t - 1e4) ** 2 * 1e-8, lambda t: 2e-8 * (t - 1e4)),
    "more1": (lambda t: -t / (t * t + 2), lambda t: (t * t - 2) / (t * t + 2) ** 2),
    "more2": (
        lambda t: (t + 0.004) ** 5 - 2 * (t + 0.004) ** 4,
        lambda t: 5 * (t + 0.004) ** 4 - 8 * (t + 0.004) ** 3,
    ),
    "wavy": (lambda t: math.cos(3 * t) - t + 0.1 * t * t, lambda t: -3 * math.sin(3 * t) - 1 + 0.2 * t),
    "barrier": (
        lambda t: t * t - math.log(1 - t) - 3 * t if t < 1 else math.nan,
        lambda t: 2 * t + 1 / (1 - t) - 3 if t < 1 else math.nan,
    ),
    "wall": (lambda t: -t if t < 0.1 else math.inf, lambda t: -1.0),
}


# For more2 the slope at 0 is -5e-7: values in double precision cannot tell where it is a thousandth of that.
SEARCHES = [(n, c2) for n in LINES for c2 in (0.9, 0.1, 1e-3) if n != "wall" and (n, c2) != ("more2", 1e-3)]


@pytest.mark.parametrize(("name", "c2"), SEARCHES)
@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 30.0])
def test_the_accepted_point_meets_the_strong_wolfe_conditions(name, c2, first):
    f, df = LINES[name]
    phi, calls = along(f, df)
    found = strong_wolfe(phi, phi(0.0), first, c2=c2, max_evaluations=60)
    assert found.status == FOUND
    t = found.trial
    assert t.value <= f(0.0) + 1e-4 * t.step * df(0.0)
    assert abs(t.slope) <= c2 * abs(df(0.0))
    assert found.evaluations == len(calls) - 1 <= 60


def test_a_search_that_cannot_succeed_ends_and_says_so():
    phi, calls = along(*LINES["wall"])
    found = strong_wolfe(phi, phi(0.0), 1.0, max_evaluations=12)
    assert found.status == FAILED
    assert len(calls) <= 13
    assert found.trial.value < 0  # the best point is given all the same
    forever, calls = along(lambda t: -t, lambda t: -1.0)
    assert strong_wolfe(forever, forever(0.0), max_evaluations=9).status == FAILED
    assert len(calls) == 10
    wrong, calls = along(lambda t: t, lambda t: -1.0)
    found = strong_wolfe(wrong, wrong(0.0), max_evaluations=30)
    assert (found.status, found.trial.step) == (FAILED, 0.0)


def test_directions_and_starts_that_are_refused():
    up, _ = along(lambda t: t, lambda t: 1.0)
    assert strong_wolfe(up, up(0.0)).status == NOT_DESCENT
    nan, _ = along(lambda t: math.nan, lambda t: -1.0)
    assert strong_wolfe(nan, nan(0.0)).status == NOT_FINITE


def test_the_cubic_is_exact_for_cubics():
    f, df = (lambda t: t**3 - 3 * t, lambda t: 3 * t * t - 3)
    for a, b in [(0.0, 3.0), (2.5, 0.2)]:
        got = cubic_minimum(Trial(a, f(a), df(a)), Trial(b, f(b), df(b)))
        assert got == pytest.approx(1.0, rel=1e-14)
    assert cubic_minimum(Trial(0.0, 0.0, -1.0), Trial(1.0, -1.0, -1.0)) is None
    assert cubic_minimum(Trial(0.0, 0.0, -1.0), Trial(1.0, math.inf, math.nan)) is None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("start", [[-1.2, 1.0], [3.0, -2.0], [-1.0, 0.5, -0.5, 2.0, 0.1]])
def test_rosenbrock(method, start):
    opt, x = method(iterations=100), ss.asarray(start)
    x, state, value = opt.update(rosenbrock, opt.init(x), x)
    assert np.allclose(x, 1.0, atol=1e-9)
    assert float(value) == float(rosenbrock(x)) < 1e-18
    assert int(state.evaluations) < 200


@pytest.mark.parametrize("method", METHODS)
def test_convergence_on_rosenbrock_is_superlinear(method):
    opt, x, errors = method(), ss.asarray([-1.2, 1.0]), []
    state = opt.init(x)
    for _ in range(60):
        x, state, _ = opt.update(rosenbrock, state, x)
        errors.append(max(float(ss.max(ss.abs(x - 1.0))), 1e-16))
        if errors[-1] < 1e-7:
            break
    rates = [b / a for a, b in zip(errors[-4:], errors[-3:], strict=False)]
    assert errors[-1] < 1e-7
    assert min(rates) < 0.05
    assert int(state.step) == len(errors)


@pytest.mark.parametrize("method", METHODS)
def test_every_accepted_step_meets_the_strong_wolfe_conditions(method, monkeypatch):
    searches = []

    def watched(phi, start, *args):
        searches.append((start, strong_wolfe(phi, start, *args)))
        return searches[-1][1]

    monkeypatch.setattr(quasi_newton, "strong_wolfe", watched)
    opt, x = method(iterations=25), ss.asarray([-1.2, 1.0, 0.7])
    opt.update(rosenbrock, opt.init(x), x)
    assert len(searches) == 25
    for start, found in searches:
        assert found.status == FOUND
        assert found.trial.value <= start.value + 1e-4 * found.trial.step * start.slope
        assert abs(found.trial.slope) <= 0.9 * abs(start.slope)
        at, g = found.trial.extra
        assert np.allclose(g, ad.grad(rosenbrock)(ss.asarray(at)), rtol=1e-12, atol=1e-12)


def test_bfgs_learns_the_inverse_hessian_of_a_quadratic(rng):
    m = rng.normal(size=(5, 5))
    a = m @ m.T + np.eye(5)
    opt, x = optim.BFGS(iterations=40, c2=0.1), ss.asarray(rng.normal(size=5))
    x, state, _ = opt.update(lambda x: 0.5 * ss.sum(x * (ss.asarray(a) @ x)), opt.init(x), x)
    assert np.allclose(x, 0.0, atol=1e-10)
    assert np.allclose(state.inverse, np.linalg.inv(a), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("tau", "phi"), [(1.0, 1.0), (0.4, 1.0), (0.7, 0.3)])
def test_updates_of_broydens_class(rng, tau, phi):
    """Against the formula written out; the secant equation holds for every member."""
    m = rng.normal(size=(6, 6))
    inverse = m @ m.T + np.eye(6)
    s = rng.normal(size=6)
    y = s + 0.1 * rng.normal(size=6)
    h, ys = inverse @ y, y @ s
    yhy = y @ h
    v = np.sqrt(yhy) * (s / ys - h / yhy)
    want = (inverse - np.outer(h, h) / yhy + phi * np.outer(v, v)) / tau + np.outer(s, s) / ys
    got = broyden_update(inverse, s, h, ys, yhy, tau, phi)
    assert np.allclose(got, want, rtol=1e-12, atol=1e-12)
    assert np.allclose(got @ y, s, rtol=1e-11, atol=1e-12)
    assert np.linalg.eigvalsh(got).min() > 0


def test_self_scaled_factors():
    assert optim.SSBFGS()._scales(5, ys=2.0, s_b_s=1.0, yhy=3.0) == (1.0, 1.0)
    assert optim.SSBFGS()._scales(5, ys=1.0, s_b_s=4.0, yhy=3.0) == (0.25, 1.0)
    tau, phi = optim.SSBroyden()._scales(5, ys=1.0, s_b_s=4.0, yhy=3.0)
    # a = 11, low = min(1, 3 (1 - sqrt(11/12))) = 0.1279; theta = max(-0.0793, min(7.82, -0.75)) = -0.0793
    low = 3 * (1 - math.sqrt(11 / 12))
    theta = (low - 1) / 11
    assert phi == pytest.approx((1 - theta) / (1 + 11 * theta), rel=1e-14)
    assert tau == pytest.approx(min(0.25 * (1 + 11 * theta) ** (-0.25), 1 + 11 * theta), rel=1e-14)
    assert optim.SSBroyden()._scales(5, ys=1.0, s_b_s=1.0, yhy=1.0) == (1.0, 1.0)


def lsq():
    net = nn.MLP([1, 6, 1], key=ss.random.key(2), first_bias=1.0)
    x = ss.linspace(-1, 1, 30)[:, None]
    return net, lambda net: ss.mean((net(x) - ss.sin(3 * x)) ** 2)


@pytest.mark.parametrize("method", METHODS)
def test_a_network_is_trained_and_the_state_goes_on(method):
    net, loss = lsq()
    whole = method(iterations=30)
    a, _, value = whole.update(loss, whole.init(net), net)
    assert isinstance(a, nn.MLP)
    assert float(value) < 2e-2 * float(loss(net))
    assert float(value) == pytest.approx(float(loss(a)), rel=1e-12)
    half, b = method(iterations=15), net
    s = half.init(b)
    for _ in range(2):
        leaves, spec = pytree.flatten(s)
        s = pytree.unflatten(spec, [ss.Tensor(np.asarray(v)) for v in leaves])
        b, s, _ = half.update(loss, s, b)
    assert int(s.step) == 30
    assert np.allclose(a.layers[0].weight, b.layers[0].weight, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_compiled_loss_and_float32(method):
    net = {"w": ss.asarray(np.float32([1.0, -2.0])), "z": ss.asarray(np.complex64(1 + 1j))}
    loss = ss.jit(lambda p: ss.sum(p["w"] ** 2) + ss.abs(p["z"] - 2j) ** 2)
    opt = method(iterations=12)
    p, state, value = opt.update(loss, opt.init(net), net)
    assert (p["w"].dtype, p["z"].dtype) == (np.float32, np.complex64)
    assert all(x.dtype == np.float32 for x in pytree.tree_leaves(state) if x.dtype.kind == "f")
    assert float(value) < 1e-10
    assert abs(complex(p["z"]) - 2j) < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_how_an_update_ends(method):
    opt, x = method(iterations=5), ss.asarray([1.0, 2.0])
    after, state, value = opt.update(lambda x: ss.sum(x) * math.nan, opt.init(x), x)
    assert optim.status_message(state) == "the loss or its derivative is not finite"
    assert after.tolist() == [1.0, 2.0]
    assert math.isnan(float(value))
    zero = ss.zeros(2)
    after, state, _ = opt.update(lambda x: ss.sum(x * x), opt.init(zero), zero)
    assert optim.status_message(state) == "the gradient is zero, or within the tolerance"
    assert int(state.step) == 0

    def lies(x):  # a gradient of the wrong sign: no point is better
        return ss.sum(ad.stop_gradient(2.0 * x * x) - x * x)

    after, state, _ = opt.update(lies, opt.init(x), x)
    assert "no trial was acceptable" in optim.status_message(state)
    assert after.tolist() == [1.0, 2.0]
    assert int(state.evaluations) <= 1 + 2 * opt.max_evaluations


def test_errors():
    for call, message in [
        (lambda: optim.LBFGS(0), "LBFGS: memory is 0"),
        (lambda: optim.LBFGS(iterations=0), "iterations is 0"),
        (lambda: optim.BFGS(c1=0.5, c2=0.1), "BFGS: c1 is 0.5, c2 0.1"),
        (lambda: optim.SSBFGS(tolerance=-1.0), "SSBFGS: tolerance is -1.0"),
        (lambda: optim.SSBroyden(max_evaluations=0), "max_evaluations is 0"),
        (lambda: optim.LBFGS().init(()), "no parameters"),
    ]:
        with pytest.raises(ss.errors.ArgumentError, match=message):
            call()
    with pytest.raises(ss.errors.ShapeError, match="must return one real number"):
        optim.LBFGS().update(lambda x: x, optim.LBFGS().init(ss.ones(2)), ss.ones(2))
