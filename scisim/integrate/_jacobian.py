"""The Jacobian of a right-hand side, for implicit methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.slots import univariate
from scisim.autodiff.taylor import Taylor
from scisim.core.avals import ShapeDtype
from scisim.core.batch import Batch
from scisim.core.capture import capture, close
from scisim.core.errors import ShapeError, TraceError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced, as_value, name_of, shape, zeros_like
from scisim.ops.shape import astype, matrix_transpose


def differentiated(f: Callable) -> Callable:
    """``jacobian(t, y)`` of a function of values, in primitives: derivatives along all directions at once."""

    def jacobian(t: Any, y: Any) -> Any:
        with Batch("jacobian", y.shape[0]) as rows, Taylor("jacobian", univariate(1)) as series:
            out = f(t, series.variable(y, {1: rows.wrap(np.eye(y.shape[0], dtype=y.dtype))}))
            c = series.coefficient(out, 1)
            return matrix_transpose(rows.materialize(zeros_like(y) if c is None else c))

    return jacobian


class Jacobian:
    """``jacobian(t, y)`` on arrays, counted.

    Parameters
    ----------
    f : callable
        The function on arrays.
    given : callable, array or None
        What the user gave.
    system : callable
        The function on values, which is differentiated where nothing is given.
    """

    def __init__(self, who: str, f: Callable, given: Any, system: Any) -> None:
        self.who, self.f, self.given, self.system, self.state = who, f, given, system, system.state
        self.count, self.calls = 0, 0
        self.constant = None if given is None or callable(given) else self._checked(given)
        self._ready: Callable | None = None

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        if self.constant is not None:
            return self.constant
        self.count += 1
        if self.given is not None:
            time = wrap(self.state.real.type(t))
            return self._checked(self.given(time, self.state.tree(y), *self.system.args))
        if self._ready is None:
            self._ready = self._prepared(t, y)
        return self._ready(t, y)

    def _checked(self, out: Any) -> np.ndarray:
        v = Tensor(out)._v if not isinstance(out, Tensor) else out._v
        n = self.state.n
        if isinstance(v, Traced):
            while isinstance(v, Traced):
                v = v.lower  # it only steers the iteration, so it needs no derivative
        if shape(v) != (n, n):
            raise ShapeError(
                f"{self.who}: jac gives shape {shape(v)} for a state of {n} numbers; expected {(n, n)}: entry i, j "
                f"is the derivative of dy_i/dt in y_j"
            )
        return np.asarray(v, np.result_type(self.state.dtype, v.dtype) if v.dtype.kind == "c" else self.state.dtype)

    def _prepared(self, t: float, y: np.ndarray) -> Callable:
        """By differentiation: as a graph where the function can be captured, else as it is; or by differences, where
        it computes with NumPy alone."""
        state, jacobian = self.state, differentiated(self.system)
        avals = [ShapeDtype((), state.real), ShapeDtype((state.n,), state.dtype)]
        time = state.real.type
        try:
            graph, held = close(capture(lambda t, y: [jacobian(t, y)], avals))
        except TraceError:
            try:
                jacobian(time(t), y)
            except TraceError:
                return self._differences
            return lambda t, y: np.asarray(_bare(jacobian(time(t), y)))
        arrays = [_bare(v) for v in held]
        return lambda t, y: np.asarray(graph(time(t), y, *arrays)[0])

    def _differences(self, t: float, y: np.ndarray) -> np.ndarray:
        f0, columns = self.f(t, y), []
        for k in range(y.size):
            h = float(np.sqrt(np.finfo(y.dtype).eps)) * max(1.0, abs(y[k]))
            moved = y.copy()
            moved[k] += h
            columns.append((self.f(t, moved) - f0) / h)
        self.calls += y.size + 1
        return np.stack(columns, axis=1)


def _bare(v: Any) -> Any:
    while isinstance(v, Traced):
        v = v.lower
    return v


def given_or_differentiated(system: Any, given: Any, f: Callable) -> Callable:
    """The Jacobian on values of any kind."""
    if given is None:
        return differentiated(f)
    if not callable(given):
        constant = Tensor(given)._v
        return lambda t, y: constant

    def jacobian(t: Any, y: Any) -> Any:
        out = given(wrap(astype(t, system.state.real)), system.state.tree(y), *system.args)
        return out._v if isinstance(out, Tensor) else Tensor(out)._v if isinstance(out, list) else as_value(out)

    jacobian.__name__ = name_of(given)
    return jacobian
