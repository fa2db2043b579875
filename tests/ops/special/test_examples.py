"""The examples of the docstrings, which are made from the declarations."""

import doctest

import pytest

import scisim as ss
from scisim.core.public import OPERATIONS


def names():
    assert ss.special.__all__
    return sorted(n for n in OPERATIONS if n.startswith("special."))


@pytest.mark.parametrize("name", names())
def test_examples_run(name):
    text = OPERATIONS[name].function.__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert test.examples
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(verbose=False, optionflags=flags).run(test).failed == 0


def test_the_functions_shared_with_the_top_are_the_same():
    for name in ("xlogy", "log1p", "expm1", "sinc", "logsumexp", "softmax"):
        assert getattr(ss.special, name) is getattr(ss, name)
