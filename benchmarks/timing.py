"""Interleaved timing of several calls, and the interval of a median.

Calls that are compared take turns: a disturbance of the machine then falls on all of them, and the difference
or ratio of one round is fair even when its times are not.
"""

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from timeit import Timer

Rounds = dict[str, list[float]]

_BATCHES = 5


@dataclass(frozen=True)
class Figure:
    """A median over rounds and the interval that holds the true median in at least 95 of 100 runs."""

    median: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def verdict(self, bar: float) -> str:
        """Judge "at most `bar`": a failure only if the interval lies wholly beyond it."""
        if self.median <= bar:
            return "pass"
        return "FAIL" if self.low > bar else "pass (within the interval)"


def summarize(values: Sequence[float]) -> Figure:
    """The median of at least seven values, with the interval between two of their order statistics.

    The true median lies outside of the k-th smallest and k-th largest with chance 2 P(Binomial(n, 1/2) < k).

    >>> summarize([5.0, 1.0, 2.0, 3.0, 4.0, 7.0, 6.0])
    Figure(median=4.0, low=1.0, high=7.0)
    >>> summarize([float(i) for i in range(1, 12)])
    Figure(median=6.0, low=2.0, high=10.0)
    """
    n, ordered = len(values), sorted(values)
    if n < 7:
        raise ValueError(f"summarize: {n} values are too few for an interval; take at least 7 rounds")
    outside, rank = 2 * 0.5**n, 1
    while outside + 2 * math.comb(n, rank) * 0.5**n <= 0.05:
        outside += 2 * math.comb(n, rank) * 0.5**n
        rank += 1
    return Figure(statistics.median(ordered), ordered[rank - 1], ordered[n - rank])


def interleave(calls: Mapping[str, Callable[[], object]], rounds: int = 9, seconds: float = 0.004) -> Rounds:
    """Seconds a call, for each call in each round: the best of a few batches of about `seconds` each.

    The best of short batches drops those during which another process held the core.
    """
    timers = {name: Timer(call) for name, call in calls.items()}
    numbers = {name: _repetitions(timer, seconds) for name, timer in timers.items()}
    times: Rounds = {name: [] for name in calls}
    for turn in range(rounds):
        for name in _rotated(list(calls), turn):
            batches = timers[name].repeat(repeat=_BATCHES, number=numbers[name])
            times[name].append(min(batches) / numbers[name])
    return times


def interleave_processes(programs: Mapping[str, str], rounds: int = 11, *, printed: bool = False) -> Rounds:
    """Seconds a new interpreter takes to run each program, or those it prints; a first round is dropped."""
    times: Rounds = {name: [] for name in programs}
    for turn in range(rounds + 1):
        for name in _rotated(list(programs), turn):
            seconds = _run(programs[name], printed)
            if turn > 0:  # before it, byte code may have been missing and files not in memory
                times[name].append(seconds)
    return times


def differences(times: Rounds, name: str, base: str) -> list[float]:
    """What `name` took longer than `base`, round by round."""
    return [a - b for a, b in zip(times[name], times[base], strict=True)]


def _rotated(names: list[str], turn: int) -> list[str]:
    """Each round starts with another call, so that none always follows the same neighbour's mess."""
    shift = turn % len(names)
    return names[shift:] + names[:shift]


def _repetitions(timer: Timer, seconds: float) -> int:
    timer.timeit(3)
    number = 1
    while (elapsed := timer.timeit(number)) < seconds / 10:
        number *= 2
    return max(1, round(number * seconds / elapsed))


def _run(program: str, printed: bool) -> float:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
    elapsed = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"a program that is timed failed:\n{program}\n{done.stderr}")
    return float(done.stdout) if printed else elapsed
