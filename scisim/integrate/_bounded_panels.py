"""Adaptive division where values are not known, inside jit or vmap: a loop over at most ``limit`` panels."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff._pinned import pinned_call
from scisim.core.avals import ShapeDtype
from scisim.core.capture import capture, close
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import shape
from scisim.integrate._panels import COUNT, EPS, GAUSS, TINY, WEIGHTS, Line, column, panel
from scisim.ops.arithmetic import absolute, power, sqrt, square, stop
from scisim.ops.extrema import argmax
from scisim.ops.flow import while_loop
from scisim.ops.index import index
from scisim.ops.reduce import sum as total
from scisim.ops.select import maximum, minimum, where
from scisim.ops.vmap import vmap


def size_of(x: Any) -> Any:
    """The Euclidean norm."""
    return absolute(x) if shape(x) == () else sqrt(total(square(absolute(x))))


def _error(y: Any, half: Any) -> Any:
    """As `_panels.error_of`, on values."""
    weighted = lambda v, w: total(v * column(w, y), 0)
    off = size_of(weighted(y, WEIGHTS - GAUSS) * half)
    size = size_of(weighted(absolute(y), WEIGHTS) * absolute(half))
    spread = size_of(weighted(absolute(y - weighted(y, WEIGHTS) * 0.5), WEIGHTS) * absolute(half))
    known = spread > 0
    ratio = minimum(1.0, power(200.0 * off / where(known, spread, 1.0), 1.5))
    off = where(known, spread * ratio, off)
    return where(size > TINY / (50 * EPS), maximum(50 * EPS * size, off), off)


def opened(f: Callable, dtype: Any) -> tuple[Callable, list]:
    """An integrand of 21 points with what it closes over as further arguments, and these."""
    graph, held = close(capture(lambda x: [f(x)], [ShapeDtype((COUNT,), dtype)]))
    return (lambda values: lambda x: graph(x, *values)[0]), held


def _written(buffer: Any, at: Any, value: Any) -> Any:
    b = Tensor(buffer)
    b[at] = wrap(value)
    return b._v


class Search:
    """The adaptive division of panels in buffers.

    Parameters
    ----------
    line : Line
    tolerances : absolute and relative
    limit : int
    """

    def __init__(self, line: Line, tolerances: tuple[float, float], limit: int) -> None:
        self.line, self.limit = line, limit
        self.epsabs, self.epsrel = tolerances

    def __call__(self, f: Callable, cuts: list) -> tuple[Any, Any, Any, Any]:
        """Ends of the panels, of which those beyond the last are empty; integrals and errors of each."""
        first = [self._measured(f, a, b) for a, b in itertools.pairwise(cuts)]
        middle = 0.5 * (cuts[0] + cuts[1])
        blank = np.zeros((self.limit, *shape(first[0][0])), first[0][0].dtype)
        row = middle + np.zeros(self.limit, middle.dtype)
        buffers = (row, row, blank, np.zeros(self.limit, first[0][1].dtype))
        for k, (a, b, (integral, error)) in enumerate(zip(cuts[:-1], cuts[1:], first, strict=True)):
            buffers = tuple(_written(x, k, v) for x, v in zip(buffers, (a, b, integral, error), strict=True))
        state = (*buffers, np.asarray(len(first)))
        up, down = lambda s: tuple(map(wrap, s)), lambda s: tuple(map(unwrap, s))
        out = while_loop(lambda s: wrap(self._going(*down(s))), lambda s: up(self._split(f, *down(s))), up(state))
        return down(out)[:4]

    def _measured(self, f: Callable, a: Any, b: Any) -> tuple[Any, Any]:
        integral, y, half = panel(f, self.line, a, b)
        return integral, _error(y, half)

    def wanted(self, integrals: Any) -> Any:
        return maximum(self.epsabs, self.epsrel * size_of(total(integrals, 0)))

    def _going(self, a: Any, b: Any, integrals: Any, errors: Any, count: Any) -> Any:
        return (total(errors) > self.wanted(integrals)) & (count < self.limit)

    def _split(self, f: Callable, a: Any, b: Any, integrals: Any, errors: Any, count: Any) -> tuple:
        k = argmax(errors)
        low, high = index(a, k), index(b, k)
        middle = 0.5 * (low + high)
        left, right = self._measured(f, low, middle), self._measured(f, middle, high)
        a = _written(a, count, middle)
        b = _written(_written(b, count, high), k, middle)
        integrals = _written(_written(integrals, count, right[0]), k, left[0])
        return a, b, integrals, _written(_written(errors, count, right[1]), k, left[1]), count + 1


def bounded_quad(
    f: Callable, kind: str, cuts: list, origin: Any, ends: Callable, tolerances: tuple, limit: int, dtype: Any
) -> tuple[Any, Any, Any]:
    """The integral, the estimate of its error, and whether that is what was asked.

    ``ends(f, cuts, origin)`` is the integral over what the ends move by under derivatives.
    """
    open_f, held = opened(f, dtype)
    n = len(cuts)

    def search(origin: Any) -> Search:
        return Search(Line(kind, origin), tolerances, limit)

    def value(origin: Any, *vals: Any) -> tuple:
        s = search(origin)
        _, _, integrals, errors = s(open_f(vals[n:]), list(vals[:n]))
        return total(integrals, 0), total(errors), total(errors) <= s.wanted(integrals)

    def derivative(origin: Any, *vals: Any) -> tuple:
        still, s = list(map(stop, vals)), search(stop(origin))
        a, b, integrals, errors = s(open_f(still[n:]), still[:n])
        g = open_f(vals[n:])
        each = vmap(lambda a, b: wrap(panel(g, s.line, unwrap(a), unwrap(b))[0]))(wrap(a), wrap(b))
        whole = total(unwrap(each), 0) + ends(g, vals[:n], origin)
        return whole, total(errors), total(errors) <= s.wanted(integrals)

    return pinned_call(value, derivative, origin, *cuts, *held)
