"""Products in the forms of kernels: values as the interpreter gives them, and no more memory or work than needed."""

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.cpu.products_syrk import Syrk
from scisim.compiler.lower.steps import Host, Region
from scisim.compiler.native import NativeProgram
from scisim.compiler.program import Program

RNG = np.random.default_rng(0)


def check(f, *args, rtol=1e-13):
    """The native program, whose results are those of the interpreter."""
    graph = ss.jit(f).lower(*args).graph
    program = NativeProgram(graph)
    for got, want in zip(program(*args), Program(graph)(*args), strict=True):
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())
    return program


def kernels(program):
    return [c.kernel for s in program.lowered.every() if isinstance(s, Region) for c in s.calls]


def hosts(program):
    return [s.equation.prim.name for s in program.lowered.every() if isinstance(s, Host)]


def outer(*pairs):
    total = pairs[0][0][:, :, None] @ pairs[0][1][:, None, :]
    for a, b in pairs[1:]:
        total = total + a[:, :, None] @ b[:, None, :]
    return total


@pytest.mark.parametrize("count", [3, 300])
@pytest.mark.parametrize("terms", [1, 2, 5, 8])
def test_outer_products_are_one_loop_that_writes_the_result(count, terms):
    arrays = [RNG.normal(size=(count, n)) for _ in range(terms) for n in (7, 5)]
    program = check(lambda *x: outer(*zip(x[::2], x[1::2], strict=True)), *arrays)
    assert len(kernels(program)) == 1
    assert not hosts(program)
    assert program.lowered.arena_bytes == program.lowered.tile_bytes == 0


def test_columns_and_rows_of_stacks_are_found_where_they_are():
    a, b = RNG.normal(size=(6, 9, 4)), RNG.normal(size=(6, 4, 3))
    program = check(lambda a, b: a @ b, a, b)
    assert len(kernels(program)) == 1


def test_a_matrix_meets_each_of_a_stack():
    check(lambda a, b: a @ b, RNG.normal(size=(2, 1)), RNG.normal(size=(300, 1, 20)))
    check(lambda a, b: a @ b, RNG.normal(size=(5, 1, 4, 2)), RNG.normal(size=(3, 2, 6)))


def test_complex_stacks():
    a, b = RNG.normal(size=(2, 3, 4, 2)) + 1j, RNG.normal(size=(2, 3, 2, 5)) - 2j
    check(lambda a, b: a @ b, a, b)


def test_merged_axes_are_written_straight_to_their_slice_of_a_join():
    """A Jacobian: outer products as rows of one matrix, beside columns of other arrays."""
    a, b, c = (RNG.normal(size=(300, n)) for n in (7, 5, 4))

    def rows(a, b, c):
        flat = ss.reshape(outer((a, b), (ss.sin(a), ss.cos(b))), (a.shape[0], -1))
        return ss.concat([c, flat, ss.reshape(a[:, :, None], (a.shape[0], -1)), flat * 2.0], axis=1)

    program = check(rows, a, b, c)
    assert not hosts(program)
    stored = [v.shape for v in program.lowered.values.views if v.shape[1:] in ((7, 5), (35,))]
    assert len(stored) <= 1  # the outer products, for the loop that doubles them

    def alone(a, b, c):
        return ss.concat([c, ss.reshape(outer((a, b), (ss.sin(a), ss.cos(b))), (a.shape[0], -1))], axis=1)

    program = check(alone, a, b, c)
    assert program.lowered.arena_bytes == 0
    assert program.lowered.tile_bytes <= 2 * 8 * (7 + 5) * 300  # sines and cosines


def test_a_result_with_merged_axes_is_written_by_the_loop_that_computes_it():
    x, y = RNG.normal(size=(4, 6)), RNG.normal(size=(3, 1, 6))
    program = check(lambda x, y: ss.reshape(ss.sin(x) + y, (-1,)), x, y)
    assert len(kernels(program)) == 1 + (program.lowered.arena_bytes > 0)
    check(lambda x, y: (ss.reshape(x + y, (3, -1)), x + y, ss.sum(ss.reshape(x + y, (3, -1)), axis=1)), x, y)
    check(lambda x: ss.reshape(x * 2.0, (3, 8)), x)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_gram_matrices_take_half_the_products(dtype):
    x = RNG.normal(size=(70, 520)).astype(dtype)
    rtol = 70 * np.finfo(dtype).eps
    for f in (lambda x: x.T @ x, lambda x: ss.exp(x).T @ ss.exp(x), lambda x: ss.sin(x.T) @ ss.sin(x.T).T):
        program = check(f, x, rtol=rtol)
        assert sum(isinstance(k, Syrk) for k in kernels(program)) == 1
        assert not hosts(program)


def test_a_jacobian_its_gram_matrix_and_the_gradient():
    """What a least-squares method asks for at once: no copy of the Jacobian, none of its transpose."""
    x, w, r = RNG.normal(size=(300, 26)), RNG.normal(size=(26, 21)), RNG.normal(size=300)

    def normal(x, w, r):
        j = ss.reshape(outer((x, ss.tanh(x @ w))), (x.shape[0], -1))
        return r @ j, j.T @ j, j

    program = check(normal, x, w, r, rtol=1e-12)
    nbytes = 300 * 26 * 21 * 8
    memory = Syrk("float64").memory(26 * 21) * program.lowered.values.threads
    assert program.lowered.arena_bytes < memory + nbytes / 2
    assert not hosts(program)


def test_axes_that_split_after_arrays_are_joined():
    """Pieces of a join cannot be found along a merged axis."""
    a = RNG.normal(size=(5, 32))

    def f(a):
        x = ss.concat([a, 2.0 * a, a], axis=0)
        return ss.reshape(ss.sin(x) * x, (5, 3, 32)), ss.reshape(ss.roll(a, 3, axis=1) + 1.0, (5, 8, 4))

    check(f, a)
