"""Holomorphic derivatives of orders 0 to 8 against mpmath and closed forms, in every mode and nesting."""

import math

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc

EPS = np.finfo(float).eps
Z = np.array([0.3 + 0.2j, 2.0 - 1.1j, -0.5 + 1.5j, -1.2 - 0.4j])
ORDER = 8


def binomial_sum(z):
    return 1 / (1 + z) - 2 / (z - 3j) ** 2


FUNCTIONS = {
    "square": (lambda z: z**2, lambda z: z**2),
    "power": (lambda z: z**2.5, lambda z: z ** mpmath.mpf("2.5")),
    "complex power": (lambda z: z ** (0.5 + 1j), lambda z: z ** mpmath.mpc(0.5, 1)),
    "inverse": (lambda z: 1 / z, lambda z: 1 / z),
    "inverse cube": (lambda z: z**-3, lambda z: z**-3),
    "rational": (lambda z: (z**3 - 2j) / (z * z + 4 * z - 5), lambda z: (z**3 - 2j) / (z * z + 4 * z - 5)),
    "fractions": (binomial_sum, binomial_sum),
    "exp": (ss.exp, mpmath.exp),
    "log": (ss.log, mpmath.log),
    "sqrt": (ss.sqrt, mpmath.sqrt),
    "sin": (ss.sin, mpmath.sin),
    "tan": (ss.tan, mpmath.tan),
    "tanh": (ss.tanh, mpmath.tanh),
    "asin": (ss.asin, mpmath.asin),
    "atan": (ss.atan, mpmath.atan),
    "acosh": (ss.acosh, mpmath.acosh),
    "expm1": (ss.expm1, mpmath.expm1),
    "log1p": (ss.log1p, lambda z: mpmath.log(1 + z)),
    "erf": (ss.special.erf, mpmath.erf),
    "gamma": (ss.special.gamma, mpmath.gamma),
    "chain": (lambda z: ss.exp(ss.sin(z) / (1 + z * z)), lambda z: mpmath.exp(mpmath.sin(z) / (1 + z * z))),
}
SLOW = ("erf", "gamma")  # in mpmath


def coefficients(f, z):
    with mpmath.workdps(40):
        return mpmath.taylor(f, mpmath.mpc(z.real, z.imag), ORDER)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_orders_to_eight_equal_mpmath(name):
    f, exact = FUNCTIONS[name]
    points = Z[:2] if name in SLOW else Z
    want = np.array([[complex(c) for c in coefficients(exact, z)] for z in points])
    scale = np.max(np.abs(want), axis=1)  # cancellation within a series is relative to its greatest coefficient
    cs = sc.taylor(f, points, np.ones_like(points), ORDER)
    for n, c in enumerate(cs):
        for got in (c.numpy(), sc.holomorphic(f, n)(points).numpy() / math.factorial(n)):
            assert np.all(np.abs(got - want[:, n]) <= 256 * EPS * scale), n


@pytest.mark.parametrize("name", FUNCTIONS)
def test_eager_captured_and_mapped_agree(name):
    f, _ = FUNCTIONS[name]
    for n in (1, 4):
        want = sc.holomorphic(f, n)(Z).numpy()
        scale = 256 * EPS * np.max(np.abs(sc.taylor(f, Z, np.ones(4), n)), axis=0) * math.factorial(n)
        derivative = sc.holomorphic(f, n)
        for way in (
            ss.jit(derivative),
            sc.holomorphic(ss.jit(f), n),
            ss.vmap(derivative),
            sc.holomorphic(ss.vmap(f), n),
        ):
            assert np.all(np.abs(way(Z).numpy() - want) <= scale)


def test_the_square():
    assert complex(sc.holomorphic(lambda z: z**2)(1 + 1j)) == 2 + 2j
    assert complex(sc.holomorphic(ss.square, 2)(1 + 1j)) == 2
    assert complex(sc.holomorphic(ss.square, 0)(1 + 1j)) == 2j


@pytest.mark.parametrize("side", [0.0, -0.0])
def test_both_sides_of_the_cut(side):
    """Values jump there, and derivatives of the logarithm do not; those of the root have its sign."""
    z = complex(-4.0, side)
    sign = math.copysign(1.0, side)
    cs = [complex(c) for c in sc.taylor(ss.log, z, 1.0, 3)]
    np.testing.assert_allclose(cs, [math.log(4) + sign * math.pi * 1j, -1 / 4, -1 / 32, -1 / 192], rtol=4 * EPS)
    for way in (lambda f: f, ss.jit):
        np.testing.assert_allclose(complex(way(sc.holomorphic(ss.log))(z)), -0.25, rtol=4 * EPS)
        np.testing.assert_allclose(complex(way(sc.holomorphic(ss.sqrt))(z)), -0.25j * sign, rtol=4 * EPS)


