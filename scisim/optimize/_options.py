"""Options of solvers, checked."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError, ArgumentTypeError


def chosen(who: str, method: Any, known: Mapping[str, Any], default: str, others: dict[str, str] | None = None) -> str:
    """The method by its proper name; ``others`` says what to use in the place of those that there are not."""
    if method is None:
        return default
    if not isinstance(method, str):
        raise ArgumentTypeError(
            f"{who}: method is {type(method).__name__} {method!r:.40}; expected one of {', '.join(known)}"
        )
    lower = {k.lower(): k for k in known}
    if method.lower() in lower:
        return lower[method.lower()]
    instead = (others or {}).get(method.lower())
    near = difflib.get_close_matches(method.lower(), lower, 1)
    hint = f"; use {instead}" if instead else f"; did you mean {lower[near[0]]!r}?" if near else ""
    raise ArgumentError(f"{who}: method {method!r} is not known; expected one of {', '.join(known)}{hint}")


def options_of(who: str, method: str, given: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    """The defaults, with those given in their place."""
    if given is None:
        return dict(defaults)
    if not isinstance(given, dict):
        raise ArgumentTypeError(f"{who}: options is {type(given).__name__} {given!r:.40}; expected a dictionary")
    for name in given:
        if name not in defaults:
            near = difflib.get_close_matches(str(name), defaults, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(defaults)}"
            raise ArgumentError(f"{who}: method {method} has no option {name!r}; {hint}")
    out = {**defaults, **{k: v for k, v in given.items() if v is not None}}
    for name, v in out.items():
        if name in _NUMBERS:
            number(who, name, v)
    return out


_NUMBERS = ("gtol", "ftol", "xtol", "xatol", "fatol", "maxiter", "maxfev", "maxcor", "maxfun", "xrtol", "fatol")


def number(who: str, name: str, v: Any) -> Any:
    """A number that is not negative."""
    if v is not None and (not is_real(v) or not v >= 0):
        raise ArgumentError(f"{who}: {name} is {v!r}; expected a number of at least 0")
    return v


def whole(who: str, name: str, v: Any, least: int = 1) -> int:
    if not is_real(v) or int(v) != v or v < least:
        raise ArgumentError(f"{who}: {name} is {v!r}; expected an integer of at least {least}")
    return int(v)
