"""Activations of complex numbers against their formulas, their kinks, and equal in all modes."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn
from scisim.core.errors import DTypeError

RNG = np.random.default_rng(3)
Z = RNG.normal(size=40) + 1j * RNG.normal(size=40)
V = RNG.normal(size=40) + 1j * RNG.normal(size=40)
R = np.abs(Z)

FORMULAS = {
    "modrelu": (lambda z: nn.modrelu(z, -0.75), np.maximum(R - 0.75, 0) * np.exp(1j * np.angle(Z))),
    "crelu": (nn.crelu, np.maximum(Z.real, 0) + 1j * np.maximum(Z.imag, 0)),
    "zrelu": (nn.zrelu, np.where((np.angle(Z) >= 0) & (np.angle(Z) <= np.pi / 2), Z, 0)),
    "cardioid": (nn.cardioid, 0.5 * (1 + np.cos(np.angle(Z))) * Z),
    "tanh": (nn.activation("tanh"), np.tanh(Z)),
    "sigmoid": (nn.activation("sigmoid"), 1 / (1 + np.exp(-Z))),
    "silu": (nn.activation("silu"), Z / (1 + np.exp(-Z))),
    "split": (nn.split("tanh"), np.tanh(Z.real) + 1j * np.tanh(Z.imag)),
}
functions = pytest.mark.parametrize("name", FORMULAS)


@functions
def test_values(name):
    f, want = FORMULAS[name]
    np.testing.assert_allclose(f(ss.asarray(Z)), want, rtol=1e-14, atol=1e-15)
    low = f(ss.asarray(Z.astype(np.complex64)))
    assert low.dtype == np.complex64
    np.testing.assert_allclose(low, want, rtol=2e-5, atol=2e-6)


def slopes(f, z, v):
    """The directional derivative by central differences of real parameters, to 4th order in h."""
    h = 1e-3
    g = [np.asarray(f(ss.asarray(z + k * h * v))) for k in (-2, -1, 1, 2)]
    return (g[0] - 8 * g[1] + 8 * g[2] - g[3]) / (12 * h)


@functions
def test_forward_reverse_and_series_agree_with_differences(name):
    f, _ = FORMULAS[name]
    away = (np.abs(R - 0.75) > 0.05) & (np.abs(Z.real) > 0.05) & (np.abs(Z.imag) > 0.05)
    z, v = ss.asarray(Z[away]), ss.asarray(V[away] / np.abs(V[away]))
    want = slopes(f, Z[away], np.asarray(v))
    y, dy = ad.jvp(f, (z,), (v,))
    np.testing.assert_array_equal(y, f(z))
    np.testing.assert_allclose(dy, want, rtol=0, atol=1e-6 * max(1.0, np.abs(want).max()))
    w = np.conj(Z[::-1][: z.size])
    pulled = np.asarray(ad.vjp(f, z)[1](ss.asarray(w))[0])
    # the user's convention: Re<w, dy> = Re<pulled, v>
    left, right = np.vdot(w, np.asarray(dy)).real, np.vdot(pulled, np.asarray(v)).real
    assert left == pytest.approx(right, rel=1e-12)
    c = ad.taylor(f, z, v, 3)
    np.testing.assert_allclose(c[1], dy, rtol=1e-12, atol=1e-13)
    second = ad.jvp(lambda z: ad.jvp(f, (z,), (v,))[1], (z,), (v,))[1]
    np.testing.assert_allclose(2 * np.asarray(c[2]), second, rtol=1e-11, atol=1e-12)


@functions
def test_captured_mapped_and_eager_agree(name):
    f, _ = FORMULAS[name]
    z = ss.asarray(Z)
    eager, g = f(z), ad.grad(lambda z: ss.sum(ss.abs(f(z)) ** 2))
    np.testing.assert_allclose(ss.jit(f)(z), eager, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(ss.vmap(f)(z), eager, rtol=1e-15)
    np.testing.assert_allclose(ss.jit(g)(z), g(z), rtol=1e-12, atol=1e-13)


KINKS = [
    # function, point, direction, derivative along it
    (lambda z: nn.modrelu(z, -5.0), 3 + 4j, 3 + 4j, 0.5 * (3 + 4j)),  # on the circle: half the outer one
    (lambda z: nn.modrelu(z, -1.0), 0j, 1 + 2j, 0j),
    (lambda z: nn.modrelu(z, 0.0), 0j, 1 + 2j, 1 + 2j),  # the identity
    (lambda z: nn.modrelu(z, 1.0), 0j, 1 + 2j, 0j),  # a jump: by the conventions of abs and sign
    (nn.crelu, 0j, 1 + 2j, 0.5 + 1j),
    (nn.crelu, 2 + 0j, 1 + 2j, 1 + 1j),
    (nn.crelu, -2 + 0j, 1 + 2j, 1j),
    (nn.zrelu, 0j, 1 + 2j, 1 + 2j),
    (nn.zrelu, 2j, 1 + 2j, 1 + 2j),
    (nn.zrelu, -2 + 0j, 1 + 2j, 0j),
    (nn.cardioid, 0j, 1 + 2j, 0.5 + 1j),
    (nn.cardioid, -2 + 0j, 1 + 2j, 0j),
]


@pytest.mark.parametrize(("f", "z", "v", "want"), KINKS)
def test_kinks(f, z, v, want):
    z, v = ss.asarray(z), ss.asarray(v)
    assert complex(ad.jvp(f, (z,), (v,))[1]) == pytest.approx(want, abs=1e-15)
    assert complex(ad.taylor(f, z, v, 1)[1]) == pytest.approx(want, abs=1e-15)
    assert complex(ss.jit(lambda z, v: ad.jvp(f, (z,), (v,))[1])(z, v)) == pytest.approx(want, abs=1e-15)
    # along 1 and along i, from one pass in reverse
    pull = ad.vjp(f, z)[1]
    parts = [np.vdot(pull(ss.asarray(w))[0], v).real for w in (1 + 0j, 1j)]
    assert complex(*map(float, parts)) == pytest.approx(want, abs=1e-15)


def test_real_numbers_get_what_the_real_axis_has():
    x = ss.asarray([-2.0, -0.5, 0.0, 0.5, 2.0])
    for f in (nn.crelu, nn.zrelu, nn.cardioid, lambda x: nn.modrelu(x, 0.0) * (x > 0)):
        np.testing.assert_array_equal(f(x), np.maximum(np.asarray(x), 0))
        assert f(x).dtype == np.float64
    np.testing.assert_array_equal(nn.modrelu(x, -0.5), [-1.5, 0, 0, 0, 1.5])


def test_large_and_small_numbers_neither_overflow_nor_vanish():
    z = ss.asarray([3e300 + 4e300j, 3e-300 + 4e-300j])
    np.testing.assert_allclose(nn.cardioid(z), [2.4e300 + 3.2e300j, 2.4e-300 + 3.2e-300j], rtol=1e-15)
    np.testing.assert_allclose(nn.modrelu(z, 0.0), z, rtol=1e-15)


def test_a_bias_of_zero_is_trained():
    g = ad.grad(lambda b: ss.sum(ss.abs(nn.modrelu(ss.asarray([3 + 4j]), b)) ** 2))(ss.asarray(0.0))
    assert float(g) == pytest.approx(10.0, rel=1e-15)  # d/db (5 + b)^2
    layer = nn.ModReLU(3, -0.1, dtype="complex64")
    assert layer.bias.dtype == np.float32
    z = ss.asarray(Z[:6].reshape(2, 3).astype(np.complex64))
    np.testing.assert_array_equal(layer(z), nn.modrelu(z, layer.bias))
    assert ad.grad(lambda m: ss.sum(ss.abs(m(z))))(layer).bias.dtype == np.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.activation("relu")(ss.asarray(1j)), "relu: not defined for complex numbers; use 'crelu'"),
        (lambda: nn.activation("softplus")(ss.asarray(1j)), r"softplus: .*nn.split\('softplus'\)"),
        (lambda: nn.modrelu(1j, 1j), "modrelu: bias is complex128; expected real numbers"),
    ],
)
def test_what_complex_numbers_do_not_have_is_refused(call, message):
    with pytest.raises(DTypeError, match=message):
        call()


def test_split_by_name_or_function_is_a_static_field():
    assert nn.split("tanh") == nn.split("tanh") != nn.split("sin")
    assert repr(nn.split("tanh")) == "split('tanh')"
    with pytest.raises(ValueError, match="unknown activation 'tnah'"):
        nn.split("tnah")
    with pytest.raises(TypeError, match="ModReLU: bias is '1'"):
        nn.ModReLU(2, "1")
