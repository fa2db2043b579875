"""Derivatives of real functions that pass through complex numbers, in every mode, against those in real arithmetic."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from tests.complex.chains import CHAINS, Chain, Pair

EPS = np.finfo(float).eps
ALL = pytest.mark.parametrize("name", CHAINS)


# --- the same with real arguments ----------------------------------------------------------------------------------
def split(args: tuple) -> tuple:
    """Complex arguments as pairs of their parts."""
    return tuple(Pair(a.real.copy(), a.imag.copy()) if np.iscomplexobj(a) else a for a in map(np.asarray, args))


def whole(parts: Any) -> list[np.ndarray]:
    """Gradients by parts, as dL/dx + i dL/dy."""
    return [np.asarray(p[0]) + 1j * np.asarray(p[1]) if isinstance(p, tuple) else np.asarray(p) for p in parts]


def directions(args: tuple) -> tuple:
    """A direction of each argument, of its dtype."""
    rng = np.random.default_rng(8)
    out = []
    for a in map(np.asarray, args):
        v = rng.standard_normal(a.shape)
        out.append(v + 1j * rng.standard_normal(a.shape) if np.iscomplexobj(a) else np.asarray(v))
    return tuple(out)


def near(got: Any, want: Any, factor: float = 1.0) -> None:
    """Relative to the greatest element, 10,000 epsilons for chains with solves and transforms."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=1e4 * factor * EPS * max(np.abs(want).max(initial=0.0), 1.0))


def every(chain: Chain) -> tuple[int, ...]:
    return tuple(range(len(chain.args)))


def gradient(chain: Chain) -> Any:
    return ad.grad(chain.f, argnums=every(chain))


def twin_gradient(chain: Chain) -> Any:
    return ad.grad(chain.twin, argnums=every(chain))


# --- first order -----------------------------------------------------------------------------------------------------
@ALL
def test_value(name):
    chain = CHAINS[name]
    want = chain.twin(*split(chain.args))
    near(chain.f(*chain.args), want)
    near(ss.jit(chain.f)(*chain.args), want)
    assert chain.f(*chain.args).dtype == np.float64


@ALL
@pytest.mark.parametrize("mode", ["eager", "captured", "of captured"])
def test_gradient(name, mode):
    chain = CHAINS[name]
    wants = whole(twin_gradient(chain)(*split(chain.args)))
    grad = ad.grad(ss.jit(chain.f), argnums=every(chain)) if mode == "of captured" else gradient(chain)
    for g, want, a in zip((ss.jit(grad) if mode == "captured" else grad)(*chain.args), wants, chain.args, strict=True):
        assert g.dtype == np.asarray(a).dtype  # projected on the reals for a real argument
        near(g, want)


@ALL
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_forward(name, wrap):
    chain = CHAINS[name]
    v = directions(chain.args)
    want = ad.jvp(chain.twin, split(chain.args), split(v))
    y, dy = wrap(lambda a, v: ad.jvp(chain.f, a, v))(chain.args, v)
    assert (y.dtype, dy.dtype) == (np.float64, np.float64)
    near(y, want[0])
    near(dy, want[1])
    pairs = zip(gradient(chain)(*chain.args), v, strict=True)
    near(sum(np.sum(np.real(np.conj(g.numpy()) * d)) for g, d in pairs), dy)


@ALL
def test_gradient_against_differences(name):
    """Central ones of three steps, extrapolated to an error of the sixth power of the step."""
    chain, v = CHAINS[name], directions(CHAINS[name].args)

    def along(t: float) -> float:
        return float(chain.f(*(a + t * d for a, d in zip(chain.args, v, strict=True))))

    h = 2e-3
    d = [(along(k * h) - along(-k * h)) / (2 * k * h) for k in (1, 2, 3)]
    second = [(along(k * h) - 2 * along(0.0) + along(-k * h)) / (k * h) ** 2 for k in (1, 2, 3)]
    c = ad.taylor(chain.f, tuple(chain.args), v, 2)
    size = 1.0 + abs(float(c[1])) + abs(float(c[2]))
    assert abs(1.5 * d[0] - 0.6 * d[1] + 0.1 * d[2] - float(c[1])) < 1e-8 * size
    assert abs(1.5 * second[0] - 0.6 * second[1] + 0.1 * second[2] - 2 * float(c[2])) < 1e-6 * size


