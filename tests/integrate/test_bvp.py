"""Boundary value problems: against closed forms, with derivatives."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate
from scisim.core.errors import ShapeError, TraceError

X = np.linspace(0.0, 1.0, 11)
TIGHT = {"tol": 1e-8}


def bent(k):
    f = lambda x, y: ss.stack([y[1], -k * y[0]])
    return integrate.solve_bvp(f, lambda a, b: [a[0], b[0] - 1.0], X, np.zeros((2, 11)), **TIGHT)


def test_solution_is_that_of_the_closed_form():
    s = bent(4.0)
    assert s.success
    at = np.linspace(0.0, 1.0, 7)
    np.testing.assert_allclose(s.sol(at)[0], np.sin(2 * at) / np.sin(2.0), atol=1e-7)
    assert s.sol(0.3).shape == (2,)
    np.testing.assert_allclose(s.yp[0], s.y[1], atol=1e-12)


def test_derivatives_to_order_three():
    exact = lambda k: mpmath.sin(mpmath.sqrt(k) * 0.37) / mpmath.sin(mpmath.sqrt(k))
    f = lambda k: bent(k).sol(0.37)[0]
    assert abs(float(ad.grad(f)(4.0)) - float(mpmath.diff(exact, 4.0))) < 1e-6
    for order in (1, 2, 3):
        assert abs(float(ad.derivative(f, order)(4.0)) - float(mpmath.diff(exact, 4.0, order))) < 1e-5
    np.testing.assert_array_equal(ad.vjp(f, ss.asarray(4.0))[0], f(ss.asarray(4.0)))


def test_unknown_parameters_are_found_and_differentiate():
    """The eigenvalue of y'' + (k + w x) y = 0, to first order in w by perturbation."""

    def eigenvalue(w):
        f = lambda x, y, p: ss.stack([y[1], -(p[0] + w * x) * y[0]])
        bc = lambda a, b, p: ss.stack([a[0], b[0], a[1] - 1.0])
        guess = np.stack([np.sin(np.pi * X), np.pi * np.cos(np.pi * X)])
        return integrate.solve_bvp(f, bc, X, guess, [9.0], **TIGHT).p[0]

    assert abs(float(eigenvalue(0.0)) - np.pi**2) < 1e-6
    assert abs(float(ad.grad(eigenvalue)(0.0)) + 0.5) < 1e-6


def test_misuse_is_told():
    bc = lambda a, b: [a[0], b[0]]
    with pytest.raises(ShapeError, match="they must be equal"):
        integrate.solve_bvp(lambda x, y: y[:1], bc, X, np.zeros((2, 11)))
    with pytest.raises(ShapeError, match="expected 2 numbers"):
        integrate.solve_bvp(lambda x, y: y, lambda a, b: [a[0]], X, np.zeros((2, 11)))
    with pytest.raises(TraceError, match="call it outside"):
        ss.jit(lambda k: bent(k).y)(4.0)
