"""Derivatives of periodic fields: closed forms, the Nyquist frequency, and the operators made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.avals import aval
from scisim.core.capture import capture
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.tensor import unwrap, wrap
from scisim.fft import spectral
from scisim.fft.spectral._constants import CONSTANTS

EPS = np.finfo(float).eps


def circle(n: int, period: float = 2 * math.pi) -> np.ndarray:
    return np.arange(n) * (period / n)


def close(got, want, atol: float) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=0.0, atol=atol)


# --- derivative ----------------------------------------------------------------------------------------------
def of_exp_sin(x: np.ndarray) -> list[np.ndarray]:
    """exp(sin x) and its first four derivatives."""
    s, c = np.sin(x), np.cos(x)
    factors = [1.0, c, c**2 - s, c**3 - 3 * s * c - c, c**4 - 6 * s * c**2 - 4 * c**2 + 3 * s**2 + s]
    return [f * np.exp(s) for f in factors]


@pytest.mark.parametrize("n", [32, 33, 48])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_smooth_functions_have_derivatives_to_rounding(n, order):
    values = of_exp_sin(circle(n))
    close(spectral.derivative(values[0], order), values[order], 4 * EPS * (n / 2) ** order)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("order", range(-3, 6))
def test_every_frequency_that_a_grid_holds(n, order):
    x = circle(n)
    for k in range((n - 1) // 2 + 1):
        want = np.zeros(n) if k == 0 else (1j * k) ** order * np.exp(1j * k * x)
        if k == 0 and order == 0:
            want = np.ones(n)
        scale = 16 * EPS * max(1.0, (n / 2) ** order)
        close(spectral.derivative(np.exp(1j * k * x), order), want, scale)
        close(spectral.derivative(np.cos(k * x), order), want.real, scale)


@pytest.mark.parametrize("n", [2, 4, 8])
def test_the_nyquist_frequency_is_a_cosine(n):
    wave = np.cos(n // 2 * circle(n))
    for order in (1, 3, 5):
        close(spectral.derivative(wave, order), np.zeros(n), 0.0)
        close(spectral.derivative(wave + 0j, order), np.zeros(n), 0.0)
    for order in (2, 4, -2):
        want = (1j * n / 2) ** order * wave
        close(spectral.derivative(wave, order), want.real, 8 * EPS * abs(n / 2) ** order)
        close(spectral.derivative(wave + 0j, order), want, 8 * EPS * abs(n / 2) ** order)
    twice = spectral.derivative(spectral.derivative(wave))
    close(twice, np.zeros(n), 0.0)  # which is not the second derivative


@pytest.mark.parametrize("order", [0.5, 1.5, -0.5])
def test_fractional_orders(order):
    x = circle(16)
    want = 3.0**order * np.sin(3 * x + math.pi / 2 * order)
    close(spectral.derivative(np.sin(3 * x), order), want, 4 * EPS * 8.0 ** max(order, 1.0))
    half = spectral.derivative(spectral.derivative(np.sin(3 * x), order), 2 - order)
    close(half, -9 * np.sin(3 * x), 512 * EPS)
    nyquist = np.cos(8 * x)
    close(spectral.derivative(nyquist, order), 8.0**order * math.cos(math.pi / 2 * order) * nyquist, 64 * EPS)


@pytest.mark.parametrize("n", [7, 8])
def test_integrals_lose_the_mean(n):
    x = circle(n)
    close(spectral.derivative(3.0 + np.cos(2 * x), -1), np.sin(2 * x) / 2, 8 * EPS)
    u = np.random.default_rng(0).normal(size=n)
    free = (
        np.asarray(spectral.resample(u, n - 1 + n % 2))
        if n % 2
        else u - np.fft.fft(u)[n // 2].real / n * (-1) ** np.arange(n)
    )
    close(spectral.derivative(spectral.derivative(free, -1)), free - free.mean(), 64 * EPS)


def test_axes_periods_and_dtypes():
    x = circle(9, 3.0)
    u = np.stack([np.sin(2 * np.pi * x / 3), np.cos(2 * np.pi * x / 3)], 1)
    want = np.stack([np.cos(2 * np.pi * x / 3), -np.sin(2 * np.pi * x / 3)], 1) * (2 * np.pi / 3)
    close(spectral.derivative(u, axis=0, period=3.0), want, 32 * EPS)
    single = spectral.derivative(u.astype(np.float32), axis=-2, period=3)
    assert single.dtype == np.float32
    close(single, want, 1e-5)
    assert spectral.derivative(np.arange(4)).dtype == np.float64
    assert spectral.derivative(u.astype(np.complex64), axis=0).dtype == np.complex64
    assert spectral.derivative(np.ones(3, np.float16), 0).dtype == np.float32


def test_arguments_of_every_kind_of_container():
    u = np.random.default_rng(6).normal(size=(4, 6))
    want = np.asarray(spectral.laplacian(u, axes=(0, 1), periods=(1.0, 2.0)))
    for axes, periods in (
        ([0, 1], [1, 2]),
        (np.array([-2, 1]), np.array([1.0, 2.0])),
        ((0, 1), ss.asarray([1.0, 2.0])),
    ):
        close(spectral.laplacian(u, axes=axes, periods=periods), want, 0.0)
    close(
        spectral.derivative(u.tolist(), np.int64(1), np.int64(0), np.float64(3)), spectral.derivative(u, 1, 0, 3.0), 0.0
    )


def test_dense_matrices_are_the_derivative_and_its_adjoint():
    for n in (1, 2, 5, 6):
        for order in (1, 2, 3):
            dense = np.asarray(ss.vmap(lambda u, p=order: spectral.derivative(u, p))(np.eye(n))).T
            ct = np.random.default_rng(n).normal(size=n)
            u = np.random.default_rng(n + 1).normal(size=n)
            close(ad.vjp(lambda v, p=order: spectral.derivative(v, p), u)[1](ct)[0], dense.T @ ct, 64 * EPS * n**order)
            close(spectral.derivative(u, order), dense @ u, 64 * EPS * n**order)


def test_compiled_derivatives_are_the_same():
    u = np.random.default_rng(1).normal(size=(3, 12))
    f = lambda v: spectral.derivative(v * v, 2, axis=0) + spectral.laplacian(v)
    close(ss.jit(f)(u), f(ss.asarray(u)), 1e-12)
    loss = lambda v: ss.sum(f(v) ** 2)
    close(ss.jit(ad.grad(loss))(u), ad.grad(loss)(u), 1e-9)


def test_bad_arguments_are_named():
    with pytest.raises(ShapeError, match="derivative: x is a scalar"):
        spectral.derivative(1.0)
    with pytest.raises(ArgumentError, match="derivative: axis 2 is out of range"):
        spectral.derivative(np.ones(3), axis=2)
    with pytest.raises(ArgumentError, match="derivative: axis -1 of shape .2, 0. is empty"):
        spectral.derivative(np.ones((2, 0)))
    with pytest.raises(ArgumentError, match="period must be positive"):
        spectral.derivative(np.ones(3), period=-1.0)
    with pytest.raises(ArgumentTypeError, match="period must be a real number"):
        spectral.derivative(np.ones(3), period="1")
    with pytest.raises(ArgumentTypeError, match="order must be a real number"):
        spectral.derivative(np.ones(3), 1j)
    with pytest.raises(ArgumentError, match="order must be a number from"):
        spectral.derivative(np.ones(3), math.nan)
    with pytest.raises(ArgumentTypeError, match="the grid is fixed"):
        ad.grad(lambda p: ss.sum(spectral.derivative(ss.ones(4), period=p)))(1.0)
    with pytest.raises(ArgumentTypeError, match="each of periods is a value of a transformation"):
        ad.grad(lambda p: ss.sum(spectral.laplacian(ss.ones((4, 4)), periods=(p, 1.0))))(1.0)
    with pytest.raises(ArgumentTypeError, match="order must be a real number"):
        ad.grad(lambda p: ss.sum(spectral.derivative(ss.ones(4), p)))(1.0)
    with pytest.raises(DTypeError, match="bfloat16"):
        spectral.derivative(ss.ones(4, "bfloat16"))


# --- fields --------------------------------------------------------------------------------------------------
def box(*lengths: int, periods=None) -> list[np.ndarray]:
    periods = periods or (2 * math.pi,) * len(lengths)
    return np.meshgrid(*(circle(n, p) for n, p in zip(lengths, periods)), indexing="ij")


def test_gradient_divergence_and_laplacian_of_a_box():
    x, y = box(12, 15, periods=(2.0, 5.0))
    a, b = math.pi, 2 * math.pi / 5
    u = np.sin(a * x) * np.cos(2 * b * y)
    g = spectral.gradient(u, periods=(2.0, 5.0))
    close(g[0], a * np.cos(a * x) * np.cos(2 * b * y), 1e-13)
    close(g[1], -2 * b * np.sin(a * x) * np.sin(2 * b * y), 1e-13)
    want = -(a**2 + 4 * b**2) * u
    close(spectral.laplacian(u, periods=(2.0, 5.0)), want, 1e-12)
    close(spectral.divergence(g, periods=(2.0, 5.0)), want, 1e-12)
    highest = (6 * a) ** 2 + (7 * b) ** 2
    close(spectral.biharmonic(u, periods=(2.0, 5.0)), (a**2 + 4 * b**2) ** 2 * u, EPS * highest**2)
    close(spectral.laplacian(u + 1j * u, periods=(2.0, 5.0)), want * (1 + 1j), 1e-12)


def test_axes_in_any_order_and_batches():
    x, y = box(6, 8)
    u = np.stack([np.sin(x + 2 * y), np.cos(x)], -1)
    swapped = spectral.gradient(u, axes=(1, 0), periods=(4 * np.pi, 2 * np.pi), component=-1)
    assert swapped.shape == (6, 8, 2, 2)
    close(swapped[..., 0, 0], np.cos(x + 2 * y), 1e-13)  # twice the period, half the slope
    close(swapped[..., 1, 1], -np.sin(x), 1e-13)
    back = spectral.divergence(swapped, axes=(1, 0), periods=(4 * np.pi, 2 * np.pi), component=-1)
    close(back[..., 0], -2 * np.sin(x + 2 * y), 1e-13)


def test_the_laplacian_is_the_sum_of_second_derivatives_at_the_nyquist_frequency_too():
    u = np.random.default_rng(2).normal(size=(4, 6))
    want = spectral.derivative(u, 2, 0) + spectral.derivative(u, 2, 1)
    close(spectral.laplacian(u), want, 1e-13)
    nyquist = np.cos(2 * circle(4))
    close(spectral.divergence(spectral.gradient(nyquist)), np.zeros(4), 0.0)
    close(spectral.laplacian(nyquist), -4 * nyquist, 1e-14)


def test_curl_in_two_and_three_dimensions():
    x, y, z = box(6, 8, 7)
    v = np.stack([np.sin(y), np.sin(2 * z), np.sin(x)])
    want = np.stack([-2 * np.cos(2 * z), -np.cos(x), -np.cos(y)])
    close(spectral.curl(v), want, 1e-13)
    close(spectral.curl(np.moveaxis(v, 0, -1), component=-1), np.moveaxis(want, 0, -1), 1e-13)
    close(spectral.curl(v[:2, :, :, 0], axes=(0, 1)), -np.cos(y[:, :, 0]), 1e-13)
    close(
        spectral.divergence(spectral.curl(np.random.default_rng(3).normal(size=(3, 4, 5, 6)))),
        np.zeros((4, 5, 6)),
        1e-12,
    )
    close(
        spectral.curl(spectral.gradient(np.random.default_rng(4).normal(size=(4, 5, 6)))), np.zeros((3, 4, 5, 6)), 1e-12
    )


def test_fields_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match="divergence: v has 2 components for 3 axes"):
        spectral.divergence(np.ones((2, 4, 4, 4)))
    with pytest.raises(ShapeError, match="curl: v has 4 components"):
        spectral.curl(np.ones((4, 4, 4)))
    with pytest.raises(ShapeError, match="a vector field has an axis of components"):
        spectral.divergence(np.ones(3))
    with pytest.raises(ArgumentError, match="periods has 3 items for 2 axes"):
        spectral.laplacian(np.ones((4, 4)), periods=(1.0, 2.0, 3.0))
    with pytest.raises(ArgumentError, match="names an axis twice"):
        spectral.gradient(np.ones((4, 4)), axes=(0, -2))
    with pytest.raises(ArgumentError, match="axes is empty"):
        spectral.gradient(np.ones((4, 4)), axes=())


def test_constants_are_kept_read_only_and_bounded():
    spectral.laplacian(np.ones((4, 4)))
    held = [a for a, _ in CONSTANTS._held.values()]
    assert held
    assert not any(a.flags.writeable for a in held)
    assert CONSTANTS.info().bytes <= CONSTANTS.limit


@pytest.mark.parametrize(("kind", "names"), [("f", ["rfft", "mul", "irfft"]), ("c", ["fft", "mul", "fft"])])
def test_operators_are_two_transforms_and_one_product(kind, names):
    u = np.random.default_rng(9).normal(size=(4, 6)).astype(np.dtype(f"{kind}{8 if kind == 'f' else 16}"))
    operators = (
        spectral.derivative,
        spectral.laplacian,
        spectral.poisson,
        lambda v: spectral.helmholtz(v, -1.0),
        spectral.filter,
    )
    for f in operators:
        graph = capture(lambda v, f=f: [unwrap(f(wrap(v)))], [aval(u)])
        assert [equation.prim.name for equation in graph.equations] == names
