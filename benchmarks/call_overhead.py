"""What a call of a compiled function costs: x + 1 on 8 elements, and a function of ten arrays, beside JAX and PyTorch.

    python benchmarks/call_overhead.py [--rounds 9] [--only jax] [--json FILE]

"entry" is the builtin function below `jit`, called through a class as `jit` does it.  Libraries that are not
installed are left out, so that the peers can be measured in their own environment.  The exit status is 1 if scisim
misses a bar.
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable

import numpy as np
from timing import interleave, summarize

BARS = {"x + 1 on 8 elements": 1.5, "ten arrays of 8 x 8": 3.0}  # microseconds
ROWS = list(BARS)
Calls = dict[str, Callable[[], object]]


def ten(*arrays):
    """A function of ten arrays that does next to nothing with them."""
    total = arrays[0]
    for a in arrays[1:]:
        total = total + a
    return total


def arguments() -> tuple[np.ndarray, list[np.ndarray]]:
    """One small array, and ten."""
    return np.arange(8.0), [np.full((8, 8), float(k)) for k in range(10)]


def scisim() -> Calls:
    """`ss.jit`."""
    import scisim as ss

    one, many = arguments()
    x, xs = ss.asarray(one), [ss.asarray(a) for a in many]
    f, g = ss.jit(lambda x: x + 1), ss.jit(ten)
    assert np.array_equal(f(x), one + 1)
    assert np.array_equal(g(*xs), sum(many))
    return dict(zip(ROWS, (lambda: f(x), lambda: g(*xs)), strict=True))


class Increment:
    """The kernel y[i] = x[i] + 1 for n numbers."""

    name = "benchmark_increment"

    def emit(self, module, target):
        """Write it."""
        from scisim.compiler.cpu.emit import Function

        f = Function(module, self.name, ["ptr %args"])
        x, y = f.argument(0, "ptr"), f.argument(1, "ptr")
        with f.loop(0, f.argument(2)) as (i, _, _):
            new = f.op("fadd", "double", f.load("double", f.at("double", x, i), 8), "1.0")
            f.store("double", new, f.at("double", y, i), 8)
        f.done()


class Through:
    """Tries the entry first, as `jit` does."""

    def __init__(self, entry):
        self.entry = entry.call

    def __call__(self, *args):
        """Call."""
        result = self.entry(*args)
        if result is NotImplemented:
            raise TypeError("the arguments do not fit")
        return result


def entry() -> Calls:
    """The builtin function with a program of one kernel."""
    import scisim as ss
    from scisim.compiler.cpu.entry import Given, Taken, make_entry
    from scisim.compiler.cpu.executor import executor
    from scisim.compiler.cpu.image import Arg, Image, number

    def made(arrays):
        image = Image(3 + len(arrays))
        image.call(Increment.name, [Arg(2), Arg(2 + len(arrays)), number(arrays[0].size)])
        program = executor().bind(image, [Increment()])
        shape, dtype = arrays[0].shape, arrays[0].dtype
        takes = [Taken(2 + k, shape, dtype) for k in range(len(arrays))]
        call = Through(make_entry(program, program.frame(), takes, [Given(2 + len(arrays), shape, dtype)]))
        xs = [ss.asarray(a) for a in arrays]
        assert np.array_equal(call(*xs), arrays[0] + 1)
        return lambda: call(*xs)

    one, many = arguments()
    return dict(zip(ROWS, (made([one]), made(many)), strict=True))


def jax() -> Calls:
    """`jax.jit`."""
    import jax

    jax.config.update("jax_enable_x64", True)
    one, many = arguments()
    x, xs = jax.numpy.asarray(one), [jax.numpy.asarray(a) for a in many]
    f, g = jax.jit(lambda x: x + 1), jax.jit(ten)
    f(x), g(*xs)
    return dict(zip(ROWS, (lambda: f(x), lambda: g(*xs)), strict=True))


def torch() -> Calls:
    """`torch.compile`."""
    import torch

    one, many = arguments()
    x, xs = torch.asarray(one), [torch.asarray(a) for a in many]
    f, g = torch.compile(lambda x: x + 1), torch.compile(ten)
    f(x), g(*xs)
    return dict(zip(ROWS, (lambda: f(x), lambda: g(*xs)), strict=True))


LIBRARIES = {"scisim": scisim, "entry": entry, "jax": jax, "torch": torch}


def installed(library: str) -> bool:
    """Whether a library can be imported."""
    return importlib.util.find_spec("scisim" if library == "entry" else library) is not None


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default=",".join(LIBRARIES))
    parser.add_argument("--json")
    options = parser.parse_args()
    names = [n for n in options.only.split(",") if installed(n)]
    calls = {name: LIBRARIES[name]() for name in names}
    found, status = {}, 0
    for row in ROWS:
        times = interleave({name: calls[name][row] for name in names}, options.rounds)
        figures = {name: summarize([1e6 * t for t in times[name]]) for name in names}
        found[row] = {name: figure.median for name, figure in figures.items()}
        for name, figure in figures.items():
            bar = figure.verdict(BARS[row]) if name in ("scisim", "entry") else ""
            print(f"{row:22} {name:8} {figure.median:7.2f} us  ± {figure.half_width:.2f}  {bar}")
            status |= bar == "FAIL"
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
