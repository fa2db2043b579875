"""Results that take the memory of arguments which their caller gives up.

A result may be written over an argument where one loop reads each element of it just before it writes the same one, and
nothing reads the argument at that time or later.
"""

from __future__ import annotations

from typing import Any

from scisim.compiler.cpu.loops import Loop
from scisim.compiler.lower.calls import Call
from scisim.compiler.lower.layout import Buffer
from scisim.compiler.lower.operands import Address
from scisim.compiler.lower.steps import Host, Lowered, Region


def donations(lowered: Lowered, donated: list[int]) -> dict[int, int]:
    """The slot of an argument for slots of results, where a result may have its memory.

    Parameters
    ----------
    lowered : Lowered
    donated : list of int
        Slots of the arguments that are given up.
    """
    values = lowered.values
    arguments = {slot: values.views[v].buffer for v, slot in zip(lowered.graph.inputs, values.inputs, strict=True)}
    passed = {id(v) for v in lowered.graph.outputs}  # an argument that is itself a result keeps its values
    kept = {slot for v, slot in zip(lowered.graph.inputs, values.inputs, strict=True) if id(v) in passed}
    donated = [slot for slot in donated if slot not in kept]
    found: dict[int, int] = {}
    for v, slot in values.results.items():
        if v in values.hosted:
            continue
        result = values.views[v].buffer
        for given in donated:
            source = arguments[given]
            like = source.shape == result.shape and source.dtype == result.dtype
            if like and given not in found.values() and _follows(lowered, result, source):
                found[slot] = given
                break
    return found


def _follows(lowered: Lowered, result: Buffer, source: Buffer) -> bool:
    """Whether every read of the source comes before, or at the same element as, the only write of the result."""
    touching = [(k, s) for k, s in enumerate(lowered.steps) if _touches(s, result)]
    reading = [(k, s) for k, s in enumerate(lowered.steps) if _touches(s, source)]
    if len(touching) != 1:
        return False
    ((at, step),) = touching
    if not isinstance(step, Region) or any(k > at for k, _ in reading):
        return False
    calls = [c for c in step.calls if result in c.buffers() or source in c.buffers()]
    return len(calls) == 1 and result in calls[0].buffers() and _same_elements(calls[0], result, source)


def _touches(step: Any, buffer: Buffer) -> bool:
    if isinstance(step, Region):
        return any(buffer in c.buffers() for c in step.calls)
    if isinstance(step, Host):
        return any(v is not None and v.buffer is buffer for v in (*step.args, *step.into))
    return True  # loops and conditions are not looked into


def _same_elements(call: Call, result: Buffer, source: Buffer) -> bool:
    """Whether a loop finds both buffers' elements in the same way, each once."""
    if not isinstance(call.kernel, Loop):
        return False
    ways: dict[int, list[tuple]] = {result.number: [], source.number: []}
    places = [k for k, a in enumerate(call.args) if isinstance(a, Address)]
    for k, following in zip(places, [*places[1:], len(call.args)], strict=True):
        a = call.args[k]
        assert isinstance(a, Address)
        way = (a.offset, a.per_start, a.view.per_length, tuple(call.args[k + 1 : following]))
        ways.get(a.view.buffer.number, []).append(way)
    return len(ways[result.number]) == 1 and all(w == ways[result.number][0] for w in ways[source.number])
