"""Misuses and what they are told: each a call, the error it must raise, the builtin that refines, and parts of the
message: the function, the argument, what it got, what it wanted, the way out."""

from collections.abc import Callable
from typing import Any

import pytest

from scisim import ScisimError

Misuse = tuple[str, Callable[[], Any], type[ScisimError], type[Exception], list[str]]


def table(*misuses: Misuse):
    """A parametrization of ``test(call, error, builtin, parts)``."""
    names = [m[0] for m in misuses]
    assert len(set(names)) == len(names), "two misuses of one name"
    return pytest.mark.parametrize(("call", "error", "builtin", "parts"), [m[1:] for m in misuses], ids=names)


def assert_refused(
    call: Callable[[], Any], error: type[ScisimError], builtin: type[Exception], parts: list[str]
) -> None:
    assert issubclass(error, ScisimError)
    assert issubclass(error, builtin)
    with pytest.raises(error) as caught:
        call()
    for part in parts:
        assert part in str(caught.value), f"{part!r} is not in: {caught.value}"
