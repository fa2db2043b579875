"""Odd cases of compiled functions, each beside its eager result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.cpu.cache import DiskCache, digest

UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


def alike(f, *args):
    """The compiled result is the eager one, in values and dtype."""
    eager, compiled = np.asarray(f(*args)), np.asarray(ss.jit(f)(*args))
    assert compiled.dtype == eager.dtype
    np.testing.assert_array_equal(compiled, eager)


@pytest.mark.parametrize("dtype", [*UNSIGNED, "int8", "int64"])
def test_shifts_by_the_width_and_more(dtype):
    info = np.iinfo(dtype)
    x = np.array([info.max, info.max // 2 + 1, 1, info.min], dtype)[:, None]
    counts = np.array([0, 1, info.bits - 1, info.bits, info.bits + 1, 100], dtype)
    alike(lambda a, b: a >> b, ss.asarray(x), ss.asarray(counts))
    alike(lambda a, b: a << b, ss.asarray(x), ss.asarray(counts))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_zero_to_a_complex_power(dtype):
    powers = np.array([1 + 1j, 2, 0.5 - 3j, 0], dtype)
    alike(lambda a, b: a**b, ss.asarray(np.zeros(4, dtype)), ss.asarray(powers))


def test_a_long_loop_makes_no_array_of_its_counters():
    def f(x, n):
        return ss.fori_loop(3, n, lambda i, c: c * 0.5 + x / i, x)

    g = ss.jit(f, static_argnums=1)
    tracemalloc.start()
    assert np.isfinite(float(g(1.0, 2_000_000)))
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()
    n = 70_000
    assert float(g(1.0, n)) == pytest.approx(2 / n, rel=1e-3)  # the fixed point of c = c/2 + x/i
    assert float(ad.grad(lambda x: g(x, n))(1.0)) == pytest.approx(float(g(1.0, n)), rel=1e-12)  # it is linear


def test_a_full_cache_folder_is_not_looked_through_at_each_store(tmp_path, monkeypatch):
    cache, looks = DiskCache(tmp_path), []
    monkeypatch.setattr(cache, "_shrink", lambda: looks.append(1))
    for k in range(100):
        cache.store(digest(str(k)), ["k"], [], b"x")
    assert len(looks) < 10


def test_a_bad_number_of_threads_is_told_once():
    code = "import scisim as ss; ss.jit(lambda x: x + 1)(1.0)"
    env = {**os.environ, "SCISIM_NUM_THREADS": "many"}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stderr.count("SCISIM_NUM_THREADS is 'many'") == 1


class Decay:
    """A model of which a method is compiled."""

    def __init__(self):
        self.rate, self.history, self.parts = ss.asarray(2.0), [], {"scale": ss.asarray(1.0)}

    def __call__(self, x):
        return self.parts["scale"] * self.rate * x


def test_an_attribute_or_item_that_is_replaced_is_seen():
    model = Decay()
    layers = [ss.asarray(1.0)]
    f, g = ss.jit(model.__call__), ss.jit(lambda x: layers[0] * model.rate * x)
    for _ in range(2):
        assert (float(f(1.0)), float(g(1.0))) == (2.0, 2.0)
    model.rate = ss.asarray(3.0)
    assert (float(f(1.0)), float(g(1.0))) == (3.0, 3.0)
    model.rate[...] = 4.0
    model.parts["scale"] = layers[0] = ss.asarray(10.0)
    assert (float(f(1.0)), float(g(1.0))) == (40.0, 40.0)
    model.parts = {"scale": ss.asarray(5.0)}
    layers.clear()
    layers.append(ss.asarray(-1.0))
    assert (float(f(1.0)), float(g(1.0))) == (20.0, -4.0)


def test_what_the_function_does_not_read_captures_nothing_anew():
    model, captures = Decay(), []

    def step(x):
        captures.append(1)
        return model.rate * x

    f = ss.jit(step)
    for k in range(5):
        model.history = [*model.history, f(float(k))]
        model.last = f(1.0)
    assert len(captures) == 1


def test_calls_from_many_threads():
    f, wrong = ss.jit(lambda x: ss.real(ss.fft.ifft(ss.fft.fft(x))) + ss.sum(x)), []

    def work(k):
        for n in (5, 3000) * 20:
            x = np.full(n, float(k))
            if not np.allclose(np.asarray(f(x)), k + n * k, rtol=1e-12):
                wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_results_outlive_later_calls():
    f = ss.jit(lambda x: (x, x * 2.0, ss.zeros(3)))
    for n in (3, 1000, 300_000):
        kept = []
        for k in range(6):
            same, twice, zeros = f(ss.asarray(np.full(n, float(k))))
            assert np.all(np.asarray(zeros) == 0.0)
            same[0] = zeros[0] = 99.0
            kept.append((np.asarray(twice)[::2], k))
        assert all(np.all(v == 2.0 * k) for v, k in kept)


def test_an_index_past_the_end_is_told_with_its_line():
    for f in (lambda x, i: x[i], lambda x, i: ss.fori_loop(0, 4, lambda k, c: c + x[k + i], 0.0)):
        with pytest.raises(ss.errors.IndexRangeError, match="for axis 0 of length 7") as caught:
            ss.jit(f)(ss.arange(7.0), 9)
        assert any("test_breaks.py" in note for note in caught.value.__notes__)

    def assign(x, i):
        y = x * 1.0
        y[i] = 0.0
        return y

    with pytest.raises(ss.errors.IndexRangeError, match="index: "):
        ss.jit(assign)(ss.arange(7.0), 9)


def test_files_with_wrong_bytes_are_refused_as_damaged(tmp_path):
    path, rng = str(tmp_path / "f.ss"), np.random.default_rng(1)
    w = ss.asarray([1.0, 2.0])
    ss.export(ss.jit(lambda x: (x * w, ss.fft.fft(x))), path, ss.ones(2))
    data = np.fromfile(path, np.uint8)
    refused = 0
    for _ in range(300):
        worse = data.copy()
        worse[rng.integers(0, data.size, 3)] = rng.integers(0, 256, 3)
        worse.tofile(path)
        try:
            ss.load(path)
        except ss.errors.FileError:
            refused += 1
    assert refused > 250  # the others changed nothing that counts


@pytest.mark.parametrize("host", [False, True])
def test_a_signal_handler_may_call_the_program_that_it_interrupts(host):
    def f(x, n):
        y = ss.fori_loop(0, n, lambda i, c: ss.sin(c) + x, x)
        return ss.real(ss.fft.fft(y[None]))[0] if host else y

    g, found = ss.jit(f), []
    expected = float(g(1.0, 5))
    before = signal.signal(signal.SIGALRM, lambda *_: found.append(float(g(1.0, 5))))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        long = float(g(1.0, 3_000_000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert found == [expected]
    assert long == float(g(1.0, 3_000_000))


def test_a_donated_argument_that_is_also_a_result_keeps_its_values():
    f = ss.jit(lambda x: (x, x * 2.0), donate_argnums=0)
    for n in (3, 100_000):
        for _ in range(3):
            same, twice = f(ss.asarray(np.arange(float(n))))
            assert np.array_equal(same, np.arange(n))
            assert np.array_equal(twice, 2.0 * np.arange(n))


def test_a_donated_part_leaves_the_whole_alone():
    f = ss.jit(lambda x: x * 2.0 + 1.0, donate_argnums=0)
    for n in (3, 100_000):
        whole = ss.asarray(np.arange(2.0 * n))
        for _ in range(3):
            assert np.array_equal(f(whole[:n]), 2.0 * np.arange(n) + 1.0)
        assert np.array_equal(whole, np.arange(2 * n))


def test_a_donated_whole_leaves_its_living_parts_alone():
    f = ss.jit(lambda x: x * 2.0 + 1.0, donate_argnums=0)
    for n in (3, 100_000):
        u = ss.asarray(np.arange(float(n)))
        firsts = []
        for _ in range(4):
            firsts.append(u[1:3])
            u = f(u)
        assert [np.asarray(v).tolist() for v in firsts] == [[1, 2], [3, 5], [7, 11], [15, 23]]


def test_long_lines_of_a_program_say_that_they_are_cut():
    text = repr(ss.jit(lambda xs: sum(ss.sum(x) for x in xs)).lower([ss.ones(100 + k) for k in range(12)]))
    (takes,) = [line for line in text.splitlines() if line.startswith("takes")]
    assert takes.endswith(" ...")
    assert len(takes) <= 120
