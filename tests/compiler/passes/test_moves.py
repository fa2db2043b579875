"""Operations that only move elements compose, and vanish where they change nothing."""

import numpy as np
import pytest

from scisim.ops.arithmetic import add, mul_p, neg
from scisim.ops.elementary import exp
from scisim.ops.products import matmul_p
from scisim.ops.shape import cast_p, concat_p, reshape_p, sum_p, transpose_p

TURN = (1, 0)


def numbers(rng, *shape):
    return rng.normal(size=shape)


GONE = [
    lambda x: reshape_p(x, shape=(4, 3)),
    lambda x: reshape_p(reshape_p(x, shape=(12,)), shape=(4, 3)),
    lambda x: transpose_p(x, perm=(0, 1)),
    lambda x: transpose_p(transpose_p(x, perm=TURN), perm=TURN),
    lambda x: cast_p(x, to=np.dtype(float)),
    lambda x: sum_p(x, axes=()),
    lambda x: concat_p(x, axis=0),
    lambda x: concat_p(np.zeros((0, 3)), x, axis=0),
]


@pytest.mark.parametrize("f", GONE, ids=range(len(GONE)))
def test_what_changes_nothing_vanishes(rewritten, rng, f):
    assert rewritten(f, numbers(rng, 4, 3), signs=True).simple.count() == 0


def test_reshapes_and_transposes_compose(rewritten, rng):
    x = numbers(rng, 2, 3, 4)
    assert rewritten(lambda x: reshape_p(reshape_p(x, shape=(6, 4)), shape=(24,)), x).counts == {"reshape": 1}
    f = lambda x: transpose_p(transpose_p(x, perm=(1, 2, 0)), perm=(2, 1, 0))
    assert rewritten(f, x).counts == {"transpose": 1}
    f = lambda x: transpose_p(transpose_p(x, perm=(1, 2, 0)), perm=(2, 0, 1))
    assert rewritten(f, x).simple.count() == 0


def test_a_transpose_of_axes_of_length_one_is_a_reshape(rewritten, rng):
    assert rewritten(lambda x: transpose_p(x, perm=TURN), numbers(rng, 4, 1)).counts == {"reshape": 1}
    assert rewritten(lambda x: transpose_p(x, perm=(1, 0, 2)), numbers(rng, 4, 1, 3)).counts == {"reshape": 1}
    assert rewritten(lambda x: transpose_p(x, perm=(2, 0, 1)), numbers(rng, 4, 1, 3)).counts == {"transpose": 1}


def test_products_see_the_transpose(rewritten, rng):
    f = lambda x, y: matmul_p(exp(mul_p(transpose_p(x, perm=TURN), 3.0)), y)
    got = rewritten(f, numbers(rng, 5, 8), numbers(rng, 5, 6), size=5)
    kinds = [eq.prim.name for eq in got.simple.equations]
    assert kinds == ["mul", "exp", "transpose", "matmul"]
    f = lambda x, y: matmul_p(add(transpose_p(x, perm=TURN), transpose_p(neg(x), perm=TURN)), y)
    assert rewritten(f, numbers(rng, 5, 8), numbers(rng, 5, 6)).counts["transpose"] == 1


def test_functions_of_a_transpose_and_another_array_stay(rewritten, rng):
    got = rewritten(lambda x, y: add(transpose_p(x, perm=TURN), y), numbers(rng, 3, 4), numbers(rng, 4, 3))
    assert got.counts == {"transpose": 1, "add": 1}
    got = rewritten(lambda x, y: add(transpose_p(x, perm=TURN), y), numbers(rng, 3, 4), numbers(rng, 3))
    assert got.counts == {"transpose": 1, "add": 1}


def test_casts(rewritten, rng):
    x = numbers(rng, 5).astype(np.float32)
    there_and_back = lambda a, b: lambda x: cast_p(cast_p(x, to=np.dtype(a)), to=np.dtype(b))
    assert rewritten(there_and_back("float64", "float32"), x).simple.count() == 0
    assert rewritten(there_and_back("float16", "float32"), x).counts == {"cast": 2}
    assert rewritten(there_and_back("float64", "float16"), x).counts == {"cast": 2}


def test_sums_of_single_elements(rewritten, rng):
    assert rewritten(lambda x: sum_p(x, axes=(1,)), numbers(rng, 4, 1)).counts == {"reshape": 1}
    got = rewritten(lambda x: sum_p(x, axes=(0, 2, 3)), numbers(rng, 4, 3, 1, 5), exact=False)
    assert got.counts == {"reshape": 1, "sum": 1}
    assert rewritten(lambda x: sum_p(x, axes=(1,)), np.ones((4, 1), bool)).counts == {"sum": 1}


def test_concatenations_flatten(rewritten, rng):
    f = lambda x, y: concat_p(concat_p(x, y, axis=0), concat_p(y, exp(x), axis=0), axis=0)
    got = rewritten(f, numbers(rng, 4), numbers(rng, 2))
    assert got.counts == {"exp": 1, "concat": 1}
    f = lambda x, y: concat_p(concat_p(x, y, axis=0), concat_p(y, x, axis=0), axis=1)
    assert rewritten(f, numbers(rng, 4, 1), numbers(rng, 2, 1)[:2].repeat(2, 0)).counts["concat"] == 3
    mixed = lambda x, y: concat_p(concat_p(x, y, axis=0), y, axis=0)
    assert rewritten(mixed, np.ones(2, np.float32), np.ones(2)).counts["concat"] == 2
