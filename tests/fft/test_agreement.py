"""Transforms beside SciPy's, and their adjoints beside dense matrices, for every kind of length, norm, axis."""

import functools
import itertools

import numpy as np
import pytest
import scipy.fft as sf

import scisim as ss
from scisim import autodiff as ad

NORMS = ["backward", "ortho", "forward"]
ONE_AXIS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
REAL_OPERAND = ("rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn")
PRIMES = [p for p in range(65, 1010) if all(p % q for q in range(2, 32))]
POWERS = [1 << k for k in range(7, 17)]


def operand(rng, name, shape, dtype="float64"):
    x = rng.normal(size=shape).astype(dtype)
    if name in REAL_OPERAND:
        return x
    return (x + 1j * rng.normal(size=shape)).astype(np.result_type(dtype, np.complex64))


def agrees(got, want, n):
    """To 20 eps log2(n), relative to the whole: the error of a transform is spread over all elements."""
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    error = np.linalg.norm(got.numpy() - want) / np.linalg.norm(want)
    assert error <= 20 * np.finfo(want.dtype).eps * np.log2(max(n, 2)), (n, error)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE_AXIS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_length(rng, name, dtype, norm):
    for n in [*range(1, 65), *PRIMES, *POWERS]:
        x = operand(rng, name, n // 2 + 1 if name in ("irfft", "hfft") else n, dtype)
        agrees(getattr(ss.fft, name)(x, n=n, norm=norm), getattr(sf, name)(x, n=n, norm=norm), n)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE_AXIS)
def test_cropping_and_filling_up_along_any_axis(rng, name, norm):
    for n, axis in itertools.product((1, 2, 3, 7, 8, 12, 13), (0, 1, 2, -2)):
        x = operand(rng, name, (6, 7, 5))
        agrees(getattr(ss.fft, name)(x, n=n, axis=axis, norm=norm), getattr(sf, name)(x, n=n, axis=axis, norm=norm), n)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
def test_several_axes(rng, name, norm):
    for shape, axes in [((4, 6, 5), a) for r in (1, 2, 3) for a in itertools.permutations(range(3), r)]:
        for s in (None, tuple(3 + 2 * k for k in range(len(axes)))):
            x = operand(rng, name, shape)
            want = getattr(sf, name)(x, s=s, axes=axes, norm=norm)
            agrees(getattr(ss.fft, name)(x, s=s, axes=axes, norm=norm), want, want.size)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"])
def test_planes(rng, name, norm):
    for shape, axes in (((3, 4, 5), (-2, -1)), ((64, 37), (0, 1)), ((16, 9, 11), (2, 0))):
        x = operand(rng, name, shape)
        want = getattr(sf, name)(x, axes=axes, norm=norm)
        agrees(getattr(ss.fft, name)(x, axes=axes, norm=norm), want, want.size)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", ">f8", "<c8"])
def test_other_dtypes_are_computed_in_the_next_that_engines_have(rng, dtype):
    x = (3 * rng.normal(size=(3, 6))).astype(dtype)
    want = np.fft.fft(x.astype(np.float32 if dtype == "float16" else x.dtype.newbyteorder("=")))
    got = ss.fft.fft(x)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.numpy(), want, atol=60 * np.finfo(want.dtype).eps * np.abs(want).max())


# --- adjoints ----------------------------------------------------------------------------------------------
@functools.cache
def matrix(name, size, n, norm):
    """The transform as a real matrix, from real and imaginary parts to real and imaginary parts."""
    units = [1.0] if name in REAL_OPERAND else [1.0, 1.0j]
    columns = [getattr(np.fft, name)(u * e, n=n, norm=norm) for u in units for e in np.eye(size)]
    return np.array([np.concatenate([c.real, c.imag]) for c in columns]).T


def split(z):
    return np.concatenate([np.real(z), np.imag(z)], axis=0)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 8, 15, 16])
@pytest.mark.parametrize("name", ONE_AXIS)
def test_adjoints_of_orders_one_and_two(rng, name, n, norm):
    """Of sizes below, at and above the length, along every axis: the gradient and the Hessian's product."""
    own = n // 2 + 1 if name in ("irfft", "hfft") else n
    for size, axis in itertools.product(sorted({max(own - 2, 1), own, own + 3}), (0, 1)):
        shape = (size, 3) if axis == 0 else (3, size)
        x, v = operand(rng, name, shape), operand(rng, name, shape)
        a = matrix(name, size, n, norm)
        f = functools.partial(getattr(ss.fft, name), n=n, axis=axis, norm=norm)
        y = f(x).numpy()
        w = rng.normal(size=y.shape)
        loss = lambda x, f=f, w=w: ss.sum(w * ss.abs(f(x)) ** 2)

        def lines(z, axis=axis):
            return split(np.moveaxis(z, axis, 0))

        weights = np.concatenate([np.moveaxis(w, axis, 0)] * 2)
        second = 2 * a.T @ (weights * (a @ (lines(v) if name not in REAL_OPERAND else np.moveaxis(v, axis, 0))))
        first = 2 * a.T @ (weights * (a @ (lines(x) if name not in REAL_OPERAND else np.moveaxis(x, axis, 0))))
        for want, got in ((first, ad.grad(loss)(x)), (second, ad.hvp(loss, x, v))):
            got = np.moveaxis(got.numpy(), axis, 0)
            got = got if name in REAL_OPERAND else split(got)
            np.testing.assert_allclose(got, want, rtol=0, atol=1e-12 * np.abs(want).max())


