"""First-order optimisers against their published formulas, in every dtype and under transformations."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, optim
from scisim.core import pytree

GRADS = [np.array([0.5, -2.0, 1e-4]), np.array([-1.0, 0.25, 3.0]), np.array([0.125, 1.0, -0.5])]
START = np.array([1.0, -0.5, 0.25])
EPS = np.finfo(float).eps


def run(optimizer, grads=GRADS, start=START):
    p, state = ss.asarray(start), optimizer.init(ss.asarray(start))
    for g in grads:
        p, state = optimizer.update(ss.asarray(g), state, p)
    return np.asarray(p), state


def adam_by_hand(lr=0.1, b1=0.9, b2=0.999, eps=1e-8, decay=0.0, grads=GRADS, start=START):
    p, m, v = start.copy(), 0.0, 0.0
    for t, g in enumerate(grads, 1):
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * abs(g) ** 2
        step = (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
        p = p - lr * (step + decay * p)
    return p


def test_adam_is_the_published_formula():
    got, state = run(optim.Adam(0.1))
    assert np.max(np.abs(got - adam_by_hand())) <= 1e-15
    assert int(state.step) == 3
    got, _ = run(optim.Adam(0.1, 0.8, 0.99, 1e-3))
    assert np.max(np.abs(got - adam_by_hand(0.1, 0.8, 0.99, 1e-3))) <= 1e-15


def test_adamw_decays_weights_apart_from_the_gradient():
    got, _ = run(optim.AdamW(0.1, weight_decay=0.3))
    assert np.max(np.abs(got - adam_by_hand(decay=0.3))) <= 1e-15


def test_adam_of_complex_parameters_uses_moduli():
    grads = [np.array([1 + 2j]), np.array([-1j])]
    start = np.array([0.5 - 0.5j])
    got, state = run(optim.Adam(0.1), grads, start)
    assert np.max(np.abs(got - adam_by_hand(grads=grads, start=start))) <= 1e-15
    assert state.square.dtype == np.float64


def test_complex_descent_finds_the_target():
    sgd, z = optim.SGD(0.25), ss.asarray(2.0 - 1j)
    state = sgd.init(z)
    for _ in range(60):
        g = ad.grad(lambda z: ss.abs(z - (1 + 3j)) ** 2)(z)
        z, state = sgd.update(g, state, z)
    assert abs(complex(z) - (1 + 3j)) < 1e-14


@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd_with_momentum(nesterov):
    p, v = START.copy(), 0.0
    for g in GRADS:
        v = 0.5 * v + g
        p = p - 0.1 * (g + 0.5 * v if nesterov else v)
    got, _ = run(optim.SGD(0.1, 0.5, nesterov))
    assert np.max(np.abs(got - p)) <= 1e-15


def test_plain_sgd():
    got, state = run(optim.SGD(0.1))
    assert np.max(np.abs(got - (START - 0.1 * sum(GRADS)))) <= 1e-15
    assert state.velocity is None


def test_rates_that_depend_on_the_step():
    got, _ = run(optim.SGD(optim.piecewise([1, 2], [0.1, 0.2, 0.4])))
    want = START - (0.1 * GRADS[0] + 0.2 * GRADS[1] + 0.4 * GRADS[2])
    assert np.max(np.abs(got - want)) <= 1e-15


SCHEDULES = [
    (optim.constant(0.3), lambda k: 0.3),
    (optim.exponential_decay(2.0, 0.9, every=5), lambda k: 2 * 0.9 ** (k / 5)),
    (optim.exponential_decay(2.0, 0.9, every=5, staircase=True), lambda k: 2 * 0.9 ** (k // 5)),
    (optim.cosine(1.0, 10, final=0.1), lambda k: 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * min(k / 10, 1)))),
    (optim.warmup(0.5, 4), lambda k: 0.5 * min((k + 1) / 4, 1)),
    (
        optim.warmup(optim.exponential_decay(1.0, 0.5, every=1), 4),
        lambda k: (k + 1) / 4 if k < 4 else 0.5 ** (k - 4),
    ),
    (optim.piecewise([3, 7], [1.0, 0.5, 0.1]), lambda k: 1.0 if k < 3 else 0.5 if k < 7 else 0.1),
]


@pytest.mark.parametrize(("schedule", "want"), SCHEDULES)
def test_schedules(schedule, want):
    compiled = ss.jit(lambda k: ss.asarray(schedule(k)) * 1.0)
    for k in range(15):
        assert float(schedule(k)) == pytest.approx(want(k), rel=8 * EPS)
        assert float(compiled(ss.asarray(k))) == pytest.approx(want(k), rel=8 * EPS)


def test_clipping_scales_all_gradients_together():
    tree = {"a": ss.asarray([3.0, 0.0]), "b": ss.asarray(4j)}
    assert float(optim.global_norm(tree)) == 5.0
    clipped, norm = optim.clip_by_global_norm(tree, 1.0)
    assert float(norm) == 5.0
    assert float(optim.global_norm(clipped)) == pytest.approx(1.0, rel=4 * EPS)
    assert complex(clipped["b"]) == pytest.approx(0.8j, rel=4 * EPS)
    unchanged, _ = optim.clip_by_global_norm(tree, 10.0)
    assert unchanged["a"].tolist() == [3.0, 0.0]
    got, _ = run(optim.SGD(1.0, clip=1.0), [np.array([3.0, 4.0, 0.0])])
    assert np.allclose(got, START - [0.6, 0.8, 0.0], rtol=4 * EPS)


OPTIMIZERS = [
    optim.Adam(optim.cosine(1e-2, 100), clip=1.0),
    optim.AdamW(1e-2),
    optim.SGD(1e-2, 0.9, nesterov=True),
    optim.SGD(optim.exponential_decay(1e-2, 0.9)),
]


def problem(dtype="float64"):
    net = nn.MLP([1, 8, 1], key=ss.random.key(5), dtype=dtype)
    # Points on both sides alike would leave gradients of biases that are rounding alone, which Adam enlarges.
    x = ss.asarray(np.linspace(-0.7, 1, 16).reshape(-1, 1).astype(dtype))
    return net, lambda net: ss.mean((net(x) - ss.sin(3 * x)) ** 2)


def trained(optimizer, net, loss, steps, wrap=lambda f: f):
    def step(net, state):
        value, g = ad.value_and_grad(loss)(net)
        return *optimizer.update(g, state, net), value

    step, state, values = wrap(step), optimizer.init(net), []
    for _ in range(steps):
        net, state, value = step(net, state)
        values.append(float(value))
    return net, state, values


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_compiled_training_step_equals_the_eager_one(optimizer):
    net, loss = problem()
    a, b = trained(optimizer, net, loss, 5), trained(optimizer, net, loss, 5, ss.jit)
    for x, y in zip(pytree.tree_leaves(a), pytree.tree_leaves(b), strict=True):
        assert np.allclose(x, y, rtol=1e-12, atol=1e-15)
    assert a[2][-1] < a[2][0]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit])
def test_float32_stays_float32(optimizer, wrap):
    net, loss = problem("float32")
    net, state, _ = trained(optimizer, net, loss, 2, wrap)
    inexact = [x.dtype for x in pytree.tree_leaves((net, state)) if x.dtype.kind == "f"]
    assert set(inexact) == {np.dtype("float32")}


def test_states_are_rebuilt_from_their_leaves():
    net, loss = problem()
    adam = optim.Adam(1e-2)
    half = trained(adam, net, loss, 3)
    leaves, spec = pytree.flatten(half[1])
    state = pytree.unflatten(spec, [ss.Tensor(np.asarray(x)) for x in leaves])
    g = ad.grad(loss)(half[0])
    one, two = adam.update(g, half[1], half[0])[0], adam.update(g, state, half[0])[0]
    assert all(
        np.array_equal(np.asarray(x), np.asarray(y))
        for x, y in zip(pytree.tree_leaves(one), pytree.tree_leaves(two), strict=True)
    )


def test_an_ensemble_trains_as_its_members_do():
    adam = optim.Adam(1e-2)
    x = ss.linspace(-1, 1, 16)[:, None]
    members = [nn.MLP([1, 4, 1], key=k) for k in ss.random.split(ss.random.key(0), 3)]
    together = pytree.tree_map(lambda *ws: ss.stack(ws), *members)

    def step(net, state):
        g = ad.grad(lambda net: ss.mean((net(x) - x * x) ** 2))(net)
        return adam.update(g, state, net)

    states = pytree.tree_map(lambda *ws: ss.stack(ws), *map(adam.init, members))
    net, _ = ss.vmap(step)(together, states)
    alone, _ = step(members[1], adam.init(members[1]))
    assert np.allclose(net.layers[0].weight[1], alone.layers[0].weight, rtol=1e-12)


def test_a_training_step_can_be_differentiated():
    """d p_1 / d lr of one step of gradient descent on p^2 is -2 p_0."""

    def after(lr):
        sgd, p = optim.SGD(lambda step: lr), ss.asarray(3.0)
        return sgd.update(ad.grad(ss.square)(p), sgd.init(p), p)[0]

    assert float(ad.grad(after)(0.1)) == -6.0


ERRORS = [
    (lambda: optim.Adam(0.0), ss.errors.ArgumentError, "Adam: lr is 0.0; expected a positive number"),
    (lambda: optim.SGD(-1.0), ss.errors.ArgumentError, "SGD: lr is -1.0"),
    (lambda: optim.AdamW(math.nan), ss.errors.ArgumentError, "AdamW: lr is nan"),
    (lambda: optim.Adam("fast"), ss.errors.ArgumentTypeError, "lr is 'fast'"),
    (lambda: optim.Adam(0.1, b1=1.0), ss.errors.ArgumentError, "b1 is 1.0"),
    (lambda: optim.Adam(0.1, eps=0.0), ss.errors.ArgumentError, "eps is 0.0"),
    (lambda: optim.Adam(0.1, clip=-1.0), ss.errors.ArgumentError, "clip is -1.0"),
    (lambda: optim.AdamW(0.1, weight_decay=-1.0), ss.errors.ArgumentError, "weight_decay is -1.0"),
    (lambda: optim.SGD(0.1, momentum=1.5), ss.errors.ArgumentError, "momentum is 1.5"),
    (lambda: optim.SGD(0.1, nesterov=True), ss.errors.ArgumentError, "needs a momentum"),
    (lambda: optim.cosine(1.0, 0), ss.errors.ArgumentError, "cosine: steps is 0"),
    (lambda: optim.cosine(1.0, 5, 2.0), ss.errors.ArgumentError, "final is 2.0"),
    (lambda: optim.exponential_decay(1.0, -0.5), ss.errors.ArgumentError, "decay is -0.5"),
    (lambda: optim.piecewise([1], [0.1]), ss.errors.ArgumentError, "1 rates for 1 boundaries"),
    (lambda: optim.piecewise([2, 1], [0.1, 0.2, 0.3]), ss.errors.ArgumentError, "increasing"),
    (lambda: optim.clip_by_global_norm(ss.ones(2), 0.0), ss.errors.ArgumentError, "max_norm is 0.0"),
    (lambda: optim.Adam().init(ss.asarray([1, 2])), ss.errors.DTypeError, "int64, which cannot be trained"),
    (lambda: optim.Adam().init({}), ss.errors.ArgumentError, "no parameters to train"),
    (lambda: optim.Adam().init({"a": "text"}), ss.errors.ArgumentTypeError, "a parameter is a str"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("optimizer", [optim.Adam(0.1), optim.SGD(0.1)])
def test_gradients_must_fit_the_parameters(optimizer):
    p = {"a": ss.ones(2), "b": ss.ones(3)}
    state = optimizer.init(p)
    with pytest.raises(ss.errors.ArgumentTypeError, match=r"update: grads has the structure .* must be equal"):
        optimizer.update({"a": ss.ones(2)}, state, p)
    with pytest.raises(ss.errors.ShapeError, match=r"grads\['b'\] has shape \(2,\), the parameter \(3,\)"):
        optimizer.update({"a": ss.ones(2), "b": ss.ones(2)}, state, p)


def test_a_state_of_other_parameters_is_refused():
    adam = optim.Adam(0.1)
    state = adam.init(ss.ones(2))
    with pytest.raises(ss.errors.ShapeError, match=r"state.mean has shape \(2,\), the parameter \(3,\)"):
        adam.update(ss.ones(3), state, ss.ones(3))
