"""Checkpoints: exact resume, whole or not at all, data only, and refused with the reason where they do not fit."""

import json
import os
import pathlib
import shutil

import numpy as np
import pytest

import scisim as ss
from scisim import nn, optim, pde, train
from scisim.core.errors import ArgumentError, CheckpointError, FileError
from scisim.train import checkpoint

OPTIMIZERS = [optim.Adam(1e-2), optim.LBFGS(memory=4), optim.SSBFGS(), optim.LevenbergMarquardt(damping="diagonal")]
SAMPLERS = [pde.Uniform(), pde.ResidualAdaptive(candidates=60, every=3)]


def problem(rate=1.0, **bounds):
    return pde.Problem(pde.Domain(**bounds or {"t": (0, 1)}), lambda u: u.t + rate * u, [pde.Initial(1.0)])


def network(sizes=(1, 5, 1), seed=0):
    return nn.MLP(list(sizes), key=ss.random.key(seed))


def fit(folder=None, steps=8, model=None, optimizer=None, task=None, **options):
    options = {"points": 20, "progress": False, "checkpoint": folder, **options}
    return train.fit(task or problem(), model or network(), optimizer or optim.Adam(1e-2), steps=steps, **options)


def same(a, b):
    for (_, x), (_, y) in zip(nn.parameters(a.model), nn.parameters(b.model), strict=True):
        np.testing.assert_array_equal(x.numpy(), y.numpy())
    assert set(a.history) == set(b.history)
    for name in set(a.history) - {"time"}:
        np.testing.assert_array_equal(a.history[name], b.history[name], err_msg=name)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
@pytest.mark.parametrize("at", [4, 6])
def test_a_resumed_run_is_the_uninterrupted_one_to_the_bit(tmp_path, optimizer, sampler, at):
    options = {"optimizer": optimizer, "sampler": sampler}
    whole = fit(**options)
    fit(tmp_path, **options, callbacks=[lambda step, loss, model: step == at])
    resumed = fit(tmp_path, **options, model=network(seed=9), resume=True)  # the values come from the checkpoint
    same(whole, resumed)
    assert len(resumed.history["time"]) == 8
    assert (np.diff(resumed.history["time"]) > 0).all()


def test_a_finished_run_resumes_to_itself_or_goes_on(tmp_path):
    done = fit(tmp_path, steps=5)
    same(done, fit(tmp_path, steps=5, resume=True))
    same(fit(steps=9), fit(tmp_path, steps=9, resume=True))


def test_the_newest_are_kept_and_nothing_else(tmp_path):
    fit(train.Checkpoints(tmp_path, every=2, keep=2), steps=7)
    assert sorted(os.listdir(tmp_path)) == ["step-00000006", "step-00000007"]
    assert train.Checkpoints(tmp_path).steps() == [6, 7]


def test_auto_starts_or_goes_on(tmp_path):
    same(fit(steps=3), fit(tmp_path, steps=3, resume="auto"))
    same(fit(steps=5), fit(tmp_path, steps=5, resume="auto"))


def test_a_checkpoint_holds_data_only(tmp_path):
    fit(tmp_path, steps=2)
    kinds = {p.name if p.name in ("c", "zarr.json") else p.suffix for p in tmp_path.rglob("*") if p.is_file()}
    assert not kinds & {".pkl", ".pickle", ".npy", ".npz", ".py"}
    meta, arrays = checkpoint.read(tmp_path / "step-00000002")
    assert meta["step"] == 2
    assert meta["settings"]["seed"] == 0
    assert arrays["params/0"].shape == (1, 5)
    assert arrays["tables/0"].shape == (20, 1)


