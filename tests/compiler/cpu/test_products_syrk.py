"""Gram matrices: all sizes, both triangles alike, nothing touched outside of the arrays."""

import numpy as np
import pytest

from scisim.compiler.cpu.products_syrk import Syrk

SIZES = [(1, 1), (5, 8), (3, 24), (200, 25), (129, 49), (128, 24), (300, 97), (40, 130)]


def gram(run, guarded, x, columns, at_end=True, shares=1):
    """The matrix in rows two elements wider, so that what is beside it can be looked at."""
    kernel = Syrk(x.dtype.name)
    out = guarded(np.full((columns, columns + 2), np.nan, x.dtype), at_end)
    memory = guarded(np.full(kernel.memory(columns), 255, np.uint8), at_end)  # holds nan at first
    for share in range(shares):
        run(kernel, columns, x.shape[0], guarded(x, at_end), x.shape[1], out, columns + 2, memory, share, shares)
    assert np.all(np.isnan(out[:, columns:]))
    return out[:, :columns]


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gram_matrices(run, guarded, rng, dtype, at_end):
    for rows, columns in SIZES:
        x = rng.normal(size=(rows, columns + 1)).astype(dtype)
        a = x[:, :columns]
        got = gram(run, guarded, x, columns, at_end)
        bound = rows * np.finfo(dtype).eps * (np.abs(a).T @ np.abs(a))
        assert np.all(np.abs(got - a.astype(np.longdouble).T @ a.astype(np.longdouble)) <= bound)
        np.testing.assert_array_equal(got, got.T)


def test_shares_make_the_whole_to_the_bit(run, guarded, rng):
    x = rng.normal(size=(150, 100))
    for shares in (2, 3, 7):
        np.testing.assert_array_equal(gram(run, guarded, x, 100, shares=shares), gram(run, guarded, x, 100))


def test_no_rows_give_zeros(run, guarded):
    assert not np.any(gram(run, guarded, np.empty((0, 7)), 7))


def test_no_columns_write_nothing(run, guarded):
    out = guarded(np.full(3, 7.0))
    run(
        Syrk("float64"),
        0,
        5,
        guarded(np.ones(5)),
        1,
        out,
        1,
        guarded(np.zeros(Syrk("float64").memory(0), np.uint8)),
        0,
        1,
    )
    assert np.all(out == 7)


def test_nan_spoils_its_row_and_column_only(run, guarded, rng):
    x = rng.normal(size=(40, 31))
    x[17, 11] = np.nan
    got = gram(run, guarded, x, 30)
    spoiled = np.zeros((30, 30), bool)
    spoiled[11] = spoiled[:, 11] = True
    np.testing.assert_array_equal(np.isnan(got), spoiled)
