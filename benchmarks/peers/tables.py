"""Markdown tables of the figures in $PEER_RESULTS/*.jsonl (default ./peer-results).

    python tables.py [name-prefix ...]

Rows are workloads, columns peers. An asterisk marks figures taken while others used more than 15% of the
machine: the best repeat is shown instead of the median.
"""

import json
import os
import sys
from pathlib import Path

NOISY = 0.15


def figures(prefix: str) -> list[dict]:
    folder = Path(os.environ.get("PEER_RESULTS", "peer-results"))
    lines = (line for path in sorted(folder.glob(f"{prefix}*.jsonl")) for line in path.read_text().splitlines())
    return [json.loads(line) for line in lines if line.startswith("{")]


def cell(figure: dict) -> str:
    value = figure["value"]
    if isinstance(value, str):
        return f"{value}: {figure['unit']}"
    noisy = figure.get("other", 0) > NOISY
    text = f"{figure.get('min', value) if noisy else value:.3g}{'*' if noisy else ''}"
    return text + (f" (compile {figure['compile_s']:.2g} s)" if "compile_s" in figure else "")


def table(prefix: str) -> str:
    rows: dict[str, dict[str, str]] = {}
    units: dict[str, str] = {}
    peers: dict[str, None] = {}
    for figure in figures(prefix):
        peers[figure["peer"]] = None
        rows.setdefault(figure["workload"], {})[figure["peer"]] = cell(figure)
        if not isinstance(figure["value"], str):
            units[figure["workload"]] = figure["unit"]
    lines = [
        f"### {prefix}",
        "",
        f"| workload | unit | {' | '.join(peers)} |",
        "|---" * (len(peers) + 2) + "|",
    ]
    for workload, cells in rows.items():
        columns = " | ".join(cells.get(peer, "") for peer in peers)
        lines.append(f"| {workload} | {units.get(workload, '')} | {columns} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print("\n\n".join(table(prefix) for prefix in sys.argv[1:] or ["p"]))
