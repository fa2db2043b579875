"""Transforms within compiled programs: native code calls them on lines where MKL is installed."""

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.lower.lines import by_lines
from scisim.fft import _lines

EPS = {"f": np.finfo(np.float32).eps, "d": np.finfo(np.float64).eps}
# Shapes and axes; the last ones are cut into tiles that threads share, with one that is shorter.
GRIDS = [
    ((12,), (0,)), ((5, 6), (1,)), ((5, 6), (0,)), ((7, 8), (0, 1)), ((7, 8), (1, 0)), ((3, 4, 5), (1,)),
    ((3, 4, 5), (0, 2)), ((3, 4, 5), (0, 1, 2)), ((4, 3, 2, 5), (1, 3)), ((300, 40), (1,)), ((300, 40), (0,)),
    ((131, 270), (0, 1)), ((257, 270), (0, 1)), ((40, 50, 36), (0, 2)), ((513, 8, 9), (1, 2)),
    ((20, 21, 22), (0, 1, 2)),
]  # fmt: skip


def operand(rng, shape, dtype):
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype in "FD" else 0.0)
    return x.astype(dtype)


def close(got, want, dtype):
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=64 * EPS[dtype.lower()] * np.abs(want).max())


def around(name, axes, **more):
    """A transform between functions of elements, with what broadcasts."""

    def f(x):
        w = ss.linspace(0.5, 1.0, x.shape[-1]).astype(ss.real(x).dtype)
        y = getattr(ss.fft, name)(ss.cos(x) * w, axes=axes, **more)
        return y * 2.0 + ss.square(y)

    return f


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize(("shape", "axes"), GRIDS)
def test_programs_give_what_single_operations_give(rng, shape, axes, dtype):
    x = operand(rng, shape, dtype)
    for name in ("fftn", "ifftn", *(("rfftn", "ihfftn") if dtype in "fd" else ("irfftn", "hfftn"))):
        f = around(name, axes, norm="ortho")
        close(ss.jit(f)(x), f(x), dtype)


@pytest.mark.parametrize(("shape", "axes"), GRIDS)
@pytest.mark.parametrize("name", ["fftn", "rfftn", "irfftn"])
def test_gradients(rng, shape, axes, name):
    x = operand(rng, shape, "D" if name == "irfftn" else "d")
    g = ad.grad(lambda x: ss.sum(ss.abs(around(name, axes)(x)) ** 2))
    close(ss.jit(g)(x), g(x), "d")


@pytest.mark.parametrize("s", [(4, 9), (8, 5)])
def test_lengths_are_cropped_and_filled(rng, s):
    x = operand(rng, (6, 7), "d")
    for name in ("fftn", "rfftn", "irfftn"):
        f = around(name, (0, 1), s=s)
        close(ss.jit(f)(x), f(x), "d")


def test_imaginary_parts_that_a_real_signal_has_not_are_ignored(rng):
    x = operand(rng, (6, 5), "D")
    f = around("irfftn", (0, 1))
    y = x.copy()
    y[:, 0] = 0.5 * (y[:, 0] + y[-np.arange(6), 0].conj())
    y[:, -1] = 0.5 * (y[:, -1] + y[-np.arange(6), -1].conj())
    plain = ss.jit(lambda x: ss.fft.irfftn(x * 1.5))
    close(plain(x), plain(y), "d")
    close(ss.jit(f)(x), f(x), "d")


def test_loops_carry_turned_values(rng):
    x, k = operand(rng, (24, 10), "d"), np.arange(24)[:, None] - 1j * np.arange(6)

    def f(x):
        def body(c, _):
            y = ss.fft.irfft2(ss.fft.rfft2(ss.sin(c)) * k, s=x.shape) * 0.01
            return c + y, ss.sum(y**2)

        return ss.scan(body, ss.asarray(x), None, length=5)

    for got, want in zip(ss.jit(f)(x), f(x), strict=True):
        close(got, want, "d")
    loss = ad.value_and_grad(lambda x: ss.sum(f(x)[0] ** 2))
    for got, want in zip(ss.jit(loss)(x), loss(x), strict=True):
        close(got, want, "d")


def test_mapped_programs(rng):
    x = operand(rng, (4, 6, 7), "d")
    f = around("rfftn", (0, 1))
    close(ss.jit(ss.vmap(f))(x), np.stack([f(p) for p in x]), "d")
    g = ss.vmap(f, 2, 1)
    close(ss.jit(g)(x), g(x), "d")


# --- what native code does ---------------------------------------------------------------------------------
needs_lines = pytest.mark.skipif(_lines.by_lines() is None, reason="no engine gives its functions to programs")


def equations(f, *args):
    program = ss.jit(f).lower(*args)._native
    return program.parts.lowered.graph.equations if program else []


