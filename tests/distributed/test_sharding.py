"""Sharded values: programs and their derivatives, what is communicated, and what is refused."""

import inspect
import itertools
from collections import Counter

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DistributedError,
    ScisimError,
    ShapeError,
    TraceError,
)
from scisim.core.tensor import unwrap, wrap
from scisim.distributed import (
    Mesh,
    Partial,
    Replicate,
    SerialCommunicator,
    Shard,
    from_local,
    gather,
    reshard,
    run_ranks,
    shard,
)
from scisim.distributed.placements import block
from scisim.ops.arithmetic import pin


@pytest.fixture(autouse=True)
def verified(monkeypatch):
    monkeypatch.setattr(Mesh, "verify", True)


# --- programs and derivatives equal those of one process -------------------------------------------------------
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_programs_on_threads(program, ranks):
    checks = program("sharded.py")
    run_ranks(ranks, lambda comm: checks.main(comm, seed=ranks))


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_programs_over_mpi(mpirun, ranks):
    out = mpirun(ranks, "sharded.py", timeout=120).stdout
    assert out.startswith(f"{ranks} ranks: ")
    assert out.endswith("comparisons hold\n")


def test_gradients_do_not_depend_on_the_number_of_ranks(program):
    network = program("sharded.py").network
    rng = np.random.default_rng(1)
    x, w, v = rng.normal(size=(13, 4)), rng.normal(size=(4, 5)), rng.normal(size=(5, 2))

    def main(comm):
        mesh = Mesh()
        f = ad.grad(lambda t: network(shard(x, mesh, Shard(0)), t, v))
        return np.asarray(gather(f(shard(w, mesh, Replicate()))))

    (first,) = run_ranks(1, main)
    for ranks in (2, 5, 16):
        for got in run_ranks(ranks, main):
            np.testing.assert_allclose(got, first, rtol=1e-12, atol=1e-12)


# --- what is communicated ------------------------------------------------------------------------------------
def counted(ranks, f):
    """The collectives of f(mesh), which are the same on every rank."""

    def main(comm):
        mesh = Mesh()
        with mesh.counting() as counts:
            f(mesh)
        return counts

    first, *others = run_ranks(ranks, main)
    assert all(c == first for c in others)
    return first


X, W, V = (np.random.default_rng(3).normal(size=s) for s in ((13, 4), (4, 5), (5, 1)))


def loss(w, v, x):
    c = ad.taylor(lambda t: ss.tanh(ss.tanh(t @ w) @ v), x, ss.ones_like(x), 2)
    return ss.mean((2.0 * c[2] + c[0]) ** 2)


def test_a_gradient_reduces_each_weight_once():
    def gradient(mesh):
        x, w, v = shard(X, mesh, Shard(0)), shard(W, mesh, Replicate()), shard(V, mesh, Replicate())
        value, (gw, gv) = ad.value_and_grad(loss, (0, 1))(w, v, x)
        assert value.placements == gw.placements == gv.placements == (Replicate(),)

    assert counted(3, gradient) == Counter(all_reduce=3)  # and the value once


def test_plain_weights_get_reduced_gradients():
    def gradient(mesh):
        value, g = ad.value_and_grad(loss)(ss.asarray(W), ss.asarray(V), shard(X, mesh, Shard(0)))
        assert value.placements == g.placements == (Replicate(),)
        assert g.numpy().shape == W.shape

    assert counted(3, gradient) == Counter(all_reduce=2)


def test_gathering_many_partial_sums_is_one_message():
    def sums(mesh):
        x = shard(X, mesh, Shard(0))
        got = gather({"a": ss.sum(x), "b": [ss.sum(x, axis=0), x.T @ x]})
        np.testing.assert_allclose(got["a"], X.sum())
        np.testing.assert_allclose(got["b"][0], X.sum(0))
        np.testing.assert_allclose(got["b"][1], X.T @ X)

    assert counted(3, sums) == Counter(all_reduce=1)


@pytest.mark.parametrize(
    ("f", "counts"),
    [
        (lambda x, w: ss.tanh(x @ w) + 1.0, {}),
        (lambda x, w: ss.sum(x) * 2.0 - ss.sum(x**2), {}),  # partial sums pass linear operations
        (lambda x, w: ss.sum(x) ** 2, {"all_reduce": 1}),
        (lambda x, w: [ss.sin(s := ss.sum(x)), s**2, ss.exp(s)], {"all_reduce": 1}),  # and meet once
        (lambda x, w: ss.reshape(x, (26, 2)), {}),
        (lambda x, w: ss.fft.fft(x), {}),  # along an axis that is not cut
        (lambda x, w: ss.fft.fft(x.T), {"all_to_all": 1}),
        (lambda x, w: x[1:] - x[:-1], {"exchange": 2}),
        (lambda x, w: x[:, 1:], {}),
        (lambda x, w: ss.max(x), {}),
        (lambda x, w: x[np.array([1, 5, 1])], {}),
        (lambda x, w: ss.argmax(x, axis=1), {}),
        (lambda x, w: bool(ss.all(x < 9.0)), {"all_reduce": 1}),
        (lambda x, w: ss.vmap(lambda row: row @ w)(x), {}),
    ],
)
def test_communication(f, counts):
    assert counted(3, lambda mesh: f(shard(X, mesh, Shard(0)), shard(W, mesh, Replicate()))) == Counter(counts)


