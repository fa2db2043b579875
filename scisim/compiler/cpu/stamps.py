"""Images that note how long each of their calls takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu import records
from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.image import Arg, Image
from scisim.compiler.cpu.pool_code import clock

_WORDS = 8  # of each spot and thread, a line of cache: nanoseconds, count


class Stamp:
    """The kernel that adds the time since the thread's last stamp to a spot; slots: the spot, that last time."""

    name = "scisim_stamp"

    def emit(self, module: Module, target: Any) -> None:
        """Write the function."""
        f = Function(module, self.name, ["ptr %args"])
        f.raw("%time = alloca [2 x i64]")
        spot, last = f.argument(0, "ptr"), f.argument(1, "ptr")
        now = clock(f)
        f.store("i64", f.add(f.load("i64", spot, 8), f.op("sub", "i64", now, f.load("i64", last, 8))), spot, 8)
        count = f.at("i64", spot, 1)
        f.store("i64", f.add(f.load("i64", count, 8), 1), count, 8)
        f.store("i64", now, last, 8)
        f.done()


class Spot(NamedTuple):
    """What a stamp measures.

    Attributes
    ----------
    kind : str
        "begin" (of the program), "call", "host", "start" (of a region, on its threads), "end" (the wait for threads).
    number : int
        Which of its kind it is, in the order of the instructions.
    region : int
        Which region it belongs to; -1 outside.
    """

    kind: str
    number: int
    region: int


class Stamped:
    """An image with a stamp after each call.

    Attributes
    ----------
    image : Image
    spots : list of Spot

    Parameters
    ----------
    old : Image
    threads : int
        On which it will run.
    """

    def __init__(self, old: Image, threads: int) -> None:
        self._threads = threads
        self._old, self.image = old, Image(slots=old.slots)
        self._spots, self._last = self.image.slot(), self.image.slot()
        self.spots: list[Spot] = []
        self._counts: dict[str, int] = {}
        self._region = -1
        self._stamp("begin")
        self._block(0, len(old.code))

    def memory(self) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """Nanoseconds and counts by spot and thread, zero; and the arrays that slots of the frame point to."""
        found = np.zeros((len(self.spots), self._threads, _WORDS), np.int64)
        return found[..., :2], {self._spots: found, self._last: np.zeros((self._threads, _WORDS), np.int64)}

    def _stamp(self, kind: str) -> None:
        number = self._counts.get(kind, 0)
        self._counts[kind] = number + 1
        offset, step = len(self.spots) * self._threads * _WORDS * 8, _WORDS * 8
        self.spots.append(Spot(kind, number, self._region))
        self.image.call(Stamp.name, [Arg(self._spots, offset, by_thread=step), Arg(self._last, by_thread=step)])

    def _block(self, first: int, last: int) -> None:
        at = first
        while at < last:
            at = self._instruction(at)

    def _instruction(self, at: int) -> int:
        """Write an instruction, with what is inside of it; the number of the one after it."""
        op, a, b, c, *_ = record = self._old.code[at]
        new, args = self.image, self._old.arguments
        if op in (records.CALL, records.HOST):
            given = args[b : b + c]
            new.call(self._old.kernels[a], given) if op == records.CALL else new.host(a, given)
            self._stamp("call" if op == records.CALL else "host")
        elif op in (records.REGION, records.FOR, records.WHILE, records.COND):
            return self._inside(at, record)
        elif op == records.SWAP:
            new.swap(a, b)
        else:
            {records.ADVANCE: new.advance, records.SET: new.set, records.LOAD: new.load}[op](a, args[b])
        return at + 1

    def _inside(self, at: int, record: list[int]) -> int:
        op, a, b, c, *_ = record
        new, args = self.image, self._old.arguments
        if op == records.FOR:
            with new.for_loop(args[a]):
                self._block(at + 1, b)
            return b
        if op == records.REGION:
            self._tiles(at, record)
            return c
        with (new.while_loop if op == records.WHILE else new.cond)(args[a]) as part:
            self._block(at + 1, c)
            part.rest()
            self._block(c, b)
        return b

    def _tiles(self, at: int, record: list[int]) -> None:
        _, a, b, end, begin, *_, flags = record
        args = self._old.arguments
        self._region = self._counts.get("start", 0)
        with self.image.region(args[a], args[b], bool(flags & records.PARALLEL)) as part:
            self._stamp("start")
            self._block(at + 1, begin)
            part.rest()
            self._block(begin, end)
        self._stamp("end")
        self._region = -1
