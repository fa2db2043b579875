"""What the peer scripts share: JSON lines, robust timing, command-line values.

Every figure is one line: {"workload", "peer", "value", "unit", ...} with
value    the median over repeats; min, the best repeat;
other    the share of the machine's CPU time that other processes used meanwhile (it flags noise);
cpu_ms   CPU seconds a call, which others' preemption does not touch.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CPUS = os.cpu_count() or 1
CORES = len(os.sched_getaffinity(0))  # 1 under `taskset -c 1`
QUIET = 0.06  # others' share of the machine that is taken for silence
SCALES = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def emit(workload: str, peer: str, value: float | str, unit: str, **more: Any) -> None:
    """Print one figure."""
    record = {"workload": workload, "peer": peer, "value": _rounded(value, 6), "unit": unit}
    if CORES == 1:
        record["cores"] = 1
    print(json.dumps(record | {name: _rounded(item, 4) for name, item in more.items()}), flush=True)


def _rounded(value: Any, digits: int) -> Any:
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def _busy_seconds() -> float:
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")  # all but idle and waiting


class Meter:
    """Wall time of a block, and the share of the machine that others used meanwhile."""

    def __enter__(self) -> "Meter":
        self._start = _busy_seconds(), time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *exception: object) -> None:
        busy, own, wall = self._start
        self.wall = time.perf_counter() - wall
        others = _busy_seconds() - busy - (time.process_time() - own)
        self.other = max(0.0, others / (self.wall * CPUS))


class Patience:
    """Waits until other processes leave the cores alone, but not for ever."""

    def __init__(self) -> None:
        self.left = float(os.environ.get("PERF_WAIT", "10"))

    def wait(self, longest: float = 4.0) -> None:
        start = time.perf_counter()
        while (waited := time.perf_counter() - start) < min(longest, self.left):
            with Meter() as meter:
                time.sleep(0.15)
            if meter.other < QUIET:
                break
            time.sleep(0.25)
        self.left -= waited


_patience = Patience()


def measure(call: Callable[[], object], budget: float = 1.0, least: int = 5, most: int = 200) -> dict[str, float]:
    """Median and best seconds a call, within about `budget` seconds; the quieter of two tries."""
    call()
    tries = []
    for _ in range(2):
        if CORES > 1:
            _patience.wait()
        tries.append(_one_try(call, budget, least, most))
        if tries[-1]["other"] < QUIET or tries[-1]["wall"] > 5 * budget + 5:
            break
    quietest = min(tries, key=lambda figures: figures["other"])
    return quietest | {"min": min(figures["min"] for figures in tries)}


def _one_try(call: Callable[[], object], budget: float, least: int, most: int) -> dict[str, float]:
    inner = max(1, int(1e-3 / max(seconds(call), 1e-8)))  # short calls are batched
    one = seconds(call)
    repeats = max(least, min(most, int(budget / max(one * inner, 1e-8))))
    wall, cpu = [], []
    with Meter() as meter:
        for _ in range(repeats):
            cpu_start, start = time.process_time(), time.perf_counter()
            for _ in range(inner):
                call()
            wall.append((time.perf_counter() - start) / inner)
            cpu.append((time.process_time() - cpu_start) / inner)
    return {"median": statistics.median(wall), "min": min(wall), "cpu": statistics.median(cpu),
            "other": meter.other, "wall": meter.wall}  # fmt: skip


def seconds(call: Callable[[], object]) -> float:
    """Wall seconds of one call (the first one compiles)."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def report(workload: str, peer: str, call: Callable[[], object], unit: str = "ms", budget: float = 1.0, **more: Any):
    """Measure a call and print the figure."""
    figures, scale = measure(call, budget), SCALES[unit]
    emit(workload, peer, figures["median"] * scale, unit, min=figures["min"] * scale,
         other=figures["other"], cpu_ms=figures["cpu"] * 1e3, **more)  # fmt: skip


def arguments(**defaults: Any) -> dict[str, Any]:
    """Command-line values written name=value, of the type of their defaults."""
    values = dict(defaults)
    for argument in sys.argv[1:]:
        name, _, text = argument.partition("=")
        if name not in defaults:
            sys.exit(f"{argument}: no such option; there are {', '.join(f'{n}={v}' for n, v in defaults.items())}")
        values[name] = type(defaults[name])(text)
    return values
