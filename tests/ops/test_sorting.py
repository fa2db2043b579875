"""Order: NumPy's positions, stability, derivatives that follow the elements."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("kind", ["float64", "uint8", "bool"])
def test_sorting_is_numpys_and_stable_both_ways(rng, kind, axis):
    x = rng.integers(0, 3, (3, 40, 5)).astype(kind)  # many equal elements
    np.testing.assert_array_equal(ss.sort(x, axis=axis).numpy(), np.sort(x, axis=axis))
    np.testing.assert_array_equal(ss.argsort(x, axis=axis).numpy(), np.argsort(x, axis=axis, kind="stable"))
    down = np.argsort(-x.astype(int), axis=axis, kind="stable")
    np.testing.assert_array_equal(ss.argsort(x, axis=axis, descending=True).numpy(), down)
    np.testing.assert_array_equal(
        ss.sort(x, axis=axis, descending=True).numpy(), np.flip(np.sort(x, axis=axis), -1 if axis is None else axis)
    )


def test_nan_counts_as_the_greatest():
    x = [1.0, math.nan, -math.inf, math.inf]
    np.testing.assert_array_equal(ss.argsort(x).numpy(), [2, 0, 3, 1])
    np.testing.assert_array_equal(ss.argsort(x, descending=True).numpy(), [1, 3, 0, 2])


def test_derivatives_follow_the_elements_in_every_mode(rng):
    x, v, w = np.array([3.0, 1.0, 2.0, 0.0]), np.arange(4.0), rng.normal(size=4)
    order = np.argsort(x)
    loss = lambda x: ss.sum(ss.sort(x) * w)
    want = w[np.argsort(order)]
    np.testing.assert_array_equal(ad.grad(loss)(x).numpy(), want)
    np.testing.assert_array_equal(ss.jit(ad.grad(loss))(x).numpy(), want)
    np.testing.assert_array_equal(ss.vmap(ad.grad(loss))(x[None]).numpy(), want[None])
    c = ad.taylor(lambda x: ss.sort(x) ** 2, x, v, 2)
    np.testing.assert_array_equal(c[2].numpy(), v[order] ** 2)


def test_median_by_sorting_has_one_active_element():
    g = ad.grad(lambda x: ss.sort(x)[2])(np.array([5.0, 1.0, 4.0, 2.0, 3.0]))
    np.testing.assert_array_equal(g.numpy(), [0, 0, 0, 0, 1])


def test_take_along_axis_is_numpys(rng):
    x = rng.normal(size=(3, 4, 5))
    for axis, shape in ((1, (3, 2, 1)), (0, (1, 4, 5)), (-1, (3, 4, 7))):
        i = rng.integers(-x.shape[axis], x.shape[axis], shape)
        np.testing.assert_array_equal(ss.take_along_axis(x, i, axis).numpy(), np.take_along_axis(x, i, axis))
    best = ss.argmax(x, axis=1, keepdims=True)
    np.testing.assert_array_equal(ss.take_along_axis(x, best, 1).numpy(), x.max(1, keepdims=True))


def test_take_repeated_adds_the_cotangents(rng):
    x = rng.normal(size=(2, 3))
    np.testing.assert_array_equal(ss.take(x, [[2, 0], [0, 0]], axis=1).numpy(), np.take(x, [[2, 0], [0, 0]], 1))
    np.testing.assert_array_equal(ss.take(x, 4).numpy(), np.take(x, 4))
    g = ad.grad(lambda x: ss.sum(ss.take(x, [0, 2, 0], axis=1)))(x)
    np.testing.assert_array_equal(g.numpy(), [[2, 0, 1]] * 2)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_is_numpys(rng, side):
    a, v = np.sort(rng.integers(0, 9, 7)), rng.integers(-1, 11, (3, 4))
    np.testing.assert_array_equal(ss.searchsorted(a, v, side=side).numpy(), np.searchsorted(a, v, side=side))
    order = rng.permutation(7)
    unsorted = a[np.argsort(order)]
    got = ss.searchsorted(unsorted, v, side=side, sorter=np.argsort(unsorted, kind="stable"))
    np.testing.assert_array_equal(got.numpy(), np.searchsorted(a, v, side=side))


def test_searchsorted_maps_over_either_operand(rng):
    a, v = np.sort(rng.normal(size=(3, 7))), rng.normal(size=(3, 4))
    f = ss.searchsorted
    rows = np.stack([np.searchsorted(p, q) for p, q in zip(a, v, strict=True)])
    np.testing.assert_array_equal(ss.vmap(f)(a, v).numpy(), rows)
    np.testing.assert_array_equal(ss.jit(ss.vmap(f))(a, v).numpy(), rows)
    np.testing.assert_array_equal(ss.vmap(f, in_axes=(None, 0))(a[0], v).numpy(), np.searchsorted(a[0], v))
    columns = np.stack([np.searchsorted(p, v[0]) for p in a])
    np.testing.assert_array_equal(ss.vmap(f, in_axes=(0, None))(a, v[0]).numpy(), columns)
    nested = ss.vmap(ss.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(a, v).numpy()
    np.testing.assert_array_equal(nested, np.stack([np.searchsorted(p, v) for p in a]))


@pytest.mark.parametrize(
    "options", [{}, {"n": 2, "axis": 0}, {"prepend": 0.0, "axis": 1}, {"append": np.ones((3, 4, 2))}, {"n": 0}]
)
def test_diff_is_numpys(rng, options):
    x = rng.normal(size=(3, 4, 5))
    np.testing.assert_array_equal(ss.diff(x, **options).numpy(), np.diff(x, **options))
    np.testing.assert_array_equal(ss.diff(x > 0).numpy(), np.diff(x > 0))


def test_second_differences_have_their_stencil_as_jacobian():
    j = ad.jacobian(lambda x: ss.diff(x, n=2))(np.arange(4.0)).numpy()
    np.testing.assert_array_equal(j, [[1, -2, 1, 0], [0, 1, -2, 1]])


ERRORS = [
    (lambda: ss.sort([1j, 2.0]), DTypeError, "sort: complex numbers have no order; sort by abs"),
    (lambda: ss.argsort(ss.ones(3), axis=1), ArgumentError, "argsort: axis 1 is out of range"),
    (lambda: ss.take(ss.ones(3), [0.0]), ArgumentTypeError, "take: indices must be integers, got dtype float64"),
    (lambda: ss.take(ss.ones(3), [3]), IndexError, "values from 3 to 3 for axis 0 of length 3"),
    (lambda: ss.take_along_axis(ss.ones((2, 3)), [0], 1), ShapeError, "must have as many axes"),
    (lambda: ss.searchsorted(ss.ones((2, 3)), 1.0), ShapeError, "searchsorted: x1 must be a vector"),
    (lambda: ss.searchsorted([1.0], 1j), DTypeError, "searchsorted: complex numbers have no order"),
    (lambda: ss.searchsorted([1.0], 1.0, side="middle"), ArgumentError, "side must be 'left' or 'right', got 'middle'"),
    (lambda: ss.diff([1.0], n=-1), ArgumentError, "diff: n must not be negative"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
