"""How a loop kernel reads and writes memory: dtypes as they are stored, vectors of them, masks."""

from __future__ import annotations

from typing import Any, NamedTuple

from scisim.compiler.cpu.emit import Function, vector
from scisim.compiler.cpu.printer import scalar_type

# Stored type and its bytes, by dtype; complex numbers are two numbers side by side.
STORED = {"bool": ("i8", 1), "float16": ("half", 2), "bfloat16": ("bfloat", 2), "float32": ("float", 4),
          "float64": ("double", 8)}  # fmt: skip
STORED |= {f"{u}int{n}": (f"i{n}", n // 8) for u in ("", "u") for n in (8, 16, 32, 64)}
PARTS = {"complex64": "float32", "complex128": "float64"}


class Operand(NamedTuple):
    """An array that a loop reads or writes.

    Parameters
    ----------
    dtype : str
        As stored.
    inner : int or None
        Elements from one step to the next along the last axis: 0, 1, or None where it is known at run time.
    strides : int
        Which of the kernel's sets of strides it has.
    near : (int, int) or None
        It begins so many elements (second) after another operand (first), so that one pointer serves both.
    """

    dtype: str
    inner: int | None
    strides: int = 0
    near: tuple[int, int] | None = None

    @property
    def complex(self) -> bool:
        return self.dtype in PARTS

    @property
    def stored(self) -> tuple[str, int]:
        return STORED[PARTS.get(self.dtype, self.dtype)]


class Pointer:
    """Where an operand's elements are in the row that is being worked on: an address, and an offset in elements."""

    def __init__(self, f: Function, operand: Operand, address: str, strides: list[str], offset: str = "0") -> None:
        self.f, self.operand, self.address, self.strides, self.offset = f, operand, address, strides, offset
        self.unit = 2 if operand.complex else 1

    def moved(self, axis: int, i: str) -> Pointer:
        """The pointer at position ``i`` of an outer axis."""
        offset = self.f.add(self.offset, self.f.mul(i, self.strides[axis]))
        return Pointer(self.f, self.operand, self.address, self.strides, offset)

    def shifted(self, by: str) -> Pointer:
        """The pointer so many elements further on."""
        return Pointer(self.f, self.operand, self.address, self.strides, self.f.add(self.offset, by))

    def row(self) -> Pointer:
        """The pointer in a row, all of whose outer positions are known."""
        return self

    def begin(self) -> str:
        """The address of the row's first element."""
        return self.f.at(self.operand.stored[0], self.address, self.f.mul(self.offset, self.unit))

    def _at(self, i: str) -> str:
        f = self.f
        step = {0: "0", 1: i}.get(-1 if self.operand.inner is None else self.operand.inner)
        step = f.mul(i, self.strides[-1]) if step is None else step
        return f.at(self.operand.stored[0], self.address, f.mul(f.add(self.offset, step), self.unit))

    def element(self, i: str) -> str:
        """The address of the element at position ``i`` of the last axis."""
        return self._at(i)

    def read_at(self, where: str, dtypes: list[str]) -> list[str]:
        """The element at an address, its parts one after the other."""
        type_, size = self.operand.stored
        return [self._opened(self.f.load(type_, self.f.at(type_, where, q), size), d, 1) for q, d in enumerate(dtypes)]

    def read_edge(self, i: str, lanes: int, mask: str | None, dtypes: list[str]) -> list[str]:
        """The elements from position ``i`` on, of which a mask may leave out some."""
        return self.read(i, lanes, mask, dtypes)

    def read_where(self, i: str, lanes: int, mask: str | None, dtypes: list[str]) -> list[str]:
        """Elements from position ``i`` on, of which only those of any mask exist."""
        if mask is None or self.operand.inner == 1:
            return self.read(i, lanes, mask, dtypes)
        f, (type_, size), out = self.f, self.operand.stored, []
        if self.operand.inner == 0:
            bits = f.convert("bitcast", vector("i1", lanes), mask, f"i{lanes}")
            any_ = f.value(f"icmp ne i{lanes} {bits}, 0")
            where = f.value(f"select i1 {any_}, ptr {self.begin()}, ptr %args")
            singles = [f.load(type_, f.at(type_, where, q), size) for q in range(self.unit)]
            return [self._opened(self._spread(v, type_, lanes), d, lanes) for v, d in zip(singles, dtypes, strict=True)]
        for q, d in enumerate(dtypes):
            if size >= 4:
                out.append(self._opened(self._gathered(self._each(i, lanes, None, q), type_, lanes, mask), d, lanes))
                continue
            vec = "poison"
            for k, at in enumerate(self._addresses(i, lanes, q)):
                bit = f.value(f"extractelement {vector('i1', lanes)} {mask}, i64 {k}")
                where = f.value(f"select i1 {bit}, ptr {at}, ptr %args")
                one = f.load(type_, where, size)
                vec = f.value(f"insertelement {vector(type_, lanes)} {vec}, {type_} {one}, i64 {k}")
            out.append(self._opened(vec, d, lanes))
        return out

    def read_scattered(self, i: str, lanes: int, mask: str | None, offsets: str, part: int, dtype: str) -> str:
        """For each lane the element as far beyond its own as ``offsets``, a vector of i64, tells."""
        kind, mask = self.operand.stored[0], mask or "splat (i1 true)"
        return self._opened(self._gathered(self._each(i, lanes, offsets, part), kind, lanes, mask), dtype, lanes)

    def _each(self, i: str, lanes: int, offsets: str | None, part: int) -> str:
        """The address of each lane's element, or of one so far beyond it, as a vector."""
        f, wide = self.f, vector("i64", lanes)
        at = self._spread(self.offset, "i64", lanes)
        at = at if offsets is None else f.op("add", wide, offsets, at)
        if self.operand.inner != 0:
            along = f.op("add", wide, self._spread(i, "i64", lanes), _counting(lanes))
            if self.operand.inner is None:
                along = f.op("mul", wide, along, self._spread(self.strides[-1], "i64", lanes))
            at = f.op("add", wide, at, along)
        if self.unit == 2:
            at = f.op("add", wide, f.op("shl", wide, at, "splat (i64 1)"), f"splat (i64 {part})")
        return f.value(f"getelementptr {self.operand.stored[0]}, ptr {self.address}, {wide} {at}")

    def _gathered(self, where: str, type_: str, lanes: int, mask: str) -> str:
        """What is at the addresses of those lanes that a mask has; zero in the others."""
        kind, size = vector(type_, lanes), self.operand.stored[1]
        args = (vector("ptr", lanes), where), ("i32", size), (vector("i1", lanes), mask), (kind, "zeroinitializer")
        return self.f.call(kind, f"llvm.masked.gather.{_suffix(type_, lanes)}.v{lanes}p0", *args, pure=False)

    def single(self, node: Any) -> str:
        """A number that is the same in the whole row, part ``node.attr[1]``, in its register's type."""
        type_, size = self.operand.stored
        where = self.f.at(type_, self.begin(), node.attr[1])
        return self._opened(self.f.load(type_, where, size), node.dtype, 1)

    def read(self, i: str, lanes: int, mask: str | None, dtypes: list[str]) -> list[str]:
        """The elements from position ``i`` on, one vector a part."""
        type_, size = self.operand.stored
        raw = self._raw(i, lanes, mask, type_, size)
        return [self._opened(v, d, lanes) for v, d in zip(raw, dtypes, strict=True)]

    def write(
        self, i: str, lanes: int, mask: str | None, values: list[str], dtypes: list[str], streamed: bool = False
    ) -> None:
        """Put the elements from position ``i`` on; streamed ones are whole vectors at multiples of their length."""
        type_, size = self.operand.stored
        closed = [self._closed(v, d, lanes) for v, d in zip(values, dtypes, strict=True)]
        if lanes == 1 or self.operand.inner != 1:
            return self._scatter(i, lanes, mask, closed, type_, size)
        where, wide = self._at(i), lanes * self.unit
        vec = closed[0] if self.unit == 1 else self._interleaved(closed, type_, lanes)
        kind = vector(type_, wide)
        if mask is None:
            self.f.store(kind, vec, where, size * wide if streamed else size, streamed)
        else:
            m = self._mask(mask, lanes)
            name = f"llvm.masked.store.{_suffix(type_, wide)}.p0"
            self.f.call("void", name, (kind, vec), ("ptr", where), ("i32", size), (vector("i1", wide), m), pure=False)

    def _raw(self, i: str, lanes: int, mask: str | None, type_: str, size: int) -> list[str]:
        f, inner = self.f, self.operand.inner
        if lanes == 1:
            where = self._at(i)
            return [f.load(type_, f.at(type_, where, q), size) for q in range(self.unit)]
        if inner == 0:
            singles = [f.load(type_, f.at(type_, self.begin(), q), size) for q in range(self.unit)]
            return [self._spread(v, type_, lanes) for v in singles]
        if inner is None:
            return self._gather(i, lanes, mask, type_, size)
        where, wide = self._at(i), lanes * self.unit
        kind = vector(type_, wide)
        if mask is None:
            vec = f.load(kind, where, size)
        else:
            m = self._mask(mask, lanes)
            name = f"llvm.masked.load.{_suffix(type_, wide)}.p0"
            vec = f.call(kind, name, ("ptr", where), ("i32", size), (vector("i1", wide), m),
                         (kind, "zeroinitializer"), pure=False)  # fmt: skip
        return [vec] if self.unit == 1 else [self._every_second(vec, type_, lanes, q) for q in (0, 1)]

    def _addresses(self, i: str, lanes: int, part: int) -> list[str]:
        """Where each lane's element is; lanes beyond a mask get the address of the first, which exists."""
        f, type_, out = self.f, self.operand.stored[0], []
        stride = {1: "1", 0: "0"}.get(-1 if self.operand.inner is None else self.operand.inner, self.strides[-1])
        at = f.add(self.offset, f.mul(i, stride))
        for _ in range(lanes):
            out.append(f.at(type_, f.at(type_, self.address, f.mul(at, self.unit)), part))
            at = f.add(at, stride)
        return out

    def _gather(self, i: str, lanes: int, mask: str | None, type_: str, size: int) -> list[str]:
        f, out = self.f, []
        kind = vector(type_, lanes)
        for q in range(self.unit):
            if mask is not None and size >= 4:  # at the end of a row, where short code counts
                out.append(self._gathered(self._each(i, lanes, None, q), type_, lanes, mask))
                continue
            vec = "poison"
            for k, where in enumerate(self._addresses(i, lanes, q)):
                if mask is not None and k:
                    bit = f.value(f"extractelement {vector('i1', lanes)} {mask}, i64 {k}")
                    where = f.value(f"select i1 {bit}, ptr {where}, ptr {self._addresses(i, 1, q)[0]}")
                vec = f.value(f"insertelement {kind} {vec}, {type_} {f.load(type_, where, size)}, i64 {k}")
            out.append(vec)
        return out

    def _scatter(self, i: str, lanes: int, mask: str | None, values: list[str], type_: str, size: int) -> None:
        f = self.f
        for q, v in enumerate(values):
            if mask is not None and size >= 4:
                args = (vector(type_, lanes), v), (vector("ptr", lanes), self._each(i, lanes, None, q)), ("i32", size)
                name = f"llvm.masked.scatter.{_suffix(type_, lanes)}.v{lanes}p0"
                f.call("void", name, *args, (vector("i1", lanes), mask), pure=False)
                continue
            for k, at in enumerate(self._addresses(i, lanes, q)):
                if lanes == 1:
                    f.store(type_, v, at, size)
                    continue
                one = f.value(f"extractelement {vector(type_, lanes)} {v}, i64 {k}")
                if mask is None:
                    f.store(type_, one, at, size)
                    continue
                with f.when(f.value(f"extractelement {vector('i1', lanes)} {mask}, i64 {k}")):
                    f.store(type_, one, at, size)

    def _opened(self, v: str, dtype: str, lanes: int) -> str:
        """From the stored type to that of registers."""
        stored = self.operand.dtype
        type_ = vector(self.operand.stored[0], lanes)
        if stored == "bool":
            zero = "0" if lanes == 1 else "zeroinitializer"
            return self.f.value(f"icmp ne {type_} {v}, {zero}")
        if stored in ("float16", "bfloat16"):
            return self.f.convert("fpext", type_, v, vector(scalar_type(dtype), lanes))
        return v

    def _closed(self, v: str, dtype: str, lanes: int) -> str:
        stored = self.operand.dtype
        type_ = vector(self.operand.stored[0], lanes)
        if stored == "bool":
            return self.f.convert("zext", vector("i1", lanes), v, type_)
        if stored in ("float16", "bfloat16"):
            return self.f.convert("fptrunc", vector(scalar_type(dtype), lanes), v, type_)
        return v

    def _spread(self, v: str, type_: str, lanes: int) -> str:
        kind = vector(type_, lanes)
        a = self.f.value(f"insertelement {kind} poison, {type_} {v}, i64 0")
        return self.f.value(f"shufflevector {kind} {a}, {kind} poison, <{lanes} x i32> zeroinitializer")

    def _mask(self, mask: str, lanes: int) -> str:
        """A mask for the numbers of each element."""
        if self.unit == 1:
            return mask
        pairs = ", ".join(f"i32 {k // 2}" for k in range(2 * lanes))
        kind = vector("i1", lanes)
        return self.f.value(f"shufflevector {kind} {mask}, {kind} poison, <{2 * lanes} x i32> <{pairs}>")

    def _every_second(self, v: str, type_: str, lanes: int, part: int) -> str:
        places = ", ".join(f"i32 {2 * k + part}" for k in range(lanes))
        kind = vector(type_, 2 * lanes)
        return self.f.value(f"shufflevector {kind} {v}, {kind} poison, <{lanes} x i32> <{places}>")

    def _interleaved(self, parts: list[str], type_: str, lanes: int) -> str:
        places = ", ".join(f"i32 {k // 2 + lanes * (k % 2)}" for k in range(2 * lanes))
        kind = vector(type_, lanes)
        re, im = parts
        return self.f.value(f"shufflevector {kind} {re}, {kind} {im}, <{2 * lanes} x i32> <{places}>")


def _counting(lanes: int) -> str:
    return "<" + ", ".join(f"i64 {k}" for k in range(lanes)) + ">"


def _suffix(type_: str, lanes: int) -> str:
    return f"v{lanes}{ {'float': 'f32', 'double': 'f64', 'half': 'f16', 'bfloat': 'bf16'}.get(type_, type_) }"
