"""What an engine is: the library that computes transforms, and the order in which engines are asked."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from scisim.core.errors import ArgumentError

Axes = tuple[int, ...]


class Engine(Protocol):
    """A library of Fourier transforms.

    Operands have dtype float32, float64, complex64 or complex128, any strides, and are never written to.  ``axes``
    are negative; of the real transforms the last of them is the one that has half a spectrum.  The exponent is
    exp(-2 pi i j k / n), or exp(+2 pi i j k / n) where ``inverse``; results are multiplied with ``scale``.  ``out`` is
    a C-contiguous array for the result, apart from the operand, or None for a new one.  ``threads`` is how many may be
    used.
    """

    name: str

    def c2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """A complex transform."""

    def r2c(
        self, x: np.ndarray, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """The first half of a transform of real numbers, n // 2 + 1 elements along the last of ``axes``."""

    def c2r(
        self, x: np.ndarray, n: int, axes: Axes, inverse: bool, scale: float, out: np.ndarray | None, threads: int
    ) -> np.ndarray:
        """A real transform of n points along the last of ``axes`` from half a spectrum.

        Along that axis, imaginary parts at frequency 0 and, for even n, at n / 2 are ignored, after the transforms
        along the other axes.
        """

    def clear(self) -> None:
        """Forget all plans."""


def result(x: np.ndarray, out: np.ndarray | None, axis: int, n: int, dtype: np.dtype) -> np.ndarray:
    """``out``, or a new array in the shape of x with n elements along one axis."""
    if out is not None:
        return out
    s = list(x.shape)
    s[axis] = n
    return np.empty(s, dtype)


COMPLEX: dict[str, np.dtype] = {"f": np.dtype(np.complex64), "d": np.dtype(np.complex128)}
REAL: dict[str, np.dtype] = {"F": np.dtype(np.float32), "D": np.dtype(np.float64)}


def plain_strides(x: np.ndarray) -> bool:
    """Whether all strides are positive multiples of an element, as libraries want them."""
    return x.flags.aligned and all(s > 0 and s % x.itemsize == 0 for s, n in zip(x.strides, x.shape) if n > 1)


def whole_strides(x: np.ndarray) -> np.ndarray:
    """The operand itself, or a copy of one whose strides are no multiples of an element, as of a field of records."""
    size = x.itemsize
    for s in x.strides:
        if s % size:
            return x.copy(order="C")
    return x


def points(x: np.ndarray, axes: Axes) -> int:
    """The number of points of one transform."""
    return math.prod(x.shape[a] for a in axes)


def unknown(name: object, names: list[str]) -> ArgumentError:
    """The error for a name that no engine has."""
    return ArgumentError(
        f"fft.engine: there is no engine {name!r}; installed are {', '.join(map(repr, names))}. Others come with the "
        f"packages mkl, ducc0 and pyfftw, or through fft.register_engine."
    )
