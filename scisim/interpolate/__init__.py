"""Interpolation between given points, with names as in SciPy's `interpolate`.

Interpolants are pytrees, made and called inside of `jit`, `vmap` and derivatives like any function: they differentiate
in the queries, in the data and in the points, as often as they are smooth.

>>> import scisim as ss
>>> from scisim.interpolate import CubicSpline
>>> x = ss.linspace(0.0, 1.0, 6)
>>> CubicSpline(x, x**3)(0.5)
Tensor(0.125)
"""

from scisim.interpolate._bsplines import BSpline, make_interp_spline
from scisim.interpolate._cubic import Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PchipInterpolator
from scisim.interpolate._grids import RegularGridInterpolator, interp1d
from scisim.interpolate._piecewise import PPoly
from scisim.interpolate._polynomials import BarycentricInterpolator, KroghInterpolator, lagrange
from scisim.interpolate._radial import RBFInterpolator
from scisim.interpolate._scattered import LinearNDInterpolator, NearestNDInterpolator, griddata

__all__ = [
    "Akima1DInterpolator",
    "BSpline",
    "BarycentricInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "KroghInterpolator",
    "LinearNDInterpolator",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RegularGridInterpolator",
    "griddata",
    "interp1d",
    "lagrange",
    "make_interp_spline",
]
