"""Prints nodes of the scalar representation as LLVM IR, one number or a vector of them at a time.

No operation carries a fast-math flag, so results are those of the formulas whatever the width of the vectors.  Where
LLVM would call a library or take a vector apart for an operation, it is written in others that stay in registers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

from scisim.compiler.cpu import emit
from scisim.compiler.cpu.target import Target
from scisim.compiler.scalar.ir import COMPARISONS, FLOATS, INTEGERS, Node, live, rare_body

MANTISSA, BIAS = {"float32": 23, "float64": 52}, {"float32": 127, "float64": 1023}
_GETMANT = 11  # mantissas in [3/4, 3/2), nan for negative numbers
_SIMPLE = {
    "float": {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"},
    "integer": {
        **{op: op for op in ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr")},
        # of bools
        "minimum": "and",
        "maximum": "or",
    },
}
_INTRINSICS = {
    **{op: op for op in ("fma", "sqrt", "floor", "ceil", "trunc", "copysign", "minimum", "maximum")},
    "abs": "fabs",
    "rint": "roundeven",
}


class Printer:
    """Prints nodes into a function.

    Parameters
    ----------
    function : emit.Function
    target : Target
        Processors with vectors of 512 bits are taken to have AVX-512F, DQ, BW and VL.
    lanes : int
        Numbers in a vector; 1 prints plain numbers.
    loads : callable
        ``loads(node)`` gives the LLVM value of a "load" node.
    index : callable
        ``index(axis)`` gives the int64 value of an "index" node.
    """

    def __init__(
        self,
        function: emit.Function,
        target: Target,
        lanes: int,
        loads: Callable[[Node], str],
        index: Callable[[int], str],
    ) -> None:
        self.function, self.target, self.lanes = function, target, lanes
        self._known: dict[int, str] = {}
        self._special = {"load": loads, "index": lambda node: index(node.attr)}

    def type(self, dtype: str) -> str:
        """LLVM's type of so many numbers; bools are i1."""
        return emit.vector(scalar_type(dtype), self.lanes)

    def splat(self, value: Any, dtype: str) -> str:
        """A number in all lanes."""
        return emit.splat(value, scalar_type(dtype), self.lanes)

    def know(self, node: Node, name: str) -> None:
        """The value of a node is there already."""
        self._known[node.index] = name

    def value(self, node: Node) -> str:
        """LLVM's name of the node's value."""
        if node.index not in self._known:
            for n in live([node]):
                if n.index not in self._known:
                    self._known[n.index] = self._print(n)
        return self._known[node.index]

    def _print(self, node: Node) -> str:
        if node.op in self._special:
            return self._special[node.op](node)
        if node.op == "const":
            return self.splat(node.attr, node.dtype)
        args = [self._known[a.index] for a in node.args]
        if node.op in COMPARISONS:
            return self._compare(node.op, node.args[0].dtype, *args)
        written = getattr(self, f"_{node.op}", None)
        if written is not None:
            return written(node, *args)
        if node.dtype in FLOATS and node.op in _INTRINSICS:
            return self.call(_INTRINSICS[node.op], node.dtype, *args)
        return self.op(_SIMPLE["float" if node.dtype in FLOATS else "integer"][node.op], node.dtype, *args)

    # ---- pieces

    def op(self, name: str, dtype: str, *args: str) -> str:
        """An instruction whose operands and result have one dtype."""
        return self.function.op(name, self.type(dtype), *args)

    def call(self, name: str, dtype: str, *args: str) -> str:
        """An intrinsic whose operands and result have one dtype."""
        type_ = self.type(dtype)
        return self.function.call(type_, f"llvm.{name}.{self._suffix(dtype)}", *((type_, a) for a in args))

    def _suffix(self, dtype: str) -> str:
        scalar = f"f{FLOATS[dtype]}" if dtype in FLOATS else scalar_type(dtype)
        return scalar if self.lanes == 1 else f"v{self.lanes}{scalar}"

    def convert(self, name: str, x: str, from_: str, to: str) -> str:
        """A conversion instruction."""
        return self.function.convert(name, self.type(from_), x, self.type(to))

    def choose(self, condition: str, x: str, y: str, dtype: str) -> str:
        """x where the condition holds, else y."""
        type_ = self.type(dtype)
        return self.function.value(f"select {self.type('bool')} {condition}, {type_} {x}, {type_} {y}")

    def _compare(self, op: str, dtype: str, a: str, b: str) -> str:
        if dtype in FLOATS:
            name = f"fcmp {'une' if op == 'ne' else 'o' + op}"
        else:
            sign = "" if op in ("eq", "ne") else "s" if dtype.startswith("int") else "u"
            name = f"icmp {sign}{op}"
        return self.op(name, dtype, a, b)

    # ---- operations that depend on dtype or target

    def _neg(self, node: Node, x: str) -> str:
        if node.dtype in FLOATS:
            return self.op("fneg", node.dtype, x)
        return self.op("sub", node.dtype, self.splat(0, node.dtype), x)

    def _not(self, node: Node, x: str) -> str:
        return self.op("xor", node.dtype, x, self.splat(1 if node.dtype == "bool" else -1, node.dtype))

    def _select(self, node: Node, condition: str, x: str, y: str) -> str:
        return self.choose(condition, x, y, node.dtype)

    def _abs(self, node: Node, x: str) -> str:
        if node.dtype in FLOATS:
            return self.call("fabs", node.dtype, x)
        if not node.dtype.startswith("int"):
            return x
        type_ = self.type(node.dtype)
        return self.function.call(type_, f"llvm.abs.{self._suffix(node.dtype)}", (type_, x), ("i1", "false"))

    def _maximum(self, node: Node, a: str, b: str) -> str:
        return self._extreme(node, "max", "gt", a, b)

    def _minimum(self, node: Node, a: str, b: str) -> str:
        return self._extreme(node, "min", "lt", a, b)

    def _extreme(self, node: Node, name: str, better: str, a: str, b: str) -> str:
        if node.dtype == "bool":
            return self.op(_SIMPLE["integer"][node.op], "bool", a, b)
        if node.dtype not in FLOATS:
            return self.call(f"{'s' if node.dtype.startswith('int') else 'u'}{name}", node.dtype, a, b)
        # x86 has the choice as one instruction, which gives b where either is nan.
        best = self.choose(self._compare(better, node.dtype, a, b), a, b, node.dtype)
        return self.choose(self.op("fcmp uno", node.dtype, a, a), a, best, node.dtype)

    # ---- exponents

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
            bits = self.op("shl", integer, self._bits(counted, dtype), self.splat(MANTISSA[dtype], integer))
            bits = self.op("add", integer, bits, self.splat(BIAS[dtype] << MANTISSA[dtype], integer))
            x = self.op("fmul", dtype, x, self._from_bits(bits, dtype))
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
        n = self.op("fsub", dtype, self._from_bits(bits, dtype), more)
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
        return self._from_bits(self.op("add", integer, bits, self._three_quarters(dtype)), dtype)

    def _above_three_quarters(self, dtype: str, x: str) -> tuple[str, str]:
        """Bits less those of 3/4 of x, made normal, and where it was not: then multiplied by 2**(mantissa bits + 1)."""
        tiny = self.op("fcmp olt", dtype, x, self.splat(2.0 ** (1 - BIAS[dtype]), dtype))
        larger = self.op("fmul", dtype, x, self.splat(2.0 ** (MANTISSA[dtype] + 1), dtype))
        bits = self._bits(self.choose(tiny, larger, x, dtype), dtype)
        return self.op("sub", f"int{FLOATS[dtype]}", bits, self._three_quarters(dtype)), tiny

    def _three_quarters(self, dtype: str) -> str:
        return self.splat((2 * BIAS[dtype] - 1) << (MANTISSA[dtype] - 1), f"int{FLOATS[dtype]}")

    def _bits(self, x: str, dtype: str) -> str:
        return self.convert("bitcast", x, dtype, f"int{FLOATS[dtype]}")

    def _from_bits(self, bits: str, dtype: str) -> str:
        return self.convert("bitcast", bits, f"int{FLOATS[dtype]}", dtype)

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

    # ---- code that seldom runs

    def _rarely(self, node: Node, condition: str, usual: str, *operands: str) -> str:
        f, type_ = self.function, self.type(node.dtype)
        name, stem = self._rare_function(node), f.fresh("R")
        f.module.globals["cold"] = '!9000 = !{!"branch_weights", i32 1, i32 100000}'
        before = f.block
        f.raw(f"br i1 {self._any(condition)}, label %{stem}, label %{stem}.end, !prof !9000")
        f.label(stem)
        args = ", ".join(f"{self.type(a.dtype)} {x}" for a, x in zip(node.args[2:], operands))
        rare = f.value(f"call {type_} @{name}({args})")
        chosen = self.choose(condition, rare, usual, node.dtype)
        f.raw(f"br label %{stem}.end")
        f.label(f"{stem}.end")
        return f.value(f"phi {type_} [{usual}, %{before}], [{chosen}, %{stem}]", pure=False)

    def _any(self, condition: str) -> str:
        """Whether a bool holds in some lane, as a plain i1."""
        if self.lanes == 1:
            return condition
        bits = self.function.value(f"bitcast {self.type('bool')} {condition} to i{self.lanes}")
        return self.function.value(f"icmp ne i{self.lanes} {bits}, 0")

    def _rare_function(self, node: Node) -> str:
        """Name of the function of the module, written when it is first wanted, that a "rarely" node calls."""
        name, module = f"{node.attr}.{node.dtype}.{self.lanes}", self.function.module
        if not any(f" @{name}(" in text.partition("\n")[0] for text in module.functions):
            operands, result = rare_body(node)
            params = [f"{self.type(a.dtype)} %x{k}" for k, a in enumerate(operands)]
            body = emit.Function(module, name, params, f"internal {self.type(node.dtype)}")
            printer = Printer(body, self.target, self.lanes, lambda n: f"%x{n.attr[0]}", lambda axis: "")
            chosen = printer.value(result) if self.lanes == 1 else printer._one_by_one(node)
            body.done(f"{self.type(node.dtype)} {chosen}")
        return name

    def _one_by_one(self, node: Node) -> str:
        """The numbers of vectors %x0, %x1, ... through the function of single ones: less code than for vectors."""
        f, dtypes = self.function, [a.dtype for a in node.args[2:]] + [node.dtype]
        name = Printer(f, self.target, 1, str, str)._rare_function(node)
        places = [f.value(f"alloca {self.type(d)}, align 64", pure=False) for d in dtypes]
        for k, d in enumerate(dtypes[:-1]):
            f.store(self.type(d), f"%x{k}", places[k], 64)
        with f.loop(0, self.lanes) as (i, _, _):
            types = [scalar_type(d) for d in dtypes]
            args = ", ".join(f"{t} {f.load(t, f.at(t, p, i), 1)}" for t, p in zip(types[:-1], places[:-1]))
            result = f.value(f"call {types[-1]} @{name}({args})", pure=False)
            f.store(types[-1], result, f.at(types[-1], places[-1], i), 1)
        return f.load(self.type(node.dtype), places[-1], 64)

    def _lookup(self, node: Node, index: str) -> str:
        assert self.lanes == 1, "tables serve code that seldom runs"
        name = "table." + hashlib.sha256(repr(node.attr).encode()).hexdigest()[:12]
        type_, entries = f"[{len(node.attr)} x i64]", ", ".join(f"i64 {v}" for v in node.attr)
        self.function.module.globals[name] = f"@{name} = internal unnamed_addr constant {type_} [{entries}]"
        return self.function.load("i64", self.function.at("i64", f"@{name}", index), 8)

    # ---- integer division, which must not trap

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
        zero, signed = self._compare("eq", dtype, b, self.splat(0, dtype)), dtype.startswith("int")
        unit, negated = zero, ""
        if signed:
            negated = self._compare("eq", dtype, b, self.splat(-1, dtype))
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

    # ---- conversions

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
            return self._compare("ne", from_, x, self.splat(0, from_))
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


def scalar_type(dtype: str) -> str:
    """LLVM's type of one number."""
    if dtype in FLOATS:
        return "float" if dtype == "float32" else "double"
    return "i1" if dtype == "bool" else f"i{INTEGERS[dtype]}"
