"""Slices, rolls, pads and the like in compiled programs: what NumPy gives, without copies."""

import random

import numpy as np
import pytest

import scisim as ss
from scisim.compiler.lower.steps import Region
from scisim.compiler.native import NativeProgram

DTYPES = ("float32", "float64", "float16", "int8", "int32", "uint16", "int64", "bool", "complex64", "complex128")
LENGTHS = {1: (1, 5, 17, 300, 1000), 2: (1, 2, 3, 16, 33, 70, 300), 3: (1, 2, 5, 17, 40)}


def program(f, *args):
    return NativeProgram(ss.jit(f).lower(*args).graph)


def regions(p):
    return [step for step in p.lowered.every() if isinstance(step, Region)]


def calls(p):
    return [call for region in regions(p) for call in region.calls]


# --- what NumPy gives --------------------------------------------------------------------------------------------
def rolled(xp, x, draw):
    return xp.roll(x, draw.randint(-4, 4), axis=draw.randrange(x.ndim))


def rolled_flat(xp, x, draw):
    return xp.roll(x, draw.randint(-4, 4))


def padded(xp, x, draw):
    width = tuple((draw.randint(0, 3), draw.randint(0, 3)) for _ in x.shape)
    return xp.pad(x, width, constant_values=draw.choice((0, 1)))


def flipped(xp, x, draw):
    return xp.flip(x, axis=draw.randrange(x.ndim))


def _slice(n, draw, steps):
    step = draw.choice(steps)
    low = draw.randint(0, min(n - 1, 4))
    high = n - draw.randint(0, min(n - low - 1, 4))
    return slice(low, high, step) if step > 0 else slice(high - 1, low - 1 if low else None, step)


def sliced(xp, x, draw):
    return x[tuple(_slice(n, draw, (1, 1, 1, 2, 3, -1, -2)) for n in x.shape)]


def joined(xp, x, draw):
    return xp.concat([x[draw.randrange(x.shape[0]) :], x, x[:1]], axis=0)


def joined_computed(xp, x, draw):
    return xp.concat([x, doubled(xp, x, draw)], axis=x.ndim - 1)


def stacked(xp, x, draw):
    return xp.stack([x, xp.flip(x, axis=0)], axis=draw.randint(0, x.ndim))


def replaced(xp, x, draw):
    at = tuple(draw.randrange(n) if draw.random() < 0.2 else _slice(n, draw, (1, 1, 2)) for n in x.shape)
    y = x.copy()
    y[at] = doubled(xp, x[at], draw)
    return y


def turned(xp, x, draw):
    return xp.permute_dims(x, tuple(draw.sample(range(x.ndim), x.ndim)))


def flattened(xp, x, draw):
    return xp.reshape(x, (-1, *x.shape[2:])) if x.ndim > 1 else xp.reshape(x, (1, -1))


def doubled(xp, x, draw):
    return x | x if x.dtype == bool else x + x


MOVES = (rolled, rolled, rolled_flat, padded, flipped, sliced, joined, joined_computed, stacked, replaced, turned,
         flattened, doubled)  # fmt: skip


def random_chain(seed):
    """A program of a few moves, and with what they give: its neighbours, and sums beside it."""
    names = random.Random(seed).choices(MOVES, k=random.Random(-seed).randint(1, 4))

    def f(xp, x):
        draw = random.Random(seed)
        for move in names:
            x = move(xp, x, draw)
        before, after = xp.roll(x, 1, axis=0), xp.roll(x, -2, axis=x.ndim - 1)
        near = (before | after) & x if x.dtype == bool else before + after - x
        return (near, xp.sum(near, axis=0)) if x.dtype.kind in "fc" and x.dtype.itemsize > 2 else (near,)

    return f


@pytest.mark.parametrize("seed", range(60))
def test_random_chains(seed):
    draw = random.Random(seed)
    rank, dtype = draw.choice((1, 2, 2, 3)), draw.choice(DTYPES)
    shape = tuple(draw.choice(LENGTHS[rank]) for _ in range(rank))
    x = np.random.default_rng(seed).integers(0, 5, shape).astype(dtype)
    f = random_chain(seed)
    with np.errstate(all="ignore"):
        expected = f(np, x)
    for got, want in zip(program(lambda x: f(ss, x), x)(x), expected, strict=True):
        assert got.dtype == want.dtype
        assert np.array_equal(got, want)  # all numbers are small integers: nothing rounds


