"""Singular points of functions of arrays: norms, repeated indices, one-sided series, complex numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.primitive import PRIMITIVES

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
INF, NAN = math.inf, math.nan


def numbers(x: Any) -> list:
    return np.asarray(x).tolist()


# --- 2, 3, 4: norms ----------------------------------------------------------------------------------------------
def norm(x: Any) -> Any:
    return ss.sqrt(ss.sum(x * x))


SQUARES: dict[str, Callable] = {
    "power": lambda x: norm(x) ** 2,
    "square": lambda x: ss.square(norm(x)),
    "one call": lambda x: (lambda n: n * n)(norm(x)),
    "two calls": lambda x: norm(x) * norm(x),
    "captured": ss.jit(lambda x: norm(x) ** 2),
    "captured, two calls": ss.jit(lambda x: norm(x) * norm(x)),
    "captured norm": lambda x: ss.jit(norm)(x) ** 2,
    "conditional": lambda x: ss.cond(x[0] < 1, norm, lambda y: ss.abs(y[0]), x) ** 2,
    "captured conditional": ss.jit(lambda x: ss.cond(x[0] < 1, norm, lambda y: ss.abs(y[0]), x) ** 2),
    "hypot": lambda x: ss.hypot(x[0], x[1]) ** 2,
    "modulus": lambda x: ss.abs(x[0] + 1j * x[1]) ** 2,
}
HESSIANS: dict[str, Callable] = {
    "forward over reverse": ad.hessian,
    "reverse over reverse": lambda f: lambda x: ss.vmap(lambda v: ad.vjp(ad.grad(f), x)[1](v)[0])(ss.eye(2)),
    "reverse over forward": lambda f: lambda x: ss.vmap(lambda v: ad.grad(lambda y: ad.jvp(f, y, v)[1])(x))(ss.eye(2)),
    "forward over forward": lambda f: ad.jacfwd(ad.jacfwd(f)),
    "jacrev of grad": lambda f: ad.jacrev(ad.grad(f)),
    "captured": lambda f: ss.jit(ad.hessian(f)),
    "captured reverse over reverse": lambda f: ss.jit(ad.jacrev(ad.grad(f))),
    "vmap": lambda f: lambda x: ss.vmap(ad.hessian(f))(ss.stack([x, x + 1.0]))[0],
}


@pytest.mark.parametrize("mode", HESSIANS)
@pytest.mark.parametrize("name", SQUARES)
def test_hessian_of_a_squared_norm_at_zero(name, mode):
    assert numbers(HESSIANS[mode](SQUARES[name])(ss.zeros(2))) == [[2.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("name", SQUARES)
def test_squared_norm(name):
    f, zero = SQUARES[name], ss.zeros(2)
    v = ss.asarray([3.0, 4.0])
    assert numbers(ad.grad(f)(zero)) == [0.0, 0.0]
    assert numbers(ad.jvp(f, zero, v)[1]) == 0.0
    for order in (2, 3, 5):
        for run in (ad.taylor, ss.jit(ad.taylor, static_argnums=(0, 3))):
            assert numbers(run(f, zero, v, order)[2]) == 25.0
    x = ss.asarray([0.3, -0.4])
    value, gradient = ad.value_and_grad(f)(x)
    assert numbers(value) == numbers(f(x))
    np.testing.assert_allclose(gradient, 2 * np.asarray(x), rtol=1e-15)
    np.testing.assert_allclose(ad.hessian(f)(x), 2 * np.eye(2), atol=1e-15)
    np.testing.assert_allclose(ad.laplacian(f, axis=-1)(zero), 4.0, rtol=1e-15)


@pytest.mark.parametrize("f", [norm, ss.jit(norm)], ids=["eager", "captured"])
def test_norm_at_zero(f):
    zero, v = ss.zeros(2), ss.asarray([3.0, 4.0])
    for grad in (ad.grad(f), ad.jacfwd(f), ad.jacrev(f), ss.jit(ad.grad(f))):
        assert numbers(grad(zero)) == [0.0, 0.0]
    np.testing.assert_allclose(ss.vmap(ad.grad(f))(ss.stack([zero, v])), [[0.0, 0.0], [0.6, 0.8]], rtol=4e-16)
    assert numbers(ad.taylor(f, zero, v, 1)) == [0.0, 0.0]
    for run in (ad.taylor, ss.jit(ad.taylor, static_argnums=(0, 3))):  # |t v| = t |v| on one side
        assert numbers(ss.stack(run(f, zero, v, 3)))[:2] == [0.0, 5.0]


# --- one-sided series --------------------------------------------------------------------------------------------
RUNS = [ad.taylor, ss.jit(ad.taylor, static_argnums=(0, 3)), lambda f, *a: ad.taylor(ss.jit(f), *a)]


@pytest.mark.parametrize("run", RUNS, ids=["eager", "captured", "of captured"])
def test_series_are_one_sided_from_order_two(run):
    zero, v = ss.asarray(0.0), ss.asarray(-3.0)
    assert numbers(run(lambda x: ss.sqrt(x * x), zero, v, 1)[1]) == 0.0
    assert numbers(run(ss.abs, zero, v, 1)[1]) == 0.0
    assert numbers(run(lambda x: ss.sqrt(x * x), zero, v, 2)[1]) == 3.0
    assert numbers(ss.stack(run(ss.abs, zero, v, 3))) == [0.0, 3.0, 0.0, 0.0]
    assert numbers(ss.stack(run(lambda x: ss.abs(x * x * (x - 1.0)), zero, ss.asarray(1.0), 4))) == [0, 0, 1, -1, 0]


@pytest.mark.parametrize("run", RUNS, ids=["eager", "captured", "of captured"])
def test_root_of_a_series_that_starts_at_an_even_order(run):
    one = ss.asarray(1.0)
    c = run(lambda x: ss.sqrt(x * x * x * x * (4.0 + x)), ss.asarray(0.0), one, 6)  # 2 x^2 sqrt(1 + x/4)
    np.testing.assert_allclose(ss.stack(c[:5]), [0, 0, 2, 0.25, -1 / 64], rtol=1e-15)
    assert np.isnan(np.asarray(ss.stack(c[5:]))).all()  # what the carried coefficients do not determine
    both = run(lambda x: ss.sqrt(x * (4.0 + x)), ss.asarray([0.0, 1.0]), ss.ones(2), 2)
    assert numbers(ss.stack([c[0] for c in both])) == [0, INF, -INF]  # an odd order has infinite derivatives
    np.testing.assert_allclose(numbers(both[1])[1], 6 / (2 * 5**0.5), rtol=1e-15)
    for f in (lambda x: ss.sqrt(x * 0.0), lambda x: ss.sqrt(x**6)):  # which differ beyond order 3
        np.testing.assert_array_equal(ss.stack(run(f, ss.asarray(0.0), one, 3)), [0, 0, NAN, NAN])


def test_root_in_two_variables():
    """The mixed derivative of sqrt(x^2 + y^2) at 0 depends on the path: nan, not a silent 0."""
    x, y = ss.asarray([0.0, 3.0]), ss.asarray([0.0, 4.0])
    for wrap in (lambda f: f, ss.jit):
        mixed = wrap(ad.partial(lambda x, y: ss.sqrt(x * x + y * y), "xy"))(x, y)
        np.testing.assert_allclose(mixed, [NAN, -12 / 125], rtol=1e-15)
        known, unknown = wrap(ad.partials(lambda x, y: ss.sqrt(x * x) * y, ["xy", "xxy"]))(x, y)
        np.testing.assert_allclose(known, [1.0, 1.0], rtol=1e-15)  # one-sided in x, and y takes no part
        np.testing.assert_allclose(unknown, [NAN, 0.0], atol=1e-15)


def test_modulus_in_two_variables():
    x, y = ss.asarray([0.0, 3.0]), ss.asarray([1.0, -4.0])
    for wrap in (lambda f: f, ss.jit):
        d = lambda f, of, wrap=wrap: numbers(wrap(ad.partial(f, of))(x, y))
        assert d(lambda x, y: ss.abs(x) * y, "xy") == [1.0, 1.0]  # one-sided in x
        assert d(lambda x, y: ss.abs(x + x * y), "xy") == [1.0, -1.0]
        np.testing.assert_array_equal(d(lambda x, y: ss.abs(x - y + 1.0 + x * (y - 1.0)), "xy"), [NAN, -1.0])
        shifted = lambda x, y: (ss.abs(x) + 1.0) * ss.abs(x) - ss.abs(x) + y * y
        np.testing.assert_allclose(wrap(ad.laplacian(shifted))(x, y), [4.0, 4.0], rtol=1e-15)


def test_a_series_without_a_direction_is_a_constant():
    calls = []
    prim = PRIMITIVES["tan"]
    old, prim.evaluate = prim.evaluate, lambda x: calls.append(1) or old(x)
    try:
        ad.taylor(lambda x, y: ss.sin(prim_call(y)) * x, (1.0, 2.0), (1.0, None), 3)
    finally:
        prim.evaluate = old
    assert len(calls) == 1
    assert numbers(ss.stack(ad.taylor(ss.sqrt, (0.0,), (None,), 2))) == [0.0, 0.0, 0.0]


def prim_call(y: Any) -> Any:
    return ss.Tensor(PRIMITIVES["tan"](y._v))


# --- 18, 19: complex numbers -------------------------------------------------------------------------------------
def test_complex_conventions():
    size = lambda z: ss.real(z) ** 2 + ss.imag(z) ** 2
    for f in (size, ss.jit(size), lambda z: ss.abs(z) ** 2, lambda z: ss.real(z * ss.conj(z))):
        assert numbers(ad.grad(f)(3 + 4j)) == 6 + 8j  # steepest ascent
        assert numbers(ss.jit(ad.grad(f))(3 + 4j)) == 6 + 8j
    assert numbers(ad.jvp(lambda z: z * z, 1 + 1j, 1 + 0j)[1]) == 2 + 2j
    assert numbers(ad.jacobian(ss.square)(1 + 1j)) == 2 + 2j
    for grad in (ad.grad(ss.abs), ss.jit(ad.grad(ss.abs)), lambda z: ss.vmap(ad.grad(ss.abs))(ss.stack([z]))[0]):
        assert numbers(grad(ss.asarray(0j))) == 0
    assert numbers(ad.jvp(ad.grad(lambda z: ss.abs(z) ** 2), 0j, 1 + 2j)[1]) == 2 + 4j  # smooth at 0
    z = np.array([3 + 4j, 0, 1e-200 + 1e-200j])
    assert numbers(ad.taylor(ss.abs, z, z, 2)[0]) == numbers(np.abs(z))


# --- 29, 30, 35, 37, 38 -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("wrap", [lambda g: g, ss.jit], ids=["eager", "captured"])
def test_reductions_where_nothing_moves(wrap):
    low = ss.asarray([-INF, -INF])
    assert numbers(wrap(ad.grad(ss.logsumexp))(low)) == [0.0, 0.0]
    assert numbers(wrap(lambda x: ad.jvp(ss.logsumexp, x, ss.ones(2))[1])(low)) == 0.0
    assert numbers(wrap(ad.grad(lambda x: ss.logaddexp(x[0], x[1])))(low)) == [0.0, 0.0]
    assert numbers(wrap(ad.grad(ss.logsumexp))(ss.asarray([-INF, 1.0]))) == [0.0, 1.0]
    for f in (ss.std, lambda x: ss.sqrt(ss.var(x))):
        assert numbers(wrap(ad.grad(f))(ss.ones(2))) == [0.0, 0.0]
        assert numbers(wrap(lambda x, f=f: ad.jvp(f, x, ss.asarray([1.0, 0.0]))[1])(ss.ones(2))) == 0.0
    assert numbers(wrap(ad.grad(ss.max))(ss.asarray([2.0, 2.0, 1.0]))) == [0.5, 0.5, 0.0]


@pytest.mark.parametrize(("f", "x"), [(ss.expm1, 1e-12), (ss.log1p, 1e-12), (ss.sinc, 1e-9), (ss.tanh, 20.0)])
def test_values_beside_derivatives_equal_the_plain_call(f, x):
    plain = numbers(f(ss.asarray(x)))
    assert numbers(ad.taylor(f, x, 1.0, 5)[0]) == plain
    assert numbers(ad.jvp(f, x, 1.0)[0]) == plain
    assert numbers(ad.value_and_grad(f)(x)[0]) == plain
    assert numbers(ad.value_and_grad(ad.grad(lambda y: f(y) * 1.0))(x)[0]) == numbers(ad.grad(f)(x))


def test_high_orders_in_single_precision():
    x = ss.asarray(np.float32(4.0))
    for d in (ad.derivative(lambda x: 1 / x, 6), ss.jit(ad.derivative(lambda x: 1 / x, 6))):
        assert d(x).dtype == np.float32
        assert numbers(d(x)) == 0.0439453125
    assert numbers(ad.taylor(lambda x: x**-1, x, ss.ones_like(x), 6)[6] * 720) == 0.0439453125


def test_biharmonic_of_a_quartic():
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 10_000))
    f = lambda x, y: x**4 + 2 * x**2 * y**2 + y**4
    np.testing.assert_allclose(ad.biharmonic(f)(x, y), 64.0, rtol=1e-12)


# --- indices -----------------------------------------------------------------------------------------------------
def test_of_repeated_indices_the_last_write_wins():
    base, at = ss.zeros(3), np.array([1, 1])

    def written(u: Any) -> Any:
        y = ss.Tensor(base)
        y[at] = u
        return ss.sum(y * ss.asarray([1.0, 2.0, 3.0]))

    u = ss.asarray([5.0, 7.0])
    assert numbers(written(u)) == 14.0
    for grad in (ad.grad(written), ss.jit(ad.grad(written)), ad.grad(ss.jit(written)), ad.jacfwd(written)):
        assert numbers(grad(u)) == [0.0, 2.0]
    assert numbers(ss.vmap(ad.grad(written))(ss.stack([u, u]))) == [[0.0, 2.0]] * 2
    assert numbers(ad.grad(lambda x: ss.sum(x[np.array([0, 0, 2])]))(ss.ones(3))) == [2.0, 0.0, 1.0]
    x = np.array([[1, 1], [2, 0]])  # each row of a batch writes for itself
    per_row = ss.vmap(lambda i: ad.grad(lambda u: written_at(u, i))(u))(ss.asarray(x))
    assert numbers(per_row) == [[0.0, 2.0], [3.0, 1.0]]


def written_at(u: Any, at: Any) -> Any:
    y = ss.zeros(3)
    y[at] = u
    return ss.sum(y * ss.asarray([1.0, 2.0, 3.0]))


def test_mapped_separated_indices():
    x = np.random.default_rng(1).standard_normal((5, 4, 3, 4))
    i, j = np.array([0, 3, 1]), np.array([[2], [0]])
    want = np.stack([a[i, :, j] for a in x])
    np.testing.assert_array_equal(ss.vmap(lambda a: a[i, :, j])(ss.asarray(x)), want)
    np.testing.assert_array_equal(ss.jit(ss.vmap(lambda a: a[i, :, j]))(ss.asarray(x)), want)
    both = ss.vmap(lambda a, k: a[k, :, j])(ss.asarray(x), ss.asarray(np.stack([i] * 5)))
    np.testing.assert_array_equal(both, want)
    grad = ad.grad(lambda a: ss.sum(ss.sin(a[i, :, j])))
    np.testing.assert_array_equal(ss.vmap(grad)(ss.asarray(x)), np.stack([np.asarray(grad(ss.asarray(a))) for a in x]))


# --- products in which an exact zero wins ------------------------------------------------------------------------
@pytest.mark.parametrize("mode", [ad.jacfwd, ad.jacrev], ids=["forward", "reverse"])
@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
def test_a_zero_tangent_wins_in_matrix_products(mode, wrap):
    """The second element does not move, though what it is multiplied with is infinite."""
    row = np.array([[2.0, 1.0], [INF, 1.0]])
    f = wrap(lambda w: ss.where(np.array([True, False]), w, 0.0) @ row)
    assert numbers(mode(f)(ss.ones(2))) == [[2.0, 0.0], [1.0, 0.0]]
    root = wrap(lambda x: ss.sum(ss.sqrt(ss.stack([x, x * 0.0])) @ np.array([[1.0], [0.0]])))
    assert numbers(mode(root)(ss.asarray(4.0))) == 0.25
