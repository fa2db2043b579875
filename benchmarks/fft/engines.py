"""Fourier transforms of scisim beside the libraries that it chooses from, and beside NumPy, JAX and PyTorch.

    python benchmarks/fft/engines.py --peers PYTHON [--more]

Each library runs in a process of its own with as many threads, returns a new array and keeps its operand.  Bars: at
most 1.1 times the best engine plus 3 us; ahead of NumPy, JAX and PyTorch.  ``--more`` shows other sizes, not judged.
"""

import argparse
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "compiler")]
from contest import Contestant, Results, Worker, deviation, fastest, finish, prepare, race, ratios, summarize, values
from report import Verdicts, note_failures, options, own_worker, parse, shown, table, write

HERE = str(Path(__file__).resolve().parent)
ENGINES, PEERS = ("scipy", "mkl_fft", "ducc0", "pyfftw"), ("numpy", "jax", "torch")
JUDGED = [("pair", [512, 512]), ("c2c", [1024, 1024]), ("c2c", [256, 256, 256])]
MORE = [
    *(("c2c", [n]) for n in (64, 1000, 1009, 4096, 65536, 1 << 20)),
    *(("pair", [n]) for n in (64, 1000, 1009, 65536)),
    *(("pair", s) for s in ([64, 64], [256, 256], [127, 128], [128, 128, 128], [1000, 256])),
]
FACTOR, MICROSECONDS = 1.1, 3.0


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    workers = {"scisim": own_worker(chosen, paths=[HERE])}
    workers |= {name: own_worker(chosen, paths=[HERE]) for name in (*ENGINES, "numpy")}
    environment = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
    if chosen.peers:
        workers |= {p: Worker(chosen.peers, chosen.threads, paths=[HERE], environment=environment) for p in PEERS[1:]}
    figures, rows = {}, []
    for kind, shape in JUDGED + (MORE if chosen.more else []):
        what = f"{kind} {'x'.join(map(str, shape))}"
        figures[what] = results = _race(chosen, workers, kind, shape, what, verdicts)
        rows.append([what, *(shown(results, label, 1e6, chosen.clock) for label in workers)])
        if (kind, shape) in JUDGED:
            _judge(chosen, what, results, verdicts)
    print(f"us a call, {chosen.threads} threads")
    table(["transform", *workers], rows)
    write(chosen.json, figures)
    for worker in workers.values():
        worker.close()
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--more", action="store_true", help="other sizes too")
    return parse(parser)


def _race(
    chosen: argparse.Namespace, workers: dict[str, Worker], kind: str, shape: list, what: str, verdicts: Verdicts
) -> Results:
    case = {"kind": kind, "shape": shape}
    contestants = [Contestant(name, worker, f"engine_cases:by_{name}", case) for name, worker in workers.items()]
    results = prepare(contestants)
    found = values(contestants, results)
    for label, arrays in found.items():
        far = deviation(arrays, found["numpy"])
        if label == "scisim" or far > 1e-13:
            verdicts.check(f"{what}: {label} against numpy", far <= 1e-13, f"{far:.1e}", "at most 1e-13")
    race(contestants, results, chosen.rounds)
    finish(contestants)
    note_failures(what, results)
    return results


def _judge(chosen: argparse.Namespace, what: str, results: Results, verdicts: Verdicts) -> None:
    own, best = results["scisim"], fastest(results, ENGINES, chosen.clock)
    if best:
        pairs = zip(own.times(chosen.clock), results[best].times(chosen.clock), strict=False)
        excess = summarize([(a - 1e-6 * MICROSECONDS) / b for a, b in pairs])
        verdicts.at_most(f"{what}: less 3 us, of the best engine, {best}", excess, FACTOR, "x")
    for peer in PEERS:
        if peer in results and not results[peer].failed:
            verdicts.at_least(f"{what}: against {peer}", ratios(results[peer], own, chosen.clock), 1.0)


if __name__ == "__main__":
    sys.exit(main())
