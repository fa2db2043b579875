"""Non-uniform transforms beside FINUFFT and ducc0: a million points, one and two dimensions, two tolerances.

Bar: at most 1.5 times the better of the two, from points to modes and back, on one thread and on two.  Calls take
turns; every call of ours gets points that it has not seen, unless the column says "same points": sorted points are
kept, which the others do only for plans made by hand.

    python benchmarks/fft/nonuniform.py [--points 1000000] [--rounds 7]
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import scisim as ss
from benchmarks.timing import summarize
from scisim import autodiff as ad

BAR = 1.5
MODES = {1: 1_000_000, 2: 1000, 3: 100}
Calls = dict[str, Callable[[np.ndarray], Any]]


def problem(dims: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, strengths and modes."""
    rng = np.random.default_rng(0)
    shape = (MODES[dims],) * dims
    x = rng.uniform(-np.pi, np.pi, (dims, m))
    c = rng.normal(size=m) + 1j * rng.normal(size=m)
    return x, c, rng.normal(size=shape) + 1j * rng.normal(size=shape)


def own(kind: int, c: np.ndarray, f: np.ndarray, eps: float) -> Callable:
    if kind == 1:
        return lambda x: ss.fft.nufft1(tuple(x), c, f.shape, eps=eps)
    return lambda x: ss.fft.nufft2(tuple(x), f, isign=1, eps=eps)


def finufft(kind: int, c: np.ndarray, f: np.ndarray, eps: float, threads: int) -> Callable:
    import finufft

    call = getattr(finufft, f"nufft{f.ndim}d{kind}")
    if kind == 1:
        return lambda x: call(*x, c, f.shape, eps=eps, isign=1, nthreads=threads)
    return lambda x: call(*x, f, eps=eps, isign=1, nthreads=threads)


def ducc0(kind: int, c: np.ndarray, f: np.ndarray, eps: float, threads: int) -> Callable:
    import ducc0

    how = {"forward": False, "epsilon": eps, "nthreads": threads}
    if kind == 1:
        return lambda x: ducc0.nufft.nu2u(points=c, coord=x.T, out=np.empty(f.shape, complex), **how)
    return lambda x: ducc0.nufft.u2nu(grid=f, coord=x.T, **how)


def calls_for(kind: int, c: np.ndarray, f: np.ndarray, eps: float, threads: int) -> Calls:
    calls: Calls = {"scisim": own(kind, c, f, eps), "same points": own(kind, c, f, eps)}
    for name, make in (("finufft", finufft), ("ducc0", ducc0)):
        if importlib.util.find_spec(name) is not None:
            calls[name] = make(kind, c, f, eps, threads)
    return calls


def interleave(calls: Calls, x: np.ndarray, rounds: int) -> dict[str, list[float]]:
    """Seconds of each call in each round; those of the first, which compiles and plans, are dropped."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 1):
        for name, call in calls.items():
            if name != "same points":
                x = x + 0.0 if name != "scisim" else np.nextafter(x, 4.0)
            start = time.perf_counter()
            call(x)
            if turn:
                times[name].append(time.perf_counter() - start)
    return times


def report(dims: int, m: int, eps: float, threads: int, rounds: int) -> bool:
    os.environ["SCISIM_NUM_THREADS"] = str(threads)
    x, c, f = problem(dims, m)
    held = True
    for kind in (1, 2):
        times = interleave(calls_for(kind, c, f, eps, threads), x, rounds)
        cells = "  ".join(f"{name} {1e3 * statistics.median(t):7.1f}" for name, t in times.items())
        peers = [times[name] for name in ("finufft", "ducc0") if name in times]
        verdict = ""
        if peers:
            ratio = summarize([a / min(b) for a, b in zip(times["scisim"], zip(*peers, strict=True), strict=True)])
            verdict = f"  ratio {ratio.median:.2f} +- {ratio.half_width:.2f} {ratio.verdict(BAR)}"
            held = held and not verdict.endswith("FAIL")
        print(f"{dims}-d type {kind} eps {eps:.0e} threads {threads}: ms  {cells}{verdict}", flush=True)
    return held


def gradient(m: int, threads: int, rounds: int) -> None:
    """The gradient with respect to points and strengths beside the value, in two dimensions."""
    os.environ["SCISIM_NUM_THREADS"] = str(threads)
    x, c, f = problem(2, m)
    loss = lambda x, y, c: ss.sum(ss.abs(ss.fft.nufft1((x, y), c, f.shape)) ** 2)
    calls: Calls = {
        "scisim": lambda x: loss(*map(ss.asarray, x), ss.asarray(c)),
        "gradient": lambda x: ad.value_and_grad(loss, (0, 1, 2))(*np.nextafter(x, 4.0), c),
    }
    times = interleave(calls, x, rounds)
    value, both = (statistics.median(t) for t in times.values())
    print(f"2-d type 1 with its gradient for points and strengths, threads {threads}: {both / value:.1f} values")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dims", type=int, nargs="*", default=[1, 2])
    given = parser.parse_args()
    rows = itertools.product(given.dims, (1e-6, 1e-12), (1, 2))
    held = [report(dims, given.points, eps, threads, given.rounds) for dims, eps, threads in rows]
    gradient(given.points, 1, given.rounds)
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
