"""A chain of elementwise operations by NumPy, numexpr, JAX, PyTorch and Numba; and a x + b z + c by NumPy and Numba.

y = tanh(a x + b) exp(-x x) + c x
"""

from collections.abc import Callable
from typing import Any

import numpy as np

A, B, C = 1.3, 0.2, 0.5


def inputs(points: int, dtype: str) -> np.ndarray:
    return np.random.default_rng(0).normal(size=points).astype(dtype)


def chain(xp: Any, x: Any) -> Any:
    return xp.tanh(A * x + B) * xp.exp(-(x * x)) + C * x


def by_numpy(points: int, dtype: str) -> Callable[[], Any]:
    x = inputs(points, dtype)
    return lambda: chain(np, x)


def by_numexpr(points: int, dtype: str) -> Callable[[], Any]:
    import numexpr

    names = {"x": inputs(points, dtype)} | {k: np.asarray(v, dtype) for k, v in (("a", A), ("b", B), ("c", C))}
    return lambda: numexpr.evaluate("tanh(a*x + b)*exp(-(x*x)) + c*x", local_dict=names)


def by_jax(points: int, dtype: str) -> Callable[[], Any]:
    import jax

    f, x = jax.jit(lambda x: chain(jax.numpy, x)), jax.numpy.asarray(inputs(points, dtype))
    return lambda: f(x).block_until_ready()


def by_torch(points: int, dtype: str) -> Callable[[], Any]:
    import torch

    f, x = torch.compile(lambda x: chain(torch, x)), torch.tensor(inputs(points, dtype))

    def call() -> Any:
        with torch.no_grad():
            return f(x)

    return call


def by_numba(points: int, dtype: str) -> Callable[[], Any]:
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def run(x, a, b, c):
        y = np.empty_like(x)
        for i in numba.prange(x.size):
            v = x[i]
            y[i] = np.tanh(a * v + b) * np.exp(-(v * v)) + c * v
        return y

    x, constants = inputs(points, dtype), [np.dtype(dtype).type(v) for v in (A, B, C)]
    return lambda: run(x, *constants)


def triad_numpy(points: int) -> Callable[[], Any]:
    """The best that NumPy can do: in place."""
    x, z, y = np.full(points, 1.0), np.full(points, 2.0), np.empty(points)
    other = np.empty(points)

    def call() -> Any:
        np.multiply(x, 3.0, out=y)
        np.multiply(z, 3.0, out=other)
        np.add(y, other, out=y)
        return np.add(y, 3.0, out=y)

    return call


def triad_numba(points: int) -> Callable[[], Any]:
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def run(x, z, y):
        for i in numba.prange(x.size):
            y[i] = 3.0 * x[i] + 3.0 * z[i] + 3.0

    x, z, y = np.full(points, 1.0), np.full(points, 2.0), np.empty(points)

    def call() -> Any:
        run(x, z, y)
        return y

    return call
