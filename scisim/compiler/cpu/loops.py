"""Kernels that are loops: fused elementwise work with its loads, stores and reductions.

A loop nest runs over run-time extents; the last axis is cut into vectors.  Each operand says how it moves along the
last axis: not at all (one number for all lanes), by one element, or by a stride.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from scisim.compiler.cpu.access import Operand, Pointer
from scisim.compiler.cpu.combine import across, combined, identity
from scisim.compiler.cpu.emit import Function, Module, opaque, vector
from scisim.compiler.cpu.pieces import At, Pieces, PiecesPointer
from scisim.compiler.cpu.printer import Printer, scalar_type
from scisim.compiler.scalar.ir import Builder, Node, live, spelled

AHEAD = 4096  # bytes from what is read to what is fetched
MOST_SPREAD = 12  # numbers that stay in a vector each for a row
LONG = 24  # operations on vectors from which on a second copy for what is left takes longer to compile than it saves


class Store(NamedTuple):
    """Where a value goes.

    Parameters
    ----------
    values : tuple of int
        Positions among the loop's nodes: one, or real and imaginary part.
    to : Operand
    combine : str or None
        How it joins what is there: "add", "mul", "minimum", "maximum", "and", "or"; None replaces it.
    across : bool
        The values along the last axis are combined into one number first.
    joins : bool
        That number is combined with what is there, else it replaces it.
    """

    values: tuple[int, ...]
    to: Operand
    combine: str | None = None
    across: bool = False
    joins: bool = True


def rounds(stores: Sequence[Store], nodes: Sequence[tuple]) -> bool:
    """Whether rows are summed with rounding: then the last bits tell in which lane each element was."""
    summed = [nodes[k][2] for s in stores if s.across and s.combine in ("add", "mul") for k in s.values]
    return any(dtype.startswith("float") for dtype in summed)


@dataclass(frozen=True)
class Loop:
    """A loop kernel.

    Its arguments are the extents; if an operand is in pieces along the last axis, the range of it in which all are in
    one; sets of strides along all axes, in elements; bounds of pieces; then a pointer for each load and store, or piece
    of one, that is not near another.

    Parameters
    ----------
    rank : int
        Number of loop axes, at least 1.
    loads : tuple of Operand or Pieces
    nodes : tuple
        ``(op, positions of operands, dtype, attr)``, operands first.
    stores : tuple of Store
    tail : bool
        The last extent need not be a multiple of the vector's length.
    aligned : bool
        Whole vectors begin where the first result's address is a multiple of their length; not where rows are summed
        with rounding, which would depend on that address.
    unrolled : int
        How many whole vectors one turn does: a power of two.
    streamed : tuple of int
        Stores, of an aligned loop, that go past the caches.
    """

    rank: int
    loads: tuple[Operand | Pieces, ...]
    nodes: tuple[tuple, ...]
    stores: tuple[Store, ...]
    tail: bool = True
    aligned: bool = False
    unrolled: int = 1
    streamed: tuple[int, ...] = ()

    @cached_property
    def name(self) -> str:
        nodes = [(op, args, dtype, spelled(attr)) for op, args, dtype, attr in self.nodes]
        text = repr((self.rank, self.loads, nodes, self.stores, self.tail, self.aligned))
        text += repr((self.unrolled, self.streamed)) if self.unrolled > 1 or self.streamed else ""
        return "loop_" + hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def sets(self) -> int:
        """How many sets of strides its operands have."""
        plain = [o for o in self.loads if isinstance(o, Operand)]
        pieces = [p.operand for o in self.loads if isinstance(o, Pieces) for p in o.pieces]
        return 1 + max(o.strides for o in (*plain, *pieces, *(s.to for s in self.stores)))

    @property
    def bounds(self) -> int:
        """How many bounds its pieces have."""
        limits = [m for o in self.loads if isinstance(o, Pieces) for p in o.pieces for m in p.limits]
        return 1 + max((k for m in limits for k in (m.low, m.high) if k is not None), default=-1)

    @property
    def edged(self) -> bool:
        """Whether an operand is in pieces along the last axis."""
        return any(isinstance(o, Pieces) and o.edged for o in self.loads)

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loop) and self.name == other.name

    def emit(self, module: Module, target: Any) -> None:
        """Write the function."""
        _Writer(self, module, target).write()


class _Writer:
    """One loop kernel being written."""

    def __init__(self, spec: Loop, module: Module, target: Any) -> None:
        self.spec, self.target = spec, target
        self.f = Function(module, spec.name, ["ptr noalias %args"])
        builder = Builder()
        self.nodes: list[Node] = []
        for op, args, dtype, attr in spec.nodes:
            self.nodes.append(builder.node(op, tuple(self.nodes[k] for k in args), dtype, attr))
        self.varying = self._varying()
        widest = max([_bits(n.dtype) for n in self.varying], default=64)
        self.lanes = max(target.vector_bits // widest, 1)
        self.spread: dict[Node, str] = {}
        plain = all(o.inner is not None for o in (*spec.loads, *(s.to for s in spec.stores)))
        self.once = plain and len(self.varying) >= LONG and self.lanes > 1 and target.vector_bits == 512

    def _varying(self) -> set[Node]:
        """Nodes whose value changes along the last axis."""
        out: set[Node] = set()
        for n in self.nodes:
            moves = n.op == "load" and self.spec.loads[n.attr[0]].inner != 0
            moves = moves or (n.op == "index" and n.attr == self.spec.rank - 1)
            if moves or any(a in out for a in n.args):
                out.add(n)
        return out

    def write(self) -> None:
        f, rank = self.f, self.spec.rank
        args = itertools.count()
        self.extents = [f.argument(next(args)) for _ in range(rank)]
        if self.spec.edged:
            self.middle = f.argument(next(args)), f.argument(next(args))
        self.sets = [[f.argument(next(args)) for _ in range(rank)] for _ in range(self.spec.sets)]
        self.bounds = [f.argument(next(args)) for _ in range(self.spec.bounds)]
        self.addresses: list[str] = []
        operands = (*self.spec.loads, *(s.to for s in self.spec.stores))
        pointers = [self._pieces(o, args) if isinstance(o, Pieces) else self._pointer(o, args) for o in operands]
        self._axis(0, pointers, [])
        if self.spec.streamed and self.target.triple.startswith("x86_64"):
            f.call("void", "llvm.x86.sse.sfence", pure=False)  # other threads see what this one stored before
        f.done()

    def _pointer(self, operand: Operand, args: Iterator[int]) -> Pointer:
        f, type_ = self.f, operand.stored[0]
        if operand.near is None:
            address = f.argument(next(args), "ptr")
        else:
            other, by = operand.near
            address = f.at(type_, self.addresses[other], by * (2 if operand.complex else 1))
        self.addresses.append(address)
        return Pointer(f, operand, address, self.sets[operand.strides])

    def _pieces(self, spec: Pieces, args: Iterator[int]) -> PiecesPointer:
        parts = []
        for piece in spec.pieces:
            pointer = self._pointer(piece.operand, args)
            parts.append(At(self.f, piece, pointer, self.bounds))
        return PiecesPointer(self.f, spec, parts, self.spec.rank - 1)

    def _axis(self, axis: int, pointers: list[Any], indices: list[str]) -> None:
        if axis == self.spec.rank - 1:
            return self._rows([p.row() for p in pointers], indices)
        with self.f.loop(0, self.extents[axis]) as (i, _, _):
            i = opaque(self.f, i)
            self._axis(axis + 1, [p.moved(axis, i) for p in pointers], [*indices, i])

    def _rows(self, pointers: list[Any], indices: list[str]) -> None:
        """The last axis: whole vectors, then what is left."""
        f, n, lanes = self.f, self.extents[-1], self.lanes
        fixed = self._fixed(pointers, indices)
        self.spread = {}
        if len(fixed) <= MOST_SPREAD and lanes > 1:
            self.spread = {
                n: _splat(f, vector(t := scalar_type(n.dtype), lanes), t, v, lanes) for n, v in fixed.items()
            }
        first, sums = "0", [start for _, start in self._sums()]
        if self.spec.unrolled > 1 and not self.spec.aligned:
            first, sums = self._unrolled(fixed, pointers, indices)
        if self.once and (self.spec.tail or self.spec.aligned) and not (self.spec.edged or self.spec.streamed):
            return self._finish(pointers, self._masked(fixed, pointers, indices, first, sums))
        if self.spec.edged or self.spec.aligned:
            return self._finish(pointers, self._edged(fixed, pointers, indices))
        full = f.op("and", "i64", n, -lanes) if self.spec.tail else n
        kept = [(vector(t, lanes), start) for (t, _), start in zip(self._sums(), sums, strict=True)]
        with f.loop(first, full, lanes, kept) as (i, sums, following):
            following += _Body(self, fixed, pointers, indices, opaque(f, i), lanes, None, sums).write()
        if self.spec.tail:
            sums = self._tail(fixed, pointers, indices, full, sums)
        self._finish(pointers, sums)

    def _unrolled(self, fixed: dict, pointers: list, indices: list) -> tuple[str, list[str]]:
        """As many whole turns of several vectors as there are: where they end, and the sums there."""
        f, own, count = self.f, self._summed(), self.spec.unrolled
        end = f.op("and", "i64", self.extents[-1], -self.lanes * count)
        kept = [(vector(t, self.lanes), start) for t, start in self._sums()]
        with f.loop(0, end, self.lanes * count, kept * count) as (i, sums, following):
            following += self._turn(fixed, pointers, indices, opaque(f, i), sums)
        total = sums[: len(own)]
        for at in range(len(own), len(sums), len(own) or 1):
            pairs = zip(own, total, sums[at:], strict=False)
            total = [combined(f, op, d, self.lanes, a, b) for (op, d), a, b in pairs]
        return end, total

    def _turn(self, fixed: dict, pointers: list, indices: list, i: str, sums: list[str]) -> list[str]:
        """The vectors of one turn, operation by operation, so that none waits for another; the sums of each."""
        f, lanes, count = self.f, self.lanes, self.spec.unrolled
        own = [sums[u * len(sums) // count : (u + 1) * len(sums) // count] for u in range(count)]
        places = [f.add(i, u * lanes) for u in range(count)]
        bodies = [_Body(self, fixed, pointers, indices, at, lanes, None, s) for at, s in zip(places, own, strict=True)]
        wanted = [self.nodes[k] for s in self.spec.stores for k in s.values]
        if count > 1 and all(s.across for s in self.spec.stores):
            self._fetch(pointers, places)
        for n in live(wanted, {n.index for n in fixed}):
            for body in bodies:
                body.printer.value(n)
        return [total for body in bodies for total in body.write()]

    def _fetch(self, pointers: list, places: list[str]) -> None:
        """Begin to read what is some turns on: nothing but reading takes time, and it goes on across pages."""
        for o, p in zip(self.spec.loads, pointers, strict=False):
            if isinstance(o, Operand) and o.inner == 1:
                for at in places:
                    where = self.f.at("i8", p.element(at), AHEAD)
                    numbers = [("i32", 0), ("i32", 3), ("i32", 1)]  # to read, into all caches, data
                    self.f.call("void", "llvm.prefetch.p0", ("ptr", where), *numbers)

    def _masked(self, fixed: dict, pointers: list, indices: list, first: str, sums: list[str]) -> list[str]:
        """The last axis from ``first`` on in runs of vectors of one mask: what to do is written, and compiled, once."""
        f, n, lanes = self.f, self.extents[-1], self.lanes
        phase = self._phase(pointers) if self.spec.aligned else None
        kept = [(vector(t, lanes), start) for (t, _), start in zip(self._sums(), sums, strict=True)]
        with f.loop(first, n, None, kept) as (i, sums, following):
            mask, step = self._part(i, phase)
            full = f.value(f"icmp eq i{lanes} {f.convert('bitcast', vector('i1', lanes), mask, f'i{lanes}')}, -1")
            whole = f.op("and", "i64", f.op("sub", "i64", n, i), -lanes)
            end = f.op("add nsw", "i64", i, f.value(f"select i1 {full}, i64 {whole}, i64 {step}"))
            run = [(t, start) for (t, _), start in zip(kept, sums, strict=True)]
            with f.loop(i, end, lanes, run) as (j, totals, after):
                after += _Body(self, fixed, pointers, indices, opaque(f, j), lanes, mask, totals).write()
            following += [*totals, end]
        return sums

    def _part(self, i: str, phase: str | None) -> tuple[str, str]:
        """A mask of what there is of the vector from ``i`` on, and how far on the next one begins."""
        f, lanes, step = self.f, self.lanes, str(self.lanes)
        if phase is not None:
            step = f.op("sub", "i64", lanes, f.op("and", "i64", f.add(i, phase), lanes - 1))
        left = f.op("sub", "i64", self.extents[-1], i)
        return _first_lanes(f, f.call("i64", "llvm.smin.i64", ("i64", left), ("i64", step)), lanes), step

    def _tail(self, fixed: dict, pointers: list, indices: list, full: str, sums: list[str]) -> list[str]:
        f, n, lanes = self.f, self.extents[-1], self.lanes
        if self.target.vector_bits < 512:
            return self._single(fixed, pointers, indices, full, sums)
        left = f.op("sub", "i64", n, full)
        before, types = f.block, [vector(t, lanes) for t, _ in self._sums()]
        stem = f.fresh("tail")
        f.raw(f"br i1 {f.value(f'icmp sgt i64 {left}, 0')}, label %{stem}, label %{stem}.end")
        f.label(stem)
        mask = _first_lanes(f, left, lanes)
        after = _Body(self, fixed, pointers, indices, full, lanes, mask, sums).write()
        last = f.block
        f.raw(f"br label %{stem}.end")
        f.label(f"{stem}.end")
        return [
            f.value(f"phi {t} [{a}, %{before}], [{b}, %{last}]", pure=False)
            for t, a, b in zip(types, sums, after, strict=True)
        ]

    def _edged(self, fixed: dict, pointers: list, indices: list) -> list[str]:
        """The last axis with its middle in whole vectors; what is before and after it may be in other pieces."""
        f, n, lanes = self.f, self.extents[-1], self.lanes
        kept = [(vector(t, lanes), start) for t, start in self._sums()]
        low, high = self.middle if self.spec.edged else ("0", n)
        phase = self._phase(pointers) if self.spec.aligned else None
        together = self._in_phase(pointers, phase) if phase is not None else "true"
        turn = lanes * self.spec.unrolled
        last = f.op("sub", "i64", f.call("i64", "llvm.smin.i64", ("i64", high), ("i64", n)), turn)
        stem, before = f.fresh("E"), f.block
        f.raw(f"br label %{stem}")
        i, sums, start = self._merged(stem, kept, ["0", *(s for _, s in kept)], before)
        inside = f.op("and", "i1", f.value(f"icmp sge i64 {i}, {low}"), f.value(f"icmp sle i64 {i}, {last}"))
        if phase is not None:
            past = f.op("and", "i64", f.add(i, phase), lanes - 1)
            inside = f.op("and", "i1", inside, f.value(f"icmp eq i64 {past}, 0"))
            inside = f.op("and", "i1", inside, together) if self.spec.streamed else inside
        f.raw(f"br i1 {inside}, label %{stem}.middle, label %{stem}.other")
        im, sums_m, again = self._merged(f"{stem}.middle", kept, [i, *sums], stem)
        after = self._turn(fixed, pointers, indices, opaque(f, im), sums_m)
        following = f.op("add nsw", "i64", im, turn)
        f.raw(f"br i1 {f.value(f'icmp sle i64 {following}, {last}')}, label %{stem}.middle, label %{stem}.other")
        again([following, *after], f.block)
        io, sums_o, join = self._merged(f"{stem}.other", kept, [i, *sums], stem)
        join([following, *after], self._previous)
        f.raw(f"br i1 {f.value(f'icmp slt i64 {io}, {n}')}, label %{stem}.edge, label %{stem}.end")
        f.label(f"{stem}.edge")
        edge, step = self._edge(fixed, pointers, indices, opaque(f, io), sums_o, phase)
        start([f.op("add nsw", "i64", io, step), *edge], f.block)
        f.raw(f"br label %{stem}")
        f.label(f"{stem}.end")
        return sums_o

    def _merged(self, label: str, kept: list, first: list[str], origin: str) -> tuple[str, list[str], Callable]:
        """Begin a block that two others lead to: position and sums in it, and a function to tell of the second one."""
        f = self.f
        self._previous = f.block
        f.label(label)
        place, types = len(f.lines), ["i64", *(t for t, _ in kept)]
        names = [f"%{f.fresh()}" for _ in types]
        f.lines += [""] * len(types)

        def second(values: list[str], block: str) -> None:
            for k, (t, name, a, b) in enumerate(zip(types, names, first, values, strict=True)):
                f.lines[place + k] = f"  {name} = phi {t} [{a}, %{origin}], [{b}, %{block}]"

        return names[0], names[1:], second

    def _phase(self, pointers: list) -> str:
        """How many elements the row of the first result begins after a multiple of a vector."""
        f = self.f
        where, size = self._begin(pointers, 0)
        return f.op("and", "i64", f.op("lshr", "i64", where, size.bit_length() - 1), self.lanes - 1)

    def _begin(self, pointers: list, store: int) -> tuple[str, int]:
        """The address of a result's row, and the bytes of an element."""
        to = pointers[len(self.spec.loads) + store]
        return self.f.convert("ptrtoint", "ptr", to.begin(), "i64"), to.operand.stored[1] * to.unit

    def _in_phase(self, pointers: list, phase: str) -> str:
        """Whether whole vectors of all streamed results begin at multiples of their length."""
        f, lanes, together = self.f, self.lanes, "true"
        first = f.op("and", "i64", f.op("sub", "i64", 0, phase), lanes - 1)
        for k in self.spec.streamed:
            where, size = self._begin(pointers, k)
            past = f.op("and", "i64", f.add(where, f.mul(first, size)), lanes * size - 1)
            together = f.op("and", "i1", together, f.value(f"icmp eq i64 {past}, 0"))
        return together

    def _edge(
        self, fixed: dict, pointers: list, indices: list, i: str, sums: list[str], phase: str | None
    ) -> tuple[list[str], Any]:
        """One step at an edge, and how many elements it does."""
        f, lanes = self.f, self.lanes
        if self.target.vector_bits == 512:
            mask, step = self._part(i, phase)
            return _Body(self, fixed, pointers, indices, i, lanes, mask, sums, edge=True).write(), step
        types = [t for t, _ in self._sums()]
        first = [_lane(f, t, lanes, v) for t, v in zip(types, sums, strict=True)]
        now = _Body(self, fixed, pointers, indices, i, 1, None, first, edge=True).write()
        if lanes == 1:
            return now, 1
        return [
            f.value(f"insertelement {vector(t, lanes)} {v}, {t} {w}, i64 0")
            for t, v, w in zip(types, sums, now, strict=True)
        ], 1

    def _single(self, fixed: dict, pointers: list, indices: list, full: str, sums: list[str]) -> list[str]:
        """What is left, one element at a time; the sums go on in the first lane."""
        f, lanes = self.f, self.lanes
        types = [t for t, _ in self._sums()]
        if lanes == 1:
            return sums
        first = [_lane(f, t, lanes, v) for t, v in zip(types, sums, strict=True)]
        with f.loop(full, self.extents[-1], 1, list(zip(types, first, strict=True))) as (i, now, following):
            following += _Body(self, fixed, pointers, indices, i, 1, None, now).write()
        return [
            f.value(f"insertelement {vector(t, lanes)} {v}, {t} {w}, i64 0")
            for t, v, w in zip(types, sums, now, strict=True)
        ]

    def _fixed(self, pointers: list[Any], indices: list[str]) -> dict[Node, str]:
        """Values that are the same in the whole row, as single numbers."""
        used = {a for n in self.varying for a in n.args}
        stored = {self.nodes[k] for s in self.spec.stores for k in s.values}
        wanted = [n for n in live(used | stored) if n not in self.varying and n.op != "const"]

        def load(n: Node) -> str:
            p = pointers[n.attr[0]]
            return (p.shifted(printer.value(n.args[0])) if n.args else p).single(n)

        printer = Printer(self.f, self.target, 1, load, lambda axis: indices[axis])
        return {n: printer.value(n) for n in wanted}

    def _summed(self) -> list[tuple[str | None, str]]:
        """How each sum along the last axis combines, and its dtype."""
        return [(s.combine, self.nodes[k].dtype) for s in self.spec.stores if s.across for k in s.values]

    def _sums(self) -> list[tuple[str, str]]:
        """Type and first value of each sum along the last axis."""
        return [(scalar_type(d), identity(op, d, self.lanes)) for op, d in self._summed()]

    def _finish(self, pointers: list[Any], sums: list[str]) -> None:
        """Combine the lanes of each sum and put the number where it belongs."""
        left = list(sums)
        for store, p in zip(self.spec.stores, pointers[len(self.spec.loads) :], strict=True):
            if store.across:
                dtypes = [self.nodes[k].dtype for k in store.values]
                totals = [across(self.f, store.combine, d, self.lanes, left.pop(0)) for d in dtypes]
                if store.joins:
                    old = p.read("0", 1, None, dtypes)
                    triples = zip(dtypes, old, totals, strict=True)
                    totals = [combined(self.f, store.combine, d, 1, a, b) for d, a, b in triples]
                p.write("0", 1, None, totals, dtypes)


