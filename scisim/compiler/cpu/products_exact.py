"""Products in which an exact zero wins over infinity and nan.

Operands that are finite everywhere have the ordinary product. Whether they are takes one pass over each; only
otherwise every term is looked at by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scisim.compiler.cpu.emit import Function, literal
from scisim.compiler.cpu.products_block import Lanes, Number, number, vectors_of
from scisim.compiler.cpu.products_strided import PARAMETERS, strided_product

if TYPE_CHECKING:
    from scisim.compiler.cpu.emit import Module
    from scisim.compiler.cpu.target import Target

_FINITE = ("ptr %x", "i64 %rows", "i64 %columns", "i64 %stride")


def exact_product(module: Module, dtype: str, target: Target) -> str:
    """The name of the exact product of a dtype; parameters as those of `strided_product`."""
    n = number(dtype)
    if not n.floating:
        return strided_product(module, dtype, target)
    name = f"product_exact_{dtype}"
    if not any(f" @{name}(" in text for text in module.functions):
        usual, finite = strided_product(module, dtype, target), _all_finite(module, dtype, target)
        _write_choice(Function(module, name, PARAMETERS, ret="internal void"), usual, finite, n)
    return name


def _all_finite(module: Module, dtype: str, target: Target) -> str:
    """The name of a function that tells whether a matrix is finite: the sum of 0 * x is nan where one x is not."""
    name, lanes = f"finite_{dtype}", vectors_of(dtype, target)
    f = Function(module, name, _FINITE, ret="internal i1")
    scalar, parts = lanes.of.scalar, lanes.of.parts
    columns, stride = f.mul("%columns", parts), f.mul("%stride", parts)
    whole = f.op("and", "i64", columns, -lanes.lanes)
    zero = [(lanes.type, lanes.zero()), (scalar, literal(0, scalar))]
    with f.loop(0, "%rows", 1, zero) as (r, (wide, single), following):
        row = f.at(scalar, "%x", f.mul(r, stride))
        with f.loop(0, whole, lanes.lanes, [(lanes.type, wide)]) as (k, (now,), more):
            more.append(_spoiled(f, lanes, now, lanes.load(f, f.at(scalar, row, k), None)))
        with f.loop(whole, columns, 1, [(scalar, single)]) as (k, (one,), more):
            more.append(_spoiled(f, Lanes(lanes.of, 1), one, f.load(scalar, f.at(scalar, row, k), lanes.of.bytes)))
        following += [now, one]
    total = f.call(scalar, f"llvm.vector.reduce.fadd.{lanes.suffix}", (scalar, single), (lanes.type, wide))
    f.done(f"i1 {f.op('fcmp ord', scalar, total, total)}")
    return name


def _spoiled(f: Function, lanes: Lanes, total: str, x: str) -> str:
    return f.op("fadd", lanes.type, total, f.op("fmul", lanes.type, x, lanes.zero()))


def _write_choice(f: Function, usual: str, finite: str, n: Number) -> None:
    by_rows = f.op("icmp eq", "i64", "%step", 1)
    rows, columns = (f.value(f"select i1 {by_rows}, i64 {a}, i64 {b}") for a, b in (("%M", "%K"), ("%K", "%M")))
    stride = f.value(f"select i1 {by_rows}, i64 %row, i64 %step")
    left = f.value(f"call i1 @{finite}(ptr %A, i64 {rows}, i64 {columns}, i64 {stride})", pure=False)
    right = f.value(f"call i1 @{finite}(ptr %B, i64 %K, i64 %N, i64 %ldb)", pure=False)
    ordinary = f.op("and", "i1", left, right)
    with f.when(ordinary):
        f.raw(f"call void @{usual}({', '.join(PARAMETERS)})")
    with f.when(f.op("xor", "i1", ordinary, "true")):
        _write_terms(f, n)
    f.done()


def _write_terms(f: Function, n: Number) -> None:
    """All products one by one."""
    with f.loop(0, "%M") as (i, _, _), f.loop(0, "%N") as (j, _, _):
        c = f.at(n.scalar, "%C", f.mul(f.add(f.mul(i, "%ldc"), j), n.parts))
        places = [f.at(n.scalar, c, p) for p in range(n.parts)]
        zero = literal(0, n.scalar)
        start = [
            f.value(f"select i1 %add, {n.scalar} {f.load(n.scalar, p, n.bytes)}, {n.scalar} {zero}") for p in places
        ]
        with f.loop(0, "%K", 1, [(n.scalar, s) for s in start]) as (k, sums, following):
            at_a, at_b = f.add(f.mul(i, "%row"), f.mul(k, "%step")), f.add(f.mul(k, "%ldb"), j)
            a, b = _read(f, n, "%A", at_a), _read(f, n, "%B", at_b)
            nothing = f.op("or", "i1", _is_zero(f, n, a), _is_zero(f, n, b))
            for total, term in zip(sums, _term(f, n, a, b), strict=True):
                new = f.op("fadd", n.scalar, total, term)
                following.append(f.value(f"select i1 {nothing}, {n.scalar} {total}, {n.scalar} {new}"))
        for s, p in zip(sums, places, strict=True):
            f.store(n.scalar, s, p, n.bytes)


def _read(f: Function, n: Number, pointer: str, index: str) -> list[str]:
    place = f.at(n.scalar, pointer, f.mul(index, n.parts))
    return [f.load(n.scalar, f.at(n.scalar, place, p), n.bytes) for p in range(n.parts)]


def _is_zero(f: Function, n: Number, x: list[str]) -> str:
    tests = [f.op("fcmp oeq", n.scalar, part, literal(0, n.scalar)) for part in x]
    return tests[0] if n.parts == 1 else f.op("and", "i1", *tests)


def _term(f: Function, n: Number, a: list[str], b: list[str]) -> list[str]:
    def times(x: str, y: str) -> str:
        return f.op("fmul", n.scalar, x, y)

    if n.parts == 1:
        return [times(a[0], b[0])]
    re = f.op("fsub", n.scalar, times(a[0], b[0]), times(a[1], b[1]))
    return [re, f.op("fadd", n.scalar, times(a[0], b[1]), times(a[1], b[0]))]
