"""How CPython and NumPy lay out their objects, as far as the native entry has to know, checked at the first use."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

import numpy as np

from scisim.compiler.cpu import entry_code as code
from scisim.compiler.cpu.once import once
from scisim.core.tensor import Tensor


class Layout(NamedTuple):
    """What the entry has to know of this interpreter and NumPy: words of the block, and scalar types it can read."""

    fixed: dict[str, int]
    scalars: frozenset[type]


@once
def layout() -> Layout | None:
    """How objects lie in memory, or None where it is not what the native code expects."""
    slot = _slot_of_value() if _plain_objects() else 0
    if not slot or not _arrays_as_expected() or not _tensors_as_expected(slot):
        return None
    scalars = [t for t in (np.dtype(letter).type for letter in "?bhilqBHILQefdFD") if _scalar_as_expected(t)]
    table = _numpy_functions()
    words = {
        "tensor": id(Tensor),
        "value": slot,
        "ndarray": id(np.ndarray),
        "make": table[94],  # PyArray_NewFromDescr
        "float_type": id(float),
        "int_type": id(int),
        "complex_type": id(complex),
        "refusal": id(NotImplemented),
    }
    return Layout(words, frozenset(scalars)) if table[2] == id(np.ndarray) else None


def _plain_objects() -> bool:
    """Whether an object is a reference count and a type, and the GIL is there to guard the count."""
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return sys.implementation.name == "cpython" and object.__basicsize__ == 16 and gil


def _word(address: int, type_: Any = ctypes.c_int64) -> int:
    return type_.from_address(address).value


def _slot_of_value() -> int:
    """Where in a Tensor its value is, from the descriptor of the slot: its member definition is its fifth word."""
    descriptor = vars(Tensor)["_v"]
    if type(descriptor).__name__ != "member_descriptor" or type(descriptor).__basicsize__ < 48:
        return 0
    definition = _word(id(descriptor) + 40)
    name = ctypes.string_at(_word(definition), 3)
    return _word(definition + 16) if name == b"_v\0" else 0


def _arrays_as_expected() -> bool:
    """Whether an array's fields are where NumPy 2 has them."""

    def fits(a: Any) -> bool:
        at = id(a)
        lengths = [_word(_word(at + code.SHAPE) + 8 * k) for k in range(a.ndim)]
        flags = _word(at + code.FLAGS, ctypes.c_int32) & code.PLAIN
        return (
            _word(at + code.DATA) == a.ctypes.data
            and _word(at + code.NDIM, ctypes.c_int32) == a.ndim
            and lengths == list(a.shape)
            and _word(at + code.DESCR) == id(a.dtype)
            and (flags == code.PLAIN) == (a.flags.c_contiguous and a.flags.aligned)
        )

    whole = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    return all(map(fits, (whole, whole[:, ::2], whole.T, np.zeros(()), np.zeros(9, np.int8)[1:].view(np.float64))))


def _tensors_as_expected(slot: int) -> bool:
    t = Tensor(np.zeros(3))
    return 16 <= slot <= Tensor.__basicsize__ - 8 and _word(id(t) + slot) == id(t._v)


def _scalar_as_expected(type_: type) -> bool:
    """Whether a NumPy scalar's bytes follow its head."""
    x = type_(1)
    return ctypes.string_at(id(x) + 16, x.nbytes) == x.tobytes()


def _numpy_functions() -> Any:
    """NumPy's table of C functions."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return (ctypes.c_int64 * 95).from_address(get(np._core._multiarray_umath._ARRAY_API, None))  # type: ignore[attr-defined]
