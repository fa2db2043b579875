"""What the standard asks of functions of linear algebra beyond NumPy's own use of them."""

from __future__ import annotations

import numpy as np
import pytest

import scisim as ss
from scisim.core.errors import ShapeError

STACK = np.array([[[2.0, 0.0], [0.0, 0.1]], [[2.0, 0.0], [0.0, 0.1]]])


def test_each_matrix_of_a_stack_has_a_limit_of_its_own():
    limits = ss.asarray([1e-6, 0.5])
    np.testing.assert_array_equal(np.asarray(ss.linalg.matrix_rank(STACK, rtol=limits)), [2, 1])
    got = np.asarray(ss.linalg.pinv(STACK, rtol=limits))
    np.testing.assert_allclose(got, [np.diag([0.5, 10.0]), np.diag([0.5, 0.0])], rtol=1e-15)
    captured = ss.jit(lambda x: ss.linalg.pinv(x, rtol=np.array([1e-6, 0.5])))(ss.asarray(STACK))
    np.testing.assert_allclose(np.asarray(captured), got, rtol=1e-15)
    assert ss.linalg.pinv(np.zeros((0, 2, 3)), rtol=np.zeros(0)).shape == (0, 3, 2)
    with pytest.raises(ShapeError, match="pinv"):
        ss.linalg.pinv(STACK, rtol=np.ones(3))


def test_results_have_the_names_of_the_standard():
    fields = {
        "eigh": ("eigenvalues", "eigenvectors"),
        "qr": ("Q", "R"),
        "slogdet": ("sign", "logabsdet"),
        "svd": ("U", "S", "Vh"),
    }
    for name, names in fields.items():
        assert getattr(ss.linalg, name)(ss.asarray(STACK))._fields == names


def test_vecdot_wants_one_length_along_its_axis():
    assert ss.vecdot(ss.ones((2, 1, 3)), ss.ones((4, 3))).shape == (2, 4)
    with pytest.raises(ShapeError, match="same length along axis -1"):
        ss.vecdot(ss.ones((2, 1)), ss.ones((2, 3)))
    with pytest.raises(ShapeError, match="same length along axis"):
        ss.vecdot(ss.ones((1, 3)), ss.ones((2, 3)), axis=0)
