"""One Levenberg-Marquardt step on the Burgers equation with scisim, the residual written plainly."""

from collections.abc import Callable
from typing import Any

from lm_problem import LAM, NU, initial, points

import scisim as ss
from scisim import autodiff as ad
from scisim import optim


def solution(params: list, t: Any, x: Any) -> Any:
    h = ss.stack([t, x], axis=-1)
    for w, b in params[:-1]:
        h = ss.tanh(h @ w + b)
    w, b = params[-1]
    return -ss.sin(ss.pi * x) + t * (1 - x * x) * (h @ w + b)[..., 0]


def residual(params: list, t: Any, x: Any) -> Any:
    u, ut, ux, uxx = ad.partials(lambda t, x: solution(params, t, x), ["", "t", "x", "xx"])(t, x)
    return ut + u * ux - NU * uxx


def stage(name: str, count: int, width: int, layers: int) -> Callable[[], Any]:
    """A call of one stage, from the same start: step, jacobian, normal (with the Gram matrix), second, loss."""
    arrays = [ss.asarray(a) for a in initial(width, layers)]
    params = list(zip(arrays[::2], arrays[1::2], strict=True))
    data = optim.LeastSquares(residual, points(count))
    method = optim.LevenbergMarquardt(lam=LAM, max_trials=1)
    state = method.init(params)

    def step() -> Any:
        new, after, loss = method.update(data, state, params)
        if int(after.status):
            raise RuntimeError("the step was not accepted: it did not do all of its work")
        return [a.numpy().ravel() for layer in new for a in layer], float(loss)

    normal = data.normal(params) if name == "second" else None
    return {
        "step": step,
        "jacobian": lambda: data.jacobian(params),
        "normal": lambda: data.normal(params),
        "second": lambda: data.pulled_second(params, params, normal),
        "loss": lambda: data.loss(params),
    }[name]
