"""What a value inside a transformation refuses, and says."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.autodiff.reverse import Node
from scisim.autodiff.taylor import Series
from scisim.core.batch import Batched
from scisim.core.errors import LeakError, MutationError, ScisimError, TraceError
from scisim.core.graph import Var

kept: list = []


def keep(x):
    kept.append(x * 1.0)
    return ss.sum(x)


ones = ss.ones(2)
RUNS = {
    "grad": (lambda: ad.grad(keep)(ones), "grad of keep"),
    "vjp": (lambda: ad.vjp(keep, ones), "grad of keep"),
    "jvp": (lambda: ad.jvp(keep, ones, ones), "taylor of keep"),
    "taylor": (lambda: ad.taylor(keep, ones, ones, 3), "taylor of keep"),
    "vmap": (lambda: ss.vmap(keep)(ss.ones((3, 2))), "vmap of keep"),
    "jit": (lambda: ss.jit(keep)(ones), "jit of keep"),
    "jacfwd": (lambda: ad.jacfwd(keep)(ones), "of keep"),
    "hessian": (lambda: ad.hessian(keep)(ones), "of keep"),
    "scan": (lambda: ss.scan(lambda c, x: (c, keep(x)), 0.0, ss.ones((3, 2))), "jit of"),
    "cond": (lambda: ss.jit(lambda x: ss.cond(x[0] > 0, keep, keep, x))(ones), "jit of"),
    "linearize": (lambda: ad.linearize(keep, ones), "of keep"),
}


# --- leaks -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", RUNS)
def test_a_value_kept_outside_is_refused(name):
    run, where = RUNS[name]
    kept.clear()
    run()
    leaked = kept[0]
    with pytest.raises(LeakError, match=rf"multiply: got a value float64.*{where}.*has returned.*Return it"):
        leaked * 2.0
    with pytest.raises(LeakError, match="has returned"):
        bool(leaked[0] > 0)
    with pytest.raises(ScisimError):
        float(leaked[0])
    with pytest.raises(LeakError):
        ad.grad(lambda y: ss.sum(y * leaked))(ones)
    with pytest.raises(LeakError):
        ss.jit(lambda y: ss.sum(y * leaked))(ones)
    with pytest.raises(LeakError):
        ss.vmap(lambda y: y * leaked)(ss.ones((3, 2)))
    assert "of keep" in repr(leaked) or "of" in repr(leaked)


def test_an_assignment_to_an_outer_handle_is_named():
    buffer = ss.zeros(2)

    def f(x):
        buffer[0] = x[0]
        return ss.sum(buffer * x)

    ad.grad(f)(ones)
    with pytest.raises(LeakError, match="in-place assignment to a tensor"):
        buffer + 1


# --- values that leave -------------------------------------------------------------------------------------------
LEAVING = {
    "float": float,
    "int": int,
    "complex": complex,
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "asarray": np.asarray,
    "numpy": lambda x: x.numpy(),
    "array": lambda x: np.array([1.0]) + np.asarray(x),
    "index": lambda x: [1, 2, 3][x],
    "DLPack": lambda x: np.from_dlpack(x),
    "a NumPy function without a counterpart": lambda x: np.trapezoid(np.asarray(x)),
}


@pytest.mark.parametrize("transform", ["grad", "jvp", "taylor", "vmap", "jit"])
@pytest.mark.parametrize("name", LEAVING)
def test_leaving_for_numpy_is_refused(name, transform):
    def f(x):
        LEAVING[name](x)
        return x * 1.0

    x = ss.asarray(1.0)
    run = {
        "grad": lambda: ad.grad(f)(x),
        "jvp": lambda: ad.jvp(f, x, x),
        "taylor": lambda: ad.taylor(f, x, x, 2),
        "vmap": lambda: ss.vmap(f)(ss.ones(3)),
        "jit": lambda: ss.jit(f)(x),
    }[transform]
    with pytest.raises(TraceError, match="of f"):
        run()


def test_numpy_functions_come_back_to_scisim():
    f = lambda x: np.sum(np.sin(x) * np.array([1.0, 2.0])) + np.add(x, x)[0]
    np.testing.assert_allclose(ad.grad(f)(ones), np.cos(1) * np.array([1, 2]) + [2, 0], rtol=1e-15)


# --- Python control flow -----------------------------------------------------------------------------------------
def branch(x):
    return x * x if x > 0 else -x


def test_python_branches_work_where_values_are_known():
    for d in (
        ad.grad,
        lambda f: lambda x: ad.jvp(f, x, 1.0)[1],
        lambda f: ad.grad(lambda x: ad.taylor(f, x, 1.0, 2)[0]),
    ):
        assert float(d(branch)(3.0)) == 6.0
        assert float(d(branch)(-3.0)) == -1.0

    def newton(a):
        x = a
        while abs(x * x - a) > 1e-12:
            x = 0.5 * (x + a / x)
        return x

    np.testing.assert_allclose(ad.grad(newton)(2.0), 0.5 / 2**0.5, rtol=1e-10)


def test_python_branches_say_what_to_use_instead():
    with pytest.raises(TraceError, match=r"jit of branch: .*where, cond, while_loop"):
        ss.jit(branch)(1.0)
    with pytest.raises(TraceError, match=r"vmap of branch: .*where, cond"):
        ss.vmap(branch)(ones)
    with pytest.raises(TraceError, match="vmap of"):
        ss.vmap(ad.grad(branch))(ones)
    with pytest.raises(TraceError, match="where, cond"):
        ad.grad(ss.jit(branch))(1.0)
    with pytest.raises(TraceError, match="vmap of"):
        ss.vmap(lambda x: x[x > 0])(ss.ones((2, 3)))
    with pytest.raises(TraceError, match="where"):
        ss.jit(lambda x: x[x > 0])(ones)
    with pytest.raises(TraceError, match="jit of"):
        ss.jit(lambda x: [0.0] * int(x))(2.0)


# --- threads, exceptions, generators -----------------------------------------------------------------------------
def test_threads_and_exceptions_do_not_disturb_each_other():
    def work(k):
        with pytest.raises(ZeroDivisionError):
            ad.grad(lambda x: 1 // 0)(1.0)
        with pytest.raises(KeyError):
            ss.jit(lambda x: {}["missing"])(1.0)
        f = lambda x: ss.sin(x * k)
        return float(ad.grad(ad.grad(f))(0.3)), float(ss.jit(ad.grad(f))(0.3)), float(ss.vmap(ad.grad(f))(ones)[0])

    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(work, range(40)))
    k = np.arange(40.0)
    want = np.stack([-k * k * np.sin(0.3 * k), k * np.cos(0.3 * k), k * np.cos(k)], 1)
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_levels_travel_with_values_into_threads():
    def f(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: x * ad.grad(lambda y: x * y)(1.0)).result()

    assert float(ad.grad(f)(3.0)) == 6.0
    assert float(ss.jit(ad.grad(f))(3.0)) == 6.0


def test_a_generator_resumed_inside_another_transformation():
    def numbers(x):
        for k in (1.0, 2.0, 3.0):
            yield x * k

    def f(x):
        source = numbers(x)
        first = next(source)
        inner = ad.grad(lambda y: next(source) * y)(1.0)  # 2 x
        return first * inner * next(source)

    assert float(ad.grad(f)(1.0)) == 18.0  # 6 x^3


def test_an_exception_leaves_no_transformation_running():
    class Stop(Exception):
        pass

    def raising(x):
        kept.append(x)
        raise Stop

    for run in (
        ad.grad(raising),
        ss.jit(raising),
        lambda x: ss.vmap(raising)(ones),
        lambda x: ad.taylor(raising, x, x, 2),
    ):
        kept.clear()
        with pytest.raises(Stop):
            run(ss.asarray(1.0))
        with pytest.raises(LeakError):
            kept[0] + 1.0
        assert ss.arange(3).tolist() == [0, 1, 2]  # no capture is left to take it


# --- garbage -----------------------------------------------------------------------------------------------------
A, B = np.random.default_rng(0).standard_normal((2, 3, 3))


def network(x):
    return ss.sum(ss.exp(ss.sin(ss.tanh(x @ A) @ B)) / (2.0 + ss.sqrt(x * x + 1.0)) + ss.abs(x) ** 1.5)


GARBAGE = {
    "grad": ad.grad(network),
    "hessian": ad.hessian(network),
    "vjp": lambda x: ad.vjp(network, x)[1](ss.asarray(1.0)),
    "jvp": lambda x: ad.jvp(network, x, x),
    "taylor": lambda x: ad.taylor(network, x, x, 5),
    "grad of taylor": ad.grad(lambda t: ad.taylor(network, t, t * 0 + 1.0, 3)[3]),
    "capture": lambda x: ss.jit(ad.grad(network))(x),
    "grad of captured": lambda x: ad.grad(ss.jit(network))(x),
    "vmap": lambda x: ss.vmap(ad.grad(network))(x),
    "jacrev": ad.jacrev(lambda x: ss.tanh(x @ A)),
    "laplacian": lambda x: ad.laplacian(lambda y: network(y), axis=-1)(x[0]),
    "linearize": lambda x: ad.linearize(network, x)[1](x),
    "scan": ad.grad(lambda x: ss.scan(lambda c, y: (c * ss.sum(y), c), ss.asarray(1.0), x)[0]),
    "prod": lambda x: ad.taylor(ss.prod, x, x, 4),
    "jvp rule": lambda x: ad.taylor(ss.max, x, x, 3),
    "leaving by an exception": lambda x: swallow(x),
}


def swallow(x):
    try:
        ad.grad(lambda y: network(y) + ss.reshape(y, (7, 7)))(x)
    except ScisimError:
        return


@pytest.mark.parametrize("name", GARBAGE)
def test_nothing_is_left_to_the_cyclic_collector(name):
    x = ss.asarray(np.random.default_rng(1).standard_normal((3, 3)))
    GARBAGE[name](x)  # caches of graphs hold what belongs to them
    gc.collect()
    kinds = (Node, Series, Batched, Var)
    before = {id(o) for o in gc.get_objects() if isinstance(o, kinds)}
    gc.disable()
    try:
        GARBAGE[name](x)
        left = [o for o in gc.get_objects() if isinstance(o, kinds) and id(o) not in before]
        if name in ("capture", "grad of captured", "linearize", "scan"):  # graphs have cycles, which are few
            left = [o for o in left if not isinstance(o, Var)]
        assert not left, (len(left), left[0])
    finally:
        gc.enable()


# --- assignment --------------------------------------------------------------------------------------------------
def test_an_assigned_argument_is_refused():
    def f(x):
        x[0] = 0.0
        return ss.sum(x)

    for run in (ad.grad(f), ss.jit(f), lambda x: ad.jvp(f, x, x), lambda x: ss.vmap(f)(ss.ones((2, 2)))):
        with pytest.raises(MutationError, match=r"f assigns in place to its argument 0.*Work on a copy"):
            run(ones)
    assert ones.tolist() == [1.0, 1.0]
