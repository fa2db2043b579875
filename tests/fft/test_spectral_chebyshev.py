"""Chebyshev series: against mpmath, NumPy's polynomials and closed forms."""

from __future__ import annotations

import functools
import math

import mpmath
import numpy as np
import pytest
from numpy.polynomial import chebyshev as polynomials

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.fft import spectral

EPS = np.finfo(float).eps
KINDS = pytest.mark.parametrize("kind", [1, 2])


def close(got, want, atol: float) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=0.0, atol=atol)


# --- points, weights, matrices -------------------------------------------------------------------------------
@KINDS
@pytest.mark.parametrize("n", [1, 2, 3, 8, 65])
def test_points_are_cosines_to_the_last_bit_but_one(n, kind):
    with mpmath.workdps(30):
        if kind == 1 or n == 1:
            want = [-mpmath.cos(mpmath.pi * (2 * j + 1) / (2 * n)) for j in range(n)]
        else:
            want = [-mpmath.cos(mpmath.pi * j / (n - 1)) for j in range(n)]
        error = max(abs(mpmath.mpf(float(x)) - w) for x, w in zip(spectral.chebyshev_points(n, kind), want))
    assert error <= EPS
    x = np.asarray(spectral.chebyshev_points(n, kind))
    np.testing.assert_array_equal(x, -x[::-1])
    wide = np.asarray(spectral.chebyshev_points(n, kind, (2.0, 5.0)))
    close(wide, 3.5 + 1.5 * x, 4 * EPS)
    assert kind == 1 or n == 1 or (wide[0], wide[-1]) == (2.0, 5.0)
    assert spectral.chebyshev_points(n, kind, dtype=np.float32).dtype == np.float32


@KINDS
@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 40])
def test_weights_integrate_polynomials_exactly(n, kind):
    w = np.asarray(spectral.chebyshev_weights(n, kind))
    assert (w > 0).all()
    x = np.asarray(spectral.chebyshev_points(n, kind))
    for k in range(n):
        close(w @ x**k, (1 - (-1) ** (k + 1)) / (k + 1), 8 * EPS)
    scaled = spectral.chebyshev_weights(n, kind, (0.0, 3.0))
    close(scaled, 1.5 * w, 8 * EPS)


def exact_matrix(x: list, order: int) -> np.ndarray:
    """The derivative at each point of each Lagrange polynomial."""
    rows = []
    for at in x:
        row = []
        for j in range(len(x)):
            others = [x[m] for m in range(len(x)) if m != j]
            scale = mpmath.fprod(x[j] - y for y in others)
            p = [mpmath.mpf(1)]
            for y in others:  # coefficients, the highest first
                p = [a - y * b for a, b in zip([*p, mpmath.mpf(0)], [mpmath.mpf(0), *p])]
            for _ in range(order):
                degree = len(p) - 1
                p = [c * (degree - i) for i, c in enumerate(p[:-1])] or [mpmath.mpf(0)]
            row.append(float(functools.reduce(lambda total, c, t=at: total * t + c, p) / scale))
        rows.append(row)
    return np.array(rows)


@KINDS
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_matrices_are_those_of_lagrange_polynomials(order, kind):
    n = 9
    with mpmath.workdps(40):
        if kind == 1:
            x = [-mpmath.cos(mpmath.pi * (2 * j + 1) / (2 * n)) for j in range(n)]
        else:
            x = [-mpmath.cos(mpmath.pi * j / (n - 1)) for j in range(n)]
        want = exact_matrix(x, order)
    got = np.asarray(spectral.chebyshev_matrix(n, order, kind))
    close(got, want, 32 * EPS * (order + 1) * np.abs(want).max())  # sums of n terms for each order
    close(got.sum(1), np.full(n, float(order == 0)), 16 * EPS * np.abs(want).max())
    close(spectral.chebyshev_matrix(n, order, kind, (0.0, 1.0)), 2.0**order * got, 0.0)
    close(spectral.chebyshev_matrix(1, order, kind), [[float(order == 0)]], 0.0)