def test_real_points_and_integers_lie_on_the_real_axis():
    assert complex(sc.holomorphic(ss.sqrt)(-1.0)) == -0.5j
    assert complex(sc.holomorphic(lambda z: z**3)(2)) == 12
    assert complex(sc.holomorphic(lambda z: z**3)(np.float32(2))) == 12
    np.testing.assert_array_equal(sc.holomorphic(lambda z: z**3)([1, 2]).numpy(), [3, 12])


@pytest.mark.parametrize(
    ("point", "dtype"),
    [(1, "c16"), (1.0, "c16"), (1j, "c16"), (np.float32(1), "c8"), (np.float16(1), "c8"), (np.complex64(1), "c8")],
)
def test_precision(point, dtype):
    for derivative in (sc.holomorphic(ss.exp, 3), lambda z: sc.wirtinger(ss.exp)(z)[0]):
        assert derivative(point).dtype == np.dtype(dtype)


# --- functions of arrays ---------------------------------------------------------------------------------------------
A = np.array([[2.0, 1j, 0.3], [0.4, 1.0 - 1j, 0.0], [0.2j, -0.5, 1.5 + 0.5j]])
B = np.array([1.0, 2j, -0.5])
ONE = np.eye(3)


def test_polynomial_of_a_matrix():
    f = lambda z: (A * z) @ (A * z) @ A + 2 * z * A
    z = 0.4 + 0.7j
    np.testing.assert_allclose(sc.holomorphic(f)(z).numpy(), 2 * z * A @ A @ A + 2 * A, rtol=32 * EPS, atol=32 * EPS)
    np.testing.assert_allclose(sc.holomorphic(f, 2)(z).numpy(), 2 * A @ A @ A, rtol=32 * EPS, atol=32 * EPS)


@pytest.mark.parametrize("n", range(1, 7))
def test_resolvent(n):
    """Derivatives of (A - z)^-1 b are n! (A - z)^-(n+1) b."""
    z = 0.3 - 0.8j
    inverse = np.linalg.inv(A - z * ONE)
    want = math.factorial(n) * np.linalg.matrix_power(inverse, n + 1) @ B
    tolerance = {"rtol": 1e-12, "atol": 1e-12 * np.abs(want).max()}
    f = lambda z: ss.linalg.solve(A - z * ONE, B)
    np.testing.assert_allclose(sc.holomorphic(f, n)(z).numpy(), want, **tolerance)
    np.testing.assert_allclose(ss.jit(sc.holomorphic(f, n))(z).numpy(), want, **tolerance)
    np.testing.assert_allclose(
        sc.holomorphic(lambda z: ss.linalg.inv(A - z * ONE) @ B, n)(z).numpy(), want, **tolerance
    )


def test_exponential_and_determinant_of_a_matrix():
    z = 0.2 + 0.4j
    got = sc.holomorphic(lambda z: ss.linalg.expm(z * A), 2)(z).numpy()
    np.testing.assert_allclose(got, A @ A @ ss.linalg.expm(z * A).numpy(), rtol=1e-12, atol=1e-12)
    trace = np.trace(np.linalg.inv(z * ONE - A))
    want = np.linalg.det(z * ONE - A) * trace  # Jacobi's formula
    np.testing.assert_allclose(complex(sc.holomorphic(lambda z: ss.linalg.det(z * ONE - A))(z)), want, rtol=1e-13)


def test_eigenvalues():
    left, right = np.linalg.inv(np.linalg.eig(A)[1]), np.linalg.eig(A)[1]
    want = np.diag(left @ A @ A @ right)  # d/dz of the eigenvalues of A + z A^2
    got = sc.holomorphic(lambda z: ss.linalg.eigvals(A + z * (A @ A)))(0j).numpy()
    np.testing.assert_allclose(np.sort_complex(got), np.sort_complex(want), rtol=1e-12)


def dense(n):
    return np.exp(-2j * np.pi * np.outer(range(n), range(n)) / n)


