"""The mesh, and the interpretation of primitives on sharded values.

A sharded value has a global shape and dtype, one block on this rank, and one placement for each axis of its
mesh.  Its trace, the mesh, has level 0 and never ends: every transformation wraps a sharded value as it wraps
an array.  A primitive is planned once for each combination of shapes and placements: which operands move,
which are cut, what runs on the blocks, where the result lies.  A plan looks at no value, so that all ranks
make the same plan.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DistributedError, TraceError
from scisim.core.primitive import Primitive
from scisim.core.values import Trace, Traced
from scisim.distributed import moves
from scisim.distributed.communicator import Communicator, world
from scisim.distributed.placements import REPLICATE, Partial, Placements, Shape, Shard, block, checked, checked_shape
from scisim.distributed.plan import Plan

_new = object.__new__


class Sharded(Traced):
    """A global value of which this rank holds a block."""

    __slots__ = ("_dtype", "_shape", "local", "placements")
    local: Any
    placements: Placements
    _shape: Shape
    _dtype: np.dtype

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        return self._dtype

    def __repr__(self) -> str:
        return f"<sharded {self.dtype}{list(self.shape)} {', '.join(map(repr, self.placements))}>"

    def __float__(self) -> float:
        return float(self._refuse("a Python float"))

    def __int__(self) -> int:
        return int(self._refuse("a Python int"))

    def __complex__(self) -> complex:
        return complex(self._refuse("a Python complex"))

    def __index__(self) -> int:
        return self._refuse("a Python index").__index__()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self._refuse("a NumPy array"), dtype=dtype)


class Mesh(Trace):
    """Ranks in the form of an array with named axes.

    Parameters
    ----------
    shape : int or sequence of int, optional
        The lengths of its axes; their product is the number of ranks. By default one axis of all ranks.
    names : sequence of str, optional
        Names of the axes; by default "x", "y", "z", ...
    comm : Communicator, optional
        By default `world()`.

    Attributes
    ----------
    size : int
        Number of ranks.
    rank : int
        This rank.
    comm : Communicator
    shape : tuple of int
    names : tuple of str

    Raises
    ------
    ArgumentError
        If the shape does not have as many places as there are ranks, or the names do not fit.

    Examples
    --------
    >>> from scisim.distributed import Mesh
    >>> mesh = Mesh()
    >>> mesh.size, mesh.rank, mesh.names
    (1, 0, ('x',))
    """

    kind: ClassVar[str] = "mesh"
    holds_values: ClassVar[bool] = True
    level = 0
    verify = False  # compare every block with its placement; for tests

    def __new__(
        cls, shape: int | Sequence[int] | None = None, names: Sequence[str] | None = None, comm: Any = None
    ) -> Mesh:
        """The one mesh of its shape and names on a communicator: values of equal meshes meet."""
        comm = world() if comm is None else comm
        if not isinstance(comm, Communicator):
            raise ArgumentTypeError(f"Mesh: comm is {comm!r}; it must be a Communicator, such as world().")
        sizes = _sizes(shape, comm)
        axes = _names(names, len(sizes))
        made = comm.__dict__.setdefault("_meshes", {})
        if (sizes, axes) not in made:
            made[sizes, axes] = object.__new__(cls)._build(comm, sizes, axes)
        return made[sizes, axes]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass  # `__new__` may give a mesh that is in use

    def _build(self, comm: Communicator, sizes: Shape, names: tuple[str, ...]) -> Mesh:
        self.comm, self.shape, self.names, self.function = (
            comm,
            sizes,
            names,
            "x".join(map(str, sizes)) + " ranks",
        )
        self.size, self.rank = comm.size, comm.rank
        self.coordinates = tuple(int(c) for c in np.unravel_index(comm.rank, sizes))
        self.axes = [comm] if len(sizes) == 1 else [self._line(m) for m in range(len(sizes))]
        self.whole: Placements = (REPLICATE,) * len(sizes)
        self.counts: Counter | None = None
        self._plans: dict = {}
        self._paths: dict = {}
        return self

    def _line(self, m: int) -> Communicator:
        """The ranks that differ from this one along axis m only."""
        at = [*self.coordinates[:m], 0, *self.coordinates[m + 1 :]]
        return self.comm.split(int(np.ravel_multi_index(at, self.shape)), self.coordinates[m])

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}={n}" for name, n in zip(self.names, self.shape, strict=True))
        return f"<Mesh {axes}, rank {self.rank}>"

    def axis(self, name: int | str, who: str = "Mesh.axis") -> int:
        """The number of an axis given by name or number."""
        if isinstance(name, str) and name in self.names:
            return self.names.index(name)
        if isinstance(name, int) and -len(self.shape) <= name < len(self.shape):
            return name % len(self.shape)
        raise ArgumentError(f"{who}: there is no axis {name!r} of {self!r}; its axes are {', '.join(self.names)}.")

    # --- blocks --------------------------------------------------------------------------------------------
    def bounds(self, n: int, dim: int, placements: Placements, axis: int | None = None, at: int = 0) -> tuple[int, int]:
        """This rank's part of a dimension of length n; or that of rank ``at`` along ``axis``."""
        lo, hi = 0, n
        for m, p in enumerate(placements):
            if type(p) is Shard and p.dim == dim:
                lo, hi = block(lo, hi, p.unit, at if m == axis else self.coordinates[m], self.shape[m])
        return lo, hi

    def block_shape(self, shape: Shape, placements: Placements) -> Shape:
        """The shape of this rank's block."""
        return tuple(b - a for a, b in (self.bounds(n, d, placements) for d, n in enumerate(shape)))

    def slices(self, shape: Shape, placements: Any) -> tuple[slice, ...]:
        """Where this rank's block lies in a global array.

        Examples
        --------
        >>> from scisim.distributed import Mesh, Shard
        >>> Mesh().slices((10, 3), Shard(0))
        (slice(0, 10, None), slice(0, 3, None))
        """
        shape = checked_shape("Mesh.slices", shape)
        places = checked("Mesh.slices", placements, len(self.shape), len(shape))
        return self.cut(shape, places)

    def cut(self, shape: Shape, placements: Placements) -> tuple[slice, ...]:
        return tuple(slice(*self.bounds(n, d, placements)) for d, n in enumerate(shape))

    # --- values --------------------------------------------------------------------------------------------
    def make(self, local: Any, placements: Placements, shape: Shape) -> Sharded:
        """A value from this rank's block."""
        x = _new(Sharded)
        x.trace, x.root, x.local, x.placements = self, None, local, placements
        x._shape, x._dtype = shape, local.dtype
        if self.verify and local.shape != self.block_shape(shape, placements):
            raise AssertionError(f"a block of shape {local.shape} for {x!r} on {self!r}")
        return x

    def place(self, x: Any, placements: Placements) -> Sharded:
        """A value from an array that every rank has."""
        x = np.asarray(x)
        return self.make(moves.move(self, x, x.shape, self.whole, placements), placements, x.shape)

    def local_at(self, x: Any, placements: Placements) -> Any:
        """The block of an operand at a placement; a partial value that is reduced for it stays reduced."""
        if not isinstance(x, Sharded):
            return moves.move(self, np.asarray(x) if np.shape(x) else x, np.shape(x), self.whole, placements)
        local = moves.move(self, x.local, x._shape, x.placements, placements)
        if all(
            a is b or (type(a) is Partial and b is REPLICATE) for a, b in zip(x.placements, placements, strict=True)
        ):
            x.local, x.placements = local, placements
        return local

    def concrete(self, x: Any) -> Any:
        if any(type(p) is Shard for p in x.placements):
            raise TraceError(
                f"a Python branch or number needs the value of {x!r}, which is spread over ranks: one rank "
                f"could go another way. Reduce it first (any, all, max), or use where."
            )
        return self.local_at(x, self.whole)

    def refuse(self, x: Any, what: str) -> Any:
        """A replicated value may be read; another one would need all ranks, and only one may be asking."""
        if x.placements == self.whole:
            return np.asarray(x.local)
        raise TraceError(
            f"{what} was asked of {x!r}, of which this rank holds a part only. Call distributed.gather(x) on "
            f"all ranks, then read the result on any."
        )

    def any(self, x: Any) -> bool:
        """Whether any element on any rank holds: the same answer on every rank."""
        summed = tuple(REPLICATE if isinstance(p, Partial) else p for p in x.placements)  # terms are no elements
        local = self.local_at(x, summed)
        found = np.asarray(np.any(local))
        for m, p in enumerate(x.placements):
            if isinstance(p, Shard):
                self.count("all_reduce")
                found = self.axes[m].all_reduce(found, "max")
        return bool(found)

    def describe(self, x: Traced) -> str:
        return repr(x)

    def settle(self, cotangent: Any, primal: Any) -> Any:
        from scisim.distributed.sharding import settle

        return settle(self, cotangent, primal)

    # --- the interpretation --------------------------------------------------------------------------------
    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        key: list = [prim]
        for a in args:
            t = type(a)
            if t is Sharded:
                if a.trace is not self:
                    raise _two_meshes(prim, self, a.trace)
                key += (a._shape, a.placements)
            else:
                key.append(a.shape if t is np.ndarray else () if t is float or t is int else np.shape(a))
        if params:
            key += params.items()
        try:
            plan = self._plans.get(tuple(key))
        except TypeError:  # a parameter without a hash: planned each time
            return self.run(self._planned(prim, args, params), args)
        if plan is None:
            plan = self._plans[tuple(key)] = self._planned(prim, args, params)
        return self.run(plan, args)

    def _planned(self, prim: Primitive, args: tuple, params: dict) -> Plan:
        from scisim.distributed import rules

        return rules.plan(self, prim, args, params)

    def run(self, plan: Plan, args: tuple) -> Any:
        """Move and cut the operands, compute on the blocks, and name the result."""
        if plan.direct is not None:
            return plan.direct(*args)
        vals = [a.local if type(a) is Sharded else a for a in args]
        for i, placements in plan.moves:
            vals[i] = self.local_at(args[i], placements)
        for i, cut in plan.cuts:
            vals[i] = vals[i][cut]
        out = plan.evaluate(*vals)
        if plan.multiple:
            places = zip(out, plan.placements, plan.shapes, strict=True)
            return tuple(self.make(np.asarray(y), p, s) for y, p, s in places)
        return self.make(out, plan.placements[0], plan.shapes[0])

    # --- counting ------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def counting(self) -> Iterator[Counter]:
        """Count the collectives of a with block by kind: all_reduce, all_gather, reduce_scatter, ...

        Examples
        --------
        >>> from scisim.distributed import Mesh
        >>> with Mesh().counting() as counts:
        ...     pass
        >>> counts
        Counter()
        """
        before, self.counts = self.counts, Counter()
        try:
            yield self.counts
        finally:
            self.counts = before

    def count(self, kind: str) -> None:
        if self.counts is not None:
            self.counts[kind] += 1


