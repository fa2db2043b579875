"""Dtypes: the promotion table of the standard, and what every elementwise function makes of every dtype."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim.core.errors import DTypeError
from tests.standard import signatures

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS, FLOATING = SIGNED + UNSIGNED, REAL + COMPLEX
KINDS = {
    "bool": ("bool",),
    "integer": INTEGERS,
    "integer or bool": ("bool", *INTEGERS),
    "real": INTEGERS + REAL,
    "real floating": REAL,
    "numeric": INTEGERS + FLOATING,
    "floating": FLOATING,
    "complex": COMPLEX,
    "all": ("bool", *INTEGERS, *FLOATING),
}


def promote(a: str, b: str) -> str | None:
    """The dtype to which two promote, by the tables of the standard; None where it leaves that open."""
    if a == b:
        return a
    for kind in (SIGNED, UNSIGNED, REAL):
        if a in kind and b in kind:
            return max(a, b, key=kind.index)
    if {a, b} <= set(FLOATING):
        return "complex64" if {a, b} <= {"complex64", "float32"} else "complex128"
    if {a, b} <= set(INTEGERS):
        signed, unsigned = (a, b) if a in SIGNED else (b, a)
        room = SIGNED[UNSIGNED.index(unsigned) + 1 :]  # the next signed one holds it
        return None if not room else max(signed, room[0], key=SIGNED.index)
    return None


# name: (kinds of operands, dtype of the result: "same", or that of its parts, or "bool")
_TAKES = {
    "all": "equal not_equal",
    "numeric": "abs add isfinite isinf isnan multiply negative positive sign square subtract conj real round pow",
    "real": "ceil floor trunc floor_divide remainder maximum minimum greater greater_equal less less_equal",
    "floating": (
        "acos acosh asin asinh atan atanh cos cosh divide exp expm1 log log1p log2 log10 reciprocal sin sinh sqrt tan "
        "tanh"
    ),
    "real floating": "atan2 copysign hypot logaddexp nextafter signbit",
    "complex": "imag",
    "bool": "logical_and logical_not logical_or logical_xor",
    "integer or bool": "bitwise_and bitwise_invert bitwise_or bitwise_xor",
    "integer": "bitwise_left_shift bitwise_right_shift",
}
TAKES = {name: kind for kind, names in _TAKES.items() for name in names.split()}
TRUTH = {
    *("isfinite", "isinf", "isnan", "signbit", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
    *("logical_and", "logical_or", "logical_xor", "logical_not"),
}
PARTS = {"abs", "real", "imag"}


def expected(name: str, promoted: str) -> str:
    if name in TRUTH:
        return "bool"
    if name in PARTS and promoted in COMPLEX:
        return REAL[COMPLEX.index(promoted)]
    return promoted


def test_the_tables_name_every_elementwise_function():
    assert set(TAKES) == {*signatures.UNARY, *signatures.BINARY}


def test_result_type_is_the_promotion_table():
    for a, b in itertools.product(KINDS["all"], repeat=2):
        want = promote(a, b)
        if want is not None:
            assert ss.result_type(a, b) == np.dtype(want) == ss.result_type(ss.ones(1, dtype=a), ss.ones(1, dtype=b))
            assert ss.can_cast(a, want)
            assert ss.can_cast(ss.ones(1, dtype=b), want)


@pytest.mark.parametrize("name", signatures.UNARY)
def test_functions_of_one_operand(name):
    for dtype in KINDS[TAKES[name]]:
        assert getattr(ss, name)(ss.ones((2,), dtype=dtype)).dtype == expected(name, dtype), dtype


@pytest.mark.parametrize("name", signatures.BINARY)
def test_functions_of_two_operands(name):
    f, kinds = getattr(ss, name), KINDS[TAKES[name]]
    arrays = {dtype: ss.ones((2,), dtype=dtype) for dtype in kinds}
    for a, b in itertools.product(kinds, repeat=2):
        want = promote(a, b)
        if want is not None:
            assert f(arrays[a], arrays[b]).dtype == expected(name, want), (a, b)


def scalars(dtype: str) -> list[Any]:
    """Python numbers that the standard lets meet arrays of a dtype."""
    if dtype == "bool":
        return [True]
    return [1, *([1.0] if dtype in FLOATING else []), *([1j] if dtype in COMPLEX else [])]


@pytest.mark.parametrize("name", signatures.BINARY)
def test_python_numbers_follow_arrays(name):
    f = getattr(ss, name)
    for dtype in KINDS[TAKES[name]]:
        x = ss.ones((2,), dtype=dtype)
        for number in scalars(dtype):
            if isinstance(number, complex) and name in ("equal", "not_equal", "pow"):
                continue
            assert f(x, number).dtype == f(number, x).dtype == expected(name, dtype), (dtype, number)


OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_are_the_functions(operator):
    name = OPERATORS[operator]
    f = getattr(ss, name)
    for dtype in KINDS[TAKES[name]]:
        x, y = ss.ones((3,), dtype=dtype), ss.ones((3,), dtype=dtype)
        want = f(x, y)
        for got in (getattr(x, f"__{operator}__")(y), getattr(y, f"__r{operator}__")(x)):
            assert got.dtype == want.dtype
            assert ss.all(got == want)
        z = ss.asarray(x)
        kept = getattr(z, f"__i{operator}__")(y)
        assert kept is z
        assert z.dtype == x.dtype
        assert ss.all(z == want)
        assert ss.all(x == 1)


def test_sums_and_products_have_room():
    for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
        f = getattr(ss, name)
        for dtype in INTEGERS:
            assert f(ss.ones(3, dtype=dtype)).dtype == ("int64" if dtype in SIGNED else "uint64")
        for dtype in FLOATING:
            assert f(ss.ones(3, dtype=dtype)).dtype == dtype
        assert f(ss.asarray([100, 100, 2], dtype=ss.uint8), dtype=ss.uint8).dtype == ss.uint8
    assert ss.sum(ss.asarray([200, 100], dtype=ss.uint8), dtype=ss.uint8) == 44
    assert ss.linalg.trace(ss.ones((2, 2), dtype=ss.int8), dtype=ss.int8).dtype == ss.int8
    assert ss.vecdot(ss.ones(3, dtype=ss.uint8), ss.ones(3, dtype=ss.uint8)).dtype == ss.uint8


def test_limits_are_python_numbers():
    for name in (*FLOATING, "float16", "bfloat16"):
        info = ss.finfo(name if name != "bfloat16" else ss.bfloat16)
        assert all(type(v) is float for v in (info.eps, info.max, info.min, info.smallest_normal, info.tiny))
        assert type(info.bits) is int
    assert ss.finfo(ss.complex64) == ss.finfo(ss.float32)
    assert ss.finfo(ss.ones(1, dtype=ss.bfloat16)).eps == 2.0**-7
    with pytest.raises(DTypeError, match="finfo: int64"):
        ss.finfo(ss.int64)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves_are_kept_and_converted(name):
    dtype = getattr(ss, name)
    x = ss.asarray([1.0, 2.5, -3.0], dtype=dtype)
    assert (x.dtype, x.dtype.itemsize) == (dtype, 2)
    assert ss.zeros(3, dtype=name).dtype == ss.astype([1.0], name).dtype == x.dtype
    assert ss.can_cast(name, "float32")
    many = ss.ones(3000, dtype=dtype)  # beyond 256 and 2048 the halves skip numbers
    assert ss.sum(many) == ss.asarray(3000.0, dtype=dtype)
    assert ss.cumulative_sum(many)[-1] == (3008.0 if name == "bfloat16" else np.cumsum(np.asarray(many))[-1])
    assert ss.mean(many) == 1.0
    assert ss.std(x).dtype == ss.var(x).dtype == ss.mean(x).dtype == ss.sum(x).dtype == dtype
    assert (x + 1).dtype == (x * x).dtype == dtype
    assert ss.result_type(x, ss.float32) == ss.float32
    np.testing.assert_array_equal(np.asarray(ss.astype(x, ss.float64)), [1.0, 2.5, -3.0])
    assert ss.jit(lambda v: v[1:] * 2)(x).dtype == dtype
