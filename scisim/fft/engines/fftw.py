"""FFTW through the package pyfftw."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from scisim.fft.engines.edges import symmetric
from scisim.fft.engines.interface import COMPLEX, REAL, Axes, plain_strides, result
from scisim.fft.engines.plans import FFTW_RUNS, PLANS, forked


def _pyfftw() -> Any:
    """The package with FFTW's own functions: MKL has others by the same names, which lack some layouts."""
    before = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_NOW | getattr(os, "RTLD_DEEPBIND", 0))
    try:
        import pyfftw
    finally:
        sys.setdlopenflags(before)
    return pyfftw


class FFTW:
    """FFTW's transforms.

    Parameters
    ----------
    name : str
    effort : {"FFTW_ESTIMATE", "FFTW_MEASURE", "FFTW_PATIENT"}
        How it looks for a plan.  Measured plans can differ from run to run, and so the last bits of results.
    """

    def __init__(self, name: str, effort: str) -> None:
        self.name, self._effort, self._of = name, effort, _pyfftw()

    def c2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        y = np.empty(x.shape, x.dtype) if out is None else out
        return self._run(x, y, axes, inverse, scale, threads)

    def r2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        y = result(x, out, axes[-1], x.shape[axes[-1]] // 2 + 1, COMPLEX[x.dtype.char])
        self._run(x, y, axes, False, scale, threads)
        return np.conjugate(y, out=y) if inverse else y

    def c2r(
        self, x: np.ndarray, n: int, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        y = result(x, out, axes[-1], n, REAL[x.dtype.char])
        x = symmetric(x, n, axes)
        mine = x.copy(order="C") if inverse else np.conjugate(x)  # it writes to what it transforms
        return self._run(mine, y, axes, True, scale, threads)

    def clear(self) -> None:
        """Forget what was learnt from measuring; plans are in the common cache."""
        with FFTW_RUNS:
            self._of.forget_wisdom()

    def _run(self, x: np.ndarray, y: np.ndarray, axes: Axes, inverse: bool, scale: float, threads: int) -> np.ndarray:
        if not plain_strides(x):
            x = x.copy(order="C")
        at = (axes, inverse, 1 if forked() else threads)  # FFTW would wait for threads that its parent had
        key = (self.name, x.dtype.char, y.dtype.char, x.shape, x.strides, y.shape, *at)
        with FFTW_RUNS:
            plan = PLANS.get(key, lambda: self._plan(x, y, *at))
            plan.update_arrays(x, y)
            plan.execute()
            del plan  # one that was dropped meanwhile goes while nothing else is planned
        return y if scale == 1.0 else np.multiply(y, y.real.dtype.type(scale), out=y)

    def _plan(self, x: np.ndarray, y: np.ndarray, axes: Axes, inverse: bool, threads: int) -> tuple[Any, int]:
        """A plan for arrays at any address, so that results do not depend on where arrays are."""
        a = x if self._effort == "FFTW_ESTIMATE" else _twin(x)  # measuring writes to the operand
        flags = (self._effort, "FFTW_UNALIGNED", *(("FFTW_DESTROY_INPUT",) if y.dtype.kind == "f" else ()))
        direction = "FFTW_BACKWARD" if inverse else "FFTW_FORWARD"
        made = self._of.FFTW(a, y, axes=axes, direction=direction, flags=flags, threads=threads)
        return made, 1024 + 2 * y.itemsize * sum(max(x.shape[k], y.shape[k]) for k in axes)


def _twin(x: np.ndarray) -> np.ndarray:
    """Another array with the strides of x."""
    first, last = np.lib.array_utils.byte_bounds(x)
    return np.ndarray(x.shape, x.dtype, np.zeros(last - first, np.uint8).data, 0, x.strides)
