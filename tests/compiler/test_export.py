"""Programs in files: the same bits in a process that has none of the source, and clear refusals."""

import json
import os
import subprocess
import sys
import zipfile
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, optim
from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, DerivativeError, FileError

Pair = namedtuple("Pair", "first second")
X = ss.asarray([0.5, 1.5, 2.5])


def arrays(tree):
    return [np.asarray(v) for v in pytree.flatten(tree)[0]]


def assert_same_bits(a, b):
    assert pytree.flatten(a)[1] == pytree.flatten(b)[1]
    for u, v in zip(arrays(a), arrays(b), strict=True):
        assert u.dtype == v.dtype
        assert u.shape == v.shape
        assert u.tobytes() == v.tobytes()


def saved(tmp_path, f, *args, **kwargs):
    path = tmp_path / "program.ss"
    jitted = f if hasattr(f, "lower") else ss.jit(f)
    ss.export(jitted, path, *args, **kwargs)
    return jitted, path


def loop(x):
    return ss.fori_loop(0, 5, lambda k, v: v * 1.5 + k, x)


def branch(x):
    return ss.cond(ss.sum(x) > 0, lambda v: v * 2, lambda v: -v, x)


def steps(x):
    return ss.scan(lambda c, v: (c + v, c * v), 0.0, x)


def until(x):
    return ss.while_loop(lambda v: ss.max(v) < 100.0, lambda v: v * v + 1.0, x)


CASES = {
    "arithmetic": lambda x: ss.sum(x * 2.0 + 1.0) / 3,
    "moves": lambda x: ss.concat([x[::-1], ss.reshape(ss.stack([x, x]), (-1,))[1:4]]),
    "weak numbers": lambda x: (x * 2, x + 1.5, x**2, ss.where(x > 1, x, 0)),
    "constants": lambda x: x + ss.asarray([1.0, 2.0, 3.0]) + ss.ones(3),
    "not finite": lambda x: (x * float("inf"), x + float("nan"), x * -0.0),
    "integers": lambda x: ss.astype(x, ss.int32) // 2,
    "a constant result": lambda x: (x, ss.arange(4), 3),
    "complex": lambda x: (x + 2j) * x,
    "gathers": lambda x: x[ss.asarray([2, 0, 0])],
    "sorted": lambda x: ss.sort(-x),
    "fft": lambda x: ss.fft.fft(x),
    "solve": lambda x: ss.linalg.solve(ss.eye(3) * 2.0 + 1.0, x),
    "random": lambda x: x + ss.random.normal(ss.random.key(3), (3,)),
    "loop": loop,
    "branch": branch,
    "steps": steps,
    "until": until,
    "gradient": ad.grad(lambda x: ss.sum(ss.tanh(x) * x)),
    "second derivative": lambda x: ad.hvp(lambda v: ss.sum(ss.sin(v) * v), x, x),
}


@pytest.mark.parametrize("name", CASES)
def test_loaded_programs_give_the_same_bits(tmp_path, name):
    f, path = saved(tmp_path, CASES[name], X)
    assert_same_bits(ss.load(path)(X), f(X))


def test_structures_of_arguments_and_results(tmp_path):
    def f(a, b, *, c):
        return {"sum": a["u"] + b[0], "rest": [Pair(b[1], None), OrderedDict(z=c)]}

    args = {"u": X}, (X, 2 * X)
    jitted, path = saved(tmp_path, f, *args, c=3 * X)
    got = ss.load(path)(*args, c=3 * X)
    assert isinstance(got["rest"][0], Pair)
    assert_same_bits(got, jitted(*args, c=3 * X))


def test_half_precision_and_arrays_that_repeat(tmp_path):
    import ml_dtypes

    w = ss.asarray(np.arange(3).astype(ml_dtypes.bfloat16))
    big = ss.Tensor(np.broadcast_to(2.5, (1000, 1000)), copy=False)
    f, path = saved(tmp_path, lambda x: (ss.astype(w, ss.float32) * x, ss.sum(big * x[0])), X)
    assert_same_bits(ss.load(path)(X), f(X))
    assert os.path.getsize(path) < 100_000


