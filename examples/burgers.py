"""Burgers' equation learned by a small network, compared with its exact solution.

    u_t + u u_x = (0.01/pi) u_xx,   x in [-1, 1], t in [0, 1],   u(0, x) = -sin(pi x),   u(t, -1) = u(t, 1) = 0

A steep front forms at x = 0.  Initial and boundary values hold by construction; a network of 921 weights is trained by
Levenberg-Marquardt with geodesic acceleration, on points that move to where the residual is large.

    python examples/burgers.py --out results
    mpirun -n 2 python examples/burgers.py --out results      # the same, points shared between two ranks

The last two lines are the relative L2 error on the reference's grid, and the path of a picture.
"""

import argparse
import importlib.util
import os
import pathlib

import scisim as ss
from scisim import distributed as dist
from scisim import io, nn, optim, pde, plot, train
from scisim.core.errors import FileError, MissingDependencyError

REFERENCE = pathlib.Path(__file__).resolve().parent / "data" / "burgers_colehopf.npz"
NU = 0.01 / ss.pi


def problem():
    """The equation, with its initial and boundary values built into the ansatz."""
    return pde.Problem(
        pde.Domain(t=(0, 1), x=(-1, 1)),
        equation=lambda u: u.t + u * u.x - NU * u.xx,
        ansatz=lambda N, t, x: -ss.sin(ss.pi * x) + t * (1 - x * x) * N,
    )


def arguments():
    parser = argparse.ArgumentParser(description="Solve Burgers' equation with a physics-informed network.")
    parser.add_argument("--seed", type=int, default=0, help="of the initial weights and of the points (default: 0)")
    parser.add_argument("--steps", type=int, default=160, help="Levenberg-Marquardt steps (default: 160)")
    parser.add_argument("--points", type=int, default=2500, help="points at a time (default: 2500)")
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
    """The reference, and a folder that can be written: what is missing is found out before the work, not after it."""
    reference = io.read_npz(REFERENCE)
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingDependencyError('burgers.py: the picture needs matplotlib: pip install "scisim[plot]"')
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"burgers.py: cannot make the folder --out {out} ({error.strerror}); give another one"
        ) from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise FileError(f"burgers.py: cannot write into --out {out}; give a folder that you may write to")
    return reference


def report(solution, reference, out):
    """Compare with the reference, and draw both."""
    x, t, u = reference["x"], reference["t"], reference["u"]
    history = {name: solution.history[name] for name in ("step", "loss")}
    prediction = solution(t[:, None], x[None, :]).numpy()
    path = os.path.join(out, "burgers.png")
    picture = plot.training_report(history, x, t, prediction, u, path, title="Burgers' equation")
    print(f"training: {len(history['step'])} steps in {solution.history['time'][-1]:.1f} s")
    print(f"relative L2 error: {solution.error(reference):.1e}")
    print(f"picture: {picture}", flush=True)


def main():
    args = arguments()
    reference = prepare(args.out) if dist.is_root() else None
    solution = train.fit(
        problem(),
        nn.MLP([2, 20, 20, 20, 1], "tanh", key=ss.random.key(args.seed), first_bias=1.0),
        optim.LevenbergMarquardt(lam=1e-3),
        steps=args.steps,
        points=args.points,
        sampler=pde.ResidualAdaptive(candidates=max(20_000, 4 * args.points), every=10),
        seed=args.seed,
        checkpoint=args.checkpoint,
        resume=args.resume,
    )
    if dist.is_root():
        report(solution, reference, args.out)


if __name__ == "__main__":
    main()
