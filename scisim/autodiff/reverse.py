"""Reverse mode: a tape on values of lower level, so Python control flow works and it nests in anything.

Cotangents are held so that dL = Re(sum(ct * dz)): transposes are plain, without conjugates.  The user's convention,
dL/dx + i dL/dy, is one conjugate into a pullback and one out of it (`transforms`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from scisim.core.avals import is_known
from scisim.core.errors import DerivativeError
from scisim.core.graph import Var, is_singular, source_of
from scisim.core.primitive import Primitive, alike
from scisim.core.values import Trace, Traced, ambient, inexact, same, shape, zeros_like
from scisim.ops.arithmetic import mul_p, zmul
from scisim.ops.complexes import real
from scisim.ops.shape import astype, unbroadcast


class Node(Traced):
    """One recorded value: how it was made, and the cotangent that gathers on it."""

    __slots__ = ("args", "ct", "params", "parents", "prim", "value")
    value: Any
    prim: Any
    args: Any
    params: Any
    parents: Any
    ct: Any

    @property
    def lower(self) -> Any:  # type: ignore[override]
        return self.value

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype


class Group:
    """The record of an operation with several outputs; each output is a Node whose prim is (group, position)."""

    __slots__ = ("args", "cts", "params", "parents", "prim", "pullback", "values")

    def __init__(self, prim: Primitive, args: list, params: dict, parents: list, values: tuple) -> None:
        self.prim, self.args, self.params, self.parents, self.values = prim, args, params, parents, values
        self.cts: list = [None] * len(values)
        self.pullback: Callable | None = None


class Tape(Trace):
    """One run of reverse mode."""

    kind: ClassVar[str] = "grad"

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self.nodes: list = []
        self.exact = False
        self._captured: dict[int, Node] = {}  # by captured value: what is recorded once is pulled back once

    def concrete(self, x: Any) -> Any:
        return x.value

    def leaf(self, value: Any) -> Node:
        node = Node()
        node.trace, node.root, node.value, node.ct = self, None, value, None
        node.prim, node.parents = None, ()
        return node

    def apply(self, prim: Primitive, args: tuple, params: dict) -> Any:
        vals: list[Any] = []
        parents: list[Any] = []
        plain = prim.reverse is None
        for a in args:
            if type(a) is Node and a.trace is self:
                parents.append(a)
                a = a.value
            else:
                parents.append(None)
            vals.append(a)
            plain = plain and type(a) is np.ndarray
        if plain and not prim.constant and not prim.multiple:  # arrays: nothing to dispatch
            try:
                out = prim.evaluate(*vals, **params)
            except (ValueError, TypeError, OverflowError):
                out = prim(*vals, **params)  # says what is wrong
            if prim.singular and not self.exact:
                self.exact = prim.singular_at(vals)
            return self._record(prim, vals, params, parents, out)
        if prim.reverse is not None:
            self.exact = self.exact or is_singular(prim, params, vals)
            return self._group(prim, vals, params, parents, *prim.reverse(vals, params))
        out = prim(*vals, **params)
        if prim.constant:
            return out
        if prim.singular and not self.exact:
            self.exact = prim.singular_at(vals)
        if prim.multiple:
            return self._group(prim, vals, params, parents, out, None)
        return self._record(prim, vals, params, parents, out)

    def _record(self, prim: Any, vals: Any, params: dict, parents: Any, out: Any) -> Node:
        if type(out) is Var:
            before = self._captured.get(id(out))
            if before is not None and before.prim is prim and all(map(operator.is_, before.parents, parents)):
                return before
        node = Node()
        node.trace, node.root, node.ct = self, None, None
        node.value, node.prim, node.args, node.params, node.parents = out, prim, vals, params, parents
        self.nodes.append(node)
        if type(out) is Var:
            self._captured[id(out)] = node
        return node

    def _group(self, prim: Primitive, vals: list, params: dict, parents: list, outs: Any, pull: Any) -> Any:
        group = Group(prim, vals, params, parents, tuple(outs) if prim.multiple else (outs,))
        group.pullback = pull
        self.nodes.append(group)
        made = tuple(
            self._record((group, k), (), {}, (), v) if inexact(v.dtype) else v for k, v in enumerate(group.values)
        )
        return made if prim.multiple else made[0]

    def end(self) -> list:
        """The nodes.  They point at their trace, so it must not go on pointing at them: a cycle would hold every
        array of a gradient until Python's collector runs."""
        nodes, self.nodes, self._captured = self.nodes, [], {}
        return nodes

    def __exit__(self, *exc: object) -> None:
        self.nodes, self._captured = [], {}  # those of a function that raised
        super().__exit__(*exc)

    def same(self, a: Any, b: Any) -> bool:
        return _same_nodes(a, b)


