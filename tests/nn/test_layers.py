"""Layers against closed forms, their errors, and dtypes."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn
from scisim.core import pytree


def equal(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b))


KEY = ss.random.key(11)
DTYPES = ["float32", "float64", "complex64", "complex128"]


def test_linear_is_affine():
    layer = nn.Linear(3, 2, key=KEY).replace(bias=ss.asarray([0.5, -1.0]))
    x = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 1.0]])
    assert np.allclose(layer(x), x @ np.asarray(layer.weight) + [0.5, -1.0], rtol=1e-15)
    assert layer(ss.ones(3)).shape == (2,)
    assert layer(ss.ones((4, 5, 3))).shape == (4, 5, 2)
    assert nn.Linear(3, 2, bias=False, key=KEY).bias is None


@pytest.mark.parametrize("dtype", DTYPES)
def test_parameters_and_outputs_keep_their_dtype(dtype):
    m = nn.MLP([2, 4, 1], key=KEY, dtype=dtype, first_bias=1.0)
    assert all(w.dtype == dtype for _, w in nn.parameters(m))
    x = ss.ones((3, 2), dtype=dtype)
    assert m(x).dtype == dtype
    g = ad.grad(lambda m: ss.sum(ss.abs(m(x)) ** 2))(m)
    assert all(w.dtype == dtype for _, w in nn.parameters(g))


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms_and_embeddings_keep_their_dtype(dtype):
    x = ss.asarray(np.linspace(0, 1, 8).reshape(4, 2).astype(dtype))
    assert nn.SpectralConv(2, 3, 2, key=KEY, dtype=dtype)(x).dtype == dtype
    assert nn.FourierLayer(2, 3, 2, "sin", key=KEY, dtype=dtype)(x).dtype == dtype
    assert nn.ModReLU(2, dtype=dtype)(x).dtype == dtype
    assert nn.BatchNorm(2, dtype=dtype).apply(x)[0].dtype == dtype
    assert nn.BatchNorm(2, dtype=dtype).apply(x)[1].variance.dtype == x.real.dtype
    assert nn.LayerNorm(2, dtype=dtype)(x).dtype == dtype
    assert nn.FourierFeatures(2, 3, key=KEY, dtype=dtype)(x).dtype == dtype
    assert nn.Scale([(0, 1), (0, 2)], dtype=dtype)(x).dtype == dtype
    assert nn.Periodic([1.0, None])(x).dtype == dtype
    assert nn.Dropout(0.5)(x, key=KEY).dtype == dtype
    u = nn.Field(nn.MLP([2, 3, 1], key=KEY, dtype=dtype), bounds=[(0, 1), (0, 2)])
    assert u(x[:, 0], x[:, 1]).dtype == dtype


def test_equal_keys_give_equal_weights():
    a, b, c = (nn.MLP([2, 3, 1], key=ss.random.key(k)) for k in (0, 0, 1))
    assert equal(a.layers[0].weight, b.layers[0].weight)
    assert not equal(a.layers[0].weight, c.layers[0].weight)
    assert not equal(a.layers[0].weight[0, :1], a.layers[1].weight[0])


def test_mlp_biases():
    m = nn.MLP([2, 500, 500, 1], key=KEY, first_bias=1.0)
    b = np.asarray(m.layers[0].bias)
    assert np.abs(b).max() <= 1
    assert np.abs(b).max() > 0.97
    assert not np.asarray(m.layers[1].bias).any()
    assert not np.asarray(nn.MLP([2, 3, 1], key=KEY).layers[0].bias).any()


VARIANCE = {
    "glorot_normal": 2 / 300,
    "glorot_uniform": 2 / 300,
    "he_normal": 2 / 100,
    "he_uniform": 2 / 100,
    "lecun_normal": 1 / 100,
}


@pytest.mark.parametrize("name", VARIANCE)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_variances_of_initial_weights(name, dtype):
    w = np.asarray(nn.initializers.initializer(name, "test")(KEY, (100, 200), np.dtype(dtype)))
    n, v = w.size, VARIANCE[name]
    # the mean of |w|^2 has a relative standard error of at most sqrt(2/n)
    assert abs(np.mean(np.abs(w) ** 2) / v - 1) < 5 * math.sqrt(2 / n)
    assert abs(np.mean(w)) < 5 * math.sqrt(v / n)
    if name.endswith("uniform") and dtype == "float64":
        assert np.abs(w).max() <= math.sqrt(3 * v)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_orthogonal_weights(shape, dtype):
    q = np.asarray(nn.initializers.orthogonal(KEY, shape, np.dtype(dtype)))
    assert q.shape == shape
    gram = q.conj().T @ q if shape[0] >= shape[1] else q @ q.conj().T
    assert np.allclose(gram, np.eye(min(shape)), atol=1e-14)


def numeric(x):
    return {
        "tanh": np.tanh(x),
        "sin": np.sin(x),
        "relu": np.maximum(x, 0),
        "silu": x / (1 + np.exp(-x)),
        "swish": x / (1 + np.exp(-x)),
        "softplus": np.log1p(np.exp(x)),
        "sigmoid": 1 / (1 + np.exp(-x)),
        "gelu_tanh": x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        "identity": x,
        "crelu": np.maximum(x, 0),
        "zrelu": np.maximum(x, 0),
        "cardioid": np.maximum(x, 0),
    }


@pytest.mark.parametrize("name", sorted(nn.ACTIVATIONS))
def test_activations(name):
    x = np.array([-2.0, -0.3, 0.7, 3.0])
    assert np.allclose(nn.activation(name)(ss.asarray(x)), numeric(x)[name], rtol=1e-14)
    assert set(numeric(x)) == set(nn.ACTIVATIONS)


def test_activation_may_be_a_function():
    m = nn.MLP([1, 3, 1], lambda x: x**2, key=KEY)
    x = np.array([[0.5]])
    w0, w1 = (np.asarray(layer.weight) for layer in m.layers)
    assert np.allclose(m(x), (x @ w0) ** 2 @ w1, rtol=1e-15)


def test_sequential_chains_and_shares_keys():
    m = nn.Sequential([nn.Dropout(0.5), nn.Dropout(0.5)])
    y = m(ss.ones(4000), key=KEY).numpy()
    assert set(np.unique(y)) == {0.0, 4.0}  # both dropped apart: kept by both in a quarter
    assert abs(np.mean(y != 0) - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 4000)
    assert nn.Sequential([nn.Linear(2, 2, key=KEY), "sin", ss.cos])(ss.ones(2)).shape == (2,)


def test_dropout():
    x = ss.full(10000, 3.0)
    y = nn.Dropout(0.2)(x, key=KEY).numpy()
    assert set(np.unique(y)) == {0.0, 3.0 / 0.8}
    assert abs(np.mean(y == 0) - 0.2) < 5 * math.sqrt(0.2 * 0.8 / 10000)
    assert equal(nn.Dropout(0.2)(x, key=KEY), y)
    assert equal(nn.eval(nn.Dropout(0.2))(x), x)
    g = ad.grad(lambda x: ss.sum(nn.Dropout(0.2)(x, key=KEY)))(x)
    assert equal(g, y / 3.0)


def test_batch_norm_in_training_and_evaluation():
    x = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 1.0]])
    layer = nn.BatchNorm(2, momentum=0.75, eps=1e-3)
    y, after = layer.apply(x)
    assert np.allclose(y, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3), rtol=1e-14)
    assert equal(layer(x), y)
    assert np.allclose(after.mean, 0.25 * x.mean(0), rtol=1e-15)
    assert np.allclose(after.variance, 0.75 + 0.25 * x.var(0, ddof=1), rtol=1e-15)
    assert not np.asarray(layer.mean).any()
    off = nn.eval(after)
    assert np.allclose(off(x), (x - np.asarray(after.mean)) / np.sqrt(np.asarray(after.variance) + 1e-3), rtol=1e-14)
    assert off.apply(x)[1] is off


def test_batch_norm_inside_a_chain_and_a_training_step():
    net = nn.Sequential([nn.Linear(2, 3, key=KEY), nn.BatchNorm(3), "tanh", nn.Linear(3, 1, key=KEY)])
    params, rest = nn.partition(net)
    x = ss.asarray(np.arange(8.0).reshape(4, 2))

    def loss(params):
        y, after = nn.combine(params, rest).apply(x)
        return ss.sum(y * y), nn.partition(after)[1]

    g, state = ad.grad(loss, has_aux=True)(params)
    hidden = np.asarray(net.layers[0](x))
    assert np.allclose(pytree.tree_leaves(state)[0], 0.1 * hidden.mean(0), rtol=1e-14)
    assert len(nn.parameters(g)) == 6
    again = nn.combine(params, state)
    assert equal(again.layers[1].mean, pytree.tree_leaves(state)[0])


def test_batch_norm_of_complex_features():
    x = np.array([[1.0 + 1j], [3.0 - 1j], [2j], [1 - 0.5j]])
    y = np.asarray(nn.BatchNorm(1, dtype="complex128", eps=1e-12)(x))
    assert np.allclose(y.mean(), 0, atol=1e-15)
    assert np.allclose(np.mean(np.abs(y) ** 2), 1, rtol=1e-11)


def test_layer_norm():
    x = np.array([[1.0, 2.0, 6.0], [0.0, 1.0, 0.0]])
    want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    assert np.allclose(nn.LayerNorm(3)(x), want, rtol=1e-14)


def test_embeddings():
    x = np.array([[0.25, 3.0], [0.5, -1.0]])
    assert np.allclose(nn.Scale({"t": (0, 1), "x": (-1, 3)})(x), [[-0.5, 1.0], [0.0, -1.0]], rtol=1e-15)
    p = nn.Periodic([0.5, None])
    assert p.features == 3
    z = 4 * np.pi * x[:, 0]
    assert np.allclose(p(x), np.stack([np.cos(z), np.sin(z), x[:, 1]], 1), atol=1e-15)
    assert np.allclose(p(x + [0.5, 0.0]), p(x), atol=1e-14)
    f = nn.FourierFeatures(2, 4, 2.0, key=KEY)
    z = 2 * np.pi * x @ np.asarray(f.fixed)
    assert np.allclose(f(x), np.concatenate([np.cos(z), np.sin(z)], 1), rtol=1e-12, atol=1e-14)
    assert (f.features, nn.count(f)) == (8, 0)
    assert nn.count(nn.FourierFeatures(2, 4, key=KEY, trained=True)) == 8


def test_a_field_is_a_function_of_coordinates():
    net = nn.MLP([2, 8, 1], key=KEY)
    u = nn.Field(net, bounds={"t": (0, 2), "x": (-1, 1)})
    assert u(0.5, 0.1).shape == ()
    assert u(ss.linspace(0, 2, 3)[:, None], ss.linspace(-1, 1, 4)).shape == (3, 4)
    assert np.allclose(u(0.5, 0.1), net(ss.asarray([-0.5, 0.1]))[0], rtol=1e-15)
    ut, uxx = ad.partials(lambda t, x: u(t, x), ["t", "xx"])(0.5, 0.1)
    g = ad.grad(lambda t: u(t, 0.1))(0.5)
    assert np.allclose(ut, g, rtol=1e-14)
    assert np.allclose(uxx, ad.grad(ad.grad(lambda x: u(0.5, x)))(0.1), rtol=1e-12)
    assert nn.Field(nn.MLP([1, 4, 3], key=KEY))(ss.ones(5)).shape == (5, 3)
    periodic = nn.Field(nn.MLP([3, 4, 1], key=KEY), nn.Periodic([None, 2.0]))
    assert np.allclose(periodic(0.3, -1.0), periodic(0.3, 1.0), atol=1e-15)


ERRORS = [
    (lambda: nn.Linear(0, 2, key=KEY), ss.errors.ArgumentError, "Linear: in_features is 0; expected an integer"),
    (lambda: nn.Linear(2, 2.5, key=KEY), ss.errors.ArgumentError, "out_features is 2.5"),
    (lambda: nn.Linear(2, 2, key=KEY, dtype="int64"), ss.errors.DTypeError, "dtype int64 for parameters"),
    (lambda: nn.Linear(2, 2, key=KEY, init="xavier"), ss.errors.ArgumentError, "unknown init 'xavier'.*glorot_normal"),
    (lambda: nn.Linear(2, 2, key=KEY, init=3), ss.errors.ArgumentTypeError, "init is 3"),
    (lambda: nn.Linear(3, 2, key=KEY)(ss.ones((5, 2))), ss.errors.ShapeError, r"shape \(5, 2\); expected \(..., 3\)"),
    (lambda: nn.Linear(1, 2, key=KEY)(ss.ones(5)), ss.errors.ShapeError, r"x\[..., None\]"),
    (lambda: nn.MLP([2], key=KEY), ss.errors.ArgumentError, "MLP: sizes is .* at least two"),
    (lambda: nn.MLP([2, -1, 1], key=KEY), ss.errors.ArgumentError, r"sizes\[1\] is -1"),
    (lambda: nn.MLP([2, 2, 1], "tnah", key=KEY), ss.errors.ArgumentError, "unknown activation 'tnah'; .* tanh, sin"),
    (lambda: nn.MLP([2, 2, 1], 5, key=KEY), ss.errors.ArgumentTypeError, "activation is 5"),
    (lambda: nn.MLP([2, 2, 1], key=KEY, first_bias=-1.0), ss.errors.ArgumentError, "bound is -1.0"),
    (lambda: nn.Dropout(1.0), ss.errors.ArgumentError, "rate is 1.0"),
    (lambda: nn.Dropout(0.5)(ss.ones(3)), ss.errors.ArgumentError, "needs a key"),
    (lambda: nn.BatchNorm(2, momentum=1.0), ss.errors.ArgumentError, "momentum 1.0"),
    (lambda: nn.BatchNorm(2)(ss.ones((1, 2))), ss.errors.ShapeError, "two examples"),
    (lambda: nn.LayerNorm(2, eps=0.0), ss.errors.ArgumentError, "eps is 0.0"),
    (lambda: nn.Scale([(1, 0)]), ss.errors.ArgumentError, "low < high"),
    (lambda: nn.Scale([1, 0]), ss.errors.ShapeError, "pair"),
    (lambda: nn.Periodic([0.0]), ss.errors.ArgumentError, "period 0 is 0.0"),
    (lambda: nn.FourierFeatures(2, 3, -1.0, key=KEY), ss.errors.ArgumentError, "scale is -1.0"),
    (lambda: nn.Sequential(3), ss.errors.ArgumentTypeError, "layers is a int"),
    (lambda: nn.Sequential(["tnah"]), ss.errors.ArgumentError, "unknown activation 'tnah'"),
    (lambda: nn.Field(lambda x: x), ss.errors.ArgumentTypeError, "network is a function"),
    (lambda: nn.Field(nn.MLP([1, 1], key=KEY))(), ss.errors.ArgumentError, "without coordinates"),
    (lambda: nn.initializers.glorot_normal(KEY, (3,)), ss.errors.ShapeError, "fan in"),
    (lambda: nn.initializers.orthogonal(KEY, (3,)), ss.errors.ShapeError, "a matrix"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
