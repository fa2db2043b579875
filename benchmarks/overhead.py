"""Overhead of eager operations, gradients and imports, beside NumPy, autograd, PyTorch and JAX in one run.

    python benchmarks/overhead.py [--rounds 9] [--process-rounds 11] [--only torch,jax] [--json FILE]

Prints a table and the same figures as JSON. The exit status is 1 if scisim misses one of its bars, and 2 if
scisim cannot be imported (the peers are then measured alone). Libraries that are not installed are left out.

The bars are times on the machine where they were set. How much slower this machine runs NumPy's add is
printed beside them, and `--at-reference-speed` divides scisim's times by it before they are judged.
"""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

import numpy as np
from libraries import CASES, GRADIENT, IMPORTS, THIRD_DERIVATIVES, is_installed
from timing import Figure, Rounds, differences, interleave, interleave_processes, summarize

OPERATION_BAR = 0.6  # microseconds over NumPy, on 8 elements
GRADIENT_BAR = 20.0  # microseconds
THIRD_BAR = 2.0  # milliseconds, the first call in a new process
IMPORT_BAR = 60.0  # milliseconds over NumPy
REFERENCE_ADD = 0.28  # microseconds, NumPy's add on 8x8 where the bars were set

THIRD = "first third derivative in a new process"
IMPORT = "import in a new process"


def measure(rounds: int, process_rounds: int, libraries: list[str]) -> dict[str, tuple[str, float, Rounds]]:
    """Row name -> (unit, scale from seconds, seconds of each library in each round)."""
    cases = {library: CASES[library]() for library in libraries}
    rows: dict[str, tuple[str, float, Rounds]] = {}
    for row in [*cases["numpy"], GRADIENT]:
        calls = {library: cases[library][row] for library in libraries if row in cases[library]}
        check_values(row, calls)
        rows[row] = ("us", 1e6, interleave(calls, rounds))
    third = {name: THIRD_DERIVATIVES[name] for name in libraries if name in THIRD_DERIVATIVES}
    rows[THIRD] = ("ms", 1e3, interleave_processes(third, 7, printed=True))
    imports = {name: IMPORTS[name] for name in libraries}
    rows[IMPORT] = ("ms", 1e3, interleave_processes(imports, max(11, process_rounds)))
    return rows


def check_values(row: str, calls: dict) -> None:
    """All libraries compute the same: a fast wrong answer is no figure."""
    values = {library: np.asarray(call()) for library, call in calls.items()}
    first = next(iter(values.values()))
    for library, value in values.items():
        np.testing.assert_allclose(value, first, rtol=1e-13, atol=1e-14, err_msg=f"{row}: {library}")


def slowness(rows: dict[str, tuple[str, float, Rounds]]) -> float:
    """How many times longer this machine takes for NumPy's add than the one where the bars were set."""
    return 1e6 * summarize(rows["add, 8x8"][2]["numpy"]).median / REFERENCE_ADD


def judge(rows: dict[str, tuple[str, float, Rounds]], divisor: float) -> list[dict]:
    """scisim's bars: what was measured (divided by `divisor`), what is allowed, and the verdict."""
    bars = []
    for row, (unit, scale, times) in rows.items():
        if row == GRADIENT:
            bar, values = GRADIENT_BAR, times["scisim"]
        elif row == THIRD:
            bar, values = THIRD_BAR, times["scisim"]
        elif row == IMPORT:
            bar, values = IMPORT_BAR, differences(times, "scisim", "numpy")
        elif row.endswith(", 8"):
            bar, values = OPERATION_BAR, differences(times, "scisim", "numpy")
        else:
            continue
        figure = summarize([scale * value / divisor for value in values])
        over = "over numpy" if values is not times["scisim"] else ""
        bars.append({"row": row, "unit": unit, "over": over, "bar": bar, **as_dict(figure),
                     "verdict": figure.verdict(bar)})  # fmt: skip
    return bars


def as_dict(figure: Figure) -> dict[str, float]:
    return {"median": figure.median, "half_width": figure.half_width, "low": figure.low, "high": figure.high}


def table(rows: dict[str, tuple[str, float, Rounds]], libraries: list[str]) -> tuple[str, dict]:
    """The figures as a Markdown table, and as numbers."""
    lines = [f"| | unit | {' | '.join(libraries)} |", "|---|---|" + "---|" * len(libraries)]
    numbers: dict[str, dict] = {}
    for row, (unit, scale, times) in rows.items():
        figures = {name: summarize([scale * value for value in values]) for name, values in times.items()}
        cells = [
            f"{figures[name].median:.3g} ± {figures[name].half_width:.2g}" if name in figures else "-"
            for name in libraries
        ]
        lines.append(f"| {row} | {unit} | {' | '.join(cells)} |")
        numbers[row] = {"unit": unit} | {name: as_dict(figure) for name, figure in figures.items()}
    return "\n".join(lines), numbers


def bar_lines(bars: list[dict]) -> str:
    return "\n".join(
        f"{bar['verdict']:>4}: {bar['row']}: {bar['median']:.3g} ± {bar['half_width']:.2g} {bar['unit']} "
        f"{bar['over']} (at most {bar['bar']:g})".replace("  (", " (")
        for bar in bars
    )


def machine() -> dict[str, str | int]:
    return {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine(),
            "cores": len(os.sched_getaffinity(0))}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="rounds of the calls in this process (at least 7)")
    parser.add_argument("--process-rounds", type=int, default=11, help="rounds of new processes (at least 11)")
    parser.add_argument("--only", default=",".join(CASES), help="libraries to measure beside numpy and scisim")
    parser.add_argument("--at-reference-speed", action="store_true", help="judge times divided by the slowness")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    wanted = {"numpy", "scisim", *options.only.split(",")}
    libraries = [name for name in CASES if name in wanted and is_installed(name)]
    for name in sorted(wanted - set(libraries)):
        print(f"{name} is not installed: left out")
    rows = measure(max(7, options.rounds), options.process_rounds, libraries)
    text, numbers = table(rows, libraries)
    factor = slowness(rows)
    bars = judge(rows, factor if options.at_reference_speed else 1.0) if "scisim" in libraries else []
    print(text, f"This machine takes {factor:.2f} times as long as the one where the bars were set.", sep="\n\n")
    print(bar_lines(bars))
    report = json.dumps({"machine": machine() | {"slowness": factor}, "rows": numbers, "bars": bars})
    print(report)
    if options.json:
        options.json.write_text(report + "\n")
    if "scisim" not in libraries:
        print("scisim cannot be imported: none of its bars was judged", file=sys.stderr)
        return 2
    return int(any(bar["verdict"] == "FAIL" for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
