"""Real elementary functions against mpmath over the whole range of both dtypes."""

import mpmath
import numpy as np
import pytest
from mpmath import mp

from scisim.compiler.scalar.namespace import Scalars

# The errors in units of the last place that each function may have, and its mpmath definition.
TABLE = {
    "sqrt": (0.5, mp.sqrt),
    "cbrt": (0.51, lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    "exp": (1.0, mp.exp),
    "exp2": (1.0, lambda x: mp.mpf(2) ** x),
    "expm1": (2.0, mp.expm1),
    "log": (1.0, mp.log),
    "log2": (2.0, lambda x: mp.log(x, 2)),
    "log10": (1.5, mp.log10),
    "log1p": (1.0, mp.log1p),
    "sin": (2.0, mp.sin),
    "cos": (2.0, mp.cos),
    "tan": (1.5, mp.tan),
    "asin": (1.5, mp.asin),
    "acos": (1.5, mp.acos),
    "atan": (1.6, mp.atan),
    "sinh": (1.5, mp.sinh),
    "cosh": (2.0, mp.cosh),
    "tanh": (2.0, mp.tanh),
    "asinh": (2.0, mp.asinh),
    "acosh": (2.0, mp.acosh),
    "atanh": (1.6, mp.atanh),
    "erf": (1.5, mp.erf),
    # exp(-x*x), a polynomial and a division: two more digits in each would double the cost
    "erfc": (4.0, mp.erfc),
    "sigmoid": (2.0, lambda x: 1 / (1 + mp.exp(-x))),
}
DTYPES = ["float32", "float64"]
UNBOUNDED = {"exp", "exp2", "expm1", "sinh", "cosh", "tanh", "sigmoid", "erf", "erfc"}


def points(dtype, count, seed):
    """Numbers of every size and sign, of ordinary size, next to 1, next to multiples of pi/4, and the special ones."""
    rng, info = np.random.default_rng(seed), np.finfo(dtype)
    sign = rng.choice([-1, 1], count)
    most = 90.0 if dtype == "float32" else 712.0
    parts = [
        np.exp2(rng.uniform(info.minexp - info.nmant, info.maxexp - 1e-6, count)) * sign,
        np.exp2(rng.uniform(-30, 8, count)) * sign,
        rng.uniform(-1.2, 1.2, count),
        rng.uniform(-1.1 * most, most, count),
        1 + rng.normal(size=count) * 10.0 ** rng.uniform(-7, 0, count),
        rng.integers(-80, 80, count) * np.pi / 4,
    ]
    special = [1.0, 0.5, 0.75, 1.5, info.tiny, info.smallest_subnormal, info.max, np.nextafter(1, 0, dtype=dtype)]
    special = np.array(special + [1e22, 33.0, 2.0, 20.0] + ([1e308] if dtype == "float64" else [3e38]))
    return np.concatenate([*parts, special, -special]).astype(dtype)


def exact(name, x):
    """mpmath's value: of complex ones and outside of the domain nan."""
    x = mp.mpf(float(x))
    if name in UNBOUNDED:  # beyond, the results stay what they are
        x = max(min(x, mp.mpf(1100)), mp.mpf(-1100))
    # Digits enough for huge and for tiny arguments.
    with mp.workprec(160 + 2 * abs(mp.frexp(x)[1])):
        if name == "atanh" and abs(x) >= 1:
            return mp.mpf(x) * mp.inf if abs(x) == 1 else mp.nan
        if name.startswith("log") and x <= (-1 if name == "log1p" else 0):
            return -mp.inf if x == (-1 if name == "log1p" else 0) else mp.nan
        value = TABLE[name][1](x)
        return mp.nan if isinstance(value, mpmath.mpc) else +value


def worst(name, x, found, ulps):
    """The largest error and where it is."""
    errors = ulps(found, [exact(name, v) for v in x])
    k = int(np.argmax(errors))
    return errors[k], (x[k], found[k])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TABLE)
