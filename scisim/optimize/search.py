"""A line search for users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.values import Traced, dtype
from scisim.ops.shape import reshape
from scisim.optimize._implicit import solved
from scisim.optimize._layout import Layout, number_function, with_args
from scisim.optimize._options import number, whole
from scisim.optimize._result import plain, tensor
from scisim.optimize._slopes import slope_function
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import finite, pick
from scisim.optimize._wolfe import FOUND, Rules, wolfe

WHO = "optimize.line_search"


def line_search(
    f: Callable,
    myfprime: Callable | None,
    xk: Any,
    pk: Any,
    gfk: Any = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    args: Any = (),
    c1: float = 1e-4,
    c2: float = 0.9,
    amax: float | None = None,
    maxiter: int = 10,
) -> tuple:
    """A step along a direction that meets the strong Wolfe conditions.

    Parameters
    ----------
    f : callable
        ``f(x, *args)`` gives one real number.
    myfprime : callable or None
        Its gradient, ``myfprime(x, *args)``; None for that of `autodiff`.
    xk, pk : array_like or containers of arrays
        The point and a direction in which f descends.
    gfk, old_fval
        Gradient and value at ``xk``, which are not needed: they come with the first evaluation.
    old_old_fval : float, optional
        The value at the point before, which tells the first step to try.
    args : tuple
    c1, c2 : float
        f(x + alpha p) <= f(x) + c1 alpha g.p, and the slope there at most c2 abs(g.p) in size; 0 < c1 < c2 < 1.
    amax : float, optional
        The longest step.
    maxiter : int
        The most trials.

    Returns
    -------
    alpha : Tensor or None
        The step; None where none was found (nan where values are not known).
    fc, gc : int
        Evaluations of function and gradient.
    new_fval : Tensor or None
        f(x + alpha p).
    old_fval : Tensor
        f(x).
    new_slope : Tensor, container or None
        The gradient at x + alpha p.

    Raises
    ------
    ArgumentError
        When p is no direction of descent, or c1 and c2 are out of order.

    Notes
    -----
    ``alpha`` is a choice among many steps, not the solution of an equation: it is a constant to derivatives, which
    ``new_fval`` and ``new_slope`` have in x, p and what f depends on.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optimize
    >>> alpha, *_ = optimize.line_search(lambda x: ss.sum(x * x), None, [1.0, 1.0], [-2.0, -2.0])
    >>> alpha
    Tensor(0.5)
    """
    number(WHO, "c1", c1)
    if not 0 < c1 < c2 < 1:
        raise ArgumentError(f"{WHO}: c1 is {c1!r}, c2 is {c2!r}; expected 0 < c1 < c2 < 1")
    layout = Layout(WHO, "xk", xk)
    x, direction = layout.vector(), Layout(WHO, "pk", pk)
    if direction.size != layout.size:
        raise ShapeError(f"{WHO}: pk holds {direction.size} numbers, xk {layout.size}; they must be alike")
    p = direction.vector()
    value = number_function(WHO, with_args(WHO, "f", f, args), layout, "f")
    slope = slope_function(WHO, f, myfprime, args, layout)
    rules = Rules(c1, c2, whole(WHO, "maxiter", maxiter), np.inf if amax is None else float(amax))

    def solver(fs: list, u: Any, params: Any, is_plain: bool) -> tuple:
        fun = Smooth(*fs, plain=is_plain)
        f0, g0 = fun.both(params[0])
        _check_descent(f0, g0 @ params[1])
        line = wolfe(fun.both, params[0], params[1], f0, g0, _first(f0, g0 @ params[1], old_old_fval, rules), rules)
        step = pick(line.status > FOUND, line.t * np.nan, line.t)
        step = step if isinstance(step, Traced) else np.asarray(step)
        return reshape(step, (1,)), (line.used + 1,)

    def shaped(fs: list, u: Any, params: Any) -> Any:
        return u  # of which nothing else is a part: a constant

    for g in (value, slope):
        if g is not None:
            g.at = x  # type: ignore[attr-defined]
    out = solved(solver, shaped, np.zeros(1, dtype(x)), [value, slope], [x, p])
    alpha, calls = out.x[0], plain(out.aux[0])
    fun = Smooth(value, slope, plain=False)
    before = tensor(fun.value(x))
    if not isinstance(alpha, Traced) and not finite(alpha):
        return None, calls, calls, None, before, None
    new, g = fun.both(x + alpha * p)
    return tensor(alpha), calls, calls, tensor(new), before, layout.tree(g)


def _check_descent(f: Any, slope: Any) -> None:
    if not isinstance(slope, Traced) and not slope < 0:
        raise ArgumentError(
            f"{WHO}: pk is no direction of descent at xk: f is {f}, its slope along pk {slope}; give one with a "
            f"negative slope, such as minus the gradient"
        )


def _first(f: Any, slope: Any, before: Any, rules: Rules) -> Any:
    """The first step: 1, or what a decrease as the last one's would take."""
    one = 1 + 0 * f
    if before is not None:
        guess = 1.01 * 2 * (f - getattr(before, "_v", before)) / slope
        one = pick((guess > 0) & (guess < 1), guess, one)
    return pick(one > rules.longest, rules.longest + 0 * one, one)
