"""One step of each kind of optimiser, told apart by what its ``update`` takes first: grads, loss_fn or residuals."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import scisim as ss
from scisim import autodiff as ad
from scisim import distributed as dist
from scisim import optim
from scisim.core.errors import ArgumentTypeError
from scisim.core.tensor import Tensor
from scisim.pde.samplers import Uniform
from scisim.train.losses import Losses


class Taken(NamedTuple):
    """A step that was taken: parameters and state after it, the loss, each term's, and a column for the history."""

    params: Any
    state: Any
    loss: float
    means: list[float]
    extra: dict[str, float]


class Stepper:
    """Takes steps with an optimiser; ``step(params, state, tables)`` gives a `Taken`."""

    sampler: Any = None  # where the user names none; None is new points at every step

    def __init__(self, losses: Losses, optimizer: Any) -> None:
        self.losses, self.optimizer = losses, optimizer

    def step(self, params: Any, state: Any, tables: list[Tensor]) -> Taken:
        raise ArgumentTypeError(f"{type(self).__name__} takes no steps")

    def ended(self, state: Any) -> str:
        """Why going on with the same points is useless; empty where it is not."""
        status = int(getattr(state, "status", optim.status.FOUND))
        useless = (optim.status.FAILED, optim.status.CONVERGED)
        return optim.status_message(state) if status in useless else ""

    def _means(self, params: Any, tables: list[Tensor], loss: float) -> list[float]:
        """Each term's mean square; of one term alone it follows from the loss."""
        if len(tables) == 1:
            return [loss / self.losses.weights[0]]
        if not hasattr(self, "_compiled"):
            self._compiled = ss.jit(self.losses.means)
        return _numbers(self._compiled(params, tables))


class FirstOrder(Stepper):
    """Optimisers that take a gradient; the recorded loss is that before the step."""

    def __init__(self, losses: Losses, optimizer: Any) -> None:
        super().__init__(losses, optimizer)
        self.gradient = ss.jit(ad.value_and_grad(losses.total, has_aux=True))

    def step(self, params: Any, state: Any, tables: list[Tensor]) -> Taken:
        (loss, means), grads = dist.gather(self.gradient(params, tables))
        rate = getattr(self.optimizer, "rate", None)
        extra = {"lr": float(rate(state.step))} if rate and hasattr(state, "step") else {}
        params, state = self.optimizer.update(grads, state, params)
        return Taken(params, state, float(loss), _numbers(means), extra)


class LineSearch(Stepper):
    """Optimisers that evaluate the loss themselves, and remember how it curves: at points that stay."""

    sampler = Uniform(every=None)

    def __init__(self, losses: Losses, optimizer: Any) -> None:
        super().__init__(losses, optimizer)
        self.loss = ss.jit(lambda params, tables: losses.total(params, tables)[0])

    def step(self, params: Any, state: Any, tables: list[Tensor]) -> Taken:
        params, state, value = self.optimizer.update(lambda p: self.loss(p, tables), state, params)
        loss = float(value)
        return Taken(params, state, loss, self._means(params, tables, loss), {})


class SquaredResiduals(Stepper):
    """Optimisers that take the residuals: Levenberg-Marquardt, whose damping belongs to its points."""

    sampler = Uniform(every=None)

    def __init__(self, losses: Losses, optimizer: Any) -> None:
        super().__init__(losses, optimizer)
        self.squares: Any = None
        self.active = [k for k, w in enumerate(losses.weights) if w]

    def step(self, params: Any, state: Any, tables: list[Tensor]) -> Taken:
        points = [tables[k] for k in self.active]
        self.squares = self._blocks(points) if self.squares is None else self.squares.at(*points)
        params, state, value = self.optimizer.update(self.squares, state, params)
        loss = float(value)
        extra = {"lam": float(state.lam)} if hasattr(state, "lam") else {}
        return Taken(params, state, loss, self._means(params, tables, loss), extra)

    def _blocks(self, points: list[Tensor]) -> Any:
        def block(k: int, table: Tensor) -> Any:
            def residual(params: Any, *arrays: Any) -> list:
                return self.losses.residuals(k, params, *arrays)

            return optim.LeastSquares(residual, table, self.losses.weights[k])

        first, *rest = [block(k, t) for k, t in zip(self.active, points, strict=True)]
        return sum(rest, first)


_KINDS: dict[str, type[Stepper]] = {"grads": FirstOrder, "loss_fn": LineSearch, "residuals": SquaredResiduals}


def stepper(losses: Losses, optimizer: Any) -> Stepper:
    """The stepper for an optimiser."""
    if isinstance(optimizer, type):
        raise ArgumentTypeError(
            f"fit: optimizer is the class {optimizer.__name__}; make one: optim.{optimizer.__name__}()"
        )
    update: Callable | None = getattr(optimizer, "update", None)
    if not callable(update) or not callable(getattr(optimizer, "init", None)):
        raise ArgumentTypeError(
            f"fit: optimizer is a {type(optimizer).__name__} without init and update; expected one of optim, such as "
            f"optim.Adam(1e-3) or optim.LevenbergMarquardt()"
        )
    first = next(iter(inspect.signature(update).parameters), "")
    if first not in _KINDS:
        raise ArgumentTypeError(
            f"fit: {type(optimizer).__name__}.update takes {first!r} first; expected grads, loss_fn or residuals, "
            f"which says what it is given"
        )
    return _KINDS[first](losses, optimizer)


def _numbers(means: list[Tensor]) -> list[float]:
    return [float(dist.gather(m)) for m in means]


def finite(loss: float) -> bool:
    return math.isfinite(loss)
