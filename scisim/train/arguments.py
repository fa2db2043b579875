"""What is checked of the arguments of `fit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim import distributed as dist
from scisim import nn
from scisim.core.checks import is_integer
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor
from scisim.pde.problem import Problem
from scisim.train.checkpoint import Checkpoints


def is_yes(answer: Any) -> bool:
    """Whether a callback's answer is a true truth value of Python, NumPy or scisim."""
    truth = isinstance(answer, (bool, np.bool_)) or (isinstance(answer, Tensor) and answer.dtype.kind == "b")
    return truth and bool(answer)


def check(problem: Any, model: Any, steps: Any, resume: Any) -> None:
    """Refuse what is no problem, model, number of steps or wish to resume."""
    if not isinstance(problem, Problem):
        raise ArgumentTypeError(f"fit: problem is a {type(problem).__name__}; expected a pde.Problem")
    if not isinstance(model, nn.Module):
        raise ArgumentTypeError(f"fit: model is {_kind(model)}; expected a module, such as nn.MLP([2, 20, 1], ...)")
    if not nn.parameters(model):
        raise ArgumentError(f"fit: the model {type(model).__name__} has no parameters to train")
    _check_modes(model)
    if not is_integer(steps, 0):
        raise ArgumentError(f"fit: steps is {steps!r}; expected an integer of at least 0")
    if resume not in (True, False, "auto"):
        raise ArgumentError(f"fit: resume is {resume!r}; expected True, False or 'auto'")


def _kind(x: Any) -> str:
    return f"the class {x.__name__}" if isinstance(x, type) else f"a {type(x).__name__}"


def _check_modes(model: Any) -> None:
    """Refuse layers that are no function of a point."""
    for layer in nn.trees.modules(model):
        name, training = type(layer).__name__, getattr(layer, "training", False)
        if training and layer.stateful:
            raise ArgumentError(
                f"fit: the model's {name} is in training mode, where it mixes the points of a batch, so that "
                f"derivatives at a point have no meaning; use LayerNorm, or evaluation mode: nn.eval(model)"
            )
        if training and layer.keyed:
            raise ArgumentError(
                f"fit: the model's {name} is in training mode, where it needs random numbers, so that a residual is no "
                f"function of a point; leave it out, or use evaluation mode: nn.eval(model)"
            )


def functions(callbacks: Any) -> list[Callable]:
    """The callbacks, in a list."""
    if not isinstance(callbacks, (list, tuple)):
        raise ArgumentTypeError(
            f"fit: callbacks is {callbacks!r}; expected a list of functions of (step, loss, model), as in callbacks=[f]"
        )
    if bad := [c for c in callbacks if not callable(c)]:
        raise ArgumentTypeError(f"fit: {bad[0]!r} among the callbacks is no function of (step, loss, model)")
    return list(callbacks)


def mesh_of(mesh: Any) -> dist.Mesh:
    """The mesh whose ranks share the points."""
    if mesh is None:
        return dist.Mesh((dist.world().size,), ("data",))
    if not isinstance(mesh, dist.Mesh) or len(mesh.shape) != 1:
        raise ArgumentTypeError(f"fit: mesh is {mesh!r}; expected a distributed.Mesh of one axis, that of the points")
    return mesh


def folder_of(checkpoint: Any, resume: bool | str) -> Checkpoints | None:
    """Where checkpoints go."""
    if checkpoint is None:
        if resume is True:
            raise ArgumentError("fit: resume=True without a folder; give checkpoint=FOLDER, that of the run to resume")
        return None
    return checkpoint if isinstance(checkpoint, Checkpoints) else Checkpoints(checkpoint)
