"""Creation and arrangement of arrays: NumPy's values, shapes and dtypes, and derivatives through them."""

import math

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.ops import dtypes

EPS = np.finfo(float).eps


def _same(got, want):
    got = got.numpy()
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_array_equal(got, want)


# --- from data and shapes ----------------------------------------------------------------------------------
def test_asarray_copies_what_others_may_write_into():
    a = np.ones(3)
    x, shared = ss.asarray(a), ss.asarray(a, copy=False)
    a[0] = 5.0
    assert float(x[0]) == 1.0
    assert float(shared[0]) == 5.0
    assert ss.asarray(x)._v is x._v


def test_asarray_takes_lists_of_tensors_and_derivatives_go_through():
    f = lambda x: ss.sum(ss.asarray([[x, 2.0 * x], [1.0, x * x]]))
    assert float(ad.grad(f)(3.0)) == 1.0 + 2.0 + 6.0
    assert ss.asarray([1, 2], dtype="float32").dtype == np.float32
    assert ad.grad(lambda x: ss.asarray(x, dtype="float64"))(np.float32(1)).dtype == np.float32


def test_asarray_refuses_what_is_no_number():
    with pytest.raises(ArgumentTypeError, match="data of type list gives dtype .* expected numbers"):
        ss.asarray(["a"])


@pytest.mark.parametrize("dtype", [None, "float32", "complex64", "int8", "bool"])
@pytest.mark.parametrize("shape", [(), 3, (2, 0), (2, 3)])
@pytest.mark.parametrize("name", ["zeros", "ones"])
def test_filled_arrays_are_numpys(name, shape, dtype):
    _same(getattr(ss, name)(shape, dtype=dtype), getattr(np, name)(shape, dtype=dtype or float))
    like = getattr(ss, name + "_like")(np.zeros(shape, "float32"), dtype=dtype)
    _same(like, getattr(np, name)(shape, dtype=dtype or "float32"))


def test_full_is_differentiable_in_its_value():
    assert float(ad.grad(lambda v: ss.sum(ss.full((2, 3), v)))(1.0)) == 6.0
    _same(ss.full_like([1, 2], 3.7), np.full_like([1, 2], 3.7))
    assert ss.empty((2, 3)).shape == ss.empty_like(ss.ones((2, 3))).shape == (2, 3)


def test_filled_arrays_may_be_written_into():
    x = ss.zeros(3)
    x[1] = 2.0
    np.testing.assert_array_equal(x.numpy(), [0.0, 2.0, 0.0])
    np.testing.assert_array_equal(ss.zeros(3).numpy(), [0.0, 0.0, 0.0])


# --- ranges ------------------------------------------------------------------------------------------------
RANGES = [(5,), (1, 7, 2), (0, 1, 0.1), (5, 0, -1), (5, 0), (0.1, 0.35, 0.1), (-3.0,), (2, np.float32(9))]


@pytest.mark.parametrize("args", RANGES)
def test_arange_is_numpys_and_no_graph_carries_it(args):
    _same(ss.arange(*args), np.arange(*args))
    program = ss.jit(lambda x: x + ss.arange(*args).sum())
    want = np.arange(*args)
    eps = np.finfo(want.dtype).eps if want.dtype.kind == "f" else 0
    assert abs(float(program(0.0)) - want.sum()) <= want.size * eps * np.abs(want).sum()  # a sum in another order
    graph = program.lower(0.0).graph
    assert all(np.size(c) == 1 for c in graph.constants())


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 33])
@pytest.mark.parametrize(
    "ends", [(0, 1), (0.1, 0.7), (3, 3), (0, 1j), (np.zeros(2, "f4"), np.float32(1)), (-1, np.ones((2, 1)))]
)
def test_linspace_is_numpys_to_the_bit(ends, num, endpoint):
    _same(ss.linspace(*ends, num, endpoint=endpoint), np.linspace(*ends, num, endpoint=endpoint))


def test_linspace_is_differentiable_in_its_ends():
    t = np.linspace(0.0, 1.0, 5)
    a, b = ad.jacobian(lambda a, b: ss.linspace(a, b, 5), argnums=(0, 1))(2.0, 5.0)
    np.testing.assert_allclose(a.numpy(), 1.0 - t, atol=2 * EPS)
    np.testing.assert_allclose(b.numpy(), t, atol=2 * EPS)


