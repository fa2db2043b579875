"""Least squares, and fits of curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor, unwrap
from scisim.core.values import Traced, name_of, shape
from scisim.optimize import _least as ls
from scisim.optimize._bounds import Bounds, read_bounds
from scisim.optimize._callback import teller
from scisim.optimize._conditions import between_bounds
from scisim.optimize._implicit import settled, solved
from scisim.optimize._layout import Layout, vector_function
from scisim.optimize._options import chosen, number, whole
from scisim.optimize._result import MESSAGES, OptimizeResult, plain, tensor
from scisim.optimize._slopes import matrix_function
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import biggest

WHO = "optimize.least_squares"
MESSAGES[WHO] = {
    ls.STOPPED: "not converged: the callback asked to stop",
    ls.MAXITER: "not converged: the evaluations allowed (max_nfev) are used up",
    ls.GTOL: "converged: the gradient is within gtol",
    ls.FTOL: "converged: the relative decrease of the cost is within ftol",
    ls.XTOL: "converged: the step is within xtol",
    ls.NOT_FINITE: "not converged: the residuals or their Jacobian are not finite",
    ls.STUCK: "not converged: no step lowers the cost; the Jacobian may be wrong, or the residuals rough",
}
_METHODS = {"trf": "bounds allowed", "lm": "without bounds"}


def least_squares(
    fun: Callable,
    x0: Any,
    jac: Any = None,
    bounds: Any = None,
    method: str = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    x_scale: Any = "jac",
    loss: str = "linear",
    f_scale: float = 1.0,
    max_nfev: int | None = None,
    verbose: int = 0,
    args: Any = (),
    kwargs: dict | None = None,
    callback: Callable | None = None,
) -> OptimizeResult:
    """The least sum of squares, or of a loss, of residuals, as a differentiable function of what they depend on.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args, **kwargs)`` gives the residuals, real numbers in an array or a container.
    x0 : array_like or container of arrays
        The start; real or complex, of any shape.
    jac : callable, optional
        The Jacobian of ``fun``; by default `autodiff` gives it.
    bounds : pair of array_like or Bounds, optional
        Lower and upper limits, each a number for all or an array like x; derivatives in them exist.
    method : {"trf", "lm"}
        With or without bounds; both are damped Gauss-Newton methods here.
    ftol, xtol, gtol : float or None
        Tolerances of the relative decrease of the cost, of the relative step, and of the gradient; None: not tested.
    x_scale : "jac" or array_like
        Scales of the variables; by default those of the Jacobian's columns.
    loss : {"linear", "soft_l1", "huber", "cauchy", "arctan"}
        rho of the squared residuals z: z, 2 (sqrt(1 + z) - 1), z up to 1 and 2 sqrt(z) - 1 beyond, log(1 + z),
        arctan(z).
    f_scale : float
        Residuals beyond it count as outliers.
    max_nfev : int, optional
        By default 100 for each variable.
    verbose : int
        1 prints the result where nothing is traced.
    args, kwargs
        Further arguments of ``fun`` and ``jac``, in which the solution has derivatives.
    callback : callable, optional
        As for `minimize`.

    Returns
    -------
    OptimizeResult
        With ``x``, ``cost`` (half the sum), ``fun``, ``jac`` (a matrix), ``grad``, ``optimality``, ``active_mask``,
        ``success``, ``status``, ``message``, ``nfev``, ``njev``.

    Raises
    ------
    ShapeError, ArgumentError
        When residuals are not finite at the start, bounds are in reverse, or an option is unknown.
    ConvergenceError
        When a derivative is asked of a result that has not converged; in captured and mapped programs it is nan.

    Notes
    -----
    Derivatives come from the equation that the gradient of the cost is 0, with second derivatives of the residuals,
    to any order; at bounds as for `minimize`. Ask for a small ``xtol`` and ``ftol=None`` where they are to be exact.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optimize
    >>> t = ss.asarray([0.0, 1.0, 2.0])
    >>> def slope(y):
    ...     return optimize.least_squares(lambda p: p[0] + p[1] * t - y, [0.0, 0.0]).x[1]
    >>> slope(ss.asarray([1.0, 3.0, 5.0]))
    Tensor(2.)
    >>> ad.grad(slope)(ss.asarray([1.0, 3.0, 5.0]))[2]
    Tensor(0.5)
    """
    layout = Layout(WHO, "x0", x0)
    rest, named = (args if isinstance(args, tuple) else (args,)), dict(kwargs or {})
    if not callable(fun):
        raise ArgumentTypeError(f"{WHO}: fun must be a function, got {type(fun).__name__} {fun!r:.40}")
    f = _holding(fun, rest, named)
    value = vector_function(WHO, f, layout)
    slope = matrix_function(WHO, "jac", None if jac is None else _callable(jac, rest, named), (), layout, None)
    low, high = read_bounds(WHO, _two(bounds), layout)
    name = chosen(WHO, method, _METHODS, "trf", {"dogbox": "'trf', which takes bounds too"})
    if name == "lm" and low is not None:
        raise ArgumentError(f"{WHO}: method 'lm' takes no bounds; use 'trf'")
    tols = tuple(0.0 if t is None else number(WHO, k, t) for k, t in (("ftol", ftol), ("xtol", xtol), ("gtol", gtol)))
    cap = 100 * layout.size if max_nfev is None else whole(WHO, "max_nfev", max_nfev)
    each = teller(WHO, callback, layout)
    fit = _Fit(layout, value, slope, low, high, _loss(loss, f_scale), _scales(x_scale, layout))
    result = fit.result(tols, cap, each.of(name) if each else None, name_of(f))
    if verbose and not isinstance(unwrap(result.cost), Traced):
        print(result)
    return result


def _holding(f: Callable, rest: tuple, named: dict) -> Callable:
    if not rest and not named:
        return f

    def held(x: Any) -> Any:
        return f(x, *rest, **named)

    held.__name__ = name_of(f)
    return held


def _callable(jac: Any, rest: tuple, named: dict) -> Any:
    return _holding(jac, rest, named) if callable(jac) else jac


def _two(bounds: Any) -> Any:
    """SciPy's pair (lower, upper)."""
    if bounds is None or hasattr(bounds, "lb"):
        return bounds
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise ArgumentTypeError(f"{WHO}: bounds is {bounds!r:.60}; expected a pair (lower, upper), or optimize.Bounds")
    if all(not isinstance(b, (Tensor, np.ndarray, list, tuple, dict)) and np.isinf(b) for b in bounds):
        return None
    return Bounds(*bounds)


