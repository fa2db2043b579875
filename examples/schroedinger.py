"""A Gaussian wave packet that moves and spreads, learned by a small complex network and compared with its closed form.

    i u_t = -u_xx / 2,   x in [-4, 4], t in [0, 1],   u(0, x) a Gaussian of width 0.7 around -1 with wave number 2

The network's weights and values are complex numbers.  The packet at t = 0 holds by construction; on the sides its
values are conditions.  Trained by Levenberg-Marquardt, whose unknowns are real and imaginary parts.

    python examples/schroedinger.py --out results
    mpirun -n 2 python examples/schroedinger.py --out results      # the same, points shared between two ranks

The last two lines are the relative L2 error on a grid, and the path of a picture of the real parts.
"""

import argparse
import importlib.util
import os

import numpy as np

import scisim as ss
from scisim import distributed as dist
from scisim import nn, optim, pde, plot, train
from scisim.core.errors import FileError, MissingDependencyError

WIDTH, WAVE_NUMBER, START = 0.7, 2.0, -1.0


def packet(t, x):
    """The solution: width^2 becomes width^2 + i t (L. Schiff, Quantum Mechanics, 3rd ed., section 12)."""
    square, k = WIDTH**2, WAVE_NUMBER
    spread = square + 1j * t
    return WIDTH / ss.sqrt(spread) * ss.exp(-((x - START - 1j * k * square) ** 2) / (2 * spread) - k * k * square / 2)


def problem():
    """The equation, with the packet on both sides, and at the start built into the ansatz."""
    sides = [pde.Dirichlet(lambda t, x=x: packet(t, x), x=x) for x in (-4.0, 4.0)]
    return pde.Problem(
        pde.Domain(t=(0, 1), x=(-4, 4)),
        equation=lambda u: 1j * u.t + 0.5 * u.xx,
        conditions=sides,
        ansatz=lambda N, t, x: packet(0.0, x) + t * N,
    )


def solve(seed, steps, points, **options):
    """Train the network."""
    tanh = nn.split("tanh")  # of real and imaginary parts: bounded, where the complex tanh has poles
    model = nn.MLP([2, 16, 16, 1], tanh, key=ss.random.key(seed), dtype=ss.complex128, first_bias=1.0)
    lm = optim.LevenbergMarquardt(lam=1e-3)
    return train.fit(problem(), model, lm, steps=steps, points=points, seed=seed, **options)


def reference():
    """The closed form on a grid."""
    t, x = np.linspace(0, 1, 51), np.linspace(-4, 4, 161)
    return {"t": t, "x": x, "u": packet(t[:, None], x[None, :]).numpy()}


def arguments():
    parser = argparse.ArgumentParser(description="Solve Schroedinger's equation with a complex network.")
    parser.add_argument("--seed", type=int, default=0, help="of the initial weights and of the points (default: 0)")
    parser.add_argument("--steps", type=int, default=120, help="Levenberg-Marquardt steps (default: 120)")
    parser.add_argument("--points", type=int, default=800, help="points of the equation (default: 800)")
    parser.add_argument("--out", default="results", metavar="DIR", help="where the picture goes (default: results)")
    parser.add_argument("--checkpoint", metavar="DIR", help="keep checkpoints of the run in this folder")
    parser.add_argument("--resume", action="store_true", help="go on from the newest checkpoint there")
    args = parser.parse_args()
    if min(args.steps, args.points) < 1 or args.seed < 0:
        parser.error("steps and points must be at least 1, the seed at least 0")
    if args.resume and not args.checkpoint:
        parser.error("--resume needs --checkpoint DIR, the folder of the run to go on with")
    return args


def prepare(out):
    """A folder that can be written: what is missing is found out before the work, not after it."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingDependencyError('schroedinger.py: the picture needs matplotlib: pip install "scisim[plot]"')
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"schroedinger.py: cannot make the folder --out {out} ({error.strerror}); give another one"
        ) from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise FileError(f"schroedinger.py: cannot write into --out {out}; give a folder that you may write to")


def report(solution, out):
    """Compare with the closed form, and draw both."""
    known = reference()
    t, x, u = known["t"], known["x"], known["u"]
    history = {name: solution.history[name] for name in ("step", "loss")}
    prediction = solution(t[:, None], x[None, :]).numpy()
    path = os.path.join(out, "schroedinger.png")
    picture = plot.training_report(history, x, t, prediction.real, u.real, path, title="Schroedinger's equation, Re u")
    print(f"training: {len(history['step'])} steps in {solution.history['time'][-1]:.1f} s")
    print(f"relative L2 error: {solution.error(known):.1e}")
    print(f"picture: {picture}", flush=True)


def main():
    args = arguments()
    if dist.is_root():
        prepare(args.out)
    solution = solve(args.seed, args.steps, args.points, checkpoint=args.checkpoint, resume=args.resume)
    if dist.is_root():
        report(solution, args.out)


if __name__ == "__main__":
    main()
