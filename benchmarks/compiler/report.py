"""Options, tables and verdicts that the scripts share."""

import argparse
import dataclasses
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from contest import Figure, Results, Worker


def options(doc: str) -> argparse.ArgumentParser:
    """The options that every script has."""
    lines = doc.splitlines()
    parser = argparse.ArgumentParser(description=lines[0])
    parser.add_argument("--peers", metavar="PYTHON", help="the Python of an environment that has the peers")
    parser.add_argument(
        "--no-peers", action="store_true", help="measure scisim alone; bars against peers are not judged"
    )
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of every library alike")
    parser.add_argument("--rounds", type=int, default=7, help="at least 7")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: for a machine that others use")
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    chosen = parser.parse_args()
    if chosen.no_peers:
        chosen.peers = None
    elif not chosen.peers:
        parser.error("say where the peers are (--peers PYTHON), or --no-peers")
    if chosen.rounds < 7:
        parser.error("--rounds: at least 7 are needed for an interval")
    return chosen


def own_worker(chosen: argparse.Namespace, **more: Any) -> Worker:
    """A process of scisim: run by the Python that runs the script."""
    return Worker(sys.executable, chosen.threads, **more)


def available_memory() -> int:
    """Bytes that the system could give now."""
    line = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable"))
    return int(line.split()[1]) * 1024


class Verdicts:
    """Bars met and missed; the exit status of a script."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.missed = 0

    def at_least(self, what: str, figure: Figure, bar: float, unit: str = "x") -> None:
        """A failure only if the whole interval lies below the bar."""
        passed = figure.median >= bar
        word = "pass" if passed else "pass (within the interval)" if figure.high >= bar else "FAIL"
        self._add(word, what, f"{figure.median:.3g}{unit} ± {figure.half_width:.2g}", f"at least {bar:g}{unit}")

    def at_most(self, what: str, figure: Figure, bar: float, unit: str = "") -> None:
        self._add(
            figure.verdict(bar), what, f"{figure.median:.3g}{unit} ± {figure.half_width:.2g}", f"at most {bar:g}{unit}"
        )

    def check(self, what: str, passed: bool, got: str, wanted: str) -> None:
        self._add("pass" if passed else "FAIL", what, got, wanted)

    def _add(self, word: str, what: str, got: str, wanted: str) -> None:
        self.missed += word == "FAIL"
        self.lines.append(f"{word}: {what}: {got} ({wanted})")

    def close(self) -> int:
        """Print all; 1 if any bar is missed."""
        print("\n" + "\n".join(self.lines))
        print(f"\n{len(self.lines) - self.missed} of {len(self.lines)} bars met")
        return int(self.missed > 0)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown."""
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def shown(results: Results, label: str | None, scale: float = 1e3, clock: str = "wall") -> str:
    """A median with the half-width of its interval, or a dash."""
    if label is None or label not in results:
        return "-"
    if results[label].failed:
        return "failed"
    figure = results[label].figure(clock)
    return f"{figure.median * scale:.3g} ± {figure.half_width * scale:.2g}"


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs))


def note_failures(where: str, results: Results) -> None:
    for label, result in results.items():
        if result.failed:
            print(f"absent: {where}, {label}: {result.failed}", flush=True)


def write(path: str | None, figures: Any) -> None:
    """Write figures as JSON, if a file was named."""
    if path:
        Path(path).write_text(json.dumps(figures, default=dataclasses.asdict, indent=1) + "\n")
