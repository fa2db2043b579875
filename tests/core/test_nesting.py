"""Transformations nest in any order and depth."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

close = lambda got, want, rtol=1e-13: np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=rtol)


def forward(f):
    return lambda x: ad.jvp(f, (x,), (ss.ones_like(x),))[1]


def by_series(f):
    return lambda x: ad.taylor(f, x, ss.ones_like(x), 1)[1]


FIRST = {"grad": ad.grad, "forward": forward, "series": by_series}


# --- perturbation confusion --------------------------------------------------------------------------------------
@pytest.mark.parametrize("inner", FIRST.values(), ids=FIRST)
@pytest.mark.parametrize("outer", FIRST.values(), ids=FIRST)
def test_two_variables_are_not_confused(outer, inner):
    x = ss.asarray(3.0)
    close(outer(lambda x: x * inner(lambda y: x * y)(ss.asarray(2.0)))(x), 6.0)
    close(outer(lambda x: x * inner(lambda y: x + y)(ss.asarray(1.0)))(x), 1.0)
    close(outer(lambda x: x * inner(lambda y: x * y * y)(ss.asarray(2.0)))(x), 24.0)
    close(ss.jit(outer(lambda x: x * inner(lambda y: x * y)(ss.asarray(2.0))))(x), 6.0)
    close(outer(ss.jit(lambda x: x * inner(ss.jit(lambda y: x * y))(ss.asarray(2.0))))(x), 6.0)


def test_closures_returned_from_the_inner_derivative():
    """The case of Manzyuk and others (2012)."""
    f = lambda x: ad.grad(lambda y: ad.grad(lambda z: x * y * z)(1.0) * y)(2.0) * x
    close(ad.grad(f)(3.0), 24.0)
    close(forward(f)(ss.asarray(3.0)), 24.0)
    close(ss.vmap(ad.grad(f))(ss.asarray([3.0, 1.0])), [24.0, 8.0])


# --- three derivatives in all orders -----------------------------------------------------------------------------
def wave(x):
    return ss.sin(x) * ss.exp(x)


WAVE = [float(mpmath.diff(lambda x: mpmath.sin(x) * mpmath.exp(x), 0.4, n)) for n in range(5)]


@pytest.mark.parametrize("modes", list(itertools.product(FIRST, repeat=3)), ids="-".join)
def test_three_derivatives(modes):
    g = wave
    for name in modes:
        g = FIRST[name](g)
    x = ss.asarray(0.4)
    close(g(x), WAVE[3])
    close(ss.jit(g)(x), WAVE[3])
    close(ss.vmap(g)(ss.full(3, 0.4)), [WAVE[3]] * 3)
    close(ss.jit(ss.vmap(g))(ss.full(3, 0.4)), [WAVE[3]] * 3)
    close(ss.vmap(ss.jit(g))(ss.full(3, 0.4)), [WAVE[3]] * 3)


@pytest.mark.parametrize("places", list(itertools.product([False, True], repeat=4)))
def test_jit_between_any_two(places):
    g = wave
    for k, captured in enumerate(places):
        g = ss.jit(g) if captured else g
        if k < 3:
            g = (ad.grad, forward, ad.grad)[k](g)
    close(g(ss.asarray(0.4)), WAVE[3])


def test_series_of_derivatives_and_derivatives_of_series():
    x, one = ss.asarray(0.4), ss.asarray(1.0)
    close(ad.taylor(ad.grad(wave), x, one, 3)[3] * 6, WAVE[4])
    close(ad.grad(lambda x: ad.taylor(wave, x, one, 3)[3] * 6)(x), WAVE[4])
    close(forward(lambda x: ad.taylor(wave, x, one, 3)[3] * 6)(x), WAVE[4])
    close(ad.taylor(lambda x: ad.taylor(wave, x, one, 2)[2] * 2, x, one, 2)[2] * 2, WAVE[4])
    close(ad.hessian(lambda x: ad.taylor(wave, x, one, 2)[2] * 2)(x), WAVE[4])
    xs = ss.asarray([0.4, 0.1])
    f = lambda xs: ss.sum(ss.vmap(lambda x: ad.taylor(wave, x, one, 2)[2] * 2)(xs))
    close(ad.grad(f)(xs)[0], WAVE[3])
    close(ss.jit(ad.grad(f))(xs)[0], WAVE[3])


# --- the nests that users write ----------------------------------------------------------------------------------
def cube_sum(x):
    return ss.sum(ss.sin(x) ** 3)


X = np.array([[0.3, -0.2, 0.5], [1.0, 0.7, -0.4]])


def test_jit_of_vmap_of_grad_of_jit():
    want = 3 * np.sin(X) ** 2 * np.cos(X)
    close(ss.jit(ss.vmap(ad.grad(ss.jit(cube_sum))))(ss.asarray(X)), want)
    close(ss.vmap(ss.jit(ad.grad(cube_sum)))(ss.asarray(X)), want)


def test_grad_of_vmap_of_taylor():
    v = ss.ones(3)
    f = lambda xs: ss.sum(ss.vmap(lambda x: ad.taylor(cube_sum, x, v, 2)[2])(xs))
    second = lambda x: 0.5 * (6 * np.sin(x) * np.cos(x) ** 2 - 3 * np.sin(x) ** 3)
    close(f(ss.asarray(X)), second(X).sum())
    h = 1e-6
    want = (second(X + h) - second(X - h)) / (2 * h)
    close(ad.grad(f)(ss.asarray(X)), want, 1e-8)
    close(ss.jit(ad.grad(f))(ss.asarray(X)), ad.grad(f)(ss.asarray(X)))


def test_vmap_of_jacobian_of_jit():
    a = np.array([[1.0, 2.0, -1.0], [0.5, 0.3, 2.0]])
    f = ss.jit(lambda x: ss.tanh(a @ x))
    want = np.stack([(1 - np.tanh(a @ x) ** 2)[:, None] * a for x in X])
    for jacobian in (ad.jacobian, ad.jacfwd, ad.jacrev):
        close(ss.vmap(jacobian(f))(ss.asarray(X)), want)
        close(ss.jit(ss.vmap(jacobian(f)))(ss.asarray(X)), want)


def test_hessian_in_every_way():
    want = ad.hessian(cube_sum)(ss.asarray(X[0]))
    close(np.diag(np.asarray(want)), 6 * np.sin(X[0]) * np.cos(X[0]) ** 2 - 3 * np.sin(X[0]) ** 3)
    ways = [ad.jacrev(ad.jacrev(cube_sum)), ad.jacfwd(ad.jacfwd(cube_sum)), ad.jacrev(ad.jacfwd(cube_sum))]
    ways += [ss.jit(ad.hessian(cube_sum)), ad.hessian(ss.jit(cube_sum)), ad.jacobian(ad.jacobian(cube_sum))]
    for way in ways:
        np.testing.assert_allclose(way(ss.asarray(X[0])), want, rtol=1e-13, atol=1e-15)


# --- closures ----------------------------------------------------------------------------------------------------
def test_closures_over_values_of_outer_transformations():
    xs = ss.asarray([0.5, 1.5, 2.0])
    inner = {
        "jit": lambda s: ss.jit(lambda x: x * s)(xs),
        "scan": lambda s: ss.scan(lambda c, x: (c + x * s, c * s), s * 0.0, xs)[1],
        "cond": lambda s: ss.stack([ss.cond(x < 1, lambda y: y * s, lambda y: y + s, x) for x in xs]),
        "captured cond": lambda s: ss.jit(lambda x: ss.cond(x < 1, lambda y: y * s, lambda y: y + s, x))(xs[0]),
        "while": lambda s: ss.while_loop(lambda y: y < 10.0, lambda y: y * s, xs[0]),
        "vmap": lambda s: ss.vmap(lambda x: ss.sin(x * s))(xs),
    }
    for name, f in inner.items():
        loss = lambda s, f=f: ss.sum(f(s))
        h = 1e-6
        want = (float(loss(ss.asarray(2.0 + h))) - float(loss(ss.asarray(2.0 - h)))) / (2 * h)
        for run in (ad.grad(loss), forward(loss), ad.jacfwd(loss), ss.vmap(ad.grad(loss))):
            s = ss.asarray([2.0]) if run is not None and "vmap" in run.__name__ else ss.asarray(2.0)
            np.testing.assert_allclose(np.asarray(run(s)).ravel(), [want], rtol=1e-8, err_msg=name)
        if name != "while":  # whose reverse mode needs the number of steps
            close(ss.jit(ad.grad(loss))(ss.asarray(2.0)), ad.grad(loss)(ss.asarray(2.0)))
        close(ss.jit(forward(loss))(ss.asarray(2.0)), forward(loss)(ss.asarray(2.0)))
        close(ss.jit(ss.vmap(forward(loss)))(ss.asarray([2.0]))[0], forward(loss)(ss.asarray(2.0)))


def test_a_pullback_used_later_mapped_and_differentiated():
    a = np.random.default_rng(0).standard_normal((4, 3))
    y, pullback = ad.vjp(lambda x: ss.tanh(a @ x), ss.asarray(X[0]))
    want = (1 - np.asarray(y) ** 2)[:, None] * a
    close(ss.vmap(lambda ct: pullback(ct)[0])(ss.eye(4)), want)
    close(ss.jit(ss.vmap(lambda ct: pullback(ct)[0]))(ss.eye(4)), want)
    close(ad.grad(lambda ct: ss.sum(pullback(ct)[0]))(ss.ones(4)), want.sum(1))
    _, lin = ad.linearize(lambda x: ss.tanh(a @ x), ss.asarray(X[0]))
    close(ss.vmap(lin, out_axes=1)(ss.eye(3)), want)
    close(ad.grad(lambda v: ss.sum(lin(v)))(ss.ones(3)), want.sum(0))


def test_vmap_of_different_ranks_and_axes():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((3, 2)), rng.standard_normal((3, 4, 2))
    close(ss.vmap(lambda a, b: a * b)(ss.asarray(x), ss.asarray(y)), x[:, None] * y)
    outer = ss.vmap(ss.vmap(lambda a, b: a + b, (None, 0)), (0, None))
    close(outer(ss.asarray(x[0]), ss.asarray(y[0, 0])), x[0][:, None] + y[0, 0])
    close(ss.vmap(lambda a: a @ ss.ones(2), 1, 0)(ss.asarray(x.T)), x.sum(1))
    close(ss.vmap(lambda a: a * 2.0, -1, -1)(ss.asarray(x)), x * 2)
    close(ss.vmap(lambda t: t["a"] + t["b"], ({"a": 0, "b": None},))({"a": x, "b": x[0]}), x + x[0])


def test_higher_orders_of_nested_grad():
    f = lambda x: ss.exp(2.0 * x)
    for n in range(1, 7):
        f = ad.grad(f)
        close(f(0.3), 2.0**n * math.exp(0.6))
