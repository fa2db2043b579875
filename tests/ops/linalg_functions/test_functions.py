"""Functions of matrices: mpmath in high precision, identities, derivatives at repeated eigenvalues, refusals."""

import math

import mpmath
import numpy as np
import pytest
import scipy.linalg as sl

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, DTypeError, ShapeError

la = ss.linalg
EPS = np.finfo(float).eps
JORDAN = np.array([[2.0, 1, 0], [0, 2, 1], [0, 0, 2]])
NAMES = ("expm", "logm", "sqrtm")


def exact(name, a):
    """By mpmath with 60 digits."""
    with mpmath.workdps(60):
        y = getattr(mpmath, name)(mpmath.matrix(a.tolist()))
        return np.array(y.tolist(), dtype=complex if a.dtype.kind == "c" else float)


def rounded(got, want, factor):
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=factor * EPS * np.abs(want).max())


@pytest.fixture(params=["real", "complex", "jordan", "diagonal", "identity"])
def matrix(request, rng):
    a = rng.normal(size=(4, 4))
    return {
        "real": a @ a.T / 4 + np.eye(4) + np.triu(a, 1),
        "complex": 0.4 * (a + 1j * rng.normal(size=(4, 4))) + 2 * np.eye(4),
        "jordan": JORDAN,
        "diagonal": np.diag([1.0, 1.0, 3.0]),
        "identity": np.eye(3),
    }[request.param]


@pytest.mark.parametrize("name", NAMES)
def test_values_equal_mpmath(name, matrix):
    condition = 8 * np.linalg.cond(matrix) if name != "expm" else 8 * np.linalg.norm(matrix)
    want = exact(name, matrix)
    if np.abs(want).max() > 0:
        rounded(getattr(la, name)(matrix), want, max(condition, 16))
    else:
        np.testing.assert_array_equal(np.asarray(getattr(la, name)(matrix)), want)


@pytest.mark.parametrize("name", NAMES)
def test_series_equal_those_of_mpmath(name, matrix, rng):
    """Coefficients to order 4 from differences with 100 digits."""
    v = 0.3 * rng.normal(size=matrix.shape)
    cs = ad.taylor(getattr(la, name), ss.asarray(matrix), ss.asarray(v.astype(matrix.dtype)), 4)
    with mpmath.workdps(100):
        h = mpmath.mpf(10) ** -12
        a, e = mpmath.matrix(matrix.tolist()), mpmath.matrix(v.tolist())
        ys = [getattr(mpmath, name)(a + k * h * e) for k in range(-2, 3)]
        stencils = {
            1: ([1, -8, 0, 8, -1], 12),
            2: ([-1, 16, -30, 16, -1], 12),
            3: ([-1, 2, 0, -2, 1], 2),
            4: ([1, -4, 6, -4, 1], 1),
        }
        for k, (weights, d) in stencils.items():
            total = sum((w * y for w, y in zip(weights, ys, strict=True)), mpmath.zeros(*matrix.shape))
            scaled = total / (d * h**k * math.factorial(k))
            want = np.array(scaled.tolist(), dtype=complex)
            got = np.asarray(cs[k])
            scale = max(np.abs(want).max(), *(np.abs(np.asarray(c)).max() for c in cs))
            assert np.abs(got - want).max() <= 1e-12 * scale, k


def test_series_of_the_exponential_along_a_commuting_direction(rng):
    """exp(t a) has the coefficients a^k exp(a) / k! at t = 1."""
    a = rng.normal(size=(3, 3))
    cs = ad.taylor(lambda t: la.expm(t * ss.asarray(a)), 1.0, 1.0, 8)
    for k, c in enumerate(cs):
        rounded(c, np.linalg.matrix_power(a, k) @ exact("expm", a) / math.factorial(k), 256)


def test_a_large_direction_does_not_spoil_the_series(rng):
    a, v = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    small = ad.taylor(la.expm, ss.asarray(a), ss.asarray(v), 3)
    large = ad.taylor(la.expm, ss.asarray(a), ss.asarray(v * 2.0**20), 3)
    for k in range(1, 4):
        rounded(np.asarray(large[k]) / 2.0 ** (20 * k), np.asarray(small[k]), 64)


def test_first_derivative_is_scipys(rng):
    a, e = rng.normal(size=(6, 6)) * 3, rng.normal(size=(6, 6))
    y, dy = ad.jvp(la.expm, (ss.asarray(a),), (ss.asarray(e),))
    want = sl.expm_frechet(a, e)
    rounded(y, exact("expm", a), 256)
    rounded(dy, want[1], 1024)


def test_stacks_are_scaled_one_by_one(rng):
    a = rng.normal(size=(3, 4, 4)) * np.array([1e-3, 1.0, 30.0])[:, None, None]
    e = rng.normal(size=(3, 4, 4))
    _, dy = ad.jvp(la.expm, (ss.asarray(a),), (ss.asarray(e),))
    for x, v, d in zip(a, e, np.asarray(dy), strict=True):
        rounded(d, sl.expm_frechet(x, v)[1], 1024)


def test_logarithm_and_exponential_are_inverse_with_their_derivatives(rng):
    a = 0.3 * rng.normal(size=(4, 4))
    e = rng.normal(size=(4, 4))
    cs = ad.taylor(lambda x: la.logm(la.expm(x)), ss.asarray(a), ss.asarray(e), 4)
    rounded(cs[0], a, 256)
    rounded(cs[1], e, 1024)
    for c in cs[2:]:
        assert np.abs(np.asarray(c)).max() < 1e-12


