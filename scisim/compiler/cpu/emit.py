"""Functions of LLVM IR, written as text.

Values are the names that LLVM gives them; types are LLVM's spelling (``"double"``, ``"<8 x double>"``, ``"ptr"``).
Equal pure operations inside one block are written once, so no pass of LLVM has to find them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np


class Module:
    """Functions and the declarations that they need."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.declared: dict[str, str] = {}
        self.globals: dict[str, str] = {}

    def declare(self, ret: str, name: str, types: Sequence[str]) -> str:
        """Note that an outside function or intrinsic is used."""
        self.declared[name] = f"declare {ret} @{name}({', '.join(types)})"
        return name

    def text(self, attributes: str) -> str:
        """The whole module; ``attributes`` are those of its functions."""
        parts = [*self.declared.values(), *self.globals.values(), f"attributes #0 = {{ {attributes} }}"]
        return "\n".join([*parts, *self.functions, ""])


def literal(value: Any, type_: str) -> str:
    """A number as LLVM spells it."""
    if type_ in ("float", "double"):
        value = float(np.float32(value)) if type_ == "float" else float(value)
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if type_ == "i1":
        return "true" if value else "false"
    return str(int(value))


def splat(value: Any, type_: str, lanes: int) -> str:
    """The same number in all lanes."""
    return literal(value, type_) if lanes == 1 else f"splat ({type_} {literal(value, type_)})"


def vector(type_: str, lanes: int) -> str:
    """The type of ``lanes`` numbers; one lane is the number itself."""
    return type_ if lanes == 1 else f"<{lanes} x {type_}>"


class Function:
    """One function being written.

    Parameters
    ----------
    module : Module
    name : str
    params : sequence of str
        As LLVM spells them: ``"ptr %args"``.
    ret : str
    """

    def __init__(self, module: Module, name: str, params: Sequence[str], ret: str = "void") -> None:
        self.module, self.name = module, name
        self.lines = [f"define {ret} @{name}({', '.join(params)}) #0 {{", "entry:"]
        self.block, self.count = "entry", 0
        self._known: dict[str, str] = {}

    def raw(self, text: str) -> None:
        """A line as it is."""
        self.lines.append("  " + text)

    def label(self, name: str) -> None:
        """Start a block."""
        self.lines.append(f"{name}:")
        self.block, self._known = name, {}

    def fresh(self, stem: str = "v") -> str:
        """A name that is not in use, without its %."""
        self.count += 1
        return f"{stem}{self.count}"

    def value(self, text: str, pure: bool = True) -> str:
        """The result of an operation; the same one as before where it is pure and was written in this block."""
        if pure and text in self._known:
            return self._known[text]
        name = f"%{self.fresh()}"
        self.raw(f"{name} = {text}")
        if pure:
            self._known[text] = name
        return name

    def op(self, name: str, type_: str, *args: Any) -> str:
        """A binary or unary operation, flags in its name: ``op("fmul contract", "double", a, b)``."""
        return self.value(f"{name} {type_} {', '.join(map(str, args))}")

    def convert(self, name: str, from_: str, x: str, to: str) -> str:
        """A conversion: ``convert("sext", "i32", x, "i64")``."""
        return self.value(f"{name} {from_} {x} to {to}")

    def call(self, ret: str, name: str, *args: tuple[str, Any], pure: bool = True) -> str:
        """A call of a function that is declared on the way; args are (type, value)."""
        self.module.declare(ret, name, [t for t, _ in args])
        text = f"call {ret} @{name}({', '.join(f'{t} {v}' for t, v in args)})"
        if ret == "void":
            self.raw(text)
            return ""
        return self.value(text, pure)

    def add(self, a: Any, b: Any) -> str:
        """The sum of two i64, without writing what is known."""
        if isinstance(a, int) and isinstance(b, int):
            return str(a + b)
        if a in (0, "0"):
            return str(b)
        return str(a) if b in (0, "0") else self.op("add", "i64", a, b)

    def mul(self, a: Any, b: Any) -> str:
        """The product of two i64, without writing what is known."""
        if isinstance(a, int) and isinstance(b, int):
            return str(a * b)
        if a in (1, "1"):
            return str(b)
        if a in (0, "0") or b in (0, "0"):
            return "0"
        return str(a) if b in (1, "1") else self.op("mul", "i64", a, b)

    def at(self, type_: str, pointer: str, index: Any) -> str:
        """The address of an element."""
        return pointer if index in (0, "0") else self.value(f"getelementptr {type_}, ptr {pointer}, i64 {index}")

    def load(self, type_: str, pointer: str, align: int) -> str:
        """A value from memory."""
        return self.value(f"load {type_}, ptr {pointer}, align {align}", pure=False)

    def store(self, type_: str, value: str, pointer: str, align: int, streamed: bool = False) -> None:
        """A value to memory; past the caches if it is streamed."""
        if streamed:
            self.module.globals["streamed"] = "!9001 = !{i32 1}"
        hint = ", !nontemporal !9001" if streamed else ""
        self.raw(f"store {type_} {value}, ptr {pointer}, align {align}{hint}")

    def argument(self, position: int, type_: str = "i64") -> str:
        """Entry ``position`` of the kernel's block of arguments, ``%args``; pointers and numbers take 8 bytes each."""
        return self.value(f"load {type_}, ptr {self.at('i64', '%args', position)}, align 8", pure=False)

    @contextmanager
    def loop(
        self, low: Any, high: Any, step: Any = 1, carry: Sequence[tuple[str, str]] = ()
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """``for i in range(low, high, step)``: yields i, the carried values and a list to put the next ones on.

        After the loop the carried names hold the last values.  Without a step the next i goes on the list, too, last.
        """
        stem, before = self.fresh("L"), self.block
        self.raw(f"br label %{stem}")
        self.label(stem)
        place = len(self.lines)
        names = [f"%{self.fresh()}" for _ in carry]
        self.lines += [""] * (1 + len(carry))
        self.raw(f"%{stem}.go = icmp slt i64 %{stem}.i, {high}")
        self.raw(f"br i1 %{stem}.go, label %{stem}.body, label %{stem}.end")
        self.label(f"{stem}.body")
        following: list[str] = []
        yield f"%{stem}.i", names, following
        following_i = following[-1] if step is None else f"%{stem}.next"
        if step is not None:
            self.raw(f"{following_i} = add nsw i64 %{stem}.i, {step}")
        self.raw(f"br label %{stem}")
        last = self.block
        self.lines[place] = f"  %{stem}.i = phi i64 [{low}, %{before}], [{following_i}, %{last}]"
        for k, ((type_, first), name) in enumerate(zip(carry, names, strict=True)):
            self.lines[place + 1 + k] = f"  {name} = phi {type_} [{first}, %{before}], [{following[k]}, %{last}]"
        self.label(f"{stem}.end")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """A part that runs where an i1 holds."""
        stem = self.fresh("W")
        self.raw(f"br i1 {condition}, label %{stem}, label %{stem}.end")
        self.label(stem)
        yield
        self.raw(f"br label %{stem}.end")
        self.label(f"{stem}.end")

    def done(self, result: str = "") -> None:
        """End the function and give it to its module."""
        self.raw(f"ret {result or 'void'}")
        self.lines.append("}")
        self.module.functions.append("\n".join(self.lines))


def opaque(f: Function, x: str, type_: str = "i64") -> str:
    """The same value, of which LLVM knows nothing: its search for cheaper loop counters takes long and finds little."""
    return f.value(f'call {type_} asm "", "=r,0"({type_} {x})', pure=False)
