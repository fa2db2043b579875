"""Functions of the BLAS inside NumPy: found without SciPy, called by kernels, with threads as they were."""

import ctypes
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from scisim.compiler.cpu import blas as module
from scisim.compiler.cpu.blas import Blas, blas, gemm, prefers_blas
from scisim.compiler.cpu.products_blas import BlasProduct

DTYPES = ("float64", "float32", "complex128", "complex64")
FUNCTIONS = [p + f for p in "sdcz" for f in ("gemm", "syrk", "potrf", "potrs", "trsm", "symm")]


def draw(rng, shape, dtype):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


@pytest.fixture
def found():
    library = blas()
    assert library is not None, "NumPy's wheels carry OpenBLAS"
    return library


def test_without_a_library_products_are_numpys(rng, monkeypatch):
    monkeypatch.setattr(module, "blas", lambda: None)
    a, out = draw(rng, (3, 4), "float64"), np.empty((3, 3))
    gemm(a, a.T, out)
    np.testing.assert_array_equal(out, a @ a.T)
    assert not prefers_blas(2000, 2000, 2000, "float64")


def test_functions_have_addresses(found):
    assert all(found.address(f) for f in FUNCTIONS)
    assert found.address("no_such_function") is None
    assert blas() is found


def test_scipy_is_not_imported():
    code = "import sys, scisim.compiler.cpu.blas as b; b.blas(); sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_by_address(found, run, rng, dtype, transposed, accumulate):
    kernel = BlasProduct(dtype, transposed, accumulate)
    function = found.address(kernel.function)
    for m, n, k in [(1, 1, 1), (5, 7, 9), (70, 33, 50), (3, 4, 0), (0, 4, 3), (1, 6, 1)]:
        a, b, c = draw(rng, (m, k), dtype), draw(rng, (k, n), dtype), draw(rng, (m, n + 2), dtype)
        start, beside = c[:, :n].copy(), c[:, n:].copy()
        left = a.T.copy() if transposed else a
        run(kernel, m, n, k, left, left.shape[1], b, n, c, n + 2, function)
        sizes = np.abs(a) @ np.abs(b) + accumulate * np.abs(start)
        bound = 4 * (k + 1) * np.finfo(dtype).eps * sizes
        assert np.all(np.abs(c[:, :n] - (a @ b + accumulate * start)) <= bound)
        np.testing.assert_array_equal(c[:, n:], beside)


def test_a_cholesky_factor_by_address(found, rng):
    x = rng.normal(size=(40, 12))
    gram = x.T @ x
    factor, n, info = gram.copy(), ctypes.c_int64(12), ctypes.c_int64(0)
    potrf = ctypes.CFUNCTYPE(None)(found.address("dpotrf"))
    upper = ctypes.byref(ctypes.c_char(b"U"))  # of the transpose that Fortran sees: the lower one here
    length, pointer = ctypes.c_size_t(1), ctypes.c_void_p(factor.ctypes.data)
    potrf(upper, ctypes.byref(n), pointer, ctypes.byref(n), ctypes.byref(info), length)
    assert info.value == 0
    lower = np.tril(factor)
    bound = 14 * np.finfo(float).eps * (np.abs(lower) @ np.abs(lower).T)
    assert np.all(np.abs(lower @ lower.T - gram) <= bound)


def test_number_of_threads_is_restored():
    count = [3]
    made_up = SimpleNamespace(openblas_get_num_threads=lambda: count[0])
    made_up.openblas_set_num_threads = lambda n: count.__setitem__(0, n)
    library = Blas("OpenBLAS", made_up, "{}_")
    with library.one_thread():
        with library.one_thread():
            assert count == [1]
        assert count == [1]
    assert count == [3]
    with pytest.raises(RuntimeError, match="inside"), library.one_thread():
        raise RuntimeError("inside")
    assert count == [3]


@pytest.mark.parametrize("dtype", [*DTYPES, "int64"])
def test_gemm_of_any_strides(rng, dtype):
    k = 150  # large enough to be given to a library
    a, b = draw(rng, (120, 2 * k), "float64").astype(dtype), draw(rng, (k, 130), "float64").astype(dtype)
    out = np.empty((120, 130), dtype)
    for left in (a[:, :k], a[:, ::2], a.T.copy().T[:, :k]):
        for right in (b, b.T.copy().T):
            gemm(left, right, out)
            bound = 4 * k * (np.finfo(dtype).eps if dtype != "int64" else 0) * (np.abs(left) @ np.abs(right))
            assert np.all(np.abs(out - left @ right) <= bound)


def test_large_products_are_left_to_the_library(found):
    assert prefers_blas(1000, 1000, 1000, "float64")
    assert not prefers_blas(10_000, 64, 64, "float64")
    assert not prefers_blas(64, 64, 10_000, "float32")
    assert not prefers_blas(1000, 1000, 1000, "int64")
