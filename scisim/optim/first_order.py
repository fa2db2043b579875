"""Optimisers that take one gradient a step.

Each has ``init(params) -> state`` and ``update(grads, state, params) -> (params, state)``, functions of tensors alone:
they may be compiled, mapped over ensembles, and differentiated.  Trees may mix real and complex parameters.  Complex
gradients are dL/dx + i dL/dy, as `autodiff.grad` and PyTorch give them (JAX gives the conjugate).  A step of `SGD` is
that of real and imaginary parts; `Adam` averages abs(g)^2, one number for both parts, as optax does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import scisim as ss
from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError
from scisim.core.tensor import Tensor
from scisim.optim.schedules import Schedule, as_schedule
from scisim.optim.trees import (
    Shown,
    build,
    check_state,
    clip_by_global_norm,
    leaves_of,
    like,
    real_dtype,
    scalar,
    squared,
)


class AdamState(NamedTuple):
    """Steps done, and moving averages of the gradient and of its square."""

    step: Tensor
    mean: Any
    square: Any


class SGDState(NamedTuple):
    """Steps done, and the velocity (None without momentum)."""

    step: Tensor
    velocity: Any


class _FirstOrder(Shown):
    """What these optimisers share: the rate, and clipping."""

    def __init__(self, lr: float | Schedule, clip: float | None) -> None:
        self.lr = lr
        self.rate = as_schedule(type(self).__name__, lr)
        if clip is not None and not (is_real(clip) and clip > 0):
            raise ArgumentError(f"{type(self).__name__}: clip is {clip!r}; expected a positive number or None")
        self.clip = clip

    def _leaves(self, grads: Any, params: Any) -> tuple[list[Tensor], list[Tensor], Any]:
        who = f"{type(self).__name__}.update"
        gs, ps, spec = like(who, "grads", grads, params)
        if self.clip is not None:
            gs = clip_by_global_norm(gs, self.clip)[0]
        return gs, ps, spec


def _fraction(who: str, **values: float) -> None:
    for name, x in values.items():
        if not (is_real(x) and 0 <= x < 1):
            raise ArgumentError(f"{who}: {name} is {x!r}; expected a number from 0 up to, but not including, 1")


class Adam(_FirstOrder):
    """Adam (D. P. Kingma, J. Ba, ICLR 2015, algorithm 1).

    Parameters
    ----------
    lr : float or callable
        Learning rate, or a function of the step (counted from 0).
    b1, b2 : float
        Decay of the averages, in [0, 1).
    eps : float
        Added to the root of the second moment.
    clip : float, optional
        Greatest global norm of a gradient, of moduli where it is complex.

    Notes
    -----
    The second moment of a complex parameter is the average of abs(g)^2, a real number, as in optax: the direction of a
    step is that of the averaged gradient, and turning all gradients by a phase turns the steps.  PyTorch keeps a second
    moment for each of the two parts, as if the parts were two real parameters.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import autodiff as ad, optim
    >>> adam, x = optim.Adam(0.1), ss.asarray(1.0)
    >>> state = adam.init(x)
    >>> x, state = adam.update(ad.grad(ss.square)(x), state, x)
    >>> x
    Tensor(0.9)
    """

    decay = 0.0

    def __init__(
        self,
        lr: float | Schedule = 1e-3,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        *,
        clip: float | None = None,
    ) -> None:
        super().__init__(lr, clip)
        _fraction(type(self).__name__, b1=b1, b2=b2)
        if not (is_real(eps) and eps > 0):
            raise ArgumentError(f"{type(self).__name__}: eps is {eps!r}; expected a positive number")
        self.b1, self.b2, self.eps = b1, b2, eps

    def init(self, params: Any) -> AdamState:
        """The state before the first step."""
        ps, spec = leaves_of(f"{type(self).__name__}.init", params)
        mean = build(spec, [ss.zeros_like(p) for p in ps])
        square = build(spec, [ss.zeros(p.shape, dtype=real_dtype(p)) for p in ps])
        return AdamState(ss.asarray(0), mean, square)

    def update(self, grads: Any, state: AdamState, params: Any) -> tuple[Any, AdamState]:
        """Parameters and state after a step; ``grads`` has the structure of ``params``."""
        check_state(f"{type(self).__name__}.update", "grads", state, params, AdamState)
        gs, ps, spec = self._leaves(grads, params)
        ms, vs = like("Adam.update", "state.mean", state.mean, params)[0], _leaves(state.square)
        rate, count = self.rate(state.step), ss.astype(state.step + 1, ss.float64)
        first, second = 1.0 - self.b1**count, 1.0 - self.b2**count
        new: list = []
        for g, p, m, v in zip(gs, ps, ms, vs, strict=True):
            m = self.b1 * m + (1.0 - self.b1) * g
            v = self.b2 * v + (1.0 - self.b2) * squared(g)
            direction = (m / scalar(first, p)) / (ss.sqrt(v / scalar(second, p)) + self.eps)
            if self.decay:
                direction = direction + self.decay * p
            new.append((p - scalar(rate, p) * direction, m, v))
        after = [build(spec, list(column)) for column in zip(*new, strict=True)]
        return after[0], AdamState(state.step + 1, after[1], after[2])


class AdamW(Adam):
    """Adam with decoupled weight decay (I. Loshchilov, F. Hutter, ICLR 2019): each step also takes
    ``lr * weight_decay * params`` off the parameters.

    Parameters
    ----------
    lr, b1, b2, eps, clip
        As in `Adam`.
    weight_decay : float
        At least 0.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> adamw, x = optim.AdamW(0.1, weight_decay=0.5), ss.asarray(2.0)
    >>> adamw.update(ss.asarray(0.0), adamw.init(x), x)[0]
    Tensor(1.9)
    """

    def __init__(
        self,
        lr: float | Schedule = 1e-3,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        *,
        clip: float | None = None,
    ) -> None:
        super().__init__(lr, b1, b2, eps, clip=clip)
        if not (is_real(weight_decay) and weight_decay >= 0):
            raise ArgumentError(f"AdamW: weight_decay is {weight_decay!r}; expected a number of at least 0")
        self.decay = weight_decay


class SGD(_FirstOrder):
    """Gradient descent, with heavy-ball or Nesterov momentum: v = momentum v + g; p = p - lr v, or with ``nesterov``
    p = p - lr (g + momentum v)  (I. Sutskever et al., ICML 2013, in the form without look-ahead).

    Parameters
    ----------
    lr : float or callable
    momentum : float
        In [0, 1).
    nesterov : bool
    clip : float, optional
        Greatest global norm of a gradient, of moduli where it is complex.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import optim
    >>> sgd, x = optim.SGD(0.5), ss.asarray(1.0)
    >>> sgd.update(ss.asarray(2.0), sgd.init(x), x)[0]
    Tensor(0.)
    """

    def __init__(
        self,
        lr: float | Schedule = 1e-2,
        momentum: float = 0.0,
        nesterov: bool = False,
        *,
        clip: float | None = None,
    ) -> None:
        super().__init__(lr, clip)
        _fraction("SGD", momentum=momentum)
        if nesterov and not momentum:
            raise ArgumentError("SGD: nesterov=True needs a momentum above 0")
        self.momentum, self.nesterov = momentum, nesterov

    def init(self, params: Any) -> SGDState:
        """The state before the first step."""
        ps, spec = leaves_of("SGD.init", params)
        velocity = build(spec, [ss.zeros_like(p) for p in ps]) if self.momentum else None
        return SGDState(ss.asarray(0), velocity)

    def update(self, grads: Any, state: SGDState, params: Any) -> tuple[Any, SGDState]:
        """Parameters and state after a step; ``grads`` has the structure of ``params``."""
        check_state("SGD.update", "grads", state, params, SGDState)
        gs, ps, spec = self._leaves(grads, params)
        rate, velocity, steps = self.rate(state.step), None, gs
        if self.momentum:
            old = like("SGD.update", "state.velocity", state.velocity, params)[0]
            vs = [self.momentum * v + g for v, g in zip(old, gs, strict=True)]
            steps = [g + self.momentum * v for g, v in zip(gs, vs, strict=True)] if self.nesterov else vs
            velocity = build(spec, vs)
        new = [p - scalar(rate, p) * d for p, d in zip(ps, steps, strict=True)]
        return build(spec, new), SGDState(state.step + 1, velocity)


def _leaves(tree: Any) -> list:
    from scisim.core import pytree

    return pytree.flatten(tree)[0]
