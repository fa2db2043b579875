"""What every communicator must do, for any number of ranks:  mpirun -n 3 python collectives.py"""

import re

import ml_dtypes
import numpy as np
import pytest

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError
from scisim.distributed import world

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
INEXACT = ["f2", "f4", "f8", "g", "F", "D", "G", ml_dtypes.bfloat16]


def raises(error, match, f, *args, **kwargs):
    with pytest.raises(error, match=re.escape(match)):
        f(*args, **kwargs)


def equal(got, want):
    want = np.asarray(want)
    assert type(got) is np.ndarray
    assert got.dtype == want.dtype, f"dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"shape {got.shape}, not {want.shape}"
    np.testing.assert_array_equal(got, want)


def ranks(comm, f):
    return [f(r) for r in range(comm.size)]


def all_reduce_of_every_dtype(comm):
    for dtype in map(np.dtype, INTEGERS + INEXACT):
        unit = 1 + 1j if dtype.kind == "c" else 1

        def x(r, dtype=dtype, unit=unit):
            return np.array([[r + 1, 2, 3]] * 2).astype(dtype) * dtype.type(unit)  # small integers: sums are exact

        mine = x(comm.rank)
        equal(comm.all_reduce(mine), sum(ranks(comm, x), np.zeros((2, 3), dtype)))
        assert mine.base is None
        equal(mine, x(comm.rank))
        if dtype.kind != "c":
            equal(comm.all_reduce(mine, "max"), x(comm.size - 1))
            equal(comm.all_reduce(mine, "min"), x(0))
    product = comm.all_reduce(np.array([1.0 + 1j, 2.0]), "prod")
    np.testing.assert_allclose(product, [(1 + 1j) ** comm.size, 2.0**comm.size], rtol=1e-15)


def halves_are_summed_in_float32(comm):
    """1 + 3 * 2**-12: in float16 no term would move the sum."""
    total = comm.all_reduce(np.array(1.0 if comm.rank == 0 else 2.0**-12, "f2"))
    equal(total, np.float16(np.float32(1 + (comm.size - 1) * 2.0**-12)))


def booleans(comm):
    mine = np.array([True, False, comm.rank == 0])
    equal(comm.all_reduce(mine), np.array([comm.size, 0, 1]))
    equal(comm.all_reduce(mine, "max"), np.array([True, False, True]))
    equal(comm.all_reduce(mine, "min"), np.array([True, False, comm.size == 1]))


def nan_survives(comm):
    for where in range(comm.size):
        mine = np.array([np.nan if comm.rank == where else 1.0, comm.rank], "f4")
        for op, other in (("max", comm.size - 1), ("min", 0)):
            equal(comm.all_reduce(mine, op), np.array([np.nan, other], "f4"))


def refused_reductions(comm):
    raises(DTypeError, "complex numbers have no order", comm.all_reduce, np.ones(2, complex), "max")
    raises(ArgumentError, "op is 'mean'", comm.all_reduce, np.ones(2), "mean")
    raises(DTypeError, "cannot be reduced", comm.all_reduce, np.array(["a"]))
    raises(ArgumentError, f"ranks are 0 to {comm.size - 1}", comm.broadcast, np.ones(2), comm.size)


def memory_layouts(comm):
    base = np.arange(24.0).reshape(4, 6) + comm.rank
    for view in (
        base.T,
        base[::2, ::-1],
        base[1:1],
        base[0, 0],
        base.astype(">f8"),
        np.broadcast_to(base[0, 0], (3, 2)),
    ):
        equal(
            comm.all_reduce(view),
            sum((np.array(view, float) - comm.rank + r for r in range(comm.size)), 0 * view.astype(float)),
        )
        equal(comm.broadcast(view), np.array(view, float) - comm.rank)


