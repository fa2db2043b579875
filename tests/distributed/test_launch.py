"""How the process was started is recognised, and what cannot work is explained."""

import os
import subprocess
import sys

import pytest

from scisim.core import machine
from scisim.core.errors import ArgumentError
from scisim.distributed import budget, is_root, launch, local_ranks, root_print, run_ranks, thread_budget

HYDRA = {"PMI_RANK": "1", "PMI_SIZE": "4", "MPI_LOCALNRANKS": "2", "HYDI_CONTROL_FD": "7"}


@pytest.mark.parametrize(
    ("env", "name", "facts"),
    [
        (HYDRA, "MPICH's mpirun", (1, 4, 2)),
        ({"PMI_RANK": "0", "PMI_SIZE": "2", "I_MPI_MPIRUN": "mpirun"}, "Intel MPI's mpirun", (0, 2, None)),
        (
            {
                "OMPI_COMM_WORLD_RANK": "2",
                "OMPI_COMM_WORLD_SIZE": "8",
                "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
                "PMIX_RANK": "2",
            },
            "Open MPI's mpirun",
            (2, 8, 4),
        ),
        ({"MV2_COMM_WORLD_RANK": "0", "MV2_COMM_WORLD_SIZE": "2"}, "MVAPICH's mpirun", (0, 2, None)),
        ({"PMIX_RANK": "3", "SLURM_STEP_NUM_TASKS": "6"}, "Slurm's srun with PMIx", (3, 6, None)),
        ({"PMI_RANK": "3", "PMI_SIZE": "6", "SLURM_STEP_ID": "0"}, "Slurm's srun with PMI", (3, 6, None)),
        ({"PMIX_RANK": "1"}, "a launcher with PMIx", (1, None, None)),
    ],
)
def test_launchers(env, name, facts):
    found = launch.detect(env)
    assert found.name == name
    assert (found.rank, found.size, found.local_size) == facts


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"PMI_RANK": ""},
        {"SLURM_NTASKS": "64", "SLURM_PROCID": "0"},  # a batch script, not yet srun
        {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"},  # srun --mpi=none: independent tasks
    ],
)
def test_no_launcher(env):
    assert launch.detect(env) is None


def run(code, **env):
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stderr


WORLD = "from scisim.distributed import world; print(world())"
BLOCKED = "import sys; sys.modules['mpi4py'] = None\n" + WORLD


@pytest.mark.mpi
def test_mpirun_without_mpi4py(mpirun):
    done = mpirun(3, "-c", BLOCKED, check=False, timeout=30)
    assert done.returncode != 0
    assert done.stdout == ""
    assert (
        done.stderr.count("DistributedError: scisim.distributed: this is rank 0 of 3, started by MPICH's mpirun") == 1
    )
    assert (
        "but mpi4py is not installed, so 3 copies would each run the whole program and write the same files"
        in done.stderr
    )
    assert 'pip install "scisim[mpi]"' in done.stderr


@pytest.mark.mpi
def test_launcher_of_another_mpi():
    code, text = run(WORLD, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
    assert code != 0
    assert "DistributedError" in text
    assert "rank 0 of 2, started by Open MPI's mpirun" in text
    assert "mpi4py uses another MPI, MPICH" in text
    assert f"Start with the mpirun beside this Python: {sys.prefix}/bin/mpirun" in text
    assert "suspicious" not in text


@pytest.mark.mpi
def test_launcher_with_pmix_is_explained_before_mpi_aborts():
    code, text = run(WORLD, PMIX_RANK="0", SLURM_STEP_NUM_TASKS="2")
    assert code == 1
    assert "rank 0 of 2, started by Slurm's srun with PMIx" in text
    assert "mpi4py uses another MPI, MPICH" in text


@pytest.mark.mpi
def test_ranks_that_do_not_find_each_other():
    code, text = run(WORLD, PMI_RANK="0", PMI_SIZE="2")
    assert code != 0
    assert "rank 0 of 2, started by a launcher with PMI" in text
    assert "MPICH" in text
    assert "found only itself" in text
    assert "2 copies would each run the whole program" in text


@pytest.mark.mpi
def test_mpi_library_is_missing(mpirun):
    done = mpirun(2, "-c", WORLD, check=False, env={"MPI4PY_LIBMPI": "/nowhere/libmpi.so"})
    assert done.returncode != 0
    assert "mpi4py cannot load its MPI library (/nowhere/libmpi.so: cannot open shared object file" in done.stderr
    assert done.stderr.count("DistributedError") == 1


@pytest.mark.mpi
def test_only_rank_0_prints(mpirun):
    code = "from scisim.distributed import root_print, is_root, world; root_print('rank', world().rank, sep='-')"
    assert mpirun(3, "-c", code).stdout == "rank-0\n"


@pytest.mark.mpi
def test_ranks_share_the_cores(mpirun, monkeypatch):
    for name in budget._THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    code = """
import os, numpy
from scisim.core import machine
from scisim.distributed import thread_budget, world
os.sched_getaffinity = lambda pid: set(range(8))
machine.open = lambda name: (_ for _ in ()).throw(FileNotFoundError(name))
world()
import threadpoolctl
pools = {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}
told = [thread_budget(), os.environ["OMP_NUM_THREADS"], max(pools)]
told = world().gather_objects(told)
if world().rank == 0: print(told)
"""
    free = {"OMP_NUM_THREADS": "", "OPENBLAS_NUM_THREADS": "", "MKL_NUM_THREADS": ""}
    code = "import os\nfor v in list(os.environ):\n    if v.endswith('_NUM_THREADS'): del os.environ[v]\n" + code
    assert mpirun(3, "-c", code, env=free).stdout == "[[2, '2', 2], [2, '2', 2], [2, '2', 2]]\n"


def test_thread_budget(monkeypatch):
    monkeypatch.delenv("SCISIM_NUM_THREADS", raising=False)
    monkeypatch.setattr(machine, "cores", lambda: 6)
    assert thread_budget() == 6
    assert run_ranks(4, lambda comm: thread_budget()) == [1] * 4
    assert run_ranks(3, lambda comm: thread_budget()) == [2] * 3
    assert run_ranks(8, lambda comm: thread_budget()) == [1] * 8
    monkeypatch.setenv("SCISIM_NUM_THREADS", "5")
    assert thread_budget() == 5
    for text in ("0", "-1", "many", "1.5"):
        monkeypatch.setenv("SCISIM_NUM_THREADS", text)
        with pytest.raises(ArgumentError, match=f"SCISIM_NUM_THREADS is '{text}'"):
            thread_budget()


@pytest.mark.parametrize(
    ("quota", "count"), [("max 100000", 8), ("250000 100000", 2), ("1000 100000", 1), ("nonsense", 8)]
)
def test_cores_of_a_container(monkeypatch, tmp_path, quota, count):
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(machine, "open", lambda name: (tmp_path / "cpu.max").open(), raising=False)
    assert machine.cores() == count


def test_choices_of_the_user_stay(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    budget.limit_threads(1)
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_root_prints(capsys):
    def main(comm):
        root_print("of", comm.size, end="!")
        return is_root(), local_ranks()

    assert run_ranks(2, main) == [(True, 2), (False, 2)]
    assert capsys.readouterr().out == "of 2!"