@needs_lines
def test_turns_meet_and_vanish(rng):
    x = operand(rng, (40, 50), "D")
    k = operand(rng, (40, 50), "D")

    def f(x):
        for _ in range(3):
            x = ss.fft.ifft(ss.fft.fft(x, axis=0) * k + x, axis=0)
        return x

    found = equations(f, x)
    assert sum(eq.prim.name == "fft" and by_lines(eq) for eq in found) == 6
    assert sum(eq.prim.name == "turn" for eq in found) == 2
    close(ss.jit(f)(x), f(x), "d")


@needs_lines
def test_the_order_of_axes_follows_the_turn(rng):
    x, k = operand(rng, (40, 50), "D"), operand(rng, (40, 50), "D")

    def f(x):
        return ss.fft.ifft2(ss.fft.fft2(x * k) * k) + x

    found = equations(f, x)
    assert sum(by_lines(eq) for eq in found) == 4
    assert sum(eq.prim.name == "turn" for eq in found) == 2
    close(ss.jit(f)(x), f(x), "d")


@needs_lines
@pytest.mark.parametrize(("shape", "apart"), [((60, 60), True), ((128, 128), False), ((256, 256), True),
                                              ((64, 128, 128), True), ((20, 20, 20), False)])  # fmt: skip
def test_axes_are_taken_apart_where_that_gains(shape, apart):
    axes = (-2, -1) if shape[0] != 20 else None
    found = equations(lambda x: ss.fft.rfftn(x * 2.0, axes=axes) * 0.5, np.ones(shape))
    assert any(map(by_lines, found)) is apart


@needs_lines
def test_lines_join_the_regions_around_them():
    low = ss.jit(lambda x: ss.exp(ss.abs(ss.fft.fft(ss.sin(x)))) * 2.0).lower(np.ones((512, 64)))
    (region,) = low.regions
    assert [k.computes for k in region.kernels if "fft" in k.computes] == ["fft"]
    assert 1e6 < sum(k.flops for k in region.kernels) < 1e8


def test_a_transform_alone_keeps_the_bits_of_its_engine(rng):
    x = operand(rng, (30, 40), "d")
    for f in (ss.fft.rfft2, ss.fft.fftn, lambda x: ss.fft.ifft(x, axis=0)):
        np.testing.assert_array_equal(ss.jit(f)(x), f(x))


@needs_lines
def test_long_single_lines_are_left_to_the_threads_of_an_engine():
    f = ss.jit(lambda x: ss.fft.fft(x * 2.0) * 0.5)
    assert "Python: fft" in repr(f.lower(np.ones((2, 1 << 15))))
    assert "Python" not in repr(f.lower(np.ones((2, 1 << 9))))


@needs_lines
def test_programs_with_lines_are_not_kept_on_disk(tmp_path, monkeypatch, rng):
    from scisim.compiler.cpu.cache import DiskCache
    from scisim.compiler.cpu.executor import executor

    monkeypatch.setattr(executor().library, "cache", DiskCache(tmp_path))
    x = operand(rng, (6, 8), "d")
    f = around("fftn", (0, 1))
    for _ in range(2):
        g = ss.jit(f)
        close(g(x), f(x), "d")
        (program,) = g.programs.values()
        assert program.run.built() is program.run


@needs_lines
def test_the_engine_that_is_asked_for_computes_at_each_call(rng, monkeypatch):
    x, calls = operand(rng, (12, 20), "d"), []
    f = around("rfftn", (0, 1))
    g = ss.jit(f)
    want = f(x)
    close(g(x), want, "d")

    def r2c(self, *args):
        calls.append(args)
        return own(self, *args)

    kind = type(ss.fft.engines.registry.get("scipy"))
    own = kind.r2c
    monkeypatch.setattr(kind, "r2c", r2c)
    with ss.fft.engine("scipy"):
        close(g(x), want, "d")
    assert len(calls) == 1
    close(g(x), want, "d")
    assert len(calls) == 1


@needs_lines
def test_profiles_show_what_lines_take(rng):
    x = operand(rng, (300, 64), "d")
    f = ss.jit(around("rfftn", (1,)))
    for _ in range(3):
        f(x)
    with ss.profile() as p:
        f(x)
    (program,) = p.programs
    assert sum(q.seconds for e in program.entries() for q in e.parts if "fft" in q.what) > 0


@needs_lines
def test_what_a_library_refuses_is_told(rng):
    x = operand(rng, (6, 8), "d")
    f = ss.jit(around("rfftn", (0, 1)))
    want = f(x)
    (program,) = f.programs.values()
    program.run.status[0] = 1
    with pytest.raises(ss.errors.ScisimError, match="MKL refused a transform: .*memory"):
        f(x)
    np.testing.assert_array_equal(f(x), want)
