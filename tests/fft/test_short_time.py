"""Short-time transforms: against their definition, beside SciPy, there and back, and in all transformations."""

import functools
import itertools

import numpy as np
import pytest
import scipy.signal

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError

EPS = np.finfo(float).eps


def definition(x, w, hop, n_fft, center=True, pad_mode="constant", padded=True, onesided=True):
    """Sums over samples, frame by frame, of a signal of one axis."""
    m = len(w)
    x = np.pad(x, m // 2, mode=pad_mode) if center else x
    if padded:
        x = np.concatenate([x, np.zeros(max(m - len(x), 0) or -(len(x) - m) % hop)])
    starts = range(0, len(x) - m + 1, hop)
    rows = n_fft // 2 + 1 if onesided else n_fft
    waves = np.exp(-2j * np.pi * np.outer(np.arange(rows), np.arange(m)) / n_fft)
    return np.stack([waves @ (w * x[s : s + m]) for s in starts], axis=1)


def near(got, want, rtol=1e-13):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=0, atol=rtol * np.abs(want).max(initial=1.0))


# --- values --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", [1, 2, 5, 8])
@pytest.mark.parametrize("n", [1, 4, 11, 16])
def test_values_are_those_of_the_definition(rng, n, m):
    for hop, more, center, padded, complexes in itertools.product(
        (1, 3, 7), (0, 3), (True, False), (True, False), (0, 1j)
    ):
        if not padded and not center and n < m:
            continue
        x, w = rng.normal(size=n) + complexes * rng.normal(size=n), rng.uniform(0.5, 1.5, m)
        way = {"center": center, "padded": padded, "onesided": not complexes}
        near(ss.fft.stft(x, w, hop, m + more, **way), definition(x, w, hop, m + more, **way))


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "edge", "wrap", "mean"])
def test_signals_are_continued_as_pad_does(rng, mode):
    for n, m in itertools.product((2, 3, 9, 20), (4, 7)):
        x, w = rng.normal(size=n), rng.uniform(0.5, 1.5, m)
        near(ss.fft.stft(x, w, 2, pad_mode=mode), definition(x, w, 2, m, pad_mode=mode))


@pytest.mark.parametrize("scaling", ["spectrum", "psd"])
@pytest.mark.parametrize(("m", "hop", "n"), [(16, 8, 100), (15, 4, 61), (9, 9, 30), (8, 3, 8)])
def test_values_are_those_of_scipy(rng, m, hop, n, scaling):
    for dtype in ("float32", "float64", "complex64", "complex128"):
        x = (rng.normal(size=(2, n)) + (1j if dtype.startswith("c") else 0)).astype(dtype)
        onesided = not dtype.startswith("c")
        settings = {"nperseg": m, "noverlap": m - hop, "scaling": scaling, "return_onesided": onesided}
        _, _, want = scipy.signal.stft(x, window="hamming", **settings)
        got = ss.fft.stft(x, "hamming", hop, m, scaling=scaling)
        near(got, want.astype(got.dtype), 4 * np.finfo(dtype).eps)
        assert got.dtype == np.result_type(np.complex64, dtype)


@pytest.mark.parametrize(("m", "hop", "n_fft"), [(16, 4, 16), (9, 3, 9), (12, 5, 20)])
def test_values_are_those_of_short_time_fft(rng, m, hop, n_fft):
    """Which has frames before the first sample too, here left out."""
    x, w = rng.normal(size=50), rng.uniform(0.5, 1.5, m)
    peer = scipy.signal.ShortTimeFFT(w, hop, 1.0, mfft=n_fft, phase_shift=None)
    got = ss.fft.stft(x, w, hop, n_fft)
    near(got, peer.stft(x, p0=0, p1=got.shape[1]))


def test_windows_by_name_are_those_of_scipy():
    x = np.zeros(32)
    x[16] = 1.0  # in frame 1, the window itself from its begin at sample 0
    names = ["boxcar", "hann", "hamming", "blackman", "nuttall", "bartlett", ("kaiser", 8.0), ("gaussian", 3.0)]
    for name, m in itertools.product(names, (31, 32)):
        w = scipy.signal.get_window(name, m)
        near(ss.fft.stft(x, name, 4, m), ss.fft.stft(x, w, 4, m), 1e-15)
    assert ss.fft.stft(x, "hann", 1, 1).shape == (1, 32)
    assert ss.fft.stft(np.zeros(1000)).shape == (129, 17)  # 256 samples every 64
    assert ss.fft.stft(x.astype(np.float32), "hann", n_fft=8).dtype == np.complex64


def test_axes(rng):
    x = rng.normal(size=(3, 20, 2))
    z = np.moveaxis(np.asarray(ss.fft.stft(np.moveaxis(x, 1, 2), "hann", 2, 8)), 1, -1)
    for axis in (1, -2):
        got = ss.fft.stft(x, "hann", 2, 8, axis=axis)
        near(got, z)
        near(ss.fft.istft(got, "hann", 2, length=20, axis=axis), x)


