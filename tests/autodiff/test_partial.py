"""Partial derivatives: nesting, plans, and functions that are not elementwise."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError


def u(x, y):
    return x**2 * y**3


def test_partials_nest_under_their_argument_names():
    assert float(ad.partial(ad.partial(u, "x"), "y")(2.0, 3.0)) == 108.0
    assert float(ad.partial(ad.grad(u), "y")(2.0, 3.0)) == 108.0
    assert float(ad.grad(ad.partial(u, "xy"))(2.0, 3.0)) == 54.0
    assert np.allclose(ad.partial(ss.vmap(u), "xx")(ss.ones(2), ss.asarray([1.0, 2.0])), [2.0, 16.0])


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: ad.laplacian(f),
        lambda f: ad.derivative(f, 2),
        lambda f: ad.partial(f, "qq"),
        lambda f: ad.biharmonic(f),
    ],
)
def test_a_function_of_one_vector_is_not_elementwise(derivative):
    with pytest.raises(ShapeError, match=r"shape \(\) for coordinates of shape \(2,\).*elementwise.*axis=-1"):
        derivative(lambda q: q[0] ** 2 * q[1] ** 2)(ss.asarray([1.0, 2.0]))


def test_laplacian_along_an_axis_does_not_sum_over_points():
    x = ss.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert np.array_equal(ad.laplacian(lambda x: ss.sum(x**2, axis=-1), axis=-1)(x), [4.0, 4.0])
    with pytest.raises(ShapeError, match="gives one number a vector"):
        ad.laplacian(lambda x: ss.sum(x) ** 2, axis=-1)(x)


def test_arguments_that_are_not_differentiated_may_be_integers():
    assert float(ad.partial(lambda t, k: t**2 * k, "tt")(1.0, 3)) == 6.0
    with pytest.raises(DTypeError, match="coordinate 1"):
        ad.partial(lambda t, k: t**2 * k, "tk")(1.0, 3)


def test_names_that_cannot_be_read():
    with pytest.raises(ArgumentError, match="no arguments of a name"):
        ad.partial(lambda *a: u(*a), "x")


def test_hessian_refuses_complex_arguments():
    with pytest.raises(DTypeError, match="hessian.*complex.*hvp"):
        ad.hessian(lambda z: ss.real(z**2))(1 + 1j)
    with pytest.raises(ShapeError, match="hessian: sin must return one real number"):
        ad.hessian(ss.sin)(ss.ones(2))


def test_plan_is_printed_with_its_coefficients():
    assert repr(ad.partials(u, ["x", "yy"]).plan) == "Plan(4 coefficients: 1 x y yy)"


def test_one_evaluation_for_all_partials():
    calls = []

    def f(x, y):
        calls.append(1)
        return u(x, y)

    x, y = ss.asarray([1.0, 2.0]), ss.asarray([3.0, 4.0])
    got = ad.partials(f, ["", "xy", "yyy"])(x, y)
    assert len(calls) == 1
    want = [u(np.asarray(x), np.asarray(y)), 6 * np.asarray(x) * np.asarray(y) ** 2, 6 * np.asarray(x) ** 2]
    for g, w in zip(got, want, strict=True):
        assert np.allclose(g, w, rtol=1e-14)


def test_names_are_checked_before_anything_runs():
    with pytest.raises(ArgumentTypeError, match="for one use partial"):
        ad.partials(u, "xy")
