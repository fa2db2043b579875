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
from scisim.core.errors import ArgumentError, CheckpointError, ShapeError
from scisim.core.tensor import concrete_array
from scisim.pde.problem import Problem
from scisim.train import checkpoint
from scisim.train.describe import check_model, check_problem, description, fill, model_arrays


class Solution:
    """A trained model as a function of the coordinates.

    Attributes
    ----------
    problem : Problem
    model : Module
    history : dict of str to float64 array
        ``step``, ``loss``, ``time`` in seconds, the mean squared residual of each term where there are several, ``lr``
        or ``lam`` where the optimiser has one: one entry a step.
    message : str
        Why the training ended.
    """

    def __init__(self, problem: Problem, model: Any, history: Mapping[str, np.ndarray], message: str = "") -> None:
        self.problem, self.model, self.history, self.message = problem, model, dict(history), message
        kind = inspect.Parameter.POSITIONAL_ONLY  # autodiff.partial(solution, "xx") reads the names
        self.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in problem.domain.names])

    @property
    def params(self) -> Any:
        """What was trained of the model."""
        return nn.partition(self.model)[0]

    def __call__(self, *coords: Any) -> Any:
        """The fields at points; coordinates broadcast against each other.

        Returns
        -------
        Tensor, or a tuple of them where there are several fields
        """
        names = self.problem.domain.names
        if len(coords) != len(names):
            raise ArgumentError(
                f"Solution: {len(coords)} coordinates; expected one array for each of {', '.join(names)}"
            )
        dtype = _real_dtype(self.model)
        fields = self.problem.field(self.model)(*(ss.astype(ss.asarray(c), dtype) for c in coords))
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
        size = np.concatenate([v.ravel() for v in truth.values()])
        return float(np.linalg.norm(off) / np.linalg.norm(size))

    def save(self, path: str | os.PathLike[str]) -> str:
        """Save the model and the history to a new folder, for `train.load`; rank 0 writes.

        Raises
        ------
        FileError
            If the folder exists or cannot be written.
        """
        folder = os.fspath(path)
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
    """
    meta, arrays = checkpoint.read(os.fspath(path))
    if "message" not in meta:
        raise CheckpointError(f"train.load: {os.fspath(path)!r} is a checkpoint of a run; use fit(..., resume=True)")
    check_problem("train.load", meta, problem)
    check_model("train.load", meta, model)
    history = {k.removeprefix("history/"): v for k, v in arrays.items() if k.startswith("history/")}
    return Solution(problem, fill(model, arrays, "model"), history, meta["message"])


def reference_points(problem: Problem, reference: Mapping[str, Any]) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Coordinates and fields of a reference, as arrays of one shape."""
    names = problem.domain.names
    if missing := [n for n in names if n not in reference]:
        raise ArgumentError(
            f"Solution.error: the reference has no {', '.join(missing)}; it needs the coordinates {', '.join(names)}, "
            f"and has {', '.join(reference)}"
        )
    truth = {n: np.asarray(reference[n]) for n in problem.fields if n in reference}
    if not truth:
        raise ArgumentError(
            f"Solution.error: the reference has none of the fields {', '.join(problem.fields)}; it has "
            f"{', '.join(reference)}"
        )
    coords = [np.asarray(reference[n], dtype=float) for n in names]
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


def _real_dtype(model: Any) -> Any:
    return np.result_type(*(p.dtype.type(0).real.dtype for _, p in nn.parameters(model)))
