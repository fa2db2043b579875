"""Explicit stencils in three spellings, scisim beside loops by hand in Numba, Devito and JAX.

    python benchmarks/compiler/stencils.py --peers PYTHON [--only wave]

Heat in two dimensions with 5 points on 4096 x 4096, and the wave equation in three with order 8 on 256^3. scisim and
JAX write slices, rolls, or pads and slices, several steps in a compiled loop; scisim one step, too. Every way counts
the points of the interior alike, whatever it does at the edges, and interiors are compared. Bars: each spelling at
least equal to Numba and to Devito, and within 10% of the fastest spelling.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from contest import Contestant, Results, Worker, deviation, fastest, finish, prepare, race, ratios, values
from report import Verdicts, note_failures, options, own_worker, parse, table, write

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
from stencil_forms import STENCILS, inputs, interior, interior_points

CASES = [("heat", "float32", 5, 20), ("heat", "float64", 5, 20), ("wave", "float32", 2, 6)]  # steps in a loop, Devito's
SPELLINGS = ("slices", "roll", "pad")
LOOPS = [f"scisim {s}" for s in SPELLINGS]
SPREAD_BAR = 1.1
# A point is the sum of 30 terms of size up to 20, of which each rounds once
TOLERANCE = {"float32": 64 * 2.0**-23, "float64": 64 * 2.0**-52}


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    own = own_worker(chosen)
    environment = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
    libraries = ("jax", "numba", "devito") if chosen.peers else ()
    peers = {library: Worker(chosen.peers, chosen.threads, environment=environment) for library in libraries}
    figures: dict[str, Results] = {}
    for kind, dtype, steps, many in CASES:
        if kind in chosen.only.split(","):
            size = chosen.n2 if kind == "heat" else chosen.n3
            contestants = _contestants(own, peers, {"kind": kind, "size": size, "dtype": dtype}, steps, many)
            figures[f"{kind} {size} {dtype}"] = _contest(chosen, contestants, f"{kind} {size} {dtype}", verdicts)
    for worker in (own, *peers.values()):
        worker.close()
    _tables(chosen, figures)
    write(chosen.json, figures)
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--only", default="heat,wave")
    parser.add_argument("--n2", type=int, default=4096, help="points along an axis in two dimensions")
    parser.add_argument("--n3", type=int, default=256, help="and in three")
    return parse(parser)


def _contestants(own: Worker, peers: dict[str, Worker], case: dict, steps: int, many: int) -> list[Contestant]:
    found = []
    for s in SPELLINGS:
        spelled = case | {"spelling": s}
        found.append(Contestant(f"scisim {s}", own, "stencil_scisim:run", spelled | {"steps": steps}, steps))
        found.append(Contestant(f"scisim {s}, one step", own, "stencil_scisim:run", spelled | {"steps": 1}))
        if "jax" in peers:
            found.append(Contestant(f"jax {s}", peers["jax"], "stencil_jax:run", spelled | {"steps": steps}, steps))
    if "numba" in peers:
        found.append(Contestant("numba", peers["numba"], "stencil_numba:run", case))
    for label, collapsed in (("devito", False), ("devito, outer loops collapsed", True)):
        if "devito" in peers and (case["kind"] == "wave" or not collapsed):
            asked = case | {"steps": many, "collapsed": collapsed}
            found.append(Contestant(label, peers["devito"], "stencil_devito:run", asked, many))
    return found


def _contest(chosen: argparse.Namespace, contestants: list[Contestant], what: str, verdicts: Verdicts) -> Results:
    results = prepare(contestants)
    _compare(contestants, results, what, verdicts)
    others = race(contestants, results, chosen.rounds)
    finish(contestants)
    note_failures(what, results)
    print(f"{what}: others used {others:.0%} of the cores", flush=True)
    _judge(chosen, results, what, verdicts)
    return results


def _compare(contestants: list[Contestant], results: Results, what: str, verdicts: Verdicts) -> None:
    """One step of every way against the slices' in float64."""
    case = contestants[0].arguments
    fields = [a.astype(np.float64) for a in inputs(case["kind"], case["size"], case["dtype"])]
    step = STENCILS[case["kind"]](np, "roll", None)
    reference = np.asarray(interior(case["kind"], step(*fields)[0]))
    bar = TOLERANCE[case["dtype"]]
    for label, arrays in values(contestants, results).items():
        far = deviation(arrays, [reference])
        if "scisim" in label or far > bar:
            verdicts.check(f"{what}: {label} against float64", far <= bar, f"{far:.1e}", f"at most {bar:.1e}")


def _judge(chosen: argparse.Namespace, results: Results, what: str, verdicts: Verdicts) -> None:
    best = fastest(results, LOOPS, chosen.clock)
    for label in LOOPS:
        if results[label].failed:
            verdicts.check(f"{what}: {label}", False, results[label].failed, "a step")
            continue
        for peer in ("numba", fastest(results, [k for k in results if k.startswith("devito")], chosen.clock)):
            if peer in results and not results[peer].failed:
                gain = ratios(results[peer], results[label], chosen.clock)
                verdicts.at_least(f"{what}: {label} against {peer}", gain, 1.0)
        slower = ratios(results[label], results[best], chosen.clock)
        verdicts.at_most(f"{what}: {label} against {best}", slower, SPREAD_BAR, "x")


def _tables(chosen: argparse.Namespace, figures: dict[str, Results]) -> None:
    labels = list(dict.fromkeys(label for results in figures.values() for label in results))
    rows = []
    for what, results in figures.items():
        kind, size, _ = what.split()
        points = interior_points(kind, int(size))
        rates = []
        for label in labels:
            if label not in results or results[label].failed:
                rates.append("-" if label not in results else "failed")
                continue
            figure = results[label].figure(chosen.clock)
            rates.append(f"{1e-9 * points / figure.median:.3g}")
        rows.append([what, *rates])
    print("\nbillions of interior points a second")
    table(["stencil", *labels], rows)


if __name__ == "__main__":
    sys.exit(main())
