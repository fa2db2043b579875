"""Direct and iterative solvers: dense solutions, implicit derivatives, programs, refusals."""

import numpy as np
import pytest
import scipy.sparse.linalg as spl

import scisim as ss
from scisim import autodiff as ad
from scisim import sparse
from scisim.core.errors import ArgumentError, ArgumentTypeError, ConvergenceError, ShapeError, TraceError

EPS = np.finfo(float).eps
N = 30
HERMITIAN, GENERAL = ("cg", "minres"), ("bicgstab", "gmres")
METHODS = [(f, k) for f in (*HERMITIAN, *GENERAL) for k in ("real", "complex")]


@pytest.fixture
def problem(rng):
    """Matrices (sparse) and right-hand sides by kind and symmetry."""

    def make(name, kind):
        a = rng.normal(size=(N, N)) * (rng.random((N, N)) < 0.15)
        b = rng.normal(size=N)
        if kind == "complex":
            a, b = a + 1j * rng.normal(size=(N, N)) * (a != 0), b + 1j * rng.normal(size=N)
        a = a + a.conj().T if name in HERMITIAN else a
        return sparse.from_dense(a + 12 * np.eye(N)), b

    return make


def near(got, want, tolerance):
    want = np.asarray(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=tolerance * np.abs(want).max())


@pytest.mark.parametrize(("name", "kind"), METHODS)
def test_solutions(name, kind, problem):
    a, b = problem(name, kind)
    want = np.linalg.solve(np.asarray(a.to_dense()), b)
    solve = getattr(sparse, name)
    for operator in (a, a.to_dense(), np.asarray(a.to_dense()), a.to_scipy(), lambda x: a @ x):
        x, info = solve(operator, b, rtol=1e-12)
        near(x, want, 1e-11)
    assert bool(info.converged)
    assert info.residual.item() <= 1e-12 * np.linalg.norm(b)
    history = np.asarray(info.history)
    count = int(info.iterations)
    assert 0 < count < N + 5
    assert np.isfinite(history[: count + 1]).all()
    assert np.isnan(history[count + 1 :]).all()
    assert history[0] == pytest.approx(np.linalg.norm(b))
    assert history[count] == info.residual.item()
    again, info = solve(a, b, x0=want, rtol=1e-10)
    assert int(info.iterations) == 0
    near(again, want, 0.0)


@pytest.mark.parametrize(("name", "kind"), METHODS)
def test_preconditioners_help(name, kind, problem):
    a, b = problem(name, kind)
    scale = sparse.diags(10.0 ** np.linspace(0, 2, N))
    a = scale @ a @ scale
    want = np.linalg.solve(np.asarray(a.to_dense()), b)
    inverse = sparse.diags(1.0 / a.diagonal())
    counts = []
    for m in (sparse.jacobi(a), inverse, inverse.to_dense(), sparse.ilu(a, drop_tol=1e-8)):
        x, info = getattr(sparse, name)(a, b, rtol=1e-12, atol=1e-14, M=m)
        assert np.abs(np.asarray(a @ x) - b).max() <= 1e-9
        near(x, want, 1e-8)
        counts.append(int(info.iterations))
    assert counts[0] == counts[1] == counts[2]
    assert counts[3] < counts[0]


@pytest.mark.parametrize(("name", "kind"), METHODS)
@pytest.mark.parametrize("scaled", [False, True])
def test_derivatives_are_those_of_the_equation(name, kind, scaled, problem, rng):
    a, b = problem(name, kind)
    w, b = rng.normal(size=N), ss.asarray(b)

    def loss(a, b):
        m = sparse.jacobi(a) if scaled else None
        return ss.sum(ss.real(w * getattr(sparse, name)(a, b, rtol=1e-13, M=m)[0]) ** 2)

    def exact(a, b):
        return ss.sum(ss.real(w * sparse.spsolve(a, b)) ** 2)

    got, want = ad.grad(loss, (0, 1))(a, b), ad.grad(exact, (0, 1))(a, b)
    hermitian = lambda m: (m + m.H).to_dense()  # a method for hermitian matrices varies within them
    near(hermitian(got[0]), hermitian(want[0]), 1e-10)
    near(got[1], want[1], 1e-10)
    again = ss.jit(ad.grad(loss, (0, 1)))(a, b)
    near(again[0].data, got[0].data, 1e-11)
    near(again[1], got[1], 1e-11)
    f, g = (lambda t, h=h: h(a + sparse.eye(N) * t, b * (1.0 + t)) for h in (loss, exact))
    for c, d in zip(ad.taylor(f, 0.1, 1.0, 3), ad.taylor(g, 0.1, 1.0, 3), strict=True):
        near(c, d, 1e-10)


