"""Thin products of matrices are elementwise ones in a program that runs."""

import numpy as np
import pytest

from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.shape import transpose_p


def turned(x):
    return transpose_p(x, perm=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def numbers(rng, dtype, *shape):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype == "complex128" else x).astype(dtype)


@pytest.fixture(params=["float32", "float64", "complex128"])
def inexact(request):
    return request.param


@pytest.fixture(params=[matmul_p, zmatmul], ids=lambda p: p.name)
def product(request):
    return request.param


WRITTEN_OUT = [  # shapes of the operands
    ((30, 1), (1, 5)),
    ((30, 2), (2, 5)),
    ((30, 4), (4, 5)),
    ((7, 30, 3), (3, 5)),
    ((5, 3), (7, 3, 4)),
    ((7, 2, 2), (7, 2, 2)),
    ((7, 1, 2), (7, 2, 3)),
]


@pytest.mark.parametrize(("s", "t"), WRITTEN_OUT)
def test_a_short_inner_axis_is_written_out(rewritten, rng, inexact, product, s, t):
    got = rewritten(product, numbers(rng, inexact, *s), numbers(rng, inexact, *t))
    assert got.counts == {product.name: 1}
    assert product.name not in got.running
    assert got.running["mul" if product is matmul_p else "zmul"] == s[-1]


SUMS = [
    (lambda p, a, b: p(a, b), (30, 8), (8, 1)),
    (lambda p, a, b: p(a, b), (3, 30, 8), (8, 1)),
    (lambda p, a, b: p(turned(a), b), (30, 8), (30, 1)),
    (lambda p, a, b: p(a, b), (1, 30), (30, 8)),
    (lambda p, a, b: p(a, turned(b)), (1, 8), (30, 8)),
    (lambda p, a, b: p(a, b), (3, 1, 30), (30, 8)),
]


@pytest.mark.parametrize(("f", "s", "t"), SUMS, ids=range(len(SUMS)))
def test_products_with_a_vector_are_sums(rewritten, rng, inexact, product, f, s, t):
    got = rewritten(lambda a, b: f(product, a, b), numbers(rng, inexact, *s), numbers(rng, inexact, *t))
    assert got.running["sum"] == 1
    assert not {product.name, "transpose"} & set(got.running)


@pytest.mark.parametrize(
    ("s", "t"),
    [((30, 8), (8, 5)), ((7, 5, 1), (7, 1, 5)), ((7, 30, 8), (7, 8, 1)), ((300, 300), (300, 1)), ((30, 5), (5, 6))],
)
def test_others_stay(rewritten, rng, s, t):
    got = rewritten(matmul_p, numbers(rng, "float64", *s), numbers(rng, "float64", *t))
    assert got.running == {"matmul": 1}


def test_integers_stay(rewritten):
    assert rewritten(matmul_p, np.ones((3, 1), int), np.ones((1, 3), int)).running == {"matmul": 1}


def test_exact_zeros_win_in_what_is_written_out(rewritten):
    a, b = np.array([[0.0, 1.0], [np.inf, 1.0]]), np.array([[np.inf, 1.0], [2.0, 0.0]])
    got = rewritten(zmatmul, a, b)
    assert got.running["zmul"] == 2
    a, b = np.eye(8), np.full((8, 1), np.inf)
    assert rewritten(zmatmul, a, b).running["zmul"] == 1


def test_derivatives_see_the_products(rng):
    import scisim as ss
    from scisim import autodiff as ad

    f = ss.jit(lambda x, w: ss.sum(ss.tanh(x @ w)))
    x, w = ss.asarray(rng.normal(size=(30, 2))), ss.asarray(rng.normal(size=(2, 5)))
    counts = ss.jit(ad.grad(f)).lower(x, w).graph.counts()
    assert not {"zmul", "zmatmul", "read"} & set(counts)
