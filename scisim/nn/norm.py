"""Normalisation of features."""

from __future__ import annotations

from typing import Any

import scisim as ss
from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor
from scisim.nn.initializers import parameter_dtype
from scisim.nn.layers import checked_features, positive_size
from scisim.nn.module import Module, field


class BatchNorm(Module):
    """Batch normalisation over all axes but the last (S. Ioffe, C. Szegedy, ICML 2015).

    In training mode features are scaled by the mean and variance of the batch, in evaluation mode by the running ones.
    The running ones are buffers: they change only in ``y, layer = layer.apply(x)``, which returns the module with
    buffers brought up to date; ``layer(x)`` gives y alone.  The running variance is the unbiased one.

    Parameters
    ----------
    features : int
    momentum : float
        Share of the old running statistics kept at each `apply`, in [0, 1).
    eps : float
        Added to variances.
    dtype : dtype, optional
    training : bool

    Attributes
    ----------
    scale, offset : Tensor of shape (features,)
        Trained.
    mean, variance : Tensor of shape (features,)
        Buffers.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> layer = nn.BatchNorm(1, momentum=0.0)
    >>> y, layer = layer.apply(ss.asarray([[1.0], [3.0]]))
    >>> layer.mean
    Tensor([2.])
    """

    stateful = True
    scale: Tensor
    offset: Tensor
    mean: Tensor = field(buffer=True)
    variance: Tensor = field(buffer=True)
    momentum: float = field(static=True)
    eps: float = field(static=True)
    training: bool = field(static=True)

    def __init__(
        self, features: int, momentum: float = 0.9, eps: float = 1e-5, dtype: Any = None, training: bool = True
    ) -> None:
        n = positive_size("BatchNorm", "features", features)
        if not (is_real(momentum) and is_real(eps) and 0 <= momentum < 1 and eps > 0):
            raise ArgumentError(f"BatchNorm: momentum {momentum!r}, eps {eps!r}; expected 0 <= momentum < 1, eps > 0")
        dt = parameter_dtype("BatchNorm", dtype)
        self.scale, self.offset = ss.ones(n, dtype=dt), ss.zeros(n, dtype=dt)
        self.mean, self.variance = ss.zeros(n, dtype=dt), ss.ones(n, dtype=dt.type(0).real.dtype)
        self.momentum, self.eps, self.training = float(momentum), float(eps), training

    def __call__(self, x: Any) -> Tensor:
        return self._normalize(x)[0]

    def apply(self, x: Any) -> tuple[Tensor, BatchNorm]:
        """The output, and the layer with its running statistics brought up to date (in training mode)."""
        y, mean, variance, n = self._normalize(x)
        if not self.training:
            return y, self
        unbiased = variance * (n / (n - 1))
        return y, self.replace(mean=self._mixed(self.mean, mean), variance=self._mixed(self.variance, unbiased))

    def _mixed(self, old: Tensor, new: Tensor) -> Tensor:
        from scisim.autodiff import stop_gradient

        return self.momentum * old + (1 - self.momentum) * stop_gradient(new)

    def _normalize(self, x: Any) -> tuple[Tensor, Tensor, Tensor, int]:
        x = checked_features("BatchNorm", x, self.scale.shape[-1])
        axes, n = tuple(range(x.ndim - 1)), x.size // x.shape[-1]
        if not self.training:
            mean, variance = self.mean, self.variance
        elif n < 2:
            raise ShapeError(f"BatchNorm: a batch of shape {x.shape} has no variance; training needs two examples")
        else:
            mean = ss.mean(x, axis=axes)
            d = x - mean
            variance = ss.mean(ss.real(d * ss.conj(d)), axis=axes)
        y = (x - mean) / ss.sqrt(variance + self.eps) * self.scale + self.offset
        return y, mean, variance, n


class LayerNorm(Module):
    """Each example scaled to mean 0 and variance 1 over its last axis (J. L. Ba et al., arXiv:1607.06450).

    Parameters
    ----------
    features : int
    eps : float
        Added to variances.
    dtype : dtype, optional

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> ss.round(nn.LayerNorm(2)(ss.asarray([1.0, 3.0])))
    Tensor([-1.,  1.])
    """

    scale: Tensor
    offset: Tensor
    eps: float = field(static=True)

    def __init__(self, features: int, eps: float = 1e-5, dtype: Any = None) -> None:
        n = positive_size("LayerNorm", "features", features)
        if not (is_real(eps) and eps > 0):
            raise ArgumentError(f"LayerNorm: eps is {eps!r}; expected a positive number")
        dt = parameter_dtype("LayerNorm", dtype)
        self.scale, self.offset, self.eps = ss.ones(n, dtype=dt), ss.zeros(n, dtype=dt), float(eps)

    def __call__(self, x: Any) -> Tensor:
        x = checked_features("LayerNorm", x, self.scale.shape[-1])
        d = x - ss.mean(x, axis=-1, keepdims=True)
        variance = ss.mean(ss.real(d * ss.conj(d)), axis=-1, keepdims=True)
        return d / ss.sqrt(variance + self.eps) * self.scale + self.offset
