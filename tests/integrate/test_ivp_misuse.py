"""solve_ivp given what it cannot take: errors that name the argument and the way out."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import integrate
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError

SPAN, START = (0.0, 1.0), [1.0, 0.0]


def decay(t, y):
    return -y


CASES = [
    (lambda: integrate.solve_ivp(None, SPAN, START), ArgumentTypeError, "expected a function"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, method="Euler"), ArgumentError, "expected one of RK23, RK45"),
    (lambda: integrate.solve_ivp(decay, (0.0, 1.0, 2.0), START), ArgumentError, "expected two times"),
    (lambda: integrate.solve_ivp(decay, (0.0, np.inf), START), ArgumentError, "two finite real times"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, t_eval=[0.5, 1.5]), ArgumentError, "holds 1.5, outside of t_span"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, t_eval=[0.5, 0.1]), ArgumentError, "not ascending"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, t_eval=[[0.5]]), ArgumentError, "a vector of times"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, rtol=-1.0), ArgumentError, "rtol is -1.0"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, atol=[1.0, 2.0, 3.0]), ShapeError, "one for each of the 2"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, atol=-1.0), ArgumentError, "atol is -1.0"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, first_step=5.0), ArgumentError, "first_step is 5.0"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, max_step=0.0), ArgumentError, "max_step is 0.0"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, max_steps=0), ArgumentError, "max_steps is 0"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, args=3.0), ArgumentTypeError, "expected a tuple"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, adjoint="none"), ArgumentError, "'discrete' or 'continuous'"),
    (lambda: integrate.solve_ivp(decay, SPAN, {}), ArgumentError, "holds no numbers"),
    (lambda: integrate.solve_ivp(decay, SPAN, np.array(["a"])), ArgumentTypeError, "expected numbers"),
    (lambda: integrate.solve_ivp(decay, SPAN, np.ones(2, np.float16)), DTypeError, "use float32, float64"),
    (lambda: integrate.solve_ivp(lambda t, y: y[:1], SPAN, START), ShapeError, "one number for each of the state"),
    (lambda: integrate.solve_ivp(lambda t, y: [y[0]], SPAN, START), ShapeError, "returns shape (1,)"),
    (lambda: integrate.solve_ivp(lambda t, y: 1j * y, SPAN, START), DTypeError, "give a complex y0"),
    (lambda: integrate.solve_ivp(lambda t, y: {"x": y}, SPAN, START), ArgumentTypeError, "the result of"),
    (lambda: integrate.solve_ivp(lambda t, y: y["x"], SPAN, {"x": 1.0}), ArgumentTypeError, "they must be equal"),
    (
        lambda: integrate.solve_ivp(lambda t, y: y / 0.0 * 0.0, SPAN, START),
        ArgumentError,
        "nan or infinity at the start",
    ),
    (lambda: integrate.solve_ivp(decay, SPAN, START, events=lambda t, y: y), ShapeError, "one real number"),
    (lambda: integrate.solve_ivp(decay, SPAN, START, events=3.0), ArgumentTypeError, ""),
    (lambda: integrate.solve_ivp(decay, SPAN, START, method="Radau", jac=np.eye(3)), ShapeError, "expected (2, 2)"),
    (
        lambda: ss.jit(lambda y: integrate.solve_ivp(decay, SPAN, y, method="BDF").y)(ss.ones(2)),
        ArgumentError,
        "use method='Radau'",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[text[:24] or kind.__name__ for _, kind, text in CASES])
def test_message_says_what_is_wrong(case):
    call, kind, text = case
    with np.errstate(all="ignore"), pytest.raises(kind) as caught:
        call()
    assert "integrate.solve_ivp" in str(caught.value)
    assert text in str(caught.value)


def test_the_continuous_adjoint_needs_output_times():
    from scisim import autodiff as ad

    f = lambda k: integrate.solve_ivp(lambda t, y: -k * y, SPAN, START, adjoint="continuous").y[0, -1]
    with pytest.raises(ArgumentError, match="pass t_eval"):
        ad.grad(f)(1.0)


def test_a_tolerance_below_precision_is_told():
    with pytest.warns(UserWarning, match="below what float64 can hold"):
        integrate.solve_ivp(decay, SPAN, START, rtol=1e-18)
