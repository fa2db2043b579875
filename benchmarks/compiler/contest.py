"""Contests of libraries in one run: each in a process of its own, with equal threads, taking turns round by round."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # timing.py
from timing import Figure, summarize

# The first makes OpenBLAS use the kernels of another processor, the second tells it another cache: neither is fair.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "SCISIM")
PAUSE = 0.01  # seconds between turns: OpenMP's threads spin for some milliseconds after their work


class Failed(RuntimeError):
    """A case that a library cannot do: refused, crashed, out of memory or out of time."""


class Worker:
    """A `worker.py` run by some Python; started at the first question, and again after it died.

    Parameters
    ----------
    python : str
    threads : int
        Cores it may use, and threads that each library is told to use.
    memory : int, optional
        Bytes of data beyond which allocations fail, so that a case which needs more fails alone.
    paths : sequence of str
        Further folders with cases.
    environment : mapping, optional
    """

    def __init__(
        self,
        python: str,
        threads: int,
        memory: int = 0,
        paths: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = [python, str(HERE / "worker.py"), "--memory", str(memory)]
        self.command += [word for path in paths for word in ("--path", path)]
        self.cores = sorted(os.sched_getaffinity(0))[-threads:]
        self.environment = {name: text for name, text in os.environ.items() if name not in UNSET}
        self.environment |= {f"{name}_NUM_THREADS": str(threads) for name in THREADS} | dict(environment or {})
        self.process: subprocess.Popen | None = None
        self.made: dict[str, dict[str, Any]] = {}
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - as long as the worker

    def make(self, name: str, case: str, limit: float, arguments: Mapping[str, Any]) -> float:
        """Build a case; seconds until its first result."""
        question = {"do": "make", "name": name, "case": case, "arguments": dict(arguments)}
        first = self.ask(question, limit)["first"]
        self.made[name] = question
        return first

    def call(self, case: str, limit: float = 600.0, **arguments: Any) -> Any:
        return self.ask({"do": "call", "case": case, "arguments": arguments}, limit)["value"]

    def time(self, name: str, seconds: float, limit: float = 600.0) -> dict[str, float]:
        return self.ask({"do": "time", "name": name, "seconds": seconds}, limit)

    def value(self, name: str, limit: float = 600.0) -> list[np.ndarray]:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "value.npz")
            count = self.ask({"do": "value", "name": name, "path": path}, limit)["count"]
            with np.load(path) as arrays:
                return [arrays[f"arr_{k}"] for k in range(count)]

    def drop(self, name: str) -> None:
        self.made.pop(name, None)
        if self.process is not None:
            self.ask({"do": "drop", "name": name}, 60.0)

    def ask(self, question: dict[str, Any], limit: float) -> dict[str, Any]:
        """The answer to a question; `Failed` if there is none within `limit` seconds."""
        if self.process is None:
            self._start()
            for earlier in list(self.made.values()):
                self._exchange(earlier, 600.0)
        answer = self._exchange(question, limit)
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer

    def cpu_seconds(self) -> float:
        """What its process has used so far."""
        if self.process is None:
            return 0.0
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _start(self) -> None:
        self.log.seek(0)
        self.log.truncate()
        self.process = subprocess.Popen(
            self.command,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        os.sched_setaffinity(self.process.pid, self.cores)

    def _exchange(self, question: dict[str, Any], limit: float) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(json.dumps(question), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            return self._died("its process died")
        if not select.select([self.process.stdout], [], [], limit)[0]:
            return self._died(f"no answer within {limit:.0f} s")
        line = self.process.stdout.readline()
        return json.loads(line) if line else self._died("its process died")

    def _died(self, reason: str) -> dict[str, Any]:
        assert self.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self.process.wait(0.5)
            reason += f" ({signal.Signals(-status).name})" if status < 0 else f" (status {status})"
        self.close()
        self.log.seek(0)
        last = self.log.read().strip().splitlines()[-1:]
        raise Failed(": ".join([reason, *last])[:200])

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@dataclass
class Contestant:
    """One library's way of doing a thing.

    Attributes
    ----------
    steps : int
        How many of what is compared one call does.
    """

    label: str
    worker: Worker
    case: str
    arguments: dict[str, Any]
    steps: int = 1
    limit: float = 600.0


@dataclass
class Result:
    """Seconds in each round, or why there are none."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    first: float = 0.0
    failed: str = ""

    def times(self, clock: str = "wall") -> list[float]:
        return self.cpu if clock == "cpu" else self.wall

    def figure(self, clock: str = "wall") -> Figure:
        return summarize(self.times(clock))


