"""Elliptic solvers on boxes: manufactured solutions, solvability, resonance, and fields without divergence."""

from __future__ import annotations

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ShapeError
from scisim.fft import spectral

EPS = np.finfo(float).eps
POINTS = {
    ("periodic", False): lambda n: np.arange(n) / n,
    ("periodic", True): lambda n: np.arange(n) / n,
    ("dirichlet", False): lambda n: np.arange(1, n + 1) / (n + 1),
    ("dirichlet", True): lambda n: (np.arange(n) + 0.5) / n,
    ("neumann", False): lambda n: np.arange(n) / (n - 1),
    ("neumann", True): lambda n: (np.arange(n) + 0.5) / n,
}
# Of each condition, an eigenfunction on [0, 1] and the square of its wavenumber.
MODES = {
    "periodic": (lambda x: np.sin(4 * math.pi * x + 0.3), (4 * math.pi) ** 2),
    "dirichlet": (lambda x: np.sin(3 * math.pi * x), (3 * math.pi) ** 2),
    "neumann": (lambda x: np.cos(2 * math.pi * x), (2 * math.pi) ** 2),
}


def close(got, want, atol: float) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=0.0, atol=atol)


def mode(bc: tuple[str, ...], lengths: tuple[int, ...], sizes: tuple[float, ...], staggered: bool):
    """A product of eigenfunctions on a box, and its eigenvalue."""
    u, total = np.array(1.0), 0.0
    for kind, n, size in zip(bc, lengths, sizes):
        f, square = MODES[kind]
        u = u[..., None] * f(POINTS[kind, staggered](n))
        total += square / size**2
    return u, total


