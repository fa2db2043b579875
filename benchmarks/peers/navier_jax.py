"""A pseudo-spectral Navier-Stokes solver with JAX: step, rollout, and the gradient with checkpointed steps."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from navier_problem import initial, peak_megabytes, stepper


def stage(name: str, n: int, steps: int) -> Callable[[], Any]:
    """A call of one stage, from the same start: step, rollout, gradient."""
    start = jnp.asarray(initial(n))
    step = stepper(jnp.asarray, jnp.fft.rfft2, lambda w: jnp.fft.irfft2(w, s=(n, n)), n)

    def rollout(step: Callable, w: Any) -> Any:
        return jax.lax.scan(lambda c, _: (step(c), None), w, None, length=steps)[0]

    def loss(w: Any) -> Any:
        last = rollout(jax.checkpoint(step), jnp.fft.rfft2(w))
        return jnp.mean((jnp.fft.irfft2(last, s=(n, n)) - start[::-1]) ** 2)

    f, w = {
        "step": (step, jnp.fft.rfft2(start)),
        "rollout": (lambda w: rollout(step, w), jnp.fft.rfft2(start)),
        "gradient": (jax.value_and_grad(loss), start),
    }[name]
    f = jax.jit(f)
    return lambda: jax.block_until_ready(f(w))


def memory(n: int, steps: int) -> float:
    """Megabytes by which the first gradients raise the peak of a process."""
    call = stage("gradient", n, steps)
    before = peak_megabytes()
    call(), call()
    return peak_megabytes() - before
