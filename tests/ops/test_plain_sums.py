"""The short ways of sums, averages and differences give the bits of the functions."""

import numpy as np
import pytest

import scisim as ss
from scisim.core.public import OPERATIONS, PLAIN

RNG = np.random.default_rng(8)
X = RNG.normal(size=(5, 7))
ARRAYS = [X, X.T, X[0], X[:, 2:3], X.astype("f4"), X + 1j * X, (9 * X).astype("i4"), (9 * X).astype("u1"), X > 0, X[:0]]
CALLS = {
    "mean": [{}, {"axis": 0}, {"axis": -1}, {"axis": 0, "keepdims": True}, {"axis": (0,)}, {"keepdims": True}],
    "var": [{}, {"axis": 0}, {"axis": -1}, {"correction": 1.0}, {"axis": 0, "keepdims": True}],
    "std": [{}, {"axis": 0}, {"axis": 0, "keepdims": True}],
    "cumulative_sum": [
        {"axis": 0},
        {"axis": -1},
        {"axis": 0, "include_initial": True},
        {"axis": 0, "dtype": ss.float64},
    ],
    "diff": [{}, {"axis": 0}, {"n": 2}, {"n": 0}, {"axis": -1}, {"append": 1.0}],
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_bits_are_those_of_the_function(name: str) -> None:
    taken = 0
    for x in [*ARRAYS, X.astype("f2")]:
        for kwargs in CALLS[name]:
            with np.errstate(all="ignore"):
                want = np.asarray(OPERATIONS[name].raw(x, **kwargs))
                short, got = PLAIN[name](x, **kwargs), getattr(ss, name)(ss.Tensor(x, copy=False), **kwargs).numpy()
            taken += short is not NotImplemented
            for y in [got] if short is NotImplemented else [got, np.asarray(short)]:
                assert (y.dtype, y.shape, y.tobytes()) == (want.dtype, want.shape, want.tobytes()), (x.dtype, kwargs)
    assert taken > 5


def test_one_axis_needs_no_name() -> None:
    for x in (X[0], X[0].astype("f4"), np.array([], float), np.array([True, True])):
        want = OPERATIONS["cumulative_sum"].raw(x)
        got = ss.cumulative_sum(ss.asarray(x)).numpy()
        assert (got.dtype, got.tobytes()) == (want.dtype, want.tobytes())


def test_errors_are_those_of_the_functions() -> None:
    x = ss.asarray(X)
    for call in (
        lambda: ss.cumulative_sum(x),
        lambda: ss.mean(x, axis=5),
        lambda: ss.diff(x, n=-1),
        lambda: ss.diff(x, axis=2),
        lambda: ss.cumulative_sum(x, axis=2),
    ):
        with pytest.raises(ss.ScisimError):
            call()
