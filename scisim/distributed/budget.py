"""How many threads a rank may use: the ranks on a node share its cores."""

from __future__ import annotations

import os
import sys

from scisim.core.machine import threads
from scisim.distributed.communicator import Communicator, world


def local_ranks() -> int:
    """How many ranks of the job run on this node."""
    return world().local_size


def thread_budget(comm: Communicator | None = None) -> int:
    """How many threads this rank should use: its cores, shared by the ranks on the node; at least 1.

    The environment variable SCISIM_NUM_THREADS overrides it.

    Raises
    ------
    ArgumentError
        If SCISIM_NUM_THREADS is not a positive number.
    """
    return threads((comm or world()).local_size)


_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def limit_threads(count: int) -> None:
    """Hold BLAS and OpenMP to `count` threads, unless the user has chosen a number by one of their variables.

    Libraries that load later read the variables; those that are loaded already need threadpoolctl, where it
    is installed.
    """
    if any(v in os.environ for v in _THREAD_VARIABLES):
        return
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(count)))
    if "numba" not in sys.modules:  # afterwards Numba refuses a change
        os.environ.setdefault("NUMBA_NUM_THREADS", str(count))
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ImportError:
        return
    threadpool_limits(count)
