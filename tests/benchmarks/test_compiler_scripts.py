"""Every script of `benchmarks/compiler` runs without peers at small sizes; its comparisons of values hold."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(script: str, tmp_path: Path, *options: str) -> tuple[str, dict]:
    """What a script prints, and the figures that it writes."""
    figures = tmp_path / "figures.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "compiler" / script), "--threads", "1", "--json", str(figures)]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}, timeout=300
    )
    assert done.returncode in (0, 1), done.stderr  # 1 where a bar on time is missed
    return done.stdout, json.loads(figures.read_text())


def compared(printed: str) -> list[str]:
    return [line.split(":")[0] for line in printed.splitlines() if "against float64: " in line and "at most" in line]


def test_pinn_steps(tmp_path):
    names = "burgers1d,navier_stokes2d,plate_biharmonic2d"
    printed, figures = run("pinn_steps.py", tmp_path, "--no-peers", "--points", "600", "--only", names)
    assert compared(printed) == ["pass"] * 6
    assert len(figures["float32"]["burgers1d"]["scisim"]["wall"]) == 7
    assert "GFLOP/s" in printed


def test_figures_of_peers_can_be_kept(tmp_path):
    kept = tmp_path / "kept.json"
    peer = {"wall": [1e3] * 7, "cpu": [1e3] * 7, "first": 1.0, "failed": ""}
    kept.write_text(json.dumps({"float64": {"heat2d": {"jax jet": peer, "torch.compile stacked": peer}}}))
    options = ["--peers-from", str(kept), "--points", "50", "--only", "heat2d", "--dtype", "float64"]
    printed, _ = run("pinn_steps.py", tmp_path, *options)
    assert "pass: heat2d float64: ahead of the best stock form, jax jet" in printed
    assert "pass: float64: geometric mean against the best stacked forms" in printed
    assert "from an earlier run" in printed


def test_pinn_memory(tmp_path):
    _, figures = run("pinn_memory.py", tmp_path, "--points", "100,200", "--only", "burgers1d")
    assert all(0 <= mebibytes < 1024 for mebibytes in figures["burgers1d float32"].values())


def test_fused_chains(tmp_path):
    sizes = ["--sizes", "1000,100000", "--triad-points", "200000"]
    printed, figures = run("fused_chains.py", tmp_path, "--no-peers", *sizes)
    assert compared(printed) == ["pass"] * 4
    assert not figures["triad"]["scisim"]["failed"]
    assert not figures["triad"]["native loop, streaming stores"]["failed"]


def test_stencils(tmp_path):
    printed, figures = run("stencils.py", tmp_path, "--no-peers", "--n2", "200", "--n3", "24")
    assert compared(printed) == ["pass"] * 18
    assert set(figures) == {"heat 200 float32", "heat 200 float64", "wave 24 float32"}


def test_lm_step(tmp_path):
    _, figures = run("lm_step.py", tmp_path, "--no-peers", "--points", "600", "--width", "4")
    assert not any(stage["failed"] for stage in figures.values())


@pytest.mark.slow
def test_compile_time(tmp_path):
    printed, figures = run("compile_time.py", tmp_path, "--no-peers", "--only", "chain,heat,mlp derivative")
    assert "failed" not in json.dumps(figures)
    assert all(figures[name]["operations"] > 0 for name in ("chain", "heat", "mlp derivative"))
    assert "from the disk cache" in printed
