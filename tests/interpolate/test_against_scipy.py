"""Interpolants against SciPy's: values, derivatives, integrals, ends, axes."""

import math

import numpy as np
import pytest
from scipy import interpolate as theirs

import scisim as ss
from scisim import autodiff as ad
from scisim import interpolate as ours
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError

RNG = np.random.default_rng(3)
X = np.sort(RNG.uniform(0.0, 5.0, 9))
Y = np.sin(X) + 0.3 * X
GRID = np.linspace(X[0] - 0.6, X[-1] + 0.6, 41)
TOL = {"rtol": 1e-11, "atol": 1e-11}


def close(got, want, **more):
    np.testing.assert_allclose(np.asarray(got), want, **{**TOL, **more})


# --- cubic ones ------------------------------------------------------------------------------------------------------
ENDS = ["not-a-knot", "natural", "clamped", ((1, 0.7), (2, -0.3)), ("natural", (1, 2.0)), ("not-a-knot", "clamped")]


@pytest.mark.parametrize("bc", ENDS)
@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_cubic_splines(n, bc):
    f, g = ours.CubicSpline(X[:n], Y[:n], bc_type=bc), theirs.CubicSpline(X[:n], Y[:n], bc_type=bc)
    close(f.c, g.c, atol=1e-10)
    for nu in range(4):
        close(f(GRID, nu), g(GRID, nu), atol=1e-8, rtol=1e-9)
    close(f.integrate(0.3, 6.0), g.integrate(0.3, 6.0))


@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_periodic_splines(n):
    y = np.append(Y[: n - 1], Y[0])
    f, g = ours.CubicSpline(X[:n], y, bc_type="periodic"), theirs.CubicSpline(X[:n], y, bc_type="periodic")
    close(f.c, g.c, atol=1e-10)
    close(f(GRID), g(GRID))
    close(f.integrate(-7.0, 11.3), g.integrate(-7.0, 11.3), atol=1e-9)
    with pytest.raises(ArgumentError, match="equal values at both ends"):
        ours.CubicSpline(X, Y + X, bc_type="periodic")


def test_other_cubics():
    rough = np.array([0.0, 0.0, 1.0, 1.0, 0.5, 2.0, 2.0, 2.0, -1.0])
    for y in (Y, rough, np.stack([Y, rough, -Y], 1)):
        close(ours.PchipInterpolator(X, y)(GRID), theirs.PchipInterpolator(X, y)(GRID))
        for method in ("akima", "makima"):
            f = ours.Akima1DInterpolator(X, y, method=method)
            g = theirs.Akima1DInterpolator(X, y, method=method)
            close(f(GRID), g(GRID), atol=1e-9)
            assert np.isnan(np.asarray(f(GRID[0]))).all()
    close(ours.CubicHermiteSpline(X, Y, np.cos(X))(GRID), theirs.CubicHermiteSpline(X, Y, np.cos(X))(GRID))
    for n in (2, 3):
        close(ours.PchipInterpolator(X[:n], Y[:n])(GRID), theirs.PchipInterpolator(X[:n], Y[:n])(GRID))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_axes_and_shapes(axis):
    y = np.moveaxis(RNG.normal(size=(9, 2, 3)), 0, axis)
    q = GRID[:6].reshape(2, 3)
    for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "BarycentricInterpolator"):
        close(getattr(ours, name)(X, y, axis)(q), getattr(theirs, name)(X, y, axis)(q), atol=1e-9)
    close(ours.make_interp_spline(X, y, axis=axis)(q), theirs.make_interp_spline(X, y, axis=axis)(q), atol=1e-9)
    close(ours.CubicSpline(X, y, axis).integrate(1.0, 2.0), theirs.CubicSpline(X, y, axis).integrate(1.0, 2.0))
    z = y * (1 + 2j)
    close(ours.CubicSpline(X, z, axis)(q), theirs.CubicSpline(X, z, axis)(q), atol=1e-9)


