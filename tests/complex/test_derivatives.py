"""Derivatives in a complex variable against closed forms, and the refusal of what is not holomorphic."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc
from scisim.core.errors import DerivativeError, DTypeError, ShapeError

EPS = np.finfo(float).eps
Z = np.array([0.3 + 0.2j, 2.0 - 1.1j, -0.5 + 1.5j])
HOLOMORPHIC = {
    "exp": (ss.exp, np.exp),
    "sin": (ss.sin, np.cos),
    "log": (ss.log, lambda z: 1 / z),
    "sqrt": (ss.sqrt, lambda z: 0.5 / np.sqrt(z)),
    "tanh": (ss.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "atan": (ss.atan, lambda z: 1 / (1 + z * z)),
    "cube": (lambda z: z**3, lambda z: 3 * z**2),
    "power": (lambda z: z**2.5, lambda z: 2.5 * z**1.5),
    "inverse": (lambda z: 1 / z, lambda z: -1 / z**2),
    "fft_of_both": (lambda z: ss.fft.ifft(ss.fft.fft(z) * 2.0), lambda z: 2.0 + 0 * z),
}


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_holomorphic_functions(name):
    f, derivative = HOLOMORPHIC[name]
    want = derivative(Z)
    tolerance = {"rtol": 64 * EPS, "atol": 16 * EPS}
    np.testing.assert_allclose(sc.holomorphic(f)(Z).numpy(), want, **tolerance)
    np.testing.assert_allclose(ss.jit(sc.holomorphic(f))(Z).numpy(), want, **tolerance)
    d, bar = sc.wirtinger(f)(Z)
    np.testing.assert_allclose(d.numpy(), want, **tolerance)
    np.testing.assert_allclose(bar.numpy(), 0.0 * Z, atol=64 * EPS * np.abs(want).max())


@pytest.mark.parametrize(
    ("f", "d", "bar"),
    [
        (lambda z: z * ss.conj(z), np.conj, lambda z: z),
        (ss.real, lambda z: 0.5 + 0 * z, lambda z: 0.5 + 0 * z),
        (ss.imag, lambda z: -0.5j + 0 * z, lambda z: 0.5j + 0 * z),
        (ss.abs, lambda z: np.conj(z) / (2 * np.abs(z)), lambda z: z / (2 * np.abs(z))),
        (lambda z: ss.conj(z) ** 2, lambda z: 0 * z, lambda z: 2 * np.conj(z)),
        (ss.angle, lambda z: -0.5j / z, lambda z: 0.5j / np.conj(z)),
    ],
)
def test_wirtinger_pairs(f, d, bar):
    got = sc.wirtinger(f)(Z)
    for a, b in zip(got, (d(Z), bar(Z)), strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=32 * EPS, atol=16 * EPS)


def test_steepest_ascent_is_twice_the_second():
    f = lambda z: ss.abs(z) ** 2 + ss.real(z * z)
    g = ad.grad(f)(Z[0])
    np.testing.assert_allclose(complex(g), 2 * complex(sc.wirtinger(f)(Z[0])[1]), rtol=16 * EPS)


REFUSED = {
    "conj": (ss.conj, "complex conjugates"),
    "real": (ss.real, "real parts"),
    "imag": (ss.imag, "imaginary parts"),
    "abs": (ss.abs, r"real parts \(also within abs"),
    "angle": (ss.angle, r"imaginary parts \(also within abs, angle"),
    "sign": (lambda z: z * ss.sign(z), "real parts"),
    "rebuilt": (lambda z: ss.real(z) + 1j * ss.imag(z), "real parts"),
    "irfft": (lambda z: ss.fft.irfft(z, n=3) * z, "the operation 'irfft'"),
    "loop": (lambda z: ss.fori_loop(0, 2, lambda i, w: ss.conj(w) * z, z), "complex conjugates"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_holomorphic_is_refused_by_name(name):
    f, what = REFUSED[name]
    with pytest.raises(DerivativeError, match=f"is not holomorphic: it takes {what}.*complex.wirtinger"):
        sc.holomorphic(f)(Z)
    with pytest.raises(DerivativeError, match=what):
        ss.jit(sc.holomorphic(f))(Z)


def test_branches_may_look_at_the_modulus():
    got = sc.holomorphic(lambda z: ss.where(ss.abs(z) > 1, z * z, z))(Z).numpy()
    np.testing.assert_array_equal(got, np.where(np.abs(Z) > 1, 2 * Z, 1.0))
    assert complex(sc.holomorphic(lambda z: z if abs(z) > 1 else z * z)(0.25j)) == 0.5j


def test_holomorphic_nests_and_goes_through_loops_and_maps():
    np.testing.assert_allclose(complex(sc.holomorphic(sc.holomorphic(ss.sin))(0.5j)), -np.sin(0.5j), rtol=8 * EPS)
    power = sc.holomorphic(lambda z: ss.fori_loop(0, 3, lambda i, w: w * z, z))
    assert complex(power(2 + 1j)) == 4 * (2 + 1j) ** 3
    np.testing.assert_array_equal(ss.vmap(sc.holomorphic(ss.exp))(Z).numpy(), sc.holomorphic(ss.exp)(Z).numpy())
    g = ad.grad(lambda z: ss.abs(sc.holomorphic(ss.exp)(z)))(1 + 1j)
    np.testing.assert_allclose(complex(g), np.e, rtol=8 * EPS)  # |exp z| = exp(Re z)


def test_further_arguments_results_in_containers_and_constants():
    f = lambda z, c: {"square": c * z * z, "one": ss.ones_like(z)}
    got = sc.holomorphic(f)(Z, 3.0)
    np.testing.assert_allclose(got["square"].numpy(), 6.0 * Z, rtol=4 * EPS)
    np.testing.assert_array_equal(got["one"].numpy(), 0.0 * Z)
    assert sc.wirtinger(ss.exp)(np.float32(0.0))[0].dtype == np.complex64
    assert sc.holomorphic(ss.exp)(0).dtype == np.complex128


def test_misuse_is_explained():
    for transform in (sc.wirtinger, sc.holomorphic):
        with pytest.raises(ShapeError, match=r"sum must act elementwise, but takes shape \(3,\) to \(\)"):
            transform(ss.sum)(Z)
        with pytest.raises(DTypeError, match="z has dtype bool; pass complex numbers"):
            transform(ss.exp)(True)
