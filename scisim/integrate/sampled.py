"""Integrals of functions known at points only; they differentiate in the values and in the points."""

from __future__ import annotations

from scisim.core.public import OPERATIONS

trapezoid = OPERATIONS["trapezoid"].function
cumulative_trapezoid = OPERATIONS["cumulative_trapezoid"].function
