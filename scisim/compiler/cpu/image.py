"""Program images: the instructions of a compiled program as plain numbers, and how they are written.

An image names its kernels and holds no addresses, so it can be saved; `executor.Executor.bind` makes it ready to run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from scisim.compiler.cpu import records
from scisim.compiler.cpu.records import ARGUMENT, INSTRUCTION
from scisim.core.errors import ArgumentError, FileError

ZERO, THREADS = 0, 1  # slots that the executor fills: the number 0, and how many threads there are


class Arg(NamedTuple):
    """A pointer or number: frame[slot] + offset + start * by_start + length * by_length + thread * by_thread.

    ``start`` and ``length`` tell the tile of the region that is running: its first index and how many there are; they
    are 0 and 1 outside of regions.  ``thread`` counts from 0.
    """

    slot: int = ZERO
    offset: int = 0
    by_start: int = 0
    by_length: int = 0
    by_thread: int = 0


LENGTH = Arg(offset=0, by_length=1)  # how many indices the tile has
START = Arg(by_start=1)  # its first one


def number(n: int) -> Arg:
    """An argument that is a number."""
    return Arg(offset=int(n))


class Part:
    """A block of instructions that has two parts."""

    def __init__(self, image: Image) -> None:
        self._image, self.middle = image, len(image.code)

    def rest(self) -> None:
        """What was written so far is the first part; the second begins."""
        self.middle = len(self._image.code)


class Image:
    """A program's instructions, the arguments they use, and the names of the kernels they call.

    Parameters
    ----------
    slots : int
        Slots of the frame that the program is given; more are made by `slot`.

    Examples
    --------
    >>> image = Image(slots=4)
    >>> with image.region(extent=1000, tile=64):
    ...     image.call("increment", [Arg(2, by_start=8), Arg(3, by_start=8), LENGTH])
    """

    def __init__(self, slots: int = 2) -> None:
        self.slots = max(slots, 2)
        self.code: list[list[int]] = []
        self.arguments: list[Arg] = []
        self.moving: list[int] = []
        self.kernels: list[str] = []
        self.hosts = 0
        self._in_region = False

    # --- writing -------------------------------------------------------------------------------------------------
    def slot(self) -> int:
        """A slot that nothing else uses."""
        self.slots += 1
        return self.slots - 1

    def call(self, kernel: str, args: Sequence[Arg]) -> None:
        """Call a kernel."""
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        self._emit(records.CALL, self.kernels.index(kernel), self._args(args), len(args))

    def host(self, function: int, args: Sequence[Arg]) -> None:
        """Call Python function number ``function`` of those given to `bind`, with the address of the values."""
        self._outside("a call of Python")
        self.hosts = max(self.hosts, function + 1)
        self._emit(records.HOST, function, self._args(args), len(args))

    @contextmanager
    def region(self, extent: Arg | int, tile: Arg | int, parallel: bool = True) -> Iterator[Part]:
        """What is written inside runs for each tile of [0, extent), on all threads.

        Calls before ``rest()`` of what this yields run once on each thread instead, also on those that get no tile.
        Loops and conditions are allowed inside; what slots are given there is each tile's own.
        """
        self._outside("a region")
        at = self._emit(records.REGION, self._arg(extent), self._arg(tile))
        part, self._in_region = Part(self), True
        try:
            yield part
        finally:
            self._in_region = False
        body = self.code[part.middle :]
        if any(record[0] != records.CALL for record in self.code[at + 1 : part.middle]):
            raise ArgumentError("Image: what a region runs once on each thread can only be calls of kernels")
        dynamic = any(record[0] != records.CALL for record in body)
        first = min((r[2] for r in body if r[0] == records.CALL), default=len(self.arguments))
        moving = [k for k in range(first, len(self.arguments)) if self.arguments[k].by_start]
        flags = parallel * records.PARALLEL + dynamic * records.DYNAMIC
        count = len(self.arguments) - first
        self.code[at][3:10] = [len(self.code), part.middle, first, count, len(self.moving), len(moving), flags]
        self.moving += moving

    @contextmanager
    def for_loop(self, count: Arg | int) -> Iterator[None]:
        """What is written inside runs a number of times."""
        at = self._emit(records.FOR, self._arg(count))
        yield
        self.code[at][2] = len(self.code)

    @contextmanager
    def while_loop(self, predicate: Arg) -> Iterator[Part]:
        """A test, then ``rest()``, then the body, which runs as long as the byte at ``predicate`` is not 0."""
        at = self._emit(records.WHILE, self._arg(predicate))
        part = Part(self)
        yield part
        self.code[at][2:4] = [len(self.code), part.middle]

    @contextmanager
    def cond(self, predicate: Arg) -> Iterator[Part]:
        """What runs where the byte at ``predicate`` is not 0, then ``rest()``, then what runs elsewhere."""
        at = self._emit(records.COND, self._arg(predicate))
        part = Part(self)
        yield part
        middle = part.middle if part.middle > at + 1 else len(self.code)
        self.code[at][2:4] = [len(self.code), middle]

    def swap(self, a: int, b: int) -> None:
        """Exchange what two slots hold."""
        self._emit(records.SWAP, a, b)

    def advance(self, slot: int, by: Arg | int) -> None:
        """Add bytes to what a slot holds."""
        self._emit(records.ADVANCE, slot, self._arg(by))

    def set(self, slot: int, value: Arg | int) -> None:
        """Put a value into a slot."""
        self._emit(records.SET, slot, self._arg(value))

    def load(self, slot: int, address: Arg) -> None:
        """Put the int64 at an address into a slot."""
        self._emit(records.LOAD, slot, self._arg(address))

    def _emit(self, *fields: int) -> int:
        self.code.append([*fields, *[0] * (INSTRUCTION.size - len(fields))])
        return len(self.code) - 1

    def _args(self, args: Sequence[Arg]) -> int:
        self.arguments += args
        return len(self.arguments) - len(args)

    def _arg(self, value: Arg | int) -> int:
        return self._args([value if isinstance(value, Arg) else number(value)])

    def _outside(self, what: str) -> None:
        if self._in_region:
            raise ArgumentError(f"Image: {what} was written inside of a region; it belongs outside")

    # --- saving --------------------------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """The image as arrays of int64; with the names in ``kernels`` it is all there is."""
        return {
            "code": np.array(self.code, np.int64).reshape(-1, INSTRUCTION.size),
            "arguments": np.array(self.arguments, np.int64).reshape(-1, ARGUMENT.size),
            "moving": np.array(self.moving, np.int64),
            "counts": np.array([self.slots, self.hosts], np.int64),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray], kernels: Sequence[str]) -> Image:
        """The image that `arrays` gave.

        Raises
        ------
        FileError
            Where the numbers cannot be those of an image.
        """
        try:
            image = cls(int(arrays["counts"][0]))
            image.hosts = int(arrays["counts"][1])
            image.code = [[int(n) for n in row] for row in arrays["code"]]
            image.arguments = [Arg(*(int(n) for n in row)) for row in arrays["arguments"]]
            image.moving = [int(n) for n in arrays["moving"]]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise FileError(f"a saved program is damaged: {type(error).__name__}: {error}") from None
        image.kernels = list(kernels)
        image.check()
        return image

    def check(self) -> None:
        """Raise FileError where an instruction refers to what does not exist."""
        sound = all(0 <= a.slot < self.slots for a in self.arguments)
        sound &= all(0 <= k < len(self.arguments) for k in self.moving)
        if not sound or not all(self._sound(at, record) for at, record in enumerate(self.code)):
            raise FileError("a saved program is damaged: an instruction refers to what does not exist")

    def _sound(self, at: int, record: list[int]) -> bool:
        op, a, b, c, d, first, count, table, moves, _ = record
        n, slots, end = len(self.arguments), range(self.slots), len(self.code)
        if op in (records.CALL, records.HOST):
            known = len(self.kernels) if op == records.CALL else self.hosts
            return a in range(known) and 0 <= b <= b + c <= n and c >= 0
        if op == records.REGION:
            inside = at < d <= c <= end and 0 <= first <= first + count <= n
            return inside and {a, b} <= set(range(n)) and 0 <= table <= table + moves <= len(self.moving)
        if op in (records.FOR, records.WHILE, records.COND):
            return a in range(n) and at < b <= end and (op == records.FOR or at < c <= b)
        if op == records.SWAP:
            return a in slots and b in slots
        return op in (records.ADVANCE, records.SET, records.LOAD) and a in slots and b in range(n)
