"""The generalised method of minimal residuals, for operators that are only known by their products with vectors
(Y. Saad, M. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ConvergenceError
from scisim.core.tensor import wrap
from scisim.core.values import Traced, dtype, shape
from scisim.ops.products import outer
from scisim.optimize._steps import least_p
from scisim.optimize._values import count, length, loop, pick


class _Space(NamedTuple):
    """Orthonormal vectors as rows, their products with the operator in terms of them, the last one's size."""

    v: Any
    h: Any
    size: Any
    k: Any


class _Restarts(NamedTuple):
    x: Any
    r: Any
    size: Any
    k: Any


def gmres(matvec: Callable, b: Any, rtol: Any, inner: int, restarts: int) -> Any:
    """x with abs(b - A x) <= rtol abs(b), by at most so many restarts of spaces of ``inner`` vectors."""
    inner = min(inner, shape(b)[0])
    goal = rtol * length(b)

    def cycle(s: _Restarts) -> _Restarts:
        x = s.x + _within(matvec, s.r, s.size, inner)
        r = b - matvec(x)
        return _Restarts(x, r, length(r), s.k + 1)

    start = _Restarts(0 * b, b, length(b), count(0))
    return loop(lambda s: (s.size > goal) & (s.k < restarts), cycle, start).x


def _within(matvec: Callable, r: Any, size: Any, m: int) -> Any:
    """The best correction within one space, whose vectors are orthogonalised twice."""
    kind = dtype(r)
    rows, cols = np.eye(m + 1, dtype=kind), np.eye(m, dtype=kind)
    eps = np.finfo(kind).eps

    def body(s: _Space) -> _Space:
        e = _unit(rows, s.k)
        w = matvec(e @ s.v)
        first = s.v @ w
        w = w - first @ s.v
        second = s.v @ w
        w = w - second @ s.v
        left = length(w)
        good = left > 10 * eps * length(first)
        up = _unit(rows, s.k + 1)
        column = first + second + pick(good, left, 0 * left) * up
        v = s.v + outer(up, pick(good, w / left, 0 * w))
        return _Space(v, s.h + outer(column, _unit(cols, s.k)), pick(good, left, 0 * left), s.k + 1)

    v = outer(rows[0], r / pick(size > 0, size, 1 + 0 * size))
    h = np.zeros((m + 1, m), kind) + 0 * size
    end = loop(lambda s: (s.k < m) & (s.size > 0), body, _Space(v, h, size, count(0)))
    y = least_p(end.h, size * rows[0])
    return y @ end.v[:m]


def _unit(rows: Any, k: Any) -> Any:
    from scisim.ops.index import index

    return rows[k] if isinstance(k, np.integer) else index(rows, (k,))


def solver(rtol: float) -> Callable:
    """For `implicit_root`: the linearisation solved without a matrix; where that fails derivatives are refused, or nan
    where nobody can know yet."""

    def solve(matvec: Callable, b: Any) -> Any:
        product, v = (lambda u: matvec(wrap(u))._v), b._v
        x = gmres(product, v, rtol, 300 if shape(v)[0] < _LARGE else 50, 20)
        left, size = length(v - product(x)), length(v)
        good = left <= rtol**0.5 * size
        if not isinstance(good, Traced) and not good:
            raise ConvergenceError(
                f"optimize: the linear equations of a derivative are solved without a matrix, which leaves {left:.1e} "
                f"of {size:.1e}; use a method with a matrix, such as root(method='hybr'), or scale the equations"
            )
        return wrap(pick(good, x, x * np.nan))

    return solve


_LARGE = 20000  # unknowns from which on spaces of 300 vectors would take too much memory
