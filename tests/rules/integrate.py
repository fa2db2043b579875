"""Rows for integration: solvers of differential equations, quadrature, samples, and what they are made of.

Steps are held by `max_step`, so that a solution is a smooth function that differences can follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim import integrate
from scisim.autodiff._pinned import pinned_call
from scisim.core.tensor import Tensor, wrap
from tests.rules.cases import Case, array, primitive


def row(name: str, call: Callable, *operands: Any, tag: str = "", **more: Any) -> Case:
    arrays = tuple(np.asarray(x) for x in operands)
    kind = " complex" if any(x.dtype.kind == "c" for x in arrays) else ""
    return Case(f"integrate.{name}{tag and ' ' + tag}{kind}", (f"fn:integrate.{name}",), call, arrays, **more)


def _pinned(x: Tensor) -> Tensor:
    """The values and the derivatives of a square by two ways."""
    return wrap(pinned_call(lambda v: (v * v,), lambda v: (v * v,), x._v)[0])


WEIGHTS = {"params": {"weights": (0.5, 2.0, 0.25)}}
PRIMITIVES = [
    primitive("weighted_sum", *(array(3, seed=k) for k in range(3)), **WEIGHTS),
    primitive("weighted_sum", *(array(3, seed=k, kind="c") for k in range(3)), **WEIGHTS),
    primitive("weighted_sum", array(2, 3), array(3, seed=1), array(1, seed=2), tag="broadcast", **WEIGHTS),
    Case("pinned call", ("prim:pinned_call",), _pinned, (array(3),)),
    Case("pinned call complex", ("prim:pinned_call",), _pinned, (array(3, kind="c"),)),
]

# --- differential equations ------------------------------------------------------------------------------------------
HELD = {"first_step": 0.1, "max_step": 0.1, "max_steps": 3, "rtol": 1e-2, "atol": 1e-2}


def solved(y0: Tensor, k: Tensor, **more: Any) -> Any:
    setting = {"t_eval": [0.05, 0.14], **HELD, **more}
    return integrate.solve_ivp(lambda t, y: ss.sin(k * y) - y * ss.cos(t) / 2.0, (0.0, 0.15), y0, **setting)


def states(y0: Tensor, k: Tensor) -> Tensor:
    return solved(y0, k).y


def dense(y0: Tensor, k: Tensor) -> Tensor:
    return solved(y0, k, dense_output=True).sol(ss.asarray([0.12, 0.04], dtype=y0.dtype))


def turned(y0: Tensor, k: Tensor) -> tuple:
    """Where a component passes a level, and the state there."""
    event = lambda t, y: y[0] - 0.93 * ss.mean(y0)
    event.terminal = True
    f = lambda t, y: -k * y
    s = integrate.solve_ivp(f, (0.0, 0.75), y0, events=event, **HELD | {"max_steps": 9})
    return s.t_events[0], s.y_events[0]


RATE = array(seed=5, kind="p")
EQUATIONS = [
    row("solve_ivp", states, array(2, kind="p"), RATE, order=4),
    row("solve_ivp", states, array(2, kind="c", high=0.6), RATE, order=4),
    row("solve_ivp", states, array(0), RATE, tag="empty", order=4),
    row("solve_ivp", states, array(2, 2, kind="p"), array(2, seed=1, kind="p"), tag="broadcast", order=4),
    # Zeros of events end where rounding decides, so programs are compared in tests/integrate instead.
    row("solve_ivp", turned, np.array([1.2, 1.3]), np.array(1.1), tag="events", order=4, concrete=True),
    row("OdeSolution", dense, array(2, kind="p"), RATE, order=4),
    row("OdeResult", lambda y: ss.asarray(solved(y, ss.asarray(0.5)).nfev), array(2, kind="p"), concrete=True),
]

TIMES = np.array([0.0, 0.2, 0.5])


def stepped(y0: Tensor, k: Tensor, t: Tensor) -> Tensor:
    return integrate.rk4(lambda t, y: ss.sin(k * y) * ss.cos(t), y0, t)


def pendulum(q0: Tensor, p0: Tensor, t: Tensor) -> tuple:
    return integrate.symplectic(lambda q: -ss.sin(q), q0, p0, t, method="yoshida4")


def bent() -> Any:
    """Nodes are chosen by values in double precision; derivatives are held in tests/integrate."""
    f = lambda x, y: ss.stack([y[1], -y[0]])
    bc = lambda a, b: ss.stack([a[0], b[0] - 1.0])
    return integrate.solve_bvp(f, bc, np.linspace(0.0, 1.0, 5), np.zeros((2, 5)))


BOUNDARY = [
    row("solve_bvp", lambda: bent().y, concrete=True),
    row("BVPResult", lambda: bent().x, concrete=True),
]
FIXED = [
    row("rk4", stepped, array(2), RATE, TIMES, order=4),
    row("rk4", stepped, array(2, kind="c"), RATE, TIMES, order=4),
    row("rk4", stepped, array(0), RATE, TIMES, tag="empty", order=4),
    row("symplectic", pendulum, array(2), array(2, seed=1), TIMES, order=4),
    row("symplectic", pendulum, array(0), array(0), TIMES, tag="empty", order=4),
]

# --- quadrature ------------------------------------------------------------------------------------------------------
LIMITS = (np.array(0.2), np.array(1.7))


def simple(k: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return integrate.quad(lambda x: ss.sin(k * x) * ss.exp(-x), a, b, limit=4)[0]


def endless(k: Tensor, a: Tensor) -> Tensor:
    return integrate.quad(lambda x: ss.exp(-k * x), a, ss.inf, limit=40)[0]


def several(n: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return integrate.quad_vec(lambda x: ss.cos(n * x), a, b, limit=4)[0]


def fixed(n: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return integrate.fixed_quad(lambda x: ss.cos(n[..., None] * x), a, b, n=4)[0]


def double(c: Tensor) -> Tensor:
    return integrate.dblquad(lambda y, x: ss.exp(-c * x * y), 0.0, c, 0.0, lambda x: c * x)[0]


def triple() -> Tensor:
    """Three levels take long to differentiate; `nquad`, which it calls, shows that they do."""
    return integrate.tplquad(lambda z, y, x: x + y * z, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0)[0]


def nested(c: Tensor) -> Tensor:
    return integrate.nquad(lambda x, y: ss.sin(c * x * y), [[0.0 * c, 0.0 * c + 1.0], [0.0 * c, c]])[0]


NESTED = {"concrete": True, "order": 4}  # programs of nested integrals take long to compile; see tests/integrate
QUADRATURE = [
    row("quad", simple, np.array(1.3), *LIMITS),
    row("quad", simple, np.array(1.3 + 0.4j), *LIMITS),
    row("quad", endless, np.array(1.3), np.array(0.3), tag="infinite", order=4, concrete=True),
    row("quad_vec", several, array(3), *LIMITS),
    row("quad_vec", several, array(3, kind="c"), *LIMITS),
    row("quad_vec", several, array(0), *LIMITS, tag="empty"),
    row("fixed_quad", fixed, array(3), *LIMITS),
    row("fixed_quad", fixed, array(3, kind="c"), *LIMITS),
    row("fixed_quad", fixed, array(0), *LIMITS, tag="empty"),
    row("dblquad", double, np.array(1.1), **NESTED),
    row("tplquad", triple, concrete=True),
    row("nquad", nested, np.array(0.7), **NESTED),
    row("leggauss", lambda: integrate.leggauss(4)),
    row("IntegrationWarning", lambda: ss.asarray(issubclass(integrate.IntegrationWarning, UserWarning)), concrete=True),
]

# --- samples ---------------------------------------------------------------------------------------------------------
GRID = np.cumsum(array(5, seed=3, kind="p"))


def sampled(name: str, rule: Callable) -> list[Case]:
    return [
        row(name, rule, array(5, seed=1), GRID),
        row(name, rule, array(5, seed=1, kind="c"), GRID),
        row(name, rule, array(3, 5, seed=1), GRID, tag="broadcast"),
        row(name, rule, array(0, 5), GRID, tag="empty"),
    ]


SAMPLES = [
    *sampled("simpson", lambda y, x: integrate.simpson(y, x=x)),
    *sampled("cumulative_simpson", lambda y, x: integrate.cumulative_simpson(y, x=x)),
    *sampled("trapezoid", lambda y, x: integrate.trapezoid(y, x)),
    *sampled("cumulative_trapezoid", lambda y, x: integrate.cumulative_trapezoid(y, x)),
    row("romb", integrate.romb, array(5)),
    row("romb", integrate.romb, array(5, kind="c")),
    row("romb", integrate.romb, array(0, 5), tag="empty"),
]

ROWS = [*PRIMITIVES, *EQUATIONS, *BOUNDARY, *FIXED, *QUADRATURE, *SAMPLES]

_ONE = "an integrand of one number"
_AXIS = "samples run along an axis"
EXEMPT: dict[str, dict[str, str]] = {
    "fn:integrate.OdeSolution": {"complex": "see solve_ivp", "empty": "see solve_ivp"},
    "fn:integrate.OdeResult": dict.fromkeys(("complex", "empty", "0-d"), "see solve_ivp"),
    "fn:integrate.symplectic": {"complex": "positions are real", "0-d": "times are a vector"},
    "fn:integrate.quad": {"empty": _ONE, "broadcast": _ONE},
    **{f"fn:integrate.{n}": {"empty": _ONE, "complex": "see quad"} for n in ("dblquad", "nquad")},
    **{f"fn:integrate.{n}": {"0-d": _AXIS} for n in ("simpson", "cumulative_simpson", "romb")},
    **{f"fn:integrate.{n}": {"0-d": _AXIS} for n in ("trapezoid", "cumulative_trapezoid")},
}
