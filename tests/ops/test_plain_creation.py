"""The short ways of creation and of parts give what the functions themselves give, and share nothing with users."""

import numpy as np
import pytest

import scisim as ss
from scisim.core.errors import ScisimError
from scisim.core.public import OPERATIONS, PLAIN

X = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
CREATED = {
    "zeros": [(3,), ((2, 3),), ((),), ((0, 2),), (3, np.dtype("f4")), (3, np.dtype("i8")), (10_000,)],
    "empty": [(3,), ((2, 3),)],
    "ones": [(3,), ((2, 3),), ((),), (3, np.dtype("?")), (10_000,)],
    "full": [(3, 2.5), ((2, 3), 7), (3, 0.1, np.dtype("f4")), (3, 2**63), (3, True), (3, 1j), (3, 7, np.dtype("f4"))],
    "zeros_like": [(X,), (X.astype("f4"),), (X > 0,), (X, np.dtype("c8")), (X[:0],)],
    "ones_like": [(X,), (X.astype("i4"),)],
    "empty_like": [(X,)],
    "full_like": [(X, 2.0), (X.astype("f4"), 0.1), (X.astype("i8"), 2.0), (X, 3)],
    "eye": [(3,), (3, 4), (3, 4, 1), (3, 4, -9), (2, 2, 0, np.dtype("f4")), (0,)],
    "arange": [(5,), (2, 9, 3), (0.5, 3.0), (5, 0, -2), (0, 1, 0.1), (3, 3), (-4,), (0.0, 2.0, 0.25)],
    "linspace": [(0.0, 1.0), (0, 1, 7), (2.0, -3.0, 5), (0.1, 0.3, 11), (0.0, 1.0, 1), (0.0, 1.0, 0), (1.0, 1.0, 3)],
}


@pytest.mark.parametrize("name", sorted(CREATED))
def test_creation_at_once_is_creation(name: str) -> None:
    taken = 0
    for args in CREATED[name]:
        short, full = PLAIN[name](*args), np.asarray(OPERATIONS[name].raw(*args))
        public = getattr(ss, name)(*args).numpy()
        taken += short is not NotImplemented
        for y in [public] if short is NotImplemented else [short, public]:
            assert (y.dtype, y.shape) == (full.dtype, full.shape), args
            assert y.tobytes() == full.tobytes(), args
    assert taken


def test_the_end_of_a_range_may_be_left_out() -> None:
    got = ss.linspace(0.0, 0.7, 13, endpoint=False)
    assert got.numpy().tobytes() == OPERATIONS["linspace"].raw(0.0, 0.7, 13, endpoint=False).tobytes()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ss.zeros(-1),
        lambda: ss.ones((2, -3)),
        lambda: ss.zeros(2.0),
        lambda: ss.arange(0, 5, 0),
        lambda: ss.arange(float("nan")),
        lambda: ss.linspace(0.0, 1.0, -2),
        lambda: ss.eye(-2),
        lambda: ss.zeros(3, dtype="O"),
        lambda: ss.zeros(3, dtype=np.dtype("O")),
        lambda: ss.ones(3, device="moon"),
        lambda: ss.ones(3)[7],
        lambda: ss.ones(3)[ss.asarray([7])],
        lambda: ss.ones(3)[0, 0],
        lambda: ss.ones(3)[ss.asarray([True, False])],
    ],
)
def test_errors_are_those_of_the_functions(call) -> None:
    with pytest.raises(ScisimError):
        call()


def test_programs_make_their_arrays() -> None:
    program = ss.jit(lambda x: x + ss.arange(4) + ss.ones(4) + ss.linspace(0.0, 1.0, 4))
    assert {str(eq.prim) for eq in program.lower(X[0]).graph.equations} >= {"iota"}
    np.testing.assert_array_equal(program(X[0]), X[0] + np.arange(4) + np.ones(4) + np.linspace(0.0, 1.0, 4))


MOVING = {
    "flip": lambda x: ss.flip(x),
    "reshape": lambda x: ss.reshape(x, (4, 3)),
    "permute_dims": lambda x: ss.permute_dims(x, (1, 0)),
    "matrix_transpose": lambda x: ss.matrix_transpose(x),
    "swapaxes": lambda x: ss.swapaxes(x, 0, 1),
    "squeeze": lambda x: ss.squeeze(x[None]),
    "broadcast_to": lambda x: ss.broadcast_to(x, (2, 3, 4)),
    "expand_dims": lambda x: ss.expand_dims(x, 0),
    "ravel": lambda x: ss.ravel(x),
    "split": lambda x: ss.split(x, 3)[0],
    "take": lambda x: ss.take(x, np.arange(3), axis=0),
    "concat": lambda x: ss.concat([x]),
    "stack": lambda x: ss.stack([x]),
    "vstack": lambda x: ss.vstack([x]),
    "atleast_2d": lambda x: ss.atleast_2d(x),
    "rot90": lambda x: ss.rot90(x),
}


@pytest.mark.parametrize("name", sorted(MOVING))
def test_what_a_user_writes_later_changes_no_tensor(name: str) -> None:
    x = X.copy()
    y = MOVING[name](x)
    before = y.numpy().copy()
    x[:] = 77.0
    np.testing.assert_array_equal(y, before)


@pytest.mark.parametrize(
    "at",
    [
        np.array([0, 2, -1]),
        np.array([[0, 1], [2, 2]]),
        np.array([], int),
        np.array([1], np.uint8),
        X > 0,
        np.array([True, False, True]),
        (1, slice(None, None, -1)),
        (Ellipsis, None, 0),
        None,
        slice(2, 0, -1),
        (),
    ],
    ids=str,
)
def test_parts_are_numpys(at) -> None:
    index = ss.asarray(at) if isinstance(at, np.ndarray) else at
    y = ss.asarray(X)[index].numpy()
    assert (y.dtype, y.shape, y.tobytes()) == (X.dtype, X[at].shape, X[at].tobytes())


def test_the_transpose_of_a_tensor() -> None:
    x = ss.asarray(X)
    np.testing.assert_array_equal(x.T, X.T)
    np.testing.assert_array_equal(ss.jit(lambda x: x.T)(x), X.T)
