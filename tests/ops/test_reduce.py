"""Reductions: NumPy's values, and the derivatives that a plain composition would get wrong."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, DTypeError, ShapeError, TraceError
from scisim.ops.logic import allclose

AXES = [None, 0, -1, (0, 2), (2, 0, 1), ()]
EPS = np.finfo(float).eps
KINDS = ["float64", "float32", "int32", "bool"]
CASES = [(f, k) for f in ("sum", "mean", "prod", "var", "std", "any", "all") for k in [*KINDS, "complex"]]
CASES += [(f, k) for f in ("max", "min") for k in KINDS]


def _sample(rng, kind):
    x = rng.normal(size=(3, 4, 5))
    return x + 1j * rng.normal(size=x.shape) if kind == "complex" else (10 * x).astype(kind)


# --- against NumPy -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_value_shape_and_dtype_are_numpys(rng, name, kind, axis, keepdims):
    x = _sample(rng, kind)
    got = getattr(ss, name)(x, axis=axis, keepdims=keepdims).numpy()
    want = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    tiny = np.finfo(np.float32).eps if kind == "float32" else EPS
    np.testing.assert_allclose(got, want, rtol=8 * x.size * tiny, atol=8 * x.size * tiny)


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_positions_are_numpys(rng, name, axis, keepdims):
    x = rng.integers(0, 4, (4, 6))
    want = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(getattr(ss, name)(x, axis=axis, keepdims=keepdims).numpy(), want)


def test_sum_and_prod_take_a_dtype():
    assert ss.sum(ss.ones(3, dtype="float32"), dtype="float64").dtype == np.float64
    assert ss.prod([2, 3], dtype="float32").dtype == np.float32


def test_empty_sums_products_and_means():
    assert float(ss.sum([])) == 0.0
    assert float(ss.prod([])) == 1.0
    assert math.isnan(float(ss.mean([])))
    assert math.isnan(float(ss.var([1.0], correction=1)))
    assert ad.grad(lambda x: ss.sum(x) + ss.prod(x))(ss.zeros(0)).shape == (0,)


@pytest.mark.parametrize("correction", [0, 1, 0.5])
def test_correction_divides_by_what_is_left(rng, correction):
    x = rng.normal(size=7)
    want = np.sum((x - x.mean()) ** 2) / (7 - correction)
    np.testing.assert_allclose(float(ss.var(x, correction=correction)), want, rtol=16 * EPS)


def test_count_nonzero_and_truth():
    x = [[0.0, 2.0, math.nan], [0.0, 0.0, 1.0]]
    np.testing.assert_array_equal(ss.count_nonzero(x, axis=1).numpy(), [2, 1])
    assert not ss.all(x)
    assert ss.any(x)


def test_values_beside_derivatives_are_the_plain_ones(rng):
    x = rng.normal(size=(5, 3))
    for f in (ss.sum, ss.mean, ss.prod, ss.max, ss.min, ss.var, ss.std, ss.logsumexp):
        assert float(ad.value_and_grad(f)(x)[0]) == float(f(x)) == float(ad.taylor(f, x, np.ones_like(x), 3)[0])


# --- products ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("x", [[2.0, 3.0, 4.0], [0.0, 3.0, 4.0, 2.0, 5.0], [0.0, 0.0, 4.0], [0.0], [0.0] * 4])
def test_prod_of_shifted_factors_is_the_polynomial_with_those_roots(x):
    """prod(x + t) has known coefficients in t, zeros among x or not."""
    want = np.poly(-np.array(x))[::-1]
    got = [float(c) for c in ad.taylor(lambda t: ss.prod(ss.asarray(x) + t), 0.0, 1.0, len(x) + 1)]
    np.testing.assert_array_equal(got, [*want, 0.0])


def test_prod_gradient_leaves_one_factor_out():
    x = np.array([0.0, 3.0, 4.0])
    np.testing.assert_array_equal(ad.grad(ss.prod)(x).numpy(), [12.0, 0.0, 0.0])
    np.testing.assert_array_equal(ad.hessian(ss.prod)(x).numpy(), [[0, 4, 3], [4, 0, 0], [3, 0, 0]])
    third = ad.jacobian(ad.hessian(ss.prod))(np.zeros(3)).numpy()
    assert third[0, 1, 2] == third[2, 1, 0] == 1.0
    assert third[0, 0, 1] == 0.0


def test_prod_over_some_axes_of_complex_numbers(rng):
    x = rng.normal(size=(2, 3, 2)) + 1j * rng.normal(size=(2, 3, 2))
    x[0, 1, 0] = 0.0
    got = ad.jvp(lambda x: ss.prod(x, axis=(0, 2)), (x,), (np.ones_like(x),))[1].numpy()
    rows = np.moveaxis(x, 1, 0).reshape(3, 4)
    want = [sum(np.prod(np.delete(r, k)) for k in range(4)) for r in rows]
    np.testing.assert_allclose(got, want, rtol=32 * EPS)


def test_prod_maps_and_captures(rng):
    x = rng.normal(size=(4, 3))
    want = np.stack([ad.grad(ss.prod)(r).numpy() for r in x])
    np.testing.assert_array_equal(ss.vmap(ad.grad(ss.prod))(x).numpy(), want)
    np.testing.assert_array_equal(ss.jit(ss.vmap(ad.grad(ss.prod)))(x).numpy(), want)


# --- extrema -----------------------------------------------------------------------------------------------
def test_equal_elements_share_the_derivative_in_every_mode():
    x, v = np.array([1.0, 3.0, 3.0, 3.0]), np.array([5.0, 1.0, 2.0, 6.0])
    np.testing.assert_allclose(ad.grad(ss.max)(x).numpy(), [0, 1 / 3, 1 / 3, 1 / 3], rtol=EPS)
    assert float(ad.jvp(ss.max, (x,), (v,))[1]) == 3.0
    assert float(ad.taylor(ss.max, x, v, 2)[1]) == 3.0
    np.testing.assert_allclose(ss.jit(ad.grad(ss.max))(x).numpy(), [0, 1 / 3, 1 / 3, 1 / 3], rtol=EPS)
    np.testing.assert_array_equal(ad.grad(lambda x: ss.min(-x))(x[:3]).numpy(), [0, -0.5, -0.5])


def test_a_chosen_nan_gets_the_derivative():
    np.testing.assert_array_equal(ad.grad(ss.max)(np.array([1.0, math.nan])).numpy(), [0.0, 1.0])


def test_masked_infinities_do_not_reach_what_max_leaves_out():
    with np.errstate(divide="ignore"):  # 1/0 is infinite, and not the least
        assert float(ad.grad(lambda x: ss.min(ss.stack([1.0 / x, x])))(0.0)) == 1.0


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_complex_numbers_have_no_extrema(name):
    with pytest.raises(DTypeError, match=rf"{name}: complex numbers have no order; reduce abs\(z\)"):
        getattr(ss, name)([1j, 2.0])


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "logsumexp"])
def test_nothing_to_choose_from(name):
    with pytest.raises(ShapeError, match=rf"{name}: nothing to choose from: an array of shape \(0, 3\)"):
        getattr(ss, name)(ss.zeros((0, 3)), axis=0)


# --- moments and exponentials ------------------------------------------------------------------------------
def test_std_of_equal_numbers_has_gradient_zero_in_every_mode():
    x = np.array([1.0, 1.0])
    for g in (ad.grad(ss.std), ss.jit(ad.grad(ss.std)), ad.jacfwd(ss.std)):
        np.testing.assert_array_equal(g(x).numpy(), [0.0, 0.0])
    np.testing.assert_allclose(ad.hessian(lambda x: ss.std(x) ** 2)(x).numpy(), [[0.5, -0.5], [-0.5, 0.5]])


def test_logsumexp_of_nothing_has_gradient_zero():
    x = np.array([-math.inf, -math.inf])
    assert float(ss.logsumexp(x)) == -math.inf
    for g in (ad.grad(ss.logsumexp), ss.jit(ad.grad(ss.logsumexp)), ad.jacfwd(ss.logsumexp)):
        np.testing.assert_array_equal(g(x).numpy(), [0.0, 0.0])


def test_logsumexp_at_infinity_is_the_maximum():
    x = np.array([math.inf, 0.0, math.inf])
    assert float(ss.logsumexp(x)) == math.inf
    np.testing.assert_array_equal(ad.grad(ss.logsumexp)(x).numpy(), [0.5, 0.0, 0.5])


def test_logsumexp_neither_overflows_nor_underflows():
    for big in (1000.0, -1000.0):
        got = float(ss.logsumexp([big, big]))
        assert abs(got - (big + math.log(2.0))) <= 2 * EPS * abs(got)
    assert ss.logsumexp(np.array([1000.0, 1.0], np.float32)).dtype == np.float32
    z = np.array([800.0 + 1j, 799.0 - 2j])
    want = 800.0 + np.log(np.sum(np.exp(z - 800.0)))
    np.testing.assert_allclose(complex(ss.logsumexp(z)), want, rtol=8 * EPS)


def test_derivatives_of_logsumexp_are_softmax_and_its_covariance(rng):
    x = rng.normal(size=5)
    p = np.exp(x) / np.exp(x).sum()
    np.testing.assert_allclose(ss.softmax(x).numpy(), p, rtol=8 * EPS)
    np.testing.assert_allclose(ad.grad(ss.logsumexp)(x).numpy(), p, rtol=16 * EPS)
    np.testing.assert_allclose(
        ad.hessian(ss.logsumexp)(x).numpy(), np.diag(p) - np.outer(p, p), rtol=64 * EPS, atol=8 * EPS
    )
    np.testing.assert_allclose(ss.log_softmax(x).numpy(), np.log(p), rtol=16 * EPS)


def test_softmax_over_an_axis_sums_to_one(rng):
    x = 700.0 * rng.normal(size=(3, 4))
    np.testing.assert_allclose(ss.softmax(x, axis=0).numpy().sum(0), 1.0, rtol=8 * EPS)
    np.testing.assert_allclose(float(ss.sum(ss.softmax(x, axis=None))), 1.0, rtol=16 * EPS)
    assert np.isfinite(ss.log_softmax(x, axis=0).numpy()).all()


# --- cumulative sums ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumulative_sum_is_numpys(rng, axis):
    x = rng.normal(size=(3, 4))
    np.testing.assert_array_equal(ss.cumulative_sum(x, axis=axis).numpy(), np.cumsum(x, axis))
    got = ss.cumulative_sum(x, axis=axis, include_initial=True).numpy()
    np.testing.assert_array_equal(got, np.concatenate([0 * x.take([0], axis), np.cumsum(x, axis)], axis))
    assert ss.cumulative_sum(ss.ones(3, dtype=bool)).dtype == np.int64


def test_jacobian_of_cumulative_sum_is_a_triangle():
    x = np.arange(4.0)
    np.testing.assert_array_equal(ad.jacrev(ss.cumulative_sum)(x).numpy(), np.tril(np.ones((4, 4))))
    np.testing.assert_array_equal(ad.jacfwd(ss.cumulative_sum)(x).numpy(), np.tril(np.ones((4, 4))))


def test_cumulative_sum_asks_for_the_axis():
    with pytest.raises(ArgumentError, match=r"cumulative_sum: an array of shape \(2, 2\) has 2 axes; say which"):
        ss.cumulative_sum(ss.ones((2, 2)))


# --- errors ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "var", "any", "logsumexp"])
def test_bad_axes_name_the_function_and_the_range(name):
    f = getattr(ss, name)
    with pytest.raises(ArgumentError, match=rf"{name}: axis 2 is out of range for an array with 2 axes; use -2 to 1"):
        f(ss.ones((2, 3)), axis=2)
    with pytest.raises(ArgumentError, match=rf"{name}: axis \(0, -2\) names an axis twice"):
        f(ss.ones((2, 3)), axis=(0, -2))


# --- closeness ---------------------------------------------------------------------------------------------
def test_isclose_is_numpys():
    a = np.array([1.0, 1.0, math.inf, -math.inf, math.nan, 0.0, 1e9])
    b = np.array([1.0 + 1e-6, 1.1, math.inf, math.inf, math.nan, 1e-9, 1e9 + 1])
    for equal_nan in (False, True):
        want = np.isclose(a, b, equal_nan=equal_nan)
        np.testing.assert_array_equal(ss.isclose(a, b, equal_nan=equal_nan).numpy(), want)
    assert allclose([1, 2], [1, 2]) is True
    assert allclose(a, b) is False
    np.testing.assert_array_equal(ss.isclose([1j, 1.0], [1j, 1.1]).numpy(), [True, False])
    with pytest.raises(TraceError, match="a Python branch, loop or number needs the value"):
        ss.jit(lambda x: allclose(x, x))(1.0)
