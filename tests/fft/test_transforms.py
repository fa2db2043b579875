"""Fourier transforms against the matrices that define them, forwards and as adjoints, and against NumPy."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError

EPS = np.finfo(float).eps
LENGTHS = [1, 2, 5, 6, 7, 8]
NORMS = ["backward", "ortho", "forward"]
ONE_AXIS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2"]


def _columns(f, size, units):
    """The matrix of a real-linear function, one column for each real direction, results as pairs of reals."""
    basis = [u * e for u in units for e in np.eye(size)]
    return np.array([np.concatenate([np.real(y), np.imag(y)]) for y in map(f, basis)]).T


def _dense(name, size, **kwargs):
    units = [1.0] if name in ("rfft", "ihfft") else [1.0, 1.0j]
    return _columns(lambda e: getattr(np.fft, name)(e, **kwargs), size, units)


# --- values and adjoints -----------------------------------------------------------------------------------
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("size", [1, 2, 5, 6])
@pytest.mark.parametrize("name", ONE_AXIS)
def test_transform_and_adjoint_are_those_of_the_dense_matrix(rng, name, size, n, norm):
    """Cropped (n < size) and filled up (n > size) too; the gradient keeps the input's length."""
    f = getattr(ss.fft, name)
    real = name in ("rfft", "ihfft")
    x = rng.normal(size=size) if real else rng.normal(size=size) + 1j * rng.normal(size=size)
    want = getattr(np.fft, name)(x, n=n, norm=norm)
    weight = rng.normal(size=want.shape) + (1j * rng.normal(size=want.shape) if np.iscomplexobj(want) else 0)

    def loss(x):
        return ss.sum(ss.real(ss.conj(weight) * f(x, n=n, norm=norm)))

    scale = size * n * EPS * np.abs(want).max(initial=1.0)
    np.testing.assert_allclose(f(x, n=n, norm=norm).numpy(), want, atol=8 * scale)
    rows = _dense(name, size, n=n, norm=norm).T @ np.concatenate([weight.real, weight.imag])
    adjoint = rows if real else rows[:size] + 1j * rows[size:]
    got = ad.grad(loss)(x)
    assert got.shape == x.shape
    np.testing.assert_allclose(got.numpy(), adjoint, atol=64 * EPS * max(n, 1) * np.abs(adjoint).max(initial=1.0))


@pytest.mark.parametrize("n", LENGTHS)
def test_elements_that_belong_to_no_real_signal_have_gradient_zero(rng, n):
    """Im(DC), Im(Nyquist) for even n: the gradient is exactly 0, as they are not read."""
    m = n // 2 + 1
    z = rng.normal(size=m) + 1j * rng.normal(size=m)
    g = ad.grad(lambda z: ss.sum(ss.fft.irfft(z, n=n) ** 2))(z).numpy()
    assert g[0].imag == 0.0
    if n % 2 == 0:
        assert g[-1].imag == 0.0
    changed = z + 1j * np.eye(m)[0]
    np.testing.assert_array_equal(ss.fft.irfft(z, n=n).numpy(), ss.fft.irfft(changed, n=n).numpy())


@pytest.mark.parametrize("n", LENGTHS)
def test_irfft_of_rfft_keeps_the_length_it_is_told(rng, n):
    x = rng.normal(size=(3, n))
    y = ss.fft.irfft(ss.fft.rfft(x), n=n)
    np.testing.assert_allclose(y.numpy(), x, atol=16 * EPS * np.abs(x).max())
    np.testing.assert_allclose(ad.grad(lambda x: ss.sum(ss.fft.irfft(ss.fft.rfft(x), n=n) ** 2))(x).numpy(), 2 * x)
    assert ss.fft.irfft(ss.fft.rfft(ss.ones(7))).shape == (6,)  # as documented: without n the length is even


@pytest.mark.parametrize("norm", [*NORMS, None])
@pytest.mark.parametrize("kind", ["float64", "float32", "complex64", "int64"])
@pytest.mark.parametrize("name", [*ONE_AXIS, *SEVERAL])
def test_values_shapes_and_dtypes_are_numpys(rng, name, kind, norm):
    if name in ("rfft", "ihfft", "rfftn") and kind == "complex64":
        kind = "float32"  # these are for real input
    x = (10 * rng.normal(size=(3, 4, 5))).astype(kind)
    want = getattr(np.fft, name)(x, norm=norm)
    got = getattr(ss.fft, name)(x, norm=norm).numpy()
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    eps = np.finfo(want.dtype).eps
    np.testing.assert_allclose(got, want, atol=16 * eps * np.abs(want).max() * math.log2(x.size))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ONE_AXIS)
def test_any_axis(rng, name, axis):
    x = rng.normal(size=(4, 5, 6))
    np.testing.assert_allclose(
        getattr(ss.fft, name)(x, n=5, axis=axis).numpy(), getattr(np.fft, name)(x, n=5, axis=axis), atol=64 * EPS
    )


@pytest.mark.parametrize("s", [None, (3, 7), (6, 4)])
@pytest.mark.parametrize("axes", [(0, 1), (2, 0), (-1, 1)])
@pytest.mark.parametrize("name", SEVERAL)
def test_lengths_and_axes_of_several(rng, name, axes, s):
    x = rng.normal(size=(4, 5, 6))
    want = getattr(np.fft, name)(x, s=s, axes=axes)
    np.testing.assert_allclose(getattr(ss.fft, name)(x, s=s, axes=axes).numpy(), want, atol=256 * EPS)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_irfftn_leaves_its_input_untouched(rng, rank):
    z = rng.normal(size=(4,) * rank) + 1j * rng.normal(size=(4,) * rank)
    kept = z.copy()
    z.flags.writeable = False
    ss.fft.irfftn(z)
    ad.grad(lambda z: ss.sum(ss.fft.irfftn(z) ** 2))(z)
    np.testing.assert_array_equal(z, kept)


