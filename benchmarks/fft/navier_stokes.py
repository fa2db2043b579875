"""Navier-Stokes in 2-d by a spectral method, compiled: scisim beside JAX.

    PYTHONPATH=. python benchmarks/fft/navier_stokes.py --peers PYTHON

A step of RK4 on 512 x 512 points in float64 (20 transforms), a rollout of 50 steps, and its gradient with checkpointed
steps.  Bars: the step 1.5 times as fast as the step of JAX; the gradient in half the time, the same to rounding, and
with no more extra memory.
"""

import argparse
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "compiler"), str(FOLDER.parent / "peers")]
from contest import Contestant, Results, Worker, deviation, finish, prepare, race, ratios, values
from report import Verdicts, note_failures, options, own_worker, parse, shown, table, write

STAGES = ("step", "rollout", "gradient")
STEP_BAR, GRADIENT_BAR = 1.5, 2.0
TOLERANCE = 1e-12  # roundings of 3000 transforms


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    own, peer = own_worker(chosen, paths=[str(FOLDER)]), _peer(chosen)
    contestants = _contestants(chosen, own, peer)
    results = prepare(contestants)
    _compare(contestants, results, verdicts)
    others = 0.0
    for name in STAGES:
        others = max(others, race([c for c in contestants if c.label.endswith(name)], results, chosen.rounds))
    print(f"transforms by {own.call('navier_scisim:engine')}; others used up to {others:.0%} of the cores")
    finish(contestants)
    note_failures("Navier-Stokes", results)
    print(f"ms, {chosen.threads} threads, {chosen.clock} time")
    libraries = ["scisim", *(["jax"] if peer else [])]
    table(["", *STAGES], [[a, *(shown(results, f"{a} {s}", clock=chosen.clock) for s in STAGES)] for a in libraries])
    own.close()
    if peer is not None:
        peer.close()
        _judge(chosen, results, verdicts)
        _memory(chosen, verdicts)
    write(chosen.json, results)
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--points", type=int, default=512)
    parser.add_argument("--steps", type=int, default=50)
    return parse(parser)


def _peer(chosen: argparse.Namespace) -> Worker | None:
    more = {"environment": {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}}
    return Worker(chosen.peers, chosen.threads, **more) if chosen.peers else None


def _contestants(chosen: argparse.Namespace, own: Worker, peer: Worker | None) -> list[Contestant]:
    size = {"n": chosen.points, "steps": chosen.steps}
    found = [Contestant(f"scisim {s}", own, "navier_scisim:stage", size | {"name": s}) for s in STAGES]
    if peer is not None:
        found += [Contestant(f"jax {s}", peer, "navier_jax:stage", size | {"name": s}) for s in STAGES]
    return found


def _compare(contestants: list[Contestant], results: Results, verdicts: Verdicts) -> None:
    """What all stages give, in both libraries."""
    found = values(contestants, results)
    for s in STAGES:
        if f"scisim {s}" in found and f"jax {s}" in found:
            far = deviation(found[f"scisim {s}"], found[f"jax {s}"])
            verdicts.check(f"the {s} of both", far <= TOLERANCE, f"{far:.1e}", f"at most {TOLERANCE:.0e}")


def _judge(chosen: argparse.Namespace, results: Results, verdicts: Verdicts) -> None:
    for s, bar in (("step", STEP_BAR), ("rollout", STEP_BAR), ("gradient", GRADIENT_BAR)):
        own, peer = results[f"scisim {s}"], results[f"jax {s}"]
        if own.failed or peer.failed:
            verdicts.check(s, False, own.failed or peer.failed, "a figure")
        else:
            verdicts.at_least(f"{s}, times as fast as JAX", ratios(peer, own, chosen.clock), bar)


def _memory(chosen: argparse.Namespace, verdicts: Verdicts) -> None:
    """Extra peak memory of the gradient, in new processes."""
    size, peer = {"n": chosen.points, "steps": chosen.steps}, _peer(chosen)
    assert peer is not None
    with own_worker(chosen, paths=[str(FOLDER)]) as fresh, peer:
        own, other = fresh.call("navier_scisim:memory", **size), peer.call("navier_jax:memory", **size)
    verdicts.check("extra memory of the gradient", own <= other, f"{own:.0f} MB", f"at most JAX's {other:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
