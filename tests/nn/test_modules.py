"""Modules as containers: fields, immutability, parts, modes, text."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn
from scisim.core import pytree


def equal(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b))


KEY = ss.random.key(3)


class Scaled(nn.Module):
    weight: ss.Tensor
    name: str = nn.field(static=True, default="plain")
    shift: ss.Tensor = nn.field(buffer=True, default=None)

    def __call__(self, x):
        y = self.weight * x
        return y if self.shift is None else y + self.shift


def scaled():
    return Scaled(ss.asarray([1.0, 2.0]), "two", ss.asarray([10.0, 20.0]))


def same(a, b):
    left, right = pytree.flatten(a), pytree.flatten(b)
    return left[1] == right[1] and all(equal(x, y) for x, y in zip(left[0], right[0], strict=True))


def test_a_module_is_rebuilt_from_its_leaves():
    m = nn.MLP([2, 5, 1], "sin", key=KEY)
    leaves, spec = pytree.flatten(m)
    again = pytree.unflatten(spec, leaves)
    assert [x.shape for x in leaves] == [(2, 5), (5,), (5, 1), (1,)]
    assert again.activation == "sin"
    assert same(m, again)
    assert pytree.paths(m)[0] == ".layers[0].weight"


def test_static_fields_are_part_of_the_structure():
    a, b = nn.MLP([2, 5, 1], "sin", key=KEY), nn.MLP([2, 5, 1], "tanh", key=KEY)
    assert pytree.flatten(a)[1] != pytree.flatten(b)[1]


def test_fields_by_mark_and_by_type():
    leaves, _ = pytree.flatten(scaled())
    assert [x.tolist() for x in leaves] == [[1.0, 2.0], [10.0, 20.0]]
    assert [path for path, _ in nn.parameters(scaled())] == ["weight"]


def test_attributes_without_annotation_are_fields():
    class Free(nn.Module):
        def __init__(self):
            self.w = ss.asarray(2.0)
            self.power = 3

        def __call__(self, x):
            return self.w * x**self.power

    assert ad.grad(lambda m: m(2.0))(Free()).w.item() == 8.0
    assert Free().replace(power=1)(2.0).item() == 4.0


def test_a_module_does_not_change():
    m = scaled()
    with pytest.raises(ss.errors.MutationError, match=r"module.replace\(weight=...\)"):
        m.weight = ss.asarray([0.0, 0.0])
    with pytest.raises(ss.errors.MutationError, match="no field can be deleted"):
        del m.weight
    changed = m.replace(weight=ss.asarray([3.0, 3.0]))
    assert changed(1.0).tolist() == [13.0, 23.0]
    assert m(1.0).tolist() == [11.0, 22.0]
    with pytest.raises(ss.errors.ArgumentError, match="no field 'wieght'; fields are weight, name, shift"):
        m.replace(wieght=1.0)


def test_static_values_must_be_hashable_and_without_arrays():
    class Listed(nn.Module):
        sizes: list

    class Marked(nn.Module):
        w: ss.Tensor = nn.field(static=True)

    with pytest.raises(ss.errors.ArgumentTypeError, match=r"Listed.sizes: holds a list .* use a tuple"):
        Listed([1, 2])
    with pytest.raises(ss.errors.ArgumentTypeError, match=r"Marked.w: marked static, but holds an array"):
        Marked(ss.ones(2))
    with pytest.raises(ss.errors.ArgumentError, match="static and buffer exclude"):
        nn.field(static=True, buffer=True)


def test_a_module_without_call_says_so():
    class Bare(nn.Module):
        w: ss.Tensor

    with pytest.raises(ss.errors.ArgumentTypeError, match="Bare: define __call__"):
        Bare(ss.ones(1))(2.0)


def test_partition_and_combine():
    m = nn.Sequential([scaled(), nn.BatchNorm(2), nn.Linear(2, 1, key=KEY, bias=False)])
    params, rest = nn.partition(m)
    assert [p for p, _ in nn.parameters(params)] == [p for p, _ in nn.parameters(m)]
    assert len(pytree.tree_leaves(params)) == 4
    assert len(pytree.tree_leaves(rest)) == 3
    assert same(nn.combine(params, rest), m)
    with pytest.raises(ss.errors.ArgumentError, match="combine: the two parts"):
        nn.combine(params, nn.partition(scaled())[1])


def test_arrays_of_integers_are_not_trained():
    class Indexed(nn.Module):
        w: ss.Tensor
        at: ss.Tensor

        def __call__(self, x):
            return self.w[self.at] * x

    m = Indexed(ss.asarray([1.0, 2.0, 3.0]), ss.asarray([2, 2]))
    params, rest = nn.partition(m)
    g = ad.grad(lambda p: ss.sum(nn.combine(p, rest)(1.0)))(params)
    assert g.w.tolist() == [0.0, 0.0, 2.0]
    assert g.at is None


def test_buffers_get_no_gradient():
    params, rest = nn.partition(scaled())
    g = ad.grad(lambda p: ss.sum(nn.combine(p, rest)(3.0)))(params)
    assert g.weight.tolist() == [3.0, 3.0]
    assert g.shift is None


def test_modes_reach_submodules():
    m = nn.Sequential([nn.Dropout(0.5), nn.Sequential([nn.BatchNorm(3)])])
    off = nn.eval(m)
    assert not off.layers[0].training
    assert not off.layers[1].layers[0].training
    assert nn.train(off).layers[1].layers[0].training
    assert m.layers[0].training
    assert [x.training for x in nn.eval([nn.Dropout(0.1), nn.Dropout(0.2)])] == [False, False]


def test_count_and_text():
    m = nn.MLP([2, 20, 20, 20, 1], key=KEY)
    assert nn.count(m) == 921
    assert repr(m).startswith("MLP(activation='tanh', 921 parameters)\n  layers[0]: Linear(60 parameters)\n")
    assert "weight: float64[20, 20]" in repr(m)
    assert "Linear(bias=None, 1,000 parameters)" in repr(nn.Linear(100, 10, bias=False, key=KEY))
    assert repr(nn.Dropout(0.5)) == "Dropout(rate=0.5, training=True, 0 parameters)"
    ad.grad(lambda p: (repr(p), ss.sum(p.weight))[1])(nn.Linear(1, 1, key=KEY))


def test_gradient_of_a_module_is_a_module():
    m = nn.MLP([2, 4, 1], key=KEY)
    x = ss.asarray([[0.3, -0.2], [0.1, 0.5]])
    g = ad.grad(lambda m: ss.sum(m(x) ** 2))(m)
    y = m(x)
    assert isinstance(g, nn.MLP)
    assert np.allclose(g.layers[1].bias, 2 * np.sum(y), rtol=1e-15)
    h = np.tanh(np.asarray(x) @ np.asarray(m.layers[0].weight))
    assert np.allclose(g.layers[1].weight, h.T @ (2 * np.asarray(y)), rtol=1e-14)


def test_an_ensemble_is_a_mapped_module():
    members = [nn.MLP([1, 3, 2], key=k) for k in ss.random.split(KEY, 4)]
    ensemble = pytree.tree_map(lambda *ws: ss.stack(ws), *members)
    x = ss.linspace(-1, 1, 5)[:, None]
    y = ss.vmap(lambda m, x: m(x), (0, None))(ensemble, x)
    assert y.shape == (4, 5, 2)
    for k, m in enumerate(members):
        assert np.allclose(y[k], m(x), rtol=0, atol=4e-16)
    g = ss.vmap(ad.grad(lambda m: ss.sum(m(x))))(ensemble)
    assert g.layers[0].weight.shape == (4, 1, 3)


def test_an_ensemble_is_made_by_mapping_over_keys():
    keys = ss.random.split(KEY, 3)
    ensemble = ss.vmap(lambda k: nn.MLP([2, 3, 1], key=k, first_bias=1.0))(keys)
    assert ensemble.layers[0].weight.shape == (3, 2, 3)
    one = nn.MLP([2, 3, 1], key=keys[1], first_bias=1.0)
    assert np.allclose(ensemble.layers[0].weight[1], one.layers[0].weight, rtol=1e-15)


def test_jit_of_a_module_equals_eager():
    m = nn.MLP([2, 4, 1], "silu", key=KEY)
    x = ss.ones((3, 2))
    f = ss.jit(lambda m, x: m(x))
    assert np.allclose(f(m, x), m(x), rtol=0, atol=4e-16)
    assert len(f.programs) == 1
    f(pytree.tree_map(lambda w: w + 1.0, m), x)
    assert len(f.programs) == 1
