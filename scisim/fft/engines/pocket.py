"""The engines with the interface of pocketfft: SciPy's own, and its successor ducc0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.fft.engines.interface import REAL, Axes, points, result, whole_strides


class Pocket:
    """An engine of a module with the functions c2c, r2c and c2r, which keep a few plans by themselves.

    Parameters
    ----------
    name : str
    module : module
    """

    def __init__(self, name: str, module: Any) -> None:
        self.name, self._of = name, module

    def c2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        x, known = whole_strides(x), _factor(scale, x, axes)
        return _times(self._of.c2c(x, axes, not inverse, known or 0, out, threads), known, scale)

    def r2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        x, known = whole_strides(x), _factor(scale, x, axes)
        return _times(self._of.r2c(x, axes, not inverse, known or 0, out, threads), known, scale)

    def c2r(
        self, x: np.ndarray, n: int, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        y = result(x, out, axes[-1], n, REAL[x.dtype.char])
        x, known = whole_strides(x), _factor(scale, y, axes)
        return _times(self._of.c2r(x, axes, n, not inverse, known or 0, y, threads), known, scale)

    def clear(self) -> None:
        """The module bounds its plans by their number."""


def _factor(scale: float, signal: np.ndarray, axes: Axes) -> int | None:
    """The code of a scale that the modules apply by themselves: of 1, 1 / sqrt(n) and 1 / n."""
    if scale == 1.0:
        return 0
    n = points(signal, axes)
    return 2 if scale == 1.0 / n else 1 if scale == 1.0 / math.sqrt(n) else None


def _times(y: np.ndarray, known: int | None, scale: float) -> np.ndarray:
    return y if known is not None else np.multiply(y, y.real.dtype.type(scale), out=y)


class SciPy:
    """SciPy's public functions, for a version whose inner module is not the one that `Pocket` calls."""

    name = "scipy"

    def c2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        import scipy.fft as sf

        norm = "forward" if inverse else "backward"  # without a factor
        y = (sf.ifftn if inverse else sf.fftn)(x, axes=axes, norm=norm, workers=threads)
        return _into(out, y, scale)

    def r2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        import scipy.fft as sf

        y = sf.rfftn(x, axes=axes, workers=threads)
        return _into(out, y.conj() if inverse else y, scale)

    def c2r(
        self, x: np.ndarray, n: int, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        import scipy.fft as sf

        s = [*(x.shape[a] for a in axes[:-1]), n]
        y = sf.irfftn(x if inverse else x.conj(), s, axes, norm="forward", workers=threads)
        return _into(out, y, scale)

    def clear(self) -> None:
        """SciPy bounds its plans by their number."""


def _into(out: np.ndarray | None, y: np.ndarray, scale: float) -> np.ndarray:
    return np.multiply(y, y.real.dtype.type(scale), out=y if out is None else out)


def scipy_engine() -> Any:
    """SciPy's transforms without its search for another backend, which takes longer than a short transform."""
    try:
        from scipy.fft._pocketfft import pypocketfft
    except ImportError:
        return SciPy()
    from scisim.fft.engines.probe import fault

    engine = Pocket("scipy", pypocketfft)
    return SciPy() if fault(engine) else engine


def ducc_engine() -> Any:
    """The package ducc0."""
    import ducc0.fft

    return Pocket("ducc0", ducc0.fft)
