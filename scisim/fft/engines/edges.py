"""The elements of half a spectrum that are their own conjugates: frequency 0 and, for even n, the Nyquist frequency."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scisim.fft.engines.interface import Axes


def edges(rank: int, axis: int, n: int) -> Iterator[tuple[slice, ...]]:
    """Where they are along an axis, in half a spectrum of n points."""
    at = [slice(None)] * rank
    for k in (0, n // 2) if n % 2 == 0 else (0,):
        at[axis] = slice(k, k + 1)
        yield tuple(at)


def symmetric(x: np.ndarray, n: int, axes: Axes) -> np.ndarray:
    """Half a spectrum whose edges belong to a real signal: what they have of an imaginary signal is taken off.

    Libraries take that for granted in several axes, and give what they like where it does not hold.  ``x`` itself is
    returned where it holds up to rounding.
    """
    if len(axes) == 1:
        return x
    y = x
    for at in edges(x.ndim, axes[-1], n):
        e = x[at]
        wrong = e - np.conjugate(_reversed(e, axes[:-1]))
        size = max(np.abs(wrong.real).max(initial=0.0), np.abs(wrong.imag).max(initial=0.0))
        # A nan counts as wrong.
        if not size <= 4 * np.finfo(e.dtype).eps * np.abs(e).max(initial=0.0):
            y = x.copy() if y is x else y
            y[at] = e - 0.5 * wrong
    return y


def _reversed(e: np.ndarray, axes: Axes) -> np.ndarray:
    """The element at -k in the place of that at k."""
    return np.roll(np.flip(e, axes), 1, axes)
