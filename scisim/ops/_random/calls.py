"""Calls with a key and plain settings, which need none of the care that arrays as arguments need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from scisim.core import public
from scisim.core.errors import ScisimError
from scisim.core.public import OPERATIONS
from scisim.core.tensor import Tensor, functions
from scisim.core.values import named

_new = object.__new__
_DTYPES = {type(np.dtype(c)) for c in "efdFDbhilqBHILQ"}
_all_settings = frozenset({int, float, tuple, str, type, type(None), bool, *_DTYPES}).issuperset


def quick(f: Callable) -> Callable:
    """A public function with a short way for a key that is an array, and settings; it takes the place in the table."""
    name = f"random.{f.__name__}"
    raw = OPERATIONS[name].raw

    @functools.wraps(f)
    def g(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is Tensor:
            key, *settings = args
            value = key._v
            if (
                type(value) is public._ndarray  # which `debug_nans` changes
                and _all_settings(map(type, settings))
                and _all_settings(map(type, kwargs.values()))
            ):
                t = _new(Tensor)
                try:
                    t._v = raw(value, *settings, **kwargs)
                except ScisimError as error:
                    raise named(f.__name__, error) from None
                return t
        return f(*args, **kwargs)

    OPERATIONS[name] = replace(OPERATIONS[name], function=g)
    functions[name] = g
    return g
