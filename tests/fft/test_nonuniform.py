"""Non-uniform transforms against direct sums, in value and derivatives of every kind."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.fft import _nonuniform_run as run
from scisim.fft import nufft1, nufft2, nufft3

RNG = np.random.default_rng(5)
EPS = np.finfo(float).eps


def complexes(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


def numbers(n: int, modeord: int = 0) -> np.ndarray:
    """The mode numbers of n modes."""
    k = np.arange(n) - n // 2
    return np.fft.ifftshift(k) if modeord else k


def waves(x: tuple, modes: tuple[int, ...], isign: int, modeord: int = 0) -> np.ndarray:
    """exp(i s k x) for every point and mode, of shape (m, product of modes); k x in longer numbers if there are any."""
    out = np.ones((len(x[0]), 1), complex)
    for v, n in zip(x, modes, strict=True):
        phase = np.asarray(v, np.longdouble)[:, None] * numbers(n, modeord)
        one = (np.cos(phase) + 1j * isign * np.sin(phase)).astype(complex)
        out = (out[:, :, None] * one[:, None, :]).reshape(len(v), -1)
    return out


def points(dims: int, m: int) -> tuple:
    return tuple(RNG.uniform(-np.pi, np.pi, (dims, m)))


def relative(got: Any, want: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(got).ravel() - want.ravel()) / np.linalg.norm(want))


# --- values ----------------------------------------------------------------------------------------------------------
SHAPES = [(1,), (2,), (33,), (64,), (1, 6), (9, 8), (3, 1, 4), (5, 6, 7)]


@pytest.mark.parametrize("modes", SHAPES)
@pytest.mark.parametrize("eps", [10.0**-k for k in range(1, 15)])
def test_errors_stay_below_the_tolerance(modes, eps):
    x = points(len(modes), 60)
    for isign, modeord in ((1, 0), (-1, 1)):
        w, how = waves(x, modes, isign, modeord), {"isign": isign, "eps": eps, "modeord": modeord}
        c, f = complexes(8, 60), complexes(8, *modes)
        assert relative(nufft1(x, c, modes, **how), c @ w) <= eps
        assert relative(nufft2(x, f, **how), f.reshape(8, -1) @ w.T) <= eps


@pytest.mark.parametrize("modes", [(64,), (9, 8), (5, 6, 7)])
@pytest.mark.parametrize("eps", [1e-1, 1e-3, 1e-6])
def test_single_precision(modes, eps):
    x = tuple(v.astype(np.float32) for v in points(len(modes), 60))
    c, f = complexes(8, 60).astype(np.complex64), complexes(8, *modes).astype(np.complex64)
    w = waves(tuple(v.astype(float) for v in x), modes, 1)
    got = nufft1(x, c, modes, eps=eps), nufft2(x, f, isign=1, eps=eps)
    assert [y.dtype for y in got] == [np.complex64] * 2
    assert relative(got[0], c @ w) <= eps
    assert relative(got[1], f.reshape(8, -1) @ w.T) <= eps


def test_points_anywhere_on_the_line_and_many_modes():
    """The phase of high modes at far points, to the last digits: against mpmath, which has the digits of k x."""
    x, c = np.array([-123456.789, 3.0e4, -np.pi, np.pi, 1e-300]), complexes(5)
    n = 1 << 18
    f = np.asarray(nufft1(x, c, n, eps=1e-13))
    at = [0, 1, 77, n // 3, n // 2, n - 1]
    with mpmath.workdps(40):
        want = [
            complex(sum(mpmath.mpc(b) * mpmath.expj((k - n // 2) * mpmath.mpf(a)) for a, b in zip(x, c, strict=True)))
            for k in at
        ]
    assert np.max(np.abs(f[at] - want)) <= 1e-12 * np.sum(np.abs(c))
    spectrum = np.zeros(n, complex)
    spectrum[at] = complexes(len(at))
    with mpmath.workdps(40):
        want = [
            complex(sum(mpmath.mpc(spectrum[k]) * mpmath.expj(-(k - n // 2) * mpmath.mpf(a)) for k in at)) for a in x
        ]
    assert np.max(np.abs(np.asarray(nufft2(x, spectrum, eps=1e-13)) - want)) <= 1e-12 * np.sum(np.abs(spectrum))


def test_points_on_a_uniform_grid_give_the_fast_fourier_transform():
    n = 12
    t, f = 2 * np.pi * np.arange(n) / n, complexes(n)
    np.testing.assert_allclose(nufft2(t, f, isign=1, modeord=1, eps=1e-14), np.fft.ifft(f) * n, atol=1e-13)
    np.testing.assert_allclose(nufft1(t, f, n, isign=-1, modeord=1, eps=1e-14), np.fft.fft(f), atol=1e-13)


@pytest.mark.parametrize(("dims", "n"), [(1, 3000), (2, 110), (3, 50)])
def test_many_points_crowded_and_spread(dims, n):
    """Several tiles and threads; a third of the points lies in one place."""
    m, eps = 30_000, 1e-9
    x = np.array(points(dims, m))
    x[:, : m // 3] = x[:, :1]
    c = complexes(m)
    f = np.asarray(nufft1(tuple(x), c, (n,) * dims, eps=eps))
    some = [tuple(RNG.integers(0, n, dims)) for _ in range(20)]
    want = [np.sum(c * np.exp(1j * (np.array(k) - n // 2) @ x)) for k in some]
    assert np.max(np.abs(np.array([f[k] for k in some]) - want)) <= 10 * eps * np.linalg.norm(c) * np.sqrt(m / 3)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_results_do_not_depend_on_the_number_of_threads(dims, monkeypatch):
    modes = {1: (20_001,), 2: (130, 150), 3: (40, 30, 50)}[dims]
    x, c, f = points(dims, 25_000), complexes(25_000), complexes(*modes)
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("SCISIM_NUM_THREADS", threads)
        results.append((np.asarray(nufft1(x, c, modes)), np.asarray(nufft2(x, f))))
    for one, two in results[1:]:
        np.testing.assert_array_equal(one, results[0][0])
        np.testing.assert_array_equal(two, results[0][1])


@pytest.mark.parametrize("modes", [(31,), (6, 8), (4, 5, 3)])
@pytest.mark.parametrize("eps", [1e-2, 1e-6, 1e-12])
def test_either_type_is_the_transpose_of_the_other(modes, eps):
    """Whatever the tolerance: both have one matrix, but for rounding."""
    x, c, f = points(len(modes), 50), complexes(50), complexes(*modes)
    left = np.sum(np.asarray(nufft1(x, c, modes, isign=-1, eps=eps)) * f)
    right = np.sum(np.asarray(nufft2(x, f, isign=-1, eps=eps)) * c)
    assert abs(left - right) <= 64 * EPS * np.sum(np.abs(c)) * np.linalg.norm(f)


# --- shapes ----------------------------------------------------------------------------------------------------------
def test_leading_axes():
    x, c = points(1, 7)[0], complexes(2, 3, 7)
    y = np.asarray(nufft1(x, c, 5))
    assert y.shape == (2, 3, 5)
    np.testing.assert_array_equal(y[1, 2], nufft1(x, c[1, 2], 5))
    many = RNG.uniform(-3, 3, (3, 7))
    y = np.asarray(nufft1(many, c, 5))
    np.testing.assert_array_equal(y[1, 2], nufft1(many[2], c[1, 2], 5))
    assert nufft1(many, c[0, 0], 5).shape == (3, 5)
    f = complexes(2, 3, 4, 6)
    y = np.asarray(nufft2((many, many), f))
    assert y.shape == (2, 3, 7)
    np.testing.assert_array_equal(y[1, 2], nufft2((many[2], many[2]), f[1, 2]))


def test_without_points_or_transforms():
    assert nufft1(np.zeros(0), np.zeros(0), 4).tolist() == [0j] * 4
    assert nufft2(np.zeros(0), complexes(4)).shape == (0,)
    assert nufft1(np.zeros(3), np.zeros((0, 3)), 4).shape == (0, 4)
    assert nufft2((np.zeros((0, 3)),), complexes(4)).shape == (0, 3)
    g = ad.grad(lambda x, f: ss.sum(ss.real(nufft2(x, f))), (0, 1))(np.zeros(0), complexes(4))
    assert [v.shape for v in g] == [(0,), (4,)]
    assert g[1].tolist() == [0j] * 4


def test_lists_are_points_and_tuples_of_arrays_are_coordinates():
    np.testing.assert_array_equal(nufft1([0.1, 0.2], [1, 2], 3), nufft1(np.array([0.1, 0.2]), np.array([1.0, 2.0]), 3))
    x, y, c = np.array([0.1, 0.2]), np.array([0.3, 0.4]), complexes(2)
    np.testing.assert_array_equal(nufft1([x, y], c, (3, 2)), nufft1((ss.asarray(x), ss.asarray(y)), c, (3, 2)))
    np.testing.assert_array_equal(nufft1((x,), c, (3,)), nufft1(x, c, 3))


def test_inputs_stay_as_they_were():
    x, c, f = points(1, 9)[0], complexes(9), complexes(6)
    before = x.copy(), c.copy(), f.copy()
    nufft1(x, c, 6), nufft2(x, f)
    for a, b in zip((x, c, f), before, strict=True):
        np.testing.assert_array_equal(a, b)


# --- derivatives -----------------------------------------------------------------------------------------------------
MODES = {1: (6,), 2: (3, 4), 3: (2, 3, 2)}
TIGHT = {"eps": 1e-14}


def direct(dims: int, kind: int, isign: int) -> Any:
    """The sum itself, by operations that differentiate."""

    def f(*args: Any) -> Any:
        phase = 0.0
        for a, n in enumerate(MODES[dims]):
            at = [None] * dims
            at[a] = slice(None)
            k = ss.asarray(numbers(n).astype(float))[(None, *at)]
            phase = phase + args[a][(slice(None), *(None for _ in range(dims)))] * k
        w = ss.exp(1j * isign * phase)
        m = args[-1].shape[0] if kind == 1 else None
        if kind == 1:
            return ss.sum(w * ss.reshape(args[-1], (m, *(1 for _ in range(dims)))), axis=0)
        return ss.sum(w * args[-1][None], axis=tuple(range(1, dims + 1)))

    return f


def fast(dims: int, kind: int, isign: int) -> Any:
    if kind == 1:
        return lambda *args: nufft1(args[:-1], args[-1], MODES[dims], isign=isign, **TIGHT)
    return lambda *args: nufft2(args[:-1], args[-1], isign=isign, **TIGHT)


def operands(dims: int, kind: int, m: int = 5) -> tuple:
    return (*map(ss.asarray, points(dims, m)), ss.asarray(complexes(m) if kind == 1 else complexes(*MODES[dims])))


def directions(args: tuple) -> tuple:
    return tuple(
        ss.asarray(0.5 * (complexes(*x.shape) if x.dtype.kind == "c" else RNG.normal(size=x.shape))) for x in args
    )


def loss_of(f: Any) -> Any:
    return lambda *args: ss.sum(ss.cos(ss.real(f(*args))) + ss.abs(f(*args)) ** 2)


def close(got: Any, want: Any, rtol: float = 1e-12) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=rtol * max(np.max(np.abs(want)), 1.0))


CASES = [(dims, kind) for dims in (1, 2, 3) for kind in (1, 2)]
cases = pytest.mark.parametrize(("dims", "kind"), CASES)


@cases
def test_first_derivatives_equal_those_of_the_sums(dims, kind):
    args = operands(dims, kind)
    vs = directions(args)
    every = tuple(range(dims + 1))
    f, g = fast(dims, kind, -1), direct(dims, kind, -1)
    close(ad.jvp(f, args, vs)[1], ad.jvp(g, args, vs)[1])
    for a, b in zip(ad.grad(loss_of(f), every)(*args), ad.grad(loss_of(g), every)(*args), strict=True):
        close(a, b)
    for a, b in zip(ss.jit(ad.grad(loss_of(f), every))(*args), ad.grad(loss_of(g), every)(*args), strict=True):
        close(a, b)


@cases
def test_series_equal_those_of_the_sums(dims, kind):
    args, order = operands(dims, kind, 3), 6 if dims == 1 else 4
    vs = directions(args)
    for some in (vs, (*vs[:-1], None), (*(None for _ in vs[:-1]), vs[-1])):
        got, want = (ad.taylor(h(dims, kind, 1), args, some, order) for h in (fast, direct))
        for a, b in zip(got, want, strict=True):
            close(a, b, 1e-11)
    once = ss.jit(lambda *a: tuple(ad.taylor(fast(dims, kind, 1), a, vs, 3)))(*args)
    for a, b in zip(once, ad.taylor(direct(dims, kind, 1), args, vs, 3), strict=True):
        close(a, b, 1e-11)


@cases
def test_second_derivatives_in_every_nesting(dims, kind):
    args = operands(dims, kind, 3)
    vs, every = directions(args), tuple(range(dims + 1))
    f, g = loss_of(fast(dims, kind, 1)), loss_of(direct(dims, kind, 1))
    want = ad.jvp(lambda *a: ad.grad(g, every)(*a), args, vs)[1]
    forward = ad.jvp(lambda *a: ad.grad(f, every)(*a), args, vs)[1]
    over = ad.grad(lambda *a: ad.jvp(f, a, vs)[1], every)(*args)
    back = ad.vjp(lambda *a: ad.grad(f, every)(*a), *args)[1](vs)
    for a, b, c, w in zip(forward, over, back, want, strict=True):
        for h in (a, b, c):
            close(h, w, 1e-11)


def test_third_derivative_by_nested_gradients():
    args = operands(1, 2, 3)
    f, g = (loss_of(h(1, 2, 1)) for h in (fast, direct))
    nested = lambda h: ad.grad(lambda x: ss.sum(ad.grad(lambda y: ss.sum(ad.grad(h)(y, args[1]) ** 2))(x) ** 2))
    close(nested(f)(args[0]), nested(g)(args[0]), 1e-10)


def test_mixed_partials_of_a_sampled_field():
    """Partial derivatives along coordinates that are arrays."""
    modes = ss.asarray(complexes(4, 5))
    f = lambda x, y: ss.real(nufft2((x, y), modes, isign=1, **TIGHT))
    k, q = numbers(4)[:, None], numbers(5)
    x, y = points(2, 6)
    for word, factor in (("xxy", (1j * k) ** 2 * 1j * q), ("yyyy", q**4 + 0j), ("x", 1j * k + 0 * q)):
        want = ss.real(nufft2((x, y), modes * factor, isign=1, **TIGHT))
        close(ad.partial(f, word)(x, y), want, 1e-11)
    close(ad.laplacian(f)(x, y), ss.real(nufft2((x, y), -modes * (k**2 + q**2), isign=1, **TIGHT)), 1e-11)


@cases
def test_mapped(dims, kind):
    args = [operands(dims, kind) for _ in range(3)]
    f = fast(dims, kind, 1)
    stacked = [ss.stack(v) for v in zip(*args, strict=True)]
    close(ss.vmap(f)(*stacked), np.stack([f(*a) for a in args]), 1e-14)
    same = (*args[0][:-1], stacked[-1])
    axes = (*(None for _ in range(dims)), 0)
    close(ss.vmap(f, axes)(*same), np.stack([f(*args[0][:-1], a[-1]) for a in args]), 1e-14)
    gradient = ad.grad(loss_of(f), tuple(range(dims + 1)))
    for k, g in enumerate(ss.jit(ss.vmap(gradient))(*stacked)):
        close(g, np.stack([gradient(*a)[k] for a in args]))


def test_the_value_beside_a_derivative_has_the_bits_of_the_plain_call():
    args = operands(1, 1)
    f = fast(1, 1, 1)
    want = np.asarray(f(*args))
    np.testing.assert_array_equal(ad.jvp(f, args, directions(args))[0], want)
    np.testing.assert_array_equal(ad.taylor(f, args, directions(args), 4)[0], want)
    np.testing.assert_array_equal(ad.vjp(f, *args)[0], want)


class Counter:
    """How often, in evaluations of primitives and in single transforms."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sorted = self.transforms = 0
        for name in ("sort_points", "spread", "interpolate"):
            monkeypatch.setattr(run, name, self.counting(name, getattr(run, name)))

    def counting(self, name: str, f: Any) -> Any:
        def count(*args: Any) -> Any:
            if name == "sort_points":
                self.sorted += 1
            else:
                self.transforms += 1
            return f(*args)

        return count


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("jit", [lambda f: f, ss.jit])
def test_a_gradient_takes_few_transforms(dims, jit, monkeypatch):
    """Beside the value: for strengths or modes one, for points as many as coordinates."""
    for kind in (1, 2):
        args = operands(dims, kind)
        loss = lambda *a, kind=kind: ss.sum(ss.abs(fast(dims, kind, 1)(*a)) ** 2)
        for nums, extra in (((dims,), 1), (tuple(range(dims)), dims), (tuple(range(dims + 1)), dims + 1)):
            f = jit(ad.value_and_grad(loss, nums))
            f(*args)
            with monkeypatch.context() as patch:
                counter = Counter(patch)
                f(*args)
                assert counter.transforms == 1 + extra
                assert counter.sorted <= 3