def make_step():
    optimizer = optim.Adam(1e-2)

    @ss.jit
    def step(model, state, x, y):
        value, grads = ad.value_and_grad(lambda m: ss.mean((m(x)[:, 0] - y) ** 2))(model)
        return *optimizer.update(grads, state, model), value

    model = nn.MLP([2, 8, 1], key=ss.random.key(0))
    x = ss.random.normal(ss.random.key(1), (40, 2))
    return step, (model, optimizer.init(model), x, ss.sum(x, axis=1))


CHILD = """
import sys
import numpy as np
import scisim as ss
from scisim import nn, optim
step = ss.load(sys.argv[1])
data = np.load(sys.argv[2])
model = nn.MLP([2, 8, 1], key=ss.random.key(0))
state = optim.Adam(1e-2).init(model)
for _ in range(3):
    model, state, value = step(model, state, data["x"], data["y"])
np.savez(sys.argv[3], value=value, weight=model.layers[0].weight, count=state.step)
"""


def test_training_goes_on_in_a_process_without_the_source(tmp_path):
    step, (model, state, x, y) = make_step()
    ss.export(step, tmp_path / "step.ss", model, state, x, y)
    np.savez(tmp_path / "data.npz", x=x, y=y)
    for _ in range(3):
        model, state, value = step(model, state, x, y)
    files = [str(tmp_path / name) for name in ("step.ss", "data.npz", "out.npz")]
    subprocess.run([sys.executable, "-c", CHILD, *files], check=True, cwd=tmp_path, env=os.environ | PATH)
    out = np.load(tmp_path / "out.npz")
    assert out["value"].tobytes() == np.asarray(value).tobytes()
    assert out["weight"].tobytes() == np.asarray(model.layers[0].weight).tobytes()
    assert out["count"] == 3


PATH = {"PYTHONPATH": os.path.dirname(os.path.dirname(ss.__file__))}


def test_loaded_programs_differentiate_map_and_nest(tmp_path):
    def f(x):
        return ss.sum(ss.sqrt(x * x)) ** 2

    _, path = saved(tmp_path, f, X)
    g = ss.load(path)
    assert_same_bits(ad.grad(g)(X), ad.grad(ss.jit(f))(X))
    assert_same_bits(ss.jit(lambda x: g(x) + 1)(X), f(X) + 1)
    rows = ss.stack([X, 2 * X])
    np.testing.assert_allclose(ss.vmap(g)(rows), ss.vmap(f)(rows), rtol=1e-15)


def test_repeated_calls_take_whatever_fits(tmp_path):
    f, path = saved(tmp_path, lambda a, b: (a * b, a), X, X)
    g = ss.load(path)
    for _ in range(3):
        assert_same_bits(g(X, X + 1), f(X, X + 1))
        assert_same_bits(g(np.asarray(X), X), f(X, X))
        assert_same_bits(g(X, np.ones(3)), f(X, ss.ones(3)))
        with pytest.raises(ArgumentError):
            g(X[:2], X[:2])
    with ss.debug_nans(), pytest.raises(FloatingPointError):
        g(X, X * np.nan)


def test_static_arguments_are_part_of_the_program(tmp_path):
    f = ss.jit(lambda n, x: x * n, static_argnums=0)
    ss.export(f, tmp_path / "f.ss", 3, X)
    assert_same_bits(ss.load(tmp_path / "f.ss")(X), 3 * X)


def test_functions_with_rules_of_their_own_run_but_do_not_differentiate(tmp_path):
    @ad.custom_jvp
    def cube(x):
        return x**3

    cube.defjvp(lambda primals, tangents: (cube(*primals), tangents[0]))
    f, path = saved(tmp_path, lambda x: ss.sum(cube(x)), X)
    g = ss.load(path)
    assert_same_bits(g(X), f(X))
    with pytest.raises(DerivativeError, match="cube had a derivative of its own"):
        ad.grad(g)(X)
    derived, path = saved(tmp_path, ad.grad(lambda x: ss.sum(cube(x))), X)
    assert_same_bits(ss.load(path)(X), derived(X))
    np.testing.assert_array_equal(derived(X), np.ones(3))


def test_a_loaded_program_shows_its_graph_and_lines(tmp_path):
    _, path = saved(tmp_path, CASES["arithmetic"], X)
    program = ss.load(path)
    graph = program.lower().graph
    assert graph.count() > 0
    assert all("test_export.py" in str(eq.source) for eq in graph.equations)
    assert "program.ss" in repr(program)


