"""What `solve_ivp` returns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import Traced, own
from scisim.integrate._system import State
from scisim.ops.arithmetic import stop
from scisim.ops.index import index
from scisim.ops.select import clip
from scisim.ops.shape import astype, reshape


@dataclass(frozen=True)
class OdeResult:
    """The solution of an initial value problem, with the fields of SciPy's.

    Attributes
    ----------
    t : Tensor, shape (n_points,)
        Times: those of `t_eval`, or of all steps.
    y : Tensor, shape (n, n_points), or container of them
        States: as `y0`, with times along a further last axis.
    sol : OdeSolution or None
        The solution as a function of time, where `dense_output` asked for it.
    t_events, y_events : list of Tensor, or None
        For each event function the times at which it was zero, and the states there, by row.
    nfev, njev, nlu : int
        Evaluations of the function, of its Jacobian, and factorisations.
    status : int
        0 when the end was reached, 1 at a terminal event, -1 when a step failed.
    message : str
    success : bool
        Whether the end or a terminal event was reached.
    """

    t: Any
    y: Any
    sol: Any
    t_events: Any
    y_events: Any
    nfev: Any
    njev: Any
    nlu: Any
    status: Any
    message: str
    success: Any

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def keys(self) -> list[str]:
        """Names of the fields."""
        return [f.name for f in fields(self)]


_PARTS = ("t", "y", "sol", "t_events", "y_events", "nfev", "njev", "nlu", "status", "success")
pytree.register(
    OdeResult,
    lambda r: (tuple(getattr(r, k) for k in _PARTS), r.message, _PARTS),
    lambda message, parts: OdeResult(**dict(zip(_PARTS, parts, strict=True)), message=message),
)


class OdeSolution:
    """The solution between the steps: a polynomial on each.

    Parameters
    ----------
    ts : Tensor, shape (steps + 1,)
        Ends of the steps.
    """

    def __init__(self, state: State, ts: Any, ys: Any, coefficients: Any) -> None:
        self._state, self._ts, self._ys, self._coefficients = state, ts, ys, coefficients

    @property
    def ts(self) -> Tensor:
        """Ends of the steps."""
        return wrap(self._ts)

    @property
    def t_min(self) -> Any:
        """The earliest time."""
        return wrap(self._ts).min()

    @property
    def t_max(self) -> Any:
        """The latest time."""
        return wrap(self._ts).max()

    def __call__(self, t: Any) -> Any:
        """The state at a time, or at each of a vector of times (along a further last axis).

        Beyond the ends the polynomials of the first and the last step go on.
        """
        v = own(unwrap(t))
        single = v.ndim == 0
        ts = reshape(v, (1,)) if single else v
        out = self._state.table(self.rows(ts))
        return pytree.tree_map(lambda y: y[..., 0], out) if single else out

    def rows(self, ts: Any) -> Any:
        """States by row."""
        return interpolated(self._ts, self._ys, self._coefficients, ts, segments(self._ts, ts))


pytree.register(
    OdeSolution,
    lambda s: ((wrap(s._ts), wrap(s._ys), wrap(s._coefficients)), s._state, ("ts", "ys", "coefficients")),
    lambda state, parts: OdeSolution(state, *map(unwrap, parts)),
)


def segments(nodes: Any, ts: Any) -> Any:
    """The step that each time lies in; ends belong to the step before them."""
    from scisim.ops.sorting import searchsorted

    last = nodes.shape[0] - 2
    if not isinstance(nodes, Traced) and not isinstance(ts, Traced):
        forward = nodes[-1] >= nodes[0]
        found = np.searchsorted(nodes, ts) if forward else len(nodes) - np.searchsorted(nodes[::-1], ts, side="right")
        return np.clip(found - 1, 0, max(last, 0))
    way = 1.0 - 2.0 * astype(stop(nodes[-1]) < stop(nodes[0]), np.float64)
    found = searchsorted(stop(nodes) * way, stop(ts) * way)
    return clip(found - 1, 0, max(last, 0))


def interpolated(nodes: Any, ys: Any, coefficients: Any, ts: Any, at: Any) -> Any:
    """States by row at times that lie in the given steps."""
    start, end = index(nodes, at), index(nodes, at + 1)
    theta = reshape(astype((ts - start) / (end - start), np.zeros((), ys.dtype).real.dtype), (ts.shape[0], 1))
    cs = index(coefficients, at)
    return polynomial(index(ys, at), [cs[:, j] for j in range(cs.shape[1])], theta)


def polynomial(y: Any, coefficients: list, theta: Any) -> Any:
    """y + c_0 theta + c_1 theta^2 + ..."""
    total = coefficients[-1] * theta
    for c in coefficients[-2::-1]:
        total = (total + c) * theta
    return y + total