def test_piecewise_polynomials():
    c = RNG.normal(size=(4, 8, 2))
    f, g = ours.PPoly(c, X), theirs.PPoly(c, X)
    for nu in range(6):
        close(f(GRID, nu), g(GRID, nu), atol=1e-9)
        close(f.derivative(nu)(GRID), g.derivative(nu)(GRID), atol=1e-9)
    close(f.antiderivative(2)(GRID), g.antiderivative(2)(GRID), atol=1e-10)
    close(f.integrate(0.2, [[3.0, 4.0]])[0, 1], g.integrate(0.2, 4.0))
    inside = (X[0] <= GRID) & (X[-1] >= GRID)
    cut = np.asarray(ours.PPoly(c, X, extrapolate=False)(GRID))
    assert np.isnan(cut[~inside]).all()
    close(cut[inside], g(GRID[inside]))
    assert ours.PPoly(c, X)(np.zeros((0, 3))).shape == (0, 3, 2)


# --- B-splines -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5])
def test_interpolating_splines(k):
    f, g = ours.make_interp_spline(X, Y, k), theirs.make_interp_spline(X, Y, k)
    inside = GRID[(X[0] <= GRID) & (X[-1] >= GRID)]
    close(f.t, g.t)
    close(f(inside), g(inside), atol=1e-10)
    if k:
        close(f(GRID), g(GRID), atol=1e-8)
        close(f(GRID, 1), g(GRID, 1), atol=1e-8)
        close(f.antiderivative()(GRID), g.antiderivative()(GRID), atol=1e-8)
        close(f.integrate(0.5, 4.0), g.integrate(0.5, 4.0))
    close(f.derivative()(inside), g.derivative()(inside) if k else 0.0 * inside, atol=1e-9)


def test_interpolating_splines_with_conditions():
    for bc in ("natural", "clamped", ([(1, 0.5)], [(2, -1.0)])):
        close(
            ours.make_interp_spline(X, Y, bc_type=bc)(GRID),
            theirs.make_interp_spline(X, Y, bc_type=bc)(GRID),
            atol=1e-9,
        )
    five = ([(1, 0.5), (2, 0.0)], [(1, 0.1), (2, 1.0)])
    close(
        ours.make_interp_spline(X, Y, 5, bc_type=five).c, theirs.make_interp_spline(X, Y, 5, bc_type=five).c, atol=1e-8
    )
    t = np.r_[[X[0]] * 4, X[2:-2] + 0.05, [X[-1]] * 4]
    close(ours.make_interp_spline(X, Y, t=t)(GRID), theirs.make_interp_spline(X, Y, t=t)(GRID), atol=1e-8)
    with pytest.raises(ShapeError, match="needs 4 conditions, got 2"):
        ours.make_interp_spline(X, Y, 5, bc_type="natural")


def test_splines_by_coefficients():
    t, c = np.array([0.0, 0, 0, 1, 2, 2, 3, 4, 4, 4]), RNG.normal(size=(7, 2))
    f, g = ours.BSpline(t, c, 2), theirs.BSpline(t, c, 2)
    q = np.linspace(-0.5, 4.5, 23)
    for nu in range(3):
        close(f(q, nu), g(q, nu), atol=1e-10)
    close(ours.BSpline(t, c, 2, "periodic")(q), theirs.BSpline(t, c, 2, "periodic")(q))
    assert np.isnan(np.asarray(f(q, extrapolate=False))[0]).all()


