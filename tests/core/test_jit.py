"""jit: signatures, containers, static arguments; the passes that simplify graphs; programs in the program."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.passes import fold_constants, merge_equal, remove_dead, simplify
from scisim.core.avals import ShapeDtype
from scisim.core.capture import capture
from scisim.core.tensor import unwrap, wrap

VECTOR = ShapeDtype((3,), np.dtype(float))


def graph_of(f: Any, *avals: Any) -> Any:
    """The graph of a function of tensors, not simplified."""

    def run(*vals: Any) -> list:
        out = f(*map(wrap, vals))
        return [unwrap(y) for y in (out if isinstance(out, tuple) else (out,))]

    return capture(run, avals or [VECTOR])


# --- signatures --------------------------------------------------------------------------------------------------
def test_one_program_for_each_signature():
    calls = []

    @ss.jit
    def f(x):
        calls.append(x.shape)
        return x * 2.0

    for shape in ((2,), (2,), (3,), (2,)):
        assert f(ss.ones(shape)).shape == shape
    assert calls == [(2,), (3,)]
    assert f(np.ones(2, np.float32)).dtype == np.float32
    assert len(calls) == 3
    assert f.__name__ == "f"


def test_containers_and_keywords():
    class Point(NamedTuple):
        x: Any
        y: Any

    @ss.jit
    def f(p, scale, *, shift):
        return {"sum": p.x + p.y, "list": [p.x * scale["a"], shift]}

    out = f(Point(1.0, 2.0), {"a": 3.0}, shift=ss.ones(2))
    assert float(out["sum"]) == 3.0
    assert float(out["list"][0]) == 3.0
    assert out["list"][1].tolist() == [1.0, 1.0]
    g = ad.grad(lambda p: f(p, {"a": 3.0}, shift=0.0)["list"][0] * p.y)(Point(2.0, 5.0))
    assert isinstance(g, Point)
    assert (float(g.x), float(g.y)) == (15.0, 6.0)


def test_static_arguments():
    seen = []

    def f(x, n, name="sin"):
        seen.append((n, name))
        for _ in range(n):
            x = getattr(ss, name)(x)
        return x

    g = ss.jit(f, static_argnums=(1, 2))
    eps = np.finfo(float).eps  # each function is within 4 ulp on either side, and enlarges no relative error here
    np.testing.assert_allclose(g(0.5, 2, "sin"), np.sin(np.sin(0.5)), rtol=2 * 8 * eps)
    np.testing.assert_allclose(g(0.5, 3, "cos"), np.cos(np.cos(np.cos(0.5))), rtol=3 * 8 * eps)
    g(0.7, 2, "sin")
    assert seen == [(2, "sin"), (3, "cos")]
    np.testing.assert_array_equal(g(0.5, 1), np.sin(0.5))
    with pytest.raises(TypeError, match="cannot be hashed"):
        g(0.5, [1], "sin")
    first = ss.jit(lambda n, x: x * n, static_argnums=0)
    assert float(first(3, 2.0)) == 6.0
    assert float(ss.jit(static_argnums=1)(f)(0.0, 2)) == 0.0


def test_static_numbers_of_different_types_are_apart():
    f = ss.jit(lambda x, n: x * n, static_argnums=1)
    assert f(ss.asarray(np.int64(2)), 1).dtype == np.int64
    assert f(ss.asarray(np.int64(2)), 1.0).dtype == np.float64
    assert f(ss.asarray(np.int64(2)), True).dtype == np.int64
    g = ss.jit(lambda x, n: x * n[0], static_argnums=1)
    assert g(ss.asarray(np.int64(2)), (1,)).dtype == np.int64
    assert g(ss.asarray(np.int64(2)), (1.0,)).dtype == np.float64
    assert not np.signbit(float(f(2.0, 0.0)))
    assert np.signbit(float(f(2.0, -0.0)))


def test_results_that_are_constants_or_arguments():
    f = ss.jit(lambda x: (x, 2.0, ss.ones(2), x))
    x = ss.asarray([1.0, 2.0])
    got = f(x)
    assert [y.tolist() for y in got] == [[1.0, 2.0], 2.0, [1.0, 1.0], [1.0, 2.0]]
    got[2][0] = 7.0  # a handle on a constant of the program
    got[0][1] = 9.0
    assert [y.tolist() for y in f(x)] == [[1.0, 2.0], 2.0, [1.0, 1.0], [1.0, 2.0]]


def test_creation_belongs_to_the_program():
    graph = ss.jit(lambda x: ss.vmap(lambda y: y * ss.arange(4))(x)).lower(ss.ones((2, 4))).graph
    assert graph.counts()["iota"] == 1
    assert graph.count("mul") == 1


def test_misuse_is_named():
    with pytest.raises(TypeError, match="jit: expected a function, got int"):
        ss.jit(3)
    with pytest.raises(ValueError, match="static_argnums"):
        ss.jit(lambda x: x, static_argnums=-1)
    with pytest.raises(TypeError, match=r"jit of .*is a str"):
        ss.jit(lambda x: x)("text")
    with pytest.raises(TypeError, match=r"the result of .*is a"):
        ss.jit(lambda x: "text")(1.0)


# --- passes ------------------------------------------------------------------------------------------------------
def same_values(graph: Any, other: Any, *args: Any) -> None:
    for a, b in zip(graph(*args), other(*args), strict=True):
        np.testing.assert_array_equal(a, b)


def test_constants_are_folded():
    constant = np.array([1.0, 2.0, 3.0])

    def f(x):
        zero = x[:0]  # a variable that keeps the sum in the graph
        return x * (ss.sum(zero) * 0.0 + 1.0)

    graph = graph_of(lambda x: x * ss.exp(wrap(constant)))
    assert graph.count("exp") == 0  # NumPy has computed it already
    inner = graph_of(lambda x: ss.jit(lambda y: ss.exp(y) * 2.0)(wrap(constant)) * x)
    assert fold_constants(inner).count("call") == 0
    same_values(inner, fold_constants(inner), constant)
    assert fold_constants(graph_of(f)).count() == graph_of(f).count()  # nothing in it is a constant


def test_large_constants_are_not_folded():
    from scisim.ops.shape import broadcast_p

    big = graph_of(lambda x: wrap(broadcast_p(np.float64(1.0), shape=(1 << 20,))) + ss.sum(x))
    assert big.count() == 2


def test_equal_equations_are_recorded_once():
    f = lambda x: ss.sin(x) * ss.cos(x) + ss.sin(x) * ss.cos(x) + x[1:][0] * x[1:][0]
    graph = graph_of(f)
    assert (graph.count("sin"), graph.count("cos"), graph.count("read")) == (1, 1, 2)
    same_values(graph, graph_of(lambda x: 2 * ss.sin(x) * ss.cos(x) + x[1] ** 2), np.array([0.1, 0.2, 0.3]))


def test_shared_work_is_pulled_back_once():
    """Derivatives of several results, asked for one by one, take one forward and one backward pass."""
    rng = np.random.default_rng(3)
    w = [ss.asarray(rng.normal(size=s)) for s in ((2, 5), (5, 5), (5, 3))]
    x = ss.asarray(rng.normal(size=(7, 2)))

    def parts(w, x):
        h = ss.tanh(ss.tanh(x @ w[0]) @ w[1]) @ w[2]
        return [h[:, k] for k in range(3)]

    apart = lambda w, x: sum(ss.sum(parts(w, x)[k] ** 2) for k in range(3))
    once = lambda w, x: (lambda p: sum(ss.sum(p[k] ** 2) for k in range(3)))(parts(w, x))
    graphs = [ss.jit(ad.grad(f)).lower(w, x).graph for f in (apart, once)]
    assert graphs[0].counts() == graphs[1].counts()


def test_different_constants_are_not_merged():
    f = lambda x: (x * 2.0, x * 2, x * -0.0, x * 0.0, x * np.float32(2.0), ss.sum(x, axis=0))
    graph = merge_equal(graph_of(f))
    assert graph.count("mul") == 5
    got = graph(np.array([1.0, 2.0, 3.0]))
    assert np.signbit(got[2]).all()
    assert not np.signbit(got[3]).any()


def test_equal_arrays_are_merged_and_large_ones_by_identity():
    a, b = np.arange(3.0), np.arange(3.0)
    assert merge_equal(graph_of(lambda x: (x * wrap(a), x * wrap(b)))).count("mul") == 1
    long = ShapeDtype((100,), np.dtype(float))
    c, d = np.arange(100.0), np.arange(100.0)
    d[50] += 1
    assert merge_equal(graph_of(lambda x: (x * wrap(c), x * wrap(d)), long)).count("mul") == 2
    assert merge_equal(graph_of(lambda x: (x * wrap(c), x * wrap(c)), long)).count("mul") == 1


def test_dead_equations_are_removed():
    def f(x):
        ss.exp(x) * 3.0
        return ss.sin(x)

    assert graph_of(f).count() == 1
    graph = graph_of(lambda x: (ss.sin(x), ss.exp(x) * 3.0))
    graph.outputs = graph.outputs[:1]
    assert remove_dead(graph).count() == 1
    same_values(graph, remove_dead(graph), np.ones(3))


def test_simplification_keeps_the_value_of_zero_times_infinity():
    f = ss.jit(lambda x: x * 0.0)
    assert np.isnan(float(f(np.inf)))
    graph = simplify(graph_of(lambda x: x * 0.0 + x))
    assert np.isnan(graph(np.array([np.inf, 1.0, 2.0]))[0][0])


def test_passes_leave_their_argument_alone():
    graph = graph_of(lambda x: ss.sin(x) + ss.sin(x))
    before = repr(graph)
    simplify(graph)
    assert repr(graph) == before


def test_a_graph_prints_its_equations():
    text = repr(ss.jit(lambda x: ss.cond(x[0] > 0, ss.sin, ss.cos, x) * 2.0).lower(ss.ones(3)).graph)
    for part in ("float64[3]", "cond(", "sin(", "cos(", "mul(", "return"):
        assert part in text


# --- how programs grow -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("f", [ss.tanh, lambda x: ss.exp(ss.sin(x))], ids=["tanh", "exp(sin)"])
def test_operations_of_the_nth_derivative_grow_like_n_squared(f):
    def count(n: int) -> int:
        graph = ss.jit(lambda x: ad.taylor(f, x, ss.ones_like(x), n)[n]).lower(0.3).graph
        return graph.count()

    counts = np.array([count(n) for n in range(1, 13)], float)
    second = np.diff(counts, 2)
    assert counts[-1] <= 5 * 12**2 + 20
    assert np.abs(second[2:]).max() <= 8  # a quadratic has constant second differences
    derivative = ss.jit(ad.derivative(f, 12)).lower(0.3).graph.count()
    assert derivative <= counts[-1] + 4


def test_the_text_of_a_compiled_function_names_it():
    def wave(x):
        return ss.sin(x)

    assert repr(ss.jit(wave)) == "<jit of wave>"
