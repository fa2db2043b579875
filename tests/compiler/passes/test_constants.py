"""Constants are computed once, kept small, and are plain numbers where they are single."""

import numpy as np
import pytest

from scisim.compiler.passes import fold_constants, merge_equal, remove_dead
from scisim.compiler.passes.constants import FOLD_LIMIT, number, shrunk
from scisim.ops.arithmetic import add, mul_p, pin, sub
from scisim.ops.elementary import exp
from scisim.ops.select import where
from scisim.ops.shape import broadcast_p, sum_p, transpose_p
from tests.compiler.passes.checks import graph_of


@pytest.mark.parametrize(
    ("a", "shape"),
    [
        (np.zeros((4, 3)), ()),
        (np.ones((1, 1)), ()),
        (np.broadcast_to(np.array([1.0, 2.0]), (5, 2)), (2,)),
        (np.array([[1.0, 2.0]] * 4), (2,)),
        (np.array([[1.0], [2.0]]) * np.ones(3), (2, 1)),
        (np.arange(6.0).reshape(2, 3), (2, 3)),
        (np.array([0.0, -0.0]), (2,)),
        (np.array([0j, complex(0.0, -0.0)]), (2,)),
        (np.full((2, 2), np.nan), ()),
        (np.full((2, 3), True), ()),
        (np.zeros((0, 3)), (0, 3)),
        (np.ones((1, 3)) * np.arange(3.0), (1, 3)),
    ],
)
def test_constants_that_repeat_themselves_are_kept_small(a, shape):
    small = shrunk(a)
    assert np.shape(small) == shape
    assert small.dtype == a.dtype
    got = np.broadcast_to(small, a.shape)
    np.testing.assert_array_equal(got, a)
    if a.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got), np.signbit(a))


@pytest.mark.parametrize("x", [2.0, 3, True, 1j, np.float32(0.1), np.array(7), np.float16(0.3)])
def test_single_constants_are_numbers(x):
    assert number(x) == np.asarray(x).item()
    assert type(number(x)) in (float, int, bool, complex) or isinstance(number(x), bool)


def test_arrays_and_other_dtypes_are_not():
    assert number(np.ones(1)) is None
    assert number(np.longdouble(1)) is None


def test_full_arrays_of_one_number_are_numbers_to_elementwise_functions(rewritten, kind, rng):
    x = rng.integers(-5, 5, (4, 3)).astype(kind)
    got = rewritten(lambda x: add(mul_p(x, np.full((4, 3), 3, kind)), np.ones((1, 1), kind)), x, signs=True)
    assert got.simple.count() == 2
    assert [type(eq.args[1]) for eq in got.simple.equations] == [type(kind.type(3).item())] * 2


def test_numbers_of_another_dtype_stay_as_they_are(rewritten):
    x = np.ones(3, np.float32)
    got = rewritten(lambda x: mul_p(x, np.float64(0.1)), x)
    assert got.simple.outputs[0].dtype == np.float64
    got = rewritten(lambda x: where(np.bool_(True), x, np.float64(0.1)), x)
    assert got.simple.outputs[0].dtype == np.float64


def test_a_pinned_constant_keeps_its_array(rewritten):
    got = rewritten(lambda x: pin(x, np.full(3, 2.0)), np.ones(3))
    assert got.counts == {"pin": 1}


def test_equations_of_constants_are_computed(rewritten, rng):
    a, x = rng.normal(size=(3, 4)), rng.normal(size=(4, 3))
    got = rewritten(lambda x: mul_p(x, exp(transpose_p(broadcast_p(a, shape=(3, 4)), perm=(1, 0)))), x)
    assert got.counts == {"mul": 1}


def test_large_ones_are_not(rng):
    n = FOLD_LIMIT // 8 + 1

    def f(x):
        wide = transpose_p(np.arange(float(n))[None] + np.zeros((1, 1)), perm=(1, 0))
        return mul_p(x, wide)

    graph = graph_of(f, np.ones(()))
    assert fold_constants(graph).count() == graph.count()


def test_the_parts_of_simplification_work_alone(rng):
    f = lambda x: sub(add(exp(x), exp(x)), sum_p(mul_p(x, mul_p(2.0, 3.0)), axes=(0,)))
    graph = graph_of(f, np.ones(3))
    assert merge_equal(graph).count("exp") == 1
    assert remove_dead(graph).counts() == graph.counts()
    x = rng.normal(size=3)
    for step in (fold_constants, merge_equal, remove_dead):
        np.testing.assert_array_equal(step(graph)(x)[0], graph(x)[0])
