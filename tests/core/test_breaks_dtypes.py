"""Dtypes against NumPy: promotion in every operator, operators in place, precision kept in every mode."""

import contextlib
import itertools
import operator

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv, operator.mod),
    *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, divmod),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
]
NAMES = ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
NUMBERS = [True, 2, -1, 2.5, -0.0, 2.0, 1j]
OPERANDS = [np.asarray([1, 3, 2]).astype(n) for n in NAMES] + [np.asarray(2).astype(n)[()] for n in NAMES[1:]] + NUMBERS


def outcome(f, *args):
    try:
        with np.errstate(all="ignore"):
            return f(*args)
    except (TypeError, ValueError, OverflowError, IndexError, AttributeError):
        return None


def agree(got, want, ulps=0):
    """Equal; to some ulps for quotients of complex numbers, which NumPy computes by Smith's formula."""
    parts = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
    for g, w in parts:
        assert isinstance(g, ss.Tensor)
        assert g.dtype == np.asarray(w).dtype
        if ulps:
            eps = np.finfo(np.asarray(w).dtype).eps
            np.testing.assert_allclose(np.asarray(g), w, rtol=ulps * eps, atol=0)
        else:
            assert np.array_equal(np.asarray(g), w, equal_nan=np.asarray(w).dtype.kind in "fc")


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_operator_promotes_as_numpys(op):
    ordered = op in (operator.lt, operator.le, operator.gt, operator.ge)
    for a, b in itertools.product(OPERANDS, OPERANDS):
        plain = [not isinstance(v, (np.ndarray, np.generic)) for v in (a, b)]
        if all(plain) or (ordered and any(np.iscomplexobj(v) for v in (a, b))):
            continue  # Python alone; an order of complex numbers, which we refuse
        want = outcome(op, a, b)
        wrapped = [(ss.Tensor(a), b)] * (not plain[0]) + [(a, ss.Tensor(b))] * (not plain[1])
        for left, right in wrapped:
            got = outcome(op, left, right)
            if want is None:
                assert got is None
            else:
                agree(got, want, ulps=4 if op is operator.truediv and np.iscomplexobj(want) else 0)


def test_a_refusal_is_ours():
    for op, a, b in itertools.product(OPERATORS, OPERANDS[:10], OPERANDS):
        with contextlib.suppress(ss.ScisimError), np.errstate(all="ignore"):
            op(ss.Tensor(a), b)


def test_integers_to_a_whole_float_are_floats():
    x = ss.asarray([1, 2, 3])
    for f in (lambda x: x**2.0, lambda x: x**1.0, lambda x: x**0.0):
        want = f(np.asarray([1, 2, 3]))
        for g in (f, ss.jit(f), ss.vmap(f)):
            agree(g(x), want)


def test_lists_stand_beside_tensors():
    x = ss.asarray([1.0, 2.0])
    assert (x + [1, 2]).tolist() == ([1, 2] + x).tolist() == [2.0, 4.0]
    assert (x == [1, 3]).tolist() == [True, False]
    assert ad.grad(lambda x: ss.sum(x * [3.0, x[0]]))(x).tolist() == [5.0, 1.0]
    for t in (ss.jit, ss.vmap):
        assert np.array_equal(t(lambda x: ss.where([True, False], x, [7, 8]))(ss.ones((2, 2)))[0], [1.0, 8.0])


def test_in_place_operators_keep_shape_and_dtype():
    x = ss.ones(2, dtype="float32")
    y = x
    x += np.ones(2)
    assert y is x
    assert x.dtype == np.float32
    assert x.tolist() == [2.0, 2.0]
    part = x[:]
    part += 1.0
    assert x.tolist() == [2.0, 2.0]


def test_scalar_conversions():
    x = ss.asarray(7)
    assert divmod(x, 2) == (3, 1)
    assert (+x).tolist() == 7
    assert [10, 20, 30][ss.asarray(1)] == 20
    assert list(range(ss.asarray(3))) == [0, 1, 2]
    assert complex(ss.asarray(1j)) == 1j
    assert f"{ss.asarray(1.25):.1f} {ss.zeros(2)}" == "1.2 Tensor([0., 0.])"


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_every_mode_keeps_the_precision(dtype):
    x = ss.asarray([0.25, 0.5, 0.75], dtype=dtype)

    def f(x):
        return ss.sum(2.0**x + x**2.5 + 3 * ss.exp(x) / (1.0 + x * x) + ss.abs(x) * 0.5)

    def scalar(x):
        return ss.real(f(x))

    assert ad.grad(scalar)(x).dtype == dtype
    assert ss.jit(ad.grad(scalar))(x).dtype == dtype
    assert ad.jacfwd(scalar)(x).dtype == dtype
    assert all(c.dtype == dtype for c in ad.taylor(f, x, x, 4))
    assert ad.jvp(f, (x,), (np.ones(3),))[1].dtype == dtype
    assert ad.linearize(f, x)[1](x).dtype == dtype


def test_averages_of_half_precision_do_not_overflow():
    x = ss.full(70_000, 1.5, dtype="float16")
    assert ss.mean(x).dtype == np.float16
    assert float(ss.mean(x)) == 1.5
    assert float(ss.var(x)) == 0.0
    assert float(ss.std(ss.asarray([1.0, 3.0], dtype="float16"))) == 1.0


# These write into their argument, or leave values open.
UNSUITED = {"copyto", "empty_like", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
UNSUITED |= {"may_share_memory", "shares_memory"}  # a Tensor is a copy
UNSUITED |= {"lstsq"}  # NumPy's residuals of a matrix of lower rank are empty; here shapes do not depend on values
UNSUITED |= {"eig", "eigvals", "roots"}  # real or complex as NumPy finds the values; always complex here


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("package", ["", "linalg", "fft"])
def test_numpys_functions_give_numpys_answers_or_an_error(package):
    module = getattr(np, package) if package else np
    a, v = np.asarray([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]]), np.asarray([3.0, 1.0, 2.0])
    calls = [(a,), (v,), (a, 1), (a, a), (v, v), ([a, a],), (a, a.T), (a @ a.T,), ((a, a.copy()), 0)]
    agreed = 0
    for name in dir(module):
        f = getattr(module, name)
        if type(f).__name__ != "_ArrayFunctionDispatcher" or name in UNSUITED:
            continue
        for args in calls:
            want = outcome(f, *args)
            if want is None or isinstance(want, type):
                continue
            try:
                got = f(*(tensors(x) for x in args))
            except (TypeError, ValueError):  # ours, or Python's for a parameter that we do not have
                continue
            compare(got, want)
            agreed += 1
    assert agreed > {"": 150, "linalg": 10, "fft": 20}[package]


def tensors(x):
    if isinstance(x, np.ndarray):
        return ss.Tensor(x)
    return type(x)(map(tensors, x)) if isinstance(x, (list, tuple)) else x


def compare(got, want):
    if isinstance(want, (tuple, list)):
        for g, w in zip(got, want, strict=True):
            compare(g, w)
    elif isinstance(want, (np.ndarray, np.generic, float, int)):
        g, w = np.asarray(got), np.asarray(want)
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-12)
