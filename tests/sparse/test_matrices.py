"""Sparse matrices: SciPy's values, dense derivatives, containers of transformations, refusals."""

import numpy as np
import pytest
import scipy.sparse as sp

import scisim as ss
from scisim import autodiff as ad
from scisim import sparse
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError, TraceError
from scisim.sparse._products import csr_product, csr_sampled, csr_transposed

EPS = np.finfo(float).eps


def near(got, want, factor=64):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=factor * EPS * max(1.0, np.abs(want).max(initial=0.0)))


@pytest.fixture(params=["real", "complex"])
def theirs(request, rng):
    a = sp.random_array((6, 4), density=0.4, rng=rng).tocsr()
    return a * (1 + 2j) if request.param == "complex" else a


@pytest.fixture
def ours(theirs):
    return sparse.from_scipy(theirs)


def test_products_are_scipys(rng, ours, theirs):
    x, y, k, stack = rng.normal(size=4), rng.normal(size=6), rng.normal(size=(4, 3)), rng.normal(size=(5, 4, 2))
    near(ours @ x, theirs @ x)
    near(ours @ ss.asarray(k), theirs @ k)
    near(y @ ours, y @ theirs)
    near(ss.asarray(y) @ ours, y @ theirs)
    near(rng.normal(size=(2, 6)) @ ours * 0.0, np.zeros((2, 4)))
    near(ours @ stack, theirs.toarray() @ stack)
    near(ours.rmatvec(y), theirs.conj().T @ y)
    near(ours.matmat(k), theirs @ k)
    near(ours @ x[::-1], theirs @ x[::-1])
    assert (ours.astype(np.complex64) @ x.astype(np.float32)).dtype == np.complex64


def test_other_matrices_are_scipys(ours, theirs):
    for got, want in [
        (ours.T, theirs.T),
        (ours.H, theirs.conj().T),
        (-ours, -theirs),
        (ours * 3.0, theirs * 3.0),
        (ours / 2.0, theirs / 2.0),
        (ours.T @ ours, theirs.T @ theirs),
        (ours + ours * 2.0, theirs * 3.0),
        (ours - sparse.eye(6, 4), theirs - sp.eye_array(6, 4)),
    ]:
        near(got.to_dense(), want.toarray())
        near(sparse.from_scipy(got.to_scipy()).to_dense(), want.toarray())
    for k in (-5, -1, 0, 2):
        near(ours.diagonal(k), np.diagonal(theirs.toarray(), k))
    for axis in (None, 0, 1):
        near(ours.sum(axis), theirs.toarray().sum(axis))
    dense = np.arange(24.0).reshape(6, 4)
    near(ours.multiply(dense).to_dense(), theirs.toarray() * dense)


def test_derivatives_are_those_of_dense_products(rng, ours):
    x, w = ss.asarray(rng.normal(size=4)), rng.normal(size=6)
    f = lambda a, x: ss.sum(ss.real(w * ss.sin(ss.real(a @ x))))
    got, want = ad.grad(f, (0, 1))(ours, x), ad.grad(f, (0, 1))(ours.to_dense(), x)
    assert isinstance(got[0], sparse.CSR)
    near(got[0].data, np.asarray(want[0])[ours.pattern.rows, ours.indices])
    near(got[1], want[1])
    v = ours.replace(rng.normal(size=ours.nnz).astype(ours.dtype))
    near(
        ad.hvp(lambda a: f(a, x), ours, v).data,
        np.asarray(ad.hvp(lambda a: f(a, x), ours.to_dense(), v.to_dense()))[ours.pattern.rows, ours.indices],
    )
    for c, d in zip(
        ad.taylor(lambda a, x: ss.exp(0.1 * (a @ x)), (ours, x), (v, x), 4),
        ad.taylor(lambda a, x: ss.exp(0.1 * (a @ x)), (ours.to_dense(), x), (v.to_dense(), x), 4),
        strict=True,
    ):
        near(c, d)


def test_products_of_sparse_matrices_differentiate(rng):
    a = sparse.from_scipy(sp.random_array((5, 5), density=0.4, rng=rng))
    f = lambda a: ss.sum(((a @ a) + a.T).to_dense() ** 2)
    dense = lambda a: ss.sum((a @ a + a.T) ** 2)
    got, want = ad.grad(f)(a), ad.grad(dense)(a.to_dense())
    near(got.data, np.asarray(want)[a.pattern.rows, a.indices])
    near(ss.jit(ad.grad(f))(a).data, got.data)


