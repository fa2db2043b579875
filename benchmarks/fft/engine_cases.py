"""Fourier transforms by each library as its users would call it: a new result, the operand kept, threads as told."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))
Call = Callable[[], Any]


def operand(kind: str, shape: list[int]) -> np.ndarray:
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    return x if kind == "pair" else x + 1j * rng.normal(size=shape)


def by_scisim(kind: str, shape: list[int]) -> Call:
    import scisim as ss

    x = ss.asarray(operand(kind, shape))
    if kind == "c2c":
        return lambda: ss.fft.fftn(x)
    h, s = ss.fft.rfftn(x), tuple(shape)
    return lambda: (ss.fft.rfftn(x), ss.fft.irfftn(h, s))


def by_numpy(kind: str, shape: list[int]) -> Call:
    return _like_numpy(np.fft, kind, shape)


def by_scipy(kind: str, shape: list[int]) -> Call:
    import scipy.fft

    return _like_numpy(scipy.fft, kind, shape, workers=THREADS)


def by_mkl_fft(kind: str, shape: list[int]) -> Call:
    import mkl_fft.interfaces.numpy_fft as m

    return _like_numpy(m, kind, shape)


def _like_numpy(m: Any, kind: str, shape: list[int], **more: Any) -> Call:
    x = operand(kind, shape)
    if kind == "c2c":
        return lambda: m.fftn(x, **more)
    h, s, axes = m.rfftn(x), tuple(shape), tuple(range(len(shape)))
    return lambda: (m.rfftn(x, **more), m.irfftn(h, s, axes, **more))


def by_ducc0(kind: str, shape: list[int]) -> Call:
    import ducc0.fft as m

    x = operand(kind, shape)
    if kind == "c2c":
        return lambda: m.c2c(x, nthreads=THREADS)
    h, last = m.r2c(x), shape[-1]
    return lambda: (
        m.r2c(x, nthreads=THREADS),
        m.c2r(h, lastsize=last, forward=False, inorm=2, nthreads=THREADS),
    )


def by_pyfftw(kind: str, shape: list[int]) -> Call:
    """Plans that were measured; a transform to real numbers gets a copy, since FFTW writes over its operand."""
    import pyfftw

    x = operand(kind, shape)
    if kind == "c2c":
        forward = _plan(pyfftw, np.empty_like(x), np.empty_like(x))
        return lambda: _run(forward, x, np.empty_like(x))
    h = np.fft.rfftn(x)
    there, back = _plan(pyfftw, np.empty_like(x), np.empty_like(h)), _plan(pyfftw, np.empty_like(h), np.empty_like(x))
    return lambda: (_run(there, x, np.empty_like(h)), _run(back, h.copy(), np.empty_like(x)))


def _plan(pyfftw: Any, a: np.ndarray, b: np.ndarray) -> Any:
    direction = "FFTW_BACKWARD" if b.dtype.kind == "f" else "FFTW_FORWARD"
    axes, flags = tuple(range(a.ndim)), ("FFTW_MEASURE", "FFTW_UNALIGNED")
    return pyfftw.FFTW(a, b, axes=axes, direction=direction, flags=flags, threads=THREADS)


def _run(plan: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    plan.update_arrays(a, b)
    plan.execute()
    return b * (1.0 / b.size) if b.dtype.kind == "f" else b


def by_jax(kind: str, shape: list[int]) -> Call:
    import jax
    import jax.numpy as jnp

    x = jnp.asarray(operand(kind, shape))
    if kind == "c2c":
        f = jax.jit(jnp.fft.fftn)
        return lambda: f(x).block_until_ready()
    h, there, back = jnp.fft.rfftn(x), jax.jit(jnp.fft.rfftn), jax.jit(lambda h: jnp.fft.irfftn(h, shape))
    return lambda: jax.block_until_ready((there(x), back(h)))


def by_torch(kind: str, shape: list[int]) -> Call:
    import torch

    torch.set_num_threads(THREADS)
    x = torch.from_numpy(operand(kind, shape))
    if kind == "c2c":
        return lambda: torch.fft.fftn(x)
    h = torch.fft.rfftn(x)
    return lambda: (torch.fft.rfftn(x), torch.fft.irfftn(h, s=shape))
