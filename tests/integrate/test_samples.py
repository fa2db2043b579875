"""Rules for sampled functions: against SciPy, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate

import scisim as ss
from scisim import autodiff as ad
from scisim import integrate
from scisim.core.errors import ArgumentError, ShapeError

SHAPES = [((n,), -1) for n in (2, 3, 4, 5, 8, 9)] + [((3, 6), 1), ((7, 2), 0), ((2, 5, 3), -2)]


def samples(shape, axis):
    rng = np.random.default_rng(len(shape) + shape[axis])
    y = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return y, np.cumsum(rng.uniform(0.2, 1.0, shape[axis]))


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_simpson_is_that_of_scipy(shape, axis):
    y, x = samples(shape, axis)
    for setting in ({"x": x}, {"dx": 0.3}):
        for values in (y, y.real):
            want = scipy.integrate.simpson(values, axis=axis, **setting)
            np.testing.assert_allclose(integrate.simpson(values, axis=axis, **setting), want, rtol=1e-12, atol=1e-13)
            want = scipy.integrate.cumulative_simpson(values.real, axis=axis, **setting)
            got = integrate.cumulative_simpson(values.real, axis=axis, **setting)
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def test_running_integrals_may_start_with_a_number():
    y, x = samples((6,), 0)
    want = scipy.integrate.cumulative_simpson(y.real, x=x, initial=0.5)
    np.testing.assert_allclose(integrate.cumulative_simpson(y.real, x=x, initial=0.5), want, rtol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5, 17])
def test_romberg_is_that_of_scipy(n):
    y, _ = samples((2, n), 1)
    np.testing.assert_allclose(integrate.romb(y, dx=0.2), scipy.integrate.romb(y, dx=0.2), rtol=1e-13)


@pytest.mark.parametrize("rule", [integrate.simpson, lambda y, x: integrate.cumulative_simpson(y, x=x)])
def test_rules_differentiate_in_values_and_points(rule):
    y, x = (ss.asarray(v) for v in ([1.0, 0.5, 2.0, -1.0, 0.3, 0.7], [0.0, 0.4, 1.1, 1.5, 2.3, 2.9]))
    f = lambda y, x: ss.sum(ss.sin(rule(y, x=x) if rule is integrate.simpson else rule(y, x)))
    ad.check_derivatives(f, (y, x), order=2)


def test_points_in_single_precision_stay_so():
    assert integrate.simpson(np.ones(5, np.float32)).dtype == np.float32
    assert integrate.romb(np.ones(5, np.float32), dx=0.5).dtype == np.float32


def test_misuse_is_told():
    with pytest.raises(ShapeError, match="single number"):
        integrate.simpson(1.0)
    with pytest.raises(ShapeError, match="x has shape"):
        integrate.simpson([1.0, 2.0, 3.0], x=[0.0, 1.0])
    with pytest.raises(ArgumentError, match=r"2\^k \+ 1"):
        integrate.romb(np.ones(6))
    with pytest.raises(ShapeError, match="needs two"):
        integrate.cumulative_simpson([1.0])
