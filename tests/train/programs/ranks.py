"""Training on all ranks of a job, with a count of the points that each rank evaluates."""

import json
import sys

import numpy as np

import scisim as ss
from scisim import distributed as dist
from scisim import nn, optim, pde, train
from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.tensor import unwrap, wrap

OPTIMIZERS = {
    "adam": lambda: optim.Adam(1e-2),
    "lbfgs": lambda: optim.LBFGS(memory=5),
    "ssbfgs": lambda: optim.SSBFGS(),
    "lm": lambda: optim.LevenbergMarquardt(),
}


class Seen:
    """The identity, which notes on how many numbers it works."""

    def __init__(self):
        self.sizes = set()
        self.primitive = Primitive(
            "seen",
            self.note,
            axes=ELEMENTWISE,
            linear=(0,),
            transpose=lambda i, ct, args, params: ct,
            scalar=lambda s, x: x,
            register=False,
        )

    def note(self, x):
        self.sizes.add(np.size(x))
        return np.asarray(x)

    def __call__(self, x):
        return wrap(self.primitive(unwrap(x)))


def problem(seen):
    return pde.Problem(
        pde.Domain(t=(0, 1), x=(-1, 1)),
        lambda u: u.t + u * u.x - 0.05 * u.xx,
        [pde.Dirichlet(0.0, x=-1), pde.Dirichlet(0.0, x=1)],
        ansatz=lambda N, t, x: -ss.sin(ss.pi * x) + t * seen(N),
    )


def spreading(seen):
    """Schroedinger's equation, with complex values on one side."""
    return pde.Problem(
        pde.Domain(t=(0, 1), x=(-1, 1)),
        lambda u: 1j * u.t + 0.5 * u.xx,
        [pde.Dirichlet(lambda t: ss.exp(1j * t), x=-1), pde.Dirichlet(0.0, x=1)],
        ansatz=lambda N, t, x: ss.exp(2j * x) + t * seen(N),
    )


def run(optimizer, steps, points, adaptive=False, dtype=None, **options):
    """The losses of a run, the numbers of points this rank evaluated at once, and its parameters."""
    seen = Seen()
    sampler = pde.ResidualAdaptive(candidates=200, every=5) if adaptive else pde.Uniform()
    model = nn.MLP([2, 8, 8, 1], "tanh" if dtype is None else nn.split("tanh"), key=ss.random.key(0), dtype=dtype)
    task = problem(seen) if dtype is None else spreading(seen)
    counts = {"equation": points, "dirichlet x=-1": 7, "dirichlet x=1": 1}
    optimizer = OPTIMIZERS[optimizer]()
    solution = train.fit(task, model, optimizer, steps=steps, points=counts, sampler=sampler, progress=False, **options)
    weights = optim.ravel(solution.params)[0]
    return solution.history["loss"].tolist(), sorted(seen.sizes), weights.tolist()


if __name__ == "__main__":
    result = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), dtype=sys.argv[4] if len(sys.argv) > 4 else None)
    everyone = dist.world().gather_objects(result)
    dist.root_print(json.dumps(everyone))
