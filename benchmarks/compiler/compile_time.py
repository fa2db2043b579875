"""Time to compile, from cold and from the disk cache, beside JAX's jit; and the time to capture an operation.

    python benchmarks/compiler/compile_time.py --peers PYTHON [--only burgers1d,chain]

Every figure is of a new process that has compiled something small before, so that imports do not count. "Cold" is the
first call with an empty cache less a later call: capture, passes and code. "Warm" is the same in a process that finds
the cache filled, less the capture. JAX's is tracing, lowering and XLA, the faster of its forms jet and jvp. Bars: at
most a third of JAX's; the Burgers step within 250 ms; warm within 30 ms; capture within 30 us an operation.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from contest import Failed, Figure, Worker, summarize
from report import Verdicts, options, parse, table, write

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
from pdes import EQUATIONS

CASES = [*EQUATIONS, "chain", "heat", "wave", "mlp derivative"]
JAX_BAR, BURGERS_BAR, WARM_BAR, CAPTURE_BAR = 3.0, 250.0, 30.0, 30.0
CAPTURES = 3


def main() -> int:
    chosen, verdicts = _options(), Verdicts()
    rows, figures = [], {}
    for name in chosen.only.split(","):
        found = figures[name] = _measure(chosen, name)
        rows.append([name, *(_shown(found.get(k)) for k in ("cold", "warm", "capture", "jax"))])
        rows[-1] += [found.get("operations", "-"), _shown(found.get("per operation"))]
        _judge(name, found, verdicts)
    table(["function", "cold, ms", "warm, ms", "capture, ms", "jax jit, ms", "operations", "us an operation"], rows)
    write(chosen.json, figures)
    return verdicts.close()


def _options() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--only", default=",".join(CASES), help="functions, separated by commas")
    return parse(parser)


def _measure(chosen: argparse.Namespace, name: str) -> dict[str, Any]:
    """Milliseconds by kind; rounds of scisim and JAX take turns."""
    times: dict[str, list[float]] = {"cold": [], "warm": [], "capture": [], "per operation": []}
    jax: dict[str, list[float]] = {"jet": [], "jvp": []}
    found: dict[str, Any] = {}
    try:
        for _ in range(chosen.rounds):
            with tempfile.TemporaryDirectory() as cache:
                times["cold"].append(1e3 * _own(chosen, name, cache, 0)["compile"])
                warm = _own(chosen, name, cache, CAPTURES)
            times["warm"].append(1e3 * (warm["compile"] - warm["capture"]))
            times["capture"].append(1e3 * warm["capture"])
            times["per operation"].append(1e6 * warm["capture"] / warm["operations"])
            found["operations"] = warm["operations"]
            for form in jax if chosen.peers else ():
                jax[form].append(1e3 * _jax(chosen, name, form))
    except Failed as error:
        return {"failed": str(error)}
    found |= {kind: summarize(values) for kind, values in times.items()}
    if chosen.peers:
        found["jax"] = min((summarize(values) for values in jax.values()), key=lambda figure: figure.median)
        found["gain"] = summarize([min(pair) / own for *pair, own in zip(*jax.values(), times["cold"], strict=True)])
    return found


def _own(chosen: argparse.Namespace, name: str, cache: str, captures: int) -> dict[str, float]:
    with Worker(sys.executable, chosen.threads, environment={"SCISIM_CACHE_DIR": cache}) as worker:
        return worker.call("compile_cases:first_call", name=name, captures=captures, clock=chosen.clock)


def _jax(chosen: argparse.Namespace, name: str, form: str) -> float:
    with Worker(chosen.peers, chosen.threads, environment={"JAX_PLATFORMS": "cpu"}) as worker:
        return worker.call("compile_jax:compile_seconds", name=name, form=form, clock=chosen.clock)


def _shown(figure: Figure | None) -> str:
    return "-" if figure is None else f"{figure.median:.3g} ± {figure.half_width:.2g}"


def _judge(name: str, found: dict[str, Any], verdicts: Verdicts) -> None:
    if "failed" in found:
        verdicts.check(f"{name}: compiled", False, found["failed"], "a program")
        return
    if "gain" in found:
        verdicts.at_least(f"{name}: cold against jax's jit", found["gain"], JAX_BAR)
    if name == "burgers1d":
        verdicts.at_most(f"{name}: cold", found["cold"], BURGERS_BAR, " ms")
    verdicts.at_most(f"{name}: from the disk cache", found["warm"], WARM_BAR, " ms")
    verdicts.at_most(f"{name}: capture of an operation", found["per operation"], CAPTURE_BAR, " us")


if __name__ == "__main__":
    sys.exit(main())