@pytest.mark.parametrize("name", ["fftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (-1, 0), (2, 1, 0)])
def test_adjoints_along_several_axes(rng, name, axes):
    """<w, A x> = <A^T w, x> for random x and w that belong to no signal."""
    x = operand(rng, name, (3, 4, 5))
    f = functools.partial(getattr(ss.fft, name), axes=axes, norm="ortho")
    y = f(x).numpy()
    w = rng.normal(size=y.shape) + (1j * rng.normal(size=y.shape) if np.iscomplexobj(y) else 0)
    g = ad.grad(lambda x: ss.sum(ss.real(np.conj(w) * f(x))))(x).numpy()
    left, right = np.sum((np.conj(w) * y).real), np.sum((np.conj(g) * x).real)
    assert abs(left - right) <= 1e-13 * np.linalg.norm(w) * np.linalg.norm(y)
    for at in [(0, 0, 0), (1, 2, 3), (2, 0, 1)]:
        for unit in (1.0,) if name in REAL_OPERAND else (1.0, 1.0j):
            e = np.zeros(x.shape, x.dtype)
            e[at] = unit
            want = np.sum((np.conj(w) * f(e).numpy()).real)
            assert abs((np.conj(g[at]) * unit).real - want) <= 1e-12 * max(np.abs(g).max(), 1.0)


# --- lengths kept ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(5,), (6,), (1,), (4, 7), (3, 5, 2)])
def test_a_signal_comes_back_with_its_lengths(rng, shape):
    x = rng.normal(size=shape)
    for axes in (None, -1, 0, tuple(range(len(shape)))[::-1]):
        y = ss.fft.rfftn(x, axes=axes)
        back = ss.fft.irfftn_like(y, x, axes)
        np.testing.assert_allclose(back.numpy(), x, atol=1e-14)
        np.testing.assert_allclose(ss.fft.irfftn_like(y, x.shape, axes).numpy(), x, atol=1e-14)
    g = ad.grad(lambda x: ss.sum(ss.fft.irfftn_like(ss.fft.rfftn(x), x) ** 2))(x)
    np.testing.assert_allclose(g.numpy(), 2 * x, atol=1e-14)


def test_a_spectrum_of_another_signal_is_refused():
    with pytest.raises(
        ss.errors.ShapeError, match="axis 0 of the spectrum has 4 elements, but a signal of length 5 has 3"
    ):
        ss.fft.irfftn_like(np.ones(4, complex), np.ones(5))
    with pytest.raises(ss.errors.ShapeError, match=r"shape \(4,\) is not that of a signal of shape \(2, 5\)"):
        ss.fft.irfftn_like(np.ones(4, complex), np.ones((2, 5)))


# --- what derivatives execute ------------------------------------------------------------------------------
@pytest.mark.parametrize("compiled", [False, True])
def test_a_gradient_executes_as_many_transforms_again_as_the_value(rng, counted, compiled):
    x = rng.normal(size=(8, 7))

    def loss(x):
        y = ss.fft.rfft2(x)
        z = ss.fft.irfft2(ss.exp(-ss.abs(y)) * y, s=x.shape)
        return ss.sum(ss.abs(ss.fft.fft(z * x, axis=0)) ** 2 + ss.real(ss.fft.ihfft(z, axis=0, n=14)) ** 2 * 0.5)

    f, g = loss, ad.value_and_grad(loss)
    if compiled:
        f, g = ss.jit(f), ss.jit(g)
        f(x), g(x)
    counted.clear()
    f(x)
    value = len(counted)
    counted.clear()
    g(x)
    assert value == 4
    assert len(counted) <= 2 * value
    counted.clear()
    ad.hvp(loss, x, x)
    assert len(counted) <= 4 * value


@pytest.fixture
def counted(monkeypatch):
    """The transforms that run, by the engine that runs them."""
    from scisim.fft.engines import registry

    calls = []

    class Counting:
        def __init__(self, engine):
            self.engine = engine

        def __getattr__(self, name):
            f = getattr(self.engine, name)
            return lambda *args: (calls.append(name), f(*args))[1]

    before = registry.chosen
    monkeypatch.setattr("scisim.fft.engines.chosen", lambda real, size: Counting(before(real, size)))
    monkeypatch.setattr("scisim.fft._lines.by_lines", lambda: None)  # native code would call the library itself
    return calls
