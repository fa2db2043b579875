"""Wirtinger's pair against closed forms and against the real Jacobian of real and imaginary parts, in every mode."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc
from scisim.core.errors import DTypeError, ShapeError

EPS = np.finfo(float).eps
Z = np.array([0.3 + 0.2j, 2.0 - 1.1j, -0.5 + 1.5j])


def in_every_way(transform, f, *args):
    """Eager, captured on either side, mapped on either side."""
    yield transform(f)(*args)
    yield ss.jit(transform(f))(*args)
    yield transform(ss.jit(f))(*args)


@pytest.mark.parametrize("a", [0, 1, 2, 3, -1, 2.5])
@pytest.mark.parametrize("b", [0, 1, 3, -2, 0.5])
def test_products_of_powers(a, b):
    """z^a conj(z)^b has a z^(a-1) conj(z)^b and b z^a conj(z)^(b-1)."""
    f = lambda z: z**a * ss.conj(z) ** b
    c = np.conj(Z)
    for got in in_every_way(sc.wirtinger, f, Z):
        for part, want in zip(got, (a * Z ** (a - 1) * c**b, b * Z**a * c ** (b - 1)), strict=True):
            size = np.abs(a * Z ** (a - 1) * c**b) + np.abs(b * Z**a * c ** (b - 1))
            assert np.all(np.abs(part.numpy() - want) <= 16 * EPS * size)


PAIRS = {
    "modulus squared": (lambda z: ss.abs(z) ** 2, np.conj, lambda z: z),
    "product with conj": (lambda z: z * ss.conj(z), np.conj, lambda z: z),
    "conj times f": (
        lambda z: ss.conj(z) * ss.sin(z),
        lambda z: np.conj(z) * np.cos(z),
        np.sin,
    ),
    "f of conj": (lambda z: ss.exp(ss.conj(z)), lambda z: 0 * z, lambda z: np.exp(np.conj(z))),
    "modulus": (ss.abs, lambda z: np.conj(z) / (2 * np.abs(z)), lambda z: z / (2 * np.abs(z))),
    "log of modulus": (lambda z: ss.log(ss.abs(z)), lambda z: 0.5 / z, lambda z: 0.5 / np.conj(z)),
    "angle": (ss.angle, lambda z: -0.5j / z, lambda z: 0.5j / np.conj(z)),
    "real part of square": (lambda z: ss.real(z * z), lambda z: z, np.conj),
    "direction": (ss.sign, lambda z: 0.5 / np.abs(z), lambda z: -(z**2) / (2 * np.abs(z) ** 3)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name):
    f, dz, dbar = PAIRS[name]
    for got in [*in_every_way(sc.wirtinger, f, Z), ss.vmap(sc.wirtinger(f))(Z), sc.wirtinger(ss.vmap(f))(Z)]:
        for part, want in zip(got, (dz(Z), dbar(Z)), strict=True):
            np.testing.assert_allclose(part.numpy(), want, rtol=64 * EPS, atol=16 * EPS)


def test_the_second_of_a_holomorphic_function_is_zero():
    for f in (ss.exp, ss.sin, lambda z: z**3 / (1 + z), lambda z: z @ np.ones((3, 3))):
        dz, dbar = sc.wirtinger_jacobian(f)(Z)
        np.testing.assert_allclose(dz.numpy(), sc.holomorphic_jacobian(f)(Z).numpy(), rtol=16 * EPS, atol=1e-15)
        assert np.abs(dbar.numpy()).max() <= 16 * EPS * np.abs(dz.numpy()).max()


def test_second_derivatives_are_nested_pairs():
    """The Laplacian is 4 d/dz* d/dz; the mixed order does not matter."""
    f = lambda z: ss.abs(z) ** 4 + ss.real(z**3)
    first = lambda k: lambda z: sc.wirtinger(f)(z)[k]
    mixed, other = (sc.wirtinger(first(k))(Z)[1 - k].numpy() for k in (0, 1))
    np.testing.assert_allclose(mixed, 4 * np.abs(Z) ** 2, rtol=1e-13)
    np.testing.assert_allclose(other, mixed, rtol=1e-13)
    g = ad.grad(lambda z: ss.sum(ss.real(sc.wirtinger(f)(z)[1])))(Z).numpy()
    h = sc.wirtinger(lambda z: ss.real(sc.wirtinger(f)(z)[1]))(Z)[1].numpy()
    np.testing.assert_allclose(g, 2 * h, rtol=1e-13)


def test_gradients_are_twice_the_second():
    f = lambda z: ss.sum(ss.abs(ss.fft.fft(z)) ** 2 * np.arange(3.0)) + ss.real(ss.prod(z))
    np.testing.assert_allclose(ad.grad(f)(Z).numpy(), 2 * sc.wirtinger_jacobian(f)(Z)[1].numpy(), rtol=1e-14)


# --- functions of arrays ---------------------------------------------------------------------------------------------
M = np.array([[1.0, 2j, 0.5], [0.3 - 1j, -1.0, 2.0]])
ARRAYS = {
    "wide, complex": lambda z: M @ z * ss.conj(z[0]) + ss.abs(z[:2]),
    "tall, complex": lambda z: ss.stack([z, ss.conj(z) ** 2, ss.abs(z) * z, 1j * ss.real(z)]),
    "real": lambda z: ss.abs(M @ z),
    "number": lambda z: ss.vdot(z, z) * z[1],
    "real number": lambda z: ss.real(ss.vdot(z, z)),
    "real, many": lambda z: ss.stack([ss.abs(z), ss.real(z), ss.imag(z) ** 2, ss.real(z**2)]),
    "through transforms": lambda z: ss.fft.irfft(z * ss.abs(z), n=5),
}


def by_parts(f, z):
    """The pair from the Jacobian of a function of real and imaginary parts, each column a difference."""
    h = 1e-5
    columns = []
    for unit in (1.0, 1j):
        steps = [unit * h * e for e in np.eye(z.size)]
        at = lambda w: np.asarray(f(ss.asarray(w)))
        columns.append(np.stack([(at(z + s) - at(z - s)) / (2 * h) for s in steps], -1))
    fx, fy = columns
    return (fx - 1j * fy) / 2, (fx + 1j * fy) / 2


@pytest.mark.parametrize("name", ARRAYS)
def test_jacobians_of_arrays(name):
    f = ARRAYS[name]
    want = by_parts(f, Z)
    for got in in_every_way(sc.wirtinger_jacobian, f, Z):
        for part, w in zip(got, want, strict=True):
            assert part.dtype == np.complex128
            np.testing.assert_allclose(part.numpy(), w, rtol=1e-8, atol=1e-8)
    dz, dbar = sc.wirtinger_jacobian(f)(Z)
    step = np.array([0.5 - 1j, 0.3j, 2.0])
    along = ad.jvp(f, Z, step)[1].numpy()  # the differential is df/dz dz + df/dz* dz*
    np.testing.assert_allclose(dz.numpy() @ step + dbar.numpy() @ np.conj(step), along, rtol=1e-13, atol=1e-14)
    both = ss.vmap(sc.wirtinger_jacobian(f))(np.stack([Z, 2 * Z]))
    for part, w in zip(both, (dz, dbar), strict=True):
        np.testing.assert_allclose(part.numpy()[0], w.numpy(), rtol=1e-13, atol=1e-14)


def test_containers_mixed_results_and_auxiliary_ones():
    def f(p, scale):
        z, x = p["z"], p["x"]
        return {"size": ss.sum(ss.abs(z) ** 2) * scale, "turned": ss.conj(z) * x}, {"phase": ss.angle(z)}

    point = {"z": ss.asarray(Z), "x": 2.0}
    (dz, dbar), aux = sc.wirtinger_jacobian(f, has_aux=True)(point, scale=3.0)
    np.testing.assert_array_equal(aux["phase"].numpy(), np.angle(Z))
    np.testing.assert_allclose(dz["size"]["z"].numpy(), 3 * np.conj(Z), rtol=4 * EPS)
    np.testing.assert_allclose(dbar["size"]["z"].numpy(), 3 * Z, rtol=4 * EPS)
    np.testing.assert_array_equal(dz["turned"]["z"].numpy(), np.zeros((3, 3)))
    np.testing.assert_array_equal(dbar["turned"]["z"].numpy(), 2 * np.eye(3))
    np.testing.assert_array_equal(dz["turned"]["x"].numpy(), np.conj(Z))
    np.testing.assert_array_equal(dbar["size"]["x"].numpy(), 0)
    assert dz["size"]["z"].shape == (3,)


def test_several_arguments():
    f = lambda z, w, c=1.0: c * ss.conj(z) * w**2
    dz, dbar = sc.wirtinger(f, argnums=(0, 1))(3j, 2.0, c=2.0)
    assert [complex(d) for d in dz] == [0, -24j]
    assert [complex(d) for d in dbar] == [8, 0]
    dz, dbar = sc.wirtinger(f, argnums=-1)(3j, 2.0)
    assert (complex(dz), complex(dbar)) == (-12j, 0)
    (dz, dbar), aux = sc.wirtinger(lambda z: (ss.abs(z), z), has_aux=True)(3 + 4j)
    assert (complex(dz), complex(dbar), complex(aux)) == (0.3 - 0.4j, 0.3 + 0.4j, 3 + 4j)


def test_one_number_to_an_array():
    dz, dbar = sc.wirtinger(lambda z: ss.stack([z, ss.conj(z), ss.abs(z) ** 2]))(1 + 2j)
    np.testing.assert_array_equal(dz.numpy(), [1, 0, 1 - 2j])
    np.testing.assert_array_equal(dbar.numpy(), [0, 1, 1 + 2j])


def test_empty_arrays():
    dz, dbar = sc.wirtinger(ss.abs)(np.zeros(0, complex))
    assert dz.shape == dbar.shape == (0,)
    assert sc.wirtinger_jacobian(ss.abs)(np.zeros(0, complex))[0].shape == (0, 0)
    assert sc.wirtinger_jacobian(ss.sum)(np.zeros(0, complex))[0].shape == (0,)
    assert sc.holomorphic_jacobian(lambda z: z[:0])(Z).shape == (0, 3)


def test_misuse():
    with pytest.raises(ShapeError, match=r"sum must act elementwise, but.*complex\.wirtinger_jacobian"):
        sc.wirtinger(ss.sum)(Z)
    with pytest.raises(ShapeError, match=r"sum must act elementwise, but.*complex\.holomorphic_jacobian"):
        sc.holomorphic(ss.sum)(Z)
    for transform in (sc.wirtinger, sc.wirtinger_jacobian):
        with pytest.raises(DTypeError, match="z has dtype bool; pass complex numbers"):
            transform(ss.exp)(True)
        with pytest.raises(DTypeError, match="returns dtype int64, which has no derivative.*has_aux"):
            transform(lambda z: ss.asarray(1))(1j)
