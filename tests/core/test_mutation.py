"""Assignment rebinds handles: what it shows, to whom, and what it must not disturb."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import MutationError


def test_handles_aliases_and_parts():
    x = ss.Tensor(np.arange(4.0))
    y = x  # one handle, as in NumPy
    y[0] = 5.0
    assert x.tolist() == [5.0, 1.0, 2.0, 3.0]
    part = x[1:]  # a new value, unlike NumPy
    part[0] = 9.0
    assert x.tolist() == [5.0, 1.0, 2.0, 3.0]
    x += 1
    assert y.tolist() == [6.0, 2.0, 3.0, 4.0]
    assert y is x
    copy = ss.Tensor(x)
    copy *= 0
    assert x.tolist() == [6.0, 2.0, 3.0, 4.0]


def test_arrays_of_the_caller_and_of_scisim_are_apart():
    a = np.zeros(3)
    t = ss.Tensor(a)
    a[0] = 1.0
    assert t.tolist() == [0.0, 0.0, 0.0]
    view = np.asarray(t)
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0


def test_a_lost_assignment_is_refused():
    m = ss.zeros((2, 2))
    with pytest.raises(MutationError, match=r"write x\[i, j\] = v"):
        m[0][1] = 5.0
    m[0, 1] = 5.0
    assert m.tolist() == [[0.0, 5.0], [0.0, 0.0]]
    rows = [m, ss.zeros(2)]
    rows[1][0] = 1.0  # a handle in a list is one that someone holds
    assert rows[1].tolist() == [1.0, 0.0]

    class Holder:
        x = ss.zeros(2)

    Holder.x[1] = 3.0
    assert Holder.x.tolist() == [0.0, 3.0]


def test_a_loop_fills_a_tensor_made_inside():
    def f(x):
        y = ss.zeros(3)
        y[0] = x[0] * x[1]
        y[1:] = x[1:] * 2.0
        y[0] = y[0] * y[1]
        y[2] += x[0]
        y *= x
        return ss.sum(y * y)

    x = np.array([1.0, 2.0, 3.0])
    h = 1e-6
    want = [(float(f(ss.asarray(x + d))) - float(f(ss.asarray(x - d)))) / (2 * h) for d in h * np.eye(3)]
    np.testing.assert_allclose(ad.grad(f)(x), want, rtol=1e-8)
    np.testing.assert_allclose(ss.jit(ad.grad(f))(x), want, rtol=1e-8)
    np.testing.assert_allclose(ad.grad(ss.jit(f))(x), want, rtol=1e-8)
    np.testing.assert_allclose(ss.vmap(ad.grad(f))(np.stack([2 * x, x]))[1], want, rtol=1e-8)
    np.testing.assert_allclose(ad.jacfwd(f)(x), want, rtol=1e-8)
    np.testing.assert_allclose(ad.taylor(f, x, np.eye(3)[1], 3)[1], want[1], rtol=1e-8)


def test_residuals_survive_assignment():
    w = ss.ones(2)
    y, pullback = ad.vjp(lambda x: x * w * x, ss.ones(2))
    w[0] = 100.0
    y[0] = 7.0
    assert pullback(ss.ones(2))[0].tolist() == [2.0, 2.0]
    x = ss.ones(2)
    _, lin = ad.linearize(lambda t: t * t, x)
    x[0] = 50.0
    assert lin(ss.ones(2)).tolist() == [2.0, 2.0]


def test_jit_sees_assignment_to_a_tensor_it_closes_over():
    w = ss.ones(2)
    calls = []

    @ss.jit
    def f(x):
        calls.append(1)
        return x * w

    assert f(ss.ones(2)).tolist() == [1.0, 1.0]
    assert f(ss.ones(2)).tolist() == [1.0, 1.0]
    assert len(calls) == 1
    w[0] = 3.0
    assert f(ss.ones(2)).tolist() == [3.0, 1.0]
    w *= 2
    assert f(ss.ones(2)).tolist() == [6.0, 2.0]
    assert ad.grad(lambda x: ss.sum(f(x)))(ss.ones(2)).tolist() == [6.0, 2.0]
    assert len(calls) == 3


def test_jit_sees_assignment_to_a_scalar_it_closes_over():
    w = ss.asarray(2.0)
    f = ss.jit(lambda x: x * w)
    assert float(f(3.0)) == 6.0
    w += 1.0
    assert float(f(3.0)) == 9.0
    scale = ss.asarray([1.0, 1.0])
    g = ss.jit(lambda x: x * ss.sum(scale * 2.0))  # the constant is folded away
    assert float(g(1.0)) == 4.0
    scale[0] = 2.0
    assert float(g(1.0)) == 6.0


class Model:
    def __init__(self):
        self.w = ss.ones(2)

    def __call__(self, x):
        return ss.sum(x * self.w) + ss.sum(self.w) * 0.0


def test_jit_sees_assignment_through_objects_containers_and_variables():
    model = Model()
    f = ss.jit(lambda x: model(x))
    assert float(f(ss.ones(2))) == 2.0
    model.w[0] = 4.0
    assert float(f(ss.ones(2))) == 5.0
    weights = {"a": [ss.asarray(1.0)]}
    g = ss.jit(lambda x: x * (weights["a"][0] * 2.0))
    assert float(g(1.0)) == 2.0
    weights["a"][0] *= 3.0
    assert float(g(1.0)) == 6.0
    v = ss.asarray(1.0)
    h = ss.jit(lambda x: x * (v + 1.0))
    assert float(h(1.0)) == 2.0
    v = ss.asarray(2.0)  # the variable itself
    assert float(h(1.0)) == 3.0
    outer = ss.jit(lambda x: h(x) * 2.0)
    assert float(outer(1.0)) == 6.0
    v += 1.0
    assert float(outer(1.0)) == 8.0


def test_an_argument_is_not_changed_by_a_callee():
    x = ss.ones(3)

    def f(y):
        y = ss.Tensor(y)
        y[0] = 5.0
        return ss.sum(y * y)

    assert ad.grad(f)(x).tolist() == [0.0, 2.0, 2.0]
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_assignment_keeps_the_dtype():
    x = ss.zeros(2, dtype=ss.float32)
    x[0] = 1.5
    assert x.dtype == np.float32
    k = ss.zeros(2, dtype=ss.int64)
    with pytest.raises(TypeError, match=r"dtype float64 does not fit into an array of dtype int64.*astype"):
        k[0] = 1.5
    with pytest.raises(TypeError, match="complex128"):
        x[0] = 1j
