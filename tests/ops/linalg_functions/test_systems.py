"""Structured systems and matrix equations: dense solves, SciPy, refusals."""

import numpy as np
import pytest
import scipy.linalg as sl

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ShapeError

la = ss.linalg
EPS = np.finfo(float).eps
Singular = la.SingularMatrixError


def near(got, want, factor=256):
    want = np.asarray(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=factor * EPS * max(1.0, np.abs(want).max()))


def numbers(rng, *shape, kind="real"):
    a = rng.normal(size=shape)
    return a + 1j * rng.normal(size=shape) if kind == "complex" else a


def as_dense(make, *theta):
    """Compare value, derivatives in both modes and the second order of a solve with those of its dense matrix."""
    structured, matrix, b = theta[0], theta[1], theta[2]
    parts = list(map(ss.asarray, make))
    v = [ss.asarray(0.1 * np.ones_like(np.asarray(p)) * (1 + 0.5j if p.dtype.kind == "c" else 1)) for p in parts]
    w = ss.asarray(np.arange(1.0, 1 + b.size).reshape(b.shape))
    for f, g in [(lambda *p: structured(*p, b), lambda *p: la.solve(matrix(*p), b))]:
        near(f(*parts), g(*parts))
        for order, (c, d) in enumerate(zip(*(ad.taylor(h, tuple(parts), tuple(v), 3) for h in (f, g)), strict=True)):
            near(c, d, 1024 * (1 + order))
        loss = lambda h: lambda *p: ss.sum(ss.real(w * h(*p)))
        nums = tuple(range(len(parts)))
        for c, d in zip(ad.grad(loss(f), nums)(*parts), ad.grad(loss(g), nums)(*parts), strict=True):
            near(c, d, 1024)


@pytest.fixture(params=["real", "complex"])
def kind(request):
    return request.param


def test_triangular(rng, kind):
    a, b = numbers(rng, 4, 4, kind=kind) + 4 * np.eye(4), numbers(rng, 4, 2, kind=kind)
    for lower in (False, True):
        half = ss.tril if lower else ss.triu
        as_dense([a], lambda a, b, lo=lower: la.solve_triangular(a, b, lower=lo), half, b)
        for trans in (0, "T", "C"):
            for unit in (False, True):
                got = la.solve_triangular(a, b, trans, lower, unit)
                near(got, sl.solve_triangular(a, b, trans=trans, lower=lower, unit_diagonal=unit))
    assert ad.grad(lambda a: ss.sum(la.solve_triangular(a, b.real, unit_diagonal=True)))(a.real)[1, 1] == 0


def test_banded(rng, kind):
    b, n = numbers(rng, 6, kind=kind), 6
    for below, above in ((1, 1), (2, 1), (0, 2), (3, 0), (0, 0)):
        ab = numbers(rng, below + above + 1, n, kind=kind)
        ab[above] += 6

        def dense(ab, below=below, above=above):
            rows = [ss.diag(ab[above - k, max(k, 0) : n + min(k, 0)], k) for k in range(-below, above + 1)]
            return sum(rows[1:], rows[0])

        as_dense([ab], lambda ab, b, c=(below, above): la.solve_banded(c, ab, b), dense, b)


def test_hermitian_banded(rng, kind):
    b, n = numbers(rng, 6, kind=kind), 6
    for count in (0, 1, 2):
        ab = 0.5 * numbers(rng, count + 1, n, kind=kind)
        ab[-1] += 6

        def dense(ab, count=count):
            total = ss.diag(ss.real(ab[count])) + 0.0 * b[0]
            for k in range(1, count + 1):
                upper = ss.diag(ab[count - k, k:], k)
                total = total + upper + ss.conj(upper.mT)
            return total

        as_dense([ab], la.solveh_banded, dense, b)
        low = np.stack([np.concatenate([ab[count - k, k:].conj(), np.zeros(k)]) for k in range(count + 1)])
        near(la.solveh_banded(low, b, lower=True), la.solveh_banded(ab, b))
        near(la.solveh_banded(low, b, True), sl.solveh_banded(low, b, lower=True))


def test_tridiagonal(rng, kind):
    lower, diagonal, upper = numbers(rng, 4, kind=kind), numbers(rng, 5, kind=kind) + 3, numbers(rng, 4, kind=kind)
    matrix = lambda lo, d, up: ss.diag(d) + ss.diag(lo, -1) + ss.diag(up, 1)
    as_dense([lower, diagonal, upper], la.solve_tridiagonal, matrix, numbers(rng, 5, 2, kind=kind))


def test_stacks_of_tridiagonal_systems_with_exchanges(rng):
    """Small diagonals, so that rows must be exchanged; the compiled kernel and LAPACK agree with dense solves."""
    lower, upper = rng.normal(size=(2, 40, 6))
    diagonal = 0.01 * rng.normal(size=(40, 7))
    diagonal[::3, 2] = 0.0
    b = rng.normal(size=(40, 7, 2))
    dense = np.zeros((40, 7, 7))
    i = np.arange(7)
    dense[:, i, i], dense[:, i[1:], i[:-1]], dense[:, i[:-1], i[1:]] = diagonal, lower, upper
    x = np.asarray(la.solve_tridiagonal(lower, diagonal, upper, b))
    residual = np.abs(dense @ x - b).max((1, 2))
    size = np.abs(dense).sum(-1).max(-1) * np.abs(x).max((1, 2)) + np.abs(b).max((1, 2))
    assert np.all(residual <= 64 * EPS * size)
    for k in range(3):
        one = np.asarray(la.solve_tridiagonal(lower[k], diagonal[k], upper[k], b[k]))
        assert np.abs(one - x[k]).max() <= 64 * EPS * np.linalg.cond(dense[k]) * np.abs(x[k]).max()
    near(ss.vmap(la.solve_tridiagonal)(lower, diagonal, upper, b), x)


