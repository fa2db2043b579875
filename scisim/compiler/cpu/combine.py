"""How reductions join two values, and the lanes of a vector."""

from __future__ import annotations

from typing import Any

from scisim.compiler.cpu.emit import Function, splat, vector
from scisim.compiler.cpu.printer import scalar_type


def _extreme(dtype: str, least: bool) -> Any:
    if dtype.startswith("float"):
        return float("-inf") if least else float("inf")
    if dtype == "bool":
        return not least
    bits, signed = int(dtype.lstrip("uint")), not dtype.startswith("u")
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return low if least else high


def identity(op: str | None, dtype: str, lanes: int) -> str:
    """What changes nothing when it is combined, in all lanes."""
    type_ = scalar_type(dtype)
    value = {
        "add": -0.0 if dtype.startswith("float") else 0,
        "mul": 1,
        "minimum": _extreme(dtype, least=False),
        "maximum": _extreme(dtype, least=True),
        "and": 1 if dtype == "bool" else -1,
        "or": 0,
    }[str(op)]
    return splat(value, type_, lanes)


def combined(f: Function, op: str | None, dtype: str, lanes: int, a: str, b: str) -> str:
    """Two values joined."""
    type_, real = vector(scalar_type(dtype), lanes), dtype.startswith("float")
    if op in ("minimum", "maximum"):
        if real:
            return _extreme_real(f, op, lanes, type_, a, b)
        order = ("u" if dtype.startswith("u") or dtype == "bool" else "s") + ("lt" if op == "minimum" else "gt")
        chosen = f.value(f"icmp {order} {type_} {a}, {b}")
        return f.value(f"select {vector('i1', lanes)} {chosen}, {type_} {a}, {type_} {b}")
    name = {"add": "fadd" if real else "add", "mul": "fmul" if real else "mul", "and": "and", "or": "or"}[str(op)]
    return f.op(name, type_, a, b)


def _extreme_real(f: Function, op: str, lanes: int, type_: str, a: str, b: str) -> str:
    """The extreme of floats; nan where either is.  x86 has the choice as one instruction, which gives a for a nan."""
    better = f.value(f"fcmp {'olt' if op == 'minimum' else 'ogt'} {type_} {b}, {a}")
    best = f.value(f"select {vector('i1', lanes)} {better}, {type_} {b}, {type_} {a}")
    missing = f.value(f"fcmp uno {type_} {b}, {b}")
    return f.value(f"select {vector('i1', lanes)} {missing}, {type_} {b}, {type_} {best}")


def across(f: Function, op: str | None, dtype: str, lanes: int, x: str) -> str:
    """The lanes of a vector joined to one number, halves first."""
    single = scalar_type(dtype)
    while lanes > 1:
        type_, half = vector(single, lanes), lanes // 2
        low, high = (
            f.value(f"shufflevector {type_} {x}, {type_} poison, <{half} x i32> <{_range(k, half)}>") for k in (0, half)
        )
        x = combined(f, op, dtype, half, *(_scalar(f, single, half, v) for v in (low, high)))
        lanes = half
    return x


def _range(start: int, count: int) -> str:
    return ", ".join(f"i32 {start + k}" for k in range(count))


def _scalar(f: Function, single: str, lanes: int, x: str) -> str:
    return f.value(f"extractelement <1 x {single}> {x}, i64 0") if lanes == 1 else x
