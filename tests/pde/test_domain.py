"""Domains: names and bounds that could be mistaken are refused."""

import numpy as np
import pytest

from scisim import pde
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError


def test_a_domain_keeps_the_order_of_its_coordinates():
    domain = pde.Domain(x=(-1, 1), t=(0, 2), theta=(0, 6.28))
    assert domain.names == ("x", "t", "theta")
    assert domain.dim == 3
    assert domain.bounds("t") == (0.0, 2.0)
    np.testing.assert_array_equal(domain.lower, [-1, 0, 0])


def test_unit_points_are_scaled_to_the_bounds_and_back_to_minus_one_to_one(rng):
    domain = pde.Domain(t=(0, 3), x=(-1, 1))
    points = domain.scale(rng.random((50, 2)))
    assert (points >= domain.lower).all()
    assert (points <= domain.upper).all()
    np.testing.assert_array_equal(domain.scale([[0, 0], [1, 1]]), [[0, -1], [3, 1]])
    scaled = domain.normalise([np.array([0.0, 3.0]), points[:, 1]])
    np.testing.assert_array_equal(scaled[0], [-1, 1])
    np.testing.assert_array_equal(scaled[1], points[:, 1])


def test_coordinates_may_have_any_other_name():
    assert pde.Domain(T=(0, 1), self=(0, 1), t=(0, 1)).names == ("T", "self", "t")


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({}, "no coordinates"),
        ({"x": (1, 1)}, r"bounds of 'x' are empty: \(1, 1\); expected low < high"),
        ({"x": (1, -1)}, "bounds of 'x' are reversed"),
        ({"x": (0, np.inf)}, "expected finite numbers"),
        ({"d": (0, 1)}, "cannot be called 'd', which is an attribute of fields"),
        ({"shape": (0, 1)}, "cannot be called 'shape'"),
        ({"_x": (0, 1)}, "cannot be called '_x'"),
        ({"t": (0, 1), "tt": (0, 1)}, "'tt' could be mistaken for a partial by t"),
        ({"x": (0, 1), "y": (0, 1), "yx": (0, 1)}, "'yx' could be mistaken for a partial by x, y"),
        ({"r": (0, 1), "o": (0, 1), "t": (0, 1)}, "partial u.root would be hidden"),
    ],
)
def test_bad_domains_are_refused(bounds, message):
    with pytest.raises(ArgumentError, match=message):
        pde.Domain(**bounds)


def test_bounds_must_be_two_numbers():
    with pytest.raises(ArgumentTypeError, match="expected two numbers"):
        pde.Domain(x=3)
    with pytest.raises(ArgumentTypeError, match="expected two numbers"):
        pde.Domain(x=("a", "b"))
    with pytest.raises(ArgumentError, match=r"no coordinate 'y'; the coordinates are x"):
        pde.Domain(x=(0, 1)).bounds("y")
    with pytest.raises(ShapeError, match=r"expected \(n, 1\)"):
        pde.Domain(x=(0, 1)).scale([0.5])
