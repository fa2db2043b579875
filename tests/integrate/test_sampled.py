"""Integrals of samples agree with SciPy's, and differentiate in the values and in the points."""

import numpy as np
import pytest
import scipy.integrate

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate
from scisim.core.errors import ArgumentError, ShapeError

EPS = np.finfo(float).eps
PAIRS = [
    (integrate.trapezoid, scipy.integrate.trapezoid),
    (integrate.cumulative_trapezoid, scipy.integrate.cumulative_trapezoid),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("kind", ["step", "vector", "array"])
def test_values_agree_with_scipy(rng, ours, theirs, axis, kind):
    y = rng.normal(size=(4, 5, 6)) + 1j * rng.normal(size=(4, 5, 6))
    points = {
        "step": {"dx": 0.3},
        "vector": {"x": np.cumsum(rng.random(y.shape[axis]))},
        "array": {"x": np.cumsum(rng.random(y.shape), axis=axis)},
    }[kind]
    size = theirs(np.abs(y), axis=axis, **points)
    difference = np.abs(np.asarray(ours(y, axis=axis, **points)) - theirs(y, axis=axis, **points))
    assert np.all(difference <= 8 * y.shape[axis] * EPS * size)


def test_a_single_point_has_no_area():
    assert float(integrate.trapezoid([3.0])) == 0.0
    assert integrate.cumulative_trapezoid([3.0]).shape == (0,)


def test_the_gradients_are_the_weights_and_the_slopes(rng):
    x, y = np.cumsum(rng.random(6)), rng.normal(size=6)
    weights, slopes = ad.grad(lambda y, x: integrate.trapezoid(y, x), argnums=(0, 1))(y, x)
    h = np.diff(x)
    np.testing.assert_allclose(weights, np.append(h, 0) / 2 + np.append(0, h) / 2, rtol=4 * EPS)
    m = (y[1:] + y[:-1]) / 2
    np.testing.assert_allclose(slopes, np.append(0, m) - np.append(m, 0), rtol=0, atol=8 * EPS)


def test_it_maps_and_is_captured(rng):
    y = rng.normal(size=(3, 7))
    mapped = ss.jit(ss.vmap(integrate.trapezoid))(y)
    np.testing.assert_allclose(mapped, scipy.integrate.trapezoid(y), rtol=0, atol=8 * 7 * EPS)


def test_what_does_not_fit_is_explained():
    with pytest.raises(ShapeError, match=r"trapezoid: y is a single number; give values"):
        integrate.trapezoid(1.0)
    with pytest.raises(ArgumentError, match="trapezoid: axis 2 is out of range .* use -1 to 0"):
        integrate.trapezoid([1.0, 2.0], axis=2)
    with pytest.raises(ShapeError, match=r"x has shape \(3,\); for y of shape \(2,\) along axis 0"):
        integrate.cumulative_trapezoid([1.0, 2.0], x=[1.0, 2.0, 3.0])
