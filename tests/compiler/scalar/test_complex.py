"""Complex numbers: the modulus of the error against mpmath, and NumPy's values at zeros, infinities and branch cuts."""

import numpy as np
import pytest
from mpmath import mp

from scisim.compiler.scalar.namespace import Complex, Scalars
from scisim.ops.complex_values import expm1, log1p

NAMES = ["sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
INVERSE = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
EXACT = {
    **{name: getattr(mp, name) for name in (*NAMES, *INVERSE) if name != "log2"},
    "log2": lambda z: mp.log(z, 2),
}
OURS = {"expm1": expm1, "log1p": log1p}  # with another sign of a zero than NumPy's
BOUNDED = {"exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"}  # others take numbers of every size
DTYPES = ["float32", "float64"]


def apply(run, dtype, function, *operands):
    """``function(s, *operands)`` of complex arrays."""

    def expression(builder, *parts):
        s = Scalars(builder, "complex64" if dtype == "float32" else "complex128")
        z = function(s, *(Complex(*parts[k : k + 2]) for k in range(0, len(parts), 2)))
        return [z.re, z.im]

    parts = [part.astype(dtype) for z in operands for part in (z.real, z.imag)]
    re, im = run(expression, parts)
    z = np.empty(len(re), "complex64" if dtype == "float32" else "complex128")
    z.real, z.imag = re, im
    return z


def points(dtype, name, count=80):
    rng = np.random.default_rng(7)
    wide = 5 if name in BOUNDED else (60 if dtype == "float32" else 500)
    sizes = np.concatenate([np.exp2(rng.uniform(-wide, wide, count)), 1 + rng.normal(size=count) * 1e-3])
    z = sizes * np.exp(1j * rng.uniform(-np.pi, np.pi, 2 * count))
    return z.astype("complex64" if dtype == "float32" else "complex128")


def relative_errors(found, exact):
    """In units of the rounding error."""
    unit, least = (2.0**-24, 2.0**-126) if found.dtype == np.complex64 else (2.0**-53, 2.0**-1022)
    pairs = zip(found.tolist(), exact, strict=True)
    return [float(abs(mp.mpc(z) - w) / max(abs(w), mp.mpf(least)) / unit) for z, w in pairs]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*NAMES, *INVERSE])
def test_relative_errors_are_a_few_units(name, dtype, run):
    z = points(dtype, name)
    found = apply(run, dtype, lambda s, x: getattr(s, name)(x), z)
    with mp.workprec(1400):
        exact = [EXACT[name](mp.mpc(v)) for v in z.tolist()]
    errors = relative_errors(found, exact)
    k = int(np.argmax(errors))
    assert errors[k] <= 6, (z[k], found[k])


@pytest.mark.parametrize("name", [*NAMES, *INVERSE])
def test_zeros_and_branch_cuts_are_numpys(name, run):
    parts = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5]
    re, im = (v.ravel() for v in np.meshgrid(parts, parts))
    z = np.empty(len(re), complex)
    z.real, z.imag = re, im
    found = apply(run, "float64", lambda s, x: getattr(s, name)(x), z)
    with np.errstate(all="ignore"):
        wanted = OURS.get(name, getattr(np, INVERSE.get(name, name)))(z)
    for a, b in ((found.real, wanted.real), (found.imag, wanted.imag)):
        np.testing.assert_allclose(a, b, rtol=1e-14)
        numbers = ~np.isnan(b)
        assert np.array_equal(np.signbit(a[numbers]), np.signbit(b[numbers]))


