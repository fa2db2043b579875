"""Rate of generated matrix products on one core, beside NumPy's and what the multiply-add units can do.

    env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE python benchmarks/products.py [--rounds 9] [--sizes 20,32,64,128]

Layers of a network have M = 192 points and N = K neurons; "tn" is the product for the gradient of the weights,
A^T @ B with sums over the 192 points. Rates are 10^9 operations a second of processor time; the share is that of
a loop of nothing but multiply-adds of the same run. The last line is a Gram matrix of 2000 x 921.
"""

import argparse
import ctypes
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np

from scisim.compiler.cpu.emit import Function, splat, vector
from scisim.compiler.cpu.library import host_library
from scisim.compiler.cpu.products import BatchedProduct
from scisim.compiler.cpu.products_syrk import Syrk
from scisim.compiler.cpu.target import host

SECONDS = 0.003  # of each measurement
POINTS = 192


@dataclass(frozen=True)
class Peak:
    """Multiply-adds in registers, 24 sums at a time; slots count, memory for the sums."""

    dtype: str
    chains = 24

    @property
    def name(self) -> str:
        return f"peak_{self.dtype}"

    def operations(self, target) -> int:
        return 2 * self.chains * target.lanes(self.dtype)

    def emit(self, module, target) -> None:
        f = Function(module, self.name, ["ptr %args"])
        scalar, lanes = {"float64": ("double", 64), "float32": ("float", 32)}[self.dtype]
        bits, lanes = lanes, target.vector_bits // lanes
        type_ = vector(scalar, lanes)
        half, one = ((type_, splat(v, scalar, lanes)) for v in (0.5, 1.0))
        fma = f"llvm.fma.v{lanes}f{bits}"
        with f.loop(0, f.argument(0), 1, [(type_, splat(k, scalar, lanes)) for k in range(self.chains)]) as (
            _,
            now,
            to,
        ):
            to += [f.call(type_, fma, (type_, x), half, one) for x in now]
        for x in now:
            f.store(type_, x, f.argument(1, "ptr"), 8)
        f.done()


def native(kernel, *slots) -> Callable[[int], None]:
    """A function that runs a kernel with a number before its other slots."""
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(host_library().addresses([kernel])[kernel.name])
    values = [s.ctypes.data if isinstance(s, np.ndarray) else int(s) for s in slots]
    args = (ctypes.c_int64 * (1 + len(values)))(0, *values)

    def run(number: int, held=slots) -> None:
        args[0] = number
        function(ctypes.addressof(args))

    return run


def repeated(call: Callable[[], object]) -> Callable[[int], None]:
    def run(number: int) -> None:
        for _ in range(number):
            call()

    return run


def rates(cases: dict[str, tuple[Callable[[int], None], float]], rounds: int) -> dict[str, float]:
    """Operations a second by case, the median over rounds in which the cases take turns."""
    numbers, found = {}, {name: [] for name in cases}
    for name, (run, operations) in cases.items():
        run(3)
        numbers[name] = max(1, round(SECONDS * 5e10 / operations))
    for _ in range(rounds):
        for name, (run, operations) in cases.items():
            start = time.process_time()
            run(numbers[name])
            found[name].append(operations * numbers[name] / (time.process_time() - start))
    return {name: median(values) for name, values in found.items()}


def aligned(x: np.ndarray) -> np.ndarray:
    """A copy that starts on a line of the caches, as the memory of compiled programs does."""
    memory = np.empty(x.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


def product_case(dtype: str, m: int, n: int, k: int, transposed: bool, rounds: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    a, b = (aligned(rng.normal(size=s).astype(dtype)) for s in ((k, m) if transposed else (m, k), (k, n)))
    c, out, peak = aligned(np.zeros((m, n), dtype)), aligned(np.zeros((m, n), dtype)), Peak(dtype)
    left = a.T if transposed else a
    slots = (m, n, k, a, a.shape[1], b, n, c, n, 0, 0, 0)  # strides of 0: the same product over and over
    operations = 2.0 * m * n * k
    sums = np.zeros(64, dtype)
    result = rates(
        {
            "peak": (native(peak, sums), peak.operations(host())),
            "scisim": (native(BatchedProduct(dtype, transposed, False), *slots), operations),
            "numpy": (repeated(lambda: np.matmul(left, b, out=out)), operations),
        },
        rounds,
    )
    np.testing.assert_allclose(c, out, rtol=0, atol=k * np.finfo(dtype).eps * 40)
    return result


def gram_case(dtype: str, rows: int, columns: int, rounds: int) -> dict[str, float]:
    a = np.random.default_rng(0).normal(size=(rows, columns)).astype(dtype)
    c, kernel = np.zeros((columns, columns), dtype), Syrk(dtype)
    memory = np.zeros(kernel.memory(columns), np.uint8)
    run = native(kernel, rows, a, columns, c, columns, memory)
    calls = {"scisim": lambda: run(columns), "numpy": lambda: a.T @ a}
    result = rates({k: (repeated(call), float(rows) * columns * columns) for k, call in calls.items()}, rounds)
    np.testing.assert_allclose(c, a.T @ a, rtol=0, atol=rows * np.finfo(dtype).eps * 40)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sizes", default="20,32,64,128")
    options = parser.parse_args()
    print(f"{'':24}{'scisim':>8}{'numpy':>8}{'peak':>8}{'share':>8}")
    for dtype in ("float64", "float32"):
        for width in map(int, options.sizes.split(",")):
            for transposed in (False, True):
                m, k = (width, POINTS) if transposed else (POINTS, width)
                r = product_case(dtype, m, width, k, transposed, options.rounds)
                kind = "tn" if transposed else "nn"
                figures = "".join(f"{r[name] / 1e9:8.0f}" for name in ("scisim", "numpy", "peak"))
                print(f"{dtype} {kind} {width:4}{figures:>35}{r['scisim'] / r['peak']:8.0%}", flush=True)
    for dtype in ("float64", "float32"):
        r = gram_case(dtype, 2000, 921, options.rounds)
        print(f"{dtype} Gram{r['scisim'] / 1e9:18.0f}{r['numpy'] / 1e9:8.0f}")


if __name__ == "__main__":
    main()
