"""Capture: running a function on variables records the graph of what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from scisim.core.avals import aval, infer
from scisim.core.errors import ScisimError, TraceError
from scisim.core.graph import Equation, Graph, Var, has_effect
from scisim.core.primitive import Primitive, alike
from scisim.core.source import deepest, here, note
from scisim.core.values import Trace, Traced, ambient, name_of, root_of, same

LARGEST_COMPARED = 1 << 20  # bytes up to which arrays are compared by content


class Capture(Trace):
    """One run of a function that is being recorded."""

    kind: ClassVar[str] = "jit"

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self.equations: list[Equation] = []
        self._made: dict[Any, Any] = {}  # what equations gave, by operation and operands: equal ones are recorded once
        self._contents: dict[int, Any] = {}  # what tells arrays apart, by identity, and the arrays
        self.source: Any = None  # the line of what is recorded, where it is another than the one that is being run
        self.order: Any = None  # what the last operation with an effect gave; the next one takes it

    def var(self, shape: tuple[int, ...], dtype: Any) -> Var:
        return Var(self, shape, dtype)

    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        if prim.record is not None:
            return prim.record(args)
        key = self._key(prim, args, params)
        if key is not None and key in self._made:
            return self._made[key]
        like = infer(prim, args, params)
        outs = tuple(self.var(s, d) for s, d in (like if prim.multiple else (like,)))
        eq = Equation(prim, args, params, outs, self.source or here())
        for v in outs:
            v.definition = eq
        self.equations.append(eq)
        if key is not None:
            self._made[key] = outs[0]
        return outs if prim.multiple else outs[0]

    def _key(self, prim: Primitive, args: tuple, params: dict) -> Any:
        """What tells an equation from others; None for one that has bodies or effects and is always recorded."""
        if prim.multiple or prim.effect:
            return None
        try:
            key = (prim, *map(self._operand, args), *params.items())
            hash(key)
        except TypeError:
            return None
        return key

    def _operand(self, a: Any) -> Any:
        """Variables by identity, numbers by type and value (0.0 apart from -0.0), arrays by what is in them."""
        kind = type(a)
        if kind is Var:
            return id(a)
        if kind is float:
            return (kind, a) if a else (kind, str(a))
        if kind is np.ndarray and a.nbytes <= LARGEST_COMPARED:
            if id(a) not in self._contents:
                self._contents[id(a)] = (a, (a.shape, a.dtype.str, hash(a.tobytes()), a.ravel()[:1].tobytes()))
            return self._contents[id(a)][1]
        return (kind, a) if kind in (int, bool) else id(a)

    def concrete(self, x: Traced) -> Any:
        raise TraceError(
            f"{self.name}: a Python branch, loop or number needs the value of {x!r}, which is not known while a "
            f"program is captured. Use where, cond, while_loop, fori_loop or scan; or mark the argument in "
            f"static_argnums; or call the function without jit."
        )

    def refuse(self, x: Traced, what: str) -> Any:
        return self.concrete(x)

    def same(self, a: Traced, b: Traced) -> bool:
        """Computed by equal equations from the same variables."""
        return a is b or _same_definition(a, b)

    def __enter__(self) -> Capture:
        self._token = ambient.set(self)
        return self

    def __exit__(self, *exc: Any) -> None:
        ambient.reset(self._token)
        self.equations, self._made, self._contents = [], {}, {}  # those of a function that raised
        if isinstance(exc[1], ScisimError):
            note(exc[1], f"while {self.name} is captured", deepest(exc[2]))
        super().__exit__(*exc)


def _same_definition(first: Any, second: Any) -> bool:
    todo, seen = [(first, second)], set()
    while todo:
        a, b = todo.pop()
        if not (isinstance(a, Var) and isinstance(b, Var) and a.trace is b.trace):
            if not same(a, b):
                return False
            continue
        if a is b or (a, b) in seen:
            continue
        seen.add((a, b))
        p, q = a.definition, b.definition
        if p is None or q is None or not alike(p.prim, q.prim):
            return False
        if p.outs.index(a) != q.outs.index(b) or p.params != q.params or len(p.args) != len(q.args):
            return False
        todo.extend(zip(p.args, q.args, strict=True))
    return True


def capture(f: Callable, avals: Sequence[Any], name: str | None = None, roots: bool = False) -> Graph:
    """The graph of ``f``, a function of flat values to a sequence of flat values.

    Parameters
    ----------
    f : callable
    avals : sequence of ShapeDtype or values
        Only shape and dtype are read.
    roots : bool
        Keep what `with_roots` needs.

    Returns
    -------
    Graph
        Without equations that no output needs.
    """
    with Capture(name or f) as trace:
        ins = [trace.var(*aval(a)) for a in avals]
        outs = [v if isinstance(v, Traced) else np.asarray(v) for v in f(*ins)]
        squares = [root_of(v) for v in outs if roots and isinstance(v, Var)]
        equations, trace.equations = trace.equations, []
    for eq in equations:  # a variable that knows its equation would hold the graph's constants in a cycle
        for v in eq.outs:
            v.definition = None
    return Graph(ins, live(equations, [*outs, *squares]), outs, name or name_of(f))


def live(equations: list[Equation], outputs: Sequence[Any], effects: bool = True) -> list[Equation]:
    """The equations that the outputs need, and those that do something beside giving values."""
    needed = {v for v in outputs if isinstance(v, Var)}
    kept = []
    for eq in reversed(equations):
        if any(v in needed for v in eq.outs) or (effects and has_effect(eq)):
            kept.append(eq)
            needed.update(a for a in eq.args if isinstance(a, Var))
    return kept[::-1]


def close(graph: Graph) -> tuple[Graph, list[Any]]:
    """The graph with values of outer transformations as further inputs, and those values."""
    own = {v for eq in graph.equations for v in eq.outs} | set(graph.inputs)
    outer: dict[int, Any] = {}
    for v in graph.constants() + [v for eq in graph.equations for v in eq.args] + list(graph.outputs):
        if isinstance(v, Traced) and v not in own:
            outer.setdefault(id(v), v)
    if not outer:
        return graph, []
    new = {key: Var(None, v.shape, v.dtype) for key, v in outer.items()}

    def swap(v: Any) -> Any:
        return new.get(id(v), v)

    equations = [eq._replace(args=tuple(map(swap, eq.args))) for eq in graph.equations]
    closed = Graph([*graph.inputs, *new.values()], equations, [swap(v) for v in graph.outputs], graph.name)
    return closed, list(outer.values())


def with_roots(graphs: Sequence[Graph]) -> tuple[list[Graph], list[int | None]]:
    """Graphs with further outputs, those of which an output is the square root or modulus, and their positions.

    Squares of roots differentiate as what is under them, which bodies must not hide from their callers.  Of several
    graphs of which one will run, all must give a root.
    """
    extra: list[list[Any]] = [[] for _ in graphs]
    places: list[int | None] = []
    for outs in zip(*(g.outputs for g in graphs), strict=True):
        roots = [v.root if isinstance(v, Var) else None for v in outs]
        if any(q is None for q in roots) or len({aval(q) for q in roots}) > 1:
            places.append(None)
            continue
        places.append(len(graphs[0].outputs) + len(extra[0]))
        for own, q in zip(extra, roots, strict=True):
            own.append(q)
    made = []
    for g, q in zip(graphs, extra, strict=True):
        whole = [*g.outputs, *q]
        made.append(Graph(g.inputs, live(g.equations, whole), whole, g.name))
    return made, places


def set_roots(outs: Sequence[Any], places: Sequence[int | None]) -> list[Any]:
    """The outputs proper, which know again what they are roots of."""
    for v, k in zip(outs, places, strict=False):
        if k is not None and isinstance(v, Traced):
            v.root = outs[k]
    return list(outs[: len(places)])
