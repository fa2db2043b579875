"""Reverse mode of operations with bodies: call, cond, while, scan.

A body is differentiated once, as one graph of values and cotangents together, which is then split into what depends on
values alone (the forward part, with what it leaves behind) and the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scisim.autodiff.reverse import Tape, pull
from scisim.core.avals import aval, is_known
from scisim.core.capture import capture, live
from scisim.core.control import holds
from scisim.core.errors import DerivativeError
from scisim.core.graph import Graph, Var
from scisim.core.values import Traced, inexact, shape, zeros, zeros_like
from scisim.ops.control import call_p, cond_p, graph_avals, scan_p, while_p
from scisim.ops.select import where


def joint(graph: Graph, exact: bool) -> Graph:
    """From inputs and cotangents of the outputs to outputs and cotangents of the inputs.

    ``exact``: in products with cotangents an exact zero wins over infinity, whatever the body holds.
    """
    if ("joint", exact) not in graph.derived:
        ins = [aval(v) for v in graph.inputs]
        outs = [a for a in graph_avals(graph) if inexact(a.dtype)]

        def run(*vals: Any) -> list:
            xs, cts = vals[: len(ins)], list(vals[len(ins) :])
            with Tape(graph.name) as tape:
                tape.exact = exact
                leaves = [tape.leaf(x) if inexact(x.dtype) else x for x in xs]
                ys = graph(*leaves)
                nodes = tape.end()
            real = [leaf for leaf in leaves if tape.mine(leaf)]
            seeds = [cts.pop(0) if inexact(y.dtype) else None for y in ys]
            got = iter(pull(tape, nodes, list(ys), seeds, real, keep=False))
            back = [next(got) if tape.mine(leaf) else None for leaf in leaves]
            plain = [y.value if tape.mine(y) else y for y in ys]
            return [*plain, *(zeros_like(x) if g is None else g for x, g in zip(xs, back, strict=True))]

        graph.derived["joint", exact] = capture(run, [*ins, *outs], f"vjp of {graph.name}")
    return graph.derived["joint", exact]


def backward(graph: Graph, exact: bool) -> Graph:
    """From inputs and cotangents of outputs to cotangents of inputs, the values computed anew."""
    if ("backward", exact) not in graph.derived:
        g = joint(graph, exact)
        outs = g.outputs[len(graph.outputs) :]
        again = live(g.equations, outs, effects=False)  # what is printed was printed on the way forward
        graph.derived["backward", exact] = Graph(g.inputs, again, outs, g.name)
    return graph.derived["backward", exact]


def split(graph: Graph) -> tuple[Graph, Graph]:
    """A forward graph, whose further outputs are what the backward graph needs besides cotangents."""
    if "split" not in graph.derived:
        g, n, m = joint(graph, False), len(graph.inputs), len(graph.outputs)
        early = set(g.inputs[:n])
        front: list[Any] = []
        back: list[Any] = []
        for eq in g.equations:
            ready = all(a in early for a in eq.args if isinstance(a, Var))
            (front if ready else back).append(eq)
            if ready:
                early.update(eq.outs)
        grads = g.outputs[m:]
        back = live(back, grads)
        used = [a for eq in back for a in eq.args] + list(grads)
        kept = list(dict.fromkeys(v for v in used if isinstance(v, Var) and v in early))
        first = Graph(g.inputs[:n], live(front, [*g.outputs[:m], *kept]), [*g.outputs[:m], *kept], graph.name)
        graph.derived["split"] = first, Graph([*kept, *g.inputs[n:]], back, grads, g.name)
    return graph.derived["split"]


def exactly(graph: Graph) -> Graph:
    """The second graph of `split`, all of which depends on cotangents, with products in which exact zeros win."""
    if "exact" not in graph.derived:
        equations = [eq._replace(prim=eq.prim.exact or eq.prim) for eq in graph.equations]
        graph.derived["exact"] = Graph(graph.inputs, equations, graph.outputs, graph.name)
    return graph.derived["exact"]


# A pullback is told whether the tape that calls it has met a singular operation: `pullback(cotangents, exact)`.
def _kept(cts: Sequence[Any], outs: Sequence[Any]) -> list:
    return [c for c, o in zip(cts, outs, strict=True) if inexact(o.dtype)]


def _call_reverse(vals: list, p: dict) -> tuple[tuple, Callable]:
    graph = p["graph"]
    if p.get("remat"):

        def again(cts: Sequence[Any], exact: bool) -> tuple:
            return call_p(*vals, *_kept(cts, graph.outputs), graph=backward(graph, exact), remat=True)

        return call_p(*vals, **p), again
    first, second = split(graph)
    outs = call_p(*vals, graph=first)
    m = len(graph.outputs)

    def pull_back(cts: Sequence[Any], exact: bool) -> tuple:
        return call_p(*outs[m:], *_kept(cts, graph.outputs), graph=exactly(second) if exact else second)

    return outs[:m], pull_back


def _cond_reverse(vals: list, p: dict) -> tuple[tuple, Callable]:
    pred, *ops = vals
    graphs = p["branches"]
    if not isinstance(pred, Traced):
        outs, pull_branch = _call_reverse(ops, {"graph": graphs[0 if pred else 1]})
        return outs, lambda cts, exact: [None, *pull_branch(cts, exact)]

    def pull_back(cts: Sequence[Any], exact: bool) -> list:
        back = tuple(backward(g, exact) for g in graphs)
        return [None, *cond_p(pred, *ops, *_kept(cts, graphs[0].outputs), branches=back)]

    return cond_p(pred, *ops, branches=graphs), pull_back


def _while_reverse(vals: list, p: dict) -> tuple[tuple, Callable]:
    if not all(map(is_known, vals)):
        raise DerivativeError(
            "while_loop: reverse mode inside jit needs the number of steps, which is not known there. Use scan, or "
            "fori_loop with bounds that are Python integers; or differentiate outside of jit; or use forward mode."
        )
    with Tape("while_loop") as tape:
        leaves = [tape.leaf(v) if inexact(v.dtype) else v for v in vals]
        fixed, carry = leaves[: p["consts"]], tuple(leaves[p["consts"] :])
        while holds(going := p["test"](*fixed, *carry)[0]):
            new = p["body"](*fixed, *carry)
            if isinstance(going, Traced):  # mapped: the elements that have ended stay
                new = tuple(where(going, a, b) for a, b in zip(new, carry, strict=True))
            carry = new
        nodes = tape.end()
    real = [leaf for leaf in leaves if tape.mine(leaf)]

    def pull_back(cts: Sequence[Any], exact: bool) -> list:
        tape.exact = tape.exact or exact
        outs = [c for c in carry if tape.mine(c)]
        seeds = [ct for c, ct in zip(carry, cts, strict=True) if tape.mine(c)]
        got = iter(pull(tape, nodes, outs, seeds, real, keep=True))
        return [next(got) if tape.mine(leaf) else None for leaf in leaves]

    return tuple(c.value if tape.mine(c) else c for c in carry), pull_back


def _scan_reverse(vals: list, p: dict) -> tuple[tuple, Callable]:
    """The forward pass keeps each step's carry; the backward pass computes a step anew and pulls through it."""
    c, n, body = p["consts"], p["carries"], p["body"]
    saving = Graph(body.inputs, body.equations, [*body.outputs, *body.inputs[c : c + n]], body.name)
    outs = scan_p(*vals, **{**p, "body": saving})
    m = len(body.outputs)
    fixed, xs, saved = vals[:c], vals[c + n :], outs[m:]

    def pull_back(cts: Sequence[Any], exact: bool) -> list:
        carry_ct, y_ct = _kept(cts[:n], body.outputs[:n]), _kept(cts[n:], body.outputs[n:])
        sums = [zeros(shape(v), v.dtype) for v in fixed if inexact(v.dtype)]
        res = scan_p(
            *fixed,
            *carry_ct,
            *sums,
            *saved,
            *xs,
            *y_ct,
            body=_backward_step(body, c, n, exact),
            length=p["length"],
            consts=c,
            carries=len(carry_ct) + len(sums),
            backwards=not p.get("backwards", False),
        )
        left = list(res)
        carries = [left.pop(0) if inexact(v.dtype) else None for v in vals[c : c + n]]
        consts = [left.pop(0) if inexact(v.dtype) else None for v in fixed]
        slices = [left.pop(0) if inexact(v.dtype) else None for v in xs]
        return [*consts, *carries, *slices]

    return outs[:m], pull_back


