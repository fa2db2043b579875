"""One Levenberg-Marquardt step on one core, scisim beside JAX with OpenBLAS, and where the time goes.

    python benchmarks/compiler/lm_step.py --peers PYTHON

Burgers, 3 x 20, 2,000 points, float64, with geodesic acceleration: Jacobian, Gram matrix, factor and solves, second
derivative along the step, loss. Bars: the step within 55 ms; the Jacobian within 3 of its arithmetic bound, its
multiply-adds at the peak rate of the run and one write of it to memory; the same step as the peer's.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from contest import Contestant, Results, Worker, deviation, finish, prepare, race, summarize, values
from report import Verdicts, note_failures, options, own_worker, parse, shown, table, write

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
from lm_problem import initial, jacobian_gflop, parameters

OWN = ("step", "jacobian", "normal", "second", "loss")
PEER = ("step", "jacobian", "gram", "try", "loss")
STEP_BAR, JACOBIAN_BAR = 55.0, 3.0
TOLERANCE = 1e-8  # rounding, times the condition number of the damped Gram matrix, about 1e5


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    own, machine = own_worker(chosen), own_worker(chosen)
    peer = (
        Worker(chosen.peers, 1, environment={"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}) if chosen.peers else None
    )
    contestants = _contestants(chosen, own, machine, peer)
    results = prepare(contestants)
    _compare(chosen, contestants, results, verdicts)
    others = race(contestants, results, chosen.rounds)
    finish(contestants)
    for worker in (own, machine, peer):
        if worker is not None:
            worker.close()
    note_failures("step", results)
    print(f"ms, one core, {chosen.clock} time; others used {others:.0%} of the cores")
    rows = [["scisim", *(shown(results, f"scisim {s}", clock=chosen.clock) for s in OWN)]]
    table(["", "step", "Jacobian", "Jacobian and Gram", "second derivative", "loss"], rows)
    if chosen.peers:
        rows = [["jax and OpenBLAS", *(shown(results, f"jax {s}", clock=chosen.clock) for s in PEER)]]
        table(["", "step", "Jacobian", "Gram", "factor, solves, second derivative, loss", "loss"], rows)
    _judge(chosen, results, verdicts)
    write(chosen.json, results)
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--width", type=int, default=20)
    parser.add_argument("--layers", type=int, default=3)
    chosen = parse(parser)
    chosen.threads = 1
    return chosen


def _contestants(chosen: argparse.Namespace, own: Worker, machine: Worker, peer: Worker | None) -> list[Contestant]:
    size = {"count": chosen.points, "width": chosen.width, "layers": chosen.layers}
    found = [Contestant(f"scisim {s}", own, "lm_scisim:stage", size | {"name": s}) for s in OWN]
    if peer is not None:
        found += [Contestant(f"jax {s}", peer, "lm_jax:stage", size | {"name": s}) for s in PEER]
    found.append(Contestant("peak", machine, "machine:fma", {"dtype": "float64", "threads": 1}))
    written = 8e-6 * chosen.points * parameters(chosen.width, chosen.layers)
    found.append(Contestant("write", machine, "machine:fill", {"megabytes": written}))
    return found


def _compare(chosen: argparse.Namespace, contestants: list[Contestant], results: Results, verdicts: Verdicts) -> None:
    """The change of the parameters and the new loss, of both libraries."""
    steps = values([c for c in contestants if c.label in ("scisim step", "jax step")], results)
    if len(steps) == 2:
        start = np.concatenate([a.ravel() for a in initial(chosen.width, chosen.layers)])
        own, peer = ([np.concatenate(step[:-1], axis=None) - start, step[-1]] for step in steps.values())
        far = deviation(own, peer)
        verdicts.check("the step of both", far <= TOLERANCE, f"{far:.1e}", f"at most {TOLERANCE:.0e}")


def _judge(chosen: argparse.Namespace, results: Results, verdicts: Verdicts) -> None:
    for label in ("scisim step", "scisim jacobian"):
        if results[label].failed:
            verdicts.check(label, False, results[label].failed, "a figure")
            return
    milliseconds = summarize([1e3 * s for s in results["scisim step"].times(chosen.clock)])
    verdicts.at_most("step", milliseconds, STEP_BAR, " ms")
    bound = _bound(chosen, results)
    slower = summarize([s / bound for s in results["scisim jacobian"].times(chosen.clock)])
    verdicts.at_most(f"Jacobian against its bound of {1e3 * bound:.2f} ms", slower, JACOBIAN_BAR, "x")


def _bound(chosen: argparse.Namespace, results: Results) -> float:
    """Seconds: arithmetic at the peak, and the write."""
    import machine

    rate = machine.fma_gflop("float64", 1) / results["peak"].figure(chosen.clock).median
    arithmetic = jacobian_gflop(chosen.points, chosen.width, chosen.layers) / rate
    return arithmetic + results["write"].figure(chosen.clock).median


if __name__ == "__main__":
    sys.exit(main())
