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
from scisim.core.errors import ArgumentError
from scisim.core.machine import cores

_SPIN_NS = 40_000
_LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")


def threads() -> int:
    """How many threads programs run on: SCISIM_NUM_THREADS, or this rank's part of the cores.

    Raises
    ------
    ArgumentError
        If SCISIM_NUM_THREADS is not a positive number.
    """
    text = os.environ.get("SCISIM_NUM_THREADS", "").strip()
    if not text:
        counts = (os.environ.get(name, "") for name in _LOCAL_RANKS)
        ranks = next((int(n) for n in counts if n.isdecimal() and int(n)), 1)
        return max(1, cores() // ranks)
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(f"SCISIM_NUM_THREADS is {text!r}; it must be a positive number of threads")
    return int(text)


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
