"""Intel's MKL through its own interface of descriptors (DFTI), which takes any axes and strides.

Constants are those of ``mkl_dfti.h``; a descriptor is committed once for a geometry and kept in the cache of plans.
"""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scisim.backends.libraries import mkl
from scisim.core.errors import ArgumentError
from scisim.core.lines import Lines, Steps
from scisim.fft.engines.edges import symmetric
from scisim.fft.engines.interface import COMPLEX, REAL, Axes, plain_strides, result
from scisim.fft.engines.plans import PLANS

_FORWARD_SCALE, _BACKWARD_SCALE, _COUNT, _HALF_STORAGE, _PLACEMENT = 4, 5, 7, 10, 11
_INPUT_STRIDES, _OUTPUT_STRIDES, _INPUT_DISTANCE, _OUTPUT_DISTANCE, _THREADS = 12, 13, 14, 15, 27
_COMPLEX, _REAL, _PLAIN_HALF, _APART = 32, 33, 39, 44


class Descriptor:
    """A committed descriptor, and the offsets in bytes at which it is applied in turn."""

    def __init__(self, library: Any, spec: dict, inverse: bool, scale: float, threads: int) -> None:
        self._library, self._handle = library, ctypes.c_void_p()
        self.offsets: list[tuple[int, int]] = spec["offsets"]
        self._compute = library.DftiComputeBackward if inverse else library.DftiComputeForward
        self._create(spec)
        self._set(_PLACEMENT, ctypes.c_int(_APART))
        if spec["real"]:
            self._set(_HALF_STORAGE, ctypes.c_int(_PLAIN_HALF))
        self._set(_INPUT_STRIDES, _longs([0, *spec["into"]]))
        self._set(_OUTPUT_STRIDES, _longs([0, *spec["out"]]))
        count, *distances = spec["batch"]
        if count > 1:
            self._set(_COUNT, ctypes.c_long(count))
            for what, distance in zip((_INPUT_DISTANCE, _OUTPUT_DISTANCE), distances):
                self._set(what, ctypes.c_long(distance))
        self._set(_BACKWARD_SCALE if inverse else _FORWARD_SCALE, ctypes.c_double(scale))
        self._set(_THREADS, ctypes.c_long(threads))
        self._check(library.DftiCommitDescriptor(self._handle))

    def _create(self, spec: dict) -> None:
        lengths = spec["lengths"]
        name = f"DftiCreateDescriptor_{'s' if spec['single'] else 'd'}_{'1d' if len(lengths) == 1 else 'md'}"
        sizes = [ctypes.c_long(lengths[0])] if len(lengths) == 1 else [ctypes.c_long(len(lengths)), _longs(lengths)]
        domain = ctypes.c_int(_REAL if spec["real"] else _COMPLEX)
        self._check(getattr(self._library, name)(ctypes.byref(self._handle), domain, *sizes))
        freed = weakref.finalize(self, self._library.DftiFreeDescriptor, ctypes.byref(self._handle))
        freed.atexit = False  # the process gives all back

    @property
    def address(self) -> int:
        """What MKL's functions take."""
        return self._handle.value or 0

    def _set(self, what: int, value: Any) -> None:
        self._check(self._library.DftiSetValue(self._handle, ctypes.c_int(what), value))

    def _check(self, status: int) -> None:
        if status:
            raise ArgumentError(f"fft: {_message(self._library, status)}")

    def __call__(self, x: int, y: int) -> None:
        """The transform of what is at one address, to another."""
        for a, b in self.offsets:
            status = self._compute(self._handle, ctypes.c_void_p(x + a), ctypes.c_void_p(y + b))
            if status:
                self._check(status)


def _message(library: Any, status: int) -> str:
    text = library.DftiErrorMessage
    text.restype = ctypes.c_char_p
    return f"MKL refused a transform: {text(ctypes.c_long(status)).decode()}"


def _longs(values: Sequence[int]) -> Any:
    return (ctypes.c_long * len(values))(*values)


