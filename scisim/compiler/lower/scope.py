"""The expressions of one loop kernel, built from equations and from where their operands live."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu.access import PARTS
from scisim.compiler.lower import maps, pieces
from scisim.compiler.lower.layout import Place, View
from scisim.compiler.lower.moves import INDEXED, Moved
from scisim.compiler.lower.pieces import Number, Pieced
from scisim.compiler.scalar.ir import Builder, Node
from scisim.compiler.scalar.namespace import Complex, Scalars
from scisim.core.graph import Equation, Var

# Operations whose code does not depend on which number an operand is.
READ_NUMBERS = {"add", "sub", "mul", "div", "zmul", "maximum", "minimum", "where", "lt", "le", "gt", "ge", "eq", "ne"}
HALVES = ("float16", "bfloat16")
WEAK = (bool, int, float, complex)


@functools.cache
def register_dtype(dtype: Any) -> str:
    """The dtype in which numbers of an array are computed: of a part, where they are complex."""
    name = np.dtype(dtype).name
    return "float32" if name in HALVES else PARTS.get(name, name)


class Access(NamedTuple):
    """An operand of a loop: elements of a view, found from loop positions."""

    view: View
    offset: int
    strides: tuple[int, ...]
    per_start: int

    def key(self) -> tuple:
        return (self.view.buffer.number, self.offset, self.strides, self.per_start, self.view.per_length)


class Scope:
    """Builds expressions over the positions of a loop nest.

    Parameters
    ----------
    extents : tuple of int
        Of the loop axes.
    made : dict
        The equation of each variable that may be computed here.
    view : callable
        ``view(v)``: where a variable lives, or None.
    tiled : callable
        ``tiled(v)``: the axis of a variable that tiles cut, or None.
    tile : int
        Length of a tile.
    cut : int or None
        The loop axis that tiles cut.
    numbers : callable
        ``numbers(value, dtype, count)``: where an array of equal numbers is.
    """

    def __init__(
        self,
        extents: tuple[int, ...],
        made: dict[Var, Equation],
        view: Callable[[Any], View | None],
        tiled: Callable[[Any], int | None],
        tile: int,
        cut: int | None,
        numbers: Callable[[Any, Any, int], View],
    ) -> None:
        self.extents, self.rank, self.made, self.view = extents, len(extents), made, view
        self.tiled, self.tile, self.cut, self.numbers = tiled, tile, cut, numbers
        self.builder = Builder()
        self.accesses: list[Access | Pieced] = []
        self._places: dict[tuple, int] = {}
        self._memo: dict[tuple, Any] = {}
        self.own: set[Var] = set()  # computed here, so never loaded

    def value(self, v: Any, index: maps.IndexMap) -> Node | Complex:
        """The element of a value that a map finds."""
        if not isinstance(v, Var):
            return self._constant(np.asarray(v).reshape(()), np.asarray(v).dtype)
        todo = [(v, index)]
        while todo:  # without recursion, since chains are long
            key = todo[-1]
            missing = [k for k in self._before(*key) if k not in self._memo] if key not in self._memo else []
            todo += missing[::-1]
            if not missing:
                todo.pop()
                if key not in self._memo:
                    self._memo[key] = self._element(*key)
        return self._memo[v, index]

    def _placed(self, v: Var) -> View | None:
        """Where a value is loaded from; None for one that is computed."""
        return None if v in self.own else self.view(v)

    def _before(self, v: Var, index: maps.IndexMap) -> list[tuple[Var, maps.IndexMap]]:
        """Which elements the computation of one needs."""
        if self._placed(v) is not None:
            return []
        eq = self.made[v]
        if eq.prim.scalar is not None:
            return [(a, maps.broadcast(index, a.shape)) for a in eq.args if isinstance(a, Var)]
        if eq.prim.name == "gather":
            lead = len(index) - len(eq.args[0].shape) + len(eq.args) - 1
            return [(i, maps.broadcast(index[:lead], i.shape)) for i in eq.args[1:] if isinstance(i, Var)]
        found = None if isinstance(v, Moved) or eq.prim.name not in INDEXED else self._step(eq, index)
        return [found] if found is not None and isinstance(found[0], Var) else []

    def _element(self, v: Var, index: maps.IndexMap) -> Node | Complex:
        view = self._placed(v)
        return self._computed(self.made[v], index) if view is None else self._load(view, index, v.dtype)

    def _viewed(self, v: Any) -> View:
        view = self.view(v)
        assert view is not None
        return view

    def _reshaped(self, x: Any, v: Var) -> View:
        """The view of a stored array as another shape; what is stored is contiguous."""
        view, at = self._viewed(x), self.tiled(v)
        short = view.buffer.place is Place.TILE
        shape = tuple(self.tile if short and k == at else n for k, n in enumerate(v.shape))
        return replace(view, strides=maps.strides_of(shape), tiled=None if short else at)

    def _constant(self, x: Any, dtype: Any) -> Node | Complex:
        part = register_dtype(dtype)
        if np.dtype(dtype).kind == "c":
            return Complex(self.builder.const(x.real, part), self.builder.const(x.imag, part))
        return self.builder.const(np.asarray(x).astype(dtype)[()], part)

    def _number(self, eq: Equation, x: np.ndarray) -> Node | Complex:
        """A number of the graph.

        Usual ones are written into the kernel.  Others are read from memory: a division by the number of points, say,
        is then the same kernel for all of them.
        """
        if eq.prim.name not in READ_NUMBERS or x.dtype.kind != "f" or _usual(float(x)):
            return self._constant(x[()], x.dtype)
        view = self.numbers(x[()], x.dtype, 1)
        return self._loaded(Access(view, 0, (0,) * self.rank, 0), x.dtype)

    def access(self, view: View, index: maps.IndexMap) -> Access:
        """The elements of a view that a map finds."""
        return Access(view, *view.along(index, self.rank, self.cut))

    def _load(self, view: View, index: maps.IndexMap, dtype: Any) -> Node | Complex:
        return self._loaded(self.access(view, index), dtype)

    def _loaded(self, access: Access | Pieced, dtype: Any, offset: Node | None = None) -> Node | Complex:
        k = self._places.setdefault(access.key(), len(self.accesses))
        if k == len(self.accesses):
            self.accesses.append(access)
        part = register_dtype(dtype)
        at = () if offset is None else (offset,)
        loads = [self.builder.node("load", at, part, (k, q)) for q in range(2 if np.dtype(dtype).kind == "c" else 1)]
        return loads[0] if len(loads) == 1 else Complex(*loads)

    def _moved(self, v: Moved, index: maps.IndexMap) -> Node | Complex:
        """An element of a value that is not stored, from the arrays that it is made of."""
        whole = tuple((0, n) for n in self.extents)
        leaves = pieces.find(v, index, whole, self._made_by_moving, self._leaf, self._step)
        ((box, leaf), *others) = leaves
        if others or box != whole:
            return self._loaded(Pieced(tuple(leaves)), v.dtype)
        return self._constant(leaf.value, v.dtype) if isinstance(leaf, Number) else self._loaded(leaf, v.dtype)

    def _made_by_moving(self, v: Any) -> Equation | None:
        here = isinstance(v, Moved) and (v in self.own or self.view(v) is None)
        return self.made[v] if here else None

    def _leaf(self, v: Any, index: maps.IndexMap) -> Access | Number:
        if not isinstance(v, Var):
            return Number(np.asarray(v).reshape(())[()], np.asarray(v).dtype)
        eq = self._made_by_moving(v)
        return self.access(self._viewed(v) if eq is None else self._reshaped(eq.args[0], v), index)

    def _step(self, eq: Equation, index: maps.IndexMap) -> tuple[Any, maps.IndexMap] | None:
        """Operand and map of an operation that finds its elements elsewhere; None where no map does."""
        (x,), p = eq.args, eq.params
        shape = np.shape(x) if not isinstance(x, Var) else x.shape
        if eq.prim.name == "broadcast":
            return x, maps.broadcast(index, shape)
        if eq.prim.name == "transpose":
            return x, maps.transpose(index, p["perm"])
        if eq.prim.name == "read":
            return x, maps.read(index, shape, p["at"])
        moved = maps.reshape(index, shape, eq.outs[0].shape)
        return None if moved is None else (x, moved)

    def _computed(self, eq: Equation, index: maps.IndexMap) -> Node | Complex:
        p, v = eq.params, eq.outs[0]
        if eq.prim.scalar is not None:
            return self._elementwise(eq, index)
        if isinstance(v, Moved):
            return self._moved(v, index)
        if eq.prim.name in INDEXED:
            found = self._step(eq, index)
            return self._load(self._reshaped(eq.args[0], v), index, v.dtype) if found is None else self.value(*found)
        if eq.prim.name == "gather":
            return self._looked_up(eq, index)
        assert eq.prim.name == "iota", eq.prim.name
        return self._iota(p, index[0], v.dtype)

    def _looked_up(self, eq: Equation, index: maps.IndexMap) -> Node | Complex:
        """An element of a stored array at indices that others hold; those out of range are taken to its ends."""
        (x, *indices), v = eq.args, eq.outs[0]
        view, lead = self._viewed(x), len(index) - len(x.shape) + len(indices)
        offset: Any = None
        for i, n, stride in zip(indices, x.shape, view.strides, strict=False):
            at = self.value(i, maps.broadcast(index[:lead], i.shape if isinstance(i, Var) else np.shape(i)))
            step = self._in_range(at, n)
            step = step if stride == 1 else step * self._stored_number(stride)
            offset = step if offset is None else offset + step
        access = self.access(view, (*[maps.ZERO] * len(indices), *index[lead:]))
        return self._loaded(access, v.dtype, offset)

    def _in_range(self, at: Any, n: int) -> Node:
        """An index counted from the start."""
        b, signed = self.builder, not at.dtype.startswith("u")
        i, length = b.op("cast", at, dtype="int64"), self._stored_number(n)
        if signed:
            i = b.op("maximum", b.op("select", i < 0, i + length, i), 0)
        return b.op("minimum", i, length - 1)

    def _stored_number(self, value: int) -> Node:
        """A number that kernels are told when they run."""
        view = self.numbers(value, np.dtype(np.int64), 1)
        number = self._loaded(Access(view, view.offset, (0,) * self.rank, 0), np.dtype(np.int64))
        assert isinstance(number, Node)
        return number

    def _iota(self, p: dict, at: maps.Lin, dtype: Any) -> Node:
        """start + i * step, in the steps in which NumPy computes it."""
        b = self.builder
        i = b.const(at.const, "int64")
        for axis, coef in at.terms:
            i = i + b.node("index", (), "int64", axis) * coef
        start, step = np.asarray(p["start"], dtype)[()], p["step"]
        second = np.asarray(p["start"] + step, dtype)[()]
        name = register_dtype(dtype)
        return b.op("cast", i, dtype=name) * (second - start) + start

    def _elementwise(self, eq: Equation, index: maps.IndexMap) -> Node | Complex:
        out = eq.outs[0].dtype
        kinds = operand_dtypes(eq)
        args = []
        for a, to in zip(eq.args, kinds, strict=True):
            if type(a) in WEAK:
                known = self._constant(np.asarray(a), to) if to is None else self._number(eq, np.asarray(a, to))
                if isinstance(known, Complex) and type(a) is not complex:
                    known = replace(known, is_real=True)
                args.append(known)
                continue
            if not isinstance(a, Var) and np.size(a) == 1:
                args.append(self._as(self._number(eq, np.asarray(a).reshape(())), a.dtype, to))
                continue
            dtype = a.dtype
            shape = a.shape if isinstance(a, Var) else np.shape(a)
            args.append(self._as(self.value(a, maps.broadcast(index, shape)), dtype, to))
        s = Scalars(self.builder, _compute_name(out))
        assert eq.prim.scalar is not None
        result = eq.prim.scalar(s, *args, **(eq.params if eq.prim.name == "ipow" else {}))
        if isinstance(result, WEAK) or not isinstance(result, (Node, Complex)):
            return self._constant(np.asarray(result), out)
        return self._as_result(result, out)

    def _as(self, x: Any, dtype: Any, to: Any) -> Node | Complex:
        """A value converted to another dtype."""
        if to is None or np.dtype(dtype) == np.dtype(to):
            return x
        part = register_dtype(to)
        if np.dtype(to).kind == "c":
            if isinstance(x, Complex):
                return Complex(*(self.builder.op("cast", q, dtype=part) for q in (x.re, x.im)), is_real=x.is_real)
            return Complex(self.builder.op("cast", x, dtype=part), self.builder.const(0, part), is_real=True)
        if isinstance(x, Complex):
            x = x.re
        return self.builder.op("cast", x, dtype=part)

    def _as_result(self, x: Any, out: Any) -> Node | Complex:
        part = register_dtype(out)
        if isinstance(x, Complex):
            return x
        x = self.builder.op("cast", x, dtype=part)
        return Complex(x, self.builder.const(0, part)) if np.dtype(out).kind == "c" else x


def _usual(x: float) -> bool:
    return not math.isfinite(x) or (abs(x) <= 16 and (4 * x).is_integer())


@functools.cache
def _compute_name(dtype: Any) -> str:
    name = np.dtype(dtype).name
    return "float32" if name in HALVES else name


_AS_THEY_ARE = {"cast", "truncate", "real", "imag", "modulus", "abs", "isnan", "isinf", "isfinite", "signbit", "pin"}


def operand_dtypes(eq: Equation) -> list[Any]:
    """The dtype to which each operand of an elementwise equation is brought first; None for a weak number alone."""
    out, name = eq.outs[0].dtype, eq.prim.name
    if name == "where":
        return [np.dtype(bool), out, out]
    if name in ("logical_and", "logical_or", "logical_xor", "logical_not"):
        return [np.dtype(bool)] * len(eq.args)
    if name == "ipow":
        return [out]
    kinds = [a if type(a) in WEAK else a.dtype for a in eq.args]
    common = np.result_type(*kinds)
    if name in _AS_THEY_ARE:
        return [common if type(a) in WEAK else a.dtype for a in eq.args]
    if out.kind in "fc" and (common.kind not in "fc" or common.itemsize < out.itemsize):
        common = out
    if common.kind == "b" and out.kind != "b":  # NumPy computes with bytes
        common = out
    return [common] * len(eq.args)
