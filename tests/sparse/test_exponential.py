"""The action of a matrix exponential: that of the dense exponential, its derivatives, refusals."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import sparse
from scisim.core.errors import ArgumentError, ShapeError, TraceError

EPS = np.finfo(float).eps
N = 12


@pytest.fixture(params=["real", "complex"])
def problem(request, rng):
    a = rng.normal(size=(N, N)) * (rng.random((N, N)) < 0.4)
    a = a * (1 + 0.5j) if request.param == "complex" else a
    return sparse.from_dense(a), rng.normal(size=N)


def near(got, want, factor=512):
    got, want = np.asarray(got), np.asarray(want)
    np.testing.assert_allclose(got, want, rtol=0, atol=factor * EPS * np.abs(want).max())


def test_values(problem, rng):
    a, b = problem
    for scale in (1e-3, 1.0, 8.0):
        dense = a.to_dense() * scale
        want = np.asarray(ss.linalg.expm(dense)) @ b
        for operator in (a * scale, dense, np.asarray(dense), (a * scale).to_scipy(), np.asarray(dense).tolist()):
            near(sparse.expm_multiply(operator, b), want, 4096)
        near(sparse.expm_multiply(lambda x, s=scale: a @ x * s, b.astype(a.dtype), bound=scale * 20), want, 4096)
    columns = rng.normal(size=(N, 2))
    near(sparse.expm_multiply(a, columns), np.asarray(ss.linalg.expm(a.to_dense())) @ columns)
    assert sparse.expm_multiply(a.astype(np.complex64), b.astype(np.float32)).dtype == np.complex64


def test_derivatives(problem):
    a, b = problem
    f = lambda a, b: ss.sum(ss.real(sparse.expm_multiply(a, b)) ** 2)
    g = lambda a, b: ss.sum(ss.real(ss.linalg.expm(a.to_dense()) @ b) ** 2)
    b = ss.asarray(b)
    for one, other in zip(ad.grad(f, (0, 1))(a, b), ad.grad(g, (0, 1))(a, b), strict=True):
        near(getattr(one, "data", one), getattr(other, "data", other), 2048)
    along = lambda h: lambda t: h(a * t, b)
    for c, d in zip(ad.taylor(along(f), 1.0, 0.1, 4), ad.taylor(along(g), 1.0, 0.1, 4), strict=True):
        near(c, d, 4096)


def test_programs_need_a_bound(problem):
    a, b = problem
    want = sparse.expm_multiply(a, b)
    near(ss.jit(lambda a, b: sparse.expm_multiply(a, b, bound=10.0))(a, b), want, 4096)
    for run in (ss.jit, ss.vmap):
        x = a if run is ss.jit else a.replace(ss.stack([a.data, a.data]))
        with pytest.raises(TraceError, match="sparse.expm_multiply.*bound="):
            run(lambda a: sparse.expm_multiply(a, b))(x)
    near(ss.jit(lambda b: sparse.expm_multiply(a, b))(b), want)


def test_refusals():
    with pytest.raises(ArgumentError, match="give bound="):
        sparse.expm_multiply(lambda x: x, np.ones(2))
    with pytest.raises(ArgumentError, match="bound=-1"):
        sparse.expm_multiply(np.eye(2), np.ones(2), bound=-1)
    with pytest.raises(ShapeError, match=r"give \(n, n\), b \(n,\)"):
        sparse.expm_multiply(np.eye(2), np.ones(3))
