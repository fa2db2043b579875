"""Derivatives that cannot be taken, and what is said instead."""

import math

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc
from scisim.core import errors as e
from tests.misuse import assert_refused, table

X = ss.asarray([1.0, 2.0, 3.0])
KEPT: list = []


def keep_and_use():
    ad.grad(lambda x: KEPT.append(x) or ss.sum(x))(X)
    return KEPT.pop() + 1


def assign_to_outside():
    t = ss.zeros(3)

    def f(x):
        t[0] = x
        return x

    ad.grad(f)(2.0)
    return t + 1


def assign_to_argument(y):
    y[0] = 1.0
    return ss.sum(y)


def jvp_rule(rule):
    f = ad.custom_jvp(lambda x: 2.0 * x)
    f.defjvp(rule)
    return f


def vjp_rule(backward, forward=lambda x: (2.0 * x, x)):
    f = ad.custom_vjp(lambda x: 2.0 * x)
    f.defvjp(forward, backward)
    return f


def rule_by_closure(a):
    f = ad.custom_jvp(lambda x: x * a)
    f.defjvp(lambda primals, tangents: (f(*primals), a * tangents[0]))
    return f(a)


def pullback(ct):
    return ad.vjp(ss.sin, X)[1](ct)


@table(
    # --- functions and their values
    ("grad of no function", lambda: ad.grad(3.0), e.ArgumentTypeError, TypeError, ["grad", "function", "float", "3.0"]),
    (
        "jvp of no function",
        lambda: ad.jvp(X, (X,), (X,)),
        e.ArgumentTypeError,
        TypeError,
        ["jvp", "function", "Tensor"],
    ),
    (
        "a vector to grad",
        lambda: ad.grad(lambda x: x * 2)(X),
        e.ShapeError,
        ValueError,
        ["grad", "float64[3]", "sum it"],
    ),
    (
        "a complex value to grad",
        lambda: ad.grad(lambda x: ss.sum(x * 1j))(X),
        e.DTypeError,
        TypeError,
        ["grad", "complex128[]", "real part or abs", "complex.holomorphic"],
    ),
    (
        "an integer value to grad",
        lambda: ad.grad(lambda x: ss.argmax(x))(X),
        e.DTypeError,
        TypeError,
        ["grad", "int64", "no derivative"],
    ),
    (
        "several values to grad",
        lambda: ad.grad(lambda x: (x, x))(1.0),
        e.ShapeError,
        ValueError,
        ["grad", "2 arrays", "has_aux=True"],
    ),
    (
        "no value to grad",
        lambda: ad.grad(lambda x: None)(1.0),
        e.ShapeError,
        ValueError,
        ["grad", "0 arrays", "return"],
    ),
    (
        "a string to grad",
        lambda: ad.grad(lambda x: "text")(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["grad", "the result of <lambda>", "str", "'text'"],
    ),
    (
        "no pair for has_aux",
        lambda: ad.grad(lambda x: x, has_aux=True)(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["grad", "has_aux=True", "pair", "Tensor"],
    ),
    (
        "an integer output of jacobian",
        lambda: ad.jacobian(lambda x: ss.argsort(x))(X),
        e.DTypeError,
        TypeError,
        ["jacobian", "int64", "has_aux=True"],
    ),
    # --- arguments
    ("an integer", lambda: ad.grad(lambda x: x * 2)(2), e.DTypeError, TypeError, ["argument [0]", "int64", "2.0"]),
    (
        "an integer in a container",
        lambda: ad.grad(lambda d: d["x"] * d["n"])({"x": 2.0, "n": 3}),
        e.DTypeError,
        TypeError,
        ["['n']", "int64", "2.0 instead of 2"],
    ),
    (
        "a string as argument",
        lambda: ad.grad(lambda x: 1.0)("a"),
        e.ArgumentTypeError,
        TypeError,
        ["grad", "str", "'a'", "expected a Tensor"],
    ),
    (
        "argnums too large",
        lambda: ad.grad(lambda x: x, argnums=3)(1.0),
        e.ArgumentError,
        ValueError,
        ["argnums 3", "1 "],
    ),
    (
        "argnums without arguments",
        lambda: ad.grad(lambda x=1.0: x)(x=1.0),
        e.ArgumentError,
        ValueError,
        ["argnums 0", "none was given by position"],
    ),
    (
        "argnums twice",
        lambda: ad.grad(lambda x, y: x * y, argnums=(0, 0))(1.0, 2.0),
        e.ArgumentError,
        ValueError,
        ["argnums (0, 0)", "twice"],
    ),
    (
        "argnums by name",
        lambda: ad.grad(lambda x: x, argnums="x")(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["grad", "argnums", "integer", "'x'"],
    ),
    (
        "argnums of a fraction",
        lambda: ad.jacobian(lambda x: x, argnums=0.5)(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["jacobian", "argnums", "integer", "0.5"],
    ),
    (
        "assigning to an argument",
        lambda: ad.grad(assign_to_argument)(X),
        e.MutationError,
        TypeError,
        ["grad", "assign_to_argument", "argument 0", "y = ss.Tensor(x)"],
    ),
    # --- what may not leave
    (
        "float of a traced value",
        lambda: ad.grad(lambda x: float(x) * x)(1.0),
        e.TraceError,
        TypeError,
        ["a Python float", "grad", "cut its derivative", "stop_gradient"],
    ),
    (
        "math.sin of a traced value",
        lambda: ad.grad(lambda x: math.sin(x))(1.0),
        e.TraceError,
        TypeError,
        ["a Python float", "scisim functions", "stop_gradient"],
    ),
    (
        "a NumPy array of a traced value",
        lambda: ad.grad(lambda x: ss.sum(ss.asarray(np.asarray(x))))(X),
        e.TraceError,
        TypeError,
        ["a NumPy array", "float64[3] in grad", "stop_gradient"],
    ),
    (
        "a NumPy array of several traced values",
        lambda: ad.grad(lambda x: ss.sum(ss.asarray(np.array([x[0], x[1]]))))(X),
        e.TraceError,
        TypeError,
        ["a NumPy array", "stop_gradient"],
    ),
    ("a leak", keep_and_use, e.LeakError, RuntimeError, ["add", "float64[3]", "grad of <lambda>", "has returned"]),
    ("a leak by assignment", assign_to_outside, e.LeakError, RuntimeError, ["grad of f", "in-place assignment"]),
    # --- directions and cotangents
    (
        "a cotangent that does not fit",
        lambda: pullback(ss.ones(2)),
        e.ShapeError,
        ValueError,
        ["pullback", "(2,)", "(3,)"],
    ),
    (
        "cotangents of another structure",
        lambda: pullback((X, X)),
        e.ArgumentTypeError,
        TypeError,
        ["pullback", "structure"],
    ),
    (
        "a direction that does not fit",
        lambda: ad.jvp(ss.sin, (X,), (ss.ones(2),)),
        e.ShapeError,
        ValueError,
        ["jvp", "(2,)", "(3,)"],
    ),
    (
        "too few directions",
        lambda: ad.jvp(ss.add, (X, X), (X,)),
        e.ArgumentError,
        ValueError,
        ["jvp", "2 arguments", "1 "],
    ),
    (
        "a direction for an integer",
        lambda: ad.jvp(lambda x, n: x * n, (1.0, 2), (1.0, 1)),
        e.DTypeError,
        TypeError,
        ["jvp", "int64", "no derivative"],
    ),
    (
        "a negative order of a series",
        lambda: ad.taylor(ss.sin, 0.0, 1.0, -1),
        e.ArgumentError,
        ValueError,
        ["taylor", "order", "-1", "at least 0"],
    ),
    (
        "a fractional order",
        lambda: ad.taylor(ss.sin, 0.0, 1.0, 1.5),
        e.ArgumentTypeError,
        TypeError,
        ["taylor", "order", "integer", "1.5"],
    ),
    ("a negative derivative", lambda: ad.derivative(ss.sin, -1), e.ArgumentError, ValueError, ["derivative", "-1"]),
    (
        "a derivative in an integer",
        lambda: ad.derivative(ss.sin)(2),
        e.DTypeError,
        TypeError,
        ["derivative", "int64", "2.0 instead of 2"],
    ),
    (
        "linearizing in an integer",
        lambda: ad.linearize(lambda x, n: x * n, 1.0, 2),
        e.DTypeError,
        TypeError,
        ["linearize", "int64"],
    ),
    # --- partial derivatives
    (
        "a coordinate that is not there",
        lambda: ad.partial(lambda t, x: t * x, "tz"),
        e.ArgumentError,
        ValueError,
        ["partial", "'tz'", "'z'", "t, x"],
    ),
    (
        "a long name as letters",
        lambda: ad.partial(lambda time, x: time * x, "t"),
        e.ArgumentError,
        ValueError,
        ["'t'", "time, x", "('time', 'time')"],
    ),
    (
        "too few coordinates",
        lambda: ad.partial(lambda t, x: t * x, "tx")(1.0),
        e.ArgumentError,
        ValueError,
        ["partial", "2 coordinates", "1 arrays"],
    ),
    (
        "a partial that is no name",
        lambda: ad.partial(lambda t, x: t * x, 3),
        e.ArgumentTypeError,
        TypeError,
        ["partial", "'txx'", "3"],
    ),
    (
        "partials of a string",
        lambda: ad.partials(lambda t, x: t * x, "tx"),
        e.ArgumentTypeError,
        TypeError,
        ["partials", "['t', 'xx']", "'tx'", "partial"],
    ),
    (
        "an integer coordinate",
        lambda: ad.partial(lambda t, x: t * x, "t")(2, 3.0),
        e.DTypeError,
        TypeError,
        ["coordinate 0", "int64"],
    ),
    (
        "a Laplacian of nothing",
        lambda: ad.laplacian(lambda: 1.0)(),
        e.ArgumentError,
        ValueError,
        ["laplacian", "no coord"],
    ),
    (
        "a Laplacian along an axis of a number",
        lambda: ad.laplacian(lambda x: x, axis=-1)(1.0),
        e.ShapeError,
        ValueError,
        ["laplacian", "axis of coordinates", "axis=None"],
    ),
    (
        "a curl in four dimensions",
        lambda: ad.curl(lambda x: x)(ss.ones(4)),
        e.ShapeError,
        ValueError,
        ["curl", "4", "2 or 3"],
    ),
    (
        "the divergence of a number",
        lambda: ad.divergence(lambda x: ss.sum(x))(X),
        e.ShapeError,
        ValueError,
        ["divergence", "(3,)", "()"],
    ),
    # --- rules of one's own
    (
        "no rule yet",
        lambda: ad.grad(ad.custom_jvp(ss.sin))(1.0),
        e.DerivativeError,
        ArithmeticError,
        ["custom_jvp", "sin", "@sin.defjvp"],
    ),
    (
        "no pullback yet",
        lambda: ad.grad(ad.custom_vjp(ss.sin))(1.0),
        e.DerivativeError,
        ArithmeticError,
        ["custom_vjp", "sin", "sin.defvjp"],
    ),
    (
        "a rule that gives no pair",
        lambda: ad.grad(jvp_rule(lambda p, t: t[0]))(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["custom_jvp", "(y, dy)", "Tensor"],
    ),
    (
        "a tangent that does not fit",
        lambda: ad.grad(jvp_rule(lambda p, t: (p[0], ss.ones(2))))(1.0),
        e.ShapeError,
        ValueError,
        ["custom_jvp", "(2,)", "()", "equal"],
    ),
    (
        "a rule that is not linear",
        lambda: ad.grad(jvp_rule(lambda p, t: (p[0], t[0] ** 2)))(1.0),
        e.DerivativeError,
        ArithmeticError,
        ["not linear", "square"],
    ),
    (
        "a rule that forgets the tangent",
        lambda: ad.grad(jvp_rule(lambda p, t: (p[0], 1.0)))(1.0),
        e.DerivativeError,
        ArithmeticError,
        ["not 0 for tangents of 0"],
    ),
    (
        "a rule that knows more than its arguments",
        lambda: ad.grad(rule_by_closure)(2.0),
        e.TraceError,
        TypeError,
        ["closes over", "as an argument"],
    ),
    (
        "a cotangent without the tuple",
        lambda: ad.grad(vjp_rule(lambda r, ct: ct))(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["custom_vjp", "backward", "tuple of 1"],
    ),
    (
        "a cotangent of another shape",
        lambda: ad.grad(lambda x: ss.sum(vjp_rule(lambda r, ct: (ss.sum(ct),))(x)))(X),
        e.ShapeError,
        ValueError,
        ["custom_vjp", "()", "(3,)"],
    ),
    (
        "a cotangent of another structure",
        lambda: ad.grad(lambda x: vjp_rule(lambda r, ct: ({"a": ct},))(x))(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["custom_vjp", "structure", "None where it is zero"],
    ),
    (
        "a forward function without residuals",
        lambda: ad.grad(vjp_rule(lambda r, ct: (ct,), lambda x: x))(1.0),
        e.ArgumentTypeError,
        TypeError,
        ["custom_vjp", "(y, residuals)", "Tensor"],
    ),
    (
        "a derivative that is wrong",
        lambda: ad.check_derivatives(jvp_rule(lambda p, t: (2.0 * p[0], 3.0 * t[0])), 1.0),
        e.DerivativeError,
        ArithmeticError,
        ["check_derivatives", "order 1", "forward mode", "differences"],
    ),
    # --- complex functions
    (
        "abs as a holomorphic function",
        lambda: sc.holomorphic(ss.abs)(1j),
        e.DerivativeError,
        ArithmeticError,
        ["holomorphic", "abs", "complex.wirtinger"],
    ),
    (
        "a sum as an elementwise function",
        lambda: sc.wirtinger(ss.sum)(ss.ones(3) * 1j),
        e.ShapeError,
        ValueError,
        ["wirtinger", "elementwise", "autodiff.grad"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)
