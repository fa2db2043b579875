"""scisim: differentiable scientific computing.

NumPy-style code that differentiates to any order, maps, compiles, and runs on many MPI ranks.

    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> u = lambda t, x: ss.exp(-t) * ss.sin(x)
    >>> ad.partial(u, "txx")(0.0, 0.5)
    Tensor(0.47942554)
"""

import importlib as _importlib
import os as _os
from typing import Any as _Any

import numpy as _np

from scisim import backends as _backends
from scisim import ops as _ops
from scisim.compiler.debug import debug_nans
from scisim.compiler.elementwise import elementwise
from scisim.compiler.export import export, load
from scisim.compiler.jit import jit
from scisim.compiler.profile import profile
from scisim.core import errors
from scisim.core.devices import device
from scisim.core.dispatch import numpy_name
from scisim.core.errors import ScisimError
from scisim.core.machine import keep_memory as _keep_memory
from scisim.core.names import missing_name as _missing_name
from scisim.core.public import OPERATIONS as _OPERATIONS
from scisim.core.tensor import Tensor
from scisim.core.values import bfloat16 as _bfloat16
from scisim.ops.dtypes import can_cast, finfo, iinfo, isdtype, result_type
from scisim.ops.exchange import from_dlpack
from scisim.ops.flow import cond, fori_loop, scan, while_loop
from scisim.ops.inspection import API_VERSION as __array_api_version__
from scisim.ops.inspection import __array_namespace_info__
from scisim.ops.logic import allclose
from scisim.ops.parts import broadcast_shapes
from scisim.ops.printing import print
from scisim.ops.vmap import vmap

_keep_memory()

__version__ = "0.1.0"

# Array functions, each declared in `ops` (see `core.public`).
globals().update({name: op.function for name, op in _OPERATIONS.items() if "." not in name})

e, pi, inf, nan, newaxis = _np.e, _np.pi, _np.inf, _np.nan, None
bool = _np.dtype("bool")
int8, int16, int32, int64 = map(_np.dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(_np.dtype, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(_np.dtype, ("float16", "float32", "float64"))
complex64, complex128 = map(_np.dtype, ("complex64", "complex128"))

_PACKAGES = (
    "autodiff",
    "compiler",
    "complex",
    "distributed",
    "fft",
    "integrate",
    "interpolate",
    "io",
    "nn",
    "optim",
    "optimize",
    "pde",
    "plot",
    "sparse",
    "train",
)
_MODULES = {"linalg": "scisim.ops.linalg", "random": "scisim.ops.random", "special": "scisim.ops.special"}

__all__ = [
    "ScisimError",
    "Tensor",
    "__array_api_version__",
    "__array_namespace_info__",
    "allclose",
    "broadcast_shapes",
    "can_cast",
    "cond",
    "debug_nans",
    "device",
    "elementwise",
    "errors",
    "export",
    "finfo",
    "fori_loop",
    "from_dlpack",
    "iinfo",
    "isdtype",
    "jit",
    "load",
    "print",
    "profile",
    "result_type",
    "scan",
    "vmap",
    "while_loop",
    *(name for name in _OPERATIONS if "." not in name),
]


# A rank that fails before it has used `distributed` must end the whole job too, not leave it waiting.
if {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK"} & _os.environ.keys():
    _importlib.import_module("scisim.distributed")


_ELSEWHERE = {
    "signal": "scisim.fft has stft, dct and others, scisim.fft.spectral convolve, correlate and resample",
    "lax": "scan, cond, while_loop, fori_loop are in scisim itself",
    "numpy": "NumPy's names are in scisim itself",
    "polar": "it is r * exp(1j * phi)",
    "view_as_real": "use stack([real(z), imag(z)], axis=-1)",
    "view_as_complex": "use x[..., 0] + 1j * x[..., 1]",
    "sgn": "use sign",
    "iscomplexobj": "use isdtype(x.dtype, 'complex floating')",
    "is_complex": "use isdtype(x.dtype, 'complex floating')",
    "emath": "use sqrt(x + 0j), log(x + 0j) and so on",
}


def __getattr__(name: str) -> _Any:
    """Subpackages load when first used; NumPy's names stand for those of the Array API."""
    if name in _PACKAGES or name in _MODULES:
        module = globals()[name] = _importlib.import_module(_MODULES.get(name, f"scisim.{name}"))
        return module
    if name == "bfloat16":
        return _bfloat16()
    ours = numpy_name(name)
    if ours in _OPERATIONS:
        return _OPERATIONS[ours].function
    if name in _importlib.import_module("scisim.autodiff").__dict__:
        raise AttributeError(f"module 'scisim' has no attribute {name!r}; it is scisim.autodiff.{name}")
    for package in ("fft", "linalg", "special"):  # which declare the operations that the hint may name
        _importlib.import_module(_MODULES.get(package, f"scisim.{package}"))
    raise _missing_name("scisim", name, _ELSEWHERE)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *_MODULES})
