"""The fast call: a builtin function that checks its arguments, runs a program and wraps the results, all natively.

Whatever is not exactly what the program was made for makes the call return NotImplemented, and Python then takes the
general way; so does everything where `layout` finds that objects are not laid out as the native code expects.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu import entry_code as code
from scisim.compiler.cpu.blocks import POOL, SMALLEST
from scisim.compiler.cpu.entry_code import ENTRY, GIVEN, TAKEN, EntryPoint
from scisim.compiler.cpu.executor import Bound, executor
from scisim.compiler.cpu.layout import Layout, layout
from scisim.compiler.cpu.once import once
from scisim.core.errors import ArgumentError


class Taken(NamedTuple):
    """An argument of a call, and the slot of the frame that gets its address.

    Attributes
    ----------
    python : type, optional
        float, int or complex where the argument is such a Python number; None for a Tensor or an array (also a NumPy
        scalar), which one or the other alike.
    """

    slot: int
    shape: tuple[int, ...]
    dtype: np.dtype
    python: type | None = None


class Given(NamedTuple):
    """A result of a call: a new array, whose address a slot gets."""

    slot: int
    shape: tuple[int, ...]
    dtype: np.dtype


class Passed(NamedTuple):
    """A result that is the value of an argument (by position), which must be a Tensor."""

    argument: int


class Fixed(NamedTuple):
    """A result that is the same array at each call."""

    value: np.ndarray


class Entry:
    """The fast way into a program.

    Attributes
    ----------
    call : callable
        Takes the arguments by position.  NotImplemented where they do not fit, or while the program is running.
    claim : callable
        Without arguments; whether the program was at rest, and now is the caller's until `release`.
    """

    def __init__(self, words: np.ndarray | None) -> None:
        self._words = words
        self.call: Callable[..., Any]
        self.claim: Callable[[], bool]
        self.call, self.claim = _builtins(words) if words is not None else (_refuse, _grant)

    def release(self) -> None:
        """Give back what `claim` took."""
        if self._words is not None:
            self._words[ENTRY.place["busy"]] = 0

    def close(self) -> None:
        """Refuse every call from now on."""
        self.call = _refuse
        if self._words is not None:
            self._words[ENTRY.place["closed"]] = 1


def make_entry(
    program: Bound,
    frame: np.ndarray,
    takes: Sequence[Taken],
    gives: Sequence[Given | Passed | Fixed],
    container: type | None = None,
    bare: bool = False,
) -> Entry:
    """A fast way into a program.

    Parameters
    ----------
    program : Bound
    frame : ndarray of int64
        The program's frame with all slots set that no argument or result sets; calls write into it.
    takes : sequence of Taken
    gives : sequence of Given, Passed or Fixed
    container : type, optional
        tuple or list; None gives the only result itself.
    bare : bool
        Give arrays instead of Tensors.
    """
    if container not in (None, tuple, list) or (container is None and len(gives) != 1):
        raise ArgumentError(f"make_entry: {len(gives)} results cannot be given as {container}")
    found = layout()
    if found is None or any(_unknown(t) for t in takes):
        return Entry(None)
    return Entry(_Writer(found, bare).write(program, frame, takes, gives, container))


def _refuse(*args: Any) -> Any:
    return NotImplemented


def _grant() -> bool:
    return True


_NUMBERS = {
    (float, "float64"): code.FLOAT,
    (float, "float32"): code.SINGLE,
    (int, "int64"): code.INTEGER,
    (complex, "complex128"): code.COMPLEX,
}


def _unknown(t: Taken) -> bool:
    """Whether an argument is of a kind that only the general way takes."""
    return not t.dtype.isnative or (
        t.python is not None and (bool(t.shape) or (t.python, t.dtype.name) not in _NUMBERS)
    )


class _Words(np.ndarray):
    """A block of words that keeps alive what it points at."""

    kept: list


class _Writer:
    """Writes the block of words of an entry."""

    def __init__(self, found: Layout, bare: bool) -> None:
        self.found, self.bare = found, bare
        self.kept: list[Any] = [found]

    def write(
        self, program: Bound, frame: np.ndarray, takes: Sequence[Taken], gives: Sequence, container: type | None
    ) -> _Words:
        passed = {g.argument for g in gives if isinstance(g, Passed) and not self.bare}
        taken = [self._taken(t, k in passed) for k, t in enumerate(takes)]
        given = [self._given(g) for g in gives]
        fields = {
            **self.found.fixed,
            "arguments": len(takes),
            "results": len(gives),
            "program": program.address,
            "frame": self._address(frame),
            "container": (None, tuple, list).index(container),
            "held": self._address(np.zeros(len(takes) + len(gives), np.int64)),
            "takes": self._address(np.array(taken, np.int64)),
            "gives": self._address(np.array(given, np.int64)),
            "run": executor().functions["scisim_run"],
            "bare": int(self.bare),
        }
        words = np.zeros(ENTRY.size, np.int64).view(_Words)
        for name, value in fields.items():
            words[ENTRY.place[name]] = value
        words.kept = [*self.kept, program]
        return words

    def _address(self, a: np.ndarray) -> int:
        self.kept.append(a)
        return a.ctypes.data

    def _shape(self, shape: Sequence[int]) -> int:
        return self._address(np.array([*shape, 0], np.int64))

    def _object(self, x: Any) -> int:
        self.kept.append(x)
        return id(x)

    def _dtype(self, dtype: np.dtype) -> int:
        """The object that arrays of a dtype share, which a dtype that was unpickled is not."""
        return self._object(np.dtype(dtype.type))

    def _taken(self, t: Taken, passed: bool) -> list[int]:
        kind = _NUMBERS[t.python, t.dtype.name] if t.python else code.TENSOR if passed else code.ARRAY
        scalar = self._object(t.dtype.type) if not t.shape and t.dtype.type in self.found.scalars else 0
        cell = self._address(np.zeros(2, np.int64))
        row = {"kind": kind, "slot": t.slot, "descr": self._dtype(t.dtype), "scalar": scalar, "ndim": len(t.shape)}
        return _row(TAKEN, **row, shape=self._shape(t.shape), cell=cell)

    def _given(self, g: Given | Passed | Fixed) -> list[int]:
        if isinstance(g, Passed):
            return _row(GIVEN, kind=code.PASSED, slot=g.argument)
        if isinstance(g, Fixed):
            return _row(GIVEN, kind=code.FIXED, object=self._object(g.value))
        if math.prod(g.shape) * g.dtype.itemsize >= SMALLEST:
            make = functools.partial(POOL.empty, g.shape, g.dtype)
            return _row(GIVEN, kind=code.LARGE, slot=g.slot, object=self._object(make))
        shape = self._shape(g.shape)
        return _row(GIVEN, kind=code.NEW, slot=g.slot, object=self._dtype(g.dtype), ndim=len(g.shape), shape=shape)


def _row(record: Any, **values: int) -> list[int]:
    """The words of a record."""
    return [values.get(name, 0) for name in record.place]


# --- builtins ------------------------------------------------------------------------------------------------------
class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FASTCALL, _NOARGS = 0x80, 0x04


@once
def _methods() -> tuple[_MethodDef, _MethodDef]:
    """The definitions of `Entry.call` and `Entry.claim`, which all entries share."""
    table = np.zeros(2, np.int64)
    start = executor().library.addresses([EntryPoint()])[EntryPoint.name]
    ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(start)(table.ctypes.data)
    call = _MethodDef(b"call", int(table[0]), _FASTCALL, None)
    return call, _MethodDef(b"claim", int(table[1]), _NOARGS, None)


def _builtins(words: np.ndarray) -> list[Callable]:
    """The functions of an entry; the block of words is their ``self``."""
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return [new(ctypes.addressof(m), words, None) for m in _methods()]
