"""Integration on arrays, with names as in SciPy's `integrate`."""

from scisim.integrate.ivp import solve_ivp
from scisim.integrate.sampled import cumulative_trapezoid, trapezoid

__all__ = ["cumulative_trapezoid", "solve_ivp", "trapezoid"]
