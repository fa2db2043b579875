"""Singular points and conventions: one answer for each, in every mode.

Where an ordinary formula gives 0 * inf, the right derivative exists; where no derivative exists (ties, kinks), one
convention holds.  `series` is the answer of a Taylor series of order 2 and up where it is one-sided and differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

# The values divide by zero as the plain call does; NumPy warns of these.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
INF, NAN, PI = math.inf, math.nan, math.pi


# --- the modes ---------------------------------------------------------------------------------------------------
def grads(f: Callable, n: int) -> Callable:
    for _ in range(n):
        f = ad.grad(f)
    return f


def slope(f: Callable) -> Callable:
    return lambda x: ad.jvp(f, (x,), (ss.ones_like(x),))[1]


def slopes(f: Callable, n: int) -> Callable:
    for _ in range(n):
        f = slope(f)
    return f


def series(f: Callable, n: int) -> Callable:
    return lambda x: ad.taylor(f, x, ss.ones_like(x), n)[n] * math.factorial(n)


def longer_series(f: Callable, n: int) -> Callable:
    """The coefficient of a series that goes on."""
    return lambda x: ad.taylor(f, x, ss.ones_like(x), n + 2)[n] * math.factorial(n)


def mapped(d: Callable) -> Callable:
    def make(f: Callable, n: int) -> Callable:
        return lambda x: ss.vmap(d(f, n))(ss.stack([x, x + 0.25]))[0]

    return make


FIRST_ORDER: dict[str, Callable] = {
    "reverse": grads,
    "forward": slopes,
    "forward over reverse": lambda f, n: slopes(grads(f, 1), n - 1),
    "reverse over forward": lambda f, n: grads(slopes(f, n - 1), 1),
    "grad of captured": lambda f, n: grads(ss.jit(f), n),
    "captured grad": lambda f, n: ss.jit(grads(f, n)),
    "captured forward": lambda f, n: ss.jit(slopes(f, n)),
    "captured forward over reverse": lambda f, n: ss.jit(slopes(grads(f, 1), n - 1)),
    "vmap of grad": mapped(grads),
    "vmap of forward": mapped(slopes),
    "captured vmap of grad": lambda f, n: ss.jit(mapped(grads)(f, n)),
}
SERIES: dict[str, Callable] = {
    "Taylor": series,
    "Taylor captured": lambda f, n: ss.jit(series(f, n)),
    "Taylor of captured": lambda f, n: series(ss.jit(f), n),
    "vmap of Taylor": mapped(series),
    "longer Taylor": longer_series,
}


# --- the rows ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Row:
    """A derivative of a function of one number at a point: ``want`` in first-order modes, ``series`` in Taylor mode."""

    f: Callable
    x: float
    n: int
    want: float
    series: Any = None  # None: as `want`
    skip: tuple[str, ...] = ()


GAPS = np.array([1.0, NAN, 3.0])


root_by_jvp = ad.custom_jvp(ss.sqrt)


@root_by_jvp.defjvp
def root_rule(primals: Any, tangents: Any) -> Any:
    y = root_by_jvp(*primals)
    return y, tangents[0] * (0.5 / y)


def smooth_bump(x: Any) -> Any:
    return ss.where(x == 0, 0.0, ss.exp(-1.0 / (x * x)))


def filled(x: Any) -> Any:
    """The sum with its middle element replaced."""
    y = ss.Tensor(x)
    y[1] = 0.0
    return ss.sum(y)


def masked_sum(x: Any) -> Any:
    return ss.sum(ss.where(np.isnan(GAPS), 0.0, x))


def masked_product(w: Any) -> Any:
    """The value is nan, since it multiplies 0 by infinity; the derivative sees an element that does not move."""
    return ss.where(np.array([True, False]), w, 0.0) @ np.array([2.0, INF])


ROWS: dict[str, Row] = {
    "1: sqrt(x x)": Row(lambda x: ss.sqrt(x * x), 0, 1, 0),
    "1: sqrt(x^2)": Row(lambda x: ss.sqrt(x**2), 0, 1, 0),
    "5: where(x < 1, x, sqrt x)": Row(lambda x: ss.where(x < 1, x, ss.sqrt(x)), 0, 1, 1),
    "5: second": Row(lambda x: ss.where(x < 1, x, ss.sqrt(x)), 0, 2, 0),
    "6: where(x > 0, 1/x, 0)": Row(lambda x: ss.where(x > 0, 1 / x, 0.0), 0, 1, 0),
    "6: second": Row(lambda x: ss.where(x > 0, 1 / x, 0.0), 0, 2, 0),
    "6: where(x == 0, 1, sin(x)/x)": Row(lambda x: ss.where(x == 0, 1.0, ss.sin(x) / x), 0, 1, 0),
    "7: where(x == 0, 0, exp(-1/x^2))": Row(smooth_bump, 0, 1, 0),
    "7: second": Row(smooth_bump, 0, 2, 0),
    "7: by power": Row(lambda x: ss.where(x == 0, 0.0, ss.exp(-1.0 / x**2)), 0, 1, 0),
    "9: x^k, k a 0-d array 0.0": Row(lambda x: x ** np.array(0.0), 0, 1, 0),
    "11: d/db 0^b": Row(lambda b: np.array(0.0) ** b, 1, 1, 0),
    "11: second": Row(lambda b: np.array(0.0) ** b, 1, 2, 0),
    "12: x x^0.5": Row(lambda x: x * x**0.5, 0, 1, 0),
    "12: x sqrt(x)": Row(lambda x: x * ss.sqrt(x), 0, 1, 0),
    "12: x times a captured sqrt": Row(lambda x: x * ss.jit(ss.sqrt)(x), 0, 1, 0),
    "12: captured times x": Row(lambda x: ss.jit(lambda y: ss.sqrt(y) * 1.0)(x) * x, 0, 1, 0),
    "12: x times a checkpointed sqrt": Row(lambda x: x * ad.checkpoint(ss.sqrt)(x), 0, 1, 0),
    "12: x times a square root with a rule": Row(lambda x: x * root_by_jvp(x), 0, 1, 0),
    "5: where in a conditional": Row(lambda x: ss.cond(x < 1, lambda y: y * ss.sqrt(y), lambda y: y, x) * 2.0, 0, 1, 0),
    "12: with a 0-d exponent": Row(lambda x: x * x ** np.array(0.5), 0, 1, 0),
    "13: sum(z^[0, 1])": Row(lambda z: ss.sum(z ** np.arange(0, 2)), 1, 1, 1),
    "13: at 0": Row(lambda z: ss.sum(z ** np.arange(0, 4)), 0, 2, 2),
    "14: d/dy atan2(y, 0)": Row(lambda y: ss.atan2(y, 0.0), 0, 1, 0),
    "14: d/dx atan2(0, x)": Row(lambda x: ss.atan2(0.0, x), 0, 1, 0),
    "16: abs": Row(ss.abs, 0, 1, 0),
    "16: max(x, 0)": Row(lambda x: ss.maximum(x, 0), 0, 1, 0.5),
    "16: max(0, x)": Row(lambda x: ss.maximum(0.0, x), 0, 1, 0.5),
    "16: min(x, 0)": Row(lambda x: ss.minimum(x, 0.0), 0, 1, 0.5),
    "16: max of a stack": Row(lambda x: ss.max(ss.stack([x, x * 0.0])), 0, 1, 0.5),
    "16: clip at a bound": Row(lambda x: ss.clip(x, 0, 1), 1, 1, 0.5),
    "16: clip from below": Row(lambda x: ss.clip(x, 0), 0, 1, 0.5),
    "16: relu": Row(ss.relu, 0, 1, 0.5),
    "16: relu by abs": Row(lambda x: (x + ss.abs(x)) / 2, 0, 1, 0.5),
    "16: second": Row(ss.relu, 0, 2, 0),
    "27: sinc, first": Row(ss.sinc, 0, 1, 0),
    "27: sinc, second": Row(ss.sinc, 0, 2, -(PI**2) / 3),
    "27: sinc, fourth": Row(ss.sinc, 0, 4, PI**4 / 5),
    "29: logaddexp(-inf, -inf)": Row(lambda x: ss.logaddexp(x, -INF), -INF, 1, 0, skip=("vmap", "vmapped")),
    "30: std": Row(lambda x: ss.std(ss.stack([x, x * 0 + 1])), 1, 1, 0),
    "34: d/dx xlogy(x, x)": Row(lambda x: ss.xlogy(x, x), 0, 1, -INF),
    "34: d/dy xlogy(0, y)": Row(lambda y: ss.xlogy(0.0, y), 0, 1, 0),
    "missing data, by where": Row(lambda w: ss.sum(ss.where(np.isnan(GAPS), 0.0, GAPS * w)), 2, 1, 4),
    "missing data, by index": Row(lambda w: ss.sum((GAPS * w)[np.array([0, 2])]), 2, 1, 4),
    "missing data, by mask": Row(lambda w: ss.sum((GAPS * w)[~np.isnan(GAPS)]), 2, 1, 4),
    "missing data, by assignment": Row(lambda w: filled(GAPS * w), 2, 1, 4),
    "missing data, in a captured body": Row(lambda w: masked_sum(ss.jit(lambda v: GAPS * v)(w)), 2, 1, 4),
    "missing data, in a checkpointed body": Row(lambda w: masked_sum(ad.checkpoint(lambda v: GAPS * v)(w)), 2, 1, 4),
    "missing data, in a scan": Row(lambda w: masked_sum(ss.scan(lambda c, g: (c, g * c), w, GAPS)[1]), 2, 1, 4),
    "missing data, in a conditional": Row(
        lambda w: masked_sum(ss.cond(w > 0.0, lambda v: GAPS * v, lambda v: GAPS - v, w)), 2, 1, 4
    ),
    "missing data, by matmul": Row(masked_product, 1, 1, 2),
    "abs(x)^2, second": Row(lambda x: ss.abs(x) ** 2, 0, 2, 2),
    "square(abs(x)), second": Row(lambda x: ss.square(ss.abs(x)), 0, 2, 2),
    "abs(x) abs(x), second": Row(lambda x: ss.abs(x) * ss.abs(x), 0, 2, 2),
    "sqrt(x^2)^2, second": Row(lambda x: ss.square(ss.sqrt(x * x)), 0, 2, 2),
    "hypot(x, 0)^2, second": Row(lambda x: ss.hypot(x, 0.0) ** 2, 0, 2, 2),
    "x^3, third": Row(lambda x: x**3, 0, 3, 6),
    "x^3, fourth": Row(lambda x: x**3, 0, 4, 0),
    "x^2, third": Row(lambda x: x**2, 0, 3, 0),
    "prod with a zero": Row(lambda x: ss.prod(ss.stack([x, x, x + 2.0])), 0, 2, 4),
}


def check(make: Callable, row: Row, want: Any) -> None:
    got = np.asarray(make(row.f, row.n)(ss.Tensor(float(row.x))))
    np.testing.assert_allclose(got, want, rtol=4e-15 * 4**row.n, atol=0, equal_nan=True)


@pytest.mark.parametrize("mode", FIRST_ORDER)
@pytest.mark.parametrize("name", ROWS)
def test_first_order_modes(name, mode):
    row = ROWS[name]
    if mode.startswith("reverse over forward") and row.n == 1:
        assert row.want == np.asarray(grads(row.f, 1)(ss.Tensor(float(row.x))))
        return
    check(FIRST_ORDER[mode], row, row.want)


@pytest.mark.parametrize("mode", SERIES)
@pytest.mark.parametrize("name", ROWS)
def test_series(name, mode):
    row = ROWS[name]
    if mode == "longer Taylor" and row.n == 1:  # from order 2 the series is one-sided: see below
        check(SERIES["Taylor"], row, row.want)
        return
    check(SERIES[mode], row, row.want if row.series is None else row.series)
