"""A graph as a program: regions, kernel calls between them, host steps, in order."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from scisim.compiler.cpu.access import PARTS as COMPLEX
from scisim.compiler.cpu.access import STORED
from scisim.compiler.lower import maps, roots, strips
from scisim.compiler.lower.block import Block, parts
from scisim.compiler.lower.calls import Call, Target
from scisim.compiler.lower.control import CONTROL
from scisim.compiler.lower.flat import Flat
from scisim.compiler.lower.forms import forms
from scisim.compiler.lower.gram import gram
from scisim.compiler.lower.indices import looked_up, with_checks
from scisim.compiler.lower.layout import View
from scisim.compiler.lower.lines import balanced, by_lines
from scisim.compiler.lower.memory import place
from scisim.compiler.lower.products import fits
from scisim.compiler.lower.recompute import recompute
from scisim.compiler.lower.schedule import Key, schedule
from scisim.compiler.lower.seen import base, through
from scisim.compiler.lower.steps import Host, Lowered, Region, Step
from scisim.compiler.lower.tuning import tune
from scisim.compiler.lower.values import Values
from scisim.core.graph import Equation, Graph, Var
from scisim.core.values import dtype, shape

WORKSPACE = 1 << 20  # bytes of a thread's tiles: half of a second-level cache
IN_USE = 0.55  # of what is stored for a tile, so much is needed at one time
PARALLEL_WORK = 100_000  # additions from which on a second thread pays
SHORT_TILE, UNIT = 1024, 64
LONGEST_TILE = {True: 96, False: 16384}  # points, by whether there are products; a vector of loops is long


def native(eq: Equation) -> bool:
    """Whether kernels can be made for an equation."""
    name, prim = eq.prim.name, eq.prim
    if prim.multiple or not all(_known(v) for v in (*eq.args, *eq.outs)):
        return False
    if any(0 in shape(v) for v in (*eq.args, *eq.outs)):
        return False
    if name in roots.PRODUCTS:
        return fits(eq)
    if name in roots.REDUCTIONS:
        return eq.outs[0].dtype.kind != "c" or name == "sum"
    if name == "gather":
        return looked_up(eq)
    if name == "put":
        return all(not isinstance(i, tuple) or (i[3] or 1) > 0 for i in eq.params["at"])
    return prim.scalar is not None or name in roots.MOVES | roots.PARTS | {"iota", "turn"}


def _known(v: Any) -> bool:
    if type(v) in (bool, int, float, complex):
        return True
    return _stored(v.dtype)


@functools.cache
def _stored(dtype: Any) -> bool:
    return dtype.name in STORED or dtype.name in COMPLEX


def native_here(eq: Equation) -> bool:
    """Whether kernels can be made for an equation, or a library's function be called, in this process."""
    return by_lines(eq) if eq.prim.lines is not None else native(eq)


def lower(graph: Graph, bits: int, threads: int, here: bool = False) -> Lowered:
    """The program of a graph, for vectors of so many bits and so many threads; libraries' functions are those here."""
    values = Values(threads, native_here if here else native)
    flat = Flat(values)
    outputs = flat.replay(graph, graph.inputs)
    whole = Graph(graph.inputs, flat.equations, outputs, graph.name)
    values.interface(whole)
    program = Lowered(whole, values, Lowering(flat, outputs, values, bits).steps)
    tune(program)
    place(program)
    return program


