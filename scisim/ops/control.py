"""Control flow whose bodies are graphs: call, cond, while, scan.

An interpretation that acts value by value (Taylor, batch) turns a body into another body, once; the rule is the same
for all of them (`through`).  Reverse mode of bodies is attached by `autodiff.bodies`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, aval
from scisim.core.axes import whole
from scisim.core.batch import Batch
from scisim.core.capture import capture
from scisim.core.control import captured_choice
from scisim.core.graph import Graph
from scisim.core.primitive import Primitive
from scisim.core.values import shape
from scisim.ops.select import where


def transformed(
    graph: Graph, trace: Any, patterns: tuple, avals: tuple, wanted: tuple | None = None
) -> tuple[Graph, tuple]:
    """The graph as seen by an interpretation: from flat lower values to flat lower values; made once.

    Parameters
    ----------
    patterns : tuple
        How the flat values make up each input.
    wanted : tuple, optional
        Patterns that outputs must at least have (carries of a loop); None for free ones.
    """
    key = (trace.key(), patterns, avals, wanted)
    if key not in graph.derived:
        made: list[Any] = []

        def run(*flat: Any) -> list:
            with trace.again(graph.name) as t:
                left = list(flat)
                ins = [t.pack([left.pop(0) for _ in range(t.parts(p))], p) for p in patterns]
                outs = graph(*ins)
                if wanted is not None:
                    outs = tuple(o if w is None else t.widen(o, w) for o, w in zip(outs, wanted, strict=True))
                parts = [t.unpack(o) for o in outs]
            made.append(tuple(p for _, p in parts))
            return [v for vs, _ in parts for v in vs]

        graph.derived[key] = (capture(run, avals, graph.name), made)
    new, made = graph.derived[key]
    return new, made[0]


def unpack(trace: Any, args: Sequence[Any], lead: int = 0) -> tuple[list, tuple]:
    parts = [trace.unpack(a, lead) for a in args]
    return [v for vs, _ in parts for v in vs], tuple(p for _, p in parts)


def pack(trace: Any, flat: Sequence[Any], patterns: tuple, lead: int = 0) -> tuple:
    left = list(flat)
    return tuple(trace.pack([left.pop(0) for _ in range(trace.parts(p))], p, lead) for p in patterns)


def _avals(values: Sequence[Any]) -> tuple:
    return tuple(aval(v) for v in values)


def graph_avals(graph: Graph) -> tuple:
    return tuple(ShapeDtype(tuple(shape(v)), v.dtype) for v in graph.outputs)


# --- call --------------------------------------------------------------------------------------------------------
def _call_through(trace: Any, args: tuple, p: dict) -> tuple:
    flat, patterns = unpack(trace, args)
    g, outs = transformed(p["graph"], trace, patterns, _avals(flat))
    return pack(trace, call_p(*flat, **{**p, "graph": g}), outs)


# `remat`: reverse mode recomputes the body instead of keeping what it needs.
call_p = Primitive(
    "call",
    lambda *args, graph, remat=False: graph(*args),
    axes=whole(),
    infer=lambda avals, p: graph_avals(p["graph"]),
    through=_call_through,
    multiple=True,
)


# --- cond --------------------------------------------------------------------------------------------------------
def _cond(pred: Any, *args: Any, branches: tuple[Graph, Graph]) -> tuple:
    return branches[0 if pred else 1](*args)


def _cond_through(trace: Any, args: tuple, p: dict) -> tuple:
    pred, *ops = args
    if trace.mine(pred):
        if isinstance(trace, Batch):
            a, b = (call_p(*ops, graph=g) for g in p["branches"])
            return tuple(where(pred, x, y) for x, y in zip(a, b, strict=True))
        pred = pred.lower
    flat, patterns = unpack(trace, ops)
    avals = _avals(flat)
    outs = [transformed(g, trace, patterns, avals)[1] for g in p["branches"]]
    wanted = tuple(trace.join(x, y) for x, y in zip(*outs, strict=True))
    made = [transformed(g, trace, patterns, avals, wanted) for g in p["branches"]]
    return pack(trace, cond_p(pred, *flat, branches=tuple(g for g, _ in made)), made[0][1])


cond_p = Primitive(
    "cond",
    _cond,
    axes=whole(),
    infer=lambda avals, p: graph_avals(p["branches"][0]),
    through=_cond_through,
    multiple=True,
)


def _captured_choice(condition: Any, rare: Callable, usual: Callable, *operands: Any) -> tuple:
    """`core.control.choose` where the condition is a variable: both branches as graphs, one of which runs."""
    from scisim.core.capture import close
    from scisim.ops.logic import any_p

    pred = any_p(condition, axes=tuple(range(len(shape(condition)))))
    graphs = [capture(f, operands) for f in (rare, usual)]
    closed = [close(g) for g in graphs]
    extra = {id(v): v for _, vs in closed for v in vs}
    if extra:
        graphs = [_with_inputs(g, vs, extra, len(operands)) for g, vs in closed]
    return cond_p(pred, *operands, *extra.values(), branches=tuple(graphs))


def _with_inputs(graph: Graph, own: list, extra: dict, count: int) -> Graph:
    """The graph with the given further inputs, of which it uses its own."""
    from scisim.core.graph import Var

    given = dict(zip(map(id, own), graph.inputs[count:], strict=True))
    inputs = [given[k] if k in given else Var(None, v.shape, v.dtype) for k, v in extra.items()]
    return Graph([*graph.inputs[:count], *inputs], graph.equations, graph.outputs, graph.name)


captured_choice.append(_captured_choice)


# --- while -------------------------------------------------------------------------------------------------------
def _while(*args: Any, test: Graph, body: Graph, consts: int) -> tuple:
    fixed, carry = args[:consts], args[consts:]
    while test(*fixed, *carry)[0]:
        carry = body(*fixed, *carry)
    return tuple(carry)


def _while_through(trace: Any, args: tuple, p: dict) -> tuple:
    n = p["consts"]
    fixed, carry = args[:n], _stable_carry(trace, p["body"], args[:n], args[n:], ())
    test, body, flat, patterns, ends = _loop_graphs(trace, fixed, carry, p)
    if isinstance(trace, Batch) and ends:  # elements end at their own times
        carry = tuple(trace.widen(c, True) for c in carry)
        test, body, flat, patterns, _ = _loop_graphs(trace, fixed, carry, p)
        test, body = _masked(test, body, n, _avals(flat))
    count = len(unpack(trace, fixed)[0])
    return pack(trace, while_p(*flat, test=test, body=body, consts=count), patterns[n:])


def _loop_graphs(trace: Any, fixed: tuple, carry: tuple, p: dict) -> tuple:
    flat, patterns = unpack(trace, (*fixed, *carry))
    avals = _avals(flat)
    body, _ = transformed(p["body"], trace, patterns, avals, patterns[len(fixed) :])
    test, (ends,) = transformed(p["test"], trace, patterns, avals)
    return test, body, flat, patterns, ends


def _masked(test: Graph, body: Graph, count: int, avals: tuple) -> tuple[Graph, Graph]:
    """A loop over a batch: it runs while any element wants to, and holds those that have ended."""
    from scisim.ops.logic import any_p
    from scisim.ops.shape import reshape

    def new_test(*xs: Any) -> list:
        return [any_p(test(*xs)[0], axes=(0,))]

    def new_body(*xs: Any) -> list:
        going = test(*xs)[0]
        pairs = zip(body(*xs), xs[count:], strict=True)
        return [where(reshape(going, shape(going) + (1,) * (len(shape(b)) - 1)), a, b) for a, b in pairs]

    return capture(new_test, avals), capture(new_body, avals)


while_p = Primitive(
    "while",
    _while,
    axes=whole(),
    infer=lambda avals, p: avals[p["consts"] :],
    through=_while_through,
    multiple=True,
)


def _stable_carry(trace: Any, body: Graph, fixed: tuple, carry: tuple, rest: tuple) -> tuple:
    """Widen the carry until the body gives back what it takes (a zero tangent may become non-zero in a loop)."""
    while True:
        flat, patterns = unpack(trace, (*fixed, *carry))
        extra, more = unpack_slices(trace, rest)
        _, outs = transformed(body, trace, (*patterns, *more), _avals([*flat, *extra]))
        mine = patterns[len(fixed) :]
        wide = tuple(trace.join(p, q) for p, q in zip(mine, outs, strict=False))
        if wide == mine:
            return carry
        carry = tuple(trace.widen(c, p) for c, p in zip(carry, wide, strict=True))


def unpack_slices(trace: Any, xs: Sequence[Any]) -> tuple[list, tuple]:
    """What one step of a scan sees of its inputs: their parts, less the leading axis."""
    flat, patterns = unpack(trace, xs, 1)
    return [ShapeDtype(tuple(shape(v))[1:], v.dtype) for v in flat], patterns


# --- scan --------------------------------------------------------------------------------------------------------
def _scan(*args: Any, body: Graph, length: int, consts: int, carries: int, backwards: bool = False) -> tuple:
    fixed, carry, xs = args[:consts], args[consts : consts + carries], args[consts + carries :]
    steps: list[tuple] = []
    for k in reversed(range(length)) if backwards else range(length):
        out = body(*fixed, *carry, *(x[k] for x in xs))
        carry = out[:carries]
        steps.append(out[carries:])
    if backwards:
        steps.reverse()
    outs = body.outputs[carries:]
    if not steps:
        return (*carry, *(np.zeros((0, *shape(o)), o.dtype) for o in outs))
    return (*carry, *(np.stack([s[j] for s in steps]) for j in range(len(outs))))


def _scan_infer(avals: tuple, p: dict) -> tuple:
    outs = graph_avals(p["body"])
    n = p["carries"]
    return (*outs[:n], *(ShapeDtype((p["length"], *a.shape), a.dtype) for a in outs[n:]))


def _scan_through(trace: Any, args: tuple, p: dict) -> tuple:
    c, n = p["consts"], p["carries"]
    fixed, carry, xs = args[:c], args[c : c + n], args[c + n :]
    carry = _stable_carry(trace, p["body"], fixed, carry, xs)
    flat_fixed, _ = unpack(trace, fixed)
    flat, patterns = unpack(trace, (*fixed, *carry))
    slices, more = unpack_slices(trace, xs)
    flat_xs, _ = unpack(trace, xs, 1)
    wanted = (*patterns[c:], *(None,) * (len(p["body"].outputs) - n))
    body, outs = transformed(p["body"], trace, (*patterns, *more), _avals([*flat, *slices]), wanted)
    new = {**p, "body": body, "consts": len(flat_fixed), "carries": len(flat) - len(flat_fixed)}
    results = scan_p(*flat, *flat_xs, **new)
    k = new["carries"]
    return (*pack(trace, results[:k], outs[:n]), *pack(trace, results[k:], outs[n:], 1))


scan_p = Primitive("scan", _scan, axes=whole(), infer=_scan_infer, through=_scan_through, multiple=True)
