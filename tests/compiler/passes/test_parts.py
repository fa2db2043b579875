"""Parts of arrays are read where they come from, and joined where they lie beside each other."""

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.passes.boxes import Span, box_of, compose, disjoint, index_of, lengths, span, whole, within
from scisim.core.tensor import unwrap, wrap
from scisim.ops.arithmetic import add, mul_p
from scisim.ops.elementary import exp
from scisim.ops.index import put_p, read_p
from scisim.ops.shape import concat_p, reshape_p


def of_tensors(f):
    """A function of tensors as one of raw values."""
    return lambda *vals: unwrap(f(*map(wrap, vals)))


def numbers(rng, *shape):
    return rng.normal(size=shape)


# --- boxes -------------------------------------------------------------------------------------------------------
def random_item(rng, n):
    step = int(rng.choice([1, 1, 2, 3, -1, -2]))
    bounds = [None if rng.random() < 0.3 else int(rng.integers(-n - 1, n + 2)) for _ in range(2)]
    return int(rng.integers(-n, n)) if rng.random() < 0.2 else ("slice", *bounds, step)


def taken(n, item):
    return np.arange(n)[slice(*item[1:])] if isinstance(item, tuple) else np.arange(n)[[item]]


@pytest.mark.parametrize("seed", range(200))
def test_spans_are_numpys_slices(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    first, second = random_item(rng, n), random_item(rng, n)
    s, t = span(first, n), span(second, n)
    elements = [s.start + s.step * k for k in range(s.length)]
    assert elements == taken(n, first).tolist()
    (written,) = index_of((s,), (n,))
    assert taken(n, written).tolist() == elements
    inner = random_item(rng, s.length) if s.length else ("slice", None, None, None)
    (both,) = compose((s,), (span(inner, s.length) if s.length else Span(0, 1, 0),))
    assert taken(n, index_of((both,), (n,))[0]).tolist() == np.array(elements)[taken(s.length, inner)].tolist()
    if s.length and t.length:
        others = set(taken(n, second).tolist())
        assert not disjoint((s,), (t,)) or not others & set(elements)
        found = within((t,), (s,))
        if set(others) <= set(elements):
            assert found is not None
            assert [elements[found[0].start + found[0].step * k] for k in range(t.length)] == taken(n, second).tolist()
        else:
            assert found is None


def test_boxes_of_indices():
    at = (("slice", None, None, None), -1, None, ("slice", 2, None, -1))
    box = box_of(at, (4, 3, 5))
    assert box == (Span(0, 1, 4), Span(2, 1, 1), Span(2, -1, 3))
    assert lengths(box) == (4, 1, 3)
    assert index_of(box, (4, 3, 5)) == (("slice", None, None, None), ("slice", 2, 3, 1), ("slice", 2, None, -1))
    assert whole((2, 3)) == (Span(0, 1, 2), Span(0, 1, 3))


# --- reading -----------------------------------------------------------------------------------------------------
X = np.arange(20.0).reshape(5, 4)
SAME_ARRAY = [
    lambda x: x[::-1][::-1],
    lambda x: ss.stack([x[:, k] for k in range(4)], axis=-1),
    lambda x: ss.concat([x[:2], x[2:]]),
    lambda x: ss.concat([x, x + 1.0])[:5],
    lambda x: ss.pad(x, ((1, 2), (0, 3)))[1:6, :4],
    lambda x: ss.roll(ss.roll(x, 2, 0), -2, 0),
    lambda x: x[None, ..., None][0, :, :, 0],
    lambda x: ss.stack([x, x])[1],
    lambda x: ss.concat([ss.concat([x[:, :1], x[:, 1:3]], axis=1), x[:, 3:]], axis=1),
]


@pytest.mark.parametrize("f", SAME_ARRAY, ids=range(len(SAME_ARRAY)))
def test_parts_that_give_the_array_back(rewritten, f):
    got = rewritten(of_tensors(f), X)
    assert got.simple.count() == 0


ONE_READ = [
    lambda x: x[1:][::2][1:],
    lambda x: x[1:4][1][2:],
    lambda x: ss.concat([x[1:3], x[3:4]]),
    lambda x: ss.matrix_transpose(ss.matrix_transpose(x)[1:3])[2:],
    lambda x: ss.concat([x, x[:, ::-1]], axis=1)[:, 4:],
    lambda x: ss.pad(x, 1)[2:4, 2:4],
]


@pytest.mark.parametrize("f", ONE_READ, ids=range(len(ONE_READ)))
def test_parts_of_parts_are_one(rewritten, f):
    got = rewritten(of_tensors(f), X)
    assert got.counts["read"] == 1
    assert set(got.counts) <= {"read", "reshape"}


def test_a_part_that_several_operands_make_reads_those(rewritten):
    got = rewritten(of_tensors(lambda x: ss.concat([ss.exp(x), x, ss.sin(x)])[6:12]), X)
    assert got.counts == {"sin": 1, "read": 2, "concat": 1}
    got = rewritten(of_tensors(lambda x: ss.concat([ss.exp(x), x])[::3]), X)
    assert got.counts == {"exp": 1, "concat": 1, "read": 1}


def test_empty_parts(rewritten):
    got = rewritten(of_tensors(lambda x: ss.concat([x[5:], x[:0], x])[:0]), X)
    assert got.simple.outputs[0].shape == (0, 4)


# --- writing -----------------------------------------------------------------------------------------------------
def assigned(*writes):
    def f(x):
        y = x * 3.0
        for at, v in writes:
            y[at] = v(x)
        return y

    return of_tensors(f)


def test_a_part_that_is_written_over_is_not_written(rewritten):
    got = rewritten(assigned((np.s_[1:3], lambda x: ss.exp(x[1:3])), (np.s_[:4], lambda x: ss.sin(x[:4]))), X)
    assert got.counts["put"] == 1
    assert "exp" not in got.counts
    got = rewritten(assigned((np.s_[1:4], lambda x: ss.exp(x[1:4])), (np.s_[:2], lambda x: ss.sin(x[:2]))), X)
    assert got.counts["put"] == 2


def test_parts_that_cover_the_array_are_joined(rewritten):
    got = rewritten(assigned((np.s_[:], lambda x: ss.exp(x))), X)
    assert got.counts == {"exp": 1}
    zeros = np.zeros((5, 4))

    def f(x):
        columns = [exp(read_p(x, at=(("slice", None, None, None), k))) for k in range(4)]
        y = zeros
        for k in (2, 0, 3, 1):
            y = put_p(y, columns[k], at=(("slice", None, None, None), k))
        return y

    assert rewritten(f, X).counts == {"read": 4, "exp": 4, "concat": 1, "reshape": 8}


def test_what_was_put_is_read_again(rewritten):
    def f(x):
        y = put_p(x, exp(read_p(x, at=(2,))), at=(2,))
        return read_p(y, at=(2, ("slice", 1, 3, None))), read_p(y, at=(("slice", 3, None, None),))

    got = rewritten(f, X)
    assert "put" not in got.counts
    across = lambda x: read_p(put_p(x, np.ones(4), at=(2,)), at=(("slice", 1, 4, None),))
    assert rewritten(across, X).counts["put"] == 1


@pytest.mark.parametrize("spelled", ["put", "pad"])
def test_parts_of_zeros_added_up_lie_beside_each_other(rewritten, spelled):
    zeros = np.zeros((5, 4))

    def column(x, k):
        if spelled == "put":
            return put_p(zeros, x, at=(("slice", None, None, None), k))
        sides = (np.zeros((5, k)), reshape_p(x, shape=(5, 1)), np.zeros((5, 3 - k)))
        return concat_p(*sides, axis=1)

    x = X[:, 0]
    all_four = lambda x: add(add(column(x, 2), column(exp(x), 0)), add(column(mul_p(x, 3.0), 1), column(x, 3)))
    got = rewritten(all_four, x)
    assert got.counts["concat"] == 1
    assert not {"add", "put"} & set(got.counts)
    two = rewritten(lambda x: add(column(x, 2), column(exp(x), 0)), x)
    assert not {"add", "concat"} & set(two.counts)
    at_one_place = rewritten(lambda x: add(column(x, 1), column(exp(x), 1)), x)
    assert at_one_place.counts["add"] == 1
    assert at_one_place.simple.equations[1].outs[0].shape in ((5,), (5, 1))


def test_overlapping_parts_are_added(rewritten):
    zeros = np.zeros(6)
    f = lambda x: add(put_p(zeros, x, at=(("slice", 0, 4, 1),)), put_p(zeros, x, at=(("slice", 2, 6, 1),)))
    assert rewritten(f, X[0]).counts == {"broadcast": 1, "put": 2, "add": 1}


def test_dtypes_are_kept(rewritten):
    x = np.ones(3, np.float32)
    got = rewritten(lambda x: put_p(np.zeros(3), x, at=(("slice", None, None, None),)), x)
    assert got.simple.outputs[0].dtype == np.float64
    got = rewritten(lambda x: read_p(concat_p(x, np.ones(2), axis=0), at=(("slice", 0, 3, 1),)), x)
    assert got.simple.outputs[0].dtype == np.float64


# --- long chains -------------------------------------------------------------------------------------------------
def test_long_chains_of_assignments_take_time_in_proportion(rewritten):
    def f(x):
        y = mul_p(x, 0.5)
        for k in range(400):
            y = put_p(y, read_p(y, at=(399 - k,)), at=(k,))
        return y, read_p(y, at=(0,)), put_p(y, x, at=(("slice", None, None, None),))

    def g(x):
        y = x
        for _ in range(300):
            y = concat_p(y, x, axis=0)
        return y, read_p(y, at=(("slice", 5, 10, None),))

    assert rewritten(f, np.arange(400.0)).simple.count() < 1300
    assert rewritten(g, X).simple.count() <= 301
