"""Filters that damp the highest frequencies of periodic fields.

Formulas: C. Canuto et al., *Spectral Methods: Fundamentals in Single Domains*, Springer 2006, section 2.1.4;
H. Vandeven, "Family of spectral filters for discontinuous problems", J. Sci. Comput. 6 (1991) 159;
D. Gottlieb and C.-W. Shu, "On the Gibbs phenomenon and its resolution", SIAM Rev. 39 (1997) 644.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.values import shape
from scisim.fft.spectral._arguments import PERIOD, field, one_of, real_of
from scisim.fft.spectral._constants import Grid, along, constant, numbers
from scisim.fft.spectral._periodic import axes_and_periods, forward, inverse, periodic_grid

_STRENGTH = -math.log(np.finfo(float).eps)


def _exponential(eta: np.ndarray, order: float) -> np.ndarray:
    return np.exp(-_STRENGTH * eta**order)


def _vandeven(eta: np.ndarray, order: float) -> np.ndarray:
    from scipy.special import betainc

    return betainc(order, order, 1.0 - eta)


# Each with its factor at eta = |k| / (n / 2), from 0 to 1, and the order that it has where none is given.
_KINDS: dict[str, tuple[Callable[[np.ndarray, float], np.ndarray], float]] = {
    "exponential": (_exponential, 16.0),
    "lanczos": (lambda eta, order: np.sinc(eta) ** order, 1.0),
    "raised_cosine": (lambda eta, order: np.cos(0.5 * math.pi * eta) ** (2.0 * order), 1.0),
    "gaussian": (lambda eta, order: np.exp(-0.5 * (eta * order) ** 2), 4.0),
    "vandeven": (_vandeven, 8.0),
}


def filter(x: Any, /, kind: str = "exponential", order: float | None = None, axes: Any = None) -> Any:
    """A periodic field whose high frequencies are damped.

    Parameters
    ----------
    x : array_like
        Real or complex values at equidistant points along each of ``axes``.
    kind : {"exponential", "lanczos", "raised_cosine", "gaussian", "vandeven"}
        See the notes.
    order : float, optional
        See the notes.
    axes : int or tuple of int, optional
        All by default.

    Returns
    -------
    Tensor
        Of the shape of ``x``; real for real input.

    Raises
    ------
    ArgumentError
        For an unknown kind, an order that is not positive, or axes out of range.
    ArgumentTypeError
        For an order that is no number.
    ShapeError
        For a scalar.

    Notes
    -----
    The element of frequency k is multiplied, for each axis of n points, by a factor at eta = \\|k\\| / (n / 2):

    ============= ==================================================== =============
    kind          factor                                               order p
    ============= ==================================================== =============
    exponential   exp(log(eps) eta^p), with eps = 2^-52                16
    lanczos       (sin(pi eta) / (pi eta))^p                           1
    raised_cosine ((1 + cos(pi eta)) / 2)^p                            1
    gaussian      exp(-(p eta)^2 / 2)                                  4
    vandeven      1 - I_eta(p, p), the regularised incomplete beta     8
    ============= ==================================================== =============

    The factor at 0 is 1, so that means stay. The first p - 1 derivatives of the exponential and of Vandeven's
    factor vanish at 0, which keeps that order of accuracy away from jumps.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(8) * (ss.pi / 4)
    >>> y = ss.fft.spectral.filter(1 + ss.cos(2 * x), "raised_cosine")
    >>> float(ss.max(abs(y - 1 - ss.cos(2 * x) / 2))) < 1e-15
    True
    """
    x = field("filter", x)
    found, periods = axes_and_periods("filter", shape(x), axes, PERIOD)
    kind = one_of("filter", "kind", kind, tuple(_KINDS))
    p, grid, dt = _order(kind, order), periodic_grid(x, found, periods), real_of(x)
    factor = constant(("filter", kind, p, grid, dt.char), lambda: _factor(kind, p, grid).astype(dt))
    return inverse(forward(x, grid) * factor, grid)


def _order(kind: str, order: Any) -> float:
    if order is None:
        return _KINDS[kind][1]
    if isinstance(order, bool) or not isinstance(order, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"filter: order must be a number, got {order!r}")
    if not 0 < order < math.inf:
        raise ArgumentError(f"filter: order must be positive and finite, got {order!r}")
    return float(order)


def _factor(kind: str, order: float, grid: Grid) -> np.ndarray:
    total: Any = 1.0
    for side, axis, n, _ in grid:
        eta = np.minimum(np.abs(numbers(n, side == "half")) / (n / 2), 1.0)
        total = total * along(_KINDS[kind][0](eta, order), axis)
    return total