@pytest.mark.parametrize("k", [-3, -1, 0, 2])
def test_eye_is_numpys(k):
    _same(ss.eye(3, 4, k=k), np.eye(3, 4, k))
    _same(ss.eye(2, dtype="complex64"), np.eye(2, dtype="complex64"))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_meshgrid_is_numpys(indexing, count):
    vectors = [np.arange(k + 2.0) for k in range(count)]
    for got, want in zip(
        ss.meshgrid(*vectors, indexing=indexing), np.meshgrid(*vectors, indexing=indexing), strict=True
    ):
        _same(got, want)


# --- arrangements ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", [-4, -2, 0, 1, 5])
def test_triangles_and_diagonals_are_numpys(rng, k):
    x = rng.normal(size=(2, 3, 4))
    _same(ss.tril(x, k), np.tril(x, k))
    _same(ss.triu(x > 0, k), np.triu(x > 0, k))
    _same(ss.diagonal(x, k), np.diagonal(x, k, -2, -1))
    _same(ss.diag(x[0, 0], k), np.diag(x[0, 0], k))
    _same(ss.diag(x[0], k), np.diag(x[0], k))
    np.testing.assert_allclose(ss.trace(x, k).numpy(), np.trace(x, k, -2, -1), atol=8 * EPS)


def test_what_a_triangle_leaves_out_gets_no_derivative():
    x = np.array([[1.0, 0.0], [2.0, 4.0]])
    with np.errstate(divide="ignore"):
        g = ad.grad(lambda x: ss.sum(ss.tril(1.0 / x)))(x).numpy()
    np.testing.assert_array_equal(g, [[-1.0, 0.0], [-0.25, -1 / 16]])


def test_diagonals_are_transposes_of_each_other():
    taken = ad.grad(lambda x: ss.sum(ss.diagonal(x, 1)))(np.ones((2, 3)))
    np.testing.assert_array_equal(taken.numpy(), np.eye(2, 3, 1))
    put = ad.grad(lambda v: ss.sum(ss.diag(v) * ss.ones((3, 3))))(np.zeros(3))
    np.testing.assert_array_equal(put.numpy(), 1.0)


@pytest.mark.parametrize("reps", [2, (1, 2), (2, 1, 1, 3), 0, ()])
def test_tile_is_numpys(rng, reps):
    x = rng.normal(size=(2, 3))
    _same(ss.tile(x, reps), np.tile(x, reps))


@pytest.mark.parametrize(("repeats", "axis"), [(2, None), (3, 1), ([1, 0, 2], 1), (0, 0), ([2], 0)])
def test_repeat_is_numpys(rng, repeats, axis):
    x = rng.normal(size=(2, 3))
    _same(ss.repeat(x, repeats, axis), np.repeat(x, repeats, axis))


@pytest.mark.parametrize("width", [1, (1, 2), ((1, 2), (0, 3)), 0])
def test_pad_is_numpys_and_cuts_the_cotangent(rng, width):
    x = rng.normal(size=(2, 3))
    _same(ss.pad(x, width), np.pad(x, width))
    w = rng.normal(size=np.pad(x, width).shape)
    lead = [a for a, _ in np.broadcast_to(width, (2, 2))]
    want = w[lead[0] : lead[0] + 2, lead[1] : lead[1] + 3]
    np.testing.assert_array_equal(ad.grad(lambda x: ss.sum(ss.pad(x, width) * w))(x).numpy(), want)


def test_pad_is_differentiable_in_its_value():
    assert float(ad.grad(lambda v: ss.sum(ss.pad(ss.ones(2), (1, 2), constant_values=v)))(0.0)) == 3.0


@pytest.mark.parametrize(("at", "axis"), [(2, 0), ([1, 2], 1), (3, 1), ([9], 0)])
def test_split_is_numpys(rng, at, axis):
    x = rng.normal(size=(4, 6))
    for got, want in zip(ss.split(x, at, axis), np.split(x, at, axis), strict=True):
        _same(got, want)


def test_kron_and_cross_are_numpys(rng):
    x, y = rng.normal(size=(2, 4, 3))
    for a, b in ((x, y), (x[0], y), (x, y[0])):
        _same(ss.kron(a, b), np.kron(a, b))
        np.testing.assert_allclose(ss.cross(x, y[0]).numpy(), np.cross(x, y[0]), atol=8 * EPS)
    np.testing.assert_allclose(ss.cross(x.T, y.T, axis=0).numpy(), np.cross(x.T, y.T, axis=0), atol=8 * EPS)


def test_broadcast_arrays_share_the_shape():
    a, b = ss.broadcast_arrays(ss.ones((2, 1)), ss.ones(3))
    assert a.shape == b.shape == (2, 3)


