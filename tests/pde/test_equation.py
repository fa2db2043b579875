"""Equations written as Python: the partials they mention, and residuals equal to closed forms in every mode."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim import nn, pde
from scisim.core.errors import ArgumentError, ArgumentTypeError, LeakError, ShapeError

NU = 0.1
SQUARE = pde.Domain(t=(0, 1), x=(-1, 1))
T, X = np.array([0.1, 0.4, 0.9]), np.array([-0.7, 0.2, 0.5])


def field_problem(equation, u, domain=SQUARE):
    """A problem whose field is u(t, x), whatever the model."""
    return pde.Problem(domain, equation, ansatz=lambda N, t, x: u(t, x) + 0 * N)


def zero(points):
    return 0 * points[..., :1]


def wave(t, x):
    return ss.exp(-t) * ss.sin(2 * x)


def residual(equation, u=wave, domain=SQUARE):
    return field_problem(equation, u, domain).residual(zero)


def test_an_equation_is_read_as_it_is_written():
    problem = field_problem(lambda u: u.t + u * u.x - NU * u.xx, wave)
    assert set(problem.partials) == {"value", "t", "x", "xx"}
    r = problem.residual(zero)(T, X)
    e, s, c = np.exp(-T), np.sin(2 * X), np.cos(2 * X)
    np.testing.assert_allclose(r.numpy(), -e * s + e * s * 2 * e * c + 4 * NU * e * s, rtol=1e-13, atol=1e-14)


def test_any_order_and_mixed_partials():
    r = residual(lambda u: u.xxxxxx + u.txx)(T, X)
    np.testing.assert_allclose(r.numpy(), (-64 + 4) * np.exp(-T) * np.sin(2 * X), rtol=1e-11)


def test_partials_of_partials_and_by_name():
    a = residual(lambda u: u.x.t.x)(T, X)
    b = residual(lambda u: u.d("x", "x", "t"))(T, X)
    c = residual(lambda u: u.txx)(T, X)
    np.testing.assert_array_equal(a.numpy(), b.numpy())
    np.testing.assert_array_equal(a.numpy(), c.numpy())


def test_longer_names():
    domain = pde.Domain(r=(1, 2), theta=(0, 6))
    problem = pde.Problem(
        domain,
        lambda u, r: u.rr + u.r / r + u.d("theta", "theta") / r**2 + 0 * u.theta,
        ansatz=lambda N, r, theta: r**3 * ss.cos(3 * theta) + 0 * N,
    )
    r = problem.residual(zero)(np.array([1.2, 1.9]), np.array([0.3, 4.0]))
    np.testing.assert_allclose(r.numpy(), 0, atol=1e-12)


def test_coordinates_are_arguments_by_name_in_any_order():
    r = residual(lambda x, u, t: u.t + t * x)(T, X)
    np.testing.assert_allclose(r.numpy(), -np.exp(-T) * np.sin(2 * X) + T * X, rtol=1e-13)


def test_fields_work_as_numbers_do():
    def equation(u):
        both = ss.stack([u, u.x])
        parts = ss.where(u.x > 0, u.x, -u.x) + abs(u.x) + ss.sin(u) + np.sin(u) + 2 / (3 + u) - (-u) + u**2 + 2**u
        return parts + ss.sum(both, axis=0) + ss.maximum(u, 0.0) + (+u)

    v, d = np.exp(-T) * np.sin(2 * X), 2 * np.exp(-T) * np.cos(2 * X)
    wanted = 2 * np.abs(d) + 2 * np.sin(v) + 2 / (3 + v) + v + v**2 + 2**v + v + d + np.maximum(v, 0) + v
    np.testing.assert_allclose(residual(equation)(T, X).numpy(), wanted, rtol=1e-13)


def test_systems_return_lists_in_order():
    domain = pde.Domain(x=(0, 1), y=(0, 1))
    problem = pde.Problem(
        domain,
        lambda u, v, p: [u.x + v.y, u * u.x + v * u.y + p.x, p],
        ansatz=lambda a, b, c, x, y: (x * y + 0 * a, -(y**2) / 2 + 0 * b, x + 0 * c),
    )
    assert problem.fields == ("u", "v", "p")
    x, y = np.array([0.2, 0.5]), np.array([0.3, 0.9])
    r = problem.residual(lambda p: ss.concat([p, p[..., :1]], axis=-1))(x, y)
    assert len(r) == 3
    np.testing.assert_allclose(r[0].numpy(), 0, atol=1e-15)
    np.testing.assert_allclose(r[1].numpy(), x * y**2 - y**2 / 2 * x + 1, rtol=1e-14)
    np.testing.assert_allclose(r[2].numpy(), x)


def network_residual(net, t, x):
    problem = pde.Problem(SQUARE, lambda u: u.t + u * u.x - NU * u.xx)
    return problem.residual(net)(t, x)


def test_residuals_nest_in_every_transformation():
    net = nn.MLP([2, 6, 1], key=ss.random.key(3))
    t, x = ss.asarray(T), ss.asarray(X)
    eager = network_residual(net, t, x)
    mapped = ss.vmap(network_residual, (None, 0, 0))(net, t, x)
    captured = ss.jit(network_residual)(net, t, x)
    points = [float(network_residual(net, a, b)) for a, b in zip(T, X, strict=True)]
    for other in (mapped.numpy(), captured.numpy(), points):
        np.testing.assert_allclose(other, eager.numpy(), rtol=1e-12, atol=1e-14)
    ad.check_derivatives(
        lambda w: network_residual(net.replace(layers=(w, *net.layers[1:])), t, x), (net.layers[0],), order=1
    )
    whole = ad.grad(lambda n: ss.sum(network_residual(n, t, x)))(net)
    parts = ss.vmap(ad.grad(network_residual), (None, 0, 0))(net, t, x)
    np.testing.assert_allclose(
        ss.sum(parts.layers[0].weight, axis=0).numpy(), whole.layers[0].weight.numpy(), rtol=1e-10, atol=1e-13
    )


def test_coordinates_may_be_columns():
    net = nn.MLP([2, 6, 1], key=ss.random.key(3))
    table = np.stack([T, X], axis=1)
    columns = network_residual(net, table[:, 0:1], table[:, 1:2])
    assert columns.shape == (3, 1)
    np.testing.assert_allclose(columns.numpy()[:, 0], network_residual(net, T, X).numpy(), rtol=1e-13)


def test_features_replace_the_scaled_coordinates():
    problem = pde.Problem(SQUARE, lambda u: u.x, features=lambda t, x: [t, ss.cos(ss.pi * x), ss.sin(ss.pi * x)])
    net = nn.MLP([3, 5, 1], key=ss.random.key(0))
    left, right = (problem.residual(net)(T, np.full(3, end)) for end in (-1.0, 1.0))
    np.testing.assert_allclose(left.numpy(), right.numpy(), atol=1e-14)


def test_fields_pass_through_other_transformations_and_containers():
    u_x = residual(lambda u: u.x)(T, X).numpy()
    for equation in (
        lambda u: ss.Tensor(u.x),
        lambda u: ss.cond(True, lambda a: a, lambda a: -a, u.x),
        lambda u: ss.jit(lambda a: a * 1.0)(u.x),
        lambda u: ad.grad(lambda z: z * z / 2)(1.0) * u.x,
        lambda u: ad.jvp(lambda z: z * u.x, (2.0,), (1.0,))[1],
        lambda u: ss.stack([u, u.x])[1],
    ):
        np.testing.assert_allclose(residual(equation)(T, X).numpy(), u_x, rtol=1e-14)


def test_a_field_that_is_kept_is_refused_by_name():
    kept = []
    residual(lambda u: kept.append(u) or u.x)(T, X)
    with pytest.raises(LeakError, match="equation of Problem"):
        ss.sin(kept[-1])


@pytest.mark.parametrize(
    ("equation", "error", "message"),
    [
        (lambda u: u.y, ArgumentError, r"u.y: there is no coordinate 'y'; the coordinates are t, x"),
        (lambda u: u.xxz, ArgumentError, r"u.xxz: there is no coordinate 'z'"),
        (lambda u: u.d("time"), ArgumentError, r"u.d\('time'\): there is no coordinate 'time'"),
        (lambda u: None, ArgumentTypeError, "the residual is of NoneType; return what has to vanish"),
        (lambda u: u.x == 0, ArgumentTypeError, "the residual is of bool"),
        (lambda u: [u.x, 1], ArgumentTypeError, "residual 1 is of int"),
        (lambda u: ss.stack([u, u.x]), ShapeError, r"the residual has shape \(2,\) at points of shape \(\)"),
        (lambda: 0.0, ArgumentError, "the equation has no unknown"),
        (lambda t, x: t * x, ArgumentError, "the equation has no unknown"),
        (lambda *u: u[0], ArgumentTypeError, r"takes \*u; name its arguments"),
        ("u.t", ArgumentTypeError, "equation is 'u.t'; expected a function"),
    ],
)
def test_bad_equations_are_refused_when_they_are_given(equation, error, message):
    with pytest.raises(error, match=message):
        pde.Problem(SQUARE, equation)


def test_the_partials_must_not_depend_on_a_branch():
    first = []

    def equation(u):
        first.append(1)
        return u.x if len(first) == 1 else u.xx

    problem = pde.Problem(SQUARE, equation)
    with pytest.raises(ArgumentError, match="asks for a partial that it did not ask for when it was first run"):
        problem.residual(nn.MLP([2, 3, 1], key=ss.random.key(0)))(T, X)


def test_sums_over_points_are_refused():
    problem = pde.Problem(SQUARE, lambda u: u.x - ss.mean(u))
    net = nn.MLP([2, 3, 1], key=ss.random.key(0))
    assert problem.residual(net)(T, X).shape == (3,)
    with pytest.raises(ShapeError, match="Sums over points do not belong into an equation"):
        pde.Problem(SQUARE, lambda u: ss.sum(u.x)).residual(net)(T, X)


def test_models_and_ansatz_of_another_shape_are_refused():
    two = nn.MLP([2, 3, 2], key=ss.random.key(0))
    with pytest.raises(ShapeError, match=r"output has shape \(3, 2\) at points of shape \(3,\); expected \(3, 1\)"):
        pde.Problem(SQUARE, lambda u: u.x).residual(two)(T, X)
    one = nn.MLP([2, 3, 1], key=ss.random.key(0))
    with pytest.raises(ShapeError, match="ansatz returns 2 arrays"):
        pde.Problem(SQUARE, lambda u: u.x, ansatz=lambda N, t, x: (N, N)).residual(one)(T, X)
    with pytest.raises(ArgumentError, match=r"ansatz takes N, s beside coordinates; expected 1"):
        pde.Problem(SQUARE, lambda u: u.x, ansatz=lambda N, s: N)
    with pytest.raises(ArgumentError, match=r"2 arrays; expected one for each of x"):
        pde.Problem(pde.Domain(x=(0, 1)), lambda u: u.x).residual(one)(T, X)
    with pytest.raises(ArgumentTypeError, match="features returns a Tensor; expected a list of arrays"):
        pde.Problem(SQUARE, lambda u: u.x, features=lambda t, x: t * x).residual(one)(T, X)
    with pytest.raises(ArgumentTypeError, match="domain is a dict; expected a Domain"):
        pde.Problem({"x": (0, 1)}, lambda u: u.x)
