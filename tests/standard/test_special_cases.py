"""Special values of every elementwise function of the standard, eager, compiled and of single precision."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from tests.standard import complex_cases, special_cases

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ROUNDING = {np.float64: 1e-15, np.float32: 1e-6}


def columns(name: str, dtype: type) -> tuple[list[np.ndarray], np.ndarray]:
    rows = list(special_cases.cases(name))
    operands = [np.array(c, dtype) for c in zip(*(xs for xs, _ in rows), strict=True)]
    return operands, np.array([want for _, want in rows], float)


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("name", special_cases.TABLE)
def test_real_numbers(name, dtype):
    xs, want = columns(name, dtype)
    f = getattr(ss, name)
    for got in (f(*map(ss.asarray, xs)), ss.jit(f)(*map(ss.asarray, xs))):
        y = np.asarray(got)
        np.testing.assert_allclose(y.astype(float), want, rtol=ROUNDING[dtype], atol=0)
        if y.dtype.kind == "f":
            known = ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(y)[known], np.signbit(want)[known])


@pytest.mark.parametrize("name", special_cases.TABLE)
def test_a_scalar_operand_is_as_good_as_an_array(name):
    xs, want = columns(name, np.float64)
    if len(xs) == 1:
        got = [getattr(ss, name)(ss.asarray(x)) for x in xs[0]]
    else:
        usual = (name != "pow") | (xs[1] != 0.5)  # with which pow of a Python number is sqrt, as NumPy's operator
        xs, want = [x[usual] for x in xs], want[usual]
        got = [getattr(ss, name)(ss.asarray(a), float(b)) for a, b in zip(*xs, strict=True)]
        swapped = [getattr(ss, name)(float(a), ss.asarray(b)) for a, b in zip(*xs, strict=True)]
        np.testing.assert_array_equal(np.array([float(y) for y in swapped]), np.array([float(y) for y in got]))
    np.testing.assert_allclose(np.array([float(y) for y in got]), want, rtol=1e-15, atol=0)


def agrees(got: float, want: tuple[float | None, bool]) -> bool:
    value, signed = want
    if value is None:
        return not np.isnan(got)
    if np.isnan(value):
        return bool(np.isnan(got))
    if signed and np.signbit(got) != np.signbit(value):
        return False
    a, b = abs(got), abs(value)
    return a == b or abs(a - b) < 1e-15 * b


@pytest.mark.parametrize("name", complex_cases.TABLE)
def test_complex_numbers(name):
    rows = list(complex_cases.cases(name))
    z = np.array([case[0] for case in rows])
    f = getattr(ss, name)
    for conjugate in (False, True):
        got = np.asarray(f(ss.asarray(z.conj() if conjugate else z)))
        got = got.conj() if conjugate else got
        bad = [
            (x, y)
            for (x, real, imaginary), y in zip(rows, got, strict=True)
            if not (agrees(y.real, real) and agrees(y.imag, imaginary))
        ]
        assert not bad


def test_clip_passes_nan_on():
    x = ss.asarray([np.nan, 1.0, 1.0])
    assert np.isnan(np.asarray(ss.clip(x, ss.asarray([0.0, np.nan, 0.0]), ss.asarray([2.0, 2.0, np.nan])))).all()


def test_log2_and_log10_of_complex_numbers_are_logarithms_of_another_base():
    z = np.array([0.3 - 2.0j, -1.5 + 0.5j, 4.0 + 0.0j])
    np.testing.assert_allclose(np.asarray(ss.log2(z)), np.log(z) / np.log(2), rtol=1e-15)
    np.testing.assert_allclose(np.asarray(ss.log10(z)), np.log(z) / np.log(10), rtol=1e-15)
