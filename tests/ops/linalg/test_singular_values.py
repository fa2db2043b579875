"""Singular values and what is made of them, where they are equal or 0: exact derivatives, conventions, or nan."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from tests.ops.linalg import orthogonal

la = ss.linalg
EPS = np.finfo(float).eps
WRAPS = pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
KINDS = pytest.mark.parametrize("kind", ["f", "c"], ids=["real", "complex"])
SHAPES = pytest.mark.parametrize("shape", [(3, 3), (5, 3), (2, 4)], ids=str)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def close(got, want, scale=1e4):
    want = np.asarray(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=scale * EPS * max(1.0, np.abs(want).max(initial=0)))


def made(rng, shape, s, kind="f"):
    """A matrix with these singular values, and its singular vectors."""
    u, v = (orthogonal(rng, n, kind, len(s)) for n in shape)
    return (u * np.asarray(s, float)) @ v.conj().T, u, v


def any_matrix(rng, shape, kind):
    return rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "c" else 0.0)


def squares(a):
    return ss.sum(la.svdvals(a) ** 2)


def elements(a):
    """The same: the sum of the squared moduli of all elements."""
    return ss.sum(ss.real(a * ss.conj(a)))


@WRAPS
@pytest.mark.parametrize(
    ("shape", "kind", "s"),
    [
        ((3, 3), "f", (1, 1)),
        ((3, 3), "c", (1, 1)),
        ((3, 3), "f", (0, 0)),
        ((5, 3), "f", (2, 0)),
        ((5, 3), "c", (0, 0)),
        ((2, 4), "f", (1, 1)),
    ],
    ids=str,
)
def test_the_sum_of_squares_is_that_of_the_elements(rng, shape, kind, s, wrap):
    """Where singular values are equal, and where they meet 0, in every order along a line and for Hessian products."""
    a, e = made(rng, shape, s, kind)[0], any_matrix(rng, shape, kind)
    for got, want in zip(wrap(lambda x: ad.taylor(squares, x, e, 4))(a), ad.taylor(elements, a, e, 4), strict=True):
        close(got, want, 1e5)
    close(wrap(ad.grad(squares))(a), 2 * a)
    close(wrap(lambda x: ad.hvp(squares, x, e))(a), 2 * e)
    close(wrap(ad.grad(lambda x: ad.jvp(squares, x, e)[1]))(a), 2 * e)


@KINDS
def test_equal_singular_values_and_a_quartic(rng, kind):
    a, e = made(rng, (4, 4), (1, 1, 2, 2), kind)[0], any_matrix(rng, (4, 4), kind)
    f = lambda x: ss.sum(la.svdvals(x) ** 4)
    g = lambda x: elements(ss.conj(ss.matrix_transpose(x)) @ x)
    for got, want in zip(ad.taylor(f, a, e, 4), ad.taylor(g, a, e, 4), strict=True):
        close(got, want, 1e5)
    close(ad.hvp(f, a, e), ad.hvp(g, a, e))
    for got, want in zip(ad.taylor(ad.grad(f), a, e, 3), ad.taylor(ad.grad(g), a, e, 3), strict=True):
        close(got, want, 1e5)


def test_the_branch_that_grows(rng):
    """From order 2 on a singular value that leaves 0 is positive; |t| sigma, one-sided."""
    e = made(rng, (3, 3), (3, 2, 1))[0]
    c = ad.taylor(la.svdvals, np.zeros((3, 3)), e, 3)
    close(np.stack(c), [[0, 0, 0], [3, 2, 1], [0, 0, 0], [0, 0, 0]])
    a, u, v = made(rng, (3, 3), (2, 1, 0))
    c = ad.taylor(la.svdvals, a, e, 1)[1]
    close(c, [*(np.einsum("ia,ij,ja->a", u, e, v)[:2]), abs(u[:, 2] @ e @ v[:, 2])])


@WRAPS
def test_no_gradient_is_nan(rng, wrap):
    nan = lambda f, a: np.isnan(np.asarray(wrap(ad.grad(f))(a))).all()
    twice, lost = made(rng, (3, 3), (2, 2, 1))[0], made(rng, (3, 3), (2, 1, 0))[0]
    assert nan(lambda a: la.svdvals(a)[0], twice)
    assert not nan(lambda a: la.svdvals(a)[2], twice)
    assert nan(lambda a: ss.sum(la.svd(a).U), twice)
    assert nan(lambda a: ss.sum(la.svdvals(a)), lost)
    assert nan(lambda a: la.svd(a)[1][2], lost)
    tall = made(rng, (4, 2), (2, 1))[0]
    assert nan(lambda a: ss.sum(la.svd(a).U), tall)  # its last columns could be any
    assert not nan(lambda a: ss.sum(la.svd(a).U[:, :2] ** 3), tall)


# --- norms -----------------------------------------------------------------------------------------------------------
@WRAPS
@KINDS
@SHAPES
def test_norms_of_singular_values(rng, shape, kind, wrap):
    a, u, v = made(rng, shape, (3, 2), kind)
    close(wrap(lambda x: la.norm(x, "nuc"))(a), 5.0)
    close(wrap(ad.grad(lambda x: la.norm(x, "nuc")))(a), u @ v.conj().T)
    close(wrap(ad.grad(lambda x: la.norm(x, 2)))(a), np.outer(u[:, 0], v[:, 0].conj()))
    close(wrap(lambda x: ad.jvp(lambda y: la.norm(y, "nuc"), x, a)[1])(a), 5.0)
    close(la.matrix_norm(np.stack([a, 2 * a]), ord="nuc", keepdims=True), [[[5.0]], [[10.0]]])
    if min(shape) == 2:
        close(wrap(ad.grad(lambda x: la.norm(x, -2)))(a), np.outer(u[:, 1], v[:, 1].conj()))


@WRAPS
@pytest.mark.parametrize("p", ["nuc", 2, -2])
def test_norms_at_zero(p, wrap):
    """By convention 0 at first order; one-sided from order 2, as abs."""
    zero, e = np.zeros((2, 2)), np.diag([3.0, 1.0])
    f = lambda x: la.norm(x, p)
    np.testing.assert_array_equal(wrap(ad.grad(f))(zero), zero)
    assert float(wrap(lambda x: ad.jvp(f, x, e)[1])(zero)) == 0.0
    close(wrap(lambda x: ad.taylor(f, x, e, 2)[1])(zero), {"nuc": 4.0, 2: 3.0, -2: 1.0}[p])


# --- vectors ---------------------------------------------------------------------------------------------------------
@KINDS
@SHAPES
def test_the_product_of_the_factors_is_the_matrix_to_every_order(rng, shape, kind):
    a, e = (any_matrix(rng, shape, kind) for _ in range(2))

    def product(x):
        u, s, vh = la.svd(x, full_matrices=False)
        return (u * s) @ vh, ss.conj(ss.matrix_transpose(u)) @ u, vh @ ss.conj(ss.matrix_transpose(vh))

    c = ad.taylor(product, a, e, 4)
    one = np.eye(min(shape))
    for k, (same, left, right) in enumerate(c):
        close(same, (a, e)[k] if k < 2 else 0 * a, 1e6)
        close(left, one * (k == 0), 1e6)
        close(right, one * (k == 0), 1e6)


@KINDS
def test_the_phase_of_a_pair_stays(rng, kind):
    """u^H du + v^H dv = 0 for each pair of vectors."""
    a, e = (any_matrix(rng, (4, 3), kind) for _ in range(2))
    (u, _, vh), (du, _, dvh) = ad.jvp(lambda x: la.svd(x, full_matrices=False), a, e)
    left = np.sum(np.conj(np.asarray(u)) * np.asarray(du), axis=0)
    close(left + np.sum(np.asarray(vh) * np.conj(np.asarray(dvh)), axis=1), np.zeros(3))


def test_in_the_basis_of_a_line(rng):
    """Vectors of equal singular values start in the basis that the line chooses, and stay singular vectors."""
    a, e = made(rng, (3, 3), (2, 2, 1))[0], rng.normal(size=(3, 3))
    u, s, vh = ad.jvp(la.svd, a, e)[0]
    close((np.asarray(u) * np.asarray(s)) @ np.asarray(vh), a)
    du, _, _ = ad.jvp(la.svd, a, e)[1]
    assert np.isnan(np.asarray(du)[:, :2]).all()
    assert np.isfinite(np.asarray(du)[:, 2]).all()


@pytest.mark.parametrize("shape", [(300, 3), (3, 300)], ids=str)
def test_long_matrices_are_quick(rng, shape):
    """By the small triangular factor: never a matrix of the long side squared."""
    a = rng.normal(size=shape)
    close(ad.grad(lambda x: la.norm(x, "nuc"))(a), la.polar(a, "right" if shape[0] > 3 else "left").U)
    close(ad.hvp(squares, a, a), 2 * a, 1e5)
