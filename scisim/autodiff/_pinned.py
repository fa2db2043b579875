"""A computation that has the values of one graph and the derivatives of another.

What a solver finds by trial, such as the sizes of its steps, is found by the first graph alone; derivatives see only
the second, which repeats what was accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scisim.core.avals import aval
from scisim.core.axes import whole
from scisim.core.batch import Batch
from scisim.core.capture import capture, close
from scisim.core.primitive import Primitive
from scisim.ops.control import _with_inputs, call_p, graph_avals, pack, transformed, unpack


def _through(trace: Any, args: tuple, p: dict) -> tuple:
    if not isinstance(trace, Batch):
        return call_p(*args, graph=p["derivative"])
    flat, patterns = unpack(trace, args)
    avals = tuple(map(aval, flat))
    wanted = (True,) * len(p["graph"].outputs)
    graphs = {k: transformed(g, trace, patterns, avals, wanted)[0] for k, g in p.items()}
    return pack(trace, pinned_call_p(*flat, **graphs), wanted)


pinned_call_p = Primitive(
    "pinned_call",
    lambda *args, graph, derivative: graph(*args),
    axes=whole(),
    infer=lambda avals, p: graph_avals(p["graph"]),
    reverse=lambda vals, p: call_p.reverse(vals, {"graph": p["derivative"]}),  # type: ignore[misc]
    through=_through,
    multiple=True,
)


def pinned_call(value: Callable, derivative: Callable, *args: Any) -> tuple:
    """``value(*args)`` with the derivatives of ``derivative``; both from flat values to as many flat values."""
    graphs: list = []
    helds: list[list[Any]] = []
    for f in (value, derivative):
        graph, held = close(capture(f, args))
        graphs.append(graph)
        helds.append(held)
    extra = {id(v): v for held in helds for v in held}
    first, second = (_with_inputs(g, held, extra, len(args)) for g, held in zip(graphs, helds, strict=True))
    return pinned_call_p(*args, *extra.values(), graph=first, derivative=second)