def eigenvalues(bc: tuple[str, ...], lengths: tuple[int, ...], sizes: tuple[float, ...]) -> np.ndarray:
    """All of those of minus the Laplacian."""
    total = np.array(0.0)
    for kind, n, size in zip(bc, lengths, sizes):
        k = 2 * np.arange(n // 2 + 1) if kind == "periodic" else np.arange(n) + (kind == "dirichlet")
        total = total[..., None] + (math.pi * k / size) ** 2
    return total


@pytest.mark.parametrize("staggered", [False, True])
@pytest.mark.parametrize(
    "bc", [("periodic",), ("dirichlet",), ("neumann",), ("dirichlet", "neumann"), ("neumann", "periodic", "dirichlet")]
)
@pytest.mark.parametrize("odd", [0, 1])
def test_eigenfunctions_on_every_kind_of_box(bc, staggered, odd):
    lengths, sizes = (8 + odd, 9, 6 + odd)[: len(bc)], (1.0, 2.5, 0.7)[: len(bc)]
    u, k2 = mode(bc, lengths, sizes, staggered)
    settings = {"periods": sizes, "bc": bc, "staggered": staggered}
    k2s = eigenvalues(bc, lengths, sizes)
    rest = k2s[k2s > 0]

    def bound(of):
        """Rounding of the right-hand side, of which the largest inverse is that of another eigenfunction."""
        return 64 * EPS * max(1.0, abs(of(k2)) / np.abs(of(rest)).min())

    for field in (u, u * (1 - 2j)):
        close(spectral.poisson(-k2 * field, **settings), field, bound(lambda k: k))
        close(spectral.biharmonic_inverse(k2**2 * field, **settings), field, bound(lambda k: k**2))
        for alpha in (-1.7, 5.1, 5.1 + 1j):
            atol = bound(lambda k, a=alpha: a - k)
            close(spectral.helmholtz((alpha - k2) * field, alpha, **settings), field, atol)


@pytest.mark.parametrize("shape", [(8,), (7,), (6, 4), (5, 8), (4, 3, 6)])
def test_poisson_inverts_the_laplacian_at_every_frequency(shape):
    u = np.random.default_rng(0).normal(size=shape)
    u -= u.mean()
    close(spectral.poisson(spectral.laplacian(u)), u, 1e-13)
    close(spectral.laplacian(spectral.poisson(u)), u, 1e-13)
    close(spectral.biharmonic_inverse(spectral.biharmonic(u)), u, 1e-13)
    f = spectral.laplacian(u) - 0.5 * u
    close(spectral.helmholtz(f, -0.5), u, 1e-13)


def test_smooth_solutions_converge_to_rounding():
    x = 2 * np.pi * np.arange(40) / 40
    u = np.exp(np.sin(x)[:, None] + np.cos(x))
    f = u * (np.cos(x)[:, None] ** 2 - np.sin(x)[:, None] + np.sin(x) ** 2 - np.cos(x))
    close(spectral.poisson(f), u - u.mean(), 64 * EPS * u.max())


def test_a_mean_is_dropped_or_refused():
    x = 2 * np.pi * np.arange(8) / 8
    close(spectral.poisson(3.0 - np.sin(x)), np.sin(x), 8 * EPS)
    close(spectral.poisson(-np.sin(x), solvability="raise"), np.sin(x), 8 * EPS)
    with pytest.raises(ArgumentError, match="poisson: f has a mean of about 3 over the box"):
        spectral.poisson(3.0 - np.sin(x), solvability="raise")
    with pytest.raises(ArgumentError, match="biharmonic_inverse: f has a mean of about 0.5"):
        spectral.biharmonic_inverse(np.full((4, 4), 0.5), bc="neumann", staggered=True, solvability="raise")
    close(spectral.poisson(np.sin(x[1:] / 2), bc="dirichlet", solvability="raise"), -4 * np.sin(x[1:] / 2), 64 * EPS)
    close(ss.jit(lambda f: spectral.poisson(f, solvability="raise"))(3.0 - np.sin(x)), np.sin(x), 8 * EPS)


def test_resonance_is_an_error_of_numbers_and_infinite_in_arrays():
    x = 2 * np.pi * np.arange(8) / 8
    with pytest.raises(ArgumentError, match="helmholtz: alpha=4 is in resonance with the eigenvalue 4 .* element .2,."):
        spectral.helmholtz(np.sin(x), 4)
    with pytest.raises(ArgumentError, match="use poisson"):
        spectral.helmholtz(np.sin(x), 0.0)
    with pytest.raises(ArgumentError, match="eigenvalue 9.86"):
        spectral.helmholtz(np.ones(5), math.pi**2, periods=1.0, bc="dirichlet")
    close(spectral.helmholtz(np.sin(x), 0.0, bc="dirichlet", periods=9.0).shape, (8,), 0.0)
    with np.errstate(all="ignore"):
        assert not np.isfinite(np.asarray(spectral.helmholtz(np.sin(x), np.array(4.0)))).all()


def test_helmholtz_differentiates_in_alpha():
    x = 2 * np.pi * np.arange(8) / 8
    f = np.cos(2 * x) + np.sin(x)
    du = ad.jvp(lambda a: spectral.helmholtz(f, a), (ss.asarray(-0.5),), (ss.asarray(1.0),))[1]
    close(du, -np.cos(2 * x) / 4.5**2 - np.sin(x) / 1.5**2, 16 * EPS)
    many = spectral.helmholtz(np.stack([f, f]), np.array([[-0.5], [2.0]]), axes=-1)
    close(many[1], -np.cos(2 * x) / 2 + np.sin(x), 16 * EPS)


def test_projection_onto_fields_without_divergence():
    rng = np.random.default_rng(1)
    for shape, periods in (((6, 8), (1.0, 2.0)), ((5, 4, 6), 3.0)):
        v = rng.normal(size=(len(shape), *shape))
        u = spectral.project_divergence_free(v, periods=periods)
        close(spectral.divergence(u, periods=periods), np.zeros(shape), 1e-13 * max(shape) * 2 * np.pi)
        close(spectral.project_divergence_free(u, periods=periods), u, 1e-14)
        rest = v - np.asarray(u)
        close(np.sum(rest * np.asarray(u)), 0.0, 1e-12)  # an orthogonal projection
        close(np.mean(np.asarray(u), tuple(range(1, v.ndim))), np.mean(v, tuple(range(1, v.ndim))), 1e-15)
        last = spectral.project_divergence_free(np.moveaxis(v, 0, -1), periods=periods, component=-1)
        close(np.moveaxis(np.asarray(last), -1, 0), u, 1e-15)
    g = spectral.gradient(rng.normal(size=(5, 7)))
    close(spectral.project_divergence_free(g), np.zeros((2, 5, 7)), 1e-14)


def test_solvers_are_self_adjoint():
    rng = np.random.default_rng(2)
    f, w = rng.normal(size=(2, 5, 6))
    for solve in (
        lambda v: spectral.poisson(v, periods=(2.0, 3.0)),
        lambda v: spectral.poisson(v, bc=("dirichlet", "periodic")),
        lambda v: spectral.biharmonic_inverse(v, bc="dirichlet", staggered=True),
        lambda v: spectral.helmholtz(v, 0.3, bc="neumann", staggered=True),
    ):
        close(ad.vjp(solve, f)[1](w)[0], solve(w), 1e-12)
        close(ss.jit(solve)(f), solve(f), 1e-13)


def test_bad_arguments_are_named():
    with pytest.raises(ArgumentError, match="poisson: bc must be one of 'periodic', 'dirichlet', 'neumann'"):
        spectral.poisson(np.ones(4), bc="robin")
    with pytest.raises(ArgumentError, match="bc has 1 items for 2 axes"):
        spectral.poisson(np.ones((4, 4)), bc=("periodic",))
    with pytest.raises(ArgumentError, match="solvability must be one of"):
        spectral.poisson(np.ones(4), solvability="ignore")
    with pytest.raises(ArgumentError, match="type 1 needs at least 2 points"):
        spectral.poisson(np.ones(1), bc="neumann")
    with pytest.raises(ShapeError, match="alpha has shape .4,. for f of shape .4,."):
        spectral.helmholtz(np.ones(4), np.ones(4))