def _same_nodes(first: Node, second: Node) -> bool:
    """Whether two nodes were computed alike from the same leaves; without recursion, since chains are long."""
    todo, seen = [(first, second)], set()
    while todo:
        a, b = todo.pop()
        if a is b or (id(a), id(b)) in seen:
            continue
        seen.add((id(a), id(b)))
        p, q = a.prim, b.prim
        known = isinstance(p, Primitive) and isinstance(q, Primitive)
        if not known or not alike(p, q) or a.params != b.params or len(a.args) != len(b.args):
            return False
        for m, n, x, y in zip(a.parents, b.parents, a.args, b.args, strict=True):
            if m is not None and n is not None:
                todo.append((m, n))
            elif m is not n or not same(x, y):
                return False
    return True


def pull(tape: Tape, nodes: list, outs: list, cts: list, leaves: list, keep: bool) -> list:
    """Cotangents of ``leaves`` given those of ``outs``; None where nothing depends on a leaf.

    With ``keep`` it may be called again, at any level; without, each node is let go as soon as it is done with.
    """
    capture = ambient.get()
    before = capture and capture.source
    try:
        return _pull(tape, nodes, outs, cts, leaves, keep, capture)
    finally:
        if capture is not None:
            capture.source = before


def _pull(tape: Tape, nodes: list, outs: list, cts: list, leaves: list, keep: bool, capture: Any) -> list:
    for out, ct in zip(outs, cts, strict=True):
        if tape.mine(out) and ct is not None:
            _gather(out, ct)
    times = zmul if tape.exact else mul_p
    for node in reversed(nodes) if keep else _drain(nodes):
        if capture is not None:  # what follows from an operation is told of its line
            capture.source = source_of(node.values[0] if type(node) is Group else node.value)
        if type(node) is Group:
            _pull_group(node, tape)
            continue
        ct, node.ct = node.ct, None
        if ct is None:
            continue
        if type(node.prim) is tuple:
            group, k = node.prim
            group.cts[k] = ct if group.cts[k] is None else group.cts[k] + ct
        else:
            _pull_node(node, ct, times, tape)
    out = [leaf.ct for leaf in leaves]
    for leaf in leaves:
        leaf.ct = None
    return out


def settled(ct: Any, primal: Any) -> Any:
    """A cotangent as it is delivered: sharded ones are reduced here, once."""
    if type(primal) is np.ndarray and type(ct) is np.ndarray:
        return ct
    for v in (primal, ct):
        while isinstance(v, Traced) and v.lower is not None:
            v = v.lower
        if isinstance(v, Traced):
            return v.trace.settle(ct, primal)
    return ct


def _drain(nodes: list) -> Iterator:
    while nodes:
        yield nodes.pop()


def _gather(node: Node, ct: Any) -> None:
    v = node.value
    if ct.shape != v.shape or ct.dtype is not v.dtype:
        ct = fit(ct, v)
    node.ct = ct if node.ct is None else node.ct + ct


