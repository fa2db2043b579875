"""Prints nodes of the scalar representation as LLVM IR, one number or a vector of them at a time.

No operation carries a fast-math flag, so results are those of the formulas whatever the width of the vectors.  Where
LLVM would call a library or take a vector apart for an operation, it is written in others that stay in registers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from scisim.compiler.cpu import emit
from scisim.compiler.cpu.printer_base import scalar_type as scalar_type
from scisim.compiler.cpu.printer_exponents import Exponents
from scisim.compiler.cpu.printer_integers import Integers
from scisim.compiler.cpu.target import Target
from scisim.compiler.scalar.ir import COMPARISONS, FLOATS, Node, live, rare_body

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


class Printer(Exponents, Integers):
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
        super().__init__(function, target, lanes)
        self._known: dict[int, str] = {}
        self._special = {"load": loads, "index": lambda node: index(node.attr)}

    def know(self, node: Node, name: str) -> None:
        """The value of a node is there already."""
        self._known[node.index] = name

    def value(self, node: Node) -> str:
        """LLVM's name of the node's value."""
        for n in live([node], self._known):
            self._known[n.index] = self._print(n)
        return self._known[node.index]

    def _print(self, node: Node) -> str:
        if node.op in self._special:
            return self._special[node.op](node)
        if node.op == "const":
            return self.splat(node.attr, node.dtype)
        args = [self._known[a.index] for a in node.args]
        if node.op in COMPARISONS:
            return self.compare(node.op, node.args[0].dtype, *args)
        written = getattr(self, f"_{node.op}", None)
        if written is not None:
            return written(node, *args)
        if node.dtype in FLOATS and node.op in _INTRINSICS:
            return self.call(_INTRINSICS[node.op], node.dtype, *args)
        return self.op(_SIMPLE["float" if node.dtype in FLOATS else "integer"][node.op], node.dtype, *args)

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
        return self.function.call(type_, f"llvm.abs.{self.suffix(node.dtype)}", (type_, x), ("i1", "false"))

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
        best = self.choose(self.compare(better, node.dtype, a, b), a, b, node.dtype)
        return self.choose(self.op("fcmp uno", node.dtype, a, a), a, best, node.dtype)

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
