"""Rows for elementwise functions, made from their declarations: only the points are chosen here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np

from scisim.core.axes import ELEMENTWISE as AXES
from scisim.core.primitive import PRIMITIVES
from scisim.core.public import OPERATIONS, arity
from scisim.ops.namespace import ELEMENTWISE
from tests.rules.cases import Case, operation, primitive

REAL = ((-1.3, -0.4, 0.7, 1.6), (0.9, -1.8, 1.1, -0.3))
COMPLEX = (
    (0.3 + 0.4j, -0.7 + 1.1j, 1.2 - 0.5j, -0.4 - 0.9j),
    (1.1 - 0.3j, 0.6 + 0.8j, -0.9 - 0.7j, 0.2 + 1.4j),
)
POSITIVE = (0.3, 0.7, 1.6, 2.5)
WITHIN = (-0.8, -0.3, 0.2, 0.6)
INTEGERS = ((6, 3, 12, 5), (1, 2, 3, 1))
TRUTH = ((True, False, True, False), (True, True, False, False))

# Points of real functions that are not defined, or have a kink or a jump, at the usual ones.
POINTS: dict[str, tuple] = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), (POSITIVE,)),
    **dict.fromkeys(("asin", "acos", "atanh"), (WITHIN,)),
    "log1p": ((-0.6, -0.2, 0.3, 2.0),),
    "tan": (WITHIN,),
    "acosh": ((1.2, 1.7, 2.5, 4.0),),
    "sinc": ((-1.3, 0.4, 2.7, 3.4),),
    "pow": (POSITIVE, (1.5, -0.7, 2.3, 3.0)),
    "xlogy": (REAL[0], POSITIVE),
    "floor_divide": ((7.3, -2.2, 5.9, -4.6), (2.0, 1.5, -1.7, -0.8)),
    "remainder": ((7.3, -2.2, 5.9, -4.6), (2.0, 1.5, -1.7, -0.8)),
    "where": (TRUTH[0], *REAL),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), TRUTH),
    "logical_not": TRUTH[:1],
    **dict.fromkeys(
        ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"), INTEGERS
    ),
    "bitwise_invert": INTEGERS[:1],
}
COMPLEX_POINTS: dict[str, tuple] = {"where": (TRUTH[0], *COMPLEX)}
# Functions of real numbers, integers or truth alone.
NOT_COMPLEX = {
    *(
        "floor",
        "ceil",
        "trunc",
        "signbit",
        "maximum",
        "minimum",
        "hypot",
        "atan2",
        "logaddexp",
        "copysign",
        "nextafter",
    ),
    *("less", "less_equal", "greater", "greater_equal", "floor_divide", "remainder", "tie", "sinc", "xlogy"),
    *("logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_invert"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"),
}


def _cube_root(x: Any) -> Any:
    return mpmath.cbrt(x) if isinstance(x, mpmath.mpc) else mpmath.sign(x) * mpmath.cbrt(abs(x))


def _sinc(x: Any) -> Any:
    return mpmath.sincpi(x)


MPMATH: dict[str, Callable] = {
    **{n: getattr(mpmath, n) for n in ("exp", "expm1", "log", "log1p", "log10", "sqrt", "sin", "cos", "tan")},
    **{n: getattr(mpmath, n) for n in ("asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "cbrt": _cube_root,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "sinc": _sinc,
    "square": lambda x: x * x,
    "pow": lambda x, p: x**p,
    "divide": lambda a, b: a / b,
    "multiply": lambda a, b: a * b,
    "hypot": lambda a, b: mpmath.sqrt(a * a + b * b),
    "logaddexp": lambda a, b: mpmath.log(mpmath.exp(a) + mpmath.exp(b)),
    "xlogy": lambda x, y: x * mpmath.log(y),
}

# The public name by whose points a primitive of another name is tried.
NAMES = {prim.name: name for name, (_, prim, *_rest) in ELEMENTWISE.items()}
NAMES |= {
    "zmul": "multiply",
    "pin": "add",
    "tie": "maximum",
    "modulus": "abs",
    "unit": "sign",
    "stop_gradient": "negative",
}
NAMES |= {"ipow": "square", "general_power": "pow", "cast": "negative", "truncate": "negative", "collect": "negative"}
NAMES |= {"sinc_derivative": "sinc", "radius": "hypot", "cos_atan": "cos", "atan_slope": "cos", "sec_asin": "asin"}
NAMES |= {"near_angle": "atan2", "acosh_slope": "acosh", "times_i": "negative"}
PARAMS: dict[str, dict] = {
    "ipow": {"n": 5},
    "cast": {"to": np.dtype(np.complex128)},
    "truncate": {"to": np.dtype(np.int64)},
    "collect": {"axis": 0, "n": 3},
    "sinc_derivative": {"n": 2},
}


def _points(name: str, count: int, kind: str) -> tuple | None:
    if kind == "c":
        return None if name in NOT_COMPLEX else COMPLEX_POINTS.get(name, COMPLEX[:count])
    return POINTS.get(name, REAL[:count])


def _operands(name: str, count: int, kind: str) -> list | None:
    points = _points(name, count, kind)
    return None if points is None else [np.asarray(p) for p in points]


def _count(text: str) -> int:
    return text.count(",") + 1


def operations() -> Iterator[Case]:
    """Rows of the table of public elementwise functions."""
    for name, (_, _, _, example, _) in ELEMENTWISE.items():
        for kind in ("f", "c"):
            xs = _operands(name, _count(example), kind)
            if xs is not None:
                yield operation(name, *xs, exact=MPMATH.get(name))


# Primitives of one kind of number, behind functions of both.
UNFIT = {"c": ("abs", "sign", "tie", "cast", "truncate", "cos_atan", "atan_slope"), "f": ("times_i",)}


def primitives() -> Iterator[Case]:
    """Rows of those elementwise primitives that stand behind a public function of more than one."""
    for name, prim in PRIMITIVES.items():
        if prim.axes is not AXES or name not in NAMES or any(op.raw is prim for op in OPERATIONS.values()):
            continue
        count = arity(prim) if prim.scalar is not None and name != "ipow" else 1
        for kind in ("f", "c"):
            xs = _operands(NAMES[name], count, kind)
            if xs is None or name in UNFIT[kind]:
                continue
            yield primitive(name, *xs, params=PARAMS.get(name, {}))


def broadcasting() -> Iterator[Case]:
    """Operands of different ranks, for one function of each kind of rule."""
    a, b, c = np.asarray(REAL[0]).reshape(4, 1), np.asarray(REAL[1][:3]), np.asarray(0.7)
    for name in ("add", "subtract", "multiply", "divide", "maximum", "atan2"):
        yield operation(name, a, b, tag="of broadcast shapes", order=6)
        yield operation(name, c, b, tag="of a scalar", order=6)
    yield operation("where", np.array([True, False, True]), a, c, tag="of broadcast shapes", order=6)


ROWS = [*operations(), *primitives(), *broadcasting()]
