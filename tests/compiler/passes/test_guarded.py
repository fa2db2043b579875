"""Ordinary products in the place of exact ones are right while no output is nan."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.passes import guarded, prepare
from scisim.compiler.passes.guarded import _SPREAD
from scisim.ops.arithmetic import add, mul_p, zmul
from scisim.ops.elementary import tanh
from scisim.ops.index import put_p, read_p
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.select import where
from scisim.ops.shape import sum_p
from tests.compiler.passes.checks import graph_of


def flow(params, x):
    """Two unknowns, of which parts are read."""

    def unknowns(x, y):
        h = ss.stack([x, y], axis=-1)
        for w in params[:-1]:
            h = ss.tanh(h @ w)
        return h @ params[-1]

    v, v_x, v_y, v_xx = ad.partials(unknowns, ["", "x", "y", "xx"])(x[:, 0], x[:, 1])
    first = v_x[..., 0] + v_y[..., 1]
    return ss.mean(first**2) + ss.mean((v[..., 0] * v_x[..., 0] - 0.1 * v_xx[..., 1]) ** 2)


def test_the_gradient_of_an_equation_with_two_unknowns_needs_no_exact_products(rng):
    params = [ss.asarray(rng.normal(size=s)) for s in ((2, 6), (6, 6), (6, 2))]
    x = ss.asarray(rng.normal(size=(20, 2)))
    graph = ss.jit(ad.value_and_grad(flow)).lower(params, x).graph
    assert graph.count("zmul") > 0
    plain = guarded(graph)
    assert plain is not None
    assert plain.outputs == (1, 2, 3)
    assert not {"zmul", "zmatmul"} & set(plain.graph.counts())
    values = [w._v for w in params] + [x._v]
    for got in (plain.graph(*values), prepare(plain.graph)(*values)):
        for a, b in zip(got, graph(*values), strict=True):
            assert np.allclose(a, b, rtol=1e-12, atol=1e-14)


ZEROS = np.zeros((4, 2))
CASES = [
    (lambda x, y: put_p(put_p(ZEROS, zmul(x, y), at=(("slice", 0, 2, 1),)), y, at=(("slice", 2, 4, 1),)), True),
    (lambda x, y: put_p(put_p(ZEROS, zmul(x, y), at=(("slice", 0, 2, 1),)), y, at=(("slice", 1, 3, 1),)), False),
    (lambda x, y: zmul(x, y), True),
    (lambda x, y: sum_p(tanh(add(zmul(x, y), 1.0)), axes=(0, 1)), True),
    (lambda x, y: matmul_p(zmatmul(x, y), y), True),
    (lambda x, y: zmul(zmul(x, y), zmul(y, x)), True),
    (lambda x, y: where(np.array([True, False]), zmul(x, y), 0.0), False),
    (lambda x, y: read_p(zmul(x, y), at=(0,)), False),
    (lambda x, y: (mul_p(x, y), read_p(zmul(y, x), at=(0,))), False),
]


@pytest.mark.parametrize(("f", "changes"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("special", [1.0, np.inf, np.nan, 0.0])
def test_outputs_without_nan_are_those_of_exact_products(rng, f, changes, special):
    x, y = np.array([[special, 2.0], [3.0, -1.0]]), np.array([[0.0, 1.0], [2.0, 0.5]])
    graph = graph_of(f, x, y)
    plain = guarded(graph)
    assert (plain is not None) is changes
    if plain is None:
        return
    with np.errstate(all="ignore"):
        got, want = plain.graph(x, y), graph(x, y)
    if any(np.any(np.isnan(got[k])) for k in plain.outputs):
        assert not np.isfinite(special)
    else:
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_product_whose_nan_is_hidden_stays_exact():
    def f(x, y):
        hidden = zmul(x, y)
        return zmul(y, 2.0), where(np.array([True, False]), zmul(hidden, y), 1.0)

    plain = guarded(graph_of(f, np.ones(2), np.ones(2)))
    assert plain is not None
    assert dict(plain.graph.counts()) == {"mul": 1, "zmul": 2, "where": 1}
    assert plain.outputs == (0,)
    assert guarded(graph_of(mul_p, np.ones(2), np.ones(2))) is None


@pytest.mark.parametrize("prim", sorted(_SPREAD, key=str), ids=str)
def test_nan_spreads(prim):
    x = np.array([[0.5, np.nan], [0.25, 0.75]])
    params = {
        "ipow": {"n": 3},
        "sum": {"axes": (0,)},
        "broadcast": {"shape": (3, 2, 2)},
        "reshape": {"shape": (4,)},
        "transpose": {"perm": (1, 0)},
        "concat": {"axis": 0},
    }.get(prim.name, {})
    count = 2 if prim.name in ("mul", "add", "sub", "div", "maximum", "minimum", "matmul", "concat") else 1
    for other in (np.ones((2, 2)), np.zeros((2, 2)), np.full((2, 2), np.inf)):
        for args in ((x, other), (other, x)):
            with np.errstate(all="ignore"):
                assert np.isnan(prim.evaluate(*(args if count == 2 else (x,)), **params)).any()
