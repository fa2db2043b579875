"""Loss and gradient of a physics-informed network with PyTorch, in the forms its users write.

grad     nested gradients of sums over the points, each derivative once
jvp      nested torch.func.jvp
stacked  Taylor channels stacked by hand

Each runs eagerly or through torch.compile.
"""

from collections.abc import Callable
from typing import Any

import stacked_taylor
import torch
from pdes import EQUATIONS, Equation, setup

Step = Callable[[], Any]


def network(params: list, x: Any) -> Any:
    for w, b in params[:-1]:
        x = torch.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


class Nested:
    """Derivatives of a network's outputs by gradients of gradients, kept for their next use."""

    def __init__(self, params: list, x: Any, equation: Equation) -> None:
        self.x, self.coords = x, equation.coords
        y = network(params, x)
        self.values = {(output, ""): y[:, output] for output in range(equation.outputs)}
        self.gradients: dict[tuple[int, str], Any] = {}

    def __call__(self, output: int, name: str) -> Any:
        if (output, name) not in self.values:
            lower = output, name[:-1]
            if lower not in self.gradients:
                (self.gradients[lower],) = torch.autograd.grad(self(*lower).sum(), self.x, create_graph=True)
            self.values[output, name] = self.gradients[lower][:, self.coords.index(name[-1])]
        return self.values[output, name]


def by_grad(equation: Equation) -> Callable:
    def loss(params: list, x: Any) -> Any:
        return _mean_square(equation, Nested(params, x.clone().requires_grad_(True), equation))

    return loss


def by_jvp(equation: Equation) -> Callable:
    def loss(params: list, x: Any) -> Any:
        f = lambda x: network(params, x)
        table = {"": f(x)}
        for c, order in equation.orders.items():
            for k in range(1, order + 1):
                table[c * k] = _derivative(f, x, c * k, equation)
        for name in equation.mixed:
            table[name] = _derivative(f, x, name, equation)
        return _mean_square(equation, lambda output, name: table[name][:, output])

    return loss


def by_stacked(equation: Equation) -> Callable:
    def loss(params: list, x: Any) -> Any:
        table = stacked_taylor.derivatives(torch, params, x, equation)
        return _mean_square(equation, lambda output, name: table[name][:, output])

    return loss


def step(name: str, form: str, dtype: str, points: int, compiled: bool = False) -> Step:
    """A call that gives loss and gradients, in the order of the parameters."""
    equation = EQUATIONS[name]
    arrays, x = setup(name, points, dtype, dtype)
    params = [(torch.tensor(w, requires_grad=True), torch.tensor(b, requires_grad=True)) for w, b in arrays]
    loss = {"grad": by_grad, "jvp": by_jvp, "stacked": by_stacked}[form](equation)
    points_ = torch.tensor(x)
    if form == "jvp":
        return _functional(loss, params, points_, compiled)
    if compiled:
        loss = torch.compile(loss)
    leaves = [a for layer in params for a in layer]

    def call() -> Any:
        value = loss(params, points_)
        return value, torch.autograd.grad(value, leaves, materialize_grads=True, allow_unused=True)

    return call


def _functional(loss: Callable, params: list, x: Any, compiled: bool) -> Step:
    f = torch.func.grad_and_value(loss)
    f = torch.compile(f) if compiled else f
    plain = [(w.detach(), b.detach()) for w, b in params]
    return lambda: f(plain, x)[::-1]


def _derivative(f: Callable, x: Any, name: str, equation: Equation) -> Any:
    for c in name:
        f = _along(f, torch.tensor([float(c == other) for other in equation.coords], dtype=x.dtype))
    return f(x)


def _along(f: Callable, unit: Any) -> Callable:
    return lambda x: torch.func.jvp(f, (x,), (unit.expand_as(x).contiguous(),))[1]


def _mean_square(equation: Equation, d: Callable) -> Any:
    return sum((r * r).mean() for r in equation.residual(d))
