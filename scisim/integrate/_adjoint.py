"""The continuous adjoint: cotangents by an equation that is integrated backwards, without the memory of steps.

Pontryagin's adjoint: a' = -(df/dy)^T a backwards in time, with a jump at each output time; the cotangents of
parameters are the integrals of (df/dp)^T a.  It is the derivative of the exact solution, so it agrees with that of the
computed one to the tolerances only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.custom import custom_vjp
from scisim.autodiff.gradients import vjp
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import inexact
from scisim.integrate._bounded import opened
from scisim.ops.complexes import conj, real
from scisim.ops.reduce import sum as total
from scisim.ops.shape import astype, concat, reshape


def adjoint_rows(system: Callable, state: Any, solve: Callable, y: Any, start: Any, ts: Any) -> Any:
    """States by row at the times ``ts``, whose cotangents come by the continuous adjoint.

    Parameters
    ----------
    solve : callable
        ``solve(fun, span, y0, t_eval)``: `solve_ivp` with the settings of the user.
    """
    open_f, held = opened(system, state)
    moving = [k for k, v in enumerate(held) if inexact(v.dtype)]

    def merged(parts: Any) -> list:
        out = list(held)
        for k, p in zip(moving, parts, strict=True):
            out[k] = unwrap(p)
        return out

    def right_side(t: Tensor, y: Tensor, parts: Any) -> Tensor:
        return wrap(open_f(merged(parts))(unwrap(t), unwrap(y)))

    def forward_rows(y: Tensor, start: Tensor, ts: Tensor, *parts: Tensor) -> Tensor:
        return solve(lambda t, y: right_side(t, y, parts), (start, ts[-1]), y, ts).y.T

    def forward(y: Tensor, start: Tensor, ts: Tensor, *parts: Tensor) -> tuple:
        rows = forward_rows(y, start, ts, *parts)
        return rows, (y, start, ts, rows, parts)

    def backward(residuals: tuple, ct: Tensor) -> tuple:
        y, start, ts, rows, parts = residuals
        a, g = ct[0] * 0.0, [p * 0.0 for p in parts]
        in_time = []
        for k in reversed(range(rows.shape[0])):
            in_time.append(_along(right_side(ts[k], rows[k], parts), ct[k]))
            a = a + ct[k]
            before = ts[k - 1] if k else start
            a, g = _back(solve, right_side, parts, (ts[k], before), rows[k], a, g)
        return a, -_along(right_side(start, y, parts), a), _stacked(in_time[::-1]), *g

    rule = custom_vjp(forward_rows)
    rule.defvjp(forward, backward)
    return unwrap(rule(wrap(y), wrap(start), wrap(ts), *(wrap(held[k]) for k in moving)))


def _along(f: Tensor, ct: Tensor) -> Tensor:
    """The cotangent of a time at which the state has the given one."""
    return wrap(astype(total(real(conj(unwrap(ct)) * unwrap(f))), np.float64))


def _stacked(xs: list) -> Tensor:
    return wrap(concat([reshape(unwrap(x), (1,)) for x in xs], 0))


def _back(solve: Callable, f: Callable, parts: tuple, span: tuple, y: Tensor, a: Tensor, g: list) -> tuple:
    """Cotangents of state and parameters at the earlier end of a stretch."""

    def augmented(t: Tensor, state: dict) -> dict:
        slope, pullback = vjp(lambda y, *p: f(t, y, p), state["y"], *parts)
        cts = pullback(state["a"])
        return {"y": slope, "a": -cts[0], "g": [-c for c in cts[1:]]}

    out = solve(augmented, span, {"y": y, "a": a, "g": list(g)}, None).y
    return out["a"][..., -1], [x[..., -1] for x in out["g"]]
