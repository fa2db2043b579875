"""The scalar intermediate representation: expressions over numbers, which each code generator prints.

An expression is a graph of nodes that a `Builder` makes, equal ones once.  A node is one operation of the list below on
numbers of one dtype; everything else (elementary functions, complex numbers) is written in these.  No generator may
contract, reorder or approximate them: what is to be fused says ``fma``.

==============================  =================================================================================
operation                       meaning
==============================  =================================================================================
const                           a number, ``attr``
load                            element of operand number ``attr[0]``; of a complex one, part ``attr[1]`` (0, 1)
index                           position along loop axis ``attr``, int64
add sub mul neg                 floats and integers (which wrap)
div                             floats; integers: towards zero, 0 for a zero divisor
rem                             integers: remainder with the sign of the dividend, 0 for a zero divisor
fma                             a * b + c, rounded once
sqrt abs floor ceil trunc rint  floats, correctly rounded; abs of integers too; rint rounds ties to even
copysign                        magnitude of the first, sign of the second
minimum maximum                 a nan wins; integers too
lt le gt ge eq ne               bool; with a nan only ne holds
and or xor not                  bits of integers; bools
shl lshr ashr                   integers, by a count below the width
select                          second where the first (bool) holds, else third
cast                            value as another dtype: as C does; float to integer of what does not fit is unspecified
bitcast                         the same bits as another dtype of the same width
scale                           x * 2**n for an integer n given as a float, abs(n) < 3 * 2**(bits of the exponent - 2),
                                rounded once if abs(x) is 0, infinite or near 1 (within 2**-30 to 2**30)
exponent                        the integer n, as a float, with x / 2**n in [3/4, 3/2), for subnormal x too;
                                -inf for 0, inf for inf
mantissa                        x / 2**exponent(x); finite for 0 and inf.  For negative numbers and nan one of
                                exponent and mantissa is nan
lookup                          entry of a table, the integers ``attr``, by an int64 that must lie inside
rarely                          (condition, usual, *operands): usual, but the result of the function of the operands
                                that ``attr`` names in `RARE` where the condition holds; code for it runs only if
                                the condition holds for some element
==============================  =================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

FLOATS = {"float32": 32, "float64": 64}
INTEGERS = {f"{sign}int{n}": n for sign in ("", "u") for n in (8, 16, 32, 64)}
COMPARISONS = {"lt", "le", "gt", "ge", "eq", "ne"}
RARE: dict[str, Callable[..., Node]] = {}


def _binary(op: str, swapped: bool = False) -> Callable[[Node, Any], Node]:
    def method(self: Node, other: Any) -> Node:
        other = self.builder.lift(other, self.dtype)
        return self.builder.op(op, other, self) if swapped else self.builder.op(op, self, other)

    return method


class Node:
    """One operation; made by a `Builder`.

    Attributes
    ----------
    op : str
    args : tuple of Node
    dtype : str
        "float32", "float64", "bool", or an integer's name.
    attr : hashable
        What else says what the operation is: the number of a constant, which operand is loaded.
    index : int
        Its place among the builder's nodes; greater than those of its operands.
    """

    __slots__ = ("args", "attr", "builder", "dtype", "index", "op")

    def __init__(self, builder: Builder, op: str, args: tuple, dtype: str, attr: Any, index: int) -> None:
        self.builder, self.op, self.args, self.dtype, self.attr, self.index = builder, op, args, dtype, attr, index

    def __repr__(self) -> str:
        inside = [f"%{a.index}" for a in self.args] + ([] if self.attr is None else [repr(self.attr)])
        return f"%{self.index} = {self.op}.{self.dtype}({', '.join(inside)})"

    __add__, __radd__ = _binary("add"), _binary("add", swapped=True)
    __sub__, __rsub__ = _binary("sub"), _binary("sub", swapped=True)
    __mul__, __rmul__ = _binary("mul"), _binary("mul", swapped=True)
    __truediv__, __rtruediv__ = _binary("div"), _binary("div", swapped=True)
    __and__, __or__, __xor__, __lshift__ = _binary("and"), _binary("or"), _binary("xor"), _binary("shl")
    __lt__, __le__, __gt__, __ge__ = _binary("lt"), _binary("le"), _binary("gt"), _binary("ge")

    def __neg__(self) -> Node:
        return self.builder.op("neg", self)

    def __invert__(self) -> Node:
        return self.builder.op("not", self)


def rare(function: Callable[..., Node]) -> Callable[..., Node]:
    """Decorator: makes a function of nodes one that "rarely" can name; its name must be unique."""
    assert RARE.setdefault(function.__name__, function) is function, function.__name__
    return function


class Builder:
    """Makes nodes; those with equal operation and operands are one."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._made: dict[Any, Node] = {}

    def node(self, op: str, args: tuple[Node, ...], dtype: str, attr: Any = None) -> Node:
        """The node of exactly these fields."""
        key = (op, dtype, None if attr is None else repr(attr), *[a.index for a in args])
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = Node(self, op, args, dtype, attr, len(self.nodes))
            self.nodes.append(made)
        return made

    def const(self, value: Any, dtype: str) -> Node:
        """A number as a constant of the dtype."""
        if dtype in FLOATS:
            value = float(np.float32(value)) if dtype == "float32" else float(value)
        else:
            value = bool(value) if dtype == "bool" else int(value)
        return self.node("const", (), dtype, value)

    def lift(self, x: Any, dtype: str) -> Node:
        """A node as it is, a number as a constant."""
        return x if isinstance(x, Node) else self.const(x, dtype)

    def op(self, name: str, *args: Any, dtype: str | None = None) -> Node:
        """An operation whose operands are nodes of one dtype, or numbers beside them.

        Parameters
        ----------
        name : str
        *args : Node or number
        dtype : str, optional
            Of the result of cast and bitcast, and for operands that are all numbers.
        """
        if name in ("cast", "bitcast"):
            (x,) = args
            assert dtype is not None
            return x if x.dtype == dtype else self.node(name, (x,), dtype)
        first = 1 if name == "select" else 0
        kinds = {a.dtype for a in args[first:] if isinstance(a, Node)}
        kind = kinds.pop() if kinds else dtype
        assert kind is not None, f"{name}: no operand has a dtype"
        assert not kinds, f"{name}: operands of dtypes {[kind, *kinds]}"
        nodes = tuple([self.lift(a, kind if k >= first else "bool") for k, a in enumerate(args)])
        return self.node(name, nodes, "bool" if name in COMPARISONS else kind)

    def lookup(self, index: Node, table: tuple[int, ...]) -> Node:
        """An int64 of a table."""
        return self.node("lookup", (index,), "int64", table)

    def rarely(self, condition: Node, usual: Node, function: Callable[..., Node], *operands: Node) -> Node:
        """``usual``, but ``function(*operands)`` where the condition holds, which is seldom."""
        assert RARE[function.__name__] is function
        return self.node("rarely", (condition, usual, *operands), usual.dtype, function.__name__)


def live(outputs: Iterable[Node], known: Container[int] = ()) -> list[Node]:
    """The nodes that the outputs need beside those of the known indices, operands first."""
    needed: dict[int, Node] = {}
    stack = list(outputs)
    while stack:
        n = stack.pop()
        if n.index not in needed and n.index not in known:
            needed[n.index] = n
            stack.extend(n.args)
    return [needed[k] for k in sorted(needed)]


def rare_body(node: Node) -> tuple[list[Node], Node]:
    """What a "rarely" node runs: "load" nodes 0, 1, ... for its operands, and the result."""
    builder = Builder()
    operands = [builder.node("load", (), a.dtype, (k, 0)) for k, a in enumerate(node.args[2:])]
    return operands, RARE[node.attr](*operands)


def spelled(value: float | int | bool) -> str:
    """A constant as text that tells -0.0 from 0.0 and has every nan alike."""
    return "nan" if isinstance(value, float) and math.isnan(value) else repr(value)
