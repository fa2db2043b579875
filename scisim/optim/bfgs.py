"""BFGS and its self-scaled forms, with the inverse Hessian in memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import scisim as ss
from scisim.core.tensor import Tensor
from scisim.optim.flat import Flat
from scisim.optim.quasi_newton import QuasiNewton, curved
from scisim.optim.trees import check_length, check_loss, check_state


class BFGSState(NamedTuple):
    """Iterations done, the inverse Hessian, how many evaluations were made, and how the last update ended."""

    step: Tensor
    inverse: Tensor
    evaluations: Tensor
    status: Tensor


class BFGS(QuasiNewton):
    """BFGS with the inverse Hessian in memory (Nocedal, Wright, algorithm 6.1); it starts as (s.y / y.y) I.

    Parameters
    ----------
    iterations, c1, c2, max_evaluations, tolerance
        As in `LBFGS`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> bfgs, x = optim.BFGS(iterations=20), ss.asarray([3.0, -4.0])
    >>> x, state, value = bfgs.update(lambda x: ss.sum(x * x), bfgs.init(x), x)
    >>> bool(value < 1e-25)
    True
    """

    def __init__(
        self,
        *,
        iterations: int = 1,
        c1: float = 1e-4,
        c2: float = 0.9,
        max_evaluations: int = 25,
        tolerance: float = 0.0,
    ) -> None:
        super().__init__(iterations, c1, c2, max_evaluations, tolerance)

    def init(self, params: Any) -> BFGSState:
        """The state before the first step."""
        flat = Flat(params, f"{type(self).__name__}.init")
        zero = ss.asarray(0)
        return BFGSState(zero, ss.zeros((flat.size, flat.size), dtype=flat.dtype), zero, zero)

    def update(self, loss_fn: Callable, state: BFGSState, params: Any) -> tuple[Any, BFGSState, Tensor]:
        """Parameters, state and the loss there, after ``iterations`` steps."""
        who = f"{type(self).__name__}.update"
        check_loss(who, loss_fn)
        check_state(who, "loss_fn", state, params, BFGSState)
        flat = Flat(params, who)
        check_length(who, state.inverse.shape[-1], flat)
        h = state.inverse.numpy()
        x, value, h, done, used, status = self._iterate(loss_fn, flat, h if h.any() else None)
        if h is None:
            h = np.zeros((flat.size, flat.size), flat.dtype)
        new = BFGSState(state.step + done, ss.Tensor(h, copy=False), state.evaluations + used, ss.asarray(status))
        return flat.tree(x), new, ss.asarray(value)

    def _direction(self, memory: Any, g: np.ndarray) -> np.ndarray:
        return -g if memory is None else -(memory @ g)

    def _learn(self, memory: Any, s: np.ndarray, y: np.ndarray, g: np.ndarray, step: float) -> Any:
        if not curved(s, y):
            return memory
        ys = float(y @ s)
        if memory is None:
            memory = np.eye(len(s), dtype=s.dtype) * (ys / float(y @ y))
            s_b_s = float(s @ s) * float(y @ y) / ys
        else:
            s_b_s = -step * float(s @ g)
        h = memory @ y
        tau, phi = self._scales(len(s), ys, s_b_s, float(y @ h))
        return broyden_update(memory, s, h, ys, float(y @ h), tau, phi)

    def _scales(self, n: int, ys: float, s_b_s: float, yhy: float) -> tuple[float, float]:
        """The factors tau and phi of the update."""
        return 1.0, 1.0

    def _fresh(self, memory: Any) -> bool:
        return memory is None

    def _cleared(self, memory: Any) -> Any:
        return None


def broyden_update(
    inverse: np.ndarray, s: np.ndarray, h: np.ndarray, ys: float, yhy: float, tau: float, phi: float
) -> np.ndarray:
    """(H - h h'/(y.h) + phi v v') / tau + s s'/(y.s), h = H y, v = sqrt(y.h) (s/(y.s) - h/(y.h)): Broyden's class,
    self-scaled; written as H/tau plus a form in s and h."""
    cross = -phi / (tau * ys)
    # (y.h) / (y.s) first: the square of a small y.s would underflow
    form = np.array([[(phi * (yhy / ys) / tau + 1.0) / ys, cross], [cross, (phi - 1.0) / (tau * yhy)]], dtype=s.dtype)
    rows = np.stack([s, h])
    out = rows.T @ (form @ rows)
    out += inverse if tau == 1.0 else inverse / s.dtype.type(tau)
    return out


class SSBFGS(BFGS):
    """Self-scaled BFGS: the old inverse Hessian is divided by tau = min(1, y.s / s.H^-1 s) before each update
    (S. Oren, D. Luenberger, Management Science 20 (1974) 845; M. Al-Baali, Comput. Optim. Appl. 9 (1998) 191).

    Parameters
    ----------
    iterations, c1, c2, max_evaluations, tolerance
        As in `LBFGS`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> opt, x = optim.SSBFGS(iterations=20), ss.asarray([3.0, -4.0])
    >>> x, state, value = opt.update(lambda x: ss.sum(x * x), opt.init(x), x)
    >>> bool(value < 1e-25)
    True
    """

    def _scales(self, n: int, ys: float, s_b_s: float, yhy: float) -> tuple[float, float]:
        return min(1.0, ys / s_b_s), 1.0


class SSBroyden(BFGS):
    """Self-scaled Broyden method (M. Al-Baali, H. Khalfan, 2012; J. Urban, P. Stefanou, J. Pons, J. Comput. Phys. 523
    (2025) 113656).

    Parameters
    ----------
    iterations, c1, c2, max_evaluations, tolerance
        As in `LBFGS`.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> opt, x = optim.SSBroyden(iterations=20), ss.asarray([3.0, -4.0])
    >>> x, state, value = opt.update(lambda x: ss.sum(x * x), opt.init(x), x)
    >>> bool(value < 1e-25)
    True
    """

    def _scales(self, n: int, ys: float, s_b_s: float, yhy: float) -> tuple[float, float]:
        b, h = s_b_s / ys, yhy / ys
        a = max(b * h - 1.0, 0.0)  # not negative by Cauchy and Schwarz; 0 where s and H y are parallel
        if a <= 1e-14:
            return min(1.0, 1.0 / b), 1.0
        low = min(1.0, h * (1.0 - math.sqrt(a / (1.0 + a))))
        theta = max((low - 1.0) / a, min(1.0 / low, (1.0 - b) / b))
        sigma = 1.0 + theta * a
        phi = (1.0 - theta) / sigma
        high, root = min(1.0, 1.0 / b), sigma ** (-1.0 / (n - 1)) if n > 1 else 1.0 / sigma
        tau = high * min(root, 1.0 / theta) if theta > 0 else min(high * root, sigma)
        return tau, phi
