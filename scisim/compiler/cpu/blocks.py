"""Memory for large results, used again when no one holds it any more.

Fresh pages cost more than a pass over them, so the memory of a result that has been let go serves the next one of its
size.  A block is free when only the pool refers to it: every view that NumPy makes of an array holds the array that
owns its memory, so the arrays of a block all hold the one that the pool looks at.
"""

from __future__ import annotations

import math
import sys
import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

SMALLEST = 1 << 18  # bytes; below, the C library does the same
LARGEST_TOTAL = 1 << 29  # bytes that are watched over
ALIGNMENT = 64
_FREE = 4  # references to memory that no result uses: the block, its aligned part, a name, the call's argument


class _Block(NamedTuple):
    """Memory, and the part of it that begins at a line of the cache."""

    raw: np.ndarray
    part: np.ndarray


class Blocks:
    """A pool of blocks of memory."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, list[_Block]] = OrderedDict()
        self._lock = threading.Lock()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array whose contents are arbitrary, aligned to a line of the cache where it is large."""
        dtype = np.dtype(dtype)
        nbytes = math.prod(shape) * dtype.itemsize
        if nbytes < SMALLEST:
            return np.empty(shape, dtype)
        return np.ndarray(shape, dtype, self._part(nbytes))

    def _part(self, nbytes: int) -> np.ndarray:
        with self._lock:
            blocks = self._blocks.setdefault(nbytes, [])
            self._blocks.move_to_end(nbytes)
            for raw, part in blocks:
                if sys.getrefcount(raw) == _FREE:
                    return part
            self._trim(nbytes)
            raw = np.empty(nbytes + ALIGNMENT, np.uint8)
            start = -raw.ctypes.data % ALIGNMENT
            part = raw[start : start + nbytes]
            if nbytes <= LARGEST_TOTAL:
                blocks.append(_Block(raw, part))
            return part

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
