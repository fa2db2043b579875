"""Statistics of complex numbers up to second order, and numbers made uncorrelated by them.

With d = z - E z, the covariance of (Re z, Im z) is held as the variance c = E abs(d)^2 (real) and the pseudo-variance
r = E d^2 (complex): as a map of the plane it is d -> (c d + r conj(d)) / 2.
"""

from __future__ import annotations

from typing import Any

import scisim as ss
from scisim.core.tensor import Tensor


def covariance(d: Tensor, axis: Any, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Variance and pseudo-variance of centred numbers."""
    variance = ss.mean(ss.real(d * ss.conj(d)), axis=axis, keepdims=keepdims)
    return variance, ss.mean(d * d, axis=axis, keepdims=keepdims)


def whitened(d: Tensor, variance: Tensor, pseudo: Tensor, eps: float) -> Tensor:
    """Centred numbers with variance 1 and pseudo-variance 0: the plane mapped by the inverse root of the covariance.

    ``eps`` is added to the variances of both parts.  C. Trabelsi et al., Deep Complex Networks, ICLR 2018, section 3.5:
    V^(-1/2) = ((tr V + s) I - V) / (s t), s = sqrt(det V), t = sqrt(tr V + 2 s); here over sqrt(2), so that both parts
    have variance 1/2.
    """
    plain = 0.25 * (variance * variance - ss.real(pseudo * ss.conj(pseudo)))
    # rounding may leave less than nothing where the numbers lie on a line; the derivative is zero there too
    determinant = ss.maximum(plain, 0.0) + eps * variance + eps * eps
    trace, s = variance + 2.0 * eps, ss.sqrt(determinant)
    scale = 1.0 / (s * ss.sqrt(2.0 * (trace + 2.0 * s)))
    return ((0.5 * variance + eps + s) * scale) * d - (0.5 * pseudo * scale) * ss.conj(d)
