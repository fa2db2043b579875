"""The fast call: exact checks, exact reference counts, results as Tensors, and the way out for everything else."""

import gc
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.cpu import entry as entry_module
from scisim.compiler.cpu import layout as layout_module
from scisim.compiler.cpu.emit import Function
from scisim.compiler.cpu.entry import Fixed, Given, Passed, Taken, make_entry
from scisim.compiler.cpu.executor import executor
from scisim.compiler.cpu.image import Arg, Image, number
from scisim.compiler.cpu.layout import layout
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor, wrap

F8, F4, I8, C16 = map(np.dtype, ("f8", "f4", "i8", "c16"))


class Increment:
    """y[i] = x[i] + 1 for n numbers."""

    name = "test_increment"

    def emit(self, module, target):
        f = Function(module, self.name, ["ptr %args"])
        x, y = f.argument(0, "ptr"), f.argument(1, "ptr")
        with f.loop(0, f.argument(2)) as (i, _, _):
            new = f.op("fadd", "double", f.load("double", f.at("double", x, i), 8), "1.0")
            f.store("double", new, f.at("double", y, i), 8)
        f.done()


class Copy:
    """Copy bytes."""

    name = "test_copy"

    def emit(self, module, target):
        f = Function(module, self.name, ["ptr %args"])
        x, y = f.argument(0, "ptr"), f.argument(1, "ptr")
        with f.loop(0, f.argument(2)) as (i, _, _):
            f.store("i8", f.load("i8", f.at("i8", x, i), 1), f.at("i8", y, i), 1)
        f.done()


def adder(shape=(8,), **more):
    """x + 1."""
    image = Image(4)
    image.call("test_increment", [Arg(2), Arg(3), number(int(np.prod(shape)))])
    program = executor().bind(image, [Increment()], release=more.pop("release", False))
    return make_entry(program, program.frame(), [Taken(2, shape, F8)], [Given(3, shape, F8)], **more)


def copier(*takes, container=tuple, release=True):
    """The arguments, copied into new arrays."""
    image = Image(2 + 2 * len(takes))
    gives = []
    for k, t in enumerate(takes):
        out, size = 2 + len(takes) + k, t.dtype.itemsize * int(np.prod(t.shape))
        image.call("test_copy", [Arg(t.slot), Arg(out), number(size)])
        gives.append(Given(out, t.shape, t.dtype))
    program = executor().bind(image, [Copy()], release=release)
    return make_entry(program, program.frame(), takes, gives, container)


def test_this_interpreter_is_known():
    assert layout() is not None
    assert {np.float64, np.float32, np.int64, np.complex128, np.bool_} <= layout().scalars


@pytest.mark.parametrize("shape", [(8,), (), (2, 3, 4), (0,), (0, 5)])
def test_values_and_types(shape):
    x = np.asarray(np.random.default_rng(0).normal(size=shape))
    for given in (x, ss.asarray(x)):
        y = adder(shape).call(given)
        assert type(y) is Tensor
        assert type(y._v) is np.ndarray
        assert (y.shape, y.dtype) == (shape, F8)
        assert np.array_equal(y._v, x + 1)
        assert y._v.flags.owndata
        assert y._v.flags.c_contiguous


def test_a_new_result_each_time():
    f, x = adder().call, ss.asarray(np.zeros(8))
    a, b = f(x), f(x)
    assert a is not b
    assert not np.shares_memory(a._v, b._v)


@pytest.mark.parametrize(
    "bad",
    [
        [1.0] * 8,
        np.zeros(7),
        np.zeros((8, 1)),
        np.zeros((1, 8)),
        np.zeros(8, np.float32),
        np.zeros(8, ">f8"),
        np.zeros(16)[::2],
        np.zeros(65, np.int8)[1:].view(F8),
        np.ma.zeros(8),
        np.float64(1),
        1.0,
        None,
        ss.asarray(np.zeros(9)),
        ss.asarray(np.zeros(8, np.float32)),
        ss.asarray(1.0),
        wrap("text"),
        object.__new__(Tensor),
        ss.broadcast_to(0.0, (8,)),  # one number in memory, seen as eight
        type("Sub", (Tensor,), {})(np.zeros(8)),
        Tensor,
    ],
    ids=lambda v: type(v).__name__,
)
def test_whatever_else_is_left_to_python(bad):
    f = adder().call
    count = sys.getrefcount(bad)
    for _ in range(100):
        assert f(bad) is NotImplemented
    assert abs(sys.getrefcount(bad) - count) < 50  # others use None meanwhile
    assert np.array_equal(f(np.ones(8))._v, np.full(8, 2.0))


