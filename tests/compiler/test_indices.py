"""Arrays of indices in compiled programs: what NumPy gives, within loops, and errors for what is out of range."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.lower.steps import Cond, Host, Region
from scisim.compiler.native import NativeProgram
from scisim.core.errors import IndexRangeError

RNG = np.random.default_rng(0)
X = RNG.random((300, 40))
ROWS, COLUMNS = RNG.integers(-300, 300, 500), RNG.integers(-40, 40, 500)
LEFT, RIGHT = np.roll(np.arange(5000), 1), np.roll(np.arange(5000), -1)
MANY = RNG.integers(-300, 300, (20, 30)).astype(np.int32)


def program(f, *args):
    return NativeProgram(ss.jit(f).lower(*args).graph)


def unconditional(p):
    """Steps that always run."""
    inside = {id(s) for c in p.lowered.every() if isinstance(c, Cond) for s in (*c.first, *c.second)}
    return [s for s in p.lowered.every() if id(s) not in inside]


LOOKUPS = {
    "rows": (lambda x: x[ROWS] * 2, X),
    "columns": (lambda x: x[:, COLUMNS] + 1, X),
    "elements": (lambda x: x[ROWS, COLUMNS] * x[ROWS, 0], X),
    "many": (lambda x: x[MANY] * 2, X),
    "of one column": (lambda x: x[ROWS, 3] + 1, X),
    "after a computation": (lambda x: (x * x)[ROWS] + 1, X),
    "sums": (lambda x: x[ROWS].sum(axis=0), np.arange(12000.0).reshape(300, 40)),
    "complex": (lambda x: (x * 1j)[ROWS] * 2, X),
    "float16": (lambda x: x[MANY] + x[MANY], X.astype(np.float16)),
    "bytes": (lambda x: x[:, COLUMNS], (X * 9).astype(np.uint8)),
    "bools": (lambda x: x[ROWS], X > 0.5),
    "neighbours": (lambda u: u[LEFT] - 2 * u + u[RIGHT], RNG.random(5000)),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_lookups_are_numpys(name):
    f, x = LOOKUPS[name]
    got = program(f, x)(x)[0]
    assert np.array_equal(got, f(x))
    assert got.dtype == f(x).dtype


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "uint16", "uint64"])
def test_indices_that_are_arguments(dtype):
    i = np.abs(ROWS).clip(0, 299).astype(dtype)
    p = program(lambda x, i: x[i] * 2, X, i)
    assert np.array_equal(p(X, i)[0], X[i] * 2)
    assert not any(isinstance(s, Host) for s in unconditional(p))


def test_neighbours_of_a_mesh_are_one_kernel():
    f, u = LOOKUPS["neighbours"]
    p = program(f, u)
    (region,) = (s for s in p.lowered.every() if isinstance(s, Region))
    assert len(region.calls) == 1
    assert region.extent == len(u)


@pytest.mark.parametrize("wrong", [300, -301, 1 << 40])
def test_an_index_out_of_range_is_refused(wrong):
    i = ROWS.copy()
    i[7] = wrong
    p = program(lambda x, i: x[i], X, i)
    with pytest.raises(IndexRangeError, match="for axis 0 of length 300"):
        p(X, i)
    assert np.array_equal(p(X, ROWS)[0], X[ROWS])


def replaced(x, at, v):
    y = x.copy()
    y[at] = v
    return y


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int8", "bool", "float16"])
@pytest.mark.parametrize("at", [(ROWS,), (ROWS, COLUMNS)], ids=["rows", "elements"])
def test_the_last_of_several_updates_stays(dtype, at):
    x, i = (X * 9).astype(dtype), tuple(at)
    u = (RNG.random(x[i].shape) * 9).astype(dtype)
    p = program(lambda x, u, *i: replaced(x, i, u), x, u, *i)
    assert np.array_equal(p(x, u, *i)[0], replaced(x, i, u))
    assert not any(isinstance(s, Host) for s in unconditional(p))


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_gradients_of_lookups_add_in_order(dtype):
    x = X.astype(dtype)
    p = program(lambda x, i: ad.grad(lambda x: ss.sum(ss.real(x[i] * x[i])))(x), x, ROWS)
    expected = np.zeros_like(x)
    np.add.at(expected, ROWS, np.conj(2 * x[ROWS]))
    assert np.array_equal(p(x, ROWS)[0], expected)
    assert not any(isinstance(s, Host) for s in unconditional(p))


def test_an_update_out_of_range_is_refused():
    p = program(lambda x, u, i: replaced(x, (i,), u), X, X[ROWS], ROWS)
    with pytest.raises(IndexError, match="from 1 to 598 for axis 0 of length 300"):
        p(X, X[ROWS], ROWS + 300)