# --- no copies ---------------------------------------------------------------------------------------------------
def around(xp, u):
    return xp.roll(u, 1, axis=0) + xp.roll(u, -1, axis=0) + xp.roll(u, 1, axis=1) + xp.roll(u, -1, axis=1) - 4 * u


def padded_around(xp, u):
    p = xp.pad(u, 1)
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u


def sliced_around(xp, u):
    new = u.copy()
    new[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    return new


@pytest.mark.parametrize("stencil", [around, padded_around])
def test_a_rolled_or_padded_stencil_is_one_kernel(stencil):
    u = np.random.default_rng(0).random((300, 290))
    p = program(lambda u: stencil(ss, u), u)
    assert len(calls(p)) == 1
    assert p.lowered.arena_bytes == p.lowered.tile_bytes == 0
    assert np.allclose(p(u)[0], stencil(np, u), rtol=1e-15, atol=1e-14)


def test_a_part_is_written_in_place_and_only_its_border_copied():
    u = np.random.default_rng(0).random((300, 290))
    p = program(lambda u: sliced_around(ss, u), u)
    assert sorted(call.note for call in calls(p)) == ["around put"] * 4 + ["put"]
    assert p.lowered.arena_bytes == p.lowered.tile_bytes == 0
    assert np.allclose(p(u)[0], sliced_around(np, u), rtol=1e-15, atol=1e-14)


@pytest.mark.parametrize("stencil", [around, padded_around, sliced_around])
def test_other_sizes_need_no_other_kernels(stencil):
    shapes = [(300, 290), (500, 290), (300, 441)]
    kernels = {frozenset(program(lambda u: stencil(ss, u), np.zeros(s, np.float32)).kernels) for s in shapes}
    assert len(kernels) == 1


def test_rolls_of_a_computed_value_read_it_where_it_is():
    u = np.random.default_rng(0).random((300, 290))
    p = program(lambda u: around(ss, ss.exp(u)), u)
    assert p.lowered.arena_bytes <= 2 * u.nbytes
    assert np.allclose(p(u)[0], around(np, np.exp(u)), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", [(300, 290), (40, 50, 256), (64, 400, 200)])
def test_grids_are_cut_along_their_first_axis(shape):
    u = np.zeros(shape, np.float32)
    (region,) = regions(program(lambda u: around(ss, u), u))
    assert region.extent == shape[0]


def test_large_neighbourhoods_are_walked_in_strips():
    """Nine planes of 1 MB stay in no cache, nine strips of them do."""

    def f(xp, u):
        return sum(xp.roll(u, k, axis=0) for k in range(-4, 5))

    u = np.random.default_rng(0).random((64, 500, 300)).astype(np.float32)
    p = program(lambda u: f(ss, u), u)
    assert len(calls(p)) > 4
    assert len(p.kernels) == 1
    assert np.allclose(p(u)[0], f(np, u), rtol=1e-5)


# --- loops -------------------------------------------------------------------------------------------------------
def wave(xp, u, v, lap):
    return 2 * u - v + 0.1 * lap(xp, u), u


@pytest.mark.parametrize("steps", [1, 2, 3, 6])
@pytest.mark.parametrize("lap", [around, padded_around])
def test_a_loop_writes_over_the_oldest_value(steps, lap):
    u, v = np.random.default_rng(0).random((2, 60, 70))
    p = program(lambda u, v: ss.fori_loop(0, steps, lambda i, f: wave(ss, *f, lap), (u, v)), u, v)
    given = u.copy(), v.copy()
    got = p(u, v)
    assert p.lowered.arena_bytes == 0  # two fields take turns in the places of the results
    assert np.array_equal((u, v), given)
    for _ in range(steps):
        u, v = wave(np, u, v, lap)
    assert np.allclose(got, (u, v), rtol=1e-13, atol=1e-13)


def test_a_loop_keeps_a_value_whose_neighbours_are_needed():
    u = np.random.default_rng(0).random((60, 70))
    p = program(lambda u: ss.fori_loop(0, 4, lambda i, u: 0.1 * around(ss, u), u), u)
    got = p(u)[0]
    for _ in range(4):
        u = 0.1 * around(np, u)
    assert np.allclose(got, u, rtol=1e-13, atol=1e-13)
