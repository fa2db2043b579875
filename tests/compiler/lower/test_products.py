"""Products as kernel calls: stacks, rows and columns, in tiles and outside of them."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.cpu.products import BatchedProduct
from scisim.compiler.cpu.products_vector import MatrixVector
from scisim.compiler.lower.steps import Host, Region
from scisim.compiler.native import NativeProgram
from scisim.compiler.program import Program

RNG = np.random.default_rng(0)


def check(f, *args, kind=None, rtol=1e-13):
    """Results are those of the interpreter; no product is left to Python, and one is of this kind."""
    graph = ss.jit(f).lower(*args).graph
    program = NativeProgram(graph)
    for got, want in zip(program(*args), Program(graph)(*args), strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())
    assert not [s for s in program.lowered.every() if isinstance(s, Host)]
    kernels = [c.kernel for s in program.lowered.every() if isinstance(s, Region) for c in s.calls]
    assert kind is None or any(isinstance(k, kind) for k in kernels)
    return kernels


SHAPES = [
    ((5, 7, 9), (5, 9, 4)),
    ((300, 7, 9), (300, 9, 4)),
    ((300, 1, 9), (300, 9, 1)),
    ((300, 5, 9), (9, 4)),
    ((6, 9), (300, 9, 4)),
    ((1, 6, 9), (300, 9, 4)),
    ((4, 300, 9), (4, 9, 5)),
    ((2, 6, 300), (2, 300, 5)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_stacks_of_products(left, right):
    a, b = RNG.normal(size=left), RNG.normal(size=right)
    kind = BatchedProduct if len(right) == 3 else None  # rows of a stack that meet one matrix are one product
    check(lambda a, b: a @ b, a, b, kind=kind)
    check(lambda a, b: ss.sin(a) @ ss.cos(b) + 1.0, a, b, kind=kind)


def test_stacks_of_transposed_matrices():
    a, b = RNG.normal(size=(300, 9, 7)), RNG.normal(size=(300, 9, 4))
    kernels = check(lambda a, b: ss.matrix_transpose(a) @ b, a, b, kind=BatchedProduct)
    assert len(kernels) == 1
    check(lambda a, b: ss.matrix_transpose(a) @ ss.matrix_transpose(ss.matrix_transpose(b)), a, b)
    check(lambda a, b: ss.permute_dims(a, (2, 0, 1)) @ ss.permute_dims(b, (2, 1, 0))[:1], a, b)


def test_the_gradient_of_stacks_of_products():
    a, b = RNG.normal(size=(300, 6, 9)), RNG.normal(size=(300, 9, 4))
    check(ad.grad(lambda a, b: ss.sum(ss.tanh(a @ b)), (0, 1)), a, b, rtol=1e-12)


@pytest.mark.parametrize("shape", [(700, 900), (40, 30), (300, 600)])
def test_a_row_times_a_matrix(shape):
    r, j = RNG.normal(size=shape[0]), RNG.normal(size=shape)
    check(lambda r, j: r @ j, r, j, kind=MatrixVector, rtol=1e-12)
    check(lambda r, j: (ss.exp(r) @ ss.tanh(j), ss.tanh(j)), r, j, kind=MatrixVector, rtol=1e-12)
    check(lambda r, j: r @ j.T, RNG.normal(size=shape[1]), j, rtol=1e-12)
