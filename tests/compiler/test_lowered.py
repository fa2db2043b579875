"""What `lower` shows, and that nothing is compiled twice."""

import os
import subprocess
import sys

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn

M = nn.MLP([16, 32, 32, 32, 1], key=ss.random.key(0))


def loss(m, x):
    y = m(x)
    return ss.mean(y * y)


def points(n):
    return ss.random.normal(ss.random.key(1), (n, 16))


def lowered(n=2000):
    return ss.jit(ad.value_and_grad(loss)).lower(M, points(n))


def test_regions_tell_their_tiles_and_kernels():
    found = [r for r in lowered().regions if r.extent]
    (region,) = found
    assert region.extent == 2000
    assert 0 < region.tile < 2000
    assert region.share > 0.9
    products = [k for k in region.kernels if "matmul" in k.computes]
    assert len([k for k in products if k.flops == 2 * 2000 * 32 * 32]) >= 2
    assert all(k.loads >= 1 and k.stores >= 1 and k.bytes > 0 for k in region.kernels)
    assert sum(k.share for r in lowered().regions for k in r.kernels) == pytest.approx(1.0)


def test_kernels_know_the_lines_they_come_from():
    def f(x):
        a = ss.sin(x)
        return ss.sum(a * x)

    first = f.__code__.co_firstlineno
    kernels = [k for r in ss.jit(f).lower(ss.ones(3000)).regions for k in r.kernels if k.lines]
    (kernel,) = kernels
    assert kernel.computes == "sin mul sum"
    assert {s.line for s in kernel.lines} == {first + 1, first + 2}


def test_work_is_counted():
    low = ss.jit(lambda x, y: x * y + 1.0).lower(ss.ones(1000), ss.ones(1000))
    (kernel,) = [k for r in low.regions for k in r.kernels]
    assert (kernel.flops, kernel.bytes) == (2000, 3 * 8000)
    assert (kernel.loads, kernel.stores) == (2, 1)
    loop = ss.jit(lambda x: ss.fori_loop(0, 7, lambda k, v: v * 2.0, x)).lower(ss.ones(1000))
    assert sum(k.flops for r in loop.regions for k in r.kernels) == 7 * 1000
    assert any(r.inside == "in a loop of 7" for r in loop.regions)


def test_steps_in_python_are_shown():
    low = ss.jit(lambda x: ss.sort(x) * 2.0).lower(ss.ones(8))
    (step,) = [r for r in low.regions if not r.kernels]
    assert (step.computes, step.source.text[:12]) == ("sort", "low = ss.jit")
    assert "Python: sort (test_lowered.py:" in repr(low)


def test_memory_is_planned_and_shown():
    memory = lowered().memory
    assert memory.total("input") == sum(np.asarray(a).nbytes for a in [*M_LEAVES, points(2000)])
    assert memory.total("result") == 8 + sum(a.nbytes for a in M_LEAVES)
    tile = [a for a in memory.arrays if a.place == "workspace"]
    assert tile
    assert all(0 <= a.first <= a.last and a.offset + a.nbytes <= memory.workspace for a in tile)
    assert memory.workspace < memory.total("workspace")  # what is not needed at the same time shares its bytes
    for a in tile:
        for b in tile:
            apart = a.offset + a.nbytes <= b.offset or b.offset + b.nbytes <= a.offset
            assert a is b or apart or a.last < b.first or b.last < a.first


M_LEAVES = [np.asarray(v) for layer in M.layers for v in (layer.weight, layer.bias)]


def test_memory_does_not_grow_with_the_points():
    a, b = lowered(20_000).memory, lowered(40_000).memory
    assert (a.arena, a.workspace) == (b.arena, b.workspace)


def test_code_and_instructions_are_text():
    low = lowered()
    names = {k.name for r in low.regions for k in r.kernels}
    assert all(f"@{name}(" in low.code for name in names)
    assert all(name in low.assembly() for name in names)


def test_it_fits_a_terminal():
    text = repr(lowered())
    assert text.startswith("program value_and_grad_loss: ")
    assert len(text.splitlines()) < 20
    assert max(map(len, text.splitlines())) <= 120
    assert "matmul" in repr(lowered().regions)
    assert max(map(len, repr(lowered().regions).splitlines())) <= 160
    assert "workspace" in repr(lowered().memory)


def test_a_program_that_gives_back_its_argument():
    low = ss.jit(lambda x: x).lower(ss.ones(3))
    assert list(low.regions) == []
    assert "0 operations" in repr(low)


# --- counts ------------------------------------------------------------------------------------------------------
def compiled_since(before):
    after = ss.compiler.stats()
    return after.programs - before.programs, after.kernels - before.kernels + after.loaded - before.loaded


def test_nothing_is_compiled_twice():
    f = ad.value_and_grad(loss)
    ss.jit(f)(M, points(2000))
    before = ss.compiler.stats()
    assert before.seconds > 0
    g = ss.jit(f)
    g(M, points(2000))
    g(M, points(2000))
    assert compiled_since(before) == (1, 0)


@pytest.mark.parametrize("n", [1999, 3000, 4100, 50001])
def test_another_number_of_points_compiles_no_native_code(n):
    f = ss.jit(ad.value_and_grad(loss))
    f(M, points(2000))
    before = ss.compiler.stats()
    f(M, points(n))
    assert compiled_since(before) == (1, 0)


CHILD = """
import scisim as ss
before = ss.compiler.stats()
assert before == ss.compiler.Stats(0, 0, 0, 0, 0.0), before
ss.jit(lambda x: ss.sum(x * 3.25 + ss.sqrt(x)))(ss.ones(777))
print(ss.compiler.stats().kernels, ss.compiler.stats().loaded)
"""


def test_a_second_process_loads_what_the_first_has_compiled(tmp_path):
    path = os.path.dirname(os.path.dirname(ss.__file__))
    env = os.environ | {"SCISIM_CACHE_DIR": str(tmp_path), "PYTHONPATH": path}
    (tmp_path / "work").mkdir()
    runs = [
        subprocess.run([sys.executable, "-c", CHILD], env=env, cwd=tmp_path, check=True, capture_output=True, text=True)
        for _ in range(2)
    ]
    first, second = (tuple(map(int, r.stdout.split())) for r in runs)
    assert first[0] > 0
    assert second[0] == 0
    assert second[1] > 0


def test_a_part_that_python_and_a_kernel_need_is_read_from_where_it_comes_from():
    def f(x):
        return ss.linalg.solve(x[:2, None] * ss.ones((2, 2)) + ss.eye(2), x[:2])

    x = ss.asarray([1.0, 2.0, 4.0])
    np.testing.assert_allclose(ss.jit(f)(x), f(x), rtol=1e-14)
