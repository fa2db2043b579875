"""Plans of transforms, kept from call to call: the least recently used go once they take too many bytes."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CacheInfo:
    """What the plans take.

    Attributes
    ----------
    plans : int
    bytes : int
        Of tables and workspaces, as far as the engines tell.
    limit : int
        Bytes beyond which the least recently used plans are dropped.
    """

    plans: int
    bytes: int
    limit: int


class Plans:
    """A cache bounded by bytes, for several threads.

    Parameters
    ----------
    limit : int
        Bytes; one plan alone may be larger.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.bytes = limit, 0
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """The plan of that key; ``make`` gives one and its bytes."""
        with self.lock:
            found = self._held.get(key)
            if found is None:
                found = self._held[key] = make()
                self.bytes += found[1]
                self._trim()
            else:
                self._held.move_to_end(key)
            return found[0]

    def _trim(self) -> None:
        while self.bytes > self.limit and len(self._held) > 1:
            _, (_, size) = self._held.popitem(last=False)
            self.bytes -= size

    def resize(self, limit: int) -> None:
        """Another limit."""
        with self.lock:
            self.limit = limit
            self._trim()

    def clear(self) -> None:
        """Forget all of them; a plan that is running lives until it is done."""
        with self.lock:
            self._held.clear()
            self.bytes = 0

    def info(self) -> CacheInfo:
        """How many there are, and what they take."""
        return CacheInfo(len(self._held), self.bytes, self.limit)


PLANS = Plans(256 << 20)
TRYING = threading.RLock()  # held while an engine is loaded and tried
FFTW_RUNS = threading.Lock()  # held while FFTW plans or runs: a plan is told its arrays and then runs
_LOCKS = (TRYING, FFTW_RUNS, PLANS.lock)  # in the order in which threads take them


class _Forked:
    """Whether this process was forked: it has none of the threads that a library may have kept in its parent."""

    here = False


def _before_fork() -> None:
    """No thread is within a library, so that the child gets locks that are free and tables that are whole."""
    for lock in _LOCKS:
        lock.acquire()


def _after_fork() -> None:
    for lock in reversed(_LOCKS):
        lock.release()


def _in_child() -> None:
    _Forked.here = True
    _after_fork()


def forked() -> bool:
    """Whether this process is the child of one that had loaded this module."""
    return _Forked.here


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
