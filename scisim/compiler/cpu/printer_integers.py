"""Division of integers, which must not trap, and conversions between dtypes."""

from __future__ import annotations

from scisim.compiler.cpu.printer_base import Instructions, scalar_type
from scisim.compiler.scalar.ir import FLOATS, INTEGERS, Node


class Integers(Instructions):
    """Prints "div", "rem", "cast" and "bitcast"."""

    def _div(self, node: Node, a: str, b: str) -> str:
        if node.dtype in FLOATS:
            return self.op("fdiv", node.dtype, a, b)
        quotient, zero = self._quotient(node.dtype, a, b)
        return self.choose(zero, self.splat(0, node.dtype), quotient, node.dtype)

    def _rem(self, node: Node, a: str, b: str) -> str:
        dtype = node.dtype
        quotient, zero = self._quotient(dtype, a, b)
        rest = self.op("sub", dtype, a, self.op("mul", dtype, quotient, b))
        return self.choose(zero, self.splat(0, dtype), rest, dtype)

    def _quotient(self, dtype: str, a: str, b: str) -> tuple[str, str]:
        """a / b towards zero, of any value where b is zero, and whether it is."""
        zero, signed = self.compare("eq", dtype, b, self.splat(0, dtype)), dtype.startswith("int")
        unit, negated = zero, ""
        if signed:
            negated = self.compare("eq", dtype, b, self.splat(-1, dtype))
            unit = self.op("or", "bool", zero, negated)
        divisor = self.choose(unit, self.splat(1, dtype), b, dtype)
        quotient = self._divided(dtype, a, divisor)
        if signed:
            quotient = self.choose(negated, self.op("sub", dtype, self.splat(0, dtype), a), quotient, dtype)
        return quotient, zero

    def _divided(self, dtype: str, a: str, b: str) -> str:
        signed, bits = dtype.startswith("int"), INTEGERS[dtype]
        if self.lanes == 1 or bits == 64:
            return self.op("sdiv" if signed else "udiv", dtype, a, b)
        # Processors divide vectors of floats only; the quotient of twice the bits cannot round up to an integer.
        wide = "float32" if bits <= 16 else "float64"
        a, b = (self.cast(x, dtype, wide) for x in (a, b))
        return self.cast(self.op("fdiv", wide, a, b), wide, dtype)

    def _bitcast(self, node: Node, x: str) -> str:
        from_, to = node.args[0].dtype, node.dtype
        return x if scalar_type(from_) == scalar_type(to) else self.convert("bitcast", x, from_, to)

    def _cast(self, node: Node, x: str) -> str:
        return self.cast(x, node.args[0].dtype, node.dtype)

    def cast(self, x: str, from_: str, to: str) -> str:
        """The value as another dtype."""
        if scalar_type(from_) == scalar_type(to):
            return x
        if to == "bool":
            return self.compare("ne", from_, x, self.splat(0, from_))
        if from_ == "bool" and to in FLOATS:
            return self.choose(x, self.splat(1, to), self.splat(0, to), to)
        if from_ in FLOATS:
            return self._from_float(x, from_, to)
        if to in FLOATS:
            return self._to_float(x, from_, to)
        narrower = from_ != "bool" and INTEGERS[to] < INTEGERS[from_]
        return self.convert("trunc" if narrower else "sext" if from_.startswith("int") else "zext", x, from_, to)

    def _from_float(self, x: str, from_: str, to: str) -> str:
        if to in FLOATS:
            return self.convert("fpext" if to == "float64" else "fptrunc", x, from_, to)
        if INTEGERS[to] < 32:  # through int32, so that what is too large wraps, as it does in C on most processors
            return self.cast(self.convert("fptosi", x, from_, "int32"), "int32", to)
        if INTEGERS[to] == 64 and self._without_wide_conversions:
            return self._float_to_int64(self.cast(x, from_, "float64"), to)
        return self.convert("fptosi" if to.startswith("int") else "fptoui", x, from_, to)

    def _to_float(self, x: str, from_: str, to: str) -> str:
        if INTEGERS[from_] == 64 and to == "float64" and self._without_wide_conversions:
            return self._int64_to_float(x, from_)
        return self.convert("sitofp" if from_.startswith("int") else "uitofp", x, from_, to)

    @property
    def _without_wide_conversions(self) -> bool:
        """Whether vectors of float64 and 64-bit integers have no conversion: x86 before AVX-512."""
        x86 = self.target.triple.startswith(("x86_64", "i686"))
        return self.lanes > 1 and x86 and self.target.vector_bits < 512

    def _int64_to_float(self, x: str, from_: str) -> str:
        """Both halves as the mantissas of large numbers; their sum is rounded once."""
        signed = from_.startswith("int")
        low = self.op("and", "int64", x, self.splat(2**32 - 1, "int64"))
        low = self.op("or", "int64", low, self.splat(0x433 << 52, "int64"))
        high = self.op("lshr", "int64", x, self.splat(32, "int64"))
        high = self.op("xor", "int64", high, self.splat((0x453 << 52) | (signed << 31), "int64"))
        low, high = (self.convert("bitcast", half, "int64", "float64") for half in (low, high))
        offset = 2.0**84 + 2.0**52 + (2.0**63 if signed else 0.0)
        return self.op("fadd", "float64", self.op("fsub", "float64", high, self.splat(offset, "float64")), low)

    def _float_to_int64(self, x: str, to: str) -> str:
        """Both halves read from the mantissas of large numbers."""
        x = self.call("trunc", "float64", x)
        scaled = self.op("fmul", "float64", x, self.splat(2.0**-32, "float64"))
        high = self.call("floor", "float64", scaled)
        low = self.op("fsub", "float64", x, self.op("fmul", "float64", high, self.splat(2.0**32, "float64")))
        high, low = (self.op("fadd", "float64", half, self.splat(1.5 * 2.0**52, "float64")) for half in (high, low))
        high, low = (self.convert("bitcast", half, "float64", "int64") for half in (high, low))
        low = self.op("and", "int64", low, self.splat(2**32 - 1, "int64"))
        return self.op("or", "int64", self.op("shl", "int64", high, self.splat(32, "int64")), low)