# --- polynomials -----------------------------------------------------------------------------------------------------
def test_polynomials():
    x = 2.5 + 2.5 * np.cos(np.pi * (np.arange(12) + 0.5) / 12)
    y = np.exp(-x)
    close(ours.BarycentricInterpolator(x, y)(X), theirs.BarycentricInterpolator(x, y)(X))
    close(ours.BarycentricInterpolator(x, y)(x), y)
    close(ours.BarycentricInterpolator(x, y).derivative(x), -np.exp(-x), atol=1e-6)
    close(ours.KroghInterpolator(x, y)(X), theirs.KroghInterpolator(x, y)(X), atol=1e-9)
    xi, yi = [0.0, 0.0, 1.0, 1.0, 1.0, 2.0], [1.0, 2.0, 0.5, -1.0, 3.0, 2.0]
    f, g = ours.KroghInterpolator(xi, yi), theirs.KroghInterpolator(xi, yi)
    close(f(X), g(X), rtol=1e-10)
    close(f.derivatives(X, 4), g.derivatives(X, 4), rtol=1e-9)
    close(f.derivative(X, 2), g.derivative(X, 2), rtol=1e-9)
    p, q = (
        ours.lagrange([2.0, 0.5, 1.0, 3.0], [1.0, -1.0, 2.0, 0.0]),
        theirs.lagrange([2.0, 0.5, 1.0, 3.0], [1.0, -1.0, 2.0, 0.0]),
    )
    close(p(X), q(X), atol=1e-9)
    many = np.cos(np.pi * (np.arange(200) + 0.5) / 200)
    close(ours.BarycentricInterpolator(many, np.sin(5 * many))(GRID / 6), np.sin(5 * GRID / 6), atol=1e-11)


# --- grids -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["linear", "nearest", "slinear", "cubic", "quintic"])
def test_regular_grids(method):
    axes = tuple(np.sort(RNG.uniform(0, 1, n)) for n in (6, 7))
    v = RNG.normal(size=(6, 7, 2))
    q = np.stack([RNG.uniform(a[0], a[-1], 15) for a in axes], -1)
    f, g = ours.RegularGridInterpolator(axes, v, method), theirs.RegularGridInterpolator(axes, v, method)
    close(f(q), g(q), atol=1e-6 if method in ("cubic", "quintic") else 1e-11, rtol=1e-6)
    far = q + 2.0
    with pytest.raises(ArgumentError, match="outside of the grid"):
        f(far)
    fill = ours.RegularGridInterpolator(axes, v, method, bounds_error=False, fill_value=-1.0)
    close(fill(far), np.full((15, 2), -1.0))
    if method == "linear":
        beyond = {"bounds_error": False, "fill_value": None}
        close(
            ours.RegularGridInterpolator(axes, v, **beyond)(far), theirs.RegularGridInterpolator(axes, v, **beyond)(far)
        )


