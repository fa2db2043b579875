"""The four transforms over the last axis, and their transposes: each is again one of them.

With cotangents paired as Re(sum(ct * dz)) a transpose has no conjugate, so fft and ifft are their own.  rfft
drops, and irfft fills in, the half of the spectrum that is the conjugate of the other: its elements count
twice, those of frequency 0 and of the Nyquist frequency (even length) once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import leading
from scisim.core.primitive import Primitive
from scisim.core.values import dtype, shape
from scisim.ops.complexes import conj


@lru_cache(maxsize=64)
def _complex_of(dt: np.dtype) -> np.dtype:
    """The dtype of a spectrum."""
    return np.fft.fft(np.zeros(1, dt)).dtype


@lru_cache(maxsize=256)
def _weights(n: int, twice: float, once: float, dt: np.dtype) -> np.ndarray:
    """Weights of the half spectrum of n points: of elements that have a conjugate, and of those without."""
    w = np.full(n // 2 + 1, twice, np.zeros((), dt).real.dtype)
    w[0] = once
    if n % 2 == 0:
        w[-1] = once
    w.flags.writeable = False
    return w


def _same_shape(avals: tuple, p: dict) -> ShapeDtype:
    return ShapeDtype(avals[0].shape, _complex_of(avals[0].dtype))


fft_p = Primitive(
    "fft",
    lambda x: np.fft.fft(x),
    axes=leading(1),
    infer=_same_shape,
    linear=(0,),
    transpose=lambda i, ct, args, p: fft_p(ct),
    array_api="fft.fft",
)
ifft_p = Primitive(
    "ifft",
    lambda x: np.fft.ifft(x),
    axes=leading(1),
    infer=_same_shape,
    linear=(0,),
    transpose=lambda i, ct, args, p: ifft_p(ct),
    array_api="fft.ifft",
)


def _rfft_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    n = shape(args[0])[-1]
    return irfft_p(conj(ct) * _weights(n, 0.5 * n, 1.0 * n, dtype(ct)), n=n)


def _irfft_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    n = p["n"]
    return conj(rfft_p(ct)) * _weights(n, 2.0 / n, 1.0 / n, dtype(ct))


rfft_p = Primitive(
    "rfft",
    lambda x: np.fft.rfft(x),
    axes=leading(1),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], avals[0].shape[-1] // 2 + 1), _complex_of(avals[0].dtype)),
    linear=(0,),
    transpose=_rfft_transpose,
    array_api="fft.rfft",
)
# The operand has n // 2 + 1 elements; imaginary parts at frequency 0 and at the Nyquist frequency are not
# read.
irfft_p = Primitive(
    "irfft",
    lambda x, n: np.fft.irfft(x if x.dtype.kind == "c" else x.astype(_complex_of(x.dtype)), n),
    axes=leading(1),
    infer=lambda avals, p: ShapeDtype(
        (*avals[0].shape[:-1], p["n"]), np.zeros((), _complex_of(avals[0].dtype)).real.dtype
    ),
    linear=(0,),
    transpose=_irfft_transpose,
    array_api="fft.irfft",
)
