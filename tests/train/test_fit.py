"""Training: every kind of optimiser learns, the history is right, and misuse is explained."""

import numpy as np
import pytest

import scisim as ss
from scisim import nn, optim, pde, train
from scisim.core.errors import ArgumentError, ArgumentTypeError, ConvergenceError, FileError, ShapeError

DECAY = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, [pde.Initial(1.0)])
T = np.linspace(0, 1, 11)
REFERENCE = {"t": T, "u": np.exp(-T)}


def network(seed=0, sizes=(1, 8, 1), **options):
    return nn.MLP(list(sizes), key=ss.random.key(seed), **options)


def fit(problem=DECAY, model=None, optimizer=None, **options):
    options = {"steps": 5, "points": 20, "progress": False, **options}
    return train.fit(problem, model or network(), optimizer or optim.Adam(1e-2), **options)


@pytest.mark.parametrize(
    ("optimizer", "steps", "bound"),
    [
        (optim.Adam(2e-2), 300, 2e-2),
        (optim.LBFGS(), 60, 1e-3),
        (optim.SSBFGS(), 60, 1e-3),
        (optim.SSBroyden(), 60, 1e-3),
        (optim.LevenbergMarquardt(), 15, 1e-4),
    ],
    ids=lambda x: type(x).__name__ if hasattr(x, "update") else None,
)
def test_every_kind_of_optimizer_learns(optimizer, steps, bound):
    solution = fit(optimizer=optimizer, steps=steps, sampler=pde.Sobol(every=None))
    assert solution.error(REFERENCE) < bound
    assert solution.history["loss"][-1] < 1e-2 * solution.history["loss"][0]


@pytest.mark.parametrize("optimizer", [optim.Adam(1e-2), optim.LBFGS(), optim.LevenbergMarquardt()])
def test_the_history_has_a_row_a_step(optimizer):
    solution = fit(optimizer=optimizer, steps=4, weights={"initial t=0": 3.0})
    h = solution.history
    np.testing.assert_array_equal(h["step"], [1, 2, 3, 4])
    np.testing.assert_allclose(h["loss"], h["equation"] + 3.0 * h["initial t=0"], rtol=1e-12)
    assert (np.diff(h["time"]) > 0).all()
    assert ("lr" in h) == isinstance(optimizer, optim.Adam)
    assert ("lam" in h) == isinstance(optimizer, optim.LevenbergMarquardt)
    assert solution.message == "all steps done"


def test_no_steps_leave_the_model_as_it_is():
    model = network()
    solution = fit(model=model, steps=0)
    np.testing.assert_array_equal(solution(T).numpy(), DECAY.field(model)(T)[0].numpy())
    assert solution.history == {}


def test_a_sixth_order_equation_is_trained():
    """u'''''' = -u with u = sin, of which four values and slopes are built in by Hermite's cubic."""
    problem = pde.Problem(
        pde.Domain(x=(0, 2)),
        lambda u: u.xxxxxx + u,
        ansatz=lambda N, x: x - x**3 / 6 + x**5 / 120 + x**6 * N,
    )
    solution = fit(problem, network(sizes=(1, 6, 1)), optim.LevenbergMarquardt(), steps=40, points=30)
    x = np.linspace(0, 2, 21)
    assert solution.error({"x": x, "u": np.sin(x)}) < 1e-5


class Columns(nn.Module):
    """A model that takes its coordinates as columns."""

    network: nn.MLP

    def __call__(self, points):
        t, x = points[..., 0:1], points[..., 1:2]
        return self.network(ss.concat([t, x * x], axis=-1)) * x


@pytest.mark.parametrize("optimizer", [optim.Adam(1e-2), optim.LevenbergMarquardt()])
def test_models_may_take_coordinates_as_columns(optimizer):
    problem = pde.Problem(pde.Domain(t=(0, 1), x=(-1, 1)), lambda u: u.t - u.xx, [pde.Initial(lambda x: x**3)])
    solution = fit(problem, Columns(network(sizes=(2, 8, 1))), optimizer, steps=15, sampler=pde.Sobol(every=None))
    assert solution.history["loss"][-1] < 0.9 * solution.history["loss"][0]
    np.testing.assert_allclose(solution(0.5, [-0.4, 0.4]).numpy().sum(), 0, atol=1e-15)


