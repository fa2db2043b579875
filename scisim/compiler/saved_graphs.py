"""Graphs as JSON and arrays, and back, checked: a file may have been damaged, or made by somebody else."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.compiler.saved_values import Reader, Writer, dtype_of
from scisim.core.avals import ShapeDtype, aval, infer
from scisim.core.capture import capture, close
from scisim.core.errors import ArgumentError, FileError, ScisimError
from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import PRIMITIVES, Primitive
from scisim.core.source import Told
from scisim.core.values import Trace

# Packages that declare primitives when they are imported.
_DECLARING = ("ops.linalg", "ops.random", "fft", "complex", "interpolate", "sparse", "integrate", "optimize")


class GraphWriter:
    """Graphs of a file, each once.

    Attributes
    ----------
    graphs : list
        What was written.
    opaque : list of str
        Functions with rules of their own, of which only what they compute was written.
    """

    def __init__(self) -> None:
        self.values = Writer(self.add)
        self.graphs: list[Any] = []
        self.opaque: list[str] = []
        self._numbers: dict[Graph, int] = {}

    def add(self, graph: Graph) -> int:
        """The number of a graph."""
        if graph not in self._numbers:
            text = _GraphText(self, graph)
            self._numbers[graph] = len(self.graphs)
            self.graphs.append(text.written)
        return self._numbers[graph]


class _GraphText:
    def __init__(self, writer: GraphWriter, graph: Graph) -> None:
        self.writer, self.names = writer, {v: k for k, v in enumerate(graph.inputs)}
        self.equations: list[Any] = []
        for eq in graph.equations:
            self._equation(eq)
        self.written = {
            "name": graph.name,
            "inputs": [_typed(v) for v in graph.inputs],
            "equations": self.equations,
            "outputs": [self._operand(v, "a result") for v in graph.outputs],
        }

    def _equation(self, eq: Equation) -> None:
        name = eq.prim.name
        if not eq.prim.registered:
            return self._inline(eq)
        if PRIMITIVES.get(name) is not eq.prim or eq.prim.spreads:
            raise _refused(eq)
        args = [self._operand(a, f"an operand of {name}") for a in eq.args]
        params = {k: self.writer.values.value(v, f"{k} of {name}") for k, v in eq.params.items()}
        self._define(eq.outs)
        self.equations.append([name, args, params, [_typed(v) for v in eq.outs], str(eq.source or "")])

    def _inline(self, eq: Equation) -> None:
        """What a function with a rule of its own computes, in its place."""
        if not eq.prim.singular or eq.prim.spreads:
            raise _refused(eq)
        self.writer.opaque.append(eq.prim.name)
        avals = [aval(a) for a in eq.args]
        graph, held = close(capture(lambda *vs: eq.prim.evaluate(*vs, **eq.params), avals, eq.prim.name))
        if held:
            raise _refused(eq)
        args = [self._operand(a, f"an operand of {eq.prim.name}") for a in eq.args]
        number = self.writer.add(graph)
        self._define(eq.outs)
        self.equations.append(
            ["call", args, {"graph": {"graph": number}}, [_typed(v) for v in eq.outs], str(eq.source or "")]
        )

    def _define(self, outs: Sequence[Var]) -> None:
        for v in outs:
            self.names[v] = len(self.names)

    def _operand(self, a: Any, what: str) -> Any:
        return {"var": self.names[a]} if isinstance(a, Var) else self.writer.values.value(a, what)


def _typed(v: Any) -> list:
    return [v.dtype.name, list(v.shape)]


def _refused(eq: Equation) -> ArgumentError:
    where = f" (at {eq.source})" if eq.source is not None else ""
    way = (
        "values in parts belong to the ranks of one job; export what one rank computes"
        if eq.prim.spreads or not eq.prim.singular
        else "pass what it closes over as arguments"
    )
    return ArgumentError(f"export: the program calls {eq.prim.name}{where}, which a file of data cannot hold; {way}")


# --- reading -----------------------------------------------------------------------------------------------------
class GraphReader:
    """Graphs of a file.

    Parameters
    ----------
    written : list
        What `GraphWriter` gave.
    arrays : list of ndarray
    """

    def __init__(self, written: list, arrays: list[np.ndarray]) -> None:
        self.values = Reader(arrays, self.graph)
        self.graphs: list[Graph] = []
        for text in written:  # bodies come before the graphs that use them
            self.graphs.append(self._read(text))

    def graph(self, number: Any) -> Graph:
        """The graph of a number."""
        if type(number) is not int or not 0 <= number < len(self.graphs):
            raise FileError(f"refers to graph {number!r:.20}, which it lacks")
        return self.graphs[number]

    def _read(self, text: dict) -> Graph:
        names = [_var(t) for t in text["inputs"]]
        inputs, equations = list(names), []

        def operand(x: Any) -> Any:
            if not (isinstance(x, dict) and "var" in x):
                return self.values.value(x)
            k = x["var"]
            if type(k) is not int or not 0 <= k < len(names):
                raise FileError(f"uses value {k!r:.20} before it is computed")
            return names[k]

        for name, args, params, outs, source in text["equations"]:
            prim = _primitive(name)
            given = {str(k): self.values.value(v) for k, v in params.items()}
            made = tuple(_var(t) for t in outs)
            told = Told(str(source)) if source else None
            eq = Equation(prim, tuple(map(operand, args)), given, made, told)
            check(eq)
            equations.append(eq)
            names.extend(made)
        return Graph(inputs, equations, [operand(x) for x in text["outputs"]], str(text["name"]))


_ORIGIN = Trace("a loaded program")  # of variables that no running transformation owns


def _var(text: Any) -> Var:
    dtype, shape = text
    if not all(type(n) is int and n >= 0 for n in shape):
        raise FileError(f"has an array of shape {shape!r:.60}")
    return Var(_ORIGIN, tuple(shape), dtype_of(dtype))


def _primitive(name: Any) -> Primitive:
    for package in _DECLARING:
        if name in PRIMITIVES:
            break
        try:
            importlib.import_module(f"scisim.{package}")
        except ModuleNotFoundError:
            continue
    if name not in PRIMITIVES:
        raise FileError(f"uses the operation {name!r:.60}, which this version of scisim does not have")
    return PRIMITIVES[name]


def check(eq: Equation) -> None:
    """Raise FileError where an equation's results are not of the shapes and dtypes that its operation gives."""
    try:
        like = infer(eq.prim, eq.args, eq.params)
        _check_moves(eq)
        _check_bodies(eq)
    except (ScisimError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise FileError(f"misuses {eq.prim.name}: {error}") from None
    found = tuple(map(aval, like if eq.prim.multiple else (like,)))
    if found != _avals(eq.outs):
        raise FileError(f"says that {eq.prim.name} gives {_avals(eq.outs)}, and it gives {found}")


def _avals(values: Sequence[Any]) -> tuple:
    return tuple(map(aval, values))


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _check_moves(eq: Equation) -> None:
    """What the shapes of operations that only move elements must be; their rules trust them."""
    name, p = eq.prim.name, eq.params
    if name == "broadcast":
        _require(np.broadcast_shapes(aval(eq.args[0]).shape, p["shape"]) == p["shape"], "shapes do not broadcast")
    elif name == "reshape":
        _require(np.prod(aval(eq.args[0]).shape) == np.prod(p["shape"]), "the number of elements changes")
    elif name == "transpose":
        _require(sorted(p["perm"]) == list(range(aval(eq.args[0]).ndim)), "the axes are no permutation")


def _check_bodies(eq: Equation) -> None:
    """Bodies take what they are given, and give what is said."""
    name, p, given = eq.prim.name, eq.params, _avals(eq.args)
    if name == "call":
        _fits(p["graph"], given)
    elif name == "cond":
        first, second = p["branches"]
        _fits(first, given[1:])
        _fits(second, given[1:], _avals(first.outputs))
    elif name == "while":
        _fits(p["body"], given, given[p["consts"] :])
        _fits(p["test"], given)
        _require([a.shape for a in _avals(p["test"].outputs)] == [()], "the test is no single value")
    elif name == "scan":
        c, n = p["consts"], p["consts"] + p["carries"]
        _require(0 <= c <= n <= len(given) and p["length"] >= 0, "counts do not fit")
        slices = tuple(ShapeDtype(a.shape[1:], a.dtype) for a in given[n:])
        _require(all(a.shape[0] == p["length"] for a in given[n:]), "lengths do not agree")
        _fits(p["body"], (*given[:n], *slices))
        _require(_avals(p["body"].outputs)[: n - c] == given[c:n], "the carry changes")


def _fits(graph: Graph, given: tuple, results: tuple | None = None) -> None:
    _require(_avals(graph.inputs) == given, "a body takes other arguments")
    _require(results is None or _avals(graph.outputs) == results, "a body gives other results")
