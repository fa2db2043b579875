"""Normalisation of features."""

from __future__ import annotations

from typing import Any

import scisim as ss
from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.tensor import Tensor
from scisim.nn.initializers import parameter_dtype, real_part_dtype
from scisim.nn.layers import checked_features, positive_size
from scisim.nn.module import Module, field
from scisim.nn.whitening import covariance, whitened


class BatchNorm(Module):
    """Batch normalisation over all axes but the last (S. Ioffe, C. Szegedy, ICML 2015).

    In training mode features are scaled by the mean and variance of the batch, in evaluation mode by the running ones.
    The running ones are buffers: they change only in ``y, layer = layer.apply(x)``, which returns the module with
    buffers brought up to date; ``layer(x)`` gives y alone.  The running variance is the unbiased one.

    Complex features are whitened: mapped so that both parts have variance 1/2 and are uncorrelated, by the inverse root
    of their covariance; then y = scale w + mixing conj(w) + offset with a real scale, which is any symmetric 2 x 2
    matrix acting on (Re w, Im w)  (C. Trabelsi et al., Deep Complex Networks, ICLR 2018, section 3.5).

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
        Trained; the scale is real.
    mixing : Tensor of shape (features,), or None
        Trained, of complex features.
    mean, variance : Tensor of shape (features,)
        Buffers; the variance is that of abs(x - mean).
    pseudo_variance : Tensor of shape (features,), or None
        Buffer, of complex features: the mean of (x - mean)^2.

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
    mixing: Tensor | None = field(default=None)
    pseudo_variance: Tensor | None = field(buffer=True, default=None)

    def __init__(
        self, features: int, momentum: float = 0.9, eps: float = 1e-5, dtype: Any = None, training: bool = True
    ) -> None:
        n = positive_size("BatchNorm", "features", features)
        if not (is_real(momentum) and is_real(eps) and 0 <= momentum < 1 and eps > 0):
            raise ArgumentError(f"BatchNorm: momentum {momentum!r}, eps {eps!r}; expected 0 <= momentum < 1, eps > 0")
        dt = parameter_dtype("BatchNorm", dtype)
        self.scale, self.mixing, self.offset = _identity(n, dt)
        self.mean, self.variance = ss.zeros(n, dtype=dt), ss.ones(n, dtype=real_part_dtype(dt))
        self.pseudo_variance = None if self.mixing is None else ss.zeros(n, dtype=dt)
        self.momentum, self.eps, self.training = float(momentum), float(eps), training

    def __call__(self, x: Any) -> Tensor:
        return self._normalize(x)[0]

    def apply(self, x: Any) -> tuple[Tensor, BatchNorm]:
        """The output, and the layer with its running statistics brought up to date (in training mode)."""
        y, mean, (variance, pseudo), n = self._normalize(x)
        if not self.training:
            return y, self
        unbiased = n / (n - 1)
        after = {"mean": self._mixed(self.mean, mean), "variance": self._mixed(self.variance, variance * unbiased)}
        if self.pseudo_variance is not None:
            after["pseudo_variance"] = self._mixed(self.pseudo_variance, pseudo * unbiased)
        return y, self.replace(**after)

    def _mixed(self, old: Tensor, new: Tensor) -> Tensor:
        from scisim.autodiff import stop_gradient

        return self.momentum * old + (1 - self.momentum) * stop_gradient(new)

    def _normalize(self, x: Any) -> tuple[Tensor, Tensor, tuple, int]:
        x = _fitting("BatchNorm", x, self.scale, self.mixing)
        axes, n = tuple(range(x.ndim - 1)), x.size // x.shape[-1]
        if not self.training:
            mean, moments = self.mean, (self.variance, self.pseudo_variance)
        elif n < 2:
            raise ShapeError(f"BatchNorm: a batch of shape {x.shape} has no variance; training needs two examples")
        else:
            mean = ss.mean(x, axis=axes)
            moments = _moments(x - mean, axes, self.mixing)
        y = _standard(x - mean, moments, self.eps)
        return _affine(y, self.scale, self.mixing, self.offset), mean, moments, n


class LayerNorm(Module):
    """Each example scaled to mean 0 and variance 1 over its last axis (J. L. Ba et al., arXiv:1607.06450).

    Complex examples are whitened, and have a scale and a mixing, as in `BatchNorm`.

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
    mixing: Tensor | None = field(default=None)

    def __init__(self, features: int, eps: float = 1e-5, dtype: Any = None) -> None:
        n = positive_size("LayerNorm", "features", features)
        if not (is_real(eps) and eps > 0):
            raise ArgumentError(f"LayerNorm: eps is {eps!r}; expected a positive number")
        self.scale, self.mixing, self.offset = _identity(n, parameter_dtype("LayerNorm", dtype))
        self.eps = float(eps)

    def __call__(self, x: Any) -> Tensor:
        x = _fitting("LayerNorm", x, self.scale, self.mixing)
        d = x - ss.mean(x, axis=-1, keepdims=True)
        y = _standard(d, _moments(d, -1, self.mixing, keepdims=True), self.eps)
        return _affine(y, self.scale, self.mixing, self.offset)


def _identity(n: int, dtype: Any) -> tuple[Tensor, Tensor | None, Tensor]:
    """Scale, mixing and offset that change nothing."""
    mixing = ss.zeros(n, dtype=dtype) if dtype.kind == "c" else None
    return ss.ones(n, dtype=real_part_dtype(dtype)), mixing, ss.zeros(n, dtype=dtype)


def _fitting(who: str, x: Any, scale: Tensor, mixing: Any) -> Tensor:
    """The input, of features that are complex only if the layer is."""
    x = checked_features(who, x, scale.shape[-1])
    if x.dtype.kind == "c" and mixing is None:
        raise DTypeError(f"{who}: the input is {x.dtype}, the layer real; make it with dtype={x.dtype.name!r}")
    return x if mixing is None else x + 0j


def _moments(d: Tensor, axis: Any, mixing: Any, keepdims: bool = False) -> tuple[Tensor, Tensor | None]:
    """Variance and, of complex numbers, pseudo-variance."""
    if mixing is None:
        return ss.mean(d * d, axis=axis, keepdims=keepdims), None
    return covariance(d, axis, keepdims)


def _standard(d: Tensor, moments: tuple, eps: float) -> Tensor:
    variance, pseudo = moments
    return d / ss.sqrt(variance + eps) if pseudo is None else whitened(d, variance, pseudo, eps)


def _affine(y: Tensor, scale: Tensor, mixing: Any, offset: Tensor) -> Tensor:
    return y * scale + offset if mixing is None else y * scale + mixing * ss.conj(y) + offset
