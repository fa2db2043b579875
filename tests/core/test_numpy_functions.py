"""NumPy's functions on tensors, and NumPy's names in scisim."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentTypeError


def test_functions_without_a_counterpart_see_the_numbers():
    x = ss.asarray([3.0, 1.0, 2.0])
    assert np.array_equal(np.setdiff1d(x, [1.0]), [2.0, 3.0])
    assert np.array_equal(np.spacing(x), np.spacing([3.0, 1.0, 2.0]))
    assert np.hypot.reduce(x) == np.hypot.reduce([3.0, 1.0, 2.0])


def test_they_refuse_values_whose_derivative_would_be_lost():
    with pytest.raises(ArgumentTypeError, match="setdiff1d with these arguments has no counterpart for a Tensor"):
        ad.grad(lambda x: np.setdiff1d(x, [1.0]))(ss.ones(3))


def test_scipy_takes_tensors():
    from scipy.optimize import minimize

    def f(x):
        return ss.sum((ss.asarray(x) - 1.0) ** 2)

    found = minimize(f, np.zeros(2), jac=lambda x: ad.grad(f)(ss.asarray(x)))
    assert np.allclose(found.x, 1.0)


def test_names_of_numpy_stand_for_those_of_the_array_api():
    assert ss.concatenate is ss.concat
    assert ss.arctan2 is ss.atan2
    assert ss.absolute is ss.abs
    with pytest.raises(AttributeError, match="did you mean linspace"):
        ss.linspce
    with pytest.raises(AttributeError, match=r"scisim\.autodiff\.grad"):
        ss.grad


def test_a_number_is_assigned_where_a_captured_mask_holds():
    def f(x):
        y = ss.Tensor(x)
        y[y > 1.0] = 0.0
        return ss.sum(y * y)

    x = ss.asarray([0.5, 2.0, -3.0])
    want = ad.grad(f)(x)
    assert np.array_equal(ss.jit(ad.grad(f))(x), want)
    assert np.array_equal(ss.vmap(ad.grad(f))(ss.stack([x, x]))[1], want)


def test_a_format_is_for_one_number():
    assert f"{ss.asarray(1.5):.2f}" == "1.50"
    with pytest.raises(ArgumentTypeError, match="for one number"):
        f"{ss.ones(2):.2f}"
