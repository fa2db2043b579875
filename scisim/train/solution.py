"""What a training gives: a model that solves a problem, and how it got there."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

import scisim as ss
from scisim import distributed as dist
from scisim import io, nn
from scisim.core.errors import ArgumentError, ArgumentTypeError, CheckpointError, DTypeError, ShapeError
from scisim.core.tensor import concrete_array
from scisim.pde.problem import Problem
from scisim.train import checkpoint
from scisim.train.describe import check_model, check_problem, description, fill, model_arrays


class Solution:
    """A trained model as a function of the coordinates; made by `fit` and `load`.

    Attributes
    ----------
    problem : Problem
    model : Module
    history : dict of str to float64 array
        ``step``, ``loss``, ``time`` in seconds, the mean squared residual of each term where there are several, ``lr``
        or ``lam`` where the optimiser has one: one entry a step.
    message : str
        Why the training ended.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, nn, optim, pde, train
    >>> problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, ansatz=lambda N, t: 1 + t * N)
    >>> model = nn.MLP([1, 4, 1], key=ss.random.key(0))
    >>> solution = train.fit(problem, model, optim.Adam(1e-2), steps=3, points=10, progress=False)
    >>> solution(0.0), solution(t=[0.0, 0.5]).shape
    (Tensor(1.), (2,))
    >>> ad.partial(solution, "tt")(0.5).shape
    ()
    >>> solution.history["step"].tolist(), solution.message
    ([1.0, 2.0, 3.0], 'all steps done')
    """

    def __init__(self, problem: Problem, model: Any, history: Mapping[str, np.ndarray], message: str = "") -> None:
        self.problem, self.model, self.history, self.message = problem, model, dict(history), message
        kind = inspect.Parameter.POSITIONAL_ONLY  # autodiff.partial(solution, "xx") reads the names
        self.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in problem.domain.names])

    @property
    def params(self) -> Any:
        """What was trained of the model."""
        return nn.partition(self.model)[0]

    def __call__(self, *coords: Any, **named: Any) -> Any:
        """The fields at points; coordinates, in order or by name, broadcast against each other.

        Returns
        -------
        Tensor, or a tuple of them where there are several fields
        """
        names = self.problem.domain.names
        if len(coords) + len(named) != len(names) or set(named) != set(names[len(coords) :]):
            by_name = f" and {', '.join(named)}" if named else ""
            raise ArgumentError(
                f"Solution: {len(coords)} coordinates{by_name}; expected one array for each of {', '.join(names)}"
            )
        arrays = [ss.asarray(c) for c in (*coords, *(named[n] for n in names[len(coords) :]))]
        for name, c in zip(names, arrays, strict=True):
            if c.dtype.kind == "c":
                raise DTypeError(f"Solution: the coordinate {name} is {c.dtype}; expected real numbers")
        dtype = _real_dtype(self.model)
        fields = self.problem.field(self.model)(*(ss.astype(c, dtype) for c in arrays))
        return fields[0] if len(fields) == 1 else fields

    def error(self, reference: Mapping[str, Any] | str | os.PathLike[str]) -> float:
        """The L2 norm of the difference to a reference, over that of the reference.

        Parameters
        ----------
        reference : mapping of str to array, or the path of an .npz file
            Coordinates and fields by name.  Coordinates are vectors of a grid, with fields of shape
            (len(first), len(second), ...) in the order of the domain, or arrays of the fields' shape.  Fields that are
            missing are left out.

        Raises
        ------
        FileError
            For a file that is missing or damaged.
        ArgumentError, ShapeError
            For a reference that lacks a coordinate or all fields, or whose shapes do not fit.
        """
        if isinstance(reference, (str, os.PathLike)):
            reference = io.read_npz(reference)
        coords, truth = reference_points(self.problem, reference)
        made = self(*coords)
        made = dict(zip(self.problem.fields, made if isinstance(made, tuple) else (made,), strict=True))
        off = np.concatenate([(concrete_array(made[n], "Solution.error") - truth[n]).ravel() for n in truth])
        size = np.linalg.norm(np.concatenate([v.ravel() for v in truth.values()]))
        if not (np.isfinite(size) and size > 0):
            raise ArgumentError(
                f"Solution.error: the norm of the reference is {size:g}, which a relative error cannot be of; it has "
                f"to hold finite numbers that are not all zero"
            )
        return float(np.linalg.norm(off) / size)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Save the model and the history to a new folder, for `train.load`; rank 0 writes.

        Raises
        ------
        FileError
            If the folder exists or cannot be written.
        """
        folder = _path("Solution.save", path)
        if dist.is_root():
            if os.path.exists(folder):
                raise checkpoint.FileError(f"Solution.save: {folder!r} exists; give a new folder, or remove it")
            arrays = {**model_arrays(self.model), **{f"history/{k}": v for k, v in self.history.items()}}
            checkpoint.write(folder, {**description(self.problem, self.model), "message": self.message}, arrays)
        return folder

    def __repr__(self) -> str:
        steps = len(self.history.get("loss", ()))
        loss = f", loss {self.history['loss'][-1]:.2e}" if steps else ""
        return f"Solution({steps} steps{loss}; {self.problem!r})"


