"""Differential equations, quadrature and sampled functions, with names as in SciPy's `integrate`."""

from scisim.integrate._integral import IntegrationWarning
from scisim.integrate._result import OdeResult, OdeSolution
from scisim.integrate.ivp import solve_ivp
from scisim.integrate.quadrature import dblquad, fixed_quad, nquad, quad, quad_vec, tplquad
from scisim.integrate.sampled import cumulative_trapezoid, trapezoid
from scisim.integrate.samples import cumulative_simpson, leggauss, romb, simpson

__all__ = [
    "IntegrationWarning",
    "OdeResult",
    "OdeSolution",
    "cumulative_simpson",
    "cumulative_trapezoid",
    "dblquad",
    "fixed_quad",
    "leggauss",
    "nquad",
    "quad",
    "quad_vec",
    "romb",
    "simpson",
    "solve_ivp",
    "tplquad",
    "trapezoid",
]