def _sizes(shape: int | Sequence[int] | None, comm: Communicator) -> Shape:
    if shape is None:
        return (comm.size,)
    sizes = checked_shape("Mesh", (shape,) if hasattr(shape, "__index__") else shape)
    if not sizes or min(sizes) < 1 or math.prod(sizes) != comm.size:
        raise ArgumentError(
            f"Mesh: shape {shape} has {math.prod(sizes)} places, but there are {comm.size} ranks; the "
            f"lengths are positive integers whose product is the number of ranks."
        )
    return sizes


def _names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple("xyz"[:count]) if count <= 3 else tuple(f"axis{m}" for m in range(count))
    if isinstance(names, str):
        names = (names,)
    if not isinstance(names, Sequence) or not all(isinstance(n, str) for n in names):
        raise ArgumentTypeError(f"Mesh: names are {names!r}; they must be strings.")
    if len(names) != count or len(set(names)) != count:
        raise ArgumentError(f"Mesh: names {tuple(names)} for {count} axes; give each axis a name of its own.")
    return tuple(names)


def _two_meshes(prim: Primitive, a: Mesh, b: Mesh) -> DistributedError:
    return DistributedError(
        f"{prim.name}: operands lie on two meshes, {a!r} and {b!r}; gather one of them, or shard both over one mesh."
    )