Results = dict[str, Result]


def prepare(contestants: Iterable[Contestant]) -> Results:
    """Build all cases; those that fail say why."""
    results: Results = {}
    for c in contestants:
        try:
            results[c.label] = Result(first=c.worker.make(c.label, c.case, c.limit, c.arguments))
        except Failed as error:
            results[c.label] = Result(failed=str(error))
    return results


def values(contestants: Iterable[Contestant], results: Results) -> dict[str, list[np.ndarray]]:
    """What each contestant computes."""
    out = {}
    for c in contestants:
        if not results[c.label].failed:
            try:
                out[c.label] = c.worker.value(c.label)
            except Failed as error:
                results[c.label].failed = str(error)
    return out


def race(contestants: Sequence[Contestant], results: Results, rounds: int, seconds: float = 0.004) -> float:
    """Time the contestants in turn, every round starting with another one; the share of the cores that others used."""
    workers = {id(c.worker): c.worker for c in contestants}.values()
    wall, busy, own = time.perf_counter(), _busy_seconds(), sum(w.cpu_seconds() for w in workers)
    for turn in range(rounds):
        shift = turn % len(contestants)
        for c in [*contestants[shift:], *contestants[:shift]]:
            if not results[c.label].failed:
                time.sleep(PAUSE)
                _time(c, results[c.label], seconds)
    own = sum(w.cpu_seconds() for w in workers) - own
    cores = os.cpu_count() or 1
    return max(0.0, (_busy_seconds() - busy - own) / ((time.perf_counter() - wall) * cores))


def _time(c: Contestant, result: Result, seconds: float) -> None:
    try:
        taken = c.worker.time(c.label, seconds)
    except Failed as error:
        result.failed = str(error)
        return
    result.wall.append(taken["wall"] / c.steps)
    result.cpu.append(taken["cpu"] / len(c.worker.cores) / c.steps)


def _busy_seconds() -> float:
    """Processor seconds of all cores since the start of the system, but for idling and waiting."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def finish(contestants: Iterable[Contestant]) -> None:
    for c in contestants:
        c.worker.drop(c.label)


def contest(contestants: Sequence[Contestant], rounds: int, seconds: float = 0.004) -> Results:
    """Build, time and drop."""
    results = prepare(contestants)
    race(contestants, results, rounds, seconds)
    finish(contestants)
    return results


def ratios(peer: Result, own: Result, clock: str = "wall") -> Figure:
    """How many times longer the peer takes, round by round."""
    return summarize([a / b for a, b in zip(peer.times(clock), own.times(clock), strict=False)])


def fastest(results: Results, labels: Iterable[str], clock: str = "wall") -> str | None:
    """The label with the least median among those that ran."""
    ran = [label for label in labels if label in results and not results[label].failed]
    return min(ran, key=lambda label: results[label].figure(clock).median, default=None)


def deviation(arrays: Sequence[np.ndarray], reference: Sequence[np.ndarray]) -> float:
    """The largest difference, relative to the largest entry of its array (of all arrays, where one is all zeros)."""
    largest = max(float(np.abs(r).max(initial=0.0)) for r in reference) or 1.0
    worst = 0.0
    for a, r in zip(arrays, reference, strict=True):
        if a.size != r.size:
            return float("inf")
        scale = max(float(np.abs(r).max(initial=0.0)), 1e-3 * largest)
        difference = np.abs(a.reshape(r.shape).astype(r.dtype) - r).max(initial=0.0)
        worst = max(worst, float(difference) / scale) if np.isfinite(difference) else float("inf")
    return worst
