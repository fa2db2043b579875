"""Complex calculus: functions, points, directions, circles that make no sense."""

import numpy as np
import pytest

import scisim as ss
from scisim import complex as sc
from scisim.core import errors as e
from tests.misuse import assert_refused, table

ONES = ss.ones(2)


def pole(z):
    return 1 / z


@table(
    (
        "a ragged list",
        lambda: sc.holomorphic(ss.sin)([[1, 2], [3]]),
        e.ShapeError,
        ValueError,
        ["holomorphic: z", "lists of different lengths", "[[1, 2], [3]]"],
    ),
    (
        "words in an array",
        lambda: sc.wirtinger(ss.sin)(np.array(["a"])),
        e.ArgumentTypeError,
        TypeError,
        ["wirtinger: z", "<U1", "expected numbers"],
    ),
    (
        "words in a direction",
        lambda: sc.taylor(ss.sin, ONES, np.array(["a", "b"]), 2),
        e.ArgumentTypeError,
        TypeError,
        ["taylor", "<U1", "expected numbers"],
    ),
    (
        "words in an array of grad",
        lambda: ss.autodiff.grad(ss.sum)(np.array(["a"])),
        e.ArgumentTypeError,
        TypeError,
        ["grad", "<U1", "expected numbers"],
    ),
    (
        "a word for a centre",
        lambda: sc.laurent(pole, "0", -1, 1),
        e.ArgumentTypeError,
        TypeError,
        ["laurent: center", "'0'", "expected numbers"],
    ),
    ("nothing for a centre", lambda: sc.residue(pole, None), e.ArgumentTypeError, TypeError, ["residue: center"]),
    (
        "a fraction of points",
        lambda: sc.residue(pole, 0.0, points=1.5),
        e.ArgumentTypeError,
        TypeError,
        ["residue", "points is 1.5", "integer"],
    ),
    ("points beyond memory", lambda: sc.residue(pole, 0.0, points=10**20), e.ArgumentError, ValueError, ["residue"]),
    (
        "two results on a circle",
        lambda: sc.residue(lambda z: (z, z), 0.0),
        e.ArgumentTypeError,
        TypeError,
        ["residue", "<lambda> must return one array", "2"],
    ),
    (
        "no result on a circle",
        lambda: sc.laurent(lambda z: None, 0.0, 0, 1),
        e.ArgumentTypeError,
        TypeError,
        ["laurent", "must return one array", "0"],
    ),
    (
        "a coefficient beyond float64",
        lambda: sc.laurent(ss.sin, 0.0, 0, 400, radius=1e-3, points=500),
        e.ArgumentError,
        ValueError,
        ["laurent", "0.001 ** -", "a radius nearer to 1"],
    ),
    (
        "a coefficient that vanishes in float64",
        lambda: sc.laurent(ss.sin, 0.0, 0, 400, radius=1e3, points=500),
        e.ArgumentError,
        ValueError,
        ["laurent", "1000.0 ** -", "a radius nearer to 1"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)


@pytest.mark.parametrize("kind", [list, np.array, ss.asarray])
def test_points_and_directions_may_be_lists(kind):
    want = sc.taylor(ss.sin, ss.asarray([1.0, 2.0]), ss.asarray([3.0, 4.0]), 2)
    for got, c in zip(sc.taylor(ss.sin, kind([1.0, 2.0]), kind([3.0, 4.0]), 2), want, strict=True):
        np.testing.assert_array_equal(got.numpy(), c.numpy())
