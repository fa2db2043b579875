"""Derivatives of values that are defined by equations: closed forms, every nesting, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ShapeError
from scisim.ops.flow import iterate
from scisim.ops.linalg import SingularMatrixError


def newton(f, x, *args):
    def going(c):
        x, before, count = c
        return ss.logical_and(ss.any(ss.abs(x - before) > 1e-14 * ss.abs(x)), count < 60)

    def step(c):
        x, _, count = c
        slope = ad.derivative(lambda x: f(x, *args))(x)
        return x - f(x, *args) / slope, x, count + 1

    return iterate(going, step, (x, x + 1.0, ss.asarray(0)))[0]


root = ad.implicit_root(lambda x, a: x * x - a, newton)


def root_of(a):
    return root(ss.asarray(1.0), a)


def exact(n, a):
    """The n-th derivative of the square root."""
    return math.prod(0.5 - k for k in range(n)) * a ** (0.5 - n)


@pytest.mark.parametrize("n", range(1, 7))
def test_the_square_root_of_any_order(n):
    assert ad.derivative(root_of, n)(4.0).item() == pytest.approx(exact(n, 4.0), rel=1e-13)


def nested(n):
    f = root_of
    for _ in range(n):
        f = ad.grad(f)
    return f


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("run", [lambda f: f, ss.jit, lambda f: lambda a: ss.vmap(f)(ss.stack([a, a]))[1]])
def test_nested_gradients(n, run):
    assert run(nested(n))(ss.asarray(4.0)).item() == pytest.approx(exact(n, 4.0), rel=1e-13)


def test_what_a_residual_closes_over_is_a_parameter():
    f = lambda a: ad.implicit_root(lambda x: x * x - a, newton)(ss.asarray(1.0))
    assert ad.derivative(f, 3)(4.0).item() == pytest.approx(exact(3, 4.0), rel=1e-13)
    assert ss.jit(ad.grad(f))(4.0).item() == pytest.approx(0.25, rel=1e-15)


def test_the_solver_may_branch_and_is_not_differentiated():
    calls = []

    def solve(f, x, a):
        calls.append(type(a._v))
        return ss.asarray(2.0) if a > 1.0 else x

    assert ad.grad(lambda a: ad.implicit_root(lambda x, a: x * x - a, solve)(1.0, a))(4.0).item() == 0.25
    assert calls == [np.ndarray]


def test_a_batch_is_solved_problem_by_problem():
    a = ss.asarray([4.0, 9.0, 1e6])
    np.testing.assert_allclose(ss.vmap(root_of)(a), [2.0, 3.0, 1e3], rtol=1e-15)
    np.testing.assert_allclose(ss.jit(ss.vmap(ad.grad(root_of)))(a), 0.5 / np.sqrt(a), rtol=1e-15)


def test_unknowns_in_containers_and_what_a_solver_adds():
    def solve(f, x, a):
        return {"u": ss.sqrt(a), "v": [1.0 / ss.sqrt(a)]}, (ss.asarray(7),)

    def residual(x, a):
        return [x["u"] * x["u"] - a, x["u"] * x["v"][0] - 1.0]

    start = {"u": ss.asarray(1.0), "v": [ss.asarray(1.0)]}
    f = ad.implicit_root(residual, solve, has_aux=True)
    for run in (lambda f: f, ss.jit):
        x, (count,) = run(lambda a: f(start, a))(4.0)
        assert (x["u"].item(), x["v"][0].item(), count.item()) == (2.0, 0.5, 7)
        assert run(ad.grad(lambda a: f(start, a)[0]["v"][0]))(4.0).item() == pytest.approx(-1 / 16, rel=1e-15)
        assert run(ss.vmap(lambda a: f(start, a)))(ss.asarray([4.0]))[1][0].tolist() == [7]


def test_derivatives_where_the_root_is_no_function_of_the_parameters():
    double = ad.implicit_root(lambda x, a: x * x - a * a, lambda f, x, a: x)
    with pytest.raises(SingularMatrixError):
        ad.grad(lambda a: double(0.0, a))(0.0)


def test_errors_say_what_to_do():
    with pytest.raises(ArgumentError, match="linear_solve is 'lu'"):
        ad.implicit_root(lambda x: x, lambda f, x: x, "lu")
    with pytest.raises(ShapeError, match="2 numbers for an x of 1"):
        ad.grad(lambda a: ad.implicit_root(lambda x, a: ss.stack([x, a]), lambda f, x, a: x)(1.0, a))(1.0)
    with pytest.raises(ShapeError, match="structure, shapes and dtypes must be equal"):
        ad.grad(lambda a: ad.implicit_root(lambda x, a: x - a, lambda f, x, a: ss.ones(2))(1.0, a))(1.0)
    with pytest.raises(ArgumentError, match="floating-point"):
        ad.grad(lambda a: ad.implicit_root(lambda x, a: x - a, lambda f, x, a: a)(1, a))(1.0)
