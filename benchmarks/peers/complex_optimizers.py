"""What first-order optimisers of PyTorch and optax make of complex parameters.

    python complex_optimizers.py

Prints the parameters after three steps with given gradients, dL/dx + i dL/dy; they are the constants of
tests/optim/test_complex.py.  optax is left out where it is not installed.
"""

import importlib.util
import os

import numpy as np

os.environ["JAX_ENABLE_X64"] = "1"
START = [0.5 - 0.5j, 1 + 2j]
GRADS = ([1 + 2j, 0.1j], [-1j, 3.0 - 1j], [0.5 + 0j, -2 + 0.25j])


def by_torch(name, **options):
    import torch

    p = torch.nn.Parameter(torch.tensor(START, dtype=torch.complex128))
    optimizer = getattr(torch.optim, name)([p], **options)
    for g in GRADS:
        p.grad = torch.tensor(g, dtype=torch.complex128)
        optimizer.step()
    return p.detach().numpy()


def by_optax(make):
    import jax.numpy as jnp
    import optax

    optimizer = make(optax)
    p = jnp.array(START)
    state = optimizer.init(p)
    for g in GRADS:
        updates, state = optimizer.update(jnp.array(g), state, p)
        p = optax.apply_updates(p, updates)
    return np.asarray(p)


def main():
    show("torch SGD, momentum 0.9", by_torch("SGD", lr=0.1, momentum=0.9))
    show("torch SGD, Nesterov 0.9", by_torch("SGD", lr=0.1, momentum=0.9, nesterov=True))
    show("torch Adam (by parts)", by_torch("Adam", lr=0.1))
    show("torch AdamW (by parts)", by_torch("AdamW", lr=0.1, weight_decay=0.3))
    if importlib.util.find_spec("optax") is None:
        print("optax is not installed")
        return
    show("optax sgd, momentum 0.9", by_optax(lambda o: o.sgd(0.1, 0.9)))
    show("optax sgd, Nesterov 0.9", by_optax(lambda o: o.sgd(0.1, 0.9, True)))
    show("optax adam", by_optax(lambda o: o.adam(0.1)))
    show("optax adamw", by_optax(lambda o: o.adamw(0.1, weight_decay=0.3)))
    show("optax sgd, global norm 1", by_optax(lambda o: o.chain(o.clip_by_global_norm(1.0), o.sgd(0.1))))


def show(name, values):
    print(f"{name:28s}", [complex(v) for v in values], flush=True)


if __name__ == "__main__":
    main()
