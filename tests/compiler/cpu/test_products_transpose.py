"""Transposes of elements of all sizes, in and beside whole squares."""

import itertools

import numpy as np
import pytest

from scisim.compiler.cpu.products_transpose import Transpose

SIZES = [(1, 1), (8, 8), (17, 9), (64, 64), (3, 50), (50, 3), (7, 16), (16, 7), (4, 4), (0, 5), (5, 0)]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int16", "uint8", "bool"])
def test_transposes(run, guarded, rng, dtype):
    for (rows, columns), at_end in itertools.product(SIZES, (True, False)):
        x = rng.integers(0, 2 if dtype == "bool" else 100, (rows, columns + 2)).astype(dtype)
        out = guarded(np.zeros((columns, rows + 3), dtype), at_end)
        run(Transpose(dtype), rows, columns, guarded(x, at_end), columns + 2, out, rows + 3)
        np.testing.assert_array_equal(out[:, :rows], x[:, :columns].T)
        assert not np.any(out[:, rows:])


def test_elements_of_one_size_share_a_kernel():
    assert Transpose("float64").name == Transpose("int64").name == Transpose("complex64").name
    assert Transpose("float64").name != Transpose("float32").name