# --- transforms ----------------------------------------------------------------------------------------------
@KINDS
@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 32])
def test_transforms_are_values_of_the_series(n, kind):
    rng = np.random.default_rng(n)
    c = rng.normal(size=(3, n)) + 1j * rng.normal(size=(3, n))
    x = np.asarray(spectral.chebyshev_points(n, kind))
    values = np.stack([polynomials.chebval(x, row) for row in c])
    close(spectral.inverse_chebyshev(c, kind), values, 64 * EPS * n)
    close(spectral.chebyshev(values, kind), c, 64 * EPS * n)
    close(spectral.chebyshev(values.real.T, kind, axis=0), c.real.T, 64 * EPS * n)


@KINDS
def test_coefficients_of_the_exponential_function(kind):
    x = spectral.chebyshev_points(20, kind)
    with mpmath.workdps(30):
        want = [float(mpmath.besseli(k, 1)) * (2 if k else 1) for k in range(20)]
    close(spectral.chebyshev(ss.exp(x), kind), want, 4 * EPS)


def test_dtypes():
    for f in (
        spectral.chebyshev,
        spectral.inverse_chebyshev,
        spectral.chebyshev_derivative,
        spectral.chebyshev_integral,
    ):
        assert f(np.ones(4, np.float32)).dtype == np.float32
        assert f(np.ones(4, np.complex64)).dtype == np.complex64
        assert f(np.ones(4, int)).dtype == np.float64
    assert spectral.chebyshev_integrate(np.ones(4, np.float32)).dtype == np.float32
    assert spectral.chebyshev_evaluate(np.ones(4, np.float32), np.ones(2, np.float32)).dtype == np.float32


# --- derivatives and integrals -------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
def test_series_of_derivatives_and_integrals(n):
    c = np.random.default_rng(n).normal(size=(2, n))
    for order in range(4):
        want = np.zeros((2, n))
        if order < n:
            want[:, : n - order] = polynomials.chebder(c, order, scl=0.5, axis=1)
        got = spectral.chebyshev_derivative(c, order, interval=(1.0, 5.0))
        close(got, want, 64 * EPS * max(1.0, np.abs(want).max()))
        close(spectral.chebyshev_derivative(c.T, order, 0, (1.0, 5.0)), np.asarray(got).T, 0.0)
    want = polynomials.chebint(c, scl=2.0, lbnd=-1.0, axis=1)
    close(spectral.chebyshev_integral(c, interval=(1.0, 5.0)), want, 32 * EPS)
    close(spectral.chebyshev_integral(c.T, 0, (1.0, 5.0)), want.T, 32 * EPS)
    back = spectral.chebyshev_derivative(spectral.chebyshev_integral(c))
    close(back[:, :-1], c, 64 * EPS)


@KINDS
@pytest.mark.parametrize("n", [24, 25, 64])
def test_derivatives_converge_to_rounding(n, kind):
    x = np.asarray(spectral.chebyshev_points(n, kind, (0.0, 2.0)))
    u = np.exp(x) * np.sin(3 * x)
    first = np.exp(x) * (np.sin(3 * x) + 3 * np.cos(3 * x))
    second = np.exp(x) * (6 * np.cos(3 * x) - 8 * np.sin(3 * x))
    size = EPS * np.abs(u).max()
    for order, want in ((0, u), (1, first), (2, second)):
        atol = 16 * size * n ** (2 * order)
        close(spectral.chebyshev_differentiate(u, order, kind, interval=(0.0, 2.0)), want, atol)
        close(np.asarray(spectral.chebyshev_matrix(n, order, kind, (0.0, 2.0))) @ u, want, atol)
    with mpmath.workdps(30):
        whole = float(mpmath.quad(lambda t: mpmath.exp(t) * mpmath.sin(3 * t), [0, 2]))
    close(spectral.chebyshev_integrate(u, kind, interval=(0.0, 2.0)), whole, 8 * size)
    series = spectral.chebyshev_integral(spectral.chebyshev(u, kind), interval=(0.0, 2.0))
    close(spectral.chebyshev_evaluate(series, 2.0, interval=(0.0, 2.0)), whole, 16 * size)


def test_matrices_and_transforms_are_the_same_map():
    for kind in (1, 2):
        for n in (1, 2, 3, 8):
            dense = np.asarray(ss.vmap(lambda v, k=kind: spectral.chebyshev_differentiate(v, 1, k))(np.eye(n))).T
            close(dense, spectral.chebyshev_matrix(n, 1, kind), 64 * EPS * n**2)


