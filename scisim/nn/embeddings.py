"""Embeddings of coordinates: what a network sees of a point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.checks import is_finite
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor
from scisim.nn.initializers import parameter_dtype, real_part_dtype
from scisim.nn.layers import checked_features, positive_size
from scisim.nn.module import Module, field


class Scale(Module):
    """Coordinates mapped linearly from their bounds to [-1, 1].

    Parameters
    ----------
    bounds : sequence of (low, high), or a mapping of names to them
        One pair a coordinate, in order.
    dtype : dtype, optional

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.Scale([(0, 1), (-2, 2)])(ss.asarray([1.0, -1.0]))
    Tensor([ 1. , -0.5])
    """

    factor: Tensor = field(buffer=True)
    offset: Tensor = field(buffer=True)

    def __init__(self, bounds: Sequence | Mapping, dtype: Any = None) -> None:
        given = list(bounds.values()) if isinstance(bounds, Mapping) else bounds
        try:
            pairs = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise ArgumentTypeError(
                f"Scale: bounds is {bounds!r}; expected a pair of numbers (low, high) for each coordinate"
            ) from None
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ShapeError(f"Scale: bounds of shape {pairs.shape}; expected a pair (low, high) for each coordinate")
        low, high = pairs.T
        if not (np.isfinite(pairs).all() and (low < high).all()):
            raise ArgumentError(f"Scale: bounds {pairs.tolist()}; expected finite numbers with low < high")
        dt = parameter_dtype("Scale", dtype)
        self.factor = ss.asarray((2 / (high - low)).astype(dt))
        self.offset = ss.asarray((-(high + low) / (high - low)).astype(dt))

    def __call__(self, x: Any) -> Tensor:
        return checked_features("Scale", x, self.factor.shape[-1]) * self.factor + self.offset


class Periodic(Module):
    """Periodic coordinates as cos and sin of their angle; the others as they are.

    A network behind it is periodic by construction, with all derivatives (S. Dong, N. Ni, J. Comput. Phys. 435 (2021)
    110242).

    Parameters
    ----------
    periods : sequence of float or None
        The period of each coordinate; None for one that is not periodic.
    dtype : dtype, optional
        Of what comes out; by default that of the coordinates.

    Attributes
    ----------
    features : int
        Numbers that come out: two for a periodic coordinate, one for another.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.Periodic([None, 2.0])(ss.asarray([0.3, 1.0]))
    Tensor([ 3.0000000e-01, -1.0000000e+00,  1.2246468e-16])
    """

    periods: tuple = field(static=True)
    dtype: Any = field(static=True, default=None)

    def __init__(self, periods: Sequence[float | None], dtype: Any = None) -> None:
        if not isinstance(periods, Sequence) or isinstance(periods, str):
            raise ArgumentTypeError(f"Periodic: periods is {periods!r}; expected a list with one for each coordinate")
        for k, p in enumerate(periods):
            if p is not None and not (is_finite(p) and p > 0):
                raise ArgumentError(f"Periodic: period {k} is {p!r}; expected a positive number, or None")
        self.periods = tuple(None if p is None else float(p) for p in periods)
        self.dtype = None if dtype is None else parameter_dtype("Periodic", dtype)

    @property
    def features(self) -> int:
        return sum(1 if p is None else 2 for p in self.periods)

    def __call__(self, x: Any) -> Tensor:
        x = checked_features("Periodic", x, len(self.periods))
        parts = []
        for k, p in enumerate(self.periods):
            z = x[..., k]
            if p is None:
                parts.append(z)
            else:
                parts += [ss.cos(z * (2 * math.pi / p)), ss.sin(z * (2 * math.pi / p))]
        y = ss.stack(parts, axis=-1)
        return y if self.dtype is None else ss.astype(y, self.dtype)


class FourierFeatures(Module):
    """Random Fourier features cos(2 pi x B), sin(2 pi x B) with a fixed normal matrix B.

    M. Tancik et al., NeurIPS 2020.

    Parameters
    ----------
    in_features : int
    count : int
        Number of frequencies; 2 * count numbers come out.
    scale : float
        Standard deviation of B.
    key : Tensor
    dtype : dtype, optional
        Of what comes out; B is real, so that waves neither grow nor decay.
    trained : bool
        Whether B is a parameter; by default it is a buffer.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> nn.FourierFeatures(2, 16, key=ss.random.key(0))(ss.zeros((5, 2))).shape
    (5, 32)
    """

    matrix: Tensor | None
    fixed: Tensor | None = field(buffer=True)
    dtype: Any = field(static=True, default=None)

    def __init__(
        self, in_features: int, count: int, scale: float = 1.0, *, key: Any, dtype: Any = None, trained: bool = False
    ) -> None:
        shape = (
            positive_size("FourierFeatures", "in_features", in_features),
            positive_size("FourierFeatures", "count", count),
        )
        if not (is_finite(scale) and scale > 0):
            raise ArgumentError(f"FourierFeatures: scale is {scale!r}; expected a positive number")
        dt = parameter_dtype("FourierFeatures", dtype)
        b = ss.random.normal(key, shape, real_part_dtype(dt)) * scale
        self.dtype = dt if dt.kind == "c" else None
        self.matrix, self.fixed = (b, None) if trained else (None, b)

    @property
    def features(self) -> int:
        """Numbers that come out."""
        b = self.fixed if self.matrix is None else self.matrix
        return 2 * b.shape[-1]  # type: ignore[union-attr]

    def __call__(self, x: Any) -> Tensor:
        b = self.fixed if self.matrix is None else self.matrix
        z = checked_features("FourierFeatures", x, b.shape[-2]) @ b * (2 * math.pi)  # type: ignore[union-attr]
        y = ss.concat([ss.cos(z), ss.sin(z)], axis=-1)
        return y if self.dtype is None else ss.astype(y, self.dtype)
