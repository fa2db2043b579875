"""Uses of the values of a graph, sums seen as wholes, and which operations are linear in one operand."""

from __future__ import annotations

from typing import Any, NamedTuple

from scisim.core.graph import Equation, Graph, Var
from scisim.ops.arithmetic import add, mul_p, neg, sub, zmul
from scisim.ops.index import read_p
from scisim.ops.products import matmul_p, zmatmul
from scisim.ops.shape import broadcast_p, reshape_p, sum_p, transpose_p

SUMS = {add, sub}
PRODUCTS = {matmul_p, zmatmul}
LINEAR = {*PRODUCTS, mul_p, zmul, neg, sum_p, reshape_p, transpose_p, broadcast_p, read_p}


def named(a: Any) -> Any:
    """An operand as part of a key: variables and arrays by identity, numbers by value."""
    return id(a) if isinstance(a, Var) or getattr(a, "size", 1) > 1 else (str(getattr(a, "dtype", type(a))), repr(a))


class Term(NamedTuple):
    """A term of a sum, and whether it is subtracted."""

    value: Any
    minus: bool


class Uses:
    """Makers and users of the values of a graph.

    Attributes
    ----------
    maker : dict
        The equation of each variable.
    outputs : set of Var
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.maker = {v: eq for eq in graph.equations for v in eq.outs}
        self.users: dict[Var, list[Equation]] = {}
        for eq in graph.equations:
            for a in {a for a in eq.args if isinstance(a, Var)}:
                self.users.setdefault(a, []).append(eq)
        self.outputs = {v for v in graph.outputs if isinstance(v, Var)}
        self._roots: dict[int, Equation] = {}
        self._terms: dict[int, list[Term]] = {}

    def of(self, v: Var) -> list[Equation]:
        """The equations that use a value."""
        return self.users.get(v, [])

    def inside(self, total: Equation) -> bool:
        """Whether a sum is only a term of a larger one."""
        (v,) = total.outs
        users = self.of(v)
        if len(users) != 1 or v in self.outputs:
            return False
        (user,) = users
        return user.prim in SUMS and user.args[0] is not user.args[1] and user.outs[0].shape == v.shape

    def root(self, total: Equation) -> Equation:
        """The whole sum that a sum is in."""
        if id(total) not in self._roots:
            top = total
            while self.inside(top):
                (top,) = self.of(top.outs[0])
            self._roots[id(total)] = top
        return self._roots[id(total)]

    def terms(self, total: Equation) -> list[Term]:
        """What a sum adds and subtracts, through the sums that serve it alone."""
        if id(total) not in self._terms:
            self._terms[id(total)] = self._found_terms(total)
        return self._terms[id(total)]

    def _found_terms(self, total: Equation) -> list[Term]:
        out: list[Term] = []
        stack = self._operands(total, False)
        while stack:
            a, minus = stack.pop()
            maker = self.maker.get(a) if isinstance(a, Var) else None
            if maker is not None and maker.prim in SUMS and self.inside(maker):
                stack += self._operands(maker, minus)
            else:
                out.append(Term(a, minus))
        return out

    @staticmethod
    def _operands(total: Equation, minus: bool) -> list[Term]:
        """Last first, as a stack takes them."""
        first, second = total.args
        return [Term(second, minus != (total.prim is sub)), Term(first, minus)]

    def rebuilt(self, entered: list[Equation]) -> Graph:
        """The graph of what `maker` says now, with further equations; what is not needed any more is left out."""
        maker = {**{v: eq for eq in entered for v in eq.outs}, **self.maker}
        order: list[Equation] = []
        done: set[int] = set()
        kept = [eq for eq in self.graph.equations if eq.prim.multiple or eq.prim.effect]
        results = [maker[v] for v in self.graph.outputs if isinstance(v, Var) and v in maker]
        stack = [*reversed(results), *reversed(kept)]
        while stack:
            eq = stack[-1]
            missing = [e for e in (maker[a] for a in eq.args if isinstance(a, Var) and a in maker) if id(e) not in done]
            if id(eq) in done:
                stack.pop()
            elif missing:
                stack += missing
            else:
                done.add(id(eq))
                order.append(eq)
                stack.pop()
        return Graph(self.graph.inputs, order, self.graph.outputs, self.graph.name)