# --- higher orders ---------------------------------------------------------------------------------------------------
@ALL
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_series(name, wrap):
    chain = CHAINS[name]
    v = directions(chain.args)
    wants = ad.taylor(chain.twin, split(chain.args), split(v), 3)
    got = wrap(lambda a, v: ad.taylor(chain.f, a, v, 3))(tuple(chain.args), v)
    for c, want in zip(got, wants, strict=True):
        assert c.dtype == np.float64
        near(c, want, 10.0)


@ALL
@pytest.mark.parametrize("mode", ["forward over reverse", "reverse over reverse", "reverse over forward", "captured"])
def test_hessian_times_vector(name, mode):
    chain = CHAINS[name]
    v = directions(chain.args)
    wants = whole(ad.jvp(twin_gradient(chain), split(chain.args), split(v))[1])

    def forward_over_reverse(a: tuple, v: tuple) -> Any:
        return ad.jvp(gradient(chain), a, v)[1]

    def reverse_over_reverse(a: tuple, v: tuple) -> Any:
        def along(*a: Any) -> Any:
            pairs = zip(gradient(chain)(*a), v, strict=True)
            return sum(ss.sum(ss.real(ss.conj(g) * d)) for g, d in pairs)

        return ad.grad(along, argnums=every(chain))(*a)

    def reverse_over_forward(a: tuple, v: tuple) -> Any:
        return ad.grad(lambda *a: ad.jvp(chain.f, a, v)[1], argnums=every(chain))(*a)

    ways = {
        "forward over reverse": forward_over_reverse,
        "reverse over reverse": reverse_over_reverse,
        "reverse over forward": reverse_over_forward,
        "captured": ss.jit(forward_over_reverse),
    }
    for h, want, a in zip(ways[mode](tuple(chain.args), v), wants, chain.args, strict=True):
        assert h.dtype == np.asarray(a).dtype
        near(h, want, 10.0)


@ALL
def test_gradient_of_a_sum_of_gradients(name):
    """What is no function of the real and imaginary parts together is projected in the inner gradient already."""
    chain = CHAINS[name]

    def inner(*args: Any) -> Any:
        return sum(ss.sum(ss.real(g) + 2.0 * ss.imag(g)) for g in gradient(chain)(*args))

    def inner_twin(*args: Any) -> Any:
        parts = [g if isinstance(g, tuple) else (g, 0.0 * g) for g in twin_gradient(chain)(*args)]
        return sum(ss.sum(re + 2.0 * im) for re, im in parts)

    wants = whole(ad.grad(inner_twin, argnums=every(chain))(*split(chain.args)))
    for run in (lambda g: g, ss.jit):
        for h, want in zip(run(ad.grad(inner, argnums=every(chain)))(*chain.args), wants, strict=True):
            near(h, want, 10.0)


# --- mapped ----------------------------------------------------------------------------------------------------------
@ALL
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_mapped_gradient(name, wrap):
    chain = CHAINS[name]
    stacked = tuple(np.stack([a, a * 1.125, a + 0.0625]) for a in map(np.asarray, chain.args))
    got = wrap(ss.vmap(gradient(chain)))(*stacked)
    for k in range(3):
        for g, want in zip(got, gradient(chain)(*(a[k] for a in stacked)), strict=True):
            assert g.dtype == want.dtype
            near(g[k], want)


# --- jacobians -------------------------------------------------------------------------------------------------------
def vector(x: Any, z: Any) -> Any:
    """A complex function of real and complex arguments."""
    return ss.fft.fft(x * ss.exp(1j * x))[:3] * ss.sum(z * z)


def sizes(x: Any) -> Any:
    """A real function of real arguments, through complex ones."""
    return ss.abs(ss.fft.fft(x * ss.exp(1j * x)))[:3]


@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
@pytest.mark.parametrize("jacobian", [ad.jacfwd, ad.jacrev, ad.jacobian])
def test_jacobian_of_a_real_function(jacobian, wrap):
    x = np.array([0.3, 1.2, -0.7, 0.9])
    got = wrap(jacobian(sizes))(x)
    assert (got.shape, got.dtype) == ((3, 4), np.float64)
    columns = [ad.jvp(sizes, x, e)[1].numpy() for e in np.eye(4)]
    near(got, np.stack(columns, axis=1))


@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_jacobian_of_a_complex_function_of_real_numbers(wrap):
    x, z = np.array([0.3, 1.2, -0.7, 0.9]), np.array([1.0 + 2.0j, 0.5j])
    got = wrap(ad.jacfwd(vector))(x, z)
    assert (got.shape, got.dtype) == ((3, 4), np.complex128)
    near(got, np.stack([ad.jvp(lambda x: vector(x, z), x, e)[1].numpy() for e in np.eye(4)], axis=1))


