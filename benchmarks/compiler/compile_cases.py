"""What is compiled in `compile_time.py`, with scisim: functions by name, and the times of their stages."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pinn_scisim
from chains import chain
from pdes import EQUATIONS
from stencil_forms import STENCILS
from stencil_scisim import set_interior

import scisim as ss
from scisim import autodiff as ad
from scisim.core import pytree
from scisim.core.avals import aval
from scisim.core.capture import capture

POINTS = 1000
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def case(name: str, points: int = POINTS) -> tuple[Callable, tuple]:
    """A function and its arguments; float32."""
    if name in EQUATIONS:
        return ad.value_and_grad(pinn_scisim.loss_of(name)), pinn_scisim.arguments(name, "float32", points)
    if name == "chain":
        return (lambda x: chain(ss, x)), (_ones(points),)
    if name == "heat":
        return STENCILS["heat"](ss, "slices", set_interior), (_ones(64, 64),)
    if name == "wave":
        return STENCILS["wave"](ss, "slices", set_interior), (_ones(32, 32, 32), _ones(32, 32, 32))
    params, _ = pinn_scisim.arguments("burgers1d", "float32", points)
    params[0] = (params[0][0][:1], params[0][1])
    u = lambda x: pinn_scisim.network(params, x)[..., 0]
    return ad.derivative(u, 4), (_ones(points),)


def first_call(name: str, captures: int = 0, clock: str = "wall") -> dict[str, float]:
    """Seconds: `compile` of the first call beyond a later one's, `capture`, `operations`; something small ran before.

    With `captures`, the function is captured so often before, and `capture` is the least of these times.
    """
    ss.jit(lambda x: x + 1)(_ones(8))
    f, args = case(name)
    found = _captured(f, args, captures, clock) if captures else {}
    compiled = ss.jit(f)
    first = _seconds(compiled, args, clock)
    return found | {"compile": first - min(_seconds(compiled, args, clock) for _ in range(5))}


def _captured(f: Callable, args: tuple, repeats: int, clock: str) -> dict[str, float]:
    vals, spec = pytree.values(args, "benchmark")
    avals, times, now = [aval(v) for v in vals], [], CLOCKS[clock]
    for _ in range(repeats):
        start = now()
        graph = capture(lambda *vs: pytree.call(f, spec, vs, "benchmark")[0], avals, "benchmark", roots=True)
        times.append(now() - start)
    return {"capture": min(times), "operations": graph.count()}


def _seconds(f: Callable, args: tuple, clock: str) -> float:
    start = CLOCKS[clock]()
    f(*args)
    return CLOCKS[clock]() - start


def _ones(*shape: int) -> Any:
    return ss.asarray(np.full(shape, 0.5, np.float32))
