"""Activation functions by name.

``tanh``, ``sin``, ``sigmoid``, ``silu`` and ``gelu_tanh`` of complex numbers are the holomorphic functions, with their
poles and growth off the real axis: tanh has poles at i pi (k + 1/2), sigmoid at i pi (2 k + 1).  ``crelu``, ``zrelu``,
``cardioid`` and `split` go by the parts of a complex number, `modrelu` by its modulus; ``relu`` and ``softplus`` are of
real numbers only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import scisim as ss
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.nn.complex_activations import cardioid, crelu, real_only, zrelu


def silu(x: Any) -> Any:
    """x times its sigmoid (also called swish).

    Examples
    --------
    >>> from scisim import nn
    >>> nn.silu(0.0)
    Tensor(0.)
    """
    return x * ss.sigmoid(x)


def softplus(x: Any) -> Any:
    """log(1 + exp(x)) of real numbers, without overflow.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.softplus(-800.0), nn.softplus(800.0)
    (Tensor(0.), Tensor(800.))
    """
    return ss.logaddexp(x, 0.0)


def gelu_tanh(x: Any) -> Any:
    """The tanh form of the Gaussian error linear unit (D. Hendrycks, K. Gimpel, arXiv:1606.08415).

    Examples
    --------
    >>> from scisim import nn
    >>> nn.gelu_tanh(0.0)
    Tensor(0.)
    """
    return 0.5 * x * (1.0 + ss.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))


def identity(x: Any) -> Any:
    """The argument itself."""
    return x


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "tanh": ss.tanh,
    "sin": ss.sin,
    "relu": real_only(ss.relu, "relu", "'crelu' (both parts), 'zrelu', 'cardioid', or the layer nn.ModReLU"),
    "silu": silu,
    "swish": silu,
    "softplus": real_only(softplus, "softplus", "nn.split('softplus') (both parts), or 'cardioid'"),
    "sigmoid": ss.sigmoid,
    "gelu_tanh": gelu_tanh,
    "identity": identity,
    "crelu": crelu,
    "zrelu": zrelu,
    "cardioid": cardioid,
}


def activation(f: Any, who: str = "activation") -> Callable[[Any], Any]:
    """An activation function by its name, or the function itself.

    Raises
    ------
    ArgumentError
        For an unknown name; the message lists the known ones.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.activation("tanh")(0.0)
    Tensor(0.)
    """
    if callable(f):
        return f
    if not isinstance(f, str):
        raise ArgumentTypeError(f"{who}: activation is {f!r}; expected a name or a function")
    if f not in ACTIVATIONS:
        raise ArgumentError(
            f"{who}: unknown activation {f!r}; expected one of {', '.join(ACTIVATIONS)}, or any function of a tensor"
        )
    return ACTIVATIONS[f]
