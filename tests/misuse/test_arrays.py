"""Shapes, and functions that make and arrange arrays."""

import scisim as ss
from scisim import autodiff as ad
from scisim.core import errors as e
from tests.misuse import assert_refused, table

X = ss.asarray([1.0, 2.0, 3.0])
A = ss.ones((2, 3))


@table(
    (
        "another size",
        lambda: X.reshape(2, 2),
        e.ShapeError,
        ValueError,
        ["reshape", "(3,)", "(2, 2)", "3 elem", "4 elem"],
    ),
    ("two free lengths", lambda: A.reshape(-1, -1), e.ShapeError, ValueError, ["reshape", "(2, 3)", "at most one -1"]),
    ("a negative length", lambda: A.reshape(-2, -3), e.ArgumentError, ValueError, ["reshape", "(-2, -3)", "one -1"]),
    (
        "a fraction of a length",
        lambda: A.reshape(2.5, 3),
        e.ArgumentTypeError,
        TypeError,
        ["reshape", "integers", "2.5"],
    ),
    ("no shape", lambda: ss.reshape(A, None), e.ArgumentTypeError, TypeError, ["reshape", "integers", "None"]),
    (
        "stretching three to four",
        lambda: ss.broadcast_to(X, (4,)),
        e.ShapeError,
        ValueError,
        ["broadcast_to", "(3,)", "(4,)"],
    ),
    ("shrinking", lambda: ss.broadcast_to(A, (3,)), e.ShapeError, ValueError, ["broadcast_to", "(2, 3)", "(3,)"]),
    ("removing a long axis", lambda: ss.squeeze(A, axis=1), e.ShapeError, ValueError, ["squeeze", "axis 1", "(2, 3)"]),
    (
        "a new axis too far",
        lambda: ss.expand_dims(X, axis=5),
        e.ArgumentError,
        ValueError,
        ["expand_dims", "axis 5", "-2 to 1"],
    ),
    (
        "an order without all axes",
        lambda: ss.permute_dims(A, (0,)),
        e.ArgumentError,
        ValueError,
        ["permute_dims", "(0,)", "permutation of 2"],
    ),
    (
        "an order that is a number",
        lambda: ss.permute_dims(A, 1),
        e.ArgumentTypeError,
        TypeError,
        ["permute_dims", "axes", "1"],
    ),
    (
        "moving two axes to one place",
        lambda: ss.moveaxis(A, (0, 1), 0),
        e.ArgumentError,
        ValueError,
        ["moveaxis", "(0, 1)", "as many axes"],
    ),
    ("transposing a vector", lambda: X.mT, e.ShapeError, ValueError, ["matrix_transpose", "two axes", "(3,)"]),
    ("flipping an axis that is not there", lambda: ss.flip(X, axis=1), e.ArgumentError, ValueError, ["flip", "axis 1"]),
    (
        "rolling by a fraction",
        lambda: ss.roll(X, 0.5),
        e.ArgumentTypeError,
        TypeError,
        ["roll", "shift", "integer", "0.5"],
    ),
    (
        "more shifts than axes",
        lambda: ss.roll(X, (1, 2), axis=0),
        e.ArgumentError,
        ValueError,
        ["roll", "2 shifts", "1 axes"],
    ),
    ("joining nothing", lambda: ss.concat([]), e.ArgumentError, ValueError, ["concat", "no arrays", "at least one"]),
    ("joining a number", lambda: ss.concat(3), e.ArgumentTypeError, TypeError, ["concat", "list or tuple", "int 3"]),
    (
        "joining different ranks",
        lambda: ss.concat([X, A]),
        e.ShapeError,
        ValueError,
        ["concat", "(3,), (2, 3)", "axis 0", "stack"],
    ),
    (
        "joining numbers",
        lambda: ss.concat([ss.asarray(1.0), ss.asarray(2.0)]),
        e.ShapeError,
        ValueError,
        ["concat", "without axes", "stack"],
    ),
    (
        "stacking different shapes",
        lambda: ss.stack([X, ss.ones(2)]),
        e.ShapeError,
        ValueError,
        ["stack", "(3,), (2,)", "equal"],
    ),
    ("stacking a number", lambda: ss.stack(3), e.ArgumentTypeError, TypeError, ["stack", "list or tuple", "int 3"]),
    ("a triangle of a vector", lambda: ss.tril(X), e.ShapeError, ValueError, ["tril", "two axes", "(3,)"]),
    (
        "a diagonal of a cube",
        lambda: ss.diag(ss.ones((2, 2, 2))),
        e.ShapeError,
        ValueError,
        ["diag", "(2, 2, 2)", "diagonal"],
    ),
    ("repeating less than never", lambda: ss.repeat(X, -1), e.ArgumentError, ValueError, ["repeat", "-1"]),
    (
        "counts that do not fit",
        lambda: ss.repeat(X, [1, 2]),
        e.ShapeError,
        ValueError,
        ["repeat", "2 counts", "3 elements"],
    ),
    (
        "one tile and a half",
        lambda: ss.tile(X, 1.5),
        e.ArgumentTypeError,
        TypeError,
        ["tile", "repetitions", "integer", "1.5"],
    ),
    ("three in two parts", lambda: ss.split(X, 2), e.ShapeError, ValueError, ["split", "length 3", "2 equal parts"]),
    ("a negative margin", lambda: ss.pad(X, -1), e.ArgumentError, ValueError, ["pad", "pad_width", "-1"]),
    (
        "indices of another rank",
        lambda: ss.take_along_axis(A, [0], axis=0),
        e.ShapeError,
        ValueError,
        ["take_along_axis", "(2, 3)", "(1,)"],
    ),
    # --- making arrays
    ("a negative shape", lambda: ss.zeros(-1), e.ArgumentError, ValueError, ["zeros", "negative", "-1"]),
    ("a fractional shape", lambda: ss.ones(2.0), e.ArgumentTypeError, TypeError, ["ones", "integers", "2.0"]),
    ("a shape of letters", lambda: ss.zeros("ab"), e.ArgumentTypeError, TypeError, ["zeros", "integers", "'ab'"]),
    ("a value that does not fit", lambda: ss.full((2,), X), e.ShapeError, ValueError, ["full", "(3,)", "(2,)"]),
    ("half a diagonal", lambda: ss.eye(3, k=0.5), e.ArgumentTypeError, TypeError, ["eye", "k", "integer", "0.5"]),
    ("a step of 0", lambda: ss.arange(0, 1, 0), e.ArgumentError, ValueError, ["arange", "step", "0"]),
    ("a range to infinity", lambda: ss.arange(float("inf")), e.ArgumentError, ValueError, ["arange", "stop", "finite"]),
    ("a range to a string", lambda: ss.arange("a"), e.ArgumentTypeError, TypeError, ["arange", "stop", "'a'"]),
    (
        "a range that is differentiated",
        lambda: ad.grad(lambda x: ss.sum(ss.arange(x)))(3.0),
        e.ArgumentTypeError,
        TypeError,
        ["arange", "stop", "shape", "linspace"],
    ),
    ("less than no points", lambda: ss.linspace(0, 1, -1), e.ArgumentError, ValueError, ["linspace", "-1"]),
    ("a grid of matrices", lambda: ss.meshgrid(A), e.ArgumentError, ValueError, ["meshgrid", "vectors", "(2, 3)"]),
    (
        "a grid of a third kind",
        lambda: ss.meshgrid(X, indexing="yx"),
        e.ArgumentError,
        ValueError,
        ["'xy' or 'ij'", "'yx'"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)
