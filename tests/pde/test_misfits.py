"""Problems made of what does not fit: one error that names it; and what careless users may expect to work."""

import numpy as np
import pytest

import scisim as ss
from scisim import nn, optim, pde, train
from scisim.core.errors import ScisimError

LINE = pde.Domain(x=(0, 1))
PLANE = pde.Domain(t=(0, 1), x=(-1, 1))
KEY = ss.random.key(0)


def fit(problem, model=None, **settings):
    model = model or nn.MLP([problem.domain.dim, 6, len(problem.fields)], key=KEY)
    return train.fit(problem, model, optim.Adam(1e-3), **{"steps": 2, "points": 5, "progress": False, **settings})


@pytest.mark.parametrize(
    ("call", "builtin", "message"),
    [
        (lambda: pde.Domain([(0, 1)]), TypeError, "without a name"),
        (lambda: pde.Domain(x=(-1e308, 1e308)), ValueError, "expected finite"),
        (lambda: pde.Problem(PLANE, lambda u: u.t - (u * u.x).x), AttributeError, "apply the product or chain rule"),
        (lambda: pde.Problem(PLANE, lambda u: []), ValueError, "returns an empty list"),
        (lambda: pde.Condition(lambda u: u, at=3), TypeError, "Condition: at is 3"),
        (lambda: pde.Condition(lambda u: u, at={"x": 0}, name=3), TypeError, "Condition: name is 3"),
        (
            lambda: pde.Problem(LINE, lambda u: u.x, [pde.Dirichlet(0.0, x="a")]),
            TypeError,
            "x is 'a'; expected a number",
        ),
        (lambda: pde.Problem(LINE, lambda u: u.x, [pde.Dirichlet(lambda x: None, x=0)]), TypeError, "gives a NoneType"),
        (lambda: pde.Problem(LINE, lambda u: u.x).residual(3)(0.5), TypeError, "the model is a int"),
        (lambda: pde.Problem(LINE, lambda u: u.x).residual(lambda p: None)(0.5), TypeError, "gives a NoneType"),
        (lambda: pde.ResidualAdaptive(k="a"), ValueError, "k is 'a'"),
        (lambda: pde.ResidualAdaptive(c=-1.0), ValueError, "c is -1.0"),
    ],
)
def test_refused_with_a_name(call, builtin, message):
    with pytest.raises(builtin, match=message) as caught:
        call()
    assert isinstance(caught.value, ScisimError)


def test_an_argument_that_became_a_field_is_named():
    problem = pde.Problem(LINE, lambda u, y: u.xx - y)
    with pytest.raises(ValueError, match=r"for each field \(u, y\).*not coordinates \(x\) are its fields"):
        fit(problem, nn.MLP([1, 6, 1], key=KEY))


def test_an_error_of_the_users_own_stays_what_it_is():
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'foo'"):
        pde.Problem(PLANE, lambda u: (u * u).foo)


def test_numbers_of_numpy_are_numbers():
    walls = [pde.Dirichlet(0.0, x=np.float32(1.0), points=np.int64(3)), pde.Dirichlet(0.0, x=np.int64(-1))]
    assert [t.name for t in pde.Problem(PLANE, lambda u: u.t, walls).terms[1:]] == ["dirichlet x=1", "dirichlet x=-1"]


def test_a_condition_called_equation_does_not_hide_the_equation():
    named = pde.Condition(lambda u: u.x, at={"x": 1}, name="equation")
    assert [t.name for t in pde.Problem(PLANE, lambda u: u.t, [named]).terms] == ["equation", "equation 2"]


def test_complex_data_keep_their_imaginary_part():
    """Tables of points are real; u - (1 + 2j) at one point, where u = 0, gives |1 + 2j|^2 = 5."""
    problem = pde.Problem(LINE, lambda u: 0.0 * u, [pde.Data([[0.5]], [1 + 2j])], ansatz=lambda N: 0.0 * N)
    assert fit(problem, steps=1).history["loss"][0] == 5.0


def test_texts_of_conditions_name_what_they_were_made_with():
    assert repr(pde.Initial(0.0, order=1)) == "Initial(value=0.0, order=1)"
    assert repr(pde.Dirichlet(ss.sin, x=1, weight=2.0)) == "Dirichlet(value=sin, weight=2.0, x=1)"
    assert repr(pde.Periodic("x")) == "Periodic(coordinate='x', order=1)"
    assert "Data(" in repr(pde.Data({"x": [0.0]}, [1.0]))


def test_too_few_candidates_are_found_out_before_the_first_step():
    seen = []
    with pytest.raises(ValueError, match="30 points cannot be chosen among 20 candidates"):
        fit(
            pde.Problem(LINE, lambda u: u.x),
            points=30,
            sampler=pde.ResidualAdaptive(candidates=20),
            callbacks=[lambda *a: seen.append(a)],
        )
    assert not seen
