"""Random programs, and their derivatives, compiled: within the running error bound of what they are eagerly."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler import native
from scisim.compiler import programs as stored
from scisim.compiler.cpu import executor as executors
from scisim.compiler.cpu.cache import DiskCache
from scisim.compiler.cpu.library import Library
from scisim.compiler.cpu.pool import Pool
from scisim.compiler.cpu.target import avx2, host
from scisim.compiler.lower import program as lowering
from scisim.core.avals import aval
from scisim.core.capture import capture
from scisim.core.tensor import unwrap, wrap
from tests.compiler.random_programs import Program, numeric, programs, weights
from tests.compiler.running_bounds import bounded, check

TARGETS = ["host", "avx2"] if host().vector_bits == 512 else ["host"]


@functools.cache
def executor(target: str) -> Any:
    return executors.executor() if target == "host" else executors.Executor(Library(avx2(), DiskCache()))


@functools.cache
def pool(count: int) -> Pool:
    """Threads that end before the interpreter does."""
    made = Pool(count)
    stop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(executor("host").functions["scisim_stop"])
    atexit.register(lambda: stop(made.address))
    return made


@contextlib.contextmanager
def machine(target: str, threads: int) -> Iterator[None]:
    """Programs are made for a target and a number of threads, which share even the smallest regions of short tiles."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (native, stored):
            patch.setattr(module, "executor", lambda: executor(target))
            patch.setattr(module, "pool", lambda: pool(threads))
        patch.setattr(executors, "pool", lambda: pool(threads))
        patch.setattr(stored, "_key", lambda *_: None)  # these are not like those on disk
        patch.setattr(lowering, "PARALLEL_WORK", 0)
        patch.setattr(lowering, "LONGEST_TILE", {True: 48, False: 64})
        yield


def loss(program: Program) -> Callable:
    """A number that depends on all results of floating point."""

    def f(*xs: Any) -> Any:
        total: Any = ss.asarray(0.0)
        for k, y in enumerate(program(*xs)):
            if numeric(y):
                total = total + ss.sum(ss.real(weights(y.shape, y.dtype, k) * y))
        return total

    return f


def varying(program: Program) -> tuple[int, ...]:
    return tuple(k for k, x in enumerate(program.inputs) if numeric(x))


def values(program: Program) -> Callable:
    return program


def gradients(program: Program) -> Callable:
    def f(*xs: Any) -> list:
        value, grads = ad.value_and_grad(loss(program), varying(program))(*xs)
        return [value, *grads]

    return f


def tangents(program: Program) -> Callable:
    return lambda *xs: _along(program, lambda *vs: tuple(y for y in _with(program, xs, vs) if numeric(y)), xs)


def seconds(program: Program) -> Callable:
    """The second derivative along a direction: forward over reverse."""

    def f(*xs: Any) -> list:
        count = tuple(range(len(varying(program))))
        return _along(program, lambda *vs: ad.grad(lambda *us: _loss_with(program, xs, us), count)(*vs), xs)

    return f


def _with(program: Program, xs: tuple, vs: tuple) -> list:
    args = list(xs)
    for k, v in zip(varying(program), vs, strict=True):
        args[k] = v
    return program(*args)


def _loss_with(program: Program, xs: tuple, vs: tuple) -> Any:
    args = list(xs)
    for k, v in zip(varying(program), vs, strict=True):
        args[k] = v
    return loss(program)(*args)


def _along(program: Program, f: Callable, xs: tuple) -> list:
    at = tuple(ss.asarray(xs[k]) for k in varying(program))
    ways = tuple(ss.asarray(weights(x.shape, x.dtype, k)) for k, x in enumerate(at))
    y, dy = ad.jvp(f, at, ways)
    return [*y, *dy]


MODES = {"values": values, "gradients": gradients, "tangents": tangents, "second derivatives": seconds}


def compare(mode: str, program: Program, target: str, threads: int) -> None:
    f, xs = MODES[mode](program), program.inputs
    graph = capture(lambda *vals: [unwrap(ss.asarray(y)) for y in f(*map(wrap, vals))], list(map(aval, xs)), mode)
    want = bounded(graph, xs)
    with machine(target, threads):
        jitted = ss.jit(lambda *args: list(f(*args)))
        for _ in range(2):  # the second call enters another way
            for k, (y, w) in enumerate(zip(jitted(*map(ss.asarray, xs)), want, strict=True)):
                check(y, w, f"{mode} for {target} on {threads} threads of\n{program!r}\nresult {k}")


@st.composite
def examples(draw: Any) -> tuple[str, Program, str, int]:
    mode = draw(st.sampled_from(list(MODES)))
    program = draw(programs(reverse=mode in ("gradients", "second derivatives")))
    return mode, program, draw(st.sampled_from(TARGETS)), draw(st.sampled_from([1, 2, 3]))


def random_examples(count: int) -> Callable:
    def decorate(f: Callable) -> Callable:
        options = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}
        return settings(max_examples=count, **options)(given(examples())(f))

    return decorate


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@random_examples(500)
def test_random_programs(example: tuple) -> None:
    compare(*example)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@random_examples(3000)
def test_many_random_programs(example: tuple) -> None:
    compare(*example)


def test_one_value_as_two_results():
    """As random programs found: equal equations are one, and the fast way in had an array for each result."""
    f = ss.jit(lambda x: (x * 0.7, x, x * 0.7))
    for _ in range(3):
        first, _, second = f(ss.asarray([1.0, 2.0]))
        assert first.tolist() == second.tolist() == [0.7, 1.4]


def test_zeros_beside_arrays_whose_axes_one_loop_walks(rng):
    """As random programs found: the row of zeros was as long as the last axis alone."""
    a = rng.normal(size=(2, 257, 3, 2))

    def f(a: Any) -> tuple:
        y = ss.cond(a[0, 0, 0, 0] > -100.0, ss.sin, ss.cos, a)
        up, down = ((1, 0), (0, 0), (0, 0), (0, 0)), ((0, 1), (0, 0), (0, 0), (0, 0))
        return ss.pad(y, up) - ss.pad(y, down), 2.0 * ss.concat([ss.zeros((1, *a.shape[1:])), y])

    graph = capture(lambda v: [unwrap(y) for y in f(wrap(v))], [aval(a)])
    for y, want in zip(ss.jit(f)(ss.asarray(a)), bounded(graph, [a]), strict=True):
        check(y, want)
