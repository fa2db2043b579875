"""Functions whose result has as many elements as the data say: plain, with a size, captured, mapped, differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ScisimError, ShapeError, TraceError

X = np.array([[3.0, 1.0, 3.0], [2.0, np.nan, -0.0], [np.nan, 0.0, 1.0]])
FUNCTIONS = {
    "unique_all": ss.unique_all,
    "unique_counts": ss.unique_counts,
    "unique_inverse": ss.unique_inverse,
    "unique_values": ss.unique_values,
    "nonzero": ss.nonzero,
}


def test_unique_elements_are_those_of_numpy():
    for x in (X, X[0], np.array([5, 3, 5]), np.array([True, False, True]), X * 1j, np.float32(2.0), np.zeros(0)):
        values, indices, inverse, counts = ss.unique_all(x)
        want = np.unique(x, return_counts=True, equal_nan=False)
        np.testing.assert_array_equal(np.asarray(values), want[0])
        np.testing.assert_array_equal(np.asarray(counts), want[1])
        flat = np.reshape(x, -1)
        np.testing.assert_array_equal(np.asarray(values), flat[np.asarray(indices)])
        assert inverse.shape == np.shape(x)
        np.testing.assert_array_equal(np.asarray(values)[np.asarray(inverse)], x)
        assert all(v.dtype == np.intp for v in (indices, inverse, counts))
        np.testing.assert_array_equal(np.asarray(ss.unique_values(x)), want[0])


def test_results_have_names():
    assert ss.unique_all([1, 2])._fields == ("values", "indices", "inverse_indices", "counts")
    assert ss.unique_counts([1, 2])._fields == ("values", "counts")
    assert ss.jit(lambda x: ss.unique_inverse(x, size=2))(ss.asarray([1, 2]))._fields == ("values", "inverse_indices")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_size_gives_the_same_wherever_the_function_runs(name):
    f = FUNCTIONS[name]
    x = ss.asarray([[0.0, 2.0, 2.0, 1.0], [3.0, 3.0, 3.0, 0.0]])
    for size in (0, 1, 3, 7):
        rows = [as_arrays(f(row, size=size)) for row in ss.unstack(x)]
        plain = as_arrays(f(x[0]))
        for got, want in zip(rows[0], plain, strict=True):
            n = min(size, len(want)) if got.shape != want.shape or got.ndim == 1 else len(want)
            np.testing.assert_array_equal(got[:n], want[:n])
        run = lambda v, size=size: f(v, size=size)
        captured = as_arrays(ss.jit(run)(x[0]))
        mapped = as_arrays(ss.vmap(run)(x))
        for k, want in enumerate(rows[0]):
            np.testing.assert_array_equal(captured[k], want)
            np.testing.assert_array_equal(mapped[k], np.stack([want, rows[1][k]]))


def as_arrays(result: object) -> list[np.ndarray]:
    return [np.asarray(v) for v in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_a_size_values_must_be_known(name):
    f, x = FUNCTIONS[name], ss.asarray([1.0, 2.0])
    for run in (ss.jit(f), ss.vmap(f)):
        with pytest.raises(TraceError, match=rf"{name}: the shape of the result depends.*size="):
            run(x[None])
    with pytest.raises(ArgumentError, match="size must not be negative"):
        f(x, size=-1)
    with pytest.raises(ScisimError, match="size must be an integer"):
        f(x, size=1.5)


def test_what_fills_up():
    x = ss.asarray([2.0, 5.0, 2.0])
    np.testing.assert_array_equal(np.asarray(ss.unique_values(x, size=4, fill_value=-1.0)), [2.0, 5.0, -1.0, -1.0])
    np.testing.assert_array_equal(np.asarray(ss.unique_values(x, size=4)), [2.0, 5.0, 2.0, 2.0])
    np.testing.assert_array_equal(np.asarray(ss.unique_counts(x, size=1).counts), [2])
    np.testing.assert_array_equal(np.asarray(ss.unique_counts(x, size=3).counts), [2, 1, 0])
    (at,) = ss.nonzero(ss.asarray([0, 4, 0, 5]), size=3, fill_value=-7)
    np.testing.assert_array_equal(np.asarray(at), [1, 3, -7])


def test_derivatives_follow_the_values():
    x = ss.asarray([2.0, 5.0, 2.0, 1.0])
    weights = ss.asarray([1.0, 10.0, 100.0])
    for f in (ss.unique_values, lambda v: ss.unique_values(v, size=3)):
        g = ad.grad(lambda v, f=f: ss.sum(f(v) * weights))(x)
        np.testing.assert_array_equal(np.asarray(g), [10.0, 100.0, 0.0, 1.0])


def test_nonzero_is_that_of_numpy():
    for x in (X, X[0] > 1, np.zeros((0, 3)), np.zeros((2, 0))):
        for got, want in zip(ss.nonzero(x), np.nonzero(x), strict=True):
            np.testing.assert_array_equal(np.asarray(got), want)
    with pytest.raises(ShapeError, match="nonzero: an array without axes"):
        ss.nonzero(1.0)


def test_isin_is_that_of_numpy():
    for x, y in ((X, [1.0, 3.0]), (X, np.nan), ([1, 2, 3], 2), (2, [1, 2]), (np.float32([0.1]), 0.1), (X, [])):
        for invert in (False, True):
            want = np.isin(x, np.asarray(y, np.asarray(x).dtype), invert=invert)
            np.testing.assert_array_equal(np.asarray(ss.isin(x, y, invert=invert)), want)


def test_masks_of_length_zero_choose_nothing():
    x = ss.ones((2, 3))
    assert x[ss.zeros((0, 3), dtype=bool)].shape == (0,)
    assert x[ss.zeros(0, dtype=bool)].shape == (0, 3)
    with pytest.raises(IndexError, match="mask of shape"):
        x[ss.zeros(3, dtype=bool)]
