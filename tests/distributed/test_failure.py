"""A rank that fails ends the job, says who and why, and nothing hangs."""

import time

import pytest

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            "raise",
            [
                "scisim: rank 1 of 3 failed: Custom: a bug on one rank",
                "Traceback",
                ', in fail\n    raise Custom("a bug',
            ],
        ),
        ("thread", ["scisim: rank 1 of 3 failed: Custom: a bug on one rank", "Traceback"]),
        ("before world", ["scisim: rank 1 of 3 failed: Custom: a bug on one rank", "Traceback"]),
        ("exit", ["scisim: rank 1 of 3 left with exit code 7"]),
        ("exit text", ["no such file", "scisim: rank 1 of 3 left with exit code 1"]),
        ("interrupt", ["scisim: rank 1 of 3 was interrupted"]),
        ("terminate", []),
    ],
)
@pytest.mark.parametrize("ranks", [3])
def test_a_failing_rank_ends_the_job(mpirun, ranks, how, words):
    start = time.monotonic()
    done = mpirun(ranks, "failing.py", how, check=False, timeout=30)
    assert time.monotonic() - start < 15
    assert done.returncode != 0
    text = done.stdout + done.stderr
    assert all(word in text for word in words), text
    assert "ends" not in done.stdout


def test_exit_codes_reach_the_shell(mpirun):
    assert mpirun(2, "failing.py", "exit", check=False).returncode == 7
    assert mpirun(2, "failing.py", "interrupt", check=False).returncode == 130


def test_a_job_in_order_ends_in_order(mpirun):
    code = """
import sys
from scisim.distributed import world
world().barrier()
try:
    sys.exit(3)                     # caught: not the end
except SystemExit as error:
    assert error.code == 3
sys.exit(0)
"""
    done = mpirun(2, "-c", code)
    assert done.stderr == ""


def test_handlers_of_the_program_stay(mpirun):
    code = """
import signal, sys
def handler(number, frame): print("handled" * (number == 15))
signal.signal(signal.SIGTERM, handler)
def hook(kind, error, trace): print("the program's own hook:", error, file=sys.stderr)
sys.excepthook = hook
from scisim.distributed import world
rank = world().rank
assert signal.getsignal(signal.SIGTERM) is handler
signal.raise_signal(signal.SIGTERM)
world().barrier()
if rank == 1:
    raise ValueError("oh")
world().barrier()
"""
    done = mpirun(2, "-c", code, check=False)
    assert done.returncode != 0
    assert done.stdout.count("handled") == 2
    assert "the program's own hook: oh" in done.stderr
    assert "scisim: rank 1 of 2 failed: ValueError: oh" in done.stderr


def test_a_child_process_of_a_rank_is_no_rank(mpirun):
    code = """
import subprocess, sys
from scisim.distributed import world
comm = world()
child = "from scisim.distributed import world; print(world()); 1 / 0"
done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True)
assert done.stdout == "<SerialCommunicator rank 0 of 1>\\n", done
assert "ZeroDivisionError" in done.stderr and "scisim: rank" not in done.stderr
comm.barrier()
"""
    mpirun(2, "-c", code)
