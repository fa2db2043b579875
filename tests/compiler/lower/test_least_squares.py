"""The functions of least squares as programs: nothing is left to Python, nothing large is copied."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import optim
from scisim.compiler.cpu.products_syrk import Syrk
from scisim.compiler.lower.program import lower
from scisim.compiler.lower.steps import Host, Region
from scisim.compiler.program import Program

RNG = np.random.default_rng(0)
COUNT, WIDTH = 300, 24


def network(dtype="float64"):
    sizes = [(2, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 1), (1,)]
    return [ss.asarray(RNG.normal(size=s).astype(dtype) * 0.3) for s in sizes]


def solution(p, t, x):
    h = ss.stack([t, x], axis=-1)
    for w, b in zip(p[:-2:2], p[1:-2:2], strict=True):
        h = ss.tanh(h @ w + b)
    return ss.sin(x) + t * (h @ p[-2] + p[-1])[..., 0]


def heat(p, t, x):
    u, ut, uxx = ad.partials(lambda t, x: solution(p, t, x), ["", "t", "xx"])(t, x)
    return ut - 0.1 * uxx + u


def wave(p, t, x):
    """Two equations."""
    u, ut, ux = ad.partials(lambda t, x: solution(p, t, x), ["", "t", "x"])(t, x)
    return ut + u * ux, u - x


def lowered(function, *args):
    return lower(function.lower(*args).graph, 512, 1)


def kernels(program):
    return [c.kernel for s in program.every() if isinstance(s, Region) for c in s.calls]


def data(residual):
    block = optim.LeastSquares(residual, RNG.uniform(size=(COUNT, 2)))._blocks[0]
    return block.rules, block.points, block.factor


@pytest.mark.parametrize(("residual", "equations"), [(heat, 1), (wave, 2)])
def test_the_normal_equations_are_one_region_and_the_gram_matrices(residual, equations):
    p, (rules, points, factor) = network(), data(residual)
    program = lowered(rules.normal, p, points, factor)
    assert not [s for s in program.every() if isinstance(s, Host)]
    assert sum(isinstance(k, Syrk) for k in kernels(program)) == equations
    columns = sum(a.size for a in p)
    memory = Syrk("float64").memory(columns)
    sums = (2 * equations + 1) * 8 * columns**2 if equations > 1 else 0  # Gram matrices that are added
    assert program.arena_bytes < equations * memory + sums + 4e5  # less than a Jacobian
    assert 8 * COUNT * columns > 4e5


@pytest.mark.parametrize("name", ["jacobian", "loss", "second"])
def test_no_other_function_needs_python_or_much_memory(name):
    p, (rules, points, factor) = network(), data(heat)
    args = {"jacobian": (points, factor), "loss": (points,), "second": (p, points)}[name]
    program = lowered(getattr(rules, name), p, *args)
    assert not [s for s in program.every() if isinstance(s, Host)]
    assert program.arena_bytes < 4e5


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("residual", [heat, wave])
def test_values_are_those_of_the_interpreter(residual, dtype):
    p, (rules, points, factor) = network(dtype), data(residual)
    points, factor = ss.astype(points, dtype), ss.astype(factor, dtype)
    compiled = rules.normal(p, points, factor)
    graph = rules.normal.lower(p, points, factor).graph
    want = Program(graph)(*[np.asarray(a) for a in (*p, points, factor)])
    got = [compiled[0], compiled[1], compiled[2], *compiled[3]]
    eps = 200 * np.finfo(dtype).eps
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=eps, atol=eps * np.abs(b).max())
