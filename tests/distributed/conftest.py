"""Starting programs under mpirun, and loading the same programs to run them on ranks that are threads."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MPIRUN = Path(sys.prefix) / "bin" / "mpirun"


@pytest.fixture
def mpirun():
    """`mpirun(n, script, *args, timeout=60, env=None, check=True)` -> CompletedProcess, with text output.

    The script is a path, or the name of a file in `programs`; `-c` takes the code as its first argument. Each
    rank has one thread for BLAS. With `check`, a return code other than 0 fails the test, which shows the
    output. When the time is over, all ranks are ended and the test fails.
    """
    return _mpirun


def _mpirun(n, script, *args, timeout=60, env=None, check=True):
    if not MPIRUN.exists():
        pytest.fail(f"there is no {MPIRUN}: install scisim[mpi]")
    if script != "-c" and not os.path.isabs(script):
        script = HERE / "programs" / script
    command = [str(MPIRUN), "-n", str(n), sys.executable, str(script), *map(str, args)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = _run(command, {**os.environ, **threads, "PYTHONPATH": path, **(env or {})}, timeout)
    if check and done.returncode != 0:
        pytest.fail(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def _run(command, env, timeout):
    process = subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)  # mpirun passes it on to its ranks
        try:
            out, err = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        pytest.fail(f"{' '.join(command)} did not end within {timeout} s\n{out}\n{err}")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.fixture
def program():
    """`program("name.py")`: a file of `programs`, as a module."""

    def load(name):
        spec = importlib.util.spec_from_file_location(
            f"scisim_test_programs.{Path(name).stem}", HERE / "programs" / name
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
