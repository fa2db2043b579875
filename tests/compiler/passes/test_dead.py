"""What nothing needs is not computed, in bodies neither."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.passes import remove_dead
from scisim.core.tensor import unwrap, wrap
from scisim.ops.control import while_p
from scisim.ops.elementary import exp
from scisim.ops.select import lt
from scisim.ops.shape import sum_p
from tests.compiler.passes.checks import graph_of

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


def of_tensors(f):
    """A function of tensors as one of raw values."""

    def run(*vals):
        out = f(*map(wrap, vals))
        return [unwrap(y) for y in (out if isinstance(out, tuple) else (out,))]

    return run


def only(graph, name):
    (eq,) = (eq for eq in graph.equations if eq.prim.name == name)
    return eq


def test_equations_without_use_are_dropped():
    graph = graph_of(lambda x: (exp(x), x)[1], X)
    assert graph.count() == 0
    graph.equations += graph_of(lambda x: exp(x), X).equations
    assert remove_dead(graph).count() == 0


def test_a_scan_stacks_only_what_is_used(rewritten):
    def f(x, w, unused):
        step = lambda c, k: (c + k[0], (ss.sin(c) * w, ss.exp(k[1]) + unused))
        c, (first, _) = ss.scan(step, x, (ss.arange(3.0), ss.arange(3.0) * 2.0))
        return c, first

    got = rewritten(of_tensors(f), X, X, X)
    scan = only(got.simple, "scan")
    assert len(scan.outs) == 2
    assert "exp" not in scan.params["body"].counts()
    assert len(scan.args) == 3  # the carry, a constant and one of the inputs
    assert scan.params["consts"] == 1


def test_choices_and_checkpoints_give_only_what_is_used(rewritten):
    def f(x, y):
        yes, no = lambda x, y: (ss.exp(x), ss.sin(y)), lambda x, y: (x, ss.cos(y))
        return ss.cond(ss.sum(x) > 0.0, yes, no, x, y)[0]

    cond = only(rewritten(of_tensors(f), X, X).simple, "cond")
    assert len(cond.outs) == 1
    assert len(cond.args) == 2
    g = ad.checkpoint(lambda x, y: (ss.exp(x), ss.sin(y)))
    call = only(rewritten(of_tensors(lambda x, y: g(x, y)[1]), X, X).simple, "call")
    assert (len(call.outs), len(call.args)) == (1, 1)
    assert call.params["remat"]


def test_a_while_loop_takes_only_constants_that_it_uses(rewritten):
    test = graph_of(lambda a, b, c: [lt(sum_p(c, axes=(0, 1)), 0.0)], X, X, X)
    body = graph_of(lambda a, b, c: [c + b], X, X, X)
    f = lambda a, b, c: while_p(a, b, c, test=test, body=body, consts=2)
    loop = only(rewritten(f, X, np.ones_like(X), X - 5.0).simple, "while")
    assert loop.params["consts"] == 1
    assert len(loop.args) == 2


@pytest.mark.parametrize("which", [0, 1])
def test_derivatives_of_narrowed_loops(rng, which):
    def f(x, w):
        step = lambda c, k: (ss.tanh(c * w) + k, (ss.sum(c), ss.sum(c * c)))
        return ss.sum(ss.scan(step, x, ss.arange(3.0))[1][which])

    x, w = ss.asarray(rng.normal(size=3)), ss.asarray(rng.normal(size=3))
    want = ad.grad(f, (0, 1))(x, w)
    for a, b in zip(ad.grad(ss.jit(f), (0, 1))(x, w), want, strict=True):
        assert np.allclose(a, b, rtol=1e-12)
