"""Values that a later region needs of an earlier one over the same axis: kept if they are few, else computed again.

A sum over the axis that the later region needs (the norm of a loss, a weight that adapts) ends the earlier one.  What
lies between them would otherwise be as large as all activations of all points.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from scisim.compiler.lower.schedule import AxisClasses, Key
from scisim.core.graph import Equation, Var

KEPT_BYTES = 64 << 20  # up to so many bytes values are kept from one region to the next


def recompute(equations: list[Equation], keys: dict[int, Key], classes: AxisClasses) -> list[Equation]:
    """The equations with those repeated, in the regions that need their results, whose results are too large to keep.

    Parameters
    ----------
    equations : list of Equation
        In order.
    keys : dict
        The region of each equation, by its id; entries for repeated ones are added.
    classes : AxisClasses
        Axes of repeated variables are added.
    """
    made = {v: eq for eq in equations for v in eq.outs}
    regions: dict[Key, list[Equation]] = defaultdict(list)
    for eq in equations:
        if keys[id(eq)].cls is not None:
            regions[keys[id(eq)]].append(eq)
    new = {key: _Repeated(key, eqs, made, keys, classes) for key, eqs in regions.items()}
    out: list[Equation] = []
    for eq in equations:
        again = new.get(keys[id(eq)])
        out += again.take(eq) if again is not None else [eq]
    return out


class _Repeated:
    """What one region computes again."""

    def __init__(
        self, key: Key, equations: list[Equation], made: dict[Var, Equation], keys: dict[int, Key], classes: AxisClasses
    ) -> None:
        self.key, self.made, self.keys, self.classes = key, made, keys, classes
        self.renamed: dict[Var, Var] = {}
        self.before: list[Equation] = []
        crossing = {a for eq in equations for a in eq.args if self._earlier(a)}
        if sum(math.prod(v.shape) * v.dtype.itemsize for v in crossing) > KEPT_BYTES:
            for v in sorted(crossing, key=lambda v: keys[id(made[v])].time):
                self._again(v)

    def _earlier(self, a: Any) -> bool:
        """Whether a value carries the region's axis and comes from an earlier region; what is dear is not repeated."""
        if not isinstance(a, Var) or a not in self.made or self.made[a].prim.lines is not None:
            return False
        key = self.keys[id(self.made[a])]
        if key.cls is None or key.cls != self.key.cls or key.time >= self.key.time:
            return False
        return self.classes.position(a, key.cls) is not None

    def _again(self, v: Var) -> None:
        """Repeat what computes a value, operands first."""
        stack = [v]
        while stack:
            eq = self.made[stack[-1]]
            missing = [a for a in eq.args if self._earlier(a) and a not in self.renamed]
            if stack[-1] in self.renamed:
                stack.pop()
            elif missing:
                stack += missing
            else:
                self._repeat(eq)

    def _repeat(self, eq: Equation) -> None:
        outs = tuple(Var(None, v.shape, v.dtype) for v in eq.outs)
        copy = eq._replace(args=tuple(self._read(a) for a in eq.args), outs=outs)
        for old, new in zip(eq.outs, outs, strict=True):
            self.renamed[old] = new
            self.classes.like(new, old)
        self.keys[id(copy)] = self.key
        self.before.append(copy)

    def _read(self, a: Any) -> Any:
        return self.renamed.get(a, a) if isinstance(a, Var) else a

    def take(self, eq: Equation) -> list[Equation]:
        """An equation of the region, reading what was computed again, after all of that."""
        before, self.before = self.before, []
        copy = eq._replace(args=tuple(map(self._read, eq.args)))
        self.keys[id(copy)] = self.key
        return [*before, copy]