def test_one_program_serves_all_matrices_of_a_pattern(ours, rng):
    count = []

    @ss.jit
    def f(a, x):
        count.append(1)
        return a @ x

    x = rng.normal(size=4)
    near(f(ours, x), ours @ x)
    near(f(ours.replace(ours.data * 2.0), x), ours @ x * 2.0)
    again = sparse.CSR(ours.data, ours.indices.copy(), ours.indptr.copy(), (6, 4))
    near(f(again, x), ours @ x)
    assert len(count) == 1
    f(ours.T.T + sparse.eye(6, 4), x)
    assert len(count) == 2


def test_mapping_over_elements_vectors_and_both(ours, rng):
    x, xs = rng.normal(size=4), rng.normal(size=(3, 4))
    many = ours.replace(ss.stack([ours.data, ours.data * 2.0, ours.data * 3.0]))
    times = lambda a, x: a @ x
    near(ss.vmap(times, (None, 0))(ours, xs), np.stack([np.asarray(ours @ v) for v in xs]))
    near(ss.vmap(times, (0, None))(many, x), np.stack([np.asarray(ours @ x) * k for k in (1, 2, 3)]))
    near(ss.vmap(times)(many, xs), np.stack([np.asarray(ours @ v) * k for k, v in zip((1, 2, 3), xs, strict=True)]))
    near(many @ x, ss.vmap(times, (0, None))(many, x))
    assert ss.vmap(lambda d: ours.replace(d))(many.data).shape == (3, 6, 4)


@pytest.mark.parametrize("prim", [csr_product, csr_transposed, csr_sampled])
def test_axes_of_the_primitives(prim, rng):
    """Leading axes and columns follow; a contracted axis of columns leaves parts that add up."""
    indices, indptr = np.array([0, 2, 1], np.int32), np.array([0, 2, 3], np.int32)
    rows = {"csr_product": 3, "csr_transposed": 2}.get(prim.name, 3)
    first = rng.normal(size=(2, 3)) if prim is not csr_sampled else rng.normal(size=(2, 2, 4))
    x, p = rng.normal(size=(2, rows, 4)), {} if prim is csr_sampled else {"columns": 3, "vector": False}
    assert isinstance(prim.axes, Axes)
    ins, out = prim.axes.labels((first.shape, x.shape, indices.shape, indptr.shape), p)
    whole = np.asarray(prim(first, x, indices, indptr, **p))
    near(prim(first[:1], x[:1], indices, indptr, **p), whole[:1])
    cut = slice(0, 1)
    if "k" in out:
        near(prim(first, x[..., cut], indices, indptr, **p), whole[..., cut])
    else:
        assert "k" in ins[0]
        parts = [prim(first[..., s], x[..., s], indices, indptr) for s in (slice(0, 1), slice(1, 4))]
        near(np.asarray(parts[0]) + np.asarray(parts[1]), whole)


# --- builders ---------------------------------------------------------------------------------------------------------
def test_builders_are_scipys(rng):
    data, i, j = rng.normal(size=9), rng.integers(0, 4, 9), rng.integers(0, 3, 9)
    near(sparse.coo(data, i, j, (4, 3)).to_dense(), sp.coo_array((data, (i, j)), shape=(4, 3)).toarray())
    blocks = rng.normal(size=(3, 2, 3))
    where = (np.array([1, 0, 1]), np.array([0, 1, 3]))
    near(sparse.bsr(blocks, *where, (4, 6)).to_dense(), sp.bsr_array((blocks, *where), shape=(4, 6)).toarray())
    rows = rng.normal(size=(3, 5))
    near(sparse.dia(rows, [0, -1, 2], (4, 5)).to_dense(), sp.dia_array((rows, [0, -1, 2]), shape=(4, 5)).toarray())
    a, b = sp.random_array((3, 2), density=0.6, rng=rng), rng.normal(size=(2, 2))
    near(sparse.kron(sparse.from_scipy(a), b).to_dense(), np.kron(a.toarray(), b))
    near(sparse.eye(3, 4, 1).to_dense(), np.eye(3, 4, 1))
    near(sparse.diags([rows[0], 2.0], [0, 1]).to_dense(), np.diag(rows[0]) + np.diag(np.full(4, 2.0), 1))
    near(
        sparse.block([[sparse.from_scipy(a), None], [None, sparse.eye(2)]]).to_dense(),
        sp.block_diag([a, np.eye(2)]).toarray(),
    )
    unsorted = sparse.CSR([1.0, 2.0, 3.0], [2, 0, 1], [0, 2, 3], (2, 3))
    near(unsorted.to_dense(), [[2.0, 0, 1], [0, 3, 0]])


