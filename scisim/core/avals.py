"""Shape and dtype of a value that is not there."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ShapeError
from scisim.core.values import Traced, dtype, shape


class ShapeDtype(NamedTuple):
    """The shape and dtype of an array, without the array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


_WEAK = (bool, int, float, complex)


def aval(x: Any) -> ShapeDtype:
    return x if isinstance(x, ShapeDtype) else ShapeDtype(tuple(shape(x)), np.dtype(dtype(x)))


def infer(prim: Any, args: tuple, params: dict) -> Any:
    """Shape and dtype of ``prim(*args, **params)``: by its own rule, or as an elementwise function."""
    if prim.infer is not None:
        return prim.infer(tuple(aval(a) for a in args), params)
    return ShapeDtype(broadcast_shapes(prim.name, *(shape(a) for a in args)), _result(prim, args, params))


def broadcast_shapes(name: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    different = {s for s in shapes if s}
    if len(different) <= 1:
        return different.pop() if different else ()
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = " and ".join(map(str, shapes))
        raise ShapeError(
            f"{name}: operands of shape {text} do not broadcast; trailing axes must be equal or 1. "
            f"Reshape one operand, or insert axes with x[:, None]."
        ) from None


def _result(prim: Any, args: tuple, params: dict) -> np.dtype:
    # A Python scalar is weak: its type, not a dtype, takes part in promotion.
    kinds = tuple(type(a) if type(a) in _WEAK else dtype(a) for a in args)
    return _cached_result(prim, kinds, tuple(sorted(params.items())))


@lru_cache(maxsize=4096)
def _cached_result(prim: Any, kinds: tuple, params: tuple) -> np.dtype:
    ones = [k(1) if isinstance(k, type) else np.ones((), k) for k in kinds]
    with np.errstate(all="ignore"):
        try:
            evaluate = getattr(prim.evaluate, "unchecked", prim.evaluate)  # `debug_nans` is not after these ones
            return np.asarray(evaluate(*ones, **dict(params))).dtype
        except (ValueError, TypeError, OverflowError) as error:
            from scisim.core.primitive import explained

            raise explained(prim, tuple(ones), error) from None


def is_known(x: Any) -> bool:
    """Whether a value is an array all the way down."""
    while isinstance(x, Traced):
        if x.lower is None:
            return x.trace is not None and x.trace.holds_values
        x = x.lower
    return True
