"""BLAS and LAPACK functions by address, without SciPy: of MKL where it is installed, else of NumPy's own OpenBLAS.

All are called in Fortran's convention. Integers are passed by the address of 64 bits, of which a library with
32-bit integers reads the lower half.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scisim.backends.libraries import MKL_PLACES

# How libraries spell Fortran's dgemm and functions of their own; 64-bit integers come first.
_FORMS = ("scipy_{}_64_", "{}_64_", "{}64_", "scipy_{}_", "{}_")
_OWN = ("scipy_openblas_{}64_", "openblas_{}64_", "scipy_openblas_{}", "openblas_{}")
PREFIX = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
_SHORTEST = 448  # where no extent is shorter, a library's blocking for all caches wins over the generated product
_SMALLEST = 2e6  # multiplications from which on calling a library by address from Python pays


@dataclass(frozen=True)
class Blas:
    """A BLAS that is loaded.

    Attributes
    ----------
    name : str
        ``"MKL"`` or ``"OpenBLAS"``.
    library : ctypes.CDLL
    form : str
        How it spells Fortran's functions.
    """

    name: str
    library: Any
    form: str

    def address(self, function: str) -> int | None:
        """Where a function is (``"dgemm"``, ``"zpotrf"``), or None if the library lacks it."""
        found = getattr(self.library, self.form.format(function), None)
        return None if found is None else ctypes.cast(found, ctypes.c_void_p).value

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Calls inside use the calling thread alone; the number of threads is as before afterwards."""
        if self.name == "MKL":
            before = self.library.MKL_Set_Num_Threads_Local(1)  # holds for this thread only
            try:
                yield
            finally:
                self.library.MKL_Set_Num_Threads_Local(before)
            return
        _alone.enter(self.library)
        try:
            yield
        finally:
            _alone.leave(self.library)


class _Alone:
    """OpenBLAS has one number of threads for all: the first to want one thread sets it, the last sets it back."""

    def __init__(self) -> None:
        self.lock, self.inside, self.before = threading.Lock(), 0, 1

    def enter(self, library: Any) -> None:
        with self.lock:
            if not self.inside:
                self.before = _own(library, "get_num_threads")()
                _own(library, "set_num_threads")(1)
            self.inside += 1

    def leave(self, library: Any) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside:
                _own(library, "set_num_threads")(self.before)


_alone = _Alone()


@functools.cache
def blas() -> Blas | None:
    """MKL if the package ``mkl`` is installed, else the OpenBLAS inside NumPy, else None."""
    for name, folder, pattern in _places():
        for path in sorted(folder.glob(pattern)):
            found = _opened(name, path)
            if found is not None:
                return found
    return None


def _places() -> list[tuple[str, Path, str]]:
    numpy, prefix = Path(np.__file__).parent, Path(sys.prefix)
    bundled = [numpy.parent / "numpy.libs", numpy / ".dylibs", numpy / ".libs"]
    mkl = [("MKL", prefix / folder, pattern) for folder, pattern in MKL_PLACES]
    return [*mkl, *(("OpenBLAS", b, "*openblas*") for b in bundled)]


def _opened(name: str, path: Path) -> Blas | None:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:  # for another system, or without what it needs
        return None
    form = next((f for f in _FORMS if getattr(library, f.format("dgemm"), None) is not None), None)
    if form is None or (name == "OpenBLAS" and _own(library, "set_num_threads") is None):
        return None
    return Blas(name, library, form)


def _own(library: Any, function: str) -> Any:
    return next((f for f in (getattr(library, o.format(function), None) for o in _OWN) if f is not None), None)


def prefers_blas(m: int, n: int, k: int, dtype: str) -> bool:
    """Whether C[m, n] = A[m, k] @ B[k, n] is left to a BLAS; smaller ones are faster generated."""
    return dtype in PREFIX and min(m, n, k) >= _SHORTEST and blas() is not None


def gemm(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """``out[...] = a @ b`` with the threads that the library would use.

    Parameters
    ----------
    a, b : ndarray
        Matrices of one dtype.
    out : ndarray
        A C-contiguous matrix of that dtype, apart from a and b.
    """
    library = blas()
    function = library and library.name == "MKL" and library.address(PREFIX.get(a.dtype.name, "") + "gemm")
    left, right = _layout(a), _layout(b)
    if a.shape[0] * b.size < _SMALLEST or not function or left is None or right is None:
        np.matmul(a, b, out=out)
        return
    (m, k), n = a.shape, b.shape[1]
    integers = [ctypes.byref(ctypes.c_int64(v)) for v in (n, m, k, right[1], left[1], max(n, 1))]
    one, zero = np.ones((), a.dtype), np.zeros((), a.dtype)
    flags = [ctypes.byref(ctypes.c_char(kind)) for kind in (right[0], left[0])]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (one, b, a, zero, out)]
    _call(
        function,
        [*flags, *integers[:3], *pointers[:2], integers[3], pointers[2], integers[4], *pointers[3:], integers[5]],
    )


def _layout(x: np.ndarray) -> tuple[bytes, int] | None:
    """Fortran's flag for a matrix stored by rows, and the distance of its rows or columns; None for other strides."""
    (rows, columns), (down, right) = x.shape, x.strides
    if right == x.itemsize and down % x.itemsize == 0 and down >= max(columns, 1) * x.itemsize:
        return b"N", down // x.itemsize
    if down == x.itemsize and right % x.itemsize == 0 and right >= max(rows, 1) * x.itemsize:
        return b"T", right // x.itemsize
    return None


def _call(function: int, args: Sequence[Any]) -> None:
    lengths = [ctypes.c_size_t(1)] * 2  # of the two flags, which Fortran passes at the end
    ctypes.CFUNCTYPE(None)(function)(*args, *lengths)
