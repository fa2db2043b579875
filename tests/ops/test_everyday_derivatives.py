"""Derivatives of everyday functions where they are delicate: ties, knots, zeros, nan, choices; and their errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    IndexRangeError,
    ShapeError,
    TraceError,
)


def slopes(f: Any, x: Any) -> list[np.ndarray]:
    """The gradient in every mode."""
    x = ss.asarray(x)
    total = lambda v: ss.sum(f(v))
    forward = [ad.jvp(total, (x,), (e.reshape(x.shape),))[1] for e in np.eye(x.size)]
    series = [ad.taylor(total, (x,), (e.reshape(x.shape),), 1)[1] for e in np.eye(x.size)]
    both = [np.array([float(s) for s in some]).reshape(x.shape) for some in (forward, series)]
    return [*both, np.asarray(ad.grad(total)(x)), np.asarray(ss.jit(ad.grad(total))(x))]


@pytest.mark.parametrize(
    ("f", "x", "want"),
    [
        (lambda x: ss.interp(x, [0.0, 1.0], [0.0, 1.0]), [0.0, 0.5, 1.0, 2.0], [0.5, 1.0, 0.5, 0.0]),
        (lambda x: ss.interp(x, [0.0, 1.0, 2.0], [1.0, 0.0, 1.0]), [1.0], [0.0]),
        (ss.cummax, [1.0, 3.0, 3.0, 2.0], [1.0, 2.0, 1.0, 0.0]),
        (ss.cummin, [1.0, 1.0], [1.5, 0.5]),
        (ss.nanmax, [2.0, np.nan, 2.0], [0.5, 0.0, 0.5]),
        (lambda x: ss.fmax(x, 1.0), [np.nan, 1.0, 2.0], [0.0, 0.5, 1.0]),
        (lambda x: ss.fmin(x, np.nan), [1.0, 2.0], [1.0, 1.0]),
        (lambda x: ss.segment_max(x, [0, 0, 1]), [3.0, 3.0, 1.0], [0.5, 0.5, 1.0]),
        (lambda x: ss.segment_prod(x, [0, 0, 0, 1, 1]), [0.0, 2.0, 3.0, 0.0, 0.0], [6.0, 0.0, 0.0, 0.0, 0.0]),
        (lambda x: ss.nanprod(x), [0.0, np.nan, 3.0], [3.0, 0.0, 0.0]),
        (lambda x: ss.index_max(x, [0], 1.0), [1.0, 5.0], [0.5, 1.0]),
        (ss.nanstd, [1.0, 1.0, np.nan], [0.0, 0.0, 0.0]),
        (lambda x: ss.nan_to_num(x, nan=7.0), [np.nan, 2.0, np.inf], [0.0, 1.0, 0.0]),
        (ss.ptp, [1.0, 2.0, 2.0], [-1.0, 0.5, 0.5]),
        (ss.fabs, [0.0, -2.0], [0.0, -1.0]),
        (lambda x: ss.logaddexp2(x, -math.inf), [-math.inf, 1.0], [0.0, 1.0]),
        (lambda x: ss.piecewise(x, [x > 0], [ss.log, lambda v: 3.0 * v]), [-1.0, 0.0, 2.0], [3.0, 3.0, 0.5]),
        (lambda x: ss.select([x > 0], [ss.sqrt(x)], x), [0.0, 4.0], [1.0, 0.25]),
        (lambda x: ss.modf(x)[0], [2.0, -1.5], [1.0, 1.0]),
        (ss.median, [1.0, 1.0, 2.0, 2.0], [0.0, 0.5, 0.5, 0.0]),
    ],
)
def test_gradients_at_delicate_points_agree_in_every_mode(f, x, want):
    for got in slopes(f, x):
        np.testing.assert_array_equal(got, want)


def test_products_of_segments_with_zeros_have_all_second_derivatives():
    f = lambda x: ss.segment_prod(x, [0, 0, 0])[0]
    hessian = np.asarray(ad.hessian(f)(ss.asarray([0.0, 0.0, 3.0])))
    np.testing.assert_array_equal(hessian, [[0.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_repeated_roots_have_no_derivative():
    slope = ad.jacobian(lambda p: ss.real(ss.roots(p)))(ss.asarray([1.0, 0.0, 0.0]))
    assert np.all(np.isnan(slope))
    ad.check_derivatives(lambda p: ss.real(ss.roots(p)), (np.array([1.0, 2.0, -3.0, 0.5]),), order=2)


def test_a_nan_has_a_nan_derivative_where_it_decides():
    for f in (ss.median, lambda x: ss.quantile(x, 0.3)):
        assert np.all(np.isnan(np.asarray(ad.jvp(f, (ss.asarray([1.0, np.nan, 2.0]),), (np.ones(3),))[1])))


def test_a_nan_has_a_nan_gradient_where_it_decides():
    for f in (ss.median, lambda x: ss.quantile(x, 0.3), lambda x: ss.sum(ss.interp(x, [0.0, 9.0], [0.0, 1.0]))):
        assert np.any(np.isnan(ad.grad(f)(ss.asarray([1.0, np.nan, 2.0]))))


def test_edges_of_a_density_differentiate():
    x, w = np.array([0.2, 0.9, 1.7]), np.array([1.0, 2.0, 3.0])
    f = lambda x, w: ss.histogram(x, 2, weights=w, density=True)[0]
    ad.check_derivatives(f, (x, w), order=2)


def test_histograms_differentiate_in_their_weights():
    x = np.array([0.2, 0.9, 1.7])
    slope = ad.jacobian(lambda w: ss.histogram(x, [0.0, 1.0, 2.0], weights=w)[0])(np.ones(3))
    np.testing.assert_array_equal(slope, [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    slope = ad.grad(lambda w: ss.bincount([0, 1, 1], w)[1])(np.ones(3))
    np.testing.assert_array_equal(slope, [0.0, 1.0, 1.0])


def test_updates_leave_their_operand_as_it_is():
    x = np.arange(3.0)
    t = ss.asarray(x)
    for f in (ss.index_set, ss.index_add, ss.index_multiply, ss.index_max):
        f(t, [0], 9.0)
        f(x, [0], 9.0)
    ss.fill_diagonal(np.zeros((2, 2)), 1.0)
    np.testing.assert_array_equal(t, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(x, [0.0, 1.0, 2.0])


def test_results_share_no_memory_with_arrays_of_users():
    x = np.arange(6.0).reshape(2, 3)
    for f in (ss.ravel, ss.transpose, ss.flipud, ss.atleast_2d, lambda x: ss.split(x, 2)[0], ss.nan_to_num):
        y = f(x)
        before = np.array(y)
        x += 1.0
        np.testing.assert_array_equal(y, before)


def test_shapes_that_depend_on_values_take_a_size():
    x = ss.asarray([0.0, 3.0, 0.0, 4.0])
    np.testing.assert_array_equal(ss.jit(lambda x: ss.flatnonzero(x, size=3, fill_value=-1))(x), [1, 3, -1])
    np.testing.assert_array_equal(ss.jit(lambda x: ss.extract(x > 0, x, size=3))(x), [3.0, 4.0, 0.0])
    slope = ss.jit(ad.grad(lambda x: ss.sum(ss.compress(x > 0, x * x, size=3))))(x)
    np.testing.assert_array_equal(slope, [0.0, 6.0, 0.0, 8.0])
    np.testing.assert_array_equal(ad.grad(lambda x: ss.sum(ss.extract(x > 0, x * x)))(x), [0.0, 6.0, 0.0, 8.0])
    counts = ss.vmap(lambda i: ss.bincount(i, length=3))(ss.asarray([[0, 0, 2], [1, 1, 7]]))
    np.testing.assert_array_equal(counts, [[2, 0, 1], [0, 2, 0]])


REFUSED = [
    (lambda: ss.jit(ss.flatnonzero)(ss.ones(3)), TraceError, "flatnonzero: .* size="),
    (lambda: ss.jit(lambda i: ss.bincount(i))(ss.asarray([1, 2])), TraceError, "bincount: .* length="),
    (lambda: ss.jit(lambda x, i: ss.segment_sum(x, i))(ss.ones(2), ss.asarray([0, 1])), TraceError, "num_segments="),
    (lambda: ss.jit(ss.trim_zeros)(ss.ones(3)), TraceError, "trim_zeros: .* outside"),
    (lambda: ss.jit(ss.real_if_close)(ss.ones(3) * 1j), TraceError, "real_if_close: .* use real"),
    (lambda: ss.segment_sum([1.0], [3], 2), ArgumentError, "segment_sum: segment_ids from 3 to 3 for 2 segments"),
    (lambda: ss.segment_sum([1.0], [0.5]), ArgumentTypeError, "segment_ids must be integers"),
    (lambda: ss.segment_sum([1.0, 2.0], [0]), ShapeError, "one number for each"),
    (lambda: ss.bincount([-1]), ArgumentError, "count from 0"),
    (lambda: ss.convolve([], [1.0]), ShapeError, "convolve: operands of shape"),
    (lambda: ss.convolve([1.0], [1.0], "middle"), ArgumentError, "mode must be"),
    (lambda: ss.conv(ss.ones((1, 2, 3)), ss.ones((1, 3, 2))), ShapeError, "conv: x has 2 channels"),
    (lambda: ss.conv(ss.ones(3), ss.ones(2)), ShapeError, "expected"),
    (lambda: ss.pad([1.0], 1, "strange"), ArgumentError, "pad: mode must be one of"),
    (lambda: ss.pad([], 1, "edge"), ShapeError, "without elements"),
    (lambda: ss.quantile([1.0], 1.5), ArgumentError, "between 0 and 1"),
    (lambda: ss.quantile([1.0], 0.5, method="guess"), ArgumentError, "method must be one of"),
    (lambda: ss.median([1j]), DTypeError, "no order"),
    (lambda: ss.median([]), ShapeError, "nothing to choose from"),
    (lambda: ss.topk([1.0], 2), ArgumentError, "topk: k is 2"),
    (lambda: ss.interp(1.0, [0.0, 1.0], [0.0]), ShapeError, "interp: xp and fp"),
    (lambda: ss.interp(1.0, [0.0], [0.0], period=0.0), ArgumentError, "period is 0"),
    (lambda: ss.gradient([1.0]), ShapeError, "gradient: axis 0 of length 1 is too short"),
    (lambda: ss.gradient([1.0, 2.0], 1.0, 2.0), ArgumentError, "2 spacings for 1 axes"),
    (lambda: ss.trapezoid(1.0), ShapeError, "trapezoid: y is a single number"),
    (lambda: ss.histogram([1.0], 0), ArgumentError, "bins must be at least 1"),
    (lambda: ss.histogram([1.0], [1.0, 0.0]), ArgumentError, "edges of bins must increase"),
    (lambda: ss.digitize([1.0], [0.0, 2.0, 1.0]), ArgumentError, "increase or decrease"),
    (lambda: ss.polyfit([1.0], [1.0], 3), ArgumentError, "polyfit: degree 3 from 1 points"),
    (lambda: ss.polydiv([1.0], [0.0, 1.0]), ArgumentError, "leading coefficient of the divisor is 0"),
    (lambda: ss.jit(ss.roots)(ss.asarray([0.0, 1.0, 2.0])), ArgumentError, "leading coefficient is 0"),
    (lambda: ss.split([1.0, 2.0, 3.0], 2), ShapeError, "does not divide into 2 equal parts"),
    (lambda: ss.insert([1.0], 5, 0.0), ArgumentError, "insert: positions must be integers from -1 to 1"),
    (lambda: ss.index_add([1.0], [3], 1.0), IndexRangeError, "index: values from 3 to 3"),
    (lambda: ss.put_along_axis([1.0], [0], 1.0, 0, "mean"), ArgumentError, "mode must be 'set' or 'add'"),
    (lambda: ss.choose([5], [[1.0], [2.0]]), ArgumentError, "numbers from 5 to 5 for 2 choices"),
    (lambda: ss.select([[1.0]], [[1.0]]), ArgumentTypeError, "conditions must be booleans"),
    (lambda: ss.unravel_index(9, (2, 3)), ArgumentError, "positions must lie from 0 to 5"),
    (lambda: ss.fabs(1j), DTypeError, "fabs: takes real numbers"),
    (lambda: ss.ldexp(1.0, 0.5), DTypeError, "ldexp: n must be integers"),
    (lambda: ss.rot90(ss.ones((2, 2)), axes=(0, 0)), ArgumentError, "two different ones"),
    (lambda: ss.block([[ss.ones(1)], ss.ones(1)]), ArgumentError, "equally deep"),
    (lambda: ss.average([1.0, 2.0], weights=[1.0]), ShapeError, "average: weights have shape"),
    (lambda: ss.vdot([1.0], [1.0, 2.0]), ShapeError, "vdot: operands have 1 and 2 elements"),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED, ids=[t for _, _, t in REFUSED])
def test_refusals_say_why_and_what_to_do(call, error, text):
    with pytest.raises(error, match=text):
        call()
