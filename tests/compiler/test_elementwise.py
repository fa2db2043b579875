"""Scalar functions of the user on arrays: the values of plain Python, derivatives, one kernel, and clear refusals."""

import cmath
import math
from math import exp, sqrt

import numba
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentTypeError, ShapeError

SCALE = 2.5
COEFFICIENTS = (1.0, -2.0, 0.5)
X = np.array([-3.0, -0.5, 0.25, 0.75, 2.0, 5.0])


def huber(x):
    """A branch that returns on one side."""
    if abs(x) < 1.0:
        return x * x / 2
    return abs(x) - 0.5


def ladder(x):
    if x < -1:
        y = -x
    elif x < 0.5:
        y = x * x
        if x > 0:
            y = y + SCALE
    elif x < 1:
        return math.sin(x)
    else:
        y = exp(-x)
    return 2 * y


def polynomial(x):
    y = 0.0
    for c in COEFFICIENTS:
        y = y * x + c
    for k in range(5):
        if k == 1:
            continue
        if k == 4:
            break
        y += k / 10
    else:
        y = 1e300
    return y


def newton(x):
    """A fixed number of steps to a square root."""
    y = max(abs(x), 1.0)
    step = 0
    while step < 6:
        y = (y + abs(x) / y) / 2
        step += 1
    return y


def conditions(x):
    inside = 0 < x < 1 or x > 4
    a = 1.0 if inside and not (x < 0.5) else -1.0
    b = -1 if x >= 2 else (x if x <= 0 else 3)
    return a * 10 + b


def functions(x):
    u = math.log1p(abs(x)) + math.log(abs(x) + 1.0, 2.0) + math.copysign(2.0, x) + math.fmod(x, 0.4)
    v = math.hypot(x, 3.0) + math.atan2(x, 2.0) + math.floor(x) + math.degrees(x) * math.radians(x)
    return u + v + pow(abs(x), 1.5) + min(x, 0.5, 1.0) + max(x, -1.0) + math.pi + float(round(x))


def with_numpy(x):
    y = np.where(x > 0, np.sqrt(np.abs(x)), np.square(x))
    return np.float64(y) + np.tanh(x) - np.maximum(x, 0.1) + int(x)


def helper(x, scale=1.0):
    return scale * huber(x) if x > 0 else sqrt(abs(x))


def nested(x):
    a, (b, c) = helper(x), (helper(x, SCALE), x % 0.7)
    return a + b * c // 0.5


FUNCTIONS = [huber, ladder, polynomial, newton, conditions, functions, with_numpy, nested]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_are_those_of_python(f):
    g = ss.elementwise(f)
    wanted = np.array([f(float(x)) for x in X])
    for got in (g(X), ss.jit(g)(X), ss.vmap(g)(X), [g(x) for x in X]):
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=2e-14)
    assert g.__name__ == f.__name__
    assert g.__doc__ == f.__doc__


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_follow_the_side_of_each_element(f):
    g = ss.elementwise(f)
    h, at = 1e-6, X + 0.03  # away from jumps
    wanted = [(f(float(x) + h) - f(float(x) - h)) / (2 * h) for x in at]
    for d in (ad.derivative(g), ss.vmap(ad.grad(g)), ss.jit(ss.vmap(ad.grad(g)))):
        np.testing.assert_allclose(np.asarray(d(at)), wanted, rtol=1e-6, atol=1e-6)


def test_any_order():
    g = ss.elementwise(lambda x: math.sin(2 * x) if x > 0 else math.exp(x))
    for n, x in [(3, 0.4), (4, -0.3), (7, 0.2)]:
        wanted = 2.0**n * math.sin(2 * x + n * math.pi / 2) if x > 0 else math.exp(x)
        assert float(ad.derivative(g, n)(x)) == pytest.approx(wanted, rel=1e-12)


def test_a_side_that_is_not_taken_spoils_no_derivative():
    g = ss.elementwise(lambda x: math.sqrt(x) if x > 0 else 0.0)
    np.testing.assert_array_equal(ad.derivative(g)(np.array([-1.0, 0.0, 4.0])), [0, 0, 0.25])


def test_it_is_one_kernel_with_what_is_around_it():
    g = ss.elementwise(ladder)
    low = ss.jit(lambda x: 3.0 * g(x + 1.0) - x).lower(ss.linspace(0.0, 1.0, 5000))
    assert len([k for r in low.regions for k in r.kernels]) == 1


