"""What is not holomorphic is refused by name and line, in every mode; what does not depend on z may be anything."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc
from scisim.core.errors import ArgumentError, ArgumentTypeError, DerivativeError, DTypeError, MutationError

Z = np.array([0.3 + 0.2j, 2.0 - 1.1j, -0.5 + 1.5j])
WAY_OUT = r"complex\.wirtinger for df/dz and df/dz\*"

REFUSED = {
    "conj": (ss.conj, "'conj'"),
    "a product with a conjugate, conjugated": (lambda z: ss.conj(z * ss.conj(z)), "'conj'"),
    "three conjugates": (lambda z: ss.conj(ss.conj(ss.conj(z))), "'conj'"),
    "real": (lambda z: ss.real(z) * z, "'real'"),
    "imag": (lambda z: ss.imag(z) * z, "'imag'"),
    "abs": (lambda z: ss.abs(z) * z, "abs"),
    "abs squared": (lambda z: ss.abs(z) ** 2 + z, "abs"),
    "z times conj": (lambda z: z * ss.conj(z), "'conj'"),
    "angle": (lambda z: ss.angle(z) * z, "angle"),
    "sign": (lambda z: ss.sign(z), "sign"),
    "norm": (lambda z: z / ss.linalg.norm(z), "norm"),
    "rebuilt": (lambda z: ss.real(z) + 1j * ss.imag(z), "'real'"),
    "irfft after fft": (lambda z: ss.fft.irfft(ss.fft.fft(z), n=3) * z, "'irfft'"),
    "vdot": (lambda z: ss.vdot(z, z) * z, "'conj'"),
    "branch": (lambda z: ss.where(ss.abs(z) > 1, z, ss.conj(z)), "'conj'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_every_mode(name):
    f, what = REFUSED[name]
    ways = [
        sc.holomorphic(f),
        sc.holomorphic(f, 3),
        ss.jit(sc.holomorphic(f)),
        sc.holomorphic(ss.jit(f)),
        sc.holomorphic(lambda z: ss.vmap(f)(ss.stack([z, z]))[0]),
        lambda z: ss.vmap(sc.holomorphic_jacobian(f))(ss.stack([z, z])),
        sc.holomorphic(ad.checkpoint(f)),
        sc.holomorphic(lambda z: ss.cond(ss.abs(z[0]) < 1, f, lambda w: w * (1 + 0j), z)),
        sc.holomorphic(lambda z: ss.scan(lambda c, _: (f(c) + 0j, None), z, None, length=2)[0]),
        sc.holomorphic(lambda z: ss.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, f(s[1]) + 0j), (0, z))[1]),
        sc.holomorphic(lambda z: ad.jvp(f, z, z)[1]),
        sc.holomorphic_jacobian(f),
        sc.holomorphic_hessian(f),
        lambda z: sc.taylor(f, z, z, 2),
        ad.jacobian(lambda z: f(z) + 0j),
    ]
    for way in ways:
        with pytest.raises(DerivativeError, match=f"is not holomorphic: it takes .*{what}.*{WAY_OUT}"):
            way(Z)


def modulus_times(z):
    return ss.abs(z) * z  # the line that is told


@pytest.mark.parametrize("way", [lambda f: f, ss.jit, ss.vmap, ad.checkpoint])
def test_the_line_is_told(way):
    f = way(modulus_times)
    for derivative in (sc.holomorphic(f), ss.jit(sc.holomorphic(f))):
        with pytest.raises(DerivativeError) as caught:
            derivative(Z)
        (note,) = caught.value.__notes__
        assert "in modulus_times" in note
        assert "return ss.abs(z) * z" in note


CALLED = {
    "abs": ss.abs,
    "angle": ss.angle,
    "sign": ss.sign,
    "norm": ss.linalg.norm,
    "vdot": lambda z: ss.vdot(z, z),
    "hfft": ss.fft.hfft,
    "std": ss.std,
    "conj": ss.conj,
    "irfft": ss.fft.irfft,
}


@pytest.mark.parametrize("name", CALLED)
def test_the_function_called_is_named(name):
    with pytest.raises(DerivativeError, match=rf"argument \(.* in {name}\)|argument \('{name}'\)"):
        sc.holomorphic_jacobian(CALLED[name])(Z)


FACTORS = {
    "cholesky": lambda a: ss.linalg.cholesky(a),
    "qr": lambda a: ss.linalg.qr(a)[1],
    "svd": lambda a: ss.linalg.svd(a)[0],
    "schur": lambda a: ss.linalg.schur(a)[0],
    "pinv": lambda a: ss.linalg.pinv(a),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors_that_take_adjoints(name):
    b = np.array([[2.0, 0.3j], [-0.3j, 1.0]])
    with pytest.raises(DerivativeError, match="is not holomorphic"):
        sc.holomorphic(lambda z: FACTORS[name](b + z * np.eye(2)))(0.1 + 0j)


# --- rules of users --------------------------------------------------------------------------------------------------
def test_rules_that_are_not_complex_linear():
    pushed = ad.custom_jvp(lambda z: z * ss.conj(z))
    pushed.defjvp(lambda p, t: (pushed(*p), ss.conj(p[0]) * t[0] + p[0] * ss.conj(t[0])))
    pulled = ad.custom_vjp(ss.conj)
    pulled.defvjp(lambda z: (ss.conj(z), None), lambda _, ct: (ss.conj(ct),))
    for f in (pushed, pulled):
        for way in (f, ss.jit(f), ss.vmap(f), ad.checkpoint(f)):
            for derivative in (sc.holomorphic(way), ss.jit(sc.holomorphic(way)), sc.holomorphic(way, 2)):
                with pytest.raises(DerivativeError, match=f"is not holomorphic.*{WAY_OUT}"):
                    derivative(Z)


def test_roots_of_equations_that_are_not_holomorphic():
    solve = lambda f, x, a: ss.conj(ad.stop_gradient(a))
    f = lambda a: ad.implicit_root(lambda x, a: ss.conj(x) - a, solve)(1j, a)
    for way in (f, ss.jit(f)):
        with pytest.raises(DerivativeError, match="complex conjugates"):
            sc.holomorphic(way)(0.5 + 1j)


# --- what is allowed -------------------------------------------------------------------------------------------------
ALLOWED = {
    "constants": (lambda z: z * ss.abs(ss.asarray(3 + 4j)) + ss.conj(ss.asarray(1j)), lambda z: 5 + 0 * z),
    "stopped": (lambda z: z * ad.stop_gradient(ss.abs(z)), np.abs),
    "modulus decides": (lambda z: ss.where(ss.abs(z) > 1, z * z, z), lambda z: np.where(np.abs(z) > 1, 2 * z, 1)),
    "real part decides": (lambda z: ss.where(ss.real(z) > 0, z * z, -z), lambda z: np.where(z.real > 0, 2 * z, -1)),
    "order of moduli": (lambda z: z[ss.argsort(ss.abs(z))] * z, lambda z: None),
    "unused": (lambda z: (ss.abs(z), z * z)[1], lambda z: 2 * z),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name):
    f, derivative = ALLOWED[name]
    got = sc.holomorphic_jacobian(f)(Z).numpy()
    np.testing.assert_allclose(got, ss.jit(sc.holomorphic_jacobian(f))(Z).numpy(), rtol=1e-15)
    want = derivative(Z)
    if want is None:  # z_p(i) z_i
        p = np.argsort(np.abs(Z))
        want_matrix = np.diag(Z[p])
        want_matrix[range(3), p] += Z
    else:
        want_matrix = np.diag(want)
    np.testing.assert_allclose(got, want_matrix, rtol=1e-15)


def test_python_branches_and_loops_that_look_at_the_modulus():
    f = lambda z: z if abs(z) > 1 else z * z
    assert complex(sc.holomorphic(f)(0.25j)) == 0.5j
    g = lambda z: ss.while_loop(lambda w: ss.abs(w) < 10, lambda w: w * w, z)
    np.testing.assert_allclose(complex(sc.holomorphic(g)(1 + 2j)), 4 * (1 + 2j) ** 3, rtol=1e-15)


DECIDED = {
    "where": lambda z: ss.where(ss.abs(z) > 1, z * z, z),
    "cond": lambda z: ss.cond(ss.abs(z) > 1, lambda w: w * w, lambda w: 1 * w, z),
    "while": lambda z: ss.while_loop(lambda w: ss.abs(w) < 10, lambda w: w * w, z),
    "python": lambda z: z if abs(z) > 1 else z * z,
    "isnan": lambda z: ss.where(ss.isnan(z), 0.0, z),
    "floor": lambda z: z * ss.floor(ss.real(z)),
}


@pytest.mark.parametrize("name", DECIDED)
def test_strictly_not_even_branches(name):
    f = DECIDED[name]
    if name != "floor":
        sc.holomorphic(f)(1 + 2j)
    with pytest.raises(DerivativeError, match=f"is not holomorphic.*'(gt|lt|isnan|floor)'.*{WAY_OUT}"):
        sc.holomorphic(f, check="strict")(1 + 2j)
    if name != "python":
        with pytest.raises(DerivativeError, match="is not holomorphic"):
            sc.holomorphic(ss.jit(f), check="strict")(1 + 2j)


def test_strictly_one_formula():
    f = lambda z: ss.exp(z**-2) * ss.sin(z) / (1 + z) + ss.scan(lambda c, _: (c * z, None), z, None, length=2)[0]
    for n in (1, 3):
        strict, usual = (sc.holomorphic(f, n, check=c)(1 + 2j) for c in ("strict", True))
        assert complex(strict) == complex(usual)


def test_trusted():
    """Without the check it is the derivative along the real axis."""
    assert complex(sc.holomorphic(lambda z: z * ss.conj(z), check=False)(1 + 2j)) == 2
    assert complex(sc.holomorphic_jacobian(ss.conj, check=False)(1 + 2j)) == 1


def set_first(z):
    z[0] = 1.0
    return z


def test_misuse():
    with pytest.raises(ArgumentError, match="check is 'no'; pass True.*'strict'.*False"):
        sc.holomorphic(ss.exp, check="no")
    with pytest.raises(ArgumentError, match="order is -1; expected an integer from 0 to 170"):
        sc.holomorphic(ss.exp, -1)
    with pytest.raises(DTypeError, match=r"z\['a'\] has dtype bool; pass complex numbers"):
        sc.holomorphic_jacobian(lambda z: z["a"])({"a": True})
    for transform in (sc.holomorphic, sc.holomorphic_jacobian, sc.wirtinger, sc.wirtinger_jacobian):
        with pytest.raises(ArgumentTypeError, match="which holds no numbers; pass complex numbers"):
            transform(lambda z: 1j)(None)
        with pytest.raises(MutationError, match="set_first assigns in place to its argument"):
            transform(set_first)(Z)
        with pytest.raises(ArgumentTypeError, match="z is a str"):
            transform(ss.exp)("1j")
    with pytest.raises(DTypeError, match="returns dtype int64, which has no derivative.*has_aux"):
        sc.holomorphic(lambda z: ss.asarray(1))(1j)
    with pytest.raises(DTypeError, match="returns dtype int64, which has no derivative.*has_aux"):
        sc.holomorphic_jacobian(lambda z: ss.argsort(ss.abs(z)))(Z)


# --- what autodiff says of complex functions -------------------------------------------------------------------------
def test_jacobians_of_autodiff():
    """Complex to complex only where holomorphic; real results of complex arguments have gradients."""
    for jacobian in (ad.jacobian, ad.jacfwd, ad.jacrev):
        with pytest.raises(DerivativeError, match=f"{jacobian.__name__}: conj is not holomorphic.*wirtinger_jacobian"):
            jacobian(ss.conj)(Z)
        with pytest.raises(DerivativeError, match="wirtinger_jacobian"):
            jacobian(ad.grad(lambda z: ss.sum(ss.abs(z) ** 4)))(Z)
        np.testing.assert_array_equal(jacobian(lambda z: z * z)(Z).numpy(), np.diag(2 * Z))
        rows = jacobian(lambda z: ss.stack([ss.sum(ss.abs(z) ** 2), ss.real(z[0]), ss.imag(z[1])]))(Z).numpy()
        np.testing.assert_array_equal(rows, [2 * Z, [1, 0, 0], [0, 1j, 0]])
        along = jacobian(lambda x: ss.exp(1j * x))(np.array([0.3, 0.5])).numpy()
        np.testing.assert_allclose(along, np.diag(1j * np.exp([0.3j, 0.5j])), rtol=1e-15)
    mixed = ad.jacobian(lambda p: p["z"] * p["x"])({"z": ss.asarray(2j), "x": ss.asarray(3.0)})
    assert (complex(mixed["z"]), complex(mixed["x"])) == (3, 2j)
    with pytest.raises(DTypeError, match=r"hessian: .*hvp.*complex\.holomorphic_hessian"):
        ad.hessian(lambda z: ss.sum(z * z))(Z)
    with pytest.raises(DTypeError, match=r"complex\.holomorphic"):
        ad.grad(lambda z: ss.sum(z * z))(Z)
