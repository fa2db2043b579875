"""Levenberg-Marquardt with geodesic acceleration."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import scisim as ss
from scisim.core.checks import is_finite
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor
from scisim.optim.flat import Flat, host
from scisim.optim.least_squares import LeastSquares
from scisim.optim.status import CONVERGED, FAILED, FOUND, NOT_FINITE
from scisim.optim.trees import Shown, check_length, check_state


class LMState(NamedTuple):
    """Accepted steps, damping, running maximum of the Gram matrix's diagonal, trials made in all, and how the last
    update ended: 0 a step was accepted, 1 no trial lowered the loss, 3 not finite, 4 zero gradient."""

    step: Tensor
    lam: Tensor
    scale: Tensor
    trials: Tensor
    status: Tensor


class LevenbergMarquardt(Shown):
    """Damped Gauss-Newton steps, bent along the geodesic (M. Transtrum, J. Sethna, arXiv:1201.5885).

    With residuals r and Jacobian J, the step d solves ``(J'J + lam D) d = -J'r``, and the second derivative r'' of the
    residuals along d gives the acceleration a = ``-1/2 (J'J + lam D)^-1 J'r''``.  The step is d + a where a is at most
    half as long as d, d alone up to 1.5 times, and rejected beyond.  A step that lowers the loss is accepted and lam
    divided by ``down``; otherwise lam is multiplied by ``up`` and the step tried again with the same J.

    Parameters
    ----------
    lam : float, optional
        Damping at the start; by default 1e-3, or 1e-2 with diagonal damping.
    damping : str
        ``"identity"``: D = I; ``"diagonal"``: D = running maximum of diag(J'J), decaying by 0.9 an update.
    down, up : float
        Greater than 1.
    geodesic : bool
        Whether to use the acceleration.
    max_trials : int
        Trials of an update, after which it gives up (``state.status`` 1).

    Notes
    -----
    ``update(residuals, state, params)`` takes a `LeastSquares`.  The Gram matrix is a product of tensors, so points may
    be sharded over ranks; the P x P system is solved by Cholesky factors on each rank.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> decay = lambda p, t, y: p[0] * ss.exp(-p[1] * t) - y
    >>> t = ss.linspace(0.0, 2.0, 20)
    >>> data = optim.LeastSquares(decay, ss.stack([t, 3.0 * ss.exp(-1.5 * t)], axis=1))
    >>> lm, p = optim.LevenbergMarquardt(), ss.asarray([1.0, 1.0])
    >>> state = lm.init(p)
    >>> for _ in range(12):
    ...     p, state, value = lm.update(data, state, p)
    >>> ss.round(p * 1e6) / 1e6
    Tensor([3. , 1.5])
    """

    def __init__(
        self,
        lam: float | None = None,
        damping: str = "identity",
        *,
        down: float = 3.0,
        up: float = 4.0,
        geodesic: bool = True,
        max_trials: int = 20,
    ) -> None:
        if damping not in ("identity", "diagonal"):
            raise ArgumentError(f"LevenbergMarquardt: damping is {damping!r}; expected 'identity' or 'diagonal'")
        lam = (1e-3 if damping == "identity" else 1e-2) if lam is None else lam
        if not (is_finite(lam) and lam > 0):
            raise ArgumentError(f"LevenbergMarquardt: lam is {lam!r}; expected a positive number")
        if not (is_finite(down) and is_finite(up) and down > 1 and up > 1):
            raise ArgumentError(f"LevenbergMarquardt: down is {down!r}, up {up!r}; both must be greater than 1")
        if isinstance(max_trials, bool) or not isinstance(max_trials, int) or max_trials < 1:
            raise ArgumentError(f"LevenbergMarquardt: max_trials is {max_trials!r}; expected an integer of at least 1")
        self.lam, self.diagonal, self.down, self.up = float(lam), damping == "diagonal", down, up
        self.geodesic, self.max_trials = geodesic, max_trials

    def init(self, params: Any) -> LMState:
        """The state before the first step."""
        flat = Flat(params, "LevenbergMarquardt.init")
        zero = ss.asarray(0)
        scale = ss.zeros(flat.size if self.diagonal else 0, dtype=flat.dtype)
        return LMState(zero, ss.asarray(self.lam), scale, zero, zero)

    def resampled(self, state: LMState, factor: float = 10.0) -> LMState:
        """The state with more damping, for the first step on new points: the old damping fits the old points."""
        check_state("LevenbergMarquardt.resampled", "residuals", state, None, LMState)
        if not (is_finite(factor) and factor > 0):
            raise ArgumentError(f"LevenbergMarquardt.resampled: factor is {factor!r}; expected a positive number")
        return state._replace(lam=state.lam * factor)

    def update(self, residuals: LeastSquares, state: LMState, params: Any) -> tuple[Any, LMState, Tensor]:
        """Parameters, state and the loss there, after one accepted step (or unchanged, see ``state.status``)."""
        if not hasattr(residuals, "normal"):
            raise ArgumentTypeError(
                f"LevenbergMarquardt.update: residuals is a {type(residuals).__name__}; expected "
                f"optim.LeastSquares(residual, points)"
            )
        check_state("LevenbergMarquardt.update", "residuals", state, params, LMState)
        flat = Flat(params, "LevenbergMarquardt.update")
        if self.diagonal or state.scale.size:
            check_length("LevenbergMarquardt.update", state.scale.size, flat)
        normal = residuals.normal(params)
        value, g, gram = float(host(normal.loss)), host(normal.gradient), host(normal.gram)
        largest = np.diagonal(gram)  # none of a Gram matrix's numbers is larger
        if not (math.isfinite(value) and np.isfinite(g).all() and np.isfinite(largest).all()):
            return params, state._replace(status=ss.asarray(NOT_FINITE)), ss.asarray(value)
        if not g.any():
            return params, state._replace(status=ss.asarray(CONVERGED)), ss.asarray(value)
        scale = self._scale(state.scale.numpy(), largest)
        lam, x = float(state.lam), flat.vector()
        for trial in range(1, self.max_trials + 1):
            factor = _factor(gram, lam, scale)
            if factor is None:
                lam *= 16.0
                continue
            step = self._step(residuals, params, flat, normal, factor, g, scale)
            if step is not None:
                new = flat.tree(x + step)
                lower = float(host(residuals.loss(new)))
                if lower < value:
                    return new, self._after(state, lam / self.down, scale, trial, FOUND), ss.asarray(lower)
            lam *= self.up
        return params, self._after(state, lam, scale, self.max_trials, FAILED), ss.asarray(value)

    def _after(self, state: LMState, lam: float, scale: Any, trials: int, status: int) -> LMState:
        kept = state.scale if scale is None else ss.asarray(scale)
        step = state.step + (status == FOUND)
        return LMState(step, ss.asarray(lam), kept, state.trials + trials, ss.asarray(status))

    def _scale(self, before: np.ndarray, diagonal: np.ndarray) -> np.ndarray | None:
        """D, or None for the identity."""
        if not self.diagonal:
            return None
        d = np.maximum(0.9 * before, diagonal)
        return np.maximum(d, 1e-8 * d.max())

    def _step(
        self, residuals: Any, params: Any, flat: Flat, normal: Any, factor: Any, g: np.ndarray, scale: Any
    ) -> np.ndarray | None:
        """The step, or None where the acceleration says that the model does not hold that far."""
        d = -_solve(factor, g)
        if not self.geodesic:
            return d
        bend = host(residuals.pulled_second(params, flat.tree(d), normal))
        a = -0.5 * _solve(factor, bend)
        long, far = _length(a, scale), _length(d, scale)
        if not long <= 1.5 * far:
            return None
        return d + a if long <= 0.5 * far else d


def _length(v: np.ndarray, scale: np.ndarray | None) -> float:
    return float(np.linalg.norm(v if scale is None else v * np.sqrt(scale)))


def _factor(gram: np.ndarray, lam: float, scale: np.ndarray | None) -> Any:
    """Cholesky factor of the damped matrix; None where rounding made it indefinite."""
    from scipy.linalg import LinAlgError, cho_factor

    damped = gram.copy()
    damped.flat[:: len(gram) + 1] += lam if scale is None else lam * scale
    try:  # the transpose of a symmetric matrix in C order is what LAPACK factors in place
        return cho_factor(damped.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None


def _solve(factor: Any, b: np.ndarray) -> np.ndarray:
    from scipy.linalg import cho_solve

    return cho_solve(factor, b, check_finite=False)
