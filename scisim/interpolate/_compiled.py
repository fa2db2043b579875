"""Functions of plain arrays by compiled loops: a step of its own in a program, their parts under every derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, aval
from scisim.core.axes import whole
from scisim.core.capture import Capture, capture, close
from scisim.core.primitive import Primitive
from scisim.core.values import Traced
from scisim.ops.control import call_p


def _step(name: str, plain: Callable, parts: Callable, shape: Callable) -> Primitive:
    """The primitive that a program records."""

    def reverse(values: Any, params: dict) -> tuple:
        graph, held = close(capture(lambda *v: (parts(*v, **params),), list(map(aval, values)), name))
        outs, pullback = call_p.reverse([*values, *held], {"graph": graph})  # type: ignore[misc]
        return outs, lambda cts, exact: list(pullback(cts, exact))[: len(values)]

    def infer(avals: Any, params: dict) -> tuple:
        return (ShapeDtype(shape(*(a.shape for a in avals)), np.result_type(*(a.dtype for a in avals))),)

    return Primitive(
        name,
        lambda *args, **params: (np.asarray(plain(*args, **params)),),
        axes=whole(),
        infer=infer,
        through=lambda trace, args, params: (parts(*args, **params),),
        reverse=reverse,
        multiple=True,
    )


def looped(name: str, plain: Callable, parts: Callable, shape: Callable) -> tuple[Callable, Primitive]:
    """The function, and its primitive: ``plain`` of arrays, a step of its own in a program, and under derivatives and
    vmap ``parts``, which computes the same bits. ``shape`` gives the shape of the result."""
    step = _step(name, plain, parts, shape)

    def call(*args: Any, **params: Any) -> Any:
        traced = [a for a in args if isinstance(a, Traced)]
        if not traced:
            return plain(*args, **params)
        if all(isinstance(a.trace, Capture) for a in traced):
            return step(*args, **params)[0]
        return parts(*args, **params)

    return call, step
