"""Minima along lines: of one variable, and searches."""

from __future__ import annotations

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import optimize
from scisim.core.errors import ArgumentError, ShapeError


@pytest.mark.parametrize("where", [{}, {"method": "golden"}, {"bounds": (-1.0, 3.0)}, {"bracket": (0.0, 0.5, 2.0)}])
def test_minima_in_every_mode(where):
    lowest = lambda a: optimize.minimize_scalar(lambda x: ss.exp(x) - a * x, tol=1e-14, **where).x
    assert lowest(2.0).item() == pytest.approx(math.log(2.0), rel=1e-14)
    coefficients = ad.taylor(lowest, 2.0, 1.0, 6)[1:]
    want = [(-1) ** (k + 1) / (k * 2.0**k) for k in range(1, 7)]
    np.testing.assert_allclose([c.item() for c in coefficients], want, rtol=1e-12)
    assert ad.grad(ss.jit(lowest))(2.0).item() == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(ss.vmap(lowest)(ss.asarray([1.5, 3.0])), np.log([1.5, 3.0]), rtol=1e-13)


def test_plain_tolerances_and_counts():
    r = optimize.minimize_scalar(lambda x: (x - 2.0) ** 2 * x, bracket=(1.0, 2.0))
    assert r.success
    assert r.x.item() == pytest.approx(2.0, rel=1e-7)
    assert r.fun.item() == pytest.approx(0.0, abs=1e-12)
    assert 0 < r.nit <= r.nfev


def test_a_minimum_at_the_end_follows_it():
    lowest = lambda b: optimize.minimize_scalar(lambda x: ss.exp(x) - 9.0 * x, bounds=(-1.0, b), tol=1e-12).x
    assert lowest(1.0).item() == 1.0
    assert ad.grad(lowest)(1.0).item() == 1.0


def test_a_function_without_a_minimum():
    r = optimize.minimize_scalar(lambda x: -x)
    assert not r.success
    assert "falls without end" in r.message


def test_a_search_meets_the_wolfe_conditions():
    f = lambda x: ss.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
    x = ss.asarray([-1.2, 1.0])
    g = ad.grad(f)(x)
    alpha, fc, gc, new, old, slope = optimize.line_search(f, None, x, -g)
    assert new.item() <= old.item() - 1e-4 * alpha.item() * float(ss.sum(g * g))
    assert abs(float(ss.sum(slope * g))) <= 0.9 * float(ss.sum(g * g))
    assert fc == gc >= 2
    assert old.item() == f(x).item()


def test_values_of_searches_differentiate_at_fixed_steps():
    def after(a):
        return optimize.line_search(lambda x: ss.sum(a * x * x), None, [1.0, 1.0], [-0.5, -0.5])[3]

    # the whole step is taken: a (0.5^2 + 0.5^2)
    assert ad.grad(after)(1.0).item() == pytest.approx(0.5)
    assert ad.grad(ss.jit(after))(1.0).item() == pytest.approx(0.5)


def test_a_search_that_finds_nothing():
    found = optimize.line_search(lambda x: ss.exp(-x[0]), None, [0.0], [1e-3], c2=0.1, maxiter=2)
    assert found[0] is None
    assert found[3] is None


F = lambda x: ss.sum(x * x)
ERRORS = [
    (lambda: optimize.line_search(F, None, [1.0], [1.0]), ArgumentError, "no direction of descent"),
    (lambda: optimize.line_search(F, None, [1.0], [-1.0], c1=0.9, c2=0.1), ArgumentError, "0 < c1 < c2 < 1"),
    (lambda: optimize.line_search(F, None, [1.0], [-1.0, 2.0]), ShapeError, "pk holds 2 numbers"),
    (lambda: optimize.minimize_scalar(F, bounds=(2.0, 1.0)), ArgumentError, r"bounds is \(2.0, 1.0\)"),
    (lambda: optimize.minimize_scalar(F, bracket=(0.0, 3.0, 5.0)), ArgumentError, "holds no minimum"),
    (lambda: optimize.minimize_scalar(F, bounds=(0.0, 1.0), method="brent"), ArgumentError, "takes no bounds"),
    (lambda: optimize.minimize_scalar(lambda x: ss.stack([x, x])), ShapeError, "one real number"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text for _, _, text in ERRORS])
def test_errors_say_what_is_wrong(call, kind, text):
    with pytest.raises(kind, match=text) as caught:
        call()
    assert "optimize." in str(caught.value)
