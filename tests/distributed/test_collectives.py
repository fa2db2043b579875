"""Collectives as primitives: on local values, and on sharded ones."""

from collections import Counter

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError
from scisim.distributed import (
    Mesh,
    Partial,
    Replicate,
    Shard,
    all_gather,
    all_reduce,
    barrier,
    broadcast,
    gather,
    reshard,
    run_ranks,
    shard,
    vary,
)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_local_values_on_threads(program, ranks):
    checks = program("local.py")
    assert run_ranks(ranks, checks.main) == [len(checks.CHECKS)] * ranks


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_local_values_over_mpi(mpirun, ranks):
    assert mpirun(ranks, "local.py").stdout == f"{ranks} ranks: 5 checks hold\n"


X = np.random.default_rng(4).normal(size=(5, 3))


def test_sharded_terms_are_combined():
    def main(comm):
        mesh = Mesh((2, 2), ("data", "model"))
        x = shard(X, mesh, (Shard(0), Shard(1)))
        total = ss.sum(x)
        assert total.placements == (Partial(), Partial())
        once = all_reduce(total, axis="data")
        assert once.placements == (Replicate(), Partial())
        assert all_reduce(once).placements == (Replicate(), Replicate())
        assert all_gather(x).placements == (Replicate(), Replicate())
        np.testing.assert_array_equal(all_gather(x), X)
        greatest = all_reduce(ss.max(shard(X[:4, :2], mesh, (Shard(0), Replicate()))), "max", axis="data")
        assert float(gather(greatest)) == X[:4, :2].max()

    run_ranks(4, main)


def test_the_derivative_of_a_sharded_reduction_is_the_identity():
    """A replicated output counts once: nothing is communicated, and every term gets the cotangent."""

    def main(comm):
        mesh = Mesh()
        x = shard(X, mesh, Shard(0))
        with mesh.counting() as counts:
            g = ad.grad(lambda x: all_reduce(ss.sum(ss.sin(x))))(x)
        assert counts == Counter(all_reduce=1)
        np.testing.assert_allclose(gather(g), np.cos(X), rtol=1e-14)
        series = ad.taylor(lambda x: all_reduce(ss.sum(ss.sin(x))), x, ss.ones_like(x), 3)
        np.testing.assert_allclose(gather(series[3]), -np.cos(X).sum() / 6, rtol=1e-12)
        rows = ss.vmap(lambda r: all_reduce(ss.sum(r**2)))(reshard(x, Shard(1)))
        np.testing.assert_allclose(gather(rows), (X**2).sum(1), rtol=1e-14)

    run_ranks(3, main)


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda m, x: all_reduce(1.0, "mean"), ArgumentError, "op is 'mean'"),
        (lambda m, x: all_reduce(1.0, axis="x"), ArgumentError, "axis='x' names an axis of a mesh"),
        (lambda m, x: all_reduce(x), ArgumentError, "dimension 0 of the value is cut along mesh axis 'x'"),
        (lambda m, x: all_reduce(ss.sum(x), "max"), ArgumentError, r"op is 'max', but the value is Partial\('sum'\)"),
        (lambda m, x: all_reduce(ss.sum(x), axis=1), ArgumentError, "there is no axis 1"),
        (lambda m, x: all_reduce(1j, "max"), DTypeError, "complex numbers have no order"),
        (lambda m, x: broadcast(1.0, root=2), ArgumentError, "root is 2"),
        (lambda m, x: broadcast(x), ArgumentTypeError, "broadcast: the value is sharded"),
        (lambda m, x: vary(x), ArgumentTypeError, "vary: the value is sharded"),
        (lambda m, x: barrier("x"), ArgumentTypeError, "barrier: an argument is a str"),
        (lambda m, x: all_gather(np.ones((2, 2 + m.rank))), ArgumentError, r"rank 0 has float64\[2, 2\]; rank 1 has"),
    ],
)
def test_misuse(f, error, words):
    def main(comm):
        mesh = Mesh()
        with pytest.raises(error, match=words):
            f(mesh, shard(X, mesh, Shard(0)))

    run_ranks(2, main)
