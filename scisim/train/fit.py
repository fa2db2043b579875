"""Training: the loop, its history, its checkpoints, and how it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import scisim as ss
from scisim import nn
from scisim.core.errors import ConvergenceError
from scisim.core.tensor import Tensor
from scisim.pde.problem import Problem
from scisim.pde.samplers import sampler as find_sampler
from scisim.train import interrupt
from scisim.train.agree import check_agreement, digest
from scisim.train.arguments import check, folder_of, functions, is_yes, mesh_of
from scisim.train.checkpoint import Checkpoints
from scisim.train.describe import model_arrays
from scisim.train.losses import Losses
from scisim.train.points import Points, counts_of
from scisim.train.progress import Progress
from scisim.train.records import Records
from scisim.train.solution import Solution
from scisim.train.steppers import Taken, finite, stepper


def fit(
    problem: Problem,
    model: Any,
    optimizer: Any,
    *,
    steps: int,
    points: int | Mapping[str, int],
    sampler: Any = None,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    checkpoint: str | os.PathLike[str] | Checkpoints | None = None,
    resume: bool | str = False,
    progress: bool | None = None,
    mesh: Any = None,
    callbacks: Sequence[Callable] = (),
) -> Solution:
    """Train a model to solve a problem.

    Under ``mpirun`` the points of each step are shared between the ranks; they are the same global set on any number of
    ranks, and every rank ends with the same model.

    Parameters
    ----------
    problem : Problem
    model : Module
        From points (..., d) to outputs (..., number of fields).
    optimizer
        One of `optim`; or any object with ``init(params)`` and ``update``, whose first argument is called ``grads``,
        ``loss_fn`` or ``residuals``.
    steps : int
        Updates in all, those before a resume included.
    points : int or mapping of str to int
        Points of the equation; or of each term by name.
    sampler : Sampler or str, optional
        Where they lie: ``"uniform"``, ``"sobol"``, ``"latin_hypercube"``, ``"adaptive"``, or one with options, such as
        ``pde.Sobol(every=None)``.  By default new uniform points at every step for optimisers that take a gradient; for
        those that build a model of the loss over many steps (L-BFGS, Levenberg-Marquardt) the same points throughout.
    seed : int
        Of the points.
    weights : mapping of str to float, optional
        Weights of terms of the loss by name, in the place of their own.
    checkpoint : path or Checkpoints, optional
        A folder of the run's own for checkpoints: every 100 steps, or as `Checkpoints` says, and when the run ends.
    resume : bool or "auto"
        Go on from the newest checkpoint, exactly as if the run had not been interrupted; ``"auto"`` starts anew where
        there is none.
    progress : bool, optional
        Whether rank 0 shows a bar.
    mesh : Mesh, optional
        Of one axis, whose ranks share the points; by default all ranks.
    callbacks : sequence of callable
        Each is called as ``callback(step, loss, model)`` after a step, on every rank; returning True, on any
        rank, ends the training.

    Returns
    -------
    Solution

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For arguments that do not fit.
    ConvergenceError
        If the loss is no longer finite.
    CheckpointError
        If there is no checkpoint to resume from, or it is damaged, or of another run.
    FileError
        If the checkpoint's folder cannot be written.
    KeyboardInterrupt, SystemExit
        Ctrl-C or SIGTERM let the step end, leave a checkpoint if there is a folder for it, and then end the program, by
        KeyboardInterrupt or with exit code 143; a second signal ends it at once.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn, optim, pde, train
    >>> problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, ansatz=lambda N, t: 1 + t * N)
    >>> model = nn.MLP([1, 8, 1], key=ss.random.key(0))
    >>> solution = train.fit(problem, model, optim.LevenbergMarquardt(), steps=15, points=20, progress=False)
    >>> solution.error({"t": [0.5, 1.0], "u": ss.exp(ss.asarray([-0.5, -1.0]))}) < 1e-4
    True
    """
    check(problem, model, steps, resume)
    callbacks = functions(callbacks)
    params, rest = nn.partition(model)
    losses = Losses(problem, rest, weights)
    taking = stepper(losses, optimizer)
    mesh = mesh_of(mesh)
    dtype = np.result_type(*(p.dtype.type(0).real.dtype for _, p in nn.parameters(model)))
    tables = Points(
        problem,
        counts_of(problem, points),
        find_sampler(taking.sampler if sampler is None else sampler, "fit"),
        seed,
        dtype,
        mesh if mesh.size > 1 else None,
    )
    records = Records(folder_of(checkpoint, resume), problem, model, optimizer, tables, seed, mesh.comm)
    given: dict[str, Any] = {"steps": int(steps), "resume": resume, "checkpoint": records.folder is not None}
    given.update(records.settings, weights=losses.weights, model=digest(model_arrays(model)))
    check_agreement(mesh.comm, given)
    run = Run(losses, taking, tables, records, steps, callbacks)
    run.params, run.state = params, optimizer.init(params)
    try:
        run.begin(resume)
        run.train(Progress(steps, run.done, progress))
    finally:
        records.close()
    return Solution(problem, run.model(), run.history(), run.message)


GO_ON, STOP, LEAVE = 0, 1, 2  # what a callback may ask for; LEAVE + exit code


class Run:
    """A training that is under way."""

    def __init__(
        self, losses: Losses, taking: Any, tables: Points, records: Records, steps: int, callbacks: list[Callable]
    ) -> None:
        self.losses, self.taking, self.tables, self.records = losses, taking, tables, records
        self.steps, self.callbacks = steps, callbacks
        self.params: Any = None
        self.state: Any = None
        self.done, self.message, self.spent = 0, "all steps done", 0.0
        self.leaving: SystemExit | None = None
        self.columns: dict[str, list[float]] = {}
        self.score = ss.jit(lambda params, table: ss.sqrt(losses.squares(0, params, table)))

    def model(self) -> Any:
        return nn.combine(self.params, self.losses.rest)

    def history(self) -> dict[str, np.ndarray]:
        return {name: np.asarray(column, dtype=np.float64) for name, column in self.columns.items()}

    def begin(self, resume: bool | str) -> None:
        """Start anew, or where the newest checkpoint ends."""
        saved = self.records.load(self.params, self.state, resume)
        if saved is not None:
            self.params, self.state, self.done = saved.params, saved.state, saved.step
            self.columns = {k: list(v) for k, v in saved.history.items()}
            self.spent = float(self.columns["time"][-1]) if self.done else 0.0
            if self.done >= self.steps:
                self.message = (
                    f"nothing was left to do: the checkpoint is of step {self.done}, and steps={self.steps} counts "
                    f"those before a resume"
                )

    def train(self, progress: Progress) -> None:
        start, before = time.perf_counter(), self.spent
        with progress, interrupt.Interruptible(self.records.comm) as interruptible:
            while self.done < self.steps:
                tables = self.tables.at(self.done, self.steps, self._score)
                taken = self.taking.step(self.params, self.state, tables)
                self._accept(taken, before + time.perf_counter() - start)
                progress.show(taken.loss)
                number, wish = interruptible.asked(self._wish(taken))
                if number:
                    self._interrupted(number)
                if wish >= LEAVE:
                    self._leave(wish - LEAVE)
                if wish == STOP:
                    self.message = f"a callback ended the training after step {self.done}"
                if wish == STOP or self._ended():
                    break
                if self.records.due(self.done) and self.done < self.steps:
                    self._save()
        self._save()

    def _score(self, table: Tensor) -> Tensor:
        return self.score(self.params, table)

    def _accept(self, taken: Taken, now: float) -> None:
        if not finite(taken.loss):
            raise ConvergenceError(
                f"fit: the loss is {taken.loss} at step {self.done}; lower the learning rate, look for a singular "
                f"point of the equation, or resume from a checkpoint with other settings"
            )
        self.params, self.state, self.done = taken.params, taken.state, self.done + 1
        row = {"step": self.done, "loss": taken.loss}
        if len(taken.means) > 1:
            row.update(zip(self.losses.names, taken.means, strict=True))
        for name, value in {**row, **taken.extra, "time": now}.items():
            self.columns.setdefault(name, []).append(float(value))

    def _wish(self, taken: Taken) -> int:
        """Call the callbacks, and say what they ask for; one that asks on one rank asks for all ranks."""
        try:
            answers = [f(self.done, taken.loss, self.model()) for f in self.callbacks]
        except SystemExit as error:
            self.leaving = error
            code = error.code
            return LEAVE + (code & 0xFF if isinstance(code, int) else 0 if code is None else 1)
        return STOP if any(map(is_yes, answers)) else GO_ON

    def _leave(self, code: int) -> None:
        self._save()
        raise self.leaving or SystemExit(code)

    def _ended(self) -> bool:
        sampler = self.tables.sampler
        renewed = sampler.block_of(self.steps - 1, self.steps) != self.tables.block
        why = "" if renewed else self.taking.ended(self.state)
        if why:
            self.message = f"ended after step {self.done}: {why}"
        return bool(why)

    def _save(self) -> str:
        return self.records.save(self.done, self.params, self.state, self.history())

    def _interrupted(self, number: int) -> None:
        folder = self._save()
        saved = (
            f"the checkpoint {folder} goes on from here: resume=True"
            if folder
            else ("nothing was saved; give checkpoint=FOLDER to be able to resume")
        )
        name = interrupt.signal.Signals(number).name
        interrupt.stop(number, f"scisim: {name} ended the training after step {self.done} of {self.steps}; {saved}")
