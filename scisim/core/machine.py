"""What of the machine is this process's."""

from __future__ import annotations

import ctypes
import os
import sys

from scisim.core.errors import ArgumentError

_LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")


def cores() -> int:
    """The cores that this process may use: its affinity, or less where a container limits its time."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
    except (OSError, ValueError):
        return count
    return count if quota == "max" else max(1, min(count, round(int(quota) / int(period))))


def threads(ranks: int | None = None) -> int:
    """How many threads a rank may use: SCISIM_NUM_THREADS, or its part of the cores, shared by the ranks on the node.

    Parameters
    ----------
    ranks : int, optional
        Ranks on the node; by default what the launcher says of them.

    Raises
    ------
    ArgumentError
        If SCISIM_NUM_THREADS is not a positive number.
    """
    text = os.environ.get("SCISIM_NUM_THREADS", "").strip()
    if not text:
        counts = (os.environ.get(name, "") for name in _LOCAL_RANKS)
        ranks = ranks or next((int(n) for n in counts if n.isdecimal() and int(n)), 1)
        return max(1, cores() // ranks)
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(f"SCISIM_NUM_THREADS is {text!r}; it must be a positive number of threads")
    return int(text)


_TRIM, _MMAP = (-1, 256 << 20), (-3, 32 << 20)  # parameters of glibc's mallopt (malloc.h), and bytes


def keep_memory() -> bool:
    """Let the C library keep memory that is freed, up to 256 MiB, for the next arrays; whether it does.

    By default it gives arrays of some megabytes back to the system at once, and each new one is made of pages that
    the system has to clear and map first: for a transform of 512 x 512 points that takes longer than the transform.
    Whoever sets one of glibc's variables (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_) keeps what it says.
    """
    if any(name in os.environ for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and all(mallopt(what, size) == 1 for what, size in (_TRIM, _MMAP))
