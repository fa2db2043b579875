"""jit, vmap and control flow: what a captured program cannot know, and axes and carries that do not fit."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core import errors as e
from tests.misuse import assert_refused, table

X = ss.asarray([1.0, 2.0, 3.0])
KEPT: list = []


def keep_and_use():
    ss.jit(lambda x: KEPT.append(x) or x)(1.0)
    return KEPT.pop() + 1


def assign_to_argument(y):
    y[0] = 1.0
    return y


@table(
    # --- jit
    ("jit of no function", lambda: ss.jit(3), e.ArgumentTypeError, TypeError, ["jit", "function", "int"]),
    (
        "a branch",
        lambda: ss.jit(lambda x: x if x > 0 else -x)(1.0),
        e.TraceError,
        TypeError,
        ["jit of <lambda>", "bool[]", "where, cond, while_loop", "static_argnums"],
    ),
    (
        "a Python loop",
        lambda: ss.jit(lambda n: [0 for _ in range(n)])(3),
        e.TraceError,
        TypeError,
        ["jit of <lambda>", "int64[]", "fori_loop", "static_argnums"],
    ),
    ("a float", lambda: ss.jit(lambda x: float(x))(1.0), e.TraceError, TypeError, ["number", "jit of <lambda>"]),
    ("a format", lambda: ss.jit(lambda x: f"{x:.2f}")(1.0), e.TraceError, TypeError, ["number", "jit of <lambda>"]),
    (
        "a mask",
        lambda: ss.jit(lambda x: x[x > 0])(X),
        e.TraceError,
        TypeError,
        ["mask", "bool[3]", "where(mask, x, 0)"],
    ),
    (
        "a shape",
        lambda: ss.jit(lambda n: ss.zeros((n, 2)))(3),
        e.ArgumentTypeError,
        TypeError,
        ["zeros", "Python integers", "transformation"],
    ),
    (
        "a string as argument",
        lambda: ss.jit(lambda x, s: x)(X, "a"),
        e.ArgumentTypeError,
        TypeError,
        ["str", "static_arg"],
    ),
    (
        "a string as result",
        lambda: ss.jit(lambda x: "a")(X),
        e.ArgumentTypeError,
        TypeError,
        ["the result of <lambda>", "str"],
    ),
    (
        "a static list",
        lambda: ss.jit(lambda x, s: x, static_argnums=1)(X, [1]),
        e.ArgumentTypeError,
        TypeError,
        ["static argument", "list", "hashed", "tuples"],
    ),
    (
        "a static position from the end",
        lambda: ss.jit(lambda x, s: x, static_argnums=-1),
        e.ArgumentError,
        ValueError,
        ["static_argnums", "-1", "non-negative"],
    ),
    (
        "a donation by name",
        lambda: ss.jit(lambda x: x, donate_argnums="x"),
        e.ArgumentError,
        ValueError,
        ["donate_argnums", "'x'", "non-negative"],
    ),
    (
        "assigning to an argument",
        lambda: ss.jit(assign_to_argument)(X),
        e.MutationError,
        TypeError,
        ["jit", "assign_to_argument", "argument 0", "ss.Tensor(x)"],
    ),
    ("a leak", keep_and_use, e.LeakError, RuntimeError, ["add", "jit of <lambda>", "has returned", "Return it"]),
    (
        "shapes that do not fit",
        lambda: ss.jit(lambda a, b: a + b)(X, ss.ones(2)),
        e.ShapeError,
        ValueError,
        ["add", "(3,) and (2,)", "do not broadcast", "x[:, None]"],
    ),
    (
        "dtypes that do not fit",
        lambda: ss.jit(lambda a: a & 1)(X),
        e.DTypeError,
        TypeError,
        ["bitwise_and", "float64", "astype"],
    ),
    (
        "a pickle",
        lambda: ss.jit(lambda x: __import__("pickle").dumps(x))(X),
        e.TraceError,
        TypeError,
        ["jit of <lambda>", "float64[3]"],
    ),
    # --- vmap
    ("vmap of no function", lambda: ss.vmap(X), e.ArgumentTypeError, TypeError, ["vmap", "function", "Tensor"]),
    (
        "a branch under vmap",
        lambda: ss.vmap(lambda x: x if x > 0 else -x)(X),
        e.TraceError,
        TypeError,
        ["vmap of <lambda>", "bool[]", "where, cond"],
    ),
    (
        "axes of different lengths",
        lambda: ss.vmap(ss.add)(X, ss.ones(2)),
        e.ShapeError,
        ValueError,
        ["vmap of add", "[2, 3]", "in_axes"],
    ),
    (
        "too few axes",
        lambda: ss.vmap(ss.add, in_axes=(0,))(X, X),
        e.ArgumentError,
        ValueError,
        ["vmap of add", "1 entries", "2 arguments"],
    ),
    ("no axis to map", lambda: ss.vmap(ss.sin)(1.0), e.ShapeError, ValueError, ["argument 0", "no axes", "None"]),
    ("nothing mapped", lambda: ss.vmap(ss.sin, in_axes=None)(X), e.ShapeError, ValueError, ["no argument to map over"]),
    (
        "an axis out of range",
        lambda: ss.vmap(ss.sin, in_axes=3)(X),
        e.ArgumentError,
        ValueError,
        ["vmap of sin", "axis 3", "-1 to 0"],
    ),
    (
        "an axis by name",
        lambda: ss.vmap(ss.sin, in_axes="x")(X),
        e.ArgumentTypeError,
        TypeError,
        ["vmap of sin", "axis", "integer", "'x'"],
    ),
    (
        "axes of another structure",
        lambda: ss.vmap(lambda d: d["a"], in_axes=({"b": 0},))({"a": X}),
        e.ArgumentError,
        ValueError,
        ["vmap of <lambda>", "in_axes", "{'b': 0}", "structure"],
    ),
    (
        "an output that depends on the axis",
        lambda: ss.vmap(lambda x: x, out_axes=None)(X),
        e.ArgumentError,
        ValueError,
        ["vmap of <lambda>", "out_axes is None", "depends"],
    ),
    (
        "keywords under vmap",
        lambda: ss.vmap(lambda x, y: x * y)(X, y=X),
        e.ArgumentTypeError,
        TypeError,
        ["vmap of <lambda>", "y by keyword", "by position", "close over"],
    ),
    # --- control flow
    (
        "a condition of many",
        lambda: ss.cond(X > 0, ss.sin, ss.cos, X),
        e.ShapeError,
        ValueError,
        ["cond", "(3,)", "where"],
    ),
    ("a condition of text", lambda: ss.cond("a", ss.sin, ss.cos, X), e.ArgumentTypeError, TypeError, ["cond", "str"]),
    ("no branch", lambda: ss.cond(True, 1.0, 2.0, X), e.ArgumentTypeError, TypeError, ["cond", "function", "float"]),
    (
        "branches of different shapes",
        lambda: ss.jit(lambda x: ss.cond(x > 0, lambda x: x, lambda x: ss.stack([x, x]), x))(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["cond", "float64[]", "float64[2]"],
    ),
    (
        "a branch that assigns",
        lambda: ss.cond(True, assign_to_argument, lambda y: y, X),
        e.MutationError,
        TypeError,
        ["cond", "assign_to_argument", "ss.Tensor(x)"],
    ),
    (
        "a carry of another shape",
        lambda: ss.while_loop(lambda s: s < 3, lambda s: ss.stack([s, s]), 1.0),
        e.ShapeError,
        ValueError,
        ["while_loop", "() to (2,)"],
    ),
    (
        "a carry of another structure",
        lambda: ss.while_loop(lambda s: s < 3, lambda s: (s, s), 1.0),
        e.ArgumentTypeError,
        TypeError,
        ["while_loop", "structure"],
    ),
    (
        "a loop on many booleans",
        lambda: ss.while_loop(lambda s: s < 3, lambda s: s + 1, X),
        e.ShapeError,
        ValueError,
        ["while_loop", "one boolean", "bool[3]"],
    ),
    (
        "slices of different lengths",
        lambda: ss.scan(lambda c, a: (c, a), 0.0, (X, ss.ones(2))),
        e.ArgumentError,
        ValueError,
        ["scan", "[2, 3]", "one leading length"],
    ),
    (
        "slices of a number",
        lambda: ss.scan(lambda c, a: (c, a), 0.0, 1.0),
        e.ShapeError,
        ValueError,
        ["scan", "leading axis"],
    ),
    (
        "a scan of no known length",
        lambda: ss.scan(lambda c, a: (c, a), 0.0),
        e.ArgumentError,
        ValueError,
        ["scan", "neither xs nor length", "length=n"],
    ),
    (
        "a negative length",
        lambda: ss.scan(lambda c, a: (c, a), 0.0, None, length=-1),
        e.ArgumentError,
        ValueError,
        ["scan", "-1", "at least 0"],
    ),
    (
        "a fractional length",
        lambda: ss.scan(lambda c, a: (c, a), 0.0, None, length=2.5),
        e.ArgumentTypeError,
        TypeError,
        ["scan", "length", "integer", "2.5"],
    ),
    (
        "a step without output",
        lambda: ss.scan(lambda c, a: c, 0.0, X),
        e.ArgumentTypeError,
        TypeError,
        ["scan", "(carry, y)", "Tensor"],
    ),
    (
        "reverse mode through an unknown number of steps",
        lambda: ss.jit(ad.grad(lambda x: ss.while_loop(lambda s: s < 100.0, lambda s: s * x, 1.0)))(3.0),
        e.DerivativeError,
        ArithmeticError,
        ["while_loop", "reverse mode", "scan", "fori_loop", "forward mode"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)


def test_all_goes_on_after_an_exception():
    """Whatever a function raises comes through as it is, and leaves no transformation behind."""

    def boom(y):
        raise KeyError("mine")

    def scanned(f):
        return lambda x: ss.scan(lambda c, a: (f(c), a), x, ss.ones(2))

    def series(f):
        return lambda x: ad.taylor(f, x, x, 3)

    outer = (ad.grad, ss.vmap, ss.jit, ad.hessian, ad.jacobian, ad.checkpoint, scanned, series)
    for t in outer:
        with pytest.raises(KeyError, match="mine"):
            ad.grad(lambda x, t=t: ss.sum(t(boom)(x)))(ss.ones(2))
    assert float(ad.grad(lambda x: x**2)(3.0)) == 6.0
    assert np.array_equal(ss.jit(lambda x: x + ss.arange(2))(1.0), [1.0, 2.0])
