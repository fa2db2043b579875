"""Minima of functions of one variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.forward import taylor
from scisim.core import pytree
from scisim.core.errors import ArgumentError
from scisim.core.tensor import wrap
from scisim.core.values import Traced, dtype, ones_like, shape
from scisim.ops.shape import astype
from scisim.optimize import _golden as gs
from scisim.optimize._conditions import between_bounds
from scisim.optimize._implicit import settled, solved
from scisim.optimize._layout import _inexact, one_number, with_args
from scisim.optimize._options import chosen, number, options_of
from scisim.optimize._result import MESSAGES, OptimizeResult, plain, tensor
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import count, finite, no, pick
from scisim.optimize.scalar_roots import divided

WHO = "optimize.minimize_scalar"
MESSAGES[WHO] = {
    0: "converged: the interval is within tolerance",
    1: "not converged: the iterations allowed (maxiter) are used up",
    2: "not converged: the function is not finite, or falls without end",
}
OPTIONS: dict[str, dict[str, Any]] = {
    "brent": {"xtol": 1.48e-8, "maxiter": 500, "disp": False},
    "golden": {"xtol": 1.4901161193847656e-08, "maxiter": 5000, "disp": False},
    "bounded": {"xatol": 1e-5, "maxiter": 500, "disp": False},
}


def minimize_scalar(
    fun: Callable,
    bracket: Any = None,
    bounds: Any = None,
    args: Any = (),
    method: str | None = None,
    tol: float | None = None,
    options: dict | None = None,
) -> OptimizeResult:
    """A local minimum of a function of one variable, as a differentiable function of what it depends on.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` gives one real number.
    bracket : pair or triple of float, optional
        Two points from which to go downhill, (0, 1) by default; or a < b < c with fun(b) below the others.
    bounds : pair of float, optional
        The ends of the interval, for "bounded"; derivatives in them exist.
    args : tuple
        Further arguments, in which the solution has derivatives; it has them in values that ``fun`` closes over too.
    method : {"brent", "golden", "bounded"}, optional
        By default "bounded" with bounds, else "brent".
    tol : float, optional
        Of x, relative ("xtol") or, with bounds, absolute ("xatol"). Below sqrt(eps), which is as far as values tell
        the minimum, Newton's steps on the slope follow.
    options : dict, optional
        "maxiter", "xtol" or "xatol", "disp".

    Returns
    -------
    OptimizeResult
        With ``x``, ``fun``, ``success``, ``status``, ``message``, ``nit``, ``nfev``.

    Raises
    ------
    ArgumentError
        For bounds in reverse, or a triple that holds no minimum.
    ConvergenceError
        When a derivative is asked of a result that has not converged; in captured and mapped programs it is nan.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optimize
    >>> lowest = lambda a: optimize.minimize_scalar(lambda x: ss.exp(x) - a * x, tol=1e-12).x
    >>> lowest(2.0)
    Tensor(0.69314718)
    >>> ad.grad(lowest)(2.0)
    Tensor(0.5)
    """
    name = chosen(WHO, method, OPTIONS, "brent" if bounds is None else "bounded")
    opts = options_of(WHO, name, options, OPTIONS[name])
    key = "xatol" if name == "bounded" else "xtol"
    if tol is not None:
        opts[key] = number(WHO, "tol", tol)
    points = _points(name, bracket, bounds)
    f = with_args(WHO, "fun", fun, args)

    def value(v: Any) -> Any:
        return one_number(WHO, "fun", f, f(wrap(v if isinstance(v, Traced) else np.asarray(v))))

    value.__name__ = getattr(f, "__name__", "fun")

    def solver(fs: list, start: Any, params: Any, is_plain: bool) -> tuple:
        return _solve(Smooth(fs[0], plain=is_plain), params, name, float(opts[key]), int(opts["maxiter"]))

    def residual(fs: list, x: Any, params: Any) -> Any:
        g = Smooth(fs[0], plain=False).gradient(x)
        return between_bounds(x, g, *params) if name == "bounded" else g

    start = points[0] if isinstance(points[0], Traced) else np.asarray(points[0])
    out = solved(solver, residual, start, [value], points, divided(WHO, "curvature"))
    fx, status, nit, nfev = out.aux
    x = settled(WHO, out.x, status < 1, "raise maxiter, or loosen tol")
    if not out.plain:
        fx = value(x)
    entries = {"x": tensor(x), "success": plain(status < 1), "status": plain(status), "fun": tensor(fx)}
    result = OptimizeResult({**entries, "nit": plain(nit), "nfev": plain(nfev)}, WHO)
    if opts["disp"] and out.plain:
        print(result)
    return result


def _points(name: str, bracket: Any, bounds: Any) -> list:
    if name == "bounded":
        if bounds is None or not hasattr(bounds, "__len__") or len(bounds) != 2:
            raise ArgumentError(f"{WHO}: method 'bounded' needs bounds=(low, high); got {bounds!r:.60}")
        points = _real("bounds", bounds)
        if not any(isinstance(p, Traced) for p in points) and not points[0] <= points[1]:
            raise ArgumentError(
                f"{WHO}: bounds is ({points[0]}, {points[1]}); the lower one must not exceed the upper one"
            )
        return points
    if bounds is not None:
        raise ArgumentError(f"{WHO}: method {name!r} takes no bounds; use 'bounded'")
    if bracket is None:
        return _real("bracket", (0.0, 1.0))
    if not hasattr(bracket, "__len__") or len(bracket) not in (2, 3):
        raise ArgumentError(f"{WHO}: bracket is {bracket!r:.60}; expected two points, or three around a minimum")
    return _real("bracket", bracket)


def _real(name: str, points: Any) -> list:
    vals = [_inexact(WHO, name, v) for v in pytree.values(list(points), WHO)[0]]
    for v in vals:
        if shape(v) != () or dtype(v).kind == "c":
            raise ArgumentError(f"{WHO}: {name} holds {dtype(v)} of shape {shape(v)}; expected real numbers")
    kind = np.result_type(*map(dtype, vals))
    vals = [v if dtype(v) == kind else astype(v, kind) for v in vals]
    return [v if isinstance(v, Traced) else v[()] for v in vals]


def _solve(fun: Smooth, points: Any, name: str, tol: float, maxiter: int) -> tuple:
    f, eps = fun.value, np.finfo(dtype(points[0])).eps
    root = float(eps) ** 0.5
    if name == "bounded":
        a, b = points
        x = a + gs.SMALL * (b - a)
        fx, calls = f(x), count(1)
        open_end = a > b
        s = gs.brent(f, a, x, b, fx, max(tol, root * root), root, maxiter, False)
    else:
        a, x, b, fx, calls, open_end = _triple(f, points)
        s = gs.brent(f, a, x, b, fx, 1e-11, max(tol, root), maxiter, name == "golden")
    best, value, low, high = s.x, s.fx, a, b
    if name == "bounded":
        best, value = _at_ends(f, s, a, b, 3 * (root * abs(s.x) + max(tol, root * root)))
        calls = calls + 2
    if tol < 0.9 * root:
        inner = gs.polished(_slopes(fun), best, low, high)
        best = pick((best > low) & (best < high), inner, best)
        value = f(best)
    bad = open_end | no(finite(value))
    code = pick(s.done, count(0), count(1))
    return best, (value, pick(bad, count(2), code), s.nit, calls + s.calls)


def _triple(f: Callable, points: Any) -> tuple:
    """Three points around a minimum, ordered, the value at the middle one; whether none was found."""
    if len(points) == 3:
        a, x, b = points
        fa, fx, fb = f(a), f(x), f(b)
        wrong = ((fx > fa) | (fx > fb)) | ((x < a) ^ (b < x))
        if not isinstance(wrong, Traced) and wrong:
            raise ArgumentError(
                f"{WHO}: bracket ({a}, {x}, {b}) with values ({fa}, {fx}, {fb}) holds no minimum; expected a < b < c, "
                f"and fun(b) below fun(a) and fun(c)"
            )
        calls = count(3)
    else:
        t = gs.bracket(f, *points)
        a, x, b, fx, calls, wrong = t.a, t.b, t.c, t.fb, t.calls, t.fc < t.fb
    return pick(a < b, a, b), x, pick(a < b, b, a), fx, calls, wrong


def _at_ends(f: Callable, s: Any, a: Any, b: Any, near: Any) -> tuple:
    """The end itself, where the interval has closed on it and it is no higher."""
    fa, fb = f(a), f(b)
    low, high = (s.x - a < near) & (fa <= s.fx), (b - s.x < near) & (fb <= s.fx)
    return pick(low, a, pick(high, b, s.x)), pick(low, fa, pick(high, fb, s.fx))


def _slopes(fun: Smooth) -> Callable:
    def slopes(v: Any) -> tuple:
        x = wrap(v if isinstance(v, Traced) else np.asarray(v))
        c = [t._v for t in taylor(fun.tensors, x, wrap(np.asarray(ones_like(v))), 2)]
        return fun.out(c[1]), 2 * fun.out(c[2])

    return slopes
