"""Compiled programs give the same bits wherever their memory lies: compiled anew, and for results at any address."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.lower.tuning import CACHED

TIMES = 20


def _bits(outs) -> tuple:
    return tuple(np.asarray(y).tobytes() for y in outs)


def _rows(z, parts, w):
    """Rows made of many beside them, and their sums."""
    h = sum((ss.tanh(ss.real(z + p)) + 1j * ss.tanh(ss.imag(z - p)) for p in parts), z)
    return h, ss.sum(h * w, axis=1)


def _arguments(rng, shape):
    draw = lambda *shape: rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return draw(*shape), [draw(*shape) for _ in range(5)], draw(shape[1])


@pytest.mark.parametrize("columns", [6, 13, 40])
def test_sums_of_rows_do_not_depend_on_where_results_lie(rng, columns):
    f, args = ss.jit(_rows), _arguments(rng, (3, columns))
    held = [(np.empty(16 * k, np.uint8), f(*args)) for k in range(1, 3 * TIMES)]
    assert len({h.numpy().ctypes.data % 128 for _, (h, _) in held}) > 1
    assert len({_bits(outs) for _, outs in held}) == 1


@pytest.mark.parametrize("shape", [(2, 6), (5, 13), (8, 40)])
def test_programs_compiled_anew_give_the_same_bits(rng, shape):
    z, parts, w = _arguments(rng, shape)

    def loss(z):
        h, sums = _rows(z, parts, w)
        return ss.sum(ss.abs(ss.mean(sums) * h) ** 2)  # the sums come first, so h waits in the program's own memory

    held, found = [], set()
    for k in range(TIMES):
        f = ss.jit(ad.value_and_grad(lambda z: loss(z)))
        held.append((f, np.empty(64 * k, np.uint8)))  # so that the next one has memory elsewhere
        found.add(_bits(f(z)))
    assert len(found) == 1


def test_sums_beside_large_results_do_not_depend_on_where_these_lie(rng):
    shape = (CACHED * 2 // 8 // 1024, 1024)  # so large that results alone would go past the caches
    x, z = rng.normal(size=shape), rng.normal(size=shape)
    f, found = ss.jit(lambda x, z: (x - z, ss.sum(x - z, axis=1)), donate_argnums=0), set()
    for shift in (0, 1, 2, 5, 7):
        room = np.empty(x.nbytes + 128, np.uint8)
        start = -room.ctypes.data % 64 + 8 * shift
        own = np.ndarray(shape, x.dtype, room, start)
        own[...] = x
        found.add(_bits(f(own, z)))
    assert len(found) == 1
