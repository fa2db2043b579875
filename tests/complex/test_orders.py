"""Complex numbers in every mode and of higher orders: series against mpmath, conventions at zero, collectives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc
from scisim import distributed as sd
from scisim.core.errors import DTypeError

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
EPS = np.finfo(float).eps
ORDER = 6
Z = np.array([0.3 + 0.4j, -0.7 + 1.1j, 0.2 - 0.5j, -1.4 - 0.9j])
V = np.array([1.0 + 0.5j, -0.25j, 2.0, 0.5 - 1.0j])
WRAPS: dict[str, Callable] = {
    "eager": lambda f: f,
    "captured": ss.jit,
    "mapped": ss.vmap,
    "captured mapped": lambda f: ss.jit(ss.vmap(f)),
}
modes = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
slow = pytest.mark.slow
long_modes = pytest.mark.parametrize(
    "wrap", [pytest.param(w, id=n, marks=slow if n == "captured" else ()) for n, w in WRAPS.items()]
)

# --- series ----------------------------------------------------------------------------------------------------------
HOLOMORPHIC = {
    "tan": (ss.tan, mpmath.tan),
    "asin": (ss.asin, mpmath.asin),
    "acos": (ss.acos, mpmath.acos),
    "atan": (ss.atan, mpmath.atan),
    "asinh": (ss.asinh, mpmath.asinh),
    "acosh": (ss.acosh, mpmath.acosh),
    "atanh": (ss.atanh, mpmath.atanh),
    "tanh": (ss.tanh, mpmath.tanh),
    "exp2": (ss.exp2, lambda z: mpmath.mpf(2) ** z),
    "log10": (ss.log10, mpmath.log10),
    "expm1": (ss.expm1, mpmath.expm1),
    "log1p": (ss.log1p, lambda z: mpmath.log(1 + z)),
    "sigmoid": (ss.sigmoid, lambda z: 1 / (1 + mpmath.exp(-z))),
    "power": (lambda z: z**2.5, lambda z: z**2.5),
    "whole power": (lambda z: z**-3, lambda z: z**-3),
    "sqrt": (ss.sqrt, mpmath.sqrt),
}
REAL = {  # functions of both parts, of mpmath as functions of x and y
    "abs": (ss.abs, lambda x, y: mpmath.sqrt(x * x + y * y)),
    "angle": (ss.angle, lambda x, y: mpmath.atan2(y, x)),
    "sign": (ss.sign, lambda x, y: (x + 1j * y) / mpmath.sqrt(x * x + y * y)),
    "cube of abs": (lambda z: ss.abs(z) ** 3, lambda x, y: mpmath.sqrt(x * x + y * y) ** 3),
    "squares": (lambda z: ss.real(z) ** 2 - 3.0 * ss.imag(z) ** 2, lambda x, y: x * x - 3 * y * y),
}


def expected(f: Callable, z: complex, v: complex) -> list[complex]:
    """Taylor coefficients of t -> f(z + t v)."""
    with mpmath.workdps(60):
        z, v = mpmath.mpmathify(z), mpmath.mpmathify(v)
        return [complex(c) for c in mpmath.taylor(lambda t: f(z + t * v), 0, ORDER)]


def compare(got: list, wants: list[list[complex]]) -> None:
    for k, c in enumerate(got):
        want = np.array([w[k] for w in wants])
        scale = max(1.0, np.abs(want).max())
        np.testing.assert_allclose(np.asarray(c), want, rtol=0, atol=64 * 4**k * EPS * scale)


@long_modes
@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_series_of_holomorphic_functions(name, wrap):
    f, exact = HOLOMORPHIC[name]
    compare(
        wrap(lambda z, v: ad.taylor(f, z, v, ORDER))(Z, V), [expected(exact, z, v) for z, v in zip(Z, V, strict=True)]
    )


@long_modes
@pytest.mark.parametrize("name", REAL)
def test_series_of_functions_of_both_parts(name, wrap):
    f, exact = REAL[name]
    wants = [
        expected(lambda t, z=z, v=v: exact(z.real + t * v.real, z.imag + t * v.imag), 0.0, 1.0)
        for z, v in zip(Z.tolist(), V.tolist(), strict=True)
    ]
    compare(wrap(lambda z, v: ad.taylor(f, z, v, ORDER))(Z, V), wants)


@long_modes
@pytest.mark.parametrize("name", [*HOLOMORPHIC, *REAL])
def test_reverse_is_forward_to_the_third_order(name, wrap):
    """Of a real part: along v, by pullbacks of pullbacks of pullbacks and by tangents of tangents of tangents."""
    f = (HOLOMORPHIC | REAL)[name][0]

    def down(g: Callable, v: Any) -> Callable:
        return lambda z: ss.real(ss.conj(ad.grad(lambda z: ss.sum(g(z)))(z)) * v)

    def up(g: Callable, v: Any) -> Callable:
        return lambda z: ad.jvp(g, z, v)[1]

    def all_orders(z: Any, v: Any) -> Any:
        real = lambda z: ss.real(f(z) * (1.0 - 0.5j))
        backwards, forwards = [real], [real]
        for _ in range(3):
            backwards.append(down(backwards[-1], v))
            forwards.append(up(forwards[-1], v))
        return [g(z) for g in backwards], [g(z) for g in forwards], down(up(down(real, v), v), v)(z)

    backwards, forwards, mixed = wrap(all_orders)(Z, V)
    series = ad.taylor(lambda z: ss.real(f(z) * (1.0 - 0.5j)), Z, V, 3)
    for k, (b, c) in enumerate(zip(backwards, forwards, strict=True)):
        want = np.asarray(series[k]) * [1, 1, 2, 6][k]
        scale = max(1.0, np.abs(want).max())
        np.testing.assert_allclose(b.numpy(), want, rtol=0, atol=256 * EPS * scale)
        np.testing.assert_allclose(c.numpy(), want, rtol=0, atol=256 * EPS * scale)
    np.testing.assert_allclose(mixed.numpy(), want, rtol=0, atol=256 * EPS * scale)


# --- conventions -----------------------------------------------------------------------------------------------------
@modes
def test_holomorphic_derivative_of_a_square(wrap):
    z = np.array([1 + 1j])
    assert wrap(sc.holomorphic(lambda z: z**2))(z).tolist() == [2 + 2j]
    assert wrap(lambda z: ad.jvp(lambda z: z**2, z, ss.ones_like(z))[1])(z).tolist() == [2 + 2j]
    assert wrap(lambda z: ad.taylor(lambda z: z**2, z, ss.ones_like(z), 3)[1])(z).tolist() == [2 + 2j]
    assert wrap(lambda z: ad.vjp(lambda z: z**2, z)[1](ss.ones_like(z))[0])(z).tolist() == [2 - 2j]  # conj(2 z)


SQUARES = {
    "parts": lambda z: ss.real(z) ** 2 + ss.imag(z) ** 2,
    "abs": lambda z: ss.abs(z) ** 2,
    "product": lambda z: ss.real(z * ss.conj(z)),
    "norm": lambda z: ss.linalg.norm(ss.stack([z]), axis=0) ** 2,
    "hypot": lambda z: ss.square(ss.hypot(ss.real(z), ss.imag(z))),
}


@modes
@pytest.mark.parametrize("name", SQUARES)
def test_gradient_of_a_squared_modulus(name, wrap):
    """Steepest ascent, 2 z; smooth at 0, where the Hessian is twice the identity."""
    f, z = SQUARES[name], np.array([3 + 4j, 0j])
    grad = ad.grad(lambda z: ss.sum(f(z)))
    np.testing.assert_allclose(wrap(grad)(z), 2 * z, rtol=4 * EPS)
    v = np.array([1 + 2j, 1 + 2j])
    along = lambda z, v: ss.real(ss.sum(ss.conj(grad(z)) * v))
    ways = (
        lambda z, v: ad.jvp(grad, z, v)[1],
        lambda z, v: ad.grad(lambda z: along(z, v))(z),
        lambda z, v: ad.grad(lambda z: ss.sum(ad.jvp(f, z, v)[1]))(z),
    )
    for way in ways:
        np.testing.assert_allclose(wrap(way)(z, v), 2 * v, rtol=8 * EPS)
    second = wrap(lambda z, v: ad.taylor(f, z, v, 3)[2])(z, v)
    np.testing.assert_allclose(second, np.abs(v) ** 2, rtol=8 * EPS)


@modes
@pytest.mark.parametrize("f", [ss.abs, ss.angle, lambda z: ss.linalg.norm(ss.stack([z, z]), axis=0)])
def test_derivatives_at_zero_are_zero(f, wrap):
    z, v = np.array([0j, 1j]), np.array([1 + 1j, 0])
    g = wrap(ad.grad(lambda z: ss.sum(f(z))))(z)
    assert g[0] == 0
    assert np.isfinite(g.numpy()).all()
    assert wrap(lambda z, v: ad.jvp(f, z, v)[1])(z, v).tolist() == [0, 0]


@modes
def test_sign_has_derivative_zero_at_zero(wrap):
    z, v = np.array([0j, 2j]), np.array([1 + 1j, 1 + 1j])
    np.testing.assert_allclose(wrap(lambda z, v: ad.jvp(ss.sign, z, v)[1])(z, v), [0, 0.5], atol=EPS)
    assert wrap(lambda z: ad.vjp(ss.sign, z)[1](ss.ones_like(z))[0])(z)[0] == 0


@modes
@pytest.mark.parametrize("n", [5, 6])
def test_imaginary_parts_that_a_real_transform_leaves_out(n, wrap):
    """Of the mean, and of the highest wave of an even number of points: derivatives are 0, and so are cotangents."""
    z = np.exp(1j * np.arange(2 * (n // 2 + 1))).reshape(2, -1)
    f = lambda z: ss.sum(ss.fft.irfft(z, n=n) ** 3)
    g = wrap(ad.grad(lambda z: ss.sum(f(z))))(z).numpy()
    out = [0, n // 2] if n % 2 == 0 else [0]
    assert not g[:, out].imag.any()
    assert g[:, out].real.all()
    v = np.zeros_like(z)
    v[:, out] = 1j
    for k in (1, 2, 3):
        assert not np.any(np.asarray(wrap(lambda z, v, k=k: ad.taylor(f, z, v, 3)[k])(z, v)))


# --- collectives -----------------------------------------------------------------------------------------------------
REFUSED = {
    "eager": lambda f: f(Z),
    "captured": lambda f: ss.jit(f)(Z),
    "mapped": lambda f: ss.vmap(f)(Z),
    "captured mapped": lambda f: ss.jit(ss.vmap(f))(Z),
    "forward": lambda f: ad.jvp(f, Z, V),
    "reverse": lambda f: ad.vjp(f, Z),
    "Taylor": lambda f: ad.taylor(f, Z, V, 3),
}


@pytest.mark.parametrize("mode", REFUSED)
@pytest.mark.parametrize("op", ["max", "min"])
def test_collectives_refuse_to_order_complex_numbers(op, mode):
    with pytest.raises(DTypeError, match="complex numbers have no order"):
        REFUSED[mode](lambda z: sd.all_reduce(z, op))


@modes
def test_sums_of_complex_numbers_over_ranks(wrap):
    f = lambda z: sd.all_reduce(ss.exp(z) * 1j)
    np.testing.assert_allclose(wrap(f)(Z), 1j * np.exp(Z), rtol=8 * EPS)
    np.testing.assert_allclose(wrap(lambda z, v: ad.jvp(f, z, v)[1])(Z, V), 1j * np.exp(Z) * V, rtol=16 * EPS)
    c = wrap(lambda z, v: ad.taylor(f, z, v, 3)[3])(Z, V)
    np.testing.assert_allclose(c, 1j * np.exp(Z) * V**3 / 6, rtol=16 * EPS)
    pulled = wrap(lambda z, v: ad.vjp(f, z)[1](v)[0])(Z, V)
    np.testing.assert_allclose(pulled, np.conj(1j * np.exp(Z)) * V, rtol=16 * EPS)


# --- branch cuts -----------------------------------------------------------------------------------------------------
CUTS = {  # points on cuts: the sign of a zero part tells the side
    "asin": (ss.asin, (2.0, -2.0), 1j),
    "acos": (ss.acos, (2.0, -2.0), 1j),
    "acosh": (ss.acosh, (0.5, -2.0), 1j),
    "atanh": (ss.atanh, (2.0, -2.0), 1j),
    "asinh": (ss.asinh, (2.0, -2.0), 1.0),
    "atan": (ss.atan, (2.0, -2.0), 1.0),
    "sqrt": (ss.sqrt, (-2.0,), 1j),
    "log": (ss.log, (-2.0,), 1j),
}


@modes
@pytest.mark.parametrize("name", CUTS)
def test_derivatives_on_a_branch_cut_are_those_of_its_side(name, wrap):
    f, points, across = CUTS[name]
    on, beside = [], []
    for x in points:
        for zero in (0.0, -0.0):
            z = complex(zero, x) if across == 1.0 else complex(x, zero)
            on.append(z)
            beside.append(z + across * np.copysign(1e-12, zero))
    for n in (1, 2):
        series = wrap(lambda z, n=n: ad.taylor(f, z, ss.ones_like(z), 2)[n])
        c = [np.asarray(series(np.array(z))) for z in (on, beside)]
        np.testing.assert_allclose(c[0], c[1], rtol=1e-10, atol=1e-11)
    first = wrap(lambda z: ss.conj(ad.vjp(f, z)[1](ss.ones_like(z))[0]))(np.array(on))
    np.testing.assert_allclose(first, wrap(sc.holomorphic(f))(np.array(on)), rtol=8 * EPS, atol=8 * EPS)
