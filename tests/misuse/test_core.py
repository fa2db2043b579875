"""Tensors: what they are made of, what may be asked of them, and how they may not be assigned to."""

import contextlib
import copy
import pickle

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim.core import errors as e
from tests.misuse import assert_refused, table

X = ss.asarray([1.0, 2.0, 3.0])
M = ss.ones((2, 3))


def assign(x, at, v):
    x[at] = v


def lost_assignment():
    m = ss.ones((2, 2))
    m[0][1] = 3.0


def in_place(x, other):
    x += other


def write_into_numpy():
    a = np.zeros(3)
    a += X


@table(
    # --- data
    ("a string", lambda: ss.asarray("abc"), e.ArgumentTypeError, TypeError, ["'abc'", "str", "expected numbers"]),
    ("a set", lambda: ss.asarray({1, 2}), e.ArgumentTypeError, TypeError, ["set", "expected numbers"]),
    ("nothing", lambda: ss.Tensor(None), e.ArgumentTypeError, TypeError, ["None", "expected numbers"]),
    ("bytes", lambda: ss.asarray(b"abc"), e.ArgumentTypeError, TypeError, ["bytes", "expected numbers"]),
    (
        "an integer beyond 64 bits",
        lambda: ss.asarray(10**30),
        e.ArgumentTypeError,
        TypeError,
        ["int", "integers beyond 64 bits fit only as floats"],
    ),
    (
        "ragged lists",
        lambda: ss.asarray([[1, 2], [3]]),
        e.ShapeError,
        ValueError,
        ["[[1, 2], [3]]", "different lengths", "make them equally long"],
    ),
    (
        "ragged lists of tensors",
        lambda: ss.asarray([[ss.asarray(1.0), 2], [3]]),
        e.ShapeError,
        ValueError,
        ["stack", "(2,)", "(1,)", "must be equal"],
    ),
    (
        "an array of objects",
        lambda: ss.sin(np.array([1.0, None])),
        e.ArgumentTypeError,
        TypeError,
        ["dtype object", "expected numbers", "astype(float)"],
    ),
    (
        "an array of objects beside a tensor",
        lambda: X + np.array([1.0, None, 2.0]),
        e.ArgumentTypeError,
        TypeError,
        ["dtype object", "expected numbers", "astype(float)"],
    ),
    (
        "dates",
        lambda: ss.add(np.array(["2020-01-01"], dtype="M8[D]"), 1),
        e.ArgumentTypeError,
        TypeError,
        ["datetime64[D]", "expected numbers"],
    ),
    (
        "records",
        lambda: ss.asarray(np.zeros(3, dtype=[("a", "f8")])),
        e.ArgumentTypeError,
        TypeError,
        ["'a'", "expected numbers"],
    ),
    (
        "a masked array",
        lambda: ss.sin(np.ma.array([1.0, 2.0], mask=[False, True])),
        e.ArgumentTypeError,
        TypeError,
        ["mask", "x.filled(np.nan)"],
    ),
    # --- dtypes
    (
        "an unknown dtype",
        lambda: ss.zeros(3, dtype="foo"),
        e.ArgumentTypeError,
        TypeError,
        ["zeros", "dtype", "'foo'", "ss.float64"],
    ),
    (
        "a dtype of no numbers",
        lambda: ss.zeros(3, dtype=object),
        e.DTypeError,
        TypeError,
        ["zeros", "dtype object", "does not hold numbers"],
    ),
    (
        "a cast to strings",
        lambda: X.astype(str),
        e.DTypeError,
        TypeError,
        ["astype", "does not hold numbers"],
    ),
    (
        "numbers that a dtype cannot hold",
        lambda: ss.asarray([300], dtype="uint8"),
        e.NumberRangeError,
        OverflowError,
        ["uint8", "[300]", "choose a wider dtype"],
    ),
    (
        "a Python number that the other dtype cannot hold",
        lambda: ss.asarray([1], dtype="uint8") + 300,
        e.NumberRangeError,
        OverflowError,
        ["add", "300", "uint8"],
    ),
    # --- numbers, truth, length
    ("float of many", lambda: float(X), e.ShapeError, ValueError, ["Python float", "(3,)", "3 elements", "tolist()"]),
    ("item of many", lambda: X.item(), e.ShapeError, ValueError, ["Python number", "(3,)", "tolist()"]),
    ("float of complex", lambda: float(ss.asarray(1j)), e.DTypeError, TypeError, ["complex", "x.real", "ss.abs(x)"]),
    (
        "an index that is no integer",
        lambda: [1, 2][ss.asarray(1.0)],
        e.DTypeError,
        TypeError,
        ["Python index", "float64", "int(x)"],
    ),
    ("truth of many", lambda: bool(X > 0), e.ShapeError, ValueError, ["truth value", "(3,)", "ss.any(x)", "where"]),
    ("truth of none", lambda: bool(ss.zeros(0)), e.ShapeError, ValueError, ["truth value", "(0,)"]),
    ("length of a number", lambda: len(ss.asarray(1.0)), e.ArgumentTypeError, TypeError, ["len()", "x.size"]),
    ("iteration over a number", lambda: list(ss.asarray(1.0)), e.ArgumentTypeError, TypeError, ["iteration"]),
    ("a key of a dictionary", lambda: {X: 1}, e.ArgumentTypeError, TypeError, ["hash", "id(x)"]),
    # --- indices
    ("an index out of range", lambda: X[5], e.IndexRangeError, IndexError, ["5", "axis 0", "length 3"]),
    (
        "indices out of range",
        lambda: X[ss.asarray([0, 7])],
        e.IndexRangeError,
        IndexError,
        ["0 to 7", "axis 0", "length 3"],
    ),
    ("a name as index", lambda: X["a"], e.ArgumentTypeError, TypeError, ["index", "'a'", "integer", "slice"]),
    ("a fraction as index", lambda: X[1.5], e.ArgumentTypeError, TypeError, ["index", "1.5", "integer"]),
    (
        "an array of floats as index",
        lambda: X[ss.ones(2)],
        e.IndexTypeError,
        IndexError,
        ["float64", "integers or bool"],
    ),
    ("too many indices", lambda: X[0, 0], e.IndexShapeError, IndexError, ["2 indices", "1 axes", "(3,)"]),
    (
        "index arrays that do not fit",
        lambda: M[[0, 1, 0], [0, 1]],
        e.IndexShapeError,
        IndexError,
        ["(3,)", "(2,)", "do not broadcast"],
    ),
    ("a mask of another length", lambda: X[[True, False]], e.IndexRangeError, IndexError, ["mask", "(2,)", "(3,)"]),
    ("two ellipses", lambda: M[..., ...], e.ArgumentError, ValueError, ["'...'", "once"]),
    ("a slice of fractions", lambda: X[0.5:], e.ArgumentTypeError, TypeError, ["slice", "0.5", "integer"]),
    ("a step of 0", lambda: X[::0], e.ArgumentError, ValueError, ["step", "0"]),
    # --- assignment
    ("a lost assignment", lost_assignment, e.MutationError, TypeError, ["x[i][j] = v", "lost", "x[i, j] = v"]),
    (
        "assigning more than fits",
        lambda: assign(X, slice(0, 2), ss.ones(3)),
        e.ShapeError,
        ValueError,
        ["assignment", "(3,)", "(2,)"],
    ),
    (
        "assigning fractions to integers",
        lambda: assign(ss.asarray([1, 2]), 0, 1.5),
        e.DTypeError,
        TypeError,
        ["assignment", "float64", "int64", "astype"],
    ),
    (
        "assigning complex numbers to reals",
        lambda: assign(X, 0, 1j),
        e.DTypeError,
        TypeError,
        ["assignment", "complex128", "float64", "astype"],
    ),
    ("assigning out of range", lambda: assign(X, 3, 1.0), e.IndexRangeError, IndexError, ["3", "axis 0", "length 3"]),
    (
        "growing in place",
        lambda: in_place(ss.ones(3), ss.ones((2, 3))),
        e.ShapeError,
        ValueError,
        ["x += y", "(2, 3)", "(3,)", "x = x + y"],
    ),
    (
        "fractions in place of integers",
        lambda: in_place(ss.asarray([1, 2]), 0.5),
        e.DTypeError,
        TypeError,
        ["x += y", "float64", "int64", "x = x + y"],
    ),
    # --- NumPy
    (
        "adding to a NumPy array in place",
        write_into_numpy,
        e.ArgumentTypeError,
        TypeError,
        ["numpy.add", "a = a + x", "np.asarray(x)"],
    ),
    (
        "NumPy's out",
        lambda: np.sin(X, out=np.zeros(3)),
        e.ArgumentTypeError,
        TypeError,
        ["numpy.sin", "out=", "np.asarray(x)"],
    ),
    (
        "NumPy's where inside a transformation",
        lambda: ad.grad(lambda x: ss.sum(np.sin(x, where=[True, False, True])))(X),
        e.ArgumentTypeError,
        TypeError,
        ["numpy.sin", "stop_gradient"],
    ),
    (
        "a reduction by NumPy's ufunc inside a transformation",
        lambda: ad.grad(lambda x: np.hypot.reduce(x))(X),
        e.ArgumentTypeError,
        TypeError,
        ["numpy.hypot.reduce", "scisim's own functions", "stop_gradient"],
    ),
    (
        "a ufunc that scisim lacks inside a transformation",
        lambda: ad.grad(lambda x: ss.sum(np.spacing(x)))(X),
        e.ArgumentTypeError,
        TypeError,
        ["numpy.spacing", "no counterpart", "stop_gradient"],
    ),
    (
        "a NumPy function that scisim lacks inside a transformation",
        lambda: ad.grad(lambda x: ss.sum(np.sort_complex(x)))(X),
        e.ArgumentTypeError,
        TypeError,
        ["numpy.sort_complex", "no counterpart", "stop_gradient"],
    ),
    (
        "another device",
        lambda: ss.zeros(2, device="cuda:0"),
        e.MissingDependencyError,
        ImportError,
        ["cuda:0", "'cpu'"],
    ),
    ("no device", lambda: X.to_device("moon"), e.ArgumentError, ValueError, ["'moon'", "'cpu'"]),
    # --- inside transformations
    (
        "a pickle of what is being differentiated",
        lambda: ad.grad(lambda x: ss.sum(pickle.loads(pickle.dumps(x))))(X),
        e.TraceError,
        TypeError,
        ["a pickle", "grad", "stop_gradient"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)


def test_a_copy_has_the_derivative_of_the_original():
    for copied in (copy.copy, copy.deepcopy, ss.Tensor):
        assert np.array_equal(ad.grad(lambda x, f=copied: ss.sum(f(x) * 2.0))(X), [2.0, 2.0, 2.0])


def test_a_refused_assignment_leaves_the_tensor_alone():
    x = ss.asarray([1, 2])
    for call in (lambda: assign(x, 0, 1.5), lambda: assign(x, 5, 1), lambda: in_place(x, 0.5), lambda: assign(x, 0, X)):
        with contextlib.suppress(ss.ScisimError):
            call()
        assert np.array_equal(x, [1, 2])
        assert x.dtype == np.int64


def test_numpys_other_functions_work_on_the_numbers_outside_of_transformations():
    assert np.array_equal(np.vander(X), np.vander([1.0, 2.0, 3.0]))
    assert np.add.reduce(X) == 6.0
    assert np.array_equal(np.frexp(X)[1], [1, 2, 2])
    assert np.array_equal(np.unique(ss.asarray([2, 1, 2])), [1, 2])
