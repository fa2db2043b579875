"""Initial value problems of ordinary differential equations, with SciPy's signature and derivatives of any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.values import check_function
from scisim.integrate._control import control
from scisim.integrate._problem import WHO, Problem
from scisim.integrate._result import OdeResult
from scisim.integrate._system import MeetsTraced


def solve_ivp(
    fun: Callable,
    t_span: Any,
    y0: Any,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: tuple | None = None,
    *,
    rtol: float = 1e-3,
    atol: Any = 1e-6,
    first_step: float | None = None,
    max_step: float = np.inf,
    max_steps: int | None = None,
    max_events: int = 16,
    jac: Any = None,
    adjoint: str = "discrete",
) -> OdeResult:
    """Solve an initial value problem dy/dt = fun(t, y), y(t0) = y0.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, *args)``: the slopes, in the shape or structure of `y0`; for a vector also a list of numbers.
    t_span : tuple of two floats
        Start and end, in either order.
    y0 : array_like, shape (n,)
        Initial state, real or complex; or an array of any shape, or a container of arrays, which `fun` then takes and
        returns.  A list of numbers is a vector.
    method : {"RK45", "RK23", "DOP853", "Radau", "BDF", "Rodas"}
        Explicit Runge-Kutta pairs of order 5 (Dormand and Prince), 3 (Bogacki and Shampine) and 8 (Hairer, Norsett and
        Wanner); for stiff problems Radau IIA of order 5, backward differentiation of orders 1 to 5, and the
        Rosenbrock method RODAS of order 4.  Implicit ones differentiate `fun` for its Jacobian.
    t_eval : array_like, shape (n_points,), optional
        Times of output, in the order of `t_span` and within it; by default all steps.
    dense_output : bool
        Also give the solution as a function of time.
    events : callable, or list of callables, optional
        ``event(t, y, *args)``, one real number, of which zeros are found.  With an attribute ``terminal`` of True, or
        a number of times, its zero ends the integration; with ``direction`` above or below 0 only zeros of rising or
        falling values count.
    vectorized : bool
        Accepted as in SciPy; it has no effect, since Jacobians come by differentiation.
    args : tuple, optional
        Further arguments of `fun`, of events and of `jac`.
    rtol, atol : float, or atol an array with a number for each of the state
        The local error is kept below ``atol + rtol * abs(y)``.
    first_step : float, optional
    max_step : float
    max_steps : int, optional
        The greatest number of steps.  Unlimited by default; inside jit and vmap 4096.
    max_events : int
        Inside jit and vmap, how many zeros of each event are kept.
    jac : callable or array, shape (n, n), optional
        ``jac(t, y, *args)``: the Jacobian for implicit methods, where it is known better than by differentiation.
    adjoint : {"discrete", "continuous"}
        How derivatives are found: see Notes.  The continuous one needs `t_eval`.

    Returns
    -------
    OdeResult
        With the fields of SciPy's: t, y, sol, t_events, y_events, nfev, njev, nlu, status, message, success.  ``y`` has
        the state's shape with times along a further last axis.

    Raises
    ------
    ArgumentError
        For an unknown method, times outside of the span or not in order, tolerances below 0, or a function that is nan
        at the start.
    ShapeError, DTypeError, ArgumentTypeError
        When `fun` returns another shape, complex numbers for a real state, or another structure.

    Notes
    -----
    A step that fails gives status -1 and a message that says at which time and what may help, as in SciPy.

    Derivatives (of any order, in `y0`, both ends of `t_span`, `t_eval`, `args` and whatever `fun` closes over): the
    accepted steps are repeated with derivatives, their sizes constant or in proportion to the span.  This discrete
    adjoint is the exact derivative of the computed solution; reverse mode keeps one state a step.  Times of events
    follow by the implicit function theorem.  The continuous adjoint integrates an equation for cotangents backwards:
    it needs no memory for steps and agrees to the tolerances.

    Inside jit and vmap the number of steps is not known.  Without `t_eval` results are then padded to
    ``max_steps + 1`` times with the last state, so that ``y[..., -1]`` is the final one; times of events, and output
    after a terminal event, are padded with nan.  If `max_steps` do not reach the end, what is missing is nan and
    success is False.  Each problem of a batch has its own steps.

    For float32 states, times within `fun` and in the result are float32.

    Sources: Hairer, Norsett and Wanner, "Solving Ordinary Differential Equations I" and "II"; Shampine and Reichelt,
    "The MATLAB ODE suite" (1997).

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> from scisim import integrate
    >>> def swing(t, y, k):
    ...     return [y[1], -k * y[0]]
    >>> s = integrate.solve_ivp(swing, (0.0, 1.0), [1.0, 0.0], args=(4.0,), rtol=1e-9, atol=1e-9)
    >>> s.y[:, -1]
    Tensor([-0.41614684, -1.81859485])
    >>> end = lambda k: integrate.solve_ivp(swing, (0.0, 1.0), [1.0, 0.0], args=(k,), rtol=1e-9, atol=1e-9).y[0, -1]
    >>> ad.grad(end)(4.0)
    Tensor(-0.22732436)
    """
    check_function(WHO, fun)
    if adjoint not in ("discrete", "continuous"):
        raise ArgumentError(f"{WHO}: adjoint is {adjoint!r}; expected 'discrete' or 'continuous'")
    problem = Problem(fun, t_span, y0, method, t_eval, dense_output, events, args, jac)
    problem.max_events = max_events
    c = control(WHO, problem.state, *problem.span, rtol, atol, first_step, max_step, max_steps)
    if not problem.traced():
        try:
            return problem.plainly(c)
        except MeetsTraced:
            pass
    if adjoint == "continuous":
        settings = {"method": method, "rtol": rtol, "atol": atol, "max_step": max_step, "max_steps": max_steps}
        return problem.by_adjoint(lambda f, span, y, ts: solve_ivp(f, span, y, t_eval=ts, **settings))
    return problem.within(c) if problem.unknown() else problem.again(c)