def test_calls_that_do_not_fit_are_refused(tmp_path):
    _, path = saved(tmp_path, lambda a, b: a + b["k"], X, {"k": X})
    f = ss.load(path)
    with pytest.raises(ArgumentError, match=r"argument \[1\]\['k'\] is float64\[2\].*exported for float64\[3\]"):
        f(X, {"k": X[:2]})
    with pytest.raises(ArgumentTypeError, match="structure"):
        f(X, {"other": X})


def test_what_is_no_data_is_refused(tmp_path):
    class Local(nn.Module):
        w: ss.Tensor

    with pytest.raises(ArgumentTypeError, match=r"Local is defined inside a function"):
        ss.export(ss.jit(lambda m: m.w), tmp_path / "f.ss", Local(X))
    with pytest.raises(ArgumentTypeError, match=r"made by jit, got function.*ss\.jit"):
        ss.export(lambda x: x, tmp_path / "f.ss", X)
    with pytest.raises(ArgumentError, match="inside of a transformation"):
        ad.grad(lambda x: ss.export(ss.jit(ss.sin), tmp_path / "f.ss", x))(1.0)
    with pytest.raises(FileError, match="cannot be written"):
        ss.export(ss.jit(ss.sin), tmp_path / "none" / "f.ss", X)
    assert list(tmp_path.iterdir()) == []


# --- files that are not what they should be ---------------------------------------------------------------------------
def rewritten(path, change):
    """The file with its document changed."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    document = json.loads(parts["program.json"])
    change(document, parts)
    parts["program.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in parts.items():
            file.writestr(name, data)


def set_graph(key, value):
    def change(document, parts):
        document["graphs"][-1][key] = value

    return change


def rename_operation(document, parts):
    document["graphs"][-1]["equations"][0][0] = "no such thing"


def lie_about_a_shape(document, parts):
    document["graphs"][-1]["equations"][0][3][0][1] = [1000]


def use_before_definition(document, parts):
    document["graphs"][-1]["equations"][0][1][0] = {"var": 99}


def spoil_an_array(document, parts):
    parts["0.npy"] = parts["0.npy"][:-8]


def pickle_an_array(document, parts):
    import io

    held = io.BytesIO()
    np.save(held, np.array([print, print, print], object), allow_pickle=True)
    parts["0.npy"] = held.getvalue()


def drop_the_arrays(document, parts):
    del parts["0.npy"]


DAMAGES = {
    "format": (lambda d, p: d.update(format="other"), "no program that scisim has written"),
    "version": (lambda d, p: d.update(version=99), "format version 99"),
    "operation": (rename_operation, "'no such thing', which this version of scisim does not have"),
    "shape": (lie_about_a_shape, "says that mul gives"),
    "order": (use_before_definition, "uses value 99 before it is computed"),
    "no outputs": (set_graph("outputs", []), "structures do not fit"),
    "missing part": (lambda d, p: d.pop("arguments"), "damaged"),
    "short array": (spoil_an_array, "damaged"),
    "pickle": (pickle_an_array, "damaged.*pickle"),
    "array": (drop_the_arrays, "damaged"),
    "graph": (lambda d, p: d.update(graph=7), "refers to graph 7"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_files_are_refused(tmp_path, name):
    change, match = DAMAGES[name]
    _, path = saved(tmp_path, lambda x: x * ss.asarray([1.0, 2.0, 3.0]), X)
    rewritten(path, change)
    with pytest.raises(FileError, match=f"load: .*program.ss.*{match}"):
        ss.load(path)


def test_files_that_are_no_programs_are_refused(tmp_path):
    path = tmp_path / "f.ss"
    with pytest.raises(FileError, match="does not exist"):
        ss.load(path)
    path.write_bytes(b"not a program")
    with pytest.raises(FileError, match="no program that scisim has written"):
        ss.load(path)
    _, good = saved(tmp_path, lambda x: x * ss.asarray([1.0, 2.0, 3.0]), X)
    data = bytearray(good.read_bytes())
    data[len(data) // 2] ^= 0xFF
    for spoiled in (bytes(data), good.read_bytes()[:-40]):
        path.write_bytes(spoiled)
        with pytest.raises(FileError, match="damaged"):
            ss.load(path)
