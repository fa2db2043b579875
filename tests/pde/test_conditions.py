"""Conditions as terms of a loss: zero on solutions, right elsewhere, and refused where they make no sense."""

import numpy as np
import pytest

import scisim as ss
from scisim import pde
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError

SQUARE = pde.Domain(t=(0, 2), x=(-1, 1))


def values(condition, u, domain=SQUARE, n=7):
    """Residuals of a condition for the field u at some points, one array an equation."""
    problem = pde.Problem(domain, lambda u: u.x, [condition], ansatz=lambda N, t, x: u(t, x) + 0 * N)
    term = problem.terms[1]
    unit = np.linspace(0, 1, n)[:, None].repeat(len(term.free), axis=1)
    arrays = term.data if term.data is not None else term.coordinates(domain, unit)
    field = problem.field(lambda p: 0 * p[..., :1])
    return [r.numpy() for r in term.residuals(field, [ss.asarray(a) for a in arrays])]


def u(t, x):
    return ss.exp(-t) * ss.sin(3 * x) + t


@pytest.mark.parametrize(
    "condition",
    [
        pde.Initial(lambda x: ss.sin(3 * x)),
        pde.Initial(lambda x: 1 - ss.sin(3 * x), order=1),
        pde.Dirichlet(lambda t: t - ss.exp(-t) * np.sin(3), x=-1),
        pde.Neumann(lambda t: 3 * ss.exp(-t) * np.cos(3), x=1),
        pde.Neumann(lambda t: -3 * ss.exp(-t) * np.cos(3), x=-1),
        pde.Condition(lambda u, t, x: u.x - 3 * ss.exp(-t) * ss.cos(3 * x), at={"x": 0.5}),
        pde.Data({"t": [0.0, 1.0], "x": [0.5, 0.0]}, [np.sin(1.5), 1.0]),
        pde.Data([[0.0, 0.5], [1.0, 0.0]], [np.sin(1.5), 1.0]),
    ],
)
def test_conditions_vanish_on_a_solution(condition):
    for r in values(condition, u):
        np.testing.assert_allclose(r, 0, atol=1e-14)


def test_conditions_are_what_is_missing():
    (r,) = values(pde.Dirichlet(2.0, x=1), lambda t, x: t + x)
    np.testing.assert_allclose(r, np.linspace(0, 2, 7) + 1 - 2)
    (r,) = values(pde.Neumann(0.5, x=-1), lambda t, x: t * x)
    np.testing.assert_allclose(r, -np.linspace(0, 2, 7) - 0.5)


def test_periodic_compares_values_and_derivatives():
    rs = values(pde.Periodic("x", order=2), lambda t, x: ss.sin(ss.pi * x) + t * x)
    t = np.linspace(0, 2, 7)
    assert len(rs) == 3
    np.testing.assert_allclose(rs[0], -2 * t, atol=1e-14)
    np.testing.assert_allclose(rs[1], 0, atol=1e-13)
    np.testing.assert_allclose(rs[2], 0, atol=1e-13)


def test_terms_have_names_points_and_weights():
    conditions = [pde.Initial(0.0, weight=5.0, points=11), pde.Dirichlet(0.0, x=-1), pde.Dirichlet(1.0, x=-1)]
    terms = pde.Problem(SQUARE, lambda u: u.x, conditions).terms
    assert [t.name for t in terms] == ["equation", "initial t=0", "dirichlet x=-1", "dirichlet x=-1 2"]
    assert terms[1].weight == 5.0
    assert terms[1].points == 11
    assert terms[1].free == ("x",)


def test_conditions_choose_a_field_by_name_or_number():
    domain = pde.Domain(x=(0, 1))
    for which in ("v", 1):
        problem = pde.Problem(
            domain, lambda u, v: u.x + v.x, [pde.Dirichlet(3.0, field=which, x=0)], ansatz=lambda a, b, x: (x, 5 + x)
        )
        field = problem.field(lambda p: ss.concat([p, p], axis=-1))
        assert [r.tolist() for r in problem.terms[1].residuals(field, [ss.asarray([0.0])])] == [[2.0]]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: [pde.Dirichlet(0.0)], ArgumentError, "no coordinate is fixed"),
        (lambda: [pde.Dirichlet(0.0, y=1)], ArgumentError, "there is no coordinate 'y'; the coordinates are t, x"),
        (lambda: [pde.Dirichlet(0.0, x=5)], ArgumentError, r"x=5 lies outside of the domain, x in \(-1, 1\)"),
        (lambda: [pde.Dirichlet(lambda s: s, x=1)], ArgumentError, "the value depends on s; the coordinates are t, x"),
        (lambda: [pde.Dirichlet("zero", x=1)], ArgumentTypeError, "value is 'zero'"),
        (lambda: [pde.Dirichlet(0.0, field="w", x=1)], ArgumentError, "there is no field 'w'; the fields are u"),
        (lambda: [pde.Dirichlet(0.0, weight=-1, x=1)], ArgumentError, "weight is -1; expected a finite number"),
        (lambda: [pde.Dirichlet(0.0, points=0, x=1)], ArgumentError, "points is 0; expected a positive integer"),
        (lambda: [pde.Neumann(0.0, x=0.5)], ArgumentError, "is no side of the domain"),
        (lambda: [pde.Initial(0.0, time="s")], ArgumentError, "there is no coordinate 's'"),
        (lambda: [pde.Initial(0.0, order=-1)], ArgumentError, "order is -1"),
        (lambda: [pde.Periodic("y")], ArgumentError, "there is no coordinate 'y'"),
        (lambda: [pde.Condition(lambda u, v: u, at={"x": 1})], ArgumentError, r"takes u, v; expected one argument"),
        (lambda: [pde.Condition(0.0, at={"x": 1})], ArgumentTypeError, "expected a function of the fields"),
        (lambda: [pde.Data({"x": [0.0]}, [1.0])], ArgumentError, "points name x; expected t, x"),
        (lambda: [pde.Data([0.0, 1.0], [1.0, 2.0])], ShapeError, r"expected \(n, 2\)"),
        (lambda: [pde.Data([[0.0, 1.0]], [1.0, 2.0])], ShapeError, "expected one value a point"),
        (lambda: ["x = 0"], ArgumentTypeError, r"conditions\[0\] is 'x = 0'"),
        (lambda: pde.Initial(0.0), ArgumentTypeError, "expected a list of conditions"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        pde.Problem(SQUARE, lambda u: u.t, make())