def _backward_step(body: Graph, c: int, n: int, exact: bool) -> Graph:
    """One step backwards: (consts; ct of carry, sums of ct of consts; saved carry, x, ct of y)."""
    if ("step", exact) not in body.derived:
        back = backward(body, exact)
        ins = [aval(v) for v in body.inputs]
        outs = graph_avals(body)
        live_in = [inexact(a.dtype) for a in ins]
        carry_cts = [a for a in outs[:n] if inexact(a.dtype)]
        sums = [a for a in ins[:c] if inexact(a.dtype)]
        y_cts = [a for a in outs[n:] if inexact(a.dtype)]

        def run(*vals: Any) -> list:
            left = list(vals)

            def take(k: int) -> list:
                return [left.pop(0) for _ in range(k)]

            fixed, ct, total, carry, xs, cy = (
                take(k) for k in (c, len(carry_cts), len(sums), n, len(ins) - c - n, len(y_cts))
            )
            g = back(*fixed, *carry, *xs, *ct, *cy)
            real = [x for x, keep in zip(g, live_in, strict=True) if keep]
            k = len(sums)
            new = [a + b for a, b in zip(total, real[:k], strict=True)]
            return [*real[k : k + len(carry_cts)], *new, *real[k + len(carry_cts) :]]

        given = [*ins[:c], *carry_cts, *sums, *ins[c:], *y_cts]
        body.derived["step", exact] = capture(run, given, f"step of {back.name}")
    return body.derived["step", exact]


call_p.reverse, cond_p.reverse = _call_reverse, _cond_reverse
while_p.reverse, scan_p.reverse = _while_reverse, _scan_reverse