# --- in every mode -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [*ONE_AXIS, "fftn", "rfftn", "irfftn", "ifft2"])
def test_modes_agree(rng, name):
    f = getattr(ss.fft, name)
    x, v = rng.normal(size=(2, 3, 6))
    y = f(x).numpy()
    np.testing.assert_array_equal(ss.jit(f)(x).numpy(), y)
    if name in ONE_AXIS:
        np.testing.assert_array_equal(ss.vmap(f)(x).numpy(), y)
        np.testing.assert_array_equal(ss.jit(ss.vmap(f))(x).numpy(), y)
    value, tangent = ad.jvp(f, (x,), (v,))
    np.testing.assert_array_equal(value.numpy(), y)
    np.testing.assert_array_equal(tangent.numpy(), f(v).numpy())
    c = ad.taylor(lambda x: f(x * x), x, v, 3)
    np.testing.assert_allclose(c[2].numpy(), f(v * v).numpy(), atol=64 * EPS)
    assert not np.any(c[3].numpy())


def test_hessian_of_the_power_of_a_signal_is_parsevals():
    n = 5
    h = ad.hessian(lambda x: ss.sum(ss.abs(ss.fft.fft(x)) ** 2))(np.zeros(n)).numpy()
    np.testing.assert_allclose(h, 2 * n * np.eye(n), atol=32 * EPS)


def test_spectral_derivative_of_a_sine():
    n = 16
    x = 2 * math.pi * np.arange(n) / n
    k = 1j * 2 * math.pi * ss.fft.rfftfreq(n, d=2 * math.pi / n)
    d = ss.fft.irfft(k * ss.fft.rfft(np.sin(3 * x)), n=n)
    np.testing.assert_allclose(d.numpy(), 3 * np.cos(3 * x), atol=64 * EPS)


# --- frequencies -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("d", [1.0, 0.3])
def test_frequencies_are_numpys(n, d):
    np.testing.assert_array_equal(ss.fft.fftfreq(n, d).numpy(), np.fft.fftfreq(n, d))
    np.testing.assert_array_equal(ss.fft.rfftfreq(n, d).numpy(), np.fft.rfftfreq(n, d))


def test_frequencies_differentiate_in_the_distance():
    np.testing.assert_allclose(
        ad.jacobian(lambda d: ss.fft.fftfreq(4, d))(0.5).numpy(), -np.fft.fftfreq(4, 0.5) / 0.5, rtol=4 * EPS
    )


@pytest.mark.parametrize("axes", [None, 0, (0, 1)])
def test_shifts_are_numpys_and_inverse(rng, axes):
    x = rng.normal(size=(4, 5))
    np.testing.assert_array_equal(ss.fft.fftshift(x, axes).numpy(), np.fft.fftshift(x, axes))
    np.testing.assert_array_equal(ss.fft.ifftshift(ss.fft.fftshift(x, axes), axes).numpy(), x)


# --- errors ------------------------------------------------------------------------------------------------
ERRORS = [
    (lambda: ss.fft.fft(ss.ones(3), n=0), ArgumentError, "fft: the length must be at least 1, got n=0"),
    (lambda: ss.fft.rfft(ss.ones(3), n=-2), ArgumentError, "rfft: the length must be at least 1, got n=-2"),
    (lambda: ss.fft.fft(ss.ones(3), n=2.5), ArgumentTypeError, "fft: the length n must be an integer, got 2.5"),
    (lambda: ss.fft.fft(ss.ones(3), axis=1), ArgumentError, "fft: axis 1 is out of range for an array with 1 axes"),
    (lambda: ss.fft.rfft([1j, 2.0]), DTypeError, "rfft: x has dtype complex128, .* use fft"),
    (lambda: ss.fft.rfftn([1j, 2.0]), DTypeError, "rfftn: x has dtype complex128, .* use fftn"),
    (lambda: ss.fft.fft(1.0), ShapeError, "fft: x is a scalar"),
    (lambda: ss.fft.fft(ss.zeros((2, 0))), ArgumentError, r"fft: axis 1 of shape \(2, 0\) is empty"),
    (lambda: ss.fft.irfft([1.0]), ArgumentError, "irfft: a spectrum of one element .* say n=1"),
    (lambda: ss.fft.fft(ss.ones(3), norm="unit"), ArgumentError, "fft: norm must be 'backward', 'ortho' or 'forward'"),
    (lambda: ss.fft.fftn(ss.ones((2, 2)), axes=(0, -2)), ArgumentError, "names an axis twice"),
    (lambda: ss.fft.fftn(ss.ones((2, 2)), s=(2,), axes=(0, 1)), ArgumentError, "has 1 lengths for 2 axes"),
    (lambda: ss.fft.fftn(ss.ones((2, 2)), axes=()), ArgumentError, "axes is empty"),
    (lambda: ss.fft.fftfreq(0), ArgumentError, "fftfreq: n must be at least 1, got 0"),
    (lambda: ss.fft.rfftfreq(2.0), ArgumentTypeError, "rfftfreq: n must be an integer, got 2.0"),
    (lambda: ss.fft.fftshift(ss.ones(3), axes=1), ArgumentError, "fftshift: axis 1 is out of range"),
    (lambda: ss.jit(lambda n: ss.fft.fft(ss.ones(3), n=n))(4), ArgumentTypeError, "the length n must be an integer"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