def test_arguments_broadcast_and_results_keep_their_precision():
    g = ss.elementwise(lambda x, y: x * y if x > y else x - y)
    a, b = np.arange(3.0)[:, None], np.arange(4.0)
    np.testing.assert_array_equal(g(a, b), np.where(a > b, a * b, a - b))
    for dtype in (ss.float32, ss.float64):
        assert g(ss.ones(3, dtype=dtype), 2.0).dtype == dtype
        assert g(ss.ones(3, dtype=dtype), 2).dtype == dtype
    assert g([1.0, 2.0], 0.5).shape == (2,)
    constant = ss.elementwise(lambda x: 7.0)
    np.testing.assert_array_equal(constant(np.zeros((2, 2))), np.full((2, 2), 7.0))
    with pytest.raises(ShapeError, match="broadcast"):
        g(np.ones(3), np.ones(4))


def test_integers_are_part_of_the_function():
    @ss.elementwise
    def power(x, n):
        y = 1.0
        for _ in range(n):
            y *= x
        return y

    for n in (0, 1, 5):
        np.testing.assert_allclose(power(X, n), X**n, rtol=1e-15)
        np.testing.assert_allclose(ad.derivative(lambda x, n=n: power(x, n))(X), n * X ** max(n - 1, 0), rtol=1e-14)


def test_several_results():
    both = ss.elementwise(lambda x: (x + 1, 2.0) if x > 0 else (x - 1, x))
    a, b = both(X)
    np.testing.assert_array_equal(a, np.where(X > 0, X + 1, X - 1))
    np.testing.assert_array_equal(b, np.where(X > 0, 2.0, X))


def test_complex_numbers():
    g = ss.elementwise(lambda z: cmath.exp(z) / (z + 2j) if abs(z) < 1 else z.conjugate() * z.imag)
    z = np.array([0.3 + 0.4j, 2.0 - 1.0j])
    wanted = [cmath.exp(v) / (v + 2j) if abs(v) < 1 else v.conjugate() * v.imag for v in z]
    np.testing.assert_allclose(g(z), wanted, rtol=1e-14)


@pytest.mark.parametrize("compiled", [numba.njit(huber), numba.vectorize(huber)], ids=["njit", "vectorize"])
def test_functions_that_numba_has_compiled(compiled):
    g = ss.elementwise(compiled)
    np.testing.assert_allclose(g(X), [huber(x) for x in X], rtol=1e-15)
    np.testing.assert_allclose(ad.derivative(g)(X), np.clip(X, -1, 1), rtol=1e-15)


def closed_over():
    k = 3.0

    def inner(x):
        return k * x if x > 0 else x

    return ss.elementwise(inner)


def test_closures_and_methods_of_decoration():
    np.testing.assert_array_equal(closed_over()(X), np.where(X > 0, 3 * X, X))
    assert repr(closed_over()) == "<elementwise inner>"


# --- refusals ----------------------------------------------------------------------------------------------------
def by_value(x):
    for _ in range(x):
        x = x + 1
    return x


def until(x):
    while x > 1:
        x = x / 2
    return x


def leaves_a_loop(x):
    for _ in range(3):
        if x > 1:
            break
        x = x + 1
    return x


def one_side(x):
    if x > 0:
        y = 1.0
    return x + y


def no_value(x):
    if x > 0:
        return x


def raises(x):
    if x < 0:
        raise ValueError
    return x


def prints(x):
    print(x)
    return x


def unknown(x):
    return math.gamma(x)


def indexes(x):
    return x[0]


def forever(x):
    while True:
        x = x + 1


REFUSED = {
    until: (1, "while on a condition on values; use a number that is known"),
    leaves_a_loop: (2, "break or continue in a loop under a condition on values"),
    one_side: (3, "y is assigned on one side only of the branch at line"),
    raises: (2, "a statement \\(Raise\\)"),
    prints: (1, "a statement \\(Expr\\)"),
    unknown: (1, "math.gamma has no counterpart on arrays"),
    indexes: (1, "an index into an argument"),
    forever: (1, "more than 10000 steps"),
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_has_no_meaning_element_by_element_is_refused(f):
    line, match = REFUSED[f]
    with pytest.raises(ArgumentTypeError, match=f"elementwise: {f.__name__}, line \\d+: .*{match}") as error:
        ss.elementwise(f)(X)
    assert f"line {f.__code__.co_firstlineno + line}:" in str(error.value)


def test_other_misuse_is_refused():
    with pytest.raises(ArgumentTypeError, match="no_value returns no value on some of its ways"):
        ss.elementwise(no_value)(X)
    with pytest.raises(ArgumentTypeError, match="expected a Python function of numbers.*got ufunc"):
        ss.elementwise(np.sin)
    with pytest.raises(ArgumentTypeError, match="huber: too many positional arguments"):
        ss.elementwise(huber)(X, X)
    with pytest.raises(ArgumentTypeError, match="source of <lambda> cannot be read"):
        ss.elementwise(eval("lambda x: x"))
    with pytest.raises(TypeError):
        ss.elementwise(by_value)(X)