def test_lines_by_kind():
    order = RNG.permutation(9)
    q = np.sort(np.concatenate([RNG.uniform(X[0], X[-1], 20), X]))
    for kind in ("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 5):
        for y in (Y, np.stack([Y, Y**2])):
            f, g = ours.interp1d(X[order], y[..., order], kind), theirs.interp1d(X[order], y[..., order], kind)
            close(f(q), g(q), atol=1e-9)
    f = ours.interp1d(X, Y, fill_value=(1.0, 2.0), bounds_error=False)
    assert f([0.0, 9.0]).tolist() == [1.0, 2.0]
    close(ours.interp1d(X, Y, fill_value="extrapolate")(GRID), theirs.interp1d(X, Y, fill_value="extrapolate")(GRID))
    with pytest.raises(ArgumentError, match="outside of"):
        ours.interp1d(X, Y)(9.0)


# --- scattered points ------------------------------------------------------------------------------------------------
P, V = RNG.uniform(0, 1, (30, 2)), RNG.normal(size=(30, 2))
Q = RNG.uniform(0.2, 0.8, (11, 2))
SMOOTH = ("inverse_multiquadric", "inverse_quadratic", "gaussian")
KERNELS = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", *SMOOTH)


@pytest.mark.parametrize("kernel", KERNELS)
def test_radial_basis_functions(kernel):
    more = {"kernel": kernel, "epsilon": 3.0, "smoothing": 0.01}
    f, g = ours.RBFInterpolator(P, V, **more), theirs.RBFInterpolator(P, V, **more)
    close(f(Q), g(Q), rtol=1e-8, atol=1e-8)
    near = {**more, "neighbors": 12}
    close(ours.RBFInterpolator(P, V, **near)(Q), theirs.RBFInterpolator(P, V, **near)(Q), rtol=1e-8, atol=1e-8)
    for degree in (-1, 2):
        if degree > 0 or kernel in SMOOTH:
            f, g = (
                ours.RBFInterpolator(P, V, degree=degree, **more),
                theirs.RBFInterpolator(P, V, degree=degree, **more),
            )
            close(f(Q), g(Q), rtol=1e-7, atol=1e-7)


def test_triangulations_and_neighbours():
    for method in ("linear", "nearest"):
        for rescale in (False, True):
            points = P * [1.0, 40.0]
            q = np.concatenate([Q, [[2.0, 2.0]]]) * [1.0, 40.0]
            more = {"method": method, "rescale": rescale}
            close(ours.griddata(points, V, q, **more), theirs.griddata(points, V, q, **more))
    f, g = ours.LinearNDInterpolator(P, V, 7.0), theirs.LinearNDInterpolator(P, V, 7.0)
    close(f(Q[:, 0], Q[:, 1]), g(Q[:, 0], Q[:, 1]))
    space, inside = RNG.uniform(0, 1, (40, 3)), RNG.uniform(0.3, 0.7, (9, 3))
    values = RNG.normal(size=40)
    f, g = ours.LinearNDInterpolator(space, values), theirs.LinearNDInterpolator(space, values)
    close(f(inside), g(inside))
    close(ours.griddata(X, Y, GRID), theirs.griddata(X, Y, GRID))
    close(ours.griddata(X, Y, GRID[8:30], "cubic"), theirs.griddata(X, Y, GRID[8:30], "cubic"), atol=1e-9)
    with pytest.raises(ArgumentError, match="RBFInterpolator"):
        ours.griddata(P, V, Q, "cubic")


# --- derivatives, programs, pytrees ---------------------------------------------------------------------------------
def test_derivatives_of_values_equal_those_of_the_polynomial():
    f = ours.CubicSpline(X, Y)
    q = ss.asarray(GRID)
    for n in (1, 2, 3):
        close(ad.derivative(lambda t: f(t), n)(q), np.asarray(f(q, n)), atol=1e-9)
    g = ours.make_interp_spline(X, Y, 5)
    close(ad.derivative(lambda t: g(t), 2)(q), np.asarray(g(q, 2)), atol=1e-7)


def test_interpolants_are_arguments_of_programs():
    f = ours.CubicSpline(X, Y)
    total = ss.jit(lambda s, q: ss.sum(s(q)))
    assert float(total(f, GRID)) == pytest.approx(float(ss.sum(f(GRID))), rel=1e-13)
    slope = ad.grad(lambda s: ss.sum(s(GRID) ** 2))(f)
    assert isinstance(slope, ours.CubicSpline)
    assert slope.c.shape == f.c.shape
    made = [
        ours.BSpline(np.arange(8.0), np.ones(4), 3),
        ours.KroghInterpolator(X, Y),
        ours.BarycentricInterpolator(X, Y),
        ours.interp1d(X, Y, "cubic"),
    ]
    for g in made:
        close(ss.jit(lambda s, q: s(q))(g, GRID[8:20]), np.asarray(g(GRID[8:20])))
    grid = ours.RegularGridInterpolator((X, X), np.outer(Y, Y), "cubic")
    rbf, near = ours.RBFInterpolator(P, V), ours.RBFInterpolator(P, V, neighbors=10)
    for s, q in ((grid, Q + 1.0), (rbf, Q), (near, Q), (ours.LinearNDInterpolator(P, V), Q)):
        close(ss.jit(lambda s, q: s(q))(s, q), np.asarray(s(q)), rtol=1e-9)
        close(ss.vmap(lambda q, s=s: s(q[None])[0])(q), np.asarray(s(q)), rtol=1e-9)


def test_a_spline_through_data_that_are_mapped():
    ys = ss.asarray(np.stack([Y, Y**2, -Y]))
    mapped = ss.vmap(lambda y: ours.CubicSpline(X, y)(GRID))(ys)
    close(mapped, theirs.CubicSpline(X, ys.numpy(), axis=1)(GRID), atol=1e-10)


ERRORS = [
    (lambda: ours.CubicSpline([0.0, 0.0, 1.0], [1.0, 2.0, 3.0]), ArgumentError, "CubicSpline: x must ascend"),
    (lambda: ours.CubicSpline(X, Y[:4]), ShapeError, "there are 9 points, and 4 values"),
    (lambda: ours.CubicSpline(X, Y, bc_type="flat"), ArgumentError, "bc_type must be"),
    (lambda: ours.CubicSpline(X, Y, bc_type=((3, 0.0), (1, 0.0))), ArgumentError, "must be 1 or 2"),
    (lambda: ours.CubicSpline(X, Y, bc_type=5), ArgumentTypeError, "bc_type must be"),
    (lambda: ours.CubicSpline(X, Y)(1j), DTypeError, "x must be real"),
    (lambda: ours.CubicSpline(X, Y, extrapolate="no"), ArgumentError, "extrapolate must be"),
    (lambda: ours.PPoly(np.zeros((2, 3)), X), ShapeError, r"c must have shape \(k, 8, ...\)"),
    (lambda: ours.BSpline([0.0, 1.0], [1.0], 2), ShapeError, "needs a vector of at least 6 knots"),
    (lambda: ours.Akima1DInterpolator(X, Y, method="x"), ArgumentError, "method must be"),
    (lambda: ours.BarycentricInterpolator([0.0, 0.0], [1.0, 2.0]), ArgumentError, "must be distinct"),
    (lambda: ours.KroghInterpolator([0.0, 1.0, 0.0], [1.0, 2.0, 3.0]), ArgumentError, "must follow each other"),
    (lambda: ours.RegularGridInterpolator((X,), Y[:3]), ShapeError, "do not fit values"),
    (lambda: ours.RegularGridInterpolator((X,), Y, "pchip"), ArgumentError, "method must be one of"),
    (lambda: ours.interp1d(X, Y, "smooth"), ArgumentError, "kind must be one of"),
    (lambda: ours.RBFInterpolator(P, V, kernel="x"), ArgumentError, "kernel must be one of"),
    (lambda: ours.RBFInterpolator(P, V, kernel="gaussian"), ArgumentError, "needs epsilon"),
    (lambda: ours.RBFInterpolator(P[:2], V[:2]), ShapeError, "needs at least 3 points"),
    (lambda: ours.LinearNDInterpolator(P[:, :1], V), ShapeError, "at least two coordinates"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_single_precision_stays():
    x, y = X.astype(np.float32), Y.astype(np.float32)
    q = ss.asarray(GRID.astype(np.float32))
    made = [f(x, y) for f in (ours.CubicSpline, ours.PchipInterpolator, ours.make_interp_spline)]
    for f in [*made, ours.interp1d(x, y, fill_value=math.inf)]:
        assert f(q).dtype == np.float32


def test_compiled_loops_give_the_bits_of_the_traced_way():
    """Beside a derivative, where nothing is a plain array, a value is that of a plain call."""
    knots = np.sort(np.concatenate([RNG.uniform(0, 1, 40), RNG.uniform(0.5, 0.50001, 40)]))
    q = ss.asarray(np.concatenate([RNG.uniform(-0.2, 1.2, 3000), knots, [math.nan]]))
    for y in (RNG.normal(size=80), RNG.normal(size=(80, 2, 2))):
        made = [ours.CubicSpline(knots, y), ours.PchipInterpolator(knots, y).antiderivative()]
        made += [ours.make_interp_spline(knots, y, k) for k in (1, 2, 3, 5)]
        for f in made:
            for nu in (0, 1, 2):
                plain = f(q, nu).numpy()
                beside, _ = ad.jvp(lambda q, f=f, nu=nu: f(q, nu), (q,), (ss.ones_like(q),))
                np.testing.assert_array_equal(beside.numpy(), plain)
                assert np.isnan(plain[-1]).all()
        f = ours.BarycentricInterpolator(knots[:9], y[:9])
        beside, _ = ad.jvp(f, (q,), (ss.ones_like(q),))
        np.testing.assert_array_equal(beside.numpy(), f(q).numpy())
