"""Initial values of weights, each ``init(key, shape, dtype) -> Tensor``; shape is (fan in, fan out).

The variance of a complex weight, the mean of abs(w)^2, is that of the formula: half of it in each part.  Two
independent normal parts are a Rayleigh modulus with parameter sigma = sqrt(variance / 2) and a uniform phase, which for
``glorot_normal`` (sigma = 1 / sqrt(fan in + fan out)) and ``he_normal`` (sigma = 1 / sqrt(fan in)) is the
initialisation of C. Trabelsi et al., Deep Complex Networks, ICLR 2018, section 3.6; ``orthogonal`` is unitary there.
Numbers come from the key alone (Philox), so they are the same on any number of ranks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.checks import is_finite
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError

Initializer = Callable[[Any, tuple[int, ...], Any], Any]
_DTYPES = ("float32", "float64", "complex64", "complex128")


def parameter_dtype(who: str, dtype: Any) -> np.dtype:
    """A dtype that parameters may have; float64 for None."""
    try:
        dt = np.dtype(np.float64 if dtype is None else dtype)
    except TypeError:
        raise DTypeError(f"{who}: dtype is {dtype!r}; expected one of {', '.join(_DTYPES)}") from None
    if dt.name not in _DTYPES:
        raise DTypeError(f"{who}: dtype {dt} for parameters; expected one of {', '.join(_DTYPES)}")
    return dt


def real_part_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of the parts of numbers of this dtype."""
    return np.dtype(dtype.type(0).real.dtype)


def _drawn(draw: Callable, key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers of variance one: of the complex plane with half the variance in each direction."""
    dt = parameter_dtype("initializer", dtype)
    if dt.kind != "c":
        return draw(key, shape, dt)
    parts = [draw(k, shape, real_part_dtype(dt)) for k in ss.random.split(key)]
    return (parts[0] + 1j * parts[1]) * math.sqrt(0.5)


def _normal(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    return ss.random.normal(key, shape, dtype)


def _uniform(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    return (2.0 * ss.random.uniform(key, shape, dtype) - 1.0) * math.sqrt(3.0)


def _fans(name: str, shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) < 2:
        raise ShapeError(f"{name}: shape {tuple(shape)} has no fan in and fan out; expected at least two axes")
    window = math.prod(shape[:-2])
    return max(1, window * shape[-2]), max(1, window * shape[-1])


def _scaled(name: str, doc: str, draw: Callable, variance: Callable[[int, int], float]) -> Initializer:
    def init(key: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
        return _drawn(draw, key, shape, dtype) * math.sqrt(variance(*_fans(name, shape)))

    init.__name__ = init.__qualname__ = name
    init.__doc__ = doc
    return init


_GLOROT = "of variance 2 / (fan in + fan out) (X. Glorot, Y. Bengio, AISTATS 2010)."
_HE = "of variance 2 / fan in, for rectifiers (K. He et al., ICCV 2015)."
glorot_normal = _scaled("glorot_normal", f"Normal {_GLOROT}", _normal, lambda m, n: 2 / (m + n))
glorot_uniform = _scaled("glorot_uniform", f"Uniform {_GLOROT}", _uniform, lambda m, n: 2 / (m + n))
he_normal = _scaled("he_normal", f"Normal {_HE}", _normal, lambda m, n: 2 / m)
he_uniform = _scaled("he_uniform", f"Uniform {_HE}", _uniform, lambda m, n: 2 / m)
lecun_normal = _scaled(
    "lecun_normal", "Normal of variance 1 / fan in (Y. LeCun et al., 1998).", _normal, lambda m, n: 1 / m
)


def zeros(key: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
    """Zeros; the key is not used.

    Examples
    --------
    >>> from scisim import nn
    >>> nn.initializers.zeros(None, (2,))
    Tensor([0., 0.])
    """
    return ss.zeros(shape, dtype=parameter_dtype("zeros", dtype))


def uniform(bound: float = 1.0) -> Initializer:
    """Uniform in [-bound, bound]; for complex numbers in each of both directions, less a factor of sqrt(2).

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim import nn
    >>> b = nn.initializers.uniform(0.1)(ss.random.key(0), (1000,), ss.float64)
    >>> bool(ss.max(ss.abs(b)) <= 0.1)
    True
    """
    if not (is_finite(bound) and bound >= 0):
        raise ArgumentError(f"uniform: bound is {bound!r}; expected a number of at least 0")

    def init(key: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
        return _drawn(_uniform, key, shape, dtype) * (bound / math.sqrt(3.0))

    init.__name__ = f"uniform({bound})"
    return init


def orthogonal(key: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
    """A matrix with orthonormal columns (or rows, of which there are fewer), uniform in the Haar measure.

    From the QR factors of a normal matrix with the signs of R's diagonal made positive (F. Mezzadri, Notices of the
    AMS 54 (2007) 592).
    """
    if len(shape) != 2:
        raise ShapeError(f"orthogonal: shape {tuple(shape)}; expected a matrix")
    from scisim.core.tensor import concrete_array

    tall = (max(shape), min(shape))
    q, r = np.linalg.qr(concrete_array(_drawn(_normal, key, tall, dtype), "orthogonal"))
    d = np.diagonal(r)
    q = q * (d / np.abs(d))
    return ss.asarray(q if tall == tuple(shape) else np.conj(q.T))


INITIALIZERS: dict[str, Initializer] = {
    "glorot_normal": glorot_normal,
    "glorot_uniform": glorot_uniform,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "lecun_normal": lecun_normal,
    "orthogonal": orthogonal,
    "zeros": zeros,
}


def initializer(init: Any, who: str) -> Initializer:
    """An initialiser by its name, or the function itself."""
    if callable(init):
        return init
    if not isinstance(init, str):
        raise ArgumentTypeError(f"{who}: init is {init!r}; expected a name or a function (key, shape, dtype) -> Tensor")
    if init not in INITIALIZERS:
        raise ArgumentError(f"{who}: unknown init {init!r}; expected one of {', '.join(INITIALIZERS)}, or a function")
    return INITIALIZERS[init]
