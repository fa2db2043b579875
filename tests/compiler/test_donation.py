"""Results that take the memory of donated arguments."""

import numpy as np
import pytest

import scisim as ss

N = 100_000  # large enough for memory to matter


def address(x):
    return np.asarray(x).ctypes.data


def given(rng):
    return ss.asarray(rng.normal(size=N))


def test_an_update_is_made_in_place(rng):
    f = ss.jit(lambda x, g: x - 0.5 * g, donate_argnums=0)
    x, g = given(rng), given(rng)
    want, place = (x - 0.5 * g).numpy().copy(), address(x)
    y = f(x, g)
    assert address(y) == place
    np.testing.assert_allclose(y.numpy(), want, rtol=1e-15)


def test_leaves_of_a_donated_container_are_donated_each(rng):
    f = ss.jit(lambda p, g: [a * 0.9 - b for a, b in zip(p, g, strict=True)], donate_argnums=(0,))
    p, g = [given(rng), given(rng)], [given(rng), given(rng)]
    want, places = [(a * 0.9 - b).numpy().copy() for a, b in zip(p, g, strict=True)], {address(a) for a in p}
    out = f(p, g)
    assert {address(a) for a in out} == places
    for a, b in zip(out, want, strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-14)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[::-1] + x,
        lambda x: ss.cumulative_sum(x),
        lambda x: x + ss.sum(x * x),
        lambda x: ss.concat([x[1:], x[:1]]) - x,
    ],
    ids=["reversed", "cumulative", "with a sum", "rolled"],
)
def test_what_is_read_elsewhere_is_right(f, rng):
    x = given(rng)
    want = f(x).numpy().copy()
    got = ss.jit(f, donate_argnums=0)(ss.Tensor(x))
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12, atol=1e-12)


def test_an_argument_that_is_given_twice_is_kept(rng):
    f = ss.jit(lambda x, y: x * 2.0 + ss.sum(y), donate_argnums=0)
    x = given(rng)
    before = x.numpy().copy()
    y = f(x, x)
    np.testing.assert_array_equal(x.numpy(), before)
    np.testing.assert_allclose(y.numpy(), before * 2.0 + before.sum(), rtol=1e-12)


def test_static_arguments_do_not_shift_the_numbers(rng):
    f = ss.jit(lambda n, x, y: (x * n, y + 1.0), static_argnums=0, donate_argnums=2)
    x, y = given(rng), given(rng)
    places = address(x), address(y)
    a, b = f(3, x, y)
    assert address(a) != places[0]
    assert address(b) == places[1]