def load(path: str | os.PathLike[str], problem: Problem, model: Any) -> Solution:
    """A solution that was saved.

    A folder holds numbers, not code: problem and model are made as they were for `fit`, and get the saved values.

    Parameters
    ----------
    path : path
    problem : Problem
    model : Module
        Of the saved one's structure; its values do not matter.

    Raises
    ------
    CheckpointError
        If the folder is missing or damaged, or the solution is of another problem or model; the message says what
        differs.

    Examples
    --------
    >>> import tempfile
    >>> import scisim as ss
    >>> from scisim import nn, optim, pde, train
    >>> problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, ansatz=lambda N, t: 1 + t * N)
    >>> model = nn.MLP([1, 4, 1], key=ss.random.key(0))
    >>> solution = train.fit(problem, model, optim.Adam(1e-2), steps=3, points=10, progress=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = train.load(solution.save(folder + "/decay"), problem, model)
    >>> float(again(0.5)) == float(solution(0.5))
    True
    """
    if not isinstance(problem, Problem) or not isinstance(model, nn.Module):
        raise ArgumentTypeError(
            f"train.load: problem is a {type(problem).__name__}, model a {type(model).__name__}; expected the "
            f"pde.Problem and a module, made as for fit: train.load(path, problem, model)"
        )
    folder = _path("train.load", path)
    meta, arrays = checkpoint.read(folder)
    if "message" not in meta:
        raise CheckpointError(f"train.load: {folder!r} is a checkpoint of a run; use fit(..., resume=True)")
    check_problem("train.load", meta, problem)
    check_model("train.load", meta, model)
    history = {k.removeprefix("history/"): v for k, v in arrays.items() if k.startswith("history/")}
    return Solution(problem, fill(model, arrays, "model"), history, meta["message"])


def _path(who: str, path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{who}: path is {path!r}; expected the path of a folder")
    return os.fspath(path)


def reference_points(problem: Problem, reference: Mapping[str, Any]) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Coordinates and fields of a reference, as arrays of one shape."""
    names = problem.domain.names
    if not isinstance(reference, Mapping):
        raise ArgumentTypeError(
            f"Solution.error: reference is a {type(reference).__name__}; expected arrays by name, or the path of a file"
        )
    if missing := [n for n in names if n not in reference]:
        raise ArgumentError(
            f"Solution.error: the reference has no {', '.join(missing)}; it needs the coordinates {', '.join(names)}, "
            f"and has {', '.join(reference)}"
        )
    truth = {n: _numeric(n, reference[n]) for n in problem.fields if n in reference}
    if not truth:
        raise ArgumentError(
            f"Solution.error: the reference has none of the fields {', '.join(problem.fields)}; it has "
            f"{', '.join(reference)}"
        )
    coords = [_numeric(n, reference[n]).astype(float) for n in names]
    shapes = {n: v.shape for n, v in truth.items()}
    grid = tuple(c.size for c in coords)
    if all(c.ndim == 1 for c in coords) and all(s == grid for s in shapes.values()):
        return list(np.meshgrid(*coords, indexing="ij")), truth
    if all(c.shape == s for c in coords for s in shapes.values()):
        return coords, truth
    raise ShapeError(
        f"Solution.error: coordinates have shapes {', '.join(str(c.shape) for c in coords)} and fields {shapes}; "
        f"expected fields of shape {grid} on the grid of {', '.join(names)}, or coordinates of the fields' shape"
    )


def _numeric(name: str, values: Any) -> np.ndarray:
    a = np.asarray(values)
    if a.dtype.kind not in "biufc":
        raise DTypeError(f"Solution.error: the reference's {name} has dtype {a.dtype}; expected numbers")
    return a


def _real_dtype(model: Any) -> Any:
    return np.result_type(*(p.dtype.type(0).real.dtype for _, p in nn.parameters(model)))
