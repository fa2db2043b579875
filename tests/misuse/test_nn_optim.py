"""Networks and optimizers."""

import scisim as ss
from scisim import nn, optim
from scisim.core import errors as e
from tests.misuse import assert_refused, table

KEY = ss.random.key(0)
LAYER = nn.Linear(2, 3, key=KEY)
NET = nn.MLP([2, 4, 1], key=KEY)
P = {"w": ss.ones(2)}


def updated(optimizer, grads, state=None):
    return optimizer.update(grads, optimizer.init(P) if state is None else state, P)


@table(
    (
        "an input of another width",
        lambda: LAYER(ss.ones((4, 5))),
        e.ShapeError,
        ValueError,
        ["Linear", "(4, 5)", "(..., 2)"],
    ),
    ("a word as input", lambda: LAYER("a"), e.ArgumentTypeError, TypeError, ["'a'", "expected numbers"]),
    ("a seed as key", lambda: nn.Linear(2, 3, key=3), e.ArgumentTypeError, TypeError, ["random.key(seed)", "3"]),
    ("no inputs", lambda: nn.Linear(0, 3, key=KEY), e.ArgumentError, ValueError, ["Linear", "in_features", "0"]),
    (
        "half an input",
        lambda: nn.Linear(2.5, 3, key=KEY),
        e.ArgumentError,
        ValueError,
        ["Linear", "in_features", "2.5"],
    ),
    (
        "integer weights",
        lambda: nn.Linear(2, 3, key=KEY, dtype="int64"),
        e.DTypeError,
        TypeError,
        ["Linear", "int64", "float32"],
    ),
    (
        "a network of one size",
        lambda: nn.MLP([2], key=KEY),
        e.ArgumentError,
        ValueError,
        ["MLP", "sizes", "[2]", "two numbers"],
    ),
    (
        "an unknown activation",
        lambda: nn.MLP([2, 3, 1], "than", key=KEY),
        e.ArgumentError,
        ValueError,
        ["MLP", "'than'", "tanh", "function"],
    ),
    (
        "assigning to a module",
        lambda: setattr(NET, "bias", 3),
        e.MutationError,
        TypeError,
        ["MLP.bias", "module.replace(bias"],
    ),
    (
        "a rate that is a word",
        lambda: optim.Adam("fast"),
        e.ArgumentTypeError,
        TypeError,
        ["Adam", "lr", "'fast'", "positive"],
    ),
    ("a negative rate", lambda: optim.Adam(-1.0), e.ArgumentError, ValueError, ["Adam", "lr", "-1.0", "positive"]),
    ("a rate of nan", lambda: optim.Adam(float("nan")), e.ArgumentError, ValueError, ["Adam", "lr", "nan", "positive"]),
    (
        "integer parameters",
        lambda: optim.Adam(1e-3).init(ss.asarray([1, 2])),
        e.DTypeError,
        TypeError,
        ["Adam.init", "int64", "nn.partition"],
    ),
    (
        "gradients of other parameters",
        lambda: updated(optim.Adam(1e-3), {"v": ss.ones(2)}),
        e.ArgumentTypeError,
        TypeError,
        ["Adam.update", "'v'", "'w'", "equal"],
    ),
    (
        "a gradient of another shape",
        lambda: updated(optim.SGD(1e-3), {"w": ss.ones(3)}),
        e.ShapeError,
        ValueError,
        ["SGD.update", "'w'", "(3,)", "(2,)"],
    ),
    (
        "the state of another optimizer",
        lambda: updated(optim.Adam(1e-3), P, optim.SGD(1e-3).init(P)),
        e.ArgumentTypeError,
        TypeError,
        ["Adam.update", "SGDState", "AdamState", "init(params)"],
    ),
    (
        "a loss that is no function",
        lambda: updated(optim.LBFGS(), ss.ones(2)),
        e.ArgumentTypeError,
        TypeError,
        ["function", "Tensor"],
    ),
    (
        "a loss of many numbers",
        lambda: updated(optim.LBFGS(), lambda p: p["w"]),
        e.ShapeError,
        ValueError,
        ["float64[2]", "sum it"],
    ),
    (
        "a loss in the place of residuals",
        lambda: updated(optim.LevenbergMarquardt(), lambda p: ss.sum(p["w"])),
        e.ArgumentTypeError,
        TypeError,
        ["LevenbergMarquardt.update", "function", "optim.LeastSquares"],
    ),
)
def test_refused(call, error, builtin, parts):
    assert_refused(call, error, builtin, parts)