def _loss(loss: Any, f_scale: Any) -> ls.Loss | None:
    name = chosen(WHO.replace("least_squares", "least_squares: loss"), loss, dict.fromkeys(ls.LOSSES, ""), "linear")
    if not is_real(f_scale) or not f_scale > 0:
        raise ArgumentError(f"{WHO}: f_scale is {f_scale!r}; expected a positive number")
    return None if name == "linear" else ls.Loss(ls.LOSSES[name], float(f_scale))


def _scales(x_scale: Any, layout: Layout) -> Any:
    if x_scale is None or (isinstance(x_scale, str) and x_scale == "jac"):
        return None
    if isinstance(x_scale, str):
        raise ArgumentError(f"{WHO}: x_scale is {x_scale!r}; expected 'jac', or positive numbers")
    v = np.broadcast_to(np.asarray(x_scale, layout.dtype), (layout.size,))
    if not np.all(v > 0):
        raise ArgumentError(f"{WHO}: x_scale is {x_scale!r:.60}; expected positive numbers")
    return v


class _Fit:
    """One problem of least squares."""

    def __init__(
        self, layout: Layout, value: Callable, slope: Any, low: Any, high: Any, loss: ls.Loss | None, x_scale: Any
    ) -> None:
        self.layout, self.functions, self.low, self.high = layout, [value, slope], low, high
        self.loss, self.x_scale = loss, x_scale

    def result(self, tols: tuple, cap: int, each: Any, name: str) -> OptimizeResult:
        bounds = () if self.low is None else (self.low, self.high)

        def solver(fs: list, x: Any, params: Any, is_plain: bool) -> tuple:
            low, high = params or (None, None)
            fun = Smooth(*fs, plain=is_plain)
            s = ls.damped(
                fun, x, low, high, tols[0], tols[1], tols[2], cap, self.loss, self.x_scale, each if is_plain else None
            )
            return s.x, (s.f, s.j, s.cost, s.g, s.status, s.nit, s.nfev, s.njev)

        def residual(fs: list, x: Any, params: Any) -> Any:
            return between_bounds(x, self._gradient(fs, x), *(params or (None, None)))

        out = solved(solver, residual, self.layout.vector(), self.functions, bounds)
        return self._assembled(out, name)

    def _gradient(self, fs: list, x: Any) -> Any:
        """Of the cost."""
        value, slope = fs
        if slope is not None:
            return ls._model(value(x), slope(x), self.loss)[2]
        return Smooth(lambda v: ls.cost_of(value(v), self.loss), plain=False).gradient(x)

    def _assembled(self, out: Any, name: str) -> OptimizeResult:
        f, j, cost, g, status, nit, nfev, njev = out.aux
        if out.plain and status == ls.NOT_FINITE:
            raise ArgumentError(
                f"{WHO}: the residuals of {name} or their Jacobian are not finite at x0; start elsewhere"
            )
        ok = (status > 0) & (status < ls.NOT_FINITE)
        x = settled(WHO, out.x, ok, "raise max_nfev, loosen the tolerances, or start closer")
        if not out.plain:
            with np.errstate(all="ignore"):
                fun = Smooth(*self.functions, plain=False)
                f, j = fun.value(x), fun.jacobian(x)
                cost, g = ls.cost_of(f, self.loss), ls._model(f, j, self.loss)[2]
        optimality = biggest(ls.projected(x, g, self.low, self.high))
        entries = {
            "x": self.layout.tree(x),
            "cost": tensor(cost),
            "fun": tensor(f),
            "jac": tensor(j),
            "grad": tensor(g),
        }
        entries |= {"optimality": tensor(optimality), "active_mask": tensor(self._active(x))}
        status = ls.STOPPED if out.plain and status < 0 else status
        entries |= {"nfev": plain(nfev), "njev": plain(njev), "nit": plain(nit), "status": plain(status)}
        return OptimizeResult({**entries, "success": plain(ok)}, WHO)

    def _active(self, x: Any) -> Any:
        """-1 at a lower bound, 1 at an upper one, else 0."""
        from scisim.ops.select import where

        if self.low is None:
            return np.zeros(shape(x), np.int64)
        return where(x <= self.low, -1, where(x >= self.high, 1, 0))