# --- there and back ------------------------------------------------------------------------------------------
WAYS = [("hann", 4, 16, 16), ("hann", 1, 5, 5), ("hamming", 7, 15, 21), ("boxcar", 9, 9, 9), ("blackman", 2, 8, 11)]


@pytest.mark.parametrize(("name", "hop", "m", "n_fft"), WAYS)
def test_every_length_comes_back(rng, name, hop, m, n_fft):
    w = scipy.signal.get_window(name, m)
    for n, dtype, scaling in itertools.product(range(1, 40), ("float64", "complex128"), (None, "psd", "spectrum")):
        onesided = dtype == "float64"
        x = rng.normal(size=n) + (0 if onesided else 1j * rng.normal(size=n))
        z = ss.fft.stft(x, w, hop, n_fft, scaling=scaling)
        got = ss.fft.istft(z, w, hop, n_fft, length=n, scaling=scaling, onesided=onesided)
        near(got, x, 64 * EPS)


def test_long_signals_come_back(rng):
    x = rng.normal(size=(2, 10007)).astype(np.float32)
    z = ss.fft.stft(x, "hann", 37, 150, pad_mode="reflect")
    near(ss.fft.istft(z, "hann", 37, 150, length=10007), x, 3e-6)
    near(ss.fft.istft(z, "hann", 37, 150)[:, :10007], x, 3e-6)


def test_without_center_every_sample_needs_a_window(rng):
    x = rng.normal(size=30)
    for n_fft, window in ((8, "hamming"), (8, ("kaiser", 6.0)), (7, "boxcar")):
        z = ss.fft.stft(x, window, 3, n_fft, center=False)
        near(ss.fft.istft(z, window, 3, n_fft, length=30, center=False), x, 1e-12)


def test_the_inverse_is_the_least_squares_solution(rng):
    """Of spectra that no signal has: those of the result are closest to them."""
    w, hop, m = rng.uniform(0.5, 1.5, 6), 2, 6
    z = rng.normal(size=(4, 5)) + 1j * rng.normal(size=(4, 5))
    forward = functools.partial(ss.fft.stft, window=w, hop=hop, center=False)
    back = functools.partial(ss.fft.istft, window=w, hop=hop, center=False)
    frames = np.fft.irfft(z.T, m)
    matrix = np.stack([np.fft.irfft(np.asarray(forward(e)).T, m).ravel() for e in np.eye(14)], axis=1)
    near(back(z), np.linalg.lstsq(matrix, frames.ravel())[0], 1e-13)


def test_nothing_is_known_of_some_samples():
    z = ss.fft.stft(np.ones(20), "hann", 4, 8, center=False)
    with pytest.raises(ArgumentError, match=r"istft: nothing is known of sample 0: .* sum up to 0\. Use center=True"):
        ss.fft.istft(z, "hann", 4, 8, center=False)
    w = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    z = ss.fft.stft(np.ones(20), w, 3)
    with pytest.raises(ArgumentError, match="nothing is known of sample 1:"):
        ss.fft.istft(z, w, 3)
    with pytest.raises(ArgumentError, match="nothing is known of sample 1:"):
        ad.grad(lambda w: ss.sum(ss.fft.istft(z, w, 3)))(w)
    with pytest.raises(ArgumentError, match="nothing is known of sample 1:"):
        ss.jit(lambda z: ss.fft.istft(z, w, 3))(z)


# --- transformations -----------------------------------------------------------------------------------------
def test_gradients_of_signal_and_window_are_those_of_the_definition(rng):
    """Of a weighted sum, which is linear in either."""
    for m, n_fft, hop in ((5, 5, 2), (6, 9, 4)):
        x, w = rng.normal(size=13), rng.uniform(0.5, 1.5, m)
        c = definition(x, w, hop, n_fft)
        c = rng.normal(size=c.shape) + 1j * rng.normal(size=c.shape)
        f = lambda x, w, c=c, hop=hop, n_fft=n_fft: ss.sum(ss.real(c * ss.fft.stft(x, w, hop, n_fft)))
        of_x, of_w = ad.grad(f, (0, 1))(x, w)
        near(of_x, [np.sum((c * definition(e, w, hop, n_fft)).real) for e in np.eye(13)])
        near(of_w, [np.sum((c * definition(x, e, hop, n_fft)).real) for e in np.eye(m)])


def test_the_gradient_through_a_reconstruction_is_that_of_the_identity(rng):
    x, w, c = rng.normal(size=23), rng.uniform(0.5, 1.5, 7), rng.normal(size=23)
    back = lambda x, w: ss.fft.istft(ss.fft.stft(x, w, 3), w, 3, length=23)
    of_x, of_w = ad.grad(lambda x, w: ss.sum(c * back(x, w)), (0, 1))(x, w)
    near(of_x, c)
    near(of_w, np.zeros(7))
    near(ss.jit(ad.grad(lambda x: ss.sum(c * back(x, w))))(x), c)


