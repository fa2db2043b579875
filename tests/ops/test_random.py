"""Random numbers: from the key and the position alone, in every mode, with the right distribution."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.ops import _philox

r = ss.random
KEY = r.key(2024)
DRAWS = {
    "bits": lambda k: r.bits(k, (3, 2)),
    "bits64": lambda k: r.bits(k, (5,), 64),
    "uniform": lambda k: r.uniform(k, (3, 2)),
    "uniform32": lambda k: r.uniform(k, (5,), "float32", -1, 1),
    "normal": lambda k: r.normal(k, (3, 2), mean=1.0, std=2.0),
    "complex": lambda k: r.normal(k, (3,), "complex64"),
    "integers": lambda k: r.integers(k, (7,), -5, 5),
    "bernoulli": lambda k: r.bernoulli(k, 0.3, (9,)),
    "permutation": lambda k: r.permutation(k, 6),
    "shuffled": lambda k: r.permutation(k, np.arange(8.0).reshape(2, 4), axis=1),
    "choice": lambda k: r.choice(k, np.arange(5.0), (2, 2)),
    "distinct": lambda k: r.choice(k, 9, (4,), replace=False),
    "weighted": lambda k: r.choice(k, 3, (4,), p=[0.2, 0.3, 0.5]),
    "weighted_distinct": lambda k: r.choice(k, 4, (3,), replace=False, p=[0.1, 0.2, 0.3, 0.4]),
    "split": lambda k: r.split(k, 3),
    "fold_in": lambda k: r.fold_in(k, 7),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_the_same_eager_captured_and_mapped(name):
    draw = DRAWS[name]
    keys = r.split(KEY, 3)
    want = np.stack([draw(k).numpy() for k in keys])
    np.testing.assert_array_equal(ss.jit(draw)(keys[0]).numpy(), want[0])
    np.testing.assert_array_equal(ss.vmap(draw)(keys).numpy(), want)
    np.testing.assert_array_equal(ss.jit(ss.vmap(draw))(keys).numpy(), want)
    grid = r.split(KEY, 6).reshape(2, 3, 2)
    nested = ss.vmap(ss.vmap(draw))(grid).numpy()
    np.testing.assert_array_equal(nested[1, 2], draw(grid[1, 2]).numpy())


@pytest.mark.parametrize("name", DRAWS)
def test_infer_knows_the_shape_and_dtype(name):
    graph = ss.jit(DRAWS[name]).lower(KEY).graph
    out, value = graph.outputs[0], DRAWS[name](KEY)
    assert (out.shape, out.dtype) == (value.shape, value.dtype)


def test_element_i_is_element_i_of_the_stream():
    whole = r.bits(KEY, (4, 6), 64).numpy().reshape(-1)
    np.testing.assert_array_equal(whole[7:11], _philox.random_bits(KEY.numpy(), 7, 4, 64))
    np.testing.assert_array_equal(r.normal(KEY, (100,)).numpy()[:10], r.normal(KEY, (10,)).numpy())
    np.testing.assert_array_equal(r.uniform(KEY, (2, 50)).numpy().reshape(-1), r.uniform(KEY, 100).numpy())


def test_keys_of_children_differ_from_each_other_and_from_draws():
    children = r.split(KEY, 50).numpy()
    folded = np.stack([r.fold_in(KEY, k).numpy() for k in range(50)])
    drawn = r.bits(KEY, (50, 2)).numpy()
    assert len(np.unique(np.concatenate([children, folded, drawn]), axis=0)) == 150
    np.testing.assert_array_equal(r.split(KEY, 2).numpy(), children[:2])


def test_a_counter_inside_a_program_folds_into_the_key():
    step = ss.jit(lambda key, k: r.uniform(r.fold_in(key, k), (2,)))
    for k in (0, 1, 5):
        np.testing.assert_array_equal(step(KEY, k).numpy(), r.uniform(r.fold_in(KEY, k), (2,)).numpy())
    summed = ss.jit(lambda key: ss.fori_loop(0, 4, lambda i, s: s + r.uniform(r.fold_in(key, i)), 0.0))(KEY)
    assert float(summed) == sum(float(r.uniform(r.fold_in(KEY, i))) for i in range(4))
    mapped = ss.vmap(r.fold_in, in_axes=(None, 0))(KEY, ss.arange(3)).numpy()
    np.testing.assert_array_equal(mapped, np.stack([r.fold_in(KEY, i).numpy() for i in range(3)]))


# --- distributions: bounds of five standard deviations of the estimate ---------------------------------------
N = 40_000


def _near(estimate, want, deviation):
    assert abs(estimate - want) <= 5 * deviation / math.sqrt(N)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_moments_of_uniform_and_normal(dtype):
    u = r.uniform(KEY, N, dtype, low=-1.0, high=3.0).numpy()
    assert u.dtype == dtype
    assert -1.0 <= u.min() < u.max() < 3.0
    _near(u.mean(), 1.0, 4 / math.sqrt(12))
    z = r.normal(KEY, N, dtype, mean=2.0, std=3.0).numpy()
    _near(z.mean(), 2.0, 3.0)
    _near(((z - 2.0) / 3.0).var(), 1.0, math.sqrt(2.0))


def test_complex_normals_have_variance_one():
    z = r.normal(KEY, N, "complex128").numpy()
    _near((np.abs(z) ** 2).mean(), 1.0, 1.0)
    _near((z.real * z.imag).mean(), 0.0, 0.5)


def test_counts_of_integers_booleans_and_choices():
    counts = np.bincount(r.integers(KEY, N, 0, 5).numpy(), minlength=5)
    assert np.abs(counts / N - 0.2).max() <= 5 * 0.4 / math.sqrt(N)
    _near(r.bernoulli(KEY, 0.3, N).numpy().mean(), 0.3, 0.46)
    p = np.array([0.0, 0.2, 0.5, 0.3, 0.0])
    counts = np.bincount(r.choice(KEY, 5, N, p=10 * p).numpy(), minlength=5)
    assert counts[0] == counts[4] == 0
    assert np.abs(counts / N - p).max() <= 5 * 0.5 / math.sqrt(N)


def test_choices_without_replacement_are_distinct_and_weighted():
    first = [int(r.choice(k, 3, (2,), replace=False, p=[0.0, 1.0, 3.0])[0]) for k in r.split(KEY, 400)]
    assert set(first) == {1, 2}
    assert abs(np.mean(np.array(first) == 2) - 0.75) <= 5 * 0.44 / math.sqrt(400)
    assert sorted(r.choice(KEY, 6, (6,), replace=False).tolist()) == list(range(6))


def test_permutations_move_rows_together():
    x = np.arange(12.0).reshape(4, 3)
    y = r.permutation(KEY, x).numpy()
    np.testing.assert_array_equal(y[np.argsort(y[:, 0])], x)


# --- derivatives and errors --------------------------------------------------------------------------------
def test_parameters_of_a_distribution_are_differentiable():
    z = r.normal(KEY, (4,)).numpy()
    mean, std = ad.jacobian(lambda m, s: r.normal(KEY, (4,), mean=m, std=s), argnums=(0, 1))(0.5, 2.0)
    np.testing.assert_array_equal(mean.numpy(), np.ones(4))
    np.testing.assert_array_equal(std.numpy(), z)
    u = r.uniform(KEY, (4,)).numpy()
    low = ad.jacobian(lambda a: r.uniform(KEY, (4,), low=a, high=1.0))(0.25)
    np.testing.assert_allclose(low.numpy(), 1.0 - u, rtol=4 * np.finfo(float).eps)
    assert float(ad.grad(lambda p: ss.sum(ss.astype(r.bernoulli(KEY, p, 5), float)) * p)(0.5)) == float(
        ss.sum(r.bernoulli(KEY, 0.5, 5))
    )


ERRORS = [
    (lambda: r.normal(0, 3), ArgumentTypeError, r"random.normal: key must be made with random.key\(seed\), got 0"),
    (lambda: r.uniform([0, 7]), ArgumentTypeError, "random.uniform: key must be made with random.key"),
    (lambda: r.split(r.split(KEY)), ShapeError, r"random.split: takes one key, of shape \(2,\), got shape \(2, 2\)"),
    (lambda: r.key(1.5), ArgumentTypeError, "random.key: seed is 1.5"),
    (lambda: r.key(-1), ArgumentError, "random.key: seed is -1"),
    (lambda: r.split(KEY, -1), ArgumentError, "random.split: n is -1"),
    (lambda: r.fold_in(KEY, 0.5), ArgumentTypeError, "random.fold_in: data must be one integer, got 0.5"),
    (lambda: r.bits(KEY, 2, 16), ArgumentError, "random.bits: width must be 32 or 64, got 16"),
    (lambda: r.normal(KEY, 2, "int64"), DTypeError, "random.normal: dtype must be a floating-point one"),
    (lambda: r.uniform(KEY, 2, "complex64"), DTypeError, "random.uniform: dtype must be real"),
    (lambda: r.uniform(KEY, -2), ArgumentError, "random.uniform: lengths must not be negative"),
    (lambda: r.integers(KEY, 2, 5, 5), ArgumentError, "random.integers: needs low < high within int64, got low=5"),
    (lambda: r.integers(KEY, 2, 0, 1.5), ArgumentTypeError, "random.integers: high must be an integer, got 1.5"),
    (lambda: r.choice(KEY, 2, 3, replace=False), ArgumentError, "random.choice: cannot choose 3 of 2 elements"),
    (lambda: r.choice(KEY, 2, 3, p=[1.0]), ShapeError, "random.choice: p must be 2 weights"),
    (lambda: r.permutation(KEY, ss.ones(3), axis=1), ArgumentError, "random.permutation: axis 1 is out of range"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
