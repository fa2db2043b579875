"""Operations along one axis that a C library computes: what compiled programs need to call it themselves.

A *line* is all elements of an array along one axis.  An operation that does the same to each line, such as a Fourier
transform, is called from native code on as many lines as a tile has, on whichever thread has the tile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Steps(NamedTuple):
    """Where elements are, counted in elements: from one to the next of a line, and from line to line."""

    along: int
    across: int


class Lines(NamedTuple):
    """A function of a C library that works on lines.

    Attributes
    ----------
    axis : int
        Of operand and result.
    function : int
        The address of ``function(handle, operand, result)``, which returns 0 where nothing is wrong; it may be called
        by several threads at once.
    handle : callable
        ``handle(count, operand, result)`` for so many lines with such `Steps`: an object whose ``address`` is what the
        function takes first, for as long as the object lives.
    usable : callable
        ``usable()``: whether the library is the one to use at present.
    explain : callable
        ``explain(status)``: what another number than 0 means.
    """

    axis: int
    function: int
    handle: Callable[[int, Steps, Steps], Any]
    usable: Callable[[], bool]
    explain: Callable[[int], str]
