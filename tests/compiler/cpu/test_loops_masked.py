"""Long bodies, which are written once for whole vectors and for what is left, give the bits of the two copies."""

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.cpu import loops
from scisim.compiler.cpu.executor import executor
from scisim.compiler.native import NativeProgram


def f(x, y):
    """A few dozens of operations, a sum along the last axis, and a store of each element."""
    s = ss.sin(x) * ss.exp(y) + ss.tanh(x - y)
    for k in range(12):
        s = s * (x + float(k)) - y / (1.0 + s * s)
    return s, ss.sum(s * x, axis=-1), ss.cumulative_sum(y, axis=-1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (7,), (16,), (17,), (33,), (3, 5), (4, 16), (5, 31), (2, 3, 47)])
def test_the_same_bits(shape, dtype, monkeypatch):
    rng = np.random.default_rng(7)
    x, y = (rng.uniform(-2, 2, (*shape[:-1], shape[-1] + 3)).astype(dtype)[..., 3:] for _ in range(2))
    graph = ss.jit(f)._program((x, y), {})[0].graph
    once = NativeProgram(graph)
    monkeypatch.setattr(loops, "LONG", 10**9)
    whole = shape[-1] % 16 == 0  # nothing is left
    assert whole or any(isinstance(k, loops.Loop) and len(k.nodes) > 24 and k.tail for k in once.kernels.values())
    for a, b in zip(once(x, y), _anew(graph)(x, y), strict=True):
        assert a.tobytes() == b.tobytes()


def _anew(graph):
    """The program with kernels that are compiled again, though others of their names are in memory."""
    known, cache = executor().library._known, executor().library.cache
    held, usable = dict(known), cache.usable
    known.clear()
    cache.usable = False
    try:
        return NativeProgram(graph)
    finally:
        known.update(held)
        cache.usable = usable
