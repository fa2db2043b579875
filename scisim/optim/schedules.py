"""Learning rates as functions of the step (counted from 0); each works on numbers and on traced steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.checks import is_finite, is_real
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor

Schedule = Callable[[Any], Any]


def _positive(who: str, **numbers: Any) -> None:
    for name, x in numbers.items():
        if not (is_finite(x) and x > 0):
            raise ArgumentError(f"{who}: {name} is {x!r}; expected a positive number")


def _real(step: Any) -> Any:
    return ss.astype(ss.asarray(step), ss.float64)


def constant(value: float) -> Schedule:
    """The same rate at every step.

    Examples
    --------
    >>> from scisim import optim
    >>> optim.constant(0.1)(100)
    0.1
    """
    _positive("constant", value=value)
    return lambda step: value


def exponential_decay(initial: float, decay: float, every: int = 1, staircase: bool = False) -> Schedule:
    """initial * decay ** (step / every); with ``staircase`` the exponent is rounded down.

    Examples
    --------
    >>> from scisim import optim
    >>> optim.exponential_decay(1.0, 0.5, every=10)(20)
    Tensor(0.25)
    """
    _positive("exponential_decay", initial=initial, decay=decay, every=every)

    def rate(step: Any) -> Any:
        k = _real(step) / every
        return initial * decay ** (ss.floor(k) if staircase else k)

    return rate


def cosine(initial: float, steps: int, final: float = 0.0) -> Schedule:
    """Half a period of a cosine from ``initial`` to ``final`` in ``steps`` steps, constant after
    (I. Loshchilov, F. Hutter, ICLR 2017).

    Examples
    --------
    >>> from scisim import optim
    >>> optim.cosine(1.0, 100)(50)
    Tensor(0.5)
    """
    _positive("cosine", initial=initial, steps=steps)
    if not (is_finite(final) and 0 <= final <= initial):
        raise ArgumentError(f"cosine: final is {final!r}; expected a number from 0 to initial ({initial})")

    def rate(step: Any) -> Any:
        share = ss.minimum(_real(step) / steps, 1.0)
        return final + (initial - final) * (0.5 * (1.0 + ss.cos(math.pi * share)))

    return rate


def warmup(schedule: float | Schedule, steps: int) -> Schedule:
    """Linear growth from rate(0) / steps over the first ``steps`` steps to a schedule, which starts after it.

    Examples
    --------
    >>> from scisim import optim
    >>> rate = optim.warmup(1.0, 4)
    >>> [float(rate(k)) for k in (0, 1, 3, 10)]
    [0.25, 0.5, 1.0, 1.0]
    """
    _positive("warmup", steps=steps)
    later = as_schedule("warmup", schedule)

    def rate(step: Any) -> Any:
        k = _real(step)
        return ss.where(k < steps, later(0) * ((k + 1.0) / steps), later(ss.maximum(k - steps, 0.0)))

    return rate


def piecewise(boundaries: Sequence[int], rates: Sequence[float]) -> Schedule:
    """``rates[k]`` from step ``boundaries[k - 1]`` on.

    Examples
    --------
    >>> from scisim import optim
    >>> rate = optim.piecewise([10, 20], [1.0, 0.1, 0.01])
    >>> [float(rate(k)) for k in (9, 10, 25)]
    [1.0, 0.1, 0.01]
    """
    if not all(isinstance(s, Sequence) for s in (boundaries, rates)) or not all(map(is_finite, boundaries)):
        raise ArgumentTypeError(
            f"piecewise: boundaries is {boundaries!r}, rates {rates!r}; expected a list of steps and a list of rates"
        )
    if len(rates) != len(boundaries) + 1:
        raise ArgumentError(f"piecewise: {len(rates)} rates for {len(boundaries)} boundaries; expected one more")
    if any(b <= a for a, b in pairwise(boundaries)):
        raise ArgumentError(f"piecewise: boundaries {list(boundaries)}; expected increasing steps")
    for k, r in enumerate(rates):
        _positive("piecewise", **{f"rates[{k}]": r})

    def rate(step: Any) -> Any:
        k, out = _real(step), ss.asarray(float(rates[0]))
        for at, value in zip(boundaries, rates[1:], strict=True):
            out = ss.where(k >= at, float(value), out)
        return out

    return rate


def _checked_rate(who: str, rate: Any) -> Any:
    if is_real(rate) or (isinstance(rate, Tensor) and not rate.shape and rate.dtype.kind in "iuf"):
        return rate
    raise ArgumentTypeError(f"{who}: lr gives {rate!r} for a step; expected one real number")


def as_schedule(who: str, lr: Any) -> Schedule:
    """A schedule from a positive number or a function of the step."""
    if callable(lr):
        return lambda step: _checked_rate(who, lr(step))
    if not isinstance(lr, (int, float, np.number)):
        raise ArgumentTypeError(f"{who}: lr is {lr!r}; expected a positive number or a function of the step")
    _positive(who, lr=lr)
    return lambda step: lr