def test_axes_that_split_where_the_unit_allows_stay_in_place():
    def split(mesh):
        x = shard(np.arange(48.0).reshape(24, 2), mesh, Shard(0, unit=8))
        assert ss.reshape(x, (6, 4, 2)).placements == (Shard(0, unit=2),)
        assert ss.reshape(x, (48,)).placements == (Shard(0, unit=16),)

    assert counted(3, split) == Counter()


def test_each_rank_computes_its_own_rows():
    seen = []

    def main(comm):
        x = shard(X, Mesh(), Shard(0))
        y = ad.grad(lambda t: ss.sum(ss.sin(t @ W) ** 2))(x)
        seen.append(y.to_local().shape)

    run_ranks(3, main)
    assert sorted(seen) == [(4, 4), (4, 4), (5, 4)]


# --- inside other transformations ------------------------------------------------------------------------------
def same(f, *placements):
    """f(x, w) on three ranks equals one process."""
    want = np.asarray(f(ss.asarray(X), ss.asarray(W)))

    def main(comm):
        mesh = Mesh()
        for p in placements or (Shard(0), Shard(1), Replicate()):
            got = np.asarray(gather(f(shard(X, mesh, p), shard(W, mesh, Replicate()))))
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)

    run_ranks(3, main)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, w: ss.vmap(ad.grad(lambda r: ss.sum(ss.tanh(r @ w) ** 2)))(x),
        lambda x, w: ss.jit(ad.grad(lambda w, x: ss.sum(ss.tanh(x @ w) ** 2)))(w, x),
        lambda x, w: ad.grad(ss.jit(lambda w, x: ss.sum(ss.tanh(x @ w) ** 2)))(w, x),
        lambda x, w: ad.jacobian(lambda w: ss.sum(ss.tanh(x @ w), axis=0))(w),
        lambda x, w: ad.hessian(lambda v: ss.sum(ss.tanh(x @ v) ** 2))(w[:, 0]),
        lambda x, w: ad.grad(lambda w: ss.sum(ad.checkpoint(lambda w: ss.tanh(x @ w))(w) ** 2))(w),
        lambda x, w: ad.laplacian(lambda a, b: ss.tanh(a * b) + ss.sin(a))(x[:, 0], x[:, 1]),
        lambda x, w: ad.partial(lambda a, b: ss.tanh(a * b), "aab")(x[:, 0], x[:, 1]),
        lambda x, w: ad.grad(lambda z: ss.sum(ss.abs(ss.exp(z * 1j) @ w) ** 2))(x + 1j * x),
        lambda x, w: ss.jit(ss.vmap(ad.grad(ss.jit(lambda r: ss.sum(ss.sin(r) ** 2)))))(x),
    ],
    ids=lambda f: None,
)
def test_transformations(f):
    same(f)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ss.cond(ss.sum(x) > -100.0, lambda x: x**2, lambda x: x, x),
        lambda x: ss.while_loop(lambda x: ss.sum(x**2) > 1.0, lambda x: x * 0.7, x),
        lambda x: ss.fori_loop(0, 3, lambda i, x: ss.sin(x) + x, x),
        lambda x: ss.scan(lambda c, r: (c + ss.sum(r), r * c), 0.5, x)[1],
    ],
    ids=["cond", "while", "fori", "scan"],
)
def test_control_flow(f):
    same(lambda x, w: f(x))


def test_gradients_through_control_flow():
    same(lambda x, w: ad.grad(lambda x: ss.sum(ss.cond(ss.sum(x) > 0.0, lambda x: x**2, lambda x: x, x)))(x))
    same(lambda x, w: ad.grad(lambda x: ss.sum(ss.scan(lambda c, r: (c + ss.sum(r), r * c), 0.5, x)[1]))(x))


def test_roots_of_sharded_squares():
    same(lambda x, w: ad.taylor(lambda t: ss.sqrt(x**2 * t**2), 0.0, 1.0, 2)[1])
    same(lambda x, w: ad.taylor(lambda t: ss.sqrt(ss.sum((x * t) ** 2)), 1.0, 1.0, 2)[2])


