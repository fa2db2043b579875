"""Products in which exact zeros win are ordinary ones with constants that are not zero, and nothing with zeros."""

import itertools

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.ops.arithmetic import mul_p, zmul
from scisim.ops.products import matmul_p, zmatmul


@pytest.mark.parametrize("c", [2.5, -1.0, np.float32(3.0), np.array([1.0, 2.0, -3.0, 4.0, 5.0, 6.0, 7.0, 8.0])])
def test_a_constant_without_zeros_makes_an_ordinary_product(rewritten, special, c):
    got = rewritten(lambda x: zmul(x, c), special)
    assert "zmul" not in got.counts
    assert "zmul" not in rewritten(lambda x: zmul(c, x), special).counts


@pytest.mark.parametrize("c", [np.inf, np.nan, np.array([1.0, 0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0])])
def test_other_constants_keep_it(rewritten, special, c):
    assert rewritten(lambda x: zmul(x, c), special).counts == {"zmul": 1}


def test_a_zero_leaves_nothing(rewritten, special):
    assert rewritten(lambda x: zmul(x, 0.0), special).counts == {"broadcast": 1}
    assert rewritten(lambda x: zmul(np.zeros((2, 8), special.dtype), x), special).counts == {"broadcast": 1}
    assert rewritten(lambda x: zmul(zmul(x, 0.0), np.inf), special).counts == {"broadcast": 1}


def test_a_zero_in_an_ordinary_product_does_not(rewritten, special):
    assert rewritten(lambda x: mul_p(x, np.zeros(8, special.dtype)), special).counts == {"mul": 1}
    assert rewritten(lambda x: mul_p(x, 0.0), special).counts == {"mul": 1}


def test_products_of_matrices(rewritten, rng):
    x = np.array([[np.inf, 0.0], [np.nan, 1.0]])
    full, holes = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [3.0, 4.0]])
    assert rewritten(lambda x: zmatmul(x, full), x).counts == {"matmul": 1}
    assert rewritten(lambda x: zmatmul(full, x), x).counts == {"matmul": 1}
    assert rewritten(lambda x: zmatmul(x, holes), x).counts == {"zmatmul": 1}
    assert rewritten(lambda x: zmatmul(x, np.zeros((2, 3))), x).counts == {"broadcast": 1}
    assert rewritten(lambda x: matmul_p(x, np.zeros((2, 3))), x).counts.keys() == {"sum", "reshape", "mul", "broadcast"}


def network(params, *coords):
    h = ss.stack(coords, axis=-1)
    for w, b in params[:-1]:
        h = ss.tanh(h @ w + b)
    return h @ params[-1][0] + params[-1][1]


def residual(params, x):
    u = lambda t, x: network(params, t, x)[..., 0]
    v, u_t, u_x, u_xx = ad.partials(u, ["", "t", "x", "xx"])(x[:, 0], x[:, 1])
    return ss.mean((u_t + v * u_x - 0.01 * u_xx) ** 2)


def test_the_gradient_of_an_equation_with_one_unknown_has_ordinary_products(rng):
    sizes = (2, 6, 6, 1)
    pairs = itertools.pairwise(sizes)
    params = [(ss.asarray(rng.normal(size=(m, n))), ss.asarray(rng.normal(size=n))) for m, n in pairs]
    x = ss.asarray(rng.normal(size=(20, 2)))
    step = ad.value_and_grad(residual)
    counts = ss.jit(step).lower(params, x).graph.counts()
    assert not {"zmul", "zmatmul", "read", "put", "concat"} & set(counts)
    assert counts["neg"] <= 1
