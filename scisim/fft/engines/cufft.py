"""cuFFT through CuPy, for arrays on a CUDA device."""

from __future__ import annotations

from typing import Any

from scisim.fft.engines.interface import Axes
from scisim.fft.engines.plans import PLANS


class CuFFT:
    """CuPy's transforms; its plans are bounded by the same number of bytes as those of the host.

    Parameters
    ----------
    cupy : module
    """

    name = "cufft"

    def __init__(self, cupy: Any) -> None:
        self._cupy, self._fft = cupy, cupy.fft

    def c2c(self, x: Any, axes: Axes, inverse: bool, scale: float, out: Any, threads: int) -> Any:
        """See `Engine`."""
        self._bound()
        f = self._fft.ifftn if inverse else self._fft.fftn
        return self._give(f(x, axes=axes, norm="forward" if inverse else "backward"), scale, out)

    def r2c(self, x: Any, axes: Axes, inverse: bool, scale: float, out: Any, threads: int) -> Any:
        """See `Engine`."""
        self._bound()
        y = self._fft.rfftn(x, axes=axes)
        return self._give(y.conj() if inverse else y, scale, out)

    def c2r(self, x: Any, n: int, axes: Axes, inverse: bool, scale: float, out: Any, threads: int) -> Any:
        """See `Engine`: cuFFT may write to what it transforms to real numbers, so it is given a copy.

        The transforms along the other axes come first, so that imaginary parts without a signal can be ignored.
        """
        self._bound()
        z = x.copy() if inverse else x.conj()
        if len(axes) > 1:
            z = self._fft.ifftn(z, axes=axes[:-1], norm="forward")
        edge = [slice(None)] * z.ndim
        for k in (0, n // 2) if n % 2 == 0 else (0,):
            edge[axes[-1]] = slice(k, k + 1)
            z[tuple(edge)] = z[tuple(edge)].real
        return self._give(self._fft.irfft(z, n, axes[-1], norm="forward"), scale, out)

    def clear(self) -> None:
        """Forget CuPy's plans."""
        self._fft.config.get_plan_cache().clear()

    def _bound(self) -> None:
        cache = self._fft.config.get_plan_cache()
        if cache.get_memsize() != PLANS.limit:
            cache.set_memsize(PLANS.limit)

    def _give(self, y: Any, scale: float, out: Any) -> Any:
        if out is None:
            return y if scale == 1.0 else y * y.real.dtype.type(scale)
        self._cupy.multiply(y, y.real.dtype.type(scale), out=out)
        return out
