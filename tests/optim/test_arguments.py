"""Optimisers called with what does not fit: one error that names the argument and the order."""

import pytest

import scisim as ss
from scisim import optim
from scisim.core.errors import ScisimError

X = ss.asarray([1.0, 2.0])
LOSS = lambda x: ss.sum(x * x)
LINE = optim.LeastSquares(lambda p, x: p[0] * x + p[1] - 3.0, [[0.0], [1.0]])
FIRST = [(optim.Adam(0.1), X), (optim.SGD(0.1), X), (optim.LBFGS(), LOSS), (optim.SSBFGS(), LOSS)]
ALL = [*FIRST, (optim.LevenbergMarquardt(), LINE)]


def refused(builtin, message, call):
    with pytest.raises(builtin, match=message) as caught:
        call()
    assert isinstance(caught.value, ScisimError)


@pytest.mark.parametrize(("opt", "first"), ALL, ids=lambda x: type(x).__name__)
def test_swapped_arguments_are_told_the_order(opt, first):
    state = opt.init(X)
    order = r"the order is \w+\.update\(\w+, state, params\)"
    refused(TypeError, f"params is the state; {order}", lambda: opt.update(first, X, state))
    refused(TypeError, f"state is a Tensor.*{order}", lambda: opt.update(first, X, X))


@pytest.mark.parametrize("opt", [optim.LBFGS(), optim.SSBFGS(), optim.LevenbergMarquardt(damping="diagonal")])
def test_the_state_of_other_parameters(opt):
    first = LINE if isinstance(opt, optim.LevenbergMarquardt) else LOSS
    refused(ValueError, "state is of 3 parameters, params has 2", lambda: opt.update(first, opt.init(ss.zeros(3)), X))


def test_the_state_of_another_memory():
    lbfgs = optim.LBFGS(7)
    refused(ValueError, "memory of 5, this LBFGS one of 7", lambda: lbfgs.update(LOSS, optim.LBFGS(5).init(X), X))


@pytest.mark.parametrize(
    ("call", "builtin", "message"),
    [
        (lambda: optim.LBFGS().update(3, optim.LBFGS().init(X), X), TypeError, "loss_fn is a int"),
        (lambda: optim.Adam(b1="a"), ValueError, "b1 is 'a'"),
        (lambda: optim.Adam(eps=None), ValueError, "eps is None"),
        (lambda: optim.Adam(clip="a"), ValueError, "clip is 'a'"),
        (lambda: optim.LBFGS(tolerance="a"), ValueError, "tolerance is 'a'"),
        (lambda: optim.LBFGS(c1="a"), ValueError, "c1 is 'a'"),
        (lambda: optim.LevenbergMarquardt("a"), ValueError, "lam is 'a'"),
        (lambda: optim.LevenbergMarquardt(up="a"), ValueError, "up 'a'"),
        (lambda: optim.LevenbergMarquardt().resampled(3), TypeError, "state is a int"),
        (lambda: optim.clip_by_global_norm(X, "a"), ValueError, "max_norm is 'a'"),
        (lambda: optim.status_message(optim.Adam().init(X)), TypeError, "AdamState has no status"),
        (lambda: optim.piecewise(1, [1.0, 2.0]), TypeError, "boundaries is 1"),
        (lambda: optim.piecewise(["a"], [1.0, 2.0]), TypeError, r"boundaries is \['a'\]"),
        (lambda: optim.cosine(1.0, 3, "a"), ValueError, "final is 'a'"),
        (lambda: optim.LeastSquares(LOSS, [[1.0]], "a"), ValueError, "weight is 'a'"),
    ],
)
def test_arguments_of_the_wrong_kind(call, builtin, message):
    refused(builtin, message, call)


@pytest.mark.parametrize("rate", [None, "a", ss.ones(2)])
def test_a_schedule_gives_one_number(rate):
    adam = optim.Adam(lambda step: rate)
    refused(
        TypeError, "Adam: lr gives .* for a step; expected one real number", lambda: adam.update(X, adam.init(X), X)
    )


def test_a_residual_without_numbers():
    lm, nothing = optim.LevenbergMarquardt(), optim.LeastSquares(lambda p, x: None, [[1.0]])
    refused(ValueError, "the residual returns no number", lambda: lm.update(nothing, lm.init(X), X))


def test_sum_adds_blocks():
    both = sum([LINE, LINE])
    assert len(both.points) == 2
    with pytest.raises(TypeError):
        LINE + 3


def test_text_says_what_an_optimiser_was_made_with():
    assert repr(optim.SGD(0.1)) == "SGD(lr=0.1, clip=None, momentum=0.0, nesterov=False)"
    assert repr(optim.LBFGS(5)).startswith("LBFGS(iterations=1, c1=0.0001")