def test_hessian_of_the_trace_of_the_square_root_at_the_identity():
    """tr sqrt(1 + t e) has the second derivative -tr(e e) / 4, repeated eigenvalues or not."""
    e = np.array([[0.0, 1.0], [1.0, 0.0]])
    f = lambda t: ss.trace(la.sqrtm(ss.eye(2) + t * e))
    assert ad.derivative(f, 2)(0.0).item() == pytest.approx(-0.5, rel=4 * EPS)
    g = ad.grad(lambda a: ss.trace(la.logm(a)))(ss.eye(3))
    rounded(g, np.eye(3), 4)


def test_powers_in_both_operands(rng):
    a = rng.normal(size=(3, 3))
    a = a @ a.T + np.eye(3)
    cs = ad.taylor(lambda t: la.fractional_matrix_power(a, t), 0.5, 1.0, 3)
    log = sl.logm(a)
    for k, c in enumerate(cs):
        rounded(c, sl.sqrtm(a) @ np.linalg.matrix_power(log, k) / math.factorial(k), 512)
    rounded(la.fractional_matrix_power(a, 1 / 3), sl.fractional_matrix_power(a, 1 / 3), 256)
    rounded(la.fractional_matrix_power(np.stack([a, a]), np.array([1.0, -1.0]))[1], np.linalg.inv(a), 2048)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_trigonometric_functions_equal_mpmath(kind, rng):
    a = rng.normal(size=(4, 4)) + (1j * rng.normal(size=(4, 4)) if kind == "complex" else 0)
    scale = np.exp(np.linalg.norm(a, 2))
    for turn, cosine, sine, tangent in ((1, "cosm", "sinm", "tanm"), (1j, "coshm", "sinhm", "tanhm")):
        c, s = exact("cosm", a * turn), exact("sinm", a * turn) / turn
        np.testing.assert_allclose(np.asarray(getattr(la, cosine)(a)), c, rtol=0, atol=32 * EPS * scale)
        np.testing.assert_allclose(np.asarray(getattr(la, sine)(a)), s, rtol=0, atol=32 * EPS * scale)
        rounded(getattr(la, tangent)(a), np.linalg.solve(c, s), 64 * np.linalg.cond(c) * scale / np.abs(c).max())


def test_the_sign_is_its_own_inverse(rng):
    a = rng.normal(size=(4, 4))
    y = np.asarray(la.signm(a))
    rounded(y @ y, np.eye(4), 1024)
    rounded(y @ a, a @ y, 1024)
    rounded(y, sl.signm(a), 1024)


@pytest.mark.parametrize("size", [0.1, 1.0, 2.5, 4.0, 5.0, 8.0, 20.0])
def test_the_exponential_keeps_its_digits_for_all_norms(size):
    a = JORDAN * (size / 3)
    rounded(la.expm(a), exact("expm", a), 4 * (2 + size))
    stack = np.asarray(la.expm(np.stack([a, np.zeros((3, 3)), -a])))
    np.testing.assert_array_equal(stack[0], np.asarray(la.expm(a)))
    np.testing.assert_array_equal(stack[1], np.eye(3))


@pytest.mark.parametrize("name", [*NAMES, "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"])
def test_single_precision_stays(name):
    for kind in (np.float32, np.complex64):
        a = np.array([[1.0, 0.2], [0.1, 2.0]], kind)
        y, dy = ad.jvp(getattr(la, name), (ss.asarray(a),), (ss.asarray(a),))
        assert y.dtype == dy.dtype == kind
        np.testing.assert_allclose(
            np.asarray(y), np.asarray(getattr(la, name)(a.astype(complex))), rtol=2e-5, atol=1e-6
        )


# --- points at which there is no function or no derivative ------------------------------------------------------------
def test_real_matrices_with_negative_eigenvalues():
    a = np.diag([1.0, -2.0])
    for f in (la.logm, la.sqrtm):
        with pytest.raises(DTypeError, match=r"negative eigenvalue.*astype\(complex\)"):
            f(a)
    rounded(la.logm(a.astype(complex)), sl.logm(a), 8)
    rounded(la.sqrtm(a.astype(complex)), sl.sqrtm(a), 8)


@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
def test_singular_matrices():
    with pytest.raises(la.SingularMatrixError, match=r"logm: .* singular"):
        la.logm([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(la.SingularMatrixError, match="defective"), np.errstate(all="ignore"):
        la.sqrtm([[0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(np.asarray(la.sqrtm(np.zeros((2, 2)))), 0.0)


@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
def test_the_square_root_of_a_singular_matrix_has_no_derivative():
    a, e = ss.asarray(np.diag([1.0, 0.0])), ss.eye(2)
    assert la.sqrtm(a).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert np.isnan(np.asarray(ad.jvp(la.sqrtm, (a,), (e,))[1])).all()
    assert np.isnan(np.asarray(ad.grad(lambda x: ss.sum(la.sqrtm(x)))(a))).all()
    assert np.isnan(np.asarray(ad.taylor(la.sqrtm, a, e, 2)[2])).all()


def test_what_is_no_square_matrix():
    for name in (*NAMES, "cosm", "signm"):
        with pytest.raises(ShapeError, match=rf"{name}: a must be a square matrix"):
            getattr(la, name)(np.ones((2, 3)))
    with pytest.raises(DTypeError, match="expm: a has dtype float16"):
        la.expm(np.eye(2, dtype=np.float16))
    for name in ("logm", "sqrtm"):
        with pytest.raises(ArgumentError, match=rf"{name}: a holds nan"):
            getattr(la, name)(np.full((2, 2), np.nan))