def test_a_reconstruction_from_irregular_samples():
    """Gradient descent on modes, each step a transform and its transpose, finds a band-limited signal."""
    x = np.sort(RNG.uniform(-np.pi, np.pi, 60))
    truth = complexes(9)
    samples = nufft2(x, truth, isign=1, **TIGHT)
    loss = lambda f: ss.sum(ss.abs(nufft2(x, f, isign=1, **TIGHT) - samples) ** 2) / 60
    f = ss.zeros(9, dtype=ss.complex128)
    step = ss.jit(lambda f: f - 0.25 * ad.grad(loss)(f))
    for _ in range(600):
        f = step(f)
    assert relative(f, truth) < 1e-6


# --- type 3 ----------------------------------------------------------------------------------------------------------
def pairs(x: tuple, s: tuple, isign: int) -> np.ndarray:
    """exp(i isign s x) for every point and frequency."""
    phase = sum(np.asarray(a, np.longdouble)[:, None] * b for a, b in zip(x, s, strict=True))
    return (np.cos(phase) + 1j * isign * np.sin(phase)).astype(complex)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(("wide", "band"), [(1.0, 9.0), (0.0, 5.0), (3.0, 0.0), (0.0, 0.0), (1e-2, 3e2)])
@pytest.mark.parametrize("eps", [1e-1, 1e-3, 1e-6, 1e-9, 1e-12])
def test_type_3_stays_below_the_tolerance(dims, wide, band, eps):
    x = tuple(wide * RNG.uniform(-1, 1, (dims, 50)) + 4.0)
    s = tuple(band * RNG.uniform(-1, 1, (dims, 40)) - 3.0)
    c = complexes(8, 50)
    assert relative(nufft3(x, c, s, isign=-1, eps=eps), c @ pairs(x, s, -1)) <= eps


