"""How this process was started, alone or by an MPI launcher, and its place in the job."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scisim.core.errors import DistributedError
from scisim.distributed.communicator import Communicator, SerialCommunicator, world


@dataclass(frozen=True)
class Launcher:
    """What the environment says about the launcher of this process.

    `size` and `local_size` are None where the environment does not tell.
    """

    name: str
    rank: int
    size: int | None
    local_size: int | None
    variables: tuple[str, ...]

    @property
    def several(self) -> bool:
        """Whether there are surely several ranks."""
        return self.rank > 0 or (self.size or 1) > 1

    def describe(self) -> str:
        of = f" of {self.size}" if self.size else ""
        return f"rank {self.rank}{of}, started by {self.name} ({', '.join(self.variables)})"


_FAMILIES = (  # name, and the variables of rank, size and ranks on the node; the first that is found counts
    ("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"),
    ("PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"),
    ("PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", ""),
)


_RANK_PID = "SCISIM_RANK_PID"  # set by a rank, so that its child processes do not take themselves for it


def detect(env: Mapping[str, str] | None = None) -> Launcher | None:
    """The launcher of this process, or None if it was started alone.

    Slurm's srun counts only where it offers PMI or PMIx (`srun --mpi=pmi2`, `--mpi=pmix`): tasks started
    without them are independent processes. Nor does what a child process inherits from a rank.

    Examples
    --------
    >>> detect({"PMI_RANK": "1", "PMI_SIZE": "4", "HYDI_CONTROL_FD": "7"}).describe()
    "rank 1 of 4, started by MPICH's mpirun (PMI_RANK, PMI_SIZE)"
    >>> detect({}) is None
    True
    """
    env = os.environ if env is None else env
    if env.get(_RANK_PID) == str(os.getppid()):
        return None
    for name, rank, size, local in _FAMILIES:
        mine = _number(env, rank)
        if mine is not None:
            seen = tuple(v for v in (rank, size) if v in env)
            return Launcher(_full_name(name, env), mine, _number(env, size), _number(env, local), seen)
    return None


def _number(env: Mapping[str, str], name: str) -> int | None:
    text = env.get(name, "")
    return int(text) if text.isdecimal() else None


def _full_name(family: str, env: Mapping[str, str]) -> str:
    if family in ("Open MPI", "MVAPICH"):
        return f"{family}'s mpirun"
    if "I_MPI_MPIRUN" in env or "I_MPI_HYDRA_TOPOLIB" in env:
        return "Intel MPI's mpirun"
    if "HYDI_CONTROL_FD" in env or "PMI_HOSTNAME" in env:
        return "MPICH's mpirun"
    slurm = "Slurm's srun" if "SLURM_STEP_ID" in env or "SLURM_STEP_NUM_TASKS" in env else "a launcher"
    return f"{slurm} with {family}"


# --- joining the job ---
_lock = threading.Lock()
_job: Communicator | None = None


def job() -> Communicator:
    """The communicator of all ranks of the job; the first call starts MPI, if there are several."""
    global _job
    if _job is None:
        with _lock:
            if _job is None:
                _job = _join()
    return _job


def _join() -> Communicator:
    mpi = check()
    if mpi is None or mpi.COMM_WORLD.Get_size() == 1:
        return SerialCommunicator()
    from scisim.distributed import budget, failure
    from scisim.distributed.mpi import MPICommunicator

    launcher = detect()
    comm = MPICommunicator(mpi.COMM_WORLD, launcher.local_size if launcher else None)
    failure.install(comm)
    os.environ[_RANK_PID] = str(os.getpid())
    budget.limit_threads(budget.thread_budget(comm))
    return comm


def check() -> Any | None:
    """mpi4py's MPI module, started and in agreement with the launcher; None where this process runs alone.

    Raises
    ------
    DistributedError
        If several ranks were started and mpi4py is missing, cannot load its MPI, or belongs to another MPI,
        so that each of them would believe to be alone. The message says which, and what to do.
    """
    launcher = detect()
    loaded = sys.modules.get("mpi4py.MPI")
    if launcher is None or (not launcher.several and launcher.size is not None):
        return loaded if loaded is not None and loaded.Is_initialized() else None
    mpi = loaded or _load(launcher)
    if mpi is None:
        return None
    _compare_kind(launcher, mpi)
    if not mpi.Is_initialized():
        mpi.Init_thread(mpi.THREAD_MULTIPLE)
    if mpi.COMM_WORLD.Get_size() == 1 and launcher.several:
        raise _refusal(
            f"this is {launcher.describe()}, but mpi4py's MPI, {_vendor(mpi)}, found only itself: launcher "
            f"and library do not belong together, and {_copies(launcher)}. {_right_mpirun()}"
        )
    return mpi


def _load(launcher: Launcher) -> Any | None:
    """Import mpi4py without starting MPI, so that a launcher of another MPI can be explained first."""
    try:
        import mpi4py
    except ImportError as error:
        if not launcher.several:
            return None
        raise _refusal(
            f"this is {launcher.describe()}, but mpi4py is not installed, so {_copies(launcher)}. Install it "
            f'by pip install "scisim[mpi]" and start with the mpirun that comes with it '
            f"({_bin('mpirun')}), or run the program without mpirun."
        ) from error
    mpi4py.rc.initialize, mpi4py.rc.finalize = False, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # "suspicious environment": explained below
            from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise _refusal(
            f"this is {launcher.describe()}, but mpi4py cannot load its MPI library ({_reason(error)}). "
            'Install an MPI by pip install "scisim[mpi]", or load your system\'s (module load ...) and '
            "build mpi4py for it: pip install --no-binary mpi4py mpi4py."
        ) from error
    return MPI


def _compare_kind(launcher: Launcher, mpi: Any) -> None:
    """Refuse, before MPI starts, the pairs of which one is known not to understand the other."""
    vendor, open_mpi = _vendor(mpi), _vendor(mpi).startswith(("Open MPI", "Spectrum"))
    other = (
        (launcher.name.startswith("Open MPI") and not open_mpi)
        or (launcher.name.startswith(("MPICH", "Intel", "MVAPICH")) and open_mpi)
        or (
            launcher.name.endswith("PMIx")
            and vendor.startswith("MPICH")
            and "pmix" not in mpi.Get_library_version().lower()
        )
    )
    if other and not mpi.Is_initialized():
        raise _refusal(
            f"this is {launcher.describe()}, but mpi4py uses another MPI, {vendor}, which would not find the "
            f"other ranks, and {_copies(launcher)}. {_right_mpirun()}"
        )


def _refusal(text: str) -> DistributedError:
    """An error that all ranks raise alike, so that one of them need print it."""
    error = DistributedError(f"scisim.distributed: {text}")
    error.on_all_ranks = True  # type: ignore[attr-defined]
    return error


def _copies(launcher: Launcher) -> str:
    count = f"{launcher.size} copies" if launcher.size else "several copies"
    return f"{count} would each run the whole program and write the same files"


def _vendor(mpi: Any) -> str:
    name, version = mpi.get_vendor()
    return f"{name} {'.'.join(map(str, version))}"


def _bin(name: str) -> str:
    return os.path.join(sys.prefix, "bin", name)


def _right_mpirun() -> str:
    if os.path.exists(_bin("mpirun")):
        return f"Start with the mpirun beside this Python: {_bin('mpirun')} -n N python SCRIPT."
    return (
        "Start with the mpirun of that MPI, or build mpi4py for the launcher's: pip install --no-binary mpi4py mpi4py."
    )


def _reason(error: BaseException) -> str:
    return str(error).split("\n")[-1] or type(error).__name__


# --- who prints ---
def is_root() -> bool:
    """Whether this is rank 0, the one that prints, draws and writes.

    Examples
    --------
    >>> from scisim.distributed import is_root
    >>> is_root()
    True
    """
    return world().rank == 0


def root_print(*values: Any, **options: Any) -> None:
    """`print` on rank 0, and nothing on the others; it is flushed, because launchers buffer.

    Examples
    --------
    >>> from scisim.distributed import root_print
    >>> root_print("step", 3)
    step 3
    """
    if is_root():
        print(*values, **{"flush": True, **options})
