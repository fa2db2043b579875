"""Import time of each peer in a new interpreter, the start of the interpreter itself subtracted.

python p4_import.py
"""

import statistics
import subprocess
import sys
import time

from common import emit

MODULES = {
    "numpy": "numpy",
    "scipy.fft": "scipy.fft",
    "jax": "jax",
    "jax, first operation": "jax.numpy as jnp; jnp.zeros(3) + 1",
    "torch": "torch",
    "autograd.numpy": "autograd.numpy",
    "numba": "numba",
    "scisim": "scisim",
}


def start_times(code: str, rounds: int = 5) -> tuple[list[float], str]:
    """Seconds of each start after the first, or none and the last line of the error."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        times.append(time.perf_counter() - start)
        if done.returncode:
            return [], done.stderr.strip().splitlines()[-1][:150]
    return times[1:], ""


def main() -> None:
    base = statistics.median(start_times("pass")[0])
    emit("interpreter start", "python", base * 1e3, "ms")
    for name, module in MODULES.items():
        times, error = start_times(f"import {module}")
        if error:
            emit("import", name, "failed", "ms", message=error)
        else:
            emit("import", name, (statistics.median(times) - base) * 1e3, "ms", min=(min(times) - base) * 1e3)


if __name__ == "__main__":
    main()
