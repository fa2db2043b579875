"""Minima of functions of several variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.values import dtype, name_of, shape
from scisim.ops.select import where
from scisim.ops.shape import concat
from scisim.optimize import _quasi_newton as qn
from scisim.optimize._bounds import read_bounds, read_constraints
from scisim.optimize._callback import Teller, teller
from scisim.optimize._conditions import between_bounds
from scisim.optimize._implicit import settled, solved
from scisim.optimize._layout import Layout, number_function, with_args
from scisim.optimize._methods import EXTRAS, RUNNERS, WHO
from scisim.optimize._options import chosen, number, options_of
from scisim.optimize._result import MESSAGES, OptimizeResult, plain, tensor
from scisim.optimize._slopes import hessian_function, product_function, slope_function
from scisim.optimize._smooth import Smooth
from scisim.optimize._sqp import INFEASIBLE
from scisim.optimize._values import count, equal, pick

MESSAGES[WHO] = {
    0: "converged: the gradient, the decrease or the step is within its tolerance",
    qn.MAXITER: "not converged: the iterations allowed (maxiter) are used up",
    qn.STUCK: "not converged: no step lowers the function any more; it may be rough or without a minimum, or its "
    "gradient wrong",
    qn.NOT_FINITE: "not converged: the function or its gradient is not finite",
    INFEASIBLE: "not converged: no step brings the constraints closer to being met",
    qn.STOPPED: "not converged: the callback asked to stop",
}

_GRADIENT = {"gtol": 1e-5, "maxiter": None, "disp": False}
_REGION = {
    "gtol": 1e-4,
    "maxiter": None,
    "disp": False,
    "initial_trust_radius": 1.0,
    "max_trust_radius": 1000.0,
    "eta": 0.15,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "BFGS": {**_GRADIENT, "xrtol": 0.0},
    "CG": _GRADIENT,
    "L-BFGS-B": {"ftol": 2.220446049250313e-09, "gtol": 1e-5, "maxcor": 10, "maxiter": 15000, "disp": False},
    "Newton-CG": {"xtol": 1e-5, "gtol": 0.0, "maxiter": None, "disp": False},
    "trust-ncg": _REGION,
    "trust-exact": _REGION,
    "Nelder-Mead": {
        "xatol": 1e-4, "fatol": 1e-4, "maxiter": None, "maxfev": None, "adaptive": False, "initial_simplex": None,
        "disp": False,
    },
    "SLSQP": {"ftol": 1e-6, "maxiter": 100, "disp": False},
}  # fmt: skip
_TOLERANCES = {
    "L-BFGS-B": ("ftol", "gtol"),
    "Newton-CG": ("xtol",),
    "Nelder-Mead": ("xatol", "fatol"),
    "SLSQP": ("ftol",),
}
_INSTEAD = {
    "powell": "'Nelder-Mead', which needs no derivatives either",
    "tnc": "'L-BFGS-B', which takes bounds too",
    "cobyla": "'SLSQP', which takes constraints too",
    "cobyqa": "'SLSQP', which takes constraints too",
    "trust-constr": "'SLSQP', which takes constraints too",
    "dogleg": "'trust-exact', which takes indefinite Hessians too",
    "trust-krylov": "'trust-ncg', which needs no Hessian matrix either",
}


def minimize(
    fun: Callable,
    x0: Any,
    args: Any = (),
    method: str | None = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable | None = None,
    options: dict | None = None,
) -> OptimizeResult:
    """A local minimum of a function, as a differentiable function of whatever it depends on.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` gives one real number.
    x0 : array_like or container of arrays
        The start; real or complex, of any shape. Nested lists of numbers are one array.
    args : tuple
        Further arguments, in which the solution has derivatives; it has them in values that ``fun`` closes over too.
    method : str, optional
        "BFGS" (the default), "CG", "L-BFGS-B" (the default with bounds), "Newton-CG", "trust-ncg", "trust-exact",
        "Nelder-Mead" (without derivatives; bounds allowed), "SLSQP" (the default with constraints).
    jac : callable or True, optional
        The gradient, ``jac(x, *args)``, or True where ``fun`` returns value and gradient. By default `autodiff` gives
        it.
    hess, hessp : callable, optional
        The Hessian, or its product with a vector, ``hessp(x, p, *args)``. By default `autodiff` gives them.
    bounds : sequence of pairs or Bounds, optional
        Lower and upper limits of the variables; derivatives in them exist.
    constraints : dict, NonlinearConstraint, LinearConstraint, or a list of them
        A dictionary has "type", "eq" (fun = 0) or "ineq" (fun >= 0), "fun", and perhaps "args".
    tol : float, optional
        Tolerance of the method's own test; ``options`` sets each by itself.
    callback : callable, optional
        Called with x after each iteration (or with an ``intermediate_result``, if that is the name of its argument)
        where nothing is traced; it may raise StopIteration.
    options : dict, optional
        ``maxiter``, ``gtol``, ``disp`` and others by method: `scisim.optimize.minima.OPTIONS` lists them.

    Returns
    -------
    OptimizeResult
        With ``x``, ``fun``, ``jac``, ``success``, ``status``, ``message``, ``nit``, ``nfev``, ``njev``; ``hess_inv``
        of BFGS, ``multipliers`` of SLSQP.

    Raises
    ------
    ShapeError, DTypeError
        When ``fun`` does not return one real number.
    ArgumentError
        For bounds in reverse, an unknown method or option, or a start where ``fun`` is nan.
    ConvergenceError
        When a derivative is asked of a result that has not converged. In captured and mapped programs, where that is
        not known beforehand, such derivatives are nan.

    Notes
    -----
    Derivatives of the solution come from the equations that it solves (implicit function theorem): the gradient is 0;
    a variable at a bound stays there; constraints with positive multipliers are 0 (Karush, Kuhn, Tucker). They exist
    to any order where the Hessian among the free variables is regular. A singular one raises
    SingularMatrixError. Where a bound or constraint is met with multiplier 0 the solution has a kink, and derivatives
    are nan. They are as accurate as the solution, so ask for a small ``tol`` with them.

    Functions are called as they are where nothing is traced; inside jit, vmap and derivatives they are captured, and
    then must not branch in Python on values.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optimize
    >>> def lowest(a):
    ...     return optimize.minimize(lambda x: (x[0] - a) ** 2 + (x[1] - a * x[0]) ** 2, [0.0, 0.0], tol=1e-10).x
    >>> lowest(3.0)
    Tensor([3., 9.])
    >>> ad.jacobian(lowest)(3.0)
    Tensor([1., 6.])
    """
    task = _Task(fun, x0, args, jac, hess, hessp, bounds, constraints)
    name = chosen(WHO, method, OPTIONS, task.default, _INSTEAD)
    task.check(name)
    opts = options_of(WHO, name, options, OPTIONS[name])
    if tol is not None:
        number(WHO, "tol", tol)
        opts.update({k: tol for k in _TOLERANCES.get(name, ("gtol",)) if k not in (options or {})})
    each = teller(WHO, callback, task.layout)
    return task.result(name, opts, each)


class _Task:
    """One problem: the functions of a vector, and where it starts."""

    def __init__(
        self, fun: Any, x0: Any, args: Any, jac: Any, hess: Any, hessp: Any, bounds: Any, constraints: Any
    ) -> None:
        self.layout = layout = Layout(WHO, "x0", x0)
        self.x = layout.vector()
        f = with_args(WHO, "fun", fun, args)
        self.value = number_function(WHO, _first(f) if jac is True else f, layout)
        slope = slope_function(WHO, f, jac, args, layout)
        self.functions = [
            self.value,
            slope,
            hessian_function(WHO, hess, args, layout),
            product_function(WHO, hessp, args, layout),
        ]
        self.low, self.high = read_bounds(WHO, bounds, layout)
        self.constraints = read_constraints(WHO, constraints, layout, self.x)
        self.equalities = 0
        self.name = name_of(f)
        self.default = "SLSQP" if self.constraints else "BFGS" if self.low is None else "L-BFGS-B"

    def check(self, method: str) -> None:
        if self.constraints and method != "SLSQP":
            raise ArgumentError(f"{WHO}: method {method} takes no constraints; use 'SLSQP'")
        if self.low is not None and method not in ("L-BFGS-B", "SLSQP", "Nelder-Mead"):
            raise ArgumentError(f"{WHO}: method {method} takes no bounds; use 'L-BFGS-B', 'SLSQP' or 'Nelder-Mead'")

    # --- running ---------------------------------------------------------------------------------------------
    def result(self, method: str, opts: dict, each: Teller | None) -> OptimizeResult:
        n = self.layout.size
        functions, start, extra = list(self.functions), self.x, 0
        if method == "SLSQP":
            f, self.equalities = self.constraints or (None, 0)
            if f is not None:
                extra = shape(f(self.x))[0]
                functions.append(f)
                start = concat([self.x, np.zeros(extra, dtype(self.x))])
        for g in functions:
            if g is not None and not hasattr(g, "at"):
                g.at = ShapeDtype((n,), dtype(self.x))  # type: ignore[attr-defined]
        bounds = () if self.low is None else (self.low, self.high)
        run = RUNNERS[method]
        told = each.of(method) if each is not None else None

        def solver(fs: list, u: Any, params: Any, is_plain: bool) -> tuple:
            low, high = params or (None, None)
            x = u[:n] if extra else u
            return run(self.equalities, _smooth(fs, is_plain), fs, x, low, high, opts, told if is_plain else None)

        def residual(fs: list, u: Any, params: Any) -> Any:
            return _conditions(_smooth(fs, False), fs[4:], u, n, self.equalities, *(params or (None, None)))

        out = solved(solver, residual, start, functions, bounds)
        return self.assembled(method, out, opts)

    def assembled(self, method: str, out: Any, opts: dict) -> OptimizeResult:
        n = self.layout.size
        f, g, code, nit, nfev, *more = out.aux
        if out.plain and code == qn.NOT_FINITE and nit == 0:
            raise ArgumentError(
                f"{WHO}: {self.name} is {f} at x0, or its gradient is not finite; start where both are finite numbers"
            )
        ok = equal(code, qn.GRADIENT) | equal(code, qn.VALUE) | equal(code, qn.STEP)
        status = pick(ok, count(0), code)
        u = out.x[:n] if shape(out.x)[0] > n else out.x
        x = settled(WHO, u, ok, "raise maxiter, loosen tol, or start closer")
        if not out.plain:
            with np.errstate(all="ignore"):
                smooth = _smooth(self.functions, False)
                f, g = smooth.both(x) if method != "Nelder-Mead" else (smooth.value(x), None)
        entries = {
            "x": self.layout.tree(x),
            "success": plain(ok),
            "status": plain(pick(code < 0, count(qn.STOPPED), status)),
        }
        entries |= {"fun": tensor(f), "nit": plain(nit), "nfev": plain(nfev)}
        if g is not None and method != "Nelder-Mead":
            entries |= {"jac": self.layout.tree(g), "njev": plain(nfev)}
        entries |= {k: tensor(v) for k, v in zip(EXTRAS.get(method, ()), more, strict=True)}
        result = OptimizeResult(entries, WHO)
        if opts["disp"] and out.plain:
            print(result)
        return result


def _first(f: Callable) -> Callable:
    def value(x: Any) -> Any:
        out = f(x)
        if not (isinstance(out, tuple) and len(out) == 2):
            raise ArgumentTypeError(
                f"{WHO}: with jac=True {name_of(f)} must return (value, gradient), got {type(out).__name__}"
            )
        return out[0]

    value.__name__ = name_of(f)
    return value


def _smooth(fs: list, is_plain: bool) -> Smooth:
    return Smooth(*fs[:4], plain=is_plain)


def _conditions(fun: Smooth, more: list, u: Any, n: int, equalities: int, low: Any, high: Any) -> Any:
    """What is zero at a minimum, in the variables and the multipliers of constraints (Karush, Kuhn, Tucker)."""
    x = u[:n] if more else u
    g = fun.gradient(x)
    rest: list[Any] = []
    if more:
        constraint = Smooth(more[0], plain=False)
        multipliers, c = u[n:], constraint.value(x)
        g = g - multipliers @ constraint.jacobian(x)
        equation = np.arange(shape(c)[0]) < equalities
        tight = equation | (multipliers > 0)
        rest = [where(tight, c, multipliers) * _regular(equation, multipliers, c)]
    g = between_bounds(x, g, low, high)
    return concat([g, *rest]) if rest else g


def _regular(equation: Any, multipliers: Any, c: Any) -> Any:
    """1, or nan for a constraint that is met without being needed: there the solution has a kink."""
    eps = np.finfo(dtype(c)).eps ** 0.5
    return where(
        ~equation & (abs(multipliers) <= eps) & (abs(c) <= eps), np.asarray(np.nan, dtype(c)), np.ones((), dtype(c))
    )
