"""A graph as a program: regions, kernel calls between them, host steps, in order."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scisim.compiler.cpu.access import PARTS as COMPLEX
from scisim.compiler.cpu.access import STORED
from scisim.compiler.lower import maps, roots
from scisim.compiler.lower.block import Block, parts
from scisim.compiler.lower.calls import Address, Call, Target
from scisim.compiler.lower.layout import Buffer, Place, View, plan
from scisim.compiler.lower.schedule import AxisClasses, Key, schedule
from scisim.compiler.lower.scope import Access
from scisim.compiler.lower.values import Values
from scisim.core.graph import Equation, Graph, Var
from scisim.core.values import shape

WORKSPACE = 1 << 20  # bytes of a thread's tiles: half of a second-level cache
PARALLEL_WORK = 100_000  # additions from which on a second thread pays
LONGEST_TILE = {True: 96, False: 16384}  # points, by whether there are products; a vector of loops is long
WIDEST_PRODUCT = 512  # columns up to which products are generated


@dataclass
class Region:
    """Kernel calls that run tile by tile over an axis; an extent of 0 is no axis: they run once."""

    calls: list[Call]
    extent: int = 0
    tile: int = 0
    parallel: bool = False


@dataclass
class Host:
    """An equation that runs in Python on arrays."""

    equation: Equation
    args: list[View | None]
    slots: list[int]


@dataclass
class Lowered:
    """A program before it has addresses."""

    graph: Graph
    values: Values
    steps: list[Region | Host] = field(default_factory=list)
    arena_bytes: int = 0
    tile_bytes: int = 0


def native(eq: Equation) -> bool:
    """Whether kernels can be made for an equation."""
    name, prim = eq.prim.name, eq.prim
    if prim.multiple or not all(_known(v) for v in (*eq.args, *eq.outs)):
        return False
    if any(0 in shape(v) for v in (*eq.args, *eq.outs)):
        return False
    if name in roots.PRODUCTS:
        return name == "matmul" and all(len(shape(v)) == 2 for v in eq.args) and _narrow(eq)
    if name in roots.REDUCTIONS:
        return eq.outs[0].dtype.kind != "c" or name == "sum"
    if name == "put":
        return all(not isinstance(i, tuple) or (i[3] or 1) > 0 for i in eq.params["at"])
    return prim.scalar is not None or name in roots.MOVES | roots.PARTS | {"iota"}


def _known(v: Any) -> bool:
    if type(v) in (bool, int, float, complex):
        return True
    return v.dtype.name in STORED or v.dtype.name in COMPLEX


def _narrow(eq: Equation) -> bool:
    dtypes = {v.dtype for v in (*eq.args, *eq.outs)}
    (_, k), (_, n) = (shape(v) for v in eq.args)
    return len(dtypes) == 1 and eq.outs[0].dtype.kind == "f" and n <= WIDEST_PRODUCT and (
        k <= WIDEST_PRODUCT or n <= WIDEST_PRODUCT // 4)


def lower(graph: Graph, bits: int, threads: int) -> Lowered:
    """The program of a graph, for vectors of so many bits and so many threads."""
    return _Lowering(graph, bits, threads).program


class _Lowering:
    def __init__(self, graph: Graph, bits: int, threads: int) -> None:
        self.bits = bits
        self.values = Values(graph, threads)
        self.graph = graph = self._named_constants(graph)
        self.program = Lowered(graph, self.values)
        self.keys, self.classes = schedule(graph.equations, native)
        self.aliases: dict[Var, Var] = {}
        self.joined: set[Var] = set()  # sums of partial sums
        self._join_sums()
        blocks: dict[Key, list[Equation]] = defaultdict(list)
        for k, eq in enumerate(graph.equations):
            key = self.keys[id(eq)]
            blocks[key._replace(cls=k) if key.host else key].append(eq)
        needed = self._needed_outside()
        for key in sorted(blocks, key=lambda key: key.time):
            if key.host:
                self._host(blocks[key][0])
            else:
                self._block(key, blocks[key], needed)
        self._plan()

    def _named_constants(self, graph: Graph) -> Graph:
        """The graph with a variable in the place of each array that is a constant."""
        named: dict[int, Var] = {}

        def name(a: Any) -> Any:
            if isinstance(a, Var) or np.size(a) == 1:
                return a
            if id(a) not in named:
                named[id(a)] = v = Var(None, a.shape, a.dtype)
                self.values.constant(v, a)
            return named[id(a)]

        equations = [eq._replace(args=tuple(map(name, eq.args))) for eq in graph.equations]
        return Graph(graph.inputs, equations, graph.outputs, graph.name)

    def _join_sums(self) -> None:
        """Sums of two partial sums over one region, which no one else needs, are one partial sum."""
        uses: dict[Var, int] = defaultdict(int)
        for eq in self.graph.equations:
            for a in eq.args:
                if isinstance(a, Var):
                    uses[a] += 1
        for v in self.graph.outputs:
            if isinstance(v, Var):
                uses[v] += 2
        partial: dict[Var, Key] = {}
        for eq in self.graph.equations:
            key, v = self.keys[id(eq)], eq.outs[0]
            if key.cls is not None and self.classes.position(v, key.cls) is None:
                if eq.prim.name in ("sum", "matmul"):
                    partial[v] = key
            elif eq.prim.name == "add" and all(isinstance(a, Var) and a in partial for a in eq.args):
                a, b = eq.args
                same = a is not b and partial[a] == partial[b] and a.shape == b.shape and a.dtype == b.dtype == v.dtype
                if same and uses[a] == uses[b] == 1:
                    self.keys[id(eq)] = partial[v] = partial[a]
                    self.aliases[a] = self.aliases[b] = v
                    self.joined.add(v)

    def _needed_outside(self) -> set[Var]:
        """Values that another block, a host step or the caller needs."""
        where = {v: self.keys[id(eq)] for eq in self.graph.equations for v in eq.outs}
        out = {v for v in self.graph.outputs if v in where}
        for eq in self.graph.equations:
            key = self.keys[id(eq)]
            out |= {a for a in eq.args if isinstance(a, Var) and a in where and (where[a] != key or key.host)}
        return out

    def _block(self, key: Key, equations: list[Equation], needed: set[Var]) -> None:
        outside = {v for eq in equations for v in eq.outs if v in needed}
        equations = [eq for eq in equations if eq.outs[0] not in self.joined]
        extent = self._extent(key, equations)
        work = sum(math.prod(shape(v)) for eq in equations for v in (*eq.args, *eq.outs) if eq.prim.name != "broadcast")
        parallel = bool(extent) and self.values.threads > 1 and work > PARALLEL_WORK
        tile = self._tile(equations, key, outside, extent) if extent else 0
        block = Block(
            self.values, key, equations, self.classes, outside, self.aliases, tile, self.bits, parallel
        )
        starts, ends = [], []
        for v, view in block.sums.items():
            op = self._combination(block, v)
            starts.append(self._start(block, view, op, v))
            if parallel:
                ends.append(self._end(block, view, op, v))
        if starts:
            self.program.steps.append(Region(starts))
        self.program.steps.append(Region(block.calls, extent, tile, parallel))
        if ends:
            self.program.steps.append(Region(ends))

    def _extent(self, key: Key, equations: list[Equation]) -> int:
        """The length of the axis that a region is cut along; 0 for none."""
        if key.cls is None:
            return 0
        found = ((v, self.classes.position(v, key.cls)) for eq in equations for v in (*eq.outs, *eq.args) if isinstance(v, Var))
        return next(v.shape[at] for v, at in found if at is not None)

    @staticmethod
    def _combination(block: Block, v: Var) -> str:
        name = block.roots.made[v].prim.name if v in block.roots.made else "sum"
        return roots.REDUCTIONS.get(name, "add")

    def _start(self, block: Block, view: View, op: str, v: Var) -> Call:
        if not view.per_thread:
            return block.filled(view, op, v)
        every = (self.values.threads, *v.shape)
        return block.filled(View(view.buffer, 0, maps.strides_of(every)), op, Var(None, every, v.dtype))

    def _end(self, block: Block, view: View, op: str, v: Var) -> Call:
        """Join the threads' parts, in order."""
        nest, index = block._nest(v, "join threads")
        total: Any = None
        for t in range(self.values.threads):
            step = t * view.per_thread // view.buffer.dtype.itemsize
            value = nest.scope._load(View(view.buffer, step, view.strides), index, v.dtype)
            total = value if total is None else _joined(nest.scope, op, total, value)
        to = self.values.whole(v)
        nest.targets.append(Target(parts(total), block._access(nest, to, index)))
        return nest.call(self.bits)

    def _tile(self, equations: list[Equation], key: Key, outside: set[Var], extent: int) -> int:
        """The length of a tile: what is stored for it fits the workspace."""
        found = roots.Roots(equations, outside)
        per_point = 0
        widest = 1
        for v in found.stored:
            if self.classes.position(v, key.cls) is not None:
                size = math.prod(v.shape) // extent
                widest = max(widest, size)
                if v not in outside:
                    per_point += size * v.dtype.itemsize
        products = any(eq.prim.name in roots.PRODUCTS for eq in equations)
        most = LONGEST_TILE[products] // (1 if products else widest)
        if per_point:
            most = min(most, WORKSPACE // per_point)
        for unit in (48, 16, 8):
            if most >= unit:
                return most // unit * unit
        return max(most, 1)

    def _host(self, eq: Equation) -> None:
        args = [self.values.view(a) if isinstance(a, Var) else None for a in eq.args]
        slots = []
        for v in eq.outs:
            if v not in self.values.views:
                self.values.named(v)
            slots.append(self.values.views[v].buffer.slot)
        self.program.steps.append(Host(eq, args, slots))

    def _plan(self) -> None:
        """Give every buffer its place."""
        step = 0
        for s in self.program.steps:
            tiles: dict[int, Buffer] = {}
            first = step
            for call in s.calls if isinstance(s, Region) else []:
                step += 1
                for b in call.buffers():
                    if b.place is Place.TILE:
                        b.used(step)
                        tiles[b.number] = b
            step += 1
            self._whole_uses(s, first, step)
            self.program.tile_bytes = max(self.program.tile_bytes, plan(list(tiles.values())))
        self.program.arena_bytes = plan([b for b in self.values.arena if b.last >= 0])

    @staticmethod
    def _whole_uses(s: Region | Host, first: int, last: int) -> None:
        """Arrays of the arena are needed during the whole of each region that uses them."""
        if isinstance(s, Host):
            used = [v.buffer for v in s.args if v is not None]
        else:
            used = [a.view.buffer for c in s.calls for a in c.args if isinstance(a, Address)]
        for b in used:
            if b.place is Place.ARENA:
                b.used(first)
                b.used(last)


def _joined(scope: Any, op: str, a: Any, b: Any) -> Any:
    if hasattr(a, "re"):
        return type(a)(_joined(scope, op, a.re, b.re), _joined(scope, op, a.im, b.im))
    return scope.builder.op(op, a, b)


__all__ = ["Access", "AxisClasses", "Lowered", "Region", "lower"]
