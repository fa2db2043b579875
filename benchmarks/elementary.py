"""Rates of the compiler's elementary functions on one core, beside PyTorch's where it is installed.

    python benchmarks/elementary.py [function ...]

Each function runs over 16,384 numbers that stay in the L2 cache; the figure is the best of several rounds by processor
time, in 10**9 numbers a second, as the machine's other work would only add to it.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np

from scisim.compiler.cpu import emit, target
from scisim.compiler.cpu.printer import Printer, scalar_type
from scisim.compiler.scalar.ir import FLOATS, Builder
from scisim.compiler.scalar.namespace import Scalars

COUNT, REPEATS, ROUNDS = 16384, 100, 9
RANGES = {
    **dict.fromkeys(("exp", "exp2", "expm1", "sinh", "cosh", "tanh", "sigmoid", "erf", "erfc"), (-4.0, 4.0)),
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "cbrt"), (0.01, 100.0)),
    **dict.fromkeys(("sin", "cos", "tan", "atan", "asinh"), (-10.0, 10.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-1.0, 1.0)),
    "log1p": (-0.9, 10.0),
    "acosh": (1.0, 10.0),
    "pow": (0.1, 4.0),
    "hypot": (0.1, 4.0),
    "atan2": (-1.0, 1.0),
}
BINARY = {"pow", "hypot", "atan2"}
# What PyTorch calls them; where it has none the column stays empty.
TORCH = {"cbrt": None, "hypot": "hypot"}


def compiled(name: str, dtype: str, chosen: target.Target) -> Callable:
    """The address of ``function(ptr {count, operands..., result})`` and what keeps it alive."""
    module, lanes, count = emit.Module(), chosen.lanes(dtype), 2 if name in BINARY else 1
    f = emit.Function(module, "kernel", ["ptr %args"])
    pointers = [f.argument(1 + k, "ptr") for k in range(count + 1)]
    element, builder = scalar_type(dtype), Builder()
    operands = [builder.node("load", (), dtype, (k, 0)) for k in range(count)]
    vector = emit.vector(element, lanes)
    with f.loop(0, f.argument(0), lanes) as (i, _, _):

        def load(node):
            return f.load(vector, f.at(element, pointers[node.attr[0]], i), FLOATS[dtype] // 8)

        printer = Printer(f, chosen, lanes, load, str)
        result = printer.value(getattr(Scalars(builder, dtype), name)(*operands))
        f.store(vector, result, f.at(element, pointers[-1], i), FLOATS[dtype] // 8)
    f.done()
    code = target.compile_ir(module.text(chosen.attributes), chosen)
    llvm = target.binding()
    jit = llvm.create_lljit_compiler(target.machine(chosen))
    linked = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol("kernel")
    library = linked.link(jit, name)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library["kernel"])
    call.kept = jit, library
    return call


def rate(run: Callable) -> float:
    """Numbers a second, in 10**9."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(REPEATS):
            run()
        best = min(best, time.process_time() - start)
    return COUNT * REPEATS / best / 1e9


def ours(name: str, arrays: list, chosen: target.Target) -> float:
    call, result = compiled(name, arrays[0].dtype.name, chosen), np.empty_like(arrays[0])
    slots = (ctypes.c_int64 * (2 + len(arrays)))(COUNT, *(a.ctypes.data for a in (*arrays, result)))
    return rate(lambda: call(ctypes.addressof(slots)))


def torchs(name: str, arrays: list) -> float | None:
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    function = getattr(torch, TORCH.get(name, name) or "", None)
    if function is None:
        return None
    tensors = [torch.from_numpy(a) for a in arrays]
    result = torch.empty_like(tensors[0])
    return rate(lambda: function(*tensors, out=result))


def main(names: list[str]) -> None:
    """Print a line a function."""
    rng = np.random.default_rng(0)
    chosen = [target.host()] + ([target.avx2()] if target.host().vector_bits == 512 else [])
    columns = [f"{d} {c}" for d in ("float32", "float64") for c in (*(str(t.vector_bits) for t in chosen), "torch")]
    print("function " + " ".join(f"{c:>13}" for c in columns))
    for name in names or RANGES:
        figures = []
        for dtype in ("float32", "float64"):
            arrays = [rng.uniform(*RANGES[name], COUNT).astype(dtype) for _ in range(2 if name in BINARY else 1)]
            figures += [ours(name, arrays, t) for t in chosen] + [torchs(name, arrays)]
        print(f"{name:9}" + " ".join(f"{'' if v is None else f'{v:.2f}':>13}" for v in figures), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