@pytest.mark.parametrize("n", [1, 4, 5])
def test_chain_of_transforms(n):
    z = (Z * (1 + 0.5j))[:n] if n < 5 else np.append(Z, 0.7j)
    f = lambda z: ss.fft.ifft(ss.fft.fft(z) ** 2 * np.arange(1, n + 1))
    F = dense(n)
    want = np.linalg.inv(F) @ np.diag(2 * (F @ z) * np.arange(1, n + 1)) @ F
    tolerance = {"rtol": 1e-13, "atol": 1e-13 * np.abs(want).max()}
    np.testing.assert_allclose(sc.holomorphic_jacobian(f)(z).numpy(), want, **tolerance)
    np.testing.assert_allclose(ss.jit(sc.holomorphic_jacobian(f))(z).numpy(), want, **tolerance)


def test_jacobians_in_forward_and_reverse_mode():
    """A wide one is pushed, a tall one pulled."""
    tall = lambda z: ss.sum(z**3) * z[0]
    want = 3 * Z**2 * Z[0]
    want[0] += np.sum(Z**3)
    np.testing.assert_allclose(sc.holomorphic_jacobian(tall)(Z).numpy(), want, rtol=16 * EPS)
    wide = lambda z: ss.stack([z * z, ss.exp(z), 1 / z])
    np.testing.assert_allclose(
        sc.holomorphic_jacobian(wide)(Z[:1]).numpy()[:, 0, 0], [2 * Z[0], np.exp(Z[0]), -1 / Z[0] ** 2], rtol=8 * EPS
    )
    for f in (tall, wide):
        plain = sc.holomorphic_jacobian(f)(Z).numpy()
        np.testing.assert_allclose(ss.jit(sc.holomorphic_jacobian(f))(Z).numpy(), plain, rtol=32 * EPS)
        mapped = ss.vmap(sc.holomorphic_jacobian(f))(np.stack([Z, Z])).numpy()
        np.testing.assert_allclose(mapped, np.stack([plain, plain]), rtol=32 * EPS)


def test_hessian_is_symmetric():
    f = lambda z: ss.exp(z[0] * z[1]) + z[2] ** 3 / z[0]
    a, b, c = z = Z[:3]
    e = np.exp(a * b)
    want = [
        [b * b * e + 2 * c**3 / a**3, e + a * b * e, -3 * c**2 / a**2],
        [e + a * b * e, a * a * e, 0],
        [-3 * c**2 / a**2, 0, 6 * c / a],
    ]
    for way in (sc.holomorphic_hessian(f), ss.jit(sc.holomorphic_hessian(f)), sc.holomorphic_hessian(ss.jit(f))):
        np.testing.assert_allclose(way(z).numpy(), want, rtol=64 * EPS)


def test_containers_several_arguments_and_auxiliary_results():
    f = lambda p, c: {"y": p["a"] * p["b"] * c, "b": p["b"] ** 2}
    point = {"a": Z[:2], "b": 2.0}
    got = sc.holomorphic_jacobian(f)(point, 3.0)
    np.testing.assert_array_equal(got["y"]["a"].numpy(), 6.0 * np.eye(2))
    np.testing.assert_array_equal(got["y"]["b"].numpy(), 3.0 * Z[:2])
    np.testing.assert_array_equal(got["b"]["a"].numpy(), np.zeros(2))
    assert complex(got["b"]["b"]) == 4
    second = sc.holomorphic_hessian(f)(point, 3.0)
    np.testing.assert_array_equal(second["y"]["a"]["b"].numpy(), 3.0 * np.eye(2))
    assert complex(second["b"]["b"]["b"]) == 2

    g = lambda z, w, scale=1.0: (scale * z * w**2, {"size": ss.abs(z)})
    (dz, dw), aux = sc.holomorphic(g, argnums=(0, -1), has_aux=True)(3j, 2j, scale=2.0)
    assert (complex(dz), complex(dw), float(aux["size"])) == (-8, -24, 3.0)
    assert complex(sc.holomorphic(g, 2, argnums=1, has_aux=True)(3j, 2j)[0]) == 6j
    jac, aux = sc.holomorphic_jacobian(g, has_aux=True)(3j, 2j)
    assert (complex(jac), float(aux["size"])) == (-4, 3.0)
    hess, aux = sc.holomorphic_hessian(g, argnums=1, has_aux=True)(3j, 2j)
    assert (complex(hess), float(aux["size"])) == (6j, 3.0)