# --- dtypes ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["power spectrum", "phases", "logarithms", "polar coordinates", "real and complex"])
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_single_precision_stays(name, wrap):
    """Of the arguments: the constants of the program are of double precision, and so is what is computed with them."""
    chain = CHAINS[name]
    args = [a.astype(np.complex64 if np.iscomplexobj(a) else np.float32) for a in chain.args]
    wants = gradient(chain)(*(a.astype(np.complex128 if np.iscomplexobj(a) else np.float64) for a in args))
    for g, want, a in zip(wrap(gradient(chain))(*args), wants, args, strict=True):
        assert g.dtype == a.dtype
        np.testing.assert_allclose(g.numpy(), want.numpy(), rtol=0, atol=1e-5 * np.abs(want.numpy()).max())


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_a_real_argument_of_a_complex_function_has_a_real_gradient(real):
    x = np.asarray([0.5, 1.5], real)
    for f in (lambda x: ss.real(ss.sum(x * (1.0 - 2.0j) * x)), lambda x: ss.imag(ss.sum(ss.exp(1j * x) ** 2))):
        for grad in (ad.grad(f), ss.jit(ad.grad(f)), ad.jacrev(f)):
            g = grad(x)
            assert g.dtype == real
        _, pullback = ad.vjp(lambda x: x * (1.0 - 2.0j), x)
        (ct,) = pullback(np.asarray([1.0 + 1.0j, 2.0], np.complex64 if real is np.float32 else np.complex128))
        assert ct.dtype == real


def test_pullback_projects_once():
    """x -> c x -> abs: the cotangent of x is the real part of conj(c) times that of c x, not the real part of each."""
    c, x = np.array([1.0 + 2.0j, -0.5j]), np.array([0.5, 2.0])
    _, pullback = ad.vjp(lambda x: c * (x * c), x)
    ct = np.array([1.0 - 1.0j, 0.25 + 2.0j])
    near(pullback(ct)[0], np.real(np.conj(c * c) * ct))


# --- closed forms ----------------------------------------------------------------------------------------------------
def test_gradient_of_least_squares_descends():
    """dL/dx + i dL/dy is 2 A^H (A z - c): a step against it lessens the loss, to the solution."""
    rng = np.random.default_rng(2)
    a = rng.standard_normal((4, 3)) + 1j * rng.standard_normal((4, 3)) + 4.0 * np.eye(4, 3)
    c = rng.standard_normal(4) + 1j * rng.standard_normal(4)
    loss = lambda z: ss.sum(ss.abs(a @ z - c) ** 2)
    z = np.zeros(3, complex)
    near(ad.grad(loss)(z), -2 * a.conj().T @ c)
    near(ad.hvp(loss, z, z + 1j), 2 * a.conj().T @ a @ (z + 1j))
    step = ss.jit(lambda z: z - 0.5 / np.linalg.norm(a, 2) ** 2 * ad.grad(loss)(z))
    values = [float(loss(z))]
    for _ in range(200):
        z = step(z)
        values.append(float(loss(z)))
    assert all(after <= before * (1 + 16 * EPS) for before, after in itertools.pairwise(values))
    np.testing.assert_allclose(z.numpy(), np.linalg.lstsq(a, c, rcond=None)[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 1.5, -1])
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_power_of_a_modulus(p, wrap):
    """The gradient of abs(z)^p is p abs(z)^(p-2) z."""
    z = np.array([0.5 - 1.5j, -2.0 + 0.25j, 3.0, 0.1j])
    near(wrap(ad.grad(lambda z: ss.sum(ss.abs(z) ** p)))(z), p * np.abs(z) ** (p - 2) * z)


def test_arguments_by_number():
    """One of several arguments, real or complex, alone and together."""
    chain = CHAINS["real and complex"]
    both = gradient(chain)(*chain.args)
    for k in (0, 1):
        g = ad.grad(chain.f, argnums=k)(*chain.args)
        assert g.dtype == np.asarray(chain.args[k]).dtype
        near(g, both[k].numpy())
    tree = ad.grad(lambda p: chain.f(p["x"], p["z"]))({"x": chain.args[0], "z": chain.args[1]})
    near(tree["x"], both[0].numpy())
    near(tree["z"], both[1].numpy())
