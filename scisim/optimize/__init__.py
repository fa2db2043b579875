"""Minima, roots, least squares and fixed points, on arrays, with names as in SciPy's `optimize`.

Solutions are functions of whatever their equations depend on, with derivatives of every order, under jit and vmap.
"""

from scisim.optimize._bounds import Bounds, LinearConstraint, NonlinearConstraint
from scisim.optimize._result import OptimizeResult
from scisim.optimize.curves import curve_fit
from scisim.optimize.fixed import fixed_point
from scisim.optimize.least import least_squares
from scisim.optimize.minima import minimize
from scisim.optimize.roots import root
from scisim.optimize.scalar_minima import minimize_scalar
from scisim.optimize.scalar_roots import RootResults, root_scalar
from scisim.optimize.search import line_search

__all__ = [
    "Bounds",
    "LinearConstraint",
    "NonlinearConstraint",
    "OptimizeResult",
    "RootResults",
    "curve_fit",
    "fixed_point",
    "least_squares",
    "line_search",
    "minimize",
    "minimize_scalar",
    "root",
    "root_scalar",
]
