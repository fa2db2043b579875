"""What is known of values that depend on a complex variable, and where an operation stands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from scisim.core import public
from scisim.core.graph import Graph
from scisim.core.source import Source, is_users


class Mark(NamedTuple):
    """What is known of a value that depends on the variable.

    Attributes
    ----------
    name : str
        The first operation on its way that is not holomorphic; empty while all is well.
    source : Source, optional
        The user's line that did it.
    within : str
        The function that the line called, where it is known.
    turned : bool
        It is a holomorphic function of the conjugate, whose conjugate is holomorphic again.
    """

    name: str = ""
    source: Any = None
    within: str = ""
    turned: bool = False


HOLOMORPHIC = Mark()


def combined(marks: Sequence[Mark]) -> Mark:
    """The mark of what depends on several marked values."""
    for m in marks:
        if m.name and not m.turned:
            return m
    turned = [m for m in marks if m.turned]
    if not turned:
        return HOLOMORPHIC
    return turned[0] if len(turned) == len(marks) else turned[0]._replace(turned=False)


def place() -> tuple[Any, str]:
    """The user's line that is being run, or that of the equation of a program that is, and the function it called."""
    frame: Any = sys._getframe(1)
    within = ""
    while frame is not None:
        code = frame.f_code
        recorded = frame.f_locals.get("source") if code is Graph.__call__.__code__ else None
        if recorded is not None:
            return recorded, ""
        if is_users(code):
            return Source(code, frame.f_lasti), within
        if code.co_filename == public.__file__:
            within = frame.f_locals.get("name", within)
        frame = frame.f_back
    return None, within
