"""Comparisons, choices, rounding: functions without a derivative of their own, and where, maximum, minimum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.axes import ELEMENTWISE
from scisim.core.errors import DTypeError
from scisim.core.primitive import Primitive
from scisim.core.values import is_complex


def _constant(name: str, evaluate: Any, api: str | None = None, scalar: Any = None) -> Primitive:
    return Primitive(name, evaluate, axes=ELEMENTWISE, scalar=scalar or _named(name, evaluate), array_api=api)


def _named(name: str, evaluate: Any) -> Any:
    """The function of that name of the scalar namespace, with as many operands as NumPy's."""
    if getattr(evaluate, "nin", evaluate.__code__.co_argcount if hasattr(evaluate, "__code__") else 1) == 2:
        return lambda s, a, b: getattr(s, name)(a, b)
    return lambda s, x: getattr(s, name)(x)


def _in_order(name: str, compare: Any) -> Any:
    """NumPy would compare complex numbers by their real parts first."""

    def evaluate(a: Any, b: Any) -> Any:
        if not (type(a) is np.ndarray is type(b) and a.dtype.kind != "c" != b.dtype.kind):
            _ordered(name, a, b)
        return compare(a, b)

    return evaluate


def _ordered(name: str, *args: Any) -> None:
    for a in args:
        if is_complex(a):
            raise DTypeError(f"{name}: complex numbers have no order; compare abs(z), real(z) or imag(z) instead.")


lt = _constant("lt", _in_order("less", np.less), "less")
le = _constant("le", _in_order("less_equal", np.less_equal), "less_equal")
gt = _constant("gt", _in_order("greater", np.greater), "greater")
ge = _constant("ge", _in_order("greater_equal", np.greater_equal), "greater_equal")
eq = _constant("eq", np.equal, "equal")
ne = _constant("ne", np.not_equal, "not_equal")
logical_and = _constant("logical_and", np.logical_and, "logical_and")
logical_or = _constant("logical_or", np.logical_or, "logical_or")
logical_xor = _constant("logical_xor", np.logical_xor, "logical_xor")
logical_not = _constant("logical_not", np.logical_not, "logical_not")
bitwise_and = _constant("bitwise_and", np.bitwise_and, "bitwise_and")
bitwise_or = _constant("bitwise_or", np.bitwise_or, "bitwise_or")
bitwise_xor = _constant("bitwise_xor", np.bitwise_xor, "bitwise_xor")
bitwise_invert = _constant("bitwise_invert", np.bitwise_not, "bitwise_invert")
left_shift = _constant("left_shift", np.left_shift, "bitwise_left_shift")
right_shift = _constant("right_shift", np.right_shift, "bitwise_right_shift")
isnan = _constant("isnan", np.isnan, "isnan")
isinf = _constant("isinf", np.isinf, "isinf")
isfinite = _constant("isfinite", np.isfinite, "isfinite")
signbit = _constant("signbit", np.signbit, "signbit")
floor = _constant("floor", np.floor, "floor")
ceil = _constant("ceil", np.ceil, "ceil")
trunc = _constant("trunc", np.trunc, "trunc")
round_p = _constant("round", np.round, "round")
floor_divide = _constant("floor_divide", np.floor_divide, "floor_divide")


def _tie(a: Any, b: Any) -> Any:
    """1 where a > b, 0 where a < b, a half where equal, nan beside nan: the derivative of maximum(a, b) in a."""
    dt = np.result_type(a, b)
    half = 0.5 * np.greater(a, b) + 0.5 * np.greater_equal(a, b)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, half).astype(dt if dt.kind == "f" else float)[()]


def _scalar_tie(s: Any, a: Any, b: Any) -> Any:
    numbers = s.select(s.gt(a, b), 1, s.select(s.lt(a, b), 0, 0.5))
    return s.select(s.eq(a, a), s.select(s.eq(b, b), numbers, math.nan), math.nan)


tie = _constant("tie", _tie, scalar=_scalar_tie)
maximum_p = Primitive(
    "maximum",
    np.maximum,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: tie(a, b), lambda y, a, b: tie(b, a)],
    scalar=lambda s, a, b: s.max(a, b),
    convention="ties split the derivative equally",
    array_api="maximum",
)
minimum_p = Primitive(
    "minimum",
    np.minimum,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: tie(b, a), lambda y, a, b: tie(a, b)],
    scalar=lambda s, a, b: s.min(a, b),
    convention="ties split the derivative equally",
    array_api="minimum",
)
remainder = Primitive(
    "remainder",
    np.remainder,
    axes=ELEMENTWISE,
    partials=[lambda y, a, b: 1.0, lambda y, a, b: -floor_divide(a, b)],
    scalar=lambda s, a, b: s.rem(a, b),
    convention="derivatives of the branch at jumps",
    array_api="remainder",
)


def _where_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return where(args[0], ct, 0.0) if i == 1 else where(args[0], 0.0, ct)


where = Primitive(
    "where",
    np.where,
    axes=ELEMENTWISE,
    linear=(1, 2),
    transpose=_where_transpose,
    scalar=lambda s, condition, x1, x2: s.select(condition, x1, x2),
    singular="follows its branch; nothing of the other one gets through",
    array_api="where",
)


def maximum(a: Any, b: Any) -> Any:
    _ordered("maximum", a, b)
    return maximum_p(a, b)


def minimum(a: Any, b: Any) -> Any:
    _ordered("minimum", a, b)
    return minimum_p(a, b)


def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """minimum(maximum(x, min), max); at a bound the derivative is a half."""
    _ordered("clip", *(v for v in (x, min, max) if v is not None))
    if min is not None:
        x = maximum_p(x, min)
    return x if max is None else minimum_p(x, max)


def relu(x: Any) -> Any:
    """maximum(x, 0); the derivative at 0 is a half, as of every spelling of it."""
    return maximum(x, 0)
