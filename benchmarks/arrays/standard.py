"""Functions of the Array API standard beside those of NumPy, on 200 x 300 numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss

_RNG = np.random.default_rng(0)
X, Y = _RNG.uniform(0.1, 0.9, (2, 200, 300))
SIGNED, ROW = X - 0.5, Y[0]
INTEGERS, FEW = _RNG.integers(0, 50, (200, 300)), _RNG.integers(0, 50, 20)
TRUE = X > 0.5
ORDER = np.argsort(X, axis=1)
POINTS = np.sort(_RNG.uniform(size=1000))

_ONE = {
    **dict.fromkeys(("abs", "sign", "square", "negative", "positive", "ceil", "floor", "trunc", "round"), SIGNED),
    **dict.fromkeys(("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "reciprocal"), X),
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh"), X),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "signbit"), SIGNED),
    "acosh": X + 1.5,
    "logical_not": TRUE,
}
_TWO = (
    *("add", "subtract", "multiply", "divide", "pow", "floor_divide", "remainder", "maximum", "minimum", "hypot"),
    *("atan2", "logaddexp", "copysign", "nextafter", "less", "less_equal", "greater", "equal", "not_equal"),
)
_OTHERS: dict[str, tuple[Callable, Callable, tuple[Any, ...]]] = {
    "sum": (ss.sum, np.sum, (X,)),
    "sum over rows": (lambda x: ss.sum(x, axis=0), lambda x: np.sum(x, axis=0), (X,)),
    "mean": (lambda x: ss.mean(x, axis=1), lambda x: np.mean(x, axis=1), (X,)),
    "prod": (lambda x: ss.prod(x, axis=1), lambda x: np.prod(x, axis=1), (X,)),
    "std": (lambda x: ss.std(x, axis=1), lambda x: np.std(x, axis=1), (X,)),
    "var": (ss.var, np.var, (X,)),
    "max": (lambda x: ss.max(x, axis=1), lambda x: np.max(x, axis=1), (X,)),
    "min": (ss.min, np.min, (X,)),
    "any": (lambda x: ss.any(x, axis=1), lambda x: np.any(x, axis=1), (TRUE,)),
    "all": (ss.all, np.all, (TRUE,)),
    "argmax": (lambda x: ss.argmax(x, axis=1), lambda x: np.argmax(x, axis=1), (X,)),
    "argmin": (ss.argmin, np.argmin, (X,)),
    "count_nonzero": (ss.count_nonzero, np.count_nonzero, (TRUE,)),
    "cumulative_sum": (lambda x: ss.cumulative_sum(x, axis=1), lambda x: np.cumsum(x, axis=1), (X,)),
    "cumulative_prod": (lambda x: ss.cumulative_prod(x, axis=1), lambda x: np.cumprod(x, axis=1), (X,)),
    "diff": (ss.diff, np.diff, (X,)),
    "where": (ss.where, np.where, (TRUE, X, Y)),
    "clip": (lambda x: ss.clip(x, 0.2, 0.7), lambda x: np.clip(x, 0.2, 0.7), (X,)),
    "sort": (ss.sort, np.sort, (X,)),
    "argsort": (ss.argsort, lambda x: np.argsort(x, kind="stable"), (X,)),
    "searchsorted": (ss.searchsorted, np.searchsorted, (POINTS, X)),
    "take": (lambda x: ss.take(x, FEW, axis=1), lambda x: np.take(x, FEW, axis=1), (X,)),
    "take_along_axis": (ss.take_along_axis, np.take_along_axis, (X, ORDER)),
    "nonzero": (ss.nonzero, np.nonzero, (TRUE,)),
    "isin": (ss.isin, np.isin, (INTEGERS, FEW)),
    "unique_values": (ss.unique_values, np.unique, (INTEGERS,)),
    "unique_counts": (ss.unique_counts, np.unique_counts, (INTEGERS,)),
    "unique_all": (ss.unique_all, np.unique_all, (X,)),
    "matmul": (ss.matmul, np.matmul, (X, Y.T)),
    "vecdot": (ss.vecdot, np.vecdot, (X, Y)),
    "tensordot": (lambda x, y: ss.tensordot(x, y, axes=2), lambda x, y: np.tensordot(x, y, axes=2), (X, Y)),
    "concat": (lambda x, y: ss.concat([x, y]), lambda x, y: np.concat([x, y]), (X, Y)),
    "stack": (lambda x, y: ss.stack([x, y]), lambda x, y: np.stack([x, y]), (X, Y)),
    "unstack": (ss.unstack, np.unstack, (X.reshape(3, -1),)),
    "flip": (ss.flip, np.flip, (X,)),
    "roll": (lambda x: ss.roll(x, 7, axis=1), lambda x: np.roll(x, 7, axis=1), (X,)),
    "repeat": (lambda x: ss.repeat(x, 3, axis=0), lambda x: np.repeat(x, 3, axis=0), (X,)),
    "tile": (lambda x: ss.tile(x, (2, 2)), lambda x: np.tile(x, (2, 2)), (X,)),
    "tril": (ss.tril, np.tril, (X,)),
    "triu": (ss.triu, np.triu, (X,)),
    "astype": (lambda x: ss.astype(x, ss.float32), lambda x: x.astype(np.float32), (X,)),
    "broadcast": (ss.add, np.add, (X, ROW)),
}

CASES = [
    *((f"standard.{name}", getattr(ss, name), getattr(np, name), (x,)) for name, x in _ONE.items()),
    *((f"standard.{name}", getattr(ss, name), getattr(np, name), (X, Y)) for name in _TWO),
    *((f"standard.{name}", *case) for name, case in _OTHERS.items()),
]
