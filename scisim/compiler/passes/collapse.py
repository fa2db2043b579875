"""Values of which only the sum is needed are computed as their sum: collapsed Taylor mode, found in the program.

The Laplacian of a network needs the sum of its second derivatives.  Each of them goes through the same layers, linear
in itself: if every use of one has its like with the other, down to sums in which both are terms, their sum can take
the place of both (F. Dangel et al., arXiv:2505.13644, collapse Taylor series by a rule of the mode).  The gradients of
the weights follow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scisim.compiler.passes.linear import LINEAR, PRODUCTS, SUMS, Term, Uses, named
from scisim.core.graph import Equation, Graph, Var
from scisim.ops.arithmetic import add, mul_p, neg, sub

REACH = 12  # operations between a product and a sum


def collapse(graph: Graph) -> Graph:
    """Replace pairs of values that are only ever added, as long as products become fewer."""
    count = _products(graph)
    while count >= 4:
        new = _Collapse(graph).graph()
        left = _products(new)
        if left >= count:
            break
        graph, count = new, left
    return graph


def _products(graph: Graph) -> int:
    return sum(eq.prim in PRODUCTS for eq in graph.equations)


class Meeting(NamedTuple):
    """A sum in which both values of a pair are terms."""

    total: Equation
    first: Var
    second: Var


class _Collapse:
    def __init__(self, graph: Graph) -> None:
        self.old, self.uses = graph, Uses(graph)
        self.partner: dict[Var, Var] = {}  # of values that are collapsed
        self.meetings: dict[Var, list[Meeting]] = {}  # by what the sum gives
        self.sums: dict[tuple[Var, Var], Var] = {}
        self.entered: list[Equation] = []
        for eq in graph.equations:
            if eq.prim in SUMS and not self.uses.inside(eq):
                self._try(eq)

    # --- finding pairs

    def _try(self, total: Equation) -> None:
        terms = [t for t in self.uses.terms(total) if self._product_behind(t.value)]
        for k, (a, minus) in enumerate(terms):
            for b, other in terms[k + 1 :]:
                if a in self.partner or b in self.partner or a is b or minus != other or not self._alike(a, b):
                    continue
                if self._commit(a, b):
                    self._climb(a, b)
                    break

    def _commit(self, a: Var, b: Var) -> bool:
        """Take a pair, and what follows from it, if only sums are needed of it."""
        pairs: dict[Var, Var] = {}
        found: list[Meeting] = []
        if not self._only_summed(a, b, pairs, found):
            return False
        self.partner.update(pairs)
        for m in found:
            self.meetings.setdefault(m.total.outs[0], []).append(m)
        return True

    def _climb(self, a: Var, b: Var) -> None:
        """Take the pairs that a pair was computed from, as far as they can be."""
        todo = [(a, b)]
        while todo:
            x, y = todo.pop()
            p, q = self.uses.maker.get(x), self.uses.maker.get(y)
            if p is None or q is None or p.prim is not q.prim or p.prim not in LINEAR | SUMS:
                continue
            for u, v in zip(p.args, q.args, strict=True):
                both = isinstance(u, Var) and isinstance(v, Var) and u is not v
                if both and u not in self.partner and v not in self.partner and self._commit(u, v):
                    todo.append((u, v))

    def _product_behind(self, v: Any) -> bool:
        """Whether a value is computed from a product's result by operations that are linear in it."""
        for _ in range(REACH):
            eq = self.uses.maker.get(v) if isinstance(v, Var) else None
            if eq is None or eq.prim not in LINEAR | SUMS:
                return False
            if eq.prim in PRODUCTS:
                return True
            v = next((a for a in eq.args if isinstance(a, Var) and a in self.uses.maker), None)
        return False

    def _alike(self, a: Var, b: Var) -> bool:
        p, q = self.uses.maker.get(a), self.uses.maker.get(b)
        if p is None or q is None or a.shape != b.shape or a.dtype != b.dtype:
            return False
        return p.prim is q.prim and p.params == q.params

    def _only_summed(self, a: Var, b: Var, pairs: dict[Var, Var], found: list[Meeting]) -> bool:
        """Whether all uses of two values come in pairs that end in common sums; the pairs and the sums."""
        todo = [(a, b)]
        while todo:
            x, y = todo.pop()
            if pairs.get(x) is y or self.partner.get(x) is y:
                continue
            fits = x.shape == y.shape and x.dtype == y.dtype and not ({x, y} & (pairs.keys() | self.partner.keys()))
            if not fits or {x, y} & self.uses.outputs:
                return False
            pairs[x], pairs[y] = y, x
            following = self._followed(x, y, found)
            if following is None:
                return False
            todo += following
        return True

    def _followed(self, x: Var, y: Var, found: list[Meeting]) -> list[tuple[Var, Var]] | None:
        """The pairs that uses of a pair make; None where a use has no like."""
        left = list(self.uses.of(y))
        following = []
        for eq in self.uses.of(x):
            match = next((other for other in left if self._match(eq, x, other, y)), None)
            if match is None:
                return None
            left.remove(match)
            if self._together(eq, x, match, y):
                found.append(Meeting(self.uses.root(eq), x, y))
            elif eq is match:
                return None
            else:
                following.append((eq.outs[0], match.outs[0]))
        return None if left else following

    def _match(self, eq: Equation, x: Var, other: Equation, y: Var) -> bool:
        """Whether two equations do the same with two values."""
        if self._together(eq, x, other, y):
            return True
        if eq.prim is not other.prim or eq.params != other.params:
            return False
        places = [k for k, a in enumerate(eq.args) if a is x]
        if len(places) != 1 or sum(a is y for a in other.args) != 1:
            return False
        if other.args[places[0]] is not y:
            return False
        if eq.prim in (add, sub):
            return True
        rest = zip(eq.args, other.args, strict=True)
        return eq.prim in LINEAR and all(named(p) == named(q) for k, (p, q) in enumerate(rest) if k != places[0])

    def _together(self, eq: Equation, x: Var, other: Equation, y: Var) -> bool:
        """Whether two values are terms of one sum, with one sign, each once."""
        if eq.prim not in SUMS or other.prim not in SUMS or self.uses.root(eq) is not self.uses.root(other):
            return False
        terms = self.uses.terms(self.uses.root(eq))
        signs = [[t.minus for t in terms if t.value is v] for v in (x, y)]
        return len(signs[0]) == len(signs[1]) == 1 and signs[0] == signs[1]

    # --- writing their sums

    def _record(self, prim: Any, args: tuple, params: dict, like: Equation, shape_of: Var) -> Var:
        out = Var(shape_of.trace, shape_of.shape, shape_of.dtype)
        self.entered.append(like._replace(prim=prim, args=args, params=params, outs=(out,)))
        return out

    def _sum(self, a: Any, b: Any, like: Equation) -> Any:
        """An equation or a chain of them for a + b."""
        if a is b:
            return self._record(mul_p, (a, 2.0), {}, like, a)
        if not (isinstance(a, Var) and isinstance(b, Var)):
            whole = a if isinstance(a, Var) else b
            return self._record(add, (a, b), {}, like, whole)
        key = (a, b) if (a, b) in self.sums or (b, a) not in self.sums else (b, a)
        if key not in self.sums:
            self.sums[key] = self._made(a, b, like)
        return self.sums[key]

    def _made(self, a: Var, b: Var, like: Equation) -> Var:
        p, q = self.uses.maker.get(a), self.uses.maker.get(b)
        if self.partner.get(a) is not b or p is None or q is None or p.prim is not q.prim:
            return self._record(add, (a, b), {}, like, a)
        if p.prim in (add, sub):
            args = tuple(self._sum(x, y, p) for x, y in zip(p.args, q.args, strict=True))
            return self._record(p.prim, args, {}, p, a)
        differ = [k for k, (x, y) in enumerate(zip(p.args, q.args, strict=True)) if named(x) != named(y)]
        linear = p.prim in LINEAR and p.params == q.params and len(differ) == 1
        if not linear or p.args[differ[0]].shape != q.args[differ[0]].shape:
            return self._record(add, (a, b), {}, like, a)
        args = tuple(self._sum(x, y, p) if k in differ else x for k, (x, y) in enumerate(zip(p.args, q.args)))
        return self._record(p.prim, args, p.params, p, a)

    def graph(self) -> Graph:
        """The graph with the sums."""
        if not self.meetings:
            return self.old
        for v, meetings in self.meetings.items():
            total = self.uses.maker[v]
            terms = self.uses.terms(total)
            for m in meetings:
                (minus,) = {t.minus for t in terms if t.value is m.first}
                terms = [t for t in terms if t.value is not m.first and t.value is not m.second]
                terms.append(Term(self._sum(m.first, m.second, total), minus))
            self.uses.maker[v] = self._total(terms, total)
        return self.uses.rebuilt(self.entered)

    def _total(self, terms: list[Term], total: Equation) -> Equation:
        """The equation that ends a sum, after those for its other terms."""
        (v,) = total.outs
        terms = sorted(terms, key=lambda t: t.minus)
        s = terms[0].value if not terms[0].minus else self._record(neg, (terms[0].value,), {}, total, v)
        for t in terms[1:]:
            s = self._record(sub if t.minus else add, (s, t.value), {}, total, v)
        return self._renamed(s, v)

    def _renamed(self, s: Var, v: Var) -> Equation:
        """The equation that gives ``s``, as that of ``v``."""
        k = next(k for k, eq in enumerate(self.entered) if eq.outs[0] is s)
        return self.entered[k]._replace(outs=(v,))
