"""Ordinary products in the place of those in which an exact zero wins, for as long as no result is nan.

The two differ only where zero meets infinity or nan: the ordinary product is nan there, the other one zero.  Where
every operation from such a product to the outputs hands nan on, outputs without nan prove that none has differed.  So a
program may run the ordinary products, look at its outputs, and run the exact ones only if it finds nan.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scisim.compiler.passes.boxes import box_of, disjoint, lengths
from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import PRIMITIVES
from scisim.ops.arithmetic import mul_p, pin, zmul
from scisim.ops.index import put_p
from scisim.ops.products import matmul_p, zmatmul

_PLAIN = {zmul: mul_p, zmatmul: matmul_p}
# A nan in any element of any operand makes an element of the result nan.
_SPREAD = {
    PRIMITIVES[name]
    for name in (
        *("mul", "add", "sub", "neg", "div", "square", "abs", "sqrt", "maximum", "minimum", "conj", "ipow"),
        *("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "sigmoid"),
        *("sum", "broadcast", "reshape", "transpose", "concat", "matmul", "stop_gradient"),
    )
}


class Guarded(NamedTuple):
    """A graph that gives the values of another one while none of the given outputs has a nan."""

    graph: Graph
    outputs: tuple[int, ...]


def guarded(graph: Graph) -> Guarded | None:
    """The graph with as many ordinary products as its outputs can answer for; None if there are none."""
    told = {v for v in graph.outputs if isinstance(v, Var) and v.dtype.kind in "fc"}
    makers = {v: eq for eq in graph.equations for v in eq.outs}
    changed: list[Equation] = []
    for eq in reversed(graph.equations):
        if not any(v in told for v in eq.outs) or 0 in (v.size for v in eq.outs):
            continue
        if eq.prim in _PLAIN:
            eq = eq._replace(prim=_PLAIN[eq.prim])
            changed.append(eq)
        told.update(a for a in _spreading(eq, makers) if isinstance(a, Var))
    if not changed:
        return None
    new = {eq.outs[0]: eq for eq in changed}
    equations = [new.get(eq.outs[0], eq) for eq in graph.equations]
    return Guarded(Graph(graph.inputs, equations, graph.outputs, graph.name), _dependent(graph, set(new)))


def _spreading(eq: Equation, makers: dict[Any, Equation]) -> list[Any]:
    """The values of which a nan is seen in the result."""
    if eq.prim in _SPREAD:
        return list(eq.args)
    if eq.prim is pin:
        return [eq.args[1]]
    return _parts(eq, makers) if eq.prim is put_p else []


def _parts(eq: Equation | None, makers: dict[Any, Equation]) -> list[Any]:
    """What was put into an array in turn, as far as it was not overwritten."""
    found: list[Any] = []
    boxes: list[Any] = []
    while eq is not None and eq.prim is put_p:
        base, u = eq.args
        box = box_of(eq.params["at"], base.shape)
        if 0 in lengths(box) or not all(disjoint(box, other) for other in boxes):
            break
        found.append(u)
        boxes.append(box)
        eq = makers.get(base) if isinstance(base, Var) else None
    return found


def _dependent(graph: Graph, sources: set[Any]) -> tuple[int, ...]:
    """The positions of outputs that depend on any of the sources."""
    for eq in graph.equations:
        if any(isinstance(a, Var) and a in sources for a in eq.args):
            sources.update(eq.outs)
    return tuple(k for k, v in enumerate(graph.outputs) if isinstance(v, Var) and v in sources and v.dtype.kind in "fc")
