"""Minima, roots, least squares and fixed points, on arrays, with names as in SciPy's `optimize`.

Solutions are functions of whatever their equations depend on, with derivatives of every order, under jit and vmap.
"""

from scisim.optimize._bounds import Bounds, LinearConstraint, NonlinearConstraint
from scisim.optimize._result import OptimizeResult
from scisim.optimize.least import curve_fit, least_squares
from scisim.optimize.minima import minimize
from scisim.optimize.roots import root

__all__ = [
    "Bounds",
    "LinearConstraint",
    "NonlinearConstraint",
    "OptimizeResult",
    "curve_fit",
    "least_squares",
    "minimize",
    "root",
]
