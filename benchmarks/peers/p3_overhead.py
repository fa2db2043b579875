"""Eager overhead of one operation on 8 x 8 float64 arrays, peer by peer.

    python p3_overhead.py

"no gradient" is the bare operation, "record" the operation with a graph kept for the gradient (PyTorch), and
"gradient" operation, sum and gradient together. `../overhead.py` compares some of them with scisim.
"""

import os

os.environ["JAX_ENABLE_X64"] = "1"

import numpy as np
from common import report

A, B = np.random.default_rng(0).random((2, 8, 8))


def bench(peer: str, mode: str, operations: dict) -> None:
    for name, call in operations.items():
        report(f"eager {name} 8x8, {mode}", peer, call, "us", budget=0.3)


def operations(a, b, tanh) -> dict:
    return {
        "add": lambda: a + b,
        "mul": lambda: a * b,
        "matmul": lambda: a @ b,
        "sum": lambda: a.sum(),
        "tanh": lambda: tanh(a),
    }


def of_one_argument(b, tanh) -> dict:
    return {"add": lambda x: x + b, "mul": lambda x: x * b, "matmul": lambda x: x @ b, "tanh": tanh}


def torch_peer() -> None:
    import torch

    x, y = torch.tensor(A, requires_grad=True), torch.tensor(B)
    bench("torch", "no gradient", operations(torch.tensor(A), y, torch.tanh))
    bench("torch", "record", operations(x, y, torch.tanh))
    gradient = lambda f: lambda: torch.autograd.grad(f(x).sum(), x)
    bench("torch", "gradient", {name: gradient(f) for name, f in of_one_argument(y, torch.tanh).items()})


def jax_peer() -> None:
    import jax
    import jax.numpy as jnp

    x, y = jnp.asarray(A), jnp.asarray(B)
    wait = lambda call: lambda: call().block_until_ready()
    bench("jax", "no gradient", {name: wait(call) for name, call in operations(x, y, jnp.tanh).items()})
    gradient = lambda f: wait(lambda: jax.grad(lambda x: f(x).sum())(x))
    bench("jax", "gradient", {name: gradient(f) for name, f in of_one_argument(y, jnp.tanh).items()})


def autograd_peer() -> None:
    import autograd
    import autograd.numpy as anp

    plain = {
        "add": lambda: anp.add(A, B),
        "mul": lambda: anp.multiply(A, B),
        "matmul": lambda: anp.matmul(A, B),
        "sum": lambda: anp.sum(A),
        "tanh": lambda: anp.tanh(A),
    }
    bench("autograd", "no gradient", plain)
    gradient = lambda f: lambda: autograd.grad(lambda x: anp.sum(f(x)))(A)
    bench("autograd", "gradient", {name: gradient(f) for name, f in of_one_argument(B, anp.tanh).items()})


if __name__ == "__main__":
    bench("numpy", "no gradient", operations(A, B, np.tanh))
    torch_peer()
    jax_peer()
    autograd_peer()
