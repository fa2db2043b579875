"""Real functions of complex numbers: the gradient dL/dx + i dL/dy against differences, in every mode."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc

RNG = np.random.default_rng(3)
M = RNG.standard_normal((3, 3)) + 1j * RNG.standard_normal((3, 3))
Z = RNG.standard_normal(3) + 1j * RNG.standard_normal(3)


def assigned(z):
    w = ss.zeros(3, dtype="complex128")
    w[1] = z[0] * z[2]
    w[::2] = z[:2]
    return ss.sum(ss.abs(w) ** 2)


LOSSES = {
    "abs": lambda z: ss.sum(ss.abs(z)),
    "angle": lambda z: ss.sum(ss.angle(z)),
    "sign": lambda z: ss.sum(ss.real(ss.sign(z) * (1 + 2j))),
    "conj": lambda z: ss.real(ss.sum(z * ss.conj(z) * z)),
    "matmul": lambda z: ss.sum(ss.abs(M @ z) ** 2),
    "einsum": lambda z: ss.real(ss.einsum("i,ij,j", z, ss.Tensor(M), ss.conj(z))),
    "vecdot": lambda z: ss.real(ss.vecdot(z, ss.Tensor(M)[0] * z)),
    "solve": lambda z: ss.sum(ss.abs(ss.linalg.solve(ss.Tensor(M), z)) ** 2),
    "det": lambda z: ss.abs(ss.linalg.det(ss.Tensor(M) * z)),
    "norm": ss.linalg.norm,
    "fft": lambda z: ss.sum(ss.abs(ss.fft.fft(z)) ** 2 * ss.asarray([1.0, 2.0, 3.0])),
    "rfft": lambda z: ss.sum(ss.abs(ss.fft.rfft(ss.real(z))) ** 2),
    "irfft": lambda z: ss.sum(ss.fft.irfft(z, n=5) ** 3),
    "hfft": lambda z: ss.sum(ss.fft.hfft(z) ** 2),
    "power": lambda z: ss.sum(ss.imag((z + 3) ** 2.5)),
    "whole power": lambda z: ss.sum(ss.imag(z**3)),
    "power of a number": lambda z: ss.sum(ss.real(2.0**z)),
    "own power": lambda z: ss.sum(ss.real(z**z)),
    "asin": lambda z: ss.sum(ss.imag(ss.asin(z))),
    "acosh": lambda z: ss.sum(ss.real(ss.acosh(z))),
    "sigmoid": lambda z: ss.sum(ss.real(ss.sigmoid(z))),
    "sinc": lambda z: ss.sum(ss.real(ss.sinc(z))),
    "sinc far out": lambda z: ss.sum(ss.real(ss.sinc(3.0 + z))),
    "var": ss.var,
    "prod": lambda z: ss.real(ss.prod(z)),
    "cumulative_sum": lambda z: ss.sum(ss.abs(ss.cumulative_sum(z)) ** 2),
    "where": lambda z: ss.sum(ss.real(ss.where(ss.real(z) > 0, z * z, z * 1j))),
    "astype": lambda z: ss.sum(ss.astype(z, "float64") ** 2),
    "assignment": assigned,
    "scan": lambda z: ss.real(ss.scan(lambda c, a: (c * a + 1j, None), 1.0 + 0j, z)[0]),
    "cond": lambda z: ss.cond(ss.real(z[0]) > 0, lambda z: ss.abs(z[1]), lambda z: ss.imag(z[2]), z),
    "checkpoint": lambda z: ss.sum(ss.abs(ad.checkpoint(lambda z: z * z * ss.conj(z))(z))),
}


def differences(f, h=1e-6):
    g = np.zeros_like(Z)
    for k in range(Z.size):
        for unit in (1.0, 1.0j):
            step = h * unit * np.eye(Z.size)[k]
            g[k] += unit * (float(f(ss.Tensor(Z + step))) - float(f(ss.Tensor(Z - step)))) / (2 * h)
    return g


@pytest.mark.parametrize("f", LOSSES.values(), ids=LOSSES)
def test_gradients_of_complex_numbers(f):
    want, z = differences(f), ss.Tensor(Z)
    scale = np.max(np.abs(want))
    modes = (ad.grad(f), ss.jit(ad.grad(f)), ad.grad(ss.jit(f)), lambda z: ss.vmap(ad.grad(f))(ss.stack([z, z]))[1])
    for gradient in modes:
        assert np.max(np.abs(gradient(z) - want)) < 1e-8 * max(1.0, scale) * 100
    direction = M[0]
    along = float(ad.jvp(f, (z,), (ss.Tensor(direction),))[1])
    assert along == pytest.approx(float(np.vdot(ad.grad(f)(z).numpy(), direction).real), rel=1e-10)


def test_the_hessian_of_a_complex_function_is_symmetric_as_a_real_one():
    for f in LOSSES.values():
        u, v = ss.Tensor(M[0]), ss.Tensor(M[1])
        a, b = (np.vdot(x.numpy(), ad.hvp(f, ss.Tensor(Z), y).numpy()).real for x, y in ((u, v), (v, u)))
        assert a == pytest.approx(b, rel=1e-8, abs=1e-10)


def test_holomorphic_derivatives_nest_and_go_through_control_flow():
    assert complex(sc.holomorphic(sc.holomorphic(lambda z: z**3))(1j)) == 6j
    assert complex(sc.holomorphic(lambda z: ss.where(ss.real(z) > 0, z * z, z))(1 + 1j)) == 2 + 2j
    looped = sc.holomorphic(lambda z: ss.scan(lambda c, _: (c * z, None), 1.0 + 0j, None, length=3)[0])
    assert complex(looped(1j)) == -3.0
    both = (ss.jit(sc.holomorphic(lambda z: ss.exp(z) * z)), sc.holomorphic(ss.jit(lambda z: ss.exp(z) * z)))
    assert all(abs(complex(f(1j)) - np.exp(1j) * (1 + 1j)) < 1e-15 for f in both)
    assert sc.holomorphic(lambda z: z * z)(np.complex64(1j)).dtype == np.complex64
