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


class _Block(NamedTuple):
    """Memory, and the part of it that begins at a line of the cache."""

    raw: np.ndarray
    part: np.ndarray

    @classmethod
    def of(cls, nbytes: int) -> _Block:
        """A new block."""
        raw = np.empty(nbytes + ALIGNMENT, np.uint8)
        start = -raw.ctypes.data % ALIGNMENT
        return cls(raw, raw[start : start + nbytes])


def _references(block: _Block) -> int:
    """How many refer to a block's memory, with the block itself and this look at it."""
    return sys.getrefcount(block.raw)


_FREE = _references(_Block.of(1))  # where no result does


class Blocks:
    """A pool of blocks of memory."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, list[_Block]] = OrderedDict()
        self._lock = threading.RLock()  # a finalizer may run within

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array whose contents are arbitrary, aligned to a line of the cache where it is large."""
        dtype = np.dtype(dtype)
        nbytes = math.prod(shape) * dtype.itemsize
        if nbytes < SMALLEST:
            return np.empty(shape, dtype)
        with self._lock:
            blocks = self._blocks.setdefault(nbytes, [])
            self._blocks.move_to_end(nbytes)
            for block in blocks:
                if _references(block) == _FREE:
                    array = np.ndarray(shape, dtype, block.part)
                    if _references(block) == _FREE + 1:  # no one else has taken it meanwhile
                        return array
            self._trim(nbytes)
            block = _Block.of(nbytes)
            if nbytes <= LARGEST_TOTAL:
                blocks.append(block)
            return np.ndarray(shape, dtype, block.part)

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
