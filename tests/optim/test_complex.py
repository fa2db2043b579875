"""Complex parameters: a step for z is the step for (Re z, Im z), and what peers make of them."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, optim
from scisim.core import pytree
from scisim.optim.flat import Flat

RNG = np.random.default_rng(17)
START = np.array([0.5 - 0.5j, 1 + 2j])
GRADS = ([1 + 2j, 0.1j], [-1j, 3.0 - 1j], [0.5 + 0j, -2 + 0.25j])

# printed by benchmarks/peers/complex_optimizers.py: PyTorch 2.13.0, optax 0.2.8
PEERS = [
    ("torch and optax", optim.SGD(0.1, 0.9), [0.179 - 0.8520000000000001j, 0.6299999999999999 + 2.1379j]),
    ("torch and optax", optim.SGD(0.1, 0.9, nesterov=True), [0.06109999999999996 - 0.9168j, 0.567 + 2.18911j]),
    ("optax", optim.Adam(0.1), [0.3944225938482267 - 0.6321702938505653j, 0.9175156895876506 + 1.9310960822386298j]),
    (
        "optax",
        optim.AdamW(0.1, weight_decay=0.3),
        [0.35422270814393453 - 0.5824913229903976j, 0.8323054830317465 + 1.761709987636254j],
    ),
    (
        "optax",
        optim.SGD(0.1, clip=1.0),
        [0.4312461242219691 - 0.5592022758639776j, 1.0058552790952864 + 2.013644878633112j],
    ),
]
TORCH_BY_PARTS = [
    (optim.Adam(0.1), [0.25808449076304485 - 0.6472216334965585j, 0.9131797717234953 + 2.002495867388421j]),
    (
        optim.AdamW(0.1, weight_decay=0.3),
        [0.2223411654379191 - 0.5968491224121814j, 0.828085182183675 + 1.8317304452064298j],
    ),
]


def run(optimizer, start, grads):
    p, state = ss.asarray(start), optimizer.init(ss.asarray(start))
    for g in grads:
        p, state = optimizer.update(ss.asarray(g), state, p)
    return np.asarray(p)


def parts(z):
    return np.stack([np.real(z), np.imag(z)], axis=-1)


@pytest.mark.parametrize(("peer", "optimizer", "want"), PEERS)
def test_steps_are_those_of_peers(peer, optimizer, want):
    np.testing.assert_allclose(run(optimizer, START, GRADS), want, rtol=8 * np.finfo(float).eps)


@pytest.mark.parametrize(("optimizer", "want"), TORCH_BY_PARTS)
def test_adam_of_two_real_parts_is_what_torch_does(optimizer, want):
    got = run(optimizer, parts(START), [parts(g) for g in GRADS])
    np.testing.assert_allclose(got, parts(want), rtol=8 * np.finfo(float).eps)


@pytest.mark.parametrize(
    "optimizer", [optim.Adam(0.1), optim.AdamW(0.1), optim.SGD(0.1, 0.5), optim.SGD(1.0, clip=0.5)]
)
def test_turning_parameters_and_gradients_turns_the_steps(optimizer):
    phase = np.exp(0.7j)
    turned = run(optimizer, phase * START, [phase * np.asarray(g) for g in GRADS])
    np.testing.assert_allclose(turned, phase * run(optimizer, START, GRADS), rtol=1e-13)


# --- one problem with complex parameters and with their parts ---------------------------------------------------------
TREE = {"w": ss.asarray([0.3, -0.8, 1.1]), "z": ss.asarray([0.4 - 0.2j, -0.6 + 0.9j])}
PAIRS = {"w": TREE["w"], "z": ss.asarray(parts(TREE["z"].numpy()))}


def joined(p):
    return {"w": p["w"], "z": p["z"][..., 0] + 1j * p["z"][..., 1]}


def equation(p, x):
    z, w = p["z"], p["w"]
    return ss.exp(z[0] * x) - w[0] * ss.conj(z[1]) + 1j * w[1] * x - w[2] * z[1] ** 2


POINTS = np.linspace(-1, 1, 9)[:, None]
SQUARES = optim.LeastSquares(equation, POINTS)
SQUARES_OF_PAIRS = optim.LeastSquares(lambda p, x: equation(joined(p), x), POINTS)


def loss(p):
    r = equation(p, ss.asarray(POINTS[:, 0]))
    return ss.mean(ss.abs(r) ** 2) + 0.01 * ss.sum(ss.abs(p["z"]) ** 4)


def after(optimizer, params, what, steps):
    state, values = optimizer.init(params), []
    for _ in range(steps):
        params, state, value = optimizer.update(what, state, params)
        values.append(float(value))
    return params, state, values


def compare(a, b, rtol):
    np.testing.assert_allclose(a[2], b[2], rtol=rtol)
    np.testing.assert_allclose(a[0]["w"], b[0]["w"], rtol=rtol, atol=rtol)
    np.testing.assert_allclose(a[0]["z"], joined(b[0])["z"], rtol=rtol, atol=rtol)


@pytest.mark.parametrize("method", [optim.LBFGS, optim.BFGS, optim.SSBFGS, optim.SSBroyden])
def test_quasi_newton_steps_are_those_of_real_and_imaginary_parts(method):
    a = after(method(), TREE, loss, 12)
    b = after(method(), PAIRS, lambda p: loss(joined(p)), 12)
    compare(a, b, 1e-9)  # rounding, grown by a dozen line searches
    assert a[2][-1] < a[2][0]
    for x, y in zip(pytree.tree_leaves(a[1]), pytree.tree_leaves(b[1]), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("damping", ["identity", "diagonal"])
@pytest.mark.parametrize("geodesic", [True, False])
def test_levenberg_marquardt_steps_are_those_of_real_and_imaginary_parts(damping, geodesic):
    lm = optim.LevenbergMarquardt(damping=damping, geodesic=geodesic)
    a, b = after(lm, TREE, SQUARES, 6), after(lm, PAIRS, SQUARES_OF_PAIRS, 6)
    compare(a, b, 1e-9)
    assert a[2][-1] < a[2][0]
    for x, y in zip(SQUARES.jacobian(TREE)[1], SQUARES_OF_PAIRS.jacobian(PAIRS)[1], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("optimizer", [optim.SGD(0.05), optim.SGD(0.05, 0.8, nesterov=True), optim.SGD(0.05, clip=0.3)])
def test_descent_is_that_of_real_and_imaginary_parts(optimizer):
    def descend(params, f, steps=8):
        state, values = optimizer.init(params), []
        for _ in range(steps):
            value, g = ad.value_and_grad(f)(params)
            params, state = optimizer.update(g, state, params)
            values.append(float(value))
        return params, state, values

    compare(descend(TREE, loss), descend(PAIRS, lambda p: loss(joined(p))), 1e-13)


# --- closed forms -----------------------------------------------------------------------------------------------------
def test_one_gauss_newton_step_solves_a_linear_complex_problem():
    a, b = RNG.normal(size=(12, 3)) + 1j * RNG.normal(size=(12, 3)), RNG.normal(size=12) + 1j * RNG.normal(size=12)
    table = np.concatenate([parts(a).reshape(12, 6), parts(b)], axis=1)

    def residual(z, *columns):
        c = [columns[2 * k] + 1j * columns[2 * k + 1] for k in range(4)]
        return c[0] * z[0] + c[1] * z[1] + c[2] * z[2] - c[3]

    z, lm = ss.zeros(3, dtype="complex128"), optim.LevenbergMarquardt(lam=1e-12)
    z, _, value = lm.update(optim.LeastSquares(residual, table), lm.init(z), z)
    want = np.linalg.lstsq(a, b, rcond=None)[0]
    np.testing.assert_allclose(z, want, rtol=1e-9)
    assert float(value) == pytest.approx(np.mean(np.abs(a @ want - b) ** 2), rel=1e-12)


@pytest.mark.parametrize("method", [optim.LBFGS, optim.BFGS, optim.SSBFGS, optim.SSBroyden])
def test_a_hermitian_quadratic_form(method):
    m, b = RNG.normal(size=(4, 4)) + 1j * RNG.normal(size=(4, 4)), RNG.normal(size=4) + 1j * RNG.normal(size=4)
    a = m @ m.conj().T + np.eye(4)
    form = lambda z: ss.real(ss.sum(ss.conj(z) * (ss.asarray(a) @ z))) - 2 * ss.real(ss.sum(ss.conj(z) * ss.asarray(b)))
    opt, z = method(iterations=80, tolerance=1e-11), ss.zeros(4, dtype="complex128")
    z, _, _ = opt.update(form, opt.init(z), z)
    np.testing.assert_allclose(z, np.linalg.solve(a, b), rtol=1e-7, atol=1e-8)


def test_roots_of_a_polynomial_by_levenberg_marquardt():
    """z^3 = 2i from a start in its basin, quadratically."""
    data = optim.LeastSquares(lambda z, x: z**3 - x * 2j, [[1.0]])
    lm, z, errors = optim.LevenbergMarquardt(lam=1e-10, geodesic=False), ss.asarray(1.0 + 0.4j), []
    state = lm.init(z)
    for _ in range(6):
        z, state, _ = lm.update(data, state, z)
        errors.append(abs(complex(z) - 2 ** (1 / 3) * np.exp(1j * np.pi / 6)))
    assert errors[-1] < 1e-14
    assert errors[2] < 5 * errors[1] ** 2


def test_weight_decay_shrinks_moduli():
    adamw, z = optim.AdamW(0.1, weight_decay=0.5), ss.asarray([3 + 4j])
    z, _ = adamw.update(ss.zeros_like(z), adamw.init(z), z)
    np.testing.assert_allclose(z, [0.95 * (3 + 4j)], rtol=1e-15)


def test_rates_do_not_depend_on_what_is_trained():
    sgd = optim.SGD(optim.cosine(0.1, 10))
    np.testing.assert_allclose(
        parts(run(sgd, START, GRADS)), run(sgd, parts(START), [parts(g) for g in GRADS]), rtol=1e-15
    )


# --- dtypes, states, transformations ----------------------------------------------------------------------------------
@pytest.mark.parametrize("optimizer", [optim.Adam(1e-2, clip=1.0), optim.AdamW(1e-2), optim.SGD(1e-2, 0.9)])
@pytest.mark.parametrize("low", [False, True])
def test_compiled_steps_and_dtypes_of_mixed_trees(optimizer, low):
    tree = (
        pytree.tree_map(lambda x: ss.astype(x, "complex64" if x.dtype.kind == "c" else "float32"), TREE)
        if low
        else TREE
    )

    def step(p, state):
        return optimizer.update(ad.grad(loss)(p), state, p)

    a, b = (tree, optimizer.init(tree)), (tree, optimizer.init(tree))
    compiled = ss.jit(step)
    for _ in range(4):
        a, b = step(*a), compiled(*b)
    for x, y in zip(pytree.tree_leaves(a), pytree.tree_leaves(b), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-4 if low else 1e-12, atol=1e-6 if low else 1e-14)
    found = {x.dtype.name for x in pytree.tree_leaves(a) if x.dtype.kind in "fc"}
    assert found == ({"float32", "complex64"} if low else {"float64", "complex128"})
    if hasattr(a[1], "square"):
        assert a[1].square["z"].dtype.kind == "f"


def test_an_ensemble_of_complex_networks_trains_as_its_members_do():
    adam, x = optim.Adam(1e-2), ss.linspace(-1, 1, 16)[:, None]
    members = [nn.MLP([1, 4, 1], nn.cardioid, key=k, dtype="complex128") for k in ss.random.split(ss.random.key(0), 3)]
    together = pytree.tree_map(lambda *ws: ss.stack(ws), *members)

    def step(net, state):
        return adam.update(ad.grad(lambda net: ss.mean(ss.abs(net(x) - 1j * x) ** 2))(net), state, net)

    states = pytree.tree_map(lambda *ws: ss.stack(ws), *map(adam.init, members))
    net, _ = ss.vmap(step)(together, states)
    alone, _ = step(members[1], adam.init(members[1]))
    np.testing.assert_allclose(net.layers[0].weight[1], alone.layers[0].weight, rtol=1e-12)


def test_what_does_not_fit_is_refused():
    p = {"w": ss.ones(2)}
    for optimizer in (optim.Adam(0.1), optim.SGD(0.1)):
        with pytest.raises(ss.errors.DTypeError, match=r"grads\['w'\] is complex128, the parameter float64"):
            optimizer.update({"w": ss.asarray([1j, 1.0])}, optimizer.init(p), p)
    z = ss.asarray([1 + 1j])
    for optimizer in (optim.LBFGS(), optim.BFGS()):
        with pytest.raises(ss.errors.ScisimError, match="complex"):
            optimizer.update(lambda z: ss.sum(z * z), optimizer.init(z), z)


# --- vectors ----------------------------------------------------------------------------------------------------------
def test_ravel_orders_numbers_as_the_optimisers_do():
    v, unravel = optim.ravel(TREE)
    np.testing.assert_array_equal(v, Flat(TREE, "test").vector())
    back = unravel(v)
    for name, x in TREE.items():
        assert back[name].dtype == x.dtype
        np.testing.assert_array_equal(back[name], x)
    c, back = optim.ravel(TREE, as_complex=True)
    np.testing.assert_array_equal(c, [0.3, -0.8, 1.1, *TREE["z"].numpy()])
    assert back(c)["w"].dtype == np.float64
    np.testing.assert_array_equal(back(1j * c)["w"], np.zeros(3))
    mixed = {"a": ss.asarray(np.float32([[1.5, 2.0]])), "b": ss.asarray(np.complex128(3j)), "c": ss.zeros((0,))}
    v, unravel = optim.ravel(mixed)
    assert (v.dtype, v.shape) == (np.float64, (4,))
    assert [x.dtype.name for x in pytree.tree_leaves(unravel(v))] == ["float32", "complex128", "float64"]
    assert optim.ravel(ss.asarray(np.float32([1.0])), as_complex=True)[0].dtype == np.complex64


@pytest.mark.parametrize("as_complex", [False, True])
def test_ravel_differentiates_and_compiles(as_complex):
    v, unravel = optim.ravel(TREE, as_complex)
    f = lambda v: loss(unravel(v))
    want = optim.ravel(ad.grad(loss)(TREE), as_complex)[0]
    np.testing.assert_allclose(ad.grad(f)(v), want, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(ss.jit(ad.grad(f))(v), want, rtol=1e-12, atol=1e-14)
    g = ad.grad(lambda p: ss.sum(ss.abs(optim.ravel(p, as_complex)[0]) ** 2))(TREE)
    np.testing.assert_allclose(g["z"], 2 * TREE["z"].numpy(), rtol=1e-14)


def test_ravel_refuses_what_is_no_vector_of_the_tree():
    _, unravel = optim.ravel(TREE)
    with pytest.raises(ss.errors.ShapeError, match=r"a vector of shape \(3,\); expected \(7,\)"):
        unravel(ss.ones(3))
    with pytest.raises(ss.errors.DTypeError, match="int64, which cannot be trained"):
        optim.ravel({"a": ss.asarray([1, 2])})
