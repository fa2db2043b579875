"""Exponents and mantissas: the instructions of AVX-512, or the bits."""

from __future__ import annotations

import math

from scisim.compiler.cpu import emit
from scisim.compiler.cpu.printer_base import BIAS, MANTISSA, Instructions, scalar_type
from scisim.compiler.scalar.ir import FLOATS, Node

_GETMANT = 11  # mantissas in [3/4, 3/2), nan for negative numbers


class Exponents(Instructions):
    """Prints "scale", "exponent" and "mantissa"."""

    def _scale(self, node: Node, x: str, n: str) -> str:
        if self._has_wide(node.dtype):
            return self._wide("scalef", node.dtype, x, n)
        dtype, integer = node.dtype, f"int{FLOATS[node.dtype]}"
        # The bits of a large number count its units.
        shift = self.splat(1.5 * 2.0 ** MANTISSA[dtype], dtype)
        halved = self.op("fadd", dtype, self.op("fmul", dtype, n, self.splat(0.5, dtype)), shift)
        half = self.op("fsub", dtype, halved, shift)
        rest = self.op("fadd", dtype, self.op("fsub", dtype, n, half), shift)
        for counted in (halved, rest):
            bits = self.op("shl", integer, self.bits(counted, dtype), self.splat(MANTISSA[dtype], integer))
            bits = self.op("add", integer, bits, self.splat(BIAS[dtype] << MANTISSA[dtype], integer))
            x = self.op("fmul", dtype, x, self.from_bits(bits, dtype))
        return x

    def _exponent(self, node: Node, x: str) -> str:
        dtype, one = node.dtype, self.splat(1, node.dtype)
        if self._has_wide(dtype):
            above = self.op("fcmp olt", dtype, self._mantissa(node, x), one)
            n = self._wide("getexp", dtype, x)
            return self.choose(above, self.op("fadd", dtype, n, one), n, dtype)
        integer, mantissa, bias = f"int{FLOATS[dtype]}", MANTISSA[dtype], BIAS[dtype]
        bits, tiny = self._above_three_quarters(dtype, x)
        bits = self.op("add", integer, bits, self.splat((bias + 1) << mantissa, integer))
        bits = self.op("lshr", integer, bits, self.splat(mantissa, integer))
        bits = self.op("or", integer, bits, self.splat((bias + mantissa) << mantissa, integer))
        offset = 2.0**mantissa + bias + 1
        more = self.choose(tiny, self.splat(offset + mantissa + 1, dtype), self.splat(offset, dtype), dtype)
        n = self.op("fsub", dtype, self.from_bits(bits, dtype), more)
        n = self.choose(self.op("fcmp olt", dtype, x, self.splat(math.inf, dtype)), n, x, dtype)
        zero = self.splat(0, dtype)
        is_zero = self.op("fcmp oeq", dtype, x, zero)
        none = self.choose(is_zero, self.splat(-math.inf, dtype), self.splat(math.nan, dtype), dtype)
        return self.choose(self.op("fcmp ogt", dtype, x, zero), n, none, dtype)

    def _mantissa(self, node: Node, x: str) -> str:
        dtype = node.dtype
        if self._has_wide(dtype):
            return self._wide("getmant", dtype, x)
        integer = f"int{FLOATS[dtype]}"
        bits, _ = self._above_three_quarters(dtype, x)
        bits = self.op("and", integer, bits, self.splat((1 << MANTISSA[dtype]) - 1, integer))
        return self.from_bits(self.op("add", integer, bits, self._three_quarters(dtype)), dtype)

    def _above_three_quarters(self, dtype: str, x: str) -> tuple[str, str]:
        """Bits less those of 3/4 of x, made normal, and where it was not: then multiplied by 2**(mantissa bits + 1)."""
        tiny = self.op("fcmp olt", dtype, x, self.splat(2.0 ** (1 - BIAS[dtype]), dtype))
        larger = self.op("fmul", dtype, x, self.splat(2.0 ** (MANTISSA[dtype] + 1), dtype))
        bits = self.bits(self.choose(tiny, larger, x, dtype), dtype)
        return self.op("sub", f"int{FLOATS[dtype]}", bits, self._three_quarters(dtype)), tiny

    def _three_quarters(self, dtype: str) -> str:
        return self.splat((2 * BIAS[dtype] - 1) << (MANTISSA[dtype] - 1), f"int{FLOATS[dtype]}")

    def _has_wide(self, dtype: str) -> bool:
        """Whether the vector is made of whole ones that AVX-512 has instructions for."""
        return self.target.vector_bits == 512 and self.lanes * FLOATS[dtype] >= 512

    def _wide(self, name: str, dtype: str, *args: str) -> str:
        """An instruction of AVX-512 on vectors of 512 bits or several times that."""
        count = 512 // FLOATS[dtype]
        whole, part = self.type(dtype), emit.vector(scalar_type(dtype), count)
        f, parts = self.function, []
        for first in range(0, self.lanes, count):
            pieces = args
            if count < self.lanes:
                indices = ", ".join(f"i32 {k}" for k in range(first, first + count))
                shuffle = f"{whole} poison, <{count} x i32> <{indices}>"
                pieces = tuple(f.value(f"shufflevector {whole} {a}, {shuffle}") for a in args)
            more = [("i32", _GETMANT)] if name == "getmant" else []
            operands = [*((part, p) for p in pieces), *more, (part, pieces[0]), (f"i{count}", -1), ("i32", 4)]
            suffix = "ps" if dtype == "float32" else "pd"
            parts.append(f.call(part, f"llvm.x86.avx512.mask.{name}.{suffix}.512", *operands))
        return self._joined(parts, dtype, count)

    def _joined(self, parts: list[str], dtype: str, count: int) -> str:
        while len(parts) > 1:
            type_ = emit.vector(scalar_type(dtype), count)
            count *= 2
            indices = ", ".join(f"i32 {k}" for k in range(count))
            parts = [
                self.function.value(f"shufflevector {type_} {a}, {type_} {b}, <{count} x i32> <{indices}>")
                for a, b in zip(parts[::2], parts[1::2])
            ]
        return parts[0]
