"""Layers that work on the Fourier coefficients of fields on regular grids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.errors import DTypeError, ShapeError
from scisim.core.tensor import Tensor
from scisim.nn.activations import activation as find_activation
from scisim.nn.initializers import initializer, parameter_dtype
from scisim.nn.layers import Linear, checked_features, positive_size
from scisim.nn.module import Module, field


class SpectralConv(Module):
    """Spectral convolution: each of the low Fourier modes of the features is multiplied by a complex matrix of its own,
    the others are dropped  (Z. Li et al., Fourier Neural Operator, ICLR 2021).

    Parameters
    ----------
    in_features, out_features : int
    modes : int or sequence of int
        For each axis of the grid, 1 to 3 of them, how many frequencies are kept: those with abs(k) < modes.
    key : Tensor
        Key of the initial weights (`random.key`).
    dtype : dtype, optional
        Of the fields: float32, float64 (the default), complex64 or complex128.  The weights are complex.
    init : str or callable
        Initialiser of each mode's matrix: a name of `initializers`, or a function (key, shape, dtype) -> Tensor.

    Attributes
    ----------
    weight : Tensor of shape (frequencies of each axis..., in_features, out_features)
        Complex.  Frequencies are 0, 1, ..., modes - 1, then -(modes - 1), ..., -1; of real fields the last axis has
        those from 0 on.

    Raises
    ------
    ShapeError
        If a grid has fewer than 2 modes - 1 points along an axis, so that kept frequencies would be its Nyquist
        frequency or beyond.
    DTypeError
        For complex fields in a layer of real ones.

    Notes
    -----
    ``layer(x)`` takes fields of shape (..., n_1, ..., n_d, in_features).  The weights do not depend on the grid: of a
    field whose frequencies are below all modes, samples on any grid, of even or odd size, give samples of one field.
    For real fields (`fft.rfftn`, `fft.irfftn`) the coefficients at k and -k of the plane k_d = 0 are conjugates before
    the product and need not be after it; the real part of the sum of waves counts.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> layer = nn.SpectralConv(2, 3, (4, 3), key=ss.random.key(0))
    >>> layer(ss.ones((5, 8, 9, 2))).shape
    (5, 8, 9, 3)
    >>> layer
    SpectralConv(modes=(4, 3), real=True, 126 parameters)
      weight: complex128[7, 3, 2, 3]
    """

    weight: Tensor
    modes: tuple = field(static=True)
    real: bool = field(static=True)

    def __init__(
        self,
        in_features: int,
        out_features: int,
        modes: int | Sequence[int],
        *,
        key: Any,
        dtype: Any = None,
        init: str | Callable = "glorot_normal",
    ) -> None:
        shape = (
            positive_size("SpectralConv", "in_features", in_features),
            positive_size("SpectralConv", "out_features", out_features),
        )
        dt = parameter_dtype("SpectralConv", dtype)
        self.modes, self.real = _checked_modes(modes), dt.kind != "c"
        kept = [2 * m - 1 for m in self.modes]
        if self.real:
            kept[-1] = self.modes[-1]
        draw, made = initializer(init, "SpectralConv"), np.result_type(dt, np.complex64)
        keys = ss.random.split(key, int(np.prod(kept)))
        self.weight = ss.reshape(ss.stack([draw(k, shape, made) for k in keys]), (*kept, *shape))

    def __call__(self, x: Any) -> Tensor:
        x = checked_features("SpectralConv", x, self.weight.shape[-2])
        d = len(self.modes)
        if x.ndim < d + 1:
            raise ShapeError(
                f"SpectralConv: the input has shape {x.shape}; expected (..., {d} axes of a grid, features)"
            )
        if self.real and x.dtype.kind == "c":
            raise DTypeError(
                f"SpectralConv: the input is {x.dtype}, the layer real; make it with dtype={x.dtype.name!r}"
            )
        sizes = x.shape[-1 - d : -1]
        for n, m in zip(sizes, self.modes, strict=True):
            if n < 2 * m - 1:
                raise ShapeError(
                    f"SpectralConv: a grid of {sizes} points for modes {self.modes}; expected at least 2 modes - 1 = "
                    f"{2 * m - 1} points along each axis, or fewer modes"
                )
        y = self._filtered(ss.moveaxis(x, -1, -1 - d), sizes)  # lines of the grid are neighbours in memory
        return ss.moveaxis(y, -1 - d, -1)

    def _filtered(self, x: Tensor, sizes: tuple[int, ...]) -> Tensor:
        """The convolution of fields of shape (..., in_features, n_1, ..., n_d)."""
        d, which = len(sizes), "xyz"[: len(sizes)]
        axes = tuple(range(x.ndim - d, x.ndim))
        forward = ss.fft.rfftn if self.real else ss.fft.fftn
        low = self._kept(forward(x, axes=axes), axes)
        y = self._padded(ss.einsum(f"...i{which},{which}io->...o{which}", low, self.weight), axes, sizes)
        return ss.fft.irfftn(y, s=sizes, axes=axes) if self.real else ss.fft.ifftn(y, axes=axes)

    def _halves(self, axes: tuple[int, ...]) -> list[tuple[int, int, bool]]:
        """Axis, modes, and whether only frequencies from 0 on are there."""
        return [(a, m, self.real and a == axes[-1]) for a, m in zip(axes, self.modes, strict=True)]

    def _kept(self, c: Tensor, axes: tuple[int, ...]) -> Tensor:
        """The low frequencies of all coefficients."""
        for a, m, half in self._halves(axes):
            before = (slice(None),) * a
            low = c[(*before, slice(0, m))]
            c = low if half or m == 1 else ss.concat([low, c[(*before, slice(c.shape[a] - m + 1, None))]], axis=a)
        return c

    def _padded(self, c: Tensor, axes: tuple[int, ...], sizes: Sequence[int]) -> Tensor:
        """Zeros in the place of the frequencies that were dropped."""
        for (a, m, half), n in zip(self._halves(axes), sizes, strict=True):
            whole, before = n // 2 + 1 if half else n, (slice(None),) * a
            zeros = ss.zeros((*c.shape[:a], whole - c.shape[a], *c.shape[a + 1 :]), dtype=c.dtype)
            c = ss.concat([c[(*before, slice(0, m))], zeros, c[(*before, slice(m, None))]], axis=a)
        return c


def _checked_modes(modes: Any) -> tuple[int, ...]:
    given = [modes] if isinstance(modes, (int, np.integer)) else list(modes) if isinstance(modes, Sequence) else []
    if not 1 <= len(given) <= 3 or isinstance(modes, str):
        raise ShapeError(f"SpectralConv: modes is {modes!r}; expected a number for each of 1 to 3 axes, as in (12, 12)")
    return tuple(positive_size("SpectralConv", f"modes[{k}]", m) for k, m in enumerate(given))


class FourierLayer(Module):
    """A layer of a Fourier neural operator: activation(SpectralConv(x) + Linear(x)), fields in and out.

    Parameters
    ----------
    in_features, out_features : int
    modes : int or sequence of int
        As for `SpectralConv`.
    activation : str or callable
    key : Tensor
    dtype : dtype, optional
        Of the fields.

    Attributes
    ----------
    spectral : SpectralConv
    linear : Linear

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> layer = nn.FourierLayer(1, 8, 5, key=ss.random.key(0))
    >>> layer(ss.ones((4, 15, 1))).shape
    (4, 15, 8)
    """

    spectral: SpectralConv
    linear: Linear
    activation: Any = field(static=True)

    def __init__(
        self,
        in_features: int,
        out_features: int,
        modes: int | Sequence[int],
        activation: str | Callable = "gelu_tanh",
        *,
        key: Any,
        dtype: Any = None,
    ) -> None:
        find_activation(activation, "FourierLayer")
        one, two = ss.random.split(key)
        self.spectral = SpectralConv(in_features, out_features, modes, key=one, dtype=dtype)
        self.linear = Linear(in_features, out_features, key=two, dtype=dtype)
        self.activation = activation

    def __call__(self, x: Any) -> Tensor:
        return find_activation(self.activation)(self.spectral(x) + self.linear(x))
