"""Boxes of periodic axes: their arguments settled once, and the transforms of fields on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.values import is_complex, shape
from scisim.fft._primitives import fft_p, irfft_p, rfft_p
from scisim.fft.spectral._arguments import PERIOD, axes_of, axis_of, period_of, periods_of
from scisim.fft.spectral._constants import Grid
from scisim.ops.index import slice_axis
from scisim.ops.shape import concat, normalize_axis, stack


def remembered(f: Callable) -> Callable:
    """The function with its results for hashable arguments kept; errors are not."""
    kept = lru_cache(maxsize=512)(f)

    def call(*args: Any) -> Any:
        try:
            hash(args)
        except TypeError:  # a list or an array among them
            return f(*args)
        return kept(*args)

    return call


@remembered
def line(name: str, s: tuple[int, ...], axis: Any, period: Any) -> tuple[int, float]:
    """A negative axis of a shape, and its period."""
    return axis_of(name, s, axis), period_of(name, period)


@remembered
def axes_and_periods(
    name: str, s: tuple[int, ...], axes: Any, periods: Any
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Negative axes of a shape in the order given, and the period of each."""
    found = axes_of(name, s, axes)
    return found, periods_of(name, periods, len(found))


@remembered
def grid_of(s: tuple[int, ...], axes: tuple[int, ...], periods: tuple[float, ...], half: bool) -> Grid:
    """The grid in the order of the axes; of real fields the last of them is the halved one."""
    order = sorted(zip(axes, periods))
    kinds = ["full"] * (len(order) - 1) + ["half" if half else "full"]
    return tuple((kind, a, s[a], p) for kind, (a, p) in zip(kinds, order))


@remembered
def component_axis(name: str, rank: int, component: Any) -> int:
    """The axis of components, counted from the first, of fields of some rank."""
    return normalize_axis(name, component, rank)


def periodic_grid(x: Any, axes: tuple[int, ...], periods: tuple[float, ...]) -> Grid:
    """The grid of a field, which is halved if it is real."""
    return grid_of(shape(x), axes, periods, not is_complex(x))


@lru_cache(maxsize=512)
def unit_grid(axes: tuple[int, ...], lengths: tuple[int, ...], half: bool) -> Grid:
    """The grid of axes in order, for transforms that ask for no periods."""
    kinds = ("full",) * (len(axes) - 1) + ("half" if half else "full",)
    return tuple((kind, a, n, PERIOD) for kind, a, n in zip(kinds, axes, lengths))


@lru_cache(maxsize=512)
def _settings(grid: Grid) -> tuple[bool, dict[str, Any], dict[str, Any]]:
    """Whether the spectrum is halved, and the parameters of the transform and its inverse."""
    axes = tuple(axis for _, axis, _, _ in grid)
    forth: dict[str, Any] = {"axes": axes, "inverse": False, "scale": 1.0}
    back: dict[str, Any] = {"axes": axes, "inverse": True, "scale": 1.0 / math.prod(n for _, _, n, _ in grid)}
    if grid[-1][0] != "half":
        return False, forth, back
    return True, {**forth, "twice": False}, {**back, "twice": True, "n": grid[-1][2]}


def forward(x: Any, grid: Grid) -> Any:
    """The spectrum of a field."""
    half, forth, _ = _settings(grid)
    return (rfft_p if half else fft_p)(x, **forth)


def inverse(y: Any, grid: Grid, scale: float | None = None) -> Any:
    """The field of a spectrum, or of one with another scale than that of `forward`."""
    half, _, back = _settings(grid)
    if scale is not None:
        back = {**back, "scale": scale}
    return (irfft_p if half else fft_p)(y, **back)


# --- parts of values: plain arrays at once -------------------------------------------------------------------
def cut(y: Any, axis: int, start: int, stop: int) -> Any:
    """Elements along an axis counted from the first."""
    if type(y) is np.ndarray:
        return y[(slice(None),) * axis + (slice(start, stop),)]
    return slice_axis(y, axis, start, stop)


def joined(parts: list, axis: int) -> Any:
    """Values one after the other along an axis."""
    if all(type(p) is np.ndarray for p in parts):
        return np.concatenate(parts, axis)
    return concat(parts, axis)


def stacked(parts: list, axis: int) -> Any:
    """Values along a new axis."""
    if all(type(p) is np.ndarray for p in parts):
        return np.stack(parts, axis)
    return stack(parts, axis)
