"""`print` inside of programs, mapped functions and derivatives: what comes out, in which order, how often."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError

X = ss.asarray([1.0, 2.0])


def lines(capsys, f, *args):
    f(*args)
    return capsys.readouterr().out.splitlines()


def talk(x):
    y = ss.sum(x)
    ss.print("sum {:.2f} of {}", y, "two")
    ss.print("x:", x)
    z = ss.fori_loop(0, 2, lambda k, v: (ss.print("step {k}", k=k), v * 2)[1], y)
    ss.print("the end")
    ss.print("the end")
    return z + y


SAID = ["sum 3.00 of two", "x: [1., 2.]", "step 0", "step 1", "the end", "the end"]


def test_eager_and_compiled_programs_print_the_same_at_every_call(capsys):
    assert lines(capsys, talk, X) == SAID
    f = ss.jit(talk)
    assert lines(capsys, f, X) == SAID
    assert lines(capsys, f, X) == SAID
    assert lines(capsys, f, 2 * X)[0] == "sum 6.00 of two"


def test_derivatives_print_the_plain_value_once(capsys):
    for f in (talk, ss.jit(talk)):
        assert lines(capsys, ad.grad(f), X) == SAID
        assert lines(capsys, ss.jit(ad.grad(f)), X) == SAID
        assert lines(capsys, lambda x, f=f: ad.jvp(f, (x,), (x,)), X) == SAID


def test_a_mapped_function_prints_all_elements(capsys):
    rows = ss.stack([X, 2 * X])
    said = ["[[1., 2.],", " [2., 4.]]"]
    for f in (lambda x: ss.print(x), ss.jit(lambda x: ss.print(x))):
        assert lines(capsys, ss.vmap(lambda x, f=f: (f(x), x)[1]), rows) == said
        assert lines(capsys, ss.jit(ss.vmap(lambda x, f=f: (f(x), x)[1])), rows) == said
    assert lines(capsys, ss.vmap(ad.grad(lambda x: (ss.print("{:.1f}", ss.sum(x)), ss.sum(x))[1])), rows) == [
        "[3.0, 6.0]"
    ]


def test_printing_is_no_dead_code(capsys):
    def unused(x):
        ss.scan(lambda c, v: (ss.print("at {}", v), (c, v))[1], 0.0, x)
        ss.cond(x[0] > 0, lambda v: (ss.print("yes"), v)[1], lambda v: v, x)
        return x

    assert lines(capsys, ss.jit(unused), X) == ["at 1.0", "at 2.0", "yes"]


def test_equal_calls_print_each(capsys):
    inner = ss.jit(lambda x: (ss.print("x {}", x), x)[1])

    def f(x):
        inner(x)
        inner(x)
        return inner(x * 5)

    assert lines(capsys, ss.jit(f), 1.0) == ["x 1.0", "x 1.0", "x 5.0"]


def test_formats(capsys):
    def f(x):
        ss.print(x)
        ss.print("{:.1f} {n:d} {s:>4}", x, n=3, s="a")
        ss.print("pi", 3, [1, 2])
        ss.print()

    assert lines(capsys, f, X) == ["[1., 2.]", "[1.0, 2.0] 3    a", "pi 3 [1, 2]", ""]


@pytest.mark.parametrize("wrap", [lambda f: f, ss.jit], ids=["eager", "jit"])
def test_formats_that_do_not_fit_are_refused_where_they_stand(wrap):
    with pytest.raises(ArgumentError, match=r"print: the text '{} {}' has a field"):
        wrap(lambda x: ss.print("{} {}", x))(X)
    with pytest.raises(ArgumentError, match=r"field 'y' for which no value"):
        wrap(lambda x: ss.print("{y}", x=x))(X)
    with pytest.raises(ArgumentTypeError, match=r"'{:d}' does not fit"):
        wrap(lambda x: ss.print("{:d}", x))(X)
    with pytest.raises(ArgumentTypeError, match=r"print: .*object"):
        wrap(lambda x: ss.print("{}", object()))(X)


def test_values_are_not_changed_by_being_printed():
    np.testing.assert_array_equal(ss.jit(talk)(X), 15.0)
