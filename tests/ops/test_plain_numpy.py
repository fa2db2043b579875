"""The short ways of plain arrays give the bits of the functions whose derivatives are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim.core.public import OPERATIONS, PLAIN
from scisim.ops import plain_numpy
from tests.ops.test_numpy_dispatch import flat

RNG = np.random.default_rng(7)
LONG, OTHER, MATRIX = RNG.normal(size=101), RNG.normal(size=101), RNG.normal(size=(20, 7))
HOLES = np.where(RNG.random((20, 7)) < 0.2, np.nan, MATRIX)
EMPTY_ROW = np.where(np.arange(20)[:, None] == 3, np.nan, HOLES)
IDS = RNG.integers(0, 9, 101)
INFINITE = ("deg2rad", "rad2deg", "isposinf", "isneginf")
CALLS: dict[str, list[tuple]] = {
    **{n: [(LONG, OTHER)] for n in ["divmod", "dot", "inner", "vdot", "append", "polyadd", "array_equal"]},
    **{
        n: [(LONG,), (MATRIX,)]
        for n in ["modf", "frexp", "ravel", "transpose", "flipud", "diagflat", "atleast_1d", "atleast_2d"]
    },
    **{
        n: [(LONG,), (MATRIX,)]
        for n in ["flatnonzero", "argwhere", "ptp", "median", "average", "cummax", "cummin", "ediff1d"]
    },
    **{n: [(LONG,), (MATRIX,)] for n in ["cumsum", "cumprod", "trapezoid", "gradient", "unwrap"]},
    **{
        n: [(HOLES,), (HOLES, 0), (HOLES, 1, True) if n != "nancumsum" else (HOLES, 1), (EMPTY_ROW, 1), (MATRIX, 1)]
        for n in ["nansum", "nanmean", "nanmax", "nanmin", "nancumsum"]
    },
    **{n: [(HOLES,), (HOLES, 0), (HOLES, 1, 1), (EMPTY_ROW, 1, 0.0, True)] for n in ("nanvar", "nanstd")},
    **{n: [(LONG,), (np.array([np.inf, -np.inf, np.nan, 1.0]),)] for n in INFINITE},
    "percentile": [(LONG, 30.0), (MATRIX, [10.0, 50.0, 90.0], 0), (HOLES, 25.0)],
    "nanquantile": [(HOLES, 0.3), (MATRIX, 0.3, 0), (LONG, 0.5)],
    "nanmedian": [(HOLES,), (LONG,), (LONG[:-1],), (MATRIX, 1)],
    "nanpercentile": [(HOLES, 30.0)],
    "float_power": [(np.abs(LONG), OTHER)],
    "swapaxes": [(MATRIX, 0, 1)],
    "fliplr": [(MATRIX,)],
    "rot90": [(MATRIX,), (MATRIX, 3)],
    "rollaxis": [(MATRIX, 1)],
    "hstack": [([LONG, OTHER],), ([MATRIX, MATRIX],)],
    "vstack": [([LONG, OTHER],)],
    "dstack": [([LONG, OTHER],)],
    "column_stack": [([LONG, OTHER],), ([MATRIX, LONG[:20]],)],
    "insert": [(LONG, 3, 1.5), (MATRIX, -1, 2.0, 1)],
    "delete": [(LONG, -2), (MATRIX, 3, 1)],
    "pad": [
        (MATRIX, 2),
        (MATRIX, (1, 2)),
        (MATRIX, 9, "reflect"),
        (LONG, 3, "wrap"),
        (LONG, 2, "constant"),
        (MATRIX, 2, "mean"),
        (MATRIX, 3, "maximum"),
    ],
    "array_split": [(LONG, 4), (MATRIX, 3, 1)],
    "split": [(MATRIX, 4)],
    "put_along_axis": [(MATRIX, MATRIX.argmax(1, keepdims=True), 0.0, 1)],
    "resize": [(LONG, (7, 30)), (MATRIX, (3, 2))],
    "digitize": [(LONG, np.linspace(-1, 1, 5)), (LONG, np.linspace(1, -1, 5), True)],
    "partition": [(LONG, 5), (MATRIX, 2, 0)],
    "topk": [(LONG, 5), (MATRIX, 2, 0, False)],
    "quantile": [(LONG, 0.3), (LONG, 0.5), (MATRIX, 0.9, 0), (HOLES, 0.3, 1)],
    "interp": [(LONG, np.sort(OTHER), LONG)],
    "bincount": [(IDS,), (IDS, LONG), (IDS, LONG, 20)],
    "segment_sum": [(LONG, IDS, 9), (LONG, IDS, 12)],
    "histogram": [(LONG,), (np.round(LONG, 1), 20)],
    "histogram2d": [(LONG, OTHER), (np.round(LONG, 1), OTHER, 4)],
    "convolve": [(LONG, OTHER[:9]), (LONG, OTHER[:8], "same"), (LONG, OTHER[:9], "valid")],
    "correlate": [(LONG, OTHER[:9]), (LONG, OTHER[:8], "same"), (LONG, OTHER[:9], "full")],
    "fill_diagonal": [(MATRIX, 0.5), (MATRIX.T.copy(), 2)],
    "index_add": [(LONG, IDS, 1.5), (LONG, IDS, OTHER)],
    "index_set": [(LONG, IDS, 1.5), (MATRIX, IDS, 0.5)],
    "compress": [(LONG > 0, LONG)],
    "extract": [(LONG > 0, LONG), (MATRIX > 0, MATRIX)],
    "choose": [(LONG > 0, [LONG, OTHER]), (IDS % 3, [LONG, OTHER, LONG])],
    "lexsort": [([np.round(LONG), np.round(OTHER)],)],
    "unravel_index": [(17, (5, 6))],
    "ldexp": [(LONG, -3)],
    "nan_to_num": [(LONG,), (HOLES,)],
    "block": [([[MATRIX, MATRIX], [MATRIX, MATRIX]],), ([LONG, OTHER],)],
    "identity": [(5,)],
    "tri": [(4,), (4, 5, -1)],
    "indices": [((2, 3),)],
    "logspace": [(0.3, 2.0, 7), (-1.0, 1.0)],
    "geomspace": [(0.3, 2.0, 7), (-1.0, -9.0)],
    "polyfit": [(LONG, OTHER, 3), (LONG, OTHER, 0)],
    "cov": [(MATRIX,)],
    "corrcoef": [(MATRIX,)],
    "polyval": [(OTHER[:6], LONG), (OTHER[:1], MATRIX)],
    "vander": [(LONG, 5), (LONG[:6],)],
}
EACH = [(name, k) for name, calls in CALLS.items() for k in range(len(calls))]


def of_values(x: Any) -> Any:
    return [of_values(v) for v in x] if isinstance(x, list) else ss.asarray(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "k"), EACH)
def test_bits_are_those_of_the_raw_function(name, k, dtype):
    low = lambda x: (
        [low(v) for v in x]
        if isinstance(x, list)
        else (x.astype(dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x)
    )
    args = [low(x) for x in CALLS[name][k]]
    quick = flat(OPERATIONS[name].function(*map(of_values, args)))
    slow = flat(OPERATIONS[name].raw(*args))
    assert len(quick) == len(slow)
    for a, b in zip(quick, slow, strict=True):
        b = np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(np.asarray(a), b)


def test_every_short_way_of_the_module_is_tried():
    own = {name for name, f in PLAIN.items() if f.__module__ == plain_numpy.__name__}
    assert own == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_lists_and_numbers_give_tensors(name):
    """What is no plain array goes the long way, or gives what that gives."""
    for args in CALLS[name]:
        lists = [x.tolist() if isinstance(x, np.ndarray) and x.ndim else x for x in args]
        try:
            want = flat(OPERATIONS[name].raw(*lists))
        except (TypeError, AttributeError):  # raw functions of values take arrays
            want = flat(OPERATIONS[name].raw(*args))
        got = flat(OPERATIONS[name].function(*lists))
        for a, b in zip(got, want, strict=True):
            assert type(a._v) is np.ndarray or isinstance(a._v, np.generic)
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
