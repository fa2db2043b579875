"""Cosine and sine transforms: values of SciPy, and dense matrices for derivatives of first and second order."""

import functools
import itertools

import numpy as np
import pytest
import scipy.fft

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.fft import _trigonometric

EPS = np.finfo(float).eps
NAMES = ["dct", "idct", "dst", "idst"]
SEVERAL = ["dctn", "idctn", "dstn", "idstn"]
TYPES = [1, 2, 3, 4]
NORMS = [
    ("backward", None),
    ("ortho", None),
    ("forward", None),
    ("backward", True),
    ("ortho", False),
    ("forward", True),
]
ENGINES = ["scipy", "ducc0"] if "ducc0" in ss.fft.list_engines() else ["scipy"]


def least(name, type):
    """The fewest points that a type has."""
    return 2 if "dct" in name and type == 1 else 1


def scipy_of(name, x, *args, **kwargs):
    """SciPy's transform, part by part: of complex numbers it does not look at ``orthogonalize``."""
    f = getattr(scipy.fft, name)
    x = np.asarray(x)
    if x.dtype.kind != "c":
        return f(x, *args, **kwargs)
    return f(x.real, *args, **kwargs) + 1j * f(x.imag, *args, **kwargs)


def dense(name, size, n, **settings):
    """The matrix of a transform of one axis."""
    return getattr(scipy.fft, name)(np.eye(size), n=n, axis=0, **settings)


def near(got, want, n, eps=EPS):
    got = np.asarray(got)
    assert got.shape == want.shape
    bound = 20 * eps * max(1.0, np.log2(n)) * np.abs(want).max(initial=0.0)
    np.testing.assert_allclose(got, want, rtol=0, atol=bound)


# --- values --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_scipy(rng, name, type, engine):
    sizes = [n for n in (*range(1, 33), 61, 64, 101, 128, 1009) if n >= least(name, type)]
    for n, (norm, orthogonalize) in itertools.product(sizes, NORMS):
        x = rng.normal(size=(2, n))
        settings = {"norm": norm, "orthogonalize": orthogonalize}
        with ss.fft.engine(engine):
            got = getattr(ss.fft, name)(x, type, **settings)
        near(got, scipy_of(name, x, type, **settings), n)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [4096, 65536])
@pytest.mark.parametrize("name", NAMES)
def test_long_transforms(rng, name, n, engine):
    for type in TYPES:
        x = rng.normal(size=n)
        with ss.fft.engine(engine):
            near(getattr(ss.fft, name)(x, type, norm="ortho"), scipy_of(name, x, type, norm="ortho"), n)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_dtypes_are_those_of_scipy_and_operands_stay(rng, name, engine):
    for dtype in ("float16", "float32", "float64", "longdouble", "int32", "bool", "complex64", "complex128"):
        x = (4 * rng.normal(size=(3, 6)) + (1j if dtype.startswith("c") else 0)).astype(dtype)
        for type, orthogonalize in itertools.product(TYPES, (False, True)):
            before = x.copy()
            with ss.fft.engine(engine):
                got = getattr(ss.fft, name)(x, type, axis=0, orthogonalize=orthogonalize)
            want = scipy_of(name, x, type, axis=0, orthogonalize=orthogonalize)
            assert got.dtype == want.dtype
            near(got, want, 8, float(np.finfo(want.dtype).eps))
            np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("engine", ENGINES)
def test_strided_and_read_only_operands(rng, engine):
    whole = rng.normal(size=(6, 8, 5))
    fixed = whole.copy()
    fixed.flags.writeable = False
    views = [whole[::-1, ::2], whole.T, np.broadcast_to(whole[0], (3, 8, 5)), fixed, np.asfortranarray(whole)]
    for x, kind in itertools.product(views, (1.0, 1.0j)):
        before = x.copy()
        with ss.fft.engine(engine):
            got = ss.fft.dctn(x * kind if kind != 1.0 else x, 3, axes=(0, -1), orthogonalize=True)
        near(got, scipy_of("dctn", x, 3, axes=(0, -1), orthogonalize=True) * kind, 40)
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(rng, name, engine):
    ways = [{}, {"axes": (0, 2)}, {"axes": (-1, 0)}, {"axes": 1}, {"s": (7, 3)}, {"s": (2, 9), "axes": (2, 0)}]
    ways += [{"s": 5, "axes": -2}, {"s": (-1, 4, 6)}]
    for way, type, (norm, orthogonalize) in itertools.product(ways, TYPES, NORMS):
        x = rng.normal(size=(4, 5, 3)) + 1j * rng.normal(size=(4, 5, 3))
        settings = {"norm": norm, "orthogonalize": orthogonalize, **way}
        with ss.fft.engine(engine):
            got = getattr(ss.fft, name)(x, type, **settings)
        near(got, scipy_of(name, x, type, **settings), 60)


