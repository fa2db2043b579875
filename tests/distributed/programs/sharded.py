"""What must hold for sharded values on any number of ranks:  mpirun -n 3 python sharded.py [seed]

Programs that mention no rank, and everything that can be derived from them, give on sharded operands what they give
in one process: at random placements, on blocks that are uneven or empty, on meshes of one and two axes.
"""

import sys

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim.distributed import Mesh, Partial, Replicate, Shard, gather, reshard, shard, world

TOLERANCE = 1e-11


def close(got, want, what):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, not {want.dtype}"
    error = np.max(np.abs(got - want), initial=0) / (1 + np.max(np.abs(want), initial=0))
    assert error < TOLERANCE, f"{what}: off by {error:.1e}"


# --- programs of points x (n, 4) and weights w (4, 5), v (5, 2) ---
def network(x, w, v):
    """Three layers, and a loss with second derivatives along the points."""

    def layers(x):
        return ss.tanh(ss.tanh(ss.tanh(x @ w) @ (w.T @ w)) @ v)

    c = ad.taylor(layers, x, ss.ones_like(x), 2)
    return ss.mean((2.0 * c[2] + c[0] * c[1]) ** 2)


def third_order(x, w, v):
    c = ad.taylor(lambda t: ss.sin(t @ w) @ v, x, ss.ones_like(x), 3)
    return ss.sum((6.0 * c[3] + c[0] * c[1]) ** 2) / 100.0


