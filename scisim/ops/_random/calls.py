"""Calls with a key and plain settings, which need none of the care that arrays as arguments need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from scisim.core import public
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, functions

_new = object.__new__
_DTYPES = {type(np.dtype(c)) for c in "efdFDbhilqBHILQ"}
_SETTINGS = frozenset({int, float, tuple, type(None), bool, *_DTYPES})


def quick(f: Callable) -> Callable:
    """A public function with a short way for a key that is an array, and settings; it takes the place in the table."""
    name = f"random.{f.__name__}"
    raw = OPERATIONS[name].raw

    @functools.wraps(f)
    def g(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is Tensor and type(args[0]._v) is public._ndarray:
            for a in args[1:]:
                if type(a) not in _SETTINGS:
                    return f(*args, **kwargs)
            for a in kwargs.values():
                if type(a) not in _SETTINGS:
                    return f(*args, **kwargs)
            t = _new(Tensor)
            t._v = raw(args[0]._v, *args[1:], **kwargs)
            return t
        return f(*args, **kwargs)

    OPERATIONS[name] = replace(OPERATIONS[name], function=g)
    functions[name] = g
    return g
