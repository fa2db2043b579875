"""Values of which only the sum is needed are computed as their sum."""

import itertools

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.passes import collapse, prepare


def graph_of(f, *args):
    return prepare(ss.jit(f).lower(*args).graph)


def agree(graph, new, args, rtol=1e-12):
    arrays = [np.asarray(a) for a in ss.core.pytree.tree_leaves(args)]
    for got, want in zip(new(*arrays), graph(*arrays), strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=rtol * max(1e-300, np.max(np.abs(want))))


def network(rng, width=8, layers=3, inputs=2):
    sizes = [inputs] + [width] * layers + [1]
    return [ss.asarray(rng.normal(size=s)) for s in itertools.pairwise(sizes)]


def field(weights, *coords):
    h = ss.stack(coords, axis=-1)
    for w in weights[:-1]:
        h = ss.tanh(h @ w)
    return (h @ weights[-1])[..., 0]


def loss(operator, names):
    def run(weights, points):
        coords = [points[:, k] for k in range(len(names))]
        u = {"xy": lambda x, y: field(weights, x, y), "xyz": lambda x, y, z: field(weights, x, y, z)}[names]
        return ss.mean(operator(u, coords) ** 2)

    return run


@pytest.mark.parametrize("names", ["xy", "xyz"])
def test_second_derivatives_of_a_laplacian_become_one(names, rng):
    weights = network(rng, inputs=len(names))
    points = ss.asarray(rng.normal(size=(5, len(names))))
    second = [k + k for k in names]
    f = ad.value_and_grad(loss(lambda u, c: sum(ad.partials(u, second)(*c)), names))
    graph = graph_of(f, weights, points)
    new = collapse(graph)
    agree(graph, new, (weights, points))
    hidden = len(weights) - 2  # layers whose products are not with one row or column
    assert graph.count("matmul") - new.count("matmul") == 2 * hidden * (len(names) - 1)


def test_second_derivatives_that_are_needed_apart_stay(rng):
    weights, points = network(rng), ss.asarray(rng.normal(size=(5, 2)))

    def apart(u, c):
        xx, yy = ad.partials(u, ["xx", "yy"])(*c)
        return xx * yy

    graph = graph_of(ad.value_and_grad(loss(apart, "xy")), weights, points)
    assert collapse(graph) is graph


def test_a_value_that_is_also_a_result_stays(rng):
    weights, points = network(rng), ss.asarray(rng.normal(size=(5, 2)))

    def both(weights, points):
        a, b = points @ weights[0] @ weights[1], (2.0 * points) @ weights[0] @ weights[1]
        return a + b, a

    graph = graph_of(both, weights, points)
    new = collapse(graph)
    agree(graph, new, (weights, points))
    assert new.count("matmul") == graph.count("matmul")


def test_differences_collapse_with_their_signs(rng):
    a, b, w = (ss.asarray(rng.normal(size=(6, 6))) for _ in range(3))
    graph = graph_of(lambda a, b, w: a @ w - (ss.sin(a) @ w @ w + ss.sin(b) @ w @ w), a, b, w)
    new = collapse(graph)
    agree(graph, new, (a, b, w))
    assert new.count("matmul") == 3
