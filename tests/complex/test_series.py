"""Taylor series in complex time, Laurent series and residues, against closed forms and mpmath."""

import math

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import complex as sc
from scisim.core.errors import ArgumentError, DerivativeError, DTypeError, ShapeError

EPS = np.finfo(float).eps


@pytest.mark.parametrize("t", [0.2, 0.2j, -0.1 + 0.15j])
def test_the_series_converges_in_complex_time(t):
    """Within a half of the radius of convergence."""
    z, v = np.array([1.0j, -1 + 0.5j, 2.0]), np.array([1.0, 0.5j, -1 + 1j])
    for f, exact in ((ss.log, np.log), (lambda z: 1 / (z * z + 9), lambda z: 1 / (z * z + 9)), (ss.tanh, np.tanh)):
        cs = sc.taylor(f, z, v, 40)
        assert len(cs) == 41
        total = sum(np.asarray(c) * t**k for k, c in enumerate(cs))
        np.testing.assert_allclose(total, exact(z + t * v), rtol=64 * EPS)


def test_coefficients_are_derivatives():
    z, v = 0.3 - 0.7j, 1.0 + 2.0j
    cs = sc.taylor(lambda z: ss.exp(z * z), z, v, 6)
    with mpmath.workdps(40):
        want = mpmath.taylor(lambda t: mpmath.exp((z + t * v) ** 2), 0, 6)
    for c, w in zip(cs, want, strict=True):
        assert abs(complex(c) - complex(w)) <= 64 * EPS * max(abs(complex(x)) for x in want)


def test_several_arguments_and_containers():
    f = lambda p, w: {"y": p["a"] * ss.exp(w)}
    cs = sc.taylor(f, ({"a": 2.0}, 0.0), ({"a": 1j}, 1.0), 2)
    assert [complex(c["y"]) for c in cs] == [2, 2 + 1j, 1 + 1j]
    held = sc.taylor(f, ({"a": 2.0}, 0.0), (None, 1.0), 2)
    assert [complex(c["y"]) for c in held] == [2, 2, 1]
    assert [complex(c) for c in sc.taylor(ss.square, 3, 1j, 0)] == [9]


def test_captured_mapped_and_differentiated():
    z = np.array([0.3 + 0.2j, -1 + 2j])
    want = [c.numpy() for c in sc.taylor(ss.sin, z, 1j * z, 4)]
    for way in (ss.jit(lambda z: sc.taylor(ss.sin, z, 1j * z, 4)), ss.vmap(lambda z: sc.taylor(ss.sin, z, 1j * z, 4))):
        for c, w in zip(way(z), want, strict=True):
            np.testing.assert_allclose(c.numpy(), w, rtol=32 * EPS)
    third = lambda z: 6 * sc.taylor(ss.sin, z, ss.ones_like(z), 3)[3]
    np.testing.assert_allclose(sc.holomorphic(third)(z).numpy(), np.sin(z), rtol=16 * EPS)


def test_refusals():
    with pytest.raises(DerivativeError, match="taylor: <lambda> is not holomorphic.*'conj'"):
        sc.taylor(lambda z: z * ss.conj(z), 1j, 1.0, 2)
    with pytest.raises(ArgumentError, match="order is -1"):
        sc.taylor(ss.exp, 1j, 1.0, -1)
    with pytest.raises(ArgumentError, match="2 arguments need a tuple of as many directions, got float"):
        sc.taylor(ss.multiply, (1j, 1j), 1.0, 1)
    with pytest.raises(ShapeError, match=r"direction has shape \(2,\), its argument \(\)"):
        sc.taylor(ss.exp, 1j, np.ones(2), 1)
    with pytest.raises(DTypeError, match="argument 0 has dtype bool; pass complex numbers"):
        sc.taylor(ss.exp, True, 1.0, 1)


# --- Laurent series --------------------------------------------------------------------------------------------------
def test_laurent_series_of_an_essential_singularity():
    cs = sc.laurent(lambda z: ss.exp(1 / z), 0.0, -6, 2)
    want = [1 / math.factorial(k) for k in range(6, -1, -1)] + [0, 0]
    np.testing.assert_allclose([complex(c) for c in cs], want, atol=8 * EPS)


@pytest.mark.parametrize(("radius", "want"), [(0.5, [0, 0.5, 0.25, 0.125]), (2.5, [-1, 0, 0, 0])])
def test_the_ring_chooses_the_series(radius, want):
    """1 / (2 - z) inside and outside of |z| = 2: sums of z^k / 2^(k+1), and of -2^(k-1) / z^k."""
    cs = sc.laurent(lambda z: 1 / (2 - z), 0.0, -1, 2, radius=radius)
    np.testing.assert_allclose([complex(c) for c in cs], want, atol=64 * EPS)


def test_laurent_agrees_with_taylor_at_regular_points():
    f = lambda z: ss.exp(ss.sin(z))
    z = np.array([0.2 + 0.1j, -1.0 + 1j])
    for c, w in zip(sc.laurent(f, z, 0, 5), sc.taylor(f, z, np.ones(2), 5), strict=True):
        np.testing.assert_allclose(c.numpy(), w.numpy(), rtol=1e-12, atol=1e-13)


RESIDUES = {
    "simple": (lambda z: ss.exp(z) / z, 0.0, 1),
    "third order": (lambda z: ss.exp(z) / z**3, 0.0, 0.5),
    "cotangent": (lambda z: np.pi / ss.tan(np.pi * z), 2.0, 1),
    "gamma": (lambda z: ss.special.gamma(z), -3.0, -1 / 6),
    "regular": (ss.exp, 1j, 0),
}


@pytest.mark.parametrize("name", RESIDUES)
def test_residues(name):
    f, center, want = RESIDUES[name]
    around = lambda z: sc.residue(f, z, radius=0.5)
    for way in (around, ss.jit(around)):
        np.testing.assert_allclose(complex(way(center)), want, atol=256 * EPS)


def test_several_centres_and_derivatives_in_parameters():
    got = sc.residue(lambda z: 1 / (z * (z - 2)), [0.0, 2.0]).numpy()
    np.testing.assert_allclose(got, [-0.5, 0.5], rtol=16 * EPS)
    slope = ad.grad(lambda a: ss.real(sc.residue(lambda z: ss.exp(a * z) / z**2, 0.0)))(0.7)
    np.testing.assert_allclose(float(slope), 1.0, rtol=16 * EPS)
    moved = sc.holomorphic(lambda a: sc.residue(lambda z: ss.exp(z) / (z - a), 0.0))(0.1 + 0.2j)
    np.testing.assert_allclose(complex(moved), np.exp(0.1 + 0.2j), rtol=64 * EPS)


def test_misuse_of_rings():
    with pytest.raises(ArgumentError, match="laurent: 4 points.*-2 to 2 were asked for"):
        sc.laurent(ss.exp, 0.0, -2, 2, points=4)
    with pytest.raises(ArgumentError, match="residue: radius is 0.0; expected a positive number"):
        sc.residue(ss.exp, 0.0, radius=0.0)
    with pytest.raises(ShapeError, match="residue: sum must act elementwise"):
        sc.residue(ss.sum, 0.0)