@pytest.mark.parametrize("name", NAMES)
def test_inverses_undo(rng, name):
    inverse = name[1:] if name.startswith("i") else f"i{name}"
    x = rng.normal(size=(2, 9))
    for type, (norm, orthogonalize) in itertools.product(TYPES, NORMS):
        settings = {"type": type, "norm": norm, "orthogonalize": orthogonalize}
        y = getattr(ss.fft, name)(x, **settings)
        near(getattr(ss.fft, inverse)(y, **settings), x, 32)


def test_no_axes_and_nothing():
    x = np.arange(3, dtype=np.float32)
    assert ss.fft.dctn(x, axes=()).tolist() == [0, 1, 2]
    assert ss.fft.dctn([1, 2], axes=()).dtype == np.float64
    assert ss.fft.dst(np.zeros((0, 4))).shape == (0, 4)
    assert ss.fft.dctn(np.zeros((3, 0)), axes=0).shape == (3, 0)


def test_many_lines_on_threads(rng, monkeypatch):
    monkeypatch.setenv("SCISIM_NUM_THREADS", "2")
    x = rng.normal(size=(256, 257))
    for name, engine in itertools.product(("dct", "idst"), ENGINES):
        with ss.fft.engine(engine):
            near(getattr(ss.fft, name)(x, 2, axis=0), scipy_of(name, x, 2, axis=0), 256)


# --- derivatives ---------------------------------------------------------------------------------------------
def check_derivatives(f, matrix, x):
    """The transpose, and the Hessian of a sum of cubes along a direction, against the matrix."""
    rng = np.random.default_rng(3)
    y, pullback = ad.vjp(f, x)
    ct = rng.normal(size=y.shape)
    np.testing.assert_allclose(pullback(ct)[0].numpy(), ct @ matrix, rtol=0, atol=scale(matrix, ct))
    v = rng.normal(size=x.shape)
    np.testing.assert_allclose(ad.jvp(f, (x,), (v,))[1].numpy(), v @ matrix.T, rtol=0, atol=scale(matrix, v))
    product = ad.hvp(lambda x: ss.sum(ct * f(x) ** 3), x, v)
    want = (6.0 * ct * (x @ matrix.T) * (v @ matrix.T)) @ matrix
    sizes = (6.0 * np.abs(ct) * (np.abs(x) @ np.abs(matrix.T)) * (np.abs(v) @ np.abs(matrix.T))) @ np.abs(matrix)
    np.testing.assert_allclose(product.numpy(), want, rtol=0, atol=1e-12 * sizes.max(initial=0.0))


def scale(matrix, x):
    return 1e-12 * np.abs(matrix).sum(0).max() * np.abs(x).max(initial=0.0)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 8, 15, 16])
@pytest.mark.parametrize("name", NAMES)
def test_adjoints_are_those_of_dense_matrices(rng, name, n):
    """Cropped (size > n) and filled up (size < n) too, in both orders of axes."""
    for type, (norm, orthogonalize), size in itertools.product(TYPES, NORMS, {n, max(n - 2, 1), n + 3}):
        if n < least(name, type):
            continue
        settings = {"type": type, "norm": norm, "orthogonalize": orthogonalize}
        matrix = dense(name, size, n, **settings)
        f = functools.partial(getattr(ss.fft, name), n=n, **settings)
        check_derivatives(f, matrix, rng.normal(size=(2, size)))
        check_derivatives(lambda x, f=f: f(x.T, axis=0).T, matrix, rng.normal(size=(2, size)))


