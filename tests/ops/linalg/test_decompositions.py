"""Decompositions: NumPy's and SciPy's values, what the factors must satisfy to order 4, results with names, errors."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ScisimError, ShapeError
from tests.ops.linalg import orthogonal, symmetric

la = ss.linalg
EPS = np.finfo(float).eps
KINDS = pytest.mark.parametrize("kind", ["f", "c"], ids=["real", "complex"])
WRAPS = pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def close(got, want, scale=1e3):
    want = np.asarray(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=scale * EPS * max(1.0, np.abs(want).max(initial=0)))


def any_matrix(rng, shape, kind):
    return rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "c" else 0.0)


def adjoint(x):
    return ss.conj(ss.matrix_transpose(x))


def positive(a):
    return a @ adjoint(a) + ss.eye(a.shape[-1])


# --- values ----------------------------------------------------------------------------------------------------------
SHAPES = [(3, 3), (2, 4, 4), (0, 0), (0, 3, 3), (1, 1)]
SAME = {
    "eigh": (lambda m: lambda a: tuple(m.eigh(a + a.conj().swapaxes(-1, -2)))),
    "eigvalsh": (lambda m: lambda a: m.eigvalsh(a, UPLO="U")),
    "cholesky": (lambda m: lambda a: m.cholesky(np.asarray(positive(a)))),
    "slogdet": (lambda m: lambda a: tuple(m.slogdet(a))),
    "svdvals": (lambda m: lambda a: m.svdvals(a)),
    "svd": (lambda m: lambda a: tuple(m.svd(a, full_matrices=False))),
    "qr": (lambda m: lambda a: tuple(m.qr(a))),
    "pinv": (lambda m: lambda a: m.pinv(a)),
    "matrix_rank": (lambda m: lambda a: m.matrix_rank(a)),
    "matrix_power": (lambda m: lambda a: m.matrix_power(a, 3)),
}


@KINDS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", SAME)
def test_values_are_numpys(rng, name, shape, kind):
    """To the bit, also with odd strides and captured; with NumPy's shapes and dtypes, in single precision too."""
    a = any_matrix(rng, shape, kind)
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), a.dtype)
    wide[..., ::2] = a
    for x in (a, wide[..., ::2], np.asfortranarray(a), a.astype("complex64" if kind == "c" else "float32")):
        want = SAME[name](np.linalg)(x)
        got = SAME[name](la)(x)
        for g, w in zip(*((r if isinstance(r, tuple) else (r,)) for r in (got, want)), strict=True):
            assert (g.shape, g.dtype) == (w.shape, w.dtype)
            close(g, w, 1e3 if w.dtype.itemsize > 4 and x.dtype.itemsize > 8 - 4 * (kind == "f") else 1e12)
    if name != "cholesky":
        got = ss.jit(SAME[name](la) if name != "eigh" else la.eigvalsh)(a)
        want = SAME[name](la)(a) if name != "eigh" else la.eigvalsh(a)
        for g, w in zip(*((r if isinstance(r, tuple) else (r,)) for r in (got, want)), strict=True):
            close(g, np.asarray(w))


