"""What of a group of equations is stored, and in which order its kernels run.

Values that only kernels' loops need are computed where they are used, again in each kernel if that is cheap.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from scisim.compiler.lower import maps
from scisim.compiler.lower.moves import Moved
from scisim.core.graph import Equation, Var

REDUCTIONS = {
    "sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "all": "and", "any": "or"
}  # fmt: skip
PRODUCTS = {"matmul", "zmatmul"}
MOVES = {"broadcast", "reshape", "transpose", "read"}  # elements are found elsewhere, nothing is computed
PARTS = {"concat", "put"}  # written part by part
RANK = {"loop": 0, "part": 1, "product": 2}  # order of kernels within a level

# What it costs to compute a value again, in additions; above these limits it is stored instead.
WEIGHTS = {"div": 6, "sqrt": 6, "remainder": 12, "floor_divide": 12, "sigmoid": 24, "zmul": 2, "where": 1}
CHEAP = {
    "add", "sub", "mul", "neg", "square", "abs", "sign", "maximum", "minimum", "lt", "le", "gt", "ge", "eq", "ne",
    "pin", "stop_gradient", "cast", "conj", "real", "imag", "floor", "ceil", "trunc", "round", "tie",
    "logical_and", "logical_or", "logical_not", "logical_xor", "isnan", "isinf", "isfinite", "iota",
}  # fmt: skip
DEAR = 20
ACROSS_KERNELS, ACROSS_SHAPES, ACROSS_READS = 12, 3, 6
LONGEST = 400  # what the longest chain of one kernel costs: parts of a long one are alike, and compiled once


class Roots:
    """Decides, for the equations of one region or of one time between regions, what is stored and when.

    Parameters
    ----------
    equations : list of Equation
        In order.
    outside : set of Var
        Values that others need.
    """

    def __init__(self, equations: list[Equation], outside: set[Var]) -> None:
        self.equations, self.outside = equations, outside
        self.made = {v: eq for eq in equations for v in eq.outs}
        self.users: dict[Var, list[Equation]] = defaultdict(list)
        for eq in equations:
            for a in {a for a in eq.args if isinstance(a, Var)}:
                self.users[a].append(eq)
        self.stored = {v for v in outside if v in self.made}
        self.level: dict[Var, int] = {}
        self.cost: dict[Var, float] = {}
        for eq in equations:
            self._operands(eq)
        self.spread: set[Var] = set()  # reshapes whose operand a loop goes over, not they themselves
        self.ends: set[Var] = set()  # with which a kernel ends, though others of its loops could go on from there
        for eq in reversed(equations):
            self._reshaped(eq)
        self._cut()
        for eq in equations:
            self._weigh(eq)
        self._within = {eq.outs[0]: self._loop_of(eq) for eq in equations}
        self._levels()
        while self._store_across_levels():
            self._levels()

    def _store(self, v: Any) -> None:
        if isinstance(v, Var) and v in self.made:
            self.stored.add(v)

    def _operands(self, eq: Equation) -> None:
        """What products, and operations written part by part, read or write must be in memory."""
        if self.kind(eq) == "product":
            self._store(self._base(eq.args[0]) if eq.prim.name in PRODUCTS else eq.args[0])
            for a in eq.args[1:]:
                self._store(a)
        if eq.prim.name in ("gather", "turn"):
            self._store(eq.args[0])
        looks = eq.prim.name == "gather" and eq.args[0] in self.made
        if eq.prim.name in REDUCTIONS or self.kind(eq) in ("part", "product") or looks:
            self._store(eq.outs[0])

    def _reshaped(self, eq: Equation) -> None:
        """Axes that merge: elements go from a loop over the operand to their places, or the operand is stored.

        Where axes of the operand split, an index along one is a sum, for which pieces of arrays cannot be found.
        """
        if eq.prim.name != "reshape":
            return
        (x,), v = eq.args, eq.outs[0]
        found = maps.reshape(maps.identity(len(v.shape)), x.shape, v.shape)
        if found is not None:
            if any(len(i.terms) > 1 for i in found) and self._in_pieces(x):
                self._store(x)
            return
        places = maps.reshape(maps.identity(len(x.shape)), v.shape, x.shape) if isinstance(x, Var) else None
        joined = all(u.prim.name == "concat" and not isinstance(u.outs[0], Moved) for u in self.users[v])
        if places is not None and (joined or v in self.stored):
            self.spread.add(v)
        else:
            self._store(x)
            self.ends.add(x)

    def _base(self, v: Any) -> Any:
        """What a product reads in the place of a transposed first operand."""
        eq = self.made.get(v)
        if eq is not None and eq.prim.name == "transpose" and v not in self.stored:
            return eq.args[0]
        return v

    def _in_pieces(self, v: Any) -> bool:
        """Whether a value is computed, where it is used, from elements that are in one of several arrays."""
        stack, seen = [v], set()
        while stack:
            x = stack.pop()
            if not isinstance(x, Var) or x not in self.made or x in self.stored or x in seen:
                continue
            if self.made[x].prim.name in PARTS and isinstance(x, Moved):
                return True
            seen.add(x)
            stack += self.made[x].args
        return False

    def _cut(self) -> None:
        """End kernels where a chain gets long."""
        length: dict[Var, float] = {}
        for eq in self.equations:
            v = eq.outs[0]
            if self.kind(eq) == "loop" and eq.prim.name not in REDUCTIONS:
                length[v] = own_cost(eq) + max((length.get(a, 0) for a in eq.args if isinstance(a, Var)), default=0)
                if length[v] > LONGEST and eq.prim.scalar is not None:
                    length[v] = 0
                    self.stored.add(v)
                    self.ends.add(v)

    def _weigh(self, eq: Equation) -> None:
        v = eq.outs[0]
        total = self.cost[v] = self._cost(eq)
        if v in self.stored:
            return
        if total > ACROSS_SHAPES and self._meets_larger(v):
            self.stored.add(v)
        reads = [u for u in self.users[v] if u.prim.name == "read"]
        if total > ACROSS_READS and len(reads) > 1:
            self.stored.add(v)

    def _meets_larger(self, v: Var) -> bool:
        """Whether a loop over more elements uses the value."""
        for u in self.users[v]:
            if u.prim.name in MOVES:
                if u.prim.name == "broadcast" or self._meets_larger(u.outs[0]):
                    return True
            elif u.prim.scalar is not None and _squeezed(u.outs[0].shape) != _squeezed(v.shape):
                return True
        return False

    def _levels(self) -> None:
        """How many kernels at least come before each value."""
        leaves: dict[Var, set[Var]] = {}  # stored values from which it is computed
        for eq in self.equations:
            mine: set[Var] = set()
            for a in eq.args:
                if isinstance(a, Var) and a in self.made:
                    mine |= {a} if a in self.stored else leaves[a]
            leaves[eq.outs[0]] = mine
            self.level[eq.outs[0]] = max([self._after(a, eq.outs[0]) for a in mine], default=0)

    def _after(self, a: Var, v: Var) -> int:
        """The earliest level of a value that is computed from a stored one, after it or in the same loop."""
        (first, _, goes_on), (second, own, _) = self._within[a], self._within[v]
        together = goes_on is not None and goes_on == own
        return self.level[a] + (0 if together or first < second else 1)

    def _loop_of(self, eq: Equation) -> tuple[int, Any, Any]:
        """The rank of an equation's kind, the loops that it may join, and those that others may go on with after it."""
        kind, v = self.kind(eq), eq.outs[0]
        if kind != "loop":
            return RANK[kind], None, None
        loops = self.shape_of(eq)
        ends = eq.prim.name in REDUCTIONS or v in self.spread or v in self.ends
        return RANK[kind], None if eq.prim.name == "gather" else loops, None if ends else loops

    @staticmethod
    def kind(eq: Equation) -> str:
        if (eq.prim.name in PARTS and not isinstance(eq.outs[0], Moved)) or eq.prim.name == "turn":
            return "part"
        return "product" if eq.prim.name in PRODUCTS or eq.prim.lines is not None else "loop"

    def shape_of(self, eq: Equation) -> tuple[int, ...]:
        """The loops of the kernel that an equation would be in, without those of length one."""
        return _squeezed(self.over(eq).shape)

    def over(self, eq: Equation) -> Var:
        """The value whose elements that kernel goes over."""
        return eq.args[0] if eq.prim.name in REDUCTIONS or eq.outs[0] in self.spread else eq.outs[0]

    def _store_across_levels(self) -> bool:
        """Store what is dear and used in later kernels; whether anything was."""
        found = False
        for eq in self.equations:
            v = eq.outs[0]
            if found:
                self.cost[v] = self._cost(eq)
            if v in self.stored or self.cost[v] <= ACROSS_KERNELS:
                continue
            later = {self.level[u.outs[0]] for u in self.users[v]} - {self.level[v]}
            if later and (len(self.users[v]) > 1 or eq.prim.name not in CHEAP):
                self.stored.add(v)
                found = True
        return found

    def _cost(self, eq: Equation) -> float:
        """Of computing a value from what is stored."""
        inner = [self.cost.get(a, 0) for a in eq.args if isinstance(a, Var) and a not in self.stored]
        return own_cost(eq) + sum(inner)

    def steps(self) -> list[tuple[int, str, list[Equation]]]:
        """Kernels in order: ``(level, kind, equations whose results they store)``."""
        loops: dict[tuple, list[Equation]] = defaultdict(list)
        products: dict[int, list[Equation]] = defaultdict(list)
        for eq in self.equations:
            v = eq.outs[0]
            if v in self.stored:
                level = self.level[v]
                kind = self.kind(eq)
                if kind == "product":
                    products[level].append(eq)
                else:
                    loops[level, kind, self.shape_of(eq) if kind == "loop" else id(eq)].append(eq)
        order: list[tuple[int, str, list[Equation]]] = [(key[0], key[1], eqs) for key, eqs in loops.items()]
        order += [(level, "product", eqs) for level, eqs in products.items()]
        return sorted(order, key=lambda s: (s[0], RANK[s[1]]))


def own_cost(eq: Equation) -> float:
    """What an element costs beside its operands, in additions."""
    name = eq.prim.name
    return 0 if name in MOVES | PARTS else WEIGHTS.get(name, 1 if name in CHEAP else DEAR)


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)
