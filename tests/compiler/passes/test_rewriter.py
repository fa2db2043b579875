"""The sweep: equal equations once, whatever their order of operands; graphs stay readable and in order."""

import numpy as np

import scisim as ss
from scisim.compiler.passes import PASSES, prepare, simplify
from scisim.compiler.passes.rules import key_of
from scisim.core.graph import Var
from scisim.ops.arithmetic import add, mul_p, sub
from scisim.ops.elementary import exp, sin
from scisim.ops.select import maximum_p, minimum_p
from tests.compiler.passes.checks import graph_of


def test_commuted_operands_are_equal(rewritten, rng):
    x, y = rng.normal(size=5), rng.normal(size=5)
    for p in (add, mul_p, maximum_p, minimum_p):
        assert rewritten(lambda x, y, p=p: (p(exp(x), y), p(y, exp(x))), x, y).simple.count() == 2
    assert rewritten(lambda x, y: (sub(x, y), sub(y, x)), x, y).simple.count() == 2


def test_constants_tell_equations_apart():
    f = lambda x: (add(x, 0.0), add(x, np.zeros(3)), mul_p(x, 2.0), mul_p(x, np.float32(2.0)), mul_p(x, 1.0))
    keys = [key_of(eq) for eq in graph_of(f, np.ones(3)).equations]
    assert len(set(keys)) == 5
    signs = [key_of(eq) for eq in graph_of(lambda x: (mul_p(x, 0.0), mul_p(x, -0.0)), np.ones(3)).equations]
    assert len(set(signs)) == 2


def every_variable_is_made_once_and_before_its_use(graph):
    made = list(graph.inputs)
    for eq in graph.equations:
        assert all(a in made for a in eq.args if isinstance(a, Var))
        made += eq.outs
    assert len(set(map(id, made))) == len(made)
    assert all(v in made for v in graph.outputs if isinstance(v, Var))
    for body in graph.bodies():
        every_variable_is_made_once_and_before_its_use(body)


def test_graphs_stay_in_order(rng):
    def f(x):
        g = ss.jit(lambda x: ss.scan(lambda c, k: (c * ss.exp(x) + k, ss.sin(c)), x, ss.arange(2.0)))
        return g(x), g(x + 1.0), ss.cond(ss.sum(x) > 0, g, g, x)

    graph = ss.jit(f).lower(rng.normal(size=3)).graph
    for g in (graph, prepare(graph)):
        every_variable_is_made_once_and_before_its_use(g)


def test_a_graph_is_simplified_once():
    graph = graph_of(lambda x: mul_p(exp(x), 1.0), np.ones(3))
    assert simplify(graph) is simplify(graph)
    assert simplify(simplify(graph)) is simplify(graph)
    assert prepare(prepare(graph)) is prepare(graph)
    assert len(PASSES) > 1


def test_shapes_and_dtypes_of_rewritten_equations_are_those_that_are_inferred(rng):
    from scisim.core.avals import infer

    f = lambda x: sin(add(mul_p(mul_p(x, 2.0), mul_p(exp(x), -0.5)), np.ones((4, 3))))
    for eq in simplify(graph_of(f, rng.normal(size=3).astype(np.float32))).equations:
        assert infer(eq.prim, eq.args, eq.params) == (eq.outs[0].shape, eq.outs[0].dtype)


def test_the_printed_graph_names_every_value(rng):
    f = ss.jit(lambda x: ss.fori_loop(0, 3, lambda k, y: y * ss.exp(x) + k, x))
    text = repr(f.lower(rng.normal(size=3)).graph)
    assert "scan" in text
    assert "Var" not in text
    assert "object" not in text
