"""Array functions beside NumPy and SciPy, eager and compiled, case by case in turns.

Run as ``python benchmarks/arrays/run.py [slices ...]``: the modules beside this one, each with CASES: a name, our
call, the peer's (None where it has none), arrays.  Bars: a module's geometric mean at most 1.1 times the peer, one
function at most 1.5 times + 2 us, compiled at most 1.15 times eager + 2 us.  Ends with status 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:1] = [str(ROOT), str(ROOT / "benchmarks")]  # not this folder, whose random.py is not Python's

from timing import Figure, interleave, summarize

import scisim as ss
from scisim.core.tensor import Tensor

MODULE, FUNCTION, COMPILED, EXTRA = 1.1, 1.5, 1.15, 2e-6
Case = tuple[str, Callable, Callable | None, tuple]


def slices(names: list[str]) -> list[Case]:
    """The cases of the modules beside this one."""
    found = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem != "run")
    unknown = set(names) - set(found)
    if unknown:
        raise SystemExit(f"run.py: no slice is called {sorted(unknown)}; there are {found}")
    return [case for name in names or found for case in importlib.import_module(f"benchmarks.arrays.{name}").CASES]


def compiled(call: Callable, args: list) -> Callable | None:
    """The call as a program, or None where it cannot be captured."""
    jitted = ss.jit(call)
    try:
        jitted(*args)
    except ss.ScisimError:
        return None
    return jitted


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """Median seconds of each form, and ratios less the allowance for a call."""
    name, ours, theirs, arrays = case
    args = [Tensor(x) if isinstance(x, np.ndarray) else x for x in arrays]
    calls: dict[str, Callable] = {"eager": lambda: ours(*args)}
    if theirs is not None:
        calls["peer"] = lambda: theirs(*arrays)
    program = compiled(ours, args)
    if program is not None:
        calls["compiled"] = lambda: program(*args)
    times = interleave(calls, rounds=rounds, seconds=0.002)
    row: dict[str, Any] = {"name": name, **{k: summarize(v).median for k, v in times.items()}}
    if theirs is not None:
        row["ratio"] = ratios(times["eager"], times["peer"], 0.0)
        row["beyond"] = ratios(times["eager"], times["peer"], EXTRA)
    if program is not None:
        row["compiled_beyond"] = ratios(times["compiled"], times["eager"], EXTRA)
    return row


def ratios(a: list[float], b: list[float], allowance: float) -> Figure:
    """Round by round, the first less the allowance over the second."""
    return summarize([(x - allowance) / y for x, y in zip(a, b, strict=True)])


def verdicts(rows: list[dict[str, Any]]) -> list[str]:
    """What is beyond a bar by its whole interval, and the means by module."""
    missed = []
    modules = defaultdict(list)
    for row in rows:
        if "ratio" in row:
            modules[row["name"].rpartition(".")[0] or "ss"].append(row["ratio"].median)
            if row["beyond"].verdict(FUNCTION) == "FAIL":
                missed.append(f"{row['name']}: {row['ratio'].median:.2f} times the peer ({row['eager'] * 1e6:.1f} us)")
        if "compiled_beyond" in row and row["compiled_beyond"].verdict(COMPILED) == "FAIL":
            times = f"{row['compiled'] * 1e6:.1f} us, eager {row['eager'] * 1e6:.1f} us"
            missed.append(f"{row['name']}: compiled {times}")
    for module, values in sorted(modules.items()):
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{module}: geometric mean {mean:.3f} of {len(values)} functions (bar {MODULE})")
        if mean > MODULE:
            missed.append(f"{module}: geometric mean {mean:.3f}")
    return missed


def show(row: dict[str, Any]) -> None:
    us = [f"{row[k] * 1e6:11.2f}" if k in row else " " * 10 + "-" for k in ("eager", "peer", "compiled")]
    ratio = f"{row['ratio'].median:7.2f}" if "ratio" in row else "      -"
    print(f"{row['name']:44} {' '.join(us)} {ratio}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slices", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"{'function':44} {'eager us':>11} {'peer us':>11} {'compiled us':>11} {'ratio':>7}")
    rows = []
    for case in slices(options.slices):
        rows.append(measure(case, options.rounds))
        show(rows[-1])
    missed = verdicts(rows)
    print("\n".join(["beyond a bar:", *missed] if missed else ["every bar is met"]))
    if options.json:
        options.json.write_text(json.dumps(rows, default=vars, indent=1))
    return bool(missed)


if __name__ == "__main__":
    raise SystemExit(main())
