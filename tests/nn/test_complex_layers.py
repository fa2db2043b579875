"""Complex layers and initial weights: whitening, spectral convolutions, distributions, real and imaginary parts."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn
from scisim.core import pytree
from scisim.distributed import Mesh, Shard, gather, run_ranks, shard

KEY = ss.random.key(11)
RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


@pytest.mark.parametrize(("name", "sigma"), [("glorot_normal", 1 / math.sqrt(60)), ("he_normal", 1 / math.sqrt(20))])
def test_complex_weights_have_rayleigh_moduli_and_uniform_phases(name, sigma):
    """Kolmogorov's distance to both distributions; 1.95 / sqrt(n) is exceeded once in a thousand draws."""
    ws = [nn.initializers.initializer(name, "test")(k, (20, 40), "complex128") for k in ss.random.split(KEY, 5)]
    w = np.concatenate([np.asarray(x).ravel() for x in ws])
    n = w.size
    at = (np.arange(n) + 0.5) / n
    moduli, phases = np.sort(np.abs(w)), np.sort(np.angle(w))
    assert np.abs(1 - np.exp(-0.5 * (moduli / sigma) ** 2) - at).max() < 1.95 / math.sqrt(n)
    assert np.abs((phases + np.pi) / (2 * np.pi) - at).max() < 1.95 / math.sqrt(n)
    assert abs(np.corrcoef(np.abs(w), np.angle(w))[0, 1]) < 4 / math.sqrt(n)


def test_weights_are_the_same_on_any_number_of_ranks():
    def weights(_comm=None):
        m = nn.Sequential([nn.Linear(3, 4, key=KEY, dtype="complex128"), nn.SpectralConv(2, 2, (2, 2), key=KEY)])
        return [np.asarray(w) for _, w in nn.parameters(m)]

    for theirs in run_ranks(3, weights):
        for a, b in zip(theirs, weights(), strict=True):
            np.testing.assert_array_equal(a, b)


def test_an_mlp_of_complex_weights_is_one_of_twice_the_real_features():
    m = nn.MLP([2, 5, 1], nn.split("tanh"), key=KEY, dtype="complex128")
    m = m.replace(layers=tuple(x.replace(bias=ss.asarray(normal(*x.bias.shape))) for x in m.layers))
    x = normal(7, 2)
    h = np.concatenate([x.real, x.imag], 1)
    for k, layer in enumerate(m.layers):
        w, b = np.asarray(layer.weight), np.asarray(layer.bias)
        h = h @ np.block([[w.real, w.imag], [-w.imag, w.real]]) + np.concatenate([b.real, b.imag])
        h = np.tanh(h) if k == 0 else h
    np.testing.assert_allclose(m(x)[:, 0], h[:, 0] + 1j * h[:, 1], rtol=1e-13)


def covariance(y):
    return np.cov(np.stack([y.real, y.imag]), bias=True)


def by_matrices(x, eps, axis):
    """(Re x, Im x) times the inverse root of their covariance, over sqrt(2), one feature after another."""
    out = np.empty_like(x)
    for k in range(x.shape[1 - axis]):
        z = x.take(k, 1 - axis)
        lam, q = np.linalg.eigh(covariance(z) + eps * np.eye(2))
        d = np.stack([z.real - z.real.mean(), z.imag - z.imag.mean()])
        re, im = q @ np.diag(lam**-0.5) @ q.T @ d / math.sqrt(2)
        out[(slice(None), k) if axis == 0 else k] = re + 1j * im
    return out


def correlated(*shape):
    return 2.0 * RNG.normal(size=shape) * np.exp(0.3j) + 0.5j * RNG.normal(size=shape) + 1 - 3j


def test_norms_whiten_complex_features():
    x = correlated(50, 3)
    y = np.asarray(nn.BatchNorm(3, dtype="complex128", eps=1e-3)(x))
    np.testing.assert_allclose(y, by_matrices(x, 1e-3, 0), rtol=1e-12, atol=1e-13)
    y = np.asarray(nn.BatchNorm(3, dtype="complex128", eps=1e-14)(x))
    for k in range(3):
        np.testing.assert_allclose(covariance(y[:, k]), np.eye(2) / 2, atol=1e-12)
    x = correlated(4, 9)
    layer = nn.LayerNorm(9, 1e-3, dtype="complex128")
    np.testing.assert_allclose(layer(x), by_matrices(x, 1e-3, 1), rtol=1e-12, atol=1e-13)


def test_scale_and_mixing_are_a_symmetric_matrix():
    x, (a, b, c) = correlated(20, 1), (0.7, 0.2, -0.4)
    plain = nn.BatchNorm(1, dtype="complex128")
    layer = plain.replace(scale=ss.asarray([(a + b) / 2]), mixing=ss.asarray([(a - b) / 2 + 1j * c]))
    w = np.asarray(plain(x))
    want = a * w.real + c * w.imag + 1j * (c * w.real + b * w.imag)
    np.testing.assert_allclose(layer(x), want, rtol=1e-13)
    g = ad.grad(lambda m: ss.sum(ss.abs(m(x)) ** 2))(layer)
    assert [p.dtype.name for _, p in nn.parameters(g)] == ["float64", "complex128", "complex128"]


