"""What the printers of all operations share: types, constants, and instructions by name."""

from __future__ import annotations

from typing import Any

from scisim.compiler.cpu import emit
from scisim.compiler.cpu.target import Target
from scisim.compiler.scalar.ir import FLOATS, INTEGERS

MANTISSA, BIAS = {"float32": 23, "float64": 52}, {"float32": 127, "float64": 1023}


class Instructions:
    """Writes instructions on vectors of ``lanes`` numbers into a function; 1 stands for plain numbers."""

    def __init__(self, function: emit.Function, target: Target, lanes: int) -> None:
        self.function, self.target, self.lanes = function, target, lanes

    def type(self, dtype: str) -> str:
        """LLVM's type of so many numbers; bools are i1."""
        return emit.vector(scalar_type(dtype), self.lanes)

    def splat(self, value: Any, dtype: str) -> str:
        """A number in all lanes."""
        return emit.splat(value, scalar_type(dtype), self.lanes)

    def op(self, name: str, dtype: str, *args: str) -> str:
        """An instruction whose operands and result have one dtype."""
        return self.function.op(name, self.type(dtype), *args)

    def call(self, name: str, dtype: str, *args: str) -> str:
        """An intrinsic whose operands and result have one dtype."""
        type_ = self.type(dtype)
        return self.function.call(type_, f"llvm.{name}.{self.suffix(dtype)}", *((type_, a) for a in args))

    def suffix(self, dtype: str) -> str:
        """What the name of an intrinsic ends in."""
        scalar = f"f{FLOATS[dtype]}" if dtype in FLOATS else scalar_type(dtype)
        return scalar if self.lanes == 1 else f"v{self.lanes}{scalar}"

    def convert(self, name: str, x: str, from_: str, to: str) -> str:
        """A conversion instruction."""
        return self.function.convert(name, self.type(from_), x, self.type(to))

    def choose(self, condition: str, x: str, y: str, dtype: str) -> str:
        """x where the condition holds, else y."""
        type_ = self.type(dtype)
        return self.function.value(f"select {self.type('bool')} {condition}, {type_} {x}, {type_} {y}")

    def compare(self, op: str, dtype: str, a: str, b: str) -> str:
        """A comparison; with a nan only "ne" holds."""
        if dtype in FLOATS:
            name = f"fcmp {'une' if op == 'ne' else 'o' + op}"
        else:
            sign = "" if op in ("eq", "ne") else "s" if dtype.startswith("int") else "u"
            name = f"icmp {sign}{op}"
        return self.op(name, dtype, a, b)

    def bits(self, x: str, dtype: str) -> str:
        """The bits of floats."""
        return self.convert("bitcast", x, dtype, f"int{FLOATS[dtype]}")

    def from_bits(self, bits: str, dtype: str) -> str:
        """The floats of bits."""
        return self.convert("bitcast", bits, f"int{FLOATS[dtype]}", dtype)


def scalar_type(dtype: str) -> str:
    """LLVM's type of one number."""
    if dtype in FLOATS:
        return "float" if dtype == "float32" else "double"
    return "i1" if dtype == "bool" else f"i{INTEGERS[dtype]}"
