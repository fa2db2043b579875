"""The n-th derivative at 1,000 points, float64.

    python p1_high_order.py peer=scisim|jaxgrad|jaxjvp|jaxjet|torch [nmax=10] [limit=20] [points=1000]

`limit` is the longest compilation or single run, in seconds, after which a function goes to no higher order.
"""

import os
from collections.abc import Callable
from itertools import pairwise

os.environ["JAX_ENABLE_X64"] = "1"

import numpy as np
from common import arguments, emit, measure, seconds

WIDTHS = [1, 64, 64, 64, 64, 1]
OPTIONS = arguments(peer="jaxjet", nmax=10, limit=20.0, points=1000)
FAILURES = (RuntimeError, NotImplementedError, TypeError, ValueError, MemoryError)

_rng = np.random.default_rng(0)
WEIGHTS = [(_rng.normal(size=(a, b)) / np.sqrt(a), 0.1 * _rng.normal(size=b)) for a, b in pairwise(WIDTHS)]
POINTS = _rng.uniform(-1, 1, OPTIONS["points"])

Function = Callable[[object], object]


def functions(xp: object, weights: list) -> dict[str, Function]:
    """The functions that are differentiated, of an array of points to an array of values."""

    def network(x):
        h = x[:, None] if x.ndim else x[None, None]  # a nested gradient is mapped over single points
        for w, b in weights[:-1]:
            h = xp.tanh(h @ w + b)
        w, b = weights[-1]
        y = (h @ w + b)[:, 0]
        return y if x.ndim else y[0]

    return {"tanh": xp.tanh, "sin": xp.sin, "exp(sin)": lambda x: xp.exp(xp.sin(x)), "mlp": network}


def measure_orders(derivative: Callable[[Function, int], Callable[[], np.ndarray]], fs: dict[str, Function]) -> None:
    """Time every order of every function, up to the first failure or the limit."""
    for name, f in fs.items():
        for order in range(1, OPTIONS["nmax"] + 1):
            if not measure_order(name, order, derivative(f, order)):
                break


def measure_order(name: str, order: int, call: Callable[[], np.ndarray]) -> bool:
    """Whether to go on to the next order."""
    workload = f"d^{order} {name}, {OPTIONS['points']} points, float64"
    try:
        compiling = seconds(call)
        if compiling > OPTIONS["limit"]:
            emit(workload, OPTIONS["peer"], compiling * 1e3, "ms", note="one run, with compilation")
            return False
        figures = measure(call, 0.3, least=3)
        checksum = float(np.abs(call()).sum())
    except FAILURES as error:
        emit(workload, OPTIONS["peer"], "failed", type(error).__name__, message=str(error)[:150])
        return False
    emit(workload, OPTIONS["peer"], figures["median"] * 1e3, "ms", min=figures["min"] * 1e3,
         other=figures["other"], compile_s=compiling, checksum=checksum)  # fmt: skip
    return True


def jax_peer(kind: str) -> None:
    import jax
    import jax.numpy as jnp
    from jax.experimental.jet import jet

    x = jnp.asarray(POINTS)

    def by_grad(f: Function, order: int) -> Function:
        for _ in range(order):
            f = jax.grad(f)
        return jax.vmap(f)

    def by_jvp(f: Function, order: int) -> Function:
        for _ in range(order):
            f = lambda x, f=f: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]
        return f

    def by_jet(f: Function, order: int) -> Function:
        def g(x):
            series = [jnp.ones_like(x)] + [jnp.zeros_like(x)] * (order - 1)
            return jet(f, (x,), (series,))[1][order - 1]

        return g

    build = {"jaxgrad": by_grad, "jaxjvp": by_jvp, "jaxjet": by_jet}[kind]

    def derivative(f: Function, order: int) -> Callable[[], np.ndarray]:
        g = jax.jit(build(f, order))
        return lambda: np.asarray(g(x).block_until_ready())

    measure_orders(derivative, functions(jnp, [(jnp.asarray(w), jnp.asarray(b)) for w, b in WEIGHTS]))


def torch_peer() -> None:
    import torch

    x = torch.tensor(POINTS, requires_grad=True)
    weights = [(torch.tensor(w, requires_grad=True), torch.tensor(b, requires_grad=True)) for w, b in WEIGHTS]

    def derivative(f: Function, order: int) -> Callable[[], np.ndarray]:
        def run():
            y = f(x)
            for k in range(order):
                (y,) = torch.autograd.grad(y.sum(), x, create_graph=k < order - 1)
            return y.detach().numpy()

        return run

    measure_orders(derivative, functions(torch, weights))


def scisim_peer() -> None:
    import scisim as ss
    from scisim import autodiff as ad

    x = ss.asarray(POINTS)

    def derivative(f: Function, order: int) -> Callable[[], np.ndarray]:
        g = ss.jit(ad.derivative(f, order))
        return lambda: np.asarray(g(x))

    measure_orders(derivative, functions(ss, [(ss.asarray(w), ss.asarray(b)) for w, b in WEIGHTS]))


if __name__ == "__main__":
    if OPTIONS["peer"].startswith("jax"):
        jax_peer(OPTIONS["peer"])
    else:
        {"torch": torch_peer, "scisim": scisim_peer}[OPTIONS["peer"]]()