def test_running_statistics_of_complex_features():
    x = correlated(30, 2)
    layer = nn.BatchNorm(2, momentum=0.0, dtype="complex128")
    _, after = layer.apply(x)
    d = x - x.mean(0)
    np.testing.assert_allclose(after.mean, x.mean(0), rtol=1e-14)
    np.testing.assert_allclose(after.variance, (np.abs(d) ** 2).sum(0) / 29, rtol=1e-13)
    np.testing.assert_allclose(after.pseudo_variance, (d**2).sum(0) / 29, rtol=1e-13)
    off = nn.eval(after.replace(variance=ss.mean(ss.abs(d) ** 2, axis=0), pseudo_variance=ss.mean(d * d, axis=0)))
    np.testing.assert_allclose(off(x), layer(x), rtol=1e-12)
    fresh = nn.eval(layer)
    np.testing.assert_allclose(fresh(x), x / math.sqrt(1 + 2e-5), rtol=1e-5)
    assert nn.count(layer) == 6


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_numbers_on_a_line_are_whitened_with_finite_gradients(dtype):
    t = np.linspace(-1e3, 1e3, 16)[:, None]
    x = ss.asarray((t * np.exp(0.7j)).astype(dtype))
    layer = nn.BatchNorm(1, dtype=dtype)
    y, g = np.asarray(layer(x)), np.asarray(ad.grad(lambda x: ss.sum(ss.real(layer(x)) ** 3))(x))
    assert np.isfinite(y).all()
    assert np.isfinite(g).all()
    assert np.mean(np.abs(y) ** 2) == pytest.approx(0.5, rel=5e-2)  # one direction of two


def test_real_layers_refuse_complex_features():
    for layer in (nn.BatchNorm(2), nn.LayerNorm(2)):
        with pytest.raises(ss.errors.DTypeError, match=r"complex128, the layer real; make it with dtype='complex128'"):
            layer(normal(3, 2))
    assert nn.LayerNorm(2, dtype="complex128")(ss.ones((3, 2))).dtype == np.complex128


def test_embeddings_in_front_of_complex_layers():
    x = ss.asarray(RNG.uniform(size=(4, 2)))
    f = nn.FourierFeatures(2, 3, key=KEY, dtype="complex64")
    assert f.fixed.dtype == np.float32
    assert f(ss.astype(x, "float32")).dtype == np.complex64
    np.testing.assert_array_equal(
        nn.Periodic([1.0, None], dtype="complex128")(x), np.asarray(nn.Periodic([1.0, None])(x)) + 0j
    )
    assert "dtype" not in repr(nn.Periodic([1.0]))


# --- spectral convolutions ------------------------------------------------------------------------------------------
def frequencies(n, m, half):
    return [k for k in np.fft.fftfreq(n, 1 / n).astype(int) if abs(k) < m and (k >= 0 or not half)]


def by_sums(layer, x, sizes):
    """Coefficients by dense sums, times the matrices, summed up again."""
    grids = np.meshgrid(*[np.arange(n) / n for n in sizes], indexing="ij")
    half = [layer.real and a == len(sizes) - 1 for a in range(len(sizes))]
    kept = [frequencies(n, m, h) for n, m, h in zip(sizes, layer.modes, half, strict=True)]
    out, w = 0, np.asarray(layer.weight)
    for at in np.ndindex(*map(len, kept)):
        k = [f[i] for f, i in zip(kept, at, strict=True)]
        wave = np.exp(2j * np.pi * sum(a * g for a, g in zip(k, grids, strict=True)))[..., None]
        c = np.mean(x * np.conj(wave), axis=tuple(range(len(sizes)))) @ w[at]
        out = out + (1 + (layer.real and k[-1] > 0)) * c * wave  # with its conjugate at -k
    return out.real if layer.real else out


