"""Where a value lies on a mesh: one placement for each of its axes, and blocks that follow by formula."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Sequence
from typing import Any

from scisim.core.errors import ArgumentError, ArgumentTypeError

Shape = tuple[int, ...]


class _OneEach(type):
    """Equal placements are one object, so they compare and hash by identity."""

    made: dict[Any, Any] = {}  # noqa: RUF012 - shared on purpose

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        new = super().__call__(*args, **kwargs)
        return _OneEach.made.setdefault((cls, new.key), new)

    @property
    def __signature__(cls) -> inspect.Signature:
        return inspect.signature(cls.__init__.__get__(object()))  # type: ignore[misc]


class Placement(metaclass=_OneEach):
    """How a value is spread over one axis of a mesh."""

    __slots__ = ("key",)
    key: tuple

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.key))})"

    def __reduce__(self) -> Any:
        return type(self), self.key


class Replicate(Placement):
    """Every rank holds the whole value.

    Examples
    --------
    >>> Replicate() is Replicate()
    True
    """

    __slots__ = ()

    def __init__(self) -> None:
        self.key = ()


class Partial(Placement):
    """Every rank holds a term; the value is their sum (or greatest, least, product).

    Examples
    --------
    >>> Partial()
    Partial('sum')
    """

    __slots__ = ("op",)

    def __init__(self, op: str = "sum") -> None:
        if op not in ("sum", "max", "min", "prod"):
            raise ArgumentError(f"Partial: op is {op!r}; it must be 'sum', 'max', 'min' or 'prod'.")
        self.op, self.key = op, (op,)


class Shard(Placement):
    """Every rank holds a block of one dimension.

    Blocks are balanced multiples of ``unit`` (the last may be shorter, and blocks may be empty), so that
    every rank knows the bounds of every block.

    Examples
    --------
    >>> Shard(0)
    Shard(0)
    >>> Shard(0, unit=4)
    Shard(0, 4)
    """

    __slots__ = ("dim", "unit")

    def __init__(self, dim: int, unit: int = 1) -> None:
        if not _integers(dim, unit):  # True would be the same placement as 1
            raise ArgumentTypeError(f"Shard: dim and unit are integers, got {dim!r} and {unit!r}.")
        dim, unit = operator.index(dim), operator.index(unit)
        if unit < 1:
            raise ArgumentError(f"Shard: unit is {unit}; it must be at least 1.")
        self.dim, self.unit = dim, unit
        self.key = (dim,) if unit == 1 else (dim, unit)


def _integers(*values: Any) -> bool:
    return all(hasattr(n, "__index__") and not isinstance(n, bool) for n in values)


def checked_shape(who: str, shape: Any) -> Shape:
    """A global shape: integers of at least 0."""
    if not isinstance(shape, Sequence) or isinstance(shape, str) or not _integers(*shape) or any(n < 0 for n in shape):
        raise ArgumentTypeError(f"{who}: shape is {shape!r}; it must be a tuple of integers of at least 0, as in (8,).")
    return tuple(map(operator.index, shape))


REPLICATE = Replicate()
SUM = Partial("sum")
Placements = tuple[Placement, ...]


def checked(who: str, placements: Any, axes: int, ndim: int) -> Placements:
    """One placement for each mesh axis, dimensions counted from 0; one alone fits a mesh of one axis."""
    given = (placements,) if isinstance(placements, Placement) else placements
    if not isinstance(given, Sequence) or not all(isinstance(p, Placement) for p in given):
        raise ArgumentTypeError(
            f"{who}: placements are {placements!r}; they must be Shard(dim), Replicate() or Partial(), one "
            f"for each axis of the mesh."
        )
    if len(given) != axes:
        raise ArgumentError(f"{who}: {len(given)} placements for a mesh with {axes} axes; give one for each axis.")
    if len({p.op for p in given if isinstance(p, Partial)}) > 1:
        raise ArgumentError(f"{who}: placements {given} combine terms in two ways, whose order would matter.")
    return tuple(_within(who, p, ndim) for p in given)


def _within(who: str, p: Placement, ndim: int) -> Placement:
    if not isinstance(p, Shard):
        return p
    if not -ndim <= p.dim < ndim:
        raise ArgumentError(f"{who}: {p} for a value with {ndim} dimensions; there is no dimension {p.dim}.")
    return Shard(p.dim % ndim, p.unit)


def dual(placements: Placements) -> Placements:
    """Where a cotangent lies: that of a partial value is replicated, since each term adds to the value."""
    return tuple(REPLICATE if type(p) is Partial else p for p in placements)


def block(lo: int, hi: int, unit: int, index: int, count: int) -> tuple[int, int]:
    """Bounds of one of ``count`` balanced blocks of the interval [lo, hi)."""
    each, more = divmod(-(-(hi - lo) // unit), count)
    start = index * each + min(index, more)
    stop = start + each + (index < more)
    return min(lo + start * unit, hi), min(lo + stop * unit, hi)


def overlap(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """The common part of two intervals, of length 0 where there is none."""
    lo = max(a[0], b[0])
    return lo, max(lo, min(a[1], b[1]))


def part(x: Any, dim: int, lo: int, hi: int) -> Any:
    """x[lo:hi] along one dimension."""
    return x[(slice(None),) * dim + (slice(lo, hi),)]


def resized(shape: Shape, dim: int, n: int) -> Shape:
    """A shape with another length of one dimension."""
    return (*shape[:dim], n, *shape[dim + 1 :])
