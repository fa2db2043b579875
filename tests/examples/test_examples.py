"""The examples run as their text says, and say what is wrong before any work."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MPIRUN = pathlib.Path(sys.prefix) / "bin" / "mpirun"
ENV = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def run(script, *args, ranks=None, cwd=None, timeout=60, check=True):
    launcher = [] if ranks is None else [MPIRUN, "-n", ranks]
    command = list(map(str, [*launcher, sys.executable, EXAMPLES / script, *args]))
    done = subprocess.run(command, env=ENV, cwd=cwd, capture_output=True, text=True, timeout=timeout)
    assert not check or done.returncode == 0, done.stderr
    return done


def result(done):
    """The error and the picture that the last two lines name."""
    error, picture = done.stdout.splitlines()[-2:]
    assert re.fullmatch(r"relative L2 error: \d\.\de[+-]\d\d", error)
    assert picture.startswith("picture: ")
    return float(error.split()[-1]), pathlib.Path(picture.removeprefix("picture: "))


@pytest.mark.parametrize("script", ["burgers.py", "any_order.py", "complex_fft.py", "schroedinger.py"])
def test_help(script):
    text = run(script, "--help").stdout
    assert text.startswith(f"usage: {script}")
    assert "(default:" in text


# --- Burgers --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpi)])
def test_burgers_trains_and_draws(tmp_path, ranks):
    done = run("burgers.py", "--steps", 25, "--points", 300, "--out", "pictures", ranks=ranks, cwd=tmp_path)
    error, picture = result(done)
    assert error < 0.5  # of 1 for u = 0; the front has begun to form
    assert (tmp_path / picture).read_bytes()[:4] == b"\x89PNG"
    assert done.stdout.count("picture:") == 1
    assert "25/25" in done.stderr


def test_burgers_resumes_to_the_same_result(tmp_path):
    options = ["--points", 150, "--out", tmp_path, "--seed", 3]
    whole = result(run("burgers.py", "--steps", 12, *options))
    run("burgers.py", "--steps", 7, "--checkpoint", tmp_path / "run", *options)
    assert result(run("burgers.py", "--steps", 12, "--checkpoint", tmp_path / "run", "--resume", *options)) == whole


def test_burgers_says_what_is_missing_before_it_trains(tmp_path):
    (tmp_path / "file").write_text("")
    done = run("burgers.py", "--out", tmp_path / "file" / "out", check=False)
    assert done.returncode == 1
    assert "FileError: burgers.py: cannot make the folder --out" in done.stderr
    assert "step" not in done.stderr.split("File")[-1]
    script = shutil.copy(EXAMPLES / "burgers.py", tmp_path / "burgers.py")
    done = run(script, "--out", tmp_path / "out", check=False)
    assert "FileError: io.read_npz: cannot find path=" in done.stderr
    assert not (tmp_path / "out").exists()
    done = run("burgers.py", "--out", tmp_path, "--resume", check=False)
    assert "--resume needs --checkpoint DIR" in done.stderr
    done = run("burgers.py", "--out", tmp_path, "--steps", "-3", check=False)
    assert "steps and points must be at least 1" in done.stderr


@pytest.mark.mpi
@pytest.mark.slow
def test_burgers_on_two_ranks_reaches_five_e_minus_four(tmp_path):
    error, _ = result(run("burgers.py", "--out", tmp_path, ranks=2, timeout=600))
    assert error <= 5e-4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_burgers_reaches_one_e_minus_three_from_every_seed(tmp_path, seed):
    error, _ = result(run("burgers.py", "--seed", seed, "--out", tmp_path, timeout=600))
    assert error <= 1e-3


# --- the others -----------------------------------------------------------------------------------------------
def test_any_order_agrees_with_closed_forms():
    lines = run("any_order.py").stdout.splitlines()
    assert len(lines) == 2 + 9 + 2 + 11 + 1
    assert float(lines[-1].removeprefix("largest relative error: ")) < 1e-13
    assert run("any_order.py", "--order", 3, "--at", 2.5).stdout.splitlines()[-1].startswith("largest")
    assert "the order must be from 0 to 100" in run("any_order.py", "--order", -1, check=False).stderr


def test_complex_fft_differentiates_and_recovers_phases():
    spectral, gradient, *steps, phases = run("complex_fft.py").stdout.splitlines()
    assert float(spectral.split()[-1]) < 1e-12
    assert float(gradient.split()[-1]) < 1e-14
    assert [line.split(":")[0].strip() for line in steps] == [
        "step   0",
        "step  10",
        "step  20",
        "step  40",
        "step  60",
    ]
    assert float(phases.split()[-2]) < 1e-9
    assert "must be at least 1" in run("complex_fft.py", "--modes", 0, check=False).stderr


# --- Schroedinger ---------------------------------------------------------------------------------------------
@pytest.mark.mpi
def test_schroedinger_trains_resumes_on_two_ranks_and_draws(tmp_path):
    options = ["--points", 200, "--out", "pictures", "--checkpoint", "run"]
    run("schroedinger.py", "--steps", 15, *options, cwd=tmp_path)
    done = run("schroedinger.py", "--steps", 20, "--resume", *options, ranks=2, cwd=tmp_path)
    error, picture = result(done)
    assert error < 0.3  # of 1 for u = 0
    assert (tmp_path / picture).read_bytes()[:4] == b"\x89PNG"
    assert done.stdout.count("picture:") == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_schroedinger_finds_the_packet(tmp_path, seed):
    error, _ = result(run("schroedinger.py", "--seed", seed, "--out", tmp_path, timeout=600))
    assert error < 1e-3


@pytest.mark.parametrize(
    ("script", "options", "message"),
    [
        ("schroedinger.py", ["--steps", 0], "steps and points must be at least 1"),
        ("schroedinger.py", ["--resume"], "--resume needs --checkpoint DIR"),
        ("burgers.py", ["--steps", 0], "steps and points must be at least 1"),
        ("burgers.py", ["--points", 0], "steps and points must be at least 1"),
        ("burgers.py", ["--seed", -1], "the seed at least 0"),
        ("burgers.py", ["--resume"], "--resume needs --checkpoint DIR"),
        ("any_order.py", ["--order", 101], "from 0 to 100"),
        ("any_order.py", ["--at", "nan"], "the point from above -1"),
        ("any_order.py", ["--at", 1e308], "to 100"),
        ("complex_fft.py", ["--seed", -1], "steps and seed at least 0"),
    ],
)
def test_options_out_of_range_are_errors_of_the_command_line(script, options, message):
    done = run(script, *options, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_closed_forms_hold_where_derivatives_are_zero():
    assert float(run("any_order.py", "--at", 0).stdout.splitlines()[-1].split()[-1]) < 1e-14


@pytest.mark.mpi
@pytest.mark.parametrize(("script", "options"), [("any_order.py", ["--order", 1]), ("complex_fft.py", ["--steps", 1])])
def test_one_of_several_ranks_prints(script, options):
    alone, ranks = (run(script, *options, ranks=n).stdout.splitlines() for n in (None, 3))
    assert len(ranks) == len(alone)