@KINDS
def test_values_of_the_others(rng, kind):
    a, tall, b = any_matrix(rng, (4, 4), kind), any_matrix(rng, (5, 3), kind), any_matrix(rng, (5, 2), kind)
    w, v = la.eig(a)
    assert w.dtype == v.dtype == np.complex128
    close(a @ np.asarray(v), np.asarray(v) * np.asarray(w))
    close(la.eigvals(a), np.linalg.eigvals(a))
    assert la.eigvals(np.eye(2, dtype="float32")).dtype == np.complex64
    for x in (a, tall, tall.T):
        for got, want in zip(la.lu(x), scipy.linalg.lu(x), strict=True):
            close(got, want)
    both, piv = scipy.linalg.lu_factor(a)
    close(la.lu_factor(a).lu, both)
    np.testing.assert_array_equal(la.lu_factor(a).piv, piv)
    for trans in (0, 1, 2):
        close(la.lu_solve(la.lu_factor(a), b[:4], trans), scipy.linalg.lu_solve((both, piv), b[:4], trans))
    for output in ("real", "complex"):
        t, z = la.schur(a, output)
        want = scipy.linalg.schur(a, output)
        close(t, want[0])
        close(z, want[1])
    u, p = la.polar(tall)
    for got, want in zip((u, p), scipy.linalg.polar(tall), strict=True):
        close(got, want)
    for got, want in zip(la.polar(tall.T, side="left"), scipy.linalg.polar(tall.T, side="left"), strict=True):
        close(got, want)
    for got, want in zip(la.lstsq(tall, b), np.linalg.lstsq(tall, b), strict=True):
        close(got, want)
    close(
        la.cho_solve(la.cholesky(positive(ss.asarray(a))), b[:4]),
        np.linalg.solve(positive(ss.asarray(a)).numpy(), b[:4]),
    )
    for q, r in (la.qr(tall, mode="complete"), la.qr(tall.T, mode="complete")):
        close(np.asarray(q).conj().T @ np.asarray(q), np.eye(q.shape[0]))
        close(q @ r, tall if q.shape[0] == 5 else tall.T)
    np.testing.assert_array_equal(la.qr(tall, mode="r"), la.qr(tall).R)


def test_tolerances_by_matrix(rng):
    """Given as an array, as the Array API standard allows."""
    a, rtol = rng.normal(size=(3, 4, 2)), np.array([0.0, 0.5, 2.0])
    close(la.pinv(a, rtol=rtol), np.linalg.pinv(a, rtol=rtol))
    close(ss.jit(lambda x: la.pinv(x, rtol=rtol))(a), np.linalg.pinv(a, rtol=rtol))
    np.testing.assert_array_equal(la.matrix_rank(a, rtol=ss.asarray(rtol)), np.linalg.matrix_rank(a, rtol=rtol))
    assert la.pinv(a.astype("float32"), rtol=0.1).dtype == np.float32


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_condition_numbers_are_numpys(rng, p):
    a = rng.normal(size=(2, 3, 3))
    close(la.cond(a, p), np.linalg.cond(a, p), 1e4)
    assert float(la.cond(np.zeros((2, 2)) + 1.0, p)) > 1e15 or p == -2
    assert la.norm(a[0], p).numpy() == pytest.approx(np.linalg.norm(a[0], p), rel=1e-14)


@pytest.mark.parametrize("sizes", [(3, 4, 2), (10, 100, 5, 50), (2, 30, 4, 20, 5, 10), (5, 2, 5, 2, 5, 2, 5)])
def test_chains(rng, sizes):
    xs = [rng.normal(size=s) for s in pairwise(sizes)]
    want = np.linalg.multi_dot(xs)
    close(la.multi_dot(xs), want, 1e4)
    close(la.multi_dot([xs[0][0], *xs[1:-1], xs[-1][:, 0]]), want[0, 0], 1e5)


# --- what factors satisfy --------------------------------------------------------------------------------------------
def eye_like(x):
    return ss.eye(x.shape[-1])


FACTORS = {
    "eigh": lambda a: (lambda r: (r[1] * r[0]) @ adjoint(r[1]) - (a + adjoint(a)))(la.eigh(a + adjoint(a))),
    "eigh, unitary": lambda a: (lambda v: adjoint(v) @ v - eye_like(v))(la.eigh(a + adjoint(a)).eigenvectors),
    "eig": lambda a: (lambda r: a @ r[1] - r[1] * r[0])(la.eig(a)),
    "eig, length": lambda a: (lambda v: ss.sum(ss.real(v * ss.conj(v)), 0) - 1.0)(la.eig(a).eigenvectors),
    "schur": lambda a: (lambda r: r[1] @ r[0] @ adjoint(r[1]) - a)(la.schur(a, "complex")),
    "schur, unitary": lambda a: (lambda z: adjoint(z) @ z - eye_like(z))(la.schur(a, "complex").Z),
    "cholesky": lambda a: (lambda y: y @ adjoint(y) - positive(a))(la.cholesky(positive(a))),
    "cholesky, upper": lambda a: (lambda y: adjoint(y) @ y - positive(a))(la.cholesky(positive(a), upper=True)),
    "qr": lambda a: (lambda r: r.Q @ r.R - a)(la.qr(a)),
    "qr, unitary": lambda a: (lambda q: adjoint(q) @ q - eye_like(q))(la.qr(a).Q),
    "lu": lambda a: (lambda r: r.P @ r.L @ r.U - a)(la.lu(a)),
    "polar": lambda a: (lambda r: r.U @ r.P - a)(la.polar(a)),
    "polar, unitary": lambda a: (lambda u: adjoint(u) @ u - eye_like(u))(la.polar(a).U),
    "polar, Hermitian": lambda a: (lambda p: p - adjoint(p))(la.polar(a).P),
    "pinv": lambda a: la.pinv(a[:, :2]) @ a[:, :2] - ss.eye(2),
    "slogdet": lambda a: (lambda r: r.sign * ss.exp(r.logabsdet) - la.det(a))(la.slogdet(a)),
}


