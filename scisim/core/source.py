"""Where in the user's source an operation comes from."""

from __future__ import annotations

import functools
import linecache
import os
import sys
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

import numpy as np
import optree

# Code in these places is not the user's: what it does is told as done by whoever called it.
_OURS = (
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
    os.path.dirname(np.__file__) + os.sep,
    os.path.dirname(optree.__file__) + os.sep,
    functools.__file__,
    "<frozen",
)
_known: dict[int, bool] = {}  # by the id of code, which is quicker than its hash
_held: list[CodeType] = []  # so that ids stay their own


class Source(NamedTuple):
    """A place in code; what is told of it is looked up when it is asked for.

    Attributes
    ----------
    code : code object
    offset : int
        Of the instruction.
    """

    code: CodeType
    offset: int

    @property
    def line(self) -> int:
        """The number of the line, from 1."""
        found = next((n for first, last, n in self.code.co_lines() if first <= self.offset < last), None)
        return found or self.code.co_firstlineno

    @property
    def text(self) -> str:
        """The line itself, empty where its file cannot be read."""
        return linecache.getline(self.code.co_filename, self.line).strip()

    def __str__(self) -> str:
        name = self.code.co_name
        where = f"{os.path.basename(self.code.co_filename)}:{self.line}"
        return where if name == "<module>" else f"{where} in {name}"


def is_users(code: CodeType) -> bool:
    """Whether code is neither ours nor of what we are called through."""
    found = _known.get(id(code))
    if found is None:
        found = _known[id(code)] = not code.co_filename.startswith(_OURS)
        _held.append(code)
    return found


def here() -> Source | None:
    """The place in the user's code that is being run."""
    frame: FrameType | None = sys._getframe(1)
    known = _known.get
    while frame is not None:
        found = known(id(frame.f_code))
        if found or (found is None and is_users(frame.f_code)):
            return Source(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None


def deepest(traceback: TracebackType | None) -> Source | None:
    """The place in the user's code from which an error came."""
    found = None
    while traceback is not None:
        if is_users(traceback.tb_frame.f_code):
            found = Source(traceback.tb_frame.f_code, traceback.tb_lasti)
        traceback = traceback.tb_next
    return found


def note(error: BaseException, what: str, source: Source | Told | None, recorded: bool = False) -> None:
    """Add to an error what was being done where.

    A place that an equation has recorded stands in for what called the program; of several the innermost is told.
    """
    notes = getattr(error, "__notes__", [])
    old = next((k for k, text in enumerate(notes) if text.startswith("at ")), None)
    if source is None or (old is not None and not (recorded and getattr(error, "_place_is_caller", False))):
        return
    text = source.text
    told = f"at {source}, {what}" + (f":\n    {text}" if text else "")
    if old is None:
        error.add_note(told)
    else:
        notes[old] = told
    error._place_is_caller = not recorded  # type: ignore[attr-defined]


class Told(NamedTuple):
    """A place that is known by what was said of it, as in a program from a file."""

    name: str
    text: str = ""
    line: int = 0

    def __str__(self) -> str:
        return self.name
