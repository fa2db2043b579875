"""Calls are part of the program, known choices are made, bodies are simplified, and loops are left what changes."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.tensor import unwrap, wrap
from scisim.ops.arithmetic import add, mul_p
from scisim.ops.control import scan_p, while_p
from scisim.ops.elementary import exp
from scisim.ops.products import matmul_p
from scisim.ops.select import lt
from scisim.ops.shape import sum_p, transpose_p
from tests.compiler.passes.checks import graph_of


def of_tensors(f):
    """A function of tensors as one of raw values."""

    def run(*vals):
        out = f(*map(wrap, vals))
        return [unwrap(y) for y in (out if isinstance(out, tuple) else (out,))]

    return run


X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


def test_calls_are_inlined(rewritten):
    inner = ss.jit(lambda x: ss.exp(x) + ss.sin(x))
    outer = ss.jit(lambda x: inner(x) * inner(x) + ss.exp(x))
    got = rewritten(of_tensors(outer), X)
    assert "call" not in got.counts
    assert (got.counts["exp"], got.counts["sin"]) == (1, 1)


def test_checkpoints_stay_and_are_simplified(rewritten):
    f = ad.checkpoint(lambda x: ss.exp(x * 1.0) + ss.exp(x))
    got = rewritten(of_tensors(lambda x: f(x) + ss.exp(x)), X)
    (call,) = (eq for eq in got.simple.equations if eq.prim.name == "call")
    assert call.params["remat"]
    assert dict(call.params["graph"].counts()) == {"exp": 1, "mul": 1}
    assert "exp" in [eq.prim.name for eq in got.simple.equations]


@pytest.mark.parametrize("known", [True, False])
def test_a_known_condition_is_decided(rewritten, known):
    pred = ss.asarray(known)

    def f(x):
        late = unwrap(ss.jit(lambda p: ss.logical_not(p))(pred))
        return ss.where(x > 100.0, x, ss.jit(lambda p, x: ss.cond(p, ss.exp, ss.sin, x))(wrap(late), x))

    got = rewritten(of_tensors(f), X)
    assert "cond" not in got.counts
    assert got.counts["sin" if known else "exp"] == 1


def test_branches_are_simplified(rewritten):
    f = lambda x: ss.cond(ss.sum(x) > 0.0, lambda x: ss.exp(x) * 1.0, lambda x: ss.negative(ss.negative(x)), x)
    got = rewritten(of_tensors(f), X)
    (cond,) = (eq for eq in got.simple.equations if eq.prim.name == "cond")
    assert [dict(g.counts()) for g in cond.params["branches"]] == [{"exp": 1}, {}]


# --- loops: bodies made by hand, since what a function closes over is computed outside already --------------------
def body_of(graph, name):
    (loop,) = (eq for eq in graph.equations if eq.prim.name == name)
    return loop, loop.params["body"]


@pytest.mark.parametrize("steps", [0, 3])
def test_what_does_not_change_leaves_a_scan(rewritten, steps):
    def step(w, unused, c, k):
        inner = sum_p(exp(w), axes=(0,))
        return [add(mul_p(c, inner), k), add(transpose_p(w, perm=(1, 0)), k), c]

    body = graph_of(step, X, X, X, 1.0)
    consts = {"consts": 2, "carries": 1, "length": steps}
    f = lambda w, c, ks: scan_p(w, c, c, ks, body=body, **consts)
    got = rewritten(f, X, X + 1.0, np.arange(float(steps)))
    loop, new = body_of(got.simple, "scan")
    assert dict(new.counts()) == {"mul": 1, "add": 2, "transpose": 1}
    assert loop.params["consts"] == 2  # the sum, and the matrix itself
    assert got.simple.counts()["exp"] == 1


def test_what_does_not_change_leaves_a_while_loop(rewritten):
    test = graph_of(lambda w, c: [lt(sum_p(c, axes=(0, 1)), mul_p(sum_p(exp(w), axes=(0, 1)), 2.0))], X, X)
    turned = lambda w: transpose_p(w, perm=(1, 0))
    body = graph_of(lambda w, c: [add(c, matmul_p(matmul_p(exp(w), turned(exp(w))), w))], X, X)
    got = rewritten(lambda w, c: while_p(w, c, test=test, body=body, consts=1), X, X, size=1 << 10)
    loop, new = body_of(got.simple, "while")
    assert dict(new.counts()) == {"add": 1}
    assert dict(loop.params["test"].counts()) == {"sum": 1, "lt": 1}
    assert loop.params["consts"] == 2  # the product, and what is compared with
    assert got.simple.count("exp") == 1


def test_moves_alone_stay_in_a_loop(rewritten):
    body = graph_of(lambda w, c: [add(c, transpose_p(w, perm=(1, 0)))], X.T, X)
    got = rewritten(lambda w, c: scan_p(w, c, body=body, consts=1, carries=1, length=2), X.T, X)
    assert dict(body_of(got.simple, "scan")[1].counts()) == {"transpose": 1, "add": 1}


def test_what_could_fail_stays_in_the_loop(rewritten):
    square = X[:, :2]
    test = graph_of(lambda a, c: [lt(sum_p(c, axes=(0, 1)), -1e9)], square, square)
    body = graph_of(lambda a, c: [add(c, unwrap(ss.linalg.solve(wrap(a), wrap(a))))], square, square)
    got = rewritten(lambda a, c: while_p(a, c, test=test, body=body, consts=1), np.zeros((2, 2)), square)
    assert body_of(got.simple, "while")[1].counts() == body.counts()


def test_derivatives_through_simplified_loops(rng):
    def f(x, w):
        step = lambda c, k: (ss.tanh(c @ ss.exp(w)) * k + ss.sum(ss.sin(w)), ss.sum(c))
        c, ys = ss.scan(step, x, ss.arange(1.0, 4.0))
        return ss.sum(c) + ss.sum(ys * ys)

    x, w = ss.asarray(rng.normal(size=(2, 3))), ss.asarray(rng.normal(size=(3, 3)))
    want = ad.grad(f, (0, 1))(x, w)
    for got in (ad.grad(ss.jit(f), (0, 1))(x, w), ss.jit(ad.grad(ss.jit(f), (0, 1)))(x, w)):
        for a, b in zip(got, want, strict=True):
            assert np.allclose(a, b, rtol=1e-12, atol=1e-13)
    slope = ad.jvp(ss.jit(f), (x, w), (x, w))[1]
    assert np.allclose(slope, ss.sum(want[0] * x) + ss.sum(want[1] * w), rtol=1e-12)
