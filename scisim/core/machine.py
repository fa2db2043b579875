"""What of the machine is this process's."""

from __future__ import annotations

import os

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
