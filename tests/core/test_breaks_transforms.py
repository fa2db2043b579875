"""Transformations where they once broke: loops under linearize, closures, long chains, containers, argument numbers."""

import threading
from collections import namedtuple

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core import pytree

X = ss.asarray([1.0, 2.0, 3.0])
Pair = namedtuple("Pair", "a b")


def close(got, want, rtol=1e-12):
    """Equal structure, shapes and numbers; a list of numbers may stand for an array."""
    if isinstance(got, (ss.Tensor, float)):
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)
    elif isinstance(got, dict):
        assert got.keys() == want.keys()
        for k, v in got.items():
            close(v, want[k], rtol)
    else:
        assert type(got) is type(want)
        for g, w in zip(got or (), want or (), strict=True):
            close(g, w, rtol)


# --- linearize ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("f", "value", "slope"),
    [
        (lambda x: ss.while_loop(lambda c: c < 100.0, lambda c: c * x, 1.0), 128.0, 448.0),
        (lambda x: ss.fori_loop(0, 3, lambda i, c: c * x, 1.0), 8.0, 12.0),
        (lambda x: ss.cond(x > 0, lambda x: x**2, lambda x: x, x), 4.0, 4.0),
        (lambda x: 5.0, 5.0, 0.0),
        (lambda x: {"a": x, "b": (2.0, x * x)}, {"a": 2.0, "b": (2.0, 4.0)}, {"a": 1.0, "b": (0.0, 4.0)}),
    ],
    ids=["while_loop", "fori_loop", "cond", "constant", "containers"],
)
def test_linearize_gives_value_and_slope(f, value, slope):
    y, lin = ad.linearize(f, 2.0)
    close(y, value)
    close(lin(1.0), slope)


def test_linearize_nests():
    def slope(x):
        return ad.linearize(lambda y: y**3, x)[1](1.0)

    close(ss.jit(slope)(2.0), 12.0)
    close(ad.grad(slope)(2.0), 12.0)
    close(ss.jit(ad.grad(slope))(2.0), 12.0)
    close(ss.vmap(slope)(X), [3.0, 12.0, 27.0])
    close(ad.linearize(lambda x, y: x * y, 2.0, 3.0)[1](None, 1.0), 2.0)


# --- closures ----------------------------------------------------------------------------------------------------
def squared(a):
    return ad.checkpoint(lambda x: x * a * x)(a)


MODES = {
    "grad": (ad.grad(squared), 3.0, 27.0),
    "second": (ad.grad(ad.grad(squared)), 3.0, 18.0),
    "third": (ad.grad(ad.grad(ad.grad(squared))), 3.0, 6.0),
    "jit of grad": (ss.jit(ad.grad(squared)), 3.0, 27.0),
    "grad of jit": (ad.grad(ss.jit(squared)), 3.0, 27.0),
    "vmap": (ss.vmap(squared), X, [1.0, 8.0, 27.0]),
    "vmap of grad": (ss.vmap(ad.grad(squared)), X, [3.0, 12.0, 27.0]),
    "jvp": (lambda x: ad.jvp(squared, (x,), (1.0,)), 3.0, (27.0, 27.0)),
    "taylor": (lambda x: ad.taylor(squared, x, 1.0, 3), 3.0, [27.0, 27.0, 9.0, 1.0]),
    "grad of scan": (
        ad.grad(lambda a: ss.scan(lambda c, _: (ad.checkpoint(lambda x: x * a)(c), None), a, None, length=2)[0]),
        3.0,
        27.0,
    ),
}


@pytest.mark.parametrize(("f", "x", "want"), MODES.values(), ids=MODES)
def test_checkpoint_of_a_closure(f, x, want):
    close(f(x), want)


def test_checkpoint_takes_containers_and_keywords():
    cubed = ad.checkpoint(lambda d, n, scale=1.0: (scale * d["a"] ** n, None))
    close(ad.grad(lambda d: cubed(d, 3, scale=2.0)[0])({"a": 2.0}), {"a": 24.0})
    close(cubed({"a": 2.0}, 3)[0], 8.0)


def test_a_rule_by_jvp_may_close_over_an_outer_variable():
    def f(a):
        g = ad.custom_jvp(lambda x: x * a)
        g.defjvp(lambda primals, tangents: (g(*primals), a * tangents[0]))
        return ad.grad(g)(2.0)

    close(ad.grad(f)(3.0), 1.0)


