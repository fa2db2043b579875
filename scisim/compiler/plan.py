"""What runs of a program, as plain data: its image and the memory that it needs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu.blocks import aligned
from scisim.compiler.cpu.image import Image
from scisim.compiler.lower.assemble import Assembly
from scisim.compiler.lower.donation import donations
from scisim.compiler.saved_values import dtype_of
from scisim.core.graph import Graph, Var


class Array(NamedTuple):
    """An array of the caller's, whose address a slot of the frame gets; ``hosted`` ones are made by Python steps."""

    slot: int
    shape: tuple[int, ...]
    dtype: np.dtype
    hosted: bool = False

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


class Plan(NamedTuple):
    """A program before it has addresses.

    Attributes
    ----------
    image : Image
    sizes : tuple of int
        Bytes of the arena and of a thread's tiles; the slot of the cells of host steps, and how many there are.
    inputs : list of Array
    results : list of Array
        What the program computes.
    outputs : list
        In the order of the program: a result, the position of an input, or an array that does not change.
    constants : list of (slot, array)
    donated : dict
        The slot of an input by that of a result that may take its memory.
    answering : tuple of int, optional
        The outputs of a guarded program which tell whether it may answer.
    """

    image: Image
    sizes: tuple[int, int, int, int]
    inputs: list[Array]
    results: list[Array]
    outputs: list[Any]
    constants: list[tuple[int, np.ndarray]]
    donated: dict[int, int]
    answering: tuple[int, ...] | None = None


def plan_of(assembly: Assembly, donated: Any, answering: tuple[int, ...] | None) -> Plan:
    """The plan of a lowered program."""
    low = assembly.lowered
    values, graph = low.values, low.graph
    inputs = [Array(slot, tuple(v.shape), v.dtype) for slot, v in zip(values.inputs, graph.inputs, strict=True)]
    results = {v: Array(s, tuple(v.shape), v.dtype, v in values.hosted) for v, s in values.results.items()}

    def output(v: Any) -> Any:
        if not isinstance(v, Var):
            return np.asarray(v)
        return results[v] if v in results else next(k for k, i in enumerate(graph.inputs) if i is v)

    return Plan(
        assembly.image,
        (low.arena_bytes, low.tile_bytes, assembly.cells, assembly.count),
        inputs,
        list(results.values()),
        [output(v) for v in graph.outputs],
        values.constants,
        donations(low, [values.inputs[k] for k in donated]) if donated else {},
        answering,
    )


def shaped(plan: Plan, graph: Graph) -> Plan:
    """The plan with the shapes of a graph's inputs and outputs, whose elements it may have taken in a row."""
    inputs = [a._replace(shape=v.shape) for a, v in zip(plan.inputs, graph.inputs, strict=True)]
    outputs = [
        a._replace(shape=v.shape) if isinstance(a, Array) else a
        for a, v in zip(plan.outputs, graph.outputs, strict=True)
    ]
    given = {a.slot: a for a in outputs if isinstance(a, Array)}
    return plan._replace(inputs=inputs, results=[given.get(a.slot, a) for a in plan.results], outputs=outputs)


# --- as bytes ------------------------------------------------------------------------------------------------------
def pack(plan: Plan) -> bytes:
    """A plan without host steps as bytes."""
    assert not plan.image.hosts
    arrays = [*plan.image.arrays().values(), *(a for _, a in plan.constants)]
    outputs: list[Any] = []
    for v in plan.outputs:
        kept = isinstance(v, np.ndarray)
        outputs.append(len(arrays) if kept else _described(v) if isinstance(v, Array) else {"input": v})
        arrays += [v] if kept else []
    header = {
        "kernels": plan.image.kernels,
        "image": list(plan.image.arrays()),
        "sizes": plan.sizes,
        "inputs": [_described(a) for a in plan.inputs],
        "results": [_described(a) for a in plan.results],
        "outputs": outputs,
        "constants": [slot for slot, _ in plan.constants],
        "donated": list(plan.donated.items()),
        "answering": plan.answering,
        "arrays": [[a.shape, a.dtype.name] for a in arrays],
    }
    return json.dumps(header).encode() + b"\n" + b"".join(a.tobytes() for a in arrays)


def unpack(data: bytes) -> Plan:
    """The plan that `pack` was given."""
    header, _, held = data.partition(b"\n")
    fields = json.loads(header)
    arrays = list(_arrays(fields["arrays"], held))
    image = Image.of(dict(zip(fields["image"], arrays, strict=False)), fields["kernels"])
    constants = zip(fields["constants"], arrays[len(fields["image"]) :], strict=False)
    answering = fields["answering"]

    def output(v: Any) -> Any:
        if isinstance(v, int):
            return arrays[v]
        return v["input"] if isinstance(v, dict) else _array(v)

    return Plan(
        image,
        tuple(fields["sizes"]),
        [_array(a) for a in fields["inputs"]],
        [_array(a) for a in fields["results"]],
        [output(v) for v in fields["outputs"]],
        list(constants),
        {int(a): int(b) for a, b in fields["donated"]},
        None if answering is None else tuple(answering),
    )


def _described(a: Array) -> list:
    return [a.slot, a.shape, a.dtype.name]


def _array(described: list) -> Array:
    slot, shape, name = described
    return Array(slot, tuple(shape), dtype_of(name))


def _arrays(described: list, held: bytes) -> Iterator[np.ndarray]:
    at = 0
    for shape, name in described:
        dtype = dtype_of(name)
        nbytes = math.prod(shape) * dtype.itemsize
        a = aligned(nbytes)
        a[:] = np.frombuffer(held, np.uint8, nbytes, at)
        yield a.view(dtype).reshape(shape)
        at += nbytes
