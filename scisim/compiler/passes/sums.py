"""Sums of outer products as one product.

Reverse mode over a Taylor series gives a weight one outer product of activations and sensitivities a coefficient, for
every example of a batch.  Each alone is a pass over memory as large as the result; joined along the inner axis, all
are one stacked product of small matrices, which writes the result once.
"""

from __future__ import annotations

from typing import Any

from scisim.core.capture import Capture
from scisim.core.graph import Equation, Graph, Var
from scisim.core.primitive import Primitive
from scisim.ops.arithmetic import add
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.shape import concat_p


def join_outer_products(graph: Graph) -> Graph:
    """Replace ``a1 @ b1 + a2 @ b2 + ...``, stacks of columns by stacks of rows, by ``[a1 a2 ...] @ [b1; b2; ...]``."""
    if sum(map(_outer, graph.equations)) < 2:
        return graph
    makers = {v: eq for eq in graph.equations for v in eq.outs}
    uses = _uses(graph)
    equations: list[Equation] = []
    with Capture(graph.name) as trace:
        for eq in graph.equations:
            joined = None if eq.prim is not add or _inside(eq, uses) else _join(trace, eq, makers, uses)
            equations += joined or [eq]
    return Graph(graph.inputs, equations, graph.outputs, graph.name)


def _uses(graph: Graph) -> dict[Any, list]:
    """The equations that use each variable; None stands for an output of the graph."""
    uses: dict[Any, list] = {}
    for eq in graph.equations:
        for a in eq.args:
            if isinstance(a, Var):
                uses.setdefault(a, []).append(eq)
    for v in graph.outputs:
        if isinstance(v, Var):
            uses.setdefault(v, []).append(None)
    return uses


def _inside(eq: Equation, uses: dict) -> bool:
    """Whether a sum is only a term of a larger one of the same shape."""
    users = uses.get(eq.outs[0], [])
    if len(users) != 1 or users[0] is None:
        return False
    return users[0].prim is add and users[0].outs[0].shape == eq.outs[0].shape


def _join(trace: Capture, root: Equation, makers: dict, uses: dict) -> list[Equation] | None:
    """Equations for the sum ``root``, or None where it has no two products to join."""
    products, rest = _terms(root, makers, uses)
    if all(len(group) < 2 for group in products.values()):
        return None
    start = len(trace.equations)
    terms = [_product(trace, prim, group) for prim, group in products.items()] + rest
    total = terms[0]
    for v in terms[1:]:
        total = trace.apply(add, (total, v), {})
    made = trace.equations[start:]
    return [*made[:-1], made[-1]._replace(outs=root.outs)]


def _terms(root: Equation, makers: dict, uses: dict) -> tuple[dict[Primitive, list[Equation]], list]:
    """What a tree of sums adds: outer products that serve it alone, by primitive, and all other values."""
    shape = root.outs[0].shape
    products: dict[Primitive, list[Equation]] = {}
    rest, stack = [], list(root.args)
    while stack:
        v = stack.pop()
        eq = makers.get(v) if isinstance(v, Var) and len(uses[v]) == 1 and v.shape == shape else None
        if eq is not None and eq.prim is add:
            stack += eq.args
        elif eq is not None and _outer(eq):
            products.setdefault(eq.prim, []).append(eq)
        else:
            rest.append(v)
    return products, rest


def _product(trace: Capture, prim: Primitive, group: list[Equation]) -> Any:
    if len(group) == 1:
        return trace.apply(prim, group[0].args, {})
    axis = len(group[0].outs[0].shape) - 1
    left = trace.apply(concat_p, tuple(eq.args[0] for eq in group), {"axis": axis})
    right = trace.apply(concat_p, tuple(eq.args[1] for eq in group), {"axis": axis - 1})
    return trace.apply(prim, (left, right), {})


def _outer(eq: Equation) -> bool:
    """A stack of columns times a stack of rows, of one dtype and without broadcasting."""
    if eq.prim not in (matmul_p, zmatmul):
        return False
    (s, t), dtypes = (a.shape for a in eq.args), {v.dtype for v in (*eq.args, *eq.outs)}
    return len(s) > 2 and s[-1] == 1 and s[:-2] == t[:-2] and len(dtypes) == 1
