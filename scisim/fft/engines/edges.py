"""The elements of half a spectrum that are their own conjugates: frequency 0 and, for even n, the Nyquist frequency."""

from __future__ import annotations

import numpy as np

from scisim.fft.engines.interface import Axes


def edges(rank: int, axis: int, n: int) -> tuple[slice, ...]:
    """Where they are along an axis, in half a spectrum of n points."""
    at = [slice(None)] * rank
    at[axis] = slice(0, None, n // 2) if n % 2 == 0 else slice(0, 1)
    return tuple(at)


def symmetric(x: np.ndarray, n: int, axes: Axes) -> np.ndarray:
    """Half a spectrum whose edges belong to a real signal: what they have of an imaginary signal is taken off.

    Libraries take that for granted in several axes, and give what they like where it does not hold.  ``x`` itself is
    returned where it holds up to rounding.
    """
    if len(axes) == 1:
        return x
    at = edges(x.ndim, axes[-1], n)
    e = x[at]
    wrong = np.conjugate(e)
    for axis in axes[:-1]:
        wrong = _reversed(wrong, axis)
    np.subtract(e, wrong, out=wrong)
    bound = 4 * np.finfo(e.dtype).eps * np.abs(e).max(initial=0.0)
    if np.abs(wrong).max(initial=0.0) <= bound:  # not so for a nan
        return x
    y = x.copy()
    y[at] = e - 0.5 * wrong
    return y


def _reversed(e: np.ndarray, axis: int) -> np.ndarray:
    """The element at -k in the place of that at k."""
    out = np.empty_like(e)
    first, rest, back = ([slice(None)] * e.ndim for _ in range(3))
    first[axis], rest[axis], back[axis] = slice(0, 1), slice(1, None), slice(None, 0, -1)
    out[tuple(first)], out[tuple(rest)] = e[tuple(first)], e[tuple(back)]
    return out
