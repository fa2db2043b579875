"""Least squares over points, and Levenberg-Marquardt on problems with known answers."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, optim
from scisim.core import pytree
from scisim.optim.flat import Flat

NET = nn.Field(nn.MLP([2, 5, 4, 1], key=ss.random.key(8), first_bias=1.0), bounds=[(0, 1), (-1, 1)])
POINTS = np.random.default_rng(4).uniform(size=(23, 2)) * [1, 2] - [0, 1]


def burgers(net, t, x):
    u = lambda t, x: -ss.sin(math.pi * x) + t * (1 - x * x) * net(t, x)
    ut, ux, uxx = ad.partials(u, ["t", "x", "xx"])(t, x)
    return ut + u(t, x) * ux - 0.01 * uxx


def params_and_residual():
    params, rest = nn.partition(NET)
    return params, lambda p, t, x: burgers(nn.combine(p, rest), t, x)


def whole(residual, points):
    return lambda p: residual(p, ss.asarray(points[:, 0]), ss.asarray(points[:, 1]))


@pytest.mark.parametrize("compiled", [True, False])
def test_the_jacobian_is_that_of_all_residuals_together(compiled):
    params, residual = params_and_residual()
    data = optim.LeastSquares(residual, POINTS, weight=3.0, compiled=compiled)
    (r,), (j,) = data.jacobian(params)
    scale = math.sqrt(3.0 / 23)
    f = whole(residual, POINTS)
    want = ad.jacobian(f)(params)
    columns = np.concatenate([np.asarray(w).reshape(23, -1) for w in pytree.tree_leaves(want)], axis=1)
    assert np.allclose(r, scale * np.asarray(f(params)), rtol=1e-12, atol=1e-13)
    assert np.allclose(j, scale * columns, rtol=1e-11, atol=1e-13)
    assert np.allclose(data.value(params)[0], r, rtol=1e-14)
    assert float(data.loss(params)) == pytest.approx(np.sum(np.asarray(r) ** 2), rel=1e-13)
    n = data.normal(params)
    assert np.allclose(n.gram, np.asarray(j).T @ np.asarray(j), rtol=1e-12, atol=1e-13)
    assert np.allclose(n.gradient, np.asarray(j).T @ np.asarray(r), rtol=1e-12, atol=1e-13)
    g = Flat(params, "test").vector(ad.grad(lambda p: data.loss(p))(params))
    assert np.allclose(g, 2 * np.asarray(n.gradient), rtol=1e-10, atol=1e-12)


def test_the_second_derivative_along_a_direction_is_nested_jvp(rng):
    params, residual = params_and_residual()
    data = optim.LeastSquares(residual, POINTS)
    flat = Flat(params, "test")
    d = flat.tree(rng.normal(size=flat.size))
    f = whole(residual, POINTS)
    first = lambda p: ad.jvp(f, (p,), (d,))[1]
    want = np.asarray(ad.jvp(first, (params,), (d,))[1]) / math.sqrt(23)
    got = data.second(params, d)[0]
    assert np.allclose(got, want, rtol=1e-10, atol=1e-11 * np.abs(want).max())
    n = data.normal(params)
    (j,) = data.jacobian(params)[1]
    assert np.allclose(data.pulled_second(params, d, n), np.asarray(j).T @ want, rtol=1e-9, atol=1e-10)


def test_systems_complex_numbers_and_several_blocks():
    def system(p, x):
        return {"a": ss.stack([p["w"] * x, p["w"] ** 2 - x]), "b": p["z"] * x + 1j * p["w"]}

    p = {"w": ss.asarray(2.0), "z": ss.asarray(1.0 - 3j)}
    x = np.array([0.5, 2.0, -1.0])
    data = optim.LeastSquares(system, x[:, None])
    rs, js = data.jacobian(p)
    one, zero, s = np.ones(3), np.zeros(3), 1 / math.sqrt(3)
    assert np.allclose(rs, [2 * x * s, (4 - x) * s, x * s, (2 - 3 * x) * s])
    want = [[x, zero, zero], [4 * one, zero, zero], [zero, x, zero], [one, zero, x]]  # columns w, Re z, Im z
    assert np.allclose(js, np.swapaxes(np.array(want), 1, 2) * s)
    other = optim.LeastSquares(lambda p, x: p["w"] - x, [[1.0], [3.0]], weight=8.0)
    both = data + other
    assert len(both.value(p)) == 5
    assert np.allclose(both.value(p)[4], [2.0, -2.0])
    assert float(both.loss(p)) == pytest.approx(float(data.loss(p)) + 8.0, rel=1e-14)
    gram = np.asarray(data.normal(p).gram) + np.asarray(other.normal(p).gram)
    assert np.allclose(both.normal(p).gram, gram, rtol=1e-14)


def test_other_points_use_what_was_compiled():
    params, residual = params_and_residual()
    calls = []

    def counted(p, t, x):
        calls.append(1)
        return residual(p, t, x)

    data = optim.LeastSquares(counted, POINTS)
    data.loss(params)
    seen = len(calls)
    moved = data.at(POINTS[::-1].copy())
    assert float(moved.loss(params)) == pytest.approx(float(data.loss(params)), rel=1e-13)
    assert len(calls) == seen
    assert np.allclose(moved.value(params)[0], np.asarray(data.value(params)[0])[::-1], rtol=1e-12, atol=1e-14)
    assert data.at(None).points[0] is data.points[0]


def line(p, x, y):
    return p["a"] * x + p["b"] - y


@pytest.mark.parametrize("geodesic", [True, False])
def test_linear_least_squares_takes_one_step(rng, geodesic):
    x = rng.uniform(-1, 1, 40)
    y = 3 * x - 2 + 0.1 * rng.normal(size=40)
    data = optim.LeastSquares(line, np.stack([x, y], 1))
    lm = optim.LevenbergMarquardt(lam=1e-15, geodesic=geodesic)
    p = {"a": ss.asarray(10.0), "b": ss.asarray(-7.0)}
    p, state, value = lm.update(data, lm.init(p), p)
    want = np.linalg.lstsq(np.stack([x, np.ones(40)], 1), y, rcond=None)[0]
    assert np.allclose([float(p["a"]), float(p["b"])], want, rtol=1e-12)
    assert (int(state.step), int(state.trials), int(state.status)) == (1, 1, 0)
    assert float(value) == pytest.approx(np.mean((want[0] * x + want[1] - y) ** 2), rel=1e-12)


@pytest.mark.parametrize("damping", ["identity", "diagonal"])
def test_rosenbrock_as_least_squares(damping):
    data = optim.LeastSquares(lambda p, x: ss.stack([10.0 * (p[1] - p[0] ** 2), 1.0 - p[0]]), [[0.0]])
    lm, p = optim.LevenbergMarquardt(damping=damping), ss.asarray([-1.2, 1.0])
    state, errors = lm.init(p), []
    for _ in range(30):
        p, state, _ = lm.update(data, state, p)
        errors.append(float(ss.max(ss.abs(p - 1.0))))
        if errors[-1] < 1e-12:
            break
    assert errors[-1] < 1e-12
    # with lam falling, the last steps converge superlinearly: zero residual
    assert errors[-1] <= 0.2 * errors[-2] or errors[-1] < 1e-14


def test_a_trial_is_rejected_and_damping_raised():
    data = optim.LeastSquares(lambda p, x: ss.atan(p) * 1.0, [[0.0]])
    lm, p = optim.LevenbergMarquardt(lam=1e-8, geodesic=False), ss.asarray(4.0)
    _, state, value = lm.update(data, lm.init(p), p)
    assert int(state.status) == 0
    assert int(state.trials) > 1
    assert float(value) < math.atan(4.0) ** 2
    assert float(state.lam) == pytest.approx(1e-8 * 4.0 ** (int(state.trials) - 1) / 3, rel=1e-12)
    # with the acceleration the far steps are not even tried
    bent = optim.LevenbergMarquardt(lam=1e-8)
    assert float(bent.update(data, bent.init(p), p)[2]) < math.atan(4.0) ** 2


def test_geodesic_step_by_hand():
    """r = p^2 - 2 at p = 1.5: J = 3, r'' = 2 d^2, a = -r'' J / (2 (J^2 + lam))."""
    data = optim.LeastSquares(lambda p, x: p * p - 2.0, [[0.0]])
    lm, p = optim.LevenbergMarquardt(lam=0.5), ss.asarray(1.5)
    d = -3 * 0.25 / 9.5
    a = -0.5 * 3 * (2 * d * d) / 9.5
    after, state, _ = lm.update(data, lm.init(p), p)
    assert float(after) == pytest.approx(1.5 + d + a, rel=1e-14)
    assert float(state.lam) == pytest.approx(0.5 / 3, rel=1e-15)


def test_the_damping_of_the_diagonal_remembers():
    data = optim.LeastSquares(lambda p, x: p[0] * x + 1e-9 * p[1], [[2.0]])
    lm, p = optim.LevenbergMarquardt(damping="diagonal"), ss.asarray([1.0, 1.0])
    _, state, _ = lm.update(data, lm.init(p), p)
    assert np.allclose(state.scale, [4.0, 4e-8], rtol=1e-15)  # the floor is 1e-8 of the largest
    _, state, _ = lm.update(data.at([[0.1]]), state, p)
    assert np.allclose(state.scale, [3.6, 3.6e-8], rtol=1e-15)


def test_new_points_raise_the_damping():
    lm = optim.LevenbergMarquardt()
    assert float(lm.resampled(lm.init(ss.ones(2))).lam) == 1e-2
    with pytest.raises(ss.errors.ArgumentError, match="factor is 0"):
        lm.resampled(lm.init(ss.ones(2)), 0)


def test_how_an_update_ends():
    lm, p = optim.LevenbergMarquardt(max_trials=6), ss.asarray(1.0)
    at = [[0.0]]
    after, state, _ = lm.update(optim.LeastSquares(lambda p, x: p * math.nan, at), lm.init(p), p)
    assert optim.status_message(state) == "the loss or its derivative is not finite"
    assert float(after) == 1.0
    after, state, _ = lm.update(optim.LeastSquares(lambda p, x: (p - 1.0) ** 2 + 1, at), lm.init(p), p)
    assert optim.status_message(state) == "the gradient is zero, or within the tolerance"

    def lies(p, x):
        return ad.stop_gradient(2.0 * p) - p

    after, state, _ = lm.update(optim.LeastSquares(lies, at), lm.init(p), p)
    assert "no trial was acceptable" in optim.status_message(state)
    assert (float(after), int(state.step), int(state.trials)) == (1.0, 0, 6)
    assert float(state.lam) == pytest.approx(1e-3 * 4.0**6, rel=1e-12)


def test_float32_stays_float32():
    net = nn.Field(nn.MLP([1, 6, 1], key=ss.random.key(1), dtype="float32", first_bias=1.0))
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    data = optim.LeastSquares(lambda n, x, y: n(x) - y, np.stack([x, np.sin(3 * x)], 1))
    lm = optim.LevenbergMarquardt()
    state, before = lm.init(net), float(data.loss(net))
    for _ in range(10):
        net, state, value = lm.update(data, state, net)
    assert all(w.dtype == np.float32 for _, w in nn.parameters(net))
    assert data.normal(net).gram.dtype == np.float32
    assert float(value) < 1e-2 * before


def test_a_network_is_fitted_far_better_than_by_gradients():
    net = nn.Field(nn.MLP([1, 10, 1], key=ss.random.key(1), first_bias=1.0))
    x = np.linspace(-1, 1, 60)
    data = optim.LeastSquares(lambda n, x, y: n(x) - y, np.stack([x, np.sin(4 * x)], 1))
    lm = optim.LevenbergMarquardt()
    state = lm.init(net)
    for _ in range(60):
        net, state, value = lm.update(data, state, net)
    assert float(value) < 1e-7
    leaves, spec = pytree.flatten(state)
    again = pytree.unflatten(spec, [ss.Tensor(np.asarray(v)) for v in leaves])
    assert float(lm.update(data, again, net)[2]) == float(lm.update(data, state, net)[2])


ERRORS = [
    (lambda: optim.LeastSquares(3, [[0.0]]), ss.errors.ArgumentTypeError, "residual is a int"),
    (lambda: optim.LeastSquares(line, [1.0, 2.0]), ss.errors.ShapeError, r"points of shape \(2,\)"),
    (lambda: optim.LeastSquares(line, np.zeros((0, 2))), ss.errors.ShapeError, r"shape \(0, 2\)"),
    (lambda: optim.LeastSquares(line, [[0.0]], -1.0), ss.errors.ArgumentError, "weight is -1.0"),
    (lambda: optim.LeastSquares(line, [[0.0]]).at(), ss.errors.ArgumentError, "0 arrays of points for 1"),
    (lambda: optim.LevenbergMarquardt(0.0), ss.errors.ArgumentError, "lam is 0.0"),
    (lambda: optim.LevenbergMarquardt(damping="none"), ss.errors.ArgumentError, "damping is 'none'"),
    (lambda: optim.LevenbergMarquardt(down=1.0), ss.errors.ArgumentError, "down is 1.0"),
    (lambda: optim.LevenbergMarquardt(max_trials=0), ss.errors.ArgumentError, "max_trials is 0"),
    (lambda: optim.LevenbergMarquardt().init(ss.asarray(1)), ss.errors.DTypeError, "cannot be trained"),
    (
        lambda: optim.LevenbergMarquardt().update(lambda p: p, None, ss.ones(1)),
        ss.errors.ArgumentTypeError,
        "residuals is a function; expected optim.LeastSquares",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
