"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import scisim as ss
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor
from scisim.optim.flat import Flat
from scisim.optim.quasi_newton import QuasiNewton, curved
from scisim.optim.trees import check_length, check_loss, check_state


class LBFGSState(NamedTuple):
    """Iterations done, the last steps and changes of the gradient (newest last; ``used`` rows are in use), how many
    evaluations were made, and how the last update ended."""

    step: Tensor
    steps: Tensor
    changes: Tensor
    used: Tensor
    evaluations: Tensor
    status: Tensor


class LBFGS(QuasiNewton):
    """Limited-memory BFGS (D. Liu, J. Nocedal, Math. Programming 45 (1989) 503).

    Parameters
    ----------
    memory : int
        Pairs of step and change of gradient kept.
    iterations : int
        Iterations an update, all with the same loss; each update evaluates the loss once more than they need.
    c1, c2 : float
        Constants of the strong Wolfe conditions.
    max_evaluations : int
        Greatest number of evaluations of one line search.
    tolerance : float
        Nothing is done where no component of the gradient is greater.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> lbfgs, x = optim.LBFGS(), ss.asarray([-1.2, 1.0])
    >>> rosenbrock = lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    >>> state = lbfgs.init(x)
    >>> for _ in range(50):
    ...     x, state, value = lbfgs.update(rosenbrock, state, x)
    >>> bool(value < 1e-20)
    True
    """

    def __init__(
        self,
        memory: int = 20,
        *,
        iterations: int = 1,
        c1: float = 1e-4,
        c2: float = 0.9,
        max_evaluations: int = 25,
        tolerance: float = 0.0,
    ) -> None:
        super().__init__(iterations, c1, c2, max_evaluations, tolerance)
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
            raise ArgumentError(f"LBFGS: memory is {memory!r}; expected an integer of at least 1")
        self.memory = memory

    def init(self, params: Any) -> LBFGSState:
        """The state before the first step."""
        flat = Flat(params, "LBFGS.init")
        empty = np.zeros((self.memory, flat.size), flat.dtype)
        zero = ss.asarray(0)
        return LBFGSState(zero, ss.asarray(empty), ss.asarray(empty), zero, zero, zero)

    def update(self, loss_fn: Callable, state: LBFGSState, params: Any) -> tuple[Any, LBFGSState, Tensor]:
        """Parameters, state and the loss there, after ``iterations`` steps."""
        who = "LBFGS.update"
        check_loss(who, loss_fn)
        check_state(who, "loss_fn", state, params, LBFGSState)
        flat = Flat(params, who)
        check_length(who, state.steps.shape[-1], flat)
        if len(state.steps) != self.memory:
            raise ShapeError(f"{who}: state has a memory of {len(state.steps)}, this LBFGS one of {self.memory}")
        n = int(state.used)
        memory = (state.steps.numpy()[self.memory - n :], state.changes.numpy()[self.memory - n :])
        x, value, memory, done, used, status = self._iterate(loss_fn, flat, memory)
        n = len(memory[0])
        rows = [np.concatenate([np.zeros((self.memory - n, flat.size), flat.dtype), m]) for m in memory]
        new = LBFGSState(
            state.step + done,
            ss.Tensor(rows[0], copy=False),
            ss.Tensor(rows[1], copy=False),
            ss.asarray(n),
            state.evaluations + used,
            ss.asarray(status),
        )
        return flat.tree(x), new, ss.asarray(value)

    def _direction(self, memory: Any, g: np.ndarray) -> np.ndarray:
        """The two-loop recursion."""
        q, kept = -g, []
        for s, y in zip(*(m[::-1] for m in memory), strict=True):
            rho = 1.0 / float(s @ y)
            a = rho * float(s @ q)
            q = q - a * y
            kept.append((s, y, rho, a))
        if kept:
            s, y = kept[0][:2]
            q = q * (float(s @ y) / float(y @ y))
        for s, y, rho, a in reversed(kept):
            q = q + s * (a - rho * float(y @ q))
        return q

    def _learn(self, memory: Any, s: np.ndarray, y: np.ndarray, g: np.ndarray, step: float) -> Any:
        if not curved(s, y):
            return memory
        return tuple(np.concatenate([m, v[None]])[-self.memory :] for m, v in zip(memory, (s, y), strict=True))

    def _fresh(self, memory: Any) -> bool:
        return not len(memory[0])

    def _cleared(self, memory: Any) -> Any:
        return tuple(m[:0] for m in memory)