def test_truth_values_stay_boolean():
    same(lambda x, w: (x > 0.0)[0])
    same(lambda x, w: ss.any(x > 1.0, axis=0) | ss.all(x < 2.0, axis=0))


def test_an_exact_zero_of_a_sum_is_not_one_of_its_terms():
    """The slope of sqrt at 0 is infinite; the sum that multiplies it is 0, its terms are not."""

    def main(comm):
        x = shard(np.array([1.0, -3.0, 2.0]), Mesh(), Shard(0))
        return float(gather(ad.grad(lambda w: ss.sum(x * ss.sqrt(w)))(0.0)))

    assert run_ranks(3, main) == [0.0] * 3


def test_a_pinned_value_lies_where_the_value_does():
    def main(comm):
        x = shard(X, Mesh(), Shard(0))
        total, value = ss.sum(x), reshard(ss.sum(x), Replicate())
        return float(gather(wrap(pin(unwrap(total), unwrap(value)))))

    np.testing.assert_allclose(run_ranks(3, main), X.sum(), rtol=1e-12)


# --- values -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ranks", [1, 3, 5])
def test_blocks_make_up_the_whole(ranks):
    x = np.arange(7 * 3).reshape(7, 3)

    def main(comm):
        mesh = Mesh()
        for p in (Shard(0), Shard(-1), Shard(0, unit=2), Replicate()):
            t = shard(x, mesh, p)
            np.testing.assert_array_equal(t.to_local(), x[mesh.slices(x.shape, p)])
            np.testing.assert_array_equal(gather(from_local(t.to_local(), mesh, p, x.shape)), x)
        return shard(x, mesh, Shard(0, unit=2)).to_local().shape[0]

    assert sum(run_ranks(ranks, main)) == 7


@pytest.mark.parametrize(("n", "unit", "count"), [(0, 1, 3), (1, 1, 3), (10, 1, 3), (10, 4, 3), (2, 5, 4), (12, 3, 4)])
def test_blocks_are_balanced_multiples_of_the_unit(n, unit, count):
    blocks = [block(0, n, unit, k, count) for k in range(count)]
    assert blocks[0][0] == 0
    assert blocks[-1][1] == n
    assert all(a[1] == b[0] for a, b in itertools.pairwise(blocks))
    units = [-(-(hi - lo) // unit) for lo, hi in blocks]
    assert max(units) - min(units) <= 1
    assert all(lo % unit == 0 or lo == n for lo, _ in blocks)


def test_containers_and_placements():
    def main(comm):
        mesh = Mesh()
        tree = shard({"w": W, "b": [V]}, mesh, Replicate())
        assert tree["b"][0].placements == (Replicate(),)
        moved = reshard(tree, Shard(0))
        assert moved["w"].placements == (Shard(0),)
        np.testing.assert_array_equal(gather(moved)["w"], W)
        assert gather([1.0, V])[1] is V

    run_ranks(2, main)


def test_equal_meshes_are_one():
    def main(comm):
        assert Mesh() is Mesh((4,)) is Mesh(4)
        assert Mesh((2, 2)) is not Mesh((2, 2), ("data", "model"))
        mesh = Mesh((2, 2), ("data", "model"))
        assert (mesh.size, mesh.rank, mesh.comm) == (4, comm.rank, comm)
        assert mesh.axis("model") == 1
        assert repr(mesh) == f"<Mesh data=2, model=2, rank {comm.rank}>"
        x = shard(X, mesh, (Shard(0), Shard(0)))
        assert "float64[13, 4] Shard(0), Shard(0)" in repr(x)

    run_ranks(4, main)


def test_replicated_values_may_be_read():
    def main(comm):
        x = shard(X, Mesh(), Shard(0))
        total = gather(ss.sum(x))
        reduced = reshard(ss.sum(x), Replicate())
        assert float(total) == float(reduced) == np.asarray(reduced)
        assert ss.sum(x) > -1e9
        assert ss.any(x > 0.0)

    run_ranks(3, main)


# --- what is refused --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (
            lambda m, x: float(ss.sum(x)),
            TraceError,
            r"a Python float was asked of <sharded float64\[\] Partial\('sum'\)>",
        ),
        (lambda m, x: np.asarray(x), TraceError, "of which this rank holds a part only. Call distributed.gather"),
        (lambda m, x: bool(x[:1, 0] > 0), TraceError, "one rank could go another way"),
        (lambda m, x: Mesh((3,)), ArgumentError, "shape \\(3,\\) has 3 places, but there are 2 ranks"),
        (lambda m, x: Mesh((2,), ("a", "b")), ArgumentError, "names \\('a', 'b'\\) for 1 axes"),
        (lambda m, x: Mesh((1, 2), ("a", "a")), ArgumentError, "a name of its own"),
        (lambda m, x: m.axis("data"), ArgumentError, "there is no axis 'data'"),
        (lambda m, x: shard(X, m, (Shard(0), Shard(1))), ArgumentError, "2 placements for a mesh with 1 axes"),
        (lambda m, x: shard(X, m, Shard(2)), ArgumentError, "Shard\\(2\\) for a value with 2 dimensions"),
        (lambda m, x: shard(X, m, "rows"), ArgumentTypeError, "placements are 'rows'"),
        (lambda m, x: shard(X, 2, Shard(0)), ArgumentTypeError, "mesh is 2"),
        (lambda m, x: reshard(X, Shard(0)), ArgumentTypeError, "the value is not sharded; use shard"),
        (lambda m, x: from_local(X, m, Shard(0), X.shape), ShapeError, "rank 0 gives a block of shape \\(13, 4\\)"),
        (lambda m, x: x + shard(X, Mesh((1, 2)), (Replicate(), Shard(0))), DistributedError, "lie on two meshes"),
        (lambda m, x: shard(X, Mesh((1, 2)), (Partial(), Partial("max"))), ArgumentError, "in two ways"),
        (lambda m, x: Partial("mean"), ArgumentError, "op is 'mean'"),
        (lambda m, x: Shard(0, unit=0), ArgumentError, "unit is 0"),
        (lambda m, x: Shard("rows"), ArgumentTypeError, "dim and unit are integers"),
    ],
)
def test_misuse(f, error, words):
    def main(comm):
        mesh = Mesh()
        x = shard(X, mesh, Shard(0))
        if comm.rank == 0:
            with pytest.raises(error, match=words):
                f(mesh, x)
        else:
            with pytest.raises(error):
                f(mesh, x)

    run_ranks(2, main)


