"""The libraries that compute transforms: each alike, none changes its operand, plans are bounded."""

import itertools
import platform
import threading

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentError
from scisim.fft import engines
from scisim.fft.engines import plans, registry
from scisim.fft.engines.cufft import CuFFT
from scisim.fft.engines.pocket import SciPy
from scisim.fft.engines.probe import dense, dense_real, fault

NAMES = ss.fft.list_engines()
DTYPES = ["float32", "float64"]


def tolerance(want):
    return 20 * np.finfo(want.dtype).eps * np.log2(want.size + 2) * np.abs(want).max(initial=1e-300)


def signal(rng, shape, dtype):
    x = rng.normal(size=shape).astype(dtype)
    return x, (x + 1j * rng.normal(size=shape)).astype(np.result_type(dtype, np.complex64))


def test_all_packages_of_the_test_extra_are_found():
    mkl = {"mkl"} if platform.machine() in ("x86_64", "AMD64") else set()
    assert set(NAMES) == {"fftw", "fftw-measured", "ducc0", "scipy"} | mkl


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((1,), (-1,)),
        ((2,), (-1,)),
        ((7,), (-1,)),
        ((3, 8), (-2,)),
        ((5, 6), (-1, -2)),
        ((3, 4, 5), (-2,)),
        ((3, 4, 5), (-3, -1)),
        ((2, 3, 4, 5), (-2, -4)),
        ((2, 3, 2, 6), (-4, -3, -2, -1)),
        ((1, 1, 4), (-3, -1)),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_transforms_of_any_layout_against_matrices(rng, name, shape, axes, dtype):
    x, z = signal(rng, shape, dtype)
    n = shape[axes[-1]]
    half = np.take(z, range(n // 2 + 1), axis=axes[-1])
    layouts = [
        np.ascontiguousarray,
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: np.flip(a, 0)[::1],
    ]
    with ss.fft.engine(name):
        for layout, inverse in itertools.product(layouts, (False, True)):
            a, b, h = layout(x), layout(z), layout(half)
            kept = [v.copy() for v in (a, b, h)]
            want = dense(b, axes, inverse, 0.3)
            np.testing.assert_allclose(
                engines.c2c(b, axes, inverse, 0.3), want, rtol=0, atol=tolerance(want.astype(z.dtype))
            )
            want = dense(a, axes, inverse, 0.3)
            np.testing.assert_allclose(
                engines.c2c(a, axes, inverse, 0.3), want, rtol=0, atol=tolerance(want.astype(z.dtype))
            )
            want = np.take(want, range(n // 2 + 1), axis=axes[-1])
            np.testing.assert_allclose(
                engines.r2c(a, axes, inverse, 0.3), want, rtol=0, atol=tolerance(want.astype(z.dtype))
            )
            want = dense_real(h, n, axes, inverse, 0.3)
            np.testing.assert_allclose(
                engines.c2r(h, n, axes, inverse, 0.3), want, rtol=0, atol=2 * tolerance(want.astype(dtype))
            )
            for before, after in zip(kept, (a, b, h)):
                np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_imaginary_parts_without_a_signal_are_ignored(rng, name, n):
    """By every engine, in one axis and several, and their gradients are 0."""
    with ss.fft.engine(name):
        z = rng.normal(size=(4, n // 2 + 1)) + 1j * rng.normal(size=(4, n // 2 + 1))
        want = np.fft.irfft(np.fft.ifft(z, axis=0), n)
        np.testing.assert_allclose(ss.fft.irfft2(z, s=(4, n)).numpy(), want, atol=1e-15)
        line = z[0].copy()
        line.imag[0] += 1.0
        if n % 2 == 0:
            line.imag[-1] -= 2.0
        np.testing.assert_allclose(ss.fft.irfft(line, n=n).numpy(), ss.fft.irfft(z[0], n=n).numpy(), atol=1e-15)
        g = ad.grad(lambda z: ss.sum(ss.fft.irfft(z, n=n) ** 3))(line).numpy()
        assert g.imag[0] == 0.0
        assert n % 2 or g.imag[-1] == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_an_operand_may_be_read_only_and_a_result_has_its_own_memory(rng, name):
    z = rng.normal(size=(6, 6)) + 1j
    z.flags.writeable = False
    with ss.fft.engine(name):
        for f in (ss.fft.fftn, ss.fft.ifftn, ss.fft.irfftn, ss.fft.hfftn):
            y = f(z)._v
            assert y.flags.writeable
            assert not np.may_share_memory(y, z)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_runs_on_the_engine_of_the_moment(rng, name):
    x = rng.normal(size=(8, 6))
    f = ss.jit(lambda x: ss.fft.irfft2(ss.fft.rfft2(x) * 2.0, s=x.shape))
    with ss.fft.engine(name):
        np.testing.assert_allclose(f(x).numpy(), 2 * x, atol=1e-14)


def test_engines_are_chosen_by_size_and_by_name():
    assert registry.chosen(False, 16).name == "ducc0"
    assert registry.chosen(False, 1 << 20).name == "mkl"
    with ss.fft.engine("scipy"):
        assert registry.chosen(False, 1 << 20).name == "scipy"
        with ss.fft.engine("fftw"):
            assert registry.chosen(True, 4).name == "fftw"
        assert registry.chosen(True, 4).name == "scipy"
    assert registry.chosen(True, 1 << 20).name == "mkl"


def test_an_unknown_engine_is_named():
    with pytest.raises(
        ArgumentError, match=r"no engine 'fast'; installed are .*'scipy'.*packages mkl, ducc0 and pyfftw"
    ):
        ss.fft.engine("fast").__enter__()


class Wrong(SciPy):
    """An engine with faults to choose from."""

    name = "wrong"

    def __init__(self, how):
        self.how = how

    def c2c(self, x, axes, inverse, scale, out, threads):
        if self.how == "writes":
            x *= 2
        if self.how == "scales":
            scale = scale**2
        if self.how == "raises":
            raise RuntimeError("no licence")
        if self.how == "divides":
            scale = 1 // 0
        if self.how == "looks up":
            scale = {}["scale"]
        return super().c2c(x, axes, inverse, scale, None if self.how == "ignores out" else out, threads)

    def c2r(self, x, n, axes, inverse, scale, out, threads):
        if self.how == "reads":
            return super().c2r(x + 0.1, n, axes, inverse, scale, out, threads)
        return super().c2r(x, n, axes, inverse, scale, out, threads)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("writes", "is wrong|changed its operand"),
        ("scales", "c2c .* is wrong"),
        ("raises", "RuntimeError: no licence"),
        ("reads", "c2r .* is wrong"),
        ("divides", "raised ZeroDivisionError"),
        ("looks up", "raised KeyError"),
        ("ignores out", "differs when it writes to an array"),
    ],
)
def test_a_faulty_engine_is_refused(how, text):
    with pytest.raises(ArgumentError, match=f"register_engine: .*({text})"):
        ss.fft.register_engine(Wrong(how))
    assert "wrong" not in ss.fft.list_engines()


def test_an_engine_must_not_take_the_name_of_another_nor_lack_a_method():
    mine = SciPy()
    for name in ("mkl", "scipy", 3, None, ["mine"]):
        mine.name = name
        with pytest.raises(ArgumentError, match="register_engine: the name must be a text other than 'mkl', .*got"):
            ss.fft.register_engine(mine)
    mine.name, mine.clear = "mine", None
    with pytest.raises(ArgumentError, match="register_engine: clear is None, and must be a method"):
        ss.fft.register_engine(mine)
    assert "mine" not in ss.fft.list_engines()


def test_a_faulty_engine_that_is_installed_is_left_out(monkeypatch):
    monkeypatch.setitem(registry._MAKERS, "broken", (lambda: True, lambda: Wrong("scales")))
    with pytest.warns(RuntimeWarning, match="the engine 'broken' is left out: c2c"):
        assert registry.get("broken") is None
    registry._made.pop("broken")


def test_a_registered_engine_computes_everything(rng, monkeypatch):
    calls = []

    class Counting(SciPy):
        name = "counting"

        def r2c(self, *args):
            calls.append("r2c")
            return super().r2c(*args)

    monkeypatch.setattr(registry, "_MAKERS", dict(registry._MAKERS))
    monkeypatch.setattr(registry, "_made", dict(registry._made))
    monkeypatch.setattr(registry, "_preferred", [])
    ss.fft.register_engine(Counting())
    calls.clear()
    ss.fft.rfft(rng.normal(size=8))
    assert calls == ["r2c"]
    registry.choose.cache_clear()


def test_scipy_alone_is_enough(rng, monkeypatch):
    """Without the packages mkl, pyfftw and ducc0."""
    from scisim.fft import _trigonometric

    lacking = dict.fromkeys(("mkl", "fftw", "fftw-measured", "ducc0"))
    monkeypatch.setattr(registry, "_made", {"scipy": registry.get("scipy"), **lacking})
    monkeypatch.setattr(_trigonometric, "_ducc", dict)
    registry.choose.cache_clear()
    try:
        assert ss.fft.list_engines() == ["scipy"]
        x = rng.normal(size=(40, 50))
        transform = lambda x: ss.fft.irfftn(ss.fft.rfftn(x, axes=(1, 0)), s=(50, 40), axes=(1, 0))
        for f in (transform, ss.jit(transform), lambda x: ss.fft.idctn(ss.fft.dctn(x)), ss.jit(ss.fft.ifft2)):
            want = np.fft.ifft2(x) if f(x).dtype == complex else x
            np.testing.assert_allclose(f(x).numpy(), want, atol=1e-13)
        g = ss.jit(ad.grad(lambda x: ss.sum(ss.abs(ss.fft.fft2(x)) ** 2)))(x).numpy()
        np.testing.assert_allclose(g, 2 * x.size * x, rtol=1e-12, atol=1e-10)
    finally:
        registry.choose.cache_clear()


def test_scipys_public_functions_serve_where_its_inner_ones_changed(rng):
    assert fault(SciPy()) == ""


# --- plans -------------------------------------------------------------------------------------------------
def test_plans_are_bounded_by_bytes_and_can_be_cleared(rng):
    before = ss.fft.cache_info().limit
    try:
        ss.fft.clear_cache()
        with ss.fft.engine("mkl"):
            for n in range(64, 164):
                ss.fft.fft(rng.normal(size=n) + 1j)
            full = ss.fft.cache_info()
            assert full.plans == 100
            assert full.bytes >= 100 * 64 * 16  # at least a table of each
            ss.fft.set_cache_limit(full.bytes // 4)
            assert 10 <= ss.fft.cache_info().plans <= 40
            assert ss.fft.cache_info().bytes <= full.bytes // 4
            x = rng.normal(size=163) + 1j
            np.testing.assert_allclose(ss.fft.fft(x).numpy(), np.fft.fft(x), atol=1e-12)
        ss.fft.clear_cache()
        assert ss.fft.cache_info().bytes == 0
    finally:
        ss.fft.set_cache_limit(before)


def test_the_same_geometry_plans_once(rng):
    ss.fft.clear_cache()
    with ss.fft.engine("mkl"):
        for _ in range(5):
            ss.fft.rfft2(rng.normal(size=(16, 12)))
    assert ss.fft.cache_info().plans == 1


def test_a_negative_limit_is_refused():
    with pytest.raises(ArgumentError, match="from 0 on, got -1"):
        ss.fft.set_cache_limit(-1)


def test_a_plan_larger_than_the_limit_serves_and_goes():
    cache = plans.Plans(10)
    assert cache.get("a", lambda: ("plan", 100)) == "plan"
    assert cache.info().plans == 1
    assert cache.get("b", lambda: ("other", 1)) == "other"
    assert cache.info() == plans.CacheInfo(1, 1, 10)


def test_threads_share_plans(rng):
    """Many threads at once, while plans come and go."""
    before = ss.fft.cache_info().limit
    data = [rng.normal(size=n) + 1j for n in (30, 64, 101, 128)]
    want = [np.fft.fft(x) for x in data]
    wrong = []

    def work(name):
        with ss.fft.engine(name):
            for _ in range(50):
                for x, w in zip(data, want):
                    if not np.allclose(ss.fft.fft(x).numpy(), w, rtol=0, atol=1e-12):
                        wrong.append(name)

    try:
        ss.fft.set_cache_limit(4000)
        workers = [threading.Thread(target=work, args=(n,)) for n in NAMES * 2]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
    finally:
        ss.fft.set_cache_limit(before)
    assert not wrong


def test_bits_do_not_depend_on_where_an_array_lies(rng):
    """Values beside derivatives equal plain ones to the bit, wherever NumPy puts them."""
    for name, n in itertools.product(NAMES, (64, 100, 1009)):
        values = rng.normal(size=n) + 1j * rng.normal(size=n)
        raw = np.empty(16 * n + 128, np.uint8)
        first = -raw.ctypes.data % 64
        found = []
        for shift in (0, 16, 32):
            x = raw[first + shift : first + shift + 16 * n].view(complex)
            x[:] = values
            with ss.fft.engine(name):
                found.append(engines.c2c(x, (-1,), False, 1.0).copy())
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0], err_msg=f"{name}, {n}")


# --- devices -----------------------------------------------------------------------------------------------
class Cache:
    size, cleared = 0, 0

    def get_memsize(self):
        return self.size

    def set_memsize(self, n):
        self.size = n

    def clear(self):
        self.cleared += 1


class CuPy:
    """NumPy in the place of CuPy, with cuFFT's habits: what is transformed to real numbers is written over."""

    multiply = staticmethod(np.multiply)

    class fft:
        class config:
            cache = Cache()

            @classmethod
            def get_plan_cache(cls):
                return cls.cache

        fftn, ifftn, rfftn = staticmethod(np.fft.fftn), staticmethod(np.fft.ifftn), staticmethod(np.fft.rfftn)

        @staticmethod
        def irfft(x, n, axis, norm):
            y = np.fft.irfft(x, n, axis, norm)
            x[...] = np.nan
            return y


def test_the_engine_of_devices_keeps_its_operand_and_bounds_its_plans():
    engine = CuFFT(CuPy)
    assert fault(engine) == ""
    assert CuPy.fft.config.cache.size == ss.fft.cache_info().limit
    engine.clear()
    assert CuPy.fft.config.cache.cleared == 1


def test_mkl_is_told_its_threads(monkeypatch):
    """A transform asks for no more threads than scisim may use, and one where it is short."""
    monkeypatch.setenv("SCISIM_NUM_THREADS", "3")
    assert engines._threads(np.empty((512, 512)), (-1, -2)) == 3
    assert engines._threads(np.empty((16, 16)), (-1, -2)) == 1
    assert engines._threads(np.empty(1 << 16), (-1,)) == 1


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1,), (8,), (1, 4), (3, 4)])
@pytest.mark.parametrize("name", NAMES)
def test_fields_of_records_have_strides_of_any_number_of_bytes(name, shape, dtype):
    v = np.zeros(shape, [("flag", "u1"), ("value", dtype)])["value"]
    v[...] = np.arange(1, v.size + 1).reshape(shape)
    axes, eps = tuple(range(-len(shape), 0)), np.finfo(dtype).eps
    with ss.fft.engine(name):
        np.testing.assert_allclose(ss.fft.fftn(v).numpy(), np.fft.fftn(v), atol=1e3 * eps)
        np.testing.assert_allclose(ss.fft.irfftn(v, s=shape).numpy(), np.fft.irfftn(v, shape, axes), atol=1e2 * eps)
        np.testing.assert_array_equal(ss.fft.dctn(v).numpy(), ss.fft.dctn(np.array(v)).numpy())
