"""cond, while_loop, scan and fori_loop equal Python's own control flow, with every transformation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad


# --- each loop, and what Python makes of it ----------------------------------------------------------------------
def scan_sum(x):
    carry, ys = ss.scan(lambda c, y: (ss.sin(c) * y + 0.5, c * y), x[0] * 0.3, x)
    return carry + ss.sum(ys * ys)


def python_scan_sum(x):
    carry, total = x[0] * 0.3, 0.0
    for k in range(x.shape[0]):
        total = total + (carry * x[k]) ** 2
        carry = ss.sin(carry) * x[k] + 0.5
    return carry + total


def reversed_scan(x):
    carry, ys = ss.scan(lambda c, y: (c * 0.5 + ss.tanh(y), c + y), ss.asarray(0.1), x, reverse=True)
    return carry * ss.sum(ys * x)


def python_reversed_scan(x):
    carry, ys = ss.asarray(0.1), []
    for k in reversed(range(x.shape[0])):
        ys.append(carry + x[k])
        carry = carry * 0.5 + ss.tanh(x[k])
    return carry * sum(y * x[k] for k, y in zip(range(x.shape[0]), ys[::-1], strict=True))


def scan_of_trees(x):
    def step(state, row):
        new = {"u": state["u"] * row["a"] + ss.cos(state["v"]), "v": state["v"] + state["u"] * x[1]}
        return new, (new["u"], row["b"] * new["v"])

    state, (us, vs) = ss.scan(step, {"u": x[0], "v": x[2]}, {"a": x, "b": x * x})
    return state["u"] * state["v"] + ss.sum(us * vs)


def python_scan_of_trees(x):
    u, v, total = x[0], x[2], 0.0
    for k in range(x.shape[0]):
        u, v = u * x[k] + ss.cos(v), v + u * x[1]
        total = total + u * (x[k] * x[k] * v)
    return u * v + total


def counted(x):
    return ss.sum(ss.fori_loop(0, 4, lambda i, y: ss.sin(y) * x + i * y, x))


def python_counted(x):
    y = x
    for i in range(4):
        y = ss.sin(y) * x + i * y
    return ss.sum(y)


def chosen(x):
    return ss.cond(ss.sum(x) > 1.0, lambda y: ss.sum(y**3), lambda y: ss.sum(ss.exp(y) * x), x)


def python_chosen(x):
    return ss.sum(x**3) if float(np.sum(plain(x))) > 1.0 else ss.sum(ss.exp(x) * x)


def newton(x):
    """The cube root of the sum of squares, until it no longer moves much."""
    a = ss.sum(x * x) + 1.0

    def step(state):
        y, _ = state
        new = y - (y * y * y - a) / (3.0 * y * y)
        return new, ss.abs(new - y)

    return ss.while_loop(lambda s: s[1] > 1e-6, step, (a, ss.asarray(1.0)))[0]


def python_newton(x):
    a = ss.sum(x * x) + 1.0
    y, move = a, 1.0
    while move > 1e-6:
        new = y - (y * y * y - a) / (3.0 * y * y)
        move = abs(new - y)
        y = new
    return y


def doubling(x):
    """A number of steps that depends on the operand."""
    return ss.sum(ss.while_loop(lambda y: ss.sum(y * y) < 100.0, lambda y: y * (1.5 + 0.1 * x), x))


def python_doubling(x):
    y = x
    while ss.sum(y * y) < 100.0:
        y = y * (1.5 + 0.1 * x)
    return ss.sum(y)


def nested(x):
    """A scan whose body chooses, inside a counted loop."""

    def body(i, total):
        pick = lambda c, y: ss.cond(y > 0.0, lambda c: c * y, lambda c: c + ss.sin(y), c)
        return total + ss.scan(lambda c, y: (pick(c, y), None), total, x)[0] * 0.1

    return ss.fori_loop(0, 3, body, x[0])


def python_nested(x):
    total = x[0]
    for _ in range(3):
        c = total
        for k in range(x.shape[0]):
            c = c * x[k] if x[k] > 0.0 else c + ss.sin(x[k])
        total = total + c * 0.1
    return total


def plain(x):
    v = x._v
    while hasattr(v, "lower"):
        v = v.lower
    return np.asarray(v)


LOOPS = {
    "scan": (scan_sum, python_scan_sum),
    "reversed scan": (reversed_scan, python_reversed_scan),
    "scan of trees": (scan_of_trees, python_scan_of_trees),
    "fori_loop": (counted, python_counted),
    "cond": (chosen, python_chosen),
    "while_loop": (newton, python_newton),
    "while_loop of its own length": (doubling, python_doubling),
    "nested": (nested, python_nested),
}
# Reverse mode needs the number of steps, which a captured while_loop does not know.
STEPS_UNKNOWN = {"while_loop", "while_loop of its own length"}
POINTS = [np.array([0.6, -0.4, 0.9]), np.array([0.3, 0.8, 0.5])]  # of which cond takes different branches
loops = pytest.mark.parametrize("name", LOOPS)


def close(got: Any, want: Any, rtol: float = 1e-12) -> None:
    want = np.asarray(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=rtol, atol=rtol * np.max(np.abs(want), initial=0.0))


@loops
def test_values(name):
    f, python = LOOPS[name]
    want = [python(ss.asarray(x)) for x in POINTS]
    for x, w in zip(POINTS, want, strict=True):
        close(f(ss.asarray(x)), w)
        close(ss.jit(f)(x), w)
    stacked = ss.asarray(np.stack(POINTS))
    close(ss.vmap(f)(stacked), np.stack(want))
    close(ss.jit(ss.vmap(f))(stacked), np.stack(want))
    close(ss.vmap(ss.jit(f))(stacked), np.stack(want))


@loops
def test_forward(name):
    f, python = LOOPS[name]
    v = np.array([0.5, 1.0, -0.7])
    forward = lambda f: lambda x: ad.jvp(f, (x,), (v,))[1]
    want = [forward(python)(ss.asarray(x)) for x in POINTS]
    for x, w in zip(POINTS, want, strict=True):
        close(forward(f)(ss.asarray(x)), w)
        close(ss.jit(forward(f))(x), w)
        close(forward(ss.jit(f))(ss.asarray(x)), w)
        second = forward(forward(python))(ss.asarray(x))
        close(forward(forward(f))(ss.asarray(x)), second)
        close(ad.taylor(f, x, v, 2)[2] * 2, second)
    close(ss.vmap(forward(f))(ss.asarray(np.stack(POINTS))), np.stack(want))


@loops
def test_series(name):
    f, python = LOOPS[name]
    v = np.array([0.5, 1.0, -0.7])
    for x in POINTS:
        want = ss.stack(ad.taylor(python, x, v, 3))
        close(ss.stack(ad.taylor(f, x, v, 3)), want)
        close(ss.stack(ss.jit(lambda x, f=f: ad.taylor(f, x, v, 3))(x)), want)
        close(ss.stack(ad.taylor(ss.jit(f), x, v, 3)), want)
    mapped = ss.vmap(lambda x: ss.stack(ad.taylor(f, x, ss.asarray(v), 3)))(ss.asarray(np.stack(POINTS)))
    close(mapped[0], ss.stack(ad.taylor(python, POINTS[0], v, 3)))


@loops
def test_gradients(name):
    f, python = LOOPS[name]
    want = [ad.grad(python)(ss.asarray(x)) for x in POINTS]
    for x, w in zip(POINTS, want, strict=True):
        value, gradient = ad.value_and_grad(f)(ss.asarray(x))
        close(value, python(ss.asarray(x)))
        close(gradient, w)
        if name not in STEPS_UNKNOWN:
            close(ss.jit(ad.grad(f))(x), w)
            close(ad.grad(ss.jit(f))(ss.asarray(x)), w)
    stacked = ss.asarray(np.stack(POINTS))
    close(ss.vmap(ad.grad(f))(stacked), np.stack(want))
    close(ad.grad(lambda s: ss.sum(ss.vmap(f)(s)))(stacked), np.stack(want))


@loops
def test_second_derivatives(name):
    f, python = LOOPS[name]
    for x in POINTS:
        want = ad.hessian(python)(ss.asarray(x))
        close(ad.hessian(f)(ss.asarray(x)), want, 1e-11)
        close(ad.jacrev(ad.grad(f))(ss.asarray(x)), want, 1e-11)
        close(ad.jacfwd(ad.jacfwd(f))(ss.asarray(x)), want, 1e-11)
        if name not in STEPS_UNKNOWN:
            close(ss.jit(ad.hessian(f))(x), want, 1e-11)
    g = ss.vmap(ad.hessian(f))(ss.asarray(np.stack(POINTS)))
    close(g[1], ad.hessian(python)(ss.asarray(POINTS[1])), 1e-11)


# --- details -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mapped", ["init", "xs", "closed over"])
def test_scan_maps_each_operand_alone(mapped):
    xs, c, w = np.array([0.5, 1.5, -1.0]), np.array(0.2), np.array(1.3)
    f = lambda c, xs, w: ss.scan(lambda c, x: (ss.sin(c) * w + x, c), c, xs)
    place = {"init": 0, "xs": 1, "closed over": 2}[mapped]
    args = [c, xs, w]
    args[place] = np.stack([args[place], args[place] * 2.0])
    axes = tuple(0 if k == place else None for k in range(3))
    got = ss.vmap(f, axes)(*map(ss.asarray, args))
    for k in (0, 1):
        single = [a[k] if j == place else a for j, a in enumerate(args)]
        for g, want in zip(got, f(*map(ss.asarray, single)), strict=True):
            close(g[k], want)


def test_elements_of_a_batch_end_at_their_own_times():
    f = lambda x, n: ss.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * x), (0, 1.0))[1]
    x, n = np.array([2.0, 3.0, 0.5]), np.array([3, 0, 5])
    close(ss.vmap(f)(x, n), x**n)
    close(ss.vmap(f, (None, 0))(ss.asarray(2.0), ss.asarray(n)), 2.0**n)
    close(ss.vmap(ad.grad(f))(x, n), n * x ** (n - 1.0))
    close(ss.jit(ss.vmap(lambda x, n: ad.jvp(lambda x: f(x, n), x, 1.0)[1]))(x, n), n * x ** (n - 1.0))


def test_empty_loops():
    c, ys = ss.scan(lambda c, x: (c + x, c), ss.asarray(1.0), ss.zeros(0))
    assert float(c) == 1.0
    assert ys.shape == (0,)
    assert float(ss.fori_loop(3, 3, lambda i, x: x * 2, 1.5)) == 1.5
    assert float(ad.grad(lambda x: ss.scan(lambda c, y: (c * y, None), x, ss.zeros(0))[0])(2.0)) == 1.0
    assert float(ss.while_loop(lambda x: x < 0, lambda x: x + 1, 2.0)) == 2.0


def test_scan_without_xs_and_with_integers():
    carry, ys = ss.scan(lambda c, _: (c + 1, c * 2), 0, None, length=4)
    assert int(carry) == 4
    assert ys.tolist() == [0, 2, 4, 6]
    f = lambda x: ss.scan(lambda s, _: ((s[0] + 1, s[1] * x), s[0]), (0, x), None, length=3)[0][1]
    assert float(ad.grad(f)(2.0)) == 32.0
    assert float(ss.jit(ad.grad(f))(2.0)) == 32.0


def test_a_body_is_a_graph_once_whatever_the_length():
    f = lambda x: ss.scan(lambda c, y: (ss.sin(c) * y, c), 1.0, x)[0]
    small, large = (ss.jit(ad.grad(f)).lower(ss.ones(n)).graph.count() for n in (3, 300))
    assert small == large


def test_fori_loop_with_bounds_that_are_values():
    f = ss.jit(lambda n, x: ss.fori_loop(0, n, lambda i, y: y * x, 1.0))
    assert float(f(3, 2.0)) == 8.0
    assert float(f(5, 2.0)) == 32.0
    assert float(ad.jvp(lambda x: f(3, x), 2.0, 1.0)[1]) == 12.0


def test_misuse_is_named():
    with pytest.raises(ValueError, match="condition has shape"):
        ss.cond(ss.ones(2) > 0, lambda x: x, lambda x: x, 1.0)
    with pytest.raises(TypeError, match=r"branches must give the same.*float64\[\].*float64\[2\]"):
        ss.jit(lambda p: ss.cond(p, lambda: ss.asarray(1.0), lambda: ss.ones(2)))(True)
    with pytest.raises(ValueError, match="changes the shape of a carried value"):
        ss.scan(lambda c, x: (ss.stack([c, c]), None), 1.0, ss.ones(2))
    with pytest.raises(TypeError, match="must return a carry of structure"):
        ss.scan(lambda c, x: ((c, c), None), 1.0, ss.ones(2))
    with pytest.raises(TypeError, match=r"must return \(carry, y\)"):
        ss.scan(lambda c, x: c, 1.0, ss.ones(2))
    with pytest.raises(ValueError, match="leading lengths"):
        ss.scan(lambda c, x: (c, None), 1.0, (ss.ones(2), ss.ones(3)))
    with pytest.raises(ValueError, match="neither xs nor length"):
        ss.scan(lambda c, x: (c, None), 1.0)
    with pytest.raises(ArithmeticError, match="needs the number of steps"):
        ss.jit(ad.grad(newton))(POINTS[0])
