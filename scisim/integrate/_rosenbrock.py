"""The Rosenbrock method RODAS of order 4: stiff problems by linear systems alone, on values of any kind.

Hairer and Wanner, "Solving Ordinary Differential Equations II", 2nd ed. (1996), VI.4 and their code RODAS: six stages,
stiffly accurate, an embedded method of order 3, a continuous extension of order 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.slots import univariate
from scisim.autodiff.taylor import Taylor
from scisim.core.values import Traced, zeros_like
from scisim.integrate._control import LEAST, MOST, SAFETY, TOO_SMALL, Control, first_step, least_step, rms
from scisim.integrate._explicit import weigh, width_of
from scisim.ops.shape import astype, reshape, stack

GAMMA = 0.25
STAGES = (
    (),
    (1.544,),
    (0.9466785280815826, 0.2557011698983284),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950),
)
COUPLING = (
    (),
    (-5.6688,),
    (-2.430093356833875, -0.2063599157091915),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
    (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
)
TIMES = (0.0, 0.386, 0.21, 0.63, 1.0, 1.0)
IN_TIME = (0.25, -0.1043, 0.1035, -0.0362)
BETWEEN = (
    (10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662),
    (-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872),
)


def slope_in_time(f: Callable, t: Any, y: Any) -> Any:
    """The partial derivative of the right-hand side in time."""
    with Taylor("slope in time", univariate(1)) as series:
        time = astype(t, np.float64)
        c = series.coefficient(f(series.variable(time, {1: np.float64(1.0)}), y), 1)
        return zeros_like(y) if c is None else c


def rodas_step(f: Callable, J: Any, ft: Any, t: Any, end: Any, y: Any, dense: bool) -> tuple[Any, Any, Any]:
    """The state at the end of a step, the estimate of its error, and the coefficients between."""
    from scisim.ops._linalg.solving import solve_p

    h, n = end - t, y.shape[0]
    width = width_of(h, y)
    matrix = np.eye(n, dtype=width.dtype) / (GAMMA * width) - J
    ks: list[Any] = []

    def stage(k: int, at: Any) -> Any:
        right = f(end if TIMES[k] == 1.0 else t + TIMES[k] * h, at)
        if COUPLING[k]:
            right = right + weigh(ks, COUPLING[k]) / width
        if k < len(IN_TIME):
            right = right + ft * (IN_TIME[k] * width)
        ks.append(reshape(solve_p(matrix, reshape(right, (n, 1))), (n,)))
        return ks[-1]

    at = y
    for k, a in enumerate(STAGES):
        at = y + weigh(ks, a) if a else y
        stage(k, at)
    at = at + ks[4]
    error = stage(5, at)
    new = at + error
    if not dense:
        return new, error, None
    second, third = (weigh(ks[:5], w) for w in BETWEEN)
    rise = new - y  # theta (rise + (1 - theta) (second + theta third))
    return new, error, stack([rise + second, third - second, -third])


class RodasSolver:
    """One integration; attributes as those of `ExplicitSolver`."""

    record = None

    def __init__(self, f: Callable, jacobian: Any, in_time: Callable, control: Control, y: np.ndarray) -> None:
        self.fun, self.jacobian, self.in_time, self.control = f, jacobian, in_time, control
        self.nfev, self.nlu = 1, 0
        self.failed_at: float | None = None
        self.t, self.y, self.f = control.start, y, f(control.start, y)
        self.before = (self.t, y)
        self.h = first_step(self._counted, control, y, self.f, 3)
        self.njev = 0

    def _counted(self, t: float, y: np.ndarray) -> np.ndarray:
        self.nfev += 1
        return self.fun(t, y)

    def step(self) -> str | None:
        """One accepted step, or why there is none."""
        c, t0, rejected = self.control, self.t, False
        least = least_step(t0, c.direction)
        size = min(max(self.h, least), c.largest)
        J, ft = self.jacobian(t0, self.y), self.in_time(t0, self.y)
        self.njev = self.jacobian.count
        while True:
            if size < least:
                return TOO_SMALL
            t = t0 + size * c.direction
            if c.direction * (t - c.end) > 0:
                t = c.end
            size = abs(t - t0)
            y, error, cs = rodas_step(self._counted, J, ft, t0, t, self.y, True)
            self.nlu += 1
            size_of = rms(error / c.scale(np.maximum(np.abs(self.y), np.abs(y))))
            if size_of < 1:
                factor = MOST if size_of == 0 else min(MOST, SAFETY * size_of**-0.25)
                self.h = size * (min(1.0, factor) if rejected else factor)
                self.before, self.t, self.y, self._coefficients = (t0, self.y), t, y, cs
                return None
            self.failed_at = None if math.isfinite(size_of) else t
            size *= max(LEAST, SAFETY * size_of**-0.25) if math.isfinite(size_of) else LEAST
            rejected = True

    def coefficients(self) -> np.ndarray:
        """Of the polynomial in theta over the last step."""
        return self._coefficients


def prepared_slope(system: Any) -> Callable:
    """`slope_in_time` on arrays: as a graph where the function can be captured."""
    from scisim.core.avals import ShapeDtype
    from scisim.core.capture import capture, close
    from scisim.core.errors import TraceError

    state, time = system.state, system.state.real.type

    def bare(v: Any) -> Any:
        while isinstance(v, Traced):
            v = v.lower
        return np.asarray(v)

    try:
        avals = [ShapeDtype((), state.real), ShapeDtype((state.n,), state.dtype)]
        graph, held = close(capture(lambda t, y: [slope_in_time(system, t, y)], avals))
    except TraceError:
        return lambda t, y: bare(slope_in_time(system, np.float64(t), y))
    arrays = [bare(v) for v in held]
    return lambda t, y: np.asarray(graph(time(t), y, *arrays)[0])
