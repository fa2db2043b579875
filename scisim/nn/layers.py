"""Layers: affine maps, chains, dropout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor
from scisim.nn.activations import activation as find_activation
from scisim.nn.initializers import initializer, parameter_dtype
from scisim.nn.module import Module, field


def positive_size(who: str, name: str, value: Any) -> int:
    """A number of features: a positive integer."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ArgumentError(f"{who}: {name} is {value!r}; expected an integer of at least 1")
    return int(value)


def checked_features(who: str, x: Any, count: int) -> Any:
    """The input as a Tensor whose last axis has ``count`` features."""
    x = x if isinstance(x, Tensor) else ss.asarray(x)
    if not x.shape or x.shape[-1] != count:
        hint = "; a single feature needs an axis of length one: x[..., None]" if count == 1 else ""
        raise ShapeError(f"{who}: the input has shape {x.shape}; expected (..., {count}){hint}")
    return x


class Linear(Module):
    """Affine map ``x @ weight + bias`` over the last axis.

    Parameters
    ----------
    in_features, out_features : int
    key : Tensor
        Key of the initial weights (`random.key`).
    bias : bool
        Whether there is a bias; it starts at zero.
    dtype : dtype, optional
        float32, float64 (the default), complex64 or complex128.
    init : str or callable
        Initialiser of the weight: a name of `initializers`, or a function (key, shape, dtype) -> Tensor.
    bias_init : str or callable

    Attributes
    ----------
    weight : Tensor of shape (in_features, out_features)
    bias : Tensor of shape (out_features,), or None

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> layer = nn.Linear(2, 3, key=ss.random.key(0))
    >>> layer(ss.ones((5, 2))).shape
    (5, 3)
    >>> layer
    Linear(9 parameters)
      weight: float64[2, 3]
      bias: float64[3]
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        key: Any,
        bias: bool = True,
        dtype: Any = None,
        init: str | Callable = "glorot_normal",
        bias_init: str | Callable = "zeros",
    ) -> None:
        m = positive_size("Linear", "in_features", in_features)
        n = positive_size("Linear", "out_features", out_features)
        dt = parameter_dtype("Linear", dtype)
        one, two = ss.random.split(key)
        self.weight = initializer(init, "Linear")(one, (m, n), dt)
        self.bias = initializer(bias_init, "Linear")(two, (n,), dt) if bias else None

    def __call__(self, x: Any) -> Tensor:
        y = checked_features("Linear", x, self.weight.shape[-2]) @ self.weight
        return y if self.bias is None else y + self.bias


class Sequential(Module):
    """Modules and functions applied one after another.

    Parameters
    ----------
    layers : sequence of modules, functions, and names of activations

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> k1, k2 = ss.random.split(ss.random.key(0))
    >>> net = nn.Sequential([nn.Linear(2, 8, key=k1), "tanh", nn.Dropout(0.1), nn.Linear(8, 1, key=k2)])
    >>> net(ss.ones((5, 2)), key=ss.random.key(1)).shape
    (5, 1)
    """

    layers: tuple

    def __init__(self, layers: Sequence[Any]) -> None:
        if not isinstance(layers, (list, tuple)):
            raise ArgumentTypeError(f"Sequential: layers is a {type(layers).__name__}; expected a list of modules")
        self.layers = tuple(_layer(f) for f in layers)

    def __call__(self, x: Any, *, key: Any = None) -> Tensor:
        for layer, k in zip(self.layers, self._keys(key), strict=True):
            x = layer(x) if k is None else layer(x, key=k)
        return x

    def apply(self, x: Any, *, key: Any = None) -> tuple[Tensor, Sequential]:
        """The output, and the chain with the buffers of its layers brought up to date."""
        after = []
        for layer, k in zip(self.layers, self._keys(key), strict=True):
            x, layer = layer.apply(x) if k is None else layer.apply(x, key=k)
            after.append(layer)
        return x, self.replace(layers=tuple(after))

    def _keys(self, key: Any) -> list:
        """A key of its own for each layer that takes one."""
        takers = [layer.keyed for layer in self.layers]
        if key is None or not any(takers):
            return [None] * len(takers)
        keys = iter(ss.random.split(key, sum(takers)))
        return [next(keys) if t else None for t in takers]

    @property
    def keyed(self) -> bool:  # type: ignore[override]
        """Whether any layer takes a key."""
        return any(layer.keyed for layer in self.layers)


class Function(Module):
    """A function of a tensor as a layer, which has no parameters.

    Parameters
    ----------
    f : callable or str
        A function, or the name of an activation.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.Function("sin")(0.0)
    Tensor(0.)
    """

    f: Any = field(static=True)

    def __init__(self, f: Any) -> None:
        find_activation(f, "Function")
        self.f = f

    def __call__(self, x: Any) -> Tensor:
        return find_activation(self.f)(x)


def _layer(f: Any) -> Module:
    return f if isinstance(f, Module) else Function(f)


class Dropout(Module):
    """In training mode each element is zero with probability ``rate``, the others divided by 1 - rate.

    Evaluation mode (`nn.eval`) is the identity.  N. Srivastava et al., JMLR 15 (2014) 1929.

    Parameters
    ----------
    rate : float
        In [0, 1).
    training : bool

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> y = nn.Dropout(0.5)(ss.ones(1000), key=ss.random.key(0))
    >>> sorted(set(y.tolist()))
    [0.0, 2.0]
    """

    keyed = True
    rate: float = field(static=True)
    training: bool = field(static=True, default=True)

    def __init__(self, rate: float, training: bool = True) -> None:
        if not (is_real(rate) and 0 <= rate < 1):
            raise ArgumentError(f"Dropout: rate is {rate!r}; expected a number from 0 up to, but not including, 1")
        self.rate, self.training = float(rate), training

    def __call__(self, x: Any, *, key: Any = None) -> Tensor:
        x = x if isinstance(x, Tensor) else ss.asarray(x)
        if not self.training or self.rate == 0:
            return x
        if key is None:
            raise ArgumentError(
                "Dropout: training mode needs a key for its random numbers: layer(x, key=key); "
                "for predictions use nn.eval(module)"
            )
        kept = ss.random.uniform(key, x.shape) >= self.rate
        return ss.where(kept, x / (1 - self.rate), ss.zeros_like(x))