@pytest.mark.parametrize("name", [*HERMITIAN, *GENERAL])
def test_programs_and_batches(name, problem):
    a, b = problem(name, "real")
    solve = getattr(sparse, name)
    bs = np.stack([b, 2.0 * b, b[::-1]])
    want = np.linalg.solve(np.asarray(a.to_dense()), bs.T).T
    x, info = ss.jit(lambda a, b: solve(a, b, rtol=1e-12))(a, b)
    near(x, want[0], 1e-11)
    assert bool(info.converged)
    assert int(info.iterations) == int(solve(a, b, rtol=1e-12)[1].iterations)
    for run in (ss.vmap, lambda f: ss.jit(ss.vmap(f))):
        xs, info = run(lambda b: solve(a, b, rtol=1e-12, M=sparse.jacobi(a)))(bs)
        near(xs, want, 1e-11)
        assert np.asarray(info.converged).tolist() == [True] * 3
    many = a.replace(ss.stack([a.data, 2.0 * a.data]))
    xs = ss.vmap(lambda a: solve(a, b, rtol=1e-12, M=sparse.jacobi(a))[0])(many)
    near(xs, np.stack([want[0], want[0] / 2]), 1e-11)


def test_operators_on_arrays_of_any_shape():
    """A discrete Laplacian on a grid, given as a function; the derivative in what it closes over."""
    pad = lambda u: ss.pad(u, 1)
    laplacian = lambda u: 4.0 * u - pad(u)[2:, 1:-1] - pad(u)[:-2, 1:-1] - pad(u)[1:-1, 2:] - pad(u)[1:-1, :-2]
    f = ss.ones((6, 5))

    def mean(c):
        return ss.mean(sparse.cg(lambda u: laplacian(u) + c * u, f, rtol=1e-13)[0])

    line = lambda n: sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (n, n))
    full = sparse.kron(line(6), sparse.eye(5)) + sparse.kron(sparse.eye(6), line(5))
    exact = lambda c: ss.mean(sparse.spsolve(full + sparse.eye(30) * c, ss.ones(30)))
    for k in range(3):
        near(ad.derivative(mean, k)(0.5), ad.derivative(exact, k)(0.5), 1e-11)


def test_restarts_reach_the_solution(problem):
    a, b = problem("gmres", "real")
    want = np.linalg.solve(np.asarray(a.to_dense()), b)
    x, info = sparse.gmres(a, b, rtol=1e-12, restart=4, maxiter=400)
    near(x, want, 1e-10)
    assert int(info.iterations) > int(sparse.gmres(a, b, rtol=1e-12, restart=N)[1].iterations)


def test_exact_and_trivial_problems():
    for solve in (sparse.cg, sparse.minres, sparse.bicgstab, sparse.gmres):
        x, info = solve(sparse.eye(3), [1.0, 2.0, 3.0], rtol=1e-15)
        assert (x.tolist(), int(info.iterations)) == ([1.0, 2.0, 3.0], 1)
        x, info = solve(sparse.eye(3), np.zeros(3))
        assert (x.tolist(), bool(info.converged), int(info.iterations)) == ([0.0] * 3, True, 0)
        x, _ = solve(np.eye(2, dtype=np.float32), np.ones(2, np.float32))
        assert x.dtype == np.float32
        assert solve(np.eye(2) * 2j if solve is sparse.gmres else np.eye(2) + 0j, np.ones(2))[0].dtype == complex


