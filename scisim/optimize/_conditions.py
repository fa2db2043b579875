"""What is zero at a minimum between bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.values import dtype
from scisim.ops.select import where


def between_bounds(x: Any, g: Any, low: Any, high: Any) -> Any:
    """The gradient of free variables, the distance of others from their bound; nan where a bound is just touched."""
    if low is None:
        return g
    fixed, eps = low >= high, np.finfo(dtype(x)).eps ** 0.5
    at_low, at_high = (x <= low) & (g > 0), (x >= high) & (g < 0)
    touched = ((x <= low) | (x >= high)) & (abs(g) <= eps) & (low < high)
    out = where(at_low | fixed, x - low, where(at_high, x - high, g))
    return where(touched, g * np.nan, out)