def test_the_number_of_arguments():
    f = adder().call
    assert f() is NotImplemented
    assert f(np.zeros(8), np.zeros(8)) is NotImplemented
    with pytest.raises(TypeError, match="no keyword arguments"):
        f(x=np.zeros(8))


def test_values_inside_a_transformation_are_left_to_python():
    seen = []
    f = adder().call
    ss.vmap(lambda x: (seen.append(f(x)), x)[1])(np.zeros((3, 8)))
    assert seen == [NotImplemented]


@pytest.mark.parametrize(
    ("python", "dtype", "value"),
    [
        (float, F8, 0.1),
        (float, F4, 0.1),
        (int, I8, -5),
        (int, I8, 2**63 - 1),
        (complex, C16, 1 + 2j),
        (float, F8, float("inf")),
    ],
)
def test_python_numbers(python, dtype, value):
    f = copier(Taken(2, (), dtype, python)).call
    (y,) = f(value)
    assert y._v == dtype.type(value)
    for other in (True, np.float64(1), np.ones((), dtype), "x", None, {float: 1, int: 1.0, complex: 1.0}[python]):
        assert f(other) is NotImplemented


def test_a_python_integer_that_is_too_large():
    f = copier(Taken(2, (), I8, int)).call
    assert f(2**63) is NotImplemented
    assert f(-(2**63))[0]._v == -(2**63)


@pytest.mark.parametrize("name", ["f8", "f4", "f2", "i8", "i4", "u2", "i1", "?", "c16", "c8"])
def test_scalars_of_numpy(name):
    dtype = np.dtype(name)
    f = copier(Taken(2, (), dtype)).call
    for x in (dtype.type(1), np.ones((), dtype), wrap(dtype.type(1)), ss.ones((), dtype=dtype)):
        (y,) = f(x)
        assert y.dtype == dtype
        assert y._v == 1
    assert f(np.datetime64("2020-01-01")) is NotImplemented
    assert f(1.0) is NotImplemented


def test_dtypes_of_other_packages():
    import ml_dtypes

    x = np.arange(3).astype(ml_dtypes.bfloat16)
    (y,) = copier(Taken(2, (3,), x.dtype)).call(x)
    assert y.dtype == x.dtype
    assert np.array_equal(y._v, x)


@pytest.mark.parametrize("container", [tuple, list])
def test_containers(container):
    f = copier(Taken(2, (3,), F8), Taken(3, (2,), I8), container=container).call
    out = f(np.arange(3.0), ss.asarray(np.arange(2)))
    assert type(out) is container
    assert [y._v.tolist() for y in out] == [[0, 1, 2], [0, 1]]
    assert copier(container=container).call() == container()
    with pytest.raises(ArgumentError, match="2 results cannot be given as None"):
        copier(Taken(2, (3,), F8), Taken(3, (2,), I8), container=None)


def test_arguments_and_constants_as_results():
    constant = np.arange(3.0)
    program = executor().bind(Image(3), [])
    takes = [Taken(2, (8,), F8)]
    f = make_entry(program, program.frame(), takes, [Passed(0), Fixed(constant), Passed(0)], tuple).call
    x = ss.asarray(np.zeros(8))
    counts = sys.getrefcount(x._v), sys.getrefcount(constant)
    a, b, c = f(x)
    assert a is not x
    assert a._v is x._v is c._v
    assert b._v is constant
    del a, b, c
    after = sys.getrefcount(x._v), sys.getrefcount(constant)
    assert after == counts
    assert f(np.zeros(8)) is NotImplemented  # the caller may write into it