class _Body:
    """One step along the last axis: a vector of elements, of which a mask may leave out the last."""

    def __init__(
        self,
        w: _Writer,
        fixed: dict,
        pointers: list[Any],
        indices: list[str],
        i: str,
        lanes: int,
        mask: str | None,
        sums: list[str],
        edge: bool = False,
    ) -> None:
        self.edge = edge
        self.w, self.f, self.fixed, self.pointers, self.i = w, w.f, fixed, pointers, i
        self.lanes, self.mask, self.sums, self.indices = lanes, mask, sums, indices
        self.loaded: dict[tuple[int, int], str] = {}
        self.printer = Printer(self.f, w.target, lanes, self._load, self._index)
        for n, name in fixed.items():
            kind = scalar_type(n.dtype)
            if lanes == w.lanes and n in w.spread:
                self.printer.know(n, w.spread[n])
            else:
                self.printer.know(n, _splat(self.f, vector(kind, lanes), kind, name, lanes))

    def _load(self, n: Node) -> str:
        k, part = n.attr
        if n.args:
            return self._looked_up(n)
        if (k, part) not in self.loaded:
            dtypes = [n.dtype] * (2 if self.w.spec.loads[k].complex else 1)
            read = self.pointers[k].read_edge if self.edge else self.pointers[k].read
            for q, v in enumerate(read(self.i, self.lanes, self.mask, dtypes)):
                self.loaded[k, q] = v
        return self.loaded[k, part]

    def _looked_up(self, n: Node) -> str:
        """A load from a computed place: along a row beside it, or for each lane its own."""
        (k, part), (at,) = n.attr, n.args
        p, dtypes = self.pointers[k], [n.dtype] * (2 if self.w.spec.loads[k].complex else 1)
        if at in self.fixed or self.lanes == 1:
            shifted = p.shifted(self.fixed.get(at) or self.printer.value(at))
            return shifted.read_edge(self.i, self.lanes, self.mask, dtypes)[part]
        return p.read_scattered(self.i, self.lanes, self.mask, self.printer.value(at), part, n.dtype)

    def _index(self, axis: int) -> str:
        if axis < self.w.spec.rank - 1:
            return _splat(self.f, vector("i64", self.lanes), "i64", self.indices[axis], self.lanes)
        start = _splat(self.f, vector("i64", self.lanes), "i64", self.i, self.lanes)
        return start if self.lanes == 1 else self.f.op("add", vector("i64", self.lanes), start, _counting(self.lanes))

    def write(self) -> list[str]:
        """Write the step; the sums after it."""
        sums, following = list(self.sums), []
        for k, (store, p) in enumerate(zip(self.w.spec.stores, self.pointers[len(self.w.spec.loads) :], strict=True)):
            nodes = [self.w.nodes[k] for k in store.values]
            if store.across:
                following += [self._joined(store, n, sums.pop(0)) for n in nodes]
                continue
            dtypes = [n.dtype for n in nodes]
            values = [self.printer.value(n) for n in nodes]
            if store.combine is not None:
                old = p.read(self.i, self.lanes, self.mask, dtypes)
                values = [
                    combined(self.f, store.combine, d, self.lanes, a, b)
                    for d, a, b in zip(dtypes, old, values, strict=True)
                ]
            streamed = k in self.w.spec.streamed and self.mask is None and self.lanes > 1
            p.write(self.i, self.lanes, self.mask, values, dtypes, streamed)
        return following

    def _joined(self, store: Store, n: Node, total: str) -> str:
        """A sum with one more term; a product goes into it unrounded."""
        type_ = self.printer.type(n.dtype)
        if store.combine == "add" and n.op == "mul" and n.dtype.startswith("float"):
            a, b = (self.printer.value(x) for x in n.args)
            bits = f"{'' if self.lanes == 1 else f'v{self.lanes}'}f{n.dtype[5:]}"
            new = self.f.call(type_, f"llvm.fma.{bits}", (type_, a), (type_, b), (type_, total))
        else:
            new = combined(self.f, store.combine, n.dtype, self.lanes, total, self.printer.value(n))
        if self.mask is None:
            return new
        return self.f.value(f"select <{self.lanes} x i1> {self.mask}, {type_} {new}, {type_} {total}")


def _bits(dtype: str) -> int:
    return 8 if dtype == "bool" else int(dtype.lstrip("uintfloa"))


def _splat(f: Function, type_: str, single: str, x: str, lanes: int) -> str:
    if lanes == 1:
        return x
    a = f.value(f"insertelement {type_} poison, {single} {x}, i64 0")
    return f.value(f"shufflevector {type_} {a}, {type_} poison, <{lanes} x i32> zeroinitializer")


def _lane(f: Function, type_: str, lanes: int, x: str) -> str:
    """The first lane."""
    return x if lanes == 1 else f.value(f"extractelement {vector(type_, lanes)} {x}, i64 0")


def _counting(lanes: int) -> str:
    return "<" + ", ".join(f"i64 {k}" for k in range(lanes)) + ">"


def _first_lanes(f: Function, count: str, lanes: int) -> str:
    """A mask of the first ``count`` lanes, at least one and at most all."""
    bits = f.op("lshr", "i64", -1, f.op("sub", "i64", 64, count))
    bits = bits if lanes == 64 else f.convert("trunc", "i64", bits, f"i{lanes}")
    return f.convert("bitcast", f"i{lanes}", bits, vector("i1", lanes))