def test_type_3_of_single_precision_shapes_and_nothing():
    x, s, c = RNG.uniform(-3, 3, 50), RNG.uniform(-9, 9, 40), complexes(4, 50)
    y = nufft3(x.astype("f"), c.astype("F"), s.astype("f"), eps=1e-5)
    assert y.dtype == np.complex64
    assert relative(y, c @ pairs((x.astype("f"),), (s.astype("f"),), 1)) <= 1e-5
    many = np.stack([s, 2 * s, s + 1])
    y = np.asarray(nufft3(x, c[:, None], many))
    assert y.shape == (4, 3, 40)
    np.testing.assert_array_equal(y[2, 1], nufft3(x, c[2], many[1]))
    assert nufft3(np.zeros(0), np.zeros(0), s).tolist() == [0j] * 40
    assert nufft3(x, c, np.zeros(0)).shape == (4, 0)


def frequencies(dims: int) -> Any:
    """Type 3 and the sum itself, of points, strengths and frequencies."""

    def fast(*args: Any) -> Any:
        return nufft3(args[:dims], args[dims], args[dims + 1 :], isign=-1, eps=1e-12)

    def direct(*args: Any) -> Any:
        phase = sum(args[a][:, None] * args[dims + 1 + a] for a in range(dims))
        return ss.sum(ss.exp(-1j * phase) * args[dims][:, None], axis=0)

    return fast, direct


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_derivatives_of_type_3_equal_those_of_the_sums(dims):
    fast, direct = frequencies(dims)
    args = tuple(map(ss.asarray, (*points(dims, 4), complexes(4), *points(dims, 3))))
    vs, every = directions(args), tuple(range(2 * dims + 1))
    order = 4 if dims == 1 else 2
    for a, b in zip(ad.taylor(fast, args, vs, order), ad.taylor(direct, args, vs, order), strict=True):
        close(a, b, 1e-10)
    f, g = loss_of(fast), loss_of(direct)
    want = ad.grad(g, every)(*args)
    for gradient in (ad.grad(f, every), ss.jit(ad.grad(f, every))):
        for a, b in zip(gradient(*args), want, strict=True):
            close(a, b, 1e-10)
    second = ad.jvp(lambda *a: ad.grad(g, every)(*a), args, vs)[1]
    back = ad.vjp(lambda *a: ad.grad(f, every)(*a), *args)[1](vs)
    for a, b in zip(back, second, strict=True):
        close(a, b, 1e-9)


