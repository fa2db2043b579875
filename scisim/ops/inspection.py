"""What the library can do, asked by other libraries: the inspection functions of the Array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.devices import CPU, Device, available, check_device
from scisim.core.errors import ArgumentError
from scisim.core.tensor import functions

API_VERSION = "2025.12"
MAX_DIMENSIONS = 64  # of NumPy, which holds the numbers

KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
_ALL = KINDS["bool"] + KINDS["numeric"]
_DEFAULTS = {
    "real floating": "float64",
    "complex floating": "complex128",
    "integral": "int64",
    "indexing": np.dtype(np.intp).name,
}


class Info:
    """The answers, in the form that the Array API standard lays down.

    Examples
    --------
    >>> import scisim as ss
    >>> info = ss.__array_namespace_info__()
    >>> info.default_dtypes()["real floating"]
    dtype('float64')
    >>> sorted(info.dtypes(kind="complex floating"))
    ['complex128', 'complex64']
    """

    def capabilities(self) -> dict[str, bool | int]:
        """What not every array library does; inside transformations such shapes need ``size=``."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_DIMENSIONS}

    def default_device(self) -> Device:
        """Where arrays are made when nobody says where."""
        return CPU

    def devices(self) -> tuple[Device, ...]:
        """The devices that can be used now."""
        return tuple(map(Device, available()))

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The dtypes of arrays for which nobody names one, by kind."""
        check_device("default_dtypes", device)
        return {kind: np.dtype(name) for kind, name in _DEFAULTS.items()}

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, np.dtype]:
        """The dtypes of the standard by name, all of them or those of some kinds."""
        check_device("dtypes", device)
        return {name: np.dtype(name) for name in _names(kind)}


def _names(kind: Any) -> tuple[str, ...]:
    if kind is None:
        return _ALL
    if isinstance(kind, tuple):
        return tuple(name for k in kind for name in _names(k))
    if not isinstance(kind, str) or kind not in KINDS:
        raise ArgumentError(f"dtypes: kind is {kind!r}; use {', '.join(map(repr, KINDS))} or a tuple of them")
    return KINDS[kind]


def __array_namespace_info__() -> Info:
    """Devices, dtypes and capabilities, as the Array API standard asks for them.

    Returns
    -------
    Info
        With capabilities, default_device, devices, default_dtypes, dtypes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.__array_namespace_info__().capabilities()["boolean indexing"]
    True
    """
    return Info()


__array_namespace_info__.__module__ = "scisim"
functions["__array_namespace_info__"] = __array_namespace_info__
