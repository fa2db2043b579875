"""The array object: conversions, assignment, copies, axes out of range; and what notebooks show of it."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import scisim as ss
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.html import show


def test_conversions_to_python():
    assert (bool(ss.asarray(2.0)), int(ss.asarray(-3.7)), float(ss.asarray(5))) == (True, -3, 5.0)
    assert complex(ss.asarray(1 + 2j)) == 1 + 2j
    assert operator.index(ss.asarray(4)) == 4
    assert [10, 20][ss.asarray(1)] == 20
    with pytest.raises(TypeError, match="index was asked"):
        operator.index(ss.asarray(1.0))
    with pytest.raises(TypeError, match="complex"):
        float(ss.asarray(1j))
    with pytest.raises(ShapeError, match="truth value"):
        bool(ss.ones(2))


def test_python_numbers_are_assigned_in_the_dtype_of_the_array():
    for dtype, number in (("uint8", 7), ("int16", -7), ("float32", 2), ("complex64", 1.5), ("bool", True)):
        x = ss.zeros(3, dtype=dtype)
        x[1] = number
        x[x == 0] = number
        assert x.dtype == dtype
        assert ss.all(x == number)
    short, whole = ss.zeros(3, dtype=ss.uint8), ss.zeros(3, dtype=ss.int64)
    with pytest.raises(OverflowError, match="assignment: expected numbers that fit dtype uint8"):
        short[0] = 300
    with pytest.raises(DTypeError, match="does not fit into an array of dtype int64"):
        whole[0] = 1.5


def test_copies():
    x = ss.ones(3)
    same, apart, default = ss.asarray(x, copy=False), ss.asarray(x, copy=True), ss.asarray(x)
    x[0] = 7.0
    assert (float(same[0]), float(apart[0]), float(default[0])) == (7.0, 1.0, 1.0)
    with pytest.raises(ArgumentError, match="copy=False"):
        ss.asarray(x, dtype=ss.float32, copy=False)
    y = ss.reshape(x, (3, 1), copy=True)
    y[0] = 0.0
    assert float(x[0]) == 7.0
    assert ss.reshape(x, (3, 1), copy=False).shape == (3, 1)
    apart = ss.Tensor(np.ones((4, 4))[::2, ::2], copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        ss.reshape(apart, (4,), copy=False)
    assert ss.astype(x, ss.float64, copy=False, device="cpu").dtype == x.astype(float, copy=False).dtype == ss.float64


def test_axes_out_of_range():
    for f in (ss.expand_dims, ss.squeeze, ss.flip, ss.sum, ss.unstack):
        with pytest.raises(IndexError, match="axis 5 is out of range"):
            f(ss.ones((1, 1)), axis=5)


def test_html_shows_shape_dtype_place_and_numbers():
    text = ss.asarray([[1.0, 2.5], [3.0, 1e-9]])._repr_html_()
    assert all(part in text for part in ("2 &times; 2", "float64", "cpu", "<td>2.5</td>", "<td>1e-09</td>"))
    assert text.count("<tr>") == 2
    long = ss.arange(1000)._repr_html_()
    assert all(part in long for part in ("1000", "int64", "&hellip;", "<td>999</td>"))
    assert long.count("<td>") == 7
    assert "scalar" in ss.asarray(1j)._repr_html_()
    assert "no elements" in ss.zeros((0, 3))._repr_html_()
    assert "first of its planes" in ss.ones((2, 3, 4), dtype=ss.bfloat16)._repr_html_()


def test_html_of_traced_and_sharded_values():
    seen = []
    ss.jit(lambda x: seen.append(x._repr_html_()) or x)(ss.ones(3))
    assert "jit" in seen[0]
    assert "<td>" not in seen[0]

    class Sharded:
        shape, dtype, placements, local = (4, 2), np.dtype(float), ("Shard(0)", "<Replicate>"), np.ones((2, 2))

    text = show(Sharded())
    assert "placed Shard(0), &lt;Replicate&gt;" in text
    assert text.count("<td>1</td>") == 4
