"""What does not fit is refused with a name; what is careless but clear works."""

import json
import pathlib

import numpy as np
import pytest

import scisim as ss
from scisim import distributed as dist
from scisim import nn, optim, pde, plot, train
from scisim.core.errors import ScisimError
from scisim.train.lock import FolderLock

KEY = ss.random.key(0)
PROBLEM = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, [pde.Initial(1.0)])


def network():
    return nn.MLP([1, 4, 1], key=KEY)


def fit(steps=3, **options):
    model, opt = options.pop("model", None) or network(), options.pop("optimizer", None) or optim.Adam(1e-2)
    return train.fit(PROBLEM, model, opt, **{"steps": steps, "points": 10, "progress": False, **options})


SOLUTION = fit()


@pytest.mark.parametrize(
    ("call", "builtin", "message"),
    [
        (lambda: fit(callbacks=print), TypeError, r"callbacks=\[f\]"),
        (lambda: fit(callbacks=None), TypeError, "callbacks is None"),
        (lambda: fit(weights=3), TypeError, "weights is 3"),
        (lambda: fit(model=nn.MLP), TypeError, "model is the class MLP"),
        (lambda: SOLUTION(x=1.0), ValueError, "0 coordinates and x; expected one array for each of t"),
        (lambda: SOLUTION(1j), TypeError, "the coordinate t is complex128"),
        (lambda: SOLUTION.error(3), TypeError, "reference is a int"),
        (lambda: SOLUTION.error({"t": ["a"], "u": [1.0]}), TypeError, "the reference's t has dtype"),
        (lambda: SOLUTION.error({"t": [0.0], "u": [0.0]}), ValueError, "the norm of the reference is 0"),
        (lambda: SOLUTION.error({"t": [0.0], "u": [np.nan]}), ValueError, "the norm of the reference is nan"),
        (lambda: SOLUTION.save(None), TypeError, "Solution.save: path is None"),
        (lambda: train.load(None, PROBLEM, network()), TypeError, "train.load: path is None"),
        (lambda: train.load("x", network(), PROBLEM), TypeError, "problem is a MLP, model a Problem"),
        (lambda: plot.history(SOLUTION, "x.png"), TypeError, "such as solution.history"),
    ],
)
def test_refused_with_a_name(call, builtin, message):
    with pytest.raises(builtin, match=message) as caught:
        call()
    assert isinstance(caught.value, ScisimError)


def test_integers_of_numpy_and_coordinates_by_name():
    assert len(fit(np.int64(2), points=np.int64(5)).history["loss"]) == 2
    assert float(SOLUTION(t=0.5)) == float(SOLUTION(0.5))


@pytest.mark.parametrize("layer", [nn.BatchNorm(4), nn.Dropout(0.5)])
def test_layers_that_are_no_function_of_a_point_are_refused_in_training_mode(layer):
    one, two = ss.random.split(KEY)
    model = nn.Sequential([nn.Linear(1, 4, key=one), layer, "tanh", nn.Linear(4, 1, key=two)])
    with pytest.raises(ValueError, match=rf"{type(layer).__name__} is in training mode.*nn.eval\(model\)"):
        fit(model=model)
    assert np.isfinite(fit(model=nn.eval(model)).history["loss"]).all()


@pytest.mark.parametrize("yes", [True, np.True_, ss.asarray(True)])
def test_a_callback_ends_the_training_with_any_true_truth_value(yes):
    solution = fit(callbacks=[lambda step, loss, model: yes if step == 2 else None])
    assert len(solution.history["loss"]) == 2
    assert solution.message == "a callback ended the training after step 2"


def test_a_resume_of_enough_steps_says_that_nothing_was_left_to_do(tmp_path):
    fit(6, checkpoint=tmp_path)
    solution = fit(2, checkpoint=tmp_path, resume=True)
    assert solution.message.startswith("nothing was left to do: the checkpoint is of step 6, and steps=2")


# --- checkpoints -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("part", ["step", "settings", "block", "problem", "model", "scisim", "arrays"])
def test_a_description_that_was_changed_is_refused(tmp_path, part):
    fit(2, checkpoint=tmp_path)
    path = tmp_path / "step-00000002" / "checkpoint.json"
    meta = json.loads(path.read_text())
    meta[part] = {}
    path.write_text(json.dumps(meta))
    with pytest.raises(OSError, match=r"checkpoint\.json is not what was written"):
        fit(4, checkpoint=tmp_path, resume=True)


def test_a_checkpoint_of_another_name_and_files_of_its_name(tmp_path):
    fit(2, checkpoint=tmp_path)
    (tmp_path / "step-00000009").write_text("no folder")
    assert len(fit(3, checkpoint=tmp_path, resume=True).history["loss"]) == 3
    (tmp_path / "step-00000003").rename(tmp_path / "step-00000005")
    with pytest.raises(OSError, match="holds step 3; give it its name back"):
        fit(6, checkpoint=tmp_path, resume=True)


def test_two_runs_into_one_folder(tmp_path):
    lock = FolderLock(str(tmp_path))
    with pytest.raises(OSError, match="another run is writing its checkpoints"):
        fit(checkpoint=tmp_path)
    lock.release()
    with pytest.raises(ZeroDivisionError):
        fit(checkpoint=tmp_path, callbacks=[lambda *a: 1 / 0])
    fit(checkpoint=tmp_path)  # the lock went with the run that failed


# --- many ranks ------------------------------------------------------------------------------------------------
def test_one_rank_ends_the_training_of_all():
    def run(comm):
        return fit(9, callbacks=[lambda step, loss, model: comm.rank == 1 and step == 2]).message

    assert dist.run_ranks(3, run) == ["a callback ended the training after step 2"] * 3


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("steps", lambda r: {"steps": 3 + r}),
        ("seed", lambda r: {"seed": r}),
        ("points", lambda r: {"points": 10 + r}),
        ("model", lambda r: {"model": nn.MLP([1, 4, 1], key=ss.random.key(r))}),
        ("sampler", lambda r: {"sampler": ["uniform", "sobol"][r]}),
        ("checkpoint", lambda r: {"checkpoint": "never-made" if r else None}),
    ],
)
def test_ranks_that_differ_are_refused_on_all(name, options):
    def run(comm):
        with pytest.raises(RuntimeError, match=f"fit: {name} is .* on rank 0 and .* on rank 1"):
            fit(**options(comm.rank))
        return True

    assert dist.run_ranks(2, run) == [True, True]
    assert not pathlib.Path("never-made").exists()


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("leave", "code"), [("sys.exit(0)", 0), ("sys.exit(3)", 3), ("exec('raise SystemExit(4)')", 4)]
)
def test_a_rank_that_leaves_in_a_callback_takes_the_others_along(mpirun, leave, code):
    program = (
        "import sys, scisim as ss\n"
        "from scisim import distributed as dist, nn, optim, pde, train\n"
        "problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, [pde.Initial(1.0)])\n"
        f"end = lambda k, loss, model: {leave} if dist.world().rank == 1 and k == 2 else None\n"
        "model = nn.MLP([1, 4, 1], key=ss.random.key(0))\n"
        "train.fit(problem, model, optim.Adam(), steps=9, points=5, progress=False, callbacks=[end])\n"
        "print('never')\n"
    )
    done = mpirun(2, "-c", program, timeout=30, check=False)
    assert done.returncode == code, done.stderr
    assert "never" not in done.stdout


def test_what_a_run_left_that_died_while_writing_is_removed(tmp_path):
    (tmp_path / ".step-00000004-123" / "arrays.zarr").mkdir(parents=True)
    fit(2, checkpoint=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["step-00000002"]
