"""A training step of physics-informed networks: loss and gradient of nine equations, scisim beside its peers.

    python benchmarks/compiler/pinn_steps.py --peers PYTHON [--prototype FOLDER] [--only burgers1d,heat2d]

A network of 4 x 64 with tanh, 10,000 points, float32 and float64. "Stock" forms are what users of JAX and PyTorch
write, "stacked" what an expert does who puts all Taylor channels of a layer into one product by hand. Bars: ahead of
every stock form on each equation, by a geometric mean of 5; ahead of the faster stacked form on each, by a geometric
mean of 2.5; Burgers within 1.15 of the prototype; all results alike.

Compiling the peers' forms takes up to a minute each. `--save FILE` keeps their figures, and `--peers-from FILE` judges
against kept ones; then only ratios on a machine at the same speed mean something: its peak is printed beside.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contest import (
    Contestant,
    Failed,
    Result,
    Results,
    Worker,
    deviation,
    fastest,
    finish,
    prepare,
    race,
    ratios,
    values,
)
from report import Verdicts, available_memory, geometric_mean, note_failures, options, own_worker, parse, shown, table
from report import write as write_json

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
from pdes import EQUATIONS, gflop

STOCK = {
    "jax nested grad": ("jax", "pinn_jax:step", {"form": "grad"}),
    "jax nested jvp": ("jax", "pinn_jax:step", {"form": "jvp"}),
    "jax jet": ("jax", "pinn_jax:step", {"form": "jet"}),
    "torch nested grad": ("torch", "pinn_torch:step", {"form": "grad"}),
    "torch func.jvp": ("torch", "pinn_torch:step", {"form": "jvp"}),
    "torch.compile nested grad": ("torch", "pinn_torch:step", {"form": "grad", "compiled": True}),
    "torch.compile func.jvp": ("torch", "pinn_torch:step", {"form": "jvp", "compiled": True}),
}
STACKED = {
    "jax stacked in blocks": ("jax", "pinn_jax:step", {"form": "stacked"}),
    "torch.compile stacked": ("torch", "pinn_torch:step", {"form": "stacked", "compiled": True}),
}
EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}
# Roundings of the largest entry: those of an operation after the other, and a random walk over the terms of a sum
ROUNDINGS = lambda points: 64 + 4 * math.sqrt(points)
STOCK_BAR, STACKED_BAR, PROTOTYPE_BAR = 5.0, 2.5, 1.15


def main() -> int:
    chosen = _options()
    verdicts = Verdicts()
    kept = json.loads(Path(chosen.peers_from).read_text()) if chosen.peers_from else {}
    everything: dict[str, Any] = {"points": chosen.points, "threads": chosen.threads}
    for dtype in chosen.dtype.split(","):
        workers = _workers(chosen)
        try:
            everything[dtype] = {}
            for name, results in _measure(chosen, dtype, workers, kept.get(dtype, {}), verdicts):
                everything[dtype][name] = results
                write_json(chosen.json, everything)
                write_json(chosen.save, everything)
        finally:
            for worker in workers.values():
                worker.close()
        _tables(chosen, dtype, everything[dtype])
        _judge(chosen, dtype, everything[dtype], bool(kept), verdicts)
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--dtype", default="float32,float64")
    parser.add_argument("--only", default=",".join(EQUATIONS), help="equations, separated by commas")
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for a form to give its first result")
    parser.add_argument("--prototype", metavar="FOLDER", help="where a native.py has the Burgers step")
    parser.add_argument("--skip-torch-compile", action="store_true", help="leave out what compiles for a minute")
    parser.add_argument("--forms", default=",".join(STOCK | STACKED), help="the peers' forms, separated by commas")
    parser.add_argument("--save", metavar="FILE", help="keep all figures for --peers-from")
    parser.add_argument("--peers-from", metavar="FILE", help="take the peers' figures from an earlier run")
    if any(word.startswith("--peers-from") for word in sys.argv):
        sys.argv.append("--no-peers")
    chosen = parse(parser)
    chosen.forms = chosen.forms.split(",")
    for option, given, known in (("only", chosen.only.split(","), EQUATIONS), ("forms", chosen.forms, STOCK | STACKED)):
        for name in given:
            if name not in known:
                parser.error(f"--{option}: {name} is none of {', '.join(known)}")
    return chosen


def _workers(chosen: argparse.Namespace) -> dict[str, Worker]:
    workers = {"scisim": own_worker(chosen), "machine": own_worker(chosen)}
    if chosen.prototype:
        workers["prototype"] = own_worker(chosen, paths=[chosen.prototype])
    if chosen.peers:
        memory = int(0.7 * available_memory())
        for library in ("jax", "torch"):
            environment = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
            workers[library] = Worker(
                chosen.peers, chosen.threads, memory if library == "torch" else 0, (), environment
            )
    return workers


def _measure(
    chosen: argparse.Namespace, dtype: str, workers: dict, kept: dict, verdicts: Verdicts
) -> Iterator[tuple[str, Results]]:
    """Every equation in one dtype."""
    for name in chosen.only.split(","):
        contestants = _contestants(chosen, name, dtype, workers)
        results = prepare(contestants)
        _compare(chosen, contestants, results, name, dtype, verdicts)
        others = race(contestants, results, chosen.rounds)
        finish(contestants)
        results |= {label: Result(**r) for label, r in kept.get(name, {}).items() if label in STOCK | STACKED}
        note_failures(f"{name} {dtype}", results)
        times = "; ".join(f"{k} {shown(results, k, clock=chosen.clock)}" for k in results)
        print(f"{name} {dtype}: {times} (others used {others:.0%} of the cores)", flush=True)
        yield name, results


def _contestants(chosen: argparse.Namespace, name: str, dtype: str, workers: dict[str, Worker]) -> list[Contestant]:
    case = {"name": name, "dtype": dtype, "points": chosen.points}
    found = [Contestant("scisim", workers["scisim"], "pinn_scisim:step", case)]
    fma = {"dtype": dtype, "threads": chosen.threads}
    found.append(Contestant("peak", workers["machine"], "machine:fma", fma))
    if "prototype" in workers and name == "burgers1d":
        own = {"dtype": dtype, "points": chosen.points, "threads": chosen.threads}
        found.append(Contestant("prototype", workers["prototype"], "pinn_native:step", own))
    for label, (library, step, form) in (STOCK | STACKED).items():
        skipped = chosen.skip_torch_compile and label.startswith("torch.compile")
        if library in workers and label in chosen.forms and not skipped:
            found.append(Contestant(label, workers[library], step, case | form, limit=chosen.limit))
    return found


def _compare(
    chosen: argparse.Namespace,
    contestants: list[Contestant],
    results: Results,
    name: str,
    dtype: str,
    verdicts: Verdicts,
) -> None:
    """Loss and gradients of every form against scisim in float64, not compiled, at the same rounded inputs."""
    runners = [c for c in contestants if c.label != "peak"]
    found = values(runners, results)
    worker = contestants[0].worker
    try:
        case = {"name": name, "points": chosen.points, "rounded": dtype}
        worker.make("reference", "pinn_scisim:reference", chosen.limit, case)
        reference = worker.value("reference")
        worker.drop("reference")
    except Failed as error:
        verdicts.check(f"{name} {dtype}: results", False, str(error), "a reference in float64")
        return
    bar = ROUNDINGS(chosen.points) * EPSILON[dtype]
    deviations = {label: deviation(arrays, reference) for label, arrays in found.items()}
    print(
        f"{name} {dtype} against float64: " + "; ".join(f"{k} {far:.1e}" for k, far in deviations.items()), flush=True
    )
    for label, far in deviations.items():
        if label == "scisim" or far > bar:
            verdicts.check(f"{name} {dtype}: {label} against float64", far <= bar, f"{far:.1e}", f"at most {bar:.1e}")


def _tables(chosen: argparse.Namespace, dtype: str, everything: dict[str, Results]) -> None:
    labels = [label for label in STOCK | STACKED if any(label in r for r in everything.values())]
    print(f"\nms a step, {dtype}, {chosen.points} points, {chosen.threads} threads, {chosen.clock} time")
    rows = [
        [n, *(shown(r, k, clock=chosen.clock) for k in ["scisim", "prototype", *labels])] for n, r in everything.items()
    ]
    table(["equation", "scisim", "prototype", *labels], rows)
    print("\nshare of the FMA peak of the same run; seconds to the first result (torch.compile may have a cache)")
    rows = [
        [n, _share(chosen, n, dtype, r), *(_first(r, k) for k in ["scisim", *labels])] for n, r in everything.items()
    ]
    table(["equation", "share", "scisim", *labels], rows)


def _share(chosen: argparse.Namespace, name: str, dtype: str, results: Results) -> str:
    if results["scisim"].failed or results["peak"].failed:
        return "-"
    import machine

    peak = machine.fma_gflop(dtype, chosen.threads) / results["peak"].figure(chosen.clock).median
    rate = gflop(name, chosen.points) / results["scisim"].figure(chosen.clock).median
    return f"{rate / peak:.0%} of {peak:.0f} GFLOP/s"


def _first(results: Results, label: str) -> str:
    return "-" if label not in results or results[label].failed else f"{results[label].first:.2g}"


def _judge(
    chosen: argparse.Namespace, dtype: str, everything: dict[str, Results], kept: dict, verdicts: Verdicts
) -> None:
    if kept:
        print("\nthe peers' figures are from an earlier run")
    rows, gains = [], {"stock": [], "stacked": []}
    for name, results in everything.items():
        row = [name, shown(results, "scisim", clock=chosen.clock)]
        if results["scisim"].failed:
            verdicts.check(f"{name} {dtype}: scisim", False, results["scisim"].failed, "a step")
            continue
        for kind, forms in (("stock", STOCK), ("stacked", STACKED)):
            best = fastest(results, forms, chosen.clock)
            if best is None:
                row += ["-", "-"]
                continue
            gain = ratios(results[best], results["scisim"], chosen.clock)
            gains[kind].append(gain.median)
            row += [f"{best} {shown(results, best, clock=chosen.clock)}", f"{gain.median:.2f}"]
            verdicts.at_least(f"{name} {dtype}: ahead of the best {kind} form, {best}", gain, 1.0)
        rows.append(row)
        if "prototype" in results and not results["prototype"].failed:
            slower = ratios(results["scisim"], results["prototype"], chosen.clock)
            verdicts.at_most(f"{name} {dtype}: against the prototype", slower, PROTOTYPE_BAR, "x")
    print()
    table(["equation", "scisim, ms", "best stock, ms", "ratio", "best stacked, ms", "ratio"], rows)
    for kind, bar in (("stock", STOCK_BAR), ("stacked", STACKED_BAR)):
        if gains[kind]:
            mean = geometric_mean(gains[kind])
            what = f"{dtype}: geometric mean against the best {kind} forms"
            verdicts.check(what, mean >= bar, f"{mean:.2f}x", f"at least {bar:g}x")


if __name__ == "__main__":
    sys.exit(main())
