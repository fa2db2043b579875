"""Functions of two numbers: powers, lengths and angles."""

import numpy as np
import pytest
from mpmath import mp

from scisim.compiler.scalar.namespace import Scalars

TABLE = {  # bound in units of the last place, NumPy's function, mpmath's
    "pow": (1.0, np.power, mp.power),
    "hypot": (1.0, np.hypot, mp.hypot),
    "atan2": (1.7, np.arctan2, mp.atan2),
}
DTYPES = ["float32", "float64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -3.0, 4e9 + 1, 5e-324, 2.5]


def points(dtype, count, seed):
    """Pairs of every size; powers next to overflow and underflow; powers of integers; the special pairs."""
    rng, info = np.random.default_rng(seed), np.finfo(dtype)
    sign = rng.choice([-1, 1], (2, count))
    wide = np.exp2(rng.uniform(info.minexp - info.nmant, info.maxexp - 1e-6, (2, count))) * sign
    usual = np.exp2(rng.uniform(-4, 4, (2, count))) * sign
    near = 1 + rng.normal(size=(2, count)) * 10.0 ** rng.uniform(-6, -1, (2, count))
    base = np.exp2(rng.uniform(-20, 20, count)).astype(dtype).astype(float)
    edges = np.stack([base, rng.uniform(info.minexp * 1.02, info.maxexp, count) / np.log2(base)])
    whole = rng.integers(-30, 30, (2, count)).astype(float)
    special = np.stack([v.ravel() for v in np.meshgrid(SPECIAL, SPECIAL)])
    with np.errstate(all="ignore"):
        return np.concatenate([wide, usual, near, edges, whole, special], axis=1).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TABLE)
def test_functions_of_two_numbers(name, dtype, run_everywhere, ulps):
    bound, numpys, exact = TABLE[name]
    x, y = points(dtype, 60, 1)
    (found,) = run_everywhere(lambda b, p, q: [getattr(Scalars(b, dtype), name)(p, q)], [x, y])
    with np.errstate(all="ignore"):
        wanted = numpys(x, y)
    usual = np.isfinite(wanted) & (x != 0) & (y != 0) & np.isfinite(x) & np.isfinite(y) & (wanted != 0)
    with np.errstate(all="ignore"):  # infinite beside finite
        np.testing.assert_allclose(found[~usual], wanted[~usual], rtol=np.finfo(dtype).eps)
    numbers = ~usual & ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))
    with mp.workprec(300):
        errors = ulps(found[usual], [exact(mp.mpf(float(a)), mp.mpf(float(b))) for a, b in zip(x[usual], y[usual])])
    k = int(np.argmax(errors))
    assert errors[k] <= bound, (x[usual][k], y[usual][k], found[usual][k])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [-7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 13, 100])
def test_powers_of_a_fixed_integer(n, dtype, run, ulps):
    rng = np.random.default_rng(n + 50)
    x = np.concatenate([rng.uniform(-3, 3, 60), np.exp2(rng.uniform(-100, 100, 60)), [1.0, -1.0, -2.0]]).astype(dtype)
    fixed, constant = run(lambda b, p: [(s := Scalars(b, dtype)).ipow(p, n), s.pow(p, n)], [x])
    np.testing.assert_array_equal(fixed, constant)
    with mp.workprec(300):
        exact = [mp.mpf(float(v)) ** n for v in x]
    beyond = mp.mpf(2) ** (np.finfo(dtype).maxexp + 1)
    exact = [mp.sign(v) * mp.inf if abs(v) > beyond else v for v in exact]
    assert ulps(fixed, exact).max() <= 2.0
    zeros = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        wanted = zeros ** np.array(n, dtype)
    np.testing.assert_array_equal(run(lambda b, p: [Scalars(b, dtype).ipow(p, n)], [zeros])[0], wanted)


def test_integer_powers_of_integers(run):
    x = np.arange(-20, 20)
    (y,) = run(lambda b, p: [Scalars(b, "int64").ipow(p, 5)], [x])
    np.testing.assert_array_equal(y, x**5)
