"""Networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.tensor import Tensor
from scisim.nn.activations import activation as find_activation
from scisim.nn.embeddings import Scale
from scisim.nn.initializers import uniform
from scisim.nn.layers import Linear, positive_size
from scisim.nn.module import Module, field


class MLP(Module):
    """Multilayer perceptron: affine maps with an activation between them, none after the last.

    Parameters
    ----------
    sizes : sequence of int
        Features of the input, of each hidden layer, and of the output.
    activation : str or callable
        A name of `activations`, or any function of a tensor.
    key : Tensor
        Key of the initial weights (`random.key`).
    dtype : dtype, optional
        float32, float64 (the default), complex64 or complex128.
    init : str or callable
        Initialiser of the weights; see `Linear`.
    first_bias : float
        The first layer's biases are uniform in [-first_bias, first_bias]; 1 spreads the fronts of a tanh network over
        coordinates scaled to [-1, 1].  All other biases start at zero.

    Attributes
    ----------
    layers : tuple of Linear

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> net = nn.MLP([2, 20, 1], "tanh", key=ss.random.key(0))
    >>> net(ss.ones((7, 2))).shape
    (7, 1)
    >>> net
    MLP(activation='tanh', 81 parameters)
      layers[0]: Linear(60 parameters)
        weight: float64[2, 20]
        bias: float64[20]
      layers[1]: Linear(21 parameters)
        weight: float64[20, 1]
        bias: float64[1]
    """

    layers: tuple
    activation: Any = field(static=True)

    def __init__(
        self,
        sizes: Sequence[int],
        activation: str | Callable = "tanh",
        *,
        key: Any,
        dtype: Any = None,
        init: str | Callable = "glorot_normal",
        first_bias: float = 0.0,
    ) -> None:
        sizes = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
        if not isinstance(sizes, (list, tuple)) or len(sizes) < 2:
            raise ArgumentError(f"MLP: sizes is {sizes!r}; expected at least two numbers, such as [2, 20, 20, 1]")
        sizes = [positive_size("MLP", f"sizes[{k}]", n) for k, n in enumerate(sizes)]
        find_activation(activation, "MLP")
        keys = ss.random.split(key, len(sizes) - 1)
        biases = [uniform(first_bias) if k == 0 and first_bias else "zeros" for k in range(len(keys))]
        self.layers = tuple(
            Linear(m, n, key=keys[k], dtype=dtype, init=init, bias_init=biases[k])
            for k, (m, n) in enumerate(pairwise(sizes))
        )
        self.activation = activation

    def __call__(self, x: Any) -> Tensor:
        f = find_activation(self.activation)
        for layer in self.layers[:-1]:
            x = f(layer(x))
        return self.layers[-1](x)


class Field(Module):
    """A network as a function of coordinates: ``u(t, x)``.

    Coordinates broadcast against each other; a network with one output gives an array of their shape, one with m
    outputs an array with m along a last axis.

    Parameters
    ----------
    network : Module
        From features (..., d) to (..., m).
    embedding : Module, optional
        Between the stacked coordinates and the network.
    bounds : sequence of (low, high) or a mapping, optional
        Coordinates are scaled from these to [-1, 1] first.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> u = nn.Field(nn.MLP([2, 20, 1], key=ss.random.key(0)), bounds={"t": (0, 1), "x": (-1, 1)})
    >>> u(0.5, ss.linspace(-1, 1, 5)).shape
    (5,)
    """

    network: Module
    embedding: Module | None
    scale: Scale | None

    def __init__(
        self, network: Module, embedding: Module | None = None, bounds: Sequence | Mapping | None = None
    ) -> None:
        for name, part in (("network", network), ("embedding", embedding)):
            if not isinstance(part, Module) and not (part is None and name == "embedding"):
                raise ArgumentTypeError(f"Field: {name} is a {type(part).__name__}; expected a Module")
        self.network, self.embedding = network, embedding
        self.scale = None if bounds is None else Scale(bounds, dtype=_dtype_of(network))

    def __call__(self, *coords: Any) -> Tensor:
        if not coords:
            raise ArgumentError("Field: called without coordinates")
        x = ss.stack(ss.broadcast_arrays(*coords), axis=-1)
        for f in (self.scale, self.embedding):
            x = x if f is None else f(x)
        y = self.network(x)
        return ss.squeeze(y, axis=-1) if y.shape[-1] == 1 else y  # a reshape: no element is left out


def _dtype_of(network: Module) -> Any:
    from scisim.nn.trees import parameters

    found = [w.dtype for _, w in parameters(network)]
    return found[0] if found else None