def gather_uneven_and_empty_blocks(comm):
    for length in (
        lambda r: 2,
        lambda r: r,
        lambda r: 3 if r == comm.size - 1 else 0,
        lambda r: 0,
        lambda r: 5 - r % 3,
    ):
        for dtype in ("f8", "D", "?", "f2", "i1", "U3", "M8[s]", ml_dtypes.bfloat16):

            def block(r, dtype=dtype, length=length):
                return (np.arange(length(r) * 2).reshape(length(r), 2) + 10 * r).astype("i8").astype(dtype)

            equal(comm.all_gather(block(comm.rank)), np.concatenate(ranks(comm, block)))
    equal(comm.all_gather(np.float32(comm.rank)), np.arange(comm.size, dtype="f4"))


def broadcast_from_every_root(comm):
    for root in range(comm.size):
        for dtype in ("f8", "D", "?", "f2", "U3", ml_dtypes.bfloat16):
            value = np.arange(6).reshape(2, 3).astype("i8").astype(dtype)
            equal(comm.broadcast(value if comm.rank == root else None, root), value)
        equal(comm.broadcast(np.ones((0, 3)) if comm.rank == root else np.ones(7), root), np.ones((0, 3)))


def objects(comm):
    value = {"shape": [3, None], "name": "θ", "on": True, "rate": 0.1, "big": 2**80}
    for root in range(comm.size):
        assert comm.bcast_object(value if comm.rank == root else None, root) == value
        raises(ArgumentTypeError, f"rank {root} cannot be written as JSON", comm.bcast_object, {1, 2}, root)
    assert comm.gather_objects(["x"] * comm.rank) == [["x"] * r for r in range(comm.size)]
    raises(ArgumentTypeError, "of rank 0", comm.gather_objects, object() if comm.rank == 0 else 1)


def blocks_of_known_shapes(comm):
    p, me = comm.size, comm.rank

    def piece(a, b):
        return np.full((a + 1, b), 10.0 * a + b + 1j)

    got = comm.all_to_all([piece(me, r) for r in range(p)], [(r + 1, me) for r in range(p)])
    for r in range(p):
        equal(got[r], piece(r, me))
    got = comm.reduce_scatter([np.full((r, 2), me + 1.0) for r in range(p)])
    equal(got, np.full((me, 2), p * (p + 1) / 2))
    for dtype in ("f2", "?", "D"):
        total = comm.reduce_scatter([np.ones((r, 2), dtype) for r in range(p)])
        equal(total, np.full((me, 2), p, "i8" if dtype == "?" else dtype))
    right, left = (me + 1) % p, (me - 1) % p
    got = comm.exchange({right: np.full(me + 1, me, "f4")}, {left: (left + 1,)}, np.dtype("f4"))
    equal(got[left], np.full(left + 1, left, "f4"))
    got = comm.exchange({0: np.ones(3)} if me == p - 1 else {}, {p - 1: (3,)} if me == 0 else {}, np.dtype("f8"))
    assert list(got) == ([p - 1] if me == 0 else [])


def split_into_halves_and_reversed(comm):
    half = comm.split(comm.rank % 2)
    members = list(range(comm.rank % 2, comm.size, 2))
    assert (half.size, half.rank) == (len(members), members.index(comm.rank))
    assert half.local_size == comm.local_size
    equal(half.all_gather(comm.rank), np.array(members))
    back = comm.split(7, key=-comm.rank)
    assert back.rank == comm.size - 1 - comm.rank
    equal(half.split(0).all_reduce(np.array(1)), np.array(len(members)))


CHECKS = [
    all_reduce_of_every_dtype,
    halves_are_summed_in_float32,
    booleans,
    nan_survives,
    refused_reductions,
    memory_layouts,
    gather_uneven_and_empty_blocks,
    broadcast_from_every_root,
    objects,
    blocks_of_known_shapes,
    split_into_halves_and_reversed,
]


def main(comm):
    for check in CHECKS:
        check(comm)
        comm.barrier()
    return len(CHECKS)


if __name__ == "__main__":
    import sys

    from scisim.distributed import local_ranks

    comm = world()
    if len(sys.argv) > 1:  # one rank: the communicator over MPI instead of the serial one
        from mpi4py import MPI

        from scisim.distributed.mpi import MPICommunicator

        comm = MPICommunicator(MPI.COMM_WORLD)
    assert local_ranks() == comm.size
    count = main(comm)
    if comm.rank == 0:
        print(f"{comm!r}: {count} checks hold")