@pytest.mark.parametrize("name", SEVERAL)
def test_adjoints_along_several_axes(rng, name):
    """As the Kronecker product of two matrices."""
    for type, (norm, orthogonalize) in itertools.product(TYPES, NORMS):
        settings = {"type": type, "norm": norm, "orthogonalize": orthogonalize}
        one = [dense(name[:-1], size, n, **settings) for size, n in ((5, 3), (4, 6))]

        def flat(x, settings=settings):
            turned = ss.permute_dims(ss.reshape(x, (2, 5, 4)), (2, 0, 1))
            y = getattr(ss.fft, name)(turned, s=(3, 6), axes=(2, 0), **settings)
            return ss.reshape(ss.permute_dims(y, (1, 2, 0)), (2, 18))

        check_derivatives(flat, np.kron(*one), rng.normal(size=(2, 20)))


@pytest.mark.parametrize("name", NAMES)
def test_complex_adjoints_take_both_parts(rng, name):
    for type in TYPES:
        matrix = dense(name, 6, 6, type=type)
        z, ct = (rng.normal(size=6) + 1j * rng.normal(size=6) for _ in range(2))
        _, pullback = ad.vjp(lambda z, type=type: getattr(ss.fft, name)(z, type), z)
        np.testing.assert_allclose(pullback(ct)[0].numpy(), ct @ matrix, rtol=0, atol=scale(matrix, ct))


def test_a_gradient_executes_as_many_transforms_as_the_value(rng, monkeypatch):
    executed = []
    run = _trigonometric.scipy_transform
    monkeypatch.setattr(_trigonometric, "scipy_transform", lambda *a: executed.append(a[0]) or run(*a))
    x = rng.normal(size=(4, 6))

    def loss(x):
        y = ss.fft.dctn(x, 2) ** 2
        return ss.sum(ss.fft.idstn(y, 3, norm="ortho", orthogonalize=False) ** 3)

    compiled = ss.jit(ad.value_and_grad(loss))
    compiled(x)
    both = ["dct", "dst", "dst", "dct"]
    ways = [(loss, ["dct", "dst"]), (ad.value_and_grad(loss), both), (compiled, both)]
    with ss.fft.engine("scipy"):
        for f, want in ways:
            executed.clear()
            f(x)
            assert executed == want
        executed.clear()
        ss.vmap(ad.grad(loss))(np.stack([x, x, x]))
        assert executed == both


# --- errors --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ss.fft.dct([1.0], 1), ArgumentError, "dct: type 1 needs at least 2 points along axis 0, got 1"),
        (lambda: ss.fft.idctn(np.ones((3, 1)), 1), ArgumentError, "idctn: type 1 needs at least 2 points along axis 1"),
        (lambda: ss.fft.dst([1.0, 2.0], 5), ArgumentError, "dst: type must be 1, 2, 3 or 4, got 5"),
        (lambda: ss.fft.dst([1.0], 2.0), ArgumentTypeError, "dst: type must be an integer"),
        (lambda: ss.fft.dst(np.ones((2, 0))), ArgumentError, "there must be a point or more along axis 1, got 0"),
        (lambda: ss.fft.dct([1.0], n=0), ArgumentError, "dct: the length must be at least 1, got n=0"),
        (lambda: ss.fft.dct([1.0], n=2.5), ArgumentTypeError, "dct: the length n must be an integer, got 2.5"),
        (lambda: ss.fft.dct([1.0], norm="unit"), ArgumentError, "norm must be 'backward', 'ortho' or 'forward'"),
        (lambda: ss.fft.dct([1.0], axis=1), ArgumentError, "dct: axis 1 is out of range"),
        (
            lambda: ss.fft.dct([1.0], orthogonalize="yes"),
            ArgumentTypeError,
            "orthogonalize must be True, False or None",
        ),
        (lambda: ss.fft.dct(1.0), ShapeError, "dct: x is a scalar"),
        (lambda: ss.fft.dct(ss.ones(2, dtype="bfloat16")), DTypeError, "dct: x has dtype bfloat16"),
        (lambda: ss.fft.dctn(np.ones((2, 2)), axes=(0, -2)), ArgumentError, "names an axis twice"),
        (lambda: ss.fft.dctn(np.ones((2, 2)), s=(2,), axes=(0, 1)), ArgumentError, "1 lengths for 2 axes"),
        (lambda: ss.fft.dctn(np.ones(2), s=(2, 2)), ArgumentError, "s=(2, 2) has 2 lengths, but x has 1 axes"),
        (lambda: ss.fft.dctn(np.ones(2), s=(0,)), ArgumentError, "there must be a point or more along axis 0, got 0"),
    ],
)
def test_errors_say_what_to_do(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
