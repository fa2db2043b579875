"""Loss and gradient of a physics-informed network with JAX, in the forms its users write.

grad     nested gradients of a point, mapped over the points
jvp      nested forward derivatives of all points at once
jet      Taylor series of JAX's own
stacked  Taylor channels stacked by hand, in blocks of points that fit the cache
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import stacked_taylor
from jax.experimental.jet import jet
from pdes import EQUATIONS, Equation, setup

Loss = Callable[[Any, Any], Any]


def network(params: list, x: Any) -> Any:
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def by_grad(equation: Equation) -> Loss:
    def at_point(params: list, coords: tuple) -> dict:
        table = {}
        for output in range(equation.outputs):
            value = lambda *coords, output=output: network(params, jnp.stack(coords))[output]
            table[output, ""] = value(*coords)
            for name in equation.derivatives(output):
                derivative = value
                for c in name:
                    derivative = jax.grad(derivative, equation.coords.index(c))
                table[output, name] = derivative(*coords)
        return table

    def loss(params: list, x: Any) -> Any:
        table = jax.vmap(lambda z: at_point(params, tuple(z)))(x)
        return _mean_square(equation, lambda output, name: table[output, name])

    return loss


def by_jvp(equation: Equation) -> Loss:
    def loss(params: list, x: Any) -> Any:
        f = lambda x: network(params, x)
        table = {"": f(x)}
        for c, order in equation.orders.items():
            g = f
            for k in range(1, order + 1):
                g = _along(equation, g, c)
                table[c * k] = g(x)
        for name in equation.mixed:
            g = f
            for c in name:
                g = _along(equation, g, c)
            table[name] = g(x)
        return _mean_square(equation, lambda output, name: table[name][:, output])

    return loss


def by_jet(equation: Equation) -> Loss:
    def loss(params: list, x: Any) -> Any:
        table = {}
        for name, vector, order in stacked_taylor.directions(equation):
            first = jnp.broadcast_to(jnp.asarray(vector, x.dtype), x.shape)
            series = [first] + [jnp.zeros_like(x)] * (order - 1)
            table[""], rest = jet(lambda x: network(params, x), (x,), (series,))
            table |= {name * k: c for k, c in enumerate(rest, 1)}
        if equation.mixed:
            table["xxyy"] = (table["++++"] + table["----"] - 2 * table["xxxx"] - 2 * table["yyyy"]) / 12
        return _mean_square(equation, lambda output, name: table[name][:, output])

    return loss


def by_stacked(equation: Equation, block: int) -> Loss:
    def of_block(params: list, x: Any) -> Any:
        table = stacked_taylor.derivatives(jnp, params, x, equation)
        return _mean_square(equation, lambda output, name: table[name][:, output])

    def loss(params: list, x: Any) -> Any:
        blocks = x.reshape(-1, min(block, x.shape[0]), x.shape[1])
        return jnp.mean(jax.lax.map(jax.checkpoint(lambda z: of_block(params, z)), blocks))

    return loss


def loss_of(name: str, form: str, block: int = 500) -> Loss:
    equation = EQUATIONS[name]
    if form == "stacked":
        return by_stacked(equation, block)
    return {"grad": by_grad, "jvp": by_jvp, "jet": by_jet}[form](equation)


def arguments(name: str, dtype: str, points: int) -> tuple[list, Any]:
    params, x = setup(name, points, dtype, dtype)
    return [(jnp.asarray(w), jnp.asarray(b)) for w, b in params], jnp.asarray(x)


def step(name: str, form: str, dtype: str, points: int) -> Callable[[], Any]:
    """A call that gives loss and gradients, in the order of the parameters."""
    params, x = arguments(name, dtype, points)
    f = jax.jit(jax.value_and_grad(loss_of(name, form)))
    return lambda: jax.block_until_ready(f(params, x))


def _along(equation: Equation, f: Callable, c: str) -> Callable:
    unit = [float(c == other) for other in equation.coords]
    return lambda x: jax.jvp(f, (x,), (jnp.broadcast_to(jnp.asarray(unit, x.dtype), x.shape),))[1]


def _mean_square(equation: Equation, d: Callable) -> Any:
    return sum(jnp.mean(r * r) for r in equation.residual(d))
