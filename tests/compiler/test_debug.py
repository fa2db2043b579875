"""`debug_nans` names the operation and the line where nan first appears; errors tell the user's line."""

import inspect

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import NonFiniteError, ScisimError

X = ss.asarray([1.0, -1.0, 4.0])
FINE = ss.asarray([1.0, 2.0, 4.0])


def f(x):
    y = x * 2
    z = ss.log(y)  # here
    return ss.sum(z)


def steps(x):
    return ss.scan(lambda c, v: (c + v, ss.log(v)), 0.0, x)  # here


def chosen(x):
    return ss.cond(x[0] > 0, lambda v: ss.sqrt(v), lambda v: v, x)  # here


def line_of(g):
    lines, first = inspect.getsourcelines(g)
    return first + next(k for k, text in enumerate(lines) if "# here" in text)


def place(error):
    (note,) = error.value.__notes__
    return note


@pytest.mark.parametrize("g", [f, steps, chosen], ids=lambda g: g.__name__)
@pytest.mark.parametrize("wrap", [lambda g: g, ss.jit, lambda g: ss.jit(ss.jit(g))], ids=["eager", "jit", "nested"])
def test_the_operation_and_its_line_are_named(g, wrap):
    with ss.debug_nans(), pytest.raises(NonFiniteError, match=r"^(log|sqrt): .* has nan .*operand 0 is -[12]") as error:
        wrap(g)(X)
    assert f"test_debug.py:{line_of(g)} in " in place(error)
    assert "# here" in place(error)


@pytest.mark.parametrize("wrap", [lambda g: g, ss.jit], ids=["eager", "jit"])
def test_derivatives_and_mapped_functions_too(wrap):
    rows = ss.stack([FINE, X])
    square = ad.grad(lambda x: f(x) ** 2)  # it needs the value of f
    for g in (square, lambda x: ad.jvp(f, (x,), (x,)), lambda x: ss.vmap(f)(rows)):
        with ss.debug_nans(), pytest.raises(NonFiniteError, match=r"log: .*nan"):
            wrap(g)(X)


@pytest.mark.parametrize("g", [lambda x: x / (x - x), lambda x: 1 / (x + 1), lambda x: x**-1.0 * 0 + ss.exp(800 * x)])
@pytest.mark.parametrize("wrap", [lambda g: g, ss.jit], ids=["eager", "jit"])
def test_infinity_counts_where_it_is_asked_for(g, wrap):
    with ss.debug_nans():
        assert not np.isfinite(np.asarray(wrap(g)(X))).all()
        with ss.debug_nans(inf=True), pytest.raises(NonFiniteError, match="has infinity"):
            wrap(g)(X)
        assert not np.isfinite(np.asarray(wrap(g)(X))).all()


def test_it_is_a_switch_too():
    ss.debug_nans()
    try:
        with pytest.raises(FloatingPointError):
            ss.log(X)
        with ss.debug_nans(False):
            assert np.isnan(np.asarray(ss.jit(f)(X)))
        with pytest.raises(NonFiniteError):
            ss.jit(f)(X)
    finally:
        ss.debug_nans(False)
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.asarray(f(X)))


def test_nothing_else_changes():
    for g in (f, ss.jit(f), ad.grad(f), ss.jit(ad.grad(f)), steps, ss.jit(steps)):
        plain = g(FINE)
        with ss.debug_nans():
            watched = g(FINE)
        for a, b in zip(plain, watched, strict=True) if isinstance(plain, tuple) else [(plain, watched)]:
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_nan_from_outside_is_told_as_such():
    given = ss.asarray([1.0, np.nan])
    with ss.debug_nans():
        with pytest.raises(NonFiniteError, match=r"f: what it is given has it already: input 0 .* first at \[1\]"):
            ss.jit(f)(given)
        with pytest.raises(NonFiniteError, match=r"mul: .*operand 0 has it already"):
            f(given)


def test_a_fast_call_is_looked_at_too():
    g = ss.jit(f)
    for _ in range(3):
        g(FINE)
    with ss.debug_nans(), pytest.raises(NonFiniteError):
        g(X)
    assert np.isnan(np.asarray(g(X)))


def test_prints_are_not_repeated(capsys):
    g = ss.jit(lambda x: (ss.print("once"), ss.log(x))[1])
    with ss.debug_nans(), pytest.raises(NonFiniteError):
        g(X)
    assert capsys.readouterr().out == "once\n"


# --- lines of errors ---------------------------------------------------------------------------------------------
def branches(x):
    y = ss.sum(x)
    return y if y > 0 else -y  # here


def misfits(x):
    return x + ss.ones(7)  # here


@pytest.mark.parametrize("g", [branches, misfits], ids=lambda g: g.__name__)
@pytest.mark.parametrize("wrap", [ss.jit, lambda g: ss.jit(ad.grad(g)), lambda g: ss.jit(ss.jit(g))])
def test_errors_of_capture_tell_the_users_line(g, wrap):
    with pytest.raises(ScisimError) as error:
        wrap(g)(X)
    assert f"test_debug.py:{line_of(g)} in {g.__name__}, while jit of" in place(error)
    assert "# here" in place(error)


def test_equations_know_their_lines():
    equations = ss.jit(f).lower(X).graph.equations
    assert equations
    assert {eq.source.line for eq in equations} <= set(range(line_of(f) - 1, line_of(f) + 2))
    assert any(eq.source.text.endswith("# here") for eq in equations)


def solves(x):
    return ss.linalg.solve(x[:2, None] * ss.ones((2, 2)), x[:2])  # here


def test_errors_of_steps_in_python_tell_the_line_too():
    f = ss.jit(solves)
    with pytest.raises(ScisimError, match="singular") as error:
        f(FINE)
    assert f"test_debug.py:{line_of(solves)} in solves" in place(error)
