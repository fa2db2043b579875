"""Minima, roots, least squares and fixed points, on arrays, with names as in SciPy's `optimize`.

Solutions are functions of whatever their equations depend on, with derivatives of every order, under jit and vmap.
"""

from scisim.optimize._bounds import Bounds, LinearConstraint, NonlinearConstraint
from scisim.optimize._result import OptimizeResult
from scisim.optimize.minima import minimize

__all__ = ["Bounds", "LinearConstraint", "NonlinearConstraint", "OptimizeResult", "minimize"]
