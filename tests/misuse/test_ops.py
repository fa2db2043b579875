"""Array functions given what they do not take: elementwise functions, reductions, products."""

import numpy as np

import scisim as ss
from scisim.core import errors as e
from tests.misuse import assert_refused, table

X = ss.asarray([1.0, 2.0, 3.0])
Z = X * 1j
A = ss.ones((2, 3))


@table(
    # --- elementwise
    ("sine of a string", lambda: ss.sin("abc"), e.ArgumentTypeError, TypeError, ["sin", "'abc'", "expected numbers"]),
    ("sine of nothing", lambda: ss.sin(None), e.ArgumentTypeError, TypeError, ["sin", "None", "expected numbers"]),
    (
        "a string beside a number",
        lambda: ss.add("a", 1),
        e.ArgumentTypeError,
        TypeError,
        ["add", "'a'", "expected numbers"],
    ),
    ("a string as condition", lambda: ss.where("a", 1.0, 2.0), e.ArgumentTypeError, TypeError, ["where", "'a'"]),
    (
        "shapes that do not fit",
        lambda: X + ss.ones(2),
        e.ShapeError,
        ValueError,
        ["add", "(3,) and (2,)", "do not broadcast", "x[:, None]"],
    ),
    (
        "shapes that do not fit a function",
        lambda: ss.maximum(X, ss.ones(2)),
        e.ShapeError,
        ValueError,
        ["maximum", "(3,) and (2,)", "x[:, None]"],
    ),
    (
        "shapes that do not fit a condition",
        lambda: ss.where(X > 0, ss.ones(2), 0.0),
        e.ShapeError,
        ValueError,
        ["where", "(3,)", "(2,)"],
    ),
    ("comparing complex numbers", lambda: Z < X, e.DTypeError, TypeError, ["less", "no order", "abs(z)", "real(z)"]),
    (
        "comparing a number with a complex array of NumPy's",
        lambda: np.float64(1.0) >= Z,
        e.DTypeError,
        TypeError,
        ["greater_equal", "no order"],
    ),
    (
        "the greater complex number",
        lambda: ss.maximum(X, Z),
        e.DTypeError,
        TypeError,
        ["maximum", "no order", "abs(z)"],
    ),
    ("clipping complex numbers", lambda: ss.clip(Z, 0.0, 1.0), e.DTypeError, TypeError, ["clip", "no order"]),
    ("clipping to complex numbers", lambda: ss.clip(X, 1j), e.DTypeError, TypeError, ["clip", "no order"]),
    ("floor of a complex number", lambda: ss.floor(Z), e.DTypeError, TypeError, ["floor", "complex128", "astype"]),
    ("remainder of a complex number", lambda: Z % 2, e.DTypeError, TypeError, ["remainder", "complex128"]),
    ("bits of floats", lambda: X & 1, e.DTypeError, TypeError, ["bitwise_and", "float64", "astype"]),
    ("bits of a float", lambda: ~X, e.DTypeError, TypeError, ["bitwise_invert", "float64"]),
    ("minus a boolean", lambda: -(X > 0), e.DTypeError, TypeError, ["bool", "logical_not"]),
    ("a difference of booleans", lambda: (X > 0) - True, e.DTypeError, TypeError, ["bool", "logical_xor"]),
    (
        "a negative power of an integer",
        lambda: ss.asarray(2) ** -1,
        e.ArgumentError,
        ValueError,
        ["pow", "negative powers", "astype(float)"],
    ),
    # --- reductions
    (
        "an axis out of range",
        lambda: ss.sum(X, axis=3),
        e.ArgumentError,
        ValueError,
        ["sum", "axis 3", "1 axes", "-1 to 0"],
    ),
    (
        "an axis of a number",
        lambda: ss.sum(1.0, axis=0),
        e.ArgumentError,
        ValueError,
        ["sum", "no axes", "leave axis out"],
    ),
    ("an axis twice", lambda: ss.sum(A, axis=(0, 0)), e.ArgumentError, ValueError, ["sum", "(0, 0)", "twice"]),
    (
        "a fraction of an axis",
        lambda: ss.sum(A, axis=0.5),
        e.ArgumentTypeError,
        TypeError,
        ["sum", "axis", "integer", "0.5"],
    ),
    (
        "an axis by name",
        lambda: ss.mean(A, axis="x"),
        e.ArgumentTypeError,
        TypeError,
        ["mean", "axis", "integer", "'x'"],
    ),
    ("the greatest of none", lambda: ss.max(ss.zeros(0)), e.ShapeError, ValueError, ["max", "(0,)", "empty", "size"]),
    (
        "the place of the greatest of none",
        lambda: ss.argmax(ss.zeros((0, 3))),
        e.ShapeError,
        ValueError,
        ["argmax", "(0, 3)"],
    ),
    ("the greatest complex number of all", lambda: ss.max(Z), e.DTypeError, TypeError, ["max", "no order", "abs(z)"]),
    ("sorting complex numbers", lambda: ss.sort(Z), e.DTypeError, TypeError, ["sort", "no order", "abs(z)"]),
    (
        "a running sum over two axes",
        lambda: ss.cumulative_sum(A),
        e.ArgumentError,
        ValueError,
        ["cumulative_sum", "(2, 3)", "axis=", "reshape(x, -1)"],
    ),
    (
        "a correction that is no number",
        lambda: ss.var(X, correction="n"),
        e.ArgumentTypeError,
        TypeError,
        ["var", "correction", "'n'"],
    ),
    ("a negative difference", lambda: ss.diff(X, n=-1), e.ArgumentError, ValueError, ["diff", "-1"]),
    (
        "searching a matrix",
        lambda: ss.searchsorted(A, X),
        e.ShapeError,
        ValueError,
        ["searchsorted", "vector", "(2, 3)", "vmap"],
    ),
    (
        "searching on a third side",
        lambda: ss.searchsorted(X, X, side="up"),
        e.ArgumentError,
        ValueError,
        ["searchsorted", "'left' or 'right'", "'up'"],
    ),
    (
        "an element that is not there",
        lambda: ss.take(X, [5]),
        e.IndexRangeError,
        IndexError,
        ["5", "axis 0", "length 3"],
    ),
    # --- products
    (
        "matrices that do not fit",
        lambda: A @ A,
        e.ShapeError,
        ValueError,
        ["matmul", "(2, 3) and (2, 3)", "length 3", "2", "transpose"],
    ),
    ("a number as matrix", lambda: A @ 2.0, e.ShapeError, ValueError, ["matmul", "at least one axis", "a * b"]),
    (
        "stacks that do not fit",
        lambda: ss.ones((2, 3, 3)) @ ss.ones((4, 3, 3)),
        e.ShapeError,
        ValueError,
        ["matmul", "(2, 3, 3)", "(4, 3, 3)", "all axes but the last two"],
    ),
    ("vectors that do not fit", lambda: ss.vecdot(X, ss.ones(2)), e.ShapeError, ValueError, ["vecdot", "(3,)", "(2,)"]),
    (
        "subscripts of another rank",
        lambda: ss.einsum("ij,jk", X, X),
        e.ShapeError,
        ValueError,
        ["einsum", "'ij,jk'", "(3,)"],
    ),
    (
        "subscripts of another length",
        lambda: ss.einsum("ij,jk->ik", A, A),
        e.ShapeError,
        ValueError,
        ["einsum", "'ij,jk->ik'", "(2, 3), (2, 3)"],
    ),
    (
        "an output from nowhere",
        lambda: ss.einsum("ij->iz", A),
        e.ArgumentError,
        ValueError,
        ["einsum", "'ij->iz'", "output"],
    ),
    (
        "an output axis twice",
        lambda: ss.einsum("ij->ii", A),
        e.ArgumentError,
        ValueError,
        ["einsum", "'ij->ii'", "twice"],
    ),
    (
        "subscripts of digits",
        lambda: ss.einsum("1j->j", A),
        e.ArgumentError,
        ValueError,
        ["einsum", "'1j->j'", "letters"],
    ),
    (
        "subscripts without a string",
        lambda: ss.einsum(A, [0, 1]),
        e.ArgumentError,
        ValueError,
        ["einsum", "'ij,jk->ik'"],
    ),
    (
        "too few operands",
        lambda: ss.einsum("i,i", X),
        e.ArgumentError,
        ValueError,
        ["einsum", "2 groups", "1 operands"],
    ),
    (
        "contracting axes that do not fit",
        lambda: ss.tensordot(A, A, axes=([0], [1])),
        e.ShapeError,
        ValueError,
        ["tensordot", "(2, 3)", "[0] and [1]"],
    ),
    (
        "contracting too many axes",
        lambda: ss.tensordot(A, A, axes=5),
        e.ArgumentError,
        ValueError,
        ["tensordot", "axis -3", "2 axes"],
    ),
    (
        "contracting three lists of axes",
        lambda: ss.tensordot(A, A, axes=(0, 1, 2)),
        e.ArgumentError,
        ValueError,
        ["tensordot", "pair", "(0, 1, 2)"],
    ),
    (
        "a cross product in four dimensions",
        lambda: ss.cross(ss.ones(4), ss.ones(4)),
        e.ShapeError,
        ValueError,
        ["cross", "three", "(4,)"],
    ),
    ("no common dtype", lambda: ss.result_type(), e.ArgumentError, ValueError, ["result_type", "at least one"]),
    ("limits of integers", lambda: ss.finfo("int64"), e.DTypeError, TypeError, ["finfo", "int64", "iinfo"]),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)