def test_a_mesh_of_one_process_needs_nothing():
    mesh = Mesh(comm=SerialCommunicator())
    x = shard(X, mesh, Shard(0))
    np.testing.assert_allclose(gather(ss.sum(ss.sin(x))), np.sin(X).sum(), rtol=1e-15)


def test_shard_takes_integers_and_true_is_none():
    """True equals 1, so that Shard(True) would stand for Shard(1) everywhere from then on."""
    with pytest.raises(TypeError, match="dim and unit are integers, got True"):
        Shard(True)
    assert Shard(np.int64(1)) is Shard(1)
    assert list(inspect.signature(Shard).parameters) == ["dim", "unit"]


def test_truth_values_stay_truth_values_between_all_placements():
    x = np.arange(10).reshape(5, 2) % 3 == 0
    places = [Shard(0), Shard(1), Replicate(), *map(Partial, ("sum", "max", "min", "prod"))]

    def program(comm):
        pairs = [(a, b) for a in places for b in places]
        return [gather(reshard(shard(x, Mesh(), a), b)).numpy() for a, b in pairs]

    for made in run_ranks(3, program):
        for y in made:
            assert y.dtype == np.bool_
            np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Mesh(1.0), "Mesh: shape is 1.0"),
        (lambda: Mesh("x"), "Mesh: shape is 'x'"),
        (lambda: Mesh(names=3), "names are 3; they must be strings"),
        (lambda: Mesh(comm=3), "comm is 3; it must be a Communicator"),
        (lambda: Mesh().slices(4, Shard(0)), "Mesh.slices: shape is 4"),
        (lambda: from_local(np.zeros(3), Mesh(), Shard(0), 3), "from_local: shape is 3"),
        (lambda: from_local(np.zeros(0), Mesh(), Shard(0), (-4,)), "integers of at least 0"),
        (lambda: from_local(np.zeros(3), 3, Shard(0), (3,)), "mesh is 3; it must be a Mesh"),
        (lambda: run_ranks(2, 3), "function is 3; it must be a function of a communicator"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(call, message):
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert isinstance(caught.value, ScisimError)


def test_integers_of_numpy_are_lengths_of_a_mesh():
    assert run_ranks(2, lambda comm: Mesh(np.int64(2)).shape) == [(2,), (2,)]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_captured_function_may_shard_its_arguments(n):
    def ranks(comm):
        mesh = Mesh((n,), ("d",), comm)

        def f(x):
            return ss.sum(ss.sin(shard(x, mesh, Shard(0))) ** 2)

        x = ss.arange(5.0)
        return [gather(g(x)).numpy() for g in (ss.jit(f), ss.jit(ad.grad(f)), ad.grad(ss.jit(f)), ad.grad(f))]

    for value, *grads in run_ranks(n, ranks):
        x = np.arange(5.0)
        np.testing.assert_allclose(value, np.sum(np.sin(x) ** 2), rtol=1e-14)
        for g in grads:
            np.testing.assert_allclose(g, np.sin(2 * x), rtol=1e-14, atol=1e-15)
