"""The simplex method of J. Nelder and R. Mead (Comput. J. 7 (1965) 308), with the adaptive parameters of F. Gao and
L. Han (Comput. Optim. Appl. 51 (2012) 259) on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.tensor import wrap
from scisim.core.values import Traced, dtype, shape
from scisim.ops.select import isnan, where
from scisim.ops.shape import concat
from scisim.ops.vmap import vmap
from scisim.optimize._limited import clip
from scisim.optimize._quasi_newton import GOING, MAXITER, NOT_FINITE, STEP, going
from scisim.optimize._smooth import Smooth
from scisim.optimize._values import anywhere, biggest, branch, count, equal, loop, no, pick


class Simplex(NamedTuple):
    """Corners, best first, and their values."""

    xs: Any
    fs: Any
    status: Any
    nit: Any
    nfev: Any


class Simplices(NamedTuple):
    """Options of the method."""

    xatol: float = 1e-4
    fatol: float = 1e-4
    maxiter: int = 0
    maxfev: int = 0
    adaptive: bool = False
    initial_simplex: Any = None


def nelder_mead(fun: Smooth, x: Any, low: Any, high: Any, options: Simplices, each: Callable | None = None) -> Simplex:
    """The smallest value found when the simplex has become small, or its values equal."""
    n = shape(x)[0]
    chi, psi, sigma = (1 + 2 / n, 0.75 - 0.5 / n, 1 - 1 / n) if options.adaptive else (2.0, 0.5, 0.5)

    def body(s: Simplex) -> Simplex:
        worst = s.xs[-1]
        centre = s.xs[:-1].sum(0) / n if isinstance(s.xs, np.ndarray) else _mean(s.xs[:-1])
        xr = clip(2 * centre - worst, low, high)
        fr = _value(fun, xr)
        expand, outside, inside = fr < s.fs[0], (fr >= s.fs[-2]) & (fr < s.fs[-1]), no(fr < s.fs[-1])
        factor = pick(expand, chi + 0 * fr, pick(outside, psi + 0 * fr, -psi + 0 * fr))
        x2 = clip(centre + factor * (centre - worst), low, high)
        second = expand | outside | inside
        f2 = branch(second, lambda v: (_value(fun, v),), lambda v: (np.inf + 0 * v[0],), x2)[0]
        better = pick(expand, f2 < fr, pick(outside, f2 <= fr, f2 < s.fs[-1]))
        shrink = (outside | inside) & no(better)
        take = second & better
        corner, value = pick(take, x2, xr), pick(take, f2, fr)
        xs, fs = branch(
            shrink,
            lambda xs, fs, c, f: _shrunk(fun, xs, fs, sigma, low, high),
            lambda xs, fs, c, f: (concat([xs[:-1], c[None]]), concat([fs[:-1], f[None]])),
            s.xs, s.fs, corner, value,
        )  # fmt: skip
        nfev = s.nfev + 1 + pick(second, count(1), count(0)) + pick(shrink, count(n), count(0))
        xs, fs = _sorted(xs, fs)
        return Simplex(xs, fs, _status(xs, fs, s.nit + 1, nfev, options), s.nit + 1, nfev)

    xs = _initial(clip(x, low, high), low, high) if options.initial_simplex is None else options.initial_simplex
    xs, fs = _sorted(xs, _values(fun, xs))
    undefined = anywhere(isnan(fs))
    status = pick(undefined, count(NOT_FINITE), count(GOING))
    start = Simplex(xs + 0 * fs[0], fs, status, count(0), count(n + 1))
    return loop(going, body, start, each)


def _mean(xs: Any) -> Any:
    from scisim.ops.reduce import sum as sum_of

    return sum_of(xs, 0) / shape(xs)[0]


def _value(fun: Smooth, x: Any) -> Any:
    f = fun.value(x)
    return (
        where(isnan(f), np.asarray(np.inf, dtype(f)), f)
        if isinstance(f, Traced)
        else f
        if f == f
        else f.dtype.type(np.inf)
    )


def _values(fun: Smooth, xs: Any) -> Any:
    """At each corner; as one batch where they are traced."""
    if isinstance(xs, Traced):
        return vmap(lambda x: wrap(fun.value(x._v)))(wrap(xs))._v
    fs = [fun.value(x) for x in xs]
    return np.stack(fs) if not any(isinstance(f, Traced) for f in fs) else concat([f[None] for f in fs])


def _shrunk(fun: Smooth, xs: Any, fs: Any, sigma: float, low: Any, high: Any) -> tuple:
    new = clip(xs[:1] + sigma * (xs[1:] - xs[:1]), low, high)
    return concat([xs[:1], new]), concat([fs[:1], _values(fun, new)])


def _sorted(xs: Any, fs: Any) -> tuple:
    if not isinstance(fs, Traced):
        order = np.argsort(fs, kind="stable")
        return xs[order], fs[order]
    from scisim.core.public import OPERATIONS
    from scisim.ops.index import index

    order = OPERATIONS["argsort"].raw(fs)
    return index(xs, (order,)), index(fs, (order,))


def _status(xs: Any, fs: Any, nit: Any, nfev: Any, o: Simplices) -> Any:
    small = (biggest_of(xs[1:] - xs[:1]) <= o.xatol) & (biggest(fs[1:] - fs[:1]) <= o.fatol)
    over = (nit >= o.maxiter) | (nfev >= o.maxfev)
    return pick(small, count(STEP), pick(over, count(MAXITER), count(GOING)))


def biggest_of(a: Any) -> Any:
    from scisim.ops.shape import reshape

    return biggest(reshape(a, (-1,)) if isinstance(a, Traced) else a.ravel())


def _initial(x: Any, low: Any, high: Any) -> Any:
    """The start, and a corner along each axis: 5% further, or 0.00025 from zero; inwards where a bound is met."""
    n = shape(x)[0]
    moves = where(equal(x, 0), np.asarray(0.00025, dtype(x)), 0.05 * x)
    if high is not None:
        moves = where(x + moves > high, -moves, moves)
    eye = np.eye(n, dtype=dtype(x))
    return clip(concat([x[None], x[None] + eye * moves]), low, high)