def test_partition_function_at_complex_temperature():
    """log sum exp(-b E): the derivatives are minus the mean energy and its variance."""
    energies, b = np.array([0.0, 1.0, 2.5]), 0.8 + 0.6j
    p = np.exp(-b * energies) / np.sum(np.exp(-b * energies))
    mean = np.sum(p * energies)
    for f in (lambda b: ss.logsumexp(-b * energies), ss.jit(lambda b: ss.logsumexp(-b * energies))):
        np.testing.assert_allclose(complex(sc.holomorphic(f)(b)), -mean, rtol=16 * EPS)
        np.testing.assert_allclose(complex(sc.holomorphic(f, 2)(b)), np.sum(p * (energies - mean) ** 2), rtol=64 * EPS)
    weights = sc.holomorphic_jacobian(ss.logsumexp)(np.array([1j, np.inf, 2.0, np.inf])).numpy()
    np.testing.assert_array_equal(weights, [0, 0.5, 0, 0.5])  # infinite elements count alone


# --- nesting ---------------------------------------------------------------------------------------------------------
def test_nested_derivatives():
    f = lambda z: ss.exp(z) * ss.sin(z)
    want = sc.holomorphic(f, 4)(Z).numpy()
    scale = {"rtol": 1e-13, "atol": 1e-13 * np.abs(want).max()}
    ways = [
        sc.holomorphic(sc.holomorphic(f, 2), 2),
        sc.holomorphic(sc.holomorphic(sc.holomorphic(sc.holomorphic(f)))),
        ad.derivative(sc.holomorphic(f, 2), 2),
        sc.holomorphic(ad.derivative(f, 3)),
        ss.jit(sc.holomorphic(ss.jit(sc.holomorphic(f, 3)))),
    ]
    for way in ways:
        np.testing.assert_allclose(way(Z).numpy(), want, **scale)


def test_gradient_of_a_real_loss_of_a_holomorphic_derivative():
    """L = |f'|^2 has steepest ascent 2 f' conj(f'') along dL/dx + i dL/dy."""
    f = lambda z: ss.sin(z) * z
    d, dd = (sc.holomorphic(f, n)(Z).numpy() for n in (1, 2))
    loss = lambda z: ss.sum(ss.abs(sc.holomorphic(f)(z)) ** 2)
    for way in (ad.grad(loss), ss.jit(ad.grad(loss)), ad.grad(ss.jit(loss))):
        np.testing.assert_allclose(way(Z).numpy(), 2 * d * np.conj(dd), rtol=1e-13)
    v = Z[::-1].copy()
    dy = ad.jvp(sc.holomorphic(f), Z, v)[1].numpy()
    np.testing.assert_allclose(dy, dd * v, rtol=1e-13)


def test_real_parts_are_harmonic():
    x, y = Z.real.copy(), Z.imag.copy()
    f = lambda x, y: ss.real(sc.holomorphic(ss.sin)(x + 1j * y))
    assert np.all(np.abs(ad.laplacian(f)(x, y).numpy()) <= 8 * EPS * np.abs(np.cos(Z)))


def test_constants_have_complex_derivatives():
    assert sc.holomorphic(lambda z: 3.0)(1j).dtype == np.complex128
    np.testing.assert_array_equal(sc.holomorphic_jacobian(lambda z: ss.ones(2))(Z).numpy(), np.zeros((2, 4), complex))


def test_integrals_and_flows():
    """Quadrature and a differential equation, in a complex parameter."""
    k = 0.5j
    got = sc.holomorphic(lambda k: ss.integrate.quad(lambda t: ss.exp(k * t), 0.0, 1.0)[0])(k)
    np.testing.assert_allclose(complex(got), (np.exp(k) * (k - 1) + 1) / k**2, rtol=1e-10)
    flow = lambda k: ss.integrate.solve_ivp(lambda t, y: k * y, (0, 1.0), ss.ones(1) * (1 + 0j), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(complex(sc.holomorphic(lambda k: flow(k).y[0, -1])(k)), np.exp(k), rtol=1e-7)


def test_derivative_in_a_parameter():
    """d/da of d/dz of exp(a z^2): real parameters keep their gradients."""
    g = ad.grad(lambda a: ss.real(sc.holomorphic(lambda z: ss.exp(a * z * z))(0.3 + 0.2j)))(0.7)
    z = 0.3 + 0.2j
    want = (2 * z * np.exp(0.7 * z * z) * (1 + 0.7 * z * z)).real
    np.testing.assert_allclose(float(g), want, rtol=1e-13)


# --- control flow, rules, roots --------------------------------------------------------------------------------------
BODIES = {
    "cond": lambda z: ss.cond(ss.abs(z) > 1, lambda w: w**4, lambda w: 2 * w, z),
    "scan": lambda z: ss.scan(lambda c, _: (c * z, None), z, None, length=3)[0],
    "fori": lambda z: ss.fori_loop(0, 3, lambda i, w: w * z, z),
    "while": lambda z: ss.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * z), (1, z))[1],
    "checkpoint": ad.checkpoint(lambda z: z**4),
    "stages": ss.jit(lambda z: ss.vmap(lambda w: w * w)(ss.stack([z, z]))[1] ** 2),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name):
    f, z = BODIES[name], 1.5 - 0.5j
    for n, want in ((1, 4 * z**3), (2, 12 * z**2), (3, 24 * z)):
        for way in (sc.holomorphic(f, n), ss.jit(sc.holomorphic(f, n)), sc.holomorphic(ss.jit(f), n)):
            np.testing.assert_allclose(complex(way(z)), want, rtol=16 * EPS)


