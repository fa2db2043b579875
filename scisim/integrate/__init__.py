"""Differential equations, quadrature and sampled functions, with names as in SciPy's `integrate`."""

from scisim.integrate._integral import IntegrationWarning
from scisim.integrate._result import OdeResult, OdeSolution
from scisim.integrate.bvp import BVPResult, solve_bvp
from scisim.integrate.fixed import rk4, symplectic
from scisim.integrate.ivp import solve_ivp
from scisim.integrate.quadrature import dblquad, fixed_quad, nquad, quad, quad_vec, tplquad
from scisim.integrate.sampled import cumulative_trapezoid, trapezoid
from scisim.integrate.samples import cumulative_simpson, leggauss, romb, simpson

__all__ = [
    "BVPResult",
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
    "rk4",
    "romb",
    "simpson",
    "solve_bvp",
    "solve_ivp",
    "symplectic",
    "tplquad",
    "trapezoid",
]
