"""The spreading kernel of a tolerance, and the sizes that go with it.

The kernel is that of Kaiser and Bessel, I0(b sqrt(1 - (2 u / w)^2)) for w cells, whose Fourier transform is
w sinh(r) / r with r^2 = b^2 - (pi w xi)^2.  Of the grid's frequencies those k + m n alias to k: width and b are such
that what they bring is below the tolerance (J. A. Fessler, B. P. Sutton, "Nonuniform fast Fourier transforms using
min-max interpolation", IEEE Trans. Signal Process. 51 (2003), 560-574; A. H. Barnett, J. Magland, L. af Klinteberg,
"A parallel nonuniform fast Fourier transform library based on an exponential of semicircle kernel", SIAM J. Sci.
Comput. 41 (2019), C479-C504).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.polynomial import chebyshev

WIDEST = 16
_LANES = 8
_RATIOS = (2.0, 1.5, 1.25)


@dataclass(frozen=True)
class Kernel:
    """A kernel of ``width`` cells for a grid finer by the factor ``ratio``.

    Its taps are polynomials of 2 z - 1, where z is how far the first cell is beyond the kernel's end.
    """

    width: int
    ratio: float
    shape: float
    error: float

    def transform(self, xi: np.ndarray) -> np.ndarray:
        """The Fourier transform at frequencies in cycles a cell."""
        return _transform(self.width, np.array(self.shape), xi)

    @property
    def growth(self) -> float:
        """By how much roundings grow where the kernel is undone for the highest modes."""
        low, high = self.transform(np.array([0.0, 0.5 / self.ratio]))
        return float(low / high)

    def taps(self, dtype: np.dtype) -> tuple[np.ndarray, int]:
        """Coefficients as compiled code wants them: rows of lanes, that of the highest power first; and the degree."""
        return _taps(self, dtype)

    @property
    def vectors(self) -> tuple[int, ...]:
        """As many numbers as there are vectors of taps."""
        return (0,) * -(-self.width // _LANES)


def _transform(width: int, shape: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """Fourier transforms of kernels: sinh(r) / r, or sin(r) / r where the square of r is negative."""
    square = shape**2 - (math.pi * width * xi) ** 2
    r = np.sqrt(np.maximum(np.abs(square), 1e-300))
    return width * np.where(square > 0, np.sinh(np.minimum(r, 700.0)), np.sin(r)) / r / np.i0(shape)


def _aliases(width: int, shape: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """What aliases bring to modes of frequencies xi: squares relative to those of the modes, along a last axis."""
    m = np.arange(1, 17)[:, None]
    s = shape[..., None]
    squares = _transform(width, s, xi + m) ** 2 + _transform(width, s, xi - m) ** 2
    return np.sum(squares, -2) / _transform(width, shape, xi) ** 2


@lru_cache(maxsize=64)
def best_kernel(width: int, ratio: float) -> Kernel:
    """The kernel of a width that brings least from aliases: relative to modes of equal size, in the 2-norm."""
    shapes = math.pi * width * (1 - 0.5 / ratio) * np.linspace(0.9, 1.02, 25)
    xi = 0.5 / ratio * np.sin(np.linspace(0, math.pi / 2, 49))  # most of it comes from the last modes
    errors = np.sqrt(np.trapezoid(_aliases(width, shapes[:, None], xi), xi) / xi[-1])
    k = int(np.argmin(errors))
    return Kernel(width, ratio, float(shapes[k]), float(errors[k]))


@lru_cache(maxsize=64)
def _taps(k: Kernel, dtype: np.dtype) -> tuple[np.ndarray, int]:
    from scipy.special import i0e

    def values(t: np.ndarray) -> np.ndarray:
        u = (2.0 * np.arange(k.width) + t[:, None] + 1.0) / k.width - 1.0
        z = k.shape * np.sqrt(np.maximum(1.0 - u * u, 0.0))
        return i0e(z) / i0e(k.shape) * np.exp(z - k.shape)

    nodes = chebyshev.chebpts1(24)
    series = chebyshev.chebvander(nodes, 23).T @ values(nodes) / 12
    series[0] /= 2
    series = series.T
    floor = max(0.02 * k.error / k.growth, 5 * float(np.finfo(dtype).eps))
    degree = int(np.flatnonzero(np.max(np.abs(series), 0) > floor)[-1])
    out = np.zeros((degree + 1, _LANES * len(k.vectors)))
    for tap, s in enumerate(series):
        powers = chebyshev.cheb2poly(s[: degree + 1])  # without zeros at the end
        out[degree + 1 - len(powers) :, tap] = powers[::-1]
    return out.astype(dtype).ravel(), degree


@lru_cache(maxsize=256)
def _mode_error(k: Kernel, n: int, cells: int) -> float:
    """The relative error in the 2-norm of n modes; of few modes, those at the ends count for more."""
    if n > 512:
        return k.error
    xi = (np.arange(n) - n // 2) / cells
    return math.sqrt(np.mean(_aliases(k.width, np.array(k.shape), xi)))


def _grid(modes: tuple[int, ...], k: Kernel) -> tuple[int, ...]:
    return tuple(fast_length(max(math.ceil(k.ratio * n), 2 * k.width)) for n in modes)


def _is_within(k: Kernel, modes: tuple[int, ...], eps: float) -> bool:
    """Whether the errors of all axes, which add up in squares, are well within a relative error."""
    if k.error > eps:
        return False
    squares = (_mode_error(k, n, cells) ** 2 for n, cells in zip(modes, _grid(modes, k), strict=True))
    return 1.5 * math.sqrt(sum(squares)) <= eps


def _kernels(modes: tuple[int, ...], eps: float, dtype: np.dtype) -> list[Kernel]:
    """For each ratio the narrowest kernel that serves."""
    found: list[Kernel] = []
    for ratio in _RATIOS:
        kernels = (best_kernel(w, ratio) for w in range(2, WIDEST + 1))
        found += islice((k for k in kernels if _is_within(k, modes, eps)), 1)
    near = [k for k in found if 4 * k.growth * np.finfo(dtype).eps <= eps]
    return near or found[:1] or [best_kernel(WIDEST, max(_RATIOS))]


@dataclass(frozen=True)
class Plan:
    """All that follows from the numbers of modes, the tolerance and the precision.

    Axes that there are not have length 1.

    Attributes
    ----------
    grid : tuple of int
        Shape of the finer grid.
    bits, count : array of 3 integers
        A tile has 2^bits cells along each axis, but the last takes what is left over; and how many tiles there are.
    rows : array of 3 integers
        Shape of the copy of a tile, margin included.
    """

    modes: tuple[int, ...]
    kernel: Kernel
    dtype: np.dtype
    grid: tuple[int, ...]
    bits: np.ndarray
    count: np.ndarray
    rows: np.ndarray

    @property
    def dims(self) -> int:
        return len(self.modes)

    @property
    def complex(self) -> np.dtype:
        return np.result_type(self.dtype, np.complex64)

    def cost(self, points: int) -> float:
        """About the time on one thread, in nanoseconds."""
        rows = self.kernel.width ** (self.dims - 1) * (len(self.kernel.vectors) + 1)
        cells = math.prod(self.grid)
        return points * (20 + 2.2 * rows) + cells * 0.8 * math.log2(cells)

    @property
    def slabs(self) -> int:
        """Tiles along the first axis that there is."""
        return int(self.count[3 - self.dims])


@lru_cache(maxsize=64)
def plan_for(modes: tuple[int, ...], eps: float, dtype: np.dtype, points: int) -> Plan:
    """The plan of a transform of about as many points that is over soonest."""
    plans = (_plan(modes, k, dtype) for k in _kernels(modes, eps, dtype))
    return min(plans, key=lambda plan: plan.cost(points))


def _plan(modes: tuple[int, ...], kernel: Kernel, dtype: np.dtype) -> Plan:
    return layout(modes, _grid(modes, kernel), kernel, dtype)


def layout(modes: tuple[int, ...], grid: tuple[int, ...], kernel: Kernel, dtype: np.dtype) -> Plan:
    """The plan of a grid: its tiles."""
    shape = np.array((1,) * (3 - len(modes)) + grid)
    bits = np.array(_tile_bits(len(modes), kernel.width))
    count = np.maximum(shape >> bits, 1)
    rows = np.maximum(1 << bits, shape - ((count - 1) << bits)) + np.where(shape > 1, kernel.width - 1, 0)
    rows[2] = -(-rows[2] // _LANES + 1) * _LANES + _LANES * len(kernel.vectors)
    return Plan(modes, kernel, np.dtype(dtype), grid, bits, count, rows)


def _tile_bits(dims: int, width: int) -> tuple[int, int, int]:
    """Sides of a tile, which stays in the nearest cache: at least those of the kernel, since a point may reach into the
    next tile only."""
    if dims == 1:
        return 0, 0, 11
    return (0, 5, 6) if dims == 2 else (3, 3, 5) if width <= 8 else (4, 4, 4)


def fast_length(n: int) -> int:
    from scipy.fft import next_fast_len

    return int(next_fast_len(n, real=True))  # of factors 2, 3 and 5


@lru_cache(maxsize=64)
def factors(n: int, cells: int, kernel: Kernel) -> np.ndarray:
    """What undoes the kernel, for the modes 0 to n // 2 on a grid of that many cells."""
    out = 1.0 / kernel.transform(np.arange(n // 2 + 1) / cells)
    out.flags.writeable = False
    return out