def test_a_run_that_dies_while_writing_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    folder = train.Checkpoints(tmp_path, every=2)

    def fail(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(FileError, match="No space left on device"):
        fit(
            folder,
            steps=6,
            callbacks=[lambda step, loss, model: patch.setattr(os, "replace", fail) if step == 3 else None],
        )
    assert os.listdir(tmp_path) == ["step-00000002"]
    same(fit(steps=6), fit(folder, steps=6, resume=True))


# --- what cannot be resumed -----------------------------------------------------------------------------------
def refused(tmp_path, message, **options):
    with pytest.raises(CheckpointError, match=message):
        fit(tmp_path, **{"resume": True, **options})


def test_missing_checkpoints(tmp_path):
    refused(tmp_path / "none", "no checkpoint to resume from")
    (tmp_path / "empty").mkdir()
    refused(
        tmp_path / "empty", r"no checkpoint to resume from: .*empty' has none; check the path, or start without resume"
    )


def test_a_folder_with_a_run_is_not_overwritten(tmp_path):
    fit(tmp_path, steps=3)
    refused(tmp_path, "holds a run of 3 steps already; give resume=True", resume=False)
    assert train.Checkpoints(tmp_path).steps() == [3]


def files(folder):
    return sorted(p.relative_to(folder) for p in pathlib.Path(folder).rglob("*") if p.is_file())


def test_every_file_that_is_deleted_or_cut_short_is_noticed(tmp_path):
    fit(tmp_path / "run", steps=1)
    for name in files(tmp_path / "run" / "step-00000001"):
        for damage in ("delete", "truncate", "flip"):
            copy = tmp_path / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(tmp_path / "run", copy)
            path = copy / "step-00000001" / name
            data = path.read_bytes()
            if damage == "delete":
                path.unlink()
            else:
                half = len(data) // 2
                path.write_bytes(
                    data[:half] if damage == "truncate" else data[:half] + bytes([data[half] ^ 4]) + data[half + 1 :]
                )
            if name.name == "zarr.json" and name.parts[-2] in ("arrays.zarr", "params", "state", "tables", "history"):
                continue  # descriptions of groups: without them the arrays may still be found
            if damage == "flip" and name.name in ("checkpoint.json", "zarr.json"):
                continue  # a letter of a text that may mean the same
            with pytest.raises(CheckpointError, match="cut short|is no checkpoint|there, .* here"):
                fit(copy, steps=2, resume=True)


def edit(folder, **changes):
    path = pathlib.Path(folder, "checkpoint.json")
    meta = json.loads(path.read_text())
    path.write_text(json.dumps({**meta, **changes}))


def test_other_formats_are_refused(tmp_path):
    fit(tmp_path, steps=1)
    edit(tmp_path / "step-00000001", version=7)
    refused(tmp_path, r"is of format version 7, this scisim reads version 1; load it with the scisim that wrote it")
    edit(tmp_path / "step-00000001", format="something else")
    refused(tmp_path, "is no checkpoint of scisim")
    (tmp_path / "step-00000001" / "checkpoint.json").write_text('{"format": "scisim chec')
    refused(tmp_path, "is damaged or was cut short: checkpoint.json cannot be read")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"model": network((1, 6, 1))},
            r"model is .*weight of float64\[1, 5\] there and .*weight of float64\[1, 6\] here",
        ),
        ({"model": network((1, 5, 5, 1))}, "of another run: model is"),
        ({"model": nn.MLP([1, 5, 1], key=ss.random.key(0), dtype=ss.float32)}, r"float64\[1, 5\] there and .*float32"),
        ({"model": nn.MLP([1, 5, 1], "sin", key=ss.random.key(0))}, "activation='tanh'"),
        (
            {"task": problem(rate=2.0)},
            r"term 'equation', its values of the residual is \['2\+0j'\] there and \['3\+0j'\] here",
        ),
        ({"task": problem(t=(0, 2))}, r"problem's coordinates is \{'t': \[0.0, 1.0\]\} there and"),
        ({"task": pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u)}, "terms of the problem"),
        ({"optimizer": optim.SGD(1e-2)}, "optimizer is Adam there and SGD here"),
        ({"seed": 3}, "seed is 0 there and 3 here; make them equal, or give another folder"),
        ({"points": 21}, "points is"),
        ({"sampler": pde.Sobol()}, "sampler is"),
    ],
)
def test_checkpoints_of_another_run_are_refused(tmp_path, options, message):
    fit(tmp_path, steps=1)
    refused(tmp_path, message, **options)


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write checkpoint="):
        fit(tmp_path / "file" / "run")
    for bad in ({"every": 0}, {"keep": 0}):
        with pytest.raises(ArgumentError, match="expected a positive integer"):
            train.Checkpoints(tmp_path, **bad)


# --- saved solutions ------------------------------------------------------------------------------------------
def test_a_saved_solution_is_loaded_to_the_bit(tmp_path):
    solution = fit(steps=3)
    assert solution.save(tmp_path / "solution") == str(tmp_path / "solution")
    loaded = train.load(tmp_path / "solution", problem(), network(seed=5))
    same(solution, loaded)
    np.testing.assert_array_equal(loaded([0.1, 0.2]).numpy(), solution([0.1, 0.2]).numpy())
    assert loaded.message == solution.message
    with pytest.raises(FileError, match="exists; give a new folder"):
        solution.save(tmp_path / "solution")
    with pytest.raises(CheckpointError, match=r"train.load: the checkpoint is of another run: model"):
        train.load(tmp_path / "solution", problem(), network((1, 4, 1)))
    with pytest.raises(CheckpointError, match="there is no .*nothing"):
        train.load(tmp_path / "nothing", problem(), network())
    fit(tmp_path / "run", steps=1)
    with pytest.raises(CheckpointError, match=r"is a checkpoint of a run; use fit\(..., resume=True\)"):
        train.load(tmp_path / "run" / "step-00000001", problem(), network())
