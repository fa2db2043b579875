"""Roots of systems of equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.values import dtype, name_of, shape
from scisim.optimize import _least as ls
from scisim.optimize import _systems as sy
from scisim.optimize._callback import teller
from scisim.optimize._implicit import settled, solved
from scisim.optimize._krylov import solver as krylov_solver
from scisim.optimize._layout import Layout, vector_function, with_args
from scisim.optimize._options import chosen, number, options_of
from scisim.optimize._result import MESSAGES, OptimizeResult, plain
from scisim.optimize._slopes import matrix_function
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import biggest, count, equal, pick

WHO = "optimize.root"
MESSAGES[WHO] = {
    sy.FOUND: "converged: the equations or the step are within tolerance",
    sy.MAXFEV: "not converged: the evaluations or iterations allowed (maxfev, maxiter) are used up",
    sy.NOT_FINITE: "not converged: the equations are not finite",
    sy.STUCK: "not converged: no step brings the equations closer to zero; there may be no root near the start",
    sy.STOPPED: "not converged: the callback asked to stop",
}
OPTIONS: dict[str, dict[str, Any]] = {
    "hybr": {"xtol": 1.49012e-08, "maxfev": None, "factor": 100.0, "disp": False},
    "lm": {"xtol": 1.49012e-08, "ftol": 1.49012e-08, "gtol": 0.0, "maxiter": None, "disp": False},
    "broyden1": {"fatol": 6e-6, "maxiter": None, "disp": False},
    "krylov": {"fatol": 6e-6, "maxiter": None, "inner_maxiter": 20, "disp": False},
    "df-sane": {"fatol": 1e-8, "maxiter": 1000, "disp": False},
}
_TOLERANCES = {"hybr": ("xtol",), "lm": ("xtol", "ftol")}
_INSTEAD = {
    "broyden2": "'broyden1'",
    "anderson": "'broyden1', or fixed_point(method='anderson')",
    "linearmixing": "'broyden1'",
    "diagbroyden": "'broyden1'",
    "excitingmixing": "'broyden1'",
}


def root(
    fun: Callable,
    x0: Any,
    args: Any = (),
    method: str = "hybr",
    jac: Any = None,
    tol: float | None = None,
    callback: Callable | None = None,
    options: dict | None = None,
) -> OptimizeResult:
    """A root of a system of equations, as a differentiable function of whatever it depends on.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` gives as many numbers as x has, in an array or a container of them.
    x0 : array_like or container of arrays
        The start; real or complex, of any shape. Nested lists of numbers are one array.
    args : tuple
        Further arguments, in which the solution has derivatives; it has them in values that ``fun`` closes over too.
    method : str
        "hybr" (Powell's hybrid method), "lm" (Levenberg and Marquardt), "broyden1", "krylov" (Newton's method without
        a matrix, for many unknowns), "df-sane" (without derivatives).
    jac : callable or True, optional
        The Jacobian, ``jac(x, *args)``, or True where ``fun`` returns both. By default `autodiff` gives it.
    tol : float, optional
        Tolerance of the method's own test: of x for "hybr" and "lm", of the equations for the others.
    callback : callable, optional
        Called with x after each iteration where nothing is traced; it may raise StopIteration.
    options : dict, optional
        By method: `scisim.optimize.roots.OPTIONS` lists them.

    Returns
    -------
    OptimizeResult
        With ``x``, ``fun``, ``success``, ``status``, ``message``, ``nit``, ``nfev``, ``njev``.

    Raises
    ------
    ShapeError
        When ``fun`` does not return as many numbers as x has.
    ArgumentError
        For an unknown method or option, or a start where ``fun`` is not finite.
    ConvergenceError
        When a derivative is asked of a result that has not converged; in captured and mapped programs it is nan.

    Notes
    -----
    Derivatives of the root come from fun(x) = 0 by the implicit function theorem, to any order, where the Jacobian is
    regular; a singular one raises SingularMatrixError.

    Functions are called as they are where nothing is traced; inside jit, vmap and derivatives they are captured, and
    then must not branch in Python on values.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optimize
    >>> def meeting(a):
    ...     return optimize.root(lambda x: ss.stack([x[0] * x[1] - a, x[0] - x[1]]), [1.0, 2.0], tol=1e-12).x
    >>> meeting(9.0)
    Tensor([3., 3.])
    >>> ad.jacobian(meeting)(9.0)
    Tensor([0.16666667, 0.16666667])
    """
    name = chosen(WHO, method, OPTIONS, "hybr", _INSTEAD)
    opts = options_of(WHO, name, options, OPTIONS[name])
    if tol is not None:
        number(WHO, "tol", tol)
        opts.update({k: tol for k in _TOLERANCES.get(name, ("fatol",)) if k not in (options or {})})
    layout = Layout(WHO, "x0", x0)
    x, n = layout.vector(), layout.size
    f = with_args(WHO, "fun", fun, args)
    functions: list[Any] = [
        vector_function(WHO, _part(f, 0) if jac is True else f, layout, "fun", n),
        _given(f, jac, args, layout),
    ]
    each = teller(WHO, callback, layout)
    told = each.of(name) if each is not None else None

    def solver(fs: list, u: Any, params: Any, is_plain: bool) -> tuple:
        s = _RUN[name](Smooth(*fs, plain=is_plain), u, opts, told if is_plain else None)
        return s.x, (s.f, s.status, s.nit, s.nfev, s.njev)

    def residual(fs: list, u: Any, params: Any) -> Any:
        return fs[0](u)

    linear = krylov_solver(float(np.finfo(dtype(x)).eps)) if name in ("krylov", "df-sane") else "dense"
    out = solved(solver, residual, x, functions, (), linear)
    return _assembled(out, layout, functions[0], f, opts)


def _assembled(out: Any, layout: Layout, value: Callable, f: Callable, opts: dict) -> OptimizeResult:
    y, code, nit, nfev, njev = out.aux
    if out.plain and code == sy.NOT_FINITE and nit == 0:
        raise ArgumentError(
            f"{WHO}: {name_of(f)} is not finite at x0 ({y}); start where all equations are finite numbers"
        )
    ok = equal(code, sy.FOUND)
    x = settled(WHO, out.x, ok, "raise maxfev, loosen tol, or start closer")
    if not out.plain:
        with np.errstate(all="ignore"):
            y = value(x)
    status = pick(code < 0, count(sy.STOPPED), code)
    entries = {"x": layout.tree(x), "success": plain(ok), "status": plain(status), "fun": layout.tree(y)}
    entries |= {"nit": plain(nit), "nfev": plain(nfev), "njev": plain(njev)}
    result = OptimizeResult(entries, WHO)
    if opts["disp"] and out.plain:
        print(result)
    return result


def _given(f: Callable, jac: Any, args: Any, layout: Layout) -> Callable | None:
    if jac is True:
        return matrix_function(WHO, "jac", _part(f, 1), (), layout, layout.size)
    return matrix_function(WHO, "jac", jac or None, args, layout, layout.size)


def _part(f: Callable, k: int) -> Callable:
    def part(x: Any) -> Any:
        out = f(x)
        if not (isinstance(out, tuple) and len(out) == 2):
            raise ArgumentTypeError(
                f"{WHO}: with jac=True {name_of(f)} must return (values, Jacobian), got {type(out).__name__}"
            )
        return out[k]

    part.__name__ = name_of(f)
    return part


# --- methods ---------------------------------------------------------------------------------------------------------
def _cap(opts: dict, name: str, otherwise: int) -> int:
    return otherwise if opts[name] is None else opts[name]


def _hybr(fun: Smooth, x: Any, opts: dict, each: Any) -> Any:
    cap = _cap(opts, "maxfev", 200 * (shape(x)[0] + 1))
    return sy.hybrid(fun, x, opts["xtol"], cap, opts["factor"], each)


def _lm(fun: Smooth, x: Any, opts: dict, each: Any) -> Any:
    """Least squares, whose minimum must be a root."""
    cap = _cap(opts, "maxiter", 100 * (shape(x)[0] + 1))
    s = ls.damped(fun, x, None, None, opts["ftol"], opts["xtol"], opts["gtol"], cap, each=each)
    eps = np.finfo(dtype(x)).eps
    size = biggest(sy.rounding(s.j, s.x, eps) / (2 * eps)) + biggest(fun.value(x))
    zero = biggest(s.f) <= eps**0.5 * size
    ended = (s.status > ls.MAXITER) & (s.status < ls.NOT_FINITE)
    code = pick(ended & zero, count(sy.FOUND), pick(ended, count(sy.STUCK), count(sy.MAXFEV)))
    code = pick(equal(s.status, ls.NOT_FINITE), count(sy.NOT_FINITE), pick(s.status < 0, count(sy.GOING), code))
    code = pick(equal(s.status, ls.STUCK), pick(zero, count(sy.FOUND), count(sy.STUCK)), code)
    return sy.System(s.x, s.f, None, None, None, None, None, code, s.nit, s.nfev, s.njev)


def _broyden1(fun: Smooth, x: Any, opts: dict, each: Any) -> Any:
    return sy.broyden(fun, x, opts["fatol"], _cap(opts, "maxiter", 100 * (shape(x)[0] + 1)), each)


def _krylov(fun: Smooth, x: Any, opts: dict, each: Any) -> Any:
    cap = _cap(opts, "maxiter", 100 * (min(shape(x)[0], 100) + 1))
    return sy.newton_krylov(fun, x, opts["fatol"], cap, int(opts["inner_maxiter"]), each)


def _df_sane(fun: Smooth, x: Any, opts: dict, each: Any) -> Any:
    return sy.df_sane(fun, x, opts["fatol"], opts["maxiter"], each)


_RUN: dict[str, Callable] = {
    "hybr": _hybr, "lm": _lm, "broyden1": _broyden1, "krylov": _krylov, "df-sane": _df_sane,
}  # fmt: skip