def test_integrals_along_an_axis():
    x = np.asarray(spectral.chebyshev_points(12))
    u = np.stack([x, x**2, x**3 + 1j], 1)
    close(spectral.chebyshev_integrate(u, axis=0), [0, 2 / 3, 2j], 8 * EPS)


# --- values anywhere -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 3, 30, 200])
def test_clenshaws_sums_against_mpmath(n):
    rng = np.random.default_rng(n)
    c, t = rng.normal(size=n), np.concatenate([rng.uniform(-1, 1, 8), [-1.0, 1.0, 1 - 1e-6]])
    with mpmath.workdps(40):
        want = [float(mpmath.fsum(float(a) * mpmath.chebyt(k, float(x)) for k, a in enumerate(c))) for x in t]
    size = EPS * n * np.abs(c).sum()
    got = np.asarray(spectral.chebyshev_evaluate(c, t))
    close(got[:8], want[:8], size)
    close(got, want, n * size)


def test_values_of_several_series_at_points_of_any_shape():
    rng = np.random.default_rng(0)
    c, x = rng.normal(size=(2, 5, 3)), rng.uniform(1, 3, (4, 2))
    got = spectral.chebyshev_evaluate(c, x, axis=1, interval=(1.0, 3.0))
    want = np.moveaxis(polynomials.chebval(x - 2.0, np.moveaxis(c, 1, 0)), (0, 1), (0, 1))
    assert got.shape == (2, 3, 4, 2)
    close(got, want, 32 * EPS * 5)
    close(spectral.chebyshev_evaluate([1.0, 2.0], 2), 5.0, 0.0)
    close(spectral.chebyshev_evaluate([0.0, 0.0, 1.0], 1j), -3.0, 0.0)


def test_values_differentiate_in_points_and_coefficients():
    c, x = np.random.default_rng(1).normal(size=7), np.linspace(-1, 1, 5)
    slope = ss.vmap(ad.grad(lambda t: spectral.chebyshev_evaluate(c, t)))(x)
    close(slope, spectral.chebyshev_evaluate(spectral.chebyshev_derivative(c), x), 1e-13)
    table = ad.jacobian(lambda a: spectral.chebyshev_evaluate(a, x))(c)
    close(table, polynomials.chebvander(x, 6), 1e-14)


def test_a_boundary_value_problem_compiled_and_differentiated():
    x = spectral.chebyshev_points(24)
    inner = spectral.chebyshev_matrix(24, 2)[1:-1, 1:-1]
    solve = lambda a: ss.linalg.solve(inner, ss.exp(a * x[1:-1]))
    u = lambda a, t: (math.exp(a * t) - math.sinh(a) * t - math.cosh(a)) / a**2
    close(ss.jit(solve)(4.0), [u(4.0, float(t)) for t in x[1:-1]], 1e-11)
    h = 1e-5
    slope = [(u(4.0 + h, float(t)) - u(4.0 - h, float(t))) / (2 * h) for t in x[1:-1]]
    close(ad.derivative(solve)(4.0), slope, 1e-8)


def test_bad_arguments_are_named():
    with pytest.raises(ArgumentError, match="chebyshev_points: n must be at least 1, got 0"):
        spectral.chebyshev_points(0)
    with pytest.raises(ArgumentError, match="chebyshev: kind must be one of 1, 2, got 3"):
        spectral.chebyshev(np.ones(3), 3)
    with pytest.raises(ArgumentError, match="interval must go up"):
        spectral.chebyshev_matrix(4, interval=(1.0, -1.0))
    with pytest.raises(ArgumentTypeError, match="interval must be a pair of numbers"):
        spectral.chebyshev_derivative(np.ones(3), interval=2.0)
    with pytest.raises(ArgumentError, match="chebyshev_differentiate: order must be at least 0, got -1"):
        spectral.chebyshev_differentiate(np.ones(3), -1)
    with pytest.raises(DTypeError, match="dtype must be float32 or float64"):
        spectral.chebyshev_weights(4, dtype=np.complex128)
    with pytest.raises(ShapeError, match="chebyshev_evaluate: c is a scalar"):
        spectral.chebyshev_evaluate(1.0, 0.5)