def test_several_conditions_and_fields_are_trained_together():
    """u' = v, v' = -u: a periodic system with soft conditions of several kinds."""
    problem = pde.Problem(
        pde.Domain(t=(0, 1)),
        lambda u, v: [u.t - v, v.t + u],
        [pde.Initial(0.0), pde.Initial(1.0, field="v"), pde.Data({"t": [0.5]}, [np.cos(0.5)], field="v")],
    )
    solution = fit(problem, network(sizes=(1, 10, 2)), optim.LevenbergMarquardt(), steps=25, points=30)
    u, v = solution(T)
    np.testing.assert_allclose(u.numpy(), np.sin(T), atol=1e-4)
    np.testing.assert_allclose(v.numpy(), np.cos(T), atol=1e-4)
    assert solution.error({"t": T, "u": np.sin(T), "v": np.cos(T)}) < 1e-4


def test_complex_fields_are_trained():
    """i u' = u: u = exp(-i t), by a network with complex weights."""
    problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: 1j * u.t - u, ansatz=lambda N, t: 1 + t * N)
    model = network(sizes=(1, 8, 1), dtype=ss.complex128)
    solution = fit(problem, model, optim.LevenbergMarquardt(), steps=20, points=20)
    assert solution.error({"t": T, "u": np.exp(-1j * T)}) < 1e-4


def test_float32_stays_float32():
    solution = fit(model=network(dtype=ss.float32), optimizer=optim.Adam(1e-3))
    assert solution(T).dtype == np.float32
    assert {w.dtype for _, w in nn.parameters(solution.model)} == {np.dtype(np.float32)}


def test_buffers_are_not_trained():
    model = nn.Sequential([nn.FourierFeatures(1, 6, key=ss.random.key(1)), nn.Linear(12, 1, key=ss.random.key(2))])
    solution = fit(model=model, steps=3)
    np.testing.assert_array_equal(solution.model.layers[0].fixed.numpy(), model.layers[0].fixed.numpy())
    assert np.any(solution.model.layers[1].weight.numpy() != model.layers[1].weight.numpy())


def test_adaptive_points_gather_where_the_residual_is():
    seen = []
    problem = pde.Problem(pde.Domain(x=(0, 1)), lambda u, x: u.x - 50 * ss.exp(-50 * x), ansatz=lambda N, x: x * N)

    class Watching(pde.ResidualAdaptive):
        def chosen(self, *args):
            points = super().chosen(*args)
            seen.append(points)
            return points

    sampler = Watching(candidates=1000, every=2, final=2)
    fit(problem, optimizer=optim.LevenbergMarquardt(), steps=7, points=40, sampler=sampler)
    assert len(seen) == 2
    assert np.mean(seen[0] < 0.2) > 0.3


def test_callbacks_see_each_step_and_may_end_the_training():
    seen = []

    def stop_at_three(step, loss, model):
        seen.append((step, loss, type(model).__name__))
        return step == 3

    solution = fit(steps=10, callbacks=[stop_at_three])
    assert [s for s, _, _ in seen] == [1, 2, 3]
    assert seen[0][2] == "MLP"
    np.testing.assert_array_equal([loss for _, loss, _ in seen], solution.history["loss"])
    assert solution.message == "a callback ended the training after step 3"


def test_a_search_that_finds_nothing_more_ends_the_training():
    problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t, ansatz=lambda N, t: 1 + 0 * N)
    solution = fit(problem, optimizer=optim.LevenbergMarquardt(), steps=50, sampler=pde.Sobol(every=None))
    assert len(solution.history["step"]) == 1
    assert solution.message.startswith("ended after step 1: the gradient is zero")


def test_a_bar_is_shown_on_request(capsys):
    fit(steps=3, progress=True)
    assert "3/3" in capsys.readouterr().err
    fit(steps=3)
    assert capsys.readouterr().err == ""


