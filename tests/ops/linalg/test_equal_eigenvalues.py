"""Derivatives of eigenvalues and eigenvectors where eigenvalues are equal: exact where they exist, else nan."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from tests.ops.linalg import orthogonal, symmetric

la = ss.linalg
EPS = np.finfo(float).eps
WRAPS = pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "captured"])
KINDS = pytest.mark.parametrize("kind", ["f", "c"], ids=["real", "complex"])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
EYE, SWAP = ss.eye(2), ss.asarray([[0.0, 1.0], [1.0, 0.0]])


def close(got, want, scale=1e3):
    want = np.asarray(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=scale * EPS * max(1.0, np.abs(want).max(initial=0)))


def squares(a):
    return ss.sum(la.eigvalsh(a) ** 2)


def cubes(a):
    return ss.sum(la.eigvalsh(a) ** 3)


def cubed(a):
    """The same, as the polynomial that it is."""
    return ss.real(la.trace(la.matrix_power(a, 3)))


# --- the sum of squares at the identity ------------------------------------------------------------------------------
MODES = {
    "jvp over jvp": lambda f: (
        lambda a: ad.jvp(lambda s: ad.jvp(lambda t: f(a + t * SWAP), s, 1.0)[1], ss.asarray(0.0), 1.0)[1]
    ),
    "derivative": lambda f: lambda a: ad.derivative(lambda t: f(a + t * SWAP), 2)(0.0),
    "Taylor": lambda f: lambda a: 2.0 * ad.taylor(f, a, SWAP, 2)[2],
    "longer Taylor": lambda f: lambda a: 2.0 * ad.taylor(f, a, SWAP, 5)[2],
    "jvp over grad": lambda f: lambda a: ss.sum(SWAP * ad.jvp(ad.grad(f), a, SWAP)[1]),
    "hvp": lambda f: lambda a: ss.sum(SWAP * ad.hvp(f, a, SWAP)),
    "grad over jvp": lambda f: lambda a: ss.sum(SWAP * ad.grad(lambda x: ad.jvp(f, x, SWAP)[1])(a)),
    "grad over Taylor": lambda f: lambda a: ss.sum(SWAP * ad.grad(lambda x: ad.taylor(f, x, SWAP, 3)[1])(a)),
    "Hessian": lambda f: lambda a: ss.einsum("ij,ijkl,kl->", SWAP, ad.hessian(f)(a), SWAP),
    "mapped": lambda f: lambda a: ss.vmap(lambda v: ss.sum(v * ad.hvp(f, a, v)))(ss.stack([EYE, SWAP]))[1],
}


@WRAPS
@pytest.mark.parametrize("mode", MODES)
def test_the_sum_of_squares_has_the_second_derivative_of_the_sum_of_squared_elements(mode, wrap):
    close(wrap(MODES[mode](squares))(EYE), 4.0)


@WRAPS
def test_its_gradient(wrap):
    close(wrap(ad.grad(squares))(EYE), 2 * np.eye(2))
    close(wrap(ad.grad(squares))(2 * EYE + 0.5 * SWAP), 2 * np.asarray(2 * EYE + 0.5 * SWAP))


# --- any function that treats equal eigenvalues alike ----------------------------------------------------------------
@WRAPS
@KINDS
def test_symmetric_functions_in_every_mode_that_can_be_right(rng, kind, wrap):
    a, e = symmetric(rng, [1, 1, 2, 2, 2, 3], kind), symmetric(rng, rng.normal(size=6), kind)
    for got, want in zip(wrap(lambda x: ad.taylor(cubes, x, e, 5))(a), ad.taylor(cubed, a, e, 5), strict=True):
        close(got, want, 1e5)
    curve = lambda f: lambda x: ad.taylor(ad.grad(f), x, e, 4)
    for got, want in zip(wrap(curve(cubes))(a), curve(cubed)(a), strict=True):
        close(got, want, 1e5)
    for k in range(4):
        over = lambda f, k=k: ad.grad(lambda x: ad.taylor(f, x, e, 3)[k])
        close(wrap(over(cubes))(a), over(cubed)(a), 1e5)


def test_the_hessian_of_a_function_that_does_not_separate(rng):
    """log of the sum of exponentials, against differences of its exact gradient."""
    a = symmetric(rng, [0.5, 0.5, 0.5, 1.0], "f")
    f = lambda x: ss.logsumexp(la.eigvalsh(x))
    v = symmetric(rng, rng.normal(size=4), "f")

    def gradient(x):
        w, q = np.linalg.eigh(x)
        return (q * np.exp(w) / np.exp(w).sum()) @ q.T

    h = 1e-3
    g = [gradient(a + s * h * v) for s in (1, -1, 2, -2)]
    np.testing.assert_allclose(ad.hvp(f, a, v), (8 * (g[0] - g[1]) - (g[2] - g[3])) / (12 * h), atol=1e-11)


@WRAPS
def test_each_matrix_of_a_stack_for_itself(rng, wrap):
    stack = np.stack([np.eye(3), symmetric(rng, [1, 2, 2], "f"), symmetric(rng, [1, 2, 3], "f")])
    v = symmetric(rng, rng.normal(size=3), "f")
    per = [np.asarray(ad.hvp(cubed, x, v)) for x in stack]
    close(wrap(ss.vmap(lambda x: ad.hvp(cubes, x, v)))(stack), np.stack(per))
    whole = lambda x: ss.sum(la.eigvalsh(x) ** 3)
    close(wrap(lambda x: ad.hvp(whole, x, np.stack([v] * 3)))(stack), np.stack(per))
    last = wrap(ad.grad(lambda x: ss.sum(la.eigvalsh(x)[:, -1])))(stack)
    assert np.isnan(np.asarray(last)[:2]).all()
    assert np.isfinite(np.asarray(last)[2]).all()


# --- branches --------------------------------------------------------------------------------------------------------
BRANCHES = np.array([[1, 1, 0, 0, 0, 0], [1, -2, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0], [3, 0, 0, 0, 0, 0]], float)


def crossing(rng, kind):
    """Coefficients of a curve q(t) diag(w(t)) q(t)^H with known branches, of which two part only at order 3."""
    x = rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4)) * (kind == "c")
    x = 0.5 * (x - x.conj().T)
    q = [orthogonal(rng, 4, kind)]
    for k in range(5):
        q.append(q[k] @ x / (k + 1))  # q(t) = q exp(t x)
    part = [sum(q[i] * BRANCHES[:, k - i] for i in range(k + 1)) for k in range(6)]
    return [sum(part[i] @ q[k - i].conj().T for i in range(k + 1)) for k in range(6)], q


def series(f, curve, order):
    return ad.taylor(lambda t: f(sum(c * t**k for k, c in enumerate(curve))), 0.0, 1.0, order)


@WRAPS
@KINDS
@pytest.mark.parametrize("order", [1, 3, 5])
def test_eigenvalues_follow_their_branches(rng, kind, order, wrap):
    curve, _ = crossing(rng, kind)
    got = np.stack(wrap(lambda: series(la.eigvalsh, curve, order))() if wrap is not ss.jit else _captured(curve, order))
    places = np.lexsort(BRANCHES[:, : order + 1].T[::-1])  # by the first coefficients that differ
    close(got, BRANCHES[places, : order + 1].T, 1e5)


def _captured(curve, order):
    return ss.jit(lambda *c: tuple(series(la.eigvalsh, c, order)))(*curve)


def test_eigenvectors_as_far_as_the_line_determines_them(rng):
    """Of order 5, two branches that part at order 3 have vectors to order 2, those that part at order 1 to order 4."""
    curve, q = crossing(rng, "f")
    v = np.stack(series(lambda a: la.eigh(a).eigenvectors, curve, 5))
    places = np.lexsort(BRANCHES.T[::-1])
    for column, (branch, known) in enumerate(zip(places, [4, 2, 2, 5], strict=True)):
        assert np.isnan(v[known + 1 :, :, column]).all()
        projectors = _outer(v[: known + 1, :, column]), _outer(np.stack(q)[: known + 1, :, branch])
        close(projectors[0], projectors[1], 1e5)


def _outer(c):
    return np.stack([sum(np.outer(c[i], c[k - i]) for i in range(k + 1)) for k in range(len(c))])


def test_a_line_that_does_not_part_them():
    """All of (1 + t) 1: values move, and nobody knows how vectors turn."""
    w, v = ad.jvp(la.eigh, np.eye(3), np.eye(3))[1]
    close(w, np.ones(3))
    assert np.isnan(np.asarray(v)).all()
    assert float(ad.taylor(squares, EYE, EYE, 2)[2]) == 2.0


# --- what does not exist ---------------------------------------------------------------------------------------------
@WRAPS
@pytest.mark.parametrize(
    "f",
    [
        lambda a: la.eigvalsh(a)[-1],
        lambda a: la.eigvalsh(a)[0] - la.eigvalsh(a)[1],
        lambda a: ss.sum(la.eigh(a).eigenvectors),
        lambda a: ss.sum(la.eigh(a).eigenvectors[0] ** 2 * la.eigvalsh(a)),
    ],
    ids=["one of two", "their difference", "vectors", "weighted vectors"],
)
def test_no_gradient_is_nan(f, wrap):
    assert np.isnan(np.asarray(wrap(ad.grad(f))(EYE))).all()


def test_second_derivatives_that_nobody_knows_are_nan_not_numbers():
    """Reverse over reverse, a third jvp, and mixed directions that do not commute."""
    w = ss.asarray([[1.0, 0.0], [0.0, -1.0]])
    assert np.isnan(np.asarray(ad.grad(lambda a: ss.sum(SWAP * ad.grad(squares)(a)))(EYE))).all()
    inner = lambda a: ad.jvp(squares, a, SWAP)[1]
    assert np.isnan(float(ad.jvp(inner, EYE, w)[1]))
    assert float(ad.jvp(inner, EYE, EYE)[1]) == 0.0
    a, e = np.diag([1.0, 1.0, 2.0]), np.arange(9.0).reshape(3, 3) + np.arange(9.0).reshape(3, 3).T
    second = lambda x: ad.jvp(lambda y: ad.jvp(cubes, y, e)[1], x, e)[1]
    close(second(a), 6 * np.trace(a @ e @ e))
    assert np.isnan(float(ad.jvp(second, a, e)[1]))
    x = ss.asarray([0.0])
    f = lambda x, y: ss.sum(la.eigvalsh(ss.eye(2) + x[:, None, None] * SWAP + y[:, None, None] * w) ** 2, -1)
    for mixed in (ad.partial(f, "xy"), ss.jit(ad.partial(f, "xy"))):
        assert np.isnan(np.asarray(mixed(x, x))).all()
    close(ad.partial(f, "xx")(x, x), [4.0])


@WRAPS
def test_a_line_on_which_the_matrix_has_too_few_eigenvectors(wrap):
    """Of 1 + t [[0, 1], [0, 0]], in general: the first derivatives are known, and later ones are not."""
    series = wrap(lambda a: ad.taylor(la.eigvals, a, ss.asarray([[0.0, 1.0], [0.0, 0.0]]), 3))(EYE)
    close(series[0], np.ones(2))
    close(series[1], np.zeros(2))
    assert np.isnan(np.asarray(series[2:])).all()


def test_equal_but_for_rounding(rng):
    """A matrix computed from equal eigenvalues counts as one with equal eigenvalues."""
    for n in (2, 10, 40):
        a = symmetric(rng, np.repeat([1.0, -1.0], n // 2), "f")
        close(ad.hvp(cubes, a, np.eye(n)), np.asarray(6 * a), 1e4)
        close(ad.grad(lambda x: ss.sum((la.eigvalsh(x) ** 2 - 1.0) ** 2))(a), np.zeros((n, n)), 1e4)
        large = 1e5 * a
        g = ad.grad(lambda x: ss.sum((la.eigvalsh(x) ** 2 / 1e10 - 1.0) ** 2))(large)
        close(g, np.zeros((n, n)), 1e4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_eigenvalues_of_large_matrices_that_are_not_equal(rng, dtype):
    """Close ones, as of any large matrix, do not count as equal."""
    x = rng.normal(size=(200, 200))
    a = (x + x.T).astype(dtype)
    g = ad.grad(lambda a: la.eigvalsh(a)[100])(a)
    v = np.linalg.eigh(a)[1][:, 100]
    np.testing.assert_allclose(g, np.outer(v, v), atol=1e5 * np.finfo(dtype).eps ** 1.25)


def test_single_precision(rng):
    a, e = (symmetric(rng, w, "f").astype("float32") for w in ([1, 1, 2], [0.3, 0.5, 0.9]))
    got = ad.hvp(cubes, a, e)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, 3 * (a @ e + e @ a), atol=2e-5)