# --- rules of one's own in containers --------------------------------------------------------------------------------
@ad.custom_jvp
def product(d):
    return {"out": d["a"] * d["b"]}


@product.defjvp
def product_rule(primals, tangents):
    (d,), (t,) = primals, tangents
    return product(d), {"out": 100.0 * (d["a"] * t["b"] + d["b"] * t["a"])}


ratio = ad.custom_vjp(lambda d: d["a"] * d["b"])
ratio.defvjp(lambda d: (d["a"] * d["b"], d), lambda r, ct: ({"a": 10.0 * ct * r["b"], "b": None},))


def total(d):
    return ss.sum(product(d)["out"])


def test_custom_rules_take_containers_under_every_transformation():
    d = {"a": X, "b": 2.0}
    close(ad.grad(total)(d), {"a": np.full(3, 200.0), "b": 600.0})
    close(ss.jit(ad.grad(total))(d), {"a": np.full(3, 200.0), "b": 600.0})
    close(ss.vmap(ad.grad(total), ({"a": 0, "b": None},))(d), {"a": np.full(3, 200.0), "b": [100.0, 200.0, 300.0]})
    nested = ss.vmap(ss.jit(ad.hessian(total)))({"a": X, "b": X})
    close(nested["a"], {"a": np.zeros(3), "b": np.full(3, 100.0)})


def test_a_cotangent_may_be_none_within_a_container():
    close(ad.grad(ratio)({"a": 2.0, "b": 3.0}), {"a": 30.0, "b": 0.0})


def test_a_pullback_takes_none_for_zero():
    pullback = ad.vjp(lambda x: (x * 2.0, {"n": ss.arange(2), "y": x * 3.0}), 2.0)[1]
    close(pullback((1.0, {"n": None, "y": None})), (2.0,))
    close(pullback((None, {"n": None, "y": 1.0})), (3.0,))


def test_custom_rules_and_jit_are_methods_too():
    class Model:
        def __init__(self, k):
            self.k = k

        scaled = ss.jit(lambda self, x: self.k * x, static_argnums=0)
        power = ad.custom_jvp(lambda self, x: x * x)

    assert float(Model(3.0).scaled(2.0)) == 6.0
    assert Model.scaled is Model.__dict__["scaled"]
    assert Model(1.0).power.__self__.k == 1.0


# --- arguments -----------------------------------------------------------------------------------------------------
def test_argument_numbers_and_keywords():
    def f(x, y, z=1.0):
        return ss.sum(x * x) * y * z

    close(ad.grad(f, argnums=-1)(X, 3.0), 14.0)
    close(ad.grad(f, argnums=(-1, 0))(X, 3.0), (14.0, [6.0, 12.0, 18.0]))
    close(ad.grad(f, argnums=np.int64(1))(X, 3.0, z=2.0), 28.0)
    close(ad.grad(f, argnums=[1])(X, 3.0), (14.0,))
    close(ad.jacobian(lambda x, y=1.0: x * y)(X, y=3.0), 3.0 * np.eye(3))
    close(ad.hessian(f)(X, 3.0, z=0.5), 3.0 * np.eye(3))


def test_containers_of_every_kind():
    close(ad.grad(lambda p: ss.sum(p.a * p.b))(Pair(X, 2.0)), Pair(np.full(3, 2.0), 6.0))
    close(ad.grad(lambda d: d["a"] ** 2)({"a": 3.0, "none": None, "empty": ()}), {"a": 6.0, "none": None, "empty": ()})
    close(ad.hvp(lambda t: t[0] ** 2 * t[1], (2.0, 3.0), (1.0, 0.0)), (6.0, 4.0))
    deep = 2.0
    for _ in range(300):
        deep = [deep]
    assert pytree.tree_leaves(ad.grad(lambda t: pytree.tree_leaves(t)[0] ** 2)(deep))[0].tolist() == 4.0


