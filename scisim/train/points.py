"""The points of a step: one global set on any number of ranks, of which each rank makes its own block."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scisim import distributed as dist
from scisim.core.checks import is_integer
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor, wrap
from scisim.ops._philox import fold_in, seed_key
from scisim.pde.problem import Problem
from scisim.pde.samplers import Sampler
from scisim.pde.term import Term


def counts_of(problem: Problem, points: int | Mapping[str, int]) -> list[int]:
    """How many points each term has."""
    given = dict(points) if isinstance(points, Mapping) else {"equation": points}
    names = [t.name for t in problem.terms]
    if unknown := set(given) - set(names):
        raise ArgumentError(f"fit: points name {', '.join(sorted(unknown))}; the terms are {', '.join(names)}")
    for name, n in given.items():
        if not is_integer(n, 1):
            raise ArgumentError(f"fit: points of {name} is {n!r}; expected a positive integer")
    if "equation" not in given:
        raise ArgumentError('fit: points do not say how many the equation has; give points={"equation": 1000, ...}')
    default = max(1, math.ceil(given["equation"] / 10))
    return [_count(t, given, default) for t in problem.terms]


def _count(term: Term, given: dict[str, int], default: int) -> int:
    if term.data is not None:
        return len(term.data[0])
    if not term.free:
        return 1
    return int(given.get(term.name, term.points or default))


class Points:
    """Tables of points, (n, d) for each term, renewed as the sampler says.

    Parameters
    ----------
    problem : Problem
    counts : sequence of int
        Points of each term.
    sampler : Sampler
    seed : int
    dtype : dtype
        Of the tables.
    mesh : Mesh or None
        Whose ranks share the rows.
    """

    def __init__(
        self, problem: Problem, counts: Sequence[int], sampler: Sampler, seed: int, dtype: Any, mesh: Any = None
    ) -> None:
        if sampler.adaptive:
            sampler.check_total(counts[0])  # type: ignore[attr-defined]
        self.problem, self.counts, self.sampler = problem, list(counts), sampler
        self.dtype, self.mesh = dtype, mesh
        self.keys = [fold_in(seed_key(seed), k) for k in range(len(self.counts))]
        self.block: int | None = None
        self.tables: list[Tensor] = []

    def at(self, step: int, steps: int, score: Callable[[Tensor], Tensor]) -> list[Tensor]:
        """The tables of a step; ``score`` gives the absolute residual of the equation at each row of a table."""
        block = self.sampler.block_of(step, steps)
        if block != self.block:
            adaptive = self.sampler.adaptive and block > 0
            self.tables = [
                self._adapted(block, score) if adaptive and k == 0 else self._drawn(k, block)
                for k in range(len(self.counts))
            ]
            self.block = block
        return self.tables

    def restore(self, block: int | None, tables: Sequence[np.ndarray]) -> None:
        """Go on with the whole tables of a block."""
        self.block = block
        self.tables = [self._spread(lambda a, b, t=t: t[a:b], t.shape) for t in tables]  # type: ignore[misc]

    def _drawn(self, k: int, block: int) -> Tensor:
        term, n = self.problem.terms[k], self.counts[k]
        if term.data is not None:
            data = term.data
            return self._spread(lambda a, b: np.stack([x[a:b] for x in data], axis=-1), (n, len(data)))
        return self._spread(lambda a, b: self._rows(term, self._unit(k, block, n, a, b)), (n, self.problem.domain.dim))

    def _unit(self, k: int, block: int, total: int, start: int, stop: int) -> np.ndarray:
        free = len(self.problem.terms[k].free)
        if not free or stop == start:
            return np.zeros((stop - start, free))
        return self.sampler.points(self.keys[k], block, total, free, start, stop)

    def _rows(self, term: Term, unit: np.ndarray) -> np.ndarray:
        return np.stack(term.coordinates(self.problem.domain, unit), axis=-1)

    def _adapted(self, block: int, score: Callable[[Tensor], Tensor]) -> Tensor:
        term, n, m = self.problem.terms[0], self.counts[0], self.sampler.candidates  # type: ignore[attr-defined]
        dim = len(term.free)

        def residual() -> np.ndarray:
            table = self._spread(lambda a, b: self._rows(term, self._unit(0, block, m, a, b)), (m, dim))
            return dist.gather(score(table)).numpy()

        unit = self.sampler.chosen(self.keys[0], block, n, dim, residual)  # type: ignore[attr-defined]
        return self._spread(lambda a, b: self._rows(term, unit[a:b]), (n, dim))

    def _spread(self, rows: Callable[[int, int], np.ndarray], shape: tuple[int, ...]) -> Tensor:
        """A table of which this rank makes its own rows only."""
        if self.mesh is None:
            return wrap(np.ascontiguousarray(rows(0, shape[0]), dtype=self.dtype))
        mine = self.mesh.slices(shape, dist.Shard(0))[0]
        local = np.ascontiguousarray(rows(mine.start, mine.stop), dtype=self.dtype)
        return dist.from_local(local, self.mesh, dist.Shard(0), shape)
