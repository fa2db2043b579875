"""Broadcasts move towards the outputs, and sums and products over stretched axes are of the small arrays."""

import numpy as np
import pytest

from scisim.ops.arithmetic import add, mul_p, sub
from scisim.ops.elementary import tanh
from scisim.ops.index import read_p
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.select import where
from scisim.ops.shape import broadcast_p, concat_p, reshape_p, sum_p, transpose_p


def wide(x, *shape):
    return broadcast_p(x, shape=shape)


def shapes_of(graph, name):
    return [eq.outs[0].shape for eq in graph.equations if eq.prim.name == name]


def numbers(rng, *shape):
    return rng.normal(size=shape)


def test_functions_act_on_the_small_arrays(rewritten, rng):
    got = rewritten(lambda x: tanh(mul_p(wide(x, 4, 3), 2.0)), numbers(rng, 3))
    assert [eq.outs[0].shape for eq in got.simple.equations] == [(3,), (3,), (4, 3)]
    got = rewritten(lambda x, y: sub(wide(x, 4, 5, 3), wide(y, 4, 5, 3)), numbers(rng, 3), numbers(rng, 5, 1))
    assert shapes_of(got.simple, "sub") == [(5, 3)]
    assert got.counts == {"sub": 1, "broadcast": 1}


def test_a_broadcast_that_another_operand_makes_is_dropped(rewritten, rng, kind):
    x, y = rng.integers(-4, 5, (4, 3)).astype(kind), rng.integers(-4, 5, 3).astype(kind)
    got = rewritten(lambda x, y: add(x, wide(y, 4, 3)), x, y)
    assert got.counts == {"add": 1}
    got = rewritten(lambda x, y: where(wide(np.array([True, False, True]), 4, 3), x, wide(y, 4, 3)), x, y)
    assert got.counts == {"where": 1}


def test_broadcasts_compose(rewritten, rng):
    assert rewritten(lambda x: wide(wide(x, 2, 3), 4, 2, 3), numbers(rng, 3)).counts == {"broadcast": 1}
    got = rewritten(lambda x: wide(reshape_p(x, shape=(1, 3)), 4, 3), numbers(rng, 3))
    assert got.counts == {"broadcast": 1}
    assert rewritten(lambda x: wide(x, 1, 1, 3), numbers(rng, 3)).counts == {"reshape": 1}
    assert rewritten(lambda x: wide(x, 3), numbers(rng, 3)).simple.count() == 0


MOVED = [  # function of a vector of length 3: the broadcast comes last
    lambda x: reshape_p(wide(x, 4, 2, 3), shape=(8, 3)),
    lambda x: transpose_p(wide(x, 4, 3), perm=(1, 0)),
    lambda x: read_p(wide(x, 4, 3), at=(("slice", 1, 3, None), ("slice", 0, 2, None))),
    lambda x: concat_p(wide(x, 4, 3), wide(mul_p(x, 2.5), 4, 3), axis=1),
    lambda x: sum_p(wide(x, 4, 2, 3), axes=(2,)),
]


@pytest.mark.parametrize("f", MOVED, ids=range(len(MOVED)))
def test_operations_that_move_axes(rewritten, rng, f):
    got = rewritten(f, numbers(rng, 3))
    assert got.simple.equations[-1].prim.name == "broadcast"
    assert got.counts["broadcast"] == 1


def test_a_reshape_that_mixes_stretched_axes_with_others_stays(rewritten, rng):
    got = rewritten(lambda x: reshape_p(wide(x, 4, 3), shape=(12,)), numbers(rng, 3))
    assert got.counts == {"broadcast": 1, "reshape": 1}


def test_sums_over_stretched_axes_are_products(rewritten, rng):
    got = rewritten(lambda x: sum_p(wide(x, 5, 3), axes=(0,)), numbers(rng, 3), exact=False)
    assert got.counts == {"mul": 1}
    got = rewritten(lambda x: sum_p(wide(x, 5, 3), axes=(0, 1)), numbers(rng, 3), exact=False)
    assert got.counts == {"sum": 1, "mul": 1}
    got = rewritten(lambda x: sum_p(wide(x, 5, 3), axes=(0,)), np.array([1, -7, 1 << 62]))
    assert got.counts == {"mul": 1}


