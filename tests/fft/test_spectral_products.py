"""Longer and shorter spectra, products without aliases, filters, convolutions and interpolation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.signal

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.fft import spectral

EPS = np.finfo(float).eps


def close(got, want, atol: float) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=0.0, atol=atol)


def series(u: np.ndarray, axis: int = -1) -> np.ndarray:
    """Coefficients from -n//2 to n//2 along an axis, those at the Nyquist frequency split."""
    n = u.shape[axis]
    c = np.fft.fftshift(np.fft.fft(u, axis=axis), axis) / n
    if n % 2:
        return c
    c = np.moveaxis(c, axis, -1)
    c = np.concatenate([c[..., :1] / 2, c[..., 1:], c[..., :1] / 2], -1)
    return np.moveaxis(c, -1, axis)


def at_points(c: np.ndarray, x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The sum of coefficients times exp(i k x), the new axis in the place of the old one."""
    k = np.arange(c.shape[axis]) - c.shape[axis] // 2
    return np.moveaxis(np.moveaxis(c, axis, -1) @ np.exp(1j * np.outer(k, x)), -1, axis)


def circle(n: int) -> np.ndarray:
    return 2 * np.pi * np.arange(n) / n


def kept(c: np.ndarray, n: int) -> np.ndarray:
    """The middle of a series: frequencies up to n/2."""
    extra = c.shape[-1] // 2 - n // 2
    return c[..., extra : c.shape[-1] - extra] if extra > 0 else c


# --- spectra -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("n", "m"), list(itertools.product(range(1, 9), repeat=2)))
def test_resampling_is_that_of_the_trigonometric_polynomial(n, m):
    rng = np.random.default_rng(n)
    u = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))
    want = at_points(kept(series(u), m), circle(m))
    close(spectral.resample(u, m), want, 64 * EPS)
    close(spectral.resample(u.real, m), at_points(kept(series(u.real), m), circle(m)).real, 64 * EPS)
    make = spectral.pad if m >= n else spectral.truncate
    close(np.fft.ifft(make(np.fft.fft(u), m)), want, 64 * EPS)
    half = make(np.fft.rfft(u.real), m, n=n)
    close(half, np.fft.rfft(np.asarray(spectral.resample(u.real, m))), 256 * EPS)
    close(make(np.fft.fft(u, norm="ortho"), m, norm="ortho"), np.fft.fft(want, norm="ortho"), 128 * EPS)
    close(make(np.fft.fft(u, norm="forward"), m, norm="forward"), np.fft.fft(want, norm="forward"), 128 * EPS)


@pytest.mark.parametrize(("n", "m"), [((4, 6), (7, 9)), ((6, 8), (4, 4)), ((5, 8), (6, 6)), ((8, 6), (4, 9))])
def test_planes_of_real_fields_keep_their_symmetry(n, m):
    u = np.random.default_rng(3).normal(size=n)
    want = np.asarray(spectral.resample(u, m))
    y = np.fft.rfft2(u)
    for axis, (a, b) in enumerate(zip(n, m)):
        make = spectral.pad if b >= a else spectral.truncate
        shape = tuple(m[:axis]) + tuple(n[axis:])
        y = np.asarray(make(y, (b, shape[1]) if axis == 0 else (shape[0], b), n=shape))
    close(y, np.fft.rfft2(want), 1e-13)
    close(np.fft.irfft2(y, m), want, 1e-14)
    full = spectral.resample(u + 0j, m)
    close(want, np.real(full), 1e-14)
    close(np.imag(full), np.zeros(m), 1e-14)


def test_spectra_that_do_not_fit_are_named():
    with pytest.raises(ArgumentError, match="pad: cannot make .4,. points .3,.; use truncate"):
        spectral.pad(np.ones(4), 3)
    with pytest.raises(ShapeError, match="axis -1 of the spectrum has 4 elements, but n=9 points have 9, or 5"):
        spectral.pad(np.ones(4), 12, n=9)
    with pytest.raises(ArgumentError, match="norm must be one of"):
        spectral.truncate(np.ones(4), 3, norm="unitary")
    with pytest.raises(ArgumentError, match="s has 2 items for 1 axes"):
        spectral.truncate(np.ones((4, 4)), (3, 3), axes=1)


# --- aliases -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 7, 8, 9, 12, 15, 32])
def test_the_two_thirds_rule_cuts_exactly(n):
    keep = 3 * np.abs(np.fft.fftfreq(n, 1 / n)) < n
    close(spectral.dealias(np.ones(n)), keep, 0.0)
    close(spectral.dealias(np.ones(n // 2 + 1), n=n), keep[: n // 2 + 1], 0.0)
    close(spectral.dealias(np.ones(n), "1/2"), 4 * np.abs(np.fft.fftfreq(n, 1 / n)) < n, 0.0)
    rng = np.random.default_rng(n)
    u, v = (np.fft.ifft(np.asarray(spectral.dealias(np.fft.fft(w)))) for w in rng.normal(size=(2, n)))
    true = np.convolve(series(u), series(v))
    want = np.fft.fft(at_points(true, circle(4 * n)))
    got = spectral.dealias(np.fft.fft(u * v))
    close(got, np.asarray(spectral.dealias(np.asarray(spectral.truncate(want, n)))), 64 * EPS * n)


def test_rules_that_are_none():
    for rule in ("two thirds", 0, 1.5, "1/0", math.inf):
        with pytest.raises(ArgumentError, match="dealias: rule must be a"):
            spectral.dealias(np.ones(4), rule)
    with pytest.raises(ArgumentTypeError, match="dealias: rule must be a fraction"):
        spectral.dealias(np.ones(4), None)


@pytest.mark.parametrize("n", range(1, 14))
def test_products_of_two_are_exact(n):
    rng = np.random.default_rng(n)
    u, v = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))
    want = at_points(kept(np.convolve(series(u), series(v)), n), circle(n))
    close(spectral.dealiased_product(u, v), want, 64 * EPS * n)
    real = at_points(kept(np.convolve(series(u.real), series(v.real)), n), circle(n))
    close(spectral.dealiased_product(u.real, v.real), real.real, 64 * EPS * n)
    close(np.imag(real), np.zeros(n), 64 * EPS * n)
    close(spectral.dealiased_product(u.real, v), np.asarray(spectral.dealiased_product(u.real + 0j, v)), 64 * EPS * n)


@pytest.mark.parametrize("shape", [(6, 8), (5, 4), (9, 7)])
def test_products_of_planes_are_exact(shape):
    u, v = np.random.default_rng(5).normal(size=(2, *shape))
    fine = tuple(4 * n + 1 for n in shape)  # holds every frequency of the product
    wide = np.asarray(spectral.resample(u, fine)) * np.asarray(spectral.resample(v, fine))
    close(spectral.dealiased_product(u, v), spectral.resample(wide, shape), 1e-13)
    square = np.asarray(spectral.dealiased_product(u, u))
    close(square, spectral.dealiased_product(u, u.copy()), 1e-15)
    energy = np.mean(np.asarray(spectral.resample(u, fine)) ** 2)
    close(np.mean(square), energy, 1e-14)  # the mean of the square is conserved


def test_fields_of_other_grids_are_named():
    with pytest.raises(ShapeError, match="dealiased_product: shapes .4,. and .6,. differ along the axes"):
        spectral.dealiased_product(np.ones(4), np.ones(6))


# --- filters -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 8, 9])
def test_filters_have_their_closed_forms(n):
    eta = np.abs(np.fft.fftfreq(n, 1 / n)) / (n / 2)
    u = np.random.default_rng(n).normal(size=n)
    factors = {
        ("exponential", 8): np.exp(np.log(EPS) * eta**8),
        ("lanczos", 1): np.sinc(eta),
        ("raised_cosine", 1): (1 + np.cos(np.pi * eta)) / 2,
        ("gaussian", 3): np.exp(-4.5 * eta**2),
        ("vandeven", 2): 1 - eta**2 * (3 - 2 * eta),
        ("vandeven", 3): 1 - eta**3 * (10 - 15 * eta + 6 * eta**2),
    }
    for (kind, order), factor in factors.items():
        want = np.fft.ifft(np.fft.fft(u) * factor)
        close(spectral.filter(u, kind, order), want.real, 32 * EPS)
        close(spectral.filter(u * 1j, kind, order), want * 1j, 32 * EPS)
    both = spectral.filter(np.outer(u, u), "lanczos")
    one = np.asarray(spectral.filter(u, "lanczos"))
    close(both, np.outer(one, one), 64 * EPS)


def test_filters_that_are_none():
    with pytest.raises(ArgumentError, match="filter: kind must be one of 'exponential'"):
        spectral.filter(np.ones(4), "box")
    with pytest.raises(ArgumentError, match="filter: order must be positive"):
        spectral.filter(np.ones(4), order=-1)
    with pytest.raises(ArgumentTypeError, match="filter: order must be a number"):
        spectral.filter(np.ones(4), order="high")


# --- convolution ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_sums_are_those_of_scipy(mode, kind):
    rng = np.random.default_rng(0)
    for n, m in itertools.product((1, 2, 3, 5, 8), repeat=2):
        a, b = rng.normal(size=n), rng.normal(size=m)
        if kind == "complex":
            a, b = a + 1j * rng.normal(size=n), b + 1j * rng.normal(size=m)
        size = 8 * EPS * np.linalg.norm(a) * np.linalg.norm(b)
        want = scipy.signal.convolve(a, b, mode, "direct")
        got = spectral.convolve(a, b, mode)
        assert got.dtype == want.dtype
        close(got, want, size)
        close(spectral.correlate(a, b, mode), scipy.signal.correlate(a, b, mode, "direct"), size)


def test_sums_along_some_axes():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 5, 4)), rng.normal(size=(1, 2, 6))
    for mode in ("full", "same"):
        close(spectral.convolve(a, b, mode), scipy.signal.fftconvolve(a, b, mode), 1e-13)
        close(spectral.convolve(a, b, mode, axes=(1, 2)), scipy.signal.fftconvolve(a, b, mode, axes=(1, 2)), 1e-13)
        close(spectral.correlate(a, b, mode), scipy.signal.correlate(a, b, mode, "direct"), 1e-13)
    single = spectral.convolve(a.astype(np.float32), b.astype(np.float32))
    assert single.dtype == np.float32
    assert spectral.convolve([1, 2], [1, 1]).dtype == np.float64


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_sums_over_periods(n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))
    shifts = (np.arange(n)[:, None] - np.arange(n)) % n
    close(spectral.convolve(a, b, "circular"), a[shifts] @ b, 64 * EPS)
    close(spectral.correlate(a, b, "circular"), a[(np.arange(n)[:, None] + np.arange(n)) % n] @ b.conj(), 64 * EPS)
    close(spectral.convolve(a.real, b.real, "circular"), a.real[shifts] @ b.real, 64 * EPS)


def test_sums_differentiate_as_the_direct_ones():
    rng = np.random.default_rng(2)
    a, b, w = rng.normal(size=5), rng.normal(size=3), rng.normal(size=7)
    got = ad.grad(lambda x, y: ss.sum(w * spectral.convolve(x, y)), (0, 1))(a, b)
    close(got[0], np.correlate(w, b, "valid"), 1e-14)
    close(got[1], np.correlate(w, a, "valid"), 1e-14)


def test_sums_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match="convolve: a has 1 axes and b has 2"):
        spectral.convolve(np.ones(3), np.ones((3, 3)))
    with pytest.raises(ArgumentError, match="correlate: mode must be one of"):
        spectral.correlate(np.ones(3), np.ones(3), "periodic")
    with pytest.raises(ShapeError, match="in mode 'valid' one operand"):
        spectral.convolve(np.ones((3, 5)), np.ones((5, 3)), "valid")
    with pytest.raises(ShapeError, match="do not broadcast along axis -2"):
        spectral.convolve(np.ones((3, 5)), np.ones((2, 5)), axes=-1)
    with pytest.raises(ShapeError, match="convolve: shapes .3,. and .4,. differ"):
        spectral.convolve(np.ones(3), np.ones(4), "circular")


# --- interpolation -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["direct", "nufft"])
@pytest.mark.parametrize("n", [1, 2, 3, 6, 7])
def test_interpolation_anywhere(n, method):
    rng = np.random.default_rng(n)
    u, x = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n)), rng.uniform(-9, 9, (3, 2))
    want = at_points(series(u), x.ravel()).reshape(2, 3, 2)
    close(spectral.interpolate(u, x, method=method), want, 1e-13)
    real = at_points(series(u.real), x.ravel()).real.reshape(2, 3, 2)
    close(spectral.interpolate(u.real, x, method=method), real, 1e-13)
    close(spectral.interpolate(u.real.T, x / (2 * np.pi), 0, 1.0, method=method), real, 1e-13)


@pytest.mark.parametrize("method", ["direct", "nufft"])
@pytest.mark.parametrize("shape", [(4, 5), (5, 6), (6, 4)])
def test_interpolation_in_planes(shape, method):
    rng = np.random.default_rng(7)
    u, points = rng.normal(size=shape), rng.uniform(0, 7, (5, 2))
    c = series(series(u, 0), 1)
    k, q = (np.arange(m) - m // 2 for m in c.shape)
    want = [np.exp(1j * k * x) @ c @ np.exp(1j * q * y) for x, y in points]
    close(spectral.interpolate(u, points, (0, 1), method=method), np.real(want), 1e-13)
    close(spectral.interpolate(u.T, points, (1, 0), method=method), np.real(want), 1e-13)
    close(spectral.interpolate(u + 0j, points[0], (0, 1), method=method), want[0], 1e-13)


def test_interpolants_differentiate_in_their_points():
    u = np.random.default_rng(8).normal(size=9)
    slope = ss.vmap(ad.grad(lambda p: spectral.interpolate(u, p)))(circle(9))
    close(slope, spectral.derivative(u), 1e-13)
    many = spectral.interpolate(np.sin(circle(64)), np.linspace(0, 6, 1000))  # a non-uniform transform
    close(many, np.sin(np.linspace(0, 6, 1000)), 1e-12)


def test_points_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match=r"points have shape .3,.; for 2 axes it must be \(..., 2\)"):
        spectral.interpolate(np.ones((4, 4)), np.ones(3), (0, 1))


def test_lengths_that_are_fast():
    assert [ss.fft.next_fast_len(n) for n in (1, 13, 97, 121)] == [1, 14, 98, 121]
    assert [ss.fft.next_fast_len(n, real=True) for n in (1, 7, 97, 121)] == [1, 8, 100, 125]
    with pytest.raises(ArgumentError, match="next_fast_len: target must be at least 1"):
        ss.fft.next_fast_len(0)