def test_reference_counts_are_exact():
    f = copier(Taken(2, (3,), F8), Taken(3, (), F8, float), Taken(4, (), I8), Taken(5, (2,), F4)).call
    args = (ss.asarray(np.zeros(3)), 0.25 + 1e-3, np.int64(3), np.zeros(2, np.float32))
    watched = [*args, args[0]._v, f, F8, F4, I8, Tensor, np.ndarray, float, NotImplemented]
    before = [sys.getrefcount(o) for o in watched]
    for _ in range(1000):
        f(*args)
        f(*args[:3], 5)
        f(1)
    assert [sys.getrefcount(o) for o in watched] == before
    y = f(*args)[0]
    plain = ss.Tensor(np.zeros(3))
    counts = [(sys.getrefcount(t), sys.getrefcount(t._v)) for t in (y, plain)]
    assert counts[0] == counts[1]


def test_no_memory_is_lost():
    f, x = adder((1000,), container=list).call, ss.asarray(np.zeros(1000))

    def calls():
        for _ in range(2000):
            f(x), f(None)

    calls()
    tracemalloc.start()
    try:
        calls()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        calls()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 4000
    finally:
        tracemalloc.stop()


def test_results_belong_to_the_collector():
    y = adder().call(np.zeros(8))
    assert gc.is_tracked(y)
    gone = weakref.ref(y)
    del y
    assert gone() is None


def test_an_entry_keeps_what_it_needs():
    f = adder().call
    gc.collect()
    junk = [np.full(64, 7) for _ in range(1000)]
    assert np.array_equal(f(np.zeros(8))._v, np.ones(8))
    assert len(junk) == 1000


def host_entry(run, release=True):
    image = Image(4)
    image.host(0, [])
    image.call("test_increment", [Arg(2), Arg(3), number(8)])
    program = executor().bind(image, [Increment()], [run], release)
    return make_entry(program, program.frame(), [Taken(2, (8,), F8)], [Given(3, (8,), F8)])


@pytest.mark.parametrize("release", [True, False])
def test_a_running_program_is_not_entered_again(release):
    seen = []
    entry = host_entry(lambda address: seen.append((entry.call(np.zeros(8)), entry.claim())), release)
    assert np.array_equal(entry.call(np.zeros(8))._v, np.ones(8))
    assert seen == [(NotImplemented, False)]


def test_arguments_live_while_the_program_runs():
    x = ss.asarray(np.arange(8.0))

    def run(address):
        x[0] = 5.0  # which gives the handle another array

    assert np.array_equal(host_entry(run).call(x)._v, np.arange(8.0) + 1)


def test_exceptions_come_through_and_leave_nothing_behind():
    def run(address):
        raise ZeroDivisionError("within")

    entry, x = host_entry(run), ss.asarray(np.zeros(8))
    count = sys.getrefcount(x._v)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match="within"):
            entry.call(x)
    after = sys.getrefcount(x._v)
    assert after == count
    assert entry.claim()


def test_claim_release_and_close():
    entry, x = adder(), np.zeros(8)
    assert entry.claim()
    assert not entry.claim()
    assert entry.call(x) is NotImplemented
    entry.release()
    assert np.array_equal(entry.call(x)._v, np.ones(8))
    old = entry.call
    entry.close()
    assert entry.call(x) is old(x) is NotImplemented


def test_threads_that_call_at_once():
    entry, wrong, fast = adder((20000,), release=True), [], []

    def work(k):
        x = np.full(20000, float(k))
        for _ in range(200):
            y = entry.call(x)
            if y is not NotImplemented:
                fast.append(k)
                if not (y._v == k + 1).all():
                    wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(60)
    assert not wrong
    assert fast


def test_an_unknown_interpreter_takes_the_general_way(monkeypatch):
    monkeypatch.setattr(entry_module, "layout", lambda: None)
    entry = adder()
    assert entry.call(np.zeros(8)) is NotImplemented
    assert entry.claim()
    entry.release()
    entry.close()


def test_a_layout_that_does_not_fit_is_noticed(monkeypatch):
    layout.cache_clear()
    with monkeypatch.context() as m:
        m.setattr(layout_module.code, "NDIM", 28)
        assert layout() is None
    layout.cache_clear()
    with monkeypatch.context() as m:
        m.setattr(layout_module, "_slot_of_value", lambda: Tensor.__basicsize__)
        assert layout() is None
    layout.cache_clear()
    assert layout() is not None