def test_two_conjugates_cancel():
    """What is reflected, and reflected back, is holomorphic: conj(f(conj(z)))."""
    f, z = lambda z: z * ss.conj(ss.exp(2j * ss.conj(z))), 0.3 + 0.2j
    want = np.exp(-2j * z) * np.array([z, 1 - 2j * z, -4j - 4 * z])
    for n in range(3):
        for way in (sc.holomorphic(f, n), ss.jit(sc.holomorphic(f, n)), sc.holomorphic(ss.jit(f), n)):
            np.testing.assert_allclose(complex(way(z)), want[n], rtol=16 * EPS)
    np.testing.assert_allclose(complex(sc.holomorphic_jacobian(f)(z)), want[1], rtol=16 * EPS)
    np.testing.assert_allclose(complex(sc.holomorphic_hessian(f)(z)), want[2], rtol=16 * EPS)
    np.testing.assert_allclose(complex(ad.jacobian(f)(z)), want[1], rtol=16 * EPS)


def test_derivatives_nest_through_pullbacks_of_users():
    """Their cotangents are conjugated on the way in and out, which an outer derivative sees."""
    pulled = ad.custom_vjp(lambda z: z**3)
    pulled.defvjp(lambda z: (pulled(z), z), lambda z, ct: (ss.conj(3 * z * z) * ct,))
    for f in (pulled, ss.jit(pulled), lambda z: ss.scan(lambda c, _: (pulled(c), None), z, None, length=1)[0]):
        for way in (
            sc.holomorphic(sc.holomorphic(f)),
            sc.holomorphic(sc.holomorphic_jacobian(f)),
            sc.holomorphic_jacobian(sc.holomorphic(f)),
            sc.holomorphic_hessian(f),
            ss.jit(sc.holomorphic_hessian(f)),
        ):
            np.testing.assert_allclose(complex(way(1.0 + 2.0j)), 6.0 + 12.0j, rtol=16 * EPS)


def test_rules_of_users_that_are_complex_linear():
    pushed = ad.custom_jvp(lambda z: z**3)
    pushed.defjvp(lambda primals, tangents: (pushed(*primals), 3 * primals[0] ** 2 * tangents[0]))
    pulled = ad.custom_vjp(lambda z: z**3)
    pulled.defvjp(lambda z: (z**3, z), lambda z, ct: (ss.conj(3 * z * z) * ct,))
    branched = ad.custom_jvp(lambda z: z**3)

    @branched.defjvp
    def _(primals, tangents):
        z, dz = primals[0], tangents[0]
        return z**3, (3 * z * z * dz if ss.abs(z) > 0 else 0 * dz)  # reads a value

    for f in (pushed, pulled):
        for way in (f, ss.jit(f), ss.vmap(f)):
            np.testing.assert_allclose(sc.holomorphic(way)(Z).numpy(), 3 * Z**2, rtol=8 * EPS)
            np.testing.assert_allclose(ss.jit(sc.holomorphic(way, 2))(Z).numpy(), 6 * Z, rtol=8 * EPS)
    np.testing.assert_allclose(complex(sc.holomorphic(branched)(1j)), -3, rtol=8 * EPS)


def cube_root(linear):
    newton = lambda f, x, a: ad.stop_gradient(a) ** (1 / 3)
    return lambda a: ad.implicit_root(lambda x, a: x**3 - a, newton, linear)(ss.ones_like(a), a)


@pytest.mark.parametrize("linear", ["dense", "elementwise"])
def test_roots_of_holomorphic_equations(linear):
    f = cube_root(linear)
    z = Z[0] if linear == "dense" else Z
    for n in (1, 2, 3):
        want = np.prod([1 / 3 - k for k in range(n)]) * np.asarray(z) ** (1 / 3 - n)
        np.testing.assert_allclose(sc.holomorphic(f, n)(z).numpy(), want, rtol=1e-13)
        np.testing.assert_allclose(ss.jit(sc.holomorphic(f, n))(z).numpy(), want, rtol=1e-13)
