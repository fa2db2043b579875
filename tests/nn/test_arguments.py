"""Layers called with what does not fit: one error that names the class and the argument."""

import inspect

import numpy as np
import pytest

import scisim as ss
from scisim import nn
from scisim.core.errors import ScisimError

KEY = ss.random.key(0)


@pytest.mark.parametrize(
    ("call", "builtin", "message"),
    [
        (lambda: nn.MLP(1, 8, 1), TypeError, r"MLP: too many .*; expected MLP\(sizes, activation='tanh', \*, key"),
        (lambda: nn.MLP([1, 8, 1]), TypeError, "MLP: missing a required argument: 'key'"),
        (lambda: nn.MLP([1, 8, 1], key=KEY, activaton="sin"), TypeError, "unexpected keyword argument 'activaton'"),
        (lambda: nn.MLP([1, 8, 1], key=KEY, dtype="zzz"), TypeError, "dtype is 'zzz'; expected one of float32"),
        (lambda: nn.MLP([1, 8, 1], key=KEY, first_bias="a"), ValueError, "bound is 'a'"),
        (lambda: nn.Sequential(nn.Dropout(0.1), "tanh"), TypeError, r"expected Sequential\(layers\)"),
        (lambda: nn.Dropout("a"), ValueError, "Dropout: rate is 'a'"),
        (lambda: nn.LayerNorm(3, eps="a"), ValueError, "LayerNorm: eps is 'a'"),
        (lambda: nn.BatchNorm(3, momentum="a"), ValueError, "BatchNorm: momentum 'a'"),
        (lambda: nn.FourierFeatures(2, 3, "a", key=KEY), ValueError, "FourierFeatures: scale is 'a'"),
        (lambda: nn.Periodic(3), TypeError, "Periodic: periods is 3"),
        (lambda: nn.Periodic(["a"]), ValueError, "Periodic: period 0 is 'a'"),
        (lambda: nn.Scale("ab"), TypeError, "Scale: bounds is 'ab'"),
        (lambda: nn.Field(nn.MLP([1, 1], key=KEY), embedding=3), TypeError, "Field: embedding is a int"),
    ],
)
def test_refused_with_a_name(call, builtin, message):
    with pytest.raises(builtin, match=message) as caught:
        call()
    assert isinstance(caught.value, ScisimError)


def test_a_type_error_within_init_stays_what_it_is():
    class Broken(nn.Module):
        def __init__(self, n):
            self.n = n + "a"

    with pytest.raises(TypeError, match="unsupported operand"):
        Broken(1)


def test_signatures_are_those_of_init():
    assert list(inspect.signature(nn.Linear).parameters)[:3] == ["in_features", "out_features", "key"]

    class Line(nn.Module):
        slope: ss.Tensor
        name: str = "line"

    assert list(inspect.signature(Line).parameters) == ["slope", "name"]


def test_sizes_may_be_an_array():
    assert nn.count(nn.MLP(np.array([2, 3, 1]), key=KEY)) == 13
