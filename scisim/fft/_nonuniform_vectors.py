"""Vector instructions for loops over the taps of a spreading kernel.

A row of taps is one vector, so that a point costs a few instructions a row of the grid.  Numba's own vectors come from
loops that are long; these are short, so the instructions are written out.  ``lanes`` is a tuple whose length is the
number of taps, a constant of the compiled code; arrays are one-dimensional and contiguous.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


class _Code:
    """What an intrinsic writes its instructions with."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.context, self.builder, self.types, self.args = context, builder, signature.args, args
        self.lanes = signature.args[0].count

    def data(self, k: int) -> Any:
        """The address of the first element of array argument k."""
        return self.context.make_array(self.types[k])(self.context, self.builder, self.args[k]).data

    def vector_at(self, data: Any, at: Any) -> Any:
        """The address of a vector within an array."""
        scalar = data.type.pointee
        return self.builder.bitcast(
            self.builder.gep(data, [at]), ir.VectorType(scalar, self.lanes).as_pointer()
        )

    def load(self, data: Any, at: Any) -> Any:
        return self.builder.load(self.vector_at(data, at), align=_size(data.type.pointee))

    def store(self, value: Any, data: Any, at: Any) -> None:
        self.builder.store(value, self.vector_at(data, at), align=_size(data.type.pointee))

    def spread(self, scalar: Any) -> Any:
        """A vector of equal elements."""
        kind = ir.VectorType(scalar.type, self.lanes)
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return fused(self.builder, a, b, c)

    def total(self, v: Any, n: int) -> Any:
        """The sum of the elements of a vector, by halves."""
        b, index = self.builder, ir.IntType(32)
        while n % 2 == 0:
            n //= 2
            low, high = ([*range(k, k + n)] for k in (0, n))
            parts = (b.shuffle_vector(v, v, ir.Constant(ir.VectorType(index, n), p)) for p in (low, high))
            v = b.fadd(*parts)
        s = b.extract_element(v, ir.Constant(index, 0))
        for k in range(1, n):
            s = b.fadd(s, b.extract_element(v, ir.Constant(index, k)))
        return s


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
def taps(typing: Any, lanes: Any, coefficients: Any, degree: Any, t: Any, out: Any, at: Any) -> Any:
    """Polynomials in t, one a lane, by Horner's rule, to a place in out; coefficients are rows of lanes, that of the
    highest power first."""
    signature = types.void(lanes, coefficients, types.intp, coefficients.dtype, out, types.intp)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = _Code(context, builder, signature, args)
        rows, width = code.data(1), ir.Constant(args[2].type, code.lanes)
        first = code.load(rows, ir.Constant(args[2].type, 0))
        sums, t = cgutils.alloca_once_value(builder, first), code.spread(args[3])
        with cgutils.for_range(builder, args[2]) as loop:
            at = builder.mul(builder.add(loop.index, ir.Constant(args[2].type, 1)), width)
            builder.store(code.fma(builder.load(sums), t, code.load(rows, at)), sums)
        code.store(builder.load(sums), code.data(4), args[5])
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def add_rows(
    typing: Any,
    lanes: Any,
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
    """Add a number x + i y times the taps at a place in near, and the weight of the row, to each row of a tile."""
    number = re.dtype
    place = types.intp
    signature = types.void(lanes, re, im, place, offsets, place, weights, place, near, place, number, number)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = _Code(context, builder, signature, args)
        tap = code.load(code.data(8), args[9])
        parts = [(code.data(k), builder.fmul(tap, code.spread(args[v]))) for k, v in ((1, 10), (2, 11))]
        for start, weight in _rows(code):
            for data, value in parts:
                code.store(code.fma(weight, value, code.load(data, start)), data, start)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def sum_rows(
    typing: Any,
    lanes: Any,
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
    signature = types.UniTuple(re.dtype, 2)(lanes, re, im, place, offsets, place, weights, place, near, place)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = _Code(context, builder, signature, args)
        zero = ir.Constant(ir.VectorType(code.data(1).type.pointee, code.lanes), None)
        parts = [(code.data(k), cgutils.alloca_once_value(builder, zero)) for k in (1, 2)]
        for start, weight in _rows(code):
            for data, sums in parts:
                builder.store(code.fma(weight, code.load(data, start), builder.load(sums)), sums)
        tap = code.load(code.data(8), args[9])
        totals = [code.total(builder.fmul(tap, builder.load(sums)), code.lanes) for _, sums in parts]
        return context.make_tuple(builder, signature.return_type, totals)

    return signature, codegen


def _rows(code: _Code) -> Any:
    """Loop over the rows: where each begins, and its weight in every lane."""
    b, offsets, weights = code.builder, code.data(4), code.data(6)
    with cgutils.for_range(b, code.args[5]) as loop:
        start = b.add(code.args[3], b.load(b.gep(offsets, [loop.index])))
        at = b.add(code.args[7], loop.index)
        yield start, code.spread(b.load(b.gep(weights, [at])))
