"""What of the machine is this process's."""

from __future__ import annotations

import os


def cores() -> int:
    """The cores that this process may use: its affinity, or less where a container limits its time."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
    except (OSError, ValueError):
        return count
    return count if quota == "max" else max(1, min(count, round(int(quota) / int(period))))
