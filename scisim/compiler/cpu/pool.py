"""The one pool of native threads of this process.

A worker that has nothing to do looks for work for some microseconds and then sleeps.  Its thread never runs Python.
The caller, once it has run its own share, takes those that no worker has begun: one may be asleep, or without a core.
Where the pool is busy with another program it runs all of them.  The split into shares, and so every rounding,
depends on the number of threads alone.
"""

from __future__ import annotations

import atexit
import ctypes
import os

import numpy as np

from scisim.compiler.cpu.once import once
from scisim.compiler.cpu.records import POOL, WORKER
from scisim.core.machine import threads

_SPIN_NS = 40_000


class Pool:
    """The block of words that the threads share.

    Parameters
    ----------
    count : int
        Threads, the calling one among them; the others start with the first parallel region.
    """

    def __init__(self, count: int) -> None:
        self.threads = count
        self.words = np.zeros(POOL.size + WORKER.size * count + 16, np.int64)
        self.address = -(-self.words.ctypes.data // 128) * 128
        self.reset()

    def reset(self) -> None:
        """As new, with no threads: for a process that was forked, where they do not exist."""
        self.words[:] = 0
        start = (self.address - self.words.ctypes.data) // 8
        self.words[start + POOL.place["threads"]] = self.threads
        self.words[start + POOL.place["spin"]] = _SPIN_NS


@once
def pool() -> Pool:
    """The pool of this process."""
    made = Pool(threads())
    os.register_at_fork(after_in_child=made.reset)
    return made


def stop_at_exit(address: int) -> None:
    """Have the workers end before the interpreter does, by native code at an address."""
    stop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
    atexit.register(lambda: stop(pool().address) if pool.cache_info().currsize else None)
