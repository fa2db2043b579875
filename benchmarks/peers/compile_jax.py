"""How long JAX takes to compile the functions of `compile_time.py`: tracing, lowering and XLA."""

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pinn_jax
from chains import chain
from pdes import EQUATIONS
from stencil_forms import STENCILS

POINTS = 1000
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def compile_seconds(name: str, form: str, clock: str = "wall") -> float:
    """Seconds from a function to its executable, after something small was compiled."""
    jax.jit(lambda x: x + 1).lower(jnp.ones(8)).compile()
    f, args = case(name, form)
    start = CLOCKS[clock]()
    jax.jit(f).lower(*args).compile()
    return CLOCKS[clock]() - start


def case(name: str, form: str) -> tuple[Callable, tuple]:
    """A function and its arguments; float32. The form is that of derivatives, jet or jvp."""
    if name in EQUATIONS:
        return jax.value_and_grad(pinn_jax.loss_of(name, form)), pinn_jax.arguments(name, "float32", POINTS)
    ones = lambda *shape: jnp.full(shape, 0.5, jnp.float32)
    if name == "chain":
        return (lambda x: chain(jnp, x)), (ones(POINTS),)
    set_interior = lambda a, width, values: a.at[(slice(width, -width),) * a.ndim].set(values)
    if name == "heat":
        return STENCILS["heat"](jnp, "slices", set_interior), (ones(64, 64),)
    if name == "wave":
        return STENCILS["wave"](jnp, "slices", set_interior), (ones(32, 32, 32), ones(32, 32, 32))
    params, _ = pinn_jax.arguments("burgers1d", "float32", POINTS)
    params[0] = (params[0][0][:1], params[0][1])
    return _fourth(lambda x: pinn_jax.network(params, x[:, None])[:, 0], form), (ones(POINTS),)


def _fourth(f: Callable, form: str) -> Callable:
    if form == "jet":

        def by_jet(x: Any) -> Any:
            series = [jnp.ones_like(x)] + [jnp.zeros_like(x)] * 3
            return pinn_jax.jet(f, (x,), (series,))[1][3]

        return by_jet
    for _ in range(4):
        f = lambda x, f=f: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]
    return f
