"""The value beside a derivative equals the plain call; dtypes stay; high orders are right."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.avals import aval
from scisim.core.capture import capture
from scisim.core.tensor import Tensor, unwrap
from tests.compiler.running_bounds import bounded, check

A = np.random.default_rng(3).standard_normal((5, 5))


def program(x):
    h = ss.tanh(A.astype(np.asarray(0, x.dtype).dtype) @ x) + ss.sqrt(x * x + 1.0) ** 3
    h = ss.where(h > 0.5, ss.log1p(ss.exp(h)), h / (2.0 + ss.abs(h)))
    return ss.sum(h * ss.softmax(h)) + ss.logsumexp(h) * ss.prod(x[:3]) + ss.max(x) ** 1.5


X = np.array([0.3, -0.7, 1.1, 0.2, 0.9])


def bits(y):
    return np.asarray(y).tobytes()


def test_values_beside_derivatives_to_the_bit():
    plain = bits(program(ss.asarray(X)))
    assert bits(ad.value_and_grad(program)(X)[0]) == plain
    assert bits(ad.vjp(program, X)[0]) == plain
    assert bits(ad.jvp(program, X, X)[0]) == plain
    assert bits(ad.linearize(program, X)[0]) == plain
    for order in (0, 1, 2, 5):
        assert bits(ad.taylor(program, X, X, order)[0]) == plain
    assert bits(ad.jvp(lambda x: ad.value_and_grad(program)(x)[0], X, X)[0]) == plain


def test_compiled_values_beside_derivatives():
    """Each program adds in an order of its own, always the same, and is within the bound of the plain call."""
    (plain,) = bounded(capture(lambda x: [unwrap(program(Tensor(x)))], [aval(X)]), [X])
    jitted = ss.jit(program)
    for f in (jitted, ss.jit(lambda x: ad.value_and_grad(program)(x)[0]), lambda x: ad.value_and_grad(jitted)(x)[0]):
        check(f(X), plain)
    check(ad.taylor(jitted, X, X, 3)[0], plain)
    assert bits(jitted(X)) == bits(jitted(X))


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_single_precision_stays(dtype):
    if dtype is np.complex64:
        f = lambda z: ss.sum(ss.real(ss.sin(z) / (z + 2.0) + ss.exp(z) ** 2 * ss.conj(z)))
        x = (X + 0.5j * X[::-1]).astype(dtype)
    else:
        f, x = program, X.astype(dtype)
    real = np.float32
    assert f(ss.asarray(x)).dtype == real
    for g in (ad.grad(f), ss.jit(ad.grad(f)), ad.grad(ss.jit(f))):
        assert g(x).dtype == dtype
    assert ss.vmap(ad.grad(f))(np.stack([x, x])).dtype == dtype
    assert {c.dtype for c in ad.taylor(f, x, x, 4)} == {np.dtype(real)}
    assert {c.dtype for c in ss.jit(lambda x: ad.taylor(f, x, x, 4))(x)} == {np.dtype(real)}
    assert ad.jvp(ad.grad(f), x, x)[1].dtype == dtype
    if dtype is np.float32:
        assert ad.hessian(f)(x).dtype == dtype
        assert ss.jit(ad.hessian(f))(x).dtype == dtype
        assert ad.laplacian(f, axis=-1)(x).dtype == dtype


@pytest.mark.parametrize("name", ["tanh", "exp", "sin", "log", "sqrt", "atan", "sigmoid", "asinh", "expm1", "cosh"])
def test_the_twelfth_derivative(name):
    exact = {"sigmoid": lambda x: 1 / (1 + mpmath.exp(-x))}.get(name) or getattr(mpmath, name)
    with mpmath.workdps(60):
        want = float(mpmath.taylor(exact, mpmath.mpf(0.3), 12)[12] * mpmath.factorial(12))
    f = getattr(ss, name)
    for run in (ad.derivative(f, 12), ss.jit(ad.derivative(f, 12))):
        np.testing.assert_allclose(run(0.3), want, rtol=1e-12)


def test_repeated_calls_give_the_same_bits():
    first = [bits(ss.jit(ad.grad(program))(X)), bits(ad.grad(program)(X))]
    assert [bits(ss.jit(ad.grad(program))(X)), bits(ad.grad(program)(X))] == first


def test_a_derivative_of_seventh_order_in_columns():
    """Coordinates may be columns of a table of points, as trainers hold them."""
    points = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    x, t = points[:, 0:1], points[:, 1:2]
    u = lambda x, t: ss.sin(2.0 * x) * ss.exp(-t)
    for wrap in (lambda f: f, ss.jit):
        got = wrap(ad.partial(u, "xxxxxxt"))(x, t)
        np.testing.assert_allclose(got, 64 * np.sin(2 * x) * np.exp(-t), rtol=1e-12, atol=1e-13)
    table = lambda points: ss.sum(ad.partial(u, "xxxxxx")(points[:, 0:1], points[:, 1:2]) ** 2)
    want = np.stack([-128 * np.cos(2 * x) * np.exp(-t), 64 * np.sin(2 * x) * np.exp(-t)])
    sixth = -64 * np.sin(2 * x) * np.exp(-t)
    np.testing.assert_allclose(ad.grad(table)(points), np.concatenate(2 * sixth * want, 1), rtol=1e-11, atol=1e-11)
