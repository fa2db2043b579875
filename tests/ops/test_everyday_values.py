"""Values of functions beyond the Array API against NumPy's and SciPy's, with all their options."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal

import scisim as ss

METHODS = (
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
)


def agree(got, want, rtol=1e-13, atol=1e-14):
    got = got if isinstance(got, (list, tuple)) else [got]
    want = want if isinstance(want, (list, tuple)) else [want]
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert np.shape(g) == np.shape(w)
        np.testing.assert_allclose(np.asarray(g), w, rtol=rtol, atol=atol)


# --- order statistics -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8])
def test_quantiles(rng, method, n):
    x = rng.normal(size=(2, n, 3))
    for q, axis in itertools.product(([0, 0.1, 0.25, 0.5, 0.9, 1.0], 0.3, [[0.2], [1 / 3]]), (1, (1, 2), None)):
        agree(
            ss.quantile(x, q, axis=axis, method=method, keepdims=True),
            np.quantile(x, q, axis=axis, method=method, keepdims=True),
        )


def test_nan_makes_quantiles_nan_and_is_left_out_by_others(rng):
    x = rng.normal(size=(5, 9))
    x[rng.random(x.shape) < 0.3] = np.nan
    x[0] = 1.0
    agree(ss.median(x, axis=1), np.median(x, axis=1))
    agree(ss.nanquantile(x, [0.2, 0.5, 0.8], axis=0), np.nanquantile(x, [0.2, 0.5, 0.8], axis=0))
    agree(ss.nanmedian(x, axis=1), np.nanmedian(x, axis=1))
    assert np.isnan(float(ss.nanmax([np.nan, np.nan])))
    assert np.isnan(float(ss.nanmean([np.nan])))
    assert np.isnan(float(ss.nanmedian([np.nan])))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("n", [1, 5, 50, 3000])
def test_topk_is_the_start_of_the_stable_order(rng, n, largest):
    x = np.round(rng.normal(size=(3, n)), 1)
    for k in {0, 1, min(n, 7), n}:
        values, at = ss.topk(x, k, largest=largest)
        np.testing.assert_array_equal(at, np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k])
        np.testing.assert_array_equal(values, np.take_along_axis(x, np.asarray(at), 1))
    _, at = ss.topk(x[0], min(n, 7), largest=largest)
    np.testing.assert_array_equal(at, np.argsort(-x[0] if largest else x[0], kind="stable")[:7])


# --- convolutions ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("method", ["direct", "fft"])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_convolutions_of_vectors(rng, mode, method, kind):
    for n, m in itertools.product((1, 2, 5, 8), (1, 2, 3, 6)):
        a, v = rng.normal(size=n), rng.normal(size=m)
        if kind == "complex":
            a, v = a + 1j * rng.normal(size=n), v + 1j * rng.normal(size=m)
        agree(ss.convolve(a, v, mode, method=method), np.convolve(a, v, mode), 1e-12, 1e-13)
        agree(ss.correlate(a, v, mode, method=method), np.correlate(a, v, mode), 1e-12, 1e-13)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shape", [(5, 6), (3, 4, 5), (40, 41)])
def test_convolutions_of_arrays(rng, mode, shape):
    a, v = rng.normal(size=shape), rng.normal(size=tuple(n // 2 for n in shape))
    for method in ("direct", "fft", "auto"):
        agree(ss.convolve(a, v, mode, method=method), scipy.signal.convolve(a, v, mode), 1e-11, 1e-11)


def test_other_edges_come_from_padding(rng):
    a, v = rng.normal(size=(7, 8)), rng.normal(size=(3, 3))
    for ours, theirs in (("symmetric", "reflect"), ("reflect", "mirror"), ("edge", "nearest"), ("wrap", "wrap")):
        agree(ss.convolve(ss.pad(a, 1, ours), v, "valid"), scipy.ndimage.convolve(a, v, mode=theirs), 1e-12, 1e-12)


def by_loops(x, w, stride, pad, dilation, groups):
    """The definition."""
    x = np.pad(x, ((0, 0), (0, 0), *pad))
    sizes = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    out = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], sizes, stride, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    each, own = w.shape[1], w.shape[0] // groups
    for o, *at in np.ndindex(w.shape[0], *out):
        first = (o // own) * each
        where = tuple(slice(i * s, i * s + k, d) for i, s, k, d in zip(at, stride, sizes, dilation, strict=True))
        part = x[(slice(None), slice(first, first + each), *where)]
        y[(slice(None), o, *at)] = np.sum(part * w[o], axis=tuple(range(1, w.ndim)))
    return y


@pytest.mark.parametrize("largest", [1 << 22, 0])
@pytest.mark.parametrize(
    ("shape", "kernel", "options"),
    [
        ((2, 4, 7), (6, 4, 3), {"stride": 2, "padding": 2}),
        ((2, 4, 7, 6), (6, 2, 3, 2), {"stride": (2, 1), "padding": (1, 2), "dilation": (2, 1), "groups": 2}),
        ((1, 4, 8, 6), (4, 1, 3, 3), {"groups": 4, "padding": ((0, 1), (2, 0))}),
        ((2, 3, 5, 6, 4), (2, 3, 2, 2, 2), {"stride": 2}),
        ((1, 1, 5, 5), (1, 1, 5, 5), {}),
    ],
)
def test_conv_is_its_definition(rng, monkeypatch, largest, shape, kernel, options):
    from scisim.ops import convolution

    monkeypatch.setattr(convolution, "LARGEST_MATRIX", largest)
    monkeypatch.setattr(convolution, "CACHED", max(largest, 8))
    x, w, d = rng.normal(size=shape), rng.normal(size=kernel), len(shape) - 2
    each = lambda v: v if isinstance(v, tuple) else (v,) * d
    pad = [p if isinstance(p, tuple) else (p, p) for p in each(options.get("padding", 0))]
    want = by_loops(
        x, w, each(options.get("stride", 1)), pad, each(options.get("dilation", 1)), options.get("groups", 1)
    )
    agree(ss.conv(x, w, **options), want, 1e-12, 1e-12)


# --- padding --------------------------------------------------------------------------------------------------
PADS = {
    "constant": [{}, {"constant_values": 2}, {"constant_values": (1, 3)}],
    "edge": [{}],
    "linear_ramp": [{}, {"end_values": (5, -4)}],
    "maximum": [{}, {"stat_length": 2}],
    "minimum": [{}],
    "mean": [{}, {"stat_length": ((1, 2),)}],
    "median": [{}, {"stat_length": 3}],
    "reflect": [{}, {"reflect_type": "odd"}],
    "symmetric": [{}, {"reflect_type": "odd"}],
    "wrap": [{}],
}


@pytest.mark.parametrize(("mode", "options"), [(m, o) for m, options in PADS.items() for o in options])
def test_padding(rng, mode, options):
    for shape, width, kind in itertools.product(((1,), (2,), (5,), (3, 4)), (0, 1, (2, 3), 7, (0, 11)), (float, int)):
        x = (rng.normal(size=shape) * 9).astype(kind)
        got, want = ss.pad(x, width, mode, **options), np.pad(x, width, mode, **options)
        agree(got, want, 1e-12, 1e-12)
        assert got.dtype == want.dtype


# --- histograms and tables ------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"bins": 20, "range": (-1, 1)}, {"bins": [-1, 0, 0.5, 1.0]}, {"bins": 100}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("density", [False, True])
def test_histograms(rng, options, weighted, density):
    for n in (1, 50, 1000):
        x, w = np.round(rng.normal(size=n), 1), rng.random(n) if weighted else None
        with np.errstate(all="ignore"):
            agree(
                ss.histogram(x, weights=w, density=density, **options),
                np.histogram(x, weights=w, density=density, **options),
            )


@pytest.mark.parametrize("bins", [5, (4, [-1, 0, 1.0]), [[-1, 0, 1.0], 3]])
def test_histograms_of_the_plane(rng, bins):
    x, y, w = rng.normal(size=60), rng.normal(size=60), rng.random(60)
    for weights, density in itertools.product((None, w), (False, True)):
        agree(ss.histogram2d(x, y, bins, None, density, weights), np.histogram2d(x, y, bins, None, density, weights))


def test_interpolation(rng):
    xp, fp = np.cumsum(rng.random(8)), rng.normal(size=8)
    x = rng.uniform(-1, 6, (3, 7))
    for options in ({}, {"left": -1.0}, {"right": 3.0}, {"period": 1.7}):
        for values in (fp, fp + 1j * fp[::-1]):
            agree(ss.interp(x, xp, values, **options), np.interp(x, xp, values, **options))


@pytest.mark.parametrize("shape", [(7,), (5, 6), (3, 4, 5)])
@pytest.mark.parametrize("order", [1, 2])
def test_gradients(rng, shape, order):
    f = rng.normal(size=shape)
    steps = tuple(0.1 * (k + 1) for k in range(len(shape)))
    points = tuple(np.cumsum(rng.random(n) + 0.1) for n in shape)
    for spacing in ((), (0.3,), steps, points):
        agree(ss.gradient(f, *spacing, edge_order=order), np.gradient(f, *spacing, edge_order=order), 1e-12, 1e-12)


# --- polynomials ----------------------------------------------------------------------------------------------
def test_polynomials(rng):
    for n, m in itertools.product((1, 2, 4), (1, 2, 3)):
        a, b = rng.normal(size=n), rng.normal(size=m)
        for name in ("polyadd", "polysub", "polymul", "polydiv"):
            agree(getattr(ss, name)(a, b), getattr(np, name)(a, b), 1e-12, 1e-12)
        for k in (0, 1, 2, 3):
            agree(ss.polyder(a, k), np.polyder(a, k))
            agree(ss.polyint(a, k), np.polyint(a, k))
        agree(ss.poly(a), np.poly(a))
    matrix = rng.normal(size=(4, 4))
    agree(ss.poly(matrix), np.poly(matrix), 1e-11, 1e-11)
    p = [0.0, 0.0, 1.0, -3.0, 2.0, 0.0]
    agree(np.sort(np.asarray(ss.roots(p)).real), np.arange(3.0), 1e-12, 1e-12)


def test_fits(rng):
    x, y, w = rng.normal(size=9), rng.normal(size=(9, 2)), rng.random(9)
    for weights, values in itertools.product((None, w), (y, y[:, 0])):
        agree(ss.polyfit(x, values, 3, w=weights), np.polyfit(x, values, 3, w=weights), 1e-9, 1e-9)


# --- segments and updates -------------------------------------------------------------------------------------
def test_segments_are_what_ufunc_at_gives(rng):
    x, ids = rng.normal(size=(30, 2)), rng.integers(0, 5, 30)
    for name, ufunc, start in (
        ("sum", np.add, 0.0),
        ("prod", np.multiply, 1.0),
        ("max", np.maximum, -np.inf),
        ("min", np.minimum, np.inf),
    ):
        want = np.full((7, 2), start)
        ufunc.at(want, ids, x)
        agree(getattr(ss, f"segment_{name}")(x, ids, 7), want)


def test_updates_are_what_numpy_does_in_place(rng):
    x, v = rng.normal(size=(4, 5)), rng.normal(size=(3, 5))
    at = np.array([2, 0, 2])
    for name, ufunc in (("add", np.add), ("multiply", np.multiply), ("max", np.maximum), ("min", np.minimum)):
        want = x.copy()
        ufunc.at(want, at, v)
        agree(getattr(ss, f"index_{name}")(x, at, v), want)
    for shape, wrap in (((5, 3), False), ((5, 3), True), ((3, 5), False), ((3, 3, 3), False)):
        want = np.zeros(shape)
        np.fill_diagonal(want, [1.0, 2.0], wrap=wrap)
        agree(ss.fill_diagonal(np.zeros(shape), [1.0, 2.0], wrap=wrap), want)


def test_insertions(rng):
    x = rng.normal(size=(3, 4))
    for obj, values, axis in (
        (1, 5.0, 0),
        (1, [5.0, 6.0, 7.0], 1),
        ([1], [[5.0], [6.0], [7.0]], 1),
        ([0, 2, 2], 9.0, 1),
        (slice(0, 2), 1.0, 0),
        (3, [1.0, 2.0], None),
        (np.array([True, False, True]), 4.0, 0),
    ):
        agree(ss.insert(x, obj, values, axis), np.insert(x, obj, values, axis))
    for obj, axis in ((1, 0), ([0, -1], 1), (slice(None, None, 2), 1), ([True, False, True], 0), (5, None)):
        agree(ss.delete(x, obj, axis), np.delete(x, obj, axis))


def test_windows_and_ranges():
    for n in (0, 1, 2, 7, 8):
        for name in ("hanning", "hamming", "blackman", "bartlett"):
            agree(getattr(ss, name)(n), getattr(np, name)(n), 1e-13, 1e-15)
    for a, b in ((1.0, 100.0), (-3.0, -0.1), (1j, -2.0 + 1j)):
        agree(ss.geomspace(a, b, 7), np.geomspace(a, b, 7), 1e-13, 1e-13)
        agree(ss.geomspace(a, b, 7, endpoint=False), np.geomspace(a, b, 7, endpoint=False), 1e-13, 1e-13)