def test_sums_that_change_the_dtype_or_might_overflow_stay(rewritten):
    assert rewritten(lambda x: sum_p(wide(x, 5, 3), axes=(0,)), np.ones(3, np.int8)).counts["sum"] == 1
    assert rewritten(lambda x: sum_p(wide(x, 5, 3), axes=(0,)), np.ones(3, np.float16)).counts["sum"] == 1
    assert rewritten(lambda x: sum_p(wide(x, 5, 3), axes=(0,)), np.ones(3, complex)).counts["sum"] == 1


@pytest.mark.parametrize("product", [matmul_p, zmatmul])
def test_equal_rows_are_multiplied_once(rewritten, rng, product):
    got = rewritten(lambda x, w: product(wide(x, 9, 3), w), numbers(rng, 3), numbers(rng, 3, 5), exact=False)
    assert shapes_of(got.simple, product.name) == [(1, 5)]
    got = rewritten(lambda x, w: product(w, wide(x, 3, 9)), numbers(rng, 3, 1), numbers(rng, 5, 3), exact=False)
    assert shapes_of(got.simple, product.name) == [(5, 1)]
    f = lambda x, w: product(wide(x, 7, 2, 3), w)
    got = rewritten(f, numbers(rng, 2, 3), numbers(rng, 7, 3, 5), exact=False)
    assert "broadcast" not in got.counts


def test_tangents_of_coordinates_are_one_row_of_a_weight(rewritten, rng):
    ones = np.repeat(np.array([[0.0, 1.0]]), 1000, 0)
    got = rewritten(lambda w: matmul_p(ones, w), numbers(rng, 2, 5), exact=False)
    assert [eq.outs[0].shape for eq in got.simple.equations] == [(1, 5), (1000, 5)]


def test_a_contraction_along_which_an_operand_is_constant_is_an_outer_product(rewritten, rng):
    f = lambda a, b: matmul_p(wide(a, 4, 50), b)
    got = rewritten(f, numbers(rng, 4, 1), numbers(rng, 50, 3), exact=False, size=50)
    assert got.counts == {"sum": 1, "reshape": 1, "mul": 1}
    f = lambda a, b: matmul_p(b, wide(a, 50, 4))
    got = rewritten(f, numbers(rng, 4), numbers(rng, 3, 50), exact=False, size=50)
    assert set(got.counts) == {"sum", "reshape", "mul"}
    both = rewritten(lambda a: matmul_p(wide(a, 4, 50), np.ones((50, 3))), numbers(rng, 4, 1), exact=False, size=50)
    assert set(both.counts) == {"mul", "broadcast"}


def test_exact_zeros_win_in_an_outer_product_too(rewritten):
    b = np.array([[np.inf, 1.0], [np.nan, 2.0]])
    rows = np.array([[1.0, 1.0], [0.0, 0.0]])
    got = rewritten(lambda b: zmatmul(rows, b), b, exact=False)
    assert got.counts == {"sum": 1, "reshape": 1, "zmul": 1}
    stays = rewritten(lambda a, b: zmatmul(wide(a, 2, 2), b), np.array([[1.0], [np.inf]]), np.array([[1.0], [-1.0]]))
    assert stays.counts["zmatmul"] == 1


def test_integers_keep_their_products(rewritten):
    a, b = np.ones((4, 1), np.int32), np.ones((5, 3), np.int32)
    assert rewritten(lambda a, b: matmul_p(wide(a, 4, 5), b), a, b).counts["matmul"] == 1


def test_numbers_as_matrices(rewritten):
    f = lambda x: matmul_p(wide(x, 1, 1), np.ones((1, 1)))
    assert rewritten(f, np.array(3.0), exact=False).counts["matmul"] == 1
    f = lambda x: matmul_p(reshape_p(x, shape=(1, 3)), np.ones((3, 1)))
    assert "matmul" not in rewritten(f, np.arange(3.0), exact=False).counts