@KINDS
@pytest.mark.parametrize("name", FACTORS)
def test_factors_satisfy_their_equations_to_order_4(rng, name, kind):
    a, e = any_matrix(rng, (3, 3), kind) + 3.0 * np.diag([1.0, 2.0, 4.0]), any_matrix(rng, (3, 3), kind)
    for c in ad.taylor(FACTORS[name], a, e, 4):
        close(c, np.zeros(c.shape), 1e5)


@KINDS
def test_phases_stay(rng, kind):
    """v^H dv = 0 for each column of eigh, eig and schur; diag(r) of qr stays real."""
    a, e = any_matrix(rng, (4, 4), kind), any_matrix(rng, (4, 4), kind)
    for f in (lambda x: la.eigh(x + adjoint(x))[1], lambda x: la.eig(x)[1], lambda x: la.schur(x, "complex")[1]):
        v, dv = ad.jvp(f, a, e)
        close(np.sum(np.conj(np.asarray(v)) * np.asarray(dv), axis=0), np.zeros(4), 1e4)
    close(np.imag(np.diag(np.asarray(ad.jvp(lambda x: la.qr(x).R, a, e)[1]))), np.zeros(4))


def test_gradients_of_functions_of_hermitian_matrices_are_hermitian(rng):
    a = symmetric(rng, [1, 2, 3], "c")
    for f in (lambda x: ss.sum(la.eigvalsh(x, UPLO="U") ** 3), lambda x: ss.sum(ss.real(la.cholesky(x)) ** 2)):
        g = np.asarray(ad.grad(f)(a))
        close(g, g.conj().T)
    close(ad.grad(lambda x: ss.sum(la.eigvalsh(x) ** 3))(a), 3 * a @ a, 1e4)


# --- general eigenvalues ---------------------------------------------------------------------------------------------
@WRAPS
@KINDS
def test_equal_eigenvalues_of_a_matrix_that_is_not_symmetric(rng, kind, wrap):
    """With vectors that span the space, symmetric functions are exact."""
    x = any_matrix(rng, (4, 4), kind) + 3.0 * np.eye(4)
    a, e = x @ np.diag([1.0, 1.0, 2.0, 2.0]) @ np.linalg.inv(x), any_matrix(rng, (4, 4), kind)
    f = lambda y: ss.real(ss.sum(la.eigvals(y) ** 3))
    g = lambda y: ss.real(la.trace(la.matrix_power(y, 3)))
    close(wrap(ad.grad(f))(a), ad.grad(g)(a), 1e6)
    for got, want in zip(wrap(lambda y: ad.taylor(f, y, e, 3))(a), ad.taylor(g, a, e, 3), strict=True):
        close(got, want, 1e7)
    close(wrap(lambda y: ad.hvp(f, y, e))(a), ad.hvp(g, a, e), 1e7)


