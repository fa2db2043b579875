"""Programs on disk: found again by what was captured, with the same bits, and made anew where anything differs."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler import programs
from scisim.compiler.cpu.cache import DiskCache
from scisim.compiler.cpu.executor import executor
from scisim.compiler.graph_key import graph_key
from scisim.compiler.guard import GuardedProgram
from scisim.compiler.plan import pack, unpack

X = np.linspace(0.1, 2.0, 12).reshape(3, 4)


def captured(f, *args):
    return ss.jit(f)._program(args, {})[0].captured


def key(f, *args):
    return graph_key(captured(f, *args))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own for this process's library."""
    monkeypatch.setattr(executor().library, "cache", DiskCache(tmp_path))
    return tmp_path


def run_of(f, *args):
    """What runs a function, and its results."""
    jitted = ss.jit(f)
    out = jitted(*args)
    (program,) = jitted.programs.values()
    return program.run, out


def came_from_disk(run):
    return run.built() is not run


def bits(tree):
    return [np.asarray(v).tobytes() for v in (tree if isinstance(tree, tuple) else (tree,))]


# --- keys --------------------------------------------------------------------------------------------------------
def test_equal_functions_have_equal_keys():
    assert key(lambda x: ss.sin(x) * 2.0, X) == key(lambda y: ss.sin(y) * 2.0, X + 1) is not None


DIFFERENT = [
    (lambda x: x * 2.0, X),
    (lambda x: x * 3.0, X),
    (lambda x: x * 2, X),
    (lambda x: x + 2.0, X),
    (lambda x: 2.0 - x, X),
    (lambda x: x - 2.0, X),
    (lambda x: x * 2.0, X[0]),
    (lambda x: x * 2.0, X.astype(np.float32)),
    (lambda x: x * 0.0, X),
    (lambda x: x * -0.0, X),
    (lambda x: x * np.full(4, 2.0), X),
    (lambda x: x * np.full(4, 3.0), X),
    (lambda x: ss.sum(x, axis=0), X),
    (lambda x: ss.sum(x, axis=1), X),
    (lambda x: x[1:], X),
    (lambda x: x[:2], X),
    (lambda x: ss.cond(x[0, 0] > 0, lambda v: v * 2.0, lambda v: v, x), X),
    (lambda x: ss.cond(x[0, 0] > 0, lambda v: v * 4.0, lambda v: v, x), X),
]


def test_whatever_differs_tells_graphs_apart():
    keys = [key(f, x) for f, x in DIFFERENT]
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_code_of_the_user_has_no_key():
    @ad.custom_jvp
    def f(x):
        return x * 2.0

    f.defjvp(lambda primals, tangents: (f(*primals), 3.0 * tangents[0]))
    assert key(f, X) is None


def test_large_constants_have_no_key(monkeypatch):
    big = np.arange(4096.0)
    assert key(lambda x: x + big, big) is not None
    monkeypatch.setattr("scisim.compiler.graph_key.LARGEST", 4096)
    assert key(lambda x: x + big, big) is None


# --- programs ----------------------------------------------------------------------------------------------------
W = np.linspace(-1.0, 1.0, 20).reshape(4, 5)
FUNCTIONS = {
    "products": lambda x: ss.tanh(x @ W) @ W.T,
    "several results": lambda x: (ss.sum(x), x, ss.ones(3), ss.exp(x)),
    "a loop": lambda x: ss.fori_loop(0, 5, lambda k, v: v * 1.5 - x, x),
    "derivative": ad.grad(lambda x: ss.sum(ss.sin(x) ** 3)),
    "complex": lambda x: (x + 2j) * ss.exp(1j * x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_from_the_disk_gives_the_same_bits(folder, name):
    first, made = run_of(FUNCTIONS[name], X)
    second, loaded = run_of(FUNCTIONS[name], X)
    assert not came_from_disk(first)
    assert came_from_disk(second)
    assert bits(loaded) == bits(made)
    assert second.lowered.steps  # can be looked at


def test_host_steps_are_not_kept(folder):
    f = lambda x: ss.linalg.solve(x @ x.T + ss.eye(3), x)
    for _ in range(2):
        run, out = run_of(f, X)
        assert not came_from_disk(run)
        np.testing.assert_allclose((X @ X.T + np.eye(3)) @ np.asarray(out), X, rtol=1e-13)


def test_a_guarded_program_from_the_disk_is_as_exact(folder):
    f = ad.grad(lambda x: ss.sum(ss.sqrt(x) * ss.where(x > 1.0, x, 0.0)))
    x = np.array([0.0, 0.5, 2.0])
    runs = [run_of(f, x) for _ in range(2)]
    assert isinstance(runs[0][0], GuardedProgram) is isinstance(runs[1][0], GuardedProgram)
    assert came_from_disk(runs[1][0])
    assert bits(runs[0][1]) == bits(runs[1][1])
    assert bits(runs[0][1]) == bits(f(ss.asarray(x)))


def test_a_damaged_program_is_made_anew(folder):
    f = lambda x: ss.cos(x) + 7.0
    _, out = run_of(f, X)
    for path in folder.glob("*.o"):
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    run, again = run_of(f, X)
    assert not came_from_disk(run)
    assert bits(again) == bits(out)
    assert came_from_disk(run_of(f, X)[0])


def test_a_program_whose_kernels_are_gone_is_made_anew(folder, monkeypatch):
    f = lambda x: ss.cos(x) + 8.0
    run_of(f, X)
    monkeypatch.setattr(executor().library, "find", lambda names: None)
    assert not came_from_disk(run_of(f, X)[0])


def test_a_donated_argument_is_written_over_again(folder):
    step = lambda x: x * 2.0 + 1.0
    for _ in range(2):
        given = ss.asarray(np.arange(1e5))
        where = np.asarray(given).ctypes.data
        out = ss.jit(step, donate_argnums=0)(given)
        assert np.asarray(out).ctypes.data == where
        np.testing.assert_array_equal(np.asarray(out), np.arange(1e5) * 2 + 1)


def test_profiles_of_programs_from_the_disk(folder):
    f = lambda x: ss.sum(ss.exp(x) @ W)
    run_of(f, X)
    jitted = ss.jit(f)
    jitted(X)
    with ss.profile() as found:
        jitted(X)
    assert "exp" in repr(found)


def test_a_plan_as_bytes(folder):
    plan = run_of(FUNCTIONS["several results"], X)[0].plan
    again = unpack(pack(plan))
    assert pack(again) == pack(plan)
    assert again.results == plan.results
    assert again.image.kernels == plan.image.kernels


def test_donations_and_sources_are_part_of_the_name(monkeypatch):
    graph = captured(lambda x: x * 2.0, X)
    names = {programs._key(graph, ()), programs._key(graph, (0,))}
    monkeypatch.setattr(programs, "_sources", lambda: "others")
    assert len(names | {programs._key(graph, ())}) == 3