def test_toeplitz_and_circulant(rng, kind):
    c, r, b = numbers(rng, 5, kind=kind), numbers(rng, 5, kind=kind), numbers(rng, 5, 2, kind=kind)
    c[0] += 8
    as_dense([c, r], lambda c, r, b: la.solve_toeplitz((c, r), b), la.toeplitz, b)
    as_dense([c], la.solve_circulant, la.circulant, b)
    near(la.solve_toeplitz(c, b), np.linalg.solve(sl.toeplitz(c, np.append(c[0], c[1:].conj())), b))


def test_equations(rng, kind):
    a, b, q = (numbers(rng, 3, 3, kind=kind) for _ in range(3))
    x = np.asarray(la.solve_sylvester(a, b, q))
    near(a @ x + x @ b, q)
    near(x, sl.solve_sylvester(a, b, q), 1024)
    for other in (a, a.conj().T):
        x = np.asarray(la.solve_sylvester(a, other, q))
        near(a @ x + x @ other, q, 4096)
    x = np.asarray(la.solve_continuous_lyapunov(a, q))
    near(a @ x + x @ a.conj().T, q, 1024)
    a = 0.3 * a
    x = np.asarray(la.solve_discrete_lyapunov(a, q))
    near(a @ x @ a.conj().T - x + q, np.zeros((3, 3)), 1024)


def test_derivatives_of_equations(rng):
    """The derivative of a x + x b = q along a direction is the solution for another right-hand side."""
    a, b, q, da, db, dq = (rng.normal(size=(3, 3)) for _ in range(6))
    x, dx = ad.jvp(la.solve_sylvester, tuple(map(ss.asarray, (a, b, q))), tuple(map(ss.asarray, (da, db, dq))))
    x, dx = np.asarray(x), np.asarray(dx)
    near(a @ dx + dx @ b, dq - da @ x - x @ db, 4096)


@pytest.mark.parametrize("name", ["block_diag", "toeplitz", "hankel", "circulant"])
def test_builders_are_scipys(name, rng):
    c, r = rng.normal(size=4), rng.normal(size=6) + 1j
    args = (c,) if name == "circulant" else (c, r)
    np.testing.assert_array_equal(np.asarray(getattr(la, name)(*args)), getattr(sl, name)(*args))
    np.testing.assert_array_equal(np.asarray(ss.jit(getattr(la, name))(*args)), getattr(sl, name)(*args))


# --- refusals ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "call",
    [
        lambda: la.solve_triangular(np.triu(np.ones((3, 3)), 1), np.ones(3)),
        lambda: la.solve_banded((1, 1), np.zeros((3, 4)), np.ones(4)),
        lambda: la.solve_banded((2, 0), np.zeros((3, 4)), np.ones(4)),
        lambda: la.solve_tridiagonal([0.0], [0.0, 1.0], [0.0], [1.0, 1.0]),
        lambda: la.solve_tridiagonal(np.zeros((20, 1)), np.zeros((20, 2)), np.zeros((20, 1)), np.ones((20, 2, 1))),
        lambda: la.solve_tridiagonal(np.ones(0), [0.0], np.ones(0), [1.0]),
        lambda: la.solve_circulant([1.0, -1.0], [1.0, 0.0]),
        lambda: la.solve_toeplitz([0.0, 1.0], [1.0, 1.0]),
        lambda: la.solve_sylvester([[1.0]], [[-1.0]], [[1.0]]),
        lambda: la.solve_sylvester(np.eye(2), np.diag([1.0, -1.0]), np.eye(2)),
        lambda: la.solve_continuous_lyapunov([[0.0, 1.0], [-1.0, 0.0]], np.eye(2)),
        lambda: la.solve_discrete_lyapunov(np.diag([2.0, 0.5]), np.eye(2)),
    ],
)
def test_singular_systems(call):
    with pytest.raises(Singular, match="solve_"):
        call()


def test_a_band_that_is_not_positive_definite():
    for ab in ([[0.0, 3.0], [1.0, 1.0]], [[0.0, 0, 1], [0, 3, 3], [1, 1, 1]]):
        with pytest.raises(Singular, match="not positive definite"):
            la.solveh_banded(ab, np.ones(len(ab[0])))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: la.solve_triangular(np.eye(3), np.ones(2)), "does not fit a matrix of 3 rows"),
        (lambda: la.solve_banded((1, 1), np.ones((2, 4)), np.ones(4)), r"expected \(\.\.\., 3, n\)"),
        (lambda: la.solve_tridiagonal(np.ones(3), np.ones(3), np.ones(2), np.ones(3)), "diagonals of shapes"),
        (lambda: la.solve_toeplitz((np.ones(3), np.ones(2)), np.ones(3)), "must be square"),
        (lambda: la.solve_sylvester(np.eye(2), np.eye(3), np.eye(3)), "q of shape"),
        (lambda: la.toeplitz(1.0), "c is a number"),
    ],
)
def test_shapes_that_do_not_fit(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


def test_settings_that_are_unknown():
    with pytest.raises(ArgumentError, match="trans='X'"):
        la.solve_triangular(np.eye(2), np.ones(2), "X")
    with pytest.raises(ArgumentError, match="l_and_u=3"):
        la.solve_banded(3, np.ones((3, 3)), np.ones(3))
    with pytest.raises(ArgumentError, match="block_diag: no matrix"):
        la.block_diag()
