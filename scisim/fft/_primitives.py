"""The three transforms along any axes, and their transposes: each is again one of them.

With cotangents paired as Re(sum(ct * dz)) a transpose has no conjugate, so a complex transform is its own.  rfft drops,
and irfft fills in, the half of the spectrum that is the conjugate of the other.  In irfft elements with a conjugate
therefore count ``twice``, those of frequency 0 and of the Nyquist frequency (even length) once; the transposes carry
the same weights, as rfft with ``twice`` and irfft without.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.primitive import Primitive
from scisim.core.values import shape
from scisim.fft import engines
from scisim.fft._lines import fft_apart, fft_lines, irfft_apart, irfft_lines, rfft_apart, rfft_lines
from scisim.fft.engines.edges import edges


@lru_cache(maxsize=64)
def complex_of(dt: np.dtype) -> np.dtype:
    """The dtype of a spectrum."""
    single = dt.kind not in "biu" and (dt.itemsize <= 4 or dt == np.complex64)
    return np.dtype(np.complex64 if single else np.complex128)


def _labels(shapes: tuple, p: dict) -> tuple:
    rank = len(shapes[0])
    found = tuple(None if k - rank in p["axes"] else k for k in range(rank))
    return [found], found


_ALONG = Axes(_labels)


def _with(s: tuple[int, ...], axis: int, n: int) -> tuple[int, ...]:
    return tuple(n if k - len(s) == axis else m for k, m in enumerate(s))


def _fft(x: Any, axes: tuple, inverse: bool, scale: float, out: Any = None) -> Any:
    return engines.c2c(x, axes, inverse, scale, out)


def _rfft(x: Any, axes: tuple, inverse: bool, scale: float, twice: bool, out: Any = None) -> Any:
    y = engines.r2c(x, axes, inverse, 2.0 * scale if twice else scale, out)
    if twice:
        y[edges(y.ndim, axes[-1], x.shape[axes[-1]])] *= 0.5
    return y


def _irfft(x: Any, n: int, axes: tuple, inverse: bool, scale: float, twice: bool, out: Any = None) -> Any:
    if not twice:  # the copy is also the conjugate that turns the direction round
        x, scale = np.conjugate(x) if not inverse else x.copy(), 0.5 * scale
        x, inverse = x.astype(complex_of(x.dtype), copy=False), True
        x[edges(x.ndim, axes[-1], n)] *= 2.0
    return engines.c2r(x, n, axes, inverse, scale, out)


def _rfft_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return irfft_p(ct, **{**p, "n": shape(args[0])[p["axes"][-1]]})


def _irfft_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return rfft_p(ct, **{k: v for k, v in p.items() if k != "n"})


fft_p = Primitive(
    "fft",
    _fft,
    into=lambda out, x, **p: _fft(x, **p, out=out),
    lines=fft_lines,
    apart=lambda *of: fft_apart(fft_p, *of),
    axes=_ALONG,
    infer=lambda avals, p: ShapeDtype(avals[0].shape, complex_of(avals[0].dtype)),
    linear=(0,),
    transpose=lambda i, ct, args, p: fft_p(ct, **p),
    array_api="fft.fft",
)
rfft_p = Primitive(
    "rfft",
    _rfft,
    into=lambda out, x, **p: _rfft(x, **p, out=out),
    lines=lambda avals, p: rfft_lines(rfft_p, avals, p),
    apart=lambda *of: rfft_apart(rfft_p, fft_p, *of),
    axes=_ALONG,
    infer=lambda avals, p: ShapeDtype(
        _with(avals[0].shape, p["axes"][-1], avals[0].shape[p["axes"][-1]] // 2 + 1), complex_of(avals[0].dtype)
    ),
    linear=(0,),
    transpose=_rfft_transpose,
    array_api="fft.rfft",
)
# The operand has n // 2 + 1 elements along the last of the axes; imaginary parts at frequency 0 and at the Nyquist
# frequency are not read.
irfft_p = Primitive(
    "irfft",
    _irfft,
    into=lambda out, x, **p: _irfft(x, **p, out=out),
    lines=lambda avals, p: irfft_lines(irfft_p, avals, p),
    apart=lambda *of: irfft_apart(irfft_p, fft_p, *of),
    axes=_ALONG,
    infer=lambda avals, p: ShapeDtype(
        _with(avals[0].shape, p["axes"][-1], p["n"]), np.zeros((), complex_of(avals[0].dtype)).real.dtype
    ),
    linear=(0,),
    transpose=_irfft_transpose,
    array_api="fft.irfft",
)
