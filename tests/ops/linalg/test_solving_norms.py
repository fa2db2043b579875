"""Linear algebra: NumPy's values, derivatives by closed forms, singular points."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, DTypeError, ScisimError, ShapeError

la = ss.linalg
EPS = np.finfo(float).eps
RANK_TWO = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]])
COFACTORS = np.array([[-2.0, -2.0, 2.0], [1.0, 1.0, -1.0], [0.0, 0.0, 0.0]])


@pytest.fixture
def a(rng):
    """Well conditioned: errors stay near n * eps."""
    return rng.normal(size=(3, 3)) + 4.0 * np.eye(3)


def _close(got, want, factor=64):
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=factor * EPS * max(1.0, np.abs(want).max()))


# --- solve, inv --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lead_a", [(), (2,), (5, 1)])
@pytest.mark.parametrize("shape_b", [(3,), (3, 2), (2, 3, 1), (5, 2, 3, 4)])
@pytest.mark.parametrize("kind", ["real", "complex", "mixed"])
def test_solve_is_numpys_for_stacks_on_either_side(rng, lead_a, shape_b, kind):
    a = rng.normal(size=(*lead_a, 3, 3)) + 4.0 * np.eye(3)
    b = rng.normal(size=shape_b) + 1j * rng.normal(size=shape_b) * (kind != "real")
    if kind == "complex":
        a = a + 1j * rng.normal(size=a.shape)
    want = np.linalg.solve(a, b if kind != "real" else b.real)
    got = la.solve(a, b if kind != "real" else b.real)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    _close(got, want)
    _close(ss.jit(la.solve)(a, b), np.linalg.solve(a, b))


def test_inverse_keeps_the_dtype(a):
    _close(la.inv(a), np.linalg.inv(a))
    assert la.inv(a.astype("float32")).dtype == np.float32
    assert la.inv([[2, 0], [0, 4]]).dtype == np.float64


def test_taylor_of_the_resolvent(rng, a):
    """(a + t)^-1 b has the coefficients (-a^-1)^k a^-1 b."""
    b = rng.normal(size=3)
    c = ad.taylor(lambda t: la.solve(a + t * ss.eye(3), b), 0.0, 1.0, 6)
    inverse = np.linalg.inv(a)
    for k in range(7):
        _close(c[k], np.linalg.matrix_power(-inverse, k) @ inverse @ b)


def test_derivatives_of_the_inverse_by_both_modes(rng, a):
    """d(a^-1) = -a^-1 da a^-1, and the second derivative by that rule again."""
    inverse = np.linalg.inv(a)
    want = -np.einsum("ik,lj->ijkl", inverse, inverse)
    _close(ad.jacfwd(la.inv)(a), want)
    _close(ad.jacrev(la.inv)(a), want)
    da = rng.normal(size=(3, 3))
    second = 2.0 * inverse @ da @ inverse @ da @ inverse
    got = ad.jvp(lambda x: ad.jvp(la.inv, (x,), (da,))[1], (a,), (da,))[1]
    _close(got, second)
    w = rng.normal(size=(3, 3))
    _close(ad.hvp(lambda x: ss.sum(w * la.inv(x)), a, da), _dense_hvp(inverse, w, da))


def _dense_hvp(inverse, w, da):
    """Gradient in a of the derivative of sum(w a^-1) along da."""
    left, right = inverse.T @ w @ inverse.T, da.T
    return inverse.T @ right @ left + left @ right @ inverse.T


def test_gradient_in_both_operands_of_complex_solve(rng, a):
    """Re(sum(conj(w) x)): the cotangent of b is a^-H w, that of a is -(a^-H w) x^H."""
    a = a + 1j * rng.normal(size=a.shape)
    b, w = (rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2)) for _ in range(2))
    loss = lambda a, b: ss.sum(ss.real(np.conj(w) * la.solve(a, b)))
    da, db = ad.grad(loss, argnums=(0, 1))(a, b)
    ct = np.linalg.solve(a.conj().T, w)
    _close(db, ct)
    _close(da, -ct @ np.linalg.solve(a, b).conj().T)


def test_solve_maps_over_either_operand(rng, a):
    b = rng.normal(size=(4, 3))
    _close(ss.vmap(la.solve, in_axes=(None, 0))(a, b), np.linalg.solve(a, b.T).T)
    many = a + np.arange(4.0)[:, None, None] * np.eye(3)
    _close(ss.vmap(la.solve, in_axes=(0, None))(many, b[0]), np.stack([np.linalg.solve(m, b[0]) for m in many]))
    _close(ss.jit(ss.vmap(la.solve))(many, b), np.stack([np.linalg.solve(m, v) for m, v in zip(many, b, strict=True)]))


def test_a_singular_matrix_is_named_with_the_way_out():
    for call in (lambda: la.solve(RANK_TWO, ss.ones(3)), lambda: la.inv(ss.zeros((2, 2)))):
        with pytest.raises(la.SingularMatrixError, match=r"solve: a matrix of shape .* is singular.* regularise"):
            call()
    assert issubclass(la.SingularMatrixError, ScisimError)
    assert issubclass(la.SingularMatrixError, np.linalg.LinAlgError)


# --- determinant -------------------------------------------------------------------------------------------
def test_determinant_of_a_shift_is_the_characteristic_polynomial(a):
    c = ad.taylor(lambda t: la.det(a + t * ss.eye(3)), 0.0, 1.0, 4)
    _close([float(x) for x in c], [*np.poly(-a)[::-1], 0.0], 256)


def test_gradient_of_the_determinant_is_the_cofactors(a):
    _close(ad.grad(la.det)(a), np.linalg.det(a) * np.linalg.inv(a).T)
    for g in (ad.grad(la.det), ss.jit(ad.grad(la.det)), ad.jacfwd(la.det)):
        _close(g(RANK_TWO), COFACTORS)
    both = ss.vmap(ad.grad(la.det))(np.stack([RANK_TWO, a]))
    _close(both, np.stack([COFACTORS, np.linalg.det(a) * np.linalg.inv(a).T]))


@pytest.mark.parametrize("zeros", [1, 2, 3, 4])
def test_determinant_of_deficient_diagonals_to_every_order(zeros):
    """det(diag + t) = t^zeros times the rest, though the gradient is 0 from the second zero on."""
    d = np.diag([0.0] * zeros + [2.0, 3.0][: 4 - min(zeros, 4)])
    c = [float(x) for x in ad.taylor(lambda t: la.det(d + t * ss.eye(len(d))), 0.0, 1.0, len(d))]
    _close(c, np.poly(-d)[::-1])


def test_determinants_of_complex_and_empty_matrices(rng):
    z = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    _close(la.det(z), np.linalg.det(z))
    v = rng.normal(size=(2, 3, 3))
    want = np.linalg.det(z) * np.trace(np.linalg.solve(z, v), axis1=1, axis2=2)
    _close(ad.jvp(la.det, (z,), (v + 0j,))[1], want, 256)
    assert float(la.det(ss.zeros((0, 0)))) == 1.0


# --- norms -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["real", "complex", "int"])
@pytest.mark.parametrize("ord", [None, 1, 2, 3, 0.5, 0, -2, math.inf, -math.inf])
@pytest.mark.parametrize("axis", [0, -1])
def test_vector_norms_are_numpys(rng, kind, ord, axis):
    x = rng.normal(size=(4, 5)) * (1 + 2j if kind == "complex" else 1)
    x = (10 * x).astype(int) * 2 + 1 if kind == "int" else x
    _close(la.norm(x, ord, axis), np.linalg.norm(x, ord, axis), 256)
    _close(la.norm(x, ord, axis, keepdims=True), np.linalg.norm(x, ord, axis, keepdims=True), 256)


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, math.inf, -math.inf])
@pytest.mark.parametrize("axis", [None, (0, 1), (1, 0)])
def test_matrix_norms_are_numpys(rng, ord, axis):
    x = rng.normal(size=(4, 5)) + 1j
    _close(la.norm(x, ord, axis), np.linalg.norm(x, ord, axis))
    _close(la.norm(x, ord, axis, keepdims=True), np.linalg.norm(x, ord, axis, keepdims=True))
    if axis == (0, 1) and ord is not None:
        _close(la.matrix_norm(x, ord=ord), np.linalg.matrix_norm(x, ord=ord))


def test_vector_norm_over_several_axes(rng):
    x = rng.normal(size=(2, 3, 4))
    _close(la.vector_norm(x), np.sqrt(np.sum(x * x)))
    _close(la.vector_norm(x, axis=(0, 2), ord=1), np.abs(x).sum((0, 2)))


@pytest.mark.parametrize("zero", [np.zeros(2), np.zeros(2, complex), np.zeros((2, 2))])
def test_norm_at_zero(zero):
    """The gradient is 0 by convention; the square is smooth, however it is written."""
    for g in (ad.grad(la.norm), ss.jit(ad.grad(la.norm))):
        np.testing.assert_array_equal(g(zero).numpy(), 0.0 * zero)
    assert float(ad.jvp(la.norm, (zero,), (np.ones_like(zero),))[1]) == 0.0
    for square in (lambda x: la.norm(x) ** 2, lambda x: la.norm(x) * la.norm(x)):
        c = [float(v) for v in ad.taylor(square, zero, np.ones_like(zero), 3)]
        np.testing.assert_array_equal(c, [0.0, 0.0, zero.size, 0.0])


def test_hessian_of_the_squared_norm_at_zero():
    np.testing.assert_array_equal(ad.hessian(lambda x: la.norm(x) ** 2)(np.zeros(3)).numpy(), 2.0 * np.eye(3))


def test_gradient_of_the_norm_is_the_direction(rng):
    x = rng.normal(size=5)
    r = np.linalg.norm(x)
    _close(ad.grad(la.norm)(x), x / r)
    _close(ad.hessian(la.norm)(x), (np.eye(5) - np.outer(x, x) / r**2) / r)
    z = rng.normal(size=3) + 1j * rng.normal(size=3)
    _close(ad.grad(la.norm)(z), z / np.linalg.norm(z))


def test_norms_keep_single_precision():
    for ord in (None, 1, 3, math.inf, 0):
        assert la.norm(np.ones(3, np.float32), ord).dtype == np.float32


# --- aliases and errors ------------------------------------------------------------------------------------
def test_what_the_array_api_has_in_both_places():
    for name in ("cross", "diagonal", "matmul", "matrix_transpose", "outer", "tensordot", "trace", "vecdot"):
        assert getattr(la, name) is getattr(ss, name)


ERRORS = [
    (lambda: la.solve(ss.ones((2, 3)), ss.ones(2)), ShapeError, r"solve: a must be a square matrix .* \(2, 3\)"),
    (lambda: la.solve(ss.eye(3), ss.ones(2)), ShapeError, r"solve: b of shape \(2,\) does not fit matrices"),
    (lambda: la.solve(ss.eye(3), 1.0), ShapeError, r"solve: b of shape \(\) does not fit"),
    (lambda: la.inv(ss.ones(3)), ShapeError, "inv: a must be a square matrix"),
    (lambda: la.det(ss.ones((2, 2), dtype="float16")), DTypeError, "det: a has dtype float16; convert it"),
    (lambda: la.norm(ss.ones(3), "fro"), ArgumentError, "norm: ord must be a number, inf or -inf for vectors"),
    (lambda: la.norm(ss.ones((2, 2)), "trace"), ArgumentError, "norm: ord must be 'fro', 'nuc', 1, -1, 2, -2"),
    (lambda: la.norm(ss.ones((2, 2, 2)), 1), ArgumentError, r"norm: 3 axes of shape \(2, 2, 2\)"),
    (lambda: la.norm(ss.ones(3), axis=1), ArgumentError, "norm: axis 1 is out of range"),
    (lambda: la.matrix_norm(ss.ones(3)), ShapeError, "matrix_norm: needs at least two axes"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
