"""Memory for large results, used again when no one holds it any more.

Fresh pages cost more than a pass over them, so the memory of a result that has been let go serves the next one of its
size.  A block is free when only the pool refers to it: every view that NumPy makes of an array holds the array that
owns its memory.
"""

from __future__ import annotations

import math
import sys
import threading
from collections import OrderedDict
from typing import Any

import numpy as np

SMALLEST = 1 << 18  # bytes; below, the C library does the same
LARGEST_TOTAL = 1 << 29  # bytes that are watched over
ALIGNMENT = 64
_FREE = 3  # references to a block that no array uses: the list, the name that looks at it, the call's argument


class Blocks:
    """A pool of blocks of memory."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, list[np.ndarray]] = OrderedDict()
        self._lock = threading.Lock()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array whose contents are arbitrary, aligned to a line of the cache where it is large."""
        dtype = np.dtype(dtype)
        nbytes = math.prod(shape) * dtype.itemsize
        if nbytes < SMALLEST:
            return np.empty(shape, dtype)
        raw = self._block(nbytes)
        start = -raw.ctypes.data % ALIGNMENT
        return raw[start : start + nbytes].view(dtype).reshape(shape)

    def _block(self, nbytes: int) -> np.ndarray:
        with self._lock:
            blocks = self._blocks.setdefault(nbytes, [])
            self._blocks.move_to_end(nbytes)
            for raw in blocks:
                if sys.getrefcount(raw) == _FREE:
                    return raw
            self._trim(nbytes)
            raw = np.empty(nbytes + ALIGNMENT, np.uint8)
            if nbytes <= LARGEST_TOTAL:
                blocks.append(raw)
            return raw

    def _trim(self, more: int) -> None:
        """Stop watching over blocks, those of sizes long unused first, so that so many bytes more are within limits."""
        total = more + sum(size * len(blocks) for size, blocks in self._blocks.items())
        for size in list(self._blocks):
            blocks = self._blocks[size]
            while total > LARGEST_TOTAL and blocks:
                blocks.pop(0)
                total -= size
            if not blocks and size != more:
                del self._blocks[size]


def aligned(nbytes: int) -> np.ndarray:
    """Bytes that start on a line of the cache."""
    raw = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + nbytes]


POOL = Blocks()
