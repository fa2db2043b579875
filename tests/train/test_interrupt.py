"""SIGTERM and Ctrl-C end a run after the step it is in, with a checkpoint from which it goes on exactly."""

import importlib.util
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

from scisim import train

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE / "programs" / "long.py"
ROOT = HERE.parents[1]


def start(*command, shell=None):
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        list(map(str, command)),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    line = process.stdout.readline()
    if line != "begun\n":
        process.kill()
        pytest.fail(f"it did not begin: {line}{process.communicate()[1]}")
    return process


def end(process, number):
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"it did not end: {process.communicate()}")
    assert "the end" not in out
    return process.returncode, err


def long_run():
    spec = importlib.util.spec_from_file_location("scisim_test_long", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run


def check_resume(folder, exact):
    """The checkpoint goes on as a run that was never interrupted."""
    (step,) = train.Checkpoints(folder).steps()[-1:]
    whole = long_run()(None, step + 5, callbacks=[])
    resumed = long_run()(folder, step + 5, callbacks=[], resume=True)
    assert len(resumed.history["loss"]) == step + 5
    if exact:
        np.testing.assert_array_equal(resumed.history["loss"], whole.history["loss"])
    else:  # sums over ranks are rounded otherwise
        np.testing.assert_allclose(resumed.history["loss"], whole.history["loss"], rtol=1e-6)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_signal_leaves_a_checkpoint(tmp_path, number, code):
    returned, err = end(start(sys.executable, PROGRAM, tmp_path, 10**6), number)
    assert returned == code
    assert f"scisim: {signal.Signals(number).name} ended the training after step" in err
    assert f"the checkpoint {tmp_path}" in err
    assert "goes on from here: resume=True" in err
    check_resume(tmp_path, exact=True)


def test_without_a_folder_it_says_that_nothing_was_saved():
    returned, err = end(start(sys.executable, PROGRAM, "-", 10**6), signal.SIGTERM)
    assert returned == 143
    assert "nothing was saved; give checkpoint=FOLDER to be able to resume" in err


@pytest.mark.mpi
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_mpirun_leaves_a_checkpoint(tmp_path, number):
    mpirun = pathlib.Path(sys.prefix) / "bin" / "mpirun"
    returned, err = end(start(mpirun, "-n", 2, sys.executable, PROGRAM, tmp_path, 10**6), number)
    assert returned != 0
    assert err.count(f"scisim: {signal.Signals(number).name} ended the training after step") == 1
    check_resume(tmp_path, exact=False)


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    long_run()(None, 2, callbacks=[])
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before