def stencil(x, w, v):
    """Slices with steps of either sign, integers, a periodic neighbour."""
    u = ss.sin(x) * x
    d = (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    right = ss.concat([u[1:], u[:1]])
    return ss.sum(d**2) + ss.sum(u[::-2] * u[0]) + ss.sum(ss.exp(u[-1])) + ss.sum(u * right) + ss.sum(u[1, 1:] ** 3)


def arrays(x, w, v):
    """Integer arrays, read and written, with repetitions; assignment to slices and to one element."""
    n = x.shape[0]
    u = ss.cos(x)
    picked = u[np.array([0, -1, n - 1, 1])]
    both = u[np.array([[0], [n - 1]]), np.array([1, -1, 1])]
    y = ss.Tensor(u * 2.0)
    y[1:3] = x[:2] * w[:, 0]
    y[0, 1] = ss.sum(w)
    y[np.array([1, n - 1])] = x[1:3] ** 2
    return ss.sum(picked**2 * u[1]) + ss.sum(both**2) + ss.sum(y**2) + ss.sum(w[np.array([1, 1, 3])] ** 2)


def shapes(x, w, v):
    n, k = x.shape
    y = ss.reshape(ss.permute_dims(ss.reshape(ss.sin(x), (n, k, 1)), (1, 2, 0)), (k, n)) * 1.5
    z = ss.reshape(y, (k * n,)) * ss.reshape(ss.cos(x), (n * k,))
    s = ss.stack([x, 2.0 * x], axis=1)
    return (
        ss.sum((ss.reshape(z, (n, k)) + ss.broadcast_to(x[:, :1], (n, k))) ** 2)
        + ss.sum(ss.tanh(y.T @ w))
        + ss.sum(ss.reshape(s, (2 * n, k)) ** 2 @ w)
        + ss.sum(ss.concat([x, x**2], axis=1) ** 2)
    )


def reductions(x, w, v):
    m = ss.mean(x, axis=0, keepdims=True)
    greatest = ss.max(x * 1.5, axis=0) * ss.min(x, axis=1)[0]
    scale = ss.sqrt(ss.sum((x - m) ** 2) + 1.0)
    flat = ss.prod(1.0 + 0.1 * x[:3])
    running = ss.sum(ss.cumulative_sum(x, axis=0) ** 2) / scale
    return ss.sum(greatest) + ss.sum(ss.where(x > 0.0, x, x**2 / scale)) + running + flat


def ratios(x, w, v):
    """Partial sums under division, roots and powers, where they must meet first."""
    a, b = ss.sum(x), ss.sum(x**2)
    return a / (b + 3.0) + ss.sqrt(b + 1.0) * a + ss.sum(x * a) / 7.0 + ss.sum((x @ w) / ss.sum(w**2)) ** 2


PROGRAMS = [network, third_order, stencil, arrays, shapes, reductions, ratios]


def spectral(x, w, v):
    """Transforms along the last axis, cut or not."""
    f = ss.fft.rfft(x.T)
    return ss.sum(ss.fft.irfft(f * f, n=x.shape[0]) ** 2) + ss.sum(ss.abs(ss.fft.fft(x @ w)) ** 2)


def derivatives(f, x, w, v):
    """Everything that autodiff makes of a function at one point."""

    def gx(x):
        return ad.grad(lambda t: f(t, w, v))(x)

    def gw(w):
        return ad.grad(lambda t: f(x, t, v))(w)

    out = {"value": f(x, w, v), "gradient by points": gx(x), "gradient by weights": gw(w)}
    out["jvp"] = ad.jvp(lambda t: f(t, w, v), (x,), (x * 0.5,))[1]
    out["hvp"] = ad.jvp(gx, (x,), (ss.cos(x),))[1]
    out["gradient of gradient"] = ad.grad(lambda t: ss.sum(gw(t) ** 2))(w)
    out["mixed"] = ad.grad(lambda t: ss.sum(ad.grad(lambda s: f(t, s, v))(w) ** 2))(x)
    for k, c in enumerate(ad.taylor(lambda s, t: f(s, t, v), (x, w), (ss.sin(x), w * 0.1), 3)):
        out[f"Taylor {k}"] = c
    out["reverse over Taylor"] = ad.grad(lambda t: ad.taylor(lambda s: f(s, t, v), x, ss.sin(x), 3)[3])(w)
    return out


def meshes(comm):
    return [Mesh()] + ([Mesh((2, comm.size // 2), ("row", "column"))] if comm.size % 2 == 0 else [])


def check_program(f, comm, rng):
    """Compare all derivatives at random placements with one process; gradients lie where their primals do."""
    n = int(rng.integers(4, 10))
    x, w, v = rng.normal(size=(n, 4)), rng.normal(size=(4, 5)) * 0.5, rng.normal(size=(5, 2))
    want = derivatives(f, *map(ss.asarray, (x, w, v)))
    done = 0
    for mesh in meshes(comm):
        kinds = [Replicate(), Shard(0), Shard(1)]
        places = [tuple(kinds[i] for i in rng.integers(0, 3, len(mesh.shape))) for _ in range(3)]
        places[0] = (Shard(0), *places[0][1:])
        xs, ws, vs = (shard(a, mesh, p) for a, p in zip((x, w, v), places, strict=True))
        got = derivatives(f, xs, ws, vs)
        for name, reference in want.items():
            close(gather(got[name]), reference, f"{f.__name__}: {name} of {n} points on {mesh.shape} at {places}")
            done += 1
        for name, primal in (("gradient by points", xs), ("gradient by weights", ws)):
            assert got[name].placements in (None, primal.placements), (
                f"{f.__name__}: {name} lies {got[name].placements}"
            )
    return done


def check_moves(comm, rng):
    """Every change of placement is the identity, and so are its adjoint and the adjoint of that."""
    done = 0
    for mesh in meshes(comm):
        for src in places_of(mesh):
            for dst in places_of(mesh):
                x, ct = (rng.normal(size=(5, 3)) + 1j * rng.normal(size=(5, 3)) for _ in range(2))
                xs, cts = shard(x, mesh, src), shard(ct, mesh, src)
                y, back = ad.vjp(lambda t, dst=dst: reshard(t, dst), xs)
                assert y.placements == dst
                close(gather(y), x, f"{src} to {dst}")
                close(gather(back(cts)[0]), ct, f"adjoint of {src} to {dst}")
                again = ad.vjp(lambda c, back=back: back(c)[0], cts)[1](xs)[0]
                close(gather(again), x, f"twice the adjoint of {src} to {dst}")
                done += 1
    return done


def places_of(mesh):
    kinds = [Replicate(), Shard(0), Shard(1), Partial()]
    if len(mesh.shape) == 1:
        return [(k,) for k in (*kinds, Shard(0, unit=2), Partial("prod"))]
    return [(a, b) for a in kinds for b in kinds]


def main(comm, seed=0, programs=None):
    Mesh.verify = True
    rng = np.random.default_rng(seed)
    if programs is None:
        programs = [*PROGRAMS, spectral]
    return check_moves(comm, rng) + sum(check_program(f, comm, rng) for f in programs)


if __name__ == "__main__":
    comm = world()
    count = main(comm, int(sys.argv[1]) if len(sys.argv) > 1 else comm.size)
    if comm.rank == 0:
        print(f"{comm.size} ranks: {count} comparisons hold")
