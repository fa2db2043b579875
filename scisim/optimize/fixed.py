"""Fixed points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ConvergenceError
from scisim.core.values import Traced, dtype, name_of, shape
from scisim.ops.products import outer
from scisim.ops.select import where
from scisim.ops.shape import concat
from scisim.optimize._implicit import settled, solved
from scisim.optimize._krylov import solver as krylov_solver
from scisim.optimize._layout import Layout, vector_function, with_args
from scisim.optimize._options import chosen, number, whole
from scisim.optimize._smooth import Smooth
from scisim.optimize._steps import least_p
from scisim.optimize._values import all_finite, biggest, count, loop, no, pick, transposed

WHO = "optimize.fixed_point"
METHODS = {"del2": "Steffensen", "iteration": "plain", "anderson": "mixing"}
_DEPTH = 5  # iterations that Anderson's method mixes
_MANY = 500  # unknowns from which on derivatives are solved for without a matrix


def fixed_point(
    func: Callable,
    x0: Any,
    args: Any = (),
    xtol: float = 1e-8,
    maxiter: int = 500,
    method: str = "del2",
) -> Any:
    """The x with x = func(x), as a differentiable function of what it depends on.

    Parameters
    ----------
    func : callable
        ``func(x, *args)`` gives an array, or container, like x.
    x0 : array_like or container of arrays
        The start; real or complex, of any shape.
    args : tuple
        Further arguments, in which the solution has derivatives; it has them in values that ``func`` closes over too.
    xtol : float
        Tolerance of the last change of x, relative to x elementwise.
    maxiter : int
    method : {"del2", "iteration", "anderson"}
        Steffensen's acceleration, elementwise; x = func(x) again and again; mixing of the last five iterations (D.
        Anderson, J. ACM 12 (1965) 547), which serves coupled equations best.

    Returns
    -------
    Tensor or container
        Like ``x0``.

    Raises
    ------
    ShapeError
        When ``func`` does not return as many numbers as x has.
    ConvergenceError
        When ``maxiter`` iterations do not suffice. Inside jit and vmap the result is nan then.

    Notes
    -----
    Derivatives of every order come from x - func(x) = 0 by the implicit function theorem.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optimize
    >>> balance = lambda a: optimize.fixed_point(lambda x: ss.cos(a * x), 0.5, xtol=1e-14)
    >>> balance(1.0)
    Tensor(0.73908513)
    >>> ad.grad(balance)(1.0)
    Tensor(-0.29747434)
    """
    name = chosen(WHO, method, METHODS, "del2")
    number(WHO, "xtol", xtol)
    maxiter = whole(WHO, "maxiter", maxiter)
    layout = Layout(WHO, "x0", x0)
    xtol = max(xtol, 4 * float(np.finfo(layout.dtype).eps))  # smaller changes are roundings
    f = vector_function(WHO, with_args(WHO, "func", func, args), layout, "func", layout.size)

    def solver(fs: list, x: Any, params: Any, is_plain: bool) -> tuple:
        s = _RUN[name](Smooth(fs[0], plain=is_plain), x, xtol, maxiter)
        return s.x, (s.done & all_finite(s.x), s.error)

    linear = "dense" if layout.size < _MANY else krylov_solver(float(np.finfo(layout.dtype).eps))
    out = solved(solver, lambda fs, x, p: x - fs[0](x), layout.vector(), [f], (), linear)
    ok, error = out.aux
    if not isinstance(ok, Traced):
        if not ok:
            raise ConvergenceError(
                f"{WHO}: {maxiter} iterations of {name_of(func)} do not settle: the last change is {error:.3g}, "
                f"xtol is {xtol}; raise maxiter, start closer, or use method='anderson' or optimize.root"
            )
        return layout.tree(out.x)
    x = settled(WHO, out.x, ok, "raise maxiter")
    return layout.tree(where(ok, x, np.asarray(np.nan, layout.dtype)))


class _State(NamedTuple):
    x: Any
    error: Any
    done: Any
    nit: Any


def _error(new: Any, old: Any) -> Any:
    """The greatest change, relative where x is not 0."""
    size = abs(old)
    return biggest((new - old) / where(size > 0, size, 1 + 0 * size))


def _start(x: Any, f: Any) -> _State:
    zero = 0 * biggest(f)
    return _State(x + 0 * f, zero + np.inf, zero > 0, count(0))


def _iterated(step: Callable) -> Callable:
    def run(fun: Smooth, x: Any, xtol: float, maxiter: int) -> _State:
        def body(s: _State) -> _State:
            new = step(fun, s.x)
            error = _error(new, s.x)
            return _State(new, error, error <= xtol, s.nit + 1)

        # the first evaluation tells whether anything is traced
        return loop(lambda s: no(s.done) & (s.nit < maxiter), body, _start(x, fun.value(x)))

    return run


def _steffensen(fun: Smooth, x: Any) -> Any:
    p1 = fun.value(x)
    p2 = fun.value(p1)
    bend = p2 - 2.0 * p1 + x
    curved = abs(bend) > 0
    return where(curved, x - (p1 - x) * (p1 - x) / where(curved, bend, 1 + 0 * bend), p2)


class _Mixed(NamedTuple):
    x: Any
    f: Any
    dx: Any
    df: Any
    error: Any
    done: Any
    nit: Any


def _anderson(fun: Smooth, x: Any, xtol: float, maxiter: int) -> _Mixed:
    """The combination of the last iterations whose residuals, f = func(x) - x, add up to the least."""
    n = shape(x)[0]
    depth = min(_DEPTH, n)

    def body(s: _Mixed) -> _Mixed:
        weights = least_p(transposed(s.df), s.f)
        new = s.x + s.f - weights @ (s.dx + s.df)
        new = pick(all_finite(new), new, s.x + s.f)
        f = fun.value(new) - new
        error = _error(s.x + s.f, s.x)
        dx, df = (concat([a[1:], (b - c)[None]]) for a, b, c in ((s.dx, new, s.x), (s.df, f, s.f)))
        moved = _error(new, s.x)
        return _Mixed(new, f, dx, df, moved, (moved <= xtol) & (error <= 10 * xtol), s.nit + 1)

    f = fun.value(x) - x
    none = outer(np.zeros(depth, dtype(x)), 0 * f)
    zero = 0 * biggest(f)
    start = _Mixed(x + 0 * f, f, none, none, zero + np.inf, zero > 0, count(0))
    return loop(lambda s: no(s.done) & (s.nit < maxiter), body, start)


_RUN: dict[str, Callable] = {
    "del2": _iterated(_steffensen),
    "iteration": _iterated(lambda fun, x: fun.value(x)),
    "anderson": _anderson,
}