def _pull_node(node: Node, ct: Any, times: Primitive, tape: Tape) -> None:
    prim, args = node.prim, node.args
    if prim.jvp:
        _pull_through_jvp(prim, args, node.params, node.parents, node.value, ct, tape.exact)
    for i, parent in enumerate(node.parents):
        if parent is None:
            continue
        if prim.partials and prim.partials[i]:
            slope = prim.partials[i](node.value, *args, **node.params)
            c = ct * slope if times is mul_p else times(ct, slope)
        elif i in prim.linear or i in prim.bilinear:
            rule = prim.exact if tape.exact and prim.exact else prim
            c = rule.transpose(i, ct, args, node.params)
        else:
            continue
        _gather(parent, c)


def _pull_group(group: Group, tape: Tape) -> None:
    cts, group.cts = group.cts, [None] * len(group.values)
    if all(c is None for c in cts):
        return
    if group.pullback is None:
        _pull_through_jvp(group.prim, group.args, group.params, group.parents, group.values, cts, tape.exact)
        return
    filled = [zeros_like(v) if c is None else c for c, v in zip(cts, group.values, strict=True)]
    for parent, c in zip(group.parents, group.pullback(filled, tape.exact), strict=True):
        if parent is not None and c is not None:
            _gather(parent, c)


def _pull_through_jvp(
    prim: Primitive, args: list, params: dict, parents: list, value: Any, ct: Any, exact: bool
) -> None:
    """The rule is linear in its tangents: tape it and pull.  Operands in which the primitive is itself linear have a
    transpose, without which a rule that calls its own primitive (solve) would never end."""
    live = [i for i, parent in enumerate(parents) if parent is not None and i not in prim.linear]
    live = [i for i in live if inexact(parents[i].dtype)]
    if not live:
        return
    with Tape(prim.name) as tape:
        tape.exact = exact
        leaves = {i: tape.leaf(zeros_like(args[i])) for i in live}
        out = prim.jvp(value, args, [leaves.get(i) for i in range(len(args))], **params)  # type: ignore[misc]
        nodes = tape.end()
    outs = [o for o in out if o is not None] if prim.multiple else [out]
    if not prim.registered:
        _check_linear(prim, tape, nodes, outs)
    cts = [c for o, c in zip(out, ct, strict=True) if o is not None] if prim.multiple else [ct]
    for i, c in zip(live, pull(tape, nodes, outs, cts, list(leaves.values()), keep=False), strict=True):
        if c is not None:
            _gather(parents[i], c)


def _check_linear(prim: Primitive, tape: Tape, nodes: list, outs: list) -> None:
    """A rule that a user gave is taped at zero tangents, where one that is not linear would give a silent zero."""
    for node in nodes:
        if type(node) is Node and not isinstance(node.prim, tuple):
            live = [i for i, parent in enumerate(node.parents) if parent is not None]
            one = len(live) == 1 and live[0] in node.prim.bilinear
            if not one and not all(i in node.prim.linear for i in live):
                raise DerivativeError(
                    f"{prim.name}: its rule is not linear in the tangents, of which it takes {node.prim.name}; reverse "
                    f"mode transposes the rule, so tangents may be added and multiplied by other values only"
                )
    for y in outs:
        if not tape.mine(y) and is_known(y) and maybe_nonzero(y):
            raise DerivativeError(f"{prim.name}: its rule gives a derivative that is not 0 for tangents of 0")


def maybe_nonzero(x: Any) -> bool:
    while isinstance(x, Traced):
        x = x.lower
    return bool(np.any(x))


def fit(ct: Any, value: Any) -> Any:
    """Undo broadcasting, project on the reals for a real operand (the transpose of R -> C), and keep the dtype."""
    if shape(ct) != shape(value):
        ct = unbroadcast(ct, shape(value))
    if ct.dtype != value.dtype:
        ct = astype(real(ct) if value.dtype.kind != "c" else ct, value.dtype)
    return ct
