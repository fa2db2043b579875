"""Programs of moves run as views, elementwise ones over their elements in a row; what they give stays the same."""

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.moves import Moves, only_moves

X = np.random.default_rng(5).normal(size=(60, 70))
AT = np.array([3, -1, 0, 3])
MOVES = {
    "flip": ss.flip,
    "transpose": lambda x: x.T,
    "part": lambda x: x[3:, ::-1],
    "row": lambda x: (x[7], x),
    "reshape": lambda x: ss.reshape(x, (30, 140)),
    "unstack": lambda x: ss.unstack(ss.reshape(x, (3, -1))),
    "repeat": lambda x: ss.repeat(x, 3, axis=0),
    "tile": lambda x: ss.tile(x, (2, 2)),
    "take": lambda x: ss.take(ss.repeat(x, 20, axis=0), AT, axis=1),
    "broadcast": lambda x: ss.broadcast_to(x, (2, 60, 70)),
}


def _bits(tree) -> list:
    outs = tree if isinstance(tree, (tuple, list)) else [tree]
    return [(y.dtype, y.shape, np.asarray(y).tobytes()) for y in outs]


@pytest.mark.parametrize("name", sorted(MOVES))
def test_moves_give_the_elements_of_the_function(name: str) -> None:
    f, x = MOVES[name], ss.asarray(X)
    program = ss.jit(f)
    first, second = program(x), program(x)  # the second takes the short way
    assert type(first) is type(second)
    assert _bits(first) == _bits(second) == _bits(f(x))
    assert only_moves(program.lower(x).graph)
    assert isinstance(program._last.enter.__self__.run, Moves)


def test_moves_of_arrays_of_users_share_nothing_with_them() -> None:
    program, x = ss.jit(ss.flip), X.copy()
    program(ss.asarray(x))
    for given in (x, ss.asarray(x)):
        y = program(given)
        before = y.numpy().copy()
        x[:] = x + 1.0
        np.testing.assert_array_equal(y, before)


def test_programs_that_make_arrays_are_more_than_moves() -> None:
    calls = [
        lambda x: ss.take_along_axis(x, ss.argsort(x)),
        lambda x: (x.T, ss.arange(5000)),
        lambda x: ss.ones((60, 70)),
    ]
    for f in calls:
        program = ss.jit(f)
        for _ in range(3):
            assert _bits(program(ss.asarray(X))) == _bits(f(ss.asarray(X)))


def test_moves_differentiate_as_before() -> None:
    program = ss.jit(ss.flip)
    program(ss.asarray(X)), program(ss.asarray(X))
    grad = ss.autodiff.grad(lambda x: ss.sum(program(x) * X))(ss.asarray(X))
    np.testing.assert_array_equal(grad, X[::-1, ::-1])


def test_moves_take_other_shapes_anew() -> None:
    program = ss.jit(lambda x: x.T)
    program(ss.asarray(X)), program(ss.asarray(X))
    assert program(ss.asarray(X[:50])).shape == (70, 50)
    assert program(ss.asarray(X.astype(np.float32))).dtype == np.float32


ROWS = {
    "one": lambda x, y: ss.exp(x),
    "two results": lambda x, y: (x + y, ss.less(x, y)),
    "with numbers": lambda x, y: 2.0 * x - ss.where(x > 0, y, 1.0) ** 2,
    "with an input": lambda x, y: [x, ss.sin(y) * x],
    "cast": lambda x, y: ss.astype(x * 10, ss.int32),
    "to complex": lambda x, y: ss.exp(1j * x) + y,
}


@pytest.mark.parametrize("name", sorted(ROWS))
@pytest.mark.parametrize("size", [(60, 70), (3, 1), (1, 1), (2, 3, 5), (0, 4), (7, 300)], ids=str)
def test_elementwise_programs_over_several_axes(name: str, size: tuple) -> None:
    rng = np.random.default_rng(2)
    x, y = (ss.asarray(rng.normal(size=size)) for _ in range(2))
    program, flat = ss.jit(ROWS[name]), ss.jit(ROWS[name])
    want = flat(ss.reshape(x, -1), ss.reshape(y, -1))
    for _ in range(2):
        got = program(x, y)
        outs, wants = (t if isinstance(t, (tuple, list)) else [t] for t in (got, want))
        for a, b in zip(outs, wants, strict=True):
            assert (a.shape, a.dtype) == (size, b.dtype)
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_arrays_in_another_order_and_beside_numbers() -> None:
    program = ss.jit(lambda x, a: a * x + 1.0)
    x = ss.asarray(X)
    for given in (x, x.T, x[::2, ::-3], ss.broadcast_to(x[0], (9, 70))):
        for _ in range(2):
            np.testing.assert_array_equal(program(given, 0.5), 0.5 * np.asarray(given) + 1.0)


def test_donated_memory_in_a_row() -> None:
    f = lambda x: ss.sin(x) + 1.0
    program, want = ss.jit(f, donate_argnums=0), ss.jit(f)(ss.asarray(X))
    for _ in range(3):
        np.testing.assert_array_equal(program(ss.asarray(X)), want)


def test_steps_in_python_see_each_call_s_arrays() -> None:
    program = ss.jit(lambda x: (ss.sort(2.0 * x) + x[0], ss.cumulative_sum(x) * 3.0))
    rng = np.random.default_rng(11)
    given = [ss.asarray(rng.normal(size=40)) for _ in range(3)]
    for k in (0, 1, 2, 1, 0, 2, 2):
        x = given[k].numpy()
        first, second = program(given[k])
        np.testing.assert_array_equal(first, np.sort(2.0 * x) + x[0])
        np.testing.assert_array_equal(second, np.cumsum(x) * 3.0)
    kept = [program(x) for x in given]
    for x, (first, _) in zip(given, kept, strict=True):
        np.testing.assert_array_equal(first, np.sort(2.0 * x.numpy()) + x.numpy()[0])


def test_a_program_warns_of_nothing() -> None:
    x = ss.asarray([0.0, -1.0, np.inf])
    with np.errstate(all="raise"):
        program = ss.jit(lambda x: ss.sort(ss.log(x) - x) + ss.cumulative_sum(x - np.inf))
        for _ in range(3):
            assert np.isnan(np.asarray(program(x))).any()
