"""Collectives on local values, and their derivatives:  mpirun -n 3 python local.py"""

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim.distributed import all_gather, all_reduce, barrier, broadcast, vary, world


def close(got, want, rtol=1e-12):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=rtol, atol=1e-12)


def data(rank, dtype, length=3):
    rng = np.random.default_rng(rank)
    x = rng.normal(size=(length, 2))
    return x + 1j * rng.normal(size=x.shape) if dtype is complex else x


def everyone(comm, f):
    return [f(r) for r in range(comm.size)]


def values(comm):
    for dtype in (float, complex):
        parts = everyone(comm, lambda r, dtype=dtype: data(r, dtype))
        mine = parts[comm.rank]
        close(all_reduce(mine), sum(parts))
        close(all_reduce({"a": mine, "b": 1.0})["b"], comm.size)
        close(broadcast(mine, root=comm.size - 1), parts[-1])
        close(vary(mine), mine)
        close(barrier(mine), mine)
        close(
            all_gather(data(comm.rank, dtype, comm.rank)), np.concatenate([data(r, dtype, r) for r in range(comm.size)])
        )
    close(all_reduce(data(comm.rank, float), "max"), np.max([data(r, float) for r in range(comm.size)], axis=0))
    close(all_gather(float(comm.rank)), np.arange(comm.size))
    assert barrier() is None


def adjoints(comm):
    """<ct, f(x)>: a replicated output counts once, local operands add up over the ranks; twice transposed is f."""
    rows = data(comm.rank, complex, comm.rank + 1)
    for f, x in [
        (all_reduce, data(comm.rank, complex)),
        (lambda x: broadcast(x, root=comm.size - 1), data(comm.rank, complex)),
        (all_gather, rows),
        (barrier, data(0, complex)),
    ]:
        y, back = ad.vjp(f, x)
        ct = np.random.default_rng(9).normal(size=y.shape) + 0.5j  # the same on every rank
        got = np.asarray(back(ct)[0])
        if f is not barrier:
            close(comm.all_reduce(np.vdot(got, x)), np.vdot(ct, np.asarray(y)))
        close(ad.vjp(lambda c, back=back: back(c)[0], ss.asarray(ct))[1](x)[0], y)
    same, back = ad.vjp(vary, data(0, complex))
    close(same, data(0, complex))
    close(back(data(comm.rank, complex))[0], sum(everyone(comm, lambda r: data(r, complex))))


def network(w, x, total):
    """A loss over all rows; ``total`` sums over the ranks, and local work begins at ``vary``."""
    w = vary(w) if total is all_reduce else w
    h = ss.tanh(x @ w)
    scale = ss.sqrt(total(ss.sum(h**2)) + 1.0)
    scale = vary(scale) if total is all_reduce else scale
    return total(ss.sum((h / scale) ** 3)) + total(ss.sum(ss.sin(h)))


def derivatives(comm):
    """Gradients, second derivatives and Taylor series of a loss over all ranks are those of one process."""
    w = data(50, float)[:2]
    parts = everyone(comm, lambda r: data(r, float, r + 1))
    x, whole = ss.asarray(parts[comm.rank]), ss.asarray(np.concatenate(parts))
    here, alone = (lambda w: network(w, x, all_reduce)), (lambda w: network(w, whole, lambda s: s))
    close(here(w), alone(w))
    close(ad.grad(here)(w), ad.grad(alone)(w))
    close(ad.hvp(here, w, w * 0.3), ad.hvp(alone, w, w * 0.3))
    close(ad.grad(lambda w: ss.sum(ad.grad(here)(w) ** 2))(w), ad.grad(lambda w: ss.sum(ad.grad(alone)(w) ** 2))(w))
    for got, want in zip(ad.taylor(here, w, w * 0.2, 4), ad.taylor(alone, w, w * 0.2, 4), strict=True):
        close(got, want)
    third = [ad.grad(lambda w, f=f: ad.taylor(f, w, w * 0.2, 3)[3])(w) for f in (here, alone)]
    close(*third)
    close(ss.jit(ad.grad(here))(w), ad.grad(alone)(w))
    close(ss.vmap(lambda s: here(s * w))(np.array([0.5, 1.0])), [alone(0.5 * w), alone(w)])


def rows_derivative(comm):
    """Each rank's rows, gathered, in a function of all rows."""
    parts = everyone(comm, lambda r: data(r, float, 2 * r))
    first = sum(2 * r for r in range(comm.rank))
    got = ad.grad(lambda x: ss.sum(ss.sin(all_gather(x)) ** 2))(parts[comm.rank])
    close(got, np.sin(2 * np.concatenate(parts))[first : first + 2 * comm.rank])


def greatest(comm):
    """max and min over the ranks, and products, with their derivatives; ties share."""
    x = np.array([float(comm.rank), 1.0])
    for op in ("max", "min", "prod"):
        stacked = np.array(everyone(comm, lambda r: np.array([float(r), 1.0])))
        close(all_reduce(x, op), getattr(np, op)(stacked, axis=0))
        got = ad.grad(lambda x, op=op: ss.sum(all_reduce(x, op) ** 2))(x)
        want = ad.grad(lambda s, op=op: ss.sum(getattr(ss, op)(s, axis=0) ** 2))(stacked)
        close(got, np.asarray(want)[comm.rank])


CHECKS = [values, adjoints, derivatives, rows_derivative, greatest]


def main(comm):
    for check in CHECKS:
        check(comm)
        comm.barrier()
    return len(CHECKS)


if __name__ == "__main__":
    comm = world()
    count = main(comm)
    if comm.rank == 0:
        print(f"{comm.size} ranks: {count} checks hold")