def test_unused_arguments_and_constant_functions_have_zero_gradients():
    close(ad.grad(lambda x, y: x**2, argnums=(0, 1))(2.0, X), (4.0, np.zeros(3)))
    close(ad.grad(lambda x: 1.0)(X), np.zeros(3))
    close(ad.hessian(lambda x: np.float64(1.0))(X), np.zeros((3, 3)))
    for jacobian in (ad.jacobian, ad.jacfwd, ad.jacrev):
        close(jacobian(lambda x: ss.ones(2))(X), np.zeros((2, 3)))
        close(jacobian(lambda x: x[:0])(X), np.zeros((0, 3)))
        close(jacobian(lambda x: ss.sum(x) * ss.ones(2))(ss.zeros(0)), np.zeros((2, 0)))


def test_coordinates_at_the_end_may_keep_their_defaults():
    def u(t, x, speed=3.0):
        return ss.sin(speed * t) * x

    close(ad.partial(u, "tx")(0.2, 5.0), 3.0 * np.cos(0.6))
    close(ad.partial(u, ("t", "speed"))(0.2, 5.0, 3.0), 5.0 * (np.cos(0.6) - 0.6 * np.sin(0.6)))
    close(ad.partials(u, ["t", ""])(0.2, 5.0)[1], 5.0 * np.sin(0.6))
    close(ad.partial(np.sin, "x")(0.5), np.cos(0.5))


def test_axes_of_vmap_may_stand_for_containers():
    a = ss.asarray([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    out = ss.vmap(lambda v: ((v, v), {"s": ss.sum(v)}), out_axes=(1, {"s": 0}))(a)
    close(out, ((a.T, a.T), {"s": [3.0, 12.0]}))
    close(ss.vmap(lambda p, q: p.a * q, in_axes=(Pair(0, None), None))(Pair(X, 1.0), 2.0), [2.0, 4.0, 6.0])
    close(ss.vmap(lambda d, c: d["x"] * c, in_axes=(0, None))({"x": X, "y": X}, 2.0), [2.0, 4.0, 6.0])
    close(ss.vmap(lambda x: (x, 5.0), out_axes=(0, None))(X), (X, 5.0))


EMPTY = {
    "matmul": lambda v: ss.ones((2, 3)) @ v,
    "gather": lambda v: v[ss.asarray([0, 1])],
    "grad": ad.grad(lambda v: ss.sum(ss.sin(v))),
    "cond": lambda v: ss.cond(v[0] > 0, lambda v: v, lambda v: -v, v),
    "while_loop": lambda v: ss.while_loop(lambda c: c[0] < 3, lambda c: c + 1, v),
    "scan": lambda v: ss.scan(lambda c, x: (c + x, c), 0.0, v)[1],
}


@pytest.mark.parametrize("f", EMPTY.values(), ids=EMPTY)
def test_vmap_over_none_and_over_one(f):
    one = f(X)
    assert ss.vmap(f)(ss.zeros((0, 3))).shape == (0, *one.shape)
    close(ss.vmap(f)(X[None]), one[None])


# --- length and threads ------------------------------------------------------------------------------------------
def chain(x, n=5000):
    for _ in range(n):
        x = ss.sin(x) * 1.0001
    return x


def twins(x):
    a = b = x
    for _ in range(3000):
        a, b = ss.cos(a), ss.cos(b)
    return ss.sqrt(a) * ss.sqrt(b)


def test_long_chains():
    want = float(ad.jvp(chain, (1.0,), (1.0,))[1])
    close(ad.grad(chain)(1.0), want, 1e-9)
    close(ad.grad(ss.jit(chain))(1.0), want, 1e-9)
    assert len(repr(ss.jit(chain).lower(1.0).graph)) > 100_000
    short = lambda x: chain(x, 1000)
    close(ad.derivative(short, 2)(1.0), ad.grad(ad.grad(short))(1.0), 1e-9)


def test_long_chains_are_compared_without_recursion():
    fixed = 0.7390851332151607  # of the cosine
    close(twins(0.5), fixed)
    close(ss.jit(twins)(0.5), fixed)
    assert abs(float(ad.grad(twins)(0.5))) < 1e-100


def test_a_pullback_may_be_called_from_many_threads():
    pullback = ad.vjp(lambda x: ss.sin(x) * x, X)[1]
    out: list = []
    threads = [threading.Thread(target=lambda: out.append(pullback(ss.ones(3))[0].numpy())) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    want = np.cos(X.numpy()) * X.numpy() + np.sin(X.numpy())
    assert len(out) == 8
    assert all(np.allclose(o, want, rtol=1e-15) for o in out)
