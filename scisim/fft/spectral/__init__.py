"""Spectral operators: derivatives, elliptic solvers, products and filters of periodic fields, Chebyshev series.

>>> import scisim as ss
>>> from scisim.fft import spectral
>>> x = ss.arange(16) * (2 * ss.pi / 16)
>>> float(ss.max(abs(spectral.derivative(ss.sin(x)) - ss.cos(x)))) < 1e-14
True
"""

from typing import Any as _Any
from typing import NoReturn as _NoReturn

from scisim.core.names import missing_name as _missing_name
from scisim.core.public import public as _public
from scisim.fft.spectral import collocation as _collocation
from scisim.fft.spectral import convolution as _convolution
from scisim.fft.spectral import filters as _filters
from scisim.fft.spectral import interpolation as _interpolation
from scisim.fft.spectral import operators as _operators
from scisim.fft.spectral import series as _series
from scisim.fft.spectral import solvers as _solvers
from scisim.fft.spectral import spectra as _spectra


def _dressed(module: _Any, name: str) -> _Any:
    return _public(name, getattr(module, name), module="fft.spectral")


derivative = _dressed(_operators, "derivative")
gradient = _dressed(_operators, "gradient")
divergence = _dressed(_operators, "divergence")
curl = _dressed(_operators, "curl")
laplacian = _dressed(_operators, "laplacian")
biharmonic = _dressed(_operators, "biharmonic")

poisson = _dressed(_solvers, "poisson")
helmholtz = _dressed(_solvers, "helmholtz")
biharmonic_inverse = _dressed(_solvers, "biharmonic_inverse")
project_divergence_free = _dressed(_solvers, "project_divergence_free")

pad = _dressed(_spectra, "pad")
truncate = _dressed(_spectra, "truncate")
dealias = _dressed(_spectra, "dealias")
dealiased_product = _dressed(_spectra, "dealiased_product")
filter = _dressed(_filters, "filter")

convolve = _dressed(_convolution, "convolve")
correlate = _dressed(_convolution, "correlate")
resample = _dressed(_interpolation, "resample")
interpolate = _dressed(_interpolation, "interpolate")

chebyshev_points = _dressed(_collocation, "chebyshev_points")
chebyshev_weights = _dressed(_collocation, "chebyshev_weights")
chebyshev_matrix = _dressed(_collocation, "chebyshev_matrix")
chebyshev_derivative = _dressed(_series, "chebyshev_derivative")
chebyshev_integral = _dressed(_series, "chebyshev_integral")
chebyshev_differentiate = _dressed(_collocation, "chebyshev_differentiate")
chebyshev_integrate = _dressed(_collocation, "chebyshev_integrate")
chebyshev_evaluate = _dressed(_series, "chebyshev_evaluate")
inverse_chebyshev = _dressed(_series, "inverse_chebyshev")
chebyshev = _dressed(_series, "chebyshev")

__all__ = [
    "derivative",
    "gradient",
    "divergence",
    "curl",
    "laplacian",
    "biharmonic",
    "poisson",
    "helmholtz",
    "biharmonic_inverse",
    "project_divergence_free",
    "pad",
    "truncate",
    "dealias",
    "dealiased_product",
    "filter",
    "convolve",
    "correlate",
    "resample",
    "interpolate",
    "chebyshev_points",
    "chebyshev_weights",
    "chebyshev_matrix",
    "chebyshev",
    "inverse_chebyshev",
    "chebyshev_derivative",
    "chebyshev_integral",
    "chebyshev_differentiate",
    "chebyshev_integrate",
    "chebyshev_evaluate",
]


_ELSEWHERE = {
    "diff": "use derivative(u, order)",
    "cheb": "use chebyshev_points(n) and chebyshev_matrix(n)",
    "fftconvolve": "use convolve",
    "hilbert": "it is ifft(-1j * sign(fftfreq(n)) * fft(x)), with n = x.shape[-1]; of real x take the real part",
    "wavenumbers": "use 2 * pi * scisim.fft.fftfreq(n, period / n)",
}


def __getattr__(name: str) -> _NoReturn:
    raise _missing_name(__name__, name, _ELSEWHERE)