def test_spectrograms_differentiate_to_second_order(rng):
    x, w, v = rng.normal(size=12), rng.uniform(0.5, 1.5, 4), rng.normal(size=12)
    loss = lambda x: ss.sum(ss.abs(ss.fft.stft(x, w, 2, onesided=False)) ** 2)
    # By Parseval's theorem a sum of squares, whose weights are those of the windows over a sample.
    weights = 4 * np.convolve(np.kron(np.ones(7), [1, 0]), w**2)[2:14]
    near(ad.grad(loss)(x), 2 * weights * x)
    near(ad.hvp(loss, x, v), 2 * weights * v)


def test_mapped_and_compiled(rng):
    x, w = rng.normal(size=(3, 21)), rng.uniform(0.5, 1.5, (3, 6))
    f = lambda x, w: ss.fft.istft(ss.abs(ss.fft.stft(x, w, 2, scaling="psd")) ** 2, w, 2, length=21)
    want = np.stack([np.asarray(f(a, b)) for a, b in zip(x, w, strict=True)])
    for run in (ss.vmap(f), ss.jit(ss.vmap(f)), ss.vmap(ss.jit(f))):
        near(run(x, w), want)
    near(ss.vmap(f, (0, None))(x, w[1]), np.stack([np.asarray(f(a, w[1])) for a in x]))
    near(ss.vmap(f, (None, 0))(x[1], w), np.stack([np.asarray(f(x[1], b)) for b in w]))


def test_operands_stay(rng):
    x, w = rng.normal(size=(2, 30)), rng.uniform(0.5, 1.5, 8)
    before = x.copy(), w.copy()
    z = ss.fft.stft(x, w, 3)
    kept = np.array(z)
    ss.fft.istft(z, w, 3)
    np.testing.assert_array_equal(np.asarray(z), kept)
    for a, b in zip((x, w), before, strict=True):
        np.testing.assert_array_equal(a, b)


# --- errors --------------------------------------------------------------------------------------------------
Z = np.zeros((5, 4), complex)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ss.fft.stft(1.0), ShapeError, "stft: x has shape (), and needs 1 axes at least"),
        (lambda: ss.fft.stft([]), ArgumentError, "stft: axis 0 of shape (0,) is empty"),
        (lambda: ss.fft.stft([1.0], hop=0), ArgumentError, "stft: hop must be at least 1, got 0"),
        (lambda: ss.fft.stft([1.0], hop=1.5), ArgumentTypeError, "stft: hop must be an integer, got 1.5"),
        (lambda: ss.fft.stft([1.0], np.ones(4), n_fft=3), ArgumentError, "n_fft=3 is less than the 4 samples"),
        (lambda: ss.fft.stft([1.0], np.ones((2, 2))), ShapeError, "a window has one axis with a sample or more"),
        (
            lambda: ss.fft.stft([1.0], 1j * np.ones(2)),
            DTypeError,
            "stft: the window must be real, got dtype complex128",
        ),
        (lambda: ss.fft.stft([1.0], "no"), ArgumentError, "stft: window='no' is no window"),
        (lambda: ss.fft.stft([1.0], scaling="magnitude"), ArgumentError, "scaling must be None, 'spectrum' or 'psd'"),
        (lambda: ss.fft.stft([1.0], pad_mode="no"), ArgumentError, "stft: pad_mode must be one of"),
        (lambda: ss.fft.stft([1j], onesided=True), DTypeError, "onesided=True is for real signals"),
        (
            lambda: ss.fft.stft([1.0], np.ones(3), center=False, padded=False),
            ArgumentError,
            "the signal has 1 samples, less than a frame of 3",
        ),
        (lambda: ss.fft.stft(ss.ones(9, dtype="bfloat16")), DTypeError, "stft: x has dtype bfloat16"),
        (lambda: ss.fft.istft([1.0]), ShapeError, "istft: z has shape (1,), and needs 2 axes at least"),
        (lambda: ss.fft.istft(Z[:, :0]), ArgumentError, "has no frequencies or no frames along axes 0 and 1"),
        (lambda: ss.fft.istft(Z, "hann", n_fft=6), ArgumentError, "istft: n_fft=6 has 4 frequencies, but z has 5"),
        (
            lambda: ss.fft.istft(Z, "hann", n_fft=8, onesided=False),
            ArgumentError,
            "onesided=True is for the spectra of",
        ),
        (lambda: ss.fft.istft(Z[:1], "hann"), ArgumentError, "istft: one frequency gives no length"),
        (lambda: ss.fft.istft(Z, "boxcar", 2, length=20), ArgumentError, "4 frames reach over 6 samples; give less"),
        (lambda: ss.fft.istft(Z, np.ones(12)), ArgumentError, "istft: n_fft=8 is less than the 12 samples"),
    ],
)
def test_errors_say_what_to_do(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
