"""A run that goes on for longer than anyone waits: `long.py FOLDER STEPS`; it says when it has begun."""

import sys

import scisim as ss
from scisim import distributed as dist
from scisim import nn, optim, pde, train


def begun(step, loss, model):
    if step == 3:
        dist.root_print("begun")


def run(folder, steps, **options):
    problem = pde.Problem(pde.Domain(t=(0, 1)), lambda u: u.t + u, [pde.Initial(1.0)])
    model = nn.MLP([1, 6, 1], key=ss.random.key(0))
    options = {"points": 21, "progress": False, "checkpoint": folder, "callbacks": [begun], **options}
    return train.fit(problem, model, optim.Adam(1e-2), steps=steps, **options)


if __name__ == "__main__":
    folder = None if sys.argv[1] == "-" else sys.argv[1]
    run(folder, int(sys.argv[2]), resume="auto")
    print("the end")
