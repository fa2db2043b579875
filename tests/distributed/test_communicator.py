"""Collectives mean the same over MPI, between threads, and in one process."""

import numpy as np
import pytest

from scisim.core.errors import ArgumentError, DistributedError
from scisim.distributed import SerialCommunicator, run_ranks, using, world


def test_one_process(program):
    checks = program("collectives.py")
    assert checks.main(SerialCommunicator()) == len(checks.CHECKS)


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_threads(program, ranks):
    checks = program("collectives.py")
    assert run_ranks(ranks, checks.main) == [len(checks.CHECKS)] * ranks


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_mpi(mpirun, ranks):
    out = mpirun(ranks, "collectives.py", *(["mpi"] if ranks == 1 else [])).stdout
    assert out.startswith(f"<MPICommunicator rank 0 of {ranks}>: ")
    assert out.count("checks hold") == 1


@pytest.mark.mpi
def test_one_rank_under_mpirun_needs_no_mpi(mpirun):
    code = "import sys; sys.modules['mpi4py'] = None\nfrom scisim.distributed import world; print(world())"
    assert mpirun(1, "-c", code).stdout == "<SerialCommunicator rank 0 of 1>\n"


def test_a_process_alone_loads_no_mpi():
    import subprocess
    import sys

    code = "import sys; from scisim.distributed import world; print(world().size, 'mpi4py' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 False\n"


def test_world_is_the_one_in_use():
    before = world()
    with using(SerialCommunicator()) as outer:
        with using(SerialCommunicator()) as inner:
            assert world() is inner
        assert world() is outer
    assert world() is before
    assert run_ranks(3, lambda comm: world() is comm) == [True] * 3


def test_sums_over_ranks_are_deterministic():
    values = np.random.default_rng(0).normal(size=(5, 1000)) * 10.0 ** np.arange(-2, 3)[:, None]
    one, two = (run_ranks(5, lambda comm: comm.all_reduce(values[comm.rank])) for _ in range(2))
    assert all(np.array_equal(a, one[0]) for a in (*one, *two))


def test_results_are_not_shared_between_ranks():
    def change(comm):
        x = comm.broadcast(np.zeros(3)) + comm.all_reduce(np.zeros(3))
        y = comm.all_gather(np.zeros(1))
        comm.barrier()
        for result in (x, y):
            result += comm.rank
        comm.barrier()
        return x[0] == comm.rank and y[0] == comm.rank

    assert run_ranks(4, change) == [True] * 4


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda c: c.all_reduce(np.ones(2)) if c.rank else c.all_gather(np.ones(2)),
            ["rank 0: all_gather", "rank 1: all_reduce"],
        ),
        (
            lambda c: c.all_reduce(np.ones(3 if c.rank == 2 else 2)),
            ["rank 0: all_reduce(float64[2]", "rank 2: all_reduce(float64[3]"],
        ),
        (
            lambda c: c.all_reduce(np.ones(2, "f4" if c.rank else "f8")),
            ["float64[2], 'sum')", "rank 1: all_reduce(float32[2]"],
        ),
        (lambda c: c.all_reduce(np.ones(2), "max" if c.rank else "sum"), ["'sum'", "'max'"]),
        (lambda c: c.broadcast(np.ones(2), c.rank), ["root=0", "root=1"]),
        (lambda c: c.barrier() if c.rank else c.split(0), ["rank 0: split", "rank 1: barrier"]),
        (
            lambda c: c.all_gather(np.ones((2, 2 + c.rank))),
            ["rank 0 has float64[2, 2]", "rank 1 has float64[2, 3]"],
        ),
    ],
)
def test_threads_name_different_calls(call, words):
    seen = []

    def main(comm):
        try:
            call(comm)
        except DistributedError as error:
            seen.append(str(error))
            raise

    with pytest.raises(DistributedError) as caught:
        run_ranks(3, main)
    assert seen == [str(caught.value)] * 3
    assert all(word in seen[0] for word in words), seen[0]


def test_a_failing_thread_frees_the_others():
    def main(comm):
        for k in range(4):
            if comm.rank == 1 and k == 2:
                raise KeyError("a bug on one rank")
            comm.all_reduce(np.ones(2))

    with pytest.raises(KeyError, match="a bug on one rank") as caught:
        run_ranks(3, main)
    assert caught.value.__notes__ == ["raised on rank 1 of 3"]


def test_a_rank_that_returns_early_is_named():
    def main(comm):
        if comm.rank != 1:
            comm.all_reduce(np.ones(2))

    with pytest.raises(
        DistributedError, match=r"rank 0 waits in all_reduce\(float64\[2\], 'sum'\); rank 1 has returned"
    ):
        run_ranks(3, main)


def test_ranks_that_wait_in_different_groups_are_named():
    def main(comm):
        pair = comm.split(0)
        (comm if comm.rank else pair).barrier()

    with pytest.raises(DistributedError, match="wait for each other: rank 0 waits in barrier"):
        run_ranks(2, main)


def test_messages_of_another_shape_than_expected_are_refused():
    def main(comm):
        other = 1 - comm.rank
        comm.exchange({other: np.ones(3)}, {other: (4,)}, np.dtype(float))

    with pytest.raises(DistributedError, match=r"exchange: rank \d expects"):
        run_ranks(2, main)


def test_no_ranks():
    with pytest.raises(ArgumentError, match="n is 0"):
        run_ranks(0, lambda comm: None)
