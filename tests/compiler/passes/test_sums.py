"""Sums of outer products become one stacked product."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler import passes
from scisim.compiler.passes import remove_dead
from scisim.compiler.passes.sums import join_outer_products
from scisim.core.graph import Graph


def graph_of(f, *args):
    """The program without the pass under test."""
    with pytest.MonkeyPatch.context() as m:
        m.setattr(passes, "PASSES", (passes.fold_constants, passes.merge_equal, passes.remove_dead))
        return ss.jit(f).lower(*args).graph


def weights_gradient(w, x):
    """The gradient of a residual with two derivatives in x, for each of many points."""

    def residual(w, x):
        c = ad.taylor(lambda x: ss.sum(ss.tanh(ss.tanh(x * w[0]) @ w)), x, 1.0, 2)
        return c[0] + c[1] * c[2]

    return ss.vmap(ad.grad(residual), (None, 0))(w, x)


def test_the_products_of_a_weight_are_joined(rng):
    w, x = ss.asarray(rng.normal(size=(6, 6))), ss.asarray(rng.normal(size=9))
    graph = graph_of(weights_gradient, w, x)
    joined = remove_dead(join_outer_products(graph))
    assert isinstance(joined, Graph)
    assert np.allclose(joined(w._v, x._v)[0], graph(w._v, x._v)[0], rtol=1e-12, atol=1e-14)
    assert stacked_sums(joined) < stacked_sums(graph)
    assert 3 in [eq.args[0].shape[-1] for eq in joined.equations if eq.prim.name == "zmatmul"]


def stacked_sums(graph):
    return sum(eq.prim.name == "add" and eq.outs[0].shape == (9, 6, 6) for eq in graph.equations)


def columns(rng, n, shape):
    return [rng.normal(size=shape) for _ in range(n)]


def test_the_sum_is_that_of_all_terms(rng):
    a, b = columns(rng, 3, (5, 4, 1)), columns(rng, 3, (5, 1, 2))
    c = rng.normal(size=(5, 4, 2))
    f = lambda a, b, c: a[0] @ b[0] + (c + a[1] @ b[1]) + a[2] @ b[2]
    graph = graph_of(f, a, b, c)
    joined = join_outer_products(graph)
    live = [eq for eq in joined.equations if eq.prim.name == "matmul" and eq.args[0].shape[-1] == 3]
    assert len(live) == 1
    want = sum(np.asarray(x) @ y for x, y in zip(a, b, strict=True)) + c
    assert np.allclose(joined(*a, *b, c)[0], want, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: (a[0] @ b[0] + a[1] @ b[1], a[0] @ b[0]),  # a term that is used elsewhere
        lambda a, b: a[0] @ b[0] + a[1] * 2.0,  # one product only
        lambda a, b: (a[0] @ b[0] + 1.0) * (a[1] @ b[1]),  # not a sum of products
    ],
)
def test_other_sums_stay(rng, f):
    a, b = columns(rng, 2, (5, 4, 1)), columns(rng, 2, (5, 1, 4))
    graph = graph_of(f, a, b)
    joined = join_outer_products(graph)
    assert joined.counts() == graph.counts()
    for x, y in zip(joined(*a, *b), graph(*a, *b), strict=True):
        assert np.array_equal(x, y)


def test_plain_matrices_and_mixed_dtypes_stay(rng):
    a, b = columns(rng, 2, (4, 1)), columns(rng, 2, (1, 4))
    f = lambda a, b: a[0] @ b[0] + a[1] @ b[1]
    assert join_outer_products(graph_of(f, a, b)).count("concat") == 0
    a = [rng.normal(size=(3, 4, 1)).astype("float32"), rng.normal(size=(3, 4, 1))]
    b = [rng.normal(size=(3, 1, 4)), rng.normal(size=(3, 1, 4))]
    assert join_outer_products(graph_of(f, a, b)).count("concat") == 0
