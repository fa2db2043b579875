"""Questions about dtypes: promotion, casts, limits, kinds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, DTypeError
from scisim.core.tensor import functions, unwrap
from scisim.core.values import bfloat16, inexact
from scisim.core.values import dtype as dtype_of

_WEAK = (bool, int, float, complex)


def _dtype(x: Any) -> np.dtype:
    if isinstance(x, (str, type, np.dtype)):
        return bfloat16() if x == "bfloat16" else np.dtype(x)
    return dtype_of(unwrap(x))


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """The dtype to which arrays, dtypes and Python scalars promote together.

    Parameters
    ----------
    *arrays_and_dtypes : array_like or dtype
        Python scalars are weak: they take part by kind alone.

    Returns
    -------
    dtype

    Raises
    ------
    ArgumentError
        Without arguments.
    DTypeError
        When there is no common dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.result_type(ss.ones(2, dtype="float32"), 1.0)
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: got no arguments; give at least one array or dtype")
    try:
        return np.result_type(*(x if type(x) in _WEAK else _dtype(x) for x in arrays_and_dtypes))
    except TypeError as error:
        raise DTypeError(f"result_type: {error}") from None


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a dtype casts to another without loss.

    Parameters
    ----------
    from_ : dtype or array
    to : dtype

    Returns
    -------
    bool

    Examples
    --------
    >>> import scisim as ss
    >>> ss.can_cast("float32", "float64"), ss.can_cast("float64", "int64")
    (True, False)
    """
    return bool(np.can_cast(_dtype(from_), _dtype(to)))


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a floating-point dtype, as Python numbers."""

    dtype: np.dtype
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    smallest_subnormal: float
    resolution: float

    @property
    def tiny(self) -> float:
        """NumPy's name of the smallest normal number."""
        return self.smallest_normal


@lru_cache(maxsize=32)
def _limits(dt: np.dtype) -> FloatInfo:
    if dt.name == "bfloat16":
        import ml_dtypes

        f: Any = ml_dtypes.finfo(dt)
    else:
        f = np.finfo(dt)
    parts = (f.eps, f.max, f.min, f.smallest_normal, f.smallest_subnormal, f.resolution)
    return FloatInfo(np.dtype(f.dtype), int(f.bits), *map(float, parts))


def finfo(type: Any, /) -> FloatInfo:
    """Limits of a floating-point dtype; of a complex one, those of its parts.

    Parameters
    ----------
    type : dtype or array

    Returns
    -------
    FloatInfo
        With dtype, bits, and as Python numbers eps, max, min, smallest_normal, smallest_subnormal, resolution.

    Raises
    ------
    DTypeError
        For any other dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.finfo("float32").eps
    1.1920928955078125e-07
    """
    dt = _dtype(type)
    if not inexact(dt):
        raise DTypeError(f"finfo: {dt} is not a floating-point dtype; iinfo has the limits of integers")
    return _limits(dt)


def iinfo(type: Any, /) -> np.iinfo:
    """Limits of an integer dtype.

    Parameters
    ----------
    type : dtype or array

    Returns
    -------
    iinfo
        With min, max, bits.

    Raises
    ------
    DTypeError
        For any other dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.iinfo("int8").max
    127
    """
    dt = _dtype(type)
    if dt.kind not in "iu":
        raise DTypeError(f"iinfo: {dt} is not an integer dtype; finfo is for floating-point ones")
    return np.iinfo(dt)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype
    kind : dtype, str or tuple of them
        "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
        "numeric".

    Returns
    -------
    bool

    Raises
    ------
    ArgumentError
        For an unknown kind.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.isdtype(ss.float64, "real floating")
    True
    """
    try:
        return bool(np.isdtype(_dtype(dtype), kind))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"isdtype: {error}") from None


for _f in (result_type, can_cast, finfo, iinfo, isdtype):
    _f.__module__ = "scisim"
    functions[_f.__name__] = _f
