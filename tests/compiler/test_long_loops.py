"""Long loops: several vectors a turn, results past the caches, and memory of large results."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.cpu.access import Operand
from scisim.compiler.cpu.blocks import SMALLEST, Blocks
from scisim.compiler.cpu.emit import Module
from scisim.compiler.cpu.executor import executor
from scisim.compiler.cpu.library import host_library
from scisim.compiler.cpu.loops import Loop, Store
from scisim.compiler.cpu.target import avx2, compile_ir
from scisim.compiler.lower.tuning import CACHED, MANY
from scisim.compiler.native import NativeProgram

LENGTHS = (MANY - 1, MANY, MANY + 1, MANY + 37, 10_001)


def _chain(x):
    return ss.tanh(1.3 * x + 0.2) * ss.exp(-(x * x)) + 0.5 * x


def _loops(f):
    native = next(reversed(f.programs.values())).run
    assert isinstance(native, NativeProgram)
    return [k for k in native.kernels.values() if isinstance(k, Loop)]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elements_do_not_depend_on_the_length(rng, n, dtype):
    x, f = rng.normal(size=n).astype(dtype), ss.jit(_chain)
    whole = f(x).numpy()
    pieces = [f(x[k : k + 100]).numpy() for k in range(0, n, 100)]
    np.testing.assert_array_equal(whole, np.concatenate(pieces))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_sums_and_extremes_of_rows(rng, n, dtype):
    x = (10 * rng.normal(size=(2, n))).astype(dtype)
    f = ss.jit(lambda a: (ss.sum(a, axis=1), ss.max(a, axis=1), ss.min(a, axis=1)))
    total, most, least = (v.numpy() for v in f(x))
    assert any(k.unrolled > 1 for k in _loops(f))
    exact = x.astype(float).sum(1)
    bound = n * np.finfo(dtype).eps * np.abs(x).sum(1) if dtype.startswith("float") else 0
    assert np.all(np.abs(total - exact) <= bound)
    np.testing.assert_array_equal(most, x.max(1))
    np.testing.assert_array_equal(least, x.min(1))


@pytest.mark.parametrize("at", [0, 1, 700, 998, 999])
@pytest.mark.parametrize("others", [1.0, np.inf, -np.inf])
def test_one_nan_makes_the_extremes_nan(at, others):
    x = np.full(1000, others)
    x[at] = np.nan
    f = ss.jit(lambda a: (ss.max(a), ss.min(a)))
    assert all(np.isnan(v.numpy()) for v in f(x))


@pytest.mark.parametrize("extra", [0, 1, 5, 8, 63])
def test_large_results_go_past_the_caches(rng, extra):
    n = CACHED * 2 // 8 + extra  # three arrays: more than two threads' caches
    x, z = rng.normal(size=n), rng.normal(size=n)
    f = ss.jit(lambda x, z: (x * z, x - z))
    product, difference = f(x, z)
    assert any(k.streamed for k in _loops(f))
    np.testing.assert_array_equal(product.numpy(), x * z)
    np.testing.assert_array_equal(difference.numpy(), x - z)


def test_what_is_read_again_in_a_tile_stays_in_the_caches():
    n = CACHED * 2 // 8
    f = ss.jit(lambda x: (y := ss.sin(x), ss.sum(y)))
    y, total = f(np.ones(n))
    written = [k for k in _loops(f) if k.stores[0].combine is None and k.stores[0].to.inner == 1]
    assert written
    assert float(total) == pytest.approx(n * np.sin(1.0), rel=n * 2.0**-53)
    np.testing.assert_allclose(y.numpy(), np.sin(1.0), rtol=2**-51)


def _doubling(count):
    """y[k] = 2 x for ``count`` results."""
    operand = Operand("float64", 1)
    nodes = (("load", (), "float64", (0, 0)), ("const", (), "float64", 2.0), ("mul", (0, 1), "float64", None))
    stores = tuple(Store((2,), operand) for _ in range(count))
    return Loop(1, (operand,), nodes, stores, aligned=True, unrolled=2, streamed=tuple(range(count)))


@pytest.mark.parametrize("shifts", [(0,), (1,), (7,), (0, 0), (3, 3), (0, 1), (5, 2)])
@pytest.mark.parametrize("n", [1, 7, 16, 100, 129])
def test_streamed_results_begin_anywhere(rng, shifts, n):
    executor()
    kernel = _doubling(len(shifts))
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(host_library().addresses([kernel])[kernel.name])
    x, room = rng.normal(size=n), np.zeros((len(shifts), n + 32))
    outs = []
    for row, shift in zip(room, shifts, strict=True):
        start = (-row.ctypes.data // 8) % 8 + shift
        outs.append(row[start : start + n])
    call(np.array([n, 1, x.ctypes.data, *(o.ctypes.data for o in outs)]).ctypes.data)
    for out in outs:
        np.testing.assert_array_equal(out, 2 * x)
    assert np.count_nonzero(room) == np.count_nonzero(x) * len(shifts)


def test_streamed_loops_can_be_made_for_narrower_vectors():
    module = Module()
    _doubling(2).emit(module, avx2())
    assert b"ELF" in compile_ir(module.text(avx2().attributes), avx2())[:4]


def test_large_results_have_memory_of_their_own(rng):
    x, f = rng.normal(size=1 << 16), ss.jit(lambda x: x + 1.0)
    results = [f(ss.asarray(x + k)) for k in range(4)]
    for k, r in enumerate(results):
        np.testing.assert_array_equal(r.numpy(), (x + k) + 1.0)
    part, where = results[0].numpy()[5:], results[0].numpy().ctypes.data
    del results
    later = [f(ss.asarray(x - k)) for k in range(4)]
    np.testing.assert_array_equal(part, (x + 1.0)[5:])  # a view keeps its memory
    assert where not in [r.numpy().ctypes.data for r in later]


def test_memory_of_large_results_is_used_again(rng):
    x, f = ss.asarray(rng.normal(size=1 << 16)), ss.jit(lambda x: x * 3.0)
    f(x)
    seen = {f(x).numpy().ctypes.data for _ in range(5)}
    assert len(seen) == 1


def test_threads_never_share_the_memory_of_results():
    pool, same, shape = Blocks(), [], (SMALLEST // 8,)

    def work(mine):
        for _ in range(300):
            a = pool.empty(shape, np.float64)
            a[:] = mine
            b = pool.empty(shape, np.float64)
            b[:] = -mine
            same.append(bool((a == mine).all() and (b == -mine).all()))

    threads = [threading.Thread(target=work, args=(k,)) for k in (1.0, 2.0, 3.0)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(same) == 900
    assert all(same)