def test_error_is_within_the_bound(name, dtype, run_everywhere, ulps):
    x = points(dtype, 40, 1)
    (found,) = run_everywhere(lambda b, v: [getattr(Scalars(b, dtype), name)(v)], [x])
    error, where = worst(name, x, found, ulps)
    assert error <= TABLE[name][0], where


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TABLE)
def test_error_is_within_the_bound_at_many_points(name, dtype, run, ulps):
    x = points(dtype, 1500, 2)
    (found,) = run(lambda b, v: [getattr(Scalars(b, dtype), name)(v)], [x])
    error, where = worst(name, x, found, ulps)
    assert error <= TABLE[name][0], where


NUMPY = {
    **{name: getattr(np, name) for name in ("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_are_numpys(dtype, run_everywhere):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0], dtype)
    found = run_everywhere(lambda b, v: [getattr(Scalars(b, dtype), name)(v) for name in NUMPY], [x])
    for (name, function), y in zip(NUMPY.items(), found, strict=True):
        with np.errstate(all="ignore"):
            wanted = function(x)
        special = ~np.isfinite(wanted) | (wanted == 0)
        np.testing.assert_array_equal(y[special], wanted[special], err_msg=name)
        numbers = special & ~np.isnan(wanted)
        assert np.array_equal(np.signbit(y[numbers]), np.signbit(wanted[numbers])), name
        assert np.isfinite(y[~special]).all(), name


def test_error_functions_at_special_values(run_everywhere):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
    s = lambda b: Scalars(b, "float64")
    erf, erfc, sigmoid = run_everywhere(lambda b, v: [s(b).erf(v), s(b).erfc(v), s(b).sigmoid(v)], [x])
    np.testing.assert_array_equal(erf, [0.0, -0.0, 1.0, -1.0, np.nan])
    assert list(np.signbit(erf[:2])) == [False, True]
    np.testing.assert_array_equal(erfc, [1.0, 1.0, 0.0, 2.0, np.nan])
    np.testing.assert_array_equal(sigmoid, [0.5, 0.5, 1.0, 0.0, np.nan])


@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_results_are_exact(dtype, run):
    def through(name, x):
        return run(lambda b, v: [getattr(Scalars(b, dtype), name)(v)], [np.asarray(x, dtype)])[0]

    info = np.finfo(dtype)
    n = np.arange(info.minexp - info.nmant, info.maxexp)
    powers = np.ldexp(np.ones(len(n), dtype), n)
    np.testing.assert_array_equal(through("log2", powers), n)
    np.testing.assert_array_equal(through("exp2", n), powers)
    tens = np.arange(11 if dtype == "float32" else 23)
    np.testing.assert_array_equal(through("log10", [float(f"1e{k}") for k in tens]), tens)
    np.testing.assert_array_equal(through("cbrt", np.arange(200.0) ** 3), np.arange(200))
    for name, x, y in (("exp", 0, 1), ("cos", 0, 1), ("cosh", 0, 1), ("log", 1, 0), ("sigmoid", 0, 0.5)):
        assert through(name, [x])[0] == y, name


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_stay_inside_their_range(dtype, run):
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-20, 20, 20000), rng.normal(size=20000) * 1e-4 + np.pi / 2]).astype(dtype)
    names = ["sin", "cos", "tanh", "erf"]
    for y in run(lambda b, v: [getattr(Scalars(b, dtype), name)(v) for name in names], [x]):
        assert np.abs(y).max() <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMPY)
def test_float32_against_float64(name, run):
    x = np.arange(0, 2**32, 977, dtype=np.uint32).view(np.float32)
    (found,) = run(lambda b, v: [getattr(Scalars(b, "float32"), name)(v)], [x])
    with np.errstate(all="ignore"):
        wanted = NUMPY[name](x.astype(float))
        near = wanted.astype(np.float32)
        unit = np.exp2(np.maximum(np.frexp(wanted)[1] - 24.0, -149.0))
        errors = np.abs(found.astype(float) - wanted) / unit
    errors[(found == near) | (np.isnan(found) & np.isnan(near))] = 0
    errors[np.isinf(found) & (np.abs(wanted) > 3.4028233e38)] = 0
    assert errors.max() <= TABLE[name][0], x[np.argmax(errors)]
