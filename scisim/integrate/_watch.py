"""Events inside jit and vmap: crossings noted in the loop over steps, zeros found on the polynomials afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.autodiff.implicit import implicit_root
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.integrate._result import interpolated
from scisim.ops.arithmetic import stop
from scisim.ops.flow import scan
from scisim.ops.index import index
from scisim.ops.select import minimum, where
from scisim.ops.shape import astype, reshape
from scisim.ops.vmap import vmap

HALVINGS = 56


class Watch:
    """Event functions of values, what they ask for, and how many zeros of each are kept.

    Parameters
    ----------
    events : list of callable
    wants : list of (direction, times)
    size : int
    """

    def __init__(self, events: list[Callable], wants: list[tuple[float, float]], size: int) -> None:
        self.events, self.wants, self.size = events, wants, size

    def begin(self, t: Any, y: Any) -> tuple:
        """For each event its value, the steps in which it was zero, and their number."""
        blank = np.zeros(self.size, np.int64)
        return tuple((astype(e(t, y), np.float64), blank, np.asarray(0)) for e in self.events)

    def look(self, seen: tuple, good: Any, count: Any, t: Any, y: Any) -> tuple[tuple, Any]:
        """What was seen, after a step to ``t`` and ``y`` that may be good; and whether an event ends it."""
        out, ended = [], np.asarray(False)
        for (old, steps, hits), e, (direction, times) in zip(seen, self.events, self.wants, strict=True):
            new = astype(e(t, y), np.float64)
            up, down = (old <= 0) & (new >= 0), (old >= 0) & (new <= 0)
            crossed = good & (up if direction > 0 else down if direction < 0 else up | down)
            noted, at = Tensor(steps), minimum(hits, self.size - 1)
            noted[at] = wrap(where(crossed & (hits < self.size), count - 1, index(steps, at)))
            hits = hits + astype(crossed, np.int64)
            out.append((where(good, new, old), noted._v, hits))
            ended = ended | (hits >= times) if times < np.inf else ended
        return tuple(out), ended

    # --- afterwards --------------------------------------------------------------------------------------------------
    def zeros(self, seen: tuple, nodes: Any, states: Any, cs: Any) -> list:
        """Times of the zeros, by halving; those behind the last are not numbers."""
        out = []
        for (_, steps, hits), e in zip(seen, self.events, strict=True):
            t = self._halved(e, steps, nodes, states, cs)
            out.append(where(np.arange(self.size) < hits, t, np.nan))
        return out

    def _along(self, e: Callable, steps: Any, nodes: Any, states: Any, cs: Any) -> Callable:
        """The values of an event at a time in each of the steps."""
        each = vmap(lambda t, y: wrap(e(unwrap(t), unwrap(y))))
        return lambda ts: unwrap(each(wrap(ts), wrap(interpolated(nodes, states, cs, ts, steps))))

    def _halved(self, e: Callable, steps: Any, nodes: Any, states: Any, cs: Any) -> Any:
        g = self._along(e, steps, nodes, states, cs)
        low, high = index(nodes, steps), index(nodes, steps + 1)
        below = g(low) <= 0

        def halve(pair: tuple, _: None) -> tuple:
            a, b = map(unwrap, pair)
            middle = 0.5 * (a + b)
            value = g(middle)
            stays = (value <= 0) & below | (value >= 0) & ~below
            return (wrap(where(stays, middle, a)), wrap(where(stays, b, middle))), None

        (a, b), _ = scan(halve, (wrap(low), wrap(high)), None, HALVINGS)
        return 0.5 * (unwrap(a) + unwrap(b))

    def followed(self, times: list, seen: tuple, nodes: Any, states: Any, cs: Any) -> tuple[list, list]:
        """The times with derivatives, and the states there."""
        ts, ys = [], []
        for t, (_, steps, _), e in zip(times, seen, self.events, strict=True):
            g = self._along(e, steps, nodes, states, cs)
            lost = ~(t <= np.inf)
            start = where(lost, index(stop(nodes), steps), t)
            root = implicit_root(lambda x, g=g: wrap(g(unwrap(x))), lambda f, x: x, "elementwise")
            new = unwrap(root(wrap(start)))
            ts.append(where(lost, np.nan, new))
            y = interpolated(nodes, states, cs, new, steps)
            ys.append(where(reshape(lost, (self.size, 1)), np.nan, y))
        return ts, ys

    def end(self, times: list, seen: tuple, way: Any, otherwise: Any) -> Any:
        """The time of the first event that ended it."""
        best = otherwise
        for t, (_, _, hits), (_, wanted) in zip(times, seen, self.wants, strict=True):
            if wanted < np.inf:
                own = t[int(wanted) - 1]
                best = where((hits >= wanted) & (way * stop(own) < way * stop(best)), own, best)
        return best