@WRAPS
def test_defective_matrices_and_single_ones_of_equal_eigenvalues_are_nan(wrap):
    nan = lambda f, a: np.isnan(np.asarray(wrap(ad.grad(f))(a))).all()
    jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    assert nan(lambda a: ss.real(la.eigvals(a)[0]), jordan)
    assert nan(lambda a: ss.real(la.eigvals(a)[0]), np.eye(2))
    assert nan(lambda a: ss.real(ss.sum(la.eig(a).eigenvectors)), np.eye(2))
    close(wrap(ad.grad(lambda a: ss.real(ss.sum(la.eigvals(a)))))(np.eye(2)), np.eye(2))
    assert np.isnan(np.asarray(wrap(ad.grad(lambda a: la.schur(a).Z[0, 1]))(np.eye(2)))).any()
    rotation = np.array([[0.0, 1.0], [-1.0, 0.0]])  # a 2 x 2 block
    assert nan(lambda a: ss.sum(la.schur(a).T), rotation)
    assert np.isnan(np.asarray(ad.jvp(lambda a: la.schur(a).T, rotation, rotation)[1])).all()
    assert not nan(lambda a: ss.sum(ss.real(la.schur(a, output="complex").T)), rotation)


# --- rank that is lost -----------------------------------------------------------------------------------------------
@WRAPS
def test_pseudoinverse_where_rank_is_lost(rng, wrap):
    u, v, w = orthogonal(rng, 4, columns=1), orthogonal(rng, 3, columns=1), rng.normal(size=(4, 1))
    a = 2.0 * u @ v.T
    turned = ad.jvp(la.pinv, a, w @ v.T)[1]  # (2u + tw) v^T keeps rank 1: its inverse is v (2u + tw)^T / norm^2
    q = 2.0 * u
    close(turned, v @ (w.T / 4.0 - 2.0 * (q.T @ w) * q.T / 16.0))
    assert np.isnan(np.asarray(wrap(lambda x: ad.jvp(la.pinv, x, np.ones((4, 3)))[1])(a))).all()
    assert np.isnan(np.asarray(wrap(ad.grad(lambda x: ss.sum(la.pinv(x))))(a))).all()
    b = rng.normal(size=4)
    x = lambda a, b: la.lstsq(a, b).x
    close(ad.jvp(x, (a, b), (w @ v.T, None))[1], np.asarray(turned) @ b)
    assert np.isnan(np.asarray(ad.grad(lambda a: ss.sum(x(a, b)))(a))).all()
    close(wrap(ad.grad(lambda b: ss.sum(x(a, b))))(b), np.linalg.pinv(a).sum(0))
    assert int(la.matrix_rank(a)) == int(la.lstsq(a, b).rank) == 1


