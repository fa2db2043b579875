"""Loops over operands in pieces: rolled rows and columns, padded ones, of all lengths, beside memory not to touch."""

import numpy as np
import pytest

from scisim.compiler.cpu.access import Operand
from scisim.compiler.cpu.loops import Loop, Store
from scisim.compiler.cpu.pieces import Limit, Piece, Pieces

F = "float32"


def limited(axis, rank, low, high, **more):
    limit = Limit(axis, 0 if low else None, 0 if high else None)
    outer, inner = ((), limit) if axis == rank - 1 else ((limit,), None)
    return Piece(Operand(F, 1), outer, inner, **more)


def rolled(axis):
    """``x + roll(x, k, axis)`` of matrices, 0 < k, of which the middle of rows is the longer piece."""
    last = axis == 1
    pieces = Pieces((limited(axis, 2, False, True, main=not last), limited(axis, 2, True, False, main=True)))
    nodes = (("load", (), F, (0, 0)), ("load", (), F, (1, 0)), ("add", (0, 1), F, None))
    return Loop(2, (Operand(F, 1), pieces), nodes, (Store((2,), Operand(F, 1)),), aligned=last)


@pytest.mark.parametrize("columns", [2, 3, 15, 16, 17, 31, 33, 47, 64, 70])
@pytest.mark.parametrize("at_end", [False, True])
def test_rolled_rows(run, guarded, columns, at_end):
    rows, k = 5, 1 + columns // 9
    x = guarded(np.random.default_rng(columns).random((rows, columns)).astype(F), at_end)
    y = guarded(np.zeros_like(x), at_end)
    item, wrapped = x.itemsize, x.ctypes.data + (columns - k) * x.itemsize
    run(rolled(1), rows, columns, k, columns, columns, 1, k, x, wrapped, x.ctypes.data - k * item, y)
    assert np.array_equal(y, x + np.roll(x, k, 1))


@pytest.mark.parametrize("columns", [1, 3, 16, 33, 48])
@pytest.mark.parametrize("at_end", [False, True])
def test_rolled_columns(run, guarded, columns, at_end):
    rows, k = 6, 2
    x = guarded(np.random.default_rng(columns).random((rows, columns)).astype(F), at_end)
    y = guarded(np.zeros_like(x), at_end)
    row = columns * x.itemsize
    first, rest = x.ctypes.data + (rows - k) * row, x.ctypes.data - k * row
    run(rolled(0), rows, columns, columns, 1, k, x, first, rest, y)
    assert np.array_equal(y, x + np.roll(x, k, 0))


@pytest.mark.parametrize("n", [1, 4, 16, 21, 37, 64])
def test_the_sum_of_a_row_in_pieces(run, guarded, n):
    """Zeros before the elements of x, one number after them; what is summed is in the row's pieces."""
    x, zero, total = guarded(np.arange(1.0, n + 1, dtype=F)), np.zeros(1, F), np.zeros(1, F)
    number = Piece(Operand(F, 0, 1), (), None, False)
    inside = Piece(Operand(F, 1), (), Limit(0, 0, 1), True)
    add = Store((0,), Operand(F, 0, 2), "add", across=True, joins=False)
    kernel = Loop(1, (Pieces((number, inside)),), (("load", (), F, (0, 0)),), (add,))
    run(kernel, n + 5, 2, n + 2, 1, 0, 0, 2, n + 2, zero, x.ctypes.data - 2 * x.itemsize, total)
    assert total[0] == n * (n + 1) / 2
