"""Elementwise chains, scisim beside NumPy, numexpr, JAX, torch.compile and Numba; and a triad beside the memory's rate.

    python benchmarks/compiler/fused_chains.py --peers PYTHON [--sizes 1000,10000]

Bars: at every size at least as fast as the best of NumPy, numexpr, JAX and torch.compile; at 10 million elements at
least 1.5 times as fast as JAX; y = a x + b z + c in float64 at 85% of the best triad. Numba, whose loop is written by
hand, is shown beside. A triad counts three arrays of bytes, whatever it moves.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from contest import Contestant, Results, Worker, deviation, fastest, finish, prepare, race, ratios, values
from report import Verdicts, note_failures, options, own_worker, parse, shown, table, write

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
from chains import chain, inputs

PEERS = {
    "numpy": "by_numpy",
    "numexpr": "by_numexpr",
    "jax": "by_jax",
    "torch.compile": "by_torch",
    "numba": "by_numba",
}
JUDGED = ("numpy", "numexpr", "jax", "torch.compile")
LARGE, LARGE_BAR, TRIAD_BAR = 10_000_000, 1.5, 0.85
# tanh and exp of 2 to 4 ulp each, whose errors the chain does not magnify, and four more roundings
TOLERANCE = {"float32": 16 * 2.0**-23, "float64": 16 * 2.0**-52}


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    own, machine = own_worker(chosen), own_worker(chosen)
    environment = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
    peers = {p: Worker(chosen.peers, chosen.threads, environment=environment) for p in PEERS} if chosen.peers else {}
    figures, rows = {}, []
    for dtype in chosen.dtype.split(","):
        for size in map(int, chosen.sizes.split(",")):
            results = _chain(chosen, own, peers, size, dtype, verdicts)
            figures[f"chain {size} {dtype}"] = results
            rows.append([dtype, size, *(shown(results, label, 1e6, chosen.clock) for label in ("scisim", *peers))])
    print("us a chain")
    table(["dtype", "size", "scisim", *peers], rows)
    if not chosen.no_triad:
        figures["triad"] = _triad(chosen, own, machine, peers, verdicts)
    write(chosen.json, figures)
    for worker in (own, machine, *peers.values()):
        worker.close()
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--dtype", default="float32,float64")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000,10000000")
    parser.add_argument("--no-triad", action="store_true")
    parser.add_argument("--triad-points", type=int, default=LARGE)
    return parse(parser)


def _chain(
    chosen: argparse.Namespace, own: Worker, peers: dict[str, Worker], size: int, dtype: str, verdicts: Verdicts
) -> Results:
    case = {"points": size, "dtype": dtype}
    contestants = [Contestant("scisim", own, "chains_scisim:compiled", case)]
    contestants += [Contestant(p, worker, f"chains:{PEERS[p]}", case) for p, worker in peers.items()]
    results, what = prepare(contestants), f"chain of {size}, {dtype}"
    _compare(contestants, results, what, dtype, verdicts)
    race(contestants, results, chosen.rounds)
    finish(contestants)
    note_failures(what, results)
    best = fastest(results, JUDGED, chosen.clock)
    if best and not results["scisim"].failed:
        gain = ratios(results[best], results["scisim"], chosen.clock)
        verdicts.at_least(f"{what}: against the best, {best}", gain, 1.0)
        if size == LARGE and not results["jax"].failed:
            verdicts.at_least(
                f"{what}: against jax", ratios(results["jax"], results["scisim"], chosen.clock), LARGE_BAR
            )
    return results


def _compare(contestants: list, results: Results, what: str, dtype: str, verdicts: Verdicts) -> None:
    """Against NumPy in float64, at the same rounded inputs."""
    found = values(contestants, results)
    reference = chain(np, inputs(contestants[0].arguments["points"], dtype).astype(np.float64))
    for label, arrays in found.items():
        far = deviation(arrays, [reference])
        if label == "scisim" or far > TOLERANCE[dtype]:
            bar = TOLERANCE[dtype]
            verdicts.check(f"{what}: {label} against float64", far <= bar, f"{far:.1e}", f"at most {bar:.1e}")


def _triad(
    chosen: argparse.Namespace, own: Worker, machine: Worker, peers: dict[str, Worker], verdicts: Verdicts
) -> Results:
    points = {"points": chosen.triad_points}
    native = points | {"threads": chosen.threads}
    contestants = [
        Contestant("scisim", own, "chains_scisim:triad", points),
        Contestant("native loop", machine, "machine:triad", native | {"streaming": False}),
        Contestant("native loop, streaming stores", machine, "machine:triad", native | {"streaming": True}),
    ]
    for label in ("numpy", "numba"):
        if label in peers:
            contestants.append(Contestant(label, peers[label], f"chains:triad_{label}", points))
    results = prepare(contestants)
    race(contestants, results, chosen.rounds)
    finish(contestants)
    note_failures("triad", results)
    print(f"\ny = a x + b z + c, float64, {chosen.triad_points} points: GB/s for three arrays")
    rows = [
        [label, f"{24e-9 * chosen.triad_points / r.figure(chosen.clock).median:.1f}"]
        for label, r in results.items()
        if not r.failed
    ]
    table(["by", "GB/s"], rows)
    best = fastest(results, [label for label in results if label != "scisim"], chosen.clock)
    if best and not results["scisim"].failed:
        gain = ratios(results[best], results["scisim"], chosen.clock)
        verdicts.at_least(f"triad: of the best, {best}", gain, TRIAD_BAR)
    return results


if __name__ == "__main__":
    sys.exit(main())