def test_arrangements_map_and_capture(rng):
    x = rng.normal(size=(3, 4, 4))
    for f in (
        ss.tril,
        ss.diagonal,
        lambda x: ss.pad(x, 1),
        lambda x: ss.tile(x, (2, 1)),
        lambda x: ss.repeat(x, [1, 2, 0, 1], 0),
        lambda x: ss.kron(x, ss.eye(2)),
        lambda x: ss.diag(x[0]),
    ):
        want = np.stack([f(r).numpy() for r in x])
        np.testing.assert_array_equal(ss.vmap(f)(x).numpy(), want)
        np.testing.assert_array_equal(ss.jit(ss.vmap(f))(x).numpy(), want)


# --- dtypes ------------------------------------------------------------------------------------------------
def test_promotion_is_numpys():
    assert dtypes.result_type(ss.ones(1, dtype="float32"), 1.0) == np.float32
    assert dtypes.result_type("int32", np.float32, ss.int64) == np.float64
    assert dtypes.can_cast(ss.ones(1, dtype="int8"), "int16")
    assert dtypes.isdtype("complex64", ("integral", "complex floating"))
    assert dtypes.finfo(ss.ones(1, dtype="complex64")).dtype == np.float32
    assert dtypes.iinfo("uint8").max == 255


# --- errors ------------------------------------------------------------------------------------------------
ERRORS = [
    (lambda: ss.zeros((2, -1)), ArgumentError, r"zeros: lengths must not be negative, got shape \(2, -1\)"),
    (lambda: ss.ones(2.5), ArgumentTypeError, "ones: a shape is made of integers, got 2.5"),
    (lambda: ss.jit(lambda n: ss.zeros(n))(3), ArgumentTypeError, "zeros: a shape is made of Python integers"),
    (lambda: ss.zeros(2, device="tpu"), ArgumentError, "device"),
    (lambda: ss.arange(0, 1, 0), ArgumentError, "arange: step must not be 0"),
    (lambda: ss.arange(0, math.inf), ArgumentError, "arange: stop must be finite"),
    (lambda: ss.arange(1j), ArgumentTypeError, "arange: stop must be a real number"),
    (lambda: ad.grad(lambda a: ss.sum(ss.arange(0.0, a)))(3.0), ArgumentTypeError, "use linspace, whose ends may be"),
    (lambda: ss.linspace(0, 1, -2), ArgumentError, "linspace: lengths must not be negative"),
    (lambda: ss.meshgrid([1.0], indexing="yx"), ArgumentError, "meshgrid: indexing must be 'xy' or 'ij', got 'yx'"),
    (lambda: ss.meshgrid(ss.ones((2, 2))), ArgumentError, r"meshgrid: takes vectors, got shape \(2, 2\)"),
    (lambda: ss.tril([1.0]), ShapeError, r"tril: needs at least two axes, got shape \(1,\)"),
    (lambda: ss.diag(ss.ones((2, 2, 2))), ShapeError, "diag: takes a vector or a matrix"),
    (lambda: ss.tile([1.0], -1), ArgumentError, "tile: repetitions must not be negative"),
    (lambda: ss.repeat([1.0, 2.0], [1, 2, 3]), ShapeError, "repeat: 3 counts for 2 elements"),
    (lambda: ss.repeat([1.0], 1.5), ArgumentTypeError, "repeat: repeats must be integers"),
    (lambda: ss.pad([1.0], (1, -1)), ArgumentError, "pad: pad_width must be a number, a pair"),
    (lambda: ss.pad([1.0], 1, mode="turn"), ArgumentError, "pad: mode must be one of constant, edge, wrap"),
    (lambda: ss.split(ss.ones(5), 2), ShapeError, "split: an axis of length 5 does not divide into 2 equal parts"),
    (lambda: ss.cross([1.0, 2.0], [1.0, 2.0]), ShapeError, "cross: needs three components"),
    (lambda: ss.broadcast_arrays(ss.ones(2), ss.ones(3)), ShapeError, "broadcast_arrays: operands of shape"),
    (dtypes.result_type, ArgumentError, "result_type: got no arguments"),
    (lambda: dtypes.finfo("int8"), DTypeError, "finfo: int8 is not a floating-point dtype; iinfo"),
    (lambda: dtypes.iinfo("float32"), DTypeError, "iinfo: float32 is not an integer dtype; finfo"),
    (lambda: dtypes.isdtype("int8", "whole"), ArgumentError, "isdtype: "),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()
