"""What arguments are, for the checks that refuse others with a message."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


def is_real(x: Any) -> bool:
    """Whether it is a real number of Python or NumPy; truth values are none."""
    return isinstance(x, Real) and not isinstance(x, bool)


def is_finite(x: Any) -> bool:
    """Whether it is a finite real number."""
    return is_real(x) and math.isfinite(x)


def is_integer(x: Any, least: int | None = None) -> bool:
    """Whether it is an integer of Python or NumPy, and at least ``least``."""
    return isinstance(x, Integral) and not isinstance(x, bool) and (least is None or int(x) >= least)
