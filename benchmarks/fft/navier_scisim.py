"""The pseudo-spectral Navier-Stokes solver of `../peers/navier_jax.py` with scisim."""

from collections.abc import Callable
from typing import Any

from navier_problem import initial, peak_megabytes, stepper

import scisim as ss
from scisim import autodiff as ad


def stage(name: str, n: int, steps: int) -> Callable[[], Any]:
    """A call of one stage, from the same start: step, rollout, gradient."""
    start = ss.asarray(initial(n))
    step = stepper(ss.asarray, ss.fft.rfft2, lambda w: ss.fft.irfft2(w, s=(n, n)), n)

    def rollout(step: Callable, w: Any) -> Any:
        return ss.scan(lambda c, _: (step(c), None), w, None, length=steps)[0]

    def loss(w: Any) -> Any:
        last = rollout(ad.checkpoint(step), ss.fft.rfft2(w))
        return ss.mean((ss.fft.irfft2(last, s=(n, n)) - start[::-1]) ** 2)

    f, w = {
        "step": (step, ss.fft.rfft2(start)),
        "rollout": (lambda w: rollout(step, w), ss.fft.rfft2(start)),
        "gradient": (ad.value_and_grad(loss), start),
    }[name]
    f = ss.jit(f)
    return lambda: f(w)


def memory(n: int, steps: int) -> float:
    """Megabytes by which the first gradients raise the peak of a process."""
    call = stage("gradient", n, steps)
    before = peak_megabytes()
    call(), call()
    return peak_megabytes() - before


def engine() -> str:
    """The library whose transforms programs call, if there is one."""
    from scisim.fft.engines.registry import by_lines

    found = by_lines()
    return "steps in Python" if found is None else found.name