def test_an_iteration_that_does_not_converge_is_an_error(problem):
    a, b = problem("cg", "real")
    for name in (*HERMITIAN, *GENERAL):
        solve = getattr(sparse, name)
        with pytest.raises(ConvergenceError, match=rf"sparse.{name}: the residual is .* after 2 iterations.*M="):
            solve(a, b, maxiter=2)
        with pytest.raises(ConvergenceError, match="after 2 iterations"):
            ad.grad(lambda b, s=solve: ss.sum(s(a, b, maxiter=2)[0]))(b)
        x, info = solve(a, b, maxiter=2, check=False)
        assert (bool(info.converged), int(info.iterations)) == (False, 2)
        near(info.residual, np.linalg.norm(b - np.asarray(a @ x)), 1e-8)
        assert not bool(ss.jit(lambda b, s=solve: s(a, b, maxiter=2)[1].converged)(b))
    with pytest.raises(ConvergenceError, match="sparse.cg"):
        sparse.cg([[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0])
    with pytest.raises(ConvergenceError, match="sparse.gmres"):
        sparse.gmres([[1.0, 1.0], [1.0, 1.0]], [1.0, 0.0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda f: f(np.ones((2, 3)), np.ones(2)), ShapeError, r"give a square matrix \(n, n\)"),
        (lambda f: f(np.eye(2), np.ones(3)), ShapeError, r"b of shape \(3,\)"),
        (lambda f: f("A", np.ones(2)), ArgumentTypeError, "a function x -> A x"),
        (lambda f: f(lambda x: x[:1], np.ones(2)), ShapeError, "keeps the shape"),
        (lambda f: f(lambda x: x * 1j, np.ones(2)), ArgumentTypeError, "complex and b real"),
        (lambda f: f(np.eye(2), np.ones(2), x0=np.ones(3)), ShapeError, "x0 of shape"),
        (lambda f: f(np.eye(2), np.ones(2), rtol=-1.0), ArgumentError, "at least 0"),
    ],
)
@pytest.mark.parametrize("name", [*HERMITIAN, *GENERAL])
def test_refusals(name, call, error, message):
    with pytest.raises(error, match=message):
        call(getattr(sparse, name))


# --- direct -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_direct_solutions_and_their_derivatives(kind, problem, rng):
    a, b = problem("gmres", kind)
    dense, columns = np.asarray(a.to_dense()), rng.normal(size=(2, N, 3))
    near(sparse.spsolve(a, b), np.linalg.solve(dense, b), 1e-13)
    near(sparse.spsolve(a, b), spl.spsolve(a.to_scipy(), b), 1e-13)
    near(sparse.spsolve(a.to_scipy(), columns), np.linalg.solve(dense, columns), 1e-13)
    near(ss.vmap(lambda b: sparse.spsolve(a, b))(columns), np.linalg.solve(dense, columns), 1e-13)
    low = a.astype(np.complex64 if kind == "complex" else np.float32)
    assert sparse.spsolve(low, np.ones(N, np.float32)).dtype == low.dtype
    w = rng.normal(size=N)
    f = lambda a, b: ss.sum(ss.real(w * sparse.spsolve(a, b)) ** 2)
    g = lambda a, b: ss.sum(ss.real(w * ss.linalg.solve(a.to_dense(), b)) ** 2)
    for one, other in zip(ad.grad(f, (0, 1))(a, ss.asarray(b)), ad.grad(g, (0, 1))(a, ss.asarray(b)), strict=True):
        near(getattr(one, "data", one), getattr(other, "data", other), 1e-12)
    v = a.replace(ss.ones_like(a.data))
    near(ad.hvp(lambda a: f(a, b), a, v).data, ad.hvp(lambda a: g(a, b), a, v).data, 1e-11)
    near(ss.jit(ad.grad(f))(a, ss.asarray(b)).data, ad.grad(f)(a, ss.asarray(b)).data, 1e-13)


def test_factors_are_kept_by_content(problem, rng):
    """Matrices that differ in one element, and arrays written anew, are told apart."""
    a, b = problem("gmres", "real")
    for k in range(4):
        changed = a.replace(a.data + np.eye(1, a.nnz, k)[0])
        for m in (changed, a):
            near(sparse.spsolve(m, b), np.linalg.solve(np.asarray(m.to_dense()), b), 1e-13)


def test_singular_sparse_matrices():
    for data in ([0.0, 1.0], [1.0, 0.0]):
        with pytest.raises(ss.linalg.SingularMatrixError, match=r"sparse.spsolve: the matrix of shape \(2, 2\)"):
            sparse.spsolve(sparse.diags(data), np.ones(2))
    with pytest.raises(ShapeError, match=r"sparse.spsolve.*\(2, 3\)"):
        sparse.spsolve(sparse.eye(2, 3), np.ones(2))
    with pytest.raises(ArgumentTypeError, match="sparse.from_dense"):
        sparse.spsolve(np.eye(2), np.ones(2))


def test_incomplete_factors_need_numbers():
    with pytest.raises(TraceError, match="sparse.ilu"):
        ad.grad(lambda d: ss.sum(sparse.ilu(sparse.diags(d))(ss.ones(2))))(ss.ones(2))
    with pytest.raises(ss.linalg.SingularMatrixError, match="sparse.ilu"):
        sparse.ilu(sparse.diags([0.0, 1.0]))
    with pytest.raises(ArgumentError, match="square"):
        sparse.ilu(sparse.eye(2, 3))