@pytest.mark.parametrize("sizes", [(7,), (8,), (5,), (6, 7), (9, 8), (5, 6, 7), (6, 5, 8)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_a_spectral_convolution_is_a_sum_over_waves(sizes, dtype):
    layer = nn.SpectralConv(2, 3, [3, 2, 3][: len(sizes)], key=KEY, dtype=dtype)
    x = normal(*sizes, 2) if dtype == "complex128" else RNG.normal(size=(*sizes, 2))
    y = layer(x)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, by_sums(layer, x, sizes), rtol=1e-12, atol=1e-13)
    many = np.stack([x, 2 * x, x[::-1]])
    np.testing.assert_allclose(layer(many)[1], 2 * np.asarray(y), rtol=1e-12, atol=1e-13)


def test_a_spectral_convolution_does_not_depend_on_the_grid():
    layer = nn.FourierLayer(1, 2, 4, "sin", key=KEY)
    field = lambda n: (lambda t: 0.3 + np.cos(t) - np.sin(3 * t))(2 * np.pi * np.arange(n) / n)[:, None]
    coarse, fine = np.asarray(layer(field(8))), np.asarray(layer(field(24)))
    np.testing.assert_allclose(coarse, fine[::3], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n", [15, 16])
def test_weights_of_a_spectral_convolution_may_be_those_of_a_derivative(n):
    """d/dx multiplies by 2 pi i k."""
    k = np.arange(4)
    layer = nn.SpectralConv(1, 1, 4, key=KEY).replace(weight=ss.asarray((2j * np.pi * k)[:, None, None]))
    x = np.arange(n) / n
    f = 0.3 + np.cos(2 * np.pi * x) - 2 * np.sin(6 * np.pi * x)
    df = -2 * np.pi * np.sin(2 * np.pi * x) - 12 * np.pi * np.cos(6 * np.pi * x)
    np.testing.assert_allclose(layer(f[:, None])[:, 0], df, atol=1e-12)


def test_layers_of_complex_numbers_on_batches_shared_among_ranks():
    x = ss.asarray(correlated(5, 7, 4, 2))
    cases = [
        (nn.BatchNorm(2, dtype="complex128"), x),
        (nn.FourierLayer(2, 2, (3, 2), nn.cardioid, key=KEY, dtype="complex128"), x),
        (nn.FourierLayer(2, 2, (3, 2), key=KEY), ss.real(x)),
    ]
    both = ad.value_and_grad(lambda m, x: ss.mean(ss.abs(m(x) - 1) ** 2))
    wanted = [pytree.tree_leaves(both(m, x)) for m, x in cases]

    def rank(comm):
        spread = lambda x: shard(x, Mesh((comm.size,), ("data",)), (Shard(0),))
        return [[np.asarray(gather(v)) for v in pytree.tree_leaves(both(m, spread(x)))] for m, x in cases]

    for got in run_ranks(3, rank):
        for a, b in zip(got, wanted, strict=True):
            for v, w in zip(a, b, strict=True):
                np.testing.assert_allclose(v, w, rtol=1e-11, atol=1e-13)


def test_ensembles_of_fourier_layers_are_mapped():
    members = [nn.FourierLayer(1, 2, 3, key=k) for k in ss.random.split(KEY, 3)]
    together = pytree.tree_map(lambda *ws: ss.stack(ws), *members)
    x = ss.asarray(RNG.normal(size=(6, 1)))
    np.testing.assert_allclose(ss.vmap(lambda m: m(x))(together)[1], members[1](x), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("sizes", [(6,), (5, 6)])
def test_a_fourier_layer_differentiates_compiles_and_maps(sizes, dtype):
    activation = "tanh" if dtype == "float64" else nn.cardioid
    layer = nn.FourierLayer(2, 2, [2] * len(sizes), activation, key=KEY, dtype=dtype)
    x = ss.asarray((normal(3, *sizes, 2) if dtype == "complex128" else RNG.normal(size=(3, *sizes, 2))) * 0.5)
    loss = lambda m: ss.sum(ss.abs(m(x)) ** 2)
    value, g = ad.value_and_grad(loss)(layer)
    v = ad.grad(lambda m: ss.sum(ss.real(m.spectral.weight * (1 + 2j))) + ss.sum(ss.abs(m.linear.weight)))(layer)
    dy = ad.jvp(loss, (layer,), (v,))[1]
    pairs = zip(nn.parameters(g), nn.parameters(v), strict=True)
    inner = sum(np.vdot(np.asarray(a), np.asarray(b)).real for (_, a), (_, b) in pairs)
    assert float(dy) == pytest.approx(inner, rel=1e-11)
    moved = lambda h: float(loss(pytree.tree_map(lambda a, b: a + h * b, layer, v)))
    slope = (moved(-2e-3) - 8 * moved(-1e-3) + 8 * moved(1e-3) - moved(2e-3)) / 12e-3
    assert slope == pytest.approx(inner, rel=1e-7)
    compiled, gc = ss.jit(ad.value_and_grad(loss))(layer)
    assert float(compiled) == pytest.approx(float(value), rel=1e-13)
    for (_, a), (_, b) in zip(nn.parameters(g), nn.parameters(gc), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(ss.vmap(layer)(x), layer(x), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.SpectralConv(1, 1, 4, key=KEY)(ss.ones((6, 1))), "ShapeError", r"grid of \(6,\) .* 7 points"),
        (lambda: nn.SpectralConv(1, 1, (2, 2), key=KEY)(ss.ones((6, 1))), "ShapeError", r"expected \(..., 2 axes"),
        (lambda: nn.SpectralConv(1, 1, 2, key=KEY)(normal(6, 1)), "DTypeError", "the layer real; make it with dtype="),
        (lambda: nn.SpectralConv(1, 1, (1, 1, 1, 1), key=KEY), "ShapeError", "each of 1 to 3 axes"),
        (lambda: nn.SpectralConv(1, 1, "ab", key=KEY), "ShapeError", "each of 1 to 3 axes"),
        (lambda: nn.SpectralConv(1, 1, (2, 0), key=KEY), "ArgumentError", r"modes\[1\] is 0"),
        (lambda: nn.FourierLayer(1, 1, 2, "tnah", key=KEY), "ArgumentError", "unknown activation"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(getattr(ss.errors, error), match=message):
        call()