class Lowering:
    """Makes the steps of equations.

    Parameters
    ----------
    flat : Flat
        The equations.
    outputs : sequence
        Values that are needed afterwards.
    values : Values
        Of the whole program.
    bits : int
        Of a vector.
    """

    def __init__(self, flat: Flat, outputs: Sequence[Any], values: Values, bits: int) -> None:
        self.outputs, self.values, self.bits = outputs, values, bits
        self.steps: list[Step] = []
        equations = with_checks(forms(flat.equations, outputs, flat.after), values)
        equations, self.keys, self.classes = schedule(equations, values.native, outputs, flat.after)
        self.equations = recompute(equations, self.keys, self.classes)
        self.aliases: dict[Var, Var] = {}
        self.joined: set[Var] = set()  # sums of partial sums
        self._join_sums()
        blocks: dict[Key, list[Equation]] = defaultdict(list)
        for k, eq in enumerate(self.equations):
            key = self.keys[id(eq)]
            blocks[key._replace(cls=k) if key.host else key].append(eq)
        made = {v: eq for eq in self.equations for v in eq.outs if not self.keys[id(eq)].host}
        hosts = [eq for eq in self.equations if self.keys[id(eq)].host and eq.prim.name not in {*CONTROL, "gram"}]
        self.seen = {id(eq): [base(a, made) for a in eq.args] for eq in hosts}
        needed = self._needed_outside()
        for key in sorted(blocks, key=lambda key: key.time):
            if key.host:
                self._alone(blocks[key][0])
            else:
                self._block(key, blocks[key], needed)

    def body(self, flat: Flat, outputs: Sequence[Any]) -> list[Step]:
        """The steps of a body."""
        return Lowering(flat, outputs, self.values, self.bits).steps

    def _join_sums(self) -> None:
        """Sums of two partial sums over one region, which no one else needs, are one partial sum."""
        uses: dict[Var, int] = defaultdict(int)
        for eq in self.equations:
            for a in eq.args:
                if isinstance(a, Var):
                    uses[a] += 1
        for v in self.outputs:
            if isinstance(v, Var):
                uses[v] += 2
        partial: dict[Var, Key] = {}
        for eq in self.equations:
            if not eq.outs:
                continue
            key, v = self.keys[id(eq)], eq.outs[0]
            if key.cls is not None and self.classes.position(v, key.cls) is None:
                if eq.prim.name == "sum" or eq.prim.name in roots.PRODUCTS:
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
        where = {v: self.keys[id(eq)] for eq in self.equations for v in eq.outs}
        out = {v for v in self.outputs if isinstance(v, Var) and v in where}
        for eq in self.equations:
            key = self.keys[id(eq)]
            args = [a for a, _ in self.seen[id(eq)]] if id(eq) in self.seen else eq.args
            out |= {a for a in args if isinstance(a, Var) and a in where and (where[a] != key or key.host)}
        return out

    def _block(self, key: Key, equations: list[Equation], needed: set[Var]) -> None:
        outside = {v for eq in equations for v in eq.outs if v in needed}
        equations = [eq for eq in equations if eq.outs[0] not in self.joined]
        extent = self._extent(key, equations)
        moved = [v for eq in equations if eq.prim.name != "broadcast" for v in (*eq.args, *eq.outs)]
        work = sum(math.prod(shape(v)) for v in moved)
        short = sum(math.prod(shape(v)) * max(1 - dtype(v).itemsize / 8, 0) for v in moved)  # vectors hold more of them
        parallel = bool(extent) and self.values.threads > 1 and work - short + _functions(equations) > PARALLEL_WORK
        found = roots.Roots(equations, outside)
        tile = self._tile(found, key, extent) if extent else 0
        tile = _shared(tile, extent, self.values.threads) if parallel else tile
        if parallel and any(eq.prim.lines is not None for eq in equations):
            tile = balanced(tile, extent, self.values.threads)
        block = Block(self.values, key, found, self.classes, self.aliases, tile, self.bits, parallel)
        if block.strips:
            tile = strips.tile(block.calls, tile, extent, self.values.threads, work // extent)
        starts, ends = [], []
        for v, view in block.sums.items():
            op = self._combination(block, v)
            starts.append(self._start(block, view, op, v))
            if parallel:
                ends.append(self._end(block, view, op, v))
        if starts:
            self.steps.append(Region(starts))
        self.steps += [Region([a.call], a.extent, a.tile, parallel) for a in block.apart]
        if block.calls:
            self.steps.append(Region(block.calls, extent, tile, parallel))
        if ends:
            self.steps.append(Region(ends))

    def _extent(self, key: Key, equations: list[Equation]) -> int:
        """The length of the axis that a region is cut along; 0 for none."""
        if key.cls is None:
            return 0
        found = (
            (v, self.classes.position(v, key.cls))
            for eq in equations
            for v in (*eq.outs, *eq.args)
            if isinstance(v, Var)
        )
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

    def _tile(self, found: roots.Roots, key: Key, extent: int) -> int:
        """The length of a tile: what is stored for it fits the workspace."""
        assert key.cls is not None
        per_point = 0
        widest = 1
        for v in found.stored:
            if self.classes.position(v, key.cls) is not None or found.made[v].prim.name == "put":
                size = math.prod(v.shape) // extent
                widest = max(widest, size)
                if v not in found.outside:
                    per_point += size * v.dtype.itemsize
        products = any(eq.prim.name in roots.PRODUCTS for eq in found.equations)
        most = LONGEST_TILE[products] // (1 if products else widest)
        if per_point:
            most = min(most, int(WORKSPACE / (IN_USE * per_point)))
        for unit in (48, 16, 8):
            if most >= unit:
                return most // unit * unit
        return max(most, 1)

    def _alone(self, eq: Equation) -> None:
        """A loop, a condition, a part at an index, or Python."""
        steps = CONTROL[eq.prim.name](self, eq) if eq.prim.name in CONTROL else None
        if steps is not None:
            self.steps += steps
            return
        if eq.prim.name == "gram":
            self.steps.append(gram(self.values, eq))
            return
        values = self.values
        seen = self.seen.get(id(eq)) or [(a, []) for a in eq.args]
        args = [through(values.views[a], steps) if isinstance(a, Var) else None for a, steps in seen]
        slots: list[int | None] = []
        into: list[View | None] = []
        for v in eq.outs:
            if eq.prim.into is not None:
                values.whole(v)
            elif v not in values.views:
                values.named(v)
                values.hosted.add(v)
            elif v in values.results:
                values.hosted.add(v)
            own = v in values.hosted
            slots.append(values.slot_of(v) if own else None)
            into.append(None if own else values.views[v])
        self.steps.append(Host(eq, args, slots, into))


def _functions(equations: list[Equation]) -> float:
    """What elementary functions cost beyond passing over their arrays: additions do eight at a time."""
    scalar = (eq for eq in equations if eq.prim.scalar is not None or eq.prim.lines is not None)
    return sum(roots.own_cost(eq) * math.prod(shape(eq.outs[0])) for eq in scalar) / 8


def _shared(tile: int, extent: int, threads: int) -> int:
    """Tiles not longer, and so that no thread has more to do than others; short ones are many anyway."""
    if tile < SHORT_TILE:
        return tile
    each = -(-extent // threads)
    return min(tile, -(-each // -(-each // tile) // UNIT) * UNIT)


def _joined(scope: Any, op: str, a: Any, b: Any) -> Any:
    if hasattr(a, "re"):
        return type(a)(_joined(scope, op, a.re, b.re), _joined(scope, op, a.im, b.im))
    return scope.builder.op(op, a, b)
