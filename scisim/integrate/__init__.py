"""Integration on arrays, with names as in SciPy's `integrate`: of sampled functions so far."""

from scisim.integrate.sampled import cumulative_trapezoid, trapezoid

__all__ = ["cumulative_trapezoid", "trapezoid"]
