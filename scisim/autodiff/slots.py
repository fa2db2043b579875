"""Which Taylor coefficients a series carries, and the tables of products that each of them needs.

A series in variables s_1..s_m carries the coefficients of a downward closed set of monomials; in one variable that is
orders 0 to K.  A *collapsed* slot carries a weighted sum of top monomials as one coefficient: a top coefficient enters
every rule linearly, so the sum may be taken at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import lru_cache

Index = tuple[int, ...]
Term = tuple[int, int, float]


class Slots:
    """Tables for a downward closed set of multi-indices.

    Attributes
    ----------
    indices : tuple of Index
        Index of each slot, by total order; slot 0 is the value.  A collapsed slot has None.
    direct, rest : list of list of (i, j, weight)
        ``(a b)_k`` is the sum of ``weight a_i b_j``: terms with the coefficient k of a factor, and all others.
    flow : list of list of (i, j, weight)
        ``y_k = sum of weight x_i s_j`` where ``dy = s dx``; the term (k, 0, 1) is left out.
    """

    def __init__(self, indices: Iterable[Index], collapsed: Mapping[Index, float] | None = None) -> None:
        every = sorted(set(indices), key=lambda a: (sum(a), tuple(-n for n in a)))
        self.indices: tuple[Index | None, ...] = tuple(every)
        self.where = {a: k for k, a in enumerate(every)}
        self.variables = len(every[0])
        self.order = max(sum(a) for a in every)
        self.collapsed = dict(collapsed or {})
        self.rest = [self._products(a) for a in every]
        self.flow = [self._flow(a) for a in every]
        if self.collapsed:
            self.indices += (None,)
            self.order = max(self.order, max(sum(a) for a in self.collapsed))
            self.rest.append(_weighted((self._products(a), w) for a, w in self.collapsed.items()))
            self.flow.append(_weighted((self._flow(a), w) for a, w in self.collapsed.items()))
        self.count = len(self.indices)
        self.key = (self.indices, tuple(sorted(self.collapsed.items())))
        self.univariate = self.variables == 1 and not self.collapsed

    def _products(self, a: Index) -> list[Term]:
        zero = (0,) * self.variables
        below = itertools.product(*(range(n + 1) for n in a))
        return [(self.where[b], self.where[_minus(a, b)], 1.0) for b in below if b not in (zero, a)]

    def _flow(self, a: Index) -> list[Term]:
        """y_a a_v = sum over b of b_v x_b s_{a-b}, by the variable v that makes the fewest terms."""
        options = [v for v in range(self.variables) if a[v]]
        if not options:
            return []
        v = min(options, key=lambda u: a[u])
        below = itertools.product(*(range(n + 1) for n in a))
        return [(self.where[b], self.where[_minus(a, b)], b[v] / a[v]) for b in below if b[v] and b != a]

    def derivative_terms(self, k: int) -> list[tuple[int, int, float]]:
        """``(v, j, weight)``: coefficient k of y from coefficient j of dy/ds_v, less its own top coefficient."""
        index = self.indices[k]
        group = {index: 1.0} if index is not None else self.collapsed
        out = []
        for a, w in group.items():
            v = min((u for u in range(self.variables) if a[u]), key=lambda u: a[u])
            out.append((v, self.where[_step(a, v, -1)], w / a[v]))
        return out

    def up(self, j: int, v: int) -> tuple[int, int] | None:
        """The slot one order higher in variable v, and that order; None where it is not carried by itself."""
        index = self.indices[j]
        if index is None:
            return None
        k = self.where.get(_step(index, v, 1))
        return None if k is None else (k, index[v] + 1)

    def ray(self, v: int) -> list[int]:
        """Slots of the pure powers of one variable, in order, the value first."""
        out = []
        a: Index = (0,) * self.variables
        while a in self.where:
            out.append(self.where[a])
            a = _step(a, v, 1)
        return out


def _minus(a: Index, b: Index) -> Index:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _step(a: Index, v: int, by: int) -> Index:
    return (*a[:v], a[v] + by, *a[v + 1 :])


def _weighted(terms: Iterable[tuple[list[Term], float]]) -> list[Term]:
    total: dict[tuple[int, int], float] = {}
    for products, w in terms:
        for i, j, c in products:
            total[i, j] = total.get((i, j), 0.0) + w * c
    return [(i, j, c) for (i, j), c in total.items() if c]


@lru_cache(maxsize=256)
def univariate(order: int) -> Slots:
    """Orders 0 to ``order`` of one variable."""
    return Slots([(k,) for k in range(order + 1)])


def closure(indices: Iterable[Index]) -> set[Index]:
    """The least downward closed set that holds all given indices."""
    return {b for a in indices for b in itertools.product(*(range(n + 1) for n in a))}
