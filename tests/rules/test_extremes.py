"""Derivatives of very large and very small numbers: what is in range comes out right, though its square is not.

Functions of one number against mpmath, of first and second order, in every mode: forward, reverse, nested, Taylor,
eager and captured; norms and deviations against closed forms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

# Plain calls try the ordinary way first, which overflows.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ULPS = 8
FAR = {
    np.float64: (1e200, -1e300, 1e-200, -1e-300, 1e160, -1e100, 1e-100, 3.0, -0.3, 0.99999999, 1e10),
    np.float32: (1e30, -1e25, 1e-30, -1e20, 1e-20, 3.0, -0.3, 0.9999),
    np.float16: (300.0, -5e4, -2000.0, 1e-3, 3.0, -0.3, 0.99),
}


@dataclass(frozen=True)
class Row:
    """A function, its value and its first and second derivative by mpmath, which points it takes, and whether its
    second derivative is a difference that vanishes, so that it is right to rounding errors of what cancels."""

    f: Callable
    exact: tuple[Callable, Callable, Callable]
    takes: Callable = lambda x: True
    cancels: bool = False


def positive(x: float) -> bool:
    return x > 0


def within(x: float) -> bool:
    return abs(x) < 1


def multiple_of_abs(c: Any) -> tuple:
    """c abs(x) and its derivatives."""
    return lambda x: c * abs(x), lambda x: c * mpmath.sign(x), lambda x: mpmath.mpf(0)


def power_of(p: float) -> tuple:
    return lambda x: x**p, lambda x: p * x ** (p - 1), lambda x: p * (p - 1) * x ** (p - 2)


def logarithm(base: Any, shift: int = 0) -> tuple:
    c = LOGS[base]
    return lambda x: mpmath.log(shift + x) / c, lambda x: 1 / c / (shift + x), lambda x: -1 / c / (shift + x) ** 2


ROOT = mpmath.sqrt
with mpmath.workdps(60):
    THIRD, LOGS = mpmath.mpf(1) / 3, {"e": mpmath.mpf(1), 2: mpmath.log(2), 10: mpmath.log(10)}
    FACTORS = {2: ROOT(5), 3: mpmath.cbrt(9), 4: mpmath.root(17, 4), "complex": ROOT(10)}
ATAN = (mpmath.atan, lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2)
TURNED = (lambda x: mpmath.atan2(1, x), lambda x: -1 / (1 + x * x), lambda x: 2 * x / (1 + x * x) ** 2)
LENGTH = (lambda x: ROOT(x * x + 1), lambda x: x / ROOT(x * x + 1), lambda x: ROOT(x * x + 1) ** -3)
ASIN = (mpmath.asin, lambda x: 1 / ROOT(1 - x) / ROOT(1 + x), lambda x: x / (ROOT(1 - x) * ROOT(1 + x)) ** 3)
ACOS = (mpmath.acos, lambda x: -ASIN[1](x), lambda x: -ASIN[2](x))
ACOSH = (mpmath.acosh, lambda x: 1 / ROOT(x - 1) / ROOT(x + 1), lambda x: -x / (ROOT(x - 1) * ROOT(x + 1)) ** 3)
ASINH = (mpmath.asinh, lambda x: 1 / _rooted(x), lambda x: -x / _rooted(x) ** 3)
ATANH = (mpmath.atanh, lambda x: 1 / (1 - x * x), lambda x: 2 * x / (1 - x * x) ** 2)


def _rooted(x: Any) -> Any:
    """sqrt(1 + x^2) on the branch of asinh."""
    return ROOT(1 + 1j * x) * ROOT(1 - 1j * x) if isinstance(x, mpmath.mpc) else ROOT(1 + x * x)


def norm_of(p: float) -> Callable:
    return lambda x: ss.linalg.norm(ss.stack([x, 2 * x]), p, axis=0)


ROWS = {
    "atan": Row(ss.atan, ATAN),
    "asinh": Row(ss.asinh, ASINH),
    "acosh": Row(ss.acosh, ACOSH, lambda x: x > 1),
    "asin": Row(ss.asin, ASIN, within),
    "acos": Row(ss.acos, ACOS, within),
    "atanh": Row(ss.atanh, ATANH, within),
    "sqrt": Row(ss.sqrt, power_of(0.5), positive),
    "cbrt": Row(ss.cbrt, power_of(THIRD), positive),
    "log": Row(ss.log, logarithm("e"), positive),
    "log2": Row(ss.log2, logarithm(2), positive),
    "log10": Row(ss.log10, logarithm(10), positive),
    "log1p": Row(ss.log1p, logarithm("e", 1), positive),
    "1/x": Row(lambda x: 1 / x, power_of(-1)),
    "x^-1": Row(lambda x: x**-1, power_of(-1)),
    "x^-2": Row(lambda x: x**-2, power_of(-2)),
    "x^-3": Row(lambda x: x**-3, power_of(-3)),
    "x^3": Row(lambda x: x**3, power_of(3)),
    "x^1.5": Row(lambda x: x**1.5, power_of(1.5), positive),
    "x^-0.5": Row(lambda x: x**-0.5, power_of(-0.5), positive),
    "1/sqrt(x)": Row(lambda x: 1 / ss.sqrt(x), power_of(-0.5), positive),
    "hypot(x, 1)": Row(lambda x: ss.hypot(x, 1.0), LENGTH),
    "hypot(x, 2x)": Row(lambda x: ss.hypot(x, 2 * x), multiple_of_abs(FACTORS[2]), cancels=True),
    "atan2(x, 1)": Row(lambda x: ss.atan2(x, 1.0), ATAN),
    "atan2(1, x)": Row(lambda x: ss.atan2(1.0, x), TURNED),
    "norm of (x, 2x)": Row(norm_of(2), multiple_of_abs(FACTORS[2]), cancels=True),
    "norm of order 3": Row(norm_of(3), multiple_of_abs(FACTORS[3]), cancels=True),
    "norm of order 4": Row(norm_of(4), multiple_of_abs(FACTORS[4]), cancels=True),
}
COMPLEX_ROWS = {  # whose results have single precision at least
    "abs(x + i)": Row(lambda x: ss.abs(x + 1j), LENGTH),
    "abs(x + 3ix)": Row(lambda x: ss.abs(x + 3j * x), multiple_of_abs(FACTORS["complex"]), cancels=True),
    "angle(x + i)": Row(lambda x: ss.angle(x + 1j), TURNED),
    "real part of sign(x + i)": Row(
        lambda x: ss.real(ss.sign(x + 1j)),
        (LENGTH[1], LENGTH[2], lambda x: -3 * x / ROOT(x * x + 1) ** 5),
    ),
    "imaginary part of sign(x + i)": Row(
        lambda x: ss.imag(ss.sign(x + 1j)),
        (lambda x: 1 / ROOT(x * x + 1), lambda x: -x * LENGTH[2](x), lambda x: (2 * x * x - 1) / ROOT(x * x + 1) ** 5),
    ),
}


# --- modes -----------------------------------------------------------------------------------------------------------
def reverse(f: Callable) -> Callable:
    return ad.grad(lambda x: ss.sum(f(x)))


def forward(f: Callable) -> Callable:
    return lambda x: ad.jvp(f, x, ss.ones_like(x))[1]


def series(n: int) -> Callable:
    return lambda f: lambda x: n * ad.taylor(f, x, ss.ones_like(x), 2)[n]


MODES: dict[int, dict[str, Callable]] = {
    1: {
        "forward": forward,
        "reverse": reverse,
        "Taylor": series(1),
        "captured forward": lambda f: ss.jit(forward(f)),
        "captured reverse": lambda f: ss.jit(reverse(f)),
    },
    2: {
        "reverse over reverse": lambda f: reverse(reverse(f)),
        "forward over reverse": lambda f: forward(reverse(f)),
        "reverse over forward": lambda f: reverse(forward(f)),
        "forward over forward": lambda f: forward(forward(f)),
        "Taylor": series(2),
        "captured reverse over reverse": lambda f: ss.jit(reverse(reverse(f))),
        "captured Taylor": lambda f: ss.jit(series(2)(f)),
    },
}


def exact(f: Callable, x: complex) -> Any:
    with mpmath.workdps(60):
        return f(mpmath.mpmathify(x))


def check(row: Row, dtype: Any, order: int) -> None:
    info = np.finfo(dtype)
    points = [float(dtype(x)) for x in FAR[dtype] if row.takes(x)]
    points = [x for x in points if abs(row.exact[0](mpmath.mpf(x))) < float(info.max)]
    x = ss.asarray(np.array(points, dtype))
    least = mpmath.mpf(float(info.smallest_normal)) * mpmath.mpf(float(info.eps))
    for mode, make in MODES[order].items():
        got = make(row.f)(x)
        assert got.dtype == dtype, mode
        for at, y in zip(points, np.asarray(got).tolist(), strict=True):
            want = exact(row.exact[order], at)
            if abs(want) > float(info.max):
                continue
            unit = max(abs(want) * float(info.eps), least)
            if row.cancels:
                unit += 16 * float(info.eps) * abs(row.exact[0](mpmath.mpf(at))) / abs(mpmath.mpf(at)) ** order
            error = abs(mpmath.mpf(y) - want) if np.isfinite(y) else mpmath.inf
            assert error <= ULPS * unit, (mode, at, y, float(want))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("name", ROWS)
def test_functions(name, dtype, order):
    check(ROWS[name], dtype, order)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", COMPLEX_ROWS)
def test_functions_through_complex_numbers(name, dtype, order):
    check(COMPLEX_ROWS[name], dtype, order)


# --- functions of a complex number ---------------------------------------------------------------------------------
POINTS = (
    1e200 + 2e200j,
    -3e150 + 1e150j,
    1e300 + 5e299j,
    1e-200 - 2e-200j,
    1e100 + 1e100j,
    0.3 + 0.4j,
    -2 - 3j,
    1 + 1e200j,
)
HOLOMORPHIC = {
    "1/z": (lambda z: 1 / z, power_of(-1)),
    "z^-2": (lambda z: z**-2, power_of(-2)),
    "(1 + 2i)/z": (lambda z: (1 + 2j) / z, tuple(lambda z, f=f: (1 + 2j) * f(z) for f in power_of(-1))),
    "sqrt": (ss.sqrt, power_of(0.5)),
    "log": (ss.log, logarithm("e")),
    "atan": (ss.atan, ATAN),
    "atanh": (ss.atanh, ATANH),
    "asin": (ss.asin, ASIN),
    "acos": (ss.acos, ACOS),
    "asinh": (ss.asinh, ASINH),
    "acosh": (ss.acosh, ACOSH),
}


def complex_reverse(f: Callable) -> Callable:
    return lambda z: ss.conj(ad.vjp(f, z)[1](ss.ones_like(z))[0])


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_functions_of_a_complex_number(name):
    f, of_mpmath = HOLOMORPHIC[name]
    z, info = ss.asarray(np.array(POINTS)), np.finfo(float)
    modes = {
        1: {"forward": forward, "reverse": complex_reverse, "captured": lambda f: ss.jit(complex_reverse(f))},
        2: {
            "nested forward": lambda f: forward(forward(f)),
            "nested reverse": lambda f: complex_reverse(complex_reverse(f)),
            "Taylor": series(2),
            "captured": lambda f: ss.jit(series(2)(f)),
        },
    }
    for order, makers in modes.items():
        for mode, make in makers.items():
            for at, y in zip(POINTS, make(f)(z).numpy().tolist(), strict=True):
                want = exact(of_mpmath[order], at)
                unit = max(abs(want) * float(info.eps), mpmath.mpf(float(info.smallest_subnormal)))
                if abs(want) < info.max:
                    error = abs(mpmath.mpc(y) - want) if np.isfinite(y) else mpmath.inf
                    assert error <= 2 * ULPS * unit, (mode, at, y, complex(want))


# --- norms -----------------------------------------------------------------------------------------------------------
SIZES = {np.float64: (1.0, 1e200, 1e300, 1e-200, 1e-300), np.float32: (1.0, 1e25, 1e-25), np.float16: (1.0, 2e3, 1e-3)}
SIZED = [(t, s) for t, sizes in SIZES.items() for s in sizes]
V = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, 1.5]])
sized = pytest.mark.parametrize(("dtype", "size"), SIZED, ids=lambda v: getattr(v, "__name__", str(v)))


def agree(got: Any, want: Any, dtype: Any, more: float = 0.0) -> None:
    scale = np.abs(np.asarray(want, np.float64)).max()
    assert got.dtype == dtype
    got = np.asarray(got).astype(np.complex128 if np.iscomplexobj(got) else np.float64)
    np.testing.assert_allclose(got / scale, np.asarray(want) / scale, rtol=0, atol=(16 + more) * np.finfo(dtype).eps)


@sized
@pytest.mark.parametrize("p", [2, 3, 4, 1.5])
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_norms(dtype, size, p, wrap):
    x = V.astype(dtype) * dtype(size)
    exact = x.astype(np.float64) / size
    more = 0.0 if p == 2 else abs(np.log(size))  # a power by the rounded 1/p
    for axis in (1, 0):
        norm = functools.partial(ss.linalg.vector_norm, axis=axis, ord=p)
        n = (np.abs(exact) ** p).sum(axis, keepdims=True) ** (1 / p)
        slope = np.sign(exact) * (np.abs(exact) / n) ** (p - 1)
        agree(wrap(norm)(x), np.squeeze(n, axis) * size, dtype, more)
        agree(wrap(ad.grad(lambda x, norm=norm: ss.sum(norm(x))))(x), slope, dtype, more)
        agree(wrap(lambda x, norm=norm: ad.jvp(norm, x, x)[1])(x), np.squeeze(n, axis) * size, dtype, more)
        agree(wrap(lambda x, norm=norm: ad.taylor(norm, x, x, 2)[1])(x), np.squeeze(n, axis) * size, dtype, more)


@sized
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_second_derivative_of_a_norm(dtype, size, wrap):
    """(1 - c c') / n, where c = x / n."""
    x = V[0].astype(dtype) * dtype(size)
    exact = x.astype(np.float64) / size
    n = np.linalg.norm(exact)
    c = exact / n
    want = (np.eye(3) - np.outer(c, c)) / n / size
    if np.abs(want).max() > np.finfo(dtype).max:
        return
    for hessian in (ad.hessian, lambda f: ad.jacrev(ad.grad(f)), lambda f: ad.jacfwd(ad.jacfwd(f))):
        agree(wrap(hessian(ss.linalg.norm))(x), want, dtype)
    v = np.array([0.5, 1.0, -1.0], dtype)
    agree(wrap(lambda x: 2.0 * ad.taylor(ss.linalg.norm, x, v, 2)[2])(x), v @ want @ v, dtype)


@pytest.mark.parametrize("size", [1.0, 1e200, 1e-200])
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_norms_of_complex_numbers(size, wrap):
    z = (V[0] + 1j * V[1]) * size
    n = np.linalg.norm(V)
    agree(wrap(ss.linalg.norm)(z), n * size, np.float64)
    agree(wrap(ad.grad(ss.linalg.norm))(z), z / size / n, np.complex128)
    agree(wrap(ad.grad(lambda z: ss.sum(ss.abs(z))))(z), z / np.abs(z), np.complex128)
    third = (np.abs(z / size) ** 3).sum() ** (1 / 3)
    agree(wrap(ad.grad(lambda z: ss.linalg.norm(z, 3)))(z), np.abs(z / size) * (z / size) / third**2, np.complex128)


@sized
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_deviations(dtype, size, wrap):
    if dtype is np.float16 and size > 1:
        size = 1e3  # the sum of more is out of range
    x = V[1].astype(dtype) * dtype(size)
    exact = x.astype(np.float64) / size
    d = exact - exact.mean()
    agree(wrap(ss.std)(x), exact.std() * size, dtype)
    agree(wrap(ad.grad(ss.std))(x), d / 3 / exact.std(), dtype)
    agree(wrap(lambda x: ad.jvp(ss.std, x, x)[1])(x), exact.std() * size, dtype)
    agree(wrap(lambda x: ss.std(x, correction=1))(x), exact.std(ddof=1) * size, dtype)


def test_an_ordinary_row_beside_extreme_ones_keeps_its_bits():
    x = np.stack([V[0] * 1e200, V[0], V[0] * 1e-200, 0.0 * V[0], [np.inf, 1.0, 0.0], [np.nan, 1.0, 0.0]])
    got = ss.linalg.norm(ss.asarray(x), axis=1).numpy()
    assert got[1] == ss.linalg.norm(ss.asarray(V[0])).numpy() == np.linalg.norm(V[0])
    np.testing.assert_allclose(got[[0, 2]], np.linalg.norm(V[0]) * np.array([1e200, 1e-200]), rtol=4e-16)
    assert got[3] == 0
    assert np.isinf(got[4])
    assert np.isnan(got[5])
    np.testing.assert_allclose(ss.jit(lambda x: ss.linalg.norm(x, axis=1))(x), got, rtol=4e-16)


@pytest.mark.parametrize("size", [1.0, 1e200, 1e-200, 1e40])
@pytest.mark.parametrize("f", [ss.linalg.norm, ss.std, lambda x: ss.linalg.norm(x, 3)], ids=["norm", "std", "order 3"])
def test_the_value_beside_a_derivative_is_that_of_the_plain_call(f, size):
    x = ss.asarray(V[1] * size)
    value = f(x).numpy()
    assert ad.value_and_grad(f)(x)[0].numpy() == value
    assert ad.jvp(f, x, x)[0].numpy() == value
    assert ad.taylor(f, x, x, 3)[0].numpy() == value


@pytest.mark.parametrize("size", [1e200, 1e-200])
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_rows_at_zero_keep_their_conventions_beside_extreme_ones(size, wrap):
    x = ss.asarray(np.stack([V[0] * size, 0.0 * V[0]]))
    norms = lambda x: ss.linalg.norm(x, axis=1)
    g = wrap(ad.grad(lambda x: ss.sum(norms(x))))(x).numpy()
    np.testing.assert_allclose(g[0], V[0] / np.linalg.norm(V[0]), rtol=1e-15)
    assert g[1].tolist() == [0.0, 0.0, 0.0]
    c = wrap(lambda x: ad.taylor(norms, x, ss.asarray(V), 3))(x)  # one-sided from order 2
    np.testing.assert_allclose(c[1].numpy(), [V[0] @ V[0] / np.linalg.norm(V[0]), np.linalg.norm(V[1])], rtol=1e-15)
    squares = wrap(ad.hessian(lambda y: (norms(ss.stack([y * 0.0 + x[0], y])) ** 2)[1]))(ss.zeros(3))
    np.testing.assert_array_equal(squares, 2 * np.eye(3))
