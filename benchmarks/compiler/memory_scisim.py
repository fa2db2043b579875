"""Peak memory of a step, measured in a process of its own."""

import gc
from pathlib import Path

import numpy as np
from pdes import EQUATIONS, setup
from pinn_scisim import loss_of

import scisim as ss
from scisim import autodiff as ad

CHUNK = 1 << 16


def extra_bytes(name: str, dtype: str, points: int) -> dict[str, float]:
    """What two calls need beyond imports, parameters and points, their compilation included; and the loss."""
    params = [(ss.asarray(w), ss.asarray(b)) for w, b in setup(name, 1, dtype, dtype)[0]]
    x = ss.asarray(_points(points, len(EQUATIONS[name].coords), dtype))
    f = ss.jit(ad.value_and_grad(loss_of(name)))
    ss.jit(lambda x: x + 1)(x[:8])  # what is loaded on first use belongs to imports
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = _status("VmRSS")
    f(params, x)
    loss, _ = f(params, x)
    return {"extra": _status("VmHWM") - before, "loss": float(loss)}


def _points(points: int, dimensions: int, dtype: str) -> np.ndarray:
    """Random points, made in pieces, so that no second array of their size is ever there."""
    rng, x = np.random.default_rng(1), np.empty((points, dimensions), dtype)
    for start in range(0, points, CHUNK):
        part = x[start : start + CHUNK]
        part[...] = rng.uniform(-1, 1, part.shape)
    return x


def _status(field: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024
