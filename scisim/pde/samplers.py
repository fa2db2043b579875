"""Where the points of a step lie: samplers, each of which makes any slice of any step's points on any rank.

A step's points are one global set, given by the key and the step alone; `ResidualAdaptive` looks at the residual too.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.checks import is_finite, is_integer
from scisim.core.errors import ArgumentError
from scisim.ops._philox import fold_in
from scisim.pde import _sequences


class Sampler(ABC):
    """Points of the unit cube for each step of a training.

    Parameters
    ----------
    every : int or None
        New points after so many steps; None for the same points throughout.
    final : int
        So many last steps share their points, that the training can settle.
    """

    adaptive = False

    def __init__(self, every: int | None = 1, final: int = 0) -> None:
        if every is not None:
            _positive(self, "every", every)
        if not is_integer(final, 0):
            raise ArgumentError(f"{type(self).__name__}: final is {final!r}; expected an integer of at least 0")
        self.every, self.final = every, final

    def block_of(self, step: int, steps: int) -> int:
        """The number of the block of steps that share their points; step counts from 0."""
        return 0 if self.every is None else min(step, max(steps - self.final, 0)) // self.every

    @abstractmethod
    def points(self, key: Any, block: int, total: int, dim: int, start: int, stop: int) -> np.ndarray:
        """Points start, ..., stop - 1 of the ``total`` ones of a block of steps: (stop - start, dim), in [0, 1]."""

    def describe(self) -> dict[str, Any]:
        """Plain data that tell samplers apart."""
        return {"kind": type(self).__name__, **vars(self)}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class Uniform(Sampler):
    """Independent uniform points.

    Examples
    --------
    >>> from scisim import pde, random
    >>> pde.Uniform(every=100).points(random.key(0).numpy(), 0, 10, 2, 0, 4).shape
    (4, 2)
    """

    def points(self, key: Any, block: int, total: int, dim: int, start: int, stop: int) -> np.ndarray:
        return _sequences.uniform_points(fold_in(key, block), start, stop - start, dim)


class Sobol(Sampler):
    """Points of a scrambled Sobol sequence, which goes on from block to block.

    Examples
    --------
    >>> from scisim import pde
    >>> pde.Sobol(every=None)
    Sobol(every=None, final=0)
    """

    def points(self, key: Any, block: int, total: int, dim: int, start: int, stop: int) -> np.ndarray:
        return _sequences.sobol(block * total + start, stop - start, dim, key)


class LatinHypercube(Sampler):
    """A Latin hypercube design for each block: every interval of every coordinate holds one point.

    Examples
    --------
    >>> import numpy as np
    >>> from scisim import pde, random
    >>> x = pde.LatinHypercube().points(random.key(0).numpy(), 0, 4, 1, 0, 4)
    >>> np.sort(np.floor(4 * x[:, 0])).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """

    def points(self, key: Any, block: int, total: int, dim: int, start: int, stop: int) -> np.ndarray:
        return _sequences.latin_hypercube(start, stop - start, total, dim, fold_in(key, block))


class Grid(Sampler):
    """A regular grid with its ends, the same at every step.

    Parameters
    ----------
    *shape : int
        Points along each coordinate; by default equally many, of which the number of points must be a power.

    Examples
    --------
    >>> from scisim import pde
    >>> pde.Grid(2, 3).points(None, 0, 6, 2, 0, 3).tolist()
    [[0.0, 0.0], [0.0, 0.5], [0.0, 1.0]]
    """

    def __init__(self, *shape: int) -> None:
        super().__init__(every=None)
        for n in shape:
            _positive(self, "shape", n)
        self.shape = shape

    def points(self, key: Any, block: int, total: int, dim: int, start: int, stop: int) -> np.ndarray:
        shape = self.shape if len(self.shape) == dim else (round(total ** (1 / dim)),) * dim
        if math.prod(shape) != total:
            given = f"a grid of {' x '.join(map(str, shape))}"
            raise ArgumentError(
                f"Grid: {given} has {math.prod(shape)} points, but {total} are asked for in {dim} coordinates; give as "
                f"many points as the grid has"
            )
        at = np.unravel_index(np.arange(start, stop), shape)
        return np.stack([i / max(n - 1, 1) for i, n in zip(at, shape, strict=True)], axis=-1).reshape(-1, dim)


class ResidualAdaptive(Sampler):
    """Points where the residual is large, chosen among uniform candidates (RAD; see `_sequences.residual_adaptive`).

    The first block is uniform.

    Parameters
    ----------
    candidates : int
        How many uniform candidates a block chooses from.
    k, c : float
        A candidate's chance is proportional to |r|**k / mean(|r|**k) + c.
    every, final : int
        As for `Sampler`.

    Examples
    --------
    >>> from scisim import pde
    >>> pde.ResidualAdaptive(every=10, final=20)
    ResidualAdaptive(every=10, final=20, candidates=20000, k=1.0, c=1.0)
    """

    adaptive = True

    def __init__(
        self, candidates: int = 20_000, k: float = 1.0, c: float = 1.0, every: int = 100, final: int = 0
    ) -> None:
        super().__init__(every, final)
        _positive(self, "candidates", candidates)
        for name, x in (("k", k), ("c", c)):
            if not (is_finite(x) and x >= 0):
                raise ArgumentError(f"ResidualAdaptive: {name} is {x!r}; expected a number of at least 0")
        self.candidates, self.k, self.c = candidates, k, c

    def points(self, key: Any, block: int, total: int, dim: int, start: int, stop: int) -> np.ndarray:
        return _sequences.uniform_points(fold_in(key, 2 * block), start, stop - start, dim)

    def chosen(self, key: Any, block: int, total: int, dim: int, residual: Callable[[], np.ndarray]) -> np.ndarray:
        """All points of a block, from the absolute residuals at all candidates: the same on every rank."""
        self.check_total(total)
        candidates = self.points(key, block, self.candidates, dim, 0, self.candidates)
        choice = fold_in(key, 2 * block + 1)
        return _sequences.residual_adaptive(choice, candidates, residual(), total, self.k, self.c)

    def check_total(self, total: int) -> None:
        """Refuse more points than candidates."""
        if total > self.candidates:
            raise ArgumentError(
                f"ResidualAdaptive: {total} points cannot be chosen among {self.candidates} candidates; give more"
            )


SAMPLERS = {"uniform": Uniform, "sobol": Sobol, "latin_hypercube": LatinHypercube, "adaptive": ResidualAdaptive}


def sampler(given: Any, who: str) -> Sampler:
    """A sampler, or the one of a name with its defaults; uniform points for None."""
    if given is None:
        return Uniform()
    if isinstance(given, Sampler):
        return given
    if isinstance(given, str) and given in SAMPLERS:
        return SAMPLERS[given]()
    raise ArgumentError(
        f"{who}: sampler is {given!r}; expected one of {', '.join(map(repr, SAMPLERS))}, or a sampler such as "
        f"pde.Sobol(every=100)"
    )


def _positive(self: Sampler, name: str, value: Any) -> None:
    if not is_integer(value, 1):
        raise ArgumentError(f"{type(self).__name__}: {name} is {value!r}; expected a positive integer")
