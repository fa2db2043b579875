"""What tells captured graphs apart, as a short text that is the same in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import PRIMITIVES, Primitive
from scisim.core.values import Traced, numeric

LARGEST = 1 << 26  # bytes of constants up to which a graph has a key


class _Nameless(Exception):
    """Something in a graph has no lasting name."""


def graph_key(graph: Graph) -> str | None:
    """A digest of operations, parameters, constants, shapes and dtypes.

    None where that is not all there is to the graph: for functions with code of the user's in them, and for large
    constants.
    """
    text = _Text()
    try:
        text.graph(graph)
    except _Nameless:
        return None
    return hashlib.sha256("\n".join(text.lines).encode()).hexdigest()


class _Text:
    """Collects lines that say what graphs are."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._graphs: dict[int, int] = {}
        self._arrays: dict[int, str] = {}
        self._own: dict[int, str] = {}  # names of primitives that are ours, by identity
        self._bytes = 0
        self._names: dict[Any, str] = {}
        self._writers: dict[type, Callable[[Any], str]] = {
            Graph: lambda g: f"g{self.graph(g)}",
            tuple: lambda v: f"({','.join(map(self.value, v))})",
            list: lambda v: f"[{','.join(map(self.value, v))}]",
            dict: lambda v: "{" + ",".join(f"{self.value(k)}:{self.value(x)}" for k, x in v.items()) + "}",
            slice: lambda v: f"slice{self.value((v.start, v.stop, v.step))}",
        }
        plain: tuple[type, ...] = (bool, int, float, complex, str, type(None))
        self._writers |= {kind: lambda v, name=kind.__name__: f"{name} {v!r}" for kind in plain}  # type: ignore[misc]

    def graph(self, graph: Graph) -> int:
        """The number of a graph, which is written at its first use."""
        if id(graph) not in self._graphs:
            outer, self._names = self._names, {v: f"i{k}" for k, v in enumerate(graph.inputs)}
            lines = [f"graph {' '.join(map(typed, graph.inputs))}"]
            lines += [self._equation(eq) for eq in graph.equations]
            lines.append(f"gives {' '.join(map(self._operand, graph.outputs))}")
            self._names = outer
            self.lines += lines
            self._graphs[id(graph)] = len(self._graphs)
        return self._graphs[id(graph)]

    def _equation(self, eq: Equation) -> str:
        names, args = self._names, []
        for a in eq.args:
            args.append(names[a] if type(a) is Var and a in names else self._operand(a))
        params = "".join([f" {k}={self.value(v)}" for k, v in eq.params.items()]) if eq.params else ""
        text = f"{self._own.get(id(eq.prim)) or self._primitive(eq.prim)} {' '.join(args)}{params} > "
        for v in eq.outs:
            names[v] = f"v{len(names)}"
            text += typed(v)
        return text

    def _primitive(self, prim: Primitive) -> str:
        if PRIMITIVES.get(prim.name) is not prim or not prim.module.startswith("scisim.") or prim.spreads:
            raise _Nameless
        self._own[id(prim)] = prim.name
        return prim.name

    def _operand(self, a: Any) -> str:
        if type(a) is Var:
            if a not in self._names:
                raise _Nameless
            return self._names[a]
        return self.value(a)

    def value(self, x: Any) -> str:
        """What is told of a parameter or constant."""
        writer = self._writers.get(type(x))
        if writer is not None:
            return writer(x)
        if isinstance(x, np.dtype):
            return f"dtype {x.name}"
        if isinstance(x, (np.ndarray, np.generic)) and numeric(x.dtype):
            return self._array(x)
        raise _Nameless

    def _array(self, x: Any) -> str:
        if id(x) not in self._arrays:
            self._bytes += x.nbytes
            if self._bytes > LARGEST:
                raise _Nameless
            own = x[tuple(slice(0, 1) if step == 0 else slice(None) for step in x.strides)]  # not what is repeated
            held = hashlib.sha256(np.ascontiguousarray(own).view(np.uint8).data if x.ndim else x.tobytes()).hexdigest()
            self._arrays[id(x)] = f"{type(x) is np.ndarray} {x.dtype.name}{x.shape} {held}"
        return self._arrays[id(x)]


_typed: dict[Any, str] = {}


def typed(v: Traced) -> str:
    """Dtype and shape."""
    dtype = v.dtype
    name = _typed.get(dtype)
    if name is None:
        name = _typed[dtype] = dtype.name
    return f"{name}{v.shape}"
