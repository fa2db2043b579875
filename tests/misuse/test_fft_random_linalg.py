"""Fourier transforms, random numbers, linear algebra."""

import scisim as ss
from scisim.core import errors as e
from scisim.ops.linalg import SingularMatrixError
from tests.misuse import assert_refused, table

X = ss.asarray([1.0, 2.0, 3.0])
A = ss.ones((2, 3))
KEY = ss.random.key(0)


@table(
    # --- fft
    (
        "a real transform of complex numbers",
        lambda: ss.fft.rfft(X * 1j),
        e.DTypeError,
        TypeError,
        ["rfft", "complex128", "fft"],
    ),
    ("a transform of a number", lambda: ss.fft.fft(1.0), e.ShapeError, ValueError, ["fft", "at least one axis"]),
    ("a transform of nothing", lambda: ss.fft.fft(ss.zeros(0)), e.ArgumentError, ValueError, ["fft", "(0,)", "empty"]),
    (
        "an axis that is not there",
        lambda: ss.fft.fft(X, axis=2),
        e.ArgumentError,
        ValueError,
        ["fft", "axis 2", "-1 to 0"],
    ),
    ("a length of 0", lambda: ss.fft.fft(X, n=0), e.ArgumentError, ValueError, ["fft", "at least 1", "n=0"]),
    (
        "a length of a half",
        lambda: ss.fft.fft(X, n=2.5),
        e.ArgumentTypeError,
        TypeError,
        ["fft", "n", "integer", "2.5"],
    ),
    ("an unknown norm", lambda: ss.fft.fft(X, norm="l2"), e.ArgumentError, ValueError, ["norm", "'ortho'", "'l2'"]),
    ("an axis twice", lambda: ss.fft.fftn(A, axes=(0, 0)), e.ArgumentError, ValueError, ["fftn", "(0, 0)", "twice"]),
    ("no frequencies", lambda: ss.fft.fftfreq(0), e.ArgumentError, ValueError, ["fftfreq", "n", "at least 1"]),
    (
        "frequencies of points at one place",
        lambda: ss.fft.fftfreq(4, d=0.0),
        e.ArgumentError,
        ValueError,
        ["fftfreq", "d", "0"],
    ),
    # --- random
    (
        "a seed that is a fraction",
        lambda: ss.random.key(1.5),
        e.ArgumentTypeError,
        TypeError,
        ["random.key", "1.5", "integer"],
    ),
    ("a negative seed", lambda: ss.random.key(-1), e.ArgumentError, ValueError, ["random.key", "-1"]),
    (
        "a seed in the place of a key",
        lambda: ss.random.normal(3, (2,)),
        e.ArgumentTypeError,
        TypeError,
        ["random.normal", "random.key(seed)", "3", "no global seed"],
    ),
    (
        "a fraction of a number",
        lambda: ss.random.normal(KEY, (2.5,)),
        e.ArgumentTypeError,
        TypeError,
        ["random.normal", "2.5"],
    ),
    ("less than no numbers", lambda: ss.random.uniform(KEY, -2), e.ArgumentError, ValueError, ["random.uniform", "-2"]),
    (
        "normal integers",
        lambda: ss.random.normal(KEY, 2, dtype="int64"),
        e.DTypeError,
        TypeError,
        ["random.normal", "int64", "random.integers"],
    ),
    (
        "integers between 3 and 1",
        lambda: ss.random.integers(KEY, (2,), 3, 1),
        e.ArgumentError,
        ValueError,
        ["random.integers", "low < high", "low=3", "high=1"],
    ),
    (
        "splitting into less than nothing",
        lambda: ss.random.split(KEY, -1),
        e.ArgumentError,
        ValueError,
        ["split", "-1"],
    ),
    (
        "choosing five of three",
        lambda: ss.random.choice(KEY, X, (5,), replace=False),
        e.ArgumentError,
        ValueError,
        ["random.choice", "5 of 3", "replace=False"],
    ),
    (
        "weights that do not fit",
        lambda: ss.random.choice(KEY, X, (5,), p=[0.5, 0.5]),
        e.ShapeError,
        ValueError,
        ["random.choice", "3 weights", "(2,)"],
    ),
    (
        "a probability above 1",
        lambda: ss.random.bernoulli(KEY, 1.5),
        e.ArgumentError,
        ValueError,
        ["bernoulli", "1.5", "0 to 1"],
    ),
    ("folding in a word", lambda: ss.random.fold_in(KEY, "a"), e.ArgumentTypeError, TypeError, ["fold_in", "'a'"]),
    # --- linalg
    (
        "the inverse of an oblong matrix",
        lambda: ss.linalg.inv(A),
        e.ShapeError,
        ValueError,
        ["inv", "square", "(2, 3)"],
    ),
    (
        "the inverse of a singular matrix",
        lambda: ss.linalg.inv(ss.zeros((2, 2))),
        SingularMatrixError,
        ValueError,
        ["(2, 2)", "singular", "eps * eye(n)"],
    ),
    (
        "a captured singular system",
        lambda: ss.jit(ss.linalg.solve)(ss.ones((2, 2)), ss.ones(2)),
        SingularMatrixError,
        ValueError,
        ["solve", "(2, 2)", "singular"],
    ),
    (
        "a right side that does not fit",
        lambda: ss.linalg.solve(ss.eye(3), ss.ones(2)),
        e.ShapeError,
        ValueError,
        ["solve", "(2,)", "(3, 3)", "length 3"],
    ),
    (
        "the determinant of an oblong matrix",
        lambda: ss.linalg.det(A),
        e.ShapeError,
        ValueError,
        ["det", "square", "(2, 3)"],
    ),
    (
        "an unknown norm of matrices",
        lambda: ss.linalg.norm(A, ord="max"),
        e.ArgumentError,
        ValueError,
        ["norm", "'fro'", "'max'"],
    ),
    (
        "a norm over three axes",
        lambda: ss.linalg.norm(ss.ones((2, 2, 2)), axis=(0, 1, 2)),
        e.ArgumentError,
        ValueError,
        ["norm", "3 axes", "axis="],
    ),
    (
        "a matrix norm of a vector",
        lambda: ss.linalg.matrix_norm(X),
        e.ShapeError,
        ValueError,
        ["matrix_norm", "two axes", "(3,)"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)
