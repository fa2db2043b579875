"""Graphs: a captured program as a list of equations.

Running a graph calls the primitives again on whatever values it is given; that is how a graph is differentiated, mapped
and sharded by the same rules as eager code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ScisimError
from scisim.core.primitive import Primitive
from scisim.core.source import Source, Told, note
from scisim.core.values import Traced

# Makes a graph ready to run on arrays; the compiler fills it in.
make_program: list[Callable[[Any], Callable]] = []


class Var(Traced):
    """A variable of a graph: shape and dtype without a value."""

    __slots__ = ("_dtype", "_shape", "definition")

    def __init__(self, trace: Any, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.trace, self.root, self._shape, self._dtype = trace, None, tuple(shape), np.dtype(dtype)
        self.definition: Equation | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        return self._dtype

    def __repr__(self) -> str:
        return f"<{self._dtype}{list(self._shape)}>" if self.trace is None else super().__repr__()


class Equation(NamedTuple):
    """``outs = prim(*args, **params)``; args are variables or constants.  ``source``: the user's line it comes from."""

    prim: Primitive
    args: tuple
    params: dict
    outs: tuple[Var, ...]
    source: Source | Told | None = None


class Graph:
    """A program: inputs, equations in order, outputs.

    Parameters
    ----------
    inputs : list of Var
    equations : list of Equation
    outputs : list of Var or constants
    """

    def __init__(self, inputs: list[Var], equations: list[Equation], outputs: list[Any], name: str = "graph") -> None:
        self.inputs, self.equations, self.outputs, self.name = inputs, equations, outputs, name
        self.derived: dict[Any, Any] = {}  # derivatives and mapped forms, each made once
        self.program: Any = None  # how it runs on arrays, made at the first run

    def __call__(self, *args: Any) -> tuple:
        """Run the graph on values of any kind."""
        if make_program and not any(isinstance(a, Traced) for a in args):
            if self.program is None:
                own = {v for eq in self.equations for v in eq.outs} | set(self.inputs)
                used = [*(a for eq in self.equations for a in eq.args), *self.outputs]
                open_ended = any(isinstance(a, Traced) and a not in own for a in used)
                self.program = False if open_ended else make_program[0](self)
            if self.program:
                return tuple(self.program(*args))
        env: dict[Var, Any] = dict(zip(self.inputs, args, strict=True))

        def read(v: Any) -> Any:
            return env.get(v, v) if type(v) is Var else v

        for prim, ins, params, outs, source in self.equations:
            try:
                result = prim(*map(read, ins), **params)
            except ScisimError as error:
                note(error, f"while {self.name} runs", source, recorded=True)
                raise
            env.update(zip(outs, result if prim.multiple else (result,), strict=True))
        return tuple(map(read, self.outputs))

    def bodies(self) -> Iterator[Graph]:
        """The graphs inside this one: bodies of control flow and calls."""
        for eq in self.equations:
            for g in graphs_in(eq.params):
                yield g
                yield from g.bodies()

    @property
    def singular(self) -> bool:
        """Whether a primitive marked singular is in it, or in one of its bodies."""
        if "singular" not in self.derived:
            self.derived["singular"] = any(is_singular(eq.prim, eq.params, eq.args) for eq in self.equations)
        return self.derived["singular"]

    @property
    def effects(self) -> bool:
        """Whether an operation in it, or in one of its bodies, does something beside giving a value."""
        if "effects" not in self.derived:
            self.derived["effects"] = any(has_effect(eq) for eq in self.equations)
        return self.derived["effects"]

    def count(self, name: str | None = None) -> int:
        """Number of equations (of one primitive), those of bodies included, each body once."""
        own = sum(name is None or eq.prim.name == name for eq in self.equations)
        return own + sum(len([e for e in g.equations if name in (None, e.prim.name)]) for g in set(self.bodies()))

    def counts(self) -> Counter:
        """Number of equations by primitive."""
        return Counter(eq.prim.name for g in (self, *set(self.bodies())) for eq in g.equations)

    def constants(self) -> list[Any]:
        """Values that the graph carries."""
        held = [a for eq in self.equations for a in eq.args if not isinstance(a, Var)]
        return held + [v for v in self.outputs if not isinstance(v, Var)]

    def __repr__(self) -> str:
        return "\n".join(_lines(self, ""))


def source_of(v: Any) -> Source | Told | None:
    """The user's line that a captured value comes from, or a value of a transformation with such a one inside."""
    while isinstance(v, Traced) and type(v) is not Var:
        v = v.lower
    return v.definition.source if type(v) is Var and v.definition is not None else None


def has_effect(eq: Equation) -> bool:
    """Whether an equation does something beside giving values."""
    return eq.prim.effect or (bool(eq.params) and any(g.effects for g in graphs_in(eq.params)))


def graphs_in(params: dict) -> Iterator[Graph]:
    """The bodies among the parameters of an operation."""
    for p in params.values():
        for g in p if isinstance(p, tuple) else (p,):
            if isinstance(g, Graph):
                yield g


def is_singular(prim: Primitive, params: dict, args: Sequence[Any]) -> bool:
    """Whether an operation or a body of it is singular, after which derivatives multiply with exact zeros winning."""
    if prim.singular_at(args):
        return True
    return any(g.singular for g in graphs_in(params))


def _lines(graph: Graph, indent: str) -> Iterator[str]:
    names: dict[Var, str] = {}

    def show(v: Any) -> str:
        if isinstance(v, Var):
            return names.setdefault(v, f"v{len(names)}")
        return f"const {v.dtype}{list(v.shape)}" if np.ndim(v) else f"{v:.6g}" if np.isrealobj(v) else f"{v}"

    def typed(v: Any) -> str:
        return f"{show(v)}: {v.dtype}{list(v.shape)}"

    yield f"{indent}{graph.name}({', '.join(map(typed, graph.inputs))})"
    for prim, args, params, outs, _ in graph.equations:
        rest = {k: p for k, p in params.items() if not _has_graph(p)}
        text = " ".join(f"{k}={v}" for k, v in rest.items())
        left = ", ".join(map(typed, outs))
        yield f"{indent}  {left} = {prim.name}({', '.join(map(show, args))}){' ' + text if text else ''}"
        for g in graphs_in(params):
            yield from _lines(g, indent + "    ")
    yield f"{indent}  return {', '.join(map(show, graph.outputs))}"


def _has_graph(p: Any) -> bool:
    return isinstance(p, Graph) or (isinstance(p, tuple) and any(isinstance(g, Graph) for g in p))