def test_frequencies_are_fitted():
    """Two tones that lie between the bins of a spectrum, found by gradient descent on frequencies and strengths."""
    t = np.linspace(0, 30, 80) + 0.1 * RNG.normal(size=80)
    truth, strengths = np.array([1.234, 2.05]), np.array([1.0, 0.7])
    data = strengths @ np.exp(1j * truth[:, None] * t)

    def loss(w: Any, c: Any) -> Any:
        return ss.mean(ss.abs(nufft3(w, c, t, eps=1e-10) - data) ** 2)

    step = ss.jit(ad.grad(loss, (0, 1)))
    w, c = ss.asarray([1.2, 2.1]), ss.asarray([0.8 + 0j, 0.8 + 0j])
    for _ in range(400):
        dw, dc = step(w, c)
        w, c = w - 1e-3 * dw, c - 0.2 * dc
    np.testing.assert_allclose(w, truth, atol=1e-6)
    np.testing.assert_allclose(c, strengths, atol=1e-5)


# --- errors ----------------------------------------------------------------------------------------------------------
X, C = np.linspace(0, 1, 4), np.ones(4, complex)
REFUSED = [
    (lambda: nufft1([1, 2], [1, 2], 3), DTypeError, "float32 or float64"),
    (lambda: nufft1(C, C, 3), DTypeError, "points are real"),
    (lambda: nufft1(X, C[:3], 3), ShapeError, "there are 4 points"),
    (lambda: nufft1(X, 1.0, 3), ShapeError, "a number for each point"),
    (lambda: nufft1(0.5, C, 3), ShapeError, r"of shape \(..., m\)"),
    (lambda: nufft1((X, X[:2]), C, (3, 3)), ShapeError, "of one shape"),
    (lambda: nufft1((X, X), C, 3), ShapeError, "one for each"),
    (lambda: nufft1((X,) * 4, C, (3,) * 4), ArgumentError, "1, 2 or 3 dimensions"),
    (lambda: nufft1(X, C, 0), ArgumentError, "at least 1 mode"),
    (lambda: nufft1(X, C, 2.5), ArgumentTypeError, "n_modes must be an integer"),
    (lambda: nufft1(X, C, 3, eps=1e-15), ArgumentError, "float64 reaches 1e-14"),
    (lambda: nufft1(X.astype("f"), C.astype("F"), 3, eps=1e-9), ArgumentError, "float32 reaches 1e-06; convert"),
    (lambda: nufft1(X, C, 3, eps=1.5), ArgumentError, "less than 1"),
    (lambda: nufft1(X, C, 3, eps="high"), ArgumentTypeError, "eps must be a number"),
    (lambda: nufft1(X, C, 3, isign=0), ArgumentError, "isign is 0"),
    (lambda: nufft1(X, C, 3, modeord=2), ArgumentError, "modeord is 2"),
    (lambda: nufft1(np.array([0.0, np.nan]), C[:2], 3), ArgumentError, "point 1 has the coordinate nan"),
    (lambda: nufft2((X, np.full(4, np.inf)), np.ones((3, 3))), ArgumentError, "coordinate inf along axis 1"),
    (lambda: nufft2((X, X), C), ShapeError, "an axis for each"),
    (lambda: nufft2(X, np.zeros((2, 0))), ArgumentError, "at least 1 mode"),
    (lambda: nufft1(np.zeros((3, 4)), np.zeros((2, 4)), 5), ShapeError, "broadcast"),
    (lambda: nufft3(X, C, (X, X)), ShapeError, "both need as many"),
    (lambda: nufft3(X, C, np.arange(3)), DTypeError, "s has dtype int64"),
    (lambda: nufft3(X, C[:2], X), ShapeError, "there are 4 points"),
    (lambda: nufft3(X, C, X, eps=1e-13), ArgumentError, "float64 reaches 1e-12"),
    (lambda: nufft3(1e9 * X, C, 1e9 * X), ArgumentError, "need a grid of"),
    (lambda: nufft3(X, C, np.array([1.0, np.inf])), ArgumentError, "finite"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals_say_what_is_wrong(number):
    call, kind, text = REFUSED[number]
    with pytest.raises(kind, match=text) as info:
        call()
    assert "nufft" in str(info.value)
