"""Kernels run alone, on arrays whose ends lie at pages that must not be touched."""

import ctypes
import mmap

import numpy as np
import pytest

from scisim.compiler.cpu.cache import DiskCache
from scisim.compiler.cpu.library import Library
from scisim.compiler.cpu.target import avx2, host


def targets():
    """The host's vectors, and narrower ones that the host can run too."""
    found = [host()]
    if host().vector_bits == 512:
        found.append(avx2())
    return found


@pytest.fixture(scope="session", params=targets(), ids=lambda t: str(t.vector_bits))
def target(request):
    return request.param


@pytest.fixture(scope="session")
def library(target, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    folder.chmod(0o700)
    return Library(target, DiskCache(folder))


@pytest.fixture
def run(library):
    """Call a kernel with numbers and arrays in its slots."""

    def call(kernel, *slots):
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.addresses([kernel])[kernel.name])
        values = [s.ctypes.data if isinstance(s, np.ndarray) else int(s) for s in slots]
        args = (ctypes.c_int64 * len(values))(*values)
        function(ctypes.addressof(args))

    return call


class Guarded:
    """Memory between two pages that cannot be read."""

    def __init__(self, size):
        self.page = mmap.PAGESIZE
        self.size = -(-max(size, 1) // self.page) * self.page
        self.map = mmap.mmap(-1, self.size + 2 * self.page)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.protect(0)

    def protect(self, access):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for place in (self.address, self.address + self.page + self.size):
            assert libc.mprotect(place, self.page, access) == 0

    def array(self, shape, dtype, at_end):
        """A view of the memory: at its end, or at its start."""
        count = int(np.prod(shape))
        used = count * np.dtype(dtype).itemsize
        offset = self.page + (self.size - used if at_end else 0)
        return np.frombuffer(self.map, dtype, count, offset).reshape(shape) if count else np.empty(shape, dtype)


@pytest.fixture
def guarded():
    """Copies of arrays; touching memory before (``at_end=False``) or after them ends the process."""

    def copy(x, at_end=True):
        y = Guarded(x.nbytes).array(x.shape, x.dtype, at_end)
        y[...] = x
        return y

    return copy
