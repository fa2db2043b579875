"""Products in registers: every size, odd strides, both widths of vectors, nothing touched outside of the arrays."""

import itertools

import numpy as np
import pytest

from scisim.compiler.cpu.emit import Module
from scisim.compiler.cpu.products import BatchedProduct, Product
from scisim.compiler.cpu.target import Target, aarch64, binding, compile_ir, host, machine

FLOATS = ("float64", "float32", "complex128", "complex64")
INTEGERS = ("int64", "int32", "uint64", "int16", "uint8")
SMALL = list(itertools.product((1, 2, 6, 7), (1, 3, 8, 9, 17), (1, 2, 5)))
LARGE = [(13, 20, 20), (20, 20, 192), (64, 64, 48), (97, 70, 300), (260, 37, 140), (5, 131, 600)]


def draw(rng, shape, dtype):
    if dtype in INTEGERS:
        return rng.integers(0, 100, shape).astype(dtype)
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


def padded(x, extra):
    """The same matrix inside of wider rows; what is beside it must not matter."""
    beside = np.full((x.shape[0], extra), np.nan if x.dtype.kind in "fc" else 99, x.dtype)
    return np.hstack([x, beside])


def expected(a, b, start):
    wide = {"f": np.longdouble, "c": np.clongdouble}.get(a.dtype.kind, a.dtype)
    return start + a.astype(wide) @ b.astype(wide)


def check_close(got, a, b, start):
    if a.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected(a, b, start))
        return
    terms = a.shape[1] + 1
    parts = 4 if a.dtype.kind == "c" else 1  # a complex product is a sum of two for each part
    bound = parts * terms * np.finfo(a.dtype).eps * (np.abs(start) + np.abs(a) @ np.abs(b))
    assert np.all(np.abs(got - expected(a, b, start)) <= bound)


def multiply(run, guarded, rng, kernel, m, n, k, at_end):
    """Run one product on matrices in wider rows, beside memory that must not be touched; compare."""
    a, b, start = draw(rng, (m, k), kernel.dtype), draw(rng, (k, n), kernel.dtype), draw(rng, (m, n), kernel.dtype)
    pads = rng.integers(0, 4, 3)
    stored = [padded(x, p) for x, p in zip((a.T if kernel.a_transposed else a, b, start), pads, strict=True)]
    left, right, out = (guarded(x, at_end) for x in stored)
    run(kernel, m, n, k, left, left.shape[1], right, right.shape[1], out, out.shape[1])
    check_close(out[:, :n], a, b, start if kernel.accumulate else np.zeros_like(start))
    np.testing.assert_array_equal(out[:, n:], stored[2][:, n:])


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_products_of_all_sizes(run, guarded, rng, dtype, transposed, accumulate):
    kernel = Product(dtype, transposed, accumulate)
    for m, n, k in SMALL + LARGE:
        multiply(run, guarded, rng, kernel, m, n, k, True)
    for m, n, k in SMALL:
        multiply(run, guarded, rng, kernel, m, n, k, False)
    for m, n, k in rng.integers(1, 80, (30, 3)):
        multiply(run, guarded, rng, kernel, m, n, k, True)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_products_of_integers(run, guarded, rng, dtype):
    for m, n, k in SMALL + LARGE[:3]:
        multiply(run, guarded, rng, Product(dtype, False, False), m, n, k, True)
        multiply(run, guarded, rng, Product(dtype, True, True), m, n, k, False)


@pytest.mark.parametrize("dtype", ["uint8", "int16"])
def test_many_columns_of_short_integers(run, guarded, rng, dtype):
    multiply(run, guarded, rng, Product(dtype, False, False), 260, 530, 5, True)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32"])
def test_no_terms_give_zeros_or_leave_what_is_there(run, dtype):
    empty = np.empty(0, dtype)
    c = np.full((7, 9), 3, dtype)
    run(Product(dtype, False, True), 7, 9, 0, empty, 0, empty, 9, c, 9)
    assert np.all(c == 3)
    run(Product(dtype, False, False), 7, 9, 0, empty, 0, empty, 9, c, 9)
    assert np.all(c == 0)


@pytest.mark.parametrize(("m", "n"), [(0, 5), (5, 0), (0, 0)])
def test_no_rows_or_columns_write_nothing(run, guarded, m, n):
    c = guarded(np.full(4, 7.0))
    x = guarded(np.ones(40))
    run(Product("float64", False, False), m, n, 4, x, 4, x, n, c, n)
    assert np.all(c == 7)


def test_addresses_need_no_alignment(run, rng):
    a, b = draw(rng, (9, 11), "float64"), draw(rng, (11, 13), "float64")
    memory = np.zeros(8 * 9 * 13 + 8, np.uint8)
    odd = []
    for x in (a, b):
        held = np.zeros(x.nbytes + 3, np.uint8)
        held[3:] = x.reshape(-1).view(np.uint8)
        odd.append(held[3:])
    run(Product("float64", False, False), 9, 13, 11, odd[0], 11, odd[1], 13, memory[5:], 13)
    check_close(memory[5 : 5 + 8 * 9 * 13].copy().view("f8").reshape(9, 13), a, b, np.zeros((9, 13)))


