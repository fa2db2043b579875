"""Tolerances, norms and the first step: what all solvers share."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import concrete_array
from scisim.integrate._system import State

SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # of the factor by which a step changes
TOO_SMALL = "the step became smaller than the spacing of numbers"


@dataclass(frozen=True)
class Control:
    """How a solver chooses its steps.

    Attributes
    ----------
    start, end : float
    rtol : float
    atol : float or array
        In the precision of the state.
    first : float, optional
    largest : float
    steps : int, optional
        The greatest number of steps.
    """

    start: float
    end: float
    rtol: float
    atol: Any
    first: float | None
    largest: float
    steps: int | None

    @property
    def direction(self) -> float:
        return math.copysign(1.0, self.end - self.start) if self.end != self.start else 1.0

    def scale(self, size: Any) -> Any:
        """The error allowed in each number of a state of this size."""
        return self.atol + size * self.rtol


def control(
    who: str, state: State, start: float, end: float, rtol: Any, atol: Any, first: Any, largest: Any, steps: Any
) -> Control:
    """Settings of a user, checked."""
    rtol, least = float(rtol), 100 * float(np.finfo(state.real).eps)
    if not rtol >= 0:
        raise ArgumentError(f"{who}: rtol is {rtol}; expected a number of at least 0")
    if rtol < least:
        warnings.warn(f"{who}: rtol={rtol:.3g} is below what {state.dtype} can hold; {least:.3g} is used", stacklevel=4)
        rtol = least
    if largest is None or not float(largest) > 0:
        raise ArgumentError(f"{who}: max_step is {largest!r}; expected a positive number")
    if first is not None and not 0 < float(first) <= max(abs(end - start), 0.0):
        raise ArgumentError(
            f"{who}: first_step is {first!r}; expected a positive number of at most {abs(end - start)}, as t_span"
        )
    if steps is not None and (steps != int(steps) or steps < 1):
        raise ArgumentError(f"{who}: max_steps is {steps!r}; expected a positive integer")
    return Control(
        start,
        end,
        rtol,
        _absolute(who, state, atol),
        None if first is None else float(first),
        float(largest),
        None if steps is None else int(steps),
    )


def _absolute(who: str, state: State, atol: Any) -> Any:
    a = np.asarray(concrete_array(atol, f"{who}: atol") if np.ndim(atol) or hasattr(atol, "_v") else atol, state.real)
    if np.any(a < 0) or not np.all(np.isfinite(a)):
        raise ArgumentError(f"{who}: atol is {atol!r}; expected numbers of at least 0")
    if a.ndim == 0:
        return state.real.type(a)
    if a.size != state.n:
        raise ShapeError(f"{who}: atol has shape {a.shape}; give one number, or one for each of the {state.n} of y0")
    return a.reshape(-1)


def rms(x: np.ndarray) -> float:
    """Root of the mean of the squares."""
    if x.size == 0:
        return 0.0
    if x.dtype.kind == "c":
        x = np.abs(x)
    return math.sqrt(x.dot(x) / x.size)


def first_step(f: Callable, c: Control, y: np.ndarray, f0: np.ndarray, order: int) -> float:
    """Hairer, Norsett and Wanner, "Solving ODEs I", II.4: steps for which an explicit Euler step is small."""
    span = abs(c.end - c.start)
    if c.first is not None or span == 0:
        return c.first if c.first is not None else 0.0
    scale = c.scale(np.abs(y))
    d0, d1 = rms(y / scale), rms(f0 / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, span)
    f1 = f(c.start + h0 * c.direction, y + f0 * (h0 * c.direction))
    d2 = rms((f1 - f0) / scale) / h0
    h1 = max(1e-6, h0 * 1e-3) if max(d1, d2) <= 1e-15 else (0.01 / max(d1, d2)) ** (1 / (order + 1))
    return min(100 * h0, h1, span, c.largest)


def least_step(t: float, direction: float) -> float:
    """The smallest step that still moves the time by a few units of rounding."""
    return 10 * abs(math.nextafter(t, direction * math.inf) - t)
