"""Whoever passes a NumPy array may go on writing into it: nothing computed from it changes."""

import gc
import tracemalloc

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad

ONES = ss.ones(4)


def kept(pullback):
    return lambda: pullback(ONES)


def assigned(a):
    x = ss.zeros(4)
    x[...] = a
    return x


USES = {
    "asarray": ss.asarray,
    "real": ss.real,
    "reshape": lambda a: ss.reshape(a, (2, 2)),
    "squeeze": ss.squeeze,
    "flip": ss.flip,
    "roll": lambda a: ss.roll(a, 0),
    "clip without bounds": ss.clip,
    "astype": lambda a: ss.astype(a, ss.float64),
    "broadcast_to": lambda a: ss.broadcast_to(a, (2000, 4)),
    "broadcast_arrays": lambda a: ss.broadcast_arrays(a, a),
    "einsum": lambda a: ss.einsum("i->i", a),
    "full": lambda a: ss.full((4,), a),
    "an assignment": assigned,
    "jit of the identity": ss.jit(lambda x: x),
    "jit of a view": ss.jit(lambda x: x.reshape(2, 2)),
    "vmap of the identity": ss.vmap(lambda x: x),
    "a closure of jit": lambda a: (lambda f: (f(1.0), lambda: f(1.0))[1])(ss.jit(lambda x: x * a)),
    "a pullback": lambda a: kept(ad.vjp(lambda x: x * x, a)[1]),
    "the value beside a pullback": lambda a: ad.vjp(lambda x: x, a)[0],
    "a closure of a pullback": lambda a: kept(ad.vjp(lambda x: x * a, ONES)[1]),
    "a closure in a function": lambda a: kept(ad.vjp(lambda x: ss.multiply(a, x), ONES)[1]),
    "a closure in a list": lambda a: kept(ad.vjp(lambda x: ss.stack([x, a])[0] * a, ONES)[1]),
    "a pulled cotangent": ad.vjp(lambda x: x, ONES)[1],
    "a linear function": lambda a: kept(ad.linearize(lambda x: x * x, a)[1]),
    "jvp": lambda a: ad.jvp(lambda x: x, (a,), (a,)),
    "taylor of order 0": lambda a: ad.taylor(lambda x: x, a, a, 0),
    "derivative of order 0": ad.derivative(lambda x: x, 0),
    "an auxiliary value": lambda a: ad.grad(lambda x: (ss.sum(x), x), has_aux=True)(a),
    "cond": lambda a: ss.cond(True, lambda x: x, lambda x: x, a),
    "while_loop": lambda a: ss.while_loop(lambda c: False, lambda c: c, a),
    "scan": lambda a: ss.scan(lambda c, x: (c, x), a, a),
    "stop_gradient": ad.stop_gradient,
    "an index": lambda a: kept(ad.vjp(lambda x: x[a.astype(int)] if a[0] < 0 else x[INDEX], ss.arange(4.0))[1]),
}
INDEX = np.arange(4)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_results_do_not_follow_later_writes(use):
    a = np.arange(1.0, 5.0)
    made = use(a)
    read = made if callable(made) else lambda: made
    before = repr(read())
    a[:] = -99.0
    assert repr(read()) == before


def test_an_index_array_may_be_written_to_after_use():
    at = np.asarray([0, 1])
    pullback = ad.vjp(lambda x: x[at], ss.arange(4.0))[1]
    program = ss.jit(lambda x: x[at])
    first = program(ss.arange(4.0))
    at[:] = 3
    assert pullback(ss.ones(2))[0].tolist() == [1.0, 1.0, 0.0, 0.0]
    assert program(ss.arange(4.0)).tolist() == first.tolist() == [0.0, 1.0]


def test_a_tensor_lends_its_memory_to_read_only():
    x = ss.arange(4.0)
    for lent in (np.asarray(x), x.numpy(), np.from_dlpack(x)):
        with pytest.raises(ValueError, match="read-only"):
            lent[0] = 77.0
    for copied in (np.array(x), np.asarray(x, copy=True), np.from_dlpack(x, copy=True)):
        copied[0] = 77.0
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_consumer_of_dlpack_that_cannot_be_told_gets_a_copy():
    x = ss.arange(3.0)

    class Old:
        __dlpack_device__ = staticmethod(x.__dlpack_device__)

        def __dlpack__(self, **options):
            return x.__dlpack__()

    assert not np.shares_memory(np.from_dlpack(Old()), np.asarray(x))
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__(copy=False)


@pytest.mark.parametrize(
    "array",
    [
        np.asarray(0.5),
        np.zeros((0, 3)),
        np.full((1, 1, 1), 0.3),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(12.0).reshape(3, 4)[::-1, ::-2],
        np.broadcast_to(np.arange(4.0), (3, 4)),
        np.arange(12.0).reshape(4, 3).T,
        np.arange(12.0).astype(">f8").reshape(3, 4),
        np.frombuffer(b"\0" + np.arange(12.0).tobytes(), np.uint8)[1:].view("f8").reshape(3, 4),
        np.arange(4.0).reshape(2, 2).view(np.matrix),
    ],
    ids=[
        "0-d",
        "empty",
        "size 1",
        "Fortran",
        "reversed",
        "stride 0",
        "transposed",
        "big endian",
        "unaligned",
        "matrix",
    ],
)
def test_any_layout_of_memory_gives_the_same(array):
    plain = np.array(array, dtype=np.float64, subok=False)

    def f(x):
        return ss.sum(ss.sin(x) * x) + ss.sum(ss.reshape(x, -1)[:1] * 2.0)

    want = np.cos(plain) * plain + np.sin(plain) + 2.0 * (np.arange(plain.size).reshape(plain.shape) == 0)
    for g in (ad.grad(f), ss.jit(ad.grad(f)), ad.jacfwd(f)):
        got = g(array)
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)


def energy(x):
    return ss.sum(ss.exp(ss.sin(x) * x) / (1 + x * x))


CALLS = {
    "grad": ad.grad(energy),
    "grad of jit": ad.grad(ss.jit(energy)),
    "a new jit": lambda x: ss.jit(lambda v: ss.sum(v * x))(x),
    "jvp": lambda x: ad.jvp(energy, (x,), (x,)),
    "taylor": lambda x: ad.taylor(energy, x, x, 3),
    "hvp": lambda x: ad.hvp(energy, x, x),
    "vjp": lambda x: ad.vjp(energy, x)[1](1.0),
    "linearize": lambda x: ad.linearize(energy, x)[1](x),
    "checkpoint": ad.grad(ad.checkpoint(energy)),
    "vmap": lambda x: ss.vmap(ad.grad(energy))(x.reshape(4, -1)),
    "scan": ad.grad(lambda x: ss.sum(ss.scan(lambda c, _: (ss.sin(c), None), x, None, length=3)[0])),
    "abs": ad.grad(lambda x: ss.sum(ss.abs(x) * ss.abs(x))),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_arrays_are_let_go_without_the_collector_of_cycles(call):
    x = ss.ones(100_000)
    call(x)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(3):
            call(x)
        assert tracemalloc.get_traced_memory()[0] - before < 800_000  # less than one array
    finally:
        tracemalloc.stop()
        gc.enable()
