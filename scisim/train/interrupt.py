"""SIGTERM and Ctrl-C end a training between two steps, on all ranks together."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any

import numpy as np

from scisim import distributed as dist


class Interruptible:
    """Within a with block, the first SIGTERM or SIGINT is remembered instead of acted on; a second one acts at once.

    In a thread other than the main one, where Python allows no handlers, it changes nothing.
    """

    def __init__(self, comm: dist.Communicator) -> None:
        self.comm, self.signal = comm, 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruptible:
        if threading.current_thread() is threading.main_thread():
            for s in (signal.SIGTERM, signal.SIGINT):
                self._before[s] = signal.signal(s, self._remember)
        return self

    def __exit__(self, *exc: object) -> None:
        self._restore()

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        self._restore()

    def _restore(self) -> None:
        for s, handler in self._before.items():
            signal.signal(s, handler)
        self._before = {}

    def asked(self, wish: int = 0) -> tuple[int, int]:
        """The number of a signal that any rank has got, or 0, and the greatest wish of any; all ranks call it."""
        if self.comm.size == 1:
            return self.signal, wish
        number, greatest = self.comm.all_reduce(np.array([self.signal, wish]), "max")
        return int(number), int(greatest)


def stop(number: int, message: str) -> None:
    """Say why on rank 0, and leave: KeyboardInterrupt for SIGINT, exit code 128 + signal for another."""
    if dist.is_root():
        print(message, file=sys.stderr, flush=True)
    if number == signal.SIGINT:
        raise KeyboardInterrupt(message)
    sys.exit(128 + number)
