"""Rectifiers of complex numbers that have parameters."""

from __future__ import annotations

from typing import Any

import scisim as ss
from scisim.core.tensor import Tensor
from scisim.nn.complex_activations import check_bias, modrelu
from scisim.nn.initializers import parameter_dtype, real_part_dtype
from scisim.nn.layers import checked_features, positive_size
from scisim.nn.module import Module


class ModReLU(Module):
    """The rectifier of the modulus with a trained real bias for each feature; see `modrelu`.

    Parameters
    ----------
    features : int
    bias : float
        Where all biases start.
    dtype : dtype, optional
        Of the numbers it works on, float64 by default; the bias has the dtype of their parts.

    Attributes
    ----------
    bias : Tensor of shape (features,)
        Real.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> layer = nn.ModReLU(2, -1.0, dtype="complex128")
    >>> layer(ss.asarray([3 + 4j, 0.5j]))
    Tensor([2.4+3.2j, 0. +0.j ])
    >>> layer
    ModReLU(2 parameters)
      bias: float64[2]
    """

    bias: Tensor

    def __init__(self, features: int, bias: float = 0.0, dtype: Any = None) -> None:
        n = positive_size("ModReLU", "features", features)
        check_bias("ModReLU", bias)
        self.bias = ss.full(n, float(bias), dtype=real_part_dtype(parameter_dtype("ModReLU", dtype)))

    def __call__(self, x: Any) -> Tensor:
        return modrelu(checked_features("ModReLU", x, self.bias.shape[-1]), self.bias)