def test_elements_at_one_place_have_the_derivative_of_their_sum():
    f = lambda d: ss.sum(sparse.coo(d, [0, 0, 1], [1, 1, 0], (2, 2)).to_dense() ** 2)
    assert ad.grad(f)(ss.asarray([1.0, 2.0, 5.0])).tolist() == [6.0, 6.0, 10.0]


def test_dense_matrices_need_a_pattern_inside_of_transformations():
    x = ss.asarray([[0.0, 2.0], [3.0, 0.0]])
    pattern = sparse.from_dense(x).pattern
    with pytest.raises(TraceError, match="from_dense.*pattern="):
        ad.grad(lambda x: sparse.from_dense(x).sum())(x)
    assert ad.grad(lambda x: sparse.from_dense(x, pattern).sum())(x).tolist() == [[0.0, 1.0], [1.0, 0.0]]


# --- refusals ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sparse.CSR([1.0], [0], [0, 1], (1,)), ShapeError, r"as in \(n, m\)"),
        (lambda: sparse.CSR([1.0], [0], [0, 2], (1, 1)), ArgumentError, "indptr must hold 2 integers"),
        (lambda: sparse.CSR([1.0], [3], [0, 1], (1, 2)), ArgumentError, "column index 3"),
        (lambda: sparse.CSR([1.0, 2.0], [0], [0, 1], (1, 2)), ShapeError, r"give \(\.\.\., 1\)"),
        (lambda: sparse.CSR([1.0, 2.0], [1, 1], [0, 2], (1, 2)), ArgumentError, "twice in a row.*sparse.coo"),
        (lambda: sparse.CSR(np.ones(1, np.float16), [0], [0, 1], (1, 1)), DTypeError, "float16"),
        (lambda: sparse.coo([1.0], [0.5], [0], (1, 1)), ArgumentError, "row indices are a vector of integers"),
        (lambda: sparse.coo([1.0], [0, 1], [0], (2, 1)), ShapeError, "2 row indices for 1 column"),
        (lambda: sparse.bsr(np.ones((1, 2, 2)), [0], [0, 1], (3, 2)), ShapeError, "sparse.bsr: blocks of shape"),
        (lambda: sparse.dia(np.ones((2, 2)), [0], (2, 2)), ShapeError, "1 offsets"),
        (lambda: sparse.diags([np.ones(2)], [1], (2, 2)), ShapeError, "diagonal 1 has 1 elements"),
        (lambda: sparse.diags(2.0), ShapeError, "give shape="),
        (lambda: sparse.eye(2) @ np.ones(3), ShapeError, "needs 2 rows"),
        (lambda: sparse.eye(2) @ sparse.eye(3), ShapeError, "inner lengths"),
        (lambda: sparse.eye(2) + sparse.eye(3), ShapeError, "must be equal"),
        (lambda: sparse.eye(2) * np.ones(2), ArgumentTypeError, "x must be a number"),
        (lambda: sparse.eye(2).sum(2), ArgumentError, "axis 2"),
        (lambda: sparse.from_scipy(np.eye(2)), ArgumentTypeError, "matrix of scipy.sparse"),
        (lambda: sparse.block([[sparse.eye(2), sparse.eye(3)]]), ShapeError, "row 0 holds blocks"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_what_a_matrix_says_of_itself(ours):
    assert repr(sparse.eye(3)) == "CSR(3 elements of (3, 3), dtype=float64)"
    assert (ours.shape, ours.ndim, ours.nnz) == ((6, 4), 2, len(ours.indices))
    assert ours.pattern == sparse.from_scipy(ours.to_scipy()).pattern != ours.T.pattern
