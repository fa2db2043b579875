"""Vector instructions for loops over the taps of a spreading kernel.

The taps of a point are one vector of 8 numbers or two.  In the copy of a tile they are *aligned*: a row is read and
written in whole vectors at multiples of 8, one more than the taps fill, with zeros on both sides of them.  So points
that overlap meet in the same vectors, which a processor hands on from a write to the next read at once, and no vector
lies across two lines of the cache.  Numba's own vectors come from loops that are long; these are short, so the
instructions are written out.

``vectors`` is a tuple whose length is the number of vectors of taps, a constant of the compiled code; arrays are
one-dimensional and contiguous.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
_INDEX = ir.IntType(32)


class _Code:
    """What an intrinsic writes its instructions with."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.context, self.builder, self.types, self.args = context, builder, signature.args, args
        self.taps = signature.args[0].count
        self.row = self.taps + 1

    def data(self, k: int) -> Any:
        """The address of the first element of array argument k."""
        return self.context.make_array(self.types[k])(self.context, self.builder, self.args[k]).data

    def _place(self, data: Any, at: Any, k: int) -> Any:
        at = self.builder.add(at, ir.Constant(at.type, LANES * k))
        vector = ir.VectorType(data.type.pointee, LANES).as_pointer()
        return self.builder.bitcast(self.builder.gep(data, [at]), vector)

    def load(self, data: Any, at: Any, count: int, aligned: bool = False) -> list:
        """Vectors in a row."""
        size = _size(data.type.pointee) * (LANES if aligned else 1)
        return [self.builder.load(self._place(data, at, k), align=size) for k in range(count)]

    def store(self, values: list, data: Any, at: Any, aligned: bool = False) -> None:
        size = _size(data.type.pointee) * (LANES if aligned else 1)
        for k, v in enumerate(values):
            self.builder.store(v, self._place(data, at, k), align=size)

    def spread(self, scalar: Any) -> Any:
        """A vector of equal elements."""
        nothing = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
        one = self.builder.insert_element(nothing, scalar, ir.Constant(_INDEX, 0))
        return self.builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return fused(self.builder, a, b, c)

    def total(self, v: Any) -> Any:
        """The sum of the elements of a vector, by halves."""
        b, n = self.builder, LANES
        while n > 1:
            n //= 2
            halves = ([*range(k, k + n)] for k in (0, n))
            v = b.fadd(*(b.shuffle_vector(v, v, ir.Constant(ir.VectorType(_INDEX, n), h)) for h in halves))
        return b.extract_element(v, ir.Constant(_INDEX, 0))

    def rows(self, base: int, offsets: int, count: int, weights: int, first: int) -> Iterator[tuple[Any, Any]]:
        """Loop over rows, by the numbers of arguments: where each begins, and its weight in every lane."""
        b, starts, factors = self.builder, self.data(offsets), self.data(weights)
        with cgutils.for_range(b, self.args[count]) as loop:
            start = b.add(self.args[base], b.load(b.gep(starts, [loop.index])))
            at = b.add(self.args[first], loop.index)
            yield start, self.spread(b.load(b.gep(factors, [at])))


def _size(scalar: Any) -> int:
    return 4 if isinstance(scalar, ir.FloatType) else 8


def fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding."""
    kind, bits = a.type, 8 * _size(getattr(a.type, "element", a.type))
    name = f"llvm.fma.v{kind.count}f{bits}" if isinstance(kind, ir.VectorType) else f"llvm.fma.f{bits}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, [a, b, c])


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding, of numbers in double precision."""
    signature = types.float64(types.float64, types.float64, types.float64)
    return signature, lambda context, builder, signature, args: fused(builder, *args)


@intrinsic
def taps(typing: Any, vectors: Any, coefficients: Any, degree: Any, t: Any, out: Any, at: Any, shift: Any) -> Any:
    """Polynomials in t, one a lane, by Horner's rule; coefficients are rows of lanes, that of the highest power first.

    They go to ``out[at + shift]`` and on; the rest of the row from ``out[at]`` on becomes zero.
    """
    place = types.intp
    signature = types.void(vectors, coefficients, place, coefficients.dtype, out, place, place)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = _Code(context, builder, signature, args)
        table, target, t = code.data(1), code.data(4), code.spread(args[3])
        zero, one = ir.Constant(args[2].type, 0), ir.Constant(args[2].type, 1)
        sums = [cgutils.alloca_once_value(builder, v) for v in code.load(table, zero, code.taps)]
        with cgutils.for_range(builder, args[2]) as loop:
            row = builder.mul(builder.add(loop.index, one), ir.Constant(zero.type, LANES * code.taps))
            for s, c in zip(sums, code.load(table, row, code.taps), strict=True):
                builder.store(code.fma(builder.load(s), t, c), s)
        code.store([ir.Constant(t.type, None)] * code.row, target, args[5])
        code.store([builder.load(s) for s in sums], target, builder.add(args[5], args[6]))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def add_rows(
    typing: Any,
    vectors: Any,
    re: Any,
    im: Any,
    base: Any,
    offsets: Any,
    rows: Any,
    weights: Any,
    first: Any,
    near: Any,
    at: Any,
    x: Any,
    y: Any,
) -> Any:
    """Add x + i y times the taps at a place in near, and the weight of the row, to each row of a tile."""
    number, place = re.dtype, types.intp
    signature = types.void(vectors, re, im, place, offsets, place, weights, place, near, place, number, number)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = _Code(context, builder, signature, args)
        row = code.load(code.data(8), args[9], code.row)
        parts = [
            (code.data(k), [builder.fmul(v, factor) for v in row])
            for k, factor in ((1, code.spread(args[10])), (2, code.spread(args[11])))
        ]
        for start, weight in code.rows(3, 4, 5, 6, 7):
            for data, values in parts:
                have = code.load(data, start, code.row, aligned=True)
                sums = [code.fma(weight, v, h) for v, h in zip(values, have, strict=True)]
                code.store(sums, data, start, aligned=True)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def sum_rows(
    typing: Any,
    vectors: Any,
    re: Any,
    im: Any,
    base: Any,
    offsets: Any,
    rows: Any,
    weights: Any,
    first: Any,
    near: Any,
    at: Any,
) -> Any:
    """Sum of the rows of a tile, each with its weight, times the taps at a place in near: real and imaginary part."""
    place = types.intp
    signature = types.UniTuple(re.dtype, 2)(vectors, re, im, place, offsets, place, weights, place, near, place)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = _Code(context, builder, signature, args)
        row, parts = code.load(code.data(8), args[9], code.row), []
        for k in (1, 2):
            zero = ir.Constant(row[0].type, None)
            parts.append((code.data(k), [cgutils.alloca_once_value(builder, zero) for _ in row]))
        for start, weight in code.rows(3, 4, 5, 6, 7):
            for data, sums in parts:
                for s, v in zip(sums, code.load(data, start, code.row, aligned=True), strict=True):
                    builder.store(code.fma(weight, v, builder.load(s)), s)
        totals = [_dot(code, row, [builder.load(s) for s in sums]) for _, sums in parts]
        return context.make_tuple(builder, signature.return_type, totals)

    return signature, codegen


def _dot(code: _Code, a: list, b: list) -> Any:
    """The sum of products of two rows of vectors."""
    s = code.builder.fmul(a[0], b[0])
    for u, v in zip(a[1:], b[1:], strict=True):
        s = code.fma(u, v, s)
    return code.total(s)
