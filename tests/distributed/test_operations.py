"""Every operation of the rule table gives on sharded operands what it gives on whole ones, and so do derivatives."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.distributed import Mesh, Partial, Replicate, Shard, gather, run_ranks, shard
from tests.rules.table import NATIVE, TABLE

EPS = np.finfo(float).eps


def close(got, want, what):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, what
    assert got.dtype == want.dtype, what
    size = np.max(np.abs(want), initial=0.0)
    np.testing.assert_allclose(got, want, rtol=1e4 * EPS, atol=1e4 * EPS * size, err_msg=what)


def loss_of(case, weights):
    """A real function of the operands of floating point, which depends on every output."""

    def loss(*vals):
        args = case.tensors
        for i, v in zip(case.inexact, vals, strict=True):
            args[i] = v
        outs = [y for y in case.outputs(*args) if y.dtype.kind in "fc"]
        return sum(ss.sum(ss.real(y * w)) for y, w in zip(outs, weights, strict=True))

    return loss


def direction(x, rng):
    v = rng.uniform(0.3, 1.0, x.shape)
    return v * np.exp(1j * v) if x.dtype.kind == "c" else v


def derivatives(loss, xs, vs, order):
    """Gradients, a jvp, and the jvp of the gradients where there are second derivatives."""
    numbers = tuple(range(len(xs)))
    if order < 2:
        return [*ad.grad(loss, numbers)(*xs), ad.jvp(loss, tuple(xs), tuple(vs))[1]]
    grads, more = ad.jvp(lambda *t: ad.grad(loss, numbers)(*t), tuple(xs), tuple(vs))
    return [*grads, *more, ad.jvp(loss, tuple(xs), tuple(vs))[1]]


def place(x, mesh, rng):
    x = np.asarray(x)
    kinds = [Replicate(), *(Shard(d) for d in range(x.ndim)), *(Shard(d, unit=2) for d in range(x.ndim))]
    if x.dtype.kind in "fc":
        kinds.append(Partial())
    return shard(x, mesh, tuple(kinds[int(rng.integers(len(kinds)))] for _ in mesh.shape))


def smooth(case):
    return case.inexact and not (case.prim is not None and case.prim.constant)


def check(case, comm, shape):
    rng = np.random.default_rng(len(case.name))
    mesh = Mesh(shape)
    operands = [place(x, mesh, rng) for x in case.operands]
    said = f"{case.name} at {[x.placements for x in operands]} on {shape}"
    want = case.outputs(*case.tensors)
    for got, y in zip(case.outputs(*operands), want, strict=True):
        close(gather(got), y, said)
    if not smooth(case) or not any(y.dtype.kind in "fc" for y in want):
        return
    loss = loss_of(case, [np.cos(np.arange(y.size)).reshape(y.shape) for y in want if y.dtype.kind in "fc"])
    xs = [np.asarray(case.operands[i]) for i in case.inexact]
    vs = [direction(x, rng) for x in xs]
    plain = derivatives(loss, xs, vs, case.order)
    sharded = derivatives(loss, [operands[i] for i in case.inexact], [place(v, mesh, rng) for v in vs], case.order)
    for k, (got, y) in enumerate(zip(sharded, plain, strict=True)):
        close(gather(got), y, f"derivative {k} of {said}")


def trials() -> list:
    """Every row on three ranks, and on a mesh of two axes; there work that libraries do only in long runs."""
    native, rows = set(map(id, NATIVE)), [c for c in TABLE if not c.concrete]
    marks = lambda case, shape: () if id(case) in native or shape == (3,) else pytest.mark.slow
    return [
        pytest.param(c, shape, id=f"{shape}-{c.name}", marks=marks(c, shape)) for shape in ((3,), (2, 2)) for c in rows
    ]


@pytest.mark.parametrize(("case", "shape"), trials())
def test_operations(case, shape, monkeypatch):
    monkeypatch.setattr(Mesh, "verify", True)
    run_ranks(int(np.prod(shape)), lambda comm: check(case, comm, shape))