@WRAPS
def test_factors_where_rank_is_lost(wrap):
    nan = lambda f, a: np.isnan(np.asarray(wrap(ad.grad(f))(a))).any()
    lost = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert nan(lambda a: ss.sum(la.qr(a).R), np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert nan(lambda a: ss.sum(la.lu(a).L), lost * 0)
    assert nan(lambda a: ss.sum(la.polar(a).U), lost)
    assert nan(lambda a: la.slogdet(a).logabsdet, np.zeros((2, 2)))
    assert float(la.slogdet(np.zeros((2, 2))).logabsdet) == -np.inf
    tall = np.eye(3)[:, :2]
    assert nan(lambda a: ss.sum(la.qr(a, mode="complete").Q), tall)
    assert not nan(lambda a: ss.sum(la.qr(a, mode="complete").Q[:, :2]), tall)


# --- results with names ----------------------------------------------------------------------------------------------
def test_results_are_named_tuples_through_every_transformation(rng):
    a = rng.normal(size=(3, 3)) + 3.0 * np.eye(3)
    fields = {
        "eigh": ("eigenvalues", "eigenvectors"),
        "eig": ("eigenvalues", "eigenvectors"),
        "qr": ("Q", "R"),
        "slogdet": ("sign", "logabsdet"),
        "svd": ("U", "S", "Vh"),
    }
    for name, want in fields.items():
        f = getattr(la, name)
        for out in (f(a), ss.jit(f)(a), ss.vmap(f)(a[None]), ad.jvp(f, a, a)[1], ad.taylor(f, a, a, 2)[1]):
            assert out._fields == want
    y, back = ad.vjp(lambda x: la.slogdet(x), a)
    close(back(type(y)(ss.zeros(()), ss.ones(())))[0], np.linalg.inv(a).T)


# --- errors ----------------------------------------------------------------------------------------------------------
NAN = np.full((2, 2), np.nan)
WIDE = np.ones((2, 3))
ERRORS = [
    (lambda: la.eigh(WIDE), ShapeError, r"eigh: a must be a square matrix .* \(2, 3\)"),
    (lambda: la.eigh(np.eye(2), "X"), ArgumentError, "eigh: UPLO .* 'X'"),
    (lambda: la.eigh(NAN), ArgumentError, "eigh: a holds nan or infinity"),
    (lambda: la.eigvalsh(NAN), ArgumentError, "eigvalsh: a holds nan or infinity"),
    (lambda: la.svd(NAN), ArgumentError, "svd: a holds nan or infinity"),
    (lambda: la.svdvals(NAN), ArgumentError, "svdvals: a holds nan or infinity"),
    (lambda: la.eig(NAN), ArgumentError, "eig: a holds nan or infinity"),
    (lambda: la.eigvals(NAN), ArgumentError, "eigvals: a holds nan or infinity"),
    (lambda: la.schur(NAN), ArgumentError, "schur: a holds nan or infinity"),
    (lambda: la.pinv(NAN), ArgumentError, "pinv: a holds nan or infinity"),
    (lambda: la.lstsq(NAN, np.ones(2)), ArgumentError, "lstsq: a holds nan or infinity"),
    (lambda: la.svd(np.ones(3)), ShapeError, "svd: a must be a matrix"),
    (lambda: la.qr(WIDE, mode="full"), ArgumentError, "qr: mode must be .* 'full'"),
    (lambda: la.cholesky(-np.eye(2)), la.NotPositiveDefiniteError, r"cholesky: a matrix of shape \(2, 2\) is not pos"),
    (lambda: la.cholesky(np.zeros((2, 2))), la.NotPositiveDefiniteError, "use eigh"),
    (lambda: la.cholesky(WIDE), ShapeError, "cholesky: a must be a square"),
    (lambda: la.cho_solve(np.eye(2), np.ones(3)), ShapeError, r"cho_solve: b of shape \(3,\)"),
    (lambda: la.lu_solve(la.lu_factor(np.eye(2)), np.ones(3)), ShapeError, r"lu_solve: b of shape \(3,\)"),
    (lambda: la.lu_solve(la.lu_factor(np.eye(2)), np.ones(2), 3), ArgumentError, "trans must be 0, 1 or 2, got 3"),
    (lambda: la.lu_solve(la.lu_factor(np.zeros((2, 2))), np.ones(2)), la.SingularMatrixError, "singular"),
    (lambda: la.lstsq(WIDE, np.ones(3)), ShapeError, r"lstsq: b of shape \(3,\) does not fit"),
    (lambda: la.schur(np.eye(2), "r"), ArgumentError, "schur: output must be"),
    (lambda: la.polar(np.eye(2), "up"), ArgumentError, "polar: side must be"),
    (lambda: la.matrix_power(WIDE, 2), ShapeError, "matrix_power: a must be a square"),
    (lambda: la.matrix_power(np.eye(2), 0.5), ArgumentTypeError, "matrix_power: n"),
    (lambda: la.multi_dot([WIDE]), ArgumentError, "multi_dot: needs at least two arrays, got 1"),
    (lambda: la.multi_dot([WIDE, WIDE]), ShapeError, r"multi_dot: shapes \(2, 3\), \(2, 3\) make no chain"),
    (lambda: la.cond(WIDE, 1), ShapeError, "cond: x must be a square"),
    (lambda: la.cond(np.ones((0, 0))), ArgumentError, "cond: a matrix of shape"),
    (lambda: la.cond(np.eye(2), "x"), ArgumentError, "cond: ord must be .* 'x'"),
    (lambda: la.norm(np.ones((0, 2)), 2), ShapeError, "norm: ord=2 of a matrix without elements"),
    (lambda: la.svd(ss.ones((2, 2), dtype="float16")), DTypeError, "svd: a has dtype float16; convert it"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert issubclass(error, ScisimError)