class MKL:
    """MKL's transforms."""

    name = "mkl"

    def __init__(self) -> None:
        self._library = mkl()
        self._in_programs: weakref.WeakValueDictionary[tuple, Descriptor] = weakref.WeakValueDictionary()

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
        self._run(x, y, axes, False, scale, threads)  # backward is from complex to real
        return np.conjugate(y, out=y) if inverse else y

    def c2r(
        self, x: np.ndarray, n: int, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """See `Engine`."""
        y = result(x, out, axes[-1], n, REAL[x.dtype.char])
        x = symmetric(x, n, axes)
        return self._run(x if inverse else np.conjugate(x), y, axes, True, scale, threads)

    def lines(
        self, x: np.dtype, y: np.dtype, length: int, inverse: bool, scale: float, usable: Callable[[], bool]
    ) -> Lines:
        """What native code calls for transforms of so many points along the last axis."""
        spec = {"real": x.char != y.char, "single": x.char in "fF", "lengths": [length], "offsets": [(0, 0)]}

        def handle(count: int, operand: Steps, result: Steps) -> Descriptor:
            key = (x.char, y.char, length, inverse, scale, count, operand, result)
            found = self._in_programs.get(key)
            if found is None:
                batch = (count, operand.across, result.across)
                own = {**spec, "into": [operand.along], "out": [result.along], "batch": batch}
                found = self._in_programs[key] = Descriptor(self._library, own, inverse, scale, 1)
            return found

        function = self._library.DftiComputeBackward if inverse else self._library.DftiComputeForward
        return Lines(-1, ctypes.cast(function, ctypes.c_void_p).value or 0, handle, usable, self._message)

    def _message(self, status: int) -> str:
        return _message(self._library, status)

    def clear(self) -> None:
        """Its plans are in the common cache."""

    def _run(self, x: np.ndarray, y: np.ndarray, axes: Axes, inverse: bool, scale: float, threads: int) -> np.ndarray:
        key = ("mkl", x.dtype.char, y.dtype.char, x.shape, x.strides, y.shape, axes, inverse, scale, threads)
        plan = PLANS.get(key, lambda: self._plan(x, y, axes, inverse, scale, threads))
        if plan is None:
            return self._run(x.copy(order="C"), y, axes, inverse, scale, threads)
        plan(x.__array_interface__["data"][0], y.__array_interface__["data"][0])
        return y

    def _plan(self, x: np.ndarray, y: np.ndarray, axes: Axes, inverse: bool, scale: float, threads: int) -> tuple:
        """A descriptor and its bytes; None where only a copy of the operand has strides that MKL takes."""
        if not plain_strides(x):
            return None, 0
        before = self._bytes()
        made = Descriptor(self._library, geometry(x, y, axes), inverse, scale, threads)
        return made, max(self._bytes() - before, 0) + 1024

    def _bytes(self) -> int:
        stat = self._library.MKL_Mem_Stat
        stat.restype = ctypes.c_int64
        return int(stat(ctypes.byref(ctypes.c_int())))


def geometry(x: np.ndarray, y: np.ndarray, axes: Axes) -> dict:
    """Lengths and strides in elements of the axes that are transformed, and what is left as one batch and offsets."""
    signal = x if x.dtype.kind == "f" else y
    into, out = ([s // a.itemsize for s in a.strides] for a in (x, y))
    rest = [k for k in range(x.ndim) if k - x.ndim not in axes and x.shape[k] > 1]
    loops = _merged([(x.shape[k], into[k], out[k]) for k in rest])
    batch = max(loops, default=(1, 0, 0))
    if batch[0] > 1:
        loops.remove(batch)
    offsets = [
        (
            sum(i * a for i, (_, a, _) in zip(at, loops)) * x.itemsize,
            sum(i * b for i, (_, _, b) in zip(at, loops)) * y.itemsize,
        )
        for at in itertools.product(*(range(n) for n, _, _ in loops))
    ]
    return {
        "real": x.dtype.char != y.dtype.char,
        "single": signal.dtype.char in "fF",
        "lengths": [signal.shape[a] for a in axes],
        "into": [into[a] for a in axes],
        "out": [out[a] for a in axes],
        "batch": batch,
        "offsets": offsets,
    }


def _merged(loops: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Loops (length, stride of the operand, of the result), joined where one continues another."""
    found: list[tuple[int, int, int]] = []
    for n, a, b in loops:
        if found and found[-1][1:] == (n * a, n * b):
            found[-1] = (found[-1][0] * n, a, b)
        else:
            found.append((n, a, b))
    return found
