"""The values of conditions: numbers, or functions of the coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor
from scisim.pde.domain import Domain
from scisim.pde.equation import Arguments

_NUMBERS = (int, float, complex, np.generic)


def value_of(who: str, value: Any, domain: Domain) -> Callable:
    """A condition's value as a function of all coordinates."""
    if not callable(value):
        if not isinstance(value, _NUMBERS):
            raise ArgumentTypeError(
                f"{who}: value is {value!r}; expected a number, or a function such as lambda x: ..."
            )
        return lambda coords: value
    arguments = Arguments(f"{who}: value", value, domain.names)
    if arguments.others:
        raise ArgumentError(
            f"{who}: the value depends on {', '.join(arguments.others)}; the coordinates are {', '.join(domain.names)}"
        )

    def given(coords: Any) -> Any:
        out = arguments((), coords)
        if isinstance(out, (*_NUMBERS, np.ndarray, Tensor)):
            return out
        raise ArgumentTypeError(f"{who}: value gives a {type(out).__name__}; expected numbers, one at each point")

    return given


def text_of(x: Any) -> str:
    """A short text of what a condition was made with."""
    if callable(x):
        return getattr(x, "__name__", type(x).__name__)
    return f"{type(x).__name__}{list(x.shape)}" if hasattr(x, "shape") and x.shape else repr(x)
