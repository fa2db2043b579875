"""Small transforms that an engine has to get right before it is used.

Versions of libraries have scaled by the wrong number of axes, written to the operand, and read imaginary parts that
belong to no real signal; an engine that fails here is left out, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scisim.core.errors import ScisimError
from scisim.fft.engines.interface import Engine

_FAILURES = (
    *(ScisimError, ValueError, TypeError, RuntimeError, AttributeError, NameError, OSError, MemoryError),
    *(ArithmeticError, LookupError, AssertionError, ImportError, BufferError),
)


def fault(engine: Engine) -> str:
    """What an engine gets wrong, or an empty text."""
    for what, operand, call, want in _trials(engine):
        kept = operand.copy()
        try:
            got = np.asarray(call(None))
            out = np.full(want.shape, np.nan, want.dtype)
            call(out)
        except _FAILURES as error:
            return f"{what} raised {type(error).__name__}: {error}"
        close = 64 * np.finfo(want.dtype).eps * np.abs(want).max()
        if got.shape != want.shape or got.dtype != want.dtype or not np.abs(got - want).max() <= close:
            return f"{what} is wrong"
        if not np.array_equal(got, out):
            return f"{what} differs when it writes to an array"
        if not np.array_equal(kept, operand):
            return f"{what} changed its operand"
    return ""


def _trials(engine: Engine) -> Iterator[tuple[str, np.ndarray, Any, np.ndarray]]:
    """(description, operand, call with ``out``, right result) of transforms along some axes and all."""
    random = np.random.default_rng(7)
    for single in (False, True):
        for shape, axes in (
            ((6,), (-1,)),
            ((4, 3, 6), (-3, -1)),
            ((3, 4, 5), (-1, -2)),
            ((2, 5, 3), (-2,)),
            ((2, 6, 4), (-3, -2, -1)),
        ):
            x = random.normal(size=shape).astype(np.float32 if single else np.float64)
            for inverse in (False, True):
                yield from _trials_of(engine, x, axes, inverse)


def _trials_of(engine: Engine, x: np.ndarray, axes: tuple, inverse: bool) -> Iterator[tuple]:
    scale, n = 0.375, x.shape[axes[-1]]
    z = (x + 1j * np.roll(x, 1)).astype(np.complex64 if x.dtype == np.float32 else np.complex128)
    half = np.take(z, range(n // 2 + 1), axis=axes[-1])  # of no real signal
    where = f"of shape {x.shape} along {axes}, dtype {z.dtype}"
    yield (
        f"c2c {where}",
        z,
        lambda out: engine.c2c(z, axes, inverse, scale, out, 1),
        dense(z, axes, inverse, scale).astype(z.dtype),
    )
    want = np.take(dense(x, axes, inverse, scale), range(n // 2 + 1), axis=axes[-1]).astype(z.dtype)
    yield f"r2c {where}", x, lambda out: engine.r2c(x, axes, inverse, scale, out, 1), want
    want = dense_real(half, n, axes, inverse, scale).astype(x.dtype)
    yield f"c2r {where}", half, lambda out: engine.c2r(half, n, axes, inverse, scale, out, 1), want


def dense(z: np.ndarray, axes: tuple, inverse: bool, scale: float) -> np.ndarray:
    """The transform by its matrices, in double precision."""
    y = z.astype(np.complex128) * scale
    for a in axes:
        n = z.shape[a]
        w = np.exp((2j if inverse else -2j) * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n)
        y = np.moveaxis(np.tensordot(y, w, (a, 0)), -1, a)
    return y


def dense_real(half: np.ndarray, n: int, axes: tuple, inverse: bool, scale: float) -> np.ndarray:
    """The real transform of half a spectrum: elements with a conjugate count twice."""
    y = np.moveaxis(dense(half, axes[:-1], inverse, scale), axes[-1], -1)
    twice = np.full(n // 2 + 1, 2.0)
    twice[0] = 1.0
    if n % 2 == 0:
        twice[-1] = 1.0
    w = np.exp((2j if inverse else -2j) * np.pi * (np.outer(np.arange(n // 2 + 1), np.arange(n)) % n) / n)
    return np.moveaxis(((y * twice) @ w).real, -1, axes[-1])