def zero_wins(a, b):
    """Sums of products in which an exact zero wins, term by term."""
    with np.errstate(invalid="ignore", over="ignore"):
        terms = a[:, :, None] * b[None]
        zero = (a == 0)[:, :, None] | (b == 0)[None]
        return np.sum(np.where(zero, 0, terms), axis=1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_an_exact_zero_wins_over_infinity_and_nan(run, guarded, rng, dtype):
    for m, n, k in [(1, 1, 1), (3, 9, 4), (7, 20, 33), (30, 3, 17)]:
        for place in itertools.product((False, True), repeat=2):
            a, b = (rng.integers(-1, 2, s).astype(dtype) for s in ((m, k), (k, n)))
            for x, spoiled in zip((a, b), place, strict=True):
                x.flat[rng.integers(0, x.size, 3 * spoiled)] = np.inf
                x.flat[rng.integers(0, x.size, 2 * spoiled)] = np.nan
            c = guarded(np.ones((m, n), dtype))
            run(Product(dtype, True, True, exact=True), m, n, k, guarded(a.T.copy()), m, guarded(b), n, c, n)
            np.testing.assert_array_equal(c, zero_wins(a, b) + 1)
            run(Product(dtype, False, False, exact=True), m, n, k, guarded(a), k, guarded(b), n, c, n)
            np.testing.assert_array_equal(c, zero_wins(a, b))


@pytest.mark.parametrize("exact", [False, True])
def test_finite_operands_have_the_same_exact_product_to_the_bit(run, rng, exact):
    a, b = draw(rng, (31, 20), "float64"), draw(rng, (20, 23), "float64")
    usual, c = np.empty((31, 23)), np.empty((31, 23))
    run(Product("float64", False, False), 31, 23, 20, a, 20, b, 23, usual, 23)
    run(Product("float64", False, False, exact), 31, 23, 20, a, 20, b, 23, c, 23)
    np.testing.assert_array_equal(c, usual)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_products_of_stacks(run, guarded, rng, dtype):
    a, b = draw(rng, (5, 3, 4), dtype), draw(rng, (5, 4, 10), dtype)
    c = guarded(np.zeros((5, 3, 10), dtype))
    sizes = (5, 3, 10, 4)
    run(BatchedProduct(dtype, False, False), *sizes, guarded(a), 4, guarded(b), 10, c, 10, 12, 40, 30)
    for s in range(5):
        check_close(c[s], a[s], b[s], np.zeros((3, 10), dtype))
    one = guarded(np.zeros((3, 10), dtype))  # strides of 0: one B, and one C that adds up
    run(BatchedProduct(dtype, False, True), *sizes, guarded(a), 4, guarded(b[0]), 10, one, 10, 12, 0, 0)
    check_close(one, np.hstack(list(a)), np.vstack([b[0]] * 5), np.zeros((3, 10), dtype))


def test_exact_products_of_stacks(run):
    a, b = np.zeros((2, 1, 1)), np.array([[[np.inf]], [[3.0]]])
    c = np.ones((2, 1, 1))
    run(BatchedProduct("float64", False, True, exact=True), 2, 1, 1, 1, a, 1, b, 1, c, 1, 1, 1, 1)
    assert np.all(c == 1)


OTHERS = [aarch64(), Target("x86_64-unknown-linux-gnu", "x86-64-v2", "", 128)]


@pytest.mark.parametrize("other", OTHERS, ids=lambda t: t.cpu)
@pytest.mark.parametrize(
    "kernel", [Product("float64", False, True, exact=True), BatchedProduct("complex64", True, False)]
)
def test_objects_for_other_processors(other, kernel):
    module = Module()
    kernel.emit(module, other)
    text = module.text(other.attributes)
    assert len(compile_ir(text, other)) > 1000
    assembly = machine(other).emit_assembly(binding().parse_assembly(text))
    assert "fmla" in assembly if other == OTHERS[0] else "mulp" in assembly
    assert "call\tfma" not in assembly


def test_names_tell_specs_apart():
    flags = list(itertools.product((False, True), repeat=3))
    names = {kind(d, *f).name for kind in (Product, BatchedProduct) for d in FLOATS for f in flags}
    assert len(names) == 2 * len(FLOATS) * len(flags)
    assert Product("float64", True, False).name == Product("float64", True, False).name


def test_kernels_of_a_dtype_share_their_code():
    module = Module()
    for transposed, accumulate in itertools.product((False, True), repeat=2):
        Product("float64", transposed, accumulate).emit(module, host())
    assert len(module.functions) == 5