def test_a_reference_may_be_a_file_a_grid_or_points(tmp_path):
    problem = pde.Problem(pde.Domain(t=(0, 1), x=(-1, 1)), lambda u: u.t, ansatz=lambda N, t, x: t + 2 * x + 0 * N)
    solution = fit(problem, network(sizes=(2, 3, 1)), steps=0)
    t, x = np.linspace(0, 1, 4), np.linspace(-1, 1, 5)
    u = t[:, None] + 2 * x
    np.savez(tmp_path / "u.npz", t=t, x=x, u=1.1 * u)
    assert solution.error(str(tmp_path / "u.npz")) == pytest.approx(1 / 11)
    assert solution.error({"t": np.repeat(t, 5), "x": np.tile(x, 4), "u": u.ravel()}) == 0.0
    with pytest.raises(FileError, match="cannot find path="):
        solution.error(tmp_path / "v.npz")
    with pytest.raises(ArgumentError, match="the reference has no x; it needs the coordinates t, x, and has t, u"):
        solution.error({"t": t, "u": u})
    with pytest.raises(ArgumentError, match="none of the fields u; it has t, x"):
        solution.error({"t": t, "x": x})
    with pytest.raises(ShapeError, match=r"expected fields of shape \(4, 5\)"):
        solution.error({"t": t, "x": x, "u": u.T})
    with pytest.raises(ArgumentError, match="1 coordinates; expected one array for each of t, x"):
        solution(t)


class Nothing:
    pass


class Odd:
    def init(self, params):
        return None

    def update(self, data, state, params):
        return params, state


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"steps": -1}, ArgumentError, "steps is -1; expected an integer of at least 0"),
        ({"steps": 1.5}, ArgumentError, "steps is 1.5"),
        ({"points": 0}, ArgumentError, "points of equation is 0; expected a positive integer"),
        ({"points": {"initial t=0": 3}}, ArgumentError, "points do not say how many the equation has"),
        (
            {"points": {"equation": 3, "edge": 1}},
            ArgumentError,
            "points name edge; the terms are equation, initial t=0",
        ),
        ({"sampler": "halton"}, ArgumentError, "sampler is 'halton'; expected one of 'uniform'"),
        (
            {"weights": {"edge": 1.0}},
            ArgumentError,
            "weights name edge; the terms of the loss are equation, initial t=0",
        ),
        ({"weights": {"equation": -1.0}}, ArgumentError, "weight is -1.0"),
        ({"weights": {"equation": 0.0, "initial t=0": 0.0}}, ArgumentError, "all weights are zero"),
        ({"optimizer": Nothing()}, ArgumentTypeError, "optimizer is a Nothing without init and update"),
        ({"optimizer": optim.Adam}, ArgumentTypeError, r"optimizer is the class Adam; make one: optim.Adam\(\)"),
        (
            {"optimizer": Odd()},
            ArgumentTypeError,
            "Odd.update takes 'data' first; expected grads, loss_fn or residuals",
        ),
        ({"model": lambda x: x}, ArgumentTypeError, "model is a function; expected a module"),
        ({"model": nn.Function(ss.sin)}, ArgumentError, "has no parameters to train"),
        ({"problem": lambda u: u.t}, ArgumentTypeError, "problem is a function; expected a pde.Problem"),
        ({"mesh": 3}, ArgumentTypeError, "mesh is 3; expected a distributed.Mesh of one axis"),
        ({"callbacks": [1]}, ArgumentTypeError, "1 among the callbacks is no function"),
        ({"resume": True}, ArgumentError, "resume=True without a folder"),
        ({"resume": "yes", "checkpoint": "x"}, ArgumentError, "resume is 'yes'"),
        ({"seed": -1}, ArgumentError, "seed"),
        ({"model": network(sizes=(2, 3, 1))}, ShapeError, "the input has shape"),
        ({"model": network(sizes=(1, 3, 2))}, ShapeError, "the model's output has shape"),
    ],
)
def test_misuse_is_explained(options, error, message):
    with pytest.raises(error, match=message):
        fit(**options)


def test_a_term_cannot_be_called_like_a_column():
    named = pde.Condition(lambda u: u - 1, at={"t": 0}, name="loss")
    with pytest.raises(ArgumentError, match="a condition cannot be called 'loss', which is a column of the history"):
        fit(pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t, [named]))


def test_a_loss_that_is_not_finite_ends_the_training():
    with np.errstate(all="ignore"), pytest.raises(ConvergenceError, match="the loss is nan at step"):
        fit(pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + ss.log(u - 10.0)), steps=20)
