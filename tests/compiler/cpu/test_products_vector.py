"""Products with a vector: every size, strided vectors, nothing touched outside of the arrays."""

import itertools

import numpy as np
import pytest

from scisim.compiler.cpu.products import Product, product_kernel
from scisim.compiler.cpu.products_vector import MatrixVector

SIZES = [(1, 1), (1, 30), (30, 1), (8, 8), (9, 17), (64, 192), (70, 33), (130, 5), (7, 2050)]


def draw(rng, shape, dtype):
    return (rng.normal(size=shape) if dtype.startswith("float") else rng.integers(-9, 9, shape)).astype(dtype)


@pytest.mark.parametrize(("transposed", "accumulate"), list(itertools.product((False, True), repeat=2)))
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_matrix_times_vector(run, guarded, rng, dtype, transposed, accumulate):
    kernel = MatrixVector(dtype, transposed, accumulate)
    for (m, k), at_end in itertools.product(SIZES, (True, False)):
        a, b, c = draw(rng, (m, k), dtype), draw(rng, (k, 3), dtype), draw(rng, (m, 2), dtype)
        out, left = guarded(c, at_end), guarded(a.T.copy() if transposed else a, at_end)
        run(kernel, m, 1, k, left, left.shape[1], guarded(b, at_end), 3, out, 2)
        start = c[:, 0] if accumulate else np.zeros(m, dtype)
        exact = start + a.astype(np.longdouble) @ b[:, 0].astype(np.longdouble)
        eps = np.finfo(dtype).eps if dtype.startswith("float") else 0
        assert np.all(np.abs(out[:, 0] - exact) <= (k + 1) * eps * (np.abs(start) + np.abs(a) @ np.abs(b[:, 0])))
        np.testing.assert_array_equal(out[:, 1], c[:, 1])


@pytest.mark.parametrize("transposed", [False, True])
def test_no_terms(run, transposed):
    empty, c = np.empty(0), np.full(5, 3.0)
    run(MatrixVector("float64", transposed, True), 5, 1, 0, empty, 5, empty, 1, c, 1)
    assert np.all(c == 3)
    run(MatrixVector("float64", transposed, False), 5, 1, 0, empty, 5, empty, 1, c, 1)
    assert np.all(c == 0)


def test_kernel_by_columns():
    assert product_kernel("float64", True, False, 1) == MatrixVector("float64", True, False)
    assert product_kernel("float64", True, False, 2) == Product("float64", True, False)
    assert product_kernel("float64", True, False) == Product("float64", True, False)
    assert product_kernel("complex64", False, True, 1) == Product("complex64", False, True)
    assert product_kernel("float32", False, True, 1, exact=True) == Product("float32", False, True, exact=True)
