"""The profiler accounts for all of the time, by region, kernel and line, and changes no result."""

import time

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError


def work(x):
    y = ss.exp(ss.sin(x) * ss.cos(x))  # dear
    z = ss.sum(y * x)
    return ss.fori_loop(0, 3, lambda k, v: ss.tanh(v), z) + ss.sum(ss.sort(x[:64]))


X = ss.linspace(0.0, 1.0, 2_000_000)  # so long that waiting for a core elsewhere does not matter


def line_of(f, mark):
    import inspect

    lines, first = inspect.getsourcelines(f)
    return first + next(k for k, text in enumerate(lines) if mark in text)


@pytest.fixture(scope="module")
def profiled():
    f = ss.jit(work)
    plain = f(X)
    start = time.perf_counter()
    with ss.profile() as p:
        outs = [f(X) for _ in range(10)]
    wall = time.perf_counter() - start
    return p, wall, plain, outs


def test_results_keep_their_bits(profiled):
    _, _, plain, outs = profiled
    assert {np.asarray(v).tobytes() for v in outs} == {np.asarray(plain).tobytes()}


def test_the_parts_make_up_the_whole(profiled):
    p, wall, _, _ = profiled
    (program,) = p.programs
    assert program.calls == 10
    assert 0 < p.seconds <= wall
    entries = program.entries()
    assert sum(e.seconds for e in entries) == pytest.approx(p.seconds, rel=1e-6)
    assert all(e.seconds >= 0 for e in entries)
    for e in entries:
        if e.parts:
            assert sum(q.seconds for q in e.parts) == pytest.approx(e.seconds, rel=0.05)


def test_the_dear_line_takes_most(profiled):
    p, _, _, _ = profiled
    seconds, place, text = p.lines()[0]
    assert place == f"test_profile.py:{line_of(work, '# dear')} in work"
    assert text.startswith("y = ss.exp(")
    assert seconds <= p.seconds


def test_the_table_is_readable(profiled):
    p, _, _, _ = profiled
    text = p.table(least=0.0)
    assert text == str(p.table(least=0.0))
    assert text.startswith("profile: ")
    for word in ("10 calls of 1 program", "points by", "sin", "Python: sort", "call: arguments", "lines:", "flop/s"):
        assert word in text, word
    assert len(repr(p).splitlines()) <= len(text.splitlines())
    assert max(map(len, text.splitlines())) <= 160


def test_gradients_are_told_of_the_line_they_follow_from():
    f = ss.jit(ad.grad(lambda x: ss.sum(work(x))))
    with ss.profile() as p:
        f(X)
    assert p.lines()[0][1] == f"test_profile.py:{line_of(work, '# dear')} in work"


def test_kernels_of_loops_count_each_time():
    f = ss.jit(lambda x: ss.fori_loop(0, 50, lambda k, v: ss.sin(v), x))
    f(X)
    with ss.profile() as once:
        f(X)
    with ss.profile() as often:
        for _ in range(3):
            f(X)
    (a,), (b,) = once.programs, often.programs
    assert (a.calls, b.calls) == (1, 3)
    loop = max(b.entries(), key=lambda e: e.seconds)
    assert "in a loop of 50" in loop.what
    assert loop.seconds > 0.5 * b.seconds


def test_nothing_is_noted_outside():
    f = ss.jit(lambda x: x + 1)
    with ss.profile() as p:
        f(X)
    f(X)
    assert p.programs[0].calls == 1
    with ss.profile() as empty:
        X + 1
    assert (empty.seconds, empty.programs) == (0, [])
    assert "0 calls of 0 programs" in repr(empty)


def test_profiles_nest_and_the_inner_one_counts():
    f = ss.jit(lambda x: x + 1)
    with ss.profile() as outer:
        f(X)
        with ss.profile() as inner:
            f(X)
        f(X)
    assert (outer.programs[0].calls, inner.programs[0].calls) == (2, 1)
    with outer, pytest.raises(ArgumentError, match="running already"), outer:
        pass


def test_steps_in_python_are_entries():
    f = ss.jit(lambda x: (ss.print("{}", x), x)[1])
    with ss.profile() as p:
        f(ss.ones(2))
    assert any("Python: print" in e.what for e in p.programs[0].entries())