@pytest.mark.parametrize("name", ["sqrt", "log", "exp", "asin", "acos", "atan", "tanh"])
def test_infinite_numbers_are_numpys(name, run):
    z = np.array([complex(a, b) for a in (np.inf, -np.inf) for b in (0.0, -0.0, 1.0, -2.0)])
    found = apply(run, "float64", lambda s, x: getattr(s, name)(x), z)
    with np.errstate(all="ignore"):
        wanted = getattr(np, INVERSE.get(name, name))(z)
    for a, b in ((found.real, wanted.real), (found.imag, wanted.imag)):
        np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arithmetic(dtype, run):
    x, y = points(dtype, "log"), points(dtype, "exp")[::-1].copy()
    found = [apply(run, dtype, lambda s, a, b, op=op: getattr(s, op)(a, b), x, y) for op in ("add", "sub", "div")]
    with mp.workprec(2000):
        pairs = [(mp.mpc(a), mp.mpc(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        exact = [[a + b for a, b in pairs], [a - b for a, b in pairs], [a / b for a, b in pairs]]
        product = [a * b for a, b in pairs]
    for a, b in zip(found, exact, strict=True):
        assert max(relative_errors(a, b)) <= 6
    assert max(relative_errors(apply(run, dtype, lambda s, a, b: s.mul(a, b), x, y), product)) <= 4


def test_quotients_neither_overflow_nor_underflow_early(run):
    x = np.array([1e300 + 1e300j, 1e-300 + 1e-300j, 1 + 1j, 1e300 + 0j])
    y = np.array([2e300 + 1e300j, 1e-300 - 2e-300j, 0j, 1e-5 + 1e-300j])
    found = apply(run, "float64", lambda s, a, b: s.div(a, b), x, y)
    np.testing.assert_allclose(found[[0, 1, 3]], x[[0, 1, 3]] / y[[0, 1, 3]], rtol=1e-15)
    assert np.isinf(found[2].real)


def test_moduli_neither_overflow_nor_underflow_early(run):
    z = np.array([3e307 + 4e307j, 3e-320 + 4e-320j, 0j, complex(np.inf, np.nan)])
    (size,) = run(lambda b, re, im: [Scalars(b, "float64").abs(Complex(re, im))], [z.real.copy(), z.imag.copy()])
    np.testing.assert_allclose(size, np.abs(z), rtol=1e-15)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 5, 12])
def test_integer_powers(n, run):
    z = points("float64", "exp")
    found = apply(run, "float64", lambda s, x: s.ipow(x, n), z)
    with mp.workprec(400):
        exact = [mp.mpc(v) ** n for v in z.tolist()]
    assert max(relative_errors(found, exact)) <= 3 * abs(n) + 3


def test_powers(run):
    z, w = points("float64", "exp"), points("float64", "exp")[::-1].copy()
    found = apply(run, "float64", lambda s, x, y: s.pow(x, y), z, w)
    with mp.workprec(200):
        logs = [mp.mpc(b) * mp.log(mp.mpc(a)) for a, b in zip(z.tolist(), w.tolist(), strict=True)]
        exact = [mp.exp(v) for v in logs]
    # The exponential turns an absolute error of its argument into a relative one.
    for error, size in zip(relative_errors(found, exact), map(abs, logs), strict=True):
        assert error <= 8 + 6 * float(size)
    zero = np.zeros(3, complex)
    found = apply(run, "float64", lambda s, x, y: s.pow(x, y), zero, np.array([0, 2, -1], complex))
    np.testing.assert_array_equal(found[:2], [1, 0])
    assert np.isnan(found[2])


def test_parts_order_and_choice(run):
    x, y = points("float64", "exp"), points("float64", "exp")[::-1].copy()
    x[:10] = y[:10]
    parts = [x.real.copy(), x.imag.copy(), y.real.copy(), y.imag.copy()]

    def expressions(b, *p):
        s, u, v = Scalars(b, "complex128"), Complex(*p[:2]), Complex(*p[2:])
        chosen = s.select(s.eq(u, v), 1j, s.conj(u))
        return [s.eq(u, v), s.ne(u, v), s.real(u), s.imag(u), chosen.re, chosen.im, s.isfinite(u), s.truth(u)]

    found = run(expressions, parts)
    chosen = np.where(x == y, 1j, x.conj())
    wanted = [x == y, x != y, x.real, x.imag, chosen.real, chosen.imag, np.isfinite(x), x != 0]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
