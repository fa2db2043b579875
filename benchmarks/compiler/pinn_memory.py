"""Extra memory of a training step of physics-informed networks, at many points against few.

    python benchmarks/compiler/pinn_memory.py [--only burgers1d] [--points 100000,10000000]

Each measurement is a new process; what counts is its peak resident memory during two calls, compilation included,
less what it held before: imports, parameters and points. Bars: at most 1.2 times as much at 10 million points as at
100,000, and at most 256 MiB. A step that needs more than `--limit` GiB is stopped there, not the machine.
"""

import argparse
import statistics
import sys
from pathlib import Path

from contest import Failed, Worker
from report import Verdicts, options, parse, table, write

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
from pdes import EQUATIONS

GROWTH_BAR, BAR = 1.2, 256.0


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    few, many = (int(n) for n in chosen.points.split(","))
    rows, figures = [], {}
    for dtype in chosen.dtype.split(","):
        for name in chosen.only.split(","):
            found = {n: _extra(chosen, name, dtype, n) for n in (few, many)}
            figures[f"{name} {dtype}"] = found
            rows.append([name, dtype, *(v if isinstance(v, str) else f"{v:.1f}" for v in found.values())])
            _judge(f"{name} {dtype}", found[few], found[many], verdicts)
    table(["equation", "dtype", f"MiB at {few} points", f"MiB at {many}"], rows)
    write(chosen.json, figures)
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--only", default=",".join(EQUATIONS), help="equations, separated by commas")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--points", default="100000,10000000", help="few and many")
    parser.add_argument("--limit", type=float, default=8.0, help="GiB, beyond which a step is stopped")
    parser.add_argument("--repeats", type=int, default=1, help="processes, of which the median counts")
    sys.argv.append("--no-peers")
    return parse(parser)


def _extra(chosen: argparse.Namespace, name: str, dtype: str, points: int) -> float | str:
    """MiB, or why there is no figure."""
    case = {"name": name, "dtype": dtype, "points": points}
    found = []
    for _ in range(chosen.repeats):
        with Worker(sys.executable, chosen.threads, int(chosen.limit * 2**30)) as worker:
            try:
                found.append(worker.call("memory_scisim:extra_bytes", **case)["extra"] / 2**20)
            except Failed as error:
                return str(error)[:60]
    return statistics.median(found)


def _judge(what: str, few: float | str, many: float | str, verdicts: Verdicts) -> None:
    if isinstance(few, str) or isinstance(many, str):
        verdicts.check(f"{what}: extra memory", False, f"{few}; {many}", f"at most {BAR:g} MiB")
        return
    verdicts.check(f"{what}: growth", many <= GROWTH_BAR * few, f"{many / few:.2f}x", f"at most {GROWTH_BAR:g}x")
    verdicts.check(f"{what}: extra memory", many <= BAR, f"{many:.0f} MiB", f"at most {BAR:g} MiB")


if __name__ == "__main__":
    sys.exit(main())
