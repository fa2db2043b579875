"""Functions that are one step of a compiled program.

What is composed of operations that a program leaves to NumPy anyway (sorts, cumulative sums, convolutions, histograms)
would be several steps there.  While a program is captured, such a function is recorded as one primitive, which runs
what plain arrays run; every other interpretation sees the composition.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import aval
from scisim.core.axes import whole
from scisim.core.capture import capture, close
from scisim.core.primitive import Primitive
from scisim.core.public import PLAIN, as_argument
from scisim.core.values import Traced
from scisim.ops.control import call_p


def _captured(xs: tuple) -> bool:
    """Whether the innermost transformation of these values records a program."""
    traces = [x.trace for x in xs if isinstance(x, Traced)]
    return bool(traces) and max(traces, key=lambda t: t.level).kind == "jit"


def _fixed(x: Any) -> bool:
    kind = type(x)
    return x is None or kind in (int, float, bool, str) or (kind is tuple and all(map(_fixed, x)))


# Of how many arrays, and whether there are several results.
STEPS = {
    **dict.fromkeys(("modf", "frexp", "topk", "histogram"), (1, True)),
    **dict.fromkeys(("median", "quantile", "percentile", "nanmedian", "nanquantile", "nanpercentile"), (1, False)),
    **dict.fromkeys(("nancumsum", "nancumprod", "nanargmax", "nanargmin"), (1, False)),
    **dict.fromkeys(("convolve", "correlate", "polyfit"), (2, False)),
    "histogram2d": (2, True),
}


def as_step(raw: Callable) -> Callable:
    """The function as one step, if it is in the table."""
    return one_step(raw, *STEPS[raw.__name__]) if raw.__name__ in STEPS else raw


def one_step(raw: Callable, arrays: int = 1, multiple: bool = False) -> Callable:
    """The raw function, whose first arguments are so many arrays, as one that is recorded as one primitive."""
    name = raw.__name__
    signature = inspect.signature(raw)
    defaults = tuple(p.default for p in signature.parameters.values())[arrays:]

    def evaluate(*xs: Any, settings: tuple) -> Any:
        plain = PLAIN.get(name)
        if plain is not None and type(xs[0]) is type(xs[-1]) is np.ndarray:
            try:
                out = plain(*xs, *settings)
            except (ValueError, TypeError, IndexError, AttributeError):
                out = NotImplemented
            if out is not NotImplemented:
                return out
        return raw(*xs, *settings)

    def graph(xs: Any, settings: tuple) -> tuple:
        f = lambda *values: raw(*values, *settings)
        return close(capture(f if multiple else lambda *values: (f(*values),), xs, name))

    def infer(avals: tuple, p: dict) -> Any:
        outs = _outputs(graph, tuple(avals), p["settings"])
        return outs if multiple else outs[0]

    def reverse(vals: Any, p: dict) -> Any:
        own, held = graph(vals, p["settings"])
        assert not held
        assert call_p.reverse is not None
        outs, pullback = call_p.reverse(vals, {"graph": own})
        return (outs if multiple else outs[0]), pullback

    step = Primitive(
        f"{name}.step",
        evaluate,
        axes=whole(),
        infer=infer,
        reverse=reverse,
        through=lambda trace, args, p: raw(*args, *p["settings"]),
        multiple=multiple,
        singular="as its parts are",
    )

    @functools.wraps(raw)
    def routed(*args: Any, **kwargs: Any) -> Any:
        if not _captured(args[:arrays]) or len(args) < arrays:
            return raw(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        settings = _given(tuple(bound.args[arrays:]), defaults)
        if bound.kwargs or not all(map(_fixed, settings)):
            return raw(*args, **kwargs)
        return step(*map(as_argument, args[:arrays]), settings=settings)

    return routed


def _given(settings: tuple, defaults: tuple) -> tuple:
    """The settings without the last ones that are as by default."""
    n = len(settings)
    while n and settings[n - 1] is defaults[n - 1]:
        n -= 1
    return settings[:n]


@functools.lru_cache(maxsize=1024)
def _outputs(graph: Callable, avals: tuple, settings: tuple) -> tuple:
    return tuple(aval(v) for v in graph(avals, settings)[0].outputs)
